"""What somebody sees who is here for the first time: below the plane the first lessons, each as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from attention_explorer.kit.controls.made import Card, button, in_row, words
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.ui.pictures import LessonPictures, one_after_another

MOST, WIDTH, HEIGHT, LINE = 6, 172, 84, 22
"""Lessons that are offered, the pixels at zoom 1 of a picture, and the letters of a line below it."""
TITLE = "Attention is a lookup you can touch."
ABOUT = "Drag q and see what comes back. Or begin with a lesson: it asks what will happen, and then shows it."


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
        about = words(ABOUT, "muted")
        about.setMinimumWidth(1)  # it goes where there is no room
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
