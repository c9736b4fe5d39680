"""Arrays as people have them, of NumPy, torch or JAX, one or a list of layers: without importing any of those."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError

Array = npt.NDArray[Any]
_SAMPLE = 4096
"""Bytes."""

WITH_TRANSFORMERS = (
    '; transformers returns attentions from a model loaded with attn_implementation="eager" and called with '
    "output_attentions=True"
)


class Mapped(NamedTuple):
    """Where an array lies on a disk."""

    path: Path
    layout: str
    """Its type, order and shape, written as in the header of an .npy file."""
    offset: int
    """Of its first byte."""


def mapped(given: object) -> Mapped | None:
    """Return where an array lies on a disk if it is one whole piece of a file that is mapped into memory; else None."""
    root: Any = given
    while isinstance(root, np.memmap) and not isinstance(root.base, mmap.mmap):
        root = root.base
    if not (isinstance(given, np.memmap) and isinstance(root, np.memmap)) or root.filename is None or root.mode == "c":
        return None
    if not (given.size and (given.flags.c_contiguous or given.flags.f_contiguous)):
        return None
    root.flush()
    layout = {
        "descr": np.lib.format.dtype_to_descr(given.dtype),
        "fortran_order": not given.flags.c_contiguous,
        "shape": given.shape,
    }
    start = int(given.__array_interface__["data"][0]) - int(root.__array_interface__["data"][0])
    found = Mapped(Path(root.filename).absolute(), repr(layout), root.offset + start)
    return found if _still_there(given, found) else None


def _still_there(array: np.memmap[Any, Any], place: Mapped) -> bool:
    """Whether the file of that name is still the one that was mapped, as far as its first and last bytes tell."""
    raw = array.reshape(-1, order="A").view(np.uint8)
    try:
        with place.path.open("rb") as file:
            for start in (0, max(0, raw.size - _SAMPLE)):
                file.seek(place.offset + start)
                if file.read(min(_SAMPLE, raw.size)) != raw[start : start + _SAMPLE].tobytes():
                    return False
    except OSError:
        return False
    return True


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
        raise ArrayError(f"{name} is empty: give an array, or one for each layer{WITH_TRANSFORMERS}")
    is_list = isinstance(given, tuple | list) and any(_is_array(each) for each in given)
    if not is_list:
        return (as_array(name, given),), False
    layers = list(given)  # type: ignore[call-overload] # a tuple or a list
    return tuple(as_array(f"{name}[{place}]", layer) for place, layer in enumerate(layers)), True


def as_texts(name: str, given: Iterable[object]) -> list[str]:
    """Take tokens: texts, or the numbers that a tokenizer gives them, also as an array or a tensor of one sequence.

    Raises
    ------
    ArrayError
        If it holds several sequences.
    """
    shape = tuple(getattr(given, "shape", ()))
    if len(shape) > 1 and shape[:-1] != (1,):
        raise ArrayError(f"{name} has the shape {shape}: give the tokens of one sequence, one a query or key")
    rows: Any = [given] if len(shape) < 2 else given  # a tokenizer returns a batch of one
    return [str(each.item() if hasattr(each, "item") else each) for row in rows for each in row]


def without_mask(given: object) -> tuple[object, Array | None]:
    """Return an array with 0 where it is masked, as `numpy.ma` has it, and where it is not; else what was given."""
    if not isinstance(given, np.ma.MaskedArray):
        return given, None
    hidden = np.ma.getmaskarray(given)
    return given.filled(0), ~hidden if hidden.any() else None


def as_array(name: str, given: object) -> Array:
    """Take an array of real numbers or booleans; bfloat16 becomes float32, which holds it exactly.

    Raises
    ------
    ArrayError
        If it is none.
    """
    reason = _why_no_array(given)
    if reason:
        raise ArrayError(f"{name} is {reason}")
    try:
        array = _from_tensor(given) if hasattr(given, "detach") else _from_any(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArrayError(f"{name} cannot be taken as an array: {error}") from None
    if array.dtype.name == "bfloat16":  # of the package ml_dtypes, which JAX uses
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise ArrayError(f"{name} holds {array.dtype}, but must hold real numbers")
    return array


def _is_array(given: object) -> bool:
    return given is None or any(hasattr(given, name) for name in ("detach", "__dlpack__", "__array__"))


def _why_no_array(given: object) -> str:
    """Say what something is that people give in the place of an array, and what to give; empty if it may be one."""
    if given is None:
        return f"None{WITH_TRANSFORMERS}"
    if isinstance(given, str | bytes | os.PathLike):
        return "text or a path: a file is opened by attention_explorer.load(path)"
    if isinstance(given, Mapping):
        known = ", ".join(map(str, given))
        return f"a {type(given).__name__} of {known:.80}: give one of these, such as its attentions"
    if isinstance(given, np.ma.MaskedArray):
        return "a masked array, whose mask would be lost: give filled(0), and mask=, True where a query may attend"
    if isinstance(given, tuple | list) and any(_holds_tables(each) for each in given):
        return "a list of lists of arrays: give one of these lists, with an array for each layer"
    return ""


def _holds_tables(given: object) -> bool:
    """Whether there is an array with axes among the members of a list."""
    return isinstance(given, tuple | list) and any(len(getattr(each, "shape", ())) > 0 for each in given)


def _from_tensor(tensor: Any) -> Array:  # noqa: ANN401 - of torch, which is not imported
    plain = tensor.detach().cpu()
    if any(name in str(plain.dtype) for name in ("bfloat16", "float8")):  # which NumPy has not; float32 holds them
        plain = plain.float()
    return np.asarray(plain.numpy())


def _from_any(given: Any) -> Array:  # noqa: ANN401 - whatever people have
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        return np.from_dlpack(given)
    return np.asarray(given)
