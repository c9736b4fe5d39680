"""A field for a whole number, and how fields and sliders show a number without announcing it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QSlider, QWidget

from attention_explorer.core.numerals import MINUS, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.controls.number_box import NumberBox


class WholeNumberBox(NumberBox):
    """A field for a whole number, also one beyond 2³¹, where Qt's QSpinBox ends; 7.5 is refused, not rounded."""

    def __init__(self, low: int, high: int, name: str, parent: QWidget | None = None) -> None:
        super().__init__(low, high, name, parent)
        self.setDecimals(0)
        self._stops: tuple[int, ...] = ()

    def set_stops(self, stops: Sequence[int] = ()) -> None:
        """Let arrow keys and wheel go from one of these numbers to the next; without any they go by 1."""
        self._stops = tuple(stops)

    def stepBy(self, steps: int) -> None:
        if not self._stops:
            super().stepBy(steps)
            return
        if self._reason_against(self.text()):
            self._give_up()
        self.interpretText()  # what was typed and not yet entered is where to go from
        now = round(self.value())
        ahead = [stop for stop in self._stops if (stop > now if steps > 0 else stop < now)]
        ahead.sort(reverse=steps < 0)
        if ahead:
            self.setValue(ahead[min(abs(steps), len(ahead)) - 1])

    def _written(self, value: float) -> str:
        return f"{value:.0f}".replace("-", MINUS)

    def _reason_against(self, text: str) -> str:
        low, high = self.minimum(), self.maximum()
        try:
            number = parsed_number(self._number_of(text))
        except ExplorerError:
            number = math.nan
        if number.is_integer() and low <= number <= high:
            return ""
        between = f"{self._written(low)} to {self._written(high)}"
        return f"{quoted(text)} does not fit here: type a whole number from {between}."


def show_number(box: NumberBox, number: float) -> None:
    """Show a number without announcing it; the text of a box that shows it already is left as it is being typed."""
    if box.value() != round(number, box.decimals()):
        with QSignalBlocker(box):
            box.setValue(number)


def show_position(slider: QSlider, position: int) -> None:
    """Move a slider without announcing it, unless a hand holds it."""
    if not slider.isSliderDown():
        with QSignalBlocker(slider):
            slider.setValue(position)
