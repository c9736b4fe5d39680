"""All learned numbers of a model in one row: an optimiser moves the row, and the parts of the model are views of it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats


class Parameters:
    """Named arrays that lie one behind the other in one vector.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The numbers to begin with, which are copied.
    dtype : dtype
        float32 or float64.

    Attributes
    ----------
    vector : ndarray, (count,)
        All of them. Whoever writes into it changes the arrays, and so every part of a model that was made of them:
        the layers keep what they are given, without a copy.
    """

    def __init__(self, arrays: Mapping[str, Floats], dtype: type[np.floating] = np.float32) -> None:
        self.vector: Floats = np.empty(sum(array.size for array in arrays.values()), dtype)
        self._shapes = {name: array.shape for name, array in arrays.items()}
        self._views = self.parts(self.vector)
        for name, array in arrays.items():
            self._views[name][...] = array

    def __getitem__(self, name: str) -> Floats:
        """Return an array by its name."""
        return self._views[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is an array of this name."""
        return name in self._views

    @property
    def arrays(self) -> dict[str, Floats]:
        """All arrays by name, in the order of the vector."""
        return dict(self._views)

    def under(self, prefix: str) -> dict[str, Floats]:
        """Return the arrays whose names begin with a prefix, without it."""
        return under(prefix, self._views)

    def parts(self, row: Floats) -> dict[str, Floats]:
        """Return the parts of a row of as many numbers that lie where the arrays lie, as views of their shapes."""
        views, start = dict[str, Floats](), 0
        for name, shape in self._shapes.items():
            size = math.prod(shape)
            views[name] = row[start : start + size].reshape(shape)
            start += size
        return views

    def row(self, gradients: Mapping[str, Floats]) -> Floats:
        """Put gradients one behind the other, as the parameters lie.

        Parameters
        ----------
        gradients : mapping of str to ndarray
            One for each array, in any order.

        Returns
        -------
        ndarray, (count,)

        Raises
        ------
        ArrayError
            If a name is missing, or a shape is another.
        """
        for name, view in self._views.items():
            if name not in gradients or gradients[name].shape != view.shape:
                found = gradients[name].shape if name in gradients else "none"
                raise ArrayError(f"the gradient of {name} must have shape {view.shape}, but it is {found}")
        return np.concatenate([gradients[name].ravel() for name in self._views], dtype=self.vector.dtype)

    def copy(self) -> Parameters:
        """Return parameters of their own with the same names and numbers."""
        return Parameters(self._views, self.vector.dtype.type)


def under(prefix: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """Take the arrays whose names begin with a prefix.

    Parameters
    ----------
    prefix : str
        Such as "stack.0.".
    arrays : mapping of str to ndarray
        By name.

    Returns
    -------
    dict of str to ndarray
        By their names without the prefix.
    """
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
