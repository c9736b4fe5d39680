"""What every page of the window is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.ui.theme import Look


@dataclass(frozen=True, slots=True)
class PageAction:
    """Something a page can do, for the menu, the shortcut sheet and the keyboard; an empty text is a separator."""

    text: str
    run: Callable[[], object] = lambda: None
    shortcut: str = ""
    tip: str = ""


class Page(QWidget):
    """A page shows its part of the state and turns what people do into new states. It keeps no copy of the state.

    Signals
    -------
    said : str
        A read-out for the status bar; empty clears it.
    refused : str
        Why something that was asked for cannot be done.
    """

    said = Signal(str)
    refused = Signal(str)

    gestures: tuple[tuple[str, str], ...] = ()
    """What mouse and keys do on the page, for the shortcut sheet: (gesture, what it does)."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.look = session, look
        self.setObjectName("page")

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        """Show ``new``; called after every change while the page is visible, and with ``old`` equal to it on entry."""
        raise NotImplementedError

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        raise NotImplementedError

    def actions_offered(self) -> tuple[PageAction, ...]:
        """Return what stands in the menu of the page."""
        return ()

    def focus_first(self) -> None:
        """Give the keyboard to what matters most."""
        self.setFocus()

    def export(self) -> None:
        """Ask for a file and write the picture or the numbers to it."""
        raise NotImplementedError

    def copy_picture(self) -> None:
        """Put the picture on the clipboard."""
        raise NotImplementedError

    def copy_numbers(self) -> None:
        """Put the numbers on the clipboard."""
        raise NotImplementedError

    def stop(self) -> None:
        """End whatever moves by itself."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """How a page is found: its name in files and settings, its title, its icon, and how to make it."""

    id: str
    title: str
    icon: str
    tip: str
    make: Callable[[Session, Look], Page]


def _make_lookup(session: Session, look: Look) -> Page:
    from attention_explorer.ui.lookup_page import LookupPage

    return LookupPage(session, look)


PAGES: tuple[PageEntry, ...] = (
    PageEntry("lookup", "Lookup", "lookup", "Drag a query and watch a lookup blend or snap", _make_lookup),
)
"""The pages in the order of the rail. A page is made when it is first shown."""
