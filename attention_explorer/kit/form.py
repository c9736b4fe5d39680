"""Controls for the declared fields of a state: what a field is, is said where it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import (
    Declaration,
    Kind,
    declaration_of,
    hint_of,
    kind_of,
    value_of,
    with_value,
)
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import Choice, ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.sentence_field import NOTHING, SentenceField
from attention_explorer.kit.controls.small_number_box import SmallNumberBox
from attention_explorer.kit.controls.typed_line import TypedLine
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox, show_number
from attention_explorer.kit.theme import Look

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

BOX_WIDTH, LONG_BOX_WIDTH, SENTENCE_WIDTH, LEAST_WIDTH = 52, 84, 260, 90
"""Pixels at zoom 1 of a field for a number, for one with many digits, for a sentence, and of what a column narrows."""
LONG_NUMBER = 10_000
MOST_BUTTONS = 4
MOST_LETTERS, AROUND_LETTERS = 28, 3
"""Letters that buttons may have in a column, where there is little room; each button counts as so many more."""


class Written(NamedTuple):
    """How a field is typed that is neither a number nor a sentence: what stands in its line, and what is read there."""

    text: Callable[[Any], str]
    value: Callable[[str], Any]
    """Raises `ExplorerError` for what cannot be read."""


class Form(QWidget, Generic[S]):
    """Controls beside one another, wrapped where the line is too long, or below one another with their labels.

    It keeps no copy of the state.

    Parameters
    ----------
    kind : type
        The class of the state.
    names : iterable of str
        Which of its declared fields, in order, by their dotted names.
    change : callable
        (state, field, value) -> the state with that field changed, which may change others.
    written : mapping
        For fields that are typed in a way of their own, how.
    in_column : bool
        Whether they stand below one another.
    in_line : bool
        Whether they stand in one line, which is never wrapped.
    most_buttons : int
        So many values of a choice stand beside one another at most; more are in a list.

    Signals
    -------
    changed : (state, undo label, merge)
        Somebody has set a field. Numbers that follow each other at once, as arrow keys give them, are one step, and so
        are letters.
    refused : str
        What was typed does not fit.
    """

    changed = Signal(object, str, str)
    refused = Signal(str)

    def __init__(
        self,
        kind: type[S],
        names: Iterable[str],
        look: Look,
        change: Callable[[S, str, Any], S] = with_value,
        parent: QWidget | None = None,
        *,
        written: Mapping[str, Written] | None = None,
        in_column: bool = False,
        in_line: bool = False,
        most_buttons: int = MOST_BUTTONS,
    ) -> None:
        super().__init__(parent)
        self._kind, self._change, self._written = kind, change, written or {}
        self._most_buttons, self._in_column = most_buttons, in_column
        self._state: S | None = None
        self._reasons: Mapping[str, str] = {}
        self.controls: dict[str, QWidget] = {}
        self._lines: dict[str, QWidget] = {}
        self._labels: list[QLabel] = []
        self._layout: QLayout = (QVBoxLayout if in_column else QHBoxLayout if in_line else FlowLayout)(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        for name in names:
            self._lines[name] = self._line(name)
            self._layout.addWidget(self._lines[name])
        self.set_look(look)

    def add(self, widget: QWidget) -> None:
        """Add another widget at the end."""
        self._layout.addWidget(widget)

    def said(self, name: str) -> Declaration:
        """Return what is said of one of its fields."""
        return declaration_of(self._kind, name)

    def set_look(self, look: Look) -> None:
        """Take another size."""
        self._layout.setSpacing(look.px(8))
        metrics = QFontMetrics(look.font())  # the labels themselves wear it a moment later
        widest = max((metrics.horizontalAdvance(label.text()) for label in self._labels), default=0)
        for label in self._labels:
            label.setMinimumWidth(widest)
        for name, control in self.controls.items():
            if isinstance(control, NumberBox):
                is_long = LONG_NUMBER <= abs(self.said(name).high) <= 1e9 or isinstance(control, SmallNumberBox)
                control.setFixedWidth(look.px(LONG_BOX_WIDTH if is_long else BOX_WIDTH))
            elif isinstance(control, SentenceField | TypedLine):
                control.setMinimumWidth(look.px(LEAST_WIDTH if self._in_column else SENTENCE_WIDTH))
            elif isinstance(control, ChoiceBox) and self._in_column:
                control.setMinimumWidth(look.px(LEAST_WIDTH))

    def show_state(self, state: S, reasons: Mapping[str, str] | None = None) -> None:
        """Show the fields of a state, without those that do nothing there.

        A control whose field cannot be set, as it says itself or by ``reasons``, is greyed and says why.
        """
        self._state, self._reasons = state, reasons or {}
        for name, control in self.controls.items():
            said, value = self.said(name), value_of(state, name)
            self._lines[name].setVisible(said.is_shown(state))
            if isinstance(control, QPushButton):
                control.setChecked(value)
            elif isinstance(control, ChoiceRow | ChoiceBox):
                control.show_value(value)
            elif isinstance(control, NumberBox):
                self._show_number(control, said, value, state)
            elif isinstance(control, SentenceField):
                control.show_sentence(value)
            elif isinstance(control, TypedLine):
                control.show_text()
            allow_unless(self._reasons.get(name, "") or said.reason_against(state), control)

    @staticmethod
    def _show_number(control: NumberBox, said: Declaration, value: float, state: S) -> None:
        low, high = said.range_in(state)
        if said.ends is not None and (control.minimum(), control.maximum()) != (low, high):
            with QSignalBlocker(control):  # a range that shrinks moves the number
                control.setRange(*(round(end) if isinstance(value, int) else end for end in (low, high)))
        show_number(control, min(max(value, low), high))

    def search_for(self, words: str) -> bool:
        """Show only fields of which label, tip or name have some words in them; return whether there are any."""
        wanted = words.casefold().split()
        found = False
        for name, line in self._lines.items():
            said = self.said(name)
            text = f"{name} {said.label} {said.tip}".casefold()
            shown = self._state is None or said.is_shown(self._state)
            fits = shown and all(word in text for word in wanted)
            line.setVisible(fits)
            found = found or fits
        return found

    # ---- Making them ----

    def _line(self, name: str) -> QWidget:
        """Return a control with its label beside it, if it does not say itself what it is."""
        said = self.said(name)
        control = self.controls[name] = self._control(name, said)
        says_itself = isinstance(control, QPushButton | ChoiceRow)
        if says_itself and not self._in_column:
            return control
        label = QLabel("" if isinstance(control, QPushButton) else said.label)
        label.setBuddy(control)
        label.setToolTip(control.toolTip() or said.tip)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        if isinstance(control, SentenceField | TypedLine):
            row.addWidget(control, 1)
        else:
            row.addWidget(control)
            row.addStretch(1)
        if self._in_column:
            self._labels.append(label)
        return whole

    def _control(self, name: str, said: Declaration) -> QWidget:
        hint, kind = hint_of(self._kind, name), kind_of(self._kind, name)
        if name in self._written:
            return self._typed(name, said)
        if kind is Kind.SENTENCE and not said.choices:
            return self._sentence(name, said)
        if hint is bool and not said.names:
            return self._switch(name, said)
        if hint is bool:
            return self._choice(name, said, [(False, said.called("off")), (True, said.called("on"))])
        if said.choices:
            return self._choice(name, said, [(value, said.called(str(value))) for value in said.choices])
        if kind is Kind.CHOICE:
            return self._choice(name, said, [(member, said.called(member.value)) for member in hint])
        return self._number(name, said, is_whole=hint is int)

    def _choice(self, name: str, said: Declaration, values: list[tuple[object, str]]) -> QWidget:
        choices: list[Choice] = [(value, title, said.tip) for value, title in values]
        letters = sum(len(title) + AROUND_LETTERS for _, title, _ in choices)
        if len(choices) > self._most_buttons or (self._in_column and letters > MOST_LETTERS):
            return ChoiceBox(said.label, said.tip, choices, partial(self._set, name))
        return ChoiceRow(said.label, choices, partial(self._set, name))

    def _switch(self, name: str, said: Declaration) -> QWidget:
        button = QPushButton(said.label)
        button.setCheckable(True)
        button.setToolTip(said.tip)
        button.setAccessibleDescription(said.tip)
        button.clicked.connect(lambda checked: self._set(name, checked))
        return button

    def _number(self, name: str, said: Declaration, *, is_whole: bool) -> QWidget:
        box: NumberBox
        if is_whole:
            box = WholeNumberBox(round(said.low), round(said.high), said.label)
            box.set_stops([round(stop) for stop in said.stops])
        else:
            box = (SmallNumberBox if self._in_column else NumberBox)(said.low, said.high, said.label)
        ends = f"\n{grouped(round(said.low))} to {grouped(round(said.high))}" if is_whole else ""
        box.setToolTip(f"{said.tip}{ends}")
        box.valueChanged.connect(lambda value: self._set(name, round(value) if is_whole else value))
        box.refused.connect(self.refused)
        return box

    def _sentence(self, name: str, said: Declaration) -> QWidget:
        field = SentenceField(said.label, said.tip, lambda: str(value_of(self._state, name)), NOTHING)
        field.typed.connect(lambda text: self._set(name, text))
        field.refused.connect(self.refused)
        return field

    def _typed(self, name: str, said: Declaration) -> QWidget:
        line = TypedLine(said.label, said.tip, lambda: self._written[name].text(value_of(self._state, name)))
        line.typed.connect(lambda text: self._read(name, line, text))
        return line

    # ---- Setting ----

    def _read(self, name: str, line: TypedLine, text: str) -> None:
        try:
            value = self._written[name].value(text)
        except ExplorerError as error:
            line.refuse(str(error))
            self.refused.emit(str(error))
            return
        if value != value_of(self._state, name):
            self._set(name, value)

    def _set(self, name: str, value: object) -> None:
        if self._state is None:
            return
        try:
            changed = self._change(self._state, name, value)
        except ExplorerError as error:
            self.refused.emit(str(error))
            self.show_state(self._state, self._reasons)
            return
        said = self.said(name)
        merge = said.merge or (name if isinstance(self.controls[name], NumberBox | SentenceField) else "")
        self.changed.emit(changed, said.undo, merge)
