"""The encoding as a picture: a map position × dimension with the waves of some dimensions, or the biases of ALiBi."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import (
    ColourScale,
    FloatArray,
    IntArray,
    MapPicture,
    ScaleKind,
    score_scale,
    short_number,
)
from attention_explorer.core.numbers_export import Arrays, Table, rows_of
from attention_explorer.core.numerals import coordinate, grouped, signed
from attention_explorer.errors import ExportError
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import (
    angle_rates,
    dimensions_of_pair,
    encoding_at,
    function_of,
    numbers_of,
    ordinal,
    pair_of,
    reason_without_table,
    sampled_dimensions,
    sampled_positions,
    wavelength,
    wavelengths_of,
)

MOST_TILES = 512
"""Most rows and columns that are computed, also where there are more pixels: a quarter of a million numbers."""
SMOOTH_UP_TO = 300
"""Positions up to which a wave is drawn between them too, with a dot at each."""
SHARE_OF_WAVES, SHARE_OF_WAVE = 0.42, 0.1
"""What of the height all waves take at most, and what each of them takes at least."""
MOST_NUMBERS = 2**21
"""The most numbers of a file: 16 MiB of them, several times that as text."""
BINS = 1200
"""Most places along a wave; of more positions each place shows the lowest and the highest number."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberMap:
    """A map whose rows and columns are numbered; a tile shows the row and the column that it names."""

    picture: MapPicture
    rows: IntArray  # (h,)
    columns: IntArray  # (w,)
    row_count: int
    column_count: int
    badge: str = ""
    """What of the whole is shown; empty if all of it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """One dimension along the positions."""

    dimension: int
    label: str
    places: FloatArray  # (m,)
    values: FloatArray  # (m,), the lowest at each place
    highs: FloatArray | None  # (m,), the highest; None where a place is one position
    has_dots: bool
    """Whether whole positions are to be marked, because the line goes on between them."""


@dataclass(frozen=True, slots=True, eq=False)
class BiasLines:
    """What ALiBi takes off a score."""

    slopes: FloatArray  # (heads,)
    map: NumberMap  # of one head
    head: int
    count: Count = Count.FROM_ONE


@dataclass(frozen=True, slots=True, eq=False)
class EncodingPicture:
    """All there is to paint of an encoding; ``reason`` says why there is neither a table nor biases."""

    state: PositionsState
    position: int
    table: NumberMap | None = None
    waves: tuple[Wave, ...] = ()
    bias: BiasLines | None = None
    reason: str = ""

    @property
    def high(self) -> float:
        """The largest size of a number in the table."""
        return 1.0 if self.table is None else self.table.picture.scale.high


def encoding_picture(state: PositionsState, tiles: tuple[int, int]) -> EncodingPicture:
    """Return the picture with at most ``tiles`` rows and columns.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    if kind_of(state).has_slopes:
        return EncodingPicture(state, state.position_shown, bias=_bias(state, min(tiles)))
    reason = reason_without_table(state)
    if reason:
        return EncodingPicture(state, state.position_shown, reason=reason)
    key = numbers_of(state)
    waves = tuple(_wave(key, dimension) for dimension in state.dimensions_shown)
    # The waves take their part of the height, and rows that no pixel shows need not be computed.
    rows = max(round(tiles[0] * (1.0 - min(SHARE_OF_WAVES, SHARE_OF_WAVE * len(waves)))), 1)
    return EncodingPicture(state, state.position_shown, _table(key, (rows, tiles[1])), waves)


def small_table(state: PositionsState, side: int) -> NumberMap:
    """Return the table with at most so many rows and columns."""
    return _table(numbers_of(state), (side, side))


@kept
def _table(state: PositionsState, tiles: tuple[int, int]) -> NumberMap:
    rows, row_step = sampled_positions(state.length, min(tiles[0], MOST_TILES))
    columns, column_step = sampled_dimensions(state, min(tiles[1], MOST_TILES))
    values = encoding_at(state, rows, columns)
    return NumberMap(
        _map_picture(
            values, _scale(state, values), rows, columns, "position (row), from 0", "dimension (column), from 0"
        ),
        rows,
        columns,
        state.length,
        state.d_model,
        _badge(row_step, column_step),
    )


