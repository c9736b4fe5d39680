"""The list of lessons, with what was done of each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Done, Progress
from attention_explorer.tools.lessons.recall import due, row_words
from attention_explorer.tools.lessons.results import LONGEST_NAME
from attention_explorer.tools.lessons.taking import BEFORE, TAKES

ABOUT = (
    "First you say what will happen, then you see it. What you have open now comes back when a lesson ends, and a "
    "lesson goes on where you left it."
)


class LessonList(QDialog):
    """Offers the lessons.

    Signals
    -------
    chosen : Lesson
        It is to begin, or to go on.
    printed : Lesson
        It is to be written as a PDF, for paper.
    taken : str
        The thirty questions are to be taken: `BEFORE` the lessons or `AFTER` them.
    recalled : Lesson
        Three questions of it are to be asked again.
    forgotten : Lesson or None
        The progress in it is to be forgotten, or all progress.
    result_wanted : str
        What was done is to be written to a file, under this name, which may be empty.
    """

    chosen = Signal(object)
    printed = Signal(object)
    taken = Signal(str)
    recalled = Signal(object)
    forgotten = Signal(object)
    result_wanted = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        look: Look,
        lessons: Sequence[Lesson],
        progress: Progress,
        bank: Lesson,
        today: date,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Lessons")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._lessons = look, tuple(lessons)
        self.starts: tuple[QPushButton, ...] = ()
        self._column = QVBoxLayout(self)
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        about.setObjectName("muted")
        self._column.addWidget(about)
        self._rows = QWidget()
        self._rows.setObjectName("panel")
        rows = QVBoxLayout(self._rows)
        rows.setContentsMargins(0, 0, 0, 0)
        for lesson in due(progress, self._lessons, today)[:1]:  # one lesson at a time: three questions, no more
            rows.addWidget(self._again(lesson, progress.of(lesson), today))
        rows.addWidget(self._thirty(bank, progress))
        self.starts = tuple(self._row(rows, lesson, progress.of(lesson)) for lesson in self._lessons)
        rows.addStretch(1)
        self._column.addWidget(ColumnScroll(self._rows), 1)
        self._column.addLayout(self._foot(progress))
        self._lead(progress)
        high = look.px(100) + about.heightForWidth(look.px(530)) + self._rows.sizeHint().height()
        self.resize(look.px(620), min(high, max(parent.height() - 40, 300)))

    def _lead(self, progress: Progress) -> None:
        """Let the lesson stand out that comes next: the first that was begun, or else was not finished."""
        begun = [bool(progress.of(lesson).step) for lesson in self._lessons]
        open_ones = [not progress.of(lesson).finished for lesson in self._lessons]
        following = next((found.index(True) for found in (begun, open_ones) if True in found), 0)
        start = self.starts[following]
        start.setCheckable(True)
        start.setChecked(True)
        start.setDefault(True)
        start.setFocus()

    def _row(self, rows: QVBoxLayout, lesson: Lesson, done: Done) -> QPushButton:
        card = Card(self._look)
        words = _two_lines(f"{self._lessons.index(lesson)}. {lesson.title}", _minutes(lesson), done.words(lesson))
        start = QPushButton("Continue" if done.step else "Again" if done.finished else "Start")
        start.setAccessibleName(f"{start.text()}: {lesson.title}")
        start.clicked.connect(lambda: self._choose(lesson))
        line = QHBoxLayout()
        line.addLayout(words, 1)
        line.addWidget(self._printing(lesson))
        if done != Done():
            line.addWidget(self._resetting(lesson, "Forget what I did in this lesson"))
        line.addWidget(start)
        card.body.addLayout(line)
        rows.addWidget(card)
        return start

    def _again(self, lesson: Lesson, done: Done, today: date) -> Card:
        """Return the row of the questions of a lesson that come again."""
        card, line = Card(self._look), QHBoxLayout()
        title, said = row_words(lesson, done, today)
        line.addLayout(_two_lines(title, said), 1)
        ask = QPushButton("Ask me")
        ask.setAccessibleName(f"Ask me: {title}")
        ask.setToolTip("Questions of a lesson come again two days after it, and after seven")
        ask.setAutoDefault(False)
        ask.clicked.connect(lambda: self._ask_again(lesson))
        line.addWidget(ask)
        card.body.addLayout(line)
        return card

    def _ask_again(self, lesson: Lesson) -> None:
        self.accept()
        self.recalled.emit(lesson)

    def _thirty(self, bank: Lesson, progress: Progress) -> Card:
        """Return the row of the questions that no lesson shows."""
        card, line, count = Card(self._look), QHBoxLayout(), len(bank.steps)
        takes = {when: take for when, take in progress.takes.items() if take.bank == bank.mark}
        said = [f"{when}: {takes[when].words(count)}" for when in TAKES if when in takes]
        words = _two_lines(bank.title, *(said or [_minutes(bank), "in no lesson: what do you know before, and after?"]))
        line.addLayout(words, 1)
        card.setToolTip(" · ".join(f"{TAKES[when].capitalize()}: {take.date}" for when, take in takes.items()))
        if takes:
            line.addWidget(self._resetting(bank, "Forget what I answered"))
        for when, called in TAKES.items():
            is_open = when in takes and len(takes[when].replies) < count
            if when == BEFORE and takes and not is_open:
                continue  # what is known before is known once
            button = QPushButton("Continue" if is_open else called.capitalize().replace(" the lessons", ""))
            button.setAccessibleName(f"{'Continue' if is_open else 'Take'} {called}: {bank.title}")
            button.setToolTip(
                f"Take them {called}: nothing is told while you do, and at the end you see how many are right"
            )
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._take, when))
            line.addWidget(button)
        card.body.addLayout(line)
        return card

    def _resetting(self, lesson: Lesson, tip: str) -> QPushButton:
        forget = QPushButton("Reset")
        forget.setAccessibleName(f"Reset: {lesson.title}")
        forget.setToolTip(tip)
        forget.setAutoDefault(False)
        forget.clicked.connect(lambda: self._forget(lesson))
        return forget

    def _printing(self, lesson: Lesson) -> QPushButton:
        button = QPushButton("Hand-out…")
        button.setToolTip("Save it as a PDF to be printed: tasks and questions, then the answers")
        button.setAccessibleName(f"Hand-out: {lesson.title}")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.printed.emit(lesson))
        return button

    def _foot(self, progress: Progress) -> QHBoxLayout:
        foot = QHBoxLayout()
        forget, close = QPushButton("Reset all"), QPushButton("Just explore")
        forget.setAutoDefault(False)
        forget.setEnabled(bool(progress.lessons or progress.takes))
        forget.clicked.connect(lambda: self._forget(None))
        close.clicked.connect(self.reject)
        self.name = QLineEdit()
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName("Your name on the result; may stay empty")
        self.name.setPlaceholderText("Name (optional)")
        self.name.setToolTip("Stands in the file of the result, and is not kept")
        write = QPushButton("Result…")
        write.setToolTip("Save lessons, questions, tries and times to a file (CSV or JSON) for a teacher")
        write.setAutoDefault(False)
        write.clicked.connect(lambda: self.result_wanted.emit(self.name.text()))
        write.setEnabled(bool(progress.lessons or progress.takes))
        foot.addWidget(forget)
        foot.addStretch(1)
        foot.addWidget(self.name)
        foot.addWidget(write)
        foot.addWidget(close)
        return foot

    def _choose(self, lesson: Lesson) -> None:
        self.accept()
        self.chosen.emit(lesson)

    def _take(self, when: str) -> None:
        self.accept()
        self.taken.emit(when)

    def _forget(self, lesson: Lesson | None) -> None:
        self.forgotten.emit(lesson)
        self.reject()


def _minutes(lesson: Lesson) -> str:
    return "1 minute" if lesson.minutes == 1 else f"{lesson.minutes:g} minutes"


def _two_lines(title: str, *said: str) -> QVBoxLayout:
    """Return a title with what is said below it in small letters."""
    words, above, below = QVBoxLayout(), QLabel(title), QLabel(" · ".join(filter(None, said)))
    above.setObjectName("cardTitle")
    below.setObjectName("muted")
    words.addWidget(above)
    words.addWidget(below)
    return words
