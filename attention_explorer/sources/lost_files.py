"""Files of attention that are gone or were changed: found somewhere else, or taken as they are now."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from attention_explorer.errors import ExplorerError, FileAccessError
from attention_explorer.sources.recorded import FileReference, reference_to, whole_digest
from attention_explorer.sources.recorded.fingerprint import is_another, is_sampled_whole
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.recorded_source import file_recipe


@dataclass(frozen=True, slots=True)
class Found:
    """A file that somebody takes for the one that is wanted."""

    recipe: FileRecipe
    """Names it in place of the one that is wanted, read in the same way as far as that goes."""
    difference: str
    """What is different about it, as a sentence; empty if it holds the same."""


def found_at(wanted: FileRecipe, path: Path) -> Found:
    """Look whether a file is the one that is wanted.

    Parameters
    ----------
    wanted : FileRecipe
        As it was when it was opened.
    path : Path
        Where somebody takes it to be.

    Returns
    -------
    Found

    Raises
    ------
    ExplorerError
        It cannot be read, or it is another file and holds no attention.
    """
    reference = reference_to(path)
    difference = _difference(wanted, reference)
    if not difference and wanted.whole and not is_sampled_whole(wanted.size) and whole_digest(path) != wanted.whole:
        difference = _other_numbers(path, wanted)
    if difference:
        return Found(as_it_is(replace(wanted, path=str(path))), difference)
    return Found(replace(wanted, path=str(path), modified_ns=reference.modified_ns), "")


def found_among(files: Iterable[FileRecipe], path: str, chosen: Path) -> dict[FileRecipe, Found]:
    """Take a file for those that were at a path, and what lies beside it for others that are gone.

    Parameters
    ----------
    files : iterable of FileRecipe
        All that are wanted.
    path : str
        Where the one that is looked for was.
    chosen : Path
        Where it is now.

    Returns
    -------
    dict
        What to put in place of which. Others than those at `path` are in it only if they hold the same as they did.

    Raises
    ------
    ExplorerError
        As for `found_at`.
    """
    found = {}
    for file in files:
        beside = chosen.parent / Path(file.path).name
        if Path(file.path) == Path(path):
            found[file] = found_at(file, chosen)
        elif not Path(file.path).exists() and beside.is_file():
            with suppress(ExplorerError):
                other = found_at(file, beside)
                if not other.difference:
                    found[file] = other
    return found


def as_it_is(recipe: FileRecipe) -> FileRecipe:
    """Name a file as it is now, read as before as far as that goes, and as its own numbers tell where it does not.

    Raises
    ------
    ExplorerError
        It cannot be read, or holds no attention.
    """
    path = Path(recipe.path)
    try:
        return file_recipe(
            path,
            attention=recipe.attention,
            axes=recipe.axes,
            batch=recipe.batch,
            tokens=recipe.given_tokens,
            layout=recipe.layout,
            offset=recipe.offset,
            rows=recipe.rows,
        )
    except FileAccessError:
        raise
    except ExplorerError:
        return file_recipe(path)


def others_than_saved(files: Iterable[FileRecipe]) -> tuple[FileRecipe, ...]:
    """Read large files as a whole, and return those that only this tells not to be what they were."""
    known = (file for file in files if file.whole and not is_sampled_whole(file.size))
    return tuple(
        file
        for file in known
        if is_another(FileReference(Path(file.path), file.size, file.modified_ns, file.digest), file.whole)
    )


def _difference(wanted: FileRecipe, found: FileReference) -> str:
    if found.size != wanted.size:
        return f"{_which(found.path, wanted)} has {found.size} bytes, and the one that is wanted has {wanted.size}."
    return "" if found.digest == wanted.digest else _other_numbers(found.path, wanted)


def _other_numbers(path: Path, wanted: FileRecipe) -> str:
    return f"{_which(path, wanted)} is as long as the one that is wanted, and holds other numbers."


def _which(path: Path, wanted: FileRecipe) -> str:
    return f"“{path.name}”" if path.name != Path(wanted.path).name else f"This “{path.name}”"
