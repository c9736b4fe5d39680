"""The main quantity of a view: a slider as wide as the page, with the ends of its range and a field for the number."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSlider, QWidget

from attention_explorer.core.declared import declaration_of, usual_of, value_of
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.made import Card, allow_unless, words
from attention_explorer.kit.controls.sliding_number import SlidingNumber
from attention_explorer.kit.drawing.log_axis import log_text
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.theme import Look
from attention_explorer.session.session import StateSession


class MainQuantity(Card):
    """The slider of the view on show; those of other views are made when they are first shown.

    Signals
    -------
    refused : str
        What was typed does not fit.
    """

    refused = Signal(str)

    def __init__(self, session: StateSession[Any], look: Look, parent: QWidget | None = None) -> None:
        self._session, self._look = session, look
        self.sliders: dict[tuple[str, str], SlidingNumber[Any]] = {}
        self._ends: dict[tuple[str, str], tuple[QLabel, QLabel]] = {}
        self._row = QHBoxLayout()
        self._last: QWidget | None = None
        super().__init__(look, parent=parent)
        self.body.addLayout(self._row)
        self.setAccessibleName("Main quantity")

    def set_look(self, look: Look) -> None:
        self._look = look
        self.body.setContentsMargins(look.px(14), look.px(7), look.px(12), look.px(7))
        self._row.setSpacing(look.px(12))
        for slider in self.sliders.values():
            slider.set_look(look)

    def slider_of(self, view: View[Any]) -> SlidingNumber[Any]:
        """Return the slider of a view."""
        key = view.part.name, view.main
        if key not in self.sliders:
            said, usual = declaration_of(view.part.kind, view.main), usual_of(view.part.kind, view.main)
            slider: SlidingNumber[Any] = SlidingNumber(
                self._session,
                view.part.name,
                said.label,
                said.label,
                said.tip,
                lambda state, value: view.part.change(state, view.main, value),
                said.stops,
                undo=said.undo,
                usual=None if usual is None else lambda state: view.part.change(state, view.main, usual),
            )
            slider.box.refused.connect(self.refused)
            self._ends[key] = _end_labels(slider)
            slider.set_look(self._look)
            self.sliders[key] = slider
            self._row.addWidget(slider, 1)
            if self._last is not None:
                self._last.raise_()  # behind the sliders also where Tab goes through all in the order of the children
        return self.sliders[key]

    def control_of(self, view: View[Any]) -> QWidget:
        """Return what moves the main quantity of a view."""
        return self.slider_of(view)

    def take_keyboard(self, view: View[Any], reason: Qt.FocusReason) -> None:
        """Have the keyboard, for the main quantity of a view."""
        self.slider_of(view).slider.setFocus(reason)

    def step(self, view: View[Any], state: Any, turn: QSlider.SliderAction) -> None:  # noqa: ANN401 # of its part
        """Go a step up or down, or say why the main quantity stands still."""
        reason = view.part.reasons_against(state, (view.main,))[view.main]
        if reason:  # a slider that is grey would turn all the same
            self.refused.emit(reason)
        else:
            self.slider_of(view).slider.triggerAction(turn)

    def lead(self, widget: QWidget) -> None:
        """Put a widget before the sliders."""
        self._row.insertWidget(0, widget, 0, Qt.AlignmentFlag.AlignLeft)
        widget.lower()  # before the sliders also where Tab goes through all in the order of the children

    def fit(self, width: int) -> None:
        """Put what stands before the sliders above them, where a line of so many pixels has no room for all."""
        # Of each widget, not of the layout: that learns only later what was just shown or hidden.
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        shown = [each for each in children if not each.isHidden()]
        needs = sum(each.minimumSizeHint().width() + self._row.spacing() for each in shown)
        margins = self.body.contentsMargins()
        is_short = needs + margins.left() + margins.right() > width
        direction = QBoxLayout.Direction.TopToBottom if is_short else QBoxLayout.Direction.LeftToRight
        self._row.setDirection(direction)

    def end(self, widget: QWidget) -> None:
        """Put a widget at the very end of the line."""
        self._last = widget
        line = QHBoxLayout()
        self.body.removeItem(self._row)
        line.addLayout(self._row, 1)
        line.addWidget(widget)
        self.body.addLayout(line)

    def follow(self, widget: QWidget) -> None:
        """Put a widget after the sliders: what a view has in their place."""
        self._row.addWidget(widget, 1)

    def show_view(self, view: View[Any], state: Any) -> None:  # noqa: ANN401 # of the part of the view
        """Show the main quantity of a view, if it has one."""
        if not view.main:
            for other in self.sliders.values():
                other.hide()
            return
        slider, said = self.slider_of(view), declaration_of(view.part.kind, view.main)
        for other in self.sliders.values():
            other.setVisible(other is slider and said.is_shown(state))
        low, high = said.range_in(state)
        slider.show_value(min(max(value_of(state, view.main), low), high), high, low)
        ends = (said.stops[0], said.stops[-1]) if said.stops else (low, high)
        for label, number in zip(self._ends[view.part.name, view.main], ends, strict=True):
            label.setText(grouped(round(number)) if number == round(number) else log_text(number))
        allow_unless(view.part.reasons_against(state, (view.main,))[view.main], slider.slider, slider.box)


def _end_labels(slider: SlidingNumber[Any]) -> tuple[QLabel, QLabel]:
    """Make the labels at the ends of a slider, for where it ends; more can be typed."""
    row, labels = slider.layout(), (words("", "muted"), words("", "muted"))
    for place, end in zip((1, 3), labels, strict=True):
        row.insertWidget(place, end)  # type: ignore[union-attr] # a row of its own
    return labels
