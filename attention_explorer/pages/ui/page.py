"""What every page of the window is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.number_box import ENTER, NumberBox
from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.kit.reach import written
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.requests import Requests, Standing

if TYPE_CHECKING:
    # Loaded when something is taken away: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.kit.export.writing import NumbersCopier

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
    reading_wanted : str
        It is to be asked how the file on show is to be read, of which a row is none of weights, for this reason.
    page_wanted : str
        What was asked for is on another page: its id.
    guessed : (x, y)
        A place of the picture was chosen; see `ask_for_place`.
    code_wanted
        The program that computes what is on show.
    present_wanted
        The page is to be shown large, to a room.
    withholding
        The page keeps an answer to itself from now on, or no longer.
    drawer_turned : bool
        Somebody has opened the drawer with all other controls, or closed it.
    """

    said = Signal(str)
    under_way = Signal(str)
    done = Signal(str)
    refused = Signal(str)
    compare_wanted = Signal()
    files_to_compare_wanted = Signal(object)
    find_wanted = Signal(str)
    reopen_wanted = Signal(str)
    reading_wanted = Signal(str)
    page_wanted = Signal(str)
    guessed = Signal(object)
    code_wanted = Signal()
    present_wanted = Signal()
    withholding = Signal()
    drawer_turned = Signal(bool)

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
        self.on_show: ExplorerState | None = None
        """The state that it shows, also while another page is seen; None where it has to show all of it anew."""
        self.setObjectName("page")

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show ``new``: what of it is not as in ``old``, or all of it where they are one and the same."""
        raise NotImplementedError

    def follow(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show a change; called after every one while the page is visible."""
        if self.on_show != old:  # a drag on another page is taken back as somebody turns to this one
            self.enter(new)
            return
        self.render_state(old, new)
        self.on_show = new

    def enter(self, state: ExplorerState) -> None:
        """Show a state as somebody turns to the page: who comes back to what it shows already waits for nothing."""
        if state != self.on_show:
            self.render_state(state, state)
            self.on_show = state

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        raise NotImplementedError

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        """Return what stands in the menu of the page."""
        return ()

    @classmethod
    def keys_offered(cls) -> list[tuple[str, str]]:
        """Return every gesture and shortcut of the page with what it does, for the help."""
        offered = ((written(each.shortcut), each.text) for each in cls.actions_offered() if each.shortcut)
        return [*cls.gestures, *offered]

    def focus_first(self) -> None:
        """Give the keyboard to what matters most."""
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give the keyboard back to the picture once a number was typed and entered."""
        if event.key() in ENTER and isinstance(self.focusWidget(), NumberBox):
            self.focus_first()
        else:
            super().keyPressEvent(event)

    @property
    def picture_name(self) -> str:
        """Which of its pictures is on show; empty where there is but one."""
        return ""

    def stand_alone(self, alone: bool) -> None:
        """Lay out the `presented` parts for all of the room, or everything as usual."""
        if alone != self.is_alone:
            self.is_alone = alone
            self.on_show = None
            self.set_look(self.look)

    def stop(self) -> None:
        """End whatever moves by itself."""

    def leave(self) -> None:
        """End that, and what is computed for nobody: the page is not seen any more."""
        self.stop()

    def begin_again(self) -> None:
        """Have nothing tried in the view on show: an example was opened, perhaps the same."""

    def begin_open(self, is_open: bool) -> None:
        """Begin with the drawer open, or closed; called before a page that has one shows anything."""

    def set_moves(self, moves: bool) -> None:
        """Let things move by themselves, or have what would play go one step at each press."""
        self.moves = moves

    def offer_model(self, name: str, read: Callable[[], object]) -> None:
        """Offer to read a sentence with a model that is on this computer, where the page has one to read."""

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

    def reveal(self, names: tuple[str, ...]) -> None:
        """Bring parts of the page into sight, by their accessible names, where it keeps them put away."""

    def show_top(self) -> None:
        """Scroll to the top of the page, where its picture is."""

    def show_withheld(self) -> bool:
        """Show “?” while `withheld`, or everything again; return whether the page can do that."""
        return False

    def name_examples(self, named: bool) -> None:
        """Say which example is on show, or do not: in a lesson its title would answer a question."""

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

    def take_file(self, _path: Path) -> bool:
        """Take a file that was opened, or dropped on the window, if it means something to this page alone."""
        return False

    def offer_taking(self, menu: QMenu) -> None:
        """Add to a context menu what can be taken away."""
        menu.addAction("Copy picture", self.copy_picture)
        menu.addAction("Copy numbers", self.copy_numbers)
        menu.addAction("Export…", self.export)
        menu.addAction("Copy as Python", self.copy_script)
        menu.addAction("Code in NumPy…", self.code_wanted.emit)

    def export(self) -> None:
        """Ask for a file and write the picture or the numbers to it."""
        from attention_explorer.kit.export.dialog import export_with_dialog

        self._say_or_refuse(lambda: export_with_dialog(self, self.figure()))

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""
        self._say_or_refuse(self._copy_picture)

    def copy_numbers(self) -> None:
        """Put the numbers on the clipboard as soon as the worker has made a text of them."""
        self._say_or_refuse(self._copy_numbers)

    def copy_script(self) -> None:
        """Put a script on the clipboard that draws the page from Python."""
        self._say_or_refuse(self._copy_script)

    def _copy_script(self) -> str:
        from attention_explorer.pages.as_python import python_of

        QGuiApplication.clipboard().setText(python_of(self.session.state, self.session.page))
        return "A Python script that draws this picture is on the clipboard."

    def _copy_picture(self) -> str:
        from attention_explorer.kit.export.figure import figure_image

        QGuiApplication.clipboard().setImage(figure_image(self.figure(), CLIPBOARD_SCALE))
        return "The picture is on the clipboard."

    def _copy_numbers(self) -> str:
        from attention_explorer.kit.export.writing import NumbersCopier

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


class RequestingPage(Page):
    """A page that requests its pictures. Subclasses make ``requests``, ``note`` and connect `on_requests_changed`."""

    requests: Requests[Any]
    note: RequestNote

    def request_now(self) -> Hashable:
        """Return what the present state asks for."""
        raise NotImplementedError

    def say_spot(self) -> None:
        """Say what the pointer is over; the picture is a new one."""
        raise NotImplementedError

    def on_requests_changed(self) -> None:
        """Say in the status bar how the newest request stands, as far as the note does not."""
        if self.requests.standing is Standing.REFUSED:
            self.refused.emit(self.requests.reason)
        elif self.requests.standing is Standing.CURRENT:
            self.say_spot()

    @property
    def reason_against_taking(self) -> str:
        return self.requests.sentence if self.requests.misleads else ""

    def cancel(self) -> bool:
        """Stop what is being computed; return whether there was something. The old picture stays."""
        return self.requests.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self.cancel():
            super().keyPressEvent(event)

    def leave(self) -> None:
        super().leave()
        self.requests.leave()
        if self.requests.standing is Standing.LEFT:
            self.on_show = None  # it is asked for again

    def settle(self, seconds: float = 30.0) -> None:
        self.requests.jobs.wait(seconds)
