"""A field for one number that reads what people type and shows what is used."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QToolTip, QWidget

from attention_explorer.core.numerals import coordinate, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.controls.undo_keys import UndoKeys
from attention_explorer.session.later import later

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
