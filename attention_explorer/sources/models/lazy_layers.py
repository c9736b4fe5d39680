"""Layers that are read when they are run, and stay in memory as long as there is room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import overload

from attention_explorer.core.byte_cache import KnowsItsArrays, arrays_in
from attention_explorer.model.transformer import Layer

Fetch = Callable[[], Layer]


class LazyLayers(KnowsItsArrays, Sequence[Layer]):
    """The layers of a tower. All threads may ask.

    Parameters
    ----------
    fetchers : sequence of callable
        Each reads a layer; layers that share their weights share it.
    room : int
        Bytes of weights that may stay; layers beyond are read again whenever they are run.
    """

    def __init__(self, fetchers: Sequence[Fetch], room: int) -> None:
        self._fetchers, self._room = fetchers, room
        self._kept: dict[Fetch, Layer] = {}
        self._arrays: list[object] = []
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._fetchers)

    @overload
    def __getitem__(self, index: int) -> Layer: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Layer, ...]: ...

    def __getitem__(self, index: int | slice) -> Layer | tuple[Layer, ...]:
        """Return a layer, read now if it is not in memory."""
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        fetch = self._fetchers[index]
        with self._lock:
            if fetch in self._kept:
                return self._kept[fetch]
            layer = fetch()
            if layer.nbytes <= self._room:
                self._room -= layer.nbytes
                self._kept[fetch] = layer
                self._arrays += arrays_in(layer)
            return layer

    @property
    def arrays(self) -> Sequence[object]:
        """Those of the layers that stay."""
        return self._arrays
