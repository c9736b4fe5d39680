"""The strip above the page while a lesson is recorded: its title, the last step, and the way to all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.made import button, words
from attention_explorer.kit.theme import Look
from attention_explorer.tools.lessons.lesson import Step
from attention_explorer.tools.lessons.reading import LONGEST_TEXT
from attention_explorer.tools.lessons.recording import Recording
from attention_explorer.tools.lessons.ui.step_form import StepForm

LINES = 2
"""Of words that are seen at once."""


class RecordStrip(Card):
    """Stands above the page while a lesson is recorded.

    Signals
    -------
    titled : str
        A title was typed.
    """

    titled = Signal(str)

    def __init__(self, look: Look) -> None:
        self.form = StepForm(look, LINES)
        self.title, self.count = QLineEdit(), QLabel()
        tip = "Take the last step away; Undo does it too, and takes back what was done"
        self.delete = button("Delete step", tip)
        tip = "See all steps, put them in order, try the lesson and save it (Ctrl+Shift+R)"
        self.finish = button("Steps…", tip, is_switch=True)
        super().__init__(look)
        self.setAccessibleName("Recording a lesson")
        self.title.setAccessibleName("Title of the lesson")
        self.title.setPlaceholderText("Title of the lesson")
        self.title.setMaxLength(LONGEST_TEXT)
        self.title.setMinimumWidth(1)
        self.count.setObjectName("muted")
        self.finish.setChecked(True)  # the one button that leads on stands out
        self.head.addWidget(words("●  Recording", "cardTitle"))
        self.head.addWidget(self.title, 1)
        for part in (self.count, self.delete, self.finish):
            self.head.addWidget(part)
        self.body.addLayout(self.head)
        self.body.addWidget(self.form)
        self.form.stand_beside()
        self.title.textEdited.connect(self.titled)
        self.title.returnPressed.connect(self.form.left)

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.form.set_look(look)

    def show_recording(self, recording: Recording, at: int, offered: Sequence[Step] | None, why_none: str) -> None:
        """Show the step that is being recorded."""
        if recording.title != self.title.text():
            self.title.setText(recording.title)
        asked = f", {recording.questions} asked" if recording.questions else ""
        self.count.setText(f"Step {at + 1}{asked}" if at >= 0 else "No step")
        self.count.setAccessibleName(self.count.text())
        self.delete.setEnabled(at >= 0)
        self.finish.setChecked(True)
        self.form.show_moment(recording.moments[at] if at >= 0 else None, offered, why_none)
