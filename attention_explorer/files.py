"""Files written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from attention_explorer.errors import ExportError


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that nobody ever sees half a file.

    The bytes go to a temporary file in the same folder, which then takes the place of ``path``; if anything fails, what
    stood at ``path`` before is still there.

    Raises
    ------
    ExportError
        In words: the folder is missing or read-only, the disk is full, the path is a folder.
    """
    try:
        if path.is_dir():
            raise ExportError(f"“{path}” is a folder. Choose a file name inside it.")
        if not path.parent.is_dir():
            what = "is a file, not a folder" if path.parent.exists() else "does not exist"
            raise ExportError(f"The folder “{path.parent}” {what}. Choose another or make it first.")
        _write_beside_and_rename(path, data)
    except (OSError, ValueError) as error:  # ValueError: a character that no file name may have
        reason = getattr(error, "strerror", None) or str(error)
        raise ExportError(
            f"“{path.name}” could not be written to “{path.parent}”: {reason}. "
            "Nothing was changed there; choose a folder you may write to."
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there already.

    Raises
    ------
    ExportError
        In words: a file is in its place, or nothing may be made there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"The folder “{path}” cannot be made: {reason}. Choose another.") from error


def _write_beside_and_rename(path: Path, data: bytes) -> None:
    path = path.resolve()  # of a link it is the file behind it that changes, not the link
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_permissions(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _permissions(path: Path) -> int:
    """Return the permissions a file has, or those that a new one would get: mkstemp's are for the owner alone."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
