"""Scenes: session files, to be shown one after another. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import SUFFIX, read_session


@dataclass(frozen=True, slots=True)
class Scene:
    """What is shown at a time: a state and its page, and what it is called."""

    title: str
    state: ExplorerState
    page: str


def scenes_of(paths: Sequence[Path]) -> tuple[Scene, ...]:
    """Return the scenes in some session files, in their order.

    Raises
    ------
    ExplorerError
        One of them cannot be read, or not all of it, or says something on several pages and not which one it is about.
    """
    return tuple(_scene(path) for path in paths)


def _scene(path: Path) -> Scene:
    opened = read_session(path.absolute())
    if opened.left_out:
        page, reason = next(iter(opened.left_out.items()))
        raise ExplorerError(f"The page {page} of {quoted(path.name)} cannot be read: {reason}.")
    page, state = opened.in_view()
    return Scene(path.name.removesuffix(SUFFIX), state, page)
