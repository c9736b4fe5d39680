"""What the cell or token under the pointer says: its row as bars, and the arithmetic behind its weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import WORDS
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.numbers_dialog import NumbersDialog
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.compare_words import (
    ReadSide,
    compared_steps,
    compared_table,
    compared_title,
    read_side,
)
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.reading import Reading, column_reading, gloss, reading_table, row_reading
from attention_explorer.pages.heads.ui.token_bars import ROW_HEIGHT, TokenBars
from attention_explorer.pages.heads.why import why, why_short
from attention_explorer.pages.heads.wording import Step, arithmetic, arithmetic_title, key_name, products, query_name

STEP_HEIGHT = 23
STEPS_KEPT = 5


class StepList(QWidget):
    """The arithmetic of a weight, a line a step."""

    accessible_role = WORDS

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._steps: tuple[Step, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Arithmetic of the weight")

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Show these steps."""
        if steps != self._steps:
            grown = max(len(steps), STEPS_KEPT) != max(len(self._steps), STEPS_KEPT)
            self._steps = steps
            self.setAccessibleDescription("; ".join(f"{step.name}: {step.value}" for step in steps))
            if grown:
                self.updateGeometry()
            self.update()

    def steps(self) -> tuple[Step, ...]:
        """Return what is shown."""
        return self._steps

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(260), max(len(self._steps), STEPS_KEPT) * self._look.px(STEP_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        look, height = self._look, self._look.px(STEP_HEIGHT)
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour_of(look.theme.card))
        for place, step in enumerate(self._steps):
            box = QRectF(0, place * height, self.width(), height)
            painter.setFont(look.font(13, bold=step.is_result))
            painter.setPen(QColor(look.theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, step.name)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, step.value)
        painter.end()


