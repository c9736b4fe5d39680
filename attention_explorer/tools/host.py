"""What tools may ask of the window that they are opened in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QWidget

from attention_explorer.kit.theme import Look
from attention_explorer.pages.registry import ReadyMade
from attention_explorer.pages.ui.page import Page
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import Settings

if TYPE_CHECKING:
    from attention_explorer.tools.registry import Tools


class Host(QMainWindow):
    """A window with pages, one of them on show, as tools see it.

    Signals
    -------
    worn : ()
        The window has put on another look.
    guessed : (x, y)
        A place was chosen on the page on show, which was asked for one.
    turned : ()
        Another page is shown, or the one on show is covered or uncovered.
    """

    worn = Signal()
    guessed = Signal(object)
    turned = Signal()

    session: Session
    settings: Settings
    look: Look
    tools: Tools
    instead: QWidget | None
    """What is shown in place of the page; None if that is on show."""

    @property
    def page(self) -> Page:
        """The page on show."""
        raise NotImplementedError

    @property
    def kept_folder(self) -> Path | None:
        """Where what is not saved is kept; None where nothing is, as for pictures without anybody before them."""
        raise NotImplementedError

    def show_page(self, identifier: str) -> None:
        """Show a page, making it if it was not shown before; an unknown name shows the first."""
        raise NotImplementedError

    def show_preset(self, ready: ReadyMade) -> None:
        """Show a preset on its page; undo brings back what was there."""
        raise NotImplementedError

    def light(self, names: tuple[str, ...]) -> None:
        """Dim the page on show but for some parts, by their names; for none, dim nothing."""
        raise NotImplementedError

    def show_lit(self) -> None:
        """Scroll the page to what is lit, or to its top where nothing is."""
        raise NotImplementedError

    def cover(self, words: str) -> None:
        """Show words in place of the page, until it may be seen."""
        raise NotImplementedError

    def uncover(self) -> None:
        """Show the page again."""
        raise NotImplementedError

    def show_instead(self, other: QWidget, button: str) -> None:
        """Show something in place of the page and what stands around it, as the rail's button of that name says."""
        raise NotImplementedError

    def show_page_again(self) -> None:
        """Show the page again in place of what was shown instead, if anything was."""
        raise NotImplementedError

    def stand_above(self, card: QWidget) -> None:
        """Let a card stand above whatever page is on show."""
        raise NotImplementedError

    def stand_below(self, words: QWidget) -> None:
        """Let words stand below whatever page is on show."""
        raise NotImplementedError

    def set_bare(self, zoom: float) -> None:
        """Show the page alone at a size of its own, without menus, rail and status bar; 0 shows the whole window."""
        raise NotImplementedError

    def tell(self, text: str) -> None:
        """Say for some seconds what was done, or why something was refused."""
        raise NotImplementedError

    def could_not_open(self, path: Path, reason: str) -> None:
        """Say why a file cannot be opened."""
        raise NotImplementedError

    def actions_offered(self) -> list[QAction]:
        """Return what the menus offer on every page, each with its id as its name."""
        raise NotImplementedError

    @staticmethod
    def keys_offered() -> list[tuple[str, str]]:
        """Return every shortcut that works on all pages with what it does, for the help."""
        raise NotImplementedError
