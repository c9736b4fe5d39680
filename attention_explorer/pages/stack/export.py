"""The numbers of a picture of layers as files, with the settings they were made with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain

import numpy as np

from attention_explorer.core.numbers_export import Arrays, Numbers, Table, numbers_of, rows_of
from attention_explorer.pages.stack.state import BlockPicture, BlockState


def stack_numbers(state: BlockState, what: str, arrays: Arrays) -> Numbers:
    """Return the arrays of a picture, the main one first; the table has a line a number; ``what`` says what it shows.

    Raises
    ------
    ExportError
        There is nothing to export.
    """
    settings = {name: value for name, value in asdict(state).items() if name not in _left_out(state)}
    said: dict[str, object] = {"what": what, "picture": state.picture.value, "settings": settings}
    if state.picture is BlockPicture.LAYER:
        said["axes"] = "batch, token, feature; with heads: batch, head, query, key or feature; −∞ is masked"
    return numbers_of(arrays, said, _table)


_OF_A_DRAW = frozenset({"initialiser", "gain", "embedding_scale"})
"""What decides the numbers of layers that are drawn, and nothing of those that were learned."""


def _left_out(state: BlockState) -> frozenset[str]:
    return frozenset({"preset", "learned"}) if state.learned is None else _OF_A_DRAW | {"preset"}


def _table(arrays: Arrays) -> Table:
    """Return a row a number: the array, the place along its axes, and the number with every digit."""
    axes = max(array.ndim for array in arrays.values())

    def rows() -> Iterator[tuple[object, ...]]:
        for name, array in arrays.items():
            numbers = chain.from_iterable(rows_of(array))
            for place, number in zip(np.ndindex(*array.shape), numbers, strict=True):
                yield name, *place, *[""] * (axes - array.ndim), number

    header = ("array", *(f"axis {axis}" for axis in range(axes)), "value")
    return Table(header, rows, sum(array.size for array in arrays.values()))
