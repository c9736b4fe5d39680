"""The linear maps x @ W + b that every part of a layer is made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite, finite_array


def linear(name: str, x: Floats, weight_name: str, weight: Floats, bias: Floats | None) -> Floats:
    """Compute x @ weight + bias, finite or refused.

    Parameters
    ----------
    name, weight_name : str
        What the arguments are called, for the message.
    x : ndarray, (..., d_in)
        Finite numbers.
    weight : ndarray, (d_in, d_out)
        Finite numbers.
    bias : ndarray, (d_out,), or None
        Added to every row.

    Returns
    -------
    ndarray, (..., d_out)

    Raises
    ------
    ArrayError
        If the shapes do not fit, or the product leaves the float range.
    """
    if x.shape[-1] != weight.shape[0]:
        raise ArrayError(
            f"{name} has shape {x.shape} and {weight_name} {weight.shape}: the last axis of {name} must be as long as "
            f"{weight_name} has rows"
        )
    with np.errstate(all="ignore"):  # looked for below
        product = flat_product(x, weight)
        if bias is not None:
            product = np.add(product, bias, out=product if np.result_type(product, bias) == product.dtype else None)
    if not all_finite(product):
        raise ArrayError(f"{name} @ {weight_name} leaves the range of {product.dtype}: make the numbers smaller")
    return product


def flat_product(x: Floats, weight: Floats) -> Floats:
    """Compute x @ weight as one product for all sequences, which reads the weights once.

    Parameters
    ----------
    x : ndarray, (..., d_in)
        Any numbers.
    weight : ndarray, (d_in, d_out)
        Any numbers.

    Returns
    -------
    ndarray, (..., d_out)
        Of its own.
    """
    if not x.shape[-1]:
        return np.asarray(x @ weight)
    product: Floats = x.reshape(-1, x.shape[-1]) @ weight  # (rows, d_in) @ (d_in, d_out): (rows, d_out)
    return product.reshape(*x.shape[:-1], weight.shape[1])


def checked_bias(name: str, bias: npt.ArrayLike | None, weight_name: str, weight: Floats) -> Floats | None:
    """Take the bias of a linear map.

    Parameters
    ----------
    name, weight_name : str
        What bias and matrix are called, for the message.
    bias : array_like, (d_out,), or None
        Finite numbers.
    weight : ndarray, (d_in, d_out)
        The matrix it belongs to.

    Returns
    -------
    ndarray, (d_out,), or None
        Read-only.

    Raises
    ------
    ArrayError
        If the shape does not fit or an entry is not finite.
    """
    if bias is None:
        return None
    added = finite_array(name, bias, "n")
    if added.shape != weight.shape[1:]:
        raise ArrayError(f"{name} has shape {added.shape}, but {weight_name} has {weight.shape[1]} columns")
    return read_only(added)


def read_only(array: Floats) -> Floats:
    """Return a view of an array that cannot be written into.

    Parameters
    ----------
    array : ndarray, any shape
        Stays as it is.

    Returns
    -------
    ndarray
        The same numbers.
    """
    view = array.view()
    view.flags.writeable = False
    return view
