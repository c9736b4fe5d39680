"""A field for one number that reads what people type and shows what is used."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from attention_explorer.core.numerals import coordinate, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.controls.undo_keys import UndoKeys

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class NumberBox(QDoubleSpinBox):
    """Takes "0.25", "0,25" and "2e-3"; says why where it cannot, and then shows the old number again.

    Qt's own box silently drops the characters it does not expect: "1,5" becomes 15.

    Signals
    -------
    refused : str
        Why what was typed cannot be used.
    """

    refused = Signal(str)

    def __init__(self, low: float, high: float, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDecimals(12)  # what is typed is used as it is; `textFromValue` decides how it is shown
        self.setRange(low, high)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        UndoKeys(self, self._give_up)

    def _give_up(self) -> bool:
        """Show the number in use again, if another one is being typed."""
        if self._number_of(self.text()).strip() == self.textFromValue(self.value()):
            return False
        with QSignalBlocker(self):
            self.setValue(self.value())
        return True

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

    def textFromValue(self, value: float) -> str:
        return coordinate(value, 5)

    def valueFromText(self, text: str) -> float:
        typed = self._number_of(text)
        if typed == self.textFromValue(self.value()):
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
        self.refused.emit(self._reason_against(text))
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
