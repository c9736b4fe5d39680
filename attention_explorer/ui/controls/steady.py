"""A column that keeps the height it is given."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class Steady(QWidget):
    """A column that takes the height it is given: text that wraps inside must not make the whole page scroll."""

    def hasHeightForWidth(self) -> bool:
        return False
