"""Old names of pages and of their pictures, which sessions, lessons, Python and the command line may use for good."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from attention_explorer.pages.lab.state import LabView

if TYPE_CHECKING:
    from attention_explorer.pages.explorer import ExplorerState

PAGES = {"scaling": "lab", "cost": "lab", "block": "layer"}
"""Pages that are no more, and where their pictures are now."""

PARTS = {"layer": "block"}
"""By page: the part of the state that it shows, where that has the name which the page had before."""

VIEWS: dict[str, dict[StrEnum, LabView]] = {
    part: {view.picture: view for view in LabView if view.part == part} for part in ("scaling", "cost", "block")
}
"""By part of the state and the picture that it names: the view of Lab that shows it."""


def page_of(part: str, state: ExplorerState) -> str:
    """Return the page on which a part of a state is seen, as it is."""
    views = VIEWS.get(part, {})
    return "lab" if views and getattr(state, part).picture in views else PAGES.get(part, part)


def shown(part: str, state: ExplorerState) -> tuple[str, ExplorerState]:
    """Return the page on which a part of a state is seen, and the state with that part on show there."""
    page = page_of(part, state)
    if page != "lab" or part == "lab":
        return page, state
    view = VIEWS[part][getattr(state, part).picture]
    return page, replace(state, lab=replace(state.lab, view=view))


def followed(old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return a state with the view of Lab that shows a picture which somebody has just named."""
    for part, views in VIEWS.items():
        before, now = getattr(old, part).picture, getattr(new, part).picture
        if before != now and now in views and new.lab == old.lab:
            return replace(new, lab=replace(new.lab, view=views[now]))
    return new
