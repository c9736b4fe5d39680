"""A column that keeps the height it is given."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget


class Steady(QWidget):
    """A column that takes the height it is given: text that wraps inside must not make the whole page scroll."""

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        # Where it keeps its room while it is out of sight, that is its width.
        hint = super().minimumSizeHint()
        return QSize(hint.width(), 0) if self.isHidden() else hint
