"""The model's guess beside the sentence, and what it was before words were hidden: found on a worker."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import PICTURE, tell_changed
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.guess import Guessed, guessed
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.sources.source import Recipe

WIDTH, ABOVE = 236, 18
"""Pixels at zoom 1: the room that is kept, or the sentence would jump, and that of the small words above the guess."""
ARROW = " → "


class GuessBeside(QWidget):
    """What the model says; hidden where it says nothing."""

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._withheld = look, False
        self._wanted: HeadsSetup | None = None
        self.found: Guessed | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Guess")
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)
        self.hide()

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
        if self._wanted is not None and self._wanted.recipe != recipe:
            self._forget()

    def _forget(self) -> None:
        self.jobs.cancel()
        self._wanted = None
        self._show(None)

    def show_setup(self, setup: HeadsSetup | None) -> None:
        """Show what is said in a setup, once that is known; None where nothing is."""
        if setup is None:
            self.hide()
            self._forget()
            return
        self.wait_for(setup.recipe)
        if setup == self._wanted:
            return
        self._wanted = setup

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(guessed(setup))

        self.jobs.request(setup, work, replace=True)
        self.update()

    def _on_delivered(self, key: object, found: Guessed | None) -> None:
        if key == self._wanted:
            self._show(found)

    def _on_failed(self, key: object, error: Exception) -> None:
        if not isinstance(error, ExplorerError):
            raise error  # a fault of the program, which is shown as any other
        if key == self._wanted:
            self._show(None)  # the picture says why

    def _show(self, found: Guessed | None) -> None:
        self.found = found
        self._tell()

    def _tell(self) -> None:
        self.setToolTip(self.spoken())
        self.update()
        tell_changed(self)

    def spoken(self) -> str:
        """Return the guess in words."""
        if self._withheld:
            return "The model’s guess: hidden until you answer"
        return "" if self.found is None else self.found.spoken

    # ---- Painting ----

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(WIDTH), self._look.px(ABOVE + 26))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _runs(self, found: Guessed) -> list[tuple[str, str, bool]]:
        """Return what stands in the large line: text, colour, and whether it is bold."""
        theme = self._look.theme
        now = (found.now.word, theme.output_ink, True)
        return [now] if found.before is None else [(found.before.word + ARROW, theme.muted, False), now]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, look, found = QPainter(self), self._look, self.found
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(look.font(13))
        painter.setPen(QColor(look.theme.muted))
        if self._withheld or found is None:
            unknown = "?" if self._withheld else "…" * self.jobs.is_busy()
            about, runs = "the model says:" * bool(unknown), [(unknown, look.theme.muted, True)]
        else:
            about, runs = f"the model says: {found.now.about}", self._runs(found)
        painter.drawText(QRectF(0, 0, self.width(), look.px(ABOVE)), middle, about)
        left, size = 0.0, self._fitting(runs)
        for text, colour, is_bold in runs:
            font = look.font(size, bold=is_bold)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(left, look.px(ABOVE), self.width() - left, look.px(26)), middle, text)
            left += QFontMetricsF(font).horizontalAdvance(text)
        if runs and found is not None and not self._withheld:
            painter.setFont(look.font(13))
            painter.setPen(QColor(look.theme.muted))
            beside = QRectF(left + look.px(8), look.px(ABOVE + 2), self.width() - left, look.px(26))
            painter.drawText(beside, middle, percent(found.now.probability))
        painter.end()

    def _fitting(self, runs: list[tuple[str, str, bool]]) -> float:
        """Return the largest size of type in which the words have room."""
        for size in (22.0, 19.0, 16.0):
            fonts = ((self._look.font(size, bold=is_bold), text) for text, _, is_bold in runs)
            if sum(QFontMetricsF(font).horizontalAdvance(text) for font, text in fonts) <= self.width():
                return size
        return 13.0
