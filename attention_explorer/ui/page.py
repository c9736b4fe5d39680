"""What every page of the window is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from attention_explorer.errors import ExplorerError, UsageError, did_you_mean, quoted
from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.ui.controls.number_box import ENTER, NumberBox
from attention_explorer.ui.theme import Look

if TYPE_CHECKING:
    # Loaded when something is taken away: file formats would delay the first picture.
    from attention_explorer.ui.export.clipboard import NumbersCopier
    from attention_explorer.ui.export.figure import Figure

PICTURE = "picture"
"""The name of the figure that a page shows large."""

CLIPBOARD_SCALE = 2.0
"""A copied picture has twice the pixels of the figure, enough for most screens and for a slide."""


@dataclass(frozen=True, slots=True)
class PageAction:
    """Something a page can do, for the menu, the help, the search and the keyboard; an empty text is a separator.

    ``run`` is given the page, so that the help lists the keys of pages that were never made.
    """

    text: str
    run: Callable[[Any], object] = lambda page: None
    shortcut: str = ""
    tip: str = ""


class Page(QWidget):
    """A page shows its part of the state and turns what people do into new states. It keeps no copy of the state.

    Signals
    -------
    said : str
        A read-out for the status bar; empty clears it.
    under_way : str
        How much is done of what was asked for; it is said for some seconds.
    done : str
        What was asked for is done; it is said for some seconds.
    refused : str
        Why something that was asked for cannot be done.
    compare_wanted
        A file is to be chosen, and compared with what is on show.
    files_to_compare_wanted : QMenu
        The menu is to be filled with files that can be compared with what is on show.
    find_wanted, reopen_wanted : str
        The file that was at this path is to be looked for, or opened as it is now.
    page_wanted : str
        What was asked for is on another page: its id.
    guessed : (x, y)
        A place of the picture was chosen; see `ask_for_place`.
    code_wanted
        The program that computes what is on show.
    withholding
        The page keeps an answer to itself from now on, or no longer.
    """

    said = Signal(str)
    under_way = Signal(str)
    done = Signal(str)
    refused = Signal(str)
    compare_wanted = Signal()
    files_to_compare_wanted = Signal(object)
    find_wanted = Signal(str)
    reopen_wanted = Signal(str)
    page_wanted = Signal(str)
    guessed = Signal(object)
    code_wanted = Signal()
    withholding = Signal()

    gestures: tuple[tuple[str, str], ...] = ()
    """What mouse and keys do on the page, for the help: (gesture, what it does)."""
    presented: tuple[str, ...] = ("canvas",)
    """The attributes that stay when the page is shown to a room: the picture, and what it says of itself."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.look = session, look
        self.copier: NumbersCopier | None = None
        self.withheld = ""
        """Why what is computed is not to be seen now; see `withhold`. Empty if it is."""
        self.moves = True
        """Whether anything may move by itself; see `set_moves`."""
        self.is_alone = False
        """Whether its `presented` parts have the room of the page for themselves."""
        self.setObjectName("page")

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show ``new``; called after every change while the page is visible, and with ``old`` equal to it on entry."""
        raise NotImplementedError

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        raise NotImplementedError

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        """Return what stands in the menu of the page."""
        return ()

    def focus_first(self) -> None:
        """Give the keyboard to what matters most."""
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give the keyboard back to the picture once a number was typed and entered."""
        if event.key() in ENTER and isinstance(self.focusWidget(), NumberBox):
            self.focus_first()
        else:
            super().keyPressEvent(event)

    def stand_alone(self, alone: bool) -> None:
        """Lay out the `presented` parts for all of the room, or everything as usual."""
        if alone != self.is_alone:
            self.is_alone = alone
            self.set_look(self.look)

    def stop(self) -> None:
        """End whatever moves by itself."""

    def leave(self) -> None:
        """End that, and what is computed for nobody: the page is not seen any more."""
        self.stop()

    def set_moves(self, moves: bool) -> None:
        """Let things move by themselves, or have what would play go one step at each press."""
        self.moves = moves

    def withhold(self, why: str) -> bool:
        """Show “?” for all that is computed, and give nothing of it away, until it is called with an empty text.

        Parameters
        ----------
        why : str
            Said to somebody who wants to take something away meanwhile.

        Returns
        -------
        bool
            Whether the page can do that. One that cannot must be covered as a whole.
        """
        self.withheld = why
        is_possible = self.show_withheld()
        self.withholding.emit()
        return is_possible

    def show_withheld(self) -> bool:
        """Show “?” while `withheld`, or everything again; return whether the page can do that."""
        return False

    def ask_for_place(self, wanted: bool) -> None:
        """Let a click on the picture choose a place, which `guessed` then gives; of pages that have a plane."""

    def show_guess(self, place: tuple[float, float] | None) -> None:
        """Mark a place that somebody has chosen, or none."""

    def settle(self, seconds: float = 30.0) -> None:
        """Go on handling events until nothing is being computed any more, for pictures without a window."""

    # ---- Taking it away ----

    def figure(self) -> Figure:
        """Return what is on show as a figure, to be drawn and written elsewhere.

        Raises
        ------
        ExplorerError
            There is nothing to take away yet; the message says what to do.
        """
        raise NotImplementedError

    @property
    def reason_against_taking(self) -> str:
        """Why the picture on show is not that of the state and cannot be taken away as such; empty if it can."""
        return ""

    def offer_taking(self, menu: QMenu) -> None:
        """Add to a context menu what can be taken away."""
        menu.addAction("Copy picture", self.copy_picture)
        menu.addAction("Copy numbers", self.copy_numbers)
        menu.addAction("Export…", self.export)
        menu.addAction("Code in NumPy…", self.code_wanted.emit)

    def export(self) -> None:
        """Ask for a file and write the picture or the numbers to it."""
        from attention_explorer.ui.export.dialog import export_with_dialog

        self._say_or_refuse(lambda: export_with_dialog(self, self.figure()))

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""
        self._say_or_refuse(self._copy_picture)

    def copy_numbers(self) -> None:
        """Put the numbers on the clipboard as soon as the worker has made a text of them."""
        self._say_or_refuse(self._copy_numbers)

    def _copy_picture(self) -> str:
        from attention_explorer.ui.export.figure import figure_image

        QGuiApplication.clipboard().setImage(figure_image(self.figure(), CLIPBOARD_SCALE))
        return "The picture is on the clipboard."

    def _copy_numbers(self) -> str:
        from attention_explorer.ui.export.clipboard import NumbersCopier

        if self.copier is None:
            self.copier = NumbersCopier(self)
            self.copier.under_way.connect(self.under_way)
            self.copier.done.connect(self.done)
            self.copier.refused.connect(self.refused)
        self.copier.copy(self.figure())
        return ""

    def _say_or_refuse(self, work: Callable[[], str]) -> None:
        """Take something away and say what that returns, or say why it cannot be done."""
        try:
            reason = self.withheld or self.reason_against_taking
            if reason:
                raise ExplorerError(reason)
            message = work()
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        if message:
            self.done.emit(message)


