"""A widget that paints itself and says more about what a pointer rests on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget


class TipWidget(QWidget):
    """Has a tip for every place: a subclass says in `tip_at` which."""

    def tip_at(self, place: QPointF) -> str:
        """Return what to say of a place; empty for nothing."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)
