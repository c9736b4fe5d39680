"""Fields for a number, a small one and a whole one, which are typed, stepped and read as what they say."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSlider, QToolTip, QWidget

from attention_explorer.core.numerals import MINUS, coordinate, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.session.later import later


class UndoKeys(QObject):
    """Keeps a field from taking the keys of undo and redo for itself.

    What is typed and not yet part of the state is no step of the history: the field gives that up first, and by Esc.
    """

    def __init__(self, field: QWidget, give_up: Callable[[], bool]) -> None:
        """Watch over ``field``; ``give_up`` shows the state again and returns whether anything else was shown."""
        super().__init__(field)
        self._give_up = give_up
        self._has_escaped = False
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):  # asked first: its type is made anew for each of the many other events
            return False
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if event.key() == Qt.Key.Key_Escape:
            return self._escapes(event)
        if not _is_of_history(event):
            return False
        if event.type() is QEvent.Type.KeyPress:
            return True  # nothing is left to take back: no shortcut was there to take the key
        event.setAccepted(self._give_up())  # else it is the shortcut of the window
        return True

    def _escapes(self, event: QKeyEvent) -> bool:
        """Take Esc if there is something to give up, which is asked before the shortcuts of the window are."""
        if event.type() is QEvent.Type.ShortcutOverride:
            self._has_escaped = self._give_up()
            event.setAccepted(self._has_escaped)
            return True
        escaped, self._has_escaped = self._has_escaped, False
        return escaped


def _is_of_history(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


REFUSED = "refused"
"""The property of a field whose text cannot be used, for the style sheet."""
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class NumberBox(QDoubleSpinBox):
    """Takes "0.25", "0,25" and "2e-3"; what it cannot take stays in it, marked, and the reason beside it.

    It stays until it is mended, or given up by Esc; the number in use is still the old one. Qt's own box silently drops
    the characters it does not expect: "1,5" becomes 15.

    Signals
    -------
    refused : str
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, low: float, high: float, name: str, parent: QWidget | None = None) -> None:
        self._refused = ""  # what stands here and cannot be used
        self._tip = ""
        super().__init__(parent)
        self.setDecimals(12)  # what is typed is used as it is; `textFromValue` decides how it is shown
        self.setRange(low, high)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        self.lineEdit().textEdited.connect(self._on_edited)
        UndoKeys(self, self._give_up)

    # ---- What cannot be used ----

    def setToolTip(self, tip: str) -> None:
        """Say something else where the pointer rests; why a text cannot be used is said before it."""
        self._tip = tip
        self._show_reason()

    def _show_reason(self) -> None:
        """Mark what cannot be used, and say why; or take the mark away."""
        reason = self._reason_against(self._refused) if self._refused else ""
        super().setToolTip("\n".join(filter(None, (reason, self._tip))))
        if bool(reason) != bool(self.property(REFUSED)):
            if not reason:
                QToolTip.hideText()  # that said why the text before could not be used
            self.setProperty(REFUSED, bool(reason))
            self.style().unpolish(self)
            self.style().polish(self)
        if reason != self.accessibleDescription():
            self.setAccessibleDescription(reason)

    def _refuse(self, text: str) -> None:
        self._refused = self._number_of(text).strip()
        self._show_reason()

    def _on_edited(self, text: str) -> None:
        if self._refused:
            self._refuse(text if self._reason_against(text) else "")

    def _say_reason(self) -> None:
        """Show the reason below the field, until the pointer or the keyboard goes elsewhere."""
        if self._refused and self.isVisible() and self.window().isActiveWindow():
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self._reason_against(self._refused), self)

    def _give_up(self) -> bool:
        """Show the number in use again, if something else is being typed."""
        if self._number_of(self.text()).strip() == self._written(self.value()):
            return False
        self.setValue(self.value())
        return True

    def setValue(self, value: float) -> None:
        """Use a number; it is announced if it is another one."""
        self._refuse("")
        super().setValue(value)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._refused:
            self._give_up()

    def stepBy(self, steps: int) -> None:
        if self._reason_against(self.text()):
            self._give_up()  # a step goes from a number
        super().stepBy(steps)

    # ---- Numbers and texts ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_usable = self.hasAcceptableInput()
        super().keyPressEvent(event)
        if event.key() in ENTER:
            event.setAccepted(not is_usable)  # the page takes the keyboard back for its picture when a number was taken

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # a page that scrolls changes nothing on its way

    def _written(self, value: float) -> str:
        """Return how a number is shown."""
        return coordinate(value, 5)

    def textFromValue(self, value: float) -> str:
        return self._refused or self._written(value)  # Qt asks for it each time a text was read

    def valueFromText(self, text: str) -> float:
        typed = self._number_of(text)
        if typed == self._written(self.value()):
            return self.value()  # what is shown may be rounded, and stands for the number in use
        try:
            return parsed_number(typed)
        except ExplorerError:
            return self.value()

    def _number_of(self, text: str) -> str:
        # The unit may be left standing while the number is typed, or typed along, or left out.
        return text.strip().removeprefix(self.prefix().strip()).removesuffix(self.suffix().strip())

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        # Anything may stand here while it is being typed; what cannot be used is refused in fixup, in words.
        usable = not self._reason_against(text)
        return QValidator.State.Acceptable if usable else QValidator.State.Intermediate, text, position

    def fixup(self, text: str) -> str:
        self._refuse(text)
        self.refused.emit(self._reason_against(text))
        later(self, self._say_reason)  # the keyboard may be on its way elsewhere, which puts tips away
        return self.textFromValue(self.value())

    def _reason_against(self, text: str) -> str:
        try:
            number = parsed_number(self._number_of(text))
        except ExplorerError as error:
            return str(error)
        if self.minimum() <= number <= self.maximum():
            return ""
        low, high = coordinate(self.minimum()), coordinate(self.maximum())
        return f"{quoted(text)} is out of range: type a number from {low} to {high}."


LEAST_IN_FULL = 1e-8
"""Below this zeros would have to be counted."""


class SmallNumberBox(NumberBox):
    """Writes 0.00001 where other fields write a power of ten."""

    def _written(self, value: float) -> str:
        if not LEAST_IN_FULL <= abs(value) < 1e-3:
            return super()._written(value)
        digits = f"{value:.12f}".rstrip("0")
        # Three digits that count are as many as there is room for, and what is typed is mostly one of them.
        return (digits if len(digits) <= 10 else f"{value:.10f}".rstrip("0")).replace("-", MINUS)


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
