"""All heads while a sentence is typed: each small map goes from what it showed to what the new words give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from attention_explorer.core.map_picture import FloatArray, IntArray, MapPicture
from attention_explorer.kit.drawing.colour_maps import colour_map_of, image_of, pixels_of
from attention_explorer.kit.theme import Look
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.heads.edited_sentence import Tokens, shared_ends
from attention_explorer.pages.heads.survey import HeadSurvey
from attention_explorer.pages.heads.ui.line_picture import LinesItem, LinesLayout, looks_of_links
from attention_explorer.pages.heads.ui.pictures import HeadNumbers, MapLaid
from attention_explorer.pages.heads.ui.stages import StagesItem
from attention_explorer.pages.heads.ui.thumbnail import tile_pixels
from attention_explorer.pages.heads.ui.wall import Place, Wall

if TYPE_CHECKING:
    from attention_explorer.pages.heads.ui.head_wall import HeadWall  # which makes it


# ---- Cells on their way ----
# Each is a stroke, as thick as it is high, that can become a line.


MOST = 400
"""Cells that are seen on their way; with more, a frame would take too long."""
NONE = np.zeros(0)


def strokes_of(numbers: Any, laid: Any, look: Look) -> FloatArray:  # noqa: ANN401 # of any view
    """Return the weights of a head as they stand in a view, (cells, 9): `NONE` of one that has no place for each.

    A stroke is x and y of its two ends, its thickness, red, green and blue from 0 to 255, and its opacity.
    """
    if isinstance(laid, MapLaid):
        return cell_strokes(laid.picture, laid.layout.cells, look)
    if isinstance(laid, LinesLayout) and isinstance(numbers, HeadNumbers):
        return _line_strokes(LinesItem("", numbers.picture), laid, look)  # type: ignore[arg-type] # of lines
    item = getattr(laid, "item", None)
    if isinstance(item, StagesItem):
        return cell_strokes(item.picture.pictures[-1], laid.layout.maps[-1].layout.cells, look)
    return NONE


def cell_strokes(picture: MapPicture, box: QRectF, look: Look) -> FloatArray:
    """Return the cells of a map in a box, row by row."""
    rows, columns = picture.values.shape
    if not 0 < rows * columns <= MOST or picture.cells != (rows, columns):
        return NONE
    pixels = pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked).ravel()
    high, wide = box.height() / rows, box.width() / columns
    row, column = (each.ravel() for each in np.indices((rows, columns)))
    left, middle = box.left() + column * wide, box.top() + (row + 0.5) * high
    red, green, blue = (pixels >> shift & 0xFF for shift in (16, 8, 0))
    whole = np.ones(rows * columns)
    return np.stack([left, middle, left + wide, middle, high * whole, red, green, blue, whole], axis=1)


def _line_strokes(item: LinesItem, layout: LinesLayout, look: Look) -> FloatArray:
    picture, ink = item.picture, QColor(look.theme.text)
    rows, columns = len(picture.row_tokens), len(picture.column_tokens)
    if not 0 < rows * columns <= MOST:
        return NONE
    row, column = (each.ravel() for each in np.indices((rows, columns)))
    start = layout.field.top() + (row + 0.5) * layout.row_step
    end = layout.field.top() + (column + 0.5) * layout.column_step
    found = np.zeros((rows * columns, 9))
    found[:, :4] = np.stack([0 * start + layout.field.left(), start, 0 * end + layout.field.right(), end], axis=1)
    found[:, 5:8] = ink.red(), ink.green(), ink.blue()
    links = picture.links
    drawn = (links.row - picture.first_row) * columns + links.column - picture.first_column
    found[drawn, 4], found[drawn, 8] = looks_of_links(picture, layout)  # what is not drawn gets thin, and goes
    return found


def paint_strokes(painter: QPainter, strokes: FloatArray) -> None:
    """Paint strokes, each from left to right as a line of the view *Lines* runs."""
    for left, start, right, end, thick, red, green, blue, opacity in strokes.tolist():
        if thick * opacity < 0.02:
            continue
        colour = QColor(int(red), int(green), int(blue), int(255 * min(max(opacity, 0.0), 1.0)))
        if abs(end - start) < 0.5:
            painter.fillRect(QRectF(left, start - thick / 2, right - left, thick), colour)
            continue
        path, middle = QPainterPath(QPointF(left, start)), (left + right) / 2
        path.cubicTo(middle, start, middle, end, right, end)
        pen = QPen(colour, thick)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.strokePath(path, pen)


N = TypeVar("N", bound=np.generic)
NEW = -1
"""Where a token was that the sentence before did not have."""


class WallTravel:
    """Sends the small maps of a quilt on their way, and gives the wall their images meanwhile."""

    def __init__(self, wall: HeadWall) -> None:
        self._wall = wall
        self.tween = Tween(wall)
        """Where the cells of all maps stand on the colour bar, one map after the other."""
        self.tween.moved.connect(self._paint)
        self._going: tuple[HeadSurvey, ...] = ()
        self._before: tuple[IntArray, IntArray] | None = None  # where rows and columns were; None of the same words

    def go(self, old: Wall | None, new: Wall) -> None:
        """Have the maps of a wall start from those of an old one that has other words, where they are few.

        Heads come a few at a time: whatever comes of the same words goes the same way.
        """
        if old is None or not (new.is_quilt and self._wall.moves) or old.view != new.view:
            self._before = None
        elif old.frame is not new.frame:
            self._before = _places_before(old, new)
        there = tuple(survey for survey in new.surveys if survey.is_computed)
        if old is None or self._before is None or not there:
            self._stop()
            return
        was, self._going = self._on_show(old), there
        starts, ends = [], [new.positions(survey) for survey in self._going]
        for survey, end in zip(self._going, ends, strict=True):
            known, start = was.get(survey.place, (None, NONE))
            starts.append(start if known is survey else _carried(start, end.shape, self._before))
        self.tween.go(_flat(starts), follows=False)
        self.tween.go(_flat(ends), follows=True)
        self._paint()

    def _on_show(self, wall: Wall) -> dict[Place, tuple[HeadSurvey, FloatArray]]:
        """Return the heads of a wall, and where the cells of each stand at this moment."""
        if self.tween.is_under_way:
            return {each.place: (each, part) for each, part in self._parts(self.tween.now)}
        return {each.place: (each, wall.positions(each)) for each in wall.surveys if each.is_computed}

    def _parts(self, flat: NDArray[N]) -> Iterator[tuple[HeadSurvey, NDArray[N]]]:
        """Yield each head that is on its way with its part of an array, as a map."""
        end = 0
        for survey in self._going:
            shape = survey.shown.values.shape
            start, end = end, end + shape[0] * shape[1]
            yield survey, flat[start:end].reshape(shape)

    def _stop(self) -> None:
        """Show at once what there is."""
        if self.tween.is_under_way:
            self.tween.go(NONE, follows=False)
            self._wall.forget_pixels()

    def _paint(self) -> None:
        wall, item = self._wall, self._wall.item
        if item is None:
            return
        masked = _flat(survey.shown.masked for survey in self._going)
        pixels = tile_pixels(self.tween.now, masked, item.scale, item.view.colour_map, wall.look)
        wall.forget_pixels()
        item.images.update((survey.place, image_of(part)) for survey, part in self._parts(pixels))
        wall.update()


def _places_before(old: Wall, new: Wall) -> tuple[IntArray, IntArray] | None:
    """Return where the rows and the columns of a wall were in an old one; None of the same words, and of too many."""
    (before, now), (n_q, n_k) = (((wall.frame.queries, wall.frame.keys) for wall in (old, new)), new.frame.shape)
    if before == now or n_q * n_k > MOST:
        return None
    rows, columns = (_before(*words) for words in zip(before, now, strict=True))
    return rows, columns


def _before(old: Tokens, new: Tokens) -> IntArray:
    """Return where the tokens of a sentence were before it was edited, `NEW` of those that were not there, (n,).

    What was written over another token takes its place.
    """
    _, end = shared_ends(old, new)
    places = np.arange(len(new))
    places[places >= len(old) - end] = NEW
    places[len(new) - end :] = np.arange(len(old) - end, len(old))
    return places


def _carried(cells: FloatArray, shape: tuple[int, ...], before: tuple[IntArray, IntArray]) -> FloatArray:
    """Return cells (rows, columns) where the words now have them, in a shape; NaN of those that were not there."""
    rows, columns = before
    there = rows.max(initial=NEW), columns.max(initial=NEW)
    if shape != (len(rows), len(columns)) or cells.ndim != 2 or not np.less(there, cells.shape).all():
        return np.full(shape, np.nan)  # one number, or a head of an older sentence
    carried = cells[np.ix_(rows, columns)]
    carried[rows == NEW], carried[:, columns == NEW] = np.nan, np.nan
    return carried


def _flat(maps: Iterable[NDArray[N]]) -> NDArray[N]:
    """Return maps as one array, row by row and one after the other."""
    return np.concatenate([each.ravel() for each in maps])