def _map_picture(
    values: FloatArray, scale: ColourScale, rows: IntArray, columns: IntArray, row_title: str, column_title: str
) -> MapPicture:
    nothing = np.zeros(values.shape, np.bool_)
    names = tuple(map(str, rows.tolist())), tuple(map(str, columns.tolist()))
    return MapPicture(values, nothing, scale, "viridis", *names, row_title=row_title, column_title=column_title)


def _scale(state: PositionsState, values: FloatArray) -> ColourScale:
    title = kind_of(state).numbers_are
    return ColourScale(ScaleKind.DIVERGING, -1.0, 1.0, title) if kind_of(state).turns else score_scale(values, title)


def _badge(row_step: int, column_step: int) -> str:
    parts = []
    if row_step > 1:
        parts.append(f"every {ordinal(row_step)} position: waves shorter than {2 * row_step} look longer than they are")
    if column_step > 1:
        parts.append(f"every {ordinal(column_step)} pair of dimensions")
    return "; ".join(parts)


# ---- Waves ----


@kept
def _wave(state: PositionsState, dimension: int) -> Wave:
    column = np.asarray([dimension])
    label = wave_label(state, dimension)
    last = state.length - 1
    if kind_of(state).turns and state.length <= SMOOTH_UP_TO:
        places = np.linspace(0.0, last, last * max(1, 600 // max(last, 1)) + 1)
        return Wave(dimension, label, places, encoding_at(state, places, column)[:, 0], None, has_dots=True)
    values = encoding_at(state, np.arange(state.length), column)[:, 0]
    return Wave(dimension, label, *_thinned(values), has_dots=False)


def _thinned(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Return places with the lowest and the highest value at each, which together cover a line through all values."""
    step = -(-len(values) // BINS)
    if step == 1:
        return np.arange(len(values), dtype=np.float64), values, None
    starts = np.arange(0, len(values), step)
    # Each place reaches to the next, or gaps would be left in a steep line.
    following = values[np.append(starts[1:], len(values) - 1)]
    lows: FloatArray = np.minimum(np.minimum.reduceat(values, starts), following)
    highs: FloatArray = np.maximum(np.maximum.reduceat(values, starts), following)
    return np.asarray(starts + 0.5 * step, np.float64), lows, highs


def wave_label(state: PositionsState, dimension: int) -> str:
    """Return what a wave is called: dim 8, sin, wavelength 19.9."""
    if not kind_of(state).turns:
        return f"dim {dimension}, {state.kind.value}"
    length = wavelength_text(wavelength(state, dimension))
    return f"dim {dimension}, {function_of(state, dimension)}, wavelength {length}"


# ---- Biases ----


def _bias(state: PositionsState, most: int) -> BiasLines:
    return _bias_of(state.length, state.heads, state.head_shown, most, state.count)


@kept
def _bias_of(length: int, heads: int, head: int, most: int, count: Count) -> BiasLines:
    slopes = np.asarray(alibi_slopes(heads), np.float64)
    rows, step = sampled_positions(length, min(most, MOST_TILES))
    values = -slopes[head] * np.abs(rows[:, None] - rows[None, :])
    scale = score_scale(values, f"bias of {count.head(head)}: −slope · distance")
    picture = _map_picture(values + 0.0, scale, rows, rows, "query (row), from 0", "key (column), from 0")
    badge = f"every {ordinal(step)} position" if step > 1 else ""
    return BiasLines(slopes, NumberMap(picture, rows, rows, length, length, badge), head, count)


# ---- For files ----


def encoding_arrays(state: PositionsState) -> Arrays:
    """Return the encoding (length, d_model) with its wavelengths, or the biases of ALiBi (heads, length, length).

    Raises
    ------
    ExportError
        Its numbers are too many for a file.
    """
    if kind_of(state).has_slopes:
        _require_room(state.heads * state.length**2)
        return {"bias": alibi_bias(state.heads, state.length), "slopes": alibi_slopes(state.heads)}
    _require_room(state.length * state.d_model)
    arrays: Arrays = {"encoding": encoding_at(state, np.arange(state.length), np.arange(state.d_model))}
    if kind_of(state).turns:
        arrays["wavelengths"] = wavelengths_of(state)
    return arrays


def _require_room(count: int) -> None:
    if count > MOST_NUMBERS:
        raise ExportError(
            f"That would be {grouped(count)} numbers, more than the {grouped(MOST_NUMBERS)} a file can take. Choose "
            "fewer positions, dimensions or heads."
        )


def encoding_table(state: PositionsState) -> Table:
    """Return the encoding with a line a position, or the slopes of ALiBi."""
    arrays = encoding_arrays(state)
    if kind_of(state).has_slopes:
        slopes = enumerate(arrays["slopes"].tolist(), start=state.count.first)
        return Table.of((f"head ({state.count.value})", "slope"), list(slopes))
    header = "position \\ dimension", *range(state.d_model)
    return Table(header, lambda: _numbered(rows_of(arrays["encoding"])), state.length)


def _numbered(rows: Iterable[Iterable[object]]) -> Iterator[tuple[object, ...]]:
    return ((position, *row) for position, row in enumerate(rows))


def settings(state: PositionsState) -> dict[str, Any]:
    """Return what decides the numbers of an encoding, as it can be written down."""
    found: dict[str, Any] = {"kind": state.kind.value, "length": state.length}
    if kind_of(state).has_slopes:
        return {**found, "heads": state.heads}
    found["d_model"] = state.d_model
    kind = kind_of(state)
    if kind.turns:
        found["base"] = state.base
    if kind.has_layouts:
        found["layout"] = state.layout.value
    if kind.note:
        found["note"] = kind.note
    if kind.is_drawn:
        found["seed"] = state.seed
        found["standard_deviation"] = 0.02
    return found


def axes_of(state: PositionsState) -> str:
    """Return what the axes of its main array are."""
    if kind_of(state).has_slopes:
        return f"head ({state.count.value}), query (row), key (column)"
    return "position (row, from 0), dimension (column, from 0)"


# ---- Words ----


def cell_words(state: PositionsState, position: int, dimension: int) -> str:
    """Return a number of the table with the arithmetic that made it.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    value = float(encoding_at(state, np.asarray([position]), np.asarray([dimension]))[0, 0])
    kind = kind_of(state)
    if not kind.turns:
        return kind.cell(state, position, (dimension,), "", signed(value, 5))
    function = function_of(state, dimension)
    pair = pair_of(state, dimension)
    base, power = coordinate(state.base), f"{2 * pair}/{state.d_model}"
    angle = float(angle_rates(state)[pair]) * position
    wave = f"wavelength {wavelength_text(wavelength(state, dimension))} positions"
    worked = f"{function}({position} / {base}^({power})) = {function}({_angle_text(angle)}) = {signed(value, 5)}"
    others = (other for other in dimensions_of_pair(state, pair) if other != dimension)
    return f"{kind.cell(state, position, (dimension, *others), _angle_text(angle), worked)}; {wave}"


def _angle_text(angle: float) -> str:
    return "0" if angle == 0 else f"{angle:.4f}" if angle >= 0.001 else short_number(angle)


def bias_words(state: PositionsState, head: int, query: int, key: int) -> str:
    """Return what ALiBi takes off one score, with the arithmetic."""
    slope = float(alibi_slopes(state.heads)[head])
    distance = abs(query - key)
    bias = -slope * distance
    factor = math.exp(bias)
    return (
        f"{state.count.head(head)}: query {query}, key {key}: −{coordinate(slope, 5)} · {distance} = "
        f"{signed(bias + 0.0, 4)} is added to the score, which multiplies the weight by {short_number(factor)} before "
        "it is normalised"
    )
