"""A matrix as a picture with named rows and columns: point at a cell, click it, or walk with the arrow keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import exact
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture
from attention_explorer.kit.theme import Look

Cell = tuple[int, int]


class MatrixView(PointedPicture):
    """Shows a `MapPicture` of anything: the axes are called what its titles say.

    Signals
    -------
    cell_chosen : tuple[int, int]
        A cell was clicked, or walked to.
    """

    cell_chosen = Signal(object)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, name, parent)
        self._picture: MapPicture | None = None
        self.chosen: Cell | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_picture(self, picture: MapPicture) -> None:
        """Show a matrix; a cell that it does not have is let go."""
        self._picture = picture
        rows, columns = picture.cells
        if self.chosen is not None and not (self.chosen[0] < rows and self.chosen[1] < columns):
            self.chosen = None
        if self.pointed is not None and not (self.pointed[0] < rows and self.pointed[1] < columns):
            self.hovered = NOWHERE
        self.picture_changed()

    @property
    def pointed(self) -> Cell | None:
        """The cell under the pointer."""
        hovered: object = self.hovered
        return hovered.part if isinstance(hovered, Hit) else None

    @property
    def lit(self) -> Cell | None:
        """The cell that is pointed at, or else the one that was chosen."""
        return self.chosen if self.pointed is None else self.pointed

    def spoken(self) -> str:
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
        return QSize(self.look.px(380), self.look.px(280))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.look.px(180), self.look.px(170))

    # ---- Where things are ----

    def _laid(self) -> tuple[Map, HeatmapLayout] | None:
        """Return the map, with a title of its colour bar that ends within the widget, and where its cells are."""
        if self._picture is None:
            return None
        layout = Map(self.accessibleName(), self._picture).layout(self.look, self.room)
        scale, room = self._picture.scale, self.width() - layout.bar.left() - self.look.px(4)
        title = QFontMetricsF(self.look.font(11.5)).elidedText(scale.title, Qt.TextElideMode.ElideRight, room)
        return Map(self.accessibleName(), replace(self._picture, scale=replace(scale, title=title))), layout

    def map_layout(self) -> HeatmapLayout | None:
        """Return where the cells are."""
        laid = self._laid()
        return None if laid is None else laid[1]

    def spot_at(self, place: QPointF) -> object:  # NOWHERE or a Hit
        laid = self._laid()
        found = None if laid is None else laid[0].hit(laid[1], place)
        return NOWHERE if found is None else found

    # ---- Hand and keyboard ----

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self.spot_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and isinstance(hit, Hit):
            self._choose(hit.part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        laid = self._laid()
        now = None if self.chosen is None else Hit(self.accessibleName(), self.chosen)
        found = None if laid is None else laid[0].walk(now, event.key())
        if found is None:
            super().keyPressEvent(event)
        else:
            self._choose(found.part)

    def _choose(self, cell: Cell) -> None:
        self.show_chosen(cell)
        self.cell_chosen.emit(cell)

    # ---- Painting ----

    def paint_picture(self, painter: QPainter) -> None:
        laid = self._laid()
        if laid is None or not laid[1].rows:
            return
        item, layout = laid
        item.paint(painter, layout, self._look_of(item.picture))

    def paint_marks(self, painter: QPainter) -> None:
        laid = self._laid()
        if laid is not None and self.lit is not None:
            laid[0].mark(painter, laid[1], self._look_of(laid[0].picture), Hit(laid[0].name, self.lit))

    def _look_of(self, picture: MapPicture) -> Look:
        """Return a look in which axes have the colours of queries and keys only where they are such."""
        theme = self.look.theme
        query = theme.query_ink if picture.row_title == "query" else theme.muted
        key = theme.key_ink if picture.column_title.startswith("key") else theme.muted
        return replace(self.look, theme=replace(theme, query_ink=query, key_ink=key))
