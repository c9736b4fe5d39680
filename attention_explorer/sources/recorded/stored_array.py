"""Arrays that lie in a file: any part of one is read when it is asked for."""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.strided import read_part

Part = Sequence[slice | int]
"""What is wanted along the leading axes: one position each, whose axis is dropped, or a slice of step 1."""


class StoredArray(ABC):
    """An array in a file.

    ``array[rows]`` reads entries of the first axis: a position, a slice or integers in one axis.

    Attributes
    ----------
    name : str
        What the file calls it.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Of what is handed out, in this machine's order of bytes: float16 stays float16, bfloat16 becomes float32.
    precision : str
        The type it is stored in, as in “bfloat16”.
    """

    whole_at_once: ClassVar[bool] = False
    """Whether the first look at any part costs as much as all of it."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], precision: str = "") -> None:
        self.name, self.shape, self.dtype = name, shape, dtype
        self.called = name
        """What messages call it: its name, or that of a file which gives it none."""
        self.precision = precision or dtype.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.shape}, {self.precision})"

    @property
    def nearest_axis(self) -> int:
        """The axis along which entries lie side by side."""
        return len(self.shape) - 1

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is handed out."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    def __getitem__(self, rows: object) -> npt.NDArray[Any]:
        if isinstance(rows, slice):
            try:
                start, stop, step = rows.indices(len(self))
            except (TypeError, ValueError):
                raise ArrayError(f"{self.name} cannot be indexed by {rows}: give a slice of integers") from None
            return self.part((slice(start, max(start, stop)),)) if step == 1 else self[range(start, stop, step)]
        positions = np.asarray(rows)
        if positions.ndim == 0 and self.shape:
            return self.part((_position(self.name, rows, len(self)),))
        if positions.ndim != 1 or (positions.dtype.kind not in "iu" and positions.size) or not self.shape:
            raise ArrayError(f"{self.name} of shape {self.shape} is read by a position, a slice or a row of integers")
        runs = consecutive([_position(self.name, int(place), len(self)) for place in positions])
        return np.concatenate([self.part((run,)) for run in runs] or [self.part((slice(0, 0),))])

    def read(self) -> npt.NDArray[Any]:
        """Read all of it."""
        return self.part(())

    def part(self, part: Part) -> npt.NDArray[Any]:
        """Read a part.

        Parameters
        ----------
        part : sequence of int or slice
            One for each of the leading axes: a position from 0 on, whose axis is dropped, or a slice of step 1 within
            the axis. The other axes are read in full.

        Returns
        -------
        ndarray
            The caller's own.

        Raises
        ------
        FileError, FileAccessError
            If the file was changed since it was opened, is damaged there, or can no longer be read.
        """
        dropped = tuple(axis for axis, cut in enumerate(part) if not isinstance(cut, slice))
        return self._read(self._cuts(part)).squeeze(dropped)

    def part_into(self, part: Part, target: npt.NDArray[Any]) -> None:
        """Read a part, as `part` does, to an array of its shape and type, whose values are lost."""
        target[...] = self.part(part)

    def _cuts(self, part: Part) -> list[slice]:
        """Return one slice an axis."""
        cuts = [slice(cut.start, cut.stop) if isinstance(cut, slice) else slice(cut, cut + 1) for cut in part]
        return cuts + [slice(0, length) for length in self.shape[len(cuts) :]]

    @abstractmethod
    def _read(self, cuts: Sequence[slice]) -> npt.NDArray[Any]:
        """Read a part of as many axes, one slice an axis, in an array of its own."""


class PlainArray(StoredArray):
    """An array whose bytes lie in a file as they are.

    Parameters
    ----------
    name : str
        What the file calls it.
    shape : tuple of int
        Its shape.
    stored : numpy.dtype
        The type of its bytes; uint16 for bfloat16.
    file : FileBytes
        The file; that all bytes are within it has been checked.
    offset : int
        Of its first byte.
    fortran_order : bool
        Whether the first index runs fastest.
    bfloat16 : bool
        Whether the bytes are the upper halves of float32.
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        stored: np.dtype[Any],
        file: FileBytes,
        offset: int,
        *,
        fortran_order: bool = False,
        bfloat16: bool = False,
    ) -> None:
        handed_out = np.dtype(np.float32) if bfloat16 else stored.newbyteorder("=")
        super().__init__(name, shape, handed_out, "bfloat16" if bfloat16 else "")
        self._stored, self._file, self._offset = stored, file, offset
        self._fortran_order, self._bfloat16 = fortran_order, bfloat16

    @property
    def nearest_axis(self) -> int:
        """The axis along which entries lie side by side."""
        return 0 if self._fortran_order else len(self.shape) - 1

    def part_into(self, part: Part, target: npt.NDArray[Any]) -> None:
        """Read a part to where it is wanted, without room of its own if the file has it so."""
        is_so = target.dtype == self._stored and target.flags.c_contiguous
        if is_so and not (self._bfloat16 or self._fortran_order or self.dtype == np.bool_):
            read_part(self._file, self._offset, self._stored, self.shape, self._cuts(part), target)
        else:
            super().part_into(part, target)

    def _read(self, cuts: Sequence[slice]) -> npt.NDArray[Any]:
        turn = slice(None, None, -1 if self._fortran_order else 1)
        found = read_part(self._file, self._offset, self._stored, self.shape[turn], cuts[turn])
        found = found.T if self._fortran_order else found
        if self._bfloat16:
            return (found.astype(np.uint32) << 16).view(np.float32)
        if self.dtype == np.bool_:
            return as_truth(found)
        return found.astype(self.dtype, copy=False)


def as_truth(stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take stored booleans: any byte but 0 is true, also one that NumPy never writes."""
    return np.not_equal(stored.view(np.uint8), 0)


def consecutive(positions: Sequence[int] | npt.NDArray[np.integer[Any]]) -> list[slice]:
    """Split positions into runs of neighbours, each a slice."""
    places = np.asarray(positions, np.intp)
    runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1) if places.size else []
    return [slice(int(run[0]), int(run[-1]) + 1) for run in runs]


def _position(name: str, value: Any, length: int) -> int:  # noqa: ANN401 - whatever stood between the brackets
    try:
        place = operator.index(value)
    except TypeError:
        raise ArrayError(f"{name} cannot be indexed by {value!r:.80}: give integers") from None
    if not -length <= place < length:
        raise ArrayError(f"{name} has {length} entries along its first axis: there is none at {place}")
    return place % length
