"""Files written whole or not at all, and those that come with the program."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import IO

from attention_explorer.errors import ExplorerError, ExportError

_PART = re.compile(r"\.attention-explorer-[a-z0-9_]{8}\.part")
"""What a file is called until it is whole."""
_FORGOTTEN = 24 * 3600.0
"""Seconds after which nobody writes to such a file any more: the program was killed meanwhile."""
_OWNER_ALONE = 0o600


def write_whole(path: Path, data: bytes | Callable[[IO[bytes]], object], *, private: bool = False) -> None:
    """Write ``data``, or what the function writes to the file it is given, so that nobody ever sees half a file.

    The bytes go to a temporary file in the same folder, which then takes the place of ``path``; if anything fails, what
    stood at ``path`` before is still there. Temporary files that a killed program has left there are deleted.

    Parameters
    ----------
    path : Path
        Of the file.
    data : bytes or callable
        What comes into it.
    private : bool
        Whether nobody but its owner may read it; otherwise it has the permissions of the file before it, or those of
        any new file.

    Raises
    ------
    ExportError
        In words: the folder is missing or read-only, the disk is full, the path is a folder, a device or a pipe, the
        file there may not be changed.
    ExplorerError
        The function's own, as it is.
    """
    try:
        _refuse_what_must_stay(path)
        if not path.parent.is_dir():
            what = "is a file, not a folder" if path.parent.exists() else "does not exist"
            raise ExportError(f"The folder “{path.parent}” {what}. Choose another or make it first.")
        _write_beside_and_rename(path, data, private=private)
    except ExplorerError:  # of the numbers that were to be written: it says what is wrong by itself
        raise
    except _NAME_ERRORS as error:
        raise ExportError(
            f"“{path.name}” could not be written to “{path.parent}”: {_reason(error)}. "
            "Nothing was changed there; choose a folder you may write to."
        ) from error


def remove(path: Path) -> None:
    """Delete a file if it is there; one that may not be deleted stays."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def time_of(path: Path) -> float:
    """Return when a file was last written, in seconds since 1970; 0 if it is gone or may not be looked at."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def looks_like_path(text: str) -> bool:
    """Whether a text can only name a file: it has an ending or a folder, which no name of a preset or command has."""
    return Path(text).name != text or bool(Path(text).suffix)


def make_folder(path: Path, *, private: bool = False) -> None:
    """Make a folder, and those above it, unless it is there already; if ``private``, for its owner alone.

    Raises
    ------
    ExportError
        In words: a file is in its place, or nothing may be made there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        if private:
            path.chmod(0o700)
    except _NAME_ERRORS as error:
        raise ExportError(f"The folder “{path}” cannot be made: {_reason(error)}. Choose another.") from error


_NAME_ERRORS = (OSError, ValueError)
"""ValueError: a character that no file name may have."""


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeEncodeError):
        return "a file name cannot hold one of its characters"
    return getattr(error, "strerror", None) or str(error)


def _refuse_what_must_stay(path: Path) -> None:
    """Refuse a path at which there is something that a file must not take the place of."""
    if path.is_dir():
        raise ExportError(f"“{path}” is a folder. Choose a file name inside it.")
    if not path.exists():
        return
    if not path.is_file():  # a device such as /dev/null, or a pipe, would be gone for everybody
        raise ExportError(f"“{path}” is not an ordinary file and stays as it is. Choose another name.")
    if not os.access(path, os.W_OK):  # to rename over it only the folder need be writable
        raise ExportError(f"“{path}” is write-protected and stays as it is. Choose another name or unprotect it.")


def _write_beside_and_rename(path: Path, data: bytes | Callable[[IO[bytes]], object], *, private: bool) -> None:
    path = Path(os.path.realpath(path))  # of a link it is the file behind it that changes, not the link
    if path.is_symlink():
        raise OSError(errno.ELOOP, "the link leads round in a circle")
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".attention-explorer-", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            if isinstance(data, bytes):
                file.write(data)
            else:
                data(file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_OWNER_ALONE if private else _permissions(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sweep(path.parent)


def _sweep(folder: Path) -> None:
    """Delete the temporary files that a killed program has left; what may not be deleted stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _FORGOTTEN:
                        os.unlink(entry.path)


def _permissions(path: Path) -> int:
    """Return the permissions a file has, or those that a new one would get: mkstemp's are for the owner alone."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# ---- Files that come with the program ----


RESOURCES = "attention_explorer.resources"
"""The package that the folder ``resources/`` is."""


def path(name: str) -> str:
    """Return where a bundled file lies, with forward slashes, for the style sheet, which can only be given a path."""
    return str(resources.files(RESOURCES).joinpath(name)).replace("\\", "/")


def read_bytes(name: str, package: str = RESOURCES) -> bytes:
    """Return the contents of a bundled file.

    Parameters
    ----------
    name
        Path below ``resources/`` with forward slashes, such as ``"fonts/Inter-Regular.otf"``.
    package
        The package that has it instead.

    Raises
    ------
    ExplorerError
        The name leaves the folder or there is no such file.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ExplorerError(f"The bundled file {name!r} must be named relative to resources/.")
    try:
        return resources.files(package).joinpath(*path.parts).read_bytes()
    except OSError as error:
        raise ExplorerError(f"The bundled file {name!r} is missing: reinstall the program.") from error


def read_text(name: str, package: str = RESOURCES) -> str:
    """Return a bundled text file, decoded from UTF-8. Errors as in `read_bytes`, or if it is damaged."""
    try:
        return read_bytes(name, package).decode("utf-8")
    except UnicodeDecodeError:
        raise damaged(name) from None


def damaged(name: str) -> ExplorerError:
    """Return the error of a bundled file that cannot be understood."""
    return ExplorerError(f"The bundled file {name!r} is damaged: reinstall the program.")
