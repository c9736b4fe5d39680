"""A window in which one row of a head is computed before one's eyes: played, paused, or step by step."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.slider import Slider
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.row_steps import RowSteps
from attention_explorer.pages.heads.ui.row_steps_picture import RowStepsPicture

SPEEDS = (("slow", 2400), ("steady", 1200), ("fast", 400))
"""What a speed is called, and how many milliseconds a step stays."""


class RowStepsWindow(QDialog):
    """Plays through the steps of a row; the row is that of the moment when the window was opened.

    Where nothing is to move by itself, each press of Play takes one step.
    """

    def __init__(self, row: RowSteps, look: Look, parent: QWidget, *, moves: bool = True) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("One row, step by step")
        self.row, self._moves = row, moves
        self._last = len(row.moments) - 1
        self.title = TextBlock(look, 1, "Which row", ground="window")
        self.title.set_text(TextLine(row.title, "query_ink", bold=True, size=15))
        self.caption = TextBlock(look, 2, "What happens in this step", ground="window")
        self.picture = RowStepsPicture(look, row)
        column = QVBoxLayout(self)
        column.setContentsMargins(*4 * (look.px(16),))
        column.setSpacing(look.px(8))
        column.addWidget(self.title)
        column.addWidget(self.caption)
        card = Card(look)
        card.body.addWidget(self.picture, 1)
        column.addWidget(card, 1)
        column.addLayout(self._make_transport())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self.set_speed(SPEEDS[1][1])
        self._show()
        room = parent.window().size()
        hint = self.sizeHint()
        self.resize(min(hint.width(), room.width() - look.px(40)), min(hint.height(), room.height() - look.px(40)))

    def _make_transport(self) -> QHBoxLayout:
        self.play_button = QPushButton("Play")
        self.play_button.setCheckable(True)
        self.play_button.setToolTip("Go through the steps by themselves (Space)")
        self.play_button.clicked.connect(self.play)
        self.back_button, self.step_button = QPushButton("Back"), QPushButton("Step")
        self.back_button.setToolTip("One step back (←)")
        self.step_button.setToolTip("One step on (→)")
        self.back_button.clicked.connect(lambda: self.go(self.moment - 1))
        self.step_button.clicked.connect(lambda: self.go(self.moment + 1))
        self.slider = Slider()
        self.slider.setAccessibleName("Step")
        self.slider.setRange(0, self._last)
        self.slider.valueChanged.connect(self._on_slid)
        self.speed = ChoiceRow(
            "Speed", [(wait, name, f"A step takes {wait / 1000:g} s") for name, wait in SPEEDS], self.set_speed
        )
        line = QHBoxLayout()
        for part in (self.play_button, self.back_button, self.step_button):
            part.setAutoDefault(False)
            line.addWidget(part)
        line.addWidget(self.slider, 1)
        line.addWidget(self.speed)
        return line

    @property
    def moment(self) -> int:
        """How far it is."""
        return self.picture.moment

    @property
    def is_playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer.isActive()

    def play(self, on: bool) -> None:
        """Go on by itself, from the beginning if it is at its end; or stop."""
        if on and not self._moves:
            on = False
            self._move(self.moment + 1)
        if on:
            if self.moment == self._last:
                self._move(0)
            self._timer.start()
        else:
            self._timer.stop()
        self.play_button.setChecked(on)
        self.play_button.setText("Pause" if on else "Play")

    def set_speed(self, milliseconds: object) -> None:
        """Let each step stay so long."""
        self._timer.setInterval(int(str(milliseconds)))
        self.speed.show_value(milliseconds)

    def go(self, moment: int) -> None:
        """Show a step, and stop playing."""
        self.play(False)
        self._move(moment)

    def _move(self, moment: int) -> None:
        self.picture.show_moment(min(max(moment, 0), self._last))
        self._show()

    def _show(self) -> None:
        self.caption.set_text(TextLine(self.row.caption(self.moment), size=14))
        self.slider.blockSignals(True)
        self.slider.setValue(self.moment)
        self.slider.blockSignals(False)
        self.back_button.setEnabled(self.moment > 0)
        self.step_button.setEnabled(self.moment < self._last)

    def _on_slid(self, moment: int) -> None:
        self.go(moment)

    def _on_timeout(self) -> None:
        if self.moment == self._last:
            self.play(False)
        else:
            self._move(self.moment + 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Space:
                self.play(not self.is_playing)
            case Qt.Key.Key_Right:
                self.go(self.moment + 1)
            case Qt.Key.Key_Left:
                self.go(self.moment - 1)
            case Qt.Key.Key_Home:
                self.go(0)
            case Qt.Key.Key_End:
                self.go(self._last)
            case _:
                super().keyPressEvent(event)
