"""Which heads of the wall are looked at: the line of controls for its threshold."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.kit.controls.choice import ChoiceBox
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.state import SortBy, Threshold
from attention_explorer.pages.ui.session import Session

SAID = declarations(Threshold)
SUMMARIES = tuple((sort, sort.value, f"The {sort.words} of each head") for sort in SortBy if sort is not SortBy.NUMBER)


class WallFilter(QWidget):
    """A summary, at least or at most, and a value; seen only while there is a threshold.

    Signals
    -------
    refused : str
        Why what was typed is no value.
    """

    refused = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.by = ChoiceBox("Summary of the threshold", SAID["by"].tip, SUMMARIES, lambda by: self._change(by=by))
        self.side = QPushButton(SAID["at_most"].called("off"))
        self.side.setAccessibleName("At least or at most the value")
        self.side.setToolTip(SAID["at_most"].tip)
        self.side.clicked.connect(lambda: self._change(at_most=not self._threshold.at_most))
        self.value = NumberBox(SAID["value"].low, SAID["value"].high, "Value of the threshold")
        self.value.setSingleStep(0.05)
        self.value.valueChanged.connect(lambda value: self._change("threshold", value=value))
        self.value.refused.connect(self.refused)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for part in (self.by, self.side, self.value):
            self._row.addWidget(part, part is self.by)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._row.setSpacing(look.px(6))
        self.side.setFixedWidth(look.px(34))
        self.value.setFixedWidth(look.px(76))

    def show_threshold(self, threshold: Threshold | None) -> None:
        """Show the threshold of the wall."""
        self.setVisible(threshold is not None)
        if threshold is None:
            return
        self.by.show_value(threshold.by)
        has_b = self._session.state.heads.other is not None
        self.by.enable_values(lambda value: value is not SortBy.DIFFERENCE or has_b)
        self.side.setText(SAID["at_most"].called("on" if threshold.at_most else "off"))
        with QSignalBlocker(self.value):
            self.value.setValue(threshold.value)

    @property
    def _threshold(self) -> Threshold:
        return self._session.state.heads.view.threshold or Threshold()

    def _change(self, merge: str = "", **changes: object) -> None:
        state = self._session.state
        threshold = replace(self._threshold, **changes)  # type: ignore[arg-type] # checked by its fields
        heads = state.heads.with_view(threshold=threshold)
        self._session.apply(replace(state, heads=heads), SAID["value"].undo, merge)
