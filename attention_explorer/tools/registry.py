"""The tools of a window, each loaded and made when it is first asked for: the first picture waits for none."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from attention_explorer.session.jobs import Working
    from attention_explorer.tools.code.ui.panel import CodeWindow
    from attention_explorer.tools.host import Host
    from attention_explorer.tools.lessons.lesson import Lesson
    from attention_explorer.tools.lessons.ui.offering import LessonOffers
    from attention_explorer.tools.lessons.ui.panel import LessonCard
    from attention_explorer.tools.lessons.ui.player import LessonPlayer
    from attention_explorer.tools.lessons.ui.recorder import LessonRecorder
    from attention_explorer.tools.presenting.ui.player import Presenter
    from attention_explorer.tools.search.ui.panel import Searcher
    from attention_explorer.tools.terms.ui.player import Explainer

PACKAGES = tuple(
    f"attention_explorer.tools.{name}{part}"
    for name in ("lessons", "terms", "search", "presenting")
    for part in ("", ".ui")
)
"""What is loaded ahead, once the window is there, in this order."""


class Tools(QObject):
    """Lessons, terms, search, presenting and code of one window."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._host = host

    @cached_property
    def lessons(self) -> LessonPlayer:
        """What plays lessons."""
        from attention_explorer.tools.lessons.ui.player import LessonPlayer

        return LessonPlayer(self._host)

    @cached_property
    def offers(self) -> LessonOffers:
        """What offers lessons to be played."""
        from attention_explorer.tools.lessons.ui.offering import LessonOffers

        return LessonOffers(self._host, self.lessons)

    @cached_property
    def recorder(self) -> LessonRecorder:
        """What makes a lesson of what is done in the window."""
        from attention_explorer.tools.lessons.ui.recorder import LessonRecorder

        return LessonRecorder(self._host, self.lessons)

    @cached_property
    def terms(self) -> Explainer:
        """What explains terms, and helps."""
        from attention_explorer.tools.terms.ui.player import Explainer

        return Explainer(self._host)

    @cached_property
    def search(self) -> Searcher:
        """The box in which everything is found."""
        from attention_explorer.tools.search.ui.panel import Searcher

        return Searcher(self._host)

    @cached_property
    def presenting(self) -> Presenter:
        """What shows pictures to a room."""
        from attention_explorer.tools.presenting.ui.player import Presenter

        return Presenter(self._host)

    @cached_property
    def code(self) -> CodeWindow:
        """The window with the program of the page on show."""
        from attention_explorer.tools.code.ui.panel import CodeWindow

        return CodeWindow(self._host)

    @cached_property
    def _handing_out(self) -> Working:
        """What writes hand-outs while the window goes on."""
        from attention_explorer.session.jobs import Working

        return Working(self)

    @property
    def has_lesson(self) -> bool:
        """Whether a lesson is under way: then the session is not the person's own work."""
        return "lessons" in vars(self) and self.lessons.is_playing

    @property
    def lesson_card(self) -> LessonCard | None:
        """The card of the lesson under way; None if none is."""
        return self.lessons.card if "lessons" in vars(self) else None

    def welcome(self) -> None:
        """Offer the lessons to somebody who is here for the first time."""
        self.offers.welcome()

    def show_lessons(self) -> None:
        """Offer the lessons."""
        self.offers.show_list()

    def record_lesson(self) -> None:
        """Begin to record a lesson, or show the steps of the one that is being recorded."""
        self.offers.put_away()
        self.recorder.start()

    def show_recording(self, shown: bool) -> None:
        """Show the strip of the recording under way, if there is one, or hide it: what is presented is the page."""
        if "recorder" in vars(self) and self.recorder.strip is not None:
            self.recorder.strip.setVisible(shown)

    def keep_recording(self) -> None:
        """Keep the recording under way, if there is one, until the next start: the window is about to close."""
        if "recorder" in vars(self):
            self.recorder.draft.leave()

    def leave_lesson(self) -> None:
        """End the lesson, if one is under way: what was there before it comes back."""
        if "lessons" in vars(self):
            self.lessons.leave()

    def explain(self, name: str) -> None:
        """Say what a term means, beside where it was asked for."""
        self.terms.explain(name)

    def present(self) -> None:
        """Show the page to a room."""
        self.presenting.toggle()

    def show_code(self) -> None:
        """Show the program that computes what the page shows."""
        self.code.show()
        self.code.activateWindow()

    def hand_out(self, lesson: Lesson) -> None:
        """Ask for a file, and write a lesson to it for paper."""
        from attention_explorer.tools.presenting.ui.figure import hand_out

        hand_out(self._host, lesson, self._handing_out)
