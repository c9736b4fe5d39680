"""A matrix as a picture with named rows and columns: point at a cell, click it, or walk with the arrow keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import exact
from attention_explorer.kit.accessible import PICTURE, sentences
from attention_explorer.kit.controls.text_block import ink_of
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_bar import paint_bar
from attention_explorer.kit.drawing.heatmap import paint_cells, paint_labels
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, column_height, layout_of
from attention_explorer.kit.drawing.marks import colour_of, paint_focus_frame, pen, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.ui.map_widget import CELL_STEPS

Cell = tuple[int, int]

_INKS = {"query": "query_ink", "key": "key_ink"}


class MatrixView(QWidget):
    """Shows a `MapPicture` of anything: the axes are called what its titles say.

    Signals
    -------
    cell_hovered : tuple[int, int] or None
        The pointer is on this cell, or on none.
    cell_chosen : tuple[int, int]
        A cell was clicked, or walked to.
    """

    accessible_role = PICTURE
    cell_hovered = Signal(object)
    cell_chosen = Signal(object)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._picture: MapPicture | None = None
        self._layout: HeatmapLayout | None = None
        self._framed: slice | None = None
        self.chosen: Cell | None = None
        self.hovered: Cell | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._layout = None
        self.updateGeometry()
        self.update()

    def show_picture(self, picture: MapPicture, framed: slice | None = None) -> None:
        """Show a matrix with a frame around some rows; a chosen cell that it does not have is let go."""
        self._picture, self._layout, self._framed = picture, None, framed
        rows, columns = picture.cells
        for name in ("chosen", "hovered"):
            cell: Cell | None = getattr(self, name)
            if cell is not None and not (cell[0] < rows and cell[1] < columns):
                setattr(self, name, None)
        self.update()

    def spoken(self) -> str:
        """Return what is drawn in words, with the cell that was chosen."""
        picture = self._picture
        if picture is None:
            return ""
        rows, columns = picture.cells
        low, *_, high = picture.scale.ticks()
        said = f"{rows} × {columns} matrix; rows: {picture.row_title}; columns: {picture.column_title}"
        chosen = ""
        if self.chosen is not None and picture.values.shape == picture.cells:
            row, column = self.chosen
            value = exact(float(picture.values[row, column]))
            chosen = f"Chosen: {picture.row_tokens[row]}, {picture.column_tokens[column]}: {value}"
        return sentences(said, f"Colours from {low[1]} to {high[1]}", chosen)

    def show_chosen(self, cell: Cell | None) -> None:
        """Outline a cell without telling anybody."""
        self.chosen = cell
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(380), self._look.px(280))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._look.px(180), self._look.px(170))

    # ---- Where things are ----

    def map_layout(self) -> HeatmapLayout | None:
        """Return where the cells are."""
        if self._layout is None and self._picture is not None:
            margin = self._look.px(6)
            room = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
            self._layout = layout_of(self._picture, self._look, room)
        return self._layout

    def cell_at(self, x: float, y: float) -> Cell | None:
        """Return the cell at a place."""
        layout = self.map_layout()
        if layout is None:
            return None
        row, column = layout.row_at(y), layout.column_at(x)
        return None if row is None or column is None else (row, column)

    def resizeEvent(self, event: QEvent) -> None:
        self._layout = None

    # ---- Hand and keyboard ----

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.cell_at(event.position().x(), event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def _hover(self, cell: Cell | None) -> None:
        if cell != self.hovered:
            self.hovered = cell
            self.cell_hovered.emit(cell)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position().x(), event.position().y())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self._choose(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = CELL_STEPS.get(Qt.Key(event.key()))
        if step is None or self._picture is None:
            super().keyPressEvent(event)
            return
        rows, columns = self._picture.cells
        row, column = self.chosen or (0, 0)
        if self.chosen is not None:
            row, column = row + step[0], column + step[1]
        self._choose((min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)))

    def _choose(self, cell: Cell) -> None:
        self.show_chosen(cell)
        self.cell_chosen.emit(cell)

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.card))
        self.paint_picture(painter)
        paint_focus_frame(painter, self, self._look)
        painter.end()

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the matrix, its labels and its colour bar."""
        picture, layout = self._picture, self.map_layout()
        if picture is None or layout is None or not layout.rows:
            return
        look = self._look
        paint_cells(painter, picture, layout, look)
        if self._framed is not None:
            first, last = (
                layout.rectangle(self._framed.start, 0),
                layout.rectangle(self._framed.stop - 1, layout.columns - 1),
            )
            paint_outline(painter, first.united(last), look.theme.text, look)
        lit = self.hovered or self.chosen
        paint_labels(painter, picture, layout, look)
        self._paint_titles(painter, picture, layout)
        paint_bar(painter, self._with_title_within(picture, layout), layout.bar, look)
        if lit is not None:
            self._paint_lit(painter, layout, lit)

    def _with_title_within(self, picture: MapPicture, layout: HeatmapLayout) -> MapPicture:
        """Return a picture whose colour bar has a title that ends within the widget; above it all of it is said."""
        metrics = QFontMetricsF(self._look.font(11.5))
        room = self.width() - layout.bar.left() - self._look.px(4)
        title = metrics.elidedText(picture.scale.title, Qt.TextElideMode.ElideRight, room)
        return picture if title == picture.scale.title else replace(picture, scale=replace(picture.scale, title=title))

    def _paint_titles(self, painter: QPainter, picture: MapPicture, layout: HeatmapLayout) -> None:
        look, px, cells = self._look, self._look.px, layout.cells
        painter.setFont(look.font(12))
        painter.setPen(colour_of(ink_of(look.theme, _INKS.get(picture.row_title, "muted"))))
        painter.save()
        painter.translate(cells.left() - layout.row_labels.room - px(24), cells.center().y())
        painter.rotate(-90)
        half = max(cells.height(), text_size(painter.font(), picture.row_title)[0] + px(2)) / 2
        painter.drawText(QRectF(-half, -px(8), 2 * half, px(18)), Qt.AlignmentFlag.AlignCenter, picture.row_title)
        painter.restore()
        painter.setPen(colour_of(ink_of(look.theme, _INKS.get(picture.column_title.removesuffix(" →"), "muted"))))
        top = cells.top() - column_height(layout.column_labels, look) - px(18)
        half = max(cells.width(), text_size(painter.font(), picture.column_title)[0] + px(2)) / 2
        box = QRectF(cells.center().x() - half, top, 2 * half, px(18))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, picture.column_title)

    def _paint_lit(self, painter: QPainter, layout: HeatmapLayout, cell: Cell) -> None:
        look = self._look
        box = layout.rectangle(*cell)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Over a halo: the colour of text alone is lost on the dark or the light end of a colour map.
        for stroke, width in ((look.theme.card, 3.5), (look.theme.text, 1.5)):
            painter.setPen(pen(stroke, width * look.zoom))
            painter.drawRect(box)
