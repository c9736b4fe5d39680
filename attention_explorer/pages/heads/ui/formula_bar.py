"""A formula whose symbols can be clicked: each leads to the array behind it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from attention_explorer.kit.controls.discard import discard
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.array import ROLES, ArrayKind

Piece = tuple[str, ArrayKind | None]


class FormulaBar(QWidget):
    """One line of symbols.

    Signals
    -------
    chosen : ArrayKind
        The array of the symbol that was clicked.
    """

    chosen = Signal(object)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._pieces: tuple[Piece, ...] = ()
        self._shown: list[QWidget] = []
        self.symbols: list[tuple[ArrayKind, QPushButton]] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addStretch(1)
        self.setAccessibleName(name)

    def show_formula(self, pieces: tuple[Piece, ...]) -> None:
        """Show these pieces; those with an array can be clicked."""
        if pieces == self._pieces:
            return
        self._pieces = pieces
        self.symbols = []
        for widget in self._shown:
            self._row.removeWidget(widget)
            discard(widget)
        self._shown = [QLabel(text) if kind is None else self._symbol(text, kind) for text, kind in pieces]
        for place, widget in enumerate(self._shown):
            self._row.insertWidget(place, widget)
        self.set_look(self._look)

    def _symbol(self, text: str, kind: ArrayKind) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(f"Show {kind} large")
        button.setAccessibleName(f"{text}: show {kind}")
        button.clicked.connect(lambda: self.chosen.emit(kind))
        self.symbols.append((kind, button))
        return button

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        px, theme = look.px, look.theme
        self._row.setSpacing(px(3))
        for kind, button in self.symbols:
            role = ROLES.get(kind)
            ink = theme.text if role is None else theme.ink_of_role(role)
            button.setStyleSheet(
                f"QPushButton {{ color: {ink}; font-weight: 600; border-radius: {px(5)}px;"
                f" padding: {px(1)}px {px(5)}px; min-height: {px(16)}px; }}"
            )
