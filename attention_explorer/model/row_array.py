"""Numbers that lie elsewhere, of which rows can be had."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.model.map_selection import Selection


class RowArray(ABC):
    """A table that is not in memory, such as one head in a file."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows, columns."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Of the rows that are handed out."""

    @abstractmethod
    def __getitem__(self, rows: Selection) -> npt.NDArray[Any]:
        """Return some rows, (rows, columns): a checked selection of them, in an array of the caller's own."""

    def read(self) -> npt.NDArray[Any]:
        """Return all rows."""
        return self[slice(0, self.shape[0])]

    def read_into(self, rows: Selection, target: npt.NDArray[Any]) -> None:
        """Copy some rows to an array of their shape and type, (rows, columns), whose values are lost."""
        target[...] = self[rows]
