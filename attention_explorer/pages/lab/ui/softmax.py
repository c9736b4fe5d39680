"""The softmax bench: scores whose tops are dragged, and below each the weight that a softmax makes of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from attention_explorer.core.map_picture import short_number
from attention_explorer.core.numerals import plain, subscript
from attention_explorer.kit.drawing.log_axis import log_bounds
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.item import SIDEWAYS, Hit, Item, Value
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Bars, Curve, Handle, Label, Line, Mark, Points
from attention_explorer.kit.items.strips import Strip, Strips
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Change, Panel, Picture
from attention_explorer.pages.lab import bench as of_bench
from attention_explorer.pages.lab.bench import BenchPicture, Fault, bench_numbers, bench_picture
from attention_explorer.pages.lab.scores_state import BenchState, ScalingState

FORMULA = "p_i = {exp(s_i)}/{Σ_j exp(s_j)}"
SCORES, WEIGHTS, ROWS = "Scores", "Weights", "Weights of all queries"
JACOBIAN, GAP = "Jacobian ∂p ∕ ∂s", "p (1 − p) of two keys"
MARGIN = 96.0
"""Pixels at zoom 1 left of scores and of weights: their columns stand above one another."""
FEW = 4
"""So many keys have room for all digits that are worth writing."""
LEAST_REACH, MOST_BOTH_SIDES, LEAST_SLOPE = 1.0, 30.0, 1e-18
TROUBLE = 26.0
"""Pixels at zoom 1: the letters of what is wrong with all weights."""
WIDE = 0.3
"""Half the width of a bar, in columns."""
_NUDGES = {
    int(Qt.Key.Key_Up): 1.0,
    int(Qt.Key.Key_Down): -1.0,
    int(Qt.Key.Key_PageUp): 10.0,
    int(Qt.Key.Key_PageDown): -10.0,
}


class SoftmaxBench(Picture[ScalingState, BenchPicture]):
    """Scores above weights; of several queries, the scores of one above the weights of all."""

    truths = (
        "Over the keys, weights depend only on the differences between scores: a constant added to a row moves none of "
        "them, as long as nothing overflows, apart from rounding. Twice the differences halve the temperature.",
        "Large scores overflow in exp and far negative ones become 0, so ∞ ÷ ∞ or 0 ÷ 0 is NaN. With the largest score "
        "subtracted first the largest exponential is exp(0) = 1.",
        "Over the queries is the wrong axis: columns sum to 1 and rows need not, and a weight does not depend on the "
        "scores of other keys.",
    )
    axes = "row = query, column = key"
    headline = staticmethod(of_bench.bench_headline)
    says = staticmethod(of_bench.bench_said)
    arrays = staticmethod(bench_numbers)

    def compute(self, state: ScalingState, pixels: tuple[int, int]) -> BenchPicture:
        return bench_picture(state.bench)

    def made_of(self, state: ScalingState) -> tuple[str, ...]:
        return (f"added to row {state.bench.row_shown + 1}",) if state.bench.shift else ()

    def item(self, numbers: BenchPicture) -> Item[Any]:
        below = _all_weights(numbers) if len(numbers.weights) > 1 else _weights(numbers)
        return Above((_scores(numbers, of_bench.exp_words(numbers)), below), shares=(1.2, 1.0))

    def given(self, numbers: BenchPicture) -> Item[Any]:
        """Return the scores alone: all else is what a softmax makes of them."""
        scores = _scores(numbers, "")
        still = tuple(mark for mark in scores.marks if not isinstance(mark, Handle))
        return Above((replace(scores, marks=still), _weights(numbers).hidden()), shares=(1.2, 1.0))

    def panel(self, numbers: BenchPicture) -> Panel:
        title, readings = _readings(numbers)
        items = (Readings(title, readings), *_small(numbers))
        return Panel(title, items, of_bench.panel_sentence(numbers), FORMULA)

    def words(self, numbers: BenchPicture, hit: Hit) -> str:
        if hit.item == JACOBIAN:
            return of_bench.slope_words(numbers, *hit.part)
        if hit.item == GAP:
            at = hit.part.x
            return of_bench.gap_words(at, float(np.interp(at, numbers.gaps, numbers.slopes)))
        if hit.item == ROWS:
            return f"query {hit.part[0] + 1}, {of_bench.arithmetic(numbers, *hit.part)}"
        return f"{of_bench.arithmetic(numbers, numbers.row, _key(hit))} · drag the ring, or ↑ and ↓"

    def changed(self, state: ScalingState, numbers: BenchPicture, hit: Hit, to: Value) -> Change[ScalingState] | None:
        bench = state.bench
        if hit.item == ROWS:
            return Change(replace(state, bench=replace(bench, row=hit.part[0])), "Look at another row")
        if hit.item not in (SCORES, WEIGHTS):
            return None
        key = _key(hit)
        if isinstance(hit.part, At):
            return _at_key(state, bench, key)
        score = _rounded(to[1], _score_axis(numbers))
        return Change(replace(state, bench=bench.with_score(key, score)), f"Drag score {key + 1}")

    def press(self, state: ScalingState, numbers: BenchPicture, key: int) -> Change[ScalingState] | None:
        """Go to another key by left and right, move its score by up and down."""
        bench, at = state.bench, state.bench.key_shown
        turn = SIDEWAYS.get(key)
        if turn is not None:
            return _at_key(state, bench, min(max(at + turn, 0), numbers.weights.shape[1] - 1))
        if key not in _NUDGES:
            return None
        score = float(numbers.scores[numbers.row, at]) + _NUDGES[key] * 0.1 * bench.factor
        return Change(replace(state, bench=bench.with_score(at, score)), f"Move score {at + 1}", "bench score")


def _at_key(state: ScalingState, bench: BenchState, key: int) -> Change[ScalingState]:
    return Change(replace(state, bench=replace(bench, key=key)), "Go to another key", "bench key")


def _key(hit: Hit) -> int:
    """Return the key of a column, or of a ring, which is named by it."""
    return int(hit.part.x) if isinstance(hit.part, At) else int(hit.part.split()[-1]) - 1


def _rounded(score: float, axis: Axis) -> float:
    """Return a score with as many digits as a pixel is worth."""
    return round(score, -math.floor(math.log10((axis.high - axis.low) / 300.0)))


# ---- Scores above weights ----


def _columns(name: str, up: Axis, keys: int, marks: list[Mark], below: tuple[str, ...], title: str) -> Plot:
    """Return a plot with a column for each key, with words below it."""
    ticks = tuple((key + 0.5, text) for key, text in enumerate(below))
    across = Axis(0.0, float(keys), title, ticks=ticks)

    def middle(x: float) -> float:
        return min(int(x), keys - 1) + 0.5

    return Plot(name, across, up, tuple(marks), snap=middle, has_legend=False, margin=MARGIN)


def _bars(tops: list[float], opacity: float) -> Bars:
    keys = range(len(tops))
    return Bars([key + 0.5 - WIDE for key in keys], [key + 0.5 + WIDE for key in keys], tops, opacity=opacity)


def _scores(numbers: BenchPicture, made: str) -> Plot:
    """Return the scores of the row, and below them what is ``made`` of them on the way; nothing if that is empty."""
    bench, scores = numbers.bench, numbers.scores[numbers.row].tolist()
    limit, axis = bench.precision.exp_limit, _score_axis(numbers)
    marks: list[Mark] = [_bars(scores, 0.35), Line(0.0, level=True, ink="axis", dash=(0.0, 0.0))]
    if not bench.subtract_max and axis.low < limit < axis.high:
        marks.append(Line(limit, level=True, text=f"exp overflows above {plain(limit)}", ink="loss_ink"))
    for key, score in enumerate(scores):
        number = _number(key, score, len(scores))
        if score < 0 < axis.high:  # below its ring it would stand on the axis and on what is made of it
            number = replace(number, y=0.0)
        up = 1.0 if score >= 0 or axis.high > 0 else 0.0
        marks.append(replace(number, bold=key == bench.key_shown, anchor=(0.5, up), gap=10.0))
        marks.append(Handle(f"score {key + 1}", key + 0.5, score))
    below = tuple(_short(number, len(scores)) for number in numbers.exponentials[numbers.row].tolist())
    return _columns(SCORES, axis, len(scores), marks, below if made else ("",) * len(scores), made)


def _number(key: int, number: float, keys: int) -> Label:
    """Return a number above its bar."""
    text = _short(number, keys)
    return Label(key + 0.5, number, text, size=15.0, fixed=True, anchor=(0.5, 1.0), gap=4.0, has_halo=False)


def _short(number: float, keys: int) -> str:
    return of_bench.number_text(number) if keys <= FEW else of_bench.shortest_text(number)


def _score_axis(numbers: BenchPicture) -> Axis:
    """Return the axis of the scores: 0 and round ends around all of them, so that it seldom changes in a drag."""
    row = numbers.scores[numbers.row].tolist()
    sides = max(-min(row), 0.0), max(max(row), 0.0)
    # Small scores can be dragged to the other side of 0; large ones would have no room for it.
    least = max(LEAST_REACH, *sides) / 3 if max(sides) <= MOST_BOTH_SIDES else 0.0
    room = 0.2 * sum(max(side, least) for side in sides)  # for a ring and a number
    low, high = (_round_end(max(side + room, least) if side else least) for side in sides)
    which = f" of query {numbers.row + 1}" if len(numbers.weights) > 1 else ""
    return Axis(-low, high, f"scores{which}", grid=True)


def _round_end(number: float) -> float:
    steps = (factor * 10.0**power for power in range(-1, 10) for factor in (1, 1.5, 2, 3, 5, 7))
    return next(step for step in steps if step >= number) if number else 0.0


def _weights(numbers: BenchPicture) -> Plot:
    """Return the weights of the one row, and in large letters what is wrong with them."""
    weights = numbers.weights[numbers.row].tolist()
    keys = len(weights)
    marks: list[Mark] = [_bars([weight if math.isfinite(weight) else 0.0 for weight in weights], 0.75)]
    if numbers.fault is not Fault.NONE:
        # Where only some are, within the column of the first of them: bars of others are not to be written over.
        broken = np.flatnonzero(~np.isfinite(numbers.weights[numbers.row]))
        is_whole = len(broken) in (0, keys)
        x, size = (keys / 2, TROUBLE) if is_whole else (broken[0] + 0.5, max(13.0, min(TROUBLE, 60.0 / keys)))
        middle = Label(x, 0.55, _trouble(numbers), "loss_ink", size, bold=True)
        marks.append(replace(middle, fixed=True, anchor=(0.5, 0.5)))
    marks += [_number(key, weight, keys) for key, weight in enumerate(weights) if math.isfinite(weight)]
    ticks = tuple((share / 4, short_number(share / 4)) for share in range(5))
    names = tuple(f"key {key + 1}" for key in range(keys))
    return _columns(WEIGHTS, Axis(0.0, 1.18, "weights", ticks=ticks, grid=True), keys, marks, names, "")


def _trouble(numbers: BenchPicture) -> str:
    if numbers.fault is Fault.SILENT:
        return "all weights are 0"
    broken = int(np.flatnonzero(np.isnan(numbers.weights[numbers.row]))[0])
    parts = (float(part[numbers.row, broken]) for part in (numbers.exponentials, numbers.totals))
    return "{} ÷ {} = NaN".format(*map(of_bench.number_text, parts))


def _all_weights(numbers: BenchPicture) -> Strips:
    """Return the weights of all rows, each with its sum."""
    sums = ("NaN" if math.isnan(total) else plain(total) for total in numbers.row_sums.tolist())
    strips = tuple(
        Strip(f"query {row + 1}", weights.astype(np.float64), f"sums to {total}")
        for row, (weights, total) in enumerate(zip(numbers.weights, sums, strict=True))
    )
    ticks = tuple((key, f"key {key + 1}") for key in range(numbers.weights.shape[1]))
    return Strips(ROWS, strips, "", ticks, chosen=numbers.row, margin=MARGIN)


# ---- Beside them ----


def _readings(numbers: BenchPicture) -> tuple[str, tuple[Reading, ...]]:
    """Return what the panel is about, and what it shows large."""
    row = numbers.row
    if numbers.fault is not Fault.NONE:
        overflows = bool(np.isinf(numbers.totals[row]).any())
        key = int(numbers.scores[row].argmax() if overflows else numbers.scores[row].argmin())
        score, made = (float(part[row, key]) for part in (numbers.scores, numbers.exponentials))
        limit = Reading(plain(numbers.bench.precision.exp_limit), "where exp overflows")
        told = limit if overflows else Reading(of_bench.number_text(made), "its exp")
        return "What goes wrong", (Reading(of_bench.number_text(score), "score", "loss_ink"), told)
    if numbers.bench.over_queries:
        one, other = float(numbers.row_sums[row]), float(numbers.column_sums[numbers.bench.key_shown])
        wrong = "text" if math.isclose(one, 1.0, abs_tol=0.02) else "loss_ink"
        column = Reading(plain(other), f"column of key {numbers.bench.key_shown + 1}")
        return "Columns sum to 1", (Reading(plain(one), f"row of query {row + 1}", wrong), column)
    if not numbers.has_slope:
        return "How a weight answers", ()
    gap = Reading(plain(numbers.gap), "gap of the two largest")
    return "How a weight answers", (Reading(of_bench.number_text(numbers.slope), "p (1 − p), largest"), gap)


def _small(numbers: BenchPicture) -> tuple[Item[Any], ...]:
    """Return the curve of two keys with the row on it; of more keys the Jacobian, in which all of it stands."""
    keys = numbers.weights.shape[1]
    if numbers.fault is not Fault.NONE or keys == 1:
        return ()
    if keys == 2 and numbers.has_slope:
        lowest = max(float(numbers.slopes.min()) / 3.0, LEAST_SLOPE)
        here = Points("this row", [min(numbers.gap, float(numbers.gaps[-1]))], [max(numbers.slope, lowest)], size=5.0)
        across = Axis(0.0, float(numbers.gaps[-1]), "gap between two scores")
        up = Axis(*log_bounds([lowest, 0.4], LEAST_SLOPE), log=10, grid=True)
        curve = Curve(numbers.gaps, numbers.slopes, width=2.2)
        return (Above((Title("", GAP, size=13.0), Plot(GAP, across, up, (curve, here), has_legend=False)), gap=0),)
    map_ = numbers.jacobian_map
    named = replace(map_, row_tokens=tuple(f"p{subscript(key + 1)}" for key in range(keys)))
    return (Above((Title("", f"{JACOBIAN}: −¼ to ¼", size=13.0), Map(JACOBIAN, named, is_bare=True)), gap=4),)
