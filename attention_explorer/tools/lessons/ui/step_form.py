"""The form of a recorded step: what is said there, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPlainTextEdit, QSizePolicy, QWidget

from attention_explorer.kit.controls.choice import TellingBox
from attention_explorer.kit.controls.made import name_of
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Step
from attention_explorer.tools.lessons.recording import Moment
from attention_explorer.tools.lessons.words import spoken

LOOKING = "Looking for questions …"


class WordsField(QPlainTextEdit):
    """Some lines of words. Tab leaves it, and Esc gives up what was typed there, then leaves it too.

    Signals
    -------
    left : ()
        The keyboard is to go back to the page.
    """

    left = Signal()

    def __init__(self, lines: int) -> None:
        super().__init__()
        self._lines, self._before = lines, ""
        self.setTabChangesFocus(True)
        self.setAccessibleName("What is said at this step")
        self.setToolTip("Grey words are proposed, and stand in the lesson unless you write others. **bold**, *italic*")

    def set_look(self, look: Look) -> None:
        """Take another size: as high as its lines."""
        frame = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        self.setFixedHeight(self._lines * self.fontMetrics().lineSpacing() + frame + look.px(4))

    def propose(self, words: str) -> None:
        """Show words in grey while there are none."""
        self.setPlaceholderText(words)
        self.viewport().update()  # Qt paints other words only where there were none before

    def show_text(self, text: str) -> None:
        """Show words without telling anybody, unless they are there already."""
        if text != self.toPlainText():
            with QSignalBlocker(self):
                self.setPlainText(text)
            self._before = text

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._before = self.toPlainText()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() is QEvent.Type.KeyPress:
                if self.toPlainText() != self._before:
                    self.setPlainText(self._before)
                else:
                    self.left.emit()
                return True
        return super().event(event)


class StepForm(QWidget):
    """What is said at a step, and the question that is asked there, if any.

    Signals
    -------
    worded : str
        Words were typed; none for what is proposed.
    asked : Step or None
        A question is to be asked, or none.
    left : ()
        The keyboard is to go back to the page.
    """

    worded = Signal(str)
    asked = Signal(object)
    left = Signal()

    def __init__(self, look: Look, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words, self.ask, self.questions = WordsField(lines), QCheckBox("&Ask"), TellingBox()
        self._offered: tuple[Step, ...] = ()
        self.ask.setAccessibleName("Ask a question at this step")
        self.ask.setToolTip("Ask this before it is seen. What is said comes after the answer then.")
        self.questions.setAccessibleName("Question")
        self.questions.setToolTip("What is asked: the answer is computed, and hidden until it is given")
        self.questions.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(name_of(self.words, "&Say"), 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.words, 0, 1)
        self.words.textChanged.connect(lambda: self.worded.emit(self.words.toPlainText()))
        self.words.left.connect(self.left)
        self.ask.clicked.connect(self._ask)
        self.questions.activated.connect(lambda _index: self._ask(True))
        self.set_look(look)

    def stand_beside(self) -> None:
        """Have the question beside the words, where there is little height."""
        self._grid.addWidget(self.ask, 0, 2, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self.questions, 0, 3, Qt.AlignmentFlag.AlignTop)
        self._grid.setColumnStretch(1, 3)
        self._grid.setColumnStretch(3, 2)

    def stand_below(self) -> None:
        """Have the question below the words."""
        self._grid.addWidget(self.ask, 1, 0)
        self._grid.addWidget(self.questions, 1, 1)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self._grid.setHorizontalSpacing(look.px(8))
        self._grid.setVerticalSpacing(look.px(6))
        self.words.set_look(look)

    def show_moment(self, moment: Moment | None, offered: Sequence[Step] | None, why_none: str) -> None:
        """Show a step, with the questions that can be asked there.

        Parameters
        ----------
        moment : Moment or None
            The step; None if there is none.
        offered : sequence of Step or None
            The questions; None while they are looked for.
        why_none : str
            Why there are none, if there are none.
        """
        own = () if moment is None or moment.question is None else (moment.question,)
        texts = [step.text for step in own]
        self._offered = (*own, *(step for step in offered or () if step.text not in texts))
        self.setEnabled(moment is not None)
        self.words.propose("" if moment is None or moment.is_own else moment.words)
        self.words.show_text(moment.words if moment is not None and moment.is_own else "")
        with QSignalBlocker(self.questions):
            self.questions.clear()
            self.questions.addItems(
                [spoken(step.text) for step in self._offered] or [LOOKING if offered is None else why_none]
            )
        can_ask = moment is not None and bool(self._offered)
        self.ask.setEnabled(can_ask)
        self.questions.setEnabled(can_ask)
        self.ask.setChecked(bool(own))

    def _ask(self, is_asked: bool) -> None:
        chosen = self.questions.currentIndex()
        self.asked.emit(self._offered[chosen] if is_asked and self._offered else None)
