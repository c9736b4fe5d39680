"""Checking arrays at the door, so that the arithmetic behind it can be read without checks.

Every message names the argument and its shape.
"""

from __future__ import annotations

import operator
import sys
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.half import widened

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]

# float16 holds nothing above 65504 and three digits: too little to sum exponentials in.
_COMPUTED_AS: dict[type[np.generic], type[np.floating[Any]]] = {
    np.float64: np.float64,
    np.float32: np.float32,
    np.float16: np.float32,
}
# Entries from which a sum is the cheaper look at an array.
_LARGE = 2**20
_IN_WORDS = {
    "c": "complex numbers",
    "f": "long doubles",
    "O": "Python objects",
    "U": "text",
    "S": "bytes",
    "M": "dates",
    "m": "time spans",
    "V": "records",
}


def real_array(name: str, value: npt.ArrayLike) -> Floats:
    """Turn what was given into an array of float32 or float64.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like
        Any shape. Integers and booleans become float64, float16 becomes float32.

    Returns
    -------
    ndarray
        The same shape; not copied when the type already fits.

    Raises
    ------
    ArrayError
        If the rows differ in length or the entries are not real numbers.
    """
    array = whole_array(name, value, "an array of numbers")
    dtype = _COMPUTED_AS.get(array.dtype.type)
    if dtype is None:
        if array.dtype.kind not in "biu":
            held = _IN_WORDS.get(array.dtype.kind, "no numbers")
            raise ArrayError(
                f"{name} of shape {array.shape} holds {held} (dtype {array.dtype}); give float32 or float64"
            )
        dtype = np.float64
    return widened(array) if array.dtype.type is np.float16 else array.astype(dtype, copy=False)


def whole_array(name: str, value: object, kind: str) -> npt.NDArray[Any]:
    """Turn what was given into an array of any type.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like
        Any shape.
    kind : str
        What is wanted, for the message.

    Returns
    -------
    ndarray
        Not copied if it is one.

    Raises
    ------
    ArrayError
        If the rows differ in length, or it is a masked array: NumPy would take the hidden entries for numbers.
    """
    # Asking for np.ma loads it, which takes a moment at the start; whoever has a masked array has loaded it.
    if type(value) is not np.ndarray and "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
        raise ArrayError(
            f"{name} of shape {value.shape} is a masked array, whose hidden entries would count: fill them, as in "
            f"{name}.filled(0), and hide keys by a mask"
        )
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        raise ArrayError(f"{name} cannot be read as {kind}: do all rows have one length?") from None


def not_a_mask(name: str, value: npt.ArrayLike) -> npt.ArrayLike:
    """Refuse a mask in the place of an argument that stands beside it.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like
        Any shape.

    Returns
    -------
    array_like
        The same.

    Raises
    ------
    ArrayError
        If it is boolean: as numbers 0 and 1 it would give weights that are wrong without a word.
    """
    array = whole_array(name, value, "an array of numbers")
    if array.dtype == np.bool_:
        raise ArrayError(f"{name} of shape {array.shape} is boolean, as a mask is: give a mask by name, as mask=…")
    return value


def finite_array(name: str, value: npt.ArrayLike, *axes: str, hint: str = "") -> Floats:
    """Turn what was given into an array of finite numbers with the named axes.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like
        See `real_array` for the types.
    *axes : str
        The names of the axes, as in the shape comments; "..." in front stands for any number of axes.
    hint : str
        What to do about a wrong number of axes, if that can be said.

    Returns
    -------
    ndarray
        float32 or float64.

    Raises
    ------
    ArrayError
        If the number of axes is wrong or an entry is NaN or infinite.
    """
    array = real_array(name, value)
    missing = len(axes) - array.ndim
    if missing > 1 or (missing != 0 and axes[0] != "..."):
        expected = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
        raise ArrayError(f"{name} has shape {array.shape}, but must be {expected}{hint}")
    if not all_finite(array):
        _refuse_entry(name, array, np.isfinite(array))
    return array


def all_finite(array: Floats) -> bool:
    """Tell whether there is neither NaN nor ±inf in an array.

    Parameters
    ----------
    array : ndarray, any shape
        float32 or float64.

    Returns
    -------
    bool
    """
    if array.size >= _LARGE:
        # Finite only if all its terms are, and without an array of truth values, whose memory costs more than the sum.
        with np.errstate(all="ignore"):
            if np.isfinite(array.sum()):
                return True
    return bool(np.isfinite(array).all())


