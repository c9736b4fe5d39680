"""The list of pages, and every ready-made state of each by its name: what the gallery and the command line know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError, UsageError, did_you_mean, quoted
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.old_names import PAGES as OLD_PAGES
from attention_explorer.pages.old_names import PARTS as PART_NAMES
from attention_explorer.pages.old_names import VIEWS, page_of, shown
from attention_explorer.pages.preset_lists import preset_ids as preset_ids
from attention_explorer.pages.preset_lists import preset_list

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.kit.theme import Look
    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.pages.ui.page import Page
    from attention_explorer.pages.ui.session import Session


# ---- The list of pages ----
# Without Qt: the widgets and figures of a page are loaded when they are first asked for.


PICTURE = "picture"
"""The name of the figure that a page shows large."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """How a page is found: its name in files and settings, which is that of its folder and icon, and what it draws.

    Attributes
    ----------
    id, tip : str
        Its name, and what it is for.
    draws : str
        The function of its package, by module and name, that takes the state of the window and one of ``figures`` and
        returns the figure; empty for what the frame shows.
    figures : tuple of str
        What can be drawn of it without a window: ``picture`` first, which every page has.
    """

    id: str
    tip: str
    draws: str = ""
    figures: tuple[str, ...] = (PICTURE,)

    @property
    def title(self) -> str:
        """What it is called in the window."""
        return self.id.capitalize()

    @property
    def package(self) -> str:
        """The package in which its window part is."""
        return f"attention_explorer.pages.{self.id}.ui"

    @property
    def kind(self) -> type[Page]:
        """The class of the page, which says what keys it has without one being made."""
        found: type[Page] = getattr(import_module(f"{self.package}.page"), f"{self.title}Page")
        return found

    def make(self, session: Session, look: Look) -> Page:
        """Return a new page, loaded now if it was not loaded before."""
        return self.kind(session, look)

    def figure(self, state: ExplorerState, what: str = PICTURE) -> Figure:
        """Return one of the figures of the page.

        Raises
        ------
        UsageError
            There is none of this name; the message names the nearest, or lists those there are.
        """
        if what not in self.figures:
            near = did_you_mean(what, self.figures)
            raise UsageError(f"The page {self.id} has no {quoted(what)} to draw. {near}")
        if not self.draws:
            return _frame_figure(state, self.id)
        module, _, name = self.draws.partition(".")
        drawn: Figure = getattr(import_module(f"{self.package}.{module}"), name)(state, what)
        return drawn


def _frame_figure(state: ExplorerState, page: str) -> Figure:
    """Return what a page in the frame shows large."""
    from attention_explorer.kit.pictures.figure import figure_of

    view = import_module(f"attention_explorer.pages.{page}.ui.views").view_of(getattr(state, page).view)
    return figure_of(view, view.of(getattr(state, view.part.name)), page.capitalize())


PAGES = (
    PageEntry("lookup", "Drag a query and watch a lookup blend or snap", "figure.drawn"),
    PageEntry(
        "heads",
        "Type a sentence, see every head, believe every number",
        "figure.drawn",
        (PICTURE, "map", "lines", "stages", "compare", "marked", "row", "check", "wall"),
    ),
    PageEntry("positions", "See how a transformer knows where a token stands", "views.drawn"),
    PageEntry("layer", "Follow data through a whole layer, and see what its parts do", "views.drawn"),
    PageEntry("training", "Watch attention come into being: a tiny network learns a task", "views.drawn"),
    PageEntry(
        "circuits", "What heads do, proven by switching them off: which copy, what breaks, who writes the answer"
    ),
    PageEntry("lab", "Why ÷√d_k, softmax, cost, norm, depth: one question, one slider, one picture"),
)
"""The pages in the order of the rail. A page is made when it is first shown."""


PAGE_IDS = tuple(page.id for page in PAGES)
"""The pages, in the order of the rail."""
ALL_PARTS = tuple(types_of(ExplorerState))
"""The fields of `ExplorerState`."""
PARTS = tuple(part for part, kind in types_of(ExplorerState).items() if hasattr(kind, "preset"))
"""Those that have presets. Most have a page of their name."""


# ---- Ready-made states ----


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
        parts = [part for part in changed if part in VIEWS and page_of(part, state) == "lab"]
        return shown(parts[0], state) if len(parts) == 1 and "lab" not in changed else ("lab", state)
    if len(pages) > 1:
        raise ExplorerError(f"The state says something on several pages: {', '.join(pages)}. Name the page to draw.")
    return (pages[0] if pages else PAGE_IDS[0]), state
