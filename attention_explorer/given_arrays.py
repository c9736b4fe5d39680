"""Arrays as people have them, of NumPy, torch or JAX, one or a list of layers: without importing any of those."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError

Array = npt.NDArray[Any]


def as_layers(name: str, given: object) -> tuple[tuple[Array, ...], bool]:
    """Take one array, or one for each layer, as models return them.

    Parameters
    ----------
    name : str
        The argument's name, for the message.
    given : array_like, or tuple or list of array_like
        NumPy arrays, memory maps, and what has ``__array__`` or ``__dlpack__``: tensors of torch and JAX on any device,
        with or without gradients.

    Returns
    -------
    tuple of ndarray, bool
        The arrays, and whether there is one for each layer.

    Raises
    ------
    ArrayError
        If one is no array, a layer is missing, or it does not hold real numbers.
    """
    if isinstance(given, tuple | list) and not given:
        raise ArrayError(f"{name} is empty: give an array, or one for each layer")
    is_list = isinstance(given, tuple | list) and any(_is_array(each) for each in given)
    if not is_list:
        return (as_array(name, given),), False
    layers = list(given)  # type: ignore[call-overload] # a tuple or a list
    return tuple(as_array(f"{name}[{place}]", layer) for place, layer in enumerate(layers)), True


def as_array(name: str, given: object) -> Array:
    """Take an array of real numbers or booleans; bfloat16 becomes float32, which holds it exactly.

    Raises
    ------
    ArrayError
        If it is none.
    """
    if given is None:
        raise ArrayError(f'{name} is None: with transformers, load the model with attn_implementation="eager"')
    if isinstance(given, str | bytes | os.PathLike):
        raise ArrayError(f"{name} is text or a path: a file is opened by attention_explorer.load(path)")
    if isinstance(given, Mapping):
        raise ArrayError(f"{name} is a {type(given).__name__}, but must be an array, or one for each layer")
    array = _from_tensor(given) if hasattr(given, "detach") else _from_any(name, given)
    if array.dtype.name == "bfloat16":  # of the package ml_dtypes, which JAX uses
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise ArrayError(f"{name} holds {array.dtype}, but must hold real numbers")
    return array


def _is_array(given: object) -> bool:
    return given is None or any(hasattr(given, name) for name in ("detach", "__dlpack__", "__array__"))


def _from_tensor(tensor: Any) -> Array:  # noqa: ANN401 - of torch, which is not imported
    plain = tensor.detach().cpu()
    if str(plain.dtype).endswith("bfloat16"):
        plain = plain.float()
    return np.asarray(plain.numpy())


def _from_any(name: str, given: Any) -> Array:  # noqa: ANN401 - whatever people have
    try:
        if isinstance(given, np.ndarray) or hasattr(given, "__array__"):
            return np.asarray(given)
        if hasattr(given, "__dlpack__"):
            return np.from_dlpack(given)
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArrayError(f"{name} cannot be taken as an array: {error}") from None
