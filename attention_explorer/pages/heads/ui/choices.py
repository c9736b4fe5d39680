"""What can be chosen above the pictures: what it is called, and a tip that teaches."""

from __future__ import annotations

from attention_explorer.core.colour_scale import Contrast
from attention_explorer.model import Stage
from attention_explorer.pages.heads.state import Hidden, MaskKind, Picture

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


def plain_mask(own: str) -> tuple[str, str]:
    """Return what the first kind of mask is called, with a tip, where a model has the mask that ``own`` says, or none.

    What a model hides itself stays hidden under every kind.
    """
    if not own:
        return MASKS[0][1:]
    return f"the model’s own ({own})", "What the model hides by itself, and nothing more; the other kinds hide more"


PICTURES = (
    (Picture.HEATMAP, "Map", "The map: one row per query, one column per key"),
    (Picture.LINES, "Lines", "Queries left, keys right, line width = weight"),
    (Picture.STAGES, "Stages", "Raw scores → scaled → masked → weights, with the shapes of the whole layer"),
    (Picture.COMPARE, "Compare", "This setup (A) beside one you kept (B), and their signed difference"),
    (Picture.MARKED, "Side by side", "The heads marked on the wall, in the same colours"),
)
STAGES = (
    (Stage.SCORES, "raw scores", "q · k, before anything else"),
    (Stage.SCALED, "scaled", "q · k ÷ √d_k"),
    (Stage.MASKED, "masked", "Hidden cells are −∞, before the softmax"),
    (Stage.WEIGHTS, "weights", "Softmax of each row: the row sums to 1"),
)
VALUE_WEIGHTED = "value-weighted"
WITH_VALUES = (
    *STAGES,
    (
        VALUE_WEIGHTED,
        "× values",
        "How long what each key adds to the output is: ‖α·v·W_O‖, or ‖α·v‖ where W_O is not known.\n"
        "A large weight on a short value adds little (Kobayashi et al. 2020).",
    ),
)
CONTRASTS = (
    (Contrast.UNIT, "colours 0…1", "The colour bar runs from 0 to 1: the same colours in every map"),
    (Contrast.MAX, "colours 0…max", "The colour bar ends at the largest weight of the map"),
    (Contrast.ROW, "colours per row", "Each row is divided by its largest weight"),
    (Contrast.LOG, "colours log", "Powers of ten from 0.0001 to 1: small weights become visible"),
    (Contrast.PERCENTILE, "colours to 98 %", "98 % of the weights lie below the end of the colour bar"),
)
CHOSEN_TOKENS = "tokens"
HIDINGS = (
    (Hidden.NOTHING, "hide nothing", "All keys are shown"),
    (
        Hidden.FIRST,
        "hide first",
        "Leave the first key out and renormalise the rest: in trained models it often takes most of the weight",
    ),
    (Hidden.PUNCTUATION, "hide punctuation", "Leave punctuation out of the keys and renormalise the rest"),
    (
        CHOSEN_TOKENS,
        "hide tokens…",
        "Find tokens (Ctrl+F) and leave them out of the keys; the rest of each row stays as it is",
    ),
)
