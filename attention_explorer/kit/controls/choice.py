"""Small controls that show one of several choices: a combo box and a row of buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from attention_explorer.kit.controls.made import button, in_row
from attention_explorer.kit.theme import Look

Choice = tuple[object, str, str]
"""What is chosen, what it is called, and a tip that teaches."""

AROUND_TEXT = 46
"""Pixels at zoom 1 that a combo box needs beside its text: padding, frame and arrow."""

MOST_ENTRIES = 20
"""Entries that a list shows without scrolling."""


class TellingBox(QComboBox):
    """A combo box that says by its tip what it has no room to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tip = ""
        self.currentTextChanged.connect(lambda _text: self._shortened())  # the pointer may rest on it meanwhile

    def setToolTip(self, tip: str) -> None:
        """Say something else where the pointer rests."""
        self._tip = tip
        super().setToolTip(tip)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), self._shortened()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _shortened(self) -> QStyleOptionComboBox:
        """Return how it is painted, with as much of its text as there is room for; the tip says the rest."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        text = self.currentText() or self.placeholderText()
        option.currentText = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        self._tell_all(text, is_shortened=option.currentText != text)
        return option

    def _tell_all(self, text: str, *, is_shortened: bool) -> None:
        tip = f"{text}\n{self._tip}" if is_shortened else self._tip
        if tip != self.toolTip():
            super().setToolTip(tip)


class ChoiceBox(TellingBox):
    """A combo box over values of any kind; ``chosen`` is called with the value when a person picks one."""

    def __init__(
        self,
        name: str,
        tip: str,
        choices: Iterable[Choice],
        chosen: Callable[[object], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)
        self._values: list[object] = []
        for value, title, hint in choices:
            self._values.append(value)
            self.addItem(title)
            self.setItemData(self.count() - 1, hint, Qt.ItemDataRole.ToolTipRole)
        self._enabled = [True] * len(self._values)
        self.setMaxVisibleItems(MOST_ENTRIES)  # a list that ends early does not show that it goes on
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(lambda index: chosen(self._values[index]))

    @staticmethod
    def width_for(texts: Iterable[str], look: Look) -> int:
        """Return the pixels in which each of some texts is shown whole."""
        metrics = QFontMetrics(look.font())
        return max((metrics.horizontalAdvance(text) for text in texts), default=0) + look.px(AROUND_TEXT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # a page that scrolls changes nothing on its way

    def showPopup(self) -> None:
        # As wide as its longest entry, which may be longer than the box.
        scroll_bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + scroll_bar)
        super().showPopup()

    def show_value(self, value: object) -> None:
        """Show a value without telling anybody."""
        index = self._values.index(value)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    def enable_values(self, enabled: Callable[[object], bool]) -> None:
        """Grey the choices that make no sense now."""
        for index, value in enumerate(self._values):
            if enabled(value) != self._enabled[index]:  # to set what is set takes long
                self._enabled[index] = not self._enabled[index]
                flags = None if self._enabled[index] else 0
                self.model().setData(self.model().index(index, 0), flags, Qt.ItemDataRole.UserRole - 1)


class ChoiceRow(QWidget):
    """A row of buttons of which one is pressed; ``chosen`` is called with its value."""

    def __init__(
        self, name: str, choices: Iterable[Choice], chosen: Callable[[object], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.buttons: dict[object, QPushButton] = {}
        group = QButtonGroup(self)
        for value, title, tip in choices:
            self.buttons[value] = button(title, tip, name=f"{name}: {title}", is_switch=True)
            self.buttons[value].clicked.connect(lambda _checked, value=value: chosen(value))
            group.addButton(self.buttons[value])
        in_row(*self.buttons.values(), within=self, space=2)

    def show_value(self, value: object) -> None:
        """Show a value without telling anybody."""
        self.buttons[value].setChecked(True)
