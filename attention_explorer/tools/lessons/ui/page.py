"""The list of lessons, with what was done of each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Done, Progress
from attention_explorer.tools.lessons.results import LONGEST_NAME

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
    forgotten : Lesson or None
        The progress in it is to be forgotten, or all progress.
    result_wanted : str
        What was done is to be written to a file, under this name, which may be empty.
    """

    chosen = Signal(object)
    printed = Signal(object)
    forgotten = Signal(object)
    result_wanted = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        look: Look,
        lessons: Sequence[Lesson],
        progress: Progress,
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
        words = QVBoxLayout()
        title = QLabel(f"{self._lessons.index(lesson) + 1}. {lesson.title}")
        title.setObjectName("cardTitle")
        said = QLabel(" · ".join(filter(None, (f"{lesson.minutes:g} minutes", done.words(lesson)))))
        said.setObjectName("muted")
        words.addWidget(title)
        words.addWidget(said)
        start = QPushButton("Continue" if done.step else "Again" if done.finished else "Start")
        start.setAccessibleName(f"{start.text()}: {lesson.title}")
        start.clicked.connect(lambda: self._choose(lesson))
        line = QHBoxLayout()
        line.addLayout(words, 1)
        line.addWidget(self._printing(lesson))
        if done != Done():
            forget = QPushButton("Reset")
            forget.setAccessibleName(f"Reset: {lesson.title}")
            forget.setToolTip("Forget what I did in this lesson")
            forget.setAutoDefault(False)
            forget.clicked.connect(lambda: self._forget(lesson))
            line.addWidget(forget)
        line.addWidget(start)
        card.body.addLayout(line)
        rows.addWidget(card)
        return start

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
        forget.setEnabled(bool(progress.lessons))
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
        write.setEnabled(bool(progress.lessons))
        foot.addWidget(forget)
        foot.addStretch(1)
        foot.addWidget(self.name)
        foot.addWidget(write)
        foot.addWidget(close)
        return foot

    def _choose(self, lesson: Lesson) -> None:
        self.accept()
        self.chosen.emit(lesson)

    def _forget(self, lesson: Lesson | None) -> None:
        self.forgotten.emit(lesson)
        self.reject()
