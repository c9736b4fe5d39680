"""Every ready-made state of every page, by its name: what the gallery draws and the command line knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from attention_explorer.core.counting import Count
from attention_explorer.core.preset import Preset
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.pages.explorer import ExplorerState


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """A preset of any page.

    Attributes
    ----------
    page : str
        The id of its page, which is the field of `ExplorerState` that it fills.
    id : str
        Its name in files and on the command line; pages may share one.
    title, look_for : str
        What it is called, and what to look for in it.
    state : ExplorerState
        All of the state, with the other pages as they start.
    """

    page: str
    id: str
    title: str
    look_for: str
    state: ExplorerState


_LISTS = {
    "lookup": "pages.lookup.presets.PRESETS",
    "heads": "pages.heads.presets.HEADS_PRESETS",
    "positions": "pages.positions.presets.POSITIONS_PRESETS",
    "block": "pages.block.presets.BLOCK_PRESETS",
    "scaling": "pages.scaling.presets.SCALING_PRESETS",
    "cost": "pages.cost.presets.COST_PRESETS",
    "training": "pages.training.presets.TRAINING_PRESETS",
}
"""Where the list of presets of a page is."""

PAGE_IDS = tuple(_LISTS)
"""The ids of the pages, in the order of the rail; each is a field of `ExplorerState` too."""


def page_id(text: str) -> str:
    """Return the id of the page that a text names.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    if text in _LISTS:
        return text
    raise ExplorerError(f"There is no page {quoted(text)}. {did_you_mean(text, PAGE_IDS)}")


def _presets(page: str) -> tuple[Preset[Any], ...]:
    """Return the presets of a page, loaded when they are first asked for: the window starts with one page."""
    module, _, name = _LISTS[page].rpartition(".")
    presets: tuple[Preset[Any], ...] = getattr(import_module(f"attention_explorer.{module}"), name)
    return presets


def presets_of(page: str) -> Iterator[ReadyMade]:
    """Yield what is ready-made for a page, in the order of its list."""
    for ready in _presets(page_id(page)):
        state = replace(ExplorerState(), **{page: ready.state})
        yield ReadyMade(page, ready.id, ready.title, ready.look_for, state)


def preset_ids(page: str) -> tuple[str, ...]:
    """Return the names of what is ready-made for a page."""
    return tuple(ready.id for ready in _presets(page))


def find_preset(identifier: str, page: str = "") -> ReadyMade:
    """Return the preset of this name, on one page or on any.

    Raises
    ------
    ExplorerError
        There is none, or several pages have one; the message names the nearest, or the pages.
    """
    pages = (page,) if page else PAGE_IDS
    found = [ready for each in pages for ready in presets_of(each) if ready.id == identifier]
    if len(found) == 1:
        return found[0]
    if found:
        on = ", ".join(ready.page for ready in found)
        raise ExplorerError(f"Several pages have a preset {quoted(identifier)}: {on}. Name the page too.")
    known = {each: preset_ids(each) for each in PAGE_IDS}
    elsewhere = [each for each in PAGE_IDS if identifier in known[each]]
    if elsewhere:
        advice = f"Name the page {' or '.join(elsewhere)}."
    else:
        names = (name for each in pages for name in known[each])
        advice = did_you_mean(identifier, names, "“attention-explorer presets” lists them all.")
    where = f" on the page {page}" if page else ""
    raise ExplorerError(f"There is no preset {quoted(identifier)}{where}. {advice}")


def pages_changed(old: ExplorerState, new: ExplorerState) -> tuple[str, ...]:
    """Return the ids of the pages whose parts of two states differ, in the order of the rail."""
    return tuple(page for page in PAGE_IDS if getattr(old, page) != getattr(new, page))


def page_in_view(state: ExplorerState) -> str:
    """Return the one page whose part of a state is not as it starts; the first page if all are.

    Raises
    ------
    ExplorerError
        Several are not: which of them is meant is not to be guessed.
    """
    changed = pages_changed(ExplorerState(), state.counted(Count.FROM_ONE))
    if len(changed) > 1:
        raise ExplorerError(f"The state says something on several pages: {', '.join(changed)}. Name the page to draw.")
    return changed[0] if changed else PAGE_IDS[0]
