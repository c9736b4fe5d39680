"""The files of attention that a session is saved with: read as a whole, and copied if they will not last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import IO

from attention_explorer.core.files import write_whole
from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.handed_over import file_name_of, is_handed_over
from attention_explorer.sources.recorded import FileReference, change_since, reference_to, whole_digest
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.fingerprint import is_sampled_whole
from attention_explorer.sources.recorded_recipe import FileRecipe

_CHUNK = 2**22


@dataclass(frozen=True, slots=True)
class SavedFiles:
    """What is written into a session in place of what the window has."""

    others: dict[FileRecipe, FileRecipe]
    problems: tuple[str, ...]
    """Sentences on files that will not be there when the session is opened."""


def takes_time(recipe: FileRecipe) -> bool:
    """Tell whether a file has to be read as a whole, or copied, before a session that names it is saved."""
    return is_handed_over(Path(recipe.path)) or not (recipe.whole or is_sampled_whole(recipe.size))


def files_to_save(files: Iterable[FileRecipe], session: Path) -> SavedFiles:
    """Read files as a whole, and copy those beside a session that were handed over from Python.

    Parameters
    ----------
    files : iterable of FileRecipe
        Those that the session names.
    session : Path
        Where it is going to be.

    Returns
    -------
    SavedFiles
        A file that is gone or was changed stays as it is named: the session says later which one is wanted.

    Raises
    ------
    ExportError
        If a copy cannot be written.
    """
    others, problems = {}, []
    for file in files:
        path = Path(file.path)
        if change_since(FileReference(path, file.size, file.modified_ns, file.digest)) is not None:
            if is_handed_over(path):
                problems.append(
                    f"“{file.from_python}” was handed over from Python and is no longer there: the session is saved "
                    "without its numbers. Hand it over again to look at it."
                )
            continue
        try:
            whole = file.digest if is_sampled_whole(file.size) else whole_digest(path)
        except ExplorerError:  # it was changed or went just now
            continue
        others[file] = (
            _copied(replace(file, whole=whole), session) if is_handed_over(path) else replace(file, whole=whole)
        )
    return SavedFiles(others, tuple(problems))


def _copied(file: FileRecipe, session: Path) -> FileRecipe:
    """Copy a file beside a session, under a name that no other file has; one that holds the same is taken instead."""
    name = f"{session.name.split('.')[0]}-{file_name_of(file.from_python)}"
    for number in count(1):
        target = session.with_name(f"{name}{f'-{number}' if number > 1 else ''}.npz")
        if not target.exists():
            write_whole(target, lambda stream: _copy(Path(file.path), stream))
        elif not _holds(target, file):
            continue
        return replace(file, path=str(target), modified_ns=reference_to(target).modified_ns)
    raise AssertionError("The numbers do not end.")


def _holds(path: Path, file: FileRecipe) -> bool:
    try:
        found = reference_to(path)
        return (found.size, found.digest) == (file.size, file.digest) and (
            is_sampled_whole(file.size) or whole_digest(path) == file.whole
        )
    except ExplorerError:
        return False


def _copy(path: Path, stream: IO[bytes]) -> None:
    file = FileBytes(path)
    for start in range(0, file.size, _CHUNK):
        checkpoint()
        stream.write(file.read(start, min(_CHUNK, file.size - start)))
    file.check_unchanged()
