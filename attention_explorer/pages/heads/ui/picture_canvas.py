"""The line view, the stages, the comparison and heads side by side as pictures that can be pointed at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.drawing.small_map import paint_marks
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.model import Stage
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.marked import MarkedHeads
from attention_explorer.pages.heads.stages import StagesPicture
from attention_explorer.pages.heads.state import HeadsView
from attention_explorer.pages.heads.ui.compare_picture import (
    CompareLayout,
    compare_layout,
    paint_compare_maps,
    paint_compare_marks,
)
from attention_explorer.pages.heads.ui.line_picture import (
    LinesLayout,
    lines_layout,
    link_at,
    paint_line_marks,
    paint_links,
)
from attention_explorer.pages.heads.ui.map_widget import MapWidget, OneMap
from attention_explorer.pages.heads.ui.marked_picture import MarkedLayout, marked_layout, paint_marked
from attention_explorer.pages.heads.ui.stages_picture import StagesLayout, paint_stage_maps, stages_layout
from attention_explorer.pages.ui.session import Session

P = TypeVar("P")
L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Drawing(Generic[P, L]):
    """How a kind of picture is laid out, painted, marked and pointed at."""

    layout: Callable[[P, Look, QRectF], L]
    paint: Callable[[QPainter, P, L, Look], None]
    mark: Callable[[QPainter, P, L, Look, Spot], None]
    spot_at: Callable[[P, L, QPointF], Spot]
    map_at: Callable[[P, L, QPointF], OneMap | None] = lambda _picture, _layout, _place: None
    walk_through: Callable[[P], tuple[Sequence[int], Sequence[int]]] | None = None
    """Rows and columns in the order of the arrow keys; that of the map if not given."""


class PictureCanvas(MapWidget, Generic[P, L]):
    """A picture drawn by a `Drawing`."""

    def __init__(
        self, session: Session, look: Look, name: str, drawing: Drawing[P, L], parent: QWidget | None = None
    ) -> None:
        super().__init__(session, look, name, parent)
        self._drawing = drawing
        self._picture: P | None = None
        self._layout: L | None = None

    def show_picture(self, frame: HeadsFrame, view: HeadsView, picture: P) -> None:
        """Show a picture of a frame."""
        self.frame, self.view, self._picture = frame, view, picture
        self.picture_changed()
        self.point_again()

    def forget(self) -> None:
        self._picture = None
        super().forget()

    @property
    def picture(self) -> P | None:
        """What is shown."""
        return self._picture

    @property
    def picture_layout(self) -> L | None:
        """Where everything is; None before there is a picture."""
        # Worked out when it is needed: a hidden picture is given its size only after it was given its numbers.
        if self._layout is None and self._picture is not None:
            self._layout = self._drawing.layout(self._picture, self.look, self.room)
        return self._layout

    def spoken(self) -> str:
        words = self._picture.spoken if isinstance(self._picture, Comparison) else ""
        return f"{super().spoken()} {words}".strip()

    def walk_through(self) -> tuple[Sequence[int], Sequence[int]]:
        own = self._drawing.walk_through
        return super().walk_through() if own is None or self._picture is None else own(self._picture)

    def picture_changed(self) -> None:
        self._layout = None
        super().picture_changed()

    def paint_picture(self, painter: QPainter) -> None:
        if self._picture is not None and self.picture_layout is not None:
            self._drawing.paint(painter, self._picture, self.picture_layout, self.look)

    def paint_marks(self, painter: QPainter) -> None:
        if self._picture is not None and self.picture_layout is not None and self.marked != NOWHERE:
            self._drawing.mark(painter, self._picture, self.picture_layout, self.look, self.marked)

    def spot_at(self, place: QPointF) -> Spot:
        if self._picture is None or self.picture_layout is None:
            return NOWHERE
        return self._drawing.spot_at(self._picture, self.picture_layout, place)

    def map_at(self, place: QPointF) -> OneMap | None:
        if self._picture is None or self.picture_layout is None:
            return None
        return self._drawing.map_at(self._picture, self.picture_layout, place)


def _spot_on_lines(picture: LinePicture, layout: LinesLayout, place: QPointF) -> Spot:
    row, column = layout.row_at(place.y(), place.x()), layout.column_at(place.y(), place.x())
    if row is not None:
        return Spot(row + picture.first_row)
    if column is not None:
        return Spot(None, column + picture.first_column)
    link = link_at(picture, layout, place)
    return NOWHERE if link is None else Spot(int(picture.links.row[link]), int(picture.links.column[link]))


def _mark_lines(painter: QPainter, picture: LinePicture, layout: LinesLayout, look: Look, spot: Spot) -> None:
    rows = range(picture.first_row, picture.first_row + len(picture.row_tokens))
    columns = range(picture.first_column, picture.first_column + len(picture.column_tokens))
    # What is pinned out of view lights up nothing, and must not dim the rest either.
    row = spot.row if spot.row in rows else None
    column = spot.column if spot.column in columns else None
    if row is not None or column is not None:
        paint_line_marks(painter, picture, layout, look, row, column)


def _stage_at(_picture: object, layout: StagesLayout, place: QPointF) -> Stage | None:
    hit = layout.cell_at(place)
    return None if hit is None else tuple(Stage)[hit.map]


def _head_at(picture: MarkedHeads, layout: MarkedLayout, place: QPointF) -> HeadsFrame | None:
    hit = layout.cell_at(place)
    return None if hit is None else picture.frames[hit.map]


def _spot_on_maps(_picture: object, layout: StagesLayout | MarkedLayout, place: QPointF) -> Spot:
    hit = layout.cell_at(place)
    return NOWHERE if hit is None else Spot(hit.row, hit.column)


def _mark_maps(
    painter: QPainter,
    picture: StagesPicture | MarkedHeads,
    layout: StagesLayout | MarkedLayout,
    look: Look,
    spot: Spot,
) -> None:
    paint_marks(painter, picture.pictures, layout.maps, look, (spot.row, spot.column))


def _spot_compared(picture: Comparison, layout: CompareLayout, place: QPointF) -> Spot:
    hit = layout.cell_at(place)
    if hit is None:
        return NOWHERE
    return Spot(int(picture.rows.numbers[hit.row]), int(picture.columns.numbers[hit.column]))


def _mark_compared(painter: QPainter, picture: Comparison, layout: CompareLayout, look: Look, spot: Spot) -> None:
    paint_compare_marks(painter, picture, layout, look, (spot.row, spot.column))


def _walk_compared(picture: Comparison) -> tuple[Sequence[int], Sequence[int]]:
    return picture.rows.numbers.tolist(), picture.columns.numbers.tolist()


LINES: Drawing[LinePicture, LinesLayout] = Drawing(
    lines_layout,
    paint_links,
    _mark_lines,
    _spot_on_lines,
)
STAGES: Drawing[StagesPicture, StagesLayout] = Drawing(
    stages_layout,
    paint_stage_maps,
    _mark_maps,
    _spot_on_maps,
    _stage_at,
)
COMPARE: Drawing[Comparison, CompareLayout] = Drawing(
    compare_layout,
    paint_compare_maps,
    _mark_compared,
    _spot_compared,
    walk_through=_walk_compared,
)
MARKED: Drawing[MarkedHeads, MarkedLayout] = Drawing(
    marked_layout,
    paint_marked,
    _mark_maps,
    _spot_on_maps,
    _head_at,
)
