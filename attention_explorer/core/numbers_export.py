"""What a picture shows, as numbers to take away. Nothing is computed or made into text before a file is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from attention_explorer import __version__
from attention_explorer.errors import ExportError

PARAMETERS = "parameters"
"""The name under which an archive of arrays holds what the arrays mean, as JSON."""

MOST_LINES = 50_000
"""A table with more numbers than this holds the main array only; the archives hold all."""
_ENTRIES = 2**16
"""How many entries of an array are made into Python's numbers at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class LargeArray:
    """An array that is computed a part at a time while it is written, and never held as a whole.

    Attributes
    ----------
    shape : tuple of int
        With two axes at least.
    dtype : dtype
        Of every part.
    parts : callable
        Begins anew at each call and yields the rows of the last axis in order, (rows, shape[-1]) at a time.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    parts: Callable[[], Iterable[npt.NDArray[Any]]]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=object))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return all of it, as `numpy.asarray` asks."""
        whole = np.concatenate([np.empty((0, self.shape[-1]), self.dtype), *self.parts()])
        return whole.reshape(self.shape).astype(self.dtype if dtype is None else dtype, copy=False)


AnyArray: TypeAlias = npt.NDArray[Any] | LargeArray
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table whose rows are made while it is written.

    Attributes
    ----------
    header : sequence
        The names of the columns.
    rows : callable
        Begins anew at each call and yields the rows, of numbers, texts, and None for an empty cell.
    count : int
        How many rows there are.
    """

    header: Sequence[object]
    rows: Callable[[], Iterable[Iterable[object]]]
    count: int

    @classmethod
    def of(cls, header: Sequence[object], rows: Sequence[Iterable[object]]) -> Table:
        """Return a table of rows that are there already."""
        return cls(header, lambda: rows, len(rows))

    @property
    def size(self) -> int:
        """How many cells it has, without the header."""
        return self.count * len(self.header)


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers behind one picture, with every digit.

    Attributes
    ----------
    table : Table
        What a CSV file holds.
    document : mapping of str to object
        What a JSON file holds: values that can be written as JSON, and arrays.
    arrays : mapping of str to array
        In the order of the archive, the main one first; numbers, booleans or text, never objects.
    parameters : mapping of str to object
        What the arrays mean and what made them: program, settings, axes, tokens. It can be written as JSON.
    indent : int or None
        Spaces for each level of the JSON document; None writes it on one line.

    Raises
    ------
    ExportError
        If there is no array, one holds Python objects, or one is called ``parameters``.
    """

    table: Table
    document: Mapping[str, object]
    arrays: Mapping[str, AnyArray]
    parameters: Mapping[str, object]
    indent: int | None = None

    def __post_init__(self) -> None:
        if not self.arrays:
            raise ExportError("There is no array to export. Give the main one at least.")
        for name, array in self.arrays.items():
            if name == PARAMETERS:
                raise ExportError(f"An array cannot be called “{name}”: that is where its settings go. Rename it.")
            if array.dtype.hasobject:
                raise ExportError(f"The array “{name}” holds Python objects. Give numbers, booleans or text.")

    @property
    def main(self) -> AnyArray:
        """The first array, which a file of a single array holds."""
        return next(iter(self.arrays.values()))


def rows_of(array: AnyArray) -> Iterator[list[Any]]:
    """Yield the rows of the last axis as lists; a single number is a row of one."""
    if isinstance(array, LargeArray):
        for part in array.parts():
            yield from part.tolist()
        return
    rows = np.reshape(array, (-1, array.shape[-1])) if array.size and array.ndim else array.reshape(-1, 1)
    each = max(1, _ENTRIES // rows.shape[1])
    for start in range(0, len(rows), each):
        yield from rows[start : start + each].tolist()


def numbers_of(arrays: Arrays, said: Mapping[str, object], table: Callable[[Arrays], Table] | None = None) -> Numbers:
    """Return arrays, the main one first, with what is said of them; the table has them all, if they are not too many.

    Raises
    ------
    ExportError
        There is nothing to export.
    """
    if not arrays:
        raise ExportError("There are no numbers to export yet. Wait for the picture.")
    shown, parameters = listed(arrays), {"program": f"Attention Explorer {__version__}", **said}
    if len(shown) < len(arrays):
        parameters["table"] = "CSV and JSON hold the first array alone; NPZ holds all"
    return Numbers((table or array_table)(shown), {**parameters, **shown}, arrays, parameters)


def listed(arrays: Arrays) -> Arrays:
    """Return the arrays that a table holds: all, or the main one if they are too many."""
    is_long = sum(array.size for array in arrays.values()) > MOST_LINES
    return dict([next(iter(arrays.items()))]) if is_long else arrays


def array_table(arrays: Mapping[str, npt.NDArray[Any]]) -> Table:
    """Return a table with a row a number: the array, its row and column, and the number with every digit.

    All axes before the last count as rows.
    """

    def rows() -> Iterator[tuple[object, ...]]:
        for name, array in arrays.items():
            lines = np.reshape(array, (-1, array.shape[-1] if array.ndim > 1 else 1))
            for row, line in enumerate(rows_of(lines)):
                for column, value in enumerate(line):
                    yield name, row, column, value

    return Table(("array", "row", "column", "value"), rows, sum(array.size for array in arrays.values()))


def places_table(arrays: Mapping[str, npt.NDArray[Any]]) -> Table:
    """Return a table with a row a number: the array, its place along all axes, and the number with every digit."""
    axes = max(array.ndim for array in arrays.values())

    def rows() -> Iterator[tuple[object, ...]]:
        for name, array in arrays.items():
            numbers = chain.from_iterable(rows_of(array))
            for place, number in zip(np.ndindex(*array.shape), numbers, strict=True):
                yield name, *place, *[""] * (axes - array.ndim), number

    header = ("array", *(f"axis {axis}" for axis in range(axes)), "value")
    return Table(header, rows, sum(array.size for array in arrays.values()))
