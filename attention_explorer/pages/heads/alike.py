"""The order in which heads that are alike stand together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.pooling import tile_bounds

MOST_TILES = 32
"""Rows and columns of a map up to which every weight is compared; of a larger one, the largest of each tile."""

SAME = 6
"""Decimals of a distance: below them two maps are as far from a third, on every processor."""


def alike_order(maps: Sequence[Floats]) -> list[int]:
    """Return the maps in an order in which those that are alike stand together, the first map in the first half.

    Agglomerative clustering: the two groups whose maps are nearest, in the mean over all pairs, become one (average
    linkage, Sokal & Michener 1958), again and again, each time with the ends that are nearest side by side. The pairs
    are found by the chain of nearest neighbours (Murtagh 1983), in time n² for n maps. Equal distances: by number.

    Parameters
    ----------
    maps : sequence of ndarray, (rows, columns)
        Weights, all of one shape.

    Returns
    -------
    list of int, (n,)
    """
    if not maps:
        return []
    between = _distances(np.stack([_small(each).ravel() for each in maps]))
    apart = between.copy()
    np.fill_diagonal(apart, np.inf)
    groups = {index: [index] for index in range(len(maps))}
    chain: list[int] = []
    while len(groups) > 1:
        if not chain:
            chain.append(min(groups))
        nearest = int(np.argmin(apart[chain[-1]]))
        if len(chain) < 2 or apart[chain[-1], chain[-2]] > apart[chain[-1], nearest]:
            chain.append(nearest)
            continue
        first, second = sorted((chain.pop(), chain.pop()))
        sizes = len(groups[first]), len(groups[second])
        mean = np.average(apart[[first, second]], axis=0, weights=sizes)
        apart[first] = apart[:, first] = np.round(mean, SAME)  # the group keeps the number of its first
        apart[first, first] = np.inf
        apart[second] = apart[:, second] = np.inf
        groups[first] = _side_by_side(groups[first], groups.pop(second), between)
    (order,) = groups.values()
    return order if 2 * order.index(0) < len(order) else order[::-1]


def _small(weights: Floats) -> Floats:
    rows, columns = (tile_bounds(length, MOST_TILES)[:-1] for length in weights.shape)
    return np.asarray(np.maximum.reduceat(np.maximum.reduceat(weights, rows, axis=0), columns, axis=1))


def _distances(points: Floats) -> Floats:
    """Return the Euclidean distance of every pair of points (n, d): (n, n)."""
    points = points.astype(np.float64)
    squares = (points**2).sum(axis=1)
    between = squares[:, None] + squares - 2.0 * points @ points.T
    return np.asarray(np.round(np.sqrt(np.maximum(between, 0.0)), SAME))


def _side_by_side(left: list[int], right: list[int], between: Floats) -> list[int]:
    """Join two groups, each turned round or not, by the ends that are nearest."""
    ways = [(a, b) for a in (left, left[::-1]) for b in (right, right[::-1])]
    a, b = min(ways, key=lambda way: between[way[0][-1], way[1][0]])
    return a + b
