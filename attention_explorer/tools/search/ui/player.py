"""Opens the search in the window: gathers what can be found there, and goes to what was taken."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence

from attention_explorer.core.terms import terms
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.keys import written
from attention_explorer.pages.ready_made import PARTS, presets_in
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.later import later
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import shelf
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.search.entries import Entry
from attention_explorer.tools.search.ui.panel import SearchBox

NOT_OFFERED = ("search", *(f"page-{entry.id}" for entry in PAGES))
"""Actions of the window that the search leaves out: itself, and the pages, which it lists as such."""


class Searcher(QObject):
    """The search of a window, which is its parent."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window = window
        self._lessons: tuple[Lesson, ...] = ()
        self.box: SearchBox | None = None
        self.jobs = JobQueue(self)  # reading all lessons takes longer than a window may stand still
        self.jobs.delivered.connect(self._on_lessons)
        self.jobs.request("lessons", _read_lessons)

    def open(self) -> None:
        """Open the box."""
        if self.box is None or self.box.look != self._window.look:
            if self.box is not None:
                self.box.deleteLater()  # else every change of the look would leave one
            self.box = SearchBox(self._window, self._window.look)
            # Once the box has given the keyboard back.
            self.box.chosen.connect(lambda entry: later(self, lambda: entry.run()))
        self.box.set_entries(tuple(self.entries()))
        self.box.open_over(self._window)

    def _on_lessons(self, _key: object, lessons: tuple[Lesson, ...]) -> None:
        self._lessons = lessons
        if self.box is not None:
            self.box.set_entries(tuple(self.entries()))

    def entries(self) -> Iterator[Entry]:
        """Yield all that can be found now: in a lesson no presets, which would take its place."""
        window = self._window
        for number, page in enumerate(PAGES, 1):
            yield Entry(
                "Page", page.title, page.tip, (page.id,), written(f"Alt+{number}"), partial(window.show_page, page.id)
            )
        for lesson in self._lessons:
            note = f"{lesson.minutes:g} minutes. {lesson.learned}"
            yield Entry("Lesson", lesson.title, note, (), "", partial(window.tools.lessons.start, lesson))
        if not window.tools.has_lesson:
            yield from self._presets()
        for term in terms():
            words = (*term.also, *term.quiet)
            yield Entry("Term", term.name, term.says, words, "", partial(window.tools.terms.explain, term.name))
        yield from self._commands()

    def _presets(self) -> Iterator[Entry]:
        titles = {page.id: page.title for page in PAGES}
        for part in PARTS:
            for ready in presets_in(part):
                run = partial(self._window.show_preset, ready)
                yield Entry(f"Preset · {titles[ready.page]}", ready.title, ready.look_for, (ready.id,), "", run)

    def _commands(self) -> Iterator[Entry]:
        """Yield what the menus offer now."""
        window = self._window
        page = window.page
        for offered in page.actions_offered():
            if offered.text:
                keys, run = written(offered.shortcut), partial(offered.run, page)
                yield Entry("Command", offered.text.rstrip("…"), offered.tip, (), keys, run)
        for action in window.actions_offered():
            if action.isEnabled() and action.menu() is None and action.objectName() not in NOT_OFFERED:
                title = action.text().replace("&", "").rstrip("…")
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                yield Entry("Command", title, action.statusTip(), (), keys, action.trigger)


def _read_lessons(_report: Report, deliver: Deliver) -> None:
    try:
        deliver(shelf.lessons())
    except ExplorerError:
        return  # the lessons page says what is wrong with them
