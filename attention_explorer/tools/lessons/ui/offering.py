"""Offers lessons: the first ones at the first start, the page with all of them, and those of files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.made import Card, button, discard, in_row, words
from attention_explorer.kit.theme import Look
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, TAKES, Progress
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from, read_lesson
from attention_explorer.tools.lessons.recall import again
from attention_explorer.tools.lessons.results import KINDS, result, result_file
from attention_explorer.tools.lessons.ui.page import LessonsPage
from attention_explorer.tools.lessons.ui.pictures import LessonPictures, one_after_another
from attention_explorer.tools.lessons.ui.player import LessonPlayer
from attention_explorer.tools.lessons.walk import checked
from attention_explorer.tools.lessons.writing import EXAMPLE, example

# ---- The first start ----
# Below the plane the first lessons, each as a picture.


MOST, WIDTH, HEIGHT, LINE = 6, 172, 84, 22
"""Lessons that are offered, the pixels at zoom 1 of a picture, and the letters of a line below it."""
TITLE = "Attention is a lookup you can touch."
SHORT = "Drag q and see what comes back."
ABOUT = f"{SHORT} Or begin with a lesson: it asks what will happen, and then shows it."


class FirstLessons(Card):
    """A word of welcome and the first lessons; it stays until a lesson is begun or somebody wants to explore.

    Signals
    -------
    chosen : Lesson
        It is to begin.
    all_wanted
        All lessons are to be listed.
    """

    chosen = Signal(object)
    all_wanted = Signal()

    def __init__(
        self, look: Look, lessons: Sequence[Lesson], pictures: LessonPictures, parent: QWidget | None = None
    ) -> None:
        self._look, self._lessons, self._pictures = look, tuple(lessons[:MOST]), pictures
        self.buttons: tuple[QToolButton, ...] = ()
        super().__init__(look, parent=parent)
        self.setAccessibleName("First lessons")
        self._about = about = words(ABOUT, "muted")
        about.setMinimumWidth(1)  # it says less where there is less room
        about.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.more = button("All lessons…", run=self.all_wanted)
        self.explore = button("Just explore", "Put this away. Lessons are always at the bottom left.")
        self.head.addWidget(words(TITLE, "cardTitle"))
        self.head.addWidget(about, 1)
        self.head.addWidget(self.more)
        self.head.addWidget(self.explore)
        self.body.addLayout(self.head)
        shelf = QWidget()
        shelf.setMinimumWidth(1)  # a narrow window shows fewer
        shelf.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.buttons = tuple(self._button(number, lesson) for number, lesson in enumerate(self._lessons))
        in_row(*self.buttons, None, within=shelf)
        self.body.addWidget(shelf)
        self.set_look(look)
        pictures.computed.connect(self._draw_one)
        pictures.compute(self._lessons)

    def _button(self, number: int, lesson: Lesson) -> QToolButton:
        button = QToolButton()
        button.setObjectName("tool")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        title = textwrap.fill(lesson.title, LINE)
        button.setText(f"{number}  {title}\n{lesson.minutes:g} min")
        button.setToolTip(lesson.title)
        button.setAccessibleName(f"Start: {lesson.title}")
        button.clicked.connect(partial(self.chosen.emit, lesson))
        return button

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self._look = look
        for each in self.buttons:
            each.setIconSize(QSize(look.px(WIDTH), look.px(HEIGHT)))
            each.setFixedSize(look.px(WIDTH + 16), look.px(HEIGHT + 66))
        if self.buttons:
            one_after_another(self, map(self._draw_one, self._lessons))  # so that no hand has to wait for all

    def _draw_one(self, lesson: Lesson) -> None:
        if lesson in self._lessons:
            room = QSize(self._look.px(WIDTH), self._look.px(HEIGHT))
            picture = self._pictures.draw(lesson, self._look, room, self.devicePixelRatioF())
            self.buttons[self._lessons.index(lesson)].setIcon(QIcon(picture))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many as there is room for."""
        super().resizeEvent(event)
        fits = max(self.width() // self._look.px(WIDTH + 24), 1)
        for place, each in enumerate(self.buttons):
            each.setVisible(place < fits)
        metrics, room = self._about.fontMetrics(), self._about.width()
        self._about.setText(next(text for text in (ABOUT, SHORT, "") if metrics.horizontalAdvance(text) <= room))


LESSON_FILES = {SUFFIX: "Lesson"}


class LessonOffers(QObject):
    """Offers what a player plays; its parent is the window."""

    def __init__(self, window: Host, player: LessonPlayer) -> None:
        super().__init__(window)
        self._window, self._player = window, player
        self.pictures = LessonPictures(self)
        """Here, for those who show them come and go."""
        self.first: FirstLessons | None = None
        """What offers the first lessons, at the first start."""
        player.began.connect(self.put_away)
        player.review_wanted.connect(self.show_review)
        window.worn.connect(self._wear)

    def welcome(self) -> None:
        """Offer the first lessons below the page, to somebody who is here for the first time."""
        self.first = FirstLessons(self._window.look, reading.lessons(), self.pictures)
        self.first.chosen.connect(self._player.start)
        self.first.all_wanted.connect(self.show_list)
        self.first.explore.clicked.connect(self.put_away)
        self._window.stand_below(self.first)

    def put_away(self) -> None:
        """Show the first lessons no longer: somebody has begun one, or explores."""
        if self.first is not None:
            discard(self.first)
            self.first = None

    def _wear(self) -> None:
        if isinstance(self._window.instead, LessonsPage):
            self._window.instead.set_look(self._window.look)
        if self.first is not None:
            self.first.set_look(self._window.look)
            self._window.stand_below(self.first)

    # ---- All of them ----

    def show_list(self) -> None:
        """Show the lessons in place of the page."""
        player, look, lessons = self._player, self._window.look, reading.lessons()
        page = LessonsPage(look, lessons, player.progress, reading.bank(), player.today(), self.pictures)
        page.chosen.connect(player.start)
        page.taken.connect(player.take)
        page.recalled.connect(player.ask_again)
        page.review_wanted.connect(self.show_review)
        page.printed.connect(self._window.tools.hand_out)
        page.forgotten.connect(self._forget)
        page.result_wanted.connect(self._write_result)
        page.record_wanted.connect(self._window.tools.record_lesson)
        page.closed.connect(self._close_list)
        self._window.show_instead(page, "lessons")
        page.ways[0].setFocus()

    def show_review(self) -> None:
        """List which of the thirty questions were not answered right after the lessons."""
        from attention_explorer.tools.lessons.ui.review import Review  # few ask for it

        bank, take = reading.bank(), self._player.progress.takes[AFTER]
        score = f"{take.words(len(bank.steps)).capitalize()}, {TAKES[AFTER]}, on {take.date}"
        review = Review(self._window, score, again(bank, take, reading.lessons()))
        review.chosen.connect(self._player.start)
        review.show()

    def _close_list(self) -> None:
        self._window.show_page_again()
        if self._player.is_playing:
            self._player.give_keyboard()

    def _forget(self, lesson: Lesson | None) -> None:
        if lesson is None or lesson is self._player.lesson:
            self._player.leave()  # it would go on with what is forgotten
        progress = self._player.progress
        if lesson is reading.bank():
            self._player.keep(progress.taken(BEFORE, None).taken(AFTER, None))
        else:
            self._player.keep(Progress() if lesson is None else progress.without(lesson))
        self.show_list()

    def _write_result(self, name: str) -> None:
        """Ask where the result is to be, and write it there."""
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain  # file formats take time to load

        path = ask_for_file(self._window, "Save the result", "result", KINDS)
        if path is not None:
            found = result(reading.lessons(), self._player.progress, name, reading.bank())
            self._window.tell(save_or_explain(self._window, result_file(found, path), path))

    # ---- Those of files ----

    def start_file(self, path: Path) -> None:
        """Begin the lesson of a file, after walking it on the worker; what is wrong with it is told."""

        def compute() -> Lesson:
            lesson = read_lesson(path)
            for _ in checked(lesson, path.parent):
                pass
            return lesson

        def begin(lesson: Lesson) -> None:
            self._window.tell("")
            self._player.start(lesson, path.parent)

        def refuse(error: ExplorerError) -> None:
            self._window.tell("")
            self._window.could_not_open(path, str(error))

        self._window.tell("One moment: the lesson is looked over first, and what it asks about is computed.")
        self._player.working.find_out(compute, begin, refuse, aside=True)

    def start_example(self) -> None:
        """Begin the lesson that shows how lessons are written."""
        self._player.start(lesson_from(example(), EXAMPLE))

    def save_example(self) -> None:
        """Ask where the file of that lesson is to be, to be changed there, and write it."""
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain  # file formats take time to load

        path = ask_for_file(self._window, "Save the example", EXAMPLE.removesuffix(SUFFIX), LESSON_FILES)
        if path is not None:
            self._window.tell(save_or_explain(self._window, lambda file, _report: file.write(example()), path))
