"""Where the boxes of a layer's diagram stand: three lanes whose rows are the tokens, and the ways between them.

Data run to the right along the first lane, back to the left along the second and to the right along the third, so that
the two ways around a sublayer are short: down through the gutter between two lanes. All boxes of a lane share their
rows, so that a token is one straight band through them. The box that is looked at has grown into its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.kit.drawing.colour_maps import ends_of_small_bar
from attention_explorer.kit.drawing.heatmap_layout import LINE_HEIGHT, HeatmapLayout, Labels, label_size, longest_label
from attention_explorer.kit.drawing.marks import fitting, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.layer.boxes import Box, Form, Line
from attention_explorer.pages.layer.diagram import DiagramPicture
from attention_explorer.sources.source import LayerPart

ARROW, BESIDE, GUTTER, TITLE, SHAPE, FOOT = 15, 5, 27, 17, 15, 17
"""Pixels at zoom 1: between boxes, between boxes side by side, between lanes; of lines above and below a box."""
HEADS, LEAST_HEAD, LOW, GAP, LEAST_BAR = 44, 5, 340, 7, 36
"""Pixels at zoom 1 of the maps of all heads, of the smallest, of the lowest room that has them; between things, and of
the colours of a colour bar beside a shape."""
TITLES, SMALLEST = 12.5, 10.0
GROWN_WIDTH, GROWN_HEIGHT, LEAST_GROWN = 0.44, 1.7, 1.25
"""Of its lane, how wide the grown box is; how much higher its lane is than another, and at least, where the other lanes
need height for the names of tokens."""
NAMES, LEAST_NAMES = 13.0, 9.0
"""Pixels at zoom 1 of the names of tokens, and of the smallest."""
FORM_SHARES = {Form.FEATURES: 1.15, Form.HEADS: 1.0, Form.KEYS: 1.0, Form.MATRIX: 1.0}
LABELS = 0.16
"""The largest share of the width that the names of tokens take."""
TALL = 0.36
"""Of the grown box, how high it is at most, by its width: a lane of few rows need not fill a high room."""
NODE = 8.5
LEAST_KEY = 20
"""Pixels at zoom 1 of the name of a key that is cut short below its column."""
TICK_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class BoxPlace:
    """Where a box is."""

    box: Box
    cells: QRectF
    words: str
    """Its title."""
    size: float
    """Of the letters of its title."""
    title: QRectF
    shape: QRectF
    """Where its shape is written; empty where it has no room."""
    top: float
    """Of what stands above the boxes of its lane."""
    is_grown: bool

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
    has_tokens: bool
    """Whether its rows are tokens, whose names stand there."""


@dataclass(frozen=True, slots=True)
class Way:
    """A line from a box to the next, with an arrow head at its end."""

    points: tuple[QPointF, ...]
    colour: str = "muted"
    is_residual: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """A part that a click cuts out, or puts back."""

    what: LayerPart
    centre: QPointF
    is_there: bool
    says: str
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

    @property
    def named(self) -> tuple[Lane, ...]:
        """The lanes whose rows are tokens."""
        return tuple(lane for lane in self.lanes if lane.has_tokens)


def lanes_of(picture: DiagramPicture, look: Look, room: QRectF) -> Lanes:
    """Fit the diagram into a room."""
    px = look.px
    room = room.adjusted(1, 1, -1, -1)
    heads = _heads(picture, look, room)
    top = room.top() + (px(HEADS) + px(GAP) if heads else 0.0)
    used = [line for line in Line if any(box.line is line for box in picture.boxes)]
    cut_off = px(GUTTER) if Line.FEED_FORWARD not in used else 0.0
    around = px(TITLE + SHAPE)
    left = room.bottom() - top - around * len(used) - px(GUTTER) * (len(used) - 1) - px(FOOT + GAP) - cut_off
    places: dict[str, BoxPlace] = {}
    lanes, foot = list[Lane](), QRectF()
    low = _low_lane(left, len(used) - 1, len(picture.tokens), look)
    for line in used:
        high = max(left - low * (len(used) - 1) if line is picture.chosen.line else low, px(20))
        lane, found = _lane(picture, line, look, QRectF(room.left(), top, room.width(), around + high))
        lanes.append(lane)
        places.update(found)
        top = lane.cells.bottom() + px(GUTTER)
        if line is picture.chosen.line:
            foot = QRectF(places[picture.chosen.name].cells.left(), lane.cells.bottom() + 2, 0, px(FOOT))
            foot.setRight(places[picture.chosen.name].cells.right())
            top += px(FOOT)
    grown = places[picture.chosen.name]
    heat = _heat(picture, grown, look)
    bar = _bar(grown, places, look)
    if grown.shape.left() + text_size(look.font(11), grown.box.shape_text)[0] > bar.left():
        places[picture.chosen.name] = replace(grown, shape=QRectF())
    ways = _ways(picture, places, heat, look)
    return Lanes(
        room,
        places,
        tuple(lanes),
        ways,
        _cuts(picture, places, ways, lanes, look, room),
        heads,
        heat,
        bar,
        foot,
    )


def _low_lane(left: float, others: int, rows: int, look: Look) -> float:
    """Return how high the lanes are that have no grown box: high enough for names of full size, if that one is."""
    low, most = (left / (others + grown) for grown in (GROWN_HEIGHT, LEAST_GROWN))
    if most < rows * LINE_HEIGHT * look.px(LEAST_NAMES):
        return low  # many tokens have no names of any size
    return max(low, min(rows * LINE_HEIGHT * look.px(NAMES), most))


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
    named = min(longest_label(picture.tokens, look, NAMES), LABELS * room.width()) + px(GAP)
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
        is_grown, away = box is picture.chosen, number - grown
        spare = width / 2 if staggered else px(ARROW) / 2
        low, high = left - spare, own.right() + spare
        if is_grown:
            low, high = left, own.right()
        elif staggered and abs(away) == 1 and picture.chosen in boxes:  # its title stands beside the shape of that box
            beside = gaps[min(number, grown)] - px(3)
            low, high = (left - beside, own.right() + width) if away > 0 else (left - width, own.right() + beside)
        low, high = max(low, room.left()), min(high, room.right())
        if number == len(boxes) - 1:
            low = min(low, high - text_size(font, box.title)[0] - 1)
        words, size, wide = _title(box, look, high - low, has_axes=is_grown)
        raised = px(SHAPE) if not staggered or away % 2 == 0 else 0.0
        at = left if is_grown else min(max(own.center().x() - wide / 2, low), high - wide)
        title = QRectF(at, cells.top() - raised - px(TITLE), wide, px(TITLE))
        shape = QRectF(left, cells.top() - px(SHAPE), width, px(SHAPE))
        if not is_grown and (staggered or text_size(look.font(11), box.shape_text)[0] > width + 2):
            shape = QRectF()
        places[box.name] = BoxPlace(box, own, words, size, title, shape, room.top(), is_grown)
        left += width + (gaps[number] if number < len(gaps) else 0)
    rows = len(picture.tokens)
    heat = HeatmapLayout(
        cells, rows, 1, _row_labels(look, cells.height() / rows, named - px(GAP)), Labels(NAMES, 1), QRectF()
    )
    return Lane(cells, heat, line is not Line.MATRICES), places


def _title(box: Box, look: Look, room: float, *, has_axes: bool) -> tuple[str, float, float]:
    """Return what stands above a box, the size of its letters, and how wide it is: shorter or smaller without room."""
    axes = f" · {axes_words(box)}" if has_axes and look.axis_names else ""
    dropped = () if box.left_out is None else (f"{box.title}, dropout{axes}", f"{box.title}, dropout")
    short = {"X = E + P": "X", "+ residual": "+", "RMS norm": "norm"}.get(box.title, box.title)
    font, size = look.font(TITLES, bold=True), TITLES
    if text_size(font, short)[0] > room:
        font, size = look.font(SMALLEST, bold=True), SMALLEST
    words = fitting((*dropped, f"{box.title}{axes}", box.title, short), font, room)
    return words, size, text_size(font, words)[0] + 1


def axes_words(box: Box) -> str:
    """Return what rows and columns of a box are."""
    if box.form is Form.MATRIX:
        return "row: feature, column: feature"
    return "row: query, column: key" if box.form is Form.KEYS else "row: token, column: feature"


def _row_labels(look: Look, high: float, room: float) -> Labels:
    """Return how the names of tokens stand beside rows so high: as large as there is room for."""
    size, step = label_size(look, high)
    return Labels(max(size, min(NAMES, high / (LINE_HEIGHT * look.zoom))), step, 0, room)


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
    box, cells = place.box, place.cells
    rows, columns = box.part(0).shape
    width = cells.width() / columns
    if box.form is Form.KEYS:
        size, step = label_size(look, width)
        if longest_label(picture.keys, look, 12.0) <= width - look.px(4):
            size, step = 12.0, 1
        elif step == 1:
            least = next((step for step in TICK_STEPS if step * width >= look.px(LEAST_KEY)), TICK_STEPS[-1])
            size, step = min(size, 11.0), least
    else:
        widest = text_size(look.font(11), str(columns))[0] + look.px(8)
        size, step = 11.0, next((step for step in TICK_STEPS if step * width >= widest), TICK_STEPS[-1])
    high = cells.height() / rows
    return HeatmapLayout(
        cells, rows, columns, Labels(*label_size(look, high)), Labels(size, step, 0, step * width), QRectF()
    )


def _bar(grown: BoxPlace, places: dict[str, BoxPlace], look: Look) -> QRectF:
    """Return where the colour bar of the grown box is: right of its shape, and left of a title that reaches there."""
    line, gap = grown.shape.adjusted(0, 0, look.px(GAP), 0), look.px(GAP)
    reaching = (place.title.left() for place in places.values() if place is not grown and place.title.intersects(line))
    right = min((left - gap for left in reaching), default=grown.cells.right())
    spare = right - line.left() - text_size(look.font(11), grown.box.shape_text)[0] - gap
    least = sum(ends_of_small_bar(grown.box.scale, look)) + look.px(LEAST_BAR)
    wide = min(spare if spare > least else right - line.left(), look.px(170))
    return QRectF(right - wide, line.top(), wide, line.height() - 1)


# ---- Ways between boxes ----


def _ways(picture: DiagramPicture, places: dict[str, BoxPlace], heat: HeatmapLayout, look: Look) -> tuple[Way, ...]:
    ways = [
        _way(places[source], places[box.name], heat, look)
        for box in picture.boxes
        for source in box.sources
        if source in places and (source, box.name) != ("v", "head_output")
    ]
    ways = [way for way in ways if len(way.points) > 1]
    if "v" in places and "head_output" in places:
        ways.append(_value_way(places["v"], places["head_output"], heat, look))
    residuals = (_residual_way(places[way.start], places[way.end], heat, look) for way in picture.residuals)
    return (*ways, *residuals)


def _way(start: BoxPlace, end: BoxPlace, heat: HeatmapLayout, look: Look) -> Way:
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
        x = _left_at(start, heat, x, max(tail.left(), head.left() + px(8)), min(tail.right(), head.right() - px(8)))
        return Way((QPointF(x, bottom + 1), QPointF(x, top)))
    lane = end.top - px(5)
    start_x = _left_at(start, heat, tail.center().x(), tail.left(), tail.right())
    return Way((QPointF(start_x, bottom + 1), QPointF(start_x, lane), QPointF(x, lane), QPointF(x, top)))


def _left_at(place: BoxPlace, heat: HeatmapLayout, x: float, low: float, high: float) -> float:
    """Return where a line leaves a box below, as near to x as can be: of the grown one between the names of columns."""
    if not place.is_grown:
        return x
    step = heat.column_labels.step * heat.cell_width
    first = heat.cells.left() + (heat.cell_width - step) / 2
    gaps = (first + number * step for number in range(heat.columns + 1))
    return min((gap for gap in gaps if low <= gap <= high), key=lambda gap: abs(gap - x), default=x)


def _value_way(value: BoxPlace, end: BoxPlace, heat: HeatmapLayout, look: Look) -> Way:
    """Return the way of the values: below the scores, to where the weights mix them."""
    lane, x = end.top - look.px(22), end.cells.left() + look.px(10)
    cells = value.cells
    start = _left_at(value, heat, cells.center().x(), cells.left(), cells.right())
    points = QPointF(start, cells.bottom() + 1), QPointF(start, lane), QPointF(x, lane), QPointF(x, end.title.top())
    return Way(points, "value")


def _residual_way(start: BoxPlace, end: BoxPlace, heat: HeatmapLayout, look: Look) -> Way:
    """Return the way around a sublayer: down into the gutter, along it, and down to the sum."""
    lane, x = end.top - look.px(12), end.cells.center().x()
    low, high = start.cells.left() + look.px(6), start.cells.right() - look.px(6)
    tail = _left_at(start, heat, min(max(x, low), high), low, high)
    points = QPointF(tail, start.cells.bottom() + 1), QPointF(tail, lane), QPointF(x, lane), QPointF(x, end.title.top())
    return Way(points, "text", is_residual=True)


def _cuts(
    picture: DiagramPicture,
    places: dict[str, BoxPlace],
    ways: tuple[Way, ...],
    lanes: list[Lane],
    look: Look,
    room: QRectF,
) -> tuple[Cut, ...]:
    """Return what can be cut with a click: the ways around, and the network."""
    px, found = look.px, list[Cut]()
    if LayerPart.RESIDUAL in picture.cuts:
        for tail, _, centre, _ in (way.points for way in ways if way.is_residual):
            is_left = tail.x() > centre.x() + px(NODE)  # the line would go through words at the right
            place = _words_at(centre, "residual", look, room, is_left=is_left)
            found.append(Cut(LayerPart.RESIDUAL, centre, True, "residual", place))
        if not picture.residuals:
            end, words = places["attention_output"], "residual cut"  # behind that box the sum would stand
            centre = QPointF(end.cells.center().x(), end.top - px(12))
            found.append(Cut(LayerPart.RESIDUAL, centre, False, words, _words_at(centre, words, look, room)))
    if LayerPart.NETWORK in picture.cuts:
        if picture.state.has_part(LayerPart.NETWORK):
            centre, words = _into_last(places, ways, look), "feed-forward"  # at the right a way around begins
            place = _words_at(centre, words, look, room, is_left=True)
            has_room = place.left() >= room.left()
            found.append(
                Cut(LayerPart.NETWORK, centre, True, words if has_room else "", place if has_room else QRectF())
            )
        else:
            below = lanes[-1].cells
            centre, words = QPointF(below.left() + px(NODE), room.bottom() - px(NODE + 3)), "feed-forward cut"
            found.append(Cut(LayerPart.NETWORK, centre, False, words, _words_at(centre, words, look, room)))
    return tuple(found)


def _into_last(places: dict[str, BoxPlace], ways: tuple[Way, ...], look: Look) -> QPointF:
    """Return where a line comes into the last lane, above its first box."""
    lowest = max(place.cells.top() for place in places.values())
    first = min((place for place in places.values() if place.cells.top() == lowest), key=lambda each: each.cells.left())
    ends = (way.points[-1] for way in ways if not way.is_residual)
    reached = (end.x() for end in ends if abs(end.y() - first.title.top()) < 1 and end.x() < first.cells.right())
    return QPointF(next(reached, first.cells.center().x()), first.top - look.px(12))


def _words_at(centre: QPointF, words: str, look: Look, room: QRectF, *, is_left: bool = False) -> QRectF:
    """Return the room of words at the right of a knot, or at its left, as where the room ends."""
    wide = text_size(look.font(11), words)[0] + 2
    left = centre.x() + look.px(NODE + 3)
    if is_left or left + wide > room.right():
        left = centre.x() - look.px(NODE + 0.5) - wide  # close by: a narrow window has no more at the left
    return QRectF(left, centre.y() - look.px(8), wide, look.px(16))
