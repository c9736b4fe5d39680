"""A layer as a diagram: its arrays in three lanes, one grown into its numbers, and the way of a token through all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.kit.drawing.cell_marks import paint_outline
from attention_explorer.kit.drawing.colour_maps import DIVERGING, SEQUENTIAL, image_of, paint_small_bar, pixels_of
from attention_explorer.kit.drawing.heatmap import paint_cells, paint_row_label, paint_runs
from attention_explorer.kit.drawing.marks import colour_of, draw_arrow, draw_line, fitting, pen, text_size
from attention_explorer.kit.items.item import Blanks, Hit, Item, Pieces, around
from attention_explorer.kit.theme import Look, Theme
from attention_explorer.model.arrays import Bools
from attention_explorer.pages.layer.boxes import Box, Form, Rows
from attention_explorer.pages.layer.diagram import DiagramPicture, column_names, row_names
from attention_explorer.pages.layer.ui.lanes import NODE, BoxPlace, Cut, Lane, Lanes, Way, lanes_of
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.source import LayerPart

READ, MOST_READ = 0.1, 3
"""From which weight on the key and the value of a word are framed as read, and of how many words at most."""
BAND = 0.16


@dataclass(frozen=True, slots=True)
class Spot:
    """What of the diagram is meant; None and empty is what it says nothing about.

    Attributes
    ----------
    box : str
        A box, by its name.
    row, column : int
        A token, and in the grown box a number.
    head : int
        The map of a head, above the diagram.
    cut : LayerPart
        A part that can be cut.
    """

    box: str = ""
    row: int | None = None
    column: int | None = None
    head: int | None = None
    cut: LayerPart | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Diagram(Item[Lanes]):
    """The diagram of a layer; a `Hit` says a `Spot`."""

    name: str
    picture: DiagramPicture

    def layout(self, look: Look, box: QRectF) -> Lanes:
        return lanes_of(self.picture, look, box)

    @property
    def has_cells(self) -> bool:
        return True

    def data_box(self, layout: Lanes) -> QRectF:
        return around(place.cells for place in layout.places.values())

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(box.title for box in self.picture.boxes))

    def hidden(self) -> Blanks:
        return Blanks(self.name, self.names())

    def pieces(self, layout: Lanes, look: Look) -> Pieces:
        """Return every array, and the maps of all heads, which stay where they are."""
        picture, weights = self.picture, self.picture.box("weights")
        found = [(place.box, place.cells, picture.head) for place in layout.places.values()]
        found += [(weights, cells, head) for head, cells in enumerate(layout.heads)]
        return tuple((image_of(_pixels(picture, box, head, cells, look)), cells) for box, cells, head in found)

    # ---- Pointing ----

    def hit(self, layout: Lanes, place: QPointF) -> Hit | None:
        spot = self._spot(layout, place)
        return None if spot is None else Hit(self.name, spot)

    def _spot(self, layout: Lanes, place: QPointF) -> Spot | None:
        for head, box in enumerate(layout.heads):
            if box.contains(place):
                return Spot(head=head)
        for cut in layout.cuts:
            if cut.words.contains(place) or (cut.centre - place).manhattanLength() <= 2 * NODE:
                return Spot(cut=cut.what)
        for found in layout.places.values():
            if found.cells.contains(place):
                rows = found.box.first.shape[-2]
                row = int((place.y() - found.cells.top()) / found.cells.height() * rows)
                column = layout.grown.column_at(place.x()) if found.is_grown else None
                return Spot(found.box.name, min(row, rows - 1), column)
        for lane in layout.named:
            row_at = lane.heat.row_at(place.y())
            if row_at is not None and layout.box.left() <= place.x() < lane.cells.left():
                return Spot(row=row_at)
        named = next((found for found in layout.places.values() if found.title.contains(place)), None)
        return None if named is None else Spot(named.box.name)

    def mark(self, painter: QPainter, layout: Lanes, look: Look, hit: Hit) -> None:
        if hit.item != self.name:
            return
        spot: Spot = hit.part
        if spot.head is not None and spot.head < len(layout.heads):
            paint_outline(painter, layout.heads[spot.head], look.theme.text, look)
        for cut in layout.cuts:
            if cut.what == spot.cut:
                _paint_cut(painter, cut, look, lit=True)
        box = layout.places[spot.box].box if spot.box in layout.places else None
        if spot.row is not None and spot.row < len(self.picture.tokens) and (box is None or box.rows is Rows.QUERIES):
            for lane in layout.named:
                paint_row_label(painter, self._tokens, lane.heat, look, spot.row, lit=True)
        place = layout.places.get(spot.box)
        if place is None:
            return
        if place.is_grown and spot.row is not None and spot.column is not None:
            paint_outline(painter, layout.grown.rectangle(spot.row, spot.column), look.theme.text, look)
        else:
            _paint_frame(painter, place.cells.adjusted(-2, -2, 2, 2), look.theme.text, 2.0, look)

    # ---- Painting ----

    @property
    def _tokens(self) -> MapPicture:
        """Return a map of which only the names of the rows are painted."""
        tokens, none = self.picture.tokens, np.zeros((len(self.picture.tokens), 1))
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "")
        return MapPicture(none, none.astype(np.bool_), scale, SEQUENTIAL[0], tokens, ("",))

    def paint(self, painter: QPainter, layout: Lanes, look: Look, *, vector: bool = False) -> None:
        picture, token = self.picture, self.picture.token
        self._paint_heads(painter, layout, look, vector=vector)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if token is not None:
            for lane in layout.named:
                _paint_band(painter, lane, token, look)
        for way in layout.ways:
            _paint_way(painter, way, look)
        for place in layout.places.values():
            if place.is_grown:
                paint_cells(painter, grown_map(picture), layout.grown, look, vector=vector)
                _paint_holes(painter, place.box.holes(picture.head), place.cells, look)
            else:
                self._paint_array(painter, place.box, picture.head, place.cells, look, vector=vector)
            colour, dotted = str(getattr(look.theme, place.box.colour or "border")), place.box.left_out is not None
            width, outline = 1.6 if place.box.colour else 1.0, place.cells.adjusted(-1, -1, 0, 0)
            _paint_frame(painter, outline, look.theme.text if dotted else colour, width, look, dotted=dotted)
            self._paint_words(painter, place, look)
        for lane in layout.named:
            painter.setPen(colour_of(look.theme.text))
            for row in range(0, lane.heat.rows, lane.heat.row_labels.step):
                if row != token:
                    paint_row_label(painter, self._tokens, lane.heat, look, row)
            if token is not None:
                paint_row_label(painter, self._tokens, lane.heat, look, token, lit=True)
        if token is not None:
            self._paint_token(painter, layout, look, token)
        self._paint_columns(painter, layout, look)
        paint_small_bar(painter, grown_map(picture), layout.bar, look, vector=vector)
        for cut in layout.cuts:
            _paint_cut(painter, cut, look)

    def _paint_heads(self, painter: QPainter, layout: Lanes, look: Look, *, vector: bool) -> None:
        """Paint the weights of every head, that on show with a frame."""
        weights = self.picture.box("weights")
        for head, box in enumerate(layout.heads):
            self._paint_array(painter, weights, head, box, look, vector=vector)
            if head == self.picture.head:
                _paint_frame(painter, box.adjusted(-1, -1, 1, 1), look.theme.text, 2.0, look)

    def _paint_array(self, painter: QPainter, box: Box, head: int, cells: QRectF, look: Look, *, vector: bool) -> None:
        pixels = _pixels(self.picture, box, head, cells, look)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        if vector and pixels.size <= look.most_rectangles:
            paint_runs(painter, pixels, cells)
        else:
            painter.drawImage(cells, image_of(pixels))

    @staticmethod
    def _paint_words(painter: QPainter, place: BoxPlace, look: Look) -> None:
        side = Qt.AlignmentFlag.AlignLeft if place.is_grown else Qt.AlignmentFlag.AlignHCenter
        painter.setFont(look.font(place.size, bold=True))
        painter.setPen(colour_of(ink_of_box(place.box, look.theme)))
        painter.drawText(place.title, side | Qt.AlignmentFlag.AlignVCenter, place.words)
        if not place.shape.isEmpty():
            painter.setFont(look.font(11))
            painter.setPen(colour_of(look.theme.muted))
            painter.drawText(place.shape, side | Qt.AlignmentFlag.AlignVCenter, place.box.shape_text)

    def _paint_token(self, painter: QPainter, layout: Lanes, look: Look, token: int) -> None:
        """Frame the row of the token in every box; of keys and values those rows that it reads."""
        read = words_read(self.picture, token)
        framed = {Rows.QUERIES: (token,), Rows.KEYS: read, Rows.FEATURES: ()}
        for place in layout.places.values():
            colours = {"k": "key", "context": "key", "v": "value"}
            colour = str(getattr(look.theme, colours.get(place.box.name, "query")))
            for row in framed[place.box.rows]:
                _outline(painter, place.row(row), colour, look)

    def _paint_columns(self, painter: QPainter, layout: Lanes, look: Look) -> None:
        """Write below the grown box which column is which."""
        box, heat, foot = self.picture.chosen, layout.grown, layout.foot
        keys = box.form is Form.KEYS
        if not look.token_labels and keys:
            return
        names = column_names(self.picture, box)
        painter.setFont(look.font(heat.column_labels.size))
        painter.setPen(colour_of(look.theme.key_ink if keys else look.theme.muted))
        for column in range(0, heat.columns, heat.column_labels.step):
            least = 0 if keys else look.px(24)
            middle, half = heat.rectangle(0, column).center().x(), max(heat.column_labels.room, least) / 2
            place = QRectF(middle - half, foot.top(), 2 * half, foot.height())
            text = names[column]
            if keys and text_size(painter.font(), text)[0] > 2 * half - 2:
                word = text.lstrip(SPACE) or text  # the mark of a space tells less than a letter
                text = fitting((word, word[:3], word[:1]), painter.font(), 2 * half - 2)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


# ---- What boxes are painted with ----


def masked_cells(picture: DiagramPicture, box: Box) -> Bools | None:
    """Return which cells (n, n) of a box are masked; None if none are."""
    if picture.mask is None or box.name not in ("masked", "weights"):
        return None
    return ~picture.mask


def grown_map(picture: DiagramPicture) -> MapPicture:
    """Return the box that is looked at as a map, of the head that is."""
    box, array = picture.chosen, picture.chosen.part(picture.head)
    hidden = masked_cells(picture, box)
    masked = np.zeros(array.shape, np.bool_) if hidden is None else np.broadcast_to(hidden, array.shape)
    colours = SEQUENTIAL[0] if box.name == "weights" else DIVERGING
    return MapPicture(array, masked, box.scale, colours, row_names(picture, box), column_names(picture, box))


def words_read(picture: DiagramPicture, token: int) -> tuple[int, ...]:
    """Return the words that a token gives the most weight in the head on show."""
    row = picture.box("weights").part(picture.head)[token]
    order = np.argsort(-row, kind="stable")[:MOST_READ]
    return tuple(int(key) for key in order if row[key] >= READ)


def ink_of_box(box: Box, theme: Theme) -> str:
    """Return the colour of the title of a box."""
    return str(getattr(theme, f"{box.colour}_ink")) if box.colour else theme.text


def _pixels(picture: DiagramPicture, box: Box, head: int, cells: QRectF, look: Look) -> np.typing.NDArray[np.uint32]:
    """Return the colours of a head of a box, or of all of it: as many cells as there are pixels, evenly spread."""
    array, masked, holes = box.part(head), masked_cells(picture, box), box.holes(head)
    sample = np.ix_(_sampled(array.shape[0], cells.height()), _sampled(array.shape[1], cells.width()))
    colours = SEQUENTIAL[0] if box.name == "weights" else DIVERGING
    hidden = None if masked is None else masked[sample]
    pixels = pixels_of(box.scale.positions(array[sample]), hidden, colours, look.theme.masked)
    if holes is not None:
        pixels[holes[sample]] = colour_of(look.theme.card).rgb()
    return pixels


def _paint_holes(painter: QPainter, holes: Bools | None, cells: QRectF, look: Look) -> None:
    """Leave cells bare that dropout has left out, if any, as many of them as there are pixels."""
    if holes is None:
        return
    found = holes[np.ix_(_sampled(holes.shape[0], cells.height()), _sampled(holes.shape[1], cells.width()))]
    (rows, columns), ground = found.shape, colour_of(look.theme.card)
    high, wide = cells.height() / rows, cells.width() / columns
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for row, column in np.argwhere(found).tolist():
        painter.fillRect(QRectF(cells.left() + column * wide, cells.top() + row * high, wide, high), ground)


def _sampled(count: int, room: float) -> np.typing.NDArray[np.intp]:
    shown = min(count, max(round(room * 2), 1))
    return np.asarray((np.arange(shown) + 0.5) * count / shown, np.intp)


# ---- Lines ----


def _paint_band(painter: QPainter, lane: Lane, token: int, look: Look) -> None:
    """Paint the way of a token as a band, from the first box of a lane to its last."""
    row = lane.heat.rectangle(token, 0)
    painter.fillRect(row, colour_of(look.theme.query, BAND))


def _outline(painter: QPainter, place: QRectF, colour: str, look: Look) -> None:
    """Frame a row, with a halo unless that would cover the rows beside it."""
    is_low = place.height() < look.px(6)
    if not is_low:
        _paint_frame(painter, place, look.theme.card, 4.0, look)
    _paint_frame(painter, place, colour, 1.0 if is_low else 2.0, look)


def _paint_frame(
    painter: QPainter, place: QRectF, colour: str, width: float, look: Look, *, dotted: bool = False
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    stroke = pen(colour, width * min(look.zoom, 1.5))
    stroke.setStyle(Qt.PenStyle.DotLine if dotted else Qt.PenStyle.SolidLine)
    painter.setPen(stroke)
    painter.drawRect(place)


def _paint_way(painter: QPainter, way: Way, look: Look) -> None:
    colour = str(getattr(look.theme, way.colour))
    width = (2.0 if way.is_residual else 1.4) * min(look.zoom, 1.6)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    *before, start, end = way.points
    for one, other in pairwise((*before, start)):
        draw_line(painter, one, other, pen(colour, width))
    draw_arrow(painter, start, end, colour, width, look.px(7))


def _paint_cut(painter: QPainter, cut: Cut, look: Look, *, lit: bool = False) -> None:
    """Paint a knot that a click cuts: a plus where two ways meet, a dot before the network, dashed where one is cut."""
    theme, radius = look.theme, look.px(NODE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ink = theme.text if cut.is_there or lit else theme.muted
    stroke = pen(ink, (2.4 if lit else 1.6) * min(look.zoom, 1.5))
    if not cut.is_there:
        stroke.setStyle(Qt.PenStyle.DotLine)
    painter.setPen(stroke)
    painter.setBrush(colour_of(theme.card))
    painter.drawEllipse(cut.centre, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if cut.is_there and cut.what is LayerPart.RESIDUAL:
        arm = radius * 0.55
        x, y = cut.centre.x(), cut.centre.y()
        draw_line(painter, QPointF(x - arm, y), QPointF(x + arm, y), pen(ink, 1.6))
        draw_line(painter, QPointF(x, y - arm), QPointF(x, y + arm), pen(ink, 1.6))
    elif cut.is_there:
        painter.setBrush(colour_of(ink))
        painter.drawEllipse(cut.centre, radius * 0.3, radius * 0.3)
    painter.setFont(look.font(11))
    painter.setPen(colour_of(ink))
    painter.fillRect(cut.words, colour_of(theme.card))
    painter.drawText(cut.words, Qt.AlignmentFlag.AlignCenter, cut.says)
