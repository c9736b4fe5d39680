"""What was right: the thirty questions after the lessons, by the lesson to take again."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.controls.made import button, in_row, words
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.reviewing import Again, Reviewed

TITLE = "What was right"


class Review(QDialog):
    """Lists the questions that were not answered right, beside the window.

    Signals
    -------
    chosen : Lesson
        It is to be taken again.
    """

    chosen = Signal(object)

    def __init__(self, window: Host, score: str, found: Sequence[Again]) -> None:
        super().__init__(window)
        look = window.look
        self.setWindowTitle(TITLE)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        content, column = QWidget(), QVBoxLayout(self)
        self._rows = QVBoxLayout(content)
        self._rows.setSpacing(look.px(8))
        self.buttons = [self._add(each) for each in found]
        self._rows.addStretch(1)
        scroll = ColumnScroll(content)
        scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # to be scrolled by keys
        scroll.setAccessibleName(TITLE)
        column.addWidget(_rich(f"<b>{html.escape(score)}</b>"))
        column.addWidget(scroll, 1)
        self.resize(min(look.px(640), window.width() - 40), min(look.px(560), max(window.height() - 60, 300)))

    def _add(self, each: Again) -> QPushButton:
        """Add a lesson with its questions, and return the button that begins it."""
        take = button("Take it again", run=lambda: self._take(each), name=f"Take “{each.lesson.title}” again")
        take.setAutoDefault(False)
        title = _rich(f"<b>{html.escape(each.lesson.title)}</b>: {each.words}")
        self._rows.addLayout(in_row((title, 1), take))
        for wrong in each.wrong:
            self._rows.addWidget(_rich(_question(wrong)))
        return take

    def _take(self, each: Again) -> None:
        self.accept()
        self.chosen.emit(each.lesson)


def _question(wrong: Reviewed) -> str:
    said = f"You: {wrong.said}" if wrong.said else "You gave no answer"
    right = f"Right: {wrong.right}" if wrong.right else ""
    parts = (f"{wrong.number}. {wrong.asked}", " · ".join(filter(None, (said, right))), wrong.why)
    return "<br>".join(html.escape(part) for part in parts if part)


def _rich(text: str) -> QLabel:
    label = words(text, wraps=True, is_copied=True)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label
