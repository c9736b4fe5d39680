"""The card of a lesson: what to do or what is asked, an answer, what it is worth, and the way on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
)

from attention_explorer.kit.tab_order import in_order
from attention_explorer.pages.lessons.answers import Outcome
from attention_explorer.pages.lessons.asking import Asked, Asking, Choosing, EnterButton, Typing
from attention_explorer.pages.lessons.asking_bars import Bars
from attention_explorer.pages.lessons.asking_picks import Cells, Order, Words
from attention_explorer.pages.lessons.lesson import Kind
from attention_explorer.pages.lessons.words import rich, spoken
from attention_explorer.ui.controls.card import Card
from attention_explorer.ui.controls.term_label import TermLabel
from attention_explorer.ui.theme import Look

NARROW = 760
"""Pixels at 100 % below which the buttons stand in a line of their own."""
WIDEST_TEXT, WIDEST = 900, 1240
"""Of a line of words, and of all that is in the card: on a large screen the buttons stay near the words."""


@dataclass(frozen=True, slots=True)
class CardView:
    """All that the card shows.

    Attributes
    ----------
    title : str
        Of the lesson.
    step, count : int
        The step from 0, and how many there are.
    text : str
        What to do, with the marks of lessons.
    question : Asked or None
        What is asked; None for a task, and once it is answered where nothing is to be seen of the answer.
    outcome : Outcome or None
        The answer and the truth, once they are known.
    hint, verdict : str
        What is said below the text; empty for nothing.
    has_back, has_hint, has_skip, has_another : bool
        Which buttons are there; *Show me* is, wherever something can be skipped.
    next_text : str
        The words of the button that goes on; empty for none.
    """

    title: str
    step: int
    count: int
    text: str
    question: Asked | None = None
    outcome: Outcome | None = None
    hint: str = ""
    verdict: str = ""
    has_back: bool = False
    has_hint: bool = False
    has_skip: bool = False
    has_another: bool = False
    next_text: str = ""


class LessonCard(Card):
    """Stands above the page while a lesson is under way.

    Signals
    -------
    given : object
        An answer, as `Asking` gives it.
    written : str
        What the field for the answer says now.
    term_wanted : str
        A term is to be explained, by its name.
    """

    given = Signal(object)
    written = Signal(str)
    term_wanted = Signal(str)

    def __init__(self, look: Look) -> None:
        self._title, self._count = QLabel(), QLabel()
        self._text, self._hint, self._verdict = _words(), _words(), _words()
        self.back, self.hint, self.tell = EnterButton("Back"), EnterButton("Hint"), EnterButton("Show me")
        self.another, self.skip, self.next = EnterButton("Another one"), EnterButton("Skip"), EnterButton("Next")
        self.leave = EnterButton("Leave the lesson")
        self._asked = Asking()
        self._view: CardView | None = None
        super().__init__(look)
        self.setAccessibleName("Lesson")
        self._title.setObjectName("cardTitle")
        self._count.setObjectName("muted")
        for widget in (self._title, self._count):
            self.head.addWidget(widget)
        self.head.addStretch(1)
        self.head.addWidget(self.leave)
        self.body.addLayout(self.head)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._said = QVBoxLayout()
        self.body.addWidget(self._text)
        self._said.addWidget(self._hint)
        self._said.addWidget(self._verdict)
        self._said.addWidget(self._asked)
        self._foot.addLayout(self._said, 1)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        for button in (self.back, self.hint, self.tell, self.another, self.skip, self.next):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        self._foot.addLayout(self._buttons)
        self.body.addLayout(self._foot)
        for words in (self._text, self._hint, self._verdict):
            words.term_wanted.connect(self.term_wanted)
        self.leave.setToolTip("End the lesson. What you had before it comes back.")
        self.tell.setToolTip("Do it for me, or tell the answer")
        self.skip.setToolTip("Go on without it")
        self.another.setToolTip("Ask the same with other numbers")

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self._look = look
        self._asked.set_look(look)
        for words in (self._text, self._hint, self._verdict):
            words.setMaximumWidth(look.px(WIDEST_TEXT))
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Put the buttons beside the answer, or below it where it is narrow, and nothing too far to the right."""
        if hasattr(self, "_foot"):
            narrow = self.width() < self._look.px(NARROW)
            way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
            self._foot.setDirection(way)
            beside = max(self._look.px(12), self.width() - self._look.px(WIDEST))
            self.body.setContentsMargins(self._look.px(12), self._look.px(9), beside, self._look.px(9))

    # ---- Showing ----

    def show_view(self, view: CardView) -> None:
        """Show a step. What was typed stays while the question is the same."""
        before, self._view = self._view, view
        self._title.setText(view.title)
        place = f"Step {view.step + 1} of {view.count}" if view.step < view.count else "The end"
        self._count.setText(f"{place}  {'●' * min(view.step + 1, view.count)}{'○' * (view.count - view.step - 1)}")
        self._count.setAccessibleName(place)
        _say(self._text, view.text)
        _say(self._hint, f"*Hint:* {view.hint}" if view.hint else "")
        _say(self._verdict, view.verdict)
        if before is None or before.question != view.question:
            self._ask(view.question)
        if view.outcome is not None:
            self._asked.show_truth(*view.outcome)
        for button, shown in (
            (self.back, view.has_back),
            (self.hint, view.has_hint),
            (self.tell, view.has_skip),
            (self.another, view.has_another),
            (self.skip, view.has_skip),
            (self.next, bool(view.next_text)),
        ):
            button.setVisible(shown)
        self.next.setText(view.next_text)
        # Like a chosen one: the one button that leads on stands out.
        self.next.setCheckable(bool(view.next_text))
        self.next.setChecked(bool(view.next_text))

    def _ask(self, asked: Asked | None) -> None:
        """Make what a question is answered with anew."""
        self._asked.setParent(None)  # at once: what is deleted later is seen until then
        self._asked.deleteLater()
        self._asked = Asking() if asked is None else _asking(asked, self._look)
        self._asked.given.connect(self.given)
        self._asked.written.connect(self.written)
        self._said.addWidget(self._asked)
        self._asked.show()  # now: what is shown an event later cannot take the keyboard
        buttons = self.back, self.hint, self.tell, self.another, self.skip, self.next, self.leave
        in_order(self._asked, *buttons)

    @property
    def asking(self) -> Asking:
        """What the question is answered with; an `Asking` that takes nothing if there is none."""
        return self._asked

    def take_keyboard(self) -> None:
        """Give the keyboard to what is to be done here: the answer, or the way on."""
        if self._view is not None and self._view.question is not None and self._view.outcome is None:
            self._asked.first().setFocus()
        else:
            (self.next if self.next.isVisible() else self.leave).setFocus()

    def write(self, text: str) -> None:
        """Write an answer into its field, as if it had been typed."""
        self._asked.write(text)

    # ---- Words ----

    def spoken(self) -> str:
        """Say the step, for a screen reader."""
        return f"{self._title.text()}. {self._count.accessibleName()}. {self._text.accessibleName()}"

    def spoken_verdict(self) -> str:
        """Say what the answer is worth."""
        return self._verdict.accessibleName()


def _asking(asked: Asked, look: Look) -> Asking:
    """Return what a kind of answer is given with."""
    match asked.answer.kind:
        case Kind.CHOICE:
            return Choosing(asked)
        case Kind.TOKEN:
            return Words(asked)
        case Kind.ORDER:
            return Order(asked)
        case Kind.BARS:
            return Bars(asked, look)
        case Kind.CELLS:
            return Cells(asked, look)
    return Typing(asked, look)


class _Words(TermLabel):
    """Wraps within its largest width too: Qt asks how high it is in the width of the card, and would cut a line."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, self.maximumWidth()))


def _words(text: str = "") -> _Words:
    label = _Words()
    label.setWordWrap(True)
    _say(label, text)
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(rich(text))
    label.setAccessibleName(spoken(text))
    label.setVisible(bool(text))
