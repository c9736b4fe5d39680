"""Several calls at a time: results in order, errors where they are waited for, and no thread left behind."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from functools import partial

import pytest

from attention_explorer.session.threads import MOST_THREADS, side_by_side

variable: ContextVar[str] = ContextVar("variable", default="")


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("attention-explorer-side")]


def late(number: int) -> int:
    time.sleep(0.02 / (1 + number))
    return number


def test_results_come_in_the_order_of_the_calls() -> None:
    assert list(side_by_side(partial(late, number) for number in range(20))) == list(range(20))
    assert not threads()


def test_nothing_to_do_makes_no_thread() -> None:
    assert list(side_by_side([])) == []


def test_calls_are_made_at_the_same_time(monkeypatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    both = threading.Barrier(2)
    assert sorted(side_by_side([partial(both.wait, 10)] * 4)) == [0, 0, 1, 1]


@pytest.mark.parametrize("processors", [None, 1, 2, 64])
def test_there_are_no_more_threads_than_help(monkeypatch, processors) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    seen = set(side_by_side([threading.get_ident] * 40))
    assert 1 <= len(seen) <= max(1, min(MOST_THREADS, (processors or 1) - 1)), "one is left to the window"


def test_calls_see_the_variables_of_the_caller() -> None:
    token = variable.set("here")
    try:
        assert list(side_by_side([variable.get] * 3)) == ["here"] * 3
    finally:
        variable.reset(token)


def test_an_error_is_raised_where_it_is_waited_for_and_ends_the_rest() -> None:
    made: list[int] = []

    def call(number: int) -> int:
        made.append(number)
        if number == 3:
            raise ValueError("three")
        return number

    results = side_by_side(partial(call, number) for number in range(10_000))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(made) < 100
    assert not threads()


def test_who_stops_listening_ends_the_work() -> None:
    made: list[int] = []
    results = side_by_side(partial(made.append, number) for number in range(10_000))
    next(results)
    results.close()
    assert len(made) < 100
    assert not threads()
