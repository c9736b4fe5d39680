"""Small controls that show one of several choices: a combo box, also of ready-made settings, and a row of buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
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

from attention_explorer.core.preset import Preset, preset_of
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

    def minimumSizeHint(self) -> QSize:
        # Qt keeps the one that it was first asked for, whatever the entries have become since.
        is_as_wide = self.sizeAdjustPolicy() is ChoiceBox.SizeAdjustPolicy.AdjustToContents
        return self.sizeHint() if is_as_wide else super().minimumSizeHint()

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


CHANGED = " (changed)"
"""Stands behind the name of a preset whose settings are no longer its own."""


class PresetBox(ChoiceBox):
    """A list of presets; ``chosen`` is called with the name of the one that a person picks.

    Signals
    -------
    shown : (Preset or None, bool)
        The preset that the settings on show come from, if they come from one, and whether they have been changed since;
        also when both are as before.
    """

    shown = Signal(object, bool)

    def __init__(
        self, tip: str, presets: Sequence[Preset[Any]], chosen: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        choices = [(ready.id, ready.title, ready.look_for) for ready in presets]
        super().__init__("Example", tip, choices, lambda identifier: chosen(str(identifier)), parent)
        self._presets = presets
        self._measured: tuple[Look, int] | None = None
        for index, ready in enumerate(presets):
            self.setItemData(index, ready.id)
        self.setMaxVisibleItems(max(len(presets), MOST_ENTRIES))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def show_preset(self, identifier: str, *, changed: bool, otherwise: str = "") -> None:
        """Show a preset without telling anybody, and whether the settings are still its own.

        Where there is no identifier, what they come from is no preset, and `otherwise` says what it is.
        """
        for index, ready in enumerate(self._presets):
            title = ready.title + (CHANGED if changed and ready.id == identifier else "")
            if title != self.itemText(index):
                self.setItemText(index, title)
        self.setPlaceholderText(otherwise)
        if identifier:
            self.show_value(identifier)
        else:
            self.setCurrentIndex(-1)
        self.shown.emit(preset_of(self._presets, identifier) if identifier else None, changed)

    def show_other(self, settings: Preset[Any]) -> None:
        """Show settings that are in no list, with what is to be seen in them."""
        self.setPlaceholderText(settings.title)
        self.setCurrentIndex(-1)
        self.shown.emit(settings, False)

    def widest(self, look: Look) -> int:
        """Return the pixels for each preset that was changed: in more or fewer, all beside it would move."""
        if self._measured is None or self._measured[0] is not look:  # a bar asks with every letter that is typed
            self._measured = look, self.width_for((f"{ready.title}{CHANGED}" for ready in self._presets), look)
        return self._measured[1]
