"""What a question is answered with in the card: a field, sentences, words, cells, bars, or things to put in order."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QPushButton, QRadioButton, QSizePolicy, QWidget

from attention_explorer.kit.controls.number_box import ENTER
from attention_explorer.kit.controls.undo_keys import UndoKeys
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.answers import Given, Offer, Right
from attention_explorer.tools.lessons.calculating import EXAMPLE
from attention_explorer.tools.lessons.lesson import Answer, Kind
from attention_explorer.tools.lessons.words import TYPED, spoken


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is put.

    Attributes
    ----------
    answer : Answer
        What is asked for.
    offer : Offer
        The names that it is answered with.
    seed : int
        Tells the cases of a question apart.
    check : str
        What the button says that gives the answer.
    """

    answer: Answer
    offer: Offer
    seed: int = 0
    check: str = "Check"


class Asking(QWidget):
    """Takes an answer. It is a kind of answer's own widget; this one takes none.

    Signals
    -------
    given : object
        The answer: what was typed, the place of a sentence (None if none was chosen), or as `Given` says.
    written : str
        What stands in the field now, before it is the answer.
    """

    given = Signal(object)
    written = Signal(str)

    def first(self) -> QWidget:
        """Return what takes the keyboard."""
        return self

    def show_truth(self, given: Given | None, truth: Right) -> None:
        """Show the truth beside the guess, which there is not if somebody had it told. Nothing more is taken."""

    def write(self, text: str) -> None:
        """Write into the field, if there is one."""

    def set_look(self, look: Look) -> None:
        """Wear another size."""


class EnterButton(QPushButton):
    """A button that Enter presses too, as people expect after a field where Enter checks what they typed."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class SkipButton(EnterButton):
    """Does not answer to a double click: it stands where *Next* stood, and the second click was meant for that."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()


class AskingLine(QHBoxLayout):
    """A line that begins with what answers, and *Check* behind it."""

    def __init__(self, asked: Asked, *before: QWidget) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.check = EnterButton(asked.check)
        for widget in (*before, self.check):
            self.addWidget(widget)
        self.addStretch(1)


class Typing(Asking):
    """Takes what is typed."""

    def __init__(self, asked: Asked, look: Look) -> None:
        super().__init__()
        name = TYPED[asked.answer.kind]
        self.field: QLineEdit = QLineEdit()
        self.field.setMaxLength(200)
        self.field.setAccessibleName(name)
        is_number = asked.answer.kind is Kind.NUMBER
        self.field.setPlaceholderText(f"{name}, or {EXAMPLE}" if is_number else name)
        UndoKeys(self.field, lambda: False)
        line = AskingLine(asked, self.field)
        self.setLayout(line)
        self.field.returnPressed.connect(self._give)
        line.check.clicked.connect(self._give)
        self.field.textChanged.connect(self.written)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        self.field.setFixedWidth(look.px(260))

    def first(self) -> QWidget:
        return self.field

    def write(self, text: str) -> None:
        self.field.setText(text)

    def _give(self) -> None:
        self.given.emit(self.field.text())


class Sentence(QRadioButton):
    """A button whose words wrap, which those of Qt do not."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = spoken(words)
        self.setAccessibleName(self._words)
        self.setText(self._words.replace("&", "&&"))
        self.be_whole(False)

    def be_whole(self, is_whole: bool) -> None:
        """Stand in one line, as wide as its words, or take whatever room there is."""
        policy = QSizePolicy.Policy
        self.setMinimumWidth(self.whole_width() if is_whole else 0)
        self.setSizePolicy(policy.Fixed if is_whole else policy.Ignored, policy.Fixed)

    def whole_width(self) -> int:
        """Return how wide it is with its words in one line."""
        metrics = self.fontMetrics()
        return metrics.horizontalAdvance(self._words) + 3 * metrics.height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        metrics = self.fontMetrics()
        room = self.width() - 2 * metrics.height()  # beside the ring
        lines = [""]
        for word in self._words.split():
            longer = f"{lines[-1]} {word}".strip()
            if metrics.horizontalAdvance(longer) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        self.setText("\n".join(lines).strip().replace("&", "&&"))


class Choosing(Asking):
    """Takes one of several sentences, which stand in one line if they are short, so that the page keeps its room."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self.options = tuple(Sentence(option.say) for option in asked.answer.options)
        for button in self.options:
            self._parts.addWidget(button)
        line = AskingLine(asked)
        line.check.clicked.connect(self._give)
        self._check = line.check
        self._parts.addLayout(line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        whole = sum(button.whole_width() for button in self.options)
        gaps = len(self.options) * self._parts.spacing()
        fit = whole + gaps + self._check.sizeHint().width() <= self.width()
        for button in self.options:
            button.be_whole(fit)
        way = QBoxLayout.Direction.LeftToRight if fit else QBoxLayout.Direction.TopToBottom
        self._parts.setDirection(way)

    def first(self) -> QWidget:
        return self.options[0]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and not event.isAutoRepeat():
            self._give()
        else:
            super().keyPressEvent(event)

    def _give(self) -> None:
        chosen = next((place for place, button in enumerate(self.options) if button.isChecked()), None)
        self.given.emit(chosen)
