"""The vectors of the tokens as numbers to type, with their dot products beside their cosines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numbers_files import as_csv
from attention_explorer.core.numerals import coordinate, exact
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import sentences
from attention_explorer.kit.controls.made import FlowLayout
from attention_explorer.kit.controls.numbers_model import MatrixModel, MatrixTable, NumbersColumn
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, PointedPicture
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.dots import (
    DotTable,
    as_given,
    dot_pictures,
    dot_table,
    dot_verdict,
    dot_words,
    reason_against_typing,
    vectors_table,
    vectors_words,
    with_number,
)
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import TokenVectors, ToyRecipe
from attention_explorer.sources.registry import recipe_as
from attention_explorer.sources.source import Recipe

# ---- A matrix ----


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


# ---- The part of the drawer ----


class TypingPart(QWidget):
    """A section of the drawer with a table of numbers to type, which change the recipe of the Heads page.

    Signals
    -------
    refused : str
        Why what was asked for cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, title: str) -> None:
        super().__init__()
        self._session, self._look = session, look
        heading = QLabel(title)
        heading.setObjectName("cardTitle")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(heading)

    def button(self, title: str, tip: str, act: Callable[[], object]) -> QPushButton:
        """Return a button of the section, which its layout places."""
        button = QPushButton(title)
        button.setAccessibleName(title)
        button.setToolTip(tip)
        button.clicked.connect(lambda: act())
        return button

    def change_recipe(self, label: str, make: Callable[[Recipe], Recipe]) -> bool:
        """Make another recipe of the one there is, as one step; return whether that could be done."""
        heads = self._session.state.heads
        try:
            changed = self.with_recipe(heads, make(heads.setup.recipe))
        except ExplorerError as error:
            self.refused.emit(str(error))
            return False
        self._session.apply(replace(self._session.state, heads=changed), label)
        return True

    def with_recipe(self, heads: HeadsState, recipe: Recipe) -> HeadsState:
        """Return the state of the page with another recipe."""
        return heads.with_setup(recipe=recipe)


ROWS_SEEN, NARROW, MAP = 6, 51, 250
"""Rows of the table that are seen at most; pixels at zoom 1 of its columns of short numbers, and of a map's height."""


def _short(number: float) -> str:
    return coordinate(number, 3)


class EmbeddingsPart(TypingPart):
    """Type a number, and the dot products, the cosines and every head follow."""

    def __init__(self, session: Session, look: Look) -> None:
        super().__init__(session, look, "Embeddings and dot products")
        self._shown: tuple[Recipe, Count] | None = None
        self._table: DotTable | None = None
        self.words = TextBlock(look, 1, "What these vectors are")
        self.edit = self.button(
            "Edit these numbers",
            "Turn these vectors into numbers that you can change, the same as now to begin with",
            self._on_edit,
        )
        self.copy = self.button(
            "Copy as CSV", "Vectors, dot products and cosines with every digit, on the clipboard", self.copy_numbers
        )
        self.model = MatrixModel(self._on_typed, self)
        self.table = MatrixTable(self.model, look, "Vectors of the tokens", NARROW)
        self.dots = MatrixView(look, "Dot products of all pairs")
        self.cosines = MatrixView(look, "Cosines of all pairs")
        self.products = TextBlock(look, 3, "The products behind a dot product")
        self.verdict = TextBlock(look, 2, "What to notice")
        buttons = FlowLayout()
        for button in (self.edit, self.copy):
            buttons.addWidget(button)
        self._column.addWidget(self.words)
        self._column.addLayout(buttons)
        for part in (self.table, self.dots, self.cosines, self.products, self.verdict):
            self._column.addWidget(part)
        for view in (self.dots, self.cosines):
            view.spot_changed.connect(self._on_hovered)
            view.cell_chosen.connect(self._on_chosen)
        self.set_look(look)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._column.setSpacing(look.px(8))
        for part in (self.words, self.table, self.dots, self.cosines, self.products, self.verdict):
            part.set_look(look)
        for view in (self.dots, self.cosines):
            view.setFixedHeight(look.px(MAP))
        self._fit_table()

    def show_recipe(self, recipe: Recipe, count: Count) -> None:
        """Show the vectors of a recipe, with their features numbered in a way."""
        if (recipe, count) == self._shown:
            return
        self._shown = recipe, count
        self.edit.setEnabled(not reason_against_typing(recipe))
        try:
            self._show_table(recipe, dot_table(recipe), count)
        except ExplorerError as error:
            self._table = None
            self.words.set_text(TextLine(str(error), size=12.5))
            self._show_parts(there=False)
            self.edit.hide()

    def _show_table(self, recipe: Recipe, table: DotTable, count: Count) -> None:
        self._table = table
        toy = recipe_as(recipe, ToyRecipe)
        is_given = toy is not None and toy.vectors is TokenVectors.GIVEN
        self._show_parts(there=True)
        self.edit.setVisible(not is_given)
        self.words.set_text(TextLine(vectors_words(recipe), "muted", size=12.5))
        width = table.vectors.shape[1]
        is_typed = is_given and not reason_against_typing(recipe)
        columns = [NumbersColumn(name, shown=_short, is_typed=is_typed) for name in count.all_of(width)]
        numbers = [[*vector, length] for vector, length in zip(table.vectors.tolist(), table.lengths, strict=True)]
        self.model.show_numbers(table.names, (*columns, NumbersColumn("length", shown=_short)), numbers)
        self._fit_table()
        dots, cosines = dot_pictures(table)
        self.dots.show_picture(replace(dots, row_title="token", column_title="dot product with"))
        self.cosines.show_picture(replace(cosines, row_title="token", column_title="cosine with"))
        if self.dots.chosen is None:
            self._choose((0, min(2, len(table.names) - 1)))
        self._say()
        self.verdict.set_text(TextLine(dot_verdict(table), size=12.5))

    def _show_parts(self, *, there: bool) -> None:
        for part in (self.table, self.copy, self.dots, self.cosines, self.products, self.verdict):
            part.setVisible(there)

    def _fit_table(self) -> None:
        """Give the table the height of its rows, up to some."""
        if self._table is not None:
            self.table.show_rows(min(len(self._table.names), ROWS_SEEN))

    def _choose(self, cell: Cell) -> None:
        for view in (self.dots, self.cosines):
            view.show_chosen(cell)

    def _say(self) -> None:
        cell = self.dots.pointed or self.cosines.pointed or self.dots.chosen
        if self._table is not None and cell is not None:
            product, cosine = dot_words(self._table, *cell)
            self.products.set_text(TextLine(product, bold=True), TextLine(cosine))

    # ---- What people do ----

    def _on_hovered(self, _cell: object) -> None:
        self._say()

    def _on_chosen(self, cell: Cell) -> None:
        self._choose(cell)
        self._say()

    def _on_edit(self) -> None:
        self.change_recipe("Edit the embeddings", as_given)

    def _on_typed(self, row: int, column: int, text: str) -> bool:
        names = self._table.names if self._table is not None else ()
        return self.change_recipe(f"Change “{names[row]}”", lambda recipe: with_number(recipe, row, column, text))

    def copy_numbers(self) -> None:
        """Put vectors, dot products and cosines on the clipboard as CSV."""
        if self._table is not None:
            QGuiApplication.clipboard().setText(as_csv(*vectors_table(self._table)))
