"""One array in an .npy file."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import FileError
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_header import (
    MAGIC,
    NpyHeader,
    UnfitArrayError,
    parsed_header,
    read_header,
)
from attention_explorer.sources.recorded.stored_array import PlainArray

MOST_TEXTS, MOST_TEXT_BYTES = 2**18, 2**24
"""Of an array of text, which is read at once."""


def is_npy(start: bytes) -> bool:
    """Tell whether a file that begins so is an .npy file."""
    return start.startswith(MAGIC)


def read_npy(file: FileBytes, name: str) -> PlainArray:
    """Open the array of an .npy file.

    Raises
    ------
    FileError
        If the file is damaged, has not as many bytes as its header says, or holds no numbers.
    """
    where = f"“{file.path.name}”"
    header = read_header(where, file.read)
    check_size(where, header, file.size)
    if header.dtype.kind in "US":
        raise UnfitArrayError(f"{where} holds text: choose a file of numbers, the weights.")
    array = plain_array(name, header, file, 0)
    array.called = file.path.name
    return array


def read_bare(file: FileBytes, name: str, header: str, offset: int) -> PlainArray:
    """Return an array that lies in any file, as the text of a header says that stands beside it.

    Raises
    ------
    FileError
        If the header is none, or the file has no room for the array.
    """
    where = f"“{file.path.name}”"
    said = parsed_header(where, header, offset)
    if said.dtype.kind in "US" or offset + said.nbytes > file.size:
        raise FileError(f"{where} should hold numbers of shape {said.shape} from byte {offset} on, and does not.")
    array = plain_array(name, said, file, 0)
    array.called = file.path.name
    return array


def check_size(where: str, header: NpyHeader, size: int) -> None:
    """Make sure that there are as many bytes as a header says.

    Raises
    ------
    FileError
        If there are fewer or more.
    """
    there = size - header.data_offset
    if there != header.nbytes:
        raise FileError(
            f"{where} should hold numbers of shape {header.shape} and type {header.dtype.name}, which takes "
            f"{header.nbytes} bytes, but has {max(0, there)}: it is damaged or was not written to its end."
        )


def plain_array(name: str, header: NpyHeader, file: FileBytes, start: int) -> PlainArray:
    """Return the array whose .npy file begins at some byte of a file."""
    offset = start + header.data_offset
    return PlainArray(name, header.shape, header.dtype, file, offset, fortran_order=header.fortran_order)


def texts_of(where: str, array: npt.NDArray[Any]) -> str | tuple[str, ...]:
    """Return an array of text as a text, or, if it has one axis, as a tuple of them.

    Raises
    ------
    UnfitArrayError
        If it has more axes, or is no text that Unicode knows.
    """
    if array.ndim > 1:
        raise UnfitArrayError(f"{where} holds text in {array.ndim} axes: give one row of tokens.")
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        codes = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
        if codes.max() > 0x10FFFF:
            raise UnfitArrayError(f"{where} holds characters that there are not: it is damaged. Save it again.")
    try:
        items = [item if isinstance(item, str) else item.decode() for item in array.reshape(-1).tolist()]
    except UnicodeDecodeError:
        raise UnfitArrayError(f"{where} holds bytes that are no UTF-8: save text, as in np.array(tokens).") from None
    return tuple(items) if array.ndim else items[0]
