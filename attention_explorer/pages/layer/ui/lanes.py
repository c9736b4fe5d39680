"""Where the boxes of a layer's diagram stand: three lanes whose rows are the tokens, and the ways between them.

Data run to the right along the first lane, back to the left along the second and to the right along the third, so that
the two ways around a sublayer are short: down through the gutter between two lanes. All boxes of a lane share their
rows, so that a token is one straight band through them. The box that is looked at has grown into its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.layer.boxes import Box, Form, Line
from attention_explorer.pages.layer.diagram import FEED_FORWARD, RESIDUAL, DiagramPicture

ARROW, BESIDE, GUTTER, TITLE, SHAPE, FOOT = 15, 5, 27, 17, 15, 17
"""Pixels at zoom 1: between boxes, between boxes side by side, between lanes; of lines above and below a box."""
HEADS, LEAST_HEAD, LOW, GAP, LEAST_BAR = 44, 5, 340, 7, 110
"""Pixels at zoom 1 of the maps of all heads, of the smallest, of the lowest room that has them; between things, and of
a colour bar with its ends."""
TITLES, SMALLEST = 12.5, 10.0
GROWN_WIDTH, GROWN_HEIGHT = 0.44, 1.7
"""Of its lane, how wide the grown box is; and how much higher its lane is than another."""
FORM_SHARES = {Form.FEATURES: 1.15, Form.HEADS: 1.0, Form.KEYS: 1.0}
LABELS = 0.16
"""The largest share of the width that the names of tokens take."""
TALL = 0.36
"""Of the grown box, how high it is at most, by its width: a lane of few rows need not fill a high room."""
NODE = 8.5
TICK_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class BoxPlace:
    """Where a box is."""

    box: Box
    cells: QRectF
    title: QRectF
    shape: QRectF
    is_grown: bool
    top: float
    """Of what stands above the boxes of its lane."""

    @property
    def frame(self) -> QRectF:
        """The box with its title."""
        return self.cells.united(self.title)

    def row(self, row: int) -> QRectF:
        """Return where the row of a token is."""
        high = self.cells.height() / self.box.first.shape[-2]
        return QRectF(self.cells.left(), self.cells.top() + row * high, self.cells.width(), high)


@dataclass(frozen=True, slots=True)
class Lane:
    """Boxes beside one another, with one row for each token."""

    cells: QRectF
    """From its first box to its last."""
    heat: HeatmapLayout
    """The names of the tokens at its left."""
    is_staggered: bool


@dataclass(frozen=True, slots=True)
class Way:
    """A line from a box to the next, with an arrow head at its end."""

    points: tuple[QPointF, ...]
    colour: str = "muted"
    is_residual: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """A part that a click cuts out, or puts back."""

    what: str
    centre: QPointF
    is_there: bool
    words: QRectF


@dataclass(frozen=True, slots=True)
class Lanes:
    """The diagram."""

    box: QRectF
    places: dict[str, BoxPlace]
    lanes: tuple[Lane, ...]
    ways: tuple[Way, ...]
    cuts: tuple[Cut, ...]
    heads: tuple[QRectF, ...]
    """The maps of all heads, if there are several."""
    grown: HeatmapLayout
    bar: QRectF
    foot: QRectF


def lanes_of(picture: DiagramPicture, look: Look, room: QRectF) -> Lanes:
    """Fit the diagram into a room."""
    px = look.px
    room = room.adjusted(1, 1, -1, -1)
    heads = _heads(picture, look, room)
    top = room.top() + (px(HEADS) + px(GAP) if heads else 0.0)
    used = [line for line in Line if any(box.line is line for box in picture.boxes)]
    share = [GROWN_HEIGHT if line is picture.chosen.line else 1.0 for line in used]
    cut_off = px(GUTTER) if Line.FEED_FORWARD not in used else 0.0
    around = px(TITLE + SHAPE)
    left = room.bottom() - top - around * len(used) - px(GUTTER) * (len(used) - 1) - px(FOOT + GAP) - cut_off
    places: dict[str, BoxPlace] = {}
    lanes, foot = list[Lane](), QRectF()
    for line, part in zip(used, share, strict=True):
        high = max(left * part / sum(share), px(20))
        lane, found = _lane(picture, line, look, QRectF(room.left(), top, room.width(), around + high))
        lanes.append(lane)
        places.update(found)
        top = lane.cells.bottom() + px(GUTTER)
        if line is picture.chosen.line:
            foot = QRectF(places[picture.chosen.name].cells.left(), lane.cells.bottom() + 2, 0, px(FOOT))
            foot.setRight(places[picture.chosen.name].cells.right())
            top += px(FOOT)
    grown = places[picture.chosen.name]
    return Lanes(
        room,
        places,
        tuple(lanes),
        _ways(picture, places, look),
        _cuts(picture, places, lanes, look, room),
        heads,
        _heat(picture, grown, look),
        _bar(grown, look),
        foot,
    )


def _heads(picture: DiagramPicture, look: Look, room: QRectF) -> tuple[QRectF, ...]:
    """Return where the maps of all heads are, in a line above the diagram; none of one head, or of too many."""
    count = picture.heads
    side = min(float(look.px(HEADS)), (room.width() + look.px(GAP)) / max(count, 1) - look.px(GAP) / 2)
    if count < 2 or side < look.px(LEAST_HEAD) or room.height() < look.px(LOW):
        return ()
    step = min(side + look.px(GAP), room.width() / count)
    return tuple(QRectF(room.left() + number * step, room.top(), side, side) for number in range(count))


# ---- One lane ----


def _lane(picture: DiagramPicture, line: Line, look: Look, room: QRectF) -> tuple[Lane, dict[str, BoxPlace]]:
    px, boxes = look.px, [box for box in picture.boxes if box.line is line]
    if line is Line.MIXING:
        boxes.reverse()
    named = min(longest_label(picture.tokens, look, 13.0), LABELS * room.width()) + px(GAP)
    gaps = [px(BESIDE) if box.name in ("k", "v", "linear_part") else px(ARROW) for box in boxes[1:]]
    widths = _widths(picture, boxes, look, room.width() - named - sum(gaps))
    font, staggered = look.font(TITLES, bold=True), False
    for box, width in zip(boxes, widths, strict=True):
        staggered = staggered or text_size(font, box.title)[0] > width + px(BESIDE)
    cells = room.adjusted(named, px(TITLE + SHAPE), 0, 0)
    if picture.chosen.line is line and look.still:
        cells.setHeight(min(cells.height(), max(TALL * room.width(), px(20))))
    places, left = {}, cells.left()
    grown = boxes.index(picture.chosen) if picture.chosen in boxes else 1
    for number, (box, width) in enumerate(zip(boxes, widths, strict=True)):
        own = QRectF(left, cells.top(), width, cells.height())
        raised = px(SHAPE) if not staggered or (number - grown) % 2 == 0 else 0.0
        spare = px(ARROW) if not staggered else width
        title = QRectF(left, cells.top() - raised - px(TITLE), width, px(TITLE)).adjusted(-spare / 2, 0, spare / 2, 0)
        if box is picture.chosen:
            title = QRectF(left, title.top(), width, px(TITLE))
        elif title.left() < room.left():
            title.moveLeft(left)
        title.setRight(min(title.right(), room.right()))
        shape = QRectF(left, cells.top() - px(SHAPE), width, px(SHAPE))
        places[box.name] = BoxPlace(box, own, title, shape, box is picture.chosen, room.top())
        left += width + (gaps[number] if number < len(gaps) else 0)
    rows = len(picture.tokens)
    size, step = label_size(look, cells.height() / rows)
    heat = HeatmapLayout(cells, rows, 1, Labels(size, step, 0, named - px(GAP)), Labels(size, 1), QRectF())
    return Lane(cells, heat, staggered), places


def _widths(picture: DiagramPicture, boxes: list[Box], look: Look, room: float) -> list[float]:
    shares = [FORM_SHARES[box.form] for box in boxes]
    if picture.chosen not in boxes:
        return [room * share / sum(shares) for share in shares]
    place = boxes.index(picture.chosen)
    grown = max(GROWN_WIDTH * room, room * shares[place] / sum(shares))
    rest = sum(shares) - shares[place]
    return [
        grown if number == place else max((room - grown) * share / rest, look.px(4))
        for number, share in enumerate(shares)
    ]


def _heat(picture: DiagramPicture, place: BoxPlace, look: Look) -> HeatmapLayout:
    """Return the cells of the grown box, with the labels of its columns below them."""
    rows, columns = place.box.part(0).shape
    width = place.cells.width() / columns
    if place.box.form is Form.KEYS:
        size, step = label_size(look, width)
        if longest_label(picture.tokens, look, 12.0) <= width - look.px(4):
            size, step = 12.0, 1
        elif step == 1:
            size = min(size, 11.0)
    else:
        widest = text_size(look.font(11), str(columns))[0] + look.px(8)
        size, step = 11.0, next((step for step in TICK_STEPS if step * width >= widest), TICK_STEPS[-1])
    high = place.cells.height() / rows
    return HeatmapLayout(
        place.cells, rows, columns, Labels(*label_size(look, high)), Labels(size, step, 0, step * width), QRectF()
    )


def _bar(place: BoxPlace, look: Look) -> QRectF:
    spare = place.cells.width() - text_size(look.font(11), place.box.shape_text)[0] - look.px(GAP)
    wide = min(spare if spare > look.px(LEAST_BAR) else place.cells.width(), look.px(170))
    return QRectF(place.cells.right() - wide, place.shape.top(), wide, place.shape.height() - 1)


# ---- Ways between boxes ----


def _ways(picture: DiagramPicture, places: dict[str, BoxPlace], look: Look) -> tuple[Way, ...]:
    ways = [
        _way(places[source], places[box.name], look)
        for box in picture.boxes
        for source in box.sources
        if source in places
        and (source, box.name) not in (("v", "head_output"), ("q", "scores"), ("x", "k"), ("x", "v"))
    ]
    ways = [way for way in ways if len(way.points) > 1]
    if "v" in places:
        ways.append(_value_way(places["v"].cells, places["head_output"], look))
    residuals = (_residual_way(places[way.start].cells, places[way.end], look) for way in picture.residuals)
    return (*ways, *residuals)


def _way(start: BoxPlace, end: BoxPlace, look: Look) -> Way:
    """Return the arrow from a box to one beside or below it."""
    tail, head, px = start.cells, end.cells, look.px
    if start.box.line is end.box.line:
        y, right = tail.center().y(), tail.left() < head.left()
        from_x, to_x = (tail.right(), head.left()) if right else (tail.left(), head.right())
        if abs(to_x - from_x) > 2 * px(ARROW):  # not beside it: what is between says so
            return Way(())
        inside = px(2) if right else -px(2)
        return Way((QPointF(from_x + inside, y), QPointF(to_x - inside, y)))
    x = (max(tail.left(), head.left()) + min(tail.right(), head.right())) / 2
    x = min(max(x, head.left() + px(8)), head.right() - px(8))
    top, bottom = end.title.top(), tail.bottom()
    if tail.left() <= x <= tail.right():
        return Way((QPointF(x, bottom + 1), QPointF(x, top)))
    lane = end.top - px(5)
    start_x = tail.center().x()
    return Way((QPointF(start_x, bottom + 1), QPointF(start_x, lane), QPointF(x, lane), QPointF(x, top)))


def _value_way(value: QRectF, end: BoxPlace, look: Look) -> Way:
    """Return the way of the values: below the scores, to where the weights mix them."""
    lane, x = end.top - look.px(22), end.cells.left() + look.px(10)
    start = value.center().x()
    points = QPointF(start, value.bottom() + 1), QPointF(start, lane), QPointF(x, lane), QPointF(x, end.title.top())
    return Way(points, "value")


def _residual_way(start: QRectF, end: BoxPlace, look: Look) -> Way:
    """Return the way around a sublayer: down into the gutter, along it, and down to the sum."""
    lane, x = end.top - look.px(12), end.cells.center().x()
    tail = min(max(x, start.left() + look.px(6)), start.right() - look.px(6))
    points = QPointF(tail, start.bottom() + 1), QPointF(tail, lane), QPointF(x, lane), QPointF(x, end.title.top())
    return Way(points, "text", is_residual=True)


def _cuts(
    picture: DiagramPicture, places: dict[str, BoxPlace], lanes: list[Lane], look: Look, room: QRectF
) -> tuple[Cut, ...]:
    """Return what can be cut with a click: the ways around, and the network."""
    px, found = look.px, list[Cut]()
    if RESIDUAL in picture.cuts:
        ends = [way.end for way in picture.residuals] or [_without_residual(picture)]
        for name in ends:
            end = places[name]
            centre = QPointF(end.cells.center().x(), end.top - px(12))
            found.append(
                Cut(
                    RESIDUAL,
                    centre,
                    bool(picture.residuals),
                    _words_at(centre, "residual" if picture.residuals else "residual cut", look, room),
                )
            )
    if FEED_FORWARD in picture.cuts:
        is_there = picture.state.feed_forward
        below = lanes[-1].cells
        centre = QPointF(below.left() - px(16), below.top() - px(15))
        if not is_there:
            centre = QPointF(below.left() + px(NODE), room.bottom() - px(NODE + 3))
        found.append(Cut(FEED_FORWARD, centre, is_there, _words_at(centre, "feed-forward cut", look, room)))
    return tuple(found)


def _without_residual(picture: DiagramPicture) -> str:
    """Return the box behind which the sum would stand."""
    return "attention_output"


def _words_at(centre: QPointF, words: str, look: Look, room: QRectF) -> QRectF:
    """Return the room of words at the right of a knot, or at its left where the room ends."""
    wide = text_size(look.font(11), words)[0] + 2
    left = centre.x() + look.px(NODE + 3)
    if left + wide > room.right():
        left = centre.x() - look.px(NODE + 3) - wide
    return QRectF(left, centre.y() - look.px(8), wide, look.px(16))
