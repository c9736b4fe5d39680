"""How alike two positions are: PE·PEᵀ, the same after random projections, and as a curve against the offset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, FloatArray, IntArray, MapPicture, ScaleKind, score_scale
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import Likeness, PositionsState
from attention_explorer.pages.positions.sums import rates_of
from attention_explorer.pages.positions.table import (
    contents,
    encoding_at,
    head_width,
    projections,
    reason_without_table,
    sampled_positions,
)


def shows_distances(state: PositionsState) -> bool:
    """Whether distances are to be shown, and there are any: only an encoding with a vector a position has them."""
    return state.likeness is Likeness.DISTANCE and kind_of(state).adds


def distances(rows: FloatArray) -> FloatArray:
    """Return the distance (h, h) of every two of the vectors (h, d); 0 on the diagonal."""
    squares = (rows * rows).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * (rows @ rows.T), 0.0))
    np.fill_diagonal(apart, 0.0)  # where rounding would leave the root of something tiny
    return np.asarray(apart)


def distances_by_offset(state: PositionsState, products: FloatArray) -> FloatArray:
    """Return ‖PE(0) − PE(k)‖ of the sinusoidal encoding from its products PE(0) · PE(k) for k from 0 on."""
    squares = np.full(len(products), state.d_model // 2, np.float64)  # sin² + cos² = 1 a pair
    if state.d_model % 2:  # and the square of the lone sine
        squares += np.sin(np.arange(len(products)) * rates_of(state.d_model, state.base)[-1]) ** 2
    apart = np.sqrt(np.maximum(squares[0] + squares - 2.0 * products, 0.0))
    apart[0] = 0.0
    return np.asarray(apart)


MOST_TILES, MOST_TILES_WIDE = 400, 256
"""Positions a side of a map at most; the second number for encodings of more than 256 dimensions."""
MOST_OFFSETS = 1024
"""Offsets of a learned encoding, whose curve has to be computed product by product."""
NOTABLE = (1, 25, 15, 19)
"""Offsets with their number beside them, the most telling first: 25 is nearer than 15, though it is further away."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the numbers along the diagonal of offset 1 differ: not at all if only the offset matters."""

    range: float  # largest − smallest
    std: float
    count: int


