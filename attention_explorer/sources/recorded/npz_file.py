"""The arrays of an .npz file: a zip archive with an .npy file for each."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

from attention_explorer.errors import FileError, quoted
from attention_explorer.sources.recorded.array_file import ArrayFile
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.npy_file import MOST_TEXT_BYTES, MOST_TEXTS, check_size, plain_array, texts_of
from attention_explorer.sources.recorded.npy_header import NpyHeader, UnfitArrayError, read_header
from attention_explorer.sources.recorded.packed_array import PackedArray, PackedBytes
from attention_explorer.sources.recorded.stored_array import StoredArray

MOST_DIRECTORY_BYTES = 2**22
"""Of the list at the archive's end: some 40 000 arrays."""
MOST_ARRAYS = 4096
"""Each is looked at, which takes up to a millisecond; 80 layers with q, k and v are 240."""
_LOCAL_HEADER = struct.Struct("<4s22x2H")
_ENCRYPTED = 1


def is_zip(start: bytes) -> bool:
    """Tell whether a file that begins so is a zip archive."""
    return start.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read_npz(file: FileBytes) -> ArrayFile:
    """List the arrays of an .npz file. Text is read at once; of the others only the headers.

    Raises
    ------
    FileError
        If the archive is damaged, one of its arrays has another size than it says, or there is none.
    """
    arrays: dict[str, StoredArray] = {}
    texts: dict[str, object] = {}
    unfit: dict[str, str] = {}
    members = _members(file)
    if len(members) > MOST_ARRAYS:
        raise FileError(
            f"“{file.path.name}” holds {len(members)} arrays, but {MOST_ARRAYS} are looked through at most: save those "
            "of attention in a file of their own."
        )
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name == member.filename:
            if name.endswith("data.pkl"):
                raise FileError(
                    f"“{file.path.name}” is a PyTorch file, which only running a program stored in it could open; that "
                    "is never done here. Save the weights with numpy.savez or safetensors."
                )
            continue
        try:
            found = _array(file, member, name)
        except UnfitArrayError as error:
            unfit[name] = str(error)
            continue
        if isinstance(found, StoredArray):
            arrays[name] = found
        else:
            texts[name] = found
    if not (arrays or unfit):
        raise FileError(f"“{file.path.name}” is an archive without arrays of numbers: choose one by numpy.savez.")
    return ArrayFile(file.path, arrays, texts, unfit)


def _members(file: FileBytes) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(_Reader(file)) as archive:
            return archive.infolist()
    except FileError:
        raise
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, OverflowError, EOFError) as error:
        raise FileError(
            f"“{file.path.name}” is a damaged archive, which may not have been written to its end: save it again."
        ) from error


def _array(file: FileBytes, member: zipfile.ZipInfo, name: str) -> StoredArray | str | tuple[str, ...]:
    where = f"{quoted(name)} of “{file.path.name}”"
    if member.flag_bits & _ENCRYPTED:
        raise UnfitArrayError(f"{where} is locked by a password: save it without one.")
    start = _data_start(file, member, where)
    if start + member.compress_size > file.size:
        raise FileError(f"{where} would end beyond the file: it is damaged or was not written to its end.")
    if member.compress_type == zipfile.ZIP_STORED:
        if member.compress_size != member.file_size:
            raise FileError(f"{where} has two sizes in the archive's list: the file is damaged. Save it again.")
        header = read_header(where, _within(file, where, start, member.file_size))
        array: StoredArray = plain_array(name, header, file, start)
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        packed = PackedBytes(where, file, start, member.compress_size, member.file_size, member.CRC)
        packed.check_size()
        header = read_header(where, packed.start)
        array = PackedArray(name, header, packed)
    else:
        raise UnfitArrayError(f"{where} is compressed in a way that NumPy does not use: save it with numpy.savez.")
    check_size(where, header, member.file_size)
    return array if header.dtype.kind not in "US" else _text(where, header, array)


def _text(where: str, header: NpyHeader, array: StoredArray) -> str | tuple[str, ...]:
    if header.nbytes > MOST_TEXT_BYTES or len(array) > MOST_TEXTS:
        raise UnfitArrayError(f"{where} is text of {header.nbytes} bytes: more than {MOST_TEXT_BYTES} are not read.")
    if not array.dtype.itemsize:
        raise UnfitArrayError(f"{where} is text without letters: save tokens, as in np.array(tokens).")
    return texts_of(where, array.read())


def _data_start(file: FileBytes, member: zipfile.ZipInfo, where: str) -> int:
    """Return where the bytes of a member begin: after a header of its own, whose length only stands there."""
    magic, name, extra = _LOCAL_HEADER.unpack(file.read(member.header_offset, _LOCAL_HEADER.size))
    if magic != b"PK\x03\x04":
        raise FileError(f"{where} is not where the archive's list says: the file is damaged. Save it again.")
    return int(member.header_offset + _LOCAL_HEADER.size + name + extra)


def _within(file: FileBytes, where: str, start: int, size: int) -> Callable[[int, int], bytes]:
    def read(offset: int, count: int) -> bytes:
        if offset + count > size:
            raise FileError(f"{where} ends within its header: the file is damaged. Save it again.")
        return file.read(start + offset, count)

    return read


class _Reader(io.RawIOBase):
    """What `zipfile` reads the list of an archive from: it takes memory for no more than such a list may have."""

    def __init__(self, file: FileBytes) -> None:
        self._file, self._place = file, 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place}.get(whence, self._file.size)
        if base + offset < 0:
            raise OSError("before the start of the file")  # which is what zipfile expects, and answers itself
        self._place = base + offset
        return self._place

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._file.size - self._place)
        count = left if size < 0 else min(size, left)
        if count > MOST_DIRECTORY_BYTES:
            raise FileError(
                f"“{self._file.path.name}” is a damaged archive: its list of members would take {count} bytes, more "
                "than any .npz file has. Save it again."
            )
        found = self._file.read(self._place, count)
        self._place += count
        return found
