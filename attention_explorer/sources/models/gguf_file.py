"""The header of a .gguf file, as llama.cpp writes it: settings, the vocabulary, and where each tensor lies.

The format is described at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The package ``gguf`` reads it too,
but takes seconds for a vocabulary of ordinary size.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.models.quantised_array import BLOCKS, PLAIN, TYPE_NAMES, QuantisedArray
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.stored_array import PlainArray, StoredArray

MAGIC = b"GGUF"
ARCHITECTURE = "general.architecture"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_LEAST_ENTRY, _LEAST_TENSOR, _LEAST_TEXT = 13, 32, 8
"""Bytes that an entry, a tensor and a text take at least: no count is believed that the file has no room for."""
_MOST_AXES = 4
_AT_ONCE = 2**20
_ALIGNMENT, _FILE_TYPE, _VOCABULARY = "general.alignment", "general.file_type", "tokenizer."
_BITS = {0: 32.0, 1: 16.0, 32: 16.0, 2: 4.5, 3: 5.0, 7: 8.5, 8: 5.5, 9: 6.0, 14: 4.6, 15: 4.9, 16: 5.5, 18: 6.6}
"""Of a weight, by the number that llama.cpp gives to each way of storing a file (enum llama_ftype in llama.h)."""
_USUAL_BITS = 4.5


class GgufFile(NamedTuple):
    """What the header says."""

    values: dict[str, object]
    """Settings by name; lists are tuples of texts, or arrays of numbers."""
    arrays: dict[str, StoredArray]
    unfit: dict[str, str]
    """Why other tensors cannot be read."""


def is_gguf(file: FileBytes) -> bool:
    """Tell whether a file is one."""
    return file.size >= len(MAGIC) and file.read(0, len(MAGIC)) == MAGIC


def read_gguf(file: FileBytes) -> GgufFile:
    """Read the header; of the tensors nothing is read.

    Raises
    ------
    FileError
        If it is damaged, of another version, or says what the file has no room for.
    """
    reader = _begun(file)
    tensors = reader.count("tensors", _LEAST_TENSOR)
    entries = reader.count("settings", _LEAST_ENTRY)
    values: dict[str, object] = {}
    for _ in range(entries):
        name = reader.text()
        if name in values:
            raise reader.damaged(f"has {quoted(name)} twice")
        values[name] = reader.value(reader.number("I"))
    found = [_Entry(reader) for _ in range(tensors)]
    alignment = values.get(_ALIGNMENT, 32)
    if type(alignment) is not int or not 0 < alignment <= 2**16:
        raise reader.damaged(f"says {quoted(_ALIGNMENT)}: {alignment!r:.40}")
    start = math.ceil(reader.place / alignment) * alignment
    return GgufFile(values, *_placed(reader, file, found, start))


class GgufKind(NamedTuple):
    """What the start of a header says."""

    architecture: str
    bits: float
    """Of a weight, more or less."""


def read_kind(file: FileBytes) -> GgufKind:
    """Return what the header says before the vocabulary, which is long; as `read_gguf`."""
    reader = _begun(file)
    reader.count("tensors", _LEAST_TENSOR)
    values: dict[str, object] = {}
    for _ in range(reader.count("settings", _LEAST_ENTRY)):
        name = reader.text()
        if name.startswith(_VOCABULARY):
            break
        values[name] = reader.value(reader.number("I"))
    architecture, kind = values.get(ARCHITECTURE), values.get(_FILE_TYPE)
    if not isinstance(architecture, str):
        raise reader.damaged(f"does not say {quoted(ARCHITECTURE)}")
    return GgufKind(architecture, _BITS.get(kind, _USUAL_BITS) if isinstance(kind, int) else _USUAL_BITS)


def _begun(file: FileBytes) -> _Reader:
    reader = _Reader(file)
    version = int.from_bytes(reader.take(8)[4:], "little")
    if version not in _VERSIONS:
        raise FileError(
            f"{reader.where} is written in version {version} of the format, and versions 2 and 3 are read: convert the "
            "model again with a newer llama.cpp."
        )
    return reader


class _Reader:
    """Reads a header from its first byte on, and never beyond the end of the file."""

    def __init__(self, file: FileBytes) -> None:
        self._file, self.where = file, f"“{file.path.name}”"
        self._held, self._start, self._at = b"", 0, 0

    @property
    def place(self) -> int:
        """The number of the next byte."""
        return self._start + self._at

    def damaged(self, how: str) -> FileError:
        """Return that the file is damaged."""
        return FileError(
            f"{self.where} {how}: it is damaged, or was not written to its end. Copy or download it again."
        )

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if self._at + count > len(self._held):
            self._fetch(count)
        taken = self._held[self._at : self._at + count]
        self._at += count
        return taken

    def number(self, code: str) -> int:
        """Return the next whole number, of a type of `struct`."""
        found: int = struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]
        return found

    def count(self, what: str, least: int) -> int:
        """Return how many of something follow, if there is room for so many of the least size."""
        found = self.number("Q")
        if found * least > self._file.size - self.place:
            raise self.damaged(f"claims {found} {what}, more than it has bytes for")
        return found

    def text(self) -> str:
        """Return the next text."""
        return self.take(self.count("letters", 1)).decode("utf-8", "replace")

    def value(self, kind: int) -> object:
        """Return the next value of a type."""
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            return self._list(self.number("I"))
        code = self._code(kind)
        return struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]

    def _list(self, kind: int) -> object:
        if kind == _TEXT:
            return tuple(self.text() for _ in range(self.count("texts", _LEAST_TEXT)))
        code = self._code(kind)
        size = struct.calcsize(code)
        return np.frombuffer(self.take(size * self.count("numbers", size)), "<" + code)

    def _code(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise self.damaged(f"has a value of the unknown type {kind}")
        return _SCALARS[kind]

    def _fetch(self, count: int) -> None:
        left = self._held[self._at :]
        start = self.place + len(left)
        room = self._file.size - start
        if count - len(left) > room:
            raise self.damaged("ends in the middle of its header")
        self._held = left + self._file.read(start, min(room, max(_AT_ONCE, count - len(left))))
        self._start, self._at = self.place, 0


class _Entry:
    """What a header says of one tensor."""

    def __init__(self, reader: _Reader) -> None:
        self.name = reader.text()
        axes = reader.number("I")
        if not 1 <= axes <= _MOST_AXES:
            raise reader.damaged(f"gives {quoted(self.name)} {axes} axes")
        self.shape = tuple(reader.number("Q") for _ in range(axes))[::-1]  # the fastest axis stands first there
        self.kind, self.offset = reader.number("I"), reader.number("Q")


def _placed(
    reader: _Reader, file: FileBytes, entries: list[_Entry], start: int
) -> tuple[dict[str, StoredArray], dict[str, str]]:
    """Return the tensors where they lie, none of which may reach into another or beyond the file."""
    arrays: dict[str, StoredArray] = {}
    unfit: dict[str, str] = {}
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.offset):
        what = f"{quoted(entry.name)} of {reader.where}"
        if entry.name in arrays or entry.name in unfit:
            raise reader.damaged(f"has {quoted(entry.name)} twice")
        make = _maker(entry)
        if make is None:
            kind = TYPE_NAMES.get(entry.kind, f"of the number {entry.kind}")
            known = ", ".join(TYPE_NAMES[each] for each in (*PLAIN, *BLOCKS))
            unfit[entry.name] = f"{what} is stored in the type {kind}, which is not supported. Supported are {known}."
            continue
        block, size = BLOCKS.get(entry.kind, (1, 0))
        if entry.shape[-1] % block:
            raise reader.damaged(f"has rows of {entry.shape[-1]} numbers in {quoted(entry.name)}, in blocks of {block}")
        count = math.prod(entry.shape)
        nbytes = count // block * size if size else count * PLAIN[entry.kind].itemsize
        if not count or entry.offset < end or start + entry.offset + nbytes > file.size:
            raise reader.damaged(f"has no room for {quoted(entry.name)} where it says that it is")
        end = entry.offset + nbytes
        arrays[entry.name] = make(file, start + entry.offset)
    return arrays, unfit


def _maker(entry: _Entry) -> Callable[[FileBytes, int], StoredArray] | None:
    name, shape, kind = entry.name, entry.shape, entry.kind
    if kind in PLAIN:
        is_bfloat16 = TYPE_NAMES[kind] == "BF16"
        return lambda file, at: PlainArray(name, shape, PLAIN[kind], file, at, bfloat16=is_bfloat16)
    if kind in BLOCKS:
        return lambda file, at: QuantisedArray(name, shape, kind, file, at)
    return None
