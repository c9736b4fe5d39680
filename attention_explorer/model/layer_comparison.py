"""Attention beside a recurrent network: work, the way from the first token to the last, and what is left of it."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.model_size import product_flops
from attention_explorer.model.scalars import finite_number, size_from


def recurrent_flops(tokens: SupportsIndex, d_model: SupportsIndex) -> int:
    """Count the operations of a simple recurrent layer, h_t = tanh(x_t W + h_{t−1} U).

    Parameters
    ----------
    tokens, d_model : int
        n and d, at least 1; the state has d numbers too.

    Returns
    -------
    int
        4 n d², in n steps that wait for one another.

    Raises
    ------
    ArrayError
        If a size is too small.

    Notes
    -----
    Vaswani et al. 2017, table 1: O(n d²), O(n) sequential operations.
    """
    n, d = size_from(1, "tokens", tokens), size_from(1, "d_model", d_model)
    return 2 * product_flops(n, d, d)


def recurrent_path(tokens: SupportsIndex) -> int:
    """Return through how many steps the first token reaches the last in a recurrent layer: n − 1.

    Parameters
    ----------
    tokens : int
        n, at least 1.

    Returns
    -------
    int
        n − 1, each through the one state.

    Raises
    ------
    ArrayError
        If the size is too small.

    Notes
    -----
    Vaswani et al. 2017, table 1, maximum path length: O(n).
    """
    return size_from(1, "tokens", tokens) - 1


def attention_path(tokens: SupportsIndex, window: SupportsIndex | None = None) -> int | None:
    """Return through how many layers of attention the first token reaches the last.

    Parameters
    ----------
    tokens : int
        n, at least 1.
    window : int, optional
        How many keys a query sees, itself included, at least 1; all if not given.

    Returns
    -------
    int or None
        1, and 0 if there is one token only; with a window ⌈(n − 1) / (window − 1)⌉, and None if it is 1.

    Raises
    ------
    ArrayError
        If a size is too small.

    Notes
    -----
    Vaswani et al. 2017, table 1: O(1), restricted to a neighbourhood of r O(n / r).
    """
    distance = size_from(1, "tokens", tokens) - 1
    reach = distance if window is None else size_from(1, "window", window) - 1
    if reach >= distance:
        return min(distance, 1)
    return None if reach == 0 else -(-distance // reach)


def recurrent_influence(decay: float, steps: npt.ArrayLike) -> Floats:
    """Say how much of a token is left in the state of a linear recurrence after some steps: ρᵗ.

    Parameters
    ----------
    decay : float
        ρ, the factor of every step, 0 to 1.
    steps : array_like, any shape
        t, at least 0.

    Returns
    -------
    ndarray, the shape of `steps`
        0 to 1. In attention every token is one step away, whatever t is.

    Raises
    ------
    ArrayError
        If the decay is outside 0 to 1, or a step is negative or not finite.
    """
    rho, times = finite_number("decay", decay), finite_array("steps", steps, "...")
    if not 0.0 <= rho <= 1.0:
        raise ArrayError(f"decay must lie between 0 and 1, not {decay!r}")
    if times.size and times.min() < 0.0:
        raise ArrayError(f"steps must be at least 0, not {times.min():g}")
    with np.errstate(under="ignore"):
        return np.asarray(np.power(rho, times))
