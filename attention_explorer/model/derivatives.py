"""What every derivative that is pulled back through a part of a layer must be: of the right shape, and finite."""

from __future__ import annotations

import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite, finite_array


def derivative_by_output(
    d_output: npt.ArrayLike, output: Floats, name: str = "d_output", by: str = "the output"
) -> Floats:
    """Take a derivative by what a layer has put out.

    Parameters
    ----------
    d_output : array_like, (..., d_out)
        ∂L/∂output of any number L.
    output : ndarray, (..., d_out)
        What it was put out as.

    Returns
    -------
    ndarray, (..., d_out)
        float32 or float64.

    Raises
    ------
    ArrayError
        If the shape is not that of the output, or an entry is not finite.
    """
    derivative = finite_array(name, d_output, "...", "d_out")
    if derivative.shape != output.shape:
        raise ArrayError(f"{name} has shape {derivative.shape}, but must be that of {by}, {output.shape}")
    return derivative


def within_range(derivative: Floats) -> Floats:
    """Refuse a derivative that has left the range of its floats.

    Parameters
    ----------
    derivative : ndarray, any shape
        Computed without warnings.

    Returns
    -------
    ndarray
        The same.

    Raises
    ------
    ArrayError
        If an entry is not finite.
    """
    if not all_finite(derivative):
        raise ArrayError(
            f"the derivative leaves the range of {derivative.dtype}: make the weights smaller, or add a norm"
        )
    return derivative
