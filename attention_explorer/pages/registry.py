"""The list of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from attention_explorer.errors import UsageError, did_you_mean, quoted
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.page import Page
from attention_explorer.pages.ui.session import Session

if TYPE_CHECKING:
    # Loaded when something is drawn: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure

PICTURE = "picture"
"""The name of the figure that a page shows large."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """How a page is found: its name in files and settings, which is that of its folder and icon, and what it draws.

    ``figures`` gives by name what the page shows of a state, without a window: ``picture`` first, which every page has.
    """

    id: str
    tip: str
    figures: Mapping[str, Callable[[ExplorerState], Figure]]

    @property
    def title(self) -> str:
        """What it is called in the window."""
        return self.id.capitalize()

    def examples(self) -> Iterable[tuple[str, ExplorerState]]:
        """Return names, fit for a file name, with states that show the page at its best; the gallery draws them."""
        from attention_explorer.pages.ready_made import presets_of

        return ((ready.id, ready.state) for ready in presets_of(self.id))

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
        return self.figures[what](state)


def _lookup_figure(state: ExplorerState) -> Figure:
    from attention_explorer.pages.lookup.state import LookupView

    if state.lookup.view in (LookupView.TEMPERATURE, LookupView.WORDS):
        return _frame_figure(state, "lookup")
    from attention_explorer.pages.lookup.ui.figure import LookupFigure

    return LookupFigure(state.lookup)


def _heads_figure(state: ExplorerState, picture: str = "") -> Figure:
    from attention_explorer.pages.heads.state import Picture
    from attention_explorer.pages.heads.ui.figure import HeadsFigure

    heads = state.heads.with_view(picture=Picture(picture)) if picture else state.heads
    if heads.view.picture in (Picture.ROW, Picture.CHECK):
        from attention_explorer.kit.frame.figure import figure_of
        from attention_explorer.pages.heads.ui.views import view_of

        return figure_of(view_of(heads.view.picture), heads, "Heads")
    return HeadsFigure(heads, is_wall=heads.view.picture is Picture.ALL)


def _heads_wall(state: ExplorerState) -> Figure:
    from attention_explorer.pages.heads.ui.figure import HeadsFigure

    return HeadsFigure(state.heads, is_wall=True)


def _positions_figure(state: ExplorerState) -> Figure:
    from attention_explorer.kit.frame.figure import figure_of
    from attention_explorer.pages.positions.ui.views import view_of

    return figure_of(view_of(state.positions.picture), state.positions, "Positions")


def _frame_figure(state: ExplorerState, page: str) -> Figure:
    """Return what a page in the frame shows large."""
    from attention_explorer.kit.frame.figure import figure_of

    view = import_module(f"attention_explorer.pages.{page}.ui.views").view_of(getattr(state, page).view)
    return figure_of(view, view.of(getattr(state, view.part.name)), page.capitalize())


def _layer_figure(state: ExplorerState) -> Figure:
    from attention_explorer.kit.frame.figure import figure_of
    from attention_explorer.pages.layer.ui.views import view_of

    view = view_of(state.block.picture_shown)
    return figure_of(view, view.of(state.block), "Layer")


def _training_figure(state: ExplorerState) -> Figure:
    from attention_explorer.pages.training.ui.views import training_figure

    return training_figure(state.training)


PAGES: tuple[PageEntry, ...] = (
    PageEntry(
        "lookup",
        "Drag a query and watch a lookup blend or snap",
        {PICTURE: _lookup_figure},
    ),
    PageEntry(
        "heads",
        "Type a sentence, see every head, believe every number",
        {
            PICTURE: _heads_figure,
            "map": partial(_heads_figure, picture="heatmap"),
            **{
                name: partial(_heads_figure, picture=name)
                for name in ("lines", "stages", "compare", "marked", "row", "check")
            },
            "wall": _heads_wall,
        },
    ),
    PageEntry(
        "positions",
        "See how a transformer knows where a token stands",
        {PICTURE: _positions_figure},
    ),
    PageEntry(
        "layer",
        "Follow data through a whole layer, and see what its parts do",
        {PICTURE: _layer_figure},
    ),
    PageEntry(
        "training",
        "Watch attention come into being: a tiny network learns a task",
        {PICTURE: _training_figure},
    ),
    PageEntry(
        "circuits",
        "What heads do, proven by switching them off: which copy, what breaks, who writes the answer",
        {PICTURE: partial(_frame_figure, page="circuits")},
    ),
    PageEntry(
        "lab",
        "Why ÷√d_k, softmax, cost, norm, depth: one question, one slider, one picture",
        {PICTURE: partial(_frame_figure, page="lab")},
    ),
)
"""The pages in the order of the rail. A page is made when it is first shown."""
