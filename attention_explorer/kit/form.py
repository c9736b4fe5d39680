"""Controls for the declared fields of a state: what a field is, is said where it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from attention_explorer.core.declared import Declaration, declarations
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox, show_number
from attention_explorer.kit.theme import Look

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

BOX_WIDTH = 52
"""Pixels at zoom 1 of a field for a number."""


class Form(QWidget, Generic[S]):
    """A line of controls, wrapped where it is too long. It keeps no copy of the state.

    Parameters
    ----------
    kind : type
        The class of the state.
    names : iterable of str
        Which of its declared fields, in order.
    change : callable
        (state, field, value) -> the state with that field changed, which may change others.

    Signals
    -------
    changed : (state, undo label)
        Somebody has set a field.
    refused : str
        What was typed does not fit.
    """

    changed = Signal(object, str)
    refused = Signal(str)

    def __init__(
        self,
        kind: type[S],
        names: Iterable[str],
        look: Look,
        change: Callable[[S, str, Any], S] = lambda state, name, value: replace(state, **{name: value}),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state: S | None = None
        self._reasons: Mapping[str, str] = {}
        self._change = change
        self._said, self._hints = declarations(kind), get_type_hints(kind)
        self.controls: dict[str, QWidget] = {}
        self._flow = FlowLayout(self)
        for name in names:
            self._flow.addWidget(self._control(name))
        self.set_look(look)

    def add(self, widget: QWidget) -> None:
        """Add another widget at the end."""
        self._flow.addWidget(widget)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self._flow.setSpacing(look.px(8))
        for control in self.controls.values():
            if isinstance(control, NumberBox):
                control.setFixedWidth(look.px(BOX_WIDTH))

    def show_state(self, state: S, reasons: Mapping[str, str] | None = None) -> None:
        """Show the fields of a state; a control whose field has a reason against it is greyed and says it."""
        self._state, self._reasons = state, reasons or {}
        for name, control in self.controls.items():
            value = getattr(state, name)
            if isinstance(control, QPushButton):
                control.setChecked(value)
            elif isinstance(control, ChoiceRow):
                control.show_value(value)
            elif isinstance(control, NumberBox):
                show_number(control, value)
            allow_unless(self._reasons.get(name, ""), control)

    # ---- Making them ----

    def _control(self, name: str) -> QWidget:
        said, hint = self._said[name], self._hints[name]
        if hint is bool and said.names:
            return self._row(name, said, [(False, said.called("off")), (True, said.called("on"))])
        if hint is bool:
            return self._switch(name, said)
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return self._row(name, said, [(member, said.called(member.value)) for member in hint])
        return self._number(name, said, is_whole=hint is int)

    def _row(self, name: str, said: Declaration, values: list[tuple[object, str]]) -> QWidget:
        choices = ((value, title, said.tip) for value, title in values)
        self.controls[name] = ChoiceRow(said.label, choices, partial(self._set, name))
        return self.controls[name]

    def _switch(self, name: str, said: Declaration) -> QWidget:
        button = QPushButton(said.label)
        button.setCheckable(True)
        button.setToolTip(said.tip)
        button.setAccessibleDescription(said.tip)
        button.clicked.connect(lambda checked: self._set(name, checked))
        self.controls[name] = button
        return button

    def _number(self, name: str, said: Declaration, *, is_whole: bool) -> QWidget:
        box: NumberBox
        if is_whole:
            box = WholeNumberBox(round(said.low), round(said.high), said.label)
            box.set_stops([round(stop) for stop in said.stops])
        else:
            box = NumberBox(said.low, said.high, said.label)
        box.setToolTip(f"{said.tip}\n{said.low:g} to {said.high:g}" if is_whole else said.tip)
        box.valueChanged.connect(lambda value: self._set(name, round(value) if is_whole else value))
        box.refused.connect(self.refused)
        label = QLabel(said.label)
        label.setBuddy(box)
        label.setToolTip(box.toolTip())
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(box)
        self.controls[name] = box
        return whole

    def _set(self, name: str, value: object) -> None:
        if self._state is None:
            return
        try:
            changed = self._change(self._state, name, value)
        except ExplorerError as error:
            self.refused.emit(str(error))
            self.show_state(self._state, self._reasons)
            return
        self.changed.emit(changed, self._said[name].undo)
