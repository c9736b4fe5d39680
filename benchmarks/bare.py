"""The page with nothing on it: as many plain widgets, in the same places, one inside the other as on the page."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def bare_copy(original: QWidget, parent: QWidget | None = None) -> QWidget:
    """Return an empty widget as large as the original, with a copy of each visible widget in it."""
    copy = QWidget(parent)
    copy.setGeometry(original.geometry())
    for child in original.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            bare_copy(child, copy)
    return copy


def update_all(top: QWidget) -> None:
    """Ask a widget and every widget in it to paint itself anew."""
    for widget in (top, *top.findChildren(QWidget)):
        widget.update()
