"""Shapes that follow from keys and values: where keys tie, the regions they win, the hull of the values, the field."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_explorer.model import lookup_field
from attention_explorer.pages.lookup.plane import Extent, Vector


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
