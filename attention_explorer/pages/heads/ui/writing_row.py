"""The numbers by which a model draws the next token, each in a field."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from attention_explorer.core.declared import Declaration, declarations
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox, show_number
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.writing import Writing
from attention_explorer.pages.ui.session import Session

BOX_WIDTH = 52
"""Pixels at zoom 1."""


class WritingRow(QWidget):
    """A line of fields. They show the state and turn what is typed into a new one.

    Signals
    -------
    refused : str
        What was typed does not fit.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.boxes: dict[str, NumberBox] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for name, said in declarations(Writing).items():
            self._add(name, said, is_whole=name != "temperature")
        self._row.addStretch(1)
        self.set_look(look)

    def _add(self, name: str, said: Declaration, *, is_whole: bool) -> None:
        low, high = round(said.low), round(said.high)
        box = WholeNumberBox(low, high, said.label) if is_whole else NumberBox(said.low, said.high, said.label)
        label = QLabel(said.label)
        label.setBuddy(box)
        for shown in (label, box):
            shown.setToolTip(f"{said.tip}\n{grouped(low)} to {grouped(high)}")
            self._row.addWidget(shown)
        box.valueChanged.connect(partial(self._on_changed, name, said.undo, is_whole))
        box.refused.connect(self.refused)
        self.boxes[name] = box

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self._row.setSpacing(look.px(8))
        for box in self.boxes.values():
            box.setFixedWidth(look.px(BOX_WIDTH))

    def show_writing(self, writing: Writing) -> None:
        """Show the numbers of a state."""
        for name, box in self.boxes.items():
            show_number(box, getattr(writing, name))

    def _on_changed(self, name: str, label: str, is_whole: bool, value: float) -> None:
        state = self._session.state
        changes: dict[str, float] = {name: round(value) if is_whole else value}
        writing = replace(state.heads.writing, **changes)  # type: ignore[arg-type]
        self._session.apply(replace(state, heads=replace(state.heads, writing=writing)), label, merge=label)