def one_of_each_row(array: Floats, places: npt.NDArray[np.integer[Any]]) -> Floats:
    """Take one entry of each row, without the index arrays that `numpy.take_along_axis` makes for every axis.

    Parameters
    ----------
    array : ndarray, (..., n)
        Any.
    places : ndarray of int, (...)
        Where in the row, from 0 to n − 1.

    Returns
    -------
    ndarray, (...)
    """
    flat = places.ravel() + np.arange(0, array.size, array.shape[-1])
    return array.reshape(-1).take(flat).reshape(places.shape)


def logit_array(name: str, value: npt.ArrayLike) -> Floats:
    """Turn what was given into an array that may hold −inf (hidden), but neither NaN nor +inf.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like
        At least one axis; see `real_array` for the types.

    Returns
    -------
    ndarray
        float32 or float64, the shape of `value`.

    Raises
    ------
    ArrayError
        If there is no axis, or an entry is NaN or +inf.
    """
    array = real_array(name, value)
    if array.ndim == 0:
        raise ArrayError(f"{name} has shape (): it needs at least one axis")
    if not array.max(initial=-np.inf) < np.inf:  # NaN compares false and survives max
        _refuse_entry(name, array, array < np.inf, " (-inf alone may stand for hidden)")
    return array


def axis_index(name: str, array: Floats, axis: int) -> int:
    """Count an axis from the front.

    Parameters
    ----------
    name : str
        The array's name, for the message.
    array : ndarray
        The array, any shape.
    axis : int
        As NumPy counts: −1 is the last.

    Returns
    -------
    int
        Between 0 and ``array.ndim − 1``.

    Raises
    ------
    ArrayError
        If the array has no such axis.
    """
    try:
        index = operator.index(axis)
    except TypeError:
        raise ArrayError(f"axis must be an integer, not {axis!r}") from None
    if not -array.ndim <= index < array.ndim:
        raise ArrayError(f"{name} of shape {array.shape} has no axis {axis}")
    return index % array.ndim


def match_scores(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    """Refuse a mask or bias that NumPy would broadcast onto an axis it was not meant for.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    array : ndarray
        (n_q, n_k), or as many axes as the scores; each as long as the scores' or 1.
    shape : tuple of int
        The shape of the scores, (..., n_q, n_k).

    Raises
    ------
    ArrayError
        If the shape is neither. NumPy aligns axes from the right, so a (batch, n, n) mask would land on the
        heads of (batch, heads, n, n) scores and, with as many heads as sequences, hide the wrong pairs
        unseen.
    """
    aligned = shape[-2:] if array.ndim == 2 else shape
    if array.ndim == len(aligned) and all(own in (1, n) for own, n in zip(array.shape, aligned, strict=True)):
        return
    between = 2 < array.ndim < len(shape)
    hint = f"; to share it between heads write {name}[:, None]" if between else ""
    raise ArrayError(
        f"{name} has shape {array.shape}, but the scores have shape {shape}: it must be (n_q, n_k) or have "
        f"as many axes as the scores, each as long as theirs or 1{hint}"
    )


def boolean_mask(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> Bools:
    """Take a mask for scores of a shape: boolean, True where a query may attend.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like of bool
        See `match_scores` for the shapes.
    shape : tuple of int
        The shape of the scores, (..., n_q, n_k).

    Returns
    -------
    ndarray of bool
        The mask, not broadcast.

    Raises
    ------
    ArrayError
        If the mask is not boolean (0 and 1 are refused: other programs read them either way round, or add
        them to the scores) or its shape does not fit.
    """
    mask = boolean_array(name, value)
    match_scores(name, mask, shape)
    return mask


def boolean_array(name: str, value: npt.ArrayLike) -> Bools:
    """Take an array of truth values.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    value : array_like of bool
        Any shape.

    Returns
    -------
    ndarray of bool
        The same shape, not copied.

    Raises
    ------
    ArrayError
        If the rows differ in length or the entries are not boolean.
    """
    mask = whole_array(name, value, "an array")
    if mask.dtype != np.bool_:
        raise ArrayError(
            f"{name} of shape {mask.shape} holds {mask.dtype}, but must be boolean, True where a query may "
            f"attend: convert it, as in {name} != 0, or pass numbers to add as bias"
        )
    return mask


def _refuse_entry(name: str, array: Floats, fine: Bools, note: str = "") -> None:
    """Say where the first entry that is not fine stands."""
    where = tuple(int(i) for i in np.argwhere(~fine)[0])
    raise ArrayError(f"{name} of shape {array.shape} holds {array[where]} at index {where}{note}")