class ReadingCard(QWidget):
    """The reading of a row or column, and of a cell.

    Signals
    -------
    spot_hovered : Spot or None
        A token of the list is pointed at: the cell that it stands for.
    spot_clicked : Spot
        It was clicked.
    refused : str
        Why a table that was asked for cannot be made.
    lookup_wanted : ()
        The pinned row is to be opened on the Lookup page.
    steps_wanted : int
        A row is to be shown step by step.
    """

    spot_hovered = Signal(object)
    spot_clicked = Signal(object)
    refused = Signal(str)
    lookup_wanted = Signal()
    steps_wanted = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._frame: HeadsFrame | None = None
        self._reading: Reading | None = None
        self._cell: tuple[int, int] | None = None
        self._side: ReadSide | None = None
        self._token: int | None = None
        """The token of the list that the cell belongs to."""
        self._comparison: Comparison | None = None
        self._make_bars()
        self._make_arithmetic()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._row_card, 1)
        self._column.addWidget(self._cell_card)

    # ---- Building ----

    def _make_bars(self) -> None:
        self._row_card = Card(self._look)
        self.title = TextBlock(self._look, 1, "Whose weights these are")
        self.bars = TokenBars(self._look)
        self.bars.token_hovered.connect(self._on_token_hovered)
        self.bars.token_clicked.connect(self._on_token_clicked)
        self._scroll = ColumnScroll(self.bars)
        # It asks for no height of its own, or Qt would take from the arithmetic what a long list asks for in vain.
        self._scroll.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._scroll.setMinimumHeight(self._look.px(96))
        self.note = TextBlock(self._look, 1, "Sum and entropy")
        self.table_button = QPushButton("Table…")
        self.table_button.setToolTip("Every number of this row or column; copied, it has all its digits")
        self.table_button.clicked.connect(lambda: self._show_or_refuse(self.show_table))
        self.lookup_button = QPushButton("Lookup…")
        self.lookup_button.setToolTip(
            "Open the pinned row on the Lookup page: its query and keys in a plane, to be moved"
        )
        self.lookup_button.clicked.connect(self.lookup_wanted)
        foot = QHBoxLayout()
        foot.addWidget(self.note, 1)
        foot.addWidget(self.lookup_button)
        foot.addWidget(self.table_button)
        self._row_card.body.addWidget(self.title)
        self._row_card.body.addWidget(self._scroll, 1)
        self._row_card.body.addLayout(foot)

    def _make_arithmetic(self) -> None:
        self._cell_card = Card(self._look)
        self.cell_title = TextBlock(self._look, 1, "Which weight")
        self.steps = StepList(self._look)
        self.products_button = QPushButton("Products…")
        self.products_button.setToolTip("The products, feature by feature, that sum to q · k, and which of them decide")
        self.products_button.clicked.connect(lambda: self._show_or_refuse(self.show_products))
        self.steps_button = QPushButton("Step by step…")
        self.steps_button.setToolTip("Watch the whole row being computed, from the products to the output")
        self.steps_button.clicked.connect(self._ask_for_steps)
        self.gloss = TextBlock(self._look, 1, "Why")
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.steps_button)
        foot.addWidget(self.products_button)
        for part in (self.cell_title, self.steps, self.gloss):
            self._cell_card.body.addWidget(part)
        self._cell_card.body.addLayout(foot)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setSpacing(look.px(8))
        self._scroll.setMinimumHeight(look.px(96))
        for part in (self._row_card, self._cell_card, self.title, self.bars, self.note, self.cell_title, self.steps):
            part.set_look(look)
        self.gloss.set_look(look)

    def show_spot(
        self,
        frame: HeadsFrame,
        spot: Spot,
        comparison: Comparison | None = None,
        *,
        is_raw: bool = False,
        names_head: bool = False,
    ) -> None:
        """Show what a spot says, in a comparison of A and B; without one, the last row and its heaviest key.

        ``names_head`` to say whose weights these are, where several heads are on show. ``is_raw`` if the picture shows
        other weights than these: its rows are without some keys, and renormalised.
        """
        self._comparison = comparison
        n_q, n_k = frame.shape
        side = ReadSide("", frame, range(n_q), range(n_k))
        own = Spot(*(None if at is None else min(at, n - 1) for at, n in ((spot.row, n_q), (spot.column, n_k))))
        if comparison is not None:  # what only B has is read there
            side = read_side(comparison, spot.row, spot.column)
            own = Spot(side.own(spot.row, is_row=True), side.own(spot.column, is_row=False))
        reading, row, column = _read(side.frame, own)
        cell = side.rows[row], side.columns[column]
        self._token = column if reading.is_row else row
        if comparison is not None:
            reading = side.named(reading)
            cell = (cell[0] if spot.row is None else spot.row, cell[1] if spot.column is None else spot.column)
            if cell != (side.rows[row], side.columns[column]):
                self._token = None  # the other side alone has such a cell
        elif names_head:
            reading = replace(reading, title=f"{head_name(frame, frame.layer, frame.head)}: {reading.title}")
        is_other = cell != self._cell
        self._frame, self._reading, self._cell, self._side = frame, reading, cell, side
        ink = "query_ink" if reading.is_row else "key_ink"
        title = f"{reading.title} (raw weights)" if is_raw else reading.title
        self.title.set_text(TextLine(title, ink, bold=True, size=13.5))
        self.bars.show_reading(reading, self._token)
        if is_other:  # else people may have scrolled on
            self._scroll_to_cell()
        self.note.set_text(TextLine(reading.note, "muted", size=12))
        self._show_cell(frame, *cell)

    def show_reason(self, reason: str) -> None:
        """Say why there is nothing to read, in place of what was read before."""
        self._frame = self._reading = self._cell = self._comparison = None
        self.title.set_text(TextLine(reason, size=13.5))
        self.bars.show_nothing()
        for part in (self.note, self.cell_title, self.gloss):
            part.set_text(TextLine(""))
        self.steps.show_steps(())
        self.products_button.hide()
        self.steps_button.hide()

    def _scroll_to_cell(self) -> None:
        if self._token is not None:
            half = self._look.px(ROW_HEIGHT) // 2
            self._scroll.ensureVisible(0, self.bars.top_of(self._token) + half, 0, half)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._column.activate()
        self._scroll_to_cell()

    def _show_cell(self, frame: HeadsFrame, row: int, column: int) -> None:
        compared = self._comparison
        if compared is None:
            title, steps = arithmetic_title(frame, row, column), arithmetic(frame, row, column)
        else:
            title, steps = compared_title(compared, row, column), compared_steps(compared, row, column)
        self.cell_title.set_text(TextLine(title, bold=True, size=13.5))
        self.steps.show_steps(steps)
        is_told = frame.is_one_head and compared is None
        said = gloss(frame, row, column) or why_short(frame, row, column) if is_told else ""
        self.gloss.set_text(TextLine(said, "muted", size=12))
        has_products = frame.is_one_head and compared is None and frame.map.has_scores
        self.products_button.setVisible(has_products)
        self.steps_button.setVisible(has_products)
        if has_products:
            self.products_button.setText(f"{counted(frame.head_width, 'product')}…")

    def allow_lookup(self, reason: str) -> None:
        """Let the pinned row be opened as a lookup, or say why it cannot be."""
        allow_unless(reason, self.lookup_button)

    # ---- Acting ----

    def _spot_of(self, token: int) -> Spot:
        if self._reading is None or self._side is None:
            return Spot()
        row, column = (self._reading.index, token) if self._reading.is_row else (token, self._reading.index)
        return Spot(self._side.rows[row], self._side.columns[column])

    def _on_token_hovered(self, token: int | None) -> None:
        self.spot_hovered.emit(None if token is None else self._spot_of(token))

    def _on_token_clicked(self, token: int) -> None:
        self.spot_clicked.emit(self._spot_of(token))

    def _show_or_refuse(self, show: Callable[[], None]) -> None:
        try:
            show()
        except ExplorerError as error:  # the numbers may lie in a file, which was written over
            self.refused.emit(str(error) if self._frame is None else self._frame.count.recounted(str(error)))

    def show_table(self) -> None:
        """Open the exact numbers of the row or column."""
        if self._frame is not None and self._reading is not None and self._side is not None:
            if self._comparison is None:
                header, rows = reading_table(self._frame, self._reading)
            else:
                is_row, at = self._reading.is_row, self._reading.index
                number = self._side.rows[at] if is_row else self._side.columns[at]
                header, rows = compared_table(self._comparison, number, is_row=is_row)
            NumbersDialog(
                self._reading.title, f"{self._reading.title} …", header, rows, self._look, self.window()
            ).open()

    def _ask_for_steps(self) -> None:
        if self._cell is not None:
            self.steps_wanted.emit(self._cell[0])

    def show_products(self) -> None:
        """Open the products that sum to the score."""
        if self._frame is None or self._cell is None:
            return
        row, column = self._cell
        numbers = products(self._frame, row, column)
        rows: list[tuple[object, ...]] = [
            (self._frame.count.number(i), *line) for i, line in enumerate(numbers.tolist())
        ]
        rows.append(("sum", "", "", float(numbers[:, 2].sum())))
        note = f"q · k of {query_name(self._frame, row)} and {key_name(self._frame, column)}: "
        note += f"the products of their features add up to the raw score. {why(self._frame, row, column)}"
        header = ("feature", "query", "key", "product")
        NumbersDialog("The products", note, header, rows, self._look, self.window()).open()


def _read(frame: HeadsFrame, spot: Spot) -> tuple[Reading, int, int]:
    """Return the reading of a spot on a frame, with its cell: by default the last row, and the heaviest of it."""
    if spot.row is None and spot.column is not None:
        reading = column_reading(frame, spot.column)
        return reading, reading.order[0], spot.column
    row = frame.shape[0] - 1 if spot.row is None else spot.row
    reading = row_reading(frame, row)
    return reading, row, reading.order[0] if spot.column is None else spot.column
