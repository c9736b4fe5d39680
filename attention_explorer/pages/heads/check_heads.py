"""The axis of the heads: all heads in one product, and a mask for each sequence of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.numerals import counted, grouped, size_text
from attention_explorer.errors import ExplorerError
from attention_explorer.model import MultiHeadAttention, QueryKeyMap, Stage, causal_mask, softmax
from attention_explorer.model.head_axis import for_heads
from attention_explorer.pages.heads.check_report import CheckReport, CheckTable, Form, require_size, whole_layer
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.sources.source import Made

# ---- The reshape trick, rightly and wrongly ----

ROUNDING = 1e-9
"""Differences below this share of the largest output are rounding."""

_NO_PROJECTIONS = "Hand-made heads have no projections to reshape: choose random heads."
_UNKNOWN_PROJECTIONS = "What these heads were projected from is not known here: choose random heads to reshape them."


@dataclass(frozen=True, slots=True)
class ReshapeCheck:
    """How far three ways to compute all heads are apart; the loop over heads is the yardstick."""

    heads: int
    reshaped: float  # max |difference| of the outputs of one product, then (n, heads, d) with heads and n swapped
    buggy: float  # of one product cut as (heads, n, d) without swapping
    largest: float  # the largest output, for comparison
    multiplications: int  # of the projections to queries, keys and values, the same in all three


def reshape_check(frame: HeadsFrame) -> ReshapeCheck:
    """Compute the layer's heads one by one, by reshape and transpose, and by a reshape that forgets to transpose.

    Raises
    ------
    ExplorerError
        The heads have no projections, or there are too many tokens.
    """
    require_size(frame)
    if frame.layers[frame.layer].attention is None:
        by_hand = frame.source.traits.made is Made.BY_HAND
        raise ExplorerError(_NO_PROJECTIONS if by_hand else _UNKNOWN_PROJECTIONS)
    return _reshape_check(frame.setup)


@kept
def _reshape_check(setup: HeadsSetup) -> ReshapeCheck:
    frame = heads_frame(setup)
    layer = frame.layers[frame.layer]
    attention = layer.attention
    if attention is None:
        raise ExplorerError(_NO_PROJECTIONS)
    x, context = layer.inputs
    sources = (x, context, context)
    looped = _output(frame, attention, _by_loop(attention, sources))
    q, k, v = attention.project(x, context)
    reshaped = _output(frame, attention, (q, k, v))
    buggy = _output(frame, attention, _by_bug(attention, sources))
    return ReshapeCheck(
        attention.heads,
        float(np.abs(reshaped - looped).max()),
        float(np.abs(buggy - looped).max()),
        float(np.abs(looped).max()),
        sum(len(x) * w.size for x, (w, _) in zip(sources, _affine(attention), strict=True)),
    )


def _affine(attention: MultiHeadAttention) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return matrix and bias of queries, keys and values; zeros where there is no bias."""
    pairs = ((attention.w_q, attention.b_q), (attention.w_k, attention.b_k), (attention.w_v, attention.b_v))
    return tuple((w, np.zeros(w.shape[1]) if b is None else b) for w, b in pairs)


