"""Heads, alone and together: whether one is mutual, all of them in one product, and a mask for each sequence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import counted, grouped, size_text, weight_text
from attention_explorer.core.shuffle import rounding_of
from attention_explorer.errors import ExplorerError
from attention_explorer.model import MultiHeadAttention, Stage, causal_mask, softmax
from attention_explorer.model.head_axis import for_heads
from attention_explorer.pages.heads.check_report import (
    ROUNDING,
    CheckReport,
    CheckTable,
    Form,
    map_of,
    require_size,
    whole_layer,
    within,
)
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.sources.source import Made

# ---- S and Sᵀ ----

LONGEST_NAME = 12
"""Letters of a token that are shown where two of them stand in one line."""

SAME = 5e-4
"""Weights closer than this are written the same."""


@dataclass(frozen=True, slots=True)
class SymmetryCheck:
    """How far a head is from mutual, and how far it would be if its keys were its queries (W_k = W_q)."""

    pair: tuple[int, int]
    scores: tuple[float, float]  # scaled, of the pair and of the way back
    weights: tuple[float, float]
    score_gap: float  # max |S − Sᵀ| of the scaled scores
    weight_gap: float  # max |A − Aᵀ|
    tied_score_gap: float
    tied_weight_gap: float
    is_symmetric: bool  # the scores, but for rounding


def symmetry_check(frame: HeadsFrame, row: int | None = None) -> SymmetryCheck:
    """Compare the scores and weights of the chosen head with their transposes.

    The example is a row and the key it attends to most, other than itself.

    Raises
    ------
    ExplorerError
        There are two sentences, fewer than two tokens, or too many.
    """
    require_size(frame)
    if frame.is_cross:
        raise ExplorerError(
            "S and Sᵀ can only be compared in self-attention, where queries and keys belong to the same tokens. Remove "
            "the second sentence."
        )
    if len(frame.queries) < 2:
        raise ExplorerError("It takes two tokens to compare: type a longer sentence.")
    map_ = frame.query_key_map
    tied = map_of(frame, map_.q, map_.q, frame.mask)
    scores, weights = map_.scores(stage=Stage.SCALED), map_.weights()
    tied_weights = tied.weights()
    there = _example(weights, within(row, len(frame.queries)))
    back = there[::-1]
    gap = map_.asymmetry()
    return SymmetryCheck(
        there,
        (float(scores[there]), float(scores[back])),
        (float(weights[there]), float(weights[back])),
        gap,
        float(np.abs(weights - weights.T).max()),
        tied.asymmetry(),
        float(np.abs(tied_weights - tied_weights.T).max()),
        gap <= rounding_of(scores, ROUNDING) * max(1.0, float(np.abs(scores).max())),
    )


def _example(weights: FloatArray, row: int | None) -> tuple[int, int]:
    """Return a row and its favourite among the others; if none is given, the first row where the way back differs."""
    away = np.where(np.eye(len(weights), dtype=np.bool_), -1.0, weights)
    favourites = away.argmax(axis=1)
    if row is not None:
        return row, int(favourites[row])
    rows = np.arange(len(weights))
    there, back = away[rows, favourites], away[favourites, rows]
    telling = np.flatnonzero((there > 0.0) & (np.abs(there - back) > SAME))
    first = int(telling[0]) if telling.size else 0
    return first, int(favourites[first])


def symmetry_report(frame: HeadsFrame, row: int | None = None) -> CheckReport:
    """Compare S with Sᵀ and say what that means."""
    check = symmetry_check(frame, row)
    note = f"Shown: {head_name(frame, frame.layer, frame.head)}. {_why(frame, check)}"
    return CheckReport(
        _symmetry_in_words(frame, check),
        (_pair_table(frame, check), _gap_table(frame, check)),
        (note, *_mask_note(frame)),
    )


def _why(frame: HeadsFrame, check: SymmetryCheck) -> str:
    own = "an arg max" if frame.setup.hard else "a softmax"
    because = f"every row has {own} of its own"
    if check.is_symmetric:
        reason = frame.source.symmetric_by
        reason = f", as {reason}" if reason else ""
        return f"Here q₁·k₂ is the same number as q₂·k₁ for every pair{reason}. Weights need not be: {because}."
    tied = f"With {frame.source.tie} the scores would be the same both ways"
    if check.tied_weight_gap > ROUNDING:
        tied += f", but the weights would still differ: {because}"
    return f"A token asks with its query and is found by its key, so q₁·k₂ and q₂·k₁ are two numbers. {tied}."


def _symmetry_in_words(frame: HeadsFrame, check: SymmetryCheck) -> str:
    there, back = _names(frame, check)
    pair = f"{there} {weight_text(check.weights[0], 3)}, {back} {weight_text(check.weights[1], 3)}"
    if check.is_symmetric:
        if check.weight_gap <= ROUNDING:
            return f"S is symmetric, and the weights are too: {pair}."
        if abs(check.weights[0] - check.weights[1]) > SAME:
            return f"S is symmetric, but the weights differ: {pair}."
        gap = size_text(check.weight_gap)
        return f"S is symmetric; the weights differ by up to {gap}, though not those of this pair: {pair}."
    if abs(check.weights[0] - check.weights[1]) <= SAME:
        return f"max |S − Sᵀ| = {size_text(check.score_gap)}, though this pair weighs the same both ways: {pair}."
    return f"max |S − Sᵀ| = {size_text(check.score_gap)}, so attention is not mutual. For example {pair}."


def _mask_note(frame: HeadsFrame) -> tuple[str, ...]:
    if frame.mask is None or np.array_equal(frame.mask, frame.mask.T):
        return ()
    return ("The mask hides some pairs one way only, so their weights are 0 one way. S is compared before the mask.",)


def _names(frame: HeadsFrame, check: SymmetryCheck) -> tuple[str, str]:
    first, second = (_shortened(frame.queries[index]) for index in check.pair)
    if first == second:
        first, second = (f"{first} ({frame.count.number(index)})" for index in check.pair)
    return f"{first} → {second}", f"{second} → {first}"


def _shortened(token: str) -> str:
    return token if len(token) <= LONGEST_NAME else f"{token[: LONGEST_NAME - 1]}…"


def _pair_table(frame: HeadsFrame, check: SymmetryCheck) -> CheckTable:
    names = _names(frame, check)
    rows = tuple((name, check.scores[way], check.weights[way]) for way, name in enumerate(names))
    columns = (("query → key", Form.TEXT), ("scaled score", Form.SIGNED), ("weight", Form.WEIGHT))
    return CheckTable(columns, rows, "One pair, both ways")


def _gap_table(frame: HeadsFrame, check: SymmetryCheck) -> CheckTable:
    rows = (
        ("scores, max |S − Sᵀ|", check.score_gap, check.tied_score_gap),
        ("weights, max |A − Aᵀ|", check.weight_gap, check.tied_weight_gap),
    )
    columns = (("", Form.TEXT), ("as it is", Form.SIZE), (frame.source.tie, Form.SIZE))
    return CheckTable(columns, rows, "All pairs")


# ---- The reshape trick, rightly and wrongly ----

ROUNDING_OF_OUTPUTS = 1e-9
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
    layer = frame.layers[frame.layer]
    attention = layer.attention
    if attention is None:
        by_hand = frame.source.traits.made is Made.BY_HAND
        raise ExplorerError(_NO_PROJECTIONS if by_hand else _UNKNOWN_PROJECTIONS)
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
    found = [map_of(frame, q, k, frame.mask).output(v) for q, k, v in zip(*parts, strict=True)]
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
    if check.buggy <= ROUNDING_OF_OUTPUTS * max(1.0, check.largest):
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
