"""What stands around the picture of the Heads page: what is pointed at lights up, and is read beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attention_explorer.core.counting import refusals_counted
from attention_explorer.core.numerals import exact, plain
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.compare_words import compared_table, read_side
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.reading import column_reading, gloss, row_reading
from attention_explorer.pages.heads.row import RowNumbers, row_at
from attention_explorer.pages.heads.shown_map import MarkedHeads, shown_as
from attention_explorer.pages.heads.state import Picture
from attention_explorer.pages.heads.ui.head_wall import HeadWall
from attention_explorer.pages.heads.ui.loader import HeadsLoader
from attention_explorer.pages.heads.ui.map_canvas import HeadsCanvas
from attention_explorer.pages.heads.ui.pictures import HeadNumbers, compared
from attention_explorer.pages.heads.ui.row_picture import RowPicture, cell_pointed, row_clicked, row_headline, row_item
from attention_explorer.pages.heads.ui.subject import HeadsSubject
from attention_explorer.pages.heads.verdict import Verdict
from attention_explorer.pages.ui.frame_page import FramePage

# ---- The panel ----


NOBODY = "Who looks at whom?"
HOW = "Point at a row, or click a token."
COMPARED = "A and B, token by token"
MOST_LINES = 64


def map_panel(row: RowNumbers | None, verdict: Verdict | None, *, names_head: bool = False, raw: str = "") -> Panel:
    """Return what stands beside a map.

    ``row`` is what is read, if anything is; ``names_head`` where the picture shows other heads too; ``raw`` says that
    the picture shows other weights than these.
    """
    honest = "" if verdict is None else f"{verdict.title.removesuffix('.')}."
    if row is None:
        return Panel(NOBODY, (), f"{HOW} {honest}".strip())
    said = gloss(row.frame, *row.cell) if row.is_pinned and row.frame.is_one_head else ""
    headline = row_headline(row.steps)
    if names_head:
        name = head_name(row.frame, row.frame.layer, row.frame.head)
        headline = f"{name}: {headline}"
    return Panel(headline, (row_item(row),), " ".join(filter(None, (raw, said, honest))))


def compared_panel(comparison: Comparison, lit: Spot) -> Panel:
    """Return what stands beside a comparison: whose row is read, and its numbers in A, in B and their difference."""
    if lit == NOWHERE:
        return Panel("A against B", (), comparison.spoken)
    side = read_side(comparison, lit.row, lit.column)
    is_row = lit.row is not None
    own = side.own(lit.row if is_row else lit.column, is_row=is_row)
    if own is None:
        return Panel("A against B", (), comparison.spoken)
    reading = row_reading(side.frame, own) if is_row else column_reading(side.frame, own)
    return Panel(side.named(reading).title, (compared_lines(comparison, lit),), "")


def compared_lines(comparison: Comparison, lit: Spot) -> Item[Any]:
    """Return a row or a column of a comparison as a table."""
    header, rows = _read(comparison, lit)
    # Where there is little room, the places go first.
    columns = tuple(
        Column(title, is_right=at > 0, rank=int(title.startswith("pos"))) for at, title in enumerate(header)
    )
    texts = tuple(tuple(_text(cell) for cell in line) for line in rows[:MOST_LINES])
    return Table(COMPARED, columns, texts, fills=False, high=22.0)


def compared_words(comparison: Comparison, lit: Spot, line: int) -> str:
    """Return a line of that table as a sentence, its numbers with all digits."""
    header, rows = _read(comparison, lit)
    token, *cells = rows[line]
    told = (f"{title} {exact(cell)}" for title, cell in zip(header[1:], cells, strict=True) if isinstance(cell, float))
    return f"“{token}”: {', '.join(told) or 'no number'}"


def _read(comparison: Comparison, lit: Spot) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    number = lit.row if lit.row is not None else (lit.column or 0)
    return compared_table(comparison, number, is_row=lit.row is not None)


def _text(cell: object) -> str:
    return plain(cell, 4) if isinstance(cell, float) else str(cell)


# ---- Pointing ----


class PointingPage(FramePage):
    """One spot is lit in the picture, in the sentence and in all heads; the panel reads its row."""

    canvas: HeadsCanvas
    requests: HeadsLoader
    subject: HeadsSubject
    wall: HeadWall
    _frame: HeadsFrame | None = None
    """The newest frame."""
    _verdict: Verdict | None = None
    """What its weights are."""
    _read: RowNumbers | None = None
    """The row that stands beside the map on show."""
    _panel_of: object = None
    """What the panel on show was made of; None where it is not that of a map."""
    _spoken_of, _spoken = NOWHERE, ""
    """What the status bar speaks of, and what it says."""
    _says_kept = False

    def _connect(self) -> None:
        super()._connect()
        self.subject.pinned.connect(self.canvas.pin)
        self.subject.pointed.connect(self._on_pointed_elsewhere)
        self.said.connect(self._on_said)
        self.panel.items.clicked.connect(self._on_panel_clicked)
        self.canvas.spot_changed.connect(self._on_spot)

    @contextmanager
    def _reading_on(self) -> Iterator[None]:
        """Do what may read numbers of the source; where it is gone by now, say so in place of them and on the picture.

        A file may be written over at any time while it is open.
        """
        try:
            with refusals_counted(self.session.state.heads.setup.count):
                yield
        except ExplorerError as error:
            self._read = self._panel_of = None
            self.panel.show_panel(Panel("", (), str(error)))
            if not self.requests.is_pending:  # else the worker finds out, and what fails may be what was shown before
                self.requests.refuse(error)

    # ---- What is lit ----

    @property
    def pinned(self) -> Spot:
        """What is pinned, as far as it lies on the map."""
        return self.pinned_on(self.canvas.numbers)

    def pinned_on(self, numbers: object) -> Spot:
        """Return what is pinned, as far as it lies on a picture; of a longer sentence, the last token there is."""
        view = self.session.state.heads.view
        frame = numbers.frame if isinstance(numbers, HeadNumbers) else self._frame
        if frame is None:
            return Spot(view.row, view.column)
        n_q, n_k = frame.shape
        row = None if view.row is None else min(view.row, n_q - 1)
        column = None if view.column is None else min(view.column, n_k - 1)
        if isinstance(numbers, HeadNumbers) and numbers.view.picture is Picture.COMPARE:
            found = compared(numbers)  # and what only B has, where that is
            in_rows, in_columns = found.rows.known_as(view.row), found.columns.known_as(view.column)
            row, column = (row if in_rows is None else in_rows), (column if in_columns is None else in_columns)
        return Spot(row, column)

    def _show_spots(self) -> None:
        self.canvas.set_spots(self.canvas.hovered, self.pinned)
        self._show_lit()

    def _show_lit(self) -> None:
        """Show what is lit in the sentence, in all heads, and in the panel."""
        self._light_around()
        numbers, pointed_at = self.canvas.numbers, (self.canvas.lit, self.canvas.map_hovered)
        made_of = numbers, self._verdict, pointed_at, self.session.state.heads, self.session.is_held
        if numbers is None or made_of == self._panel_of:
            return  # a delivery comes by here more than once
        with self._reading_on():
            self.show_panel_of(self.view, numbers)
            self._panel_of = made_of

    def _light_around(self) -> None:
        """Show what is lit in the sentence and in all heads."""
        frame, lit = self._frame, self.canvas.lit
        spot = lit if frame is not None and lit.lies_on(frame.shape) else NOWHERE
        self.wall.set_spot(spot)
        with self._reading_on():
            self.subject.show_frame(self.session.state.heads, frame, spot)

    def _on_pointed_elsewhere(self, spot: Spot) -> None:
        """Light up what is pointed at in the sentence, or nothing."""
        if self.canvas.maps is not None:
            self.canvas.set_spots(spot, self.pinned)
            self._show_lit()
        self._say_spot(spot)

    # ---- The panel ----

    def show_panel_of(self, view: View[Any], numbers: Any) -> None:  # noqa: ANN401 # of the picture of the view
        self._read = None
        if view.id is not Picture.ALL:  # beside all heads there is no panel
            super().show_panel_of(view, numbers)

    def panel_of(self, view: View[Any], numbers: Any) -> Panel:  # noqa: ANN401 # of the picture
        self._read = None
        if not isinstance(numbers, HeadNumbers):
            return super().panel_of(view, numbers)
        if isinstance(numbers.picture, Comparison):
            return compared_panel(compared(numbers), self.canvas.lit)
        looks = self.session.state.heads.view
        raw = "These are the raw weights." if shown_as(numbers.frame, looks) else ""
        self._read = self.row_beside()
        drawn, frame = numbers.picture, numbers.frame
        others = isinstance(drawn, MarkedHeads) and [each.setup for each in drawn.frames] != [frame.setup]
        return map_panel(self._read, self._verdict, names_head=others, raw=raw)

    def row_beside(self) -> RowNumbers | None:
        """Return the row, or the column, that is read beside a map; None while nothing is pointed at or pinned."""
        numbers, lit = self.canvas.numbers, self.canvas.lit
        if numbers is None or lit == NOWHERE or not lit.lies_on(numbers.frame.shape):
            return None
        return row_at(self.canvas.map_hovered or numbers.frame, lit.row, lit.column)

    def _say_of_panel(self, spot: Any) -> None:  # noqa: ANN401 # NOWHERE or a Hit
        numbers = self.canvas.picture
        if not isinstance(numbers, HeadNumbers):
            with self._reading_on():
                super()._say_of_panel(spot)
            return
        hit = spot if isinstance(spot, Hit) else None
        if self._read is not None and not self.is_open:
            cell = None if hit is None else cell_pointed(self._read, hit)
            self.canvas.set_spots(NOWHERE if cell is None else Spot(*cell), self.pinned)
            self._light_around()  # the panel itself goes on showing the row that is pointed at
        with self._reading_on():
            self.said.emit("" if hit is None else self._words_of_panel(numbers, hit))

    def _words_of_panel(self, numbers: HeadNumbers, hit: Hit) -> str:
        """Return what was hit of the row that is read beside a map, or of its table in the drawer."""
        if isinstance(numbers.picture, Comparison):
            return compared_words(compared(numbers), self.canvas.lit, hit.part)
        row = self._read or self.row_beside()
        return "" if row is None else RowPicture().words(row, hit)

    def _on_panel_clicked(self, spot: Any) -> None:  # noqa: ANN401 # NOWHERE or a Hit
        heads, numbers = self.session.state.heads, self.canvas.picture
        if numbers is None or not isinstance(spot, Hit):
            return
        if self._read is not None:
            change = row_clicked(heads, self._read, spot)
        else:
            change = self.view.picture.changed(heads, numbers, spot, None)
        if change is not None:
            self.apply(change)

    def table_of(self, view: View[Any], numbers: Any) -> Item[Any] | None:  # noqa: ANN401 # of the picture
        """Return the numbers of the row or column that is read beside a map."""
        if not isinstance(numbers, HeadNumbers):
            return super().table_of(view, numbers)
        if isinstance(numbers.picture, Comparison):
            lit = self.canvas.lit
            return None if lit == NOWHERE else compared_lines(compared(numbers), lit)
        row = self.row_beside()
        return None if row is None else RowPicture().table(row)

    # ---- The status bar ----

    def _on_spot(self, spot: Any) -> None:  # noqa: ANN401 # a Spot of a map, or what another picture has
        if isinstance(spot, Spot) and spot != self.canvas.hovered:  # keys have walked there
            self._say_spot(spot)

    def say_spot(self) -> None:
        if isinstance(self.canvas.hovered, Spot):
            self._show_lit()
        self._say_spot(self.canvas.hovered)

    def _say_spot(self, spot: Spot) -> None:
        self._spoken_of, self._spoken = spot, self.canvas.words_of(spot)
        self.said.emit(self._spoken)

    def _on_said(self, sentence: str) -> None:
        self._says_kept = False
        if sentence != self._spoken:
            self._spoken_of = NOWHERE  # the status bar speaks of something else now

    def _say_again(self) -> None:
        """Say anew what the status bar speaks of: its numbers or its words may be others by now."""
        if self._spoken_of != NOWHERE:
            self._say_spot(self.canvas.lit)
