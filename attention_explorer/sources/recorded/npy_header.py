"""The header of an .npy file, read without evaluating anything.

`numpy.lib.format` lets Python parse the header, which warns about what it finds odd there and takes an unknown type for
whatever NumPy makes of its name. Here it has to be what NumPy writes: a dictionary of three plain entries (NEP 1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.errors import FileError

MAGIC = b"\x93NUMPY"
MOST_HEADER_BYTES = 2**16
"""What version 1 can have at most; an array of numbers needs 128."""
MOST_AXES = 32
MOST_BYTES = 2**62
"""Beyond this NumPy cannot count."""


class UnfitArrayError(FileError):
    """An array that is well formed but none that this program can use: the rest of its file may be."""


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """What an .npy file says of its array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    """As stored, with its order of bytes."""
    fortran_order: bool
    data_offset: int
    """Of the first byte after the header."""

    @property
    def nbytes(self) -> int:
        """Bytes that the array must have."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(where: str, read: Callable[[int, int], bytes]) -> NpyHeader:
    """Read the header of an .npy file.

    Parameters
    ----------
    where : str
        Which array of which file, for the message.
    read : callable
        Returns so many bytes (second) from an offset on (first), or raises a FileError.

    Returns
    -------
    NpyHeader

    Raises
    ------
    UnfitArrayError
        If it holds something else than real numbers, booleans or text.
    FileError
        If it is not a header of version 1, 2 or 3.
    """
    start = read(0, len(MAGIC) + 2)
    if not start.startswith(MAGIC):
        raise FileError(f"{where} does not begin as an .npy file does: it is damaged or something else. Save it again.")
    major, minor = start[-2], start[-1]
    if major not in (1, 2, 3) or minor:
        raise FileError(f"{where} is an .npy file of version {major}.{minor}, but 1 to 3 are known. Save it again.")
    width = 2 if major == 1 else 4
    length = int.from_bytes(read(len(start), width), "little")
    if length > MOST_HEADER_BYTES:
        raise FileError(f"{where} has a header of {length} bytes, but an array of numbers needs 128: it is damaged.")
    offset = len(start) + width + length
    header = read(len(start) + width, length).decode("utf-8" if major == 3 else "latin-1", "replace")
    return parsed_header(where, header, offset)


def parsed_header(where: str, header: str, offset: int) -> NpyHeader:
    """Return what the text of a header says, of an array that begins at ``offset``; errors as `read_header`."""
    descr, fortran_order, shape = _entries(where, header)
    dtype = _dtype(where, descr)
    if len(shape) > MOST_AXES or math.prod(max(1, n) for n in shape) * max(1, dtype.itemsize) > MOST_BYTES:
        raise FileError(f"{where} claims the shape {_short(shape)}: no array is that large. The file is damaged.")
    return NpyHeader(shape, dtype, fortran_order, offset)


_ENTRY = re.compile(
    r"""\s*['"](?P<key>descr|fortran_order|shape)['"]\s*:\s*"""
    r"""(?:(?P<quote>['"])(?P<text>[^'"\\]{0,64})(?P=quote)|(?P<truth>True|False)"""
    r"""|(?P<tuple>\((?:\s*\d{1,19}L?\s*,)*\s*(?:\d{1,19}L?\s*)?\))|(?P<record>\[[^{}\[\]]*\]))\s*(?P<next>,|(?=\}))"""
)
_KINDS = {"descr": ("text", "record"), "fortran_order": ("truth",), "shape": ("tuple",)}


def _entries(where: str, header: str) -> tuple[str, bool, tuple[int, ...]]:
    """Take the three entries out of the text of a header, in whatever order they stand."""
    found: dict[str, str] = {}
    text = header.strip()
    place = 1 if text.startswith("{") else len(text)
    while entry := _ENTRY.match(text, place):
        key = entry["key"]
        value = next((entry[kind] for kind in _KINDS[key] if entry[kind] is not None), None)
        if value is None or key in found:
            break
        found[key] = "records" if entry["record"] is not None and key == "descr" else value
        place = entry.end()
    if found.keys() != _KINDS.keys() or text[place:].strip() != "}":
        raise FileError(f"{where} has a header that does not say type, order and shape: it is damaged. Save it again.")
    shape = tuple(int(length) for length in re.findall(r"\d+", found["shape"]))
    return found["descr"], found["fortran_order"] == "True", shape


_NUMBERS = re.compile(r"[<>|=]?(?:f[248]|[iu][1248]|b1|\?)")
_TEXT = re.compile(r"[<>|=]?[US]\d{1,7}")
_IN_WORDS = {
    "c": "complex numbers: save their real parts",
    "f": "long doubles, which differ from machine to machine: save float64",
    "O": "Python objects, which only a program stored in the file could bring back; none is ever run here. Save an "
    "array of numbers, such as float32; for layers of different sizes one array a layer, attention_0, attention_1, …",
    "V": "records or raw bytes, as NumPy writes bfloat16: save float32",
    "r": "records: save an array of numbers, such as float32",
    "M": "dates: save numbers",
    "m": "time spans: save numbers",
}


def _dtype(where: str, descr: str) -> np.dtype[Any]:
    if _NUMBERS.fullmatch(descr) or _TEXT.fullmatch(descr):
        return np.dtype(descr)
    kind = descr.lstrip("<>|=")[:1]
    if kind in _IN_WORDS:
        raise UnfitArrayError(f"{where} holds {_IN_WORDS[kind]}.")
    raise FileError(f"{where} holds something of the unknown type {descr[:20]!r}: it is damaged. Save float32.")


def _short(shape: tuple[int, ...]) -> str:
    return str(shape) if len(shape) < 8 else f"of {len(shape)} axes"
