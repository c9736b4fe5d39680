"""The plane: which part of it is visible, how its units become pixels, and shapes that follow from keys and values."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from attention_explorer.core.declared import declared
from attention_explorer.core.numerals import round_step
from attention_explorer.fields import CheckedFields
from attention_explorer.model import lookup_field

_FARTHEST_EDGE = 1e12

Vector = tuple[float, float]
"""A point or arrow of the plane, in plane units."""

LARGEST_COORDINATE = 1e6
"""Of a vector, and so of the middle of a view: farther out there is nothing to see."""

SMALLEST_SPAN, LARGEST_SPAN = 1e-9, 1e7
"""Zoom stops here (plane units across): beyond, float64 coordinates no longer tell neighbouring pixels apart."""

SMALLEST_SHARE = 1e-11
"""Of its distance from the origin a view is at least as wide as this, for the same reason: floats are coarser there."""


def _edge_declared(label: str, tip: str) -> Any:  # noqa: ANN401 # takes the place of a default
    return declared(MISSING, label, tip, "Move the view", low=-_FARTHEST_EDGE, high=_FARTHEST_EDGE)


@dataclass(frozen=True, slots=True)
class Extent(CheckedFields):
    """A rectangle of the plane, in plane units."""

    left: float = _edge_declared("left", "Where the part of the plane begins, in its units")
    right: float = _edge_declared("right", "Where it ends")
    bottom: float = _edge_declared("bottom", "Its lowest edge")
    top: float = _edge_declared("top", "Its highest edge")

    @property
    def width(self) -> float:
        """Units from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Units from bottom to top."""
        return self.top - self.bottom

    @property
    def centre(self) -> Vector:
        """The middle of the rectangle."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    @property
    def span(self) -> float:
        """Units along the longer side."""
        return max(self.width, self.height)

    @property
    def smallest_span(self) -> float:
        """The span of the narrowest view around the same middle."""
        return _smallest_span(self.centre)

    def held(self) -> Self:
        """Return the nearest extent that can be in view: its middle where vectors can be, its span within limits."""
        x, y = (min(max(at, -LARGEST_COORDINATE), LARGEST_COORDINATE) for at in self.centre)
        span = min(max(self.span, _smallest_span((x, y))), LARGEST_SPAN)
        if (x, y) == self.centre and span == self.span:
            return self
        across, up = self.width / self.span * span / 2, self.height / self.span * span / 2
        return type(self)(x - across, x + across, y - up, y + up)

    def zoomed(self, factor: float, about: Vector) -> Self:
        """Return the extent seen after magnifying by ``factor`` with the point ``about`` held still."""
        span = self.span / factor
        if (factor > 1 and span < self.smallest_span) or (factor < 1 and span > LARGEST_SPAN):
            return self
        x, y = about
        return type(self)(
            x + (self.left - x) / factor,
            x + (self.right - x) / factor,
            y + (self.bottom - y) / factor,
            y + (self.top - y) / factor,
        )

    def shifted(self, dx: float, dy: float) -> Self:
        """Return the extent moved by (dx, dy) units."""
        return type(self)(self.left + dx, self.right + dx, self.bottom + dy, self.top + dy)


def _smallest_span(middle: Vector) -> float:
    return max(SMALLEST_SPAN, SMALLEST_SHARE * max(map(abs, middle)))