@dataclass(frozen=True, slots=True)
class Nearest:
    """The two positions whose vectors are closest."""

    distance: float
    first: int
    second: int
    every: int
    """1 if all positions were compared, else every so many."""
    by_offset: bool
    """Whether every other pair as far apart is as close."""


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityPicture:
    """Two maps position × position and a curve."""

    state: PositionsState
    reason: str
    """Why there is nothing to draw; else empty."""
    titles: tuple[str, str] = ("", "")
    maps: tuple[MapPicture, ...] = ()
    positions: IntArray | None = None
    """The positions of rows and columns."""
    step: int = 1
    position: int = 0
    """The position that is looked at."""
    curve_title: str = ""
    offsets: IntArray | None = None
    curve: FloatArray | None = None
    rises: tuple[int, ...] = ()
    """Offsets more alike than the one before: a product above it, a distance below it."""
    first_negative: int | None = None
    notable: tuple[int, ...] = ()
    spreads: tuple[Spread, ...] = ()
    nearest: Nearest | None = None

    @property
    def is_symmetric(self) -> bool:
        """Whether it is all the same which of two positions comes first."""
        return not (kind_of(self.state).turns and not kind_of(self.state).adds)

    @property
    def is_distance(self) -> bool:
        """Whether the first map and the curve are distances: the smaller, the more alike."""
        return shows_distances(self.state)

    @property
    def offset_step(self) -> int:
        """How far the offsets of the curve are apart."""
        return 1 if self.offsets is None or len(self.offsets) < 2 else int(self.offsets[1] - self.offsets[0])

    def value_at(self, offset: int) -> float | None:
        """Return the number of an offset, if it was computed."""
        if self.curve is None or offset % self.offset_step or not 0 <= offset // self.offset_step < len(self.curve):
            return None
        return float(self.curve[offset // self.offset_step])


def similarity_picture(state: PositionsState, tiles: tuple[int, int] = (1024, 1024)) -> SimilarityPicture:
    """Return the maps and the curve of a state; no map has more rows or columns than half of the ``tiles``."""
    decides = ("kind", "length", "d_model", "base", "seed", "layout", "heads", "head", "likeness")
    return _similarity(PositionsState(**{name: getattr(state, name) for name in decides}), tiles)


@kept
def _similarity(state: PositionsState, tiles: tuple[int, int]) -> SimilarityPicture:
    if kind_of(state).needs_even and state.d_model % 2:
        return SimilarityPicture(state, reason_without_table(state))
    most = min(max(max(tiles) // 2, 16), MOST_TILES if state.d_model <= 256 else MOST_TILES_WIDE)
    positions, step = sampled_positions(state.length, most)
    offsets, curve = _curve(state)
    values, spreads = _maps(state, positions)
    labels = tuple(map(str, positions.tolist()))
    scales = (_scale(value, title) for value, title in zip(values, _bar_titles(state), strict=True))
    maps = tuple(
        MapPicture(
            value,
            np.zeros(value.shape, np.bool_),
            scale,
            "viridis",
            labels,
            labels,
            row_title="position p",
            column_title="position p′",
        )
        for value, scale in zip(values, scales, strict=True)
    )
    step_of_curve = 1 if len(offsets) < 2 else int(offsets[1])
    alike = -curve if shows_distances(state) else curve
    rises = np.flatnonzero(np.diff(alike) > 1e-9 * max(1.0, float(np.abs(curve).max()))) + 1
    negative = np.flatnonzero(curve < 0)
    return SimilarityPicture(
        state,
        "",
        _titles(state),
        maps,
        positions,
        step,
        0,
        _curve_title(state),
        offsets,
        curve,
        tuple(rises.tolist()) if step_of_curve == 1 else (),
        int(offsets[negative[0]]) if len(negative) else None,
        tuple(k for k in NOTABLE if k < state.length) if is_wavy(state) else (),
        spreads,
        _nearest(state, curve, positions, step),
    )


def _scale(values: FloatArray, title: str) -> ColourScale:
    if title != "distance":
        return score_scale(values, title)
    return ColourScale(ScaleKind.LINEAR, 0.0, float(values.max()) or 1.0, title)


def similarity_numbers(picture: SimilarityPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, the first map first."""
    if picture.positions is None or picture.offsets is None or picture.curve is None:
        return {}
    return {
        "distances" if picture.is_distance else "similarity": picture.maps[0].values,
        "after_projections": picture.maps[1].values,
        "positions": picture.positions,
        "offsets": picture.offsets,
        "curve": picture.curve,
    }


# ---- Words ----


def is_wavy(state: PositionsState) -> bool:
    """Whether vectors of waves are compared."""
    return kind_of(state).adds and kind_of(state).turns


def _titles(state: PositionsState) -> tuple[str, str]:
    if shows_distances(state):
        return "‖PE(p) − PE(p′)‖", "PE(p) W_q · PE(p′) W_k"
    said = kind_of(state).said(state)
    return said.before, said.after


def _bar_titles(state: PositionsState) -> tuple[str, str]:
    if shows_distances(state):
        return "distance", "product"
    return kind_of(state).said(state).bars


def _curve_title(state: PositionsState) -> str:
    if shows_distances(state):
        return "‖PE(0) − PE(k)‖ at offset k"
    return kind_of(state).said(state).curve


# ---- Numbers ----


def _curve(state: PositionsState) -> tuple[IntArray, FloatArray]:
    """Return offsets from 0 on and the number of each."""
    if kind_of(state).is_drawn:
        offsets, _ = sampled_positions(state.length, MOST_OFFSETS)
        table = encoding_at(state, offsets, np.arange(state.d_model))
        if shows_distances(state):
            return offsets, np.linalg.norm(table - table[0], axis=1)
        return offsets, np.asarray(table @ table[0])
    products = _by_offset(state, 0, state.length)
    return np.arange(state.length), distances_by_offset(state, products) if shows_distances(state) else products


@kept
def _signed(state: PositionsState) -> FloatArray:
    """Return the number of every offset from −(length − 1) to length − 1."""
    return _by_offset(state, 1 - state.length, 2 * state.length - 1)


def _by_offset(state: PositionsState, first: int, count: int) -> FloatArray:
    """Return the numbers of offsets p − p′ from ``first`` on, for the kinds that see the offset alone."""
    return kind_of(state).alike_by_offset(state, *contents(state), first, count)


def _maps(state: PositionsState, positions: IntArray) -> tuple[tuple[FloatArray, FloatArray], tuple[Spread, ...]]:
    """Return both maps (h, h) and how much each differs along offset 1."""
    kind = kind_of(state)
    if kind.adds:
        return _maps_of_rows(state, positions)
    offsets = positions[:, None] - positions + state.length - 1
    left = _signed(state)[offsets]
    (query, key), (w_q, w_k) = contents(state), projections(state)
    query, key = query @ w_q, key @ w_k
    right = kind.products(state, query, key, 1 - state.length, 2 * state.length - 1)[offsets]
    if kind.has_slopes:
        right = left + right / math.sqrt(head_width(state.d_model))
    if kind.turns:
        return (left, right), _turned_spreads(state, positions)
    still = Spread(0.0, 0.0, max(len(positions) - 1, 0))
    return (left, right), (still, still)


def _maps_of_rows(
    state: PositionsState, positions: IntArray
) -> tuple[tuple[FloatArray, FloatArray], tuple[Spread, ...]]:
    """Return the maps of an encoding that has a vector for each position."""
    features = np.arange(state.d_model)
    w_q, w_k = projections(state)
    keys = encoding_at(state, positions, features)  # (h, d_model)
    neighbours = positions[positions + 1 < state.length]
    queries = encoding_at(state, neighbours + 1, features)
    as_keys = keys @ w_k
    maps = distances(keys) if shows_distances(state) else keys @ keys.T, (keys @ w_q) @ as_keys.T
    count = len(neighbours)
    if shows_distances(state):
        before = np.linalg.norm(queries - keys[:count], axis=1)
    else:
        before = (queries * keys[:count]).sum(axis=1)
    return maps, (_spread(before), _spread(((queries @ w_q) * as_keys[:count]).sum(axis=1)))


def _turned_spreads(state: PositionsState, positions: IntArray) -> tuple[Spread, Spread]:
    """Turn vectors to real positions and compare, rather than believe that only the offset matters."""
    (query, key), (w_q, w_k) = contents(state), projections(state)
    starts = positions[positions + 1 < state.length]
    found = []
    for q, k in ((query, key), (query @ w_q, key @ w_k)):
        rows = len(starts), len(q)
        turned, other = (
            kind_of(state).turned(state, np.broadcast_to(row, rows), places)
            for row, places in ((q, starts + 1.0), (k, np.asarray(starts, float)))
        )
        found.append(_spread((turned * other).sum(1)))
    return found[0], found[1]


def _spread(along: np.typing.NDArray[np.floating]) -> Spread:
    if not len(along):
        return Spread(0.0, 0.0, 0)
    return Spread(float(np.ptp(along)), float(along.std()), len(along))


def _nearest(state: PositionsState, curve: FloatArray, positions: IntArray, step: int) -> Nearest | None:
    if state.length < 2 or not kind_of(state).adds:
        return None
    if is_wavy(state) and state.d_model % 2 == 0:
        # All rows have one length, so that the distance depends on the offset alone, as the product does.
        if not shows_distances(state):
            curve = distances_by_offset(state, curve)
        offset = int(np.argmin(curve[1:])) + 1
        return Nearest(float(curve[offset]), 0, offset, 1, by_offset=True)
    if len(positions) < 2:
        return None
    rows = encoding_at(state, positions, np.arange(state.d_model))
    apart = distances(rows)
    np.fill_diagonal(apart, np.inf)
    first, second = divmod(int(np.argmin(apart)), len(positions))
    distance = float(np.linalg.norm(rows[first] - rows[second]))
    return Nearest(distance, int(positions[first]), int(positions[second]), step, by_offset=False)
