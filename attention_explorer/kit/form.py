"""Controls for the declared fields of a state: what a field is, is said where it is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import (
    Declaration,
    Kind,
    declaration_of,
    hint_of,
    kind_of,
    reasons_of,
    undo_of_reset,
    value_of,
    with_value,
)
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import Choice, ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.made import FlowLayout, allow_unless, button, in_row, name_of
from attention_explorer.kit.controls.number_box import NumberBox, SmallNumberBox, WholeNumberBox, show_number
from attention_explorer.kit.controls.sentence_field import NOTHING, SentenceField, TypedLine
from attention_explorer.kit.theme import Look

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

BOX_WIDTH, LONG_BOX_WIDTH, LONGEST_BOX_WIDTH, SENTENCE_WIDTH, LEAST_WIDTH = 52, 84, 104, 236, 90
"""Pixels at zoom 1 of a field for a number, one with many digits, ten, a sentence, and of what a column narrows."""
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

    It keeps no copy of the state. A double click on a label puts its field back.

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
    are_named : bool
        Whether those that do not say themselves what they are have a label before them.
    choices : mapping
        For fields of which each value has words of its own: (value, title, tip).
    most_buttons : int
        So many values of a choice stand beside one another at most; more are in a list.
    usual : callable, optional
        (state, field) -> the state with that field as usual, where that is more than its default.

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
        are_named: bool = True,
        most_buttons: int = MOST_BUTTONS,
        choices: Mapping[str, Sequence[Choice]] | None = None,
        usual: Callable[[S, str], S] | None = None,
        reasons_against: Callable[[S, Iterable[str]], Mapping[str, str]] | None = None,
    ) -> None:
        super().__init__(parent)
        self._kind, self._change, self._written, self._choices = kind, change, written or {}, choices or {}
        self._most_buttons, self._in_column, self._are_named = most_buttons, in_column, are_named
        self._usual = usual
        self._reasons_against = reasons_against or partial(reasons_of, kind)
        self._state: S | None = None
        self.controls: dict[str, QWidget] = {}
        self._lines: dict[str, QWidget] = {}
        self._labels: list[QLabel] = []  # as wide as one another
        self._names: dict[QObject, str] = {}  # of the fields that labels stand for
        self._layout: QLayout = (QVBoxLayout if in_column else QHBoxLayout if in_line else FlowLayout)(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        for name in names:
            self._lines[name] = self._line(name)
            self._layout.addWidget(self._lines[name])
        self.set_look(look)

    def add(self, widget: QWidget) -> None:
        """Add another widget at the end."""
        self._layout.addWidget(widget)

    def add_beside(self, name: str, widget: QWidget) -> None:
        """Add another widget to the line of a field."""
        row: Any = self._lines[name].layout()
        row.insertWidget(row.count() - 1, widget)

    def add_below(self, name: str, widget: QWidget, label: QLabel | None = None) -> None:
        """Add another widget below the line of a field; its label, if it has one, is as wide as those of the lines."""
        column: Any = self._layout
        column.insertWidget(column.indexOf(self._lines[name]) + 1, widget)
        for later in list(self._lines)[list(self._lines).index(name) + 1 :]:
            self._lines[later].raise_()  # Tab goes through the widgets of a form in the order in which they lie
        if label is not None:
            self._labels.append(label)

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
                control.setFixedWidth(look.px(self._width_of(name, control)))
            elif isinstance(control, SentenceField | TypedLine):
                control.setMinimumWidth(look.px(LEAST_WIDTH if self._in_column else SENTENCE_WIDTH))
            elif isinstance(control, ChoiceBox) and self._in_column:
                control.setMinimumWidth(look.px(LEAST_WIDTH))

    def _width_of(self, name: str, box: NumberBox) -> int:
        """Return how wide a field for a number is, in pixels at zoom 1."""
        high = abs(self.said(name).high)
        if self._in_column and isinstance(box, WholeNumberBox) and high > 1e9:
            return LONGEST_BOX_WIDTH
        return LONG_BOX_WIDTH if LONG_NUMBER <= high <= 1e9 or isinstance(box, SmallNumberBox) else BOX_WIDTH

    def show_state(self, state: S) -> None:
        """Show the fields of a state, without those that do nothing there; what cannot be set is grey and says why."""
        self._state, reasons = state, self._reasons_against(state, self.controls)
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
            allow_unless(reasons[name], control)

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
        says_itself = not self._are_named or isinstance(control, QPushButton | ChoiceRow)
        if says_itself and not self._in_column:
            return control
        label = name_of(control, "" if isinstance(control, QPushButton) else said.label)
        tip = control.toolTip() or said.tip
        label.setToolTip(f"{tip}\nDouble click on “{label.text()}”: back to the default." if label.text() else tip)
        if label.text():
            self._names[label] = name
            label.installEventFilter(self)
        whole = QWidget()
        if isinstance(control, SentenceField | TypedLine):
            in_row(label, (control, 1), within=whole)
        else:
            in_row(label, control, None, within=whole)
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
        choices = self._choices.get(name) or [(value, title, said.tip) for value, title in values]
        letters = sum(len(title) + AROUND_LETTERS for _, title, _ in choices)
        if len(choices) > self._most_buttons or (self._in_column and letters > MOST_LETTERS):
            box = ChoiceBox(said.label, said.tip, choices, partial(self.set_value, name))
            if not self._in_column:  # what a source calls its own may be longer
                box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
            return box
        return ChoiceRow(said.label, choices, partial(self.set_value, name))

    def _switch(self, name: str, said: Declaration) -> QWidget:
        choose = lambda checked: self.set_value(name, checked)  # noqa: E731 # a partial would not be given it
        return button(said.label, said.tip, choose, name=said.label, is_switch=True)

    def _number(self, name: str, said: Declaration, *, is_whole: bool) -> QWidget:
        box: NumberBox
        if is_whole:
            box = WholeNumberBox(round(said.low), round(said.high), said.label)
            box.set_stops([round(stop) for stop in said.stops])
        else:
            box = (SmallNumberBox if self._in_column else NumberBox)(said.low, said.high, said.label)
        ends = f"\n{grouped(round(said.low))} to {grouped(round(said.high))}" if is_whole else ""
        box.setToolTip(f"{said.tip}{ends}")
        box.valueChanged.connect(lambda value: self.set_value(name, round(value) if is_whole else value))
        box.refused.connect(self.refused)
        return box

    def _sentence(self, name: str, said: Declaration) -> QWidget:
        field = SentenceField(said.label, said.tip, lambda: str(value_of(self._state, name)), NOTHING)
        field.typed.connect(lambda text: self.set_value(name, text))
        field.refused.connect(self.refused)
        return field

    def _typed(self, name: str, said: Declaration) -> QWidget:
        line = TypedLine(said.label, said.tip, lambda: self._written[name].text(value_of(self._state, name)))
        line.typed.connect(lambda text: self._read(name, line, text))
        return line

    # ---- Setting ----

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        name = self._names.get(watched, "")
        is_of_mouse = bool(name) and isinstance(event, QMouseEvent)  # else its type is made for nothing
        if not is_of_mouse or event.type() is not QEvent.Type.MouseButtonDblClick:
            return False
        if self.controls[name].isEnabled():  # a filter sees the events of what is greyed too
            self._reset(name)
        return True

    def _reset(self, name: str) -> None:
        """Put a field back."""
        if self._usual is None:
            self._take(lambda state: self._change(state, name, value_of(self._kind(), name)), name, is_reset=True)
        else:
            usual = self._usual
            self._take(lambda state: usual(state, name), name, is_reset=True)

    def _read(self, name: str, line: TypedLine, text: str) -> None:
        try:
            value = self._written[name].value(text)
        except ExplorerError as error:
            line.refuse(str(error))
            self.refused.emit(str(error))
            return
        if value != value_of(self._state, name):
            self.set_value(name, value)

    def set_value(self, name: str, value: object) -> None:
        """Set a field, as if it was done by its control."""
        self._take(lambda state: self._change(state, name, value), name)

    def _take(self, change: Callable[[S], S], name: str, *, is_reset: bool = False) -> None:
        """Change the state, or say why that cannot be."""
        if self._state is None:
            return
        try:
            changed = change(self._state)
        except ExplorerError as error:
            self.refused.emit(str(error))
            self.show_state(self._state)
            return
        said = self.said(name)
        merge = said.merge or (name if isinstance(self.controls[name], NumberBox | SentenceField) else "")
        if is_reset:
            self.changed.emit(changed, undo_of_reset(said), "")
        else:
            self.changed.emit(changed, said.undo, merge)
