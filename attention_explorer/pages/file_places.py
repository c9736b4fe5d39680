"""The files that a session refers to: named relative to the session, so that both can be moved together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.lookup.state import HeadRow
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import recipe_as
from attention_explorer.sources.source import Recipe

Part: TypeAlias = HeadsSetup | HeadRow | CircuitsState
P = TypeVar("P", HeadsSetup, HeadRow, CircuitsState)

Named: TypeAlias = FileRecipe | ModelRecipe
MOST_FOLDERS_UP = 2
"""A file that lies further away is not moved along: it is named by its whole path."""


def relative_to(state: ExplorerState, session: Path) -> ExplorerState:
    """Return a state with its files named as seen from the folder of a session."""
    folder = session.absolute().parent
    return _with_files(state, lambda file: replace(file, path=_seen_from(folder, file.path)))


def absolute_from(state: ExplorerState, session: Path) -> ExplorerState:
    """Return a state that was read from a session, with whole paths again."""
    folder = session.absolute().parent
    return _with_files(state, lambda file: replace(file, path=os.path.normpath(folder / file.path)))


def files_of(state: ExplorerState) -> tuple[str, ...]:
    """Return the paths of the files that a state refers to, in its order."""
    found = map(_named_by, _recipes(state))
    return tuple(dict.fromkeys(named.path for named in found if named is not None))


def named_files(state: ExplorerState) -> tuple[FileRecipe, ...]:
    """Return what names the files of recorded attention of a state, each once."""
    files = (recipe_as(recipe, FileRecipe) for recipe in _recipes(state))
    return tuple(dict.fromkeys(file for file in files if file is not None))


def with_files(state: ExplorerState, others: Mapping[FileRecipe, FileRecipe]) -> ExplorerState:
    """Return a state that names other files in place of some."""

    def change(named: Named) -> Named:
        file = recipe_as(named, FileRecipe)
        return named if file is None else others.get(file, file)

    return _with_files(state, change)


def _seen_from(folder: Path, path: str) -> str:
    try:
        relative = os.path.relpath(path, folder)
    except ValueError:  # on another drive
        return path
    is_near = Path(relative).parts[: MOST_FOLDERS_UP + 1] != (os.pardir,) * (MOST_FOLDERS_UP + 1)
    return Path(relative).as_posix() if is_near else path


def _with_files(state: ExplorerState, change: Callable[[Named], Named]) -> ExplorerState:
    heads, lookup = state.heads, state.lookup
    setup = _changed(heads.setup, change)
    other = None if heads.other is None else _changed(heads.other, change)
    row = None if lookup.row is None else _changed(lookup.row, change)
    circuits = _changed(state.circuits, change)
    if circuits is not state.circuits:
        state = replace(state, circuits=circuits)
    if setup is not heads.setup or other is not heads.other:
        state = replace(state, heads=replace(heads, setup=setup, other=other))
    drawn = None if state.block.model is None else _named_by(state.block.model)
    if drawn is not None:
        state = replace(state, block=replace(state.block, model=change(drawn)))
    return state if row is lookup.row else replace(state, lookup=replace(lookup, row=row))


def _changed(part: P, change: Callable[[Named], Named]) -> P:
    named = _named_by(part.recipe)
    return part if named is None else replace(part, recipe=change(named))


def _recipes(state: ExplorerState) -> list[Recipe]:
    """Return the recipes of a state, in its order."""
    heads, lookup = state.heads, state.lookup
    parts: list[Part] = [part for part in (heads.setup, heads.other, lookup.row, state.circuits) if part is not None]
    drawn = state.block.model
    return [*(part.recipe for part in parts), *(() if drawn is None else (drawn,))]


def _named_by(recipe: Recipe) -> Named | None:
    """Return a recipe if it names a file, or the folder of a model."""
    return recipe_as(recipe, FileRecipe) or recipe_as(recipe, ModelRecipe)
