"""How alike two positions are: two maps, and a curve against the offset."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.core.numerals import plain, signed, size_text
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.numbered_map import NumberedMap, Offset
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Curve, Label, Mark, Points, widened
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Hit, Laid, Panel, Value
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions import said, similarity
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.similarity import SimilarityPicture, is_wavy
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import ordinal
from attention_explorer.pages.positions.ui.moving import Changed, OfPosition, has_very_few, is_in, moved

MAPS = "All pairs of positions", "All pairs, after W_q and W_k"
CURVE, SPREADS = "By their offset", "Along offset 1"
MOST_RUNS = 100
"""Where the curve turns more often than that, its rises cannot be told apart and are not marked."""


class Similarity(OfPosition[SimilarityPicture]):
    """Two maps above a curve."""

    is_quick = staticmethod(has_very_few)
    headline = staticmethod(said.similarity_headline)
    says = staticmethod(said.similarity_says)
    arrays = staticmethod(similarity.similarity_numbers)

    def compute(self, state: PositionsState, pixels: tuple[int, int]) -> SimilarityPicture:
        # What takes long is kept whichever position is looked at.
        return replace(similarity.similarity_picture(state, pixels), position=state.position_shown)

    def item(self, numbers: SimilarityPicture) -> Above:
        maps = tuple(
            _map(numbers, name, map_, title)
            for name, map_, title in zip(MAPS, numbers.maps, numbers.titles, strict=True)
        )
        return Above((Beside(maps), _curve(numbers)), (0.64, 0.36), gap=10.0)

    def panel(self, numbers: SimilarityPicture) -> Panel:
        state, readings = numbers.state, []
        for spread, name in zip(numbers.spreads, ("as they are", "after W_q, W_k"), strict=True):
            if spread.count:
                least = "≥ " if numbers.step > 1 else ""
                readings.append(Reading(f"{least}{size_text(spread.range)}", name))
        items = (Readings(SPREADS, tuple(readings), size=24.0),) if readings else ()
        formula = "‖PE(p) − PE(p + k)‖" if numbers.is_distance else kind_of(state).said(state).formula
        title = "How far numbers differ at offset 1" if readings else "One position alone"
        return Panel(title, items, said.similarity_sentence(numbers), formula)

    def words(self, numbers: SimilarityPicture, hit: Hit) -> str:
        if hit.item == CURVE and isinstance(hit.part, At):
            return _offset_words(numbers, round(hit.part.x))
        if hit.item not in MAPS or not is_in(hit, hit.item):
            return ""
        row, column = hit.part
        if row is None or column is None:
            return f"position {column if row is None else row}"
        at = row // numbers.step, column // numbers.step
        if numbers.positions is None or max(at) >= len(numbers.positions):
            return ""
        first, second = (signed(float(map_.values[at]), 3) for map_ in numbers.maps)
        return (
            f"p = {row}, p′ = {column} (offset {row - column}) · {numbers.titles[0]}: {first} · "
            f"{numbers.titles[1]}: {second}"
        )

    def changed(self, state: PositionsState, _numbers: SimilarityPicture, hit: Hit, _to: Value) -> Changed:
        if hit.item not in MAPS or not is_in(hit, hit.item) or hit.part[0] is None:
            return None
        return moved(state, hit.part[0])

    def mark(self, painter: QPainter, numbers: SimilarityPicture, laid: Laid | QRectF, look: Look, hit: Hit) -> None:
        for each in _lit(numbers, hit):
            super().mark(painter, numbers, laid, look, each)


def _lit(numbers: SimilarityPicture, hit: Hit) -> tuple[Hit, ...]:
    """Return what lights up: a pair in both maps with its offset on the curve, or an offset in all three."""
    if hit.item in MAPS:
        row, column = hit.part
        if max(row or 0, column or 0) >= numbers.state.length:
            return ()  # chosen in a larger one
        found = tuple(Hit(name, hit.part) for name in MAPS)
        if row is None or column is None:
            return found
        away = abs(row - column) if numbers.is_symmetric else row - column
        return (*found, Hit(CURVE, At(away))) if away >= 0 else found
    if hit.item == CURVE and isinstance(hit.part, At):
        return (hit, *(Hit(name, Offset(round(hit.part.x), both=numbers.is_symmetric)) for name in MAPS))
    return (hit,)


def _map(numbers: SimilarityPicture, name: str, picture: MapPicture, title: str) -> NumberedMap:
    length, places = numbers.state.length, numbers.positions
    if places is None:
        raise ValueError("There are no maps without positions.")
    note = f"every {ordinal(numbers.step)} position" if numbers.step > 1 else ""
    shape, row = f"({length}, {length})", numbers.position
    return NumberedMap(name, picture, places, places, length, length, title, shape, note, row, is_square=True)


# ---- The curve ----


def _curve(numbers: SimilarityPicture) -> Plot:
    """Return the curve, thick where it goes against the distance, with the numbers of some offsets."""
    if numbers.curve is None or numbers.offsets is None:
        raise ValueError("There is no curve without offsets.")
    places, curve = numbers.offsets.astype(float), numbers.curve
    low, high = widened(float(curve.min()), float(curve.max()))
    marks: list[Mark] = [Curve(places, curve, width=1.6)]
    across = "offset k: how far two positions are apart"
    if numbers.rises and len(_runs(numbers)) <= MOST_RUNS:
        marks.append(Curve(places, _rising(numbers, curve), width=4.2))
        across += f" (thick: it {'falls' if numbers.is_distance else 'rises'})"
    for offset in _notable(numbers):
        value = numbers.value_at(offset)
        if value is not None:
            text = f"{plain(value, 3)} at {offset}" + (" (first below 0)" if offset == numbers.first_negative else "")
            marks += [Points("", (offset,), (value,), size=4.0), Label(offset, value, text)]
    last = float(max(numbers.state.length - 1, 1))
    turned = not numbers.is_symmetric
    up = Axis(
        low, high, "turned q · k" if turned else numbers.curve_title.split(" at offset")[0].split(",")[0], grid=True
    )
    step = numbers.offset_step
    return Plot(
        CURVE,
        Axis(0.0, last, across, is_whole=True),
        up,
        tuple(marks),
        snap=lambda x: min(round(x / step) * step, int(places[-1])),
        has_legend=False,
    )


def _runs(numbers: SimilarityPicture) -> list[Any]:
    """Return the rises that follow one another without a break, run by run."""
    ends = np.asarray(numbers.rises)
    return np.split(ends, np.flatnonzero(np.diff(ends) > 1) + 1)


def _rising(numbers: SimilarityPicture, curve: FloatArray) -> FloatArray:
    """Return the curve where it goes up, or a distance down, and no number elsewhere."""
    ends, found = np.asarray(numbers.rises), np.full(len(curve), math.nan)
    for at in (ends - 1, ends):
        found[at] = curve[at]
    return found


def _notable(numbers: SimilarityPicture) -> list[int]:
    """Return the offsets that have their number beside them, the first negative one among them."""
    found = [*numbers.notable]
    if numbers.first_negative is not None and is_wavy(numbers.state):
        found.append(numbers.first_negative)
    return found


def _offset_words(numbers: SimilarityPicture, offset: int) -> str:
    value = numbers.value_at(offset)
    if value is None:
        return ""
    rises = f" · {'nearer than' if numbers.is_distance else 'above'} the offset before"
    rises = rises if offset in numbers.rises else ""
    return f"{numbers.curve_title.split(' at offset')[0]} · offset k = {offset}: {plain(value, 3)}{rises}"
