"""The lessons as a page: the one that comes next with a large picture, beside the path of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.kit.controls.made import Card, button, discard, in_row, words
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, TAKES, Progress
from attention_explorer.tools.lessons.recall import due, row_words
from attention_explorer.tools.lessons.results import LONGEST_NAME
from attention_explorer.tools.lessons.ui.path import Path, PathCard
from attention_explorer.tools.lessons.ui.pictures import LessonPictures, one_after_another
from attention_explorer.tools.lessons.ui.place import WHAT_WAS_RIGHT

ABOUT_THIRTY = (
    "Thirty questions that no lesson shows: take them before the lessons and after. Nothing is told while you do, and "
    "at the end you see how many are right."
)
ABOUT_AGAIN = "Questions of a lesson come again two days after it, and after seven: what is asked again is kept."
SETTLED = 120
"""Milliseconds after the size has changed, or the look, before the pictures are drawn."""
USUAL_SHAPE = 0.6
"""How high most pictures are, of their width."""
ROOMY = 700
"""Pixels at zoom 1 from which on the line above has room for how many lessons are done."""
LEFT = 0.38
"""Of the width, for what is chosen."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What can be taken, as a card of the path and beside it.

    Attributes
    ----------
    name, about : str
        What it is called, and what it is about.
    words : str
        How long it takes, and what was done of it.
    brief : str
        That in few words, for the card.
    ways : tuple of (str, str, callable)
        What its buttons say, their tips, and what they do; the first stands out.
    picture : Lesson or str
        Whose picture it has, or large letters.
    is_done : bool
        Whether it bears a tick.
    forget : (str, Lesson) or None
        What *Reset* says of it, and what it forgets; None if nothing was done.
    number : str
        Which lesson of the path it is, from 0; empty for what is none.
    """

    name: str
    about: str
    words: str
    brief: str
    ways: tuple[tuple[str, str, Callable[[], object]], ...]
    picture: Lesson | str
    is_done: bool = False
    forget: tuple[str, Lesson] | None = None
    number: str = ""

    @property
    def title(self) -> str:
        """Its name, behind its number in the path if it has one."""
        return f"{self.number}  {self.name}" if self.number else self.name


class LessonsPage(QWidget):
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
    review_wanted
        Which of the thirty questions were right is to be listed.
    result_wanted : str
        What was done is to be written to a file, under this name, which may be empty.
    record_wanted
        A lesson is to be made by doing it.
    closed
        The page that was there before is to be shown again.
    """

    chosen = Signal(object)
    printed = Signal(object)
    taken = Signal(str)
    recalled = Signal(object)
    forgotten = Signal(object)
    review_wanted = Signal()
    result_wanted = Signal(str)
    record_wanted = Signal()
    closed = Signal()

    def __init__(
        self,
        look: Look,
        lessons: Sequence[Lesson],
        progress: Progress,
        bank: Lesson,
        today: date,
        pictures: LessonPictures,
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look, self._lessons, self._progress, self._bank = look, tuple(lessons), progress, bank
        self._pictures = pictures
        self._items = (*map(self._lesson, self._lessons), *self._again(today), self._thirty())
        self._settled = QTimer(self, singleShot=True)
        self._settled.timeout.connect(self._draw)
        self._column = QVBoxLayout(self)
        self._column.addLayout(self._head())
        self.path = Path(look, [self._card(item) for item in self._items], len(self._lessons))
        self.path.picked.connect(self._show)
        scroll = ColumnScroll(self.path)
        self._beside = Card(look)
        self._fill_beside()
        row = in_row((self._beside, round(100 * LEFT)), (scroll, round(100 * (1 - LEFT))))
        self._column.addLayout(row, 1)
        self.set_look(look)
        following = self._following()
        self.path.cards[following].setChecked(True)
        pictures.computed.connect(self._on_computed)
        pictures.compute((*self._lessons[following:], *self._lessons[:following]))

    # ---- What is offered ----

    @property
    def cards(self) -> tuple[PathCard, ...]:
        """The cards of the path: of the lessons, of what is asked again, and of the thirty questions."""
        return self.path.cards

    def _lesson(self, lesson: Lesson) -> Taken:
        done = self._progress.of(lesson)
        called = "Continue" if done.step else "Again" if done.finished else "Start"
        ways = (
            (called, "", partial(self.chosen.emit, lesson)),
            (
                "Hand-out…",
                "Save it as a PDF to be printed: tasks and questions, then the answers",
                partial(self.printed.emit, lesson),
            ),
        )
        forget = ("Forget what I did in this lesson", lesson) if done.is_any else None
        about = lesson.learned if done.finished else lesson.about
        number = str(self._lessons.index(lesson))
        minutes = f"{lesson.minutes:g} min"
        brief = f"step {done.step + 1} of {len(lesson.steps)}" if done.step else minutes
        said = ", ".join(filter(None, (minutes, done.words(lesson))))
        return Taken(
            lesson.title, about, said, brief, ways, lesson, is_done=done.finished, forget=forget, number=number
        )

    def _again(self, today: date) -> Iterator[Taken]:
        """Offer the questions of a lesson that come again: one lesson at a time."""
        for lesson in due(self._progress, self._lessons, today)[:1]:
            title, said = row_words(lesson, self._progress.of(lesson), today)
            yield Taken(
                title,
                ABOUT_AGAIN,
                said,
                lesson.title,
                (("Ask me", "", partial(self.recalled.emit, lesson)),),
                "?",
            )

    def _thirty(self) -> Taken:
        """Offer the questions that no lesson shows."""
        bank, count = self._bank, len(self._bank.steps)
        takes = {when: take for when, take in self._progress.takes.items() if take.bank == bank.mark}
        said = [f"{when}: {takes[when].words(count)}" for when in TAKES if when in takes]
        ways = []
        for when, called in TAKES.items():
            is_open = when in takes and len(takes[when].replies) < count
            if when == BEFORE and takes and not is_open:
                continue  # what is known before is known once
            word = f"Continue {called}" if is_open else called.capitalize()
            tip = " · ".join(f"{TAKES[each].capitalize()}: {take.date}" for each, take in takes.items())
            ways.append((word, tip or f"Take them {called}", partial(self.taken.emit, when)))
        if any(self._finished) and all(len(take.replies) == count for take in takes.values()):
            ways.reverse()  # the first is the one that stands out: whoever has learned something is after it
        last = takes.get(AFTER)
        is_done = last is not None and len(last.replies) == count
        if is_done:
            tip = "The questions that were not answered right, by the lesson to take again"
            ways.append((WHAT_WAS_RIGHT, tip, partial(self.review_wanted.emit)))
        words = " · ".join(said) or f"{bank.minutes:g} min"
        brief = last.words(count) if last is not None else f"{bank.minutes:g} min"
        forget = ("Forget what I answered", bank) if takes else None
        return Taken(bank.title, ABOUT_THIRTY, words, brief, tuple(ways), str(count), is_done=is_done, forget=forget)

    @property
    def _finished(self) -> list[bool]:
        """Which lessons were finished."""
        return [bool(self._progress.of(lesson).finished) for lesson in self._lessons]

    def _following(self) -> int:
        """Return which lesson comes next: the first that was begun, or else was not finished."""
        begun = [bool(self._progress.of(lesson).step) for lesson in self._lessons]
        open_ones = [not is_finished for is_finished in self._finished]
        return next((found.index(True) for found in (begun, open_ones) if True in found), 0)

    # ---- Building ----

    def _card(self, item: Taken) -> PathCard:
        card = PathCard(self._look, item.title, item.brief, done=item.is_done)
        card.begun.connect(item.ways[0][2])
        return card

    def _head(self) -> QHBoxLayout:
        self.count = words(f"{sum(self._finished)} of {len(self._lessons)} done", "muted")
        self.count.setMinimumWidth(1)  # it goes where there is no room
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.name = QLineEdit()
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName("Your name on the result; may stay empty")
        self.name.setPlaceholderText("Name (optional)")
        self.name.setMinimumWidth(1)
        self.name.setToolTip("Stands in the file of the result, and is not kept")
        tip = "Make a lesson of your own by doing in the window what the class is to see (Ctrl+Shift+R)"
        self.record = button("Record…", tip, self.record_wanted, name="Record a lesson")
        tip = "Save lessons, questions, tries and times to a file (CSV or JSON) for a teacher"
        write = button("Result…", tip, lambda: self.result_wanted.emit(self.name.text()))
        forget = button("Reset all", run=lambda: self.forgotten.emit(None))
        self.close_button = button("Just explore", run=self.closed)
        for each in (write, forget):
            each.setEnabled(self._progress.is_any)
        title = words("Lessons", "title")
        return in_row(title, (self.count, 1), self.name, write, forget, self.record, self.close_button)

    def _fill_beside(self) -> None:
        self.title, self.said = words("", "title", wraps=True), words("", "muted", wraps=True)
        self.about = words("", "lead", wraps=True)
        self.picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.picture.setAccessibleName("Picture")
        self.picture.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._left, self._right, body = QHBoxLayout(), QHBoxLayout(), self._beside.body
        for part in (self.title, self.said, self.picture, self.about):
            body.addWidget(part)
        body.addLayout(in_row(self._left, None, self._right))
        body.addStretch(1)

    def _show(self, number: int) -> None:
        """Show a lesson large, with what can be done with it."""
        item = self._items[number]
        for label, text in ((self.title, item.title), (self.said, item.words), (self.about, item.about)):
            label.setText(text)
        self.picture.setAccessibleDescription(f"What {item.name} is about")
        for way in self._beside.findChildren(QPushButton):
            discard(way)
        self.ways = tuple(self._way(item, self._left, *way) for way in item.ways)
        self.ways[0].setCheckable(True)
        self.ways[0].setChecked(True)
        if item.forget is not None:
            tip, lesson = item.forget
            self._way(item, self._right, "Reset", tip, partial(self.forgotten.emit, lesson))
        self._draw_large()

    def _way(self, item: Taken, row: QHBoxLayout, called: str, tip: str, run: Callable[[], object]) -> QPushButton:
        way = button(called, tip, run, name=f"{called}: {item.name}")
        way.setAutoDefault(True)  # Enter presses it, as on the tiles below
        row.addWidget(way)
        way.show()  # now: Qt would show it an event later, and what is to have the keyboard could not take it
        return way

    # ---- The pictures ----

    def _draw(self) -> None:
        """Draw all pictures anew, one after another, so that no hand has to wait for all."""
        one_after_another(self, self._drawing())

    def _drawing(self) -> Iterator[None]:
        self._draw_large()
        yield
        size, look = self.path.size(), self._look
        for number in range(len(self.cards)):
            if (self.path.size(), self._look) != (size, look):
                return  # those of another size are being drawn
            self._draw_small(number)
            yield

    def _on_computed(self, lesson: Lesson) -> None:
        number = self._lessons.index(lesson)
        self._draw_small(number)
        if number == self.path.group.checkedId():
            self._draw_large()

    def _draw_small(self, number: int) -> None:
        card, of = self.cards[number], self._items[number].picture
        card.show_picture(self._pictures.draw(of, self._look, card.room, self.devicePixelRatioF()))

    def _draw_large(self) -> None:
        """Draw the picture of the chosen card as large as it may be; until it is computed, about its place is kept."""
        of, room = self._items[self.path.group.checkedId()].picture, self._room()
        drawn = self._pictures.draw(of, self._look, room, self.devicePixelRatioF(), whole=True)
        high = min(room.height(), USUAL_SHAPE * room.width())
        self.picture.setPixmap(drawn)
        self.picture.setFixedHeight(max(round(high if drawn.isNull() else drawn.deviceIndependentSize().height()), 0))

    def _room(self) -> QSize:
        """Return how large the picture may be beside the path: as wide as the words, which come first."""
        body = self._beside.body
        within = self._beside.contentsRect().marginsRemoved(body.contentsMargins())
        wide = within.width()
        said = sum(part.heightForWidth(wide) for part in (self.title, self.said, self.about))
        between = (body.count() - 1) * body.spacing()
        return QSize(wide, within.height() - said - self.ways[0].sizeHint().height() - between)

    # ---- Size, look and keys ----

    def set_look(self, look: Look) -> None:
        """Take another look."""
        self._look = self.path.look = look
        self._column.setContentsMargins(look.px(14), look.px(10), look.px(14), look.px(10))
        self._column.setSpacing(look.px(10))
        self._beside.set_look(look)
        for card in self.cards:
            card.look = look
        self.path.place()
        self._settled.start(SETTLED)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.count.setVisible(self.width() >= self._look.px(ROOMY))
        self._settled.start(SETTLED if event.oldSize().isValid() else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
