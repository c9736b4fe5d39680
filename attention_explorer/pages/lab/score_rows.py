"""Many random rows of scores, piece by piece: what is measured of each, what that comes to, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.model.score_draws import ScoreSetting, ScoreSource, draw_scores
from attention_explorer.model.softmax import entropy, softmax
from attention_explorer.model.softmax_slope import softmax_gradient_norm

P = TypeVar("P")

SATURATED_ABOVE = 0.99
"""A row whose largest weight is above this counts as saturated."""
TAIL = 30.0
"""How far out the tail of raw scores begins that a tutorial speaks of."""
MOST_SCORES = 2**22
"""So many scores are drawn at most: what is kept of them takes 100 MiB or so."""
_FIRST_DRAWS = 32
_FIRST_PIECE, _PIECE = 2**16, 2**20
"""So many random numbers make the first piece and the largest: 1 and some 15 ms."""


def draws_possible(setting: ScoreSetting, wish: int, most_numbers: int) -> int:
    """Return how many of the draws wished for can be made with so many random numbers."""
    scores = setting.rows_of_a_draw * setting.keys
    return max(1, min(wish, most_numbers // setting.numbers_of_a_draw, MOST_SCORES // scores))


def score_pieces(setting: ScoreSetting, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield raw scores (some draws, rows, keys), more and more at a time, until there are so many draws.

    Each piece has a seed of its own, made of the seed, d_k and its number: what is drawn depends on nothing else.
    """
    each = setting.numbers_of_a_draw
    largest = max(1, _PIECE // each)
    done, at_once, number = 0, max(1, min(_FIRST_DRAWS, _FIRST_PIECE // each)), 0
    while done < draws:
        count = min(at_once, draws - done)
        own = int(np.random.SeedSequence((seed, setting.d_k, number)).generate_state(1)[0])
        # The whole piece is drawn even where less of it is wanted: the same seed has the same first draws.
        yield draw_scores(setting, at_once, own)[:count]
        done, number = done + count, number + 1
        at_once = min(2 * at_once, largest)


# ---- What is measured of every row ----


@dataclass(frozen=True, slots=True, eq=False)
class RowReadings:
    """What rows of scores, and their weights, are like. All arrays (draws, rows), unless it says (draws,)."""

    mean: FloatArray
    """Of the scores of a draw, (draws,)."""
    square: FloatArray
    """Mean square of the scores of a draw, (draws,)."""
    tail: FloatArray
    """Share of the scores of a draw beyond the tail, (draws,)."""
    largest: FloatArray
    """Largest weight."""
    entropy: FloatArray
    """Entropy of the weights ÷ ln n, 0 to 1."""
    gradient: FloatArray
    """Frobenius norm of the Jacobian of the softmax."""
    slope: FloatArray
    """p (1 − p) of the largest weight p."""
    own: FloatArray | None
    """The weight a token gives itself, if queries and keys are tokens."""


def read_rows(scores: FloatArray, *, has_own: bool) -> RowReadings:
    """Measure scores (draws, rows, keys); ``has_own`` if row i and key i are the same token."""
    weights, keys = softmax(scores), scores.shape[-1]
    ordered = np.sort(weights, axis=-1)
    return RowReadings(
        mean=scores.mean(axis=(1, 2)),
        square=np.square(scores).mean(axis=(1, 2)),
        tail=(np.abs(scores) > TAIL).mean(axis=(1, 2)),
        largest=ordered[..., -1],
        entropy=np.asarray(entropy(weights)) / (math.log(keys) if keys > 1 else 1.0),
        gradient=np.asarray(softmax_gradient_norm(scores)),
        slope=ordered[..., -1] * ordered[..., :-1].sum(axis=-1),  # 1 − p as a sum keeps its digits
        own=np.diagonal(weights, axis1=1, axis2=2).copy() if has_own else None,
    )


def joined(parts: Sequence[RowReadings]) -> RowReadings:
    """Put readings behind one another."""
    own = [part.own for part in parts if part.own is not None]
    return RowReadings(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("mean", "square", "tail", "largest", "entropy", "gradient", "slope")
        },
        own=np.concatenate(own) if own else None,
    )


class RawAndScaled:
    """What has been measured so far of raw scores, and of the same divided by √d_k."""

    def __init__(self, setting: ScoreSetting) -> None:
        self._root, self._has_own = math.sqrt(setting.d_k), setting.source is not ScoreSource.DIRECT
        self._parts: dict[bool, list[RowReadings]] = {False: [], True: []}

    def add(self, raw: FloatArray) -> None:
        """Measure some more raw scores (draws, rows, keys)."""
        for scaled, parts in self._parts.items():
            parts.append(read_rows(raw / self._root if scaled else raw, has_own=self._has_own))

    def readings(self, scaled: bool) -> RowReadings:
        """Return all readings of the scaled or of the raw scores."""
        whole = joined(self._parts[scaled])
        self._parts[scaled] = [whole]
        return whole


# ---- What that comes to ----


@dataclass(frozen=True, slots=True)
class Measure:
    """A number found by drawing, and its standard error; NaN where a single draw cannot tell."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What many rows come to. The draws are independent, the rows of one draw are not: errors are those of draws."""

    draws: int
    rows: int
    std: Measure
    """Of all scores."""
    tail: Measure
    largest: Measure
    saturated: Measure
    entropy: Measure
    gradient: Measure
    slope: Measure
    """A median; all others are means."""
    own: Measure | None


def summary(readings: RowReadings) -> Summary:
    """Return what readings come to."""
    own = None if readings.own is None else _mean(readings.own)
    return Summary(
        draws=len(readings.largest),
        rows=readings.largest.size,
        std=_std(readings),
        tail=_mean(readings.tail),
        largest=_mean(readings.largest),
        saturated=_mean(readings.largest > SATURATED_ABOVE),
        entropy=_mean(readings.entropy),
        gradient=_mean(readings.gradient),
        slope=_median(readings.slope),
        own=own,
    )


def _mean(values: FloatArray | BoolArray) -> Measure:
    by_draw = values.reshape(len(values), -1).mean(axis=1)
    return Measure(float(by_draw.mean()), _error(by_draw))


def _error(by_draw: FloatArray) -> float:
    return float(by_draw.std(ddof=1)) / math.sqrt(len(by_draw)) if len(by_draw) > 1 else math.nan


def _std(readings: RowReadings) -> Measure:
    mean = float(readings.mean.mean())
    variance = max(float(readings.square.mean()) - mean**2, 0.0)
    std = math.sqrt(variance)
    if std == 0.0:
        return Measure(0.0, 0.0)
    # d std = d variance / 2 std
    return Measure(std, _error(readings.square - 2.0 * mean * readings.mean) / (2.0 * std))


def _median(values: FloatArray) -> Measure:
    """Take the spread of the middle ranks for the error, as if rows were independent."""
    half = 0.5 / math.sqrt(values.size)
    low, middle, high = np.quantile(values, (max(0.5 - half, 0.0), 0.5, min(0.5 + half, 1.0))).tolist()
    return Measure(middle, 0.5 * (high - low) if values.size > 1 else math.nan)
