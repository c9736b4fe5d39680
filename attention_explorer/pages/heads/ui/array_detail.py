"""One array, large: what it is, where it comes from, its picture, and on demand every digit."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.numbers_files import as_csv
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.numbers_model import MatrixModel, MatrixTable, NumbersColumn
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.array import (
    ArrayKind,
    HeadArray,
    array_picture,
    array_table,
    array_words,
    shape_note,
    shape_text,
)
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.ui.matrix_view import MatrixView

RESULTS = (ArrayKind.HEAD_OUTPUT, ArrayKind.OUTPUT)
WAYS = (
    (False, "Picture", "The array as a picture, coloured around 0"),
    (True, "Numbers", "Every number of the array with all its digits"),
)


class ArrayDetail(Card):
    """Shows a `HeadArray`; the number under the pointer is said below it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent=parent)
        self._frame: HeadsFrame | None = None
        self.array: HeadArray | None = None
        self.words = TextBlock(look, 2, "What this array is and where it comes from")
        self.matrix = MatrixView(look, "The array as a picture")
        self.matrix.spot_changed.connect(lambda _spot: self._say())
        self.matrix.cell_chosen.connect(lambda _cell: self._say())
        self.model = MatrixModel(parent=self)
        self.table = MatrixTable(self.model, look, "Numbers of the array")
        self.ways = ChoiceRow("Show the array as", WAYS, self._on_way)
        self.copy = QPushButton("Copy as CSV")
        self.copy.setToolTip("Put the array on the clipboard, every digit of it (Ctrl+C)")
        self.copy.clicked.connect(self.copy_numbers)
        # On the table alone, which otherwise copies one cell.
        QShortcut(QKeySequence.StandardKey.Copy, self.table, self.copy_numbers)
        self.said = TextBlock(look, 2, "The number under the pointer")
        self._arrange()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.ways)
        row.addStretch(1)
        row.addWidget(self.copy)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.matrix)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.pages.addWidget(holder)
        self.body.addWidget(self.words)
        self.body.addLayout(row)
        self.body.addWidget(self.pages, 1)
        self.body.addWidget(self.said)
        self.ways.show_value(False)

    def wear(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.set_look(look)
        for part in (self.words, self.matrix, self.table, self.said):
            part.set_look(look)

    def show_array(self, frame: HeadsFrame, array: HeadArray, colour_map: str) -> None:
        """Show an array of a frame."""
        self._frame, self.array = frame, array
        whole = f" of {array.whole}" if array.whole else ""
        lines = [
            TextLine(f"{array.kind}  {shape_text(array)}{whole}: {array.title}", bold=True, size=14),
            TextLine(f"Where it comes from: {array.source}", size=12.5),
        ]
        if array.card:
            lines.append(TextLine(array.card, "muted", size=12.5))
        if array.kind in RESULTS:
            lines.append(TextLine(shape_note(frame), "muted", size=12.5))
        self.words.set_text(*lines)
        self.matrix.show_picture(array_picture(array, colour_map), array.own_rows)
        self._show_numbers()
        self._say()

    def _show_numbers(self) -> None:
        if self.array is not None and self.pages.currentIndex() == 1:
            columns = tuple(map(NumbersColumn, self.array.columns))
            self.model.show_numbers(self.array.rows, columns, self.array.values.tolist())

    def _on_way(self, numbers: object) -> None:
        self.ways.show_value(numbers)
        self.pages.setCurrentIndex(1 if numbers else 0)
        self._show_numbers()

    def _say(self) -> None:
        cell = self.matrix.lit
        if self._frame is None or self.array is None or cell is None:
            self.said.set_text(TextLine("Point at a cell to read its number; click it to keep it.", "muted", size=12.5))
            return
        self.said.set_text(TextLine(array_words(self._frame, self.array, *cell), size=12.5))

    def copy_numbers(self) -> None:
        """Put the array on the clipboard as CSV."""
        if self.array is not None:
            QGuiApplication.clipboard().setText(as_csv(*array_table(self.array)))
