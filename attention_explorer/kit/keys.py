"""Shortcuts as this system writes them."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence


def written(shortcut: str = "") -> str:
    """Return a shortcut, such as Ctrl+K, as the menus of this system write it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
