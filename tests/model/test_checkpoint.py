"""Long arithmetic can be counted and ended, and is not altered by that."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from attention_explorer.model import QueryKeyMap, Stage
from attention_explorer.model.checkpoint import checkpoint, watched
from attention_explorer.model.map_selection import rows_of_a_block


class StopError(Exception):
    pass


@pytest.fixture
def map_() -> QueryKeyMap:
    q, k = np.random.default_rng(0).normal(size=(2, 2000, 3))
    return QueryKeyMap(q, k)


def test_every_block_of_a_map_is_counted_and_no_number_changes(map_) -> None:
    passed: list[int] = []
    with watched(lambda: passed.append(1)):
        weights = map_.weights()
    assert len(passed) == -(-2000 // rows_of_a_block(2000)) > 3
    np.testing.assert_array_equal(weights, map_.weights())


@pytest.mark.parametrize(
    "work",
    [
        lambda map_: map_.survey(64, 64),
        lambda map_: map_.pooled(Stage.SCALED, 64, 64),
        lambda map_: map_.summary(),
        lambda map_: map_.output(np.ones((2000, 1))),
    ],
)
def test_whatever_walks_over_a_map_can_be_ended_half_way(map_, work) -> None:
    passed = 0

    def stop() -> None:
        nonlocal passed
        passed += 1
        if passed == 3:
            raise StopError

    with pytest.raises(StopError), watched(stop):
        work(map_)
    assert passed == 3


def test_watchers_are_those_of_their_thread_and_of_their_time() -> None:
    heard: list[str] = []
    with watched(lambda: heard.append("outer")):
        with watched(lambda: heard.append("inner")):
            checkpoint()
        checkpoint()
        other = threading.Thread(target=checkpoint)
        other.start()
        other.join()
    checkpoint()
    assert heard == ["inner", "outer"]
