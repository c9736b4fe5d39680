"""A mask for each sequence of a batch, and what broadcasting makes of it where the head axis is forgotten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.numerals import counted, size_text
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage, causal_mask, softmax
from attention_explorer.model.head_axis import for_heads
from attention_explorer.pages.heads.check_report import CheckReport, CheckTable, Form, require_size
from attention_explorer.pages.heads.frame import HeadsFrame

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
    return CheckReport(_result(check), _tables(check), (note,))


def _also(check: BroadcastCheck) -> str:
    return f"With {check.sequences + 1} sequences NumPy refuses. " if check.refusal else ""


def _result(check: BroadcastCheck) -> str:
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


def _tables(check: BroadcastCheck) -> tuple[CheckTable, ...]:
    right, wrong = check.largest_hidden(check.right), check.largest_hidden(check.wrong)
    rows = tuple(
        (f"{number + 1}  {KINDS[number % len(KINDS)]}", wrong[number], right[number])
        for number in range(check.sequences)
    )
    columns = (("sequence, its mask", Form.TEXT), ("(b, n, n)", Form.WEIGHT), ("(b, 1, n, n)", Form.WEIGHT))
    return (CheckTable(columns, rows, "Largest weight on a hidden key"),)
