"""Heads that are alike stand together: groups that were planted, and clustering done the slow way."""

from itertools import combinations

import numpy as np
import pytest

from attention_explorer.pages.heads.alike import alike_order


def maps(count: int, size: int = 5, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((count, size, size))


@pytest.mark.parametrize("size", [5, 40])
def test_maps_of_one_kind_stand_side_by_side(size: int) -> None:
    kinds = np.random.default_rng(2).integers(0, 4, 30)
    noise = 0.01 * maps(30, size)
    order = alike_order([kind + rest for kind, rest in zip(maps(4, size)[kinds], noise, strict=True)])
    changes = np.count_nonzero(np.diff(kinds[order]))
    assert (sorted(order), changes) == (list(range(30)), 3)


def test_groups_are_those_of_clustering_done_pair_by_pair() -> None:
    shown = maps(12)
    order, groups = alike_order(list(shown)), [{index} for index in range(12)]

    def distance(a: set[int], b: set[int]) -> float:
        return float(np.mean([np.linalg.norm(shown[i] - shown[j]) for i in a for j in b]))

    while len(groups) > 1:
        a, b = min(combinations(groups, 2), key=lambda pair: distance(*pair))
        groups = [group for group in groups if group not in (a, b)] + [a | b]
        places = sorted(map(order.index, a | b))
        assert places == list(range(places[0], places[0] + len(places))), "a group stands side by side"


@pytest.mark.parametrize("count", [0, 1, 5])
def test_equal_maps_stay_in_their_order(count: int) -> None:
    assert alike_order([np.ones((3, 3))] * count) == list(range(count))
