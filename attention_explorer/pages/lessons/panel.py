"""The card of a lesson: what to do or what is asked, an answer, what it is worth, and the way on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.kit.tab_order import in_order
from attention_explorer.pages.lessons.lesson import Answer, Kind
from attention_explorer.pages.lessons.words import NOT_YET, TYPED, rich, spoken
from attention_explorer.ui.controls.card import Card
from attention_explorer.ui.controls.undo_keys import UndoKeys
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
    question : Answer or None
        What is asked; None for a task, and once it is answered.
    seed : int
        Tells the cases of a question apart.
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
    question: Answer | None = None
    seed: int = 0
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
    given : str or int
        An answer: what was typed, or the place of the sentence that was chosen.
    """

    given = Signal(object)

    def __init__(self, look: Look) -> None:
        self._title, self._count = QLabel(), QLabel()
        self._text, self._hint, self._verdict = _words(), _words(), _words()
        self.back, self.hint, self.tell = QPushButton("Back"), QPushButton("Hint"), QPushButton("Show me")
        self.another, self.skip, self.next = QPushButton("Another one"), QPushButton("Skip"), QPushButton("Next")
        self.leave = QPushButton("Leave the lesson")
        self.field: QLineEdit | None = None
        self.options: tuple[QRadioButton, ...] = ()
        self._asked = QWidget()
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
        self.leave.setToolTip("End the lesson. What you had before it comes back.")
        self.tell.setToolTip("Do it for me, or tell the answer")
        self.skip.setToolTip("Go on without it")
        self.another.setToolTip("Ask the same with other numbers")

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self._look = look
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
        if before is None or (before.question, before.seed) != (view.question, view.seed):
            self._ask(view.question)
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

    def _ask(self, question: Answer | None) -> None:
        """Make the field or the sentences of a question anew."""
        self._asked.setParent(None)  # at once: what is deleted later is seen until then
        self._asked.deleteLater()
        self._asked, self.field, self.options = QWidget(), None, ()
        self._said.addWidget(self._asked)
        if question is not None:
            self._ask_in_its_way(question)
        buttons = self.back, self.hint, self.tell, self.another, self.skip, self.next, self.leave
        in_order(self._asked, *buttons)

    def _ask_in_its_way(self, question: Answer) -> None:
        if question.kind is Kind.CHOICE:
            self._ask_to_choose(question)
        elif question.kind in TYPED:
            self._ask_to_type(TYPED[question.kind])
        else:
            row = QVBoxLayout(self._asked)
            row.addWidget(_words(NOT_YET))

    def _ask_to_choose(self, question: Answer) -> None:
        column = QVBoxLayout(self._asked)
        column.setContentsMargins(0, 0, 0, 0)
        self.options = tuple(QRadioButton(option.say) for option in question.options)
        for button in self.options:
            column.addWidget(button)
        check = QPushButton("Check")
        check.clicked.connect(self._give_choice)
        line = QHBoxLayout()
        line.addWidget(check)
        line.addStretch(1)
        column.addLayout(line)

    def _ask_to_type(self, name: str) -> None:
        row = QHBoxLayout(self._asked)
        row.setContentsMargins(0, 0, 0, 0)
        self.field = field = QLineEdit()
        field.setMaxLength(200)
        field.setAccessibleName(name)
        field.setPlaceholderText(name)
        field.setFixedWidth(self._look.px(260))
        UndoKeys(field, lambda: False)
        check = QPushButton("Check")
        field.returnPressed.connect(lambda: self.given.emit(field.text()))
        check.clicked.connect(lambda: self.given.emit(field.text()))
        row.addWidget(field)
        row.addWidget(check)
        row.addStretch(1)

    def _give_choice(self) -> None:
        chosen = next((place for place, button in enumerate(self.options) if button.isChecked()), None)
        if chosen is not None:
            self.given.emit(chosen)

    def take_keyboard(self) -> None:
        """Give the keyboard to what is to be done here: the answer, or the way on."""
        (self.field or next(iter(self.options), self.next if self.next.isVisible() else self.leave)).setFocus()

    # ---- Words ----

    def spoken(self) -> str:
        """Say the step, for a screen reader."""
        return f"{self._title.text()}. {self._count.accessibleName()}. {self._text.accessibleName()}"

    def spoken_verdict(self) -> str:
        """Say what the answer is worth."""
        return self._verdict.accessibleName()


class _Words(QLabel):
    """Wraps within its largest width too: Qt asks how high it is in the width of the card, and would cut a line."""

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(min(width, self.maximumWidth()))


def _words(text: str = "") -> QLabel:
    label = _Words()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.RichText)
    _say(label, text)
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(rich(text))
    label.setAccessibleName(spoken(text))
    label.setVisible(bool(text))
