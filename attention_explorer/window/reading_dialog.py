"""The question how a file of attention is to be read: what is guessed, what speaks for it, and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import readable
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import PICTURE, sentences, tell_changed
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.controls.made import name_of, words
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels
from attention_explorer.kit.items.small_map import GAP, LINE, SmallMap
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.file_reading import MOST_HEADS, Choice, FileHead, FileHeads, Reading, read_as
from attention_explorer.session.jobs import Working
from attention_explorer.sources.recorded_recipe import FileRecipe, Rows
from attention_explorer.window.axis_chips import AxisChips

SIDE, LEAST_SIDE, LARGEST_SIDE = 88.0, 60.0, 190.0
"""Pixels at zoom 1 of the longer side of a map: of each of eight, at least in a narrow window, and at most."""
LONGEST = 4.0
"""How many times as long as wide a map is drawn at most."""
REFUSED = "no weights"


class FileHeadsView(QWidget):
    """Shows heads of a file.

    Signals
    -------
    pointed : str
        What is under the pointer, in words; empty if nothing is.
    """

    accessible_role = PICTURE
    pointed = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.shown: tuple[FileHead, ...] = ()
        self._shape = (1, 1)
        self._said = ""
        self.setAccessibleName("Some heads as they are read like this")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_heads(self, heads: FileHeads) -> None:
        """Show other heads."""
        self.shown, self._shape = heads.heads, heads.shape
        self._said = sentences(heads.sums_words(), heads.shown_words())
        self.updateGeometry()
        self.update()
        tell_changed(self)

    def spoken(self) -> str:
        """Return what is drawn, in words."""
        return sentences(", ".join(head.name for head in self.shown), self._said)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(SIDE) * MOST_HEADS, self._high())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(LEAST_SIDE) * MOST_HEADS, self._high())

    def _high(self) -> int:
        lines = 1 + any(head.picture is None for head in self.shown)
        return self._look.px(self._side * min(1.0, self._tall) + lines * LINE + (1 + lines) * GAP)

    @property
    def _side(self) -> float:
        return min(SIDE * MOST_HEADS / max(len(self.shown), 1), LARGEST_SIDE)

    @property
    def _tall(self) -> float:
        """How many times as high as wide the maps are."""
        n_q, n_k = self._shape
        return min(max(n_q / n_k, 1 / LONGEST), LONGEST)

    # ---- Where things are ----

    def items(self) -> tuple[tuple[SmallMap, HeatmapLayout], ...]:
        """Return the maps with where they are, side by side."""
        px = self._look.px
        wide = min(self.width() / max(len(self.shown), 1), px(self._side + 2 * GAP))
        return tuple(
            (
                SmallMap(head.name, head.picture, head.name, "" if head.picture else REFUSED),
                self._layout_of(head, QRectF(number * wide, 0, wide, self.height())),
            )
            for number, head in enumerate(self.shown)
        )

    def _layout_of(self, head: FileHead, box: QRectF) -> HeatmapLayout:
        """Lay a map out with the sides of the whole head: rows that are left out make it no lower."""
        gap, line = self._look.px(GAP), self._look.px(LINE)
        side, tall = box.width() - 2 * gap, self._tall
        cells = QRectF(0, line + gap, side * min(1.0, 1 / tall), side * min(1.0, tall))
        cells.moveCenter(QPointF(box.center().x(), cells.center().y()))
        rows, columns = (1, 1) if head.picture is None else head.picture.cells
        return HeatmapLayout(cells, rows, columns, Labels(1.0, 1), Labels(1.0, 1), box)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed.emit(self._words_at(event.position().x(), event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit("")

    def _words_at(self, x: float, y: float) -> str:
        for head, (_, layout) in zip(self.shown, self.items(), strict=True):
            if not layout.bar.contains(x, y):
                continue
            if head.picture is None:
                return head.refusal
            row, column = layout.row_at(y), layout.column_at(x)
            if row is None or column is None:
                return ""
            return f"{head.name}: {_cell_words(head.picture, row, column)}"
        return ""

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for item, layout in self.items():
            item.paint(painter, layout, self._look)
        painter.end()


def _cell_words(picture: MapPicture, row: int, column: int) -> str:
    """Return the query, the key and the number of a cell; of several in one tile, the number that it shows."""
    rows, columns = picture.tile_of(row, column)
    tile = tuple(
        int(np.searchsorted(ends, place, side="right")) - 1
        for ends, place in zip(picture.tiles_end, (row, column), strict=True)
    )
    number = "masked" if picture.masked[tile] else readable(float(picture.values[tile]))
    if len(rows) * len(columns) > 1 and number != "masked":
        number = f"{'furthest from 0' if picture.scale.is_diverging else 'largest'} here {number}"
    return f"“{picture.row_tokens[row]}” (query) → “{picture.column_tokens[column]}” (key): {number}"


WIDE, WIDE_ALONE = 860, 520
"""Pixels at 100 % with the maps, and without."""
ROWS = (
    (Rows.AS_THEY_ARE, "as they are", "The rows are weights already, and sum to 1"),
    (Rows.SOFTMAX, "softmax over each row", "The rows are scores; −inf is a key that a mask hides"),
    (Rows.NORMALISE, "each row ÷ its sum", "The rows are weights but for a factor each; none is below 0"),
)


class ReadingDialog(QDialog):
    """Shows how a file is read, and lets that be changed. What is looked at is read on a worker.

    Parameters
    ----------
    parent : QWidget
        The window.
    look : Look
        Its colours.
    path : Path
        The file.
    arrays : sequence of (str, str)
        What could be the weights: names, and how they are offered.
    choice : Choice
        Where to begin.
    then : callable
        Called with the recipe that was agreed to.
    refused : str
        What is wrong with a row as it was read, where that was seen only when it was drawn.
    """

    def __init__(
        self,
        parent: QWidget,
        look: Look,
        path: Path,
        arrays: tuple[tuple[str, str], ...],
        choice: Choice,
        then: Callable[[FileRecipe], object],
        refused: str = "",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"How to read {path.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path, self._then, self._choice, self._refused = path, then, choice, refused
        self._reading: Reading | None = None
        self._look = look
        self._make_controls(arrays, look)
        self._lay_out()
        self.working = Working(self)
        self._read()

    # ---- Building ----

    def _make_controls(self, arrays: tuple[tuple[str, str], ...], look: Look) -> None:
        self.array = QComboBox()
        self.array.setAccessibleName("Which array holds the weights")
        for name, text in arrays:
            self.array.addItem(text, name)
        self.array.setCurrentIndex(self.array.findData(self._choice.attention) if self._choice.attention else -1)
        self.array.activated.connect(self._on_array_chosen)
        self.axes = AxisChips(look)
        self.axes.changed.connect(lambda letters: self._change(axes=letters))
        self.heads = FileHeadsView(look)
        self.heads.pointed.connect(self._on_pointed)
        self.rows = ChoiceRow("Rows", ROWS, lambda rows: self._change(rows=rows, is_causal=None))
        self.batch = QSpinBox()
        self.batch.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.batch.setMaximum(2**30)
        self.batch.setValue(self._choice.batch)
        self.batch.setAccessibleName("Which sequence of the batch, from 0")
        self.batch.valueChanged.connect(lambda number: self._change(batch=number))
        self.causal = QCheckBox("keys after their query are masked")
        self.causal.setToolTip("A weight of 0 alone does not say whether a key was hidden, or only given no weight")
        self.causal.clicked.connect(lambda on: self._change(is_causal=on))
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Open | buttons.Cancel)
        self.open_button = self.buttons.button(buttons.Open)
        self.buttons.accepted.connect(self._agree)
        self.buttons.rejected.connect(self.reject)
        self.sums, self.seen, self.offer, self.reasons = (_sentences(name) for name in ("cardTitle", "muted", "", ""))

    def _lay_out(self) -> None:
        self._labels: dict[QWidget, QLabel] = {}
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(self._look.px(10))
        named: tuple[tuple[str, QWidget], ...] = (
            ("&weights", self.array),
            ("&axes", self.axes),
            ("", self.heads),
            ("", self.sums),
            ("", self.seen),
            ("", self.offer),
            ("&rows", self.rows),
            ("&batch", self.batch),
            ("", self.causal),
            ("", self.reasons),
        )
        for row, (name, widget) in enumerate(named):
            grid.addWidget(widget, row, 1)
            if name:
                self._labels[widget] = name_of(widget, name)
                grid.addWidget(self._labels[widget], row, 0)
        self._show_rows(self.axes, self.heads, self.sums, self.seen, self.offer, self.rows, self.batch, is_shown=False)
        whole = QVBoxLayout(self)
        whole.addLayout(grid)
        whole.addStretch(1)
        whole.addWidget(self.buttons)
        self._fit()

    def _show_rows(self, *widgets: QWidget, is_shown: bool) -> None:
        for widget in widgets:
            widget.setVisible(is_shown)
            if widget in self._labels:
                self._labels[widget].setVisible(is_shown)

    def _fit(self) -> None:
        """Be as large as what is shown: maps may be there or not, and reasons are short or long."""
        wide = self._look.px(WIDE if self.heads.isVisibleTo(self) else WIDE_ALONE)
        wide = min(wide, self.screen().availableGeometry().width())
        layout = self.layout()
        if layout is not None:
            layout.activate()  # what was hidden or written just now counts
            self.resize(wide, max(layout.totalHeightForWidth(wide), layout.totalMinimumSize().height()))

    # ---- Reading ----

    def _on_array_chosen(self, index: int) -> None:
        self._choice = Choice(str(self.array.itemData(index)))  # its axes are its own
        self._read()

    def _change(self, **changes: object) -> None:
        self._choice = replace(self._choice, **changes)  # type: ignore[arg-type]
        self._read()

    def _read(self) -> None:
        choice = self._choice
        self.open_button.setEnabled(False)
        self.working.find_out(lambda: read_as(self._path, choice), self._on_read, self._on_failed)

    def _on_read(self, reading: Reading) -> None:
        self._reading, choice = reading, reading.choice
        self.array.setCurrentIndex(self.array.findData(choice.attention))
        has_axes = 0 < len(choice.axes) == len(reading.shape)
        if has_axes:
            self.axes.show_axes(choice.axes, reading.shape, reading.layers)
        sequences = dict(zip(choice.axes, reading.shape, strict=True)).get("b", 1) if has_axes else 1
        with QSignalBlocker(self.batch):
            self.batch.setMaximum(max(sequences - 1, choice.batch))
            self.batch.setValue(choice.batch)
        self.causal.setChecked(bool(choice.is_causal))
        self.rows.show_value(choice.rows)
        offer = reading.offer or (self._refused if choice.rows is Rows.AS_THEY_ARE else "")
        self.offer.setText(offer)
        self.reasons.setText("\n".join(reading.reasons))
        heads = reading.heads
        if heads is not None:
            self.heads.show_heads(heads)
            self.sums.setText(heads.sums_words())
            self.seen.setText(heads.shown_words())
        self._show_rows(self.axes, is_shown=has_axes)
        self._show_rows(self.heads, self.sums, self.seen, is_shown=heads is not None)
        self._show_rows(self.offer, is_shown=bool(offer))
        self._show_rows(self.rows, is_shown=bool(offer) or choice.rows is not Rows.AS_THEY_ARE)
        self._show_rows(self.batch, is_shown=sequences > 1 or choice.batch > 0)
        self.open_button.setEnabled(reading.recipe is not None)
        self._fit()

    def _on_pointed(self, words: str) -> None:
        heads = None if self._reading is None else self._reading.heads
        self.seen.setText(words or (heads.shown_words() if heads is not None else ""))

    def _on_failed(self, error: ExplorerError) -> None:
        self.reasons.setText(str(error))
        self._fit()

    def _agree(self) -> None:
        if self._reading is not None and self._reading.recipe is not None:
            self._then(self._reading.recipe)
            self.accept()


def _sentences(name: str) -> QLabel:
    """Return room for sentences; what helps is to be copied."""
    label = words("", name, wraps=True, is_copied=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
