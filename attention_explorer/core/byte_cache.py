"""What has been computed, kept for whoever asks again, within a budget of bytes.

Memory is counted as the arrays that a value leads to, or what it was computed from: each once, however many values
share it, and a little for what is no array. What is on show is in memory anyway, so keeping it costs nothing;
everything else has a budget of its own, and of that the latest used stays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

ON_SHOW_BYTES = 2**30
"""For what is on the screen or kept for a comparison, unless a person chooses another number."""
OTHER_BYTES = 2**26
"""For everything else, some seconds after something else is on show."""

ENTRY_BYTES, MEMBER_BYTES = 2**12, 2**6
"""What is counted for a value besides its arrays, and for each member of a tuple, list, set or dictionary in it."""

_PLAIN = frozenset((str, int, float, bool, type(None)))
"""What holds nothing: of the tokens of a long text there are many, and they are counted whenever anything is kept."""

P = ParamSpec("P")
V = TypeVar("V")


class KnowsItsArrays:
    """What says itself which arrays it leads to: it is in many values, and to go through it each time takes long."""

    @property
    def arrays(self) -> Collection[object]:
        """All of them, as far as they are in memory."""
        raise NotImplementedError


@dataclass(slots=True)
class _Entry:
    value: Any
    used: int
    """When it was used last, by the clock of its cache."""


class ByteCache:
    """Values by what decided them. All threads may use it.

    Parameters
    ----------
    on_show_bytes, other_bytes : int
        The budgets: for what is on show, and for what else is worth keeping.
    """

    def __init__(self, on_show_bytes: int = ON_SHOW_BYTES, other_bytes: int = OTHER_BYTES) -> None:
        self.on_show_bytes, self.other_bytes = on_show_bytes, other_bytes
        self._entries: dict[Hashable, _Entry] = {}  # the latest used comes last
        self._on_screen: dict[Hashable, tuple[object, ...]] = {}
        self._compared: dict[Hashable, tuple[object, ...]] = {}
        self._clock = self._shown_at = self._added = 0
        self._counted = set[int]()
        """The identities of the arrays in `_added`."""
        self._lock = RLock()

    def get(self, key: Hashable) -> Any:  # noqa: ANN401 - whatever was put there
        """Return a value, or None if it is not kept."""
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is None:
                return None
            self._clock += 1
            entry.used = self._clock
            self._entries[key] = entry
            return entry.value

    def put(self, key: Hashable, value: object) -> None:
        """Keep a value; if that is more than both budgets together, the longest unused go."""
        with self._lock:
            self._clock += 1
            self._entries.pop(key, None)
            self._entries[key] = _Entry(value, self._clock)
            arrays, rest = _reached((key, value))
            self._added += _size(arrays, rest, self._counted)
            self._counted.update(arrays)
            if self._added > self.on_show_bytes + self.other_bytes:
                self._drop(self.on_show_bytes + self.other_bytes, protected_from=self._clock)

    def show(self, owner: Hashable, *values: object) -> None:
        """Know what is on the screen in one place: nothing of it is dropped. Replaces what was there before."""
        with self._lock:
            self._on_screen[owner] = values
            self._shown_at = self._clock

    def compare(self, owner: Hashable, *values: object) -> None:
        """Know what is kept to be compared with it: that is not dropped either, if there is room on show for it."""
        with self._lock:
            self._compared[owner] = values

    def hide(self, owner: Hashable) -> None:
        """Know that nothing of an owner is on the screen any more."""
        with self._lock:
            self._on_screen.pop(owner, None)
            self._compared.pop(owner, None)

    def tidy(self, *, is_done: bool = False) -> None:
        """Drop what goes beyond the budget for what is not on show.

        What was used since something was last put on show stays, as it is for what is being computed now, unless it
        is known that this ``is_done``.
        """
        with self._lock:
            self._drop(self.other_bytes, protected_from=(self._clock if is_done else self._shown_at) + 1)

    def clear(self, belongs: Callable[[Hashable], bool] = lambda _key: True) -> None:
        """Drop all values, or those with some keys."""
        with self._lock:
            for key in [key for key in self._entries if belongs(key)]:
                del self._entries[key]

    @property
    def other_bytes_used(self) -> int:
        """Bytes that would be free without this cache: of what is on show none would."""
        with self._lock:
            return _size(*_reached([(key, entry.value) for key, entry in self._entries.items()]), self._pinned())

    def _drop(self, room: int, protected_from: int) -> None:
        """Keep what is on show, what is protected, and as much of the rest as there is room for, the latest first."""
        pinned = self._pinned()
        counted, self._added = set(pinned), 0
        for key, entry in reversed(list(self._entries.items())):
            arrays, rest = _reached((key, entry.value))
            size = _size(arrays, rest, counted)
            if entry.used < protected_from and not (arrays and arrays.keys() <= pinned):
                if size > room:
                    del self._entries[key]
                    continue
                room -= size
            self._added += size
            counted.update(arrays)
        self._counted = counted

    def _pinned(self) -> set[int]:
        """Return the identities of the arrays on show, and of those compared if they fit in the budget."""
        pinned, compared = _reached(self._on_screen)[0], _reached(self._compared)[0]
        both = pinned | compared
        return set(both if sum(both.values()) <= self.on_show_bytes else pinned)


def _size(arrays: dict[int, int], rest: int, counted: Collection[int] = ()) -> int:
    """Return the bytes of what was reached, without arrays that are counted already."""
    return rest + sum(size for array, size in arrays.items() if array not in counted)


def arrays_in(value: object) -> list[Any]:
    """Return the arrays that a value leads to, each once, and of a view what it is a view of."""
    return list(_walked(value)[0].values())


def _reached(value: object) -> tuple[dict[int, int], int]:
    """Return the arrays that a value leads to, as identity → bytes, and about how many bytes the rest takes."""
    arrays, rest = _walked(value)
    return {identity: array.nbytes for identity, array in arrays.items()}, rest


def _walked(value: object) -> tuple[dict[int, Any], int]:
    arrays, rest, seen, todo = dict[int, Any](), ENTRY_BYTES, set[int](), [value]
    while todo:
        found = todo.pop()
        if isinstance(found, np.ndarray):
            while isinstance(found.base, np.ndarray):
                found = found.base
            arrays[id(found)] = found
        elif id(found) not in seen:
            parts = _parts(found)
            if parts is not None:
                seen.add(id(found))
                rest += MEMBER_BYTES * len(parts)
                todo.extend(part for part in parts if type(part) not in _PLAIN)
    return arrays, rest


def _parts(value: object) -> Collection[object] | None:
    """Return what a value holds; None if it holds nothing of ours."""
    if isinstance(value, tuple | list | set | frozenset):
        return value
    if isinstance(value, dict):
        return value.values()
    if not type(value).__module__.startswith("attention_explorer"):
        return None
    if isinstance(value, KnowsItsArrays):
        return value.arrays
    kind = type(value)
    if kind not in _slots_of:
        _slots_of[kind] = tuple(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))
    held = [getattr(value, name) for name in _slots_of[kind] if hasattr(value, name)]
    return [*held, *getattr(value, "__dict__", {}).values()]


_slots_of: dict[type, tuple[str, ...]] = {}
"""The names of the slots of each class that was met, its own and those of its bases."""


CACHE = ByteCache()
"""The one that the program shares."""


class Kept(Generic[V]):
    """The values of one kind in the shared cache."""

    def get(self, key: Hashable) -> V | None:
        """Return a value, if it is kept."""
        return cast("V | None", CACHE.get((self, key)))

    def keep(self, key: Hashable, value: V) -> None:
        """Keep a value, as long as there is room."""
        CACHE.put((self, key), value)

    def clear(self) -> None:
        """Drop the values of this kind."""
        CACHE.clear(lambda key: isinstance(key, tuple) and key[0] is self)


class kept(Generic[P, V]):  # noqa: N801 - a decorator
    """A function whose results are kept in the shared cache, by its arguments; they must be hashable."""

    def __init__(self, function: Callable[P, V]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._results = Kept[tuple[V]]()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """Return the result, computed only if it is not kept."""
        key = (args, tuple(sorted(kwargs.items()))) if kwargs else args
        found = self._results.get(key)
        if found is None:
            found = (self.__wrapped__(*args, **kwargs),)
            self._results.keep(key, found)
        return found[0]

    def peek(self, *args: P.args, **_kwargs: P.kwargs) -> V | None:
        """Return the result if it is kept: nothing is computed."""
        found = self._results.get(args)
        return None if found is None else found[0]

    def cache_clear(self) -> None:
        """Drop all results."""
        self._results.clear()
