"""One head of an array in a file: a table of which rows are read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.core.byte_cache import Kept
from attention_explorer.model import RowArray
from attention_explorer.model.map_selection import Selection
from attention_explorer.sources.recorded.stored_array import StoredArray, consecutive

_BAND_BYTES = 2**25
"""Of the rows that are read together where each is scattered over the file."""


class HeadArray(RowArray):
    """Two axes of an array in a file, the others at one place each.

    Parameters
    ----------
    array : StoredArray
        The array.
    places : mapping of int to int
        The place along each of the other axes.
    row_axis, column_axis : int
        The axes of the table.
    """

    def __init__(self, array: StoredArray, places: Mapping[int, int], row_axis: int, column_axis: int) -> None:
        self._array, self._places = array, places
        self._row_axis, self._column_axis = row_axis, column_axis
        self._key = object()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""
        return self._array.shape[self._row_axis], self._array.shape[self._column_axis]

    @property
    def dtype(self) -> np.dtype[Any]:
        """As the file has it; bfloat16 is float32."""
        return self._array.dtype

    def __getitem__(self, rows: Selection) -> npt.NDArray[Any]:
        """Read rows, (rows, columns)."""
        if isinstance(rows, slice):
            runs = [slice(*rows.indices(self.shape[0])[:2])]
        else:
            runs = consecutive(rows) or [slice(0, 0)]
        parts = [self._run(run) for run in runs]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def read_into(self, rows: Selection, target: npt.NDArray[Any]) -> None:
        """Read rows to where they are wanted, without room of their own if they lie side by side."""
        lies_so = self._row_axis < self._column_axis == self._array.nearest_axis
        if lies_so and isinstance(rows, slice):
            cuts = self._cuts(slice(*rows.indices(self.shape[0])[:2]))
            self._array.part_into(cuts, target)
        else:
            super().read_into(rows, target)

    def read(self) -> npt.NDArray[Any]:
        """Read all rows."""
        return self._cut(slice(0, self.shape[0]))

    def _run(self, rows: slice) -> npt.NDArray[Any]:
        if self._array.nearest_axis != self._row_axis or self._array.whole_at_once:
            return self._cut(rows)
        # A row is scattered over the whole file, and its neighbours lie beside it: they are read together and kept.
        band = max(1, _BAND_BYTES // max(1, self.shape[1] * self.dtype.itemsize))
        found = np.empty((rows.stop - rows.start, self.shape[1]), self.dtype)
        for number in range(rows.start // band, -(-rows.stop // band)):
            start, stop = max(rows.start, number * band), min(rows.stop, (number + 1) * band)
            kept = self._band(number, band)
            found[start - rows.start : stop - rows.start] = kept[start - number * band : stop - number * band]
        return found

    def _band(self, number: int, rows: int) -> npt.NDArray[Any]:
        found = _BANDS.get((self._key, number))
        if found is None:
            found = self._cut(slice(number * rows, min((number + 1) * rows, self.shape[0])))
            _BANDS.keep((self._key, number), found)
        return found

    def _cut(self, rows: slice) -> npt.NDArray[Any]:
        part = self._array.part(self._cuts(rows))
        return np.ascontiguousarray(part if self._row_axis < self._column_axis else part.T)

    def _cuts(self, rows: slice) -> list[slice | int]:
        whole = slice(0, self.shape[1])
        cuts: dict[int, slice | int] = {**self._places, self._row_axis: rows, self._column_axis: whole}
        return [cuts[axis] for axis in range(self._array.ndim)]


_BANDS: Kept[npt.NDArray[Any]] = Kept()
