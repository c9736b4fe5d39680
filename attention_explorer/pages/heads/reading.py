"""One query read across its keys, or one key read down its queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.model import Stage, entropy
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import Aggregate
from attention_explorer.pages.heads.wording import key_name, one, query_name
from attention_explorer.sources.source import AS_RECORDED
from attention_explorer.sources.token_names import token_places


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The weights of a row or a column, with what they belong to. n is n_k for a row, n_q for a column."""

    index: int
    is_row: bool
    title: str
    tokens: tuple[str, ...]
    weights: FloatArray  # (n,)
    masked: BoolArray  # (n,)
    order: tuple[int, ...]  # the heaviest first, masked ones last
    note: str
    count: Count = Count.FROM_ONE

    @property
    def cells(self) -> tuple[slice, slice]:
        """Which rows and columns of the map these are."""
        own, every = one(self.index), slice(None)
        return (own, every) if self.is_row else (every, own)


def sum_words(frame: HeadsFrame) -> str:
    """Return why a row that no scores lead to sums to what it does."""
    words = frame.source.weight_words()
    return words if words == AS_RECORDED else "rounded"


def row_reading(frame: HeadsFrame, row: int) -> Reading:
    """Read what a query attends to."""
    weights = frame.map.weights(one(row))[0]
    masked = ~frame.map.allowed(one(row))[0]
    total = float(weights.sum())
    if not weights.any():
        note = "nothing to attend to: all weights are 0"
    elif abs(total - 1) < 1e-6:
        note = f"sum {total:.4f} · entropy {plain(float(entropy(weights)))} nats"
    elif frame.is_one_head:  # weights that are computed sum to 1
        note = f"sum {total:.4f}, {sum_words(frame)} · entropy {plain(float(entropy(weights)))} nats"
    elif frame.aggregate is Aggregate.MAX:
        note = f"sum {total:.4f}: the largest weights of several heads need not sum to 1"
    else:
        note = f"sum {total:.4f}: part of it went to queries with nothing to attend to"
    title = f"{query_name(frame, row)} attends to"
    return Reading(row, True, title, frame.keys, weights, masked, _order(weights, masked), note, frame.count)


def column_reading(frame: HeadsFrame, column: int) -> Reading:
    """Read who attends to a key."""
    weights = frame.map.weights(cols=one(column))[:, 0]
    masked = ~frame.map.allowed(cols=one(column))[:, 0]
    note = f"sum {float(weights.sum()):.4f}: columns need not sum to 1"
    title = f"who attends to {key_name(frame, column)}"
    return Reading(column, False, title, frame.queries, weights, masked, _order(weights, masked), note, frame.count)


def _order(weights: FloatArray, masked: BoolArray) -> tuple[int, ...]:
    by_weight = np.argsort(-weights, kind="stable")
    return tuple(by_weight[np.argsort(masked[by_weight], kind="stable")].tolist())


def places_of(reading: Reading) -> tuple[str, ...]:
    """Return “ (17)”, the place, for every token that comes more than once, and nothing for the others."""
    return token_places(reading.tokens, reading.count)


def gloss(frame: HeadsFrame, row: int, column: int) -> str:
    """Return why a query attends to a key as it does; empty if there is nothing to say."""
    visible = frame.map.allowed(one(row), one(column))[0, 0]
    return frame.source.gloss(frame.head, row, column) if visible else ""


COLUMNS = ("token", "position", "raw score", "scaled score", "masked score", "weight")


def reading_table(frame: HeadsFrame, reading: Reading) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the exact numbers of a reading as a header and rows; scores where the map has any."""
    first = frame.count.number(0)
    names = reading.tokens, range(first, first + len(reading.tokens))
    known = (Stage.SCORES, Stage.SCALED, Stage.MASKED) if frame.map.has_scores else ()
    numbers = [*(frame.map.scores(*reading.cells, stage=stage).ravel() for stage in known), reading.weights]
    header = (*COLUMNS[:2], *(COLUMNS[2:5] if known else ()), COLUMNS[5])
    return header, list(zip(*names, *(column.tolist() for column in numbers), strict=True))