@dataclass(frozen=True, slots=True)
class PlaneTransform:
    """Plane units to pixels: equal scale on both axes, y upwards, from (left, top) px of the picture on."""

    centre: Vector
    pixels_per_unit: float
    width: float
    height: float
    left: float = 0.0
    top: float = 0.0

    @classmethod
    def fitting(cls, extent: Extent, width: float, height: float, margin: float = 0.0, above: float = 0.0) -> Self:
        """Return the largest view in ``width`` × ``height`` px that shows ``extent`` with ``margin`` px around it.

        ``above`` px more are left free at the top, and at the bottom.
        """
        room = max(width - 2 * margin, 1.0), max(height - 2 * (margin + above), 1.0)
        scale = min(room[0] / extent.width, room[1] / extent.height)
        return cls(extent.centre, scale, width, height)

    def to_pixels(self, x: float, y: float) -> Vector:
        """Return where the plane point (x, y) falls, in pixels."""
        return (
            self.left + self.width / 2 + (x - self.centre[0]) * self.pixels_per_unit,
            self.top + self.height / 2 - (y - self.centre[1]) * self.pixels_per_unit,
        )

    def to_plane(self, px: float, py: float) -> Vector:
        """Return the plane point under the pixel (px, py)."""
        return (
            self.centre[0] + (px - self.left - self.width / 2) / self.pixels_per_unit,
            self.centre[1] - (py - self.top - self.height / 2) / self.pixels_per_unit,
        )

    @property
    def visible(self) -> Extent:
        """The part of the plane that the picture shows; contains the fitted extent."""
        return self.visible_in(self.width, self.height)

    def visible_in(self, width: float, height: float) -> Extent:
        """Return what a picture of another size shows if every point stays at its pixel."""
        left, top = self.to_plane(self.left, self.top)
        right, bottom = self.to_plane(self.left + width, self.top + height)
        return Extent(left, right, bottom, top)


def tick_step(pixels_per_unit: float, at_least_pixels: float) -> float:
    """Return the smallest of 1, 2, 5 × 10ⁿ units that spans at least ``at_least_pixels``."""
    return round_step(at_least_pixels / pixels_per_unit)


