"""A compressed member of a zip archive: unpacked when it is first looked at, and never beyond what it may be."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attention_explorer.byte_cache import Kept
from attention_explorer.errors import FileError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_header import NpyHeader
from attention_explorer.sources.recorded.stored_array import StoredArray, as_truth

MOST_UNPACKED = 2**30
"""Bytes of one compressed array, which has to be unpacked as a whole."""
_MOST_RATIO = 1032
"""Deflate makes no more bytes than this of one (zlib's Technical Details)."""
_READ, _UNPACKED = 2**16, 2**20


@dataclass(frozen=True, slots=True)
class PackedBytes:
    """The bytes of a deflated member of an archive, which can only be had from the first one on."""

    where: str
    """Which array of which file, for messages."""
    file: FileBytes
    offset: int
    packed: int
    """Bytes in the file."""
    size: int
    """Bytes unpacked, by the word of the archive."""
    crc: int

    def check_size(self) -> None:
        """Refuse what is too large, or cannot be as large as the archive says, before anything is unpacked.

        Raises
        ------
        FileError
            If so.
        """
        if self.size > MOST_UNPACKED:
            raise FileError(
                f"{self.where} has {self.size / 2**30:.1f} GiB unpacked, and compressed arrays of more than 1 GiB are "
                "not opened: save it with np.savez or np.save, uncompressed, which is read where it lies."
            )
        if self.size > self.packed * _MOST_RATIO + _UNPACKED:
            raise FileError(
                f"{self.where} claims to unpack {self.packed} bytes into {self.size}, which cannot be: the file is "
                "damaged. Save it again."
            )

    def start(self, offset: int, count: int) -> bytes:
        """Return some bytes near the start; as `FileBytes.read`, for a header."""
        found = b""
        for chunk in self.chunks():
            found += chunk
            if len(found) >= offset + count:
                return found[offset : offset + count]
        raise self._damaged(f"ends after {len(found)} bytes")

    def chunks(self) -> Iterator[bytes]:
        """Unpack, some bytes at a time, and no more than there should be.

        Raises
        ------
        FileError
            If they cannot be unpacked, or there are more or others than the archive says; once all were asked for.
        """
        unpacker, done, crc, place = zlib.decompressobj(-zlib.MAX_WBITS), 0, 0, 0
        while not unpacker.eof:
            checkpoint()
            given = unpacker.unconsumed_tail
            if not given:
                count = min(_READ, self.packed - place)
                given, place = self.file.read(self.offset + place, count), place + count
            try:
                chunk = unpacker.decompress(given, _UNPACKED)
            except zlib.error:
                raise self._damaged("cannot be unpacked") from None
            if not given and not chunk and not unpacker.eof:
                raise self._damaged(f"ends after {done} bytes")
            done, crc = done + len(chunk), zlib.crc32(chunk, crc)
            if done > self.size:
                raise self._damaged(f"unpacks to more than the {self.size} bytes that the archive says")
            yield chunk
        if done != self.size or crc != self.crc:
            raise self._damaged("does not unpack to what was packed")

    def _damaged(self, how: str) -> FileError:
        return FileError(f"{self.where} {how}: the file is damaged. Save or copy it again.")


class PackedArray(StoredArray):
    """An array that has to be unpacked as a whole; that is kept for a while, within the budget of bytes.

    Parameters
    ----------
    name : str
        What the file calls it.
    header : NpyHeader
        Of its .npy file.
    packed : PackedBytes
        That file.
    """

    whole_at_once: ClassVar[bool] = True

    def __init__(self, name: str, header: NpyHeader, packed: PackedBytes) -> None:
        super().__init__(name, header.shape, header.dtype.newbyteorder("="))
        self._header, self._packed = header, packed
        self._key = object()  # not this array, which would then live as long as its numbers are kept

    def _read(self, cuts: Sequence[slice]) -> npt.NDArray[Any]:
        whole = _WHOLE.get(self._key)
        if whole is None:
            whole = self._unpacked()
            _WHOLE.keep(self._key, whole)
        return whole[tuple(cuts)].copy()

    def _unpacked(self) -> npt.NDArray[Any]:
        skipped, found = self._header.data_offset, bytearray()
        for chunk in self._packed.chunks():
            found += memoryview(chunk)[skipped:]
            skipped = max(0, skipped - len(chunk))
        flat = np.frombuffer(found, self._header.dtype)
        numbers = as_truth(flat) if self.dtype == np.bool_ else flat.astype(self.dtype, copy=False)
        return numbers.reshape(self.shape, order="F" if self._header.fortran_order else "C")


_WHOLE: Kept[npt.NDArray[Any]] = Kept()
