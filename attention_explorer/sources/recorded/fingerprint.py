"""What a file is known by again: its size and time, and a digest of a part of it or of all.

A digest of 2 GiB takes 1.5 s, so a file is known at once by its header and samples, and by the whole where there is
time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.errors import FileAccessError, FileError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.recorded.file_bytes import FileBytes

SAMPLES, SAMPLE_BYTES = 64, 2**16
_CHUNK = 2**22


@dataclass(frozen=True, slots=True)
class FileReference:
    """A file, and what it was like when it was looked at."""

    path: Path
    size: int
    """Bytes."""
    modified_ns: int
    """When it was last written, in nanoseconds since 1970."""
    digest: str
    """SHA-256 of the first 64 KiB, which hold the header, and of 64 samples of 64 KiB spread over the rest; hex."""


def reference_to(path: Path) -> FileReference:
    """Look at a file so that it can be known again.

    Raises
    ------
    FileAccessError, FileError
        If it cannot be read, or is changed meanwhile.
    """
    file = FileBytes(path)
    return FileReference(path, file.size, file.modified_ns, _sampled_digest(file))


def change_since(reference: FileReference, whole: str = "") -> str | None:
    """Tell whether a file is still what it was.

    Parameters
    ----------
    reference : FileReference
        What it was.
    whole : str
        The SHA-256 of all of it, if it is known: what `is_another` has found counts.

    Returns
    -------
    str or None
        None if it is. Otherwise a sentence that says what is different. A file that was only written again with the
        same bytes counts as the same.
    """
    name = reference.path.name
    try:
        file = FileBytes(reference.path)
        if file.size != reference.size:
            return f"“{name}” has {file.size} bytes now, and had {reference.size}: it was changed."
        was_written = file.modified_ns != reference.modified_ns
        if was_written and (_moment(file, whole) in _OTHERS or _sampled_digest(file) != reference.digest):
            return f"“{name}” has other numbers now: it was changed."
    except (FileAccessError, FileError) as error:
        return str(error)
    return None


def is_another(reference: FileReference, whole: str) -> bool:
    """Read a file as a whole to tell whether it is still what it was; if not, `change_since` knows from now on.

    Parameters
    ----------
    reference : FileReference
        What it was.
    whole : str
        The SHA-256 of all of it.

    Returns
    -------
    bool
        False too of a file that has not been written since, which is not read, and of one that `change_since` tells of.
    """
    if change_since(reference) is not None:
        return False
    try:
        file = FileBytes(reference.path)
        if file.modified_ns == reference.modified_ns or whole_digest(reference.path) == whole:
            return False
    except (FileAccessError, FileError):
        return False
    _OTHERS.add(_moment(file, whole))
    return True


def _moment(file: FileBytes, whole: str) -> tuple[Path, int, int, str]:
    return file.path, file.size, file.modified_ns, whole


_OTHERS: set[tuple[Path, int, int, str]] = set()
"""Files, as they were at a moment, that were found not to be those of a digest."""


def whole_digest(path: Path, report: Callable[[float], None] = lambda _share: None) -> str:
    """Return the SHA-256 of a whole file.

    Parameters
    ----------
    path : Path
        The file.
    report : callable
        Told every 4 MiB which share of it is done, from 0 to 1.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    FileAccessError, FileError
        If it cannot be read, or is changed meanwhile.
    """
    file, digest = FileBytes(path), hashlib.sha256()
    buffer = memoryview(bytearray(min(_CHUNK, file.size)))
    for start in range(0, file.size, _CHUNK):
        checkpoint()
        part = buffer[: file.size - start]
        file.read_into(part, start)
        digest.update(part)
        report((start + len(part)) / file.size)
    file.check_unchanged()
    return digest.hexdigest()


def is_sampled_whole(size: int) -> bool:
    """Tell whether a file is so small that its samples are all of it: the digest is that of the whole."""
    return size <= (SAMPLES + 1) * SAMPLE_BYTES


def _sampled_digest(file: FileBytes) -> str:
    digest = hashlib.sha256()
    for start in _starts(file.size):
        digest.update(file.read(start, min(SAMPLE_BYTES, file.size - start)))
    return digest.hexdigest()


def _starts(size: int) -> list[int]:
    """Return where samples begin: the first at the start of the file, the last so that it ends with the file."""
    if is_sampled_whole(size):
        return list(range(0, size, SAMPLE_BYTES))
    last = size - SAMPLE_BYTES
    return [last * number // SAMPLES for number in range(SAMPLES + 1)]
