"""Boxes that say something, none of which stops the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def say(parent: QWidget, title: str, text: str, *, is_error: bool = True) -> None:
    """Say in a box what went wrong, or what is worth knowing."""
    icon = QMessageBox.Icon.Warning if is_error else QMessageBox.Icon.Information
    box = message_box(parent, icon, title, text)
    box.addButton(QMessageBox.StandardButton.Ok)
    box.open()


def message_box(parent: QWidget, icon: QMessageBox.Icon, title: str, text: str) -> QMessageBox:
    """Return a box that is deleted when it is closed, to which buttons are to be added."""
    box = QMessageBox(icon, title, text, QMessageBox.StandardButton.NoButton, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # a file may be called <b>
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box
