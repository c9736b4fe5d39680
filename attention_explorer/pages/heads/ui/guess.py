"""The model's guess beside the sentence, and what it was before words were hidden: found on a worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from PySide6.QtCore import QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.numerals import percent
from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.guess import Guessed, guessed
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.session.jobs import Working
from attention_explorer.sources.source import Recipe

# ---- Found on a worker ----


T = TypeVar("T")


class FoundAside(QObject, Generic[T]):
    """What is found for a setup; the newest one counts. Until its answer is there, that for the same text stays.

    Parameters
    ----------
    find : callable
        (setup) -> the answer, on the worker; an ExplorerError leaves it at None, for the picture says why.
    told : callable
        Called when `found` is another.
    parent : QObject
        The owner.
    """

    def __init__(self, find: Callable[[HeadsSetup], T], told: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._find, self._told = find, told
        self._wanted: HeadsSetup | None = None
        self.found: T | None = None
        self.working = Working(self)

    def keep_for(self, recipe: Recipe | None) -> None:
        """Forget what was found of anything else than this."""
        if self._wanted is not None and self._wanted.recipe != recipe:
            self.working.forget()
            self._wanted = None
            self._show(None)

    def ask(self, setup: HeadsSetup | None) -> None:
        """Ask for a setup; None asks nothing."""
        self.keep_for(None if setup is None else setup.recipe)
        if setup is None or setup == self._wanted:
            return
        self._wanted = setup
        self.working.find_out(lambda: self._find(setup), self._show, lambda _error: self._show(None))

    def _show(self, found: T | None) -> None:
        self.found = found
        self._told()


# ---- The guess ----


WIDTH, ABOVE, LARGE, SMALL = 236, 18, 26, 13.0
"""Pixels at zoom 1: the room that is kept, or the sentence would jump; the heights of small words and of the guess; and
the type of the small ones."""
ARROW = " → "
Run: TypeAlias = tuple[str, str, bool]
NOTHING: tuple[str, list[Run], str] = ("", [], "")


class GuessBeside(QWidget):
    """What the model says; hidden where it says nothing."""

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._withheld = look, False
        self.asked = FoundAside(guessed, self._tell, self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Guess")
        self.hide()

    @property
    def found(self) -> Guessed | None:
        """What was found, if it was."""
        return self.asked.found

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def withhold(self, withheld: bool) -> None:
        """Show “?” while the guess is asked for."""
        self._withheld = withheld
        self._tell()

    def wait_for(self, recipe: Recipe) -> None:
        """Have room for what will be said of a sentence; what was said of another goes."""
        self.show()
        self.asked.keep_for(recipe)

    def show_setup(self, setup: HeadsSetup | None) -> None:
        """Show what is said in a setup, once that is known; None where nothing is."""
        self.setVisible(setup is not None)
        self.asked.ask(setup)
        self.update()

    def _tell(self) -> None:
        self.update()
        if self.toolTip() != self.spoken():
            self.setToolTip(self.spoken())
            tell_changed(self)

    def spoken(self) -> str:
        """Return the guess in words."""
        if self._withheld:
            return "The model’s guess: hidden until you answer"
        return "" if self.found is None else self.found.spoken

    # ---- Painting ----

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(WIDTH), self._look.px(ABOVE + LARGE))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _said(self) -> tuple[str, list[Run], str]:
        """Return the small words above, the large ones with colour and whether they are bold, and the small one behind.

        Nothing where the model cannot be run: the picture says why.
        """
        theme, found = self._look.theme, self.found
        if self._withheld or found is None:
            mark = "?" if self._withheld else "…"
            is_near = self._withheld or self.asked.working.is_awaited
            return ("the model says:", [(mark, theme.muted, True)], "") if is_near else NOTHING
        runs = [(found.now.word, theme.output_ink, True)]
        if found.before is not None:
            runs.insert(0, (found.before.word + ARROW, theme.muted, False))
        return f"the model says: {found.now.about}", runs, percent(found.now.probability)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, look = QPainter(self), self._look
        above, runs, behind = self._said()
        line = QRectF(0, look.px(ABOVE), self.width(), look.px(LARGE))
        self._write(painter, QRectF(0, 0, self.width(), look.px(ABOVE)), above, look.font(SMALL), look.theme.muted)
        size = self._fitting(runs)
        for text, colour, is_bold in runs:
            line.setLeft(self._write(painter, line, text, look.font(size, bold=is_bold), colour))
        line.translate(look.px(8), look.px(2))
        self._write(painter, line, behind, look.font(SMALL), look.theme.muted)
        painter.end()

    @staticmethod
    def _write(painter: QPainter, room: QRectF, text: str, font: QFont, colour: str) -> float:
        """Write a text, and return where it ends."""
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return room.left() + QFontMetricsF(font).horizontalAdvance(text)

    def _fitting(self, runs: list[Run]) -> float:
        """Return the largest size of type in which the words have room, beside how probable the last one is."""
        room = self.width() - self._look.px(56)
        for size in (22.0, 19.0, 16.0):
            fonts = ((self._look.font(size, bold=is_bold), text) for text, _, is_bold in runs)
            if sum(QFontMetricsF(font).horizontalAdvance(text) for font, text in fonts) <= room:
                return size
        return SMALL
