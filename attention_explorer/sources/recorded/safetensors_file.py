"""The tensors of a .safetensors file: eight bytes, a header in JSON, and the numbers as they are.

The format is described at https://github.com/huggingface/safetensors: offsets count from the end of the header, and the
tensors lie one after the other without gaps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.recorded.array_file import ArrayFile
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_header import MOST_AXES, MOST_BYTES
from attention_explorer.sources.recorded.stored_array import PlainArray, StoredArray

MOST_HEADER_BYTES = 100_000_000
"""The limit of the format itself."""
_LENGTH = 8
_METADATA = "__metadata__"
_STORED = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_OTHERS = {"U16": 2, "U32": 4, "U64": 8, "C64": 8, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1}
"""Types that are in the format but not read here, and their bytes."""


def is_safetensors(start: bytes, size: int) -> bool:
    """Tell whether a file that begins so, and is so large, is a .safetensors file."""
    return len(start) > _LENGTH and start[_LENGTH] == ord("{") and _header_length(start) <= size - _LENGTH


def read_safetensors(file: FileBytes) -> ArrayFile:
    """List the tensors of a .safetensors file.

    Raises
    ------
    FileError
        If the header is damaged, or tensors overlap, leave gaps, or lie beyond the end of the file.
    """
    where = f"“{file.path.name}”"
    length = _header_length(file.read(0, min(_LENGTH, file.size)))
    if file.size < _LENGTH or length > min(file.size - _LENGTH, MOST_HEADER_BYTES):
        raise FileError(
            f"{where} claims a header of {length} bytes in a file of {file.size}: it is damaged, or was not written to "
            "its end, or is no .safetensors file."
        )
    header = _parsed(where, file.read(_LENGTH, length))
    texts = _texts(where, header.pop(_METADATA, {}))
    entries = {name: _Entry(where, name, value) for name, value in header.items()}
    _check_layout(where, list(entries.values()), file.size - _LENGTH - length)
    arrays: dict[str, StoredArray] = {}
    unfit: dict[str, str] = {}
    for name, entry in entries.items():
        if entry.type in _STORED:
            stored = np.dtype(_STORED[entry.type])
            offset = _LENGTH + length + entry.start
            arrays[name] = PlainArray(name, entry.shape, stored, file, offset, bfloat16=entry.type == "BF16")
        else:
            unfit[name] = f"{entry.where} holds numbers of type {entry.type}, {_advice(entry.type)}"
    return ArrayFile(file.path, arrays, texts, unfit)


def _advice(kind: str) -> str:
    if kind.startswith("F8"):
        return (
            "which is not read here: such numbers count only times scales that are stored beside them, so that saving "
            "them in another type alone would make them wrong. Look for the same model in BF16 or F32."
        )
    return "which is not read here: save it as F32."


def _header_length(start: bytes) -> int:
    return int.from_bytes(start[:_LENGTH], "little")


def _parsed(where: str, header: bytes) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise JsonTextError("a name stands there twice")
        return found

    try:
        parsed = json_from(header, unique)
    except JsonTextError as error:
        raise FileError(f"{where} has a header that cannot be read ({error}): it is damaged. Save it again.") from None
    if not isinstance(parsed, dict):
        raise FileError(f"{where} has a header that is no list of tensors: it is damaged. Save it again.")
    return parsed


class _Entry:
    """What a header says of one tensor."""

    def __init__(self, where: str, name: str, value: object) -> None:
        self.where = f"{quoted(name)} of {where}"
        entry = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        kind, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
        if not (isinstance(kind, str) and _are_counts(shape) and _are_counts(offsets)):
            raise FileError(f"{self.where} has no type, shape and offsets: the file is damaged. Save it again.")
        self.type, self.shape = kind, tuple(cast("list[int]", shape))
        size = np.dtype(_STORED[kind]).itemsize if kind in _STORED else _OTHERS.get(kind)
        if size is None:
            raise FileError(f"{self.where} is of the unknown type {quoted(kind)}: save it as F32.")
        count = math.prod(self.shape)
        if len(self.shape) > MOST_AXES or math.prod(max(1, n) for n in self.shape) * size > MOST_BYTES:
            raise FileError(f"{self.where} claims a shape that no array has: the file is damaged. Save it again.")
        pair = cast("list[int]", offsets)
        if len(pair) != 2 or pair[1] - pair[0] != count * size:
            raise FileError(
                f"{self.where} has the shape {list(self.shape)} and type {kind}, which takes {count * size} bytes, but "
                f"the offsets {pair[:3]}: the file is damaged. Save it again."
            )
        self.start, self.stop = pair


def _are_counts(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _check_layout(where: str, entries: list[_Entry], size: int) -> None:
    """Make sure that tensors lie one after the other, from the first byte to the last."""
    place, before = 0, ""
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.stop)):
        if entry.start < place:
            raise FileError(f"{entry.where} overlaps with {before}: the file is damaged. Save it again.")
        if entry.start > place:
            raise FileError(f"{where} has bytes before {entry.where} that belong to nothing: it is damaged.")
        place, before = entry.stop, entry.where
    if place != size:
        raise FileError(
            f"{where} should have {place} bytes of tensors, but has {size}: it is damaged or was not written to its "
            "end. Save it again."
        )


def _texts(where: str, metadata: object) -> dict[str, object]:
    """Return the texts of a header; those that are JSON themselves, as lists of tokens are, as what they stand for."""
    if not isinstance(metadata, Mapping) or not all(isinstance(text, str) for text in metadata.values()):
        raise FileError(f"{where} has metadata that is no list of texts: it is damaged. Save it again.")
    return {name: _unfolded(text) for name, text in metadata.items()}


def _unfolded(text: str) -> object:
    if not text.lstrip().startswith("["):
        return text
    try:
        listed = json_from(text)
    except JsonTextError:
        return text
    return tuple(listed) if isinstance(listed, list) and all(isinstance(item, str) for item in listed) else text
