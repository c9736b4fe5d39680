"""A compressed member of a zip archive: unpacked when it is first looked at, and never beyond what it may be."""

from __future__ import annotations

import tempfile
import zlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attention_explorer.core.byte_cache import Kept
from attention_explorer.errors import FileAccessError, FileError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_header import NpyHeader
from attention_explorer.sources.recorded.stored_array import StoredArray, as_truth

MOST_UNPACKED = 2**30
"""Bytes of one compressed array, which has to be unpacked as a whole."""
MOST_IN_MEMORY = 2**22
"""Bytes of an array that is unpacked in a moment, each time that its memory was needed for something else."""
MOST_ON_DISK = 2**31
"""Bytes of all unpacked arrays that are kept in temporary files."""
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
    """An array that has to be unpacked as a whole, once: a small one is kept in memory, others in a temporary file.

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
        self._packed.file.check_unchanged()
        whole = self._in_memory() if self._header.nbytes <= MOST_IN_MEMORY else self._on_disk()
        part = whole.reshape(self.shape, order="F" if self._header.fortran_order else "C")[tuple(cuts)]
        return as_truth(part.copy()) if self.dtype == np.bool_ else part.astype(self.dtype)

    def _in_memory(self) -> npt.NDArray[Any]:
        whole = _WHOLE.get(self._key)
        if whole is None:
            whole = np.frombuffer(b"".join(self._chunks()), self._header.dtype)
            _WHOLE.keep(self._key, whole)
        return whole

    def _on_disk(self) -> npt.NDArray[Any]:
        file = self._packed.file
        key = (file.path, file.size, file.modified_ns, self._packed.offset)
        found = _ON_DISK.get(key)
        if found is None:
            found = self._unpacked_to_disk()
            _ON_DISK.keep(key, found)
        return found

    def _unpacked_to_disk(self) -> npt.NDArray[Any]:
        try:
            # It has no name, so nobody can write over it: it may be mapped, and is gone with its last reader.
            with tempfile.TemporaryFile() as file:
                for chunk in self._chunks():
                    file.write(chunk)
                file.flush()
                return np.memmap(file, self._header.dtype, "r")
        except FileAccessError:
            raise
        except OSError as error:
            raise FileError(
                f"{self._packed.where} is compressed, and cannot be unpacked to “{tempfile.gettempdir()}” "
                f"({error.strerror or error}): make room there, or save it with np.savez, uncompressed."
            ) from error

    def _chunks(self) -> Iterator[memoryview]:
        skipped = self._header.data_offset
        for chunk in self._packed.chunks():
            yield memoryview(chunk)[skipped:]
            skipped = max(0, skipped - len(chunk))


class _Unpacked:
    """The arrays that were unpacked last: who opens a file again finds them. All threads may ask."""

    def __init__(self) -> None:
        self._arrays: OrderedDict[Hashable, npt.NDArray[Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> npt.NDArray[Any] | None:
        with self._lock:
            if key in self._arrays:
                self._arrays.move_to_end(key)
            return self._arrays.get(key)

    def keep(self, key: Hashable, array: npt.NDArray[Any]) -> None:
        with self._lock:
            self._arrays[key] = array
            while len(self._arrays) > 1 and sum(each.nbytes for each in self._arrays.values()) > MOST_ON_DISK:
                self._arrays.popitem(last=False)


_ON_DISK = _Unpacked()
_WHOLE: Kept[npt.NDArray[Any]] = Kept()
