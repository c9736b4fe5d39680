"""Offers lessons: the first ones at the first start, the page with all of them, and those of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.made import discard
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, TAKES, Progress
from attention_explorer.tools.lessons.reading import SUFFIX, lesson_from, read_lesson
from attention_explorer.tools.lessons.recall import again
from attention_explorer.tools.lessons.results import KINDS, result, result_file
from attention_explorer.tools.lessons.ui.page import LessonsPage
from attention_explorer.tools.lessons.ui.pictures import LessonPictures
from attention_explorer.tools.lessons.ui.player import LessonPlayer
from attention_explorer.tools.lessons.walk import checked
from attention_explorer.tools.lessons.writing import EXAMPLE, example

if TYPE_CHECKING:
    from attention_explorer.tools.lessons.ui.first import FirstLessons

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
        from attention_explorer.tools.lessons.ui.first import FirstLessons  # drawing them takes time to load

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
