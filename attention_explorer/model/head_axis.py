"""The axis of heads: where it comes from, where it goes, and how masks get it."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, finite_array
from attention_explorer.model.scalars import size

# So many numbers of heads are proposed at most.
_PROPOSED = 8


def split_heads(x: npt.ArrayLike, heads: SupportsIndex) -> Floats:
    """Give every head its columns.

    Parameters
    ----------
    x : array_like, (..., n, heads·d)
        Queries, keys or values of all heads side by side.
    heads : int
        Number of heads, at least 1.

    Returns
    -------
    ndarray, (..., heads, n, d)
        Head h holds the columns h·d to (h + 1)·d; a view where possible.

    Raises
    ------
    ArrayError
        If the heads cannot share the width equally.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.2, read from right to left.
    """
    joined = finite_array("x", x, "...", "n", "heads·d")
    count = size("heads", heads)
    check_width("d_model", joined.shape[-1], count)
    return apart(joined, count)


def merge_heads(x: npt.ArrayLike) -> Floats:
    """Put the heads side by side again: the inverse of `split_heads`, bit by bit.

    Parameters
    ----------
    x : array_like, (..., heads, n, d)
        One matrix a head.

    Returns
    -------
    ndarray, (..., n, heads·d)

    Raises
    ------
    ArrayError
        If there are fewer than three axes or an entry is not finite.

    Notes
    -----
    Concat in Vaswani et al. 2017, section 3.2.2.
    """
    return side_by_side(finite_array("x", x, "...", "heads", "n", "d"))


def apart(joined: Floats, heads: int) -> Floats:
    """Compute `split_heads` of checked arguments.

    Parameters
    ----------
    joined : ndarray, (..., n, heads·d)
        Whose width the heads can share.
    heads : int
        At least 1.

    Returns
    -------
    ndarray, (..., heads, n, d)
    """
    return joined.reshape(*joined.shape[:-1], heads, joined.shape[-1] // heads).swapaxes(-3, -2)


def side_by_side(heads: Floats) -> Floats:
    """Compute `merge_heads` of checked arguments.

    Parameters
    ----------
    heads : ndarray, (..., heads, n, d)
        One matrix a head.

    Returns
    -------
    ndarray, (..., n, heads·d)
    """
    *batch, count, n, d = heads.shape
    return heads.swapaxes(-3, -2).reshape(*batch, n, count * d)


def check_width(name: str, width: int, heads: int) -> None:
    """Refuse a width that the heads cannot share equally, and say which numbers of heads could.

    Parameters
    ----------
    name : str
        What the width is called, for the message.
    width : int
        Columns to share.
    heads : int
        How many share them.

    Raises
    ------
    ArrayError
        If a rest is left, or there is no head.
    """
    if heads and width % heads == 0:
        return
    divisors = [count for count in range(1, width + 1) if width % count == 0]
    nearest = sorted(sorted(divisors, key=lambda count: abs(count - heads))[:_PROPOSED])
    *others, last = map(str, nearest or [1])
    proposed = f"{', '.join(others)} or {last}" if others else last
    raise ArrayError(
        f"{name} = {width} cannot be shared equally by {heads} heads: choose a number of heads that divides "
        f"{width}, such as {proposed}"
    )


def for_heads(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> Floats | Bools:
    """Give a mask or bias of a batch its axis of heads.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    array : ndarray
        (n_q, n_k), (batch…, n_q, n_k) if there is a batch, or as many axes as the scores; each as long as
        theirs or 1. (1, heads, n_q, n_k) is one for each head whatever the batch.
    shape : tuple of int
        The shape of the scores, (batch…, heads, n_q, n_k).

    Returns
    -------
    ndarray
        A view that `scaled_dot_product_attention` takes.

    Raises
    ------
    ArrayError
        If the shape is none of these, or a bias may be meant for each head as well as for each sequence.
    """
    aligned = _with_heads(name, array, shape)
    wanted = shape[-2:] if array.ndim == 2 else shape
    if aligned.ndim == len(wanted) and all(own in (1, n) for own, n in zip(aligned.shape, wanted, strict=True)):
        return aligned
    heads_left_out = f", (batch…, n_q, n_k) = {shape[:-3] + shape[-2:]}" if len(shape) > 3 else ""
    raise ArrayError(
        f"{name} has shape {array.shape}, but the scores have shape {shape}: it must be (n_q, n_k) = {shape[-2:]}"
        f"{heads_left_out} or have as many axes as the scores, each as long as theirs or 1"
    )


def _with_heads(name: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Give an array the axes of the scores."""
    of_heads = array.ndim > 3 and set(array.shape[:-3]) == {1}  # (1, heads, n_q, n_k)
    each_head = (1,) * (len(shape) - 3) + array.shape[-3:]
    if len(shape) == 3 or array.ndim != len(shape) - 1:
        return array.reshape(each_head) if of_heads else array
    heads, sequences = shape[-3], shape[-4]
    if of_heads and array.shape[-3] == heads != sequences:
        return array.reshape(each_head)
    if name == "bias" and array.shape[-3] == heads == sequences != 1:
        raise ArrayError(
            f"bias has shape {array.shape} and the scores {shape}, with as many heads as sequences: write bias[None] "
            "for one for each head, or bias[..., None, :, :] for one for each sequence"
        )
    return array[..., None, :, :]
