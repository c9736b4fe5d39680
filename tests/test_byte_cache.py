"""The cache that is bounded in bytes: what is counted, what goes first, and what never goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from attention_explorer.core.byte_cache import CACHE, ENTRY_BYTES, ByteCache, Kept, KnowsItsArrays, arrays_in, kept

MIB = 2**20


def block(mebibytes: float) -> np.ndarray:
    """Return an array of so many MiB."""
    return np.zeros(int(mebibytes * MIB), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What a frame is like: arrays in fields, in tuples and in other objects."""

    array: np.ndarray
    more: tuple[object, ...] = ()


@pytest.fixture
def cache() -> ByteCache:
    return ByteCache(on_show_bytes=8 * MIB, other_bytes=4 * MIB)


def kept_in(cache: ByteCache, *keys: str) -> list[str]:
    """Return which of the keys are kept; asking uses them, the first first."""
    return [key for key in keys if cache.get(key) is not None]


def used(cache: ByteCache) -> float:
    """Return the MiB used, but for what is counted for each entry."""
    return round(cache.other_bytes_used / MIB, 1)


def test_each_array_is_counted_once_however_it_is_shared(cache: ByteCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "__module__", "attention_explorer.of_ours")
    array = block(1)
    cache.put("held", Held(array, ((array[:10], array.reshape(2, -1)), Held(block(2)))))
    cache.put("view", np.broadcast_to(array[:1], (1000, 1000)))
    assert used(cache) == 3.0
    cache.show("page", array)
    assert used(cache) == 2.0


def test_what_is_in_many_values_is_not_counted_for_each_of_them(cache: ByteCache) -> None:
    """Else they would be thrown out long before they fill the room that there is."""
    model = block(7)
    for number in range(20):
        cache.put(number, (model, block(0.1)))
    assert all(cache.get(number) is not None for number in range(20))


def test_what_knows_its_arrays_is_asked_for_them(cache: ByteCache, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model(KnowsItsArrays):
        """Holds more than it names."""

        def __init__(self) -> None:
            self.unnamed, self.named = block(1), list[np.ndarray]()

        @property
        def arrays(self) -> list[np.ndarray]:
            return self.named

    monkeypatch.setattr(Model, "__module__", "attention_explorer.of_ours")
    model = Model()
    cache.put("model", model)
    assert used(cache) == 0.0
    model.named += arrays_in((block(2)[:10], [block(1)]))
    assert used(cache) == 3.0


def test_what_grows_after_it_was_kept_is_counted(cache: ByteCache) -> None:
    layers = [block(1)]
    cache.put("layers", layers)
    layers.append(block(2))
    assert used(cache) == 3.0


def test_what_it_was_computed_from_is_counted_too(cache: ByteCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few words about a frame would keep all its arrays in memory, for nothing."""
    monkeypatch.setattr(Held, "__module__", "attention_explorer.of_ours")
    frame = Held(block(6))
    cache.put(("words", frame), "so many tokens")
    assert used(cache) == 6.0
    cache.show("page", frame)
    cache.tidy()
    assert cache.get(("words", frame)) is not None
    cache.show("page", block(1))
    cache.tidy()
    assert cache.get(("words", frame)) is None


def test_the_longest_unused_goes_first(cache: ByteCache) -> None:
    for key in "abc":
        cache.put(key, block(1.9))
    cache.get("a")
    cache.show("page", "something small")
    cache.tidy()
    assert kept_in(cache, "a", "b", "c") == ["a", "c"]


def test_what_is_on_show_is_never_dropped_and_takes_nothing_from_the_rest(cache: ByteCache) -> None:
    large = block(20)
    cache.put("on show", large)
    cache.show("page", large)
    cache.put("other", block(3))
    cache.tidy()
    for key in "abcdef":
        cache.put(key, block(3))
    assert kept_in(cache, "on show", "other", "f") == ["on show", "f"]
    cache.show("page", "something small")
    cache.tidy()
    assert kept_in(cache, "on show", "f") == ["f"]


def test_what_is_kept_as_b_stays_if_the_budget_has_room_for_both(cache: ByteCache) -> None:
    screen, other = block(3), block(4.9)
    cache.put("screen", screen)
    cache.put("B", other)
    cache.show("page", screen)
    cache.compare("page", other)
    cache.tidy()
    assert kept_in(cache, "screen", "B") == ["screen", "B"]
    cache.on_show_bytes = 7 * MIB
    cache.show("page", screen)
    cache.tidy()
    assert kept_in(cache, "screen", "B") == ["screen"]
    cache.hide("page")
    assert used(cache) == 3.0


def test_what_is_being_computed_is_not_dropped_before_it_is_on_show(cache: ByteCache) -> None:
    cache.put("old", block(5))
    cache.show("page", "something small")
    cache.put("for the next picture", block(5))
    cache.tidy()
    assert kept_in(cache, "old", "for the next picture") == ["for the next picture"]


def test_what_was_computed_is_dropped_when_nothing_is_any_more(cache: ByteCache) -> None:
    screen = block(3)
    cache.put("screen", screen)
    cache.show("page", screen)
    for key in "abc":
        cache.put(key, block(1.9))
    cache.tidy(is_done=True)
    assert kept_in(cache, "screen", "a", "b", "c") == ["screen", "b", "c"]


def test_no_number_of_small_values_is_free(cache: ByteCache) -> None:
    for number in range(2 * 4 * MIB // ENTRY_BYTES):
        cache.put(number, "small")
    cache.show("page", "something small")
    cache.tidy()
    assert cache.other_bytes_used <= 4 * MIB
    assert cache.get(0) is None


def test_a_kept_function_is_computed_once_for_its_arguments() -> None:
    calls = []

    @kept
    def twice(number: int, *, sign: int = 1) -> int | None:
        calls.append(number)
        return None if number == 0 else 2 * number * sign

    assert [twice(3), twice(3), twice(0), twice(0), twice(3, sign=-1)] == [6, 6, None, None, -6]
    assert calls == [3, 0, 3]
    assert (twice.peek(3), twice.peek(4)) == (6, None)
    twice.cache_clear()
    assert twice.peek(3) is None
    assert calls == [3, 0, 3]


def test_values_of_two_kinds_do_not_meet() -> None:
    some, others = Kept[int](), Kept[int]()
    some.keep("key", 1)
    assert others.get("key") is None
    CACHE.clear()
    assert some.get("key") is None
