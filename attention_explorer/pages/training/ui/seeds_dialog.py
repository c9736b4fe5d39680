"""Maps of several seeds side by side, each learned while one waits; a click opens one on the page."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.map_item import SmallMapItem
from attention_explorer.kit.scene import Stage
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training import seeds
from attention_explorer.pages.training.moment import picture_of
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.session.jobs import Deliver, JobQueue, Report

COLUMNS = 3
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: -COLUMNS,
    Qt.Key.Key_Down: COLUMNS,
}


class SeedsDialog(QDialog):
    """Learns the recipe of a state with other seeds, as far as the one on show.

    Signals
    -------
    opened : SeedResult
        It was chosen to be seen on the page.
    """

    opened = Signal(object)

    def __init__(self, parent: QWidget, look: Look, state: TrainingState) -> None:
        super().__init__(parent)
        self.setWindowTitle("Seeds")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._state = look, state
        self.found: list[seeds.SeedResult] = []
        self.chosen = 0
        self.items: list[SmallMapItem] = []
        self.heading = TextBlock(look, 1, "What stands side by side")
        self.seen = TextBlock(look, 1, "What is seen of each")
        self.said = TextBlock(look, 2, "How far they agree")
        self.canvas = Stage(look, "Seeds side by side", self._lay_out)
        self.canvas.setMinimumSize(QSize(look.px(520), look.px(400)))
        self.canvas.setToolTip("Click a map to see that seed on the page; arrow keys and Enter do the same")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        card = Card(look)
        for widget in (self.heading, self.seen, self.canvas, self.said):
            card.body.addWidget(widget, int(widget is self.canvas))
        column = QVBoxLayout(self)
        column.addWidget(card, 1)
        column.addWidget(buttons)
        self.heading.set_text(TextLine(seeds.heading(state), bold=True, size=15))
        self.canvas.key_pressed.connect(self._on_key)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.finished.connect(self.jobs.cancel)
        self._show()
        self.canvas.setFocus()
        self.jobs.request(("seeds", state.setup, state.step), partial(_learn, state))

    def _on_delivered(self, _key: object, found: seeds.SeedResult) -> None:
        item = SmallMapItem(self._look, len(self.found))
        item.clicked.connect(self.open_seed)
        self.found.append(found)
        self.items.append(item)
        self.canvas.add([item])
        self.canvas.lay_out()
        self._show()

    def _show(self) -> None:
        state = self._state
        for place, (item, found) in enumerate(zip(self.items, self.found, strict=True)):
            picture = None if found.answer is None else picture_of(
                found.answer, found.head, is_causal=state.task.causal
            )  # fmt: skip
            title = seeds.title(found, state)
            item.framed_row = None if found.answer is None else found.row
            item.show_picture(picture, title, seeds.below(found), is_chosen=place == self.chosen)
        self.seen.set_text(TextLine(seeds.explanation(self.found), ink="muted", size=12))
        self.said.set_text(TextLine(seeds.summary(self.found, state), ink="muted", size=12.5))
        self.canvas.set_words(seeds.spoken(self.found, self.chosen, state))

    def _lay_out(self, room: QRectF) -> None:
        rows = -(-seeds.SIDE_BY_SIDE // COLUMNS)
        wide, high = room.width() / COLUMNS, room.height() / rows
        for place, item in enumerate(self.items):
            row, column = divmod(place, COLUMNS)
            item.place(QRectF(room.left() + column * wide, room.top() + row * high, wide, high))

    def open_seed(self, place: int) -> None:
        """Show a seed on the page, and close."""
        if self.found[place].answer is not None:
            self.opened.emit(self.found[place])
            self.accept()

    def _on_key(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS and self.found:
            self.chosen = min(max(self.chosen + _STEPS[key], 0), len(self.found) - 1)
            self._show()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.found:
            self.open_seed(self.chosen)
        else:
            super().keyPressEvent(event)  # Esc closes, and what still learns is stopped


def _learn(state: TrainingState, report: Report, deliver: Deliver) -> None:
    """Learn one seed behind the other; on the worker."""
    setups = seeds.setups_beside(state.setup)
    for done, setup in enumerate(setups):
        deliver(seeds.result_of(state, setup, lambda part, done=done: report((done + part) / len(setups))))  # type: ignore[misc] # bound now
