"""The bytes of a file, read where they lie, for as long as nobody changes the file.

A file is read and not mapped into memory. Whoever writes over a mapped file that another program is looking at takes
that program's pages away: it ends at once (SIGBUS), and no handler helps. Reading says so in words, costs no more for
the large blocks that are read here, and takes as little memory.
"""

from __future__ import annotations

import os
import stat
import weakref
from pathlib import Path
from threading import Lock

from attention_explorer.errors import FileAccessError, FileError, LostFileError

_READS_ANYWHERE = hasattr(os, "preadv")
"""Whether one call can both seek and read, which takes half the time; Windows has none."""
_MOST_AT_ONCE = 2**30
"""Bytes of one call: some systems refuse 2 GiB and more."""


class FileBytes:
    """An ordinary file that is open for reading. All threads may use it.

    Parameters
    ----------
    path : Path
        Which one; it is closed when nobody uses this any more.

    Attributes
    ----------
    path : Path
        As given.
    size : int
        Bytes.
    modified_ns : int
        When it was last written, in nanoseconds since 1970.

    Raises
    ------
    FileAccessError
        If there is no such file, or it is a folder or may not be read.
    FileError
        If it is no ordinary file, or empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                raise FileAccessError(f"“{path}” is a folder: choose a file in it.")
            if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for, and a device never ends
                raise FileError(f"“{path}” is not an ordinary file: choose one that lies on a disk.")
            self._file = path.open("rb", buffering=0)
        except (OSError, ValueError, RuntimeError) as error:  # ValueError: a character that no file name may have
            if isinstance(error, FileAccessError | FileError):
                raise
            raise refused(path, error) from error
        weakref.finalize(self, self._file.close)
        self._lock = Lock()
        self.size, self.modified_ns = self._now()
        if not self.size:
            raise FileError(f"“{path.name}” is empty: was it written to its end?")

    def read(self, offset: int, count: int) -> bytes:
        """Return some bytes.

        Raises
        ------
        FileError
            If there are not so many; a LostFileError if the file was changed since it was opened.
        FileAccessError
            If it can no longer be read.
        """
        if not 0 <= offset <= offset + count <= self.size:  # nothing is made room for before this is known
            raise FileError(
                f"“{self.path.name}” ends after {self.size} bytes, but {count} are wanted from byte {offset} on: it is "
                "damaged or was not written to its end. Save or copy it again."
            )
        found = bytearray(count)
        self.read_into(memoryview(found), offset)
        self.check_unchanged()
        return bytes(found)

    def read_into(self, target: memoryview, offset: int) -> None:
        """Fill a buffer of bytes; `check_unchanged` when all is read says whether what was read is one state of it.

        Raises
        ------
        LostFileError
            If the file has become shorter.
        FileAccessError
            If it can no longer be read.
        """
        done = 0
        try:
            while done < len(target):
                count = self._read_some(target[done : done + _MOST_AT_ONCE], offset + done)
                if not count:
                    raise _changed(self.path)
                done += count
        except OSError as error:
            raise refused(self.path, error) from error

    def _read_some(self, target: memoryview, offset: int) -> int:
        if _READS_ANYWHERE:
            return os.preadv(self._file.fileno(), [target], offset)
        with self._lock:
            self._file.seek(offset)
            return self._file.readinto(target)

    def check_unchanged(self) -> None:
        """Make sure that nobody wrote to the file since it was opened.

        Raises
        ------
        LostFileError
            If somebody did.
        """
        if self._now() != (self.size, self.modified_ns):
            raise _changed(self.path)

    def _now(self) -> tuple[int, int]:
        try:
            now = os.fstat(self._file.fileno())
        except OSError as error:
            raise refused(self.path, error) from error
        return now.st_size, now.st_mtime_ns


def _changed(path: Path) -> LostFileError:
    said = f"“{path.name}” was changed while it was open: open it again to see what it holds now."
    return LostFileError(said, str(path), is_there=True)


def refused(path: Path, error: Exception) -> FileAccessError | FileError:
    """Return what to raise when the operating system refused to open or read a file."""
    if isinstance(error, FileNotFoundError):
        answer = FileAccessError(f"There is no file “{path}”: was it moved or renamed?")
    elif isinstance(error, PermissionError):
        answer = FileAccessError(f"You may not read “{path}”: change its permissions or copy it.")
    elif isinstance(error, OSError):
        answer = FileAccessError(f"“{path}” cannot be read: {error.strerror or error}. Try a copy of it.")
    else:
        return FileError(f"“{path}” names no file: {error}. Choose another.")
    answer.errno = error.errno
    return answer
