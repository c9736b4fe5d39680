"""The list of pages, without Qt: the widgets and figures of a page are loaded when they are first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from attention_explorer.errors import UsageError, did_you_mean, quoted

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.kit.theme import Look
    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.pages.ui.page import Page
    from attention_explorer.pages.ui.session import Session

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
    from attention_explorer.kit.frame.figure import figure_of

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
