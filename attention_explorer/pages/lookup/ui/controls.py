"""How to look up: soft or hard, the temperature, the scale, and where the values come from."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QSignalBlocker
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

from attention_explorer.core.declared import declarations
from attention_explorer.core.temperature import (
    SLIDER_STEPS,
    slider_to_temperature,
    temperature_to_slider,
)
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.slider import Slider
from attention_explorer.kit.controls.slider_drag import SliderDrag
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import ROW_IS_FIXED, LookupState, ValueKind
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.session import NEVER

_SAID = declarations(LookupState)
_VALUE_KINDS = tuple((kind, _SAID["values"].called(kind)) for kind in ValueKind)
SCALED_IN_ITS_HEAD = "Whether a head divides by √d_k is set on the Heads page: q is drawn as it is there."


class LookupControls(QWidget):
    """The controls of a lookup. They show the state and turn what is done to them into a new one."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._make_mode()
        self._make_values()
        self._make_temperature()
        self._layout.setColumnStretch(2, 1)
        self.set_look(look)

    # ---- Building ----

    def _make_mode(self) -> None:
        self.soft = QPushButton("Soft")
        self.soft.setToolTip(
            "Soft lookup: every key contributes, weighted by softmax of the scores.\n"
            "The output slides, so it has a gradient that q can learn from. (H)"
        )
        self.hard = QPushButton("Hard")
        self.hard.setToolTip(
            "Hard lookup: the key with the highest score takes everything (arg max).\n"
            "While q moves, the output stands still or jumps. (H)"
        )
        group = QButtonGroup(self)
        row = QHBoxLayout()
        for button, hard in ((self.soft, False), (self.hard, True)):
            button.setCheckable(True)
            button.setAccessibleName(f"{button.text()} lookup")
            button.clicked.connect(lambda _checked, hard=hard: self.set_hard(hard))
            group.addButton(button)
            row.addWidget(button, 1)
        self._mode_row = row

    def _make_values(self) -> None:
        self.scaled = QPushButton(_SAID["scaled"].label)
        self.scaled.setCheckable(True)
        self.scaled.setAccessibleName("Divide the scores by the square root of d_k")
        self.scaled.setToolTip(_SAID["scaled"].tip)
        self.scaled.clicked.connect(self._on_scaled_clicked)
        self.values = QComboBox()
        self.values.setAccessibleName("Where the values come from")
        self.values.setToolTip(_SAID["values"].tip)
        for kind, title in _VALUE_KINDS:
            self.values.addItem(title, kind)
        self.values.activated.connect(self._on_values_activated)
        self._mode_row.addWidget(self.scaled)
        self._mode_row.addWidget(self.values)
        self._layout.addLayout(self._mode_row, 0, 0, 1, 4)

    def _make_temperature(self) -> None:
        said = _SAID["temperature"]
        title = QLabel(said.label)
        self.slider = Slider()
        self.slider.setRange(0, SLIDER_STEPS)
        self.slider.setPageStep(SLIDER_STEPS // 10)
        self.slider.setAccessibleName("Temperature")
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.slider.sliderReleased.connect(self._on_slider_released)
        SliderDrag(self.slider, self._session)
        self.slider.installEventFilter(self)
        self.exact = NumberBox(said.low, said.high, "Temperature, exact")
        self.exact.setSingleStep(0.1)
        self.exact.valueChanged.connect(self._on_exact_typed)
        for widget in (title, self.slider, self.exact):
            widget.setToolTip(f"{said.tip}\nDouble click: back to 1.")
        title.setBuddy(self.exact)
        self._layout.addWidget(title, 1, 0)
        self._layout.addWidget(self.slider, 1, 1, 1, 2)
        self._layout.addWidget(self.exact, 1, 3)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._layout.setHorizontalSpacing(look.px(8))
        self._layout.setVerticalSpacing(look.px(7))
        self._mode_row.setSpacing(look.px(6))
        self.exact.setFixedWidth(look.px(68))

    def show_frame(self, frame: LookupFrame) -> None:
        """Show the settings of a lookup."""
        state = frame.state
        (self.hard if state.hard else self.soft).setChecked(True)
        row = frame.row
        self.scaled.setChecked(state.scaled if row is None else row.of.scaled)
        allow_unless("" if row is None else SCALED_IN_ITS_HEAD, self.scaled)
        allow_unless("" if row is None else ROW_IS_FIXED, self.values)
        self.values.setCurrentIndex([kind for kind, _ in _VALUE_KINDS].index(state.values))
        for widget in (self.slider, self.exact):
            if state.hard and widget.hasFocus():
                self.hard.setFocus()  # or Qt gives the keyboard to whatever comes next
            widget.setEnabled(not state.hard)
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(temperature_to_slider(state.temperature))
        if self.exact.value() != state.temperature:
            with QSignalBlocker(self.exact):
                self.exact.setValue(state.temperature)

    # ---- Acting ----

    def _apply(self, lookup: LookupState, label: str, merge: str = "") -> None:
        self._session.apply(replace(self._session.state, lookup=lookup), label, merge)

    def set_hard(self, hard: bool) -> None:
        """Switch between hard and soft lookup."""
        label = "Hard lookup" if hard else "Soft lookup"
        self._apply(replace(self._session.state.lookup, hard=hard), label)

    def _on_scaled_clicked(self, scaled: bool) -> None:
        label = "Divide by √d_k" if scaled else "Do not divide by √d_k"
        self._apply(replace(self._session.state.lookup, scaled=scaled), label)

    def _on_values_activated(self, index: int) -> None:
        kind, title = _VALUE_KINDS[index]
        self._apply(self._session.state.lookup.with_values(kind), title[0].upper() + title[1:])

    def _on_slider_moved(self, step: int) -> None:
        lookup = self._session.state.lookup.with_temperature(slider_to_temperature(step))
        if self.slider.isSliderDown():
            self._session.preview(replace(self._session.state, lookup=lookup), _SAID["temperature"].undo)
        else:
            self._apply(lookup, _SAID["temperature"].undo, merge="temperature")

    def _on_slider_released(self) -> None:
        self._session.commit("temperature", within=NEVER)  # a double click, whose first press moves it, is one step
        # The handle may stand where an Esc has put the state back.
        self.show_frame(lookup_frame(self._session.state.lookup))

    def _on_exact_typed(self, temperature: float) -> None:
        lookup = self._session.state.lookup.with_temperature(temperature)
        self._apply(lookup, "Type temperature", merge="temperature")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.slider and event.type() is QEvent.Type.MouseButtonDblClick:
            self._apply(self._session.state.lookup.with_temperature(1.0), "Reset temperature", "temperature")
            return True
        return super().eventFilter(watched, event)