def ticks(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of ``step`` in [low, high], each the float nearest to its decimal."""
    decimals = max(0, -math.floor(math.log10(step)))
    # A hair of room: 0.3 / 0.1 is 2.9999999999999996, and the tick at 0.3 must not be lost for that.
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, decimals) + 0.0 for i in range(first, last + 1)]


def snapped(position: Vector, grid: float = 0.1) -> Vector:
    """Return the point of the grid nearest to ``position``, each coordinate the float nearest to its decimal."""
    per_unit = round(1 / grid)
    return round(position[0] * per_unit) / per_unit, round(position[1] * per_unit) / per_unit


def along(position: Vector, direction: Vector) -> Vector:
    """Return ``position`` projected on the ray of ``direction``: only the length changes.

    A drag to the far side of the origin stops at the origin. A zero direction leaves the position free.
    """
    length = math.hypot(*direction)
    if length == 0:
        return position
    unit = direction[0] / length, direction[1] / length
    distance = max(0.0, position[0] * unit[0] + position[1] * unit[1])
    return distance * unit[0], distance * unit[1]


def around(position: Vector, length: float) -> Vector:
    """Return the point at ``length`` from the origin in the direction of ``position``: only the angle changes."""
    distance = math.hypot(*position)
    if distance == 0:
        return length, 0.0
    return position[0] * length / distance, position[1] * length / distance


# ---- Shapes ----
# Shapes that follow from keys and values: where keys tie, the regions they win, the hull of the values, the field.


@dataclass(frozen=True, slots=True)
class TieRay:
    """Half of a line through the origin on which two keys have the same score and no other key beats them."""

    angle: float  # radians, from the x axis, in (−π, π]
    pair: tuple[int, int]

    @property
    def direction(self) -> Vector:
        """The unit vector along the ray."""
        return math.cos(self.angle), math.sin(self.angle)


@dataclass(frozen=True, slots=True)
class Region:
    """The cone of queries, seen from the origin, for which hard lookup picks one key."""

    winner: int
    start: float  # radians
    end: float  # radians, counter-clockwise from start; a full turn where one key always wins


@lru_cache(maxsize=16)
def tie_rays(keys: tuple[Vector, ...]) -> tuple[TieRay, ...]:
    """Return the rays on which the winner of a hard lookup changes, counter-clockwise.

    q·k_i = q·k_j means q ⟂ (k_i − k_j): a line through the origin. Of each line only the halves where the pair beats
    every other key are boundaries. Scores grow with |q| alone along a ray, so every boundary starts at the origin.
    """
    points = np.asarray(keys)
    tolerance = 1e-12 * max(1e-300, float(np.abs(points).max()))
    rays: dict[float, TieRay] = {}
    for i in range(len(keys)):
        for j in range(i + 1, len(keys)):
            dx, dy = keys[i][0] - keys[j][0], keys[i][1] - keys[j][1]
            if math.hypot(dx, dy) <= tolerance:
                continue
            # + 0.0 turns −0.0 into 0.0: atan2 would take the same ray once for π and once for −π.
            for angle in (math.atan2(dx + 0.0, -dy), math.atan2(-dx + 0.0, dy)):
                scores = points @ (math.cos(angle), math.sin(angle))
                if scores[i] >= scores.max() - tolerance:
                    rays.setdefault(round(angle, 9), TieRay(angle, (i, j)))
    return tuple(sorted(rays.values(), key=lambda ray: ray.angle))


@lru_cache(maxsize=16)
def equal_angle_rays(keys: tuple[Vector, ...]) -> tuple[TieRay, ...]:
    """Return the rays on which the two best *cosines* are equal: the ties if every key had the same length."""
    lengths = [math.hypot(*key) for key in keys]
    if min(lengths) == 0:
        return ()
    return tie_rays(tuple((x / length, y / length) for (x, y), length in zip(keys, lengths, strict=True)))


@lru_cache(maxsize=16)
def regions(keys: tuple[Vector, ...]) -> tuple[Region, ...]:
    """Return the cones that hard lookup divides the plane into, counter-clockwise."""
    angles = [ray.angle for ray in tie_rays(keys)]
    if not angles:
        return (Region(0, -math.pi, math.pi),)
    ends = [*angles[1:], angles[0] + 2 * math.pi]
    points = np.asarray(keys)
    found = []
    for start, end in zip(angles, ends, strict=True):
        middle = (start + end) / 2
        winner = int(np.argmax(points @ (math.cos(middle), math.sin(middle))))
        found.append(Region(winner, start, end))
    return tuple(found)


def winners_nearby(keys: tuple[Vector, ...], query: Vector, tied: tuple[int, ...]) -> tuple[int, ...]:
    """Return the keys that hard lookup picks for some query as near to this one as one likes, on no border.

    ``tied`` are the keys with the highest score. Away from a tie it is the one winner. On a border their keys lie in a
    line across the query, and of these the outermost two win on either side; at the origin every region is near.
    """
    length = math.hypot(*query)
    if len(tied) == 1 or length == 0:
        return tied if len(tied) == 1 else tuple(sorted({region.winner for region in regions(keys)}))
    x, y = query[0] / length, query[1] / length
    across = [x * keys[i][1] - y * keys[i][0] for i in tied]
    return tuple(sorted({tied[across.index(min(across))], tied[across.index(max(across))]}))


@lru_cache(maxsize=16)
def convex_hull(points: tuple[Vector, ...]) -> tuple[Vector, ...]:
    """Return the corners of the convex hull, counter-clockwise (Andrew's monotone chain).

    One or two corners stand for a point or a segment.
    """
    unique = sorted(set(points))
    if len(unique) <= 2:
        return tuple(unique)
    return (*_half_hull(unique)[:-1], *_half_hull(unique[::-1])[:-1])


def _half_hull(points: list[Vector]) -> list[Vector]:
    half: list[Vector] = []
    for x, y in points:
        while len(half) >= 2:
            (ax, ay), (bx, by) = half[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            half.pop()
        half.append((x, y))
    return half


@lru_cache(maxsize=4)
def weight_field(
    keys: tuple[Vector, ...], temperature: float, scaled: bool, visible: Extent, columns: int, rows: int
) -> np.typing.NDArray[np.floating]:
    """Return the soft weights (rows, columns, n) of a query at the centre of each cell; row 0 is the top."""
    x = visible.left + (np.arange(columns) + 0.5) * (visible.width / columns)
    y = visible.top - (np.arange(rows) + 0.5) * (visible.height / rows)
    points = np.asarray(keys)
    return lookup_field(x, y, points, points, temperature=temperature, scaled=scaled).weights