@dataclass(frozen=True, slots=True)
class PageEntry:
    """How a page is found: its name in files and settings, its title, its icon, and how to make it.

    ``figures`` gives by name what the page shows of a state, without a window: ``picture`` first, which every page has.
    ``examples`` gives names, fit for a file name, with states that show the page at its best; the gallery draws them.
    """

    id: str
    title: str
    icon: str
    tip: str
    make: Callable[[Session, Look], Page]
    figures: Mapping[str, Callable[[ExplorerState], Figure]]
    examples: Callable[[], Iterable[tuple[str, ExplorerState]]]
    is_new_house: bool = False
    """Whether all of it is in a folder of `pages`, and not in folders of `state` and `ui`."""

    @property
    def package(self) -> str:
        """The package in which its window part is."""
        return f"attention_explorer.{'pages' if self.is_new_house else 'ui'}.{self.id}"

    @property
    def kind(self) -> type[Page]:
        """The class of the page, which says what keys it has without one being made."""
        found: type[Page] = getattr(import_module(f"{self.package}.page"), f"{self.id.capitalize()}Page")
        return found

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


def _examples(page: str) -> Iterable[tuple[str, ExplorerState]]:
    from attention_explorer.state.ready_made import presets_of

    return ((ready.id, ready.state) for ready in presets_of(page))


def _make_lookup(session: Session, look: Look) -> Page:
    from attention_explorer.ui.lookup.page import LookupPage

    return LookupPage(session, look)


