"""Layers that are run when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import overload

from attention_explorer.model import MultiHeadAttention
from attention_explorer.sources.layer import Layer


class Layers(Sequence[Layer]):
    """The layers of a model, each run when it is first looked at, after those below it. All threads may ask.

    Parameters
    ----------
    first : Layer
        The lowest one.
    projections : sequence of MultiHeadAttention
        Those of each layer above it.
    make : callable
        Makes a layer of its projections and the layer below.
    """

    def __init__(
        self,
        first: Layer,
        projections: Sequence[MultiHeadAttention],
        make: Callable[[MultiHeadAttention, Layer], Layer],
    ) -> None:
        self._run, self._projections, self._make = [first], tuple(projections), make
        self._lock = RLock()

    def __len__(self) -> int:
        return 1 + len(self._projections)

    @overload
    def __getitem__(self, index: int) -> Layer: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Layer, ...]: ...

    def __getitem__(self, index: int | slice) -> Layer | tuple[Layer, ...]:
        """Return a layer, run now if it was not run before; of a slice, all of its layers."""
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        place = range(len(self))[index]
        if place < self.run:  # nobody who looks at such a layer waits for another that is being run
            return self._run[place]
        with self._lock:
            while self.run <= place:
                self._run.append(self._make(self._projections[self.run - 1], self._run[-1]))
        return self._run[place]

    @property
    def run(self) -> int:
        """How many layers were run, from the lowest."""
        return len(self._run)
