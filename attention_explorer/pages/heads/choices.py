"""What can be chosen on the Heads page: what it is called, and a tip that teaches."""

from __future__ import annotations

from typing import Final

from attention_explorer.core.map_picture import Contrast
from attention_explorer.model import Stage
from attention_explorer.pages.heads.state import Aggregate, Hidden, MaskKind, SortBy

MASKS = (
    (MaskKind.NONE, "no mask", "Every query attends to every key, as in an encoder"),
    (MaskKind.CAUSAL, "causal", "A query sees itself and what comes before it, as in a language model"),
    (
        MaskKind.STRICT,
        "strictly causal",
        "Only what comes before, not itself: the first query has nothing to attend to, and its output is zero",
    ),
    (MaskKind.PADDING, "padding", "The first n keys are real, the rest is padding that nobody sees"),
    (MaskKind.WINDOW, "sliding window", "A query sees itself and the n − 1 positions to each side of it"),
    (MaskKind.CAUSAL_WINDOW, "causal window", "A query sees itself and the n − 1 positions before it"),
    (MaskKind.PREFIX, "prefix", "Every query sees the first n keys; the rest is causal"),
    (MaskKind.BLOCK, "blocks", "A query sees the n positions of its own block"),
)
PAINTED = "painted mask"
"""The first kind of mask once cells are hidden or shown by hand."""
OWN_MASK = "own mask"
"""And where the weights were recorded with one."""
STAGES = (
    (Stage.SCORES, "raw scores", "q · k, before anything else"),
    (Stage.SCALED, "scaled", "q · k ÷ √d_k"),
    (Stage.MASKED, "masked", "Hidden cells are −∞, before the softmax"),
    (Stage.WEIGHTS, "weights", "Softmax of each row: the row sums to 1"),
)
CONTRASTS = (
    (Contrast.UNIT, "0…1", "The colour bar runs from 0 to 1: the same colours in every map"),
    (Contrast.MAX, "0…max", "The colour bar ends at the largest weight of the map"),
    (Contrast.ROW, "per row", "Each row is divided by its largest weight"),
    (Contrast.LOG, "log", "Powers of ten from 0.0001 to 1: small weights become visible"),
    (Contrast.PERCENTILE, "to 98 %", "98 % of the weights lie below the end of the colour bar"),
)
HIDINGS = (
    (Hidden.NOTHING, "nothing", "All keys are shown"),
    (
        Hidden.FIRST,
        "first token",
        "Leave the first key out and renormalise the rest: in trained models it often takes most of the weight",
    ),
    (Hidden.PUNCTUATION, "punctuation", "Leave punctuation out of the keys and renormalise the rest"),
)
AGGREGATES = (
    (Aggregate.ONE, Aggregate.ONE.words, "The head that is chosen among all heads"),
    (
        Aggregate.MEAN,
        Aggregate.MEAN.words,
        "The mean over the heads of the layer that are switched on; its rows sum to 1.\n"
        "PyTorch’s nn.MultiheadAttention returns this mean too, unless average_attn_weights=False.\n"
        "Its numbers are others: it draws W_q, W_k, W_v by xavier_uniform_ (std 1/√(2·d_model))\n"
        "and has biases, which start at 0.",
    ),
    (Aggregate.MAX, Aggregate.MAX.words, "The largest weight of any head; its rows need not sum to 1"),
    (
        Aggregate.ROLLOUT,
        Aggregate.ROLLOUT.words,
        "How much of each token reaches the last layer: the layers multiplied (Abnar and Zuidema 2020)",
    ),
)
SORTS = (
    (SortBy.NUMBER, "by number", "In the order of the model"),
    (SortBy.ALIKE, "alike heads together", "Heads whose maps are nearly the same stand side by side"),
    (SortBy.DOING, "by what they do", "Heads that clearly do one thing stand together, the clearest first"),
    (SortBy.ENTROPY, "by entropy", "The most spread out first"),
    (SortBy.EVENNESS, "by evenness", "The entropy as a share of the largest that there could be: 1 is even, 0 certain"),
    (SortBy.MAX_WEIGHT, "by largest weight", "The mean over the rows of their largest weight: the most decided first"),
    (SortBy.SATURATED, "by sharp rows", "The share of the rows with a weight above 0.95, the largest first"),
    (SortBy.SCORE_STD, "by spread of scores", "The standard deviation of the scaled scores, the largest first"),
    (SortBy.DISTANCE, "by distance", "Those that look furthest first"),
    (SortBy.SELF, "by weight on itself", "The weight of tokens on themselves, the largest first"),
    (SortBy.PREVIOUS, "by weight on previous", "The weight on the token before, the largest first"),
    (SortBy.FIRST, "by weight on first", "The weight on the first token, the largest first"),
    (SortBy.NEXT, "by weight on next", "The weight on the token after, the largest first"),
    (SortBy.BACK, "by k back", "The weight on the token a fixed distance before, 2 to 8, the largest first"),
    (SortBy.SAME, "by same token", "The weight on the same token elsewhere, the largest first"),
    (SortBy.SPECIAL, "by punctuation", "The weight on punctuation and special tokens, the largest first"),
    (SortBy.INDUCTION, "by induction", "The weight on what came after the same token earlier, the largest first"),
    (
        SortBy.DIFFERENCE,
        "by difference from B",
        "How much of each query’s weight lies elsewhere than in B, ½ Σ |A − B|, what changes most first.\n"
        "A head that moves much need not matter to the answer: switch it off and look at the next words.\n"
        "Against a head of the same setup kept as B, every head is compared with that one",
    ),
)
CHOICES: Final = {
    "setup.mask.kind": MASKS,
    "setup.aggregate": AGGREGATES,
    "view.stage": STAGES,
    "view.contrast": CONTRASTS,
    "view.hidden": HIDINGS,
    "view.sort": SORTS,
}
"""By field what it may be."""


def plain_mask(own: str) -> tuple[str, str]:
    """Return what the first kind of mask is called, with a tip, where a model has the mask that ``own`` says, or none.

    What a model hides itself stays hidden under every kind.
    """
    if not own:
        return MASKS[0][1:]
    return f"the model’s own ({own})", "What the model hides by itself, and nothing more; the other kinds hide more"