def _lookup_figure(state: ExplorerState) -> Figure:
    from attention_explorer.ui.lookup.figure import LookupFigure

    return LookupFigure(state.lookup)


def _make_heads(session: Session, look: Look) -> Page:
    from attention_explorer.ui.heads.page import HeadsPage

    return HeadsPage(session, look)


def _heads_figure(state: ExplorerState, picture: str = "") -> Figure:
    from attention_explorer.ui.heads.figure import HeadsFigure

    return HeadsFigure(state.heads.with_view(picture=picture) if picture else state.heads)


def _heads_wall(state: ExplorerState) -> Figure:
    from attention_explorer.ui.heads.figure import HeadsFigure

    return HeadsFigure(state.heads, is_wall=True)


def _make_positions(session: Session, look: Look) -> Page:
    from attention_explorer.ui.positions.page import PositionsPage

    return PositionsPage(session, look)


def _positions_figure(state: ExplorerState) -> Figure:
    from attention_explorer.ui.positions.figure import PositionsFigure

    return PositionsFigure(state.positions)


def _make_block(session: Session, look: Look) -> Page:
    from attention_explorer.ui.block.page import BlockPage

    return BlockPage(session, look)


def _block_figure(state: ExplorerState) -> Figure:
    from attention_explorer.ui.block.figure import block_figure

    return block_figure(state.block)


def _make_scaling(session: Session, look: Look) -> Page:
    from attention_explorer.ui.scaling.page import ScalingPage

    return ScalingPage(session, look)


def _scaling_figure(state: ExplorerState) -> Figure:
    from attention_explorer.ui.scaling.figure import scaling_figure

    return scaling_figure(state.scaling)


def _make_cost(session: Session, look: Look) -> Page:
    from attention_explorer.ui.cost.page import CostPage

    return CostPage(session, look)


def _cost_figure(state: ExplorerState) -> Figure:
    from attention_explorer.ui.cost.figure import cost_figure

    return cost_figure(state.cost)


def imported(path: str) -> Callable[..., Any]:
    """Return what is loaded when it is first called, by its path: “pages.training.page.TrainingPage”."""

    def call(*given: object) -> Any:  # noqa: ANN401 # whatever that returns
        module, _, name = path.rpartition(".")
        return getattr(import_module(f"attention_explorer.{module}"), name)(*given)

    return call


PAGES: tuple[PageEntry, ...] = (
    PageEntry(
        "lookup",
        "Lookup",
        "lookup",
        "Drag a query and watch a lookup blend or snap",
        _make_lookup,
        {PICTURE: _lookup_figure},
        partial(_examples, "lookup"),
    ),
    PageEntry(
        "heads",
        "Heads",
        "heads",
        "Type a sentence, see every head, believe every number",
        _make_heads,
        {
            PICTURE: _heads_figure,
            "map": partial(_heads_figure, picture="heatmap"),
            **{name: partial(_heads_figure, picture=name) for name in ("lines", "stages", "compare", "marked")},
            "wall": _heads_wall,
        },
        partial(_examples, "heads"),
    ),
    PageEntry(
        "positions",
        "Positions",
        "positions",
        "See how a transformer knows where a token stands",
        _make_positions,
        {PICTURE: _positions_figure},
        partial(_examples, "positions"),
    ),
    PageEntry(
        "block",
        "Block",
        "block",
        "Follow data through a whole layer, and see what its parts do",
        _make_block,
        {PICTURE: _block_figure},
        partial(_examples, "block"),
    ),
    PageEntry(
        "scaling",
        "Scaling",
        "scaling",
        "See why scores are divided by √d_k, and what the softmax does to them",
        _make_scaling,
        {PICTURE: _scaling_figure},
        partial(_examples, "scaling"),
    ),
    PageEntry(
        "cost",
        "Cost",
        "cost",
        "Count what attention costs, and measure it here",
        _make_cost,
        {PICTURE: _cost_figure},
        partial(_examples, "cost"),
    ),
    PageEntry(
        "training",
        "Training",
        "training",
        "Watch attention come into being: a tiny network learns a task",
        imported("pages.training.page.TrainingPage"),
        {PICTURE: lambda state: imported("pages.training.figure.training_figure")(state.training)},
        partial(_examples, "training"),
        is_new_house=True,
    ),
)
"""The pages in the order of the rail. A page is made when it is first shown."""
