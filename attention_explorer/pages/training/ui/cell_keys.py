"""Choosing a cell of the large map by keys alone, to read, follow or hide it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from attention_explorer.kit.map_item import Cell, MapItem

_STEPS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_BEGIN = (Qt.Key.Key_Up, Qt.Key.Key_Down)
"""These choose the first cell; the others walk along the curves until one is chosen."""


class CellKeys(QObject):
    """The cell that keys have chosen, if any.

    Parameters
    ----------
    large : MapItem
        The map, which marks the cell.

    Signals
    -------
    moved : (row, column) or None
        Another cell is chosen, or none any more.
    hide_wanted, follow_wanted : (row, column)
        The cell is to be hidden or shown again; its row is to be followed.
    """

    moved = Signal(object)
    hide_wanted = Signal(object)
    follow_wanted = Signal(object)

    def __init__(self, large: MapItem, parent: QObject) -> None:
        super().__init__(parent)
        self._large = large

    @property
    def cell(self) -> Cell | None:
        """The cell that is chosen."""
        return self._large.chosen

    def leave(self) -> bool:
        """Choose none any more; return whether one was chosen."""
        was = self.cell is not None
        if was:
            self._move(None)
        return was

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key stands for; return whether it stands for something here."""
        picture, key, cell = self._large.picture, Qt.Key(event.key()), self.cell
        if picture is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if cell is None:
            if key not in _BEGIN:
                return False
            row = self._large.framed_row or 0
            self._move((row, int(picture.values[row].argmax())))
        elif key in _STEPS:
            self._move(tuple(min(max(at + by, 0), count - 1)  # type: ignore[arg-type] # two
                             for at, by, count in zip(cell, _STEPS[key], picture.cells, strict=True)))  # fmt: skip
        elif key in (Qt.Key.Key_H, Qt.Key.Key_Delete):
            self.hide_wanted.emit(cell)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.follow_wanted.emit(cell)
        else:
            return False
        return True

    def _move(self, cell: Cell | None) -> None:
        self._large.choose(cell)
        self.moved.emit(cell)