def _by_loop(attention: MultiHeadAttention, sources: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Project head by head with the columns that it owns: (heads, n, d) each."""
    heads = attention.heads
    return tuple(
        np.stack([x @ columns + own for columns, own in zip(np.split(w, heads, 1), np.split(b, heads), strict=True)])
        for x, (w, b) in zip(sources, _affine(attention), strict=True)
    )


def _by_bug(attention: MultiHeadAttention, sources: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Project all at once and cut (n, heads·d) into (heads, n, d) without a transpose: heads mix up the tokens."""
    return tuple(
        (x @ w + b).reshape(attention.heads, len(x), w.shape[1] // attention.heads)
        for x, (w, b) in zip(sources, _affine(attention), strict=True)
    )


def _output(frame: HeadsFrame, attention: MultiHeadAttention, parts: tuple[FloatArray, ...]) -> FloatArray:
    setup = frame.setup
    scale = None if setup.scaled else 1.0
    found = [
        QueryKeyMap(q, k, mask=frame.mask, scale=scale, temperature=setup.temperature, hard=setup.hard).output(v)
        for q, k, v in zip(*parts, strict=True)
    ]
    return attention.project_output(np.stack(found))


def reshape_report(frame: HeadsFrame) -> CheckReport:
    """Compare the three ways and say which are the same."""
    check = reshape_check(frame)
    rows: tuple[tuple[str, float], ...] = (
        ("loop over heads", 0.0),
        ("reshape, then transpose", check.reshaped),
        ("reshape(h, n, d) alone", check.buggy),
    )
    table = CheckTable((("", Form.TEXT), ("max diff.", Form.SIZE)), rows, "From the loop over heads", 2)
    note = (
        f"This compares {whole_layer(frame)}, whose largest number is {size_text(check.largest)}. All three ways take "
        f"{grouped(check.multiplications)} multiplications for queries, keys and values: reshaping saves calls, not "
        "arithmetic."
    )
    return CheckReport(_reshape_in_words(check), (table,), (note,))


def _reshape_in_words(check: ReshapeCheck) -> str:
    if check.heads == 1:
        return "With one head there is nothing to mix up: all three are the same. Choose more heads."
    same = "no difference" if check.reshaped == 0 else f"difference {size_text(check.reshaped)}, rounding"
    if check.buggy <= ROUNDING * max(1.0, check.largest):
        return f"Reshape and transpose do what the loop does ({same}); here even the faulty reshape does."
    return (
        f"Reshape and transpose do what the loop over heads does ({same}). Without the transpose the output is "
        f"wrong by {size_text(check.buggy)}, without an error message."
    )


# ---- A mask for each sequence, and what broadcasting makes of it without the head axis ----

MOST_TOKENS, MOST_HEADS = 16, 6
"""Of the layer, for the batch: more would show nothing else."""

KINDS = ("causal", "last key hidden")
"""The masks of the sequences, in turn."""


@dataclass(frozen=True, slots=True, eq=False)
class BroadcastCheck:
    """A batch of as many sequences as heads, masked rightly and by plain broadcasting."""

    heads: int
    tokens: int
    right: FloatArray  # (sequences, heads, n, n), weights with the head axis put in
    wrong: FloatArray  # (sequences', heads', n, n), weights where NumPy aligned the mask from the right
    masks: BoolArray  # (sequences, n, n)
    refusal: str
    """What NumPy says of one sequence more; empty if it says nothing."""

    @property
    def sequences(self) -> int:
        """How many sequences there are: two for a single head, else as many as heads."""
        return len(self.masks)

    def largest_hidden(self, weights: FloatArray) -> tuple[float, ...]:
        """Return, sequence by sequence, the largest weight that any head puts on a key hidden from the query."""
        return tuple(float(of_heads[:, ~mask].max()) for of_heads, mask in zip(weights, self.masks, strict=True))


def broadcast_check(frame: HeadsFrame) -> BroadcastCheck:
    """Mask a batch made of the layer's scores: sequence s has its tokens moved on by s places.

    Raises
    ------
    ExplorerError
        There are two sentences, fewer than two tokens, or too many.
    """
    require_size(frame)
    if frame.is_cross:
        raise ExplorerError("This experiment is about masks of one sentence on itself: remove the second sentence.")
    if min(frame.shape) < 2:
        raise ExplorerError("With one token there is nothing to hide: type a sentence of two.")
    tokens, heads = min(frame.shape[0], MOST_TOKENS), min(frame.heads, MOST_HEADS)
    count = max(heads, 2)
    scores = _batch(frame, count, heads, tokens)
    masks = np.stack([_mask(number, tokens) for number in range(count)])
    right = softmax(np.where(for_heads("mask", masks, scores.shape), scores, -np.inf))
    wrong = softmax(np.where(masks, scores, -np.inf))
    more = np.concatenate([scores, scores[:1]])
    return BroadcastCheck(heads, tokens, right, wrong, masks, _refusal(more, np.concatenate([masks, masks[:1]])))


def _batch(frame: HeadsFrame, count: int, heads: int, tokens: int) -> FloatArray:
    """Return scaled scores (count, heads, tokens, tokens)."""
    of_heads = [
        map_.scores(slice(tokens), slice(tokens), stage=Stage.SCALED) for map_ in frame.layers[frame.layer].maps[:heads]
    ]
    one = np.stack(of_heads)
    return np.stack([np.roll(one, (number, number), axis=(1, 2)) for number in range(count)])


def _mask(number: int, tokens: int) -> BoolArray:
    if number % len(KINDS) == 0:
        return causal_mask(tokens)
    mask = np.ones((tokens, tokens), np.bool_)
    mask[:, -1] = False
    return mask


def _refusal(scores: FloatArray, masks: BoolArray) -> str:
    try:
        np.where(masks, scores, -np.inf)
    except ValueError as error:
        return str(error)
    return ""


def broadcast_report(frame: HeadsFrame) -> CheckReport:
    """Compare a mask with its head axis and one without."""
    check = broadcast_check(frame)
    b, h, n = check.sequences, check.heads, check.tokens
    note = (
        f"A batch of {b} sequences, from {n} tokens and {counted(h, 'head')} of this layer: scores ({b}, {h}, {n}, "
        f"{n}), a mask for each sequence ({b}, {n}, {n}). Shapes are matched from the right, so the {b} masks meet the "
        f"axis of the heads. {_also(check)}This program adds the axis of the heads: ({b}, 1, {n}, {n})."
    )
    return CheckReport(_broadcast_in_words(check), _broadcast_tables(check), (note,))


def _also(check: BroadcastCheck) -> str:
    return f"With {check.sequences + 1} sequences NumPy refuses. " if check.refusal else ""


def _broadcast_in_words(check: BroadcastCheck) -> str:
    b, h, n = check.sequences, check.heads, check.tokens
    if h == 1:
        return (
            f"The mask ({b}, {n}, {n}) makes the scores of one head grow to {check.wrong.shape}: {b} heads out of one, "
            "without an error message."
        )
    worst = max(check.largest_hidden(check.wrong))
    right = max(check.largest_hidden(check.right))
    return (
        f"With as many sequences as heads, the first mask falls on the first head of every sequence, without an error "
        f"message: a hidden key gets {size_text(worst)} of the weight. With an axis for the heads it gets "
        f"{size_text(right)}."
    )


def _broadcast_tables(check: BroadcastCheck) -> tuple[CheckTable, ...]:
    right, wrong = check.largest_hidden(check.right), check.largest_hidden(check.wrong)
    rows = tuple(
        (f"{number + 1}  {KINDS[number % len(KINDS)]}", wrong[number], right[number])
        for number in range(check.sequences)
    )
    columns = (("sequence, its mask", Form.TEXT), ("(b, n, n)", Form.WEIGHT), ("(b, 1, n, n)", Form.WEIGHT))
    return (CheckTable(columns, rows, "Largest weight on a hidden key"),)
