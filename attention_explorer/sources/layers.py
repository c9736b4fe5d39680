"""Layers that are made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import overload

from attention_explorer.sources.layer import Layer


class Layers(Sequence[Layer]):
    """The layers of a model, each made when it is first looked at. All threads may ask.

    Parameters
    ----------
    count : int
        How many there are.
    make : callable
        Makes a layer of its number, from 0. It is given these layers too, to look at others of them: if it held them
        itself, they and it would keep each other, and Python frees such a circle only now and then.
    made_from : object
        Arrays that ``make`` holds for as long as the layers live, so that the cache counts them.
    """

    def __init__(self, count: int, make: Callable[[Sequence[Layer], int], Layer], made_from: object = None) -> None:
        self._count, self._make, self._made_from = count, make, made_from
        self._made: dict[int, Layer] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Layer: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Layer, ...]: ...

    def __getitem__(self, index: int | slice) -> Layer | tuple[Layer, ...]:
        """Return a layer, made now if it was not made before; of a slice, all of its layers."""
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        place = range(len(self))[index]
        if place not in self._made:  # nobody who looks at one that is waits for another that is being made
            with self._lock:
                if place not in self._made:
                    self._made[place] = self._make(self, place)
        return self._made[place]

    @property
    def run(self) -> int:
        """How many layers were made."""
        return len(self._made)
