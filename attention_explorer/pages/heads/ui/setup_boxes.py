"""What the parameter panel of the Heads page is put together from: titled rows of controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from attention_explorer.kit.controls.choice import MOST_ENTRIES
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.slider import Slider
from attention_explorer.kit.controls.slider_drag import SliderDrag
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.session import NEVER

LOWEST_SLIDER_GAIN, HIGHEST_SLIDER_GAIN = 0.01, 1.0
GAIN_STEPS = 200
LABEL_WIDTH = 78
"""Pixels at zoom 1 of the first column, the same in all sections so that their controls stand in line."""


def slider_to_gain(step: int) -> float:
    """Return the gain at a slider position: equal steps multiply it by equal factors."""
    low, high = math.log10(LOWEST_SLIDER_GAIN), math.log10(HIGHEST_SLIDER_GAIN)
    return float(f"{10 ** (low + (high - low) * step / GAIN_STEPS):.3g}")


def gain_to_slider(gain: float) -> int:
    """Return the slider position nearest to a gain; its ends for what lies beyond them."""
    held = min(max(gain, LOWEST_SLIDER_GAIN), HIGHEST_SLIDER_GAIN)
    low, high = math.log10(LOWEST_SLIDER_GAIN), math.log10(HIGHEST_SLIDER_GAIN)
    return round((math.log10(held) - low) / (high - low) * GAIN_STEPS)


class SetupSection(QWidget):
    """Rows of a label with its controls, and perhaps a heading. Double click on a label or a slider resets it.

    The wheel changes a control only while that has the keyboard: the panel scrolls, and nothing may change under way.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._sliding = ""  # the word of the slider that was last dragged, by which steps are joined
        self._resets: dict[QObject, Callable[[], None]] = {}
        self._widths: list[tuple[QWidget, int]] = []
        self._rows: list[QHBoxLayout] = []
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setColumnStretch(3, 1)
        if title:
            heading = QLabel(title)
            heading.setObjectName("cardTitle")
            self.add_wide(heading)

    # ---- Building ----

    def add_row(
        self, title: str, tip: str, reset: Callable[[], None], *widgets: QWidget, beside: bool = False
    ) -> QLabel:
        """Add a label with its controls; ``beside`` puts them into the right half of the row before."""
        label = QLabel(title)
        label.setBuddy(widgets[0])
        self._resets[label] = reset
        for widget in widgets:
            if isinstance(widget, QSlider):
                self._resets[widget] = reset
            # Not by the wheel: what it passes over while the panel scrolls shall not take the keyboard.
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for watched in (label, *widgets):
            watched.setToolTip(watched.toolTip() or f"{tip}\nDouble click on “{title}”: back to the default.")
            watched.installEventFilter(self)
        cells = QHBoxLayout()
        self._rows.append(cells)
        for widget in widgets:
            cells.addWidget(widget)
        row = self.grid.rowCount() - (1 if beside else 0)
        self.grid.addWidget(label, row, 2 if beside else 0)
        paired = beside or (len(widgets) == 1 and isinstance(widgets[0], NumberBox))
        self.grid.addLayout(cells, row, 3 if beside else 1, 1, 1 if paired else 3)
        if beside:
            cells.addStretch(1)
        return label

    def add_wide(self, widget: QWidget) -> None:
        """Add a widget over the whole width."""
        self.grid.addWidget(widget, self.grid.rowCount(), 0, 1, 4)

    def keep_width(self, widget: QWidget, width: int) -> None:
        """Give a widget a width, in pixels at zoom 1."""
        self._widths.append((widget, width))

    def make_combo(self, name: str, choices: Sequence[tuple[object, str]], choose: Callable[[int], None]) -> QComboBox:
        """Return a box to choose from (data, title) pairs."""
        combo = QComboBox()
        combo.setAccessibleName(name)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(5)
        combo.setMaxVisibleItems(MOST_ENTRIES)
        for data, title in choices:
            combo.addItem(title, data)
        combo.activated.connect(choose)
        return combo

    def make_slider(self, name: str, steps: int, move: Callable[[int], None]) -> QSlider:
        """Return a slider whose drag is one step: ``move`` previews while it is held."""
        slider = Slider()
        slider.setRange(0, steps)
        slider.setPageStep(steps // 10)
        slider.setAccessibleName(name)
        slider.valueChanged.connect(move)
        slider.sliderReleased.connect(self._on_slider_released)
        SliderDrag(slider, self.session)
        return slider

    def make_switch(self, title: str, name: str, tip: str, choose: Callable[[bool], None]) -> QPushButton:
        """Return a button that is on or off."""
        switch = QPushButton(title)
        switch.setCheckable(True)
        switch.setAccessibleName(name)
        switch.setToolTip(tip)
        switch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        switch.clicked.connect(choose)
        return switch

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.grid.setHorizontalSpacing(look.px(8))
        self.grid.setVerticalSpacing(look.px(5))
        self.grid.setColumnMinimumWidth(0, look.px(LABEL_WIDTH))
        for row in self._rows:
            row.setSpacing(look.px(6))
        for widget, width in self._widths:
            widget.setFixedWidth(look.px(width))

    def show_state(self, heads: HeadsState) -> None:
        """Show the settings."""
        raise NotImplementedError

    # ---- Acting ----

    def apply(self, heads: HeadsState, label: str, merge: str = "") -> None:
        """Change the state, as one step."""
        # The word is the section's own, so that "gain" here never joins a step of another part of the window.
        self.session.apply(replace(self.session.state, heads=heads), label, merge and f"heads {merge}")

    def slide(self, slider: QSlider, heads: HeadsState, label: str, merge: str) -> None:
        """Preview the state while a slider is held, else change it."""
        if slider.isSliderDown():
            self._sliding = f"heads {merge}"
            self.session.preview(replace(self.session.state, heads=heads), label)
        else:
            self.apply(heads, label, merge)

    def _on_slider_released(self) -> None:
        self.session.commit(self._sliding, within=NEVER)  # a double click, whose first press moves it, is one step
        self.show_state(self.session.state.heads)  # the handle may stand where an Esc has put the state back

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()  # on to the scroll area
            return True
        if kind is QEvent.Type.MouseButtonDblClick and watched in self._resets:
            # A filter sees the events of disabled widgets too.
            if isinstance(watched, QWidget) and watched.isEnabled():
                self._resets[watched]()
            return True
        return super().eventFilter(watched, event)


def show_choice(combo: QComboBox, data: object) -> None:
    """Show a choice by its data, without announcing it."""
    with QSignalBlocker(combo):
        combo.setCurrentIndex(combo.findData(data))
