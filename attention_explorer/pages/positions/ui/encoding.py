"""The encoding as a picture: a map position × dimension with the waves of some dimensions, or the biases of ALiBi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.numerals import plain, signed
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.numbered_map import round_numbers
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Between, Curve, Handle, Label, Mark, Points, ReadOut
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Change, Hit, Item, Laid, Panel, Value
from attention_explorer.kit.theme import Look
from attention_explorer.pages.positions import encoding, said
from attention_explorer.pages.positions.encoding import BiasLines, EncodingPicture, Wave
from attention_explorer.pages.positions.kinds.alibi import slope_words
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import encoding_at, wavelength
from attention_explorer.pages.positions.ui.moving import Changed, OfEncoding, is_in, map_of, moved

CELLS, WAVES = "Numbers of each position", "Waves of dimensions"
LINES, BIASES = "What each distance takes off the score", "Biases of the head"
ROW, POSITION = "Numbers of the row", "position"
REACH = 0.42
"""How far a wave goes up and down in its lane."""
DOTS_UP_TO = 130
"""Positions up to which each is a dot on the waves."""
FOR_NAMES = 1.42
"""How much wider the axis of the biases is than the farthest distance, for the names of the heads."""
MOST_ROWS, ACROSS = 32, 2
"""Lines of the table of a row, and how many numbers stand in each."""


class Encoding(OfEncoding[EncodingPicture]):
    """A map above waves; of ALiBi, lines beside a map."""

    compute = staticmethod(encoding.encoding_picture)

    def headline(self, numbers: EncodingPicture) -> str:
        return kind_of(numbers.state).headline

    def says(self, numbers: EncodingPicture) -> tuple[str, ...]:
        return said.encoding_says(numbers.state)

    def item(self, numbers: EncodingPicture) -> Item[Any]:
        if numbers.bias is not None:
            bias = numbers.bias
            heading = f"The biases of {bias.count.head(bias.head)}"
            cells = map_of(BIASES, bias.map, heading, row=numbers.position)
            return Beside((_bias_lines(numbers, bias), cells), narrow=560)
        if numbers.table is None:
            raise ValueError("There is no table of a kind that has none.")
        state = numbers.state
        cells = map_of(CELLS, numbers.table, detail=f"({state.length}, {state.d_model})", row=numbers.position)
        cells = replace(cells, marked=tuple(wave.dimension for wave in numbers.waves))
        if not numbers.waves:
            return cells
        share = min(encoding.SHARE_OF_WAVES, 0.08 + encoding.SHARE_OF_WAVE * len(numbers.waves))
        return Above((cells, _waves(numbers)), (1 - share, share), gap=8.0)

    # ---- What it says ----

    def panel(self, numbers: EncodingPicture) -> Panel:
        state = numbers.state
        formula = "\n".join(kind_of(state).formulas(state))
        if numbers.bias is not None:
            slope = float(numbers.bias.slopes[numbers.bias.head])
            found = (
                Reading(f"−{slope_words(slope)}", "off the score a position"),
                Reading(f"× {np.exp(-10 * slope):.2g}", "a weight, ten away"),
            )
            title = numbers.bias.count.head(numbers.bias.head).capitalize()
            return Panel(title, (Readings("Slope", found, size=24.0),), said.row_sentence(state), formula)
        norm = float(np.linalg.norm(said.row_of(state)))
        readings: tuple[Reading, ...] = (Reading(plain(norm, 3), "norm of the row"),)
        if kind_of(state).turns:
            longest = wavelength_text(wavelength(state, state.d_model - 1))
            readings = (*readings, Reading(longest, "longest wave"))
        title = f"Position {numbers.position}"
        return Panel(title, (Readings(ROW, readings, size=24.0),), said.row_sentence(state), formula)

    def table(self, numbers: EncodingPicture) -> Item[Any]:
        """Return the numbers of the row, or the slope of each head."""
        if numbers.bias is not None:
            bias = numbers.bias
            rows = tuple((bias.count.head(i), slope_words(float(s))) for i, s in enumerate(bias.slopes))
            return Table("Slopes", (Column("head", is_bold=True), Column("slope", is_right=True)), rows, fills=False)
        row = said.row_of(numbers.state)
        shown = row[: MOST_ROWS * ACROSS].tolist()
        cells = [(str(at), signed(value, 6)) for at, value in enumerate(shown)]
        cells += [("", "")] * (-len(cells) % ACROSS)
        lines = tuple(cells[at] + cells[at + 1] for at in range(0, len(cells), ACROSS))
        columns = (Column("dim", is_muted=True), Column(f"PE[{numbers.position}]", is_right=True))
        if not kind_of(numbers.state).adds:
            columns = (columns[0], Column(f"at {numbers.position}", is_right=True))
        return Table("Numbers of the row, exact", columns * ACROSS, lines, fills=False)

    def words(self, numbers: EncodingPicture, hit: Hit) -> str:
        state = numbers.state
        if is_in(hit, CELLS) or is_in(hit, BIASES):
            return _cell_words(numbers, *hit.part)
        at = numbers.position if hit.part == POSITION else round(hit.part.x) if isinstance(hit.part, At) else None
        if at is None:
            return ""
        if hit.item == LINES and numbers.bias is not None:
            head = numbers.bias.head
            return encoding.bias_words(state, head, min(at, state.length - 1), 0)
        values = _wave_values(numbers, at)
        each = (f"dim {wave.dimension} {signed(value, 4)}" for wave, value in zip(numbers.waves, values, strict=True))
        return f"position {at}: {', '.join(each)}" if hit.item == WAVES else ""

    # ---- What a hand does ----

    def changed(self, state: PositionsState, numbers: EncodingPicture, hit: Hit, to: Value) -> Changed:
        if hit.item == LINES and numbers.bias is not None:
            head = _head_at(numbers.bias, *to)
            return Change(replace(state, head=head), f"Show {state.count.head(head)}")
        if hit.item == WAVES:
            return moved(state, round(to[0]))
        if not is_in(hit, CELLS) and not is_in(hit, BIASES):
            return None
        row, column = hit.part
        if row is not None and (column is None or hit.item == BIASES):
            return moved(state, row)
        if hit.item == BIASES:
            return None
        verb = "Hide" if column in state.dimensions else "Draw"
        return Change(state.with_dimension(column), f"{verb} dimension {column}")

    def mark(self, painter: QPainter, numbers: EncodingPicture, laid: Laid | QRectF, look: Look, hit: Hit) -> None:
        super().mark(painter, numbers, laid, look, hit)
        for other in _also_lit(numbers, hit):
            super().mark(painter, numbers, laid, look, other)


def _cell_words(numbers: EncodingPicture, row: int | None, column: int | None) -> str:
    state, bias = numbers.state, numbers.bias
    if row is not None and column is not None:
        return (
            encoding.cell_words(state, row, column)
            if bias is None
            else encoding.bias_words(state, bias.head, row, column)
        )
    if row is not None:
        return f"position {row}: click to move there"
    if bias is not None:
        return f"key {column}"
    is_drawn = any(wave.dimension == column for wave in numbers.waves)
    return f"dimension {column}: click to {'remove its wave' if is_drawn else 'draw its wave'}"


def _also_lit(numbers: EncodingPicture, hit: Hit) -> tuple[Hit, ...]:
    """Return what goes with what is pointed at: a row of the map with its place on the waves."""
    if is_in(hit, CELLS) and hit.part[0] is not None:
        return (Hit(WAVES, At(hit.part[0])),)
    if is_in(hit, BIASES) and None not in hit.part:
        return (Hit(LINES, At(abs(hit.part[0] - hit.part[1]))),)
    if hit.item == WAVES and isinstance(hit.part, At):
        return (Hit(CELLS, (round(hit.part.x), None)),)
    return ()


# ---- Waves ----


def _waves(numbers: EncodingPicture) -> Plot:
    """Return the waves, each in a lane of its own with its name at the left and its number at the right."""
    last, count = numbers.state.length - 1, len(numbers.waves)
    marks, names = list[Mark](), []
    at = dict(zip(numbers.waves, _wave_values(numbers, numbers.position), strict=True))
    for lane, wave in zip(range(count - 1, -1, -1), numbers.waves, strict=True):
        marks += _wave_marks(numbers, wave, lane)
        names.append((float(lane), wave.label))
        places = 3 if kind_of(numbers.state).turns else 4
        marks.append(ReadOut(float(lane), signed(at[wave], places), signed(-1.0, places)))
    marks.append(Handle(POSITION, numbers.position))
    up = Axis(-0.55, count - 0.45, ticks=tuple(sorted(names)), has_all=True)
    across = Axis(0.0, float(max(last, 1)), "position, from 0", is_whole=True)
    return Plot(WAVES, across, up, tuple(marks), snap=round, has_legend=False)


def _wave_marks(numbers: EncodingPicture, wave: Wave, lane: int) -> list[Mark]:
    reach = REACH / (numbers.high or 1.0)
    if wave.highs is not None:
        band = Between(wave.places, lane + reach * wave.values, lane + reach * wave.highs, opacity=0.8)
        return [band, Curve(wave.places, lane + reach * wave.highs, width=1.0)]
    found: list[Mark] = [Curve(wave.places, lane + reach * wave.values, width=1.4)]
    if wave.has_dots and numbers.state.length <= DOTS_UP_TO:
        whole = np.arange(numbers.state.length)
        values = lane + reach * encoding_at(numbers.state, whole, np.asarray([wave.dimension]))[:, 0]
        found.append(Points("", whole.tolist(), values.tolist(), size=1.8))
    return found


def _wave_values(numbers: EncodingPicture, position: int) -> list[float]:
    """Return what the waves are at a position."""
    columns = np.asarray([wave.dimension for wave in numbers.waves], np.intp)
    found: list[float] = encoding_at(numbers.state, np.asarray([position]), columns)[0].tolist()
    return found


# ---- Biases ----


def _bias_lines(numbers: EncodingPicture, bias: BiasLines) -> Plot:
    """Return a line a head, that of the head on show strong, each with its name at its end."""
    last = float(max(bias.map.row_count - 1, 1))
    ends = np.array([0.0, last])
    order = sorted(range(len(bias.slopes)), key=lambda head: head == bias.head)
    marks: list[Mark] = [
        Curve(ends, -bias.slopes[head] * ends, ink=ink, width=wide)
        for head in order
        for ink, wide in ((("text", 2.6) if head == bias.head else ("axis", 1.2)),)
    ]
    for head in reversed(order):  # the one on show first: names that would cover it are left out
        text, is_shown = (
            f"{bias.count.head(head)}: −{slope_words(float(bias.slopes[head]))}",
            head == bias.head,
        )
        ink, end = "text" if is_shown else "muted", float(-bias.slopes[head] * last)
        marks.append(Label(last, end, text, ink, bold=is_shown, fixed=True, anchor=(0, 0.5)))
    low = float(-bias.slopes.max() * last) or -1.0
    ticks = tuple((float(at), str(at)) for at in round_numbers(bias.map.row_count, 5))
    across = Axis(0.0, FOR_NAMES * last, "distance of query and key", ticks=ticks)
    up = Axis(1.04 * low, 0.0, "added to the score", grid=True)
    return Plot(LINES, across, up, tuple(marks), snap=round, has_legend=False)


def _head_at(bias: BiasLines, distance: float, off: float) -> int:
    """Return the head whose line is nearest to a place."""
    return int(np.argmin(np.abs(-bias.slopes * distance - off)))
