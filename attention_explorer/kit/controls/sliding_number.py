"""A slider that comes to where it is pressed, whose drag belongs to the session; and one with its exact number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, floor, isclose
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QPointF, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QSlider, QStyle, QStyleOptionSlider, QWidget

from attention_explorer.kit.controls.made import in_row
from attention_explorer.kit.controls.number_box import NumberBox, WholeNumberBox, show_number, show_position
from attention_explorer.kit.theme import Look
from attention_explorer.session.session import NEVER, StateSession


class Slider(QSlider):
    """A horizontal slider whose knob, when it is pressed beside it, comes under the pointer and follows it from there.

    Qt's own goes a page on and then stays where it is. Its styles have a hint that lets the knob come, but that moves
    it before it is held: it would be a change of its own, with a step of its own to undo.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_SliderHandle
        knob = self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, self)
        if event.button() is not Qt.MouseButton.LeftButton or knob.contains(event.position().toPoint()):
            super().mousePressEvent(event)
            return
        middle = QPointF(knob.center())
        there = self.mapToGlobal(middle)
        super().mousePressEvent(
            QMouseEvent(event.type(), middle, there, event.button(), event.buttons(), event.modifiers())
        )
        self.mouseMoveEvent(event)


class SliderDrag(QObject):
    """Watches over a slider that previews while it is held.

    A dialog that is opened by its keys in the middle of a drag gets the release of the button. Without this the slider
    would follow the pointer ever after, and the preview never become part of the history.
    """

    def __init__(self, slider: QSlider, session: StateSession[Any]) -> None:
        super().__init__(slider)
        self._slider, self._session = slider, session
        slider.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._slider.isSliderDown():
            return False
        if isinstance(event, QKeyEvent):
            if event.type() is QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self._session.revert()
            return True  # arrows would be steps within the drag
        if event.type() is QEvent.Type.FocusOut:
            self._session.revert()
            self._let_go()
        return False

    def _let_go(self) -> None:
        place, left = QPointF(self._slider.rect().center()), Qt.MouseButton.LeftButton
        release = QMouseEvent(
            QEvent.Type.MouseButtonRelease,
            place,
            self._slider.mapToGlobal(place),
            left,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(self._slider, release)


S = TypeVar("S")

BETWEEN = 100
"""How many places the handle has from one of a few stops to the next: a number that was typed may lie there."""
LONG_NUMBER = 100_000
"""From here on a number needs a wider field."""


class SlidingNumber(QWidget, Generic[S]):
    """A labelled slider with a field for the exact number. A drag is one step, Esc puts it back.

    A double click on the label or the slider puts it back, where it is known to what.
    """

    def __init__(
        self,
        session: StateSession[Any],
        part: str,
        title: str,
        name: str,
        tip: str,
        change: Callable[[S, Any], S],
        stops: Sequence[float] = (),
        parent: QWidget | None = None,
        *,
        undo: str = "",
        usual: Callable[[S], S] | None = None,
    ) -> None:
        """``undo`` is what a change is called in the undo menu: to move what ``name`` says, if it is empty.

        ``usual`` puts the number back to what it is as a rule.
        """
        super().__init__(parent)
        self._session, self._part, self._change, self._stops = session, part, change, tuple(stops)
        self._is_whole = all(stop == round(stop) for stop in self._stops)
        self._step = BETWEEN if 0 < len(self._stops) < BETWEEN else 1
        self._undo_label, self._merge = undo or f"Move the {name}", f"{part} {name}"
        self._usual = usual
        self.label = QLabel(title)
        self.slider = Slider()
        for back in (self.label, self.slider):
            back.installEventFilter(self)
        said = _at_the_beginning(name)
        self.slider.setAccessibleName(said)
        self.slider.setSingleStep(self._step)
        self.slider.valueChanged.connect(self._on_slid)
        self.slider.sliderReleased.connect(self._on_released)
        SliderDrag(self.slider, session)
        self.box = (WholeNumberBox if self._is_whole else NumberBox)(0, 1, f"{said}, exact")
        self.box.valueChanged.connect(self._on_typed)
        self.label.setBuddy(self.box)
        for widget in (self.label, self.slider, self.box):
            widget.setToolTip(tip)
        self._row = in_row(self.label, (self.slider, 1), self.box, within=self)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._row.setSpacing(look.px(6))
        self.box.setFixedWidth(look.px(58 if max(self._stops, default=0) < LONG_NUMBER else 88))
        self.slider.setMinimumWidth(look.px(150))

    def show_value(self, value: float, highest: float, lowest: float = 0) -> None:
        """Show a number of a range."""
        first, last = (0, (len(self._stops) - 1) * self._step) if self._stops else (round(lowest), round(highest))
        self.slider.setPageStep(max(1, (last - first) // self._step // 10) * self._step)
        for control, ends in ((self.slider, (first, last)), (self.box, (lowest, highest))):
            if (control.minimum(), control.maximum()) != ends:
                with QSignalBlocker(control):  # a range that shrinks may move the handle
                    control.setRange(*ends)
        show_position(self.slider, self._position_of(value))
        show_number(self.box, value)

    def _position_of(self, value: float) -> int:
        """Return where the handle stands for a number: at its stop, or between two of them; beyond all at the end."""
        stops = self._stops
        if not stops:
            return round(value)
        above = bisect_left(stops, value)
        around = range(max(above - 1, 0), min(above + 1, len(stops)))
        nearest = min(around, key=lambda index: abs(stops[index] - value))
        if self._step == 1 or isclose(stops[nearest], value) or not stops[0] < value < stops[-1]:
            return nearest * self._step
        below = bisect_left(stops, value) - 1
        share = (value - stops[below]) / (stops[below + 1] - stops[below])
        # Beside a stop, not on it: a key is to lead there.
        inside = min(max(share, 1 / self._step), 1 - 1 / self._step)
        return round((below + inside) * self._step)

    def _stop_at(self, position: int) -> float:
        """Return the stop that a place of the handle means: the nearest, or the next on the way of a key."""
        before = position if self.slider.isSliderDown() else self._position_of(self.box.value())
        way = ceil if position < before else floor if position > before else round
        return self._stops[way(position / self._step)]

    def _at(self, value: float) -> Any:  # noqa: ANN401 - the whole state, with another part of a type known to few
        return self._with(lambda part: self._change(part, value))

    def _with(self, change: Callable[[S], S]) -> Any:  # noqa: ANN401 # the same
        state = self._session.state
        return replace(state, **{self._part: change(getattr(state, self._part))})

    def _on_slid(self, position: int) -> None:
        value = self._stop_at(position) if self._stops else position
        if value == self.box.value():
            return  # within a drag, on the way to the next stop
        if self.slider.isSliderDown():
            self._session.preview(self._at(value), self._undo_label)
        else:
            self._session.apply(self._at(value), self._undo_label, self._merge)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Its class is asked first: its type is made anew for each of the many events that are none of the mouse.
        is_double = isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseButtonDblClick
        if not is_double or self._usual is None:
            return False
        if self.slider.isEnabled():  # a filter sees the events of what is greyed too
            self._session.apply(self._with(self._usual), self._undo_label, self._merge)
        return True

    def _on_released(self) -> None:
        self._session.commit(self._merge, within=NEVER)  # a double click, whose first press moves it, is one step
        with QSignalBlocker(self.slider):  # the handle may stand where an Esc has put the state back
            self.slider.setValue(self._position_of(self.box.value()))

    def _on_typed(self, value: float) -> None:
        self._session.apply(self._at(round(value) if self._is_whole else value), self._undo_label, self._merge)


def _at_the_beginning(name: str) -> str:
    """Return a name as a sentence begins with it. A symbol stays as it is: d_k is not D_k, ρ not P."""
    word = name.split()[0]
    return name[0].upper() + name[1:] if len(word) > 1 and word.isalpha() else name
