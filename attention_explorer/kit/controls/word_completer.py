"""Offers words while a sentence is typed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCompleter, QLineEdit


class WordCompleter(QCompleter):
    """Offers words for the last one of a line; what stands before it stays."""

    def __init__(self, line: QLineEdit) -> None:
        super().__init__(line)
        self._line = line
        self.known: tuple[str, ...] = ()
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(" ")[2]]

    def pathFromIndex(self, index: object) -> str:
        before, gap, _ = self._line.text().rpartition(" ")
        return f"{before}{gap}{super().pathFromIndex(index)}"  # type: ignore[arg-type]

    def offer(self, known: tuple[str, ...]) -> None:
        """Offer these words from now on."""
        if known != self.known:
            from PySide6.QtCore import QStringListModel

            self.known = known
            self.setModel(QStringListModel(list(known), self))
