"""Checking single numbers: sizes, scales and the temperature."""

from __future__ import annotations

import math
import numbers
import operator
from typing import SupportsIndex

import numpy as np

from attention_explorer.errors import ArrayError

LARGEST_SEED = 2**32 - 1
"""Of NumPy's legacy random numbers."""


def finite_number(name: str, value: object) -> float:
    """Take one finite real number as a Python float, which leaves float32 arrays float32.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : float
        A Python or NumPy real number; booleans are refused.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ArrayError
        If it is no real number, NaN or infinite.
    """
    if type(value) is not bool and isinstance(value, numbers.Real):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond the float range
            number = math.inf
        if math.isfinite(number):
            return number
    raise ArrayError(f"{name} must be one finite number, not {value!r}")


def positive_temperature(value: object) -> float:
    """Take a softmax temperature.

    Parameters
    ----------
    value : float
        A finite number above 0.

    Returns
    -------
    float
        The temperature.

    Raises
    ------
    ArrayError
        If it is not a finite number above 0.
    """
    try:
        temperature = finite_number("temperature", value)
    except ArrayError:
        temperature = 0.0
    if temperature > 0.0:
        return temperature
    raise ArrayError(
        f"temperature must be a finite number above 0, not {value!r}; "
        "for the limit of temperature 0 use hard=True/hard_weights"
    )


def flag(name: str, value: object) -> bool:
    """Take a switch.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : bool
        Of Python or NumPy.

    Returns
    -------
    bool
        The switch.

    Raises
    ------
    ArrayError
        If it is anything else: text such as "no" would count as True.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ArrayError(f"{name} must be True or False, not {value!r:.80}")


def size(name: str, value: SupportsIndex) -> int:
    """Take a number of things.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : int
        A Python or NumPy integer of at least 0; booleans are refused.

    Returns
    -------
    int
        The size.

    Raises
    ------
    ArrayError
        If it is no integer, or negative.
    """
    try:
        count = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = -1
    if count < 0:
        raise ArrayError(f"{name} must be an integer of at least 0, not {value!r}")
    return count


def outside_range(number: float, dtype: np.dtype[np.floating]) -> bool:
    """Tell whether a number would lose its value as this dtype, as 1e-60 does as float32.

    Parameters
    ----------
    number : float
        Any finite number.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    bool
        True for a magnitude above the largest float, or below the smallest with full precision; 0 is fine.
    """
    limits = np.finfo(dtype)
    return number != 0.0 and not float(limits.tiny) <= abs(number) <= float(limits.max)


def random_seed(value: SupportsIndex) -> int:
    """Take a seed of random numbers.

    Parameters
    ----------
    value : int
        0 to 2³² − 1.

    Returns
    -------
    int
        The seed.

    Raises
    ------
    ArrayError
        If it is no integer in that range.
    """
    seed = size("seed", value)
    if seed > LARGEST_SEED:
        raise ArrayError(f"seed must be at most {LARGEST_SEED}, not {seed}")
    return seed


def size_from(least: int, name: str, value: SupportsIndex) -> int:
    """Take a number of things of which there must be some.

    Parameters
    ----------
    least : int
        The smallest number allowed.
    name : str
        The argument's name, for the message.
    value : int
        A Python or NumPy integer.

    Returns
    -------
    int
        The size.

    Raises
    ------
    ArrayError
        If it is no integer, or below `least`.
    """
    count = size(name, value)
    if count < least:
        raise ArrayError(f"{name} must be at least {least}, not {count}")
    return count
