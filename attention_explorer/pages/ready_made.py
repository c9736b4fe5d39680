"""Every ready-made state of every page, by its name: what the gallery draws and the command line knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.old_names import PAGES as OLD_PAGES
from attention_explorer.pages.old_names import PARTS as PART_NAMES
from attention_explorer.pages.old_names import VIEWS, page_of, shown
from attention_explorer.pages.preset_lists import preset_ids as preset_ids
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.registry import PAGES

PAGE_IDS = tuple(page.id for page in PAGES)
"""The pages, in the order of the rail."""
ALL_PARTS = tuple(types_of(ExplorerState))
"""The fields of `ExplorerState`."""
PARTS = tuple(part for part, kind in types_of(ExplorerState).items() if hasattr(kind, "preset"))
"""Those that have presets. Most have a page of their name."""


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """A preset of any page.

    Attributes
    ----------
    page : str
        The id of its page.
    part : str
        The field of `ExplorerState` that it fills.
    id : str
        Its name in files and on the command line; pages may share one.
    title, look_for : str
        What it is called, and what to look for in it.
    state : ExplorerState
        All of the state, with the other pages as they start.
    """

    page: str
    part: str
    id: str
    title: str
    look_for: str
    state: ExplorerState

    def put_into(self, state: ExplorerState) -> ExplorerState:
        """Return a state with this preset in it, on show on its page."""
        return shown(self.part, replace(state, **{self.part: getattr(self.state, self.part)}))[1]


def page_id(text: str) -> str:
    """Return the id of the page that a text names; one that is no more is a name for its part of the state.

    Raises
    ------
    ExplorerError
        There is none; the message lists those there are.
    """
    if text in PAGE_IDS or text in OLD_PAGES:
        return text
    raise ExplorerError(f"There is no page {quoted(text)}. {did_you_mean(text, PAGE_IDS)}")


def presets_of(page: str) -> Iterator[ReadyMade]:
    """Yield what is ready-made for a page, in the order of its lists."""
    if page_id(page) in OLD_PAGES:
        yield from presets_in(page)
    else:
        parts = VIEWS if page == "lab" else parts_of(page)
        yield from (ready for part in parts for ready in presets_in(part) if ready.page == page)


def presets_in(part: str) -> Iterator[ReadyMade]:
    """Yield what is ready-made for a part of the state, on whatever page it is seen."""
    for ready in preset_list(part):
        page, state = shown(part, replace(ExplorerState(), **{part: ready.state}))
        yield ReadyMade(page, part, ready.id, ready.title, ready.look_for, state)


def find_preset(identifier: str, page: str = "") -> ReadyMade:
    """Return the preset of this name, on one page or on any.

    Raises
    ------
    ExplorerError
        There is none, or several pages have one; the message names the nearest, or the pages.
    """
    if page:
        page_id(page)
    known = [ready for part in PARTS for ready in presets_in(part)]
    here = [ready for ready in known if page in ("", ready.page, ready.part)]
    found = [ready for ready in here if ready.id == identifier]
    if len(found) == 1:
        return found[0]
    if found:
        on = ", ".join(ready.page for ready in found)
        raise ExplorerError(f"Several pages have a preset {quoted(identifier)}: {on}. Name the page too.")
    elsewhere = {ready.page: None for ready in known if ready.id == identifier}
    if elsewhere:
        advice = f"Name the page {' or '.join(elsewhere)}."
    else:
        names = (ready.id for ready in here)
        advice = did_you_mean(identifier, names, "“attention-explorer presets” lists them all.")
    where = f" on the page {page}" if page else ""
    raise ExplorerError(f"There is no preset {quoted(identifier)}{where}. {advice}")


def parts_changed(old: ExplorerState, new: ExplorerState) -> tuple[str, ...]:
    """Return the parts in which two states differ."""
    return tuple(part for part in ALL_PARTS if getattr(old, part) != getattr(new, part))


def pages_changed(old: ExplorerState, new: ExplorerState) -> tuple[str, ...]:
    """Return the ids of the pages on which two states differ."""
    return tuple(dict.fromkeys(page_of(part, new) for part in parts_changed(old, new)))


def parts_of(page: str) -> tuple[str, ...]:
    """Return the parts of the state that a page shows."""
    return (page, *VIEWS) if page == "lab" else (PART_NAMES.get(page, page),)


def in_view(state: ExplorerState, page: str = "") -> tuple[str, ExplorerState]:
    """Return the page that a state shows, and the state with the view of that page on show.

    Parameters
    ----------
    state : ExplorerState
        What is to be seen.
    page : str
        The page, or one that there was; without it, the one page whose part of the state is not as it starts, and the
        first page if all are.

    Raises
    ------
    ExplorerError
        Several are not: which of them is meant is not to be guessed.
    """
    start, shown_state = ExplorerState(), state.counted(Count.FROM_ONE)
    changed = parts_changed(start, shown_state)
    if page and page != "lab":
        return shown(page_id(page), state)
    pages = tuple(dict.fromkeys(page_of(part, state) for part in changed))
    if page or pages == ("lab",):
        parts = [part for part in changed if part in VIEWS]
        return shown(parts[0], state) if len(parts) == 1 and "lab" not in changed else ("lab", state)
    if len(pages) > 1:
        raise ExplorerError(f"The state says something on several pages: {', '.join(pages)}. Name the page to draw.")
    return (pages[0] if pages else PAGE_IDS[0]), state
