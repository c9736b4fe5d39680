"""All heads as an item: a strip of small maps beside the large one, or a quilt of them that fills the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import (
    ColourScale,
    Contrast,
    FloatArray,
    MapPicture,
    ScaleKind,
    end_text,
    score_scale,
    weight_scale,
)
from attention_explorer.core.numerals import counted
from attention_explorer.kit.drawing.colour_maps import image_of
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.items.item import TURNS, Hit, Item
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.state import Aggregate, HeadsView, SortBy
from attention_explorer.pages.heads.survey import HeadSurvey, meets
from attention_explorer.pages.heads.ui.thumbnail import (
    Seen,
    cells_in,
    paint_cells,
    paint_marked_dot,
    paint_spot,
    paint_thumbnail,
    tile_pixels,
)
from attention_explorer.pages.heads.ui.wall_grid import EDGE, WallGrid

Place = tuple[int, int]

MOST_TOGETHER = 2**18
"""Tiles of several maps that are coloured together: of more, what is kept meanwhile would be as large as the wall."""


@dataclass(frozen=True, slots=True, eq=False)
class Wall(Item[WallGrid]):
    """Heads as small maps; a `Hit` says (layer, head).

    Attributes
    ----------
    frame : HeadsFrame
        Whose heads they are, and which of them is large.
    view : HeadsView
        How they are arranged and coloured.
    surveys : tuple of HeadSurvey
        The heads as they stand.
    scale : ColourScale
        The colours of all of them.
    is_quilt : bool
        Whether all are to be seen at once.
    is_by_number : bool
        Whether all heads are there and stand layer by layer, each from its first head.
    old : frozenset of (layer, head)
        Those still shown as they were before.
    dims_old : bool
        Whether these are pale: no others will come.
    images : dict
        The small maps painted so far, which the next wall of the same heads goes on with.
    """

    frame: HeadsFrame
    view: HeadsView
    surveys: tuple[HeadSurvey, ...]
    scale: ColourScale
    is_quilt: bool = False
    is_by_number: bool = False
    old: frozenset[Place] = frozenset()
    dims_old: bool = False
    images: dict[Place, QImage] = field(default_factory=dict)
    name: str = "all heads"
    is_given: bool = False

    # ---- Where everything is ----

    def layout(self, look: Look, box: QRectF) -> WallGrid:
        if not self.is_quilt:
            return WallGrid.strip(box.width(), len(self.surveys), look)
        heads, view = self.frame.source.heads, self.view
        numbered, named = view.sort is SortBy.NUMBER and not view.reverse, not view.in_grid
        by_layer = self.is_by_number
        return WallGrid.quilt(box.size(), heads, look, by_layer=by_layer, named=named, numbered=numbered)

    def height(self, look: Look, width: float) -> float | None:
        return None if self.is_quilt else WallGrid.strip(width, len(self.surveys), look).size.height()

    def data_box(self, layout: WallGrid) -> QRectF:
        rows, columns = layout.shape
        return layout.cell(0, 0).united(layout.cell(rows - 1, columns - 1))

    def hit(self, layout: WallGrid, place: QPointF) -> Hit | None:
        index = layout.index_at(place)
        return None if index is None or index >= len(self.surveys) else Hit(self.name, self.surveys[index].place)

    def heads_in(self, layout: WallGrid, part: QRect) -> Iterator[tuple[HeadSurvey, QRectF]]:
        """Yield the heads that a part touches, and where each is."""
        for index in layout.indices_in(part):
            if index < len(self.surveys):
                yield self.surveys[index], layout.box_of(index)

    def index_of(self, place: Place) -> int | None:
        """Return where in the order a head is."""
        return next((index for index, survey in enumerate(self.surveys) if survey.place == place), None)

    def beside(self, layout: WallGrid, place: Place, key: int) -> Place | None:
        """Return the head that a key leads to; None for other keys. From one that is left out, to the first."""
        turn, at = TURNS.get(key), self.index_of(place)
        if turn is None or not self.surveys:
            return None
        to = 0 if at is None else min(layout.moved(at, turn[1], turn[0]), len(self.surveys) - 1)
        return self.surveys[to].place

    # ---- Painting ----

    def paint(self, painter: QPainter, layout: WallGrid, look: Look, *, vector: bool = False) -> None:
        self.paint_numbers(painter, layout, look)
        for index, survey in enumerate(self.surveys):
            self.paint_head(painter, survey, layout.box_of(index), layout, look)

    def seen(self, survey: HeadSurvey) -> Seen:
        """Return what alters how a head is seen."""
        return Seen(
            self._is_large(survey),
            survey.place in self.frame.setup.switched_off,
            self.dims_old and survey.place in self.old,
            not meets(survey, self.view.threshold),
            survey.place in self.view.marked,
        )

    def _is_large(self, survey: HeadSurvey) -> bool:
        """Whether a head is in the large picture, alone or with the others of its layer."""
        setup = self.frame.setup
        if setup.aggregate is Aggregate.ONE:
            return survey.place == (self.frame.layer, self.frame.head)
        same_layer = survey.layer == self.frame.layer or setup.aggregate is Aggregate.ROLLOUT
        return same_layer and survey.place not in setup.switched_off

    def paint_head(self, painter: QPainter, survey: HeadSurvey, box: QRectF, layout: WallGrid, look: Look) -> None:
        """Paint a head into a box: its map with its words on a card, or the map alone."""
        seen = self.seen(survey)
        if layout.is_bare:
            self._paint_bare(painter, survey, box, look, seen)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour_of(look.theme.card))
        edge = look.theme.text if seen.chosen else look.theme.border
        painter.setPen(QPen(colour_of(edge), 2.0 * look.zoom if seen.chosen else 1.0))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), look.px(6), look.px(6))
        short = "" if self.is_quilt else self._short_name(survey)
        image, sort = self._image(survey, look), self.view.sort
        paint_thumbnail(painter, survey, image, box, sort, look, seen, short=short, stretches=self.is_quilt)
        if seen.marked:
            paint_marked_dot(painter, box.adjusted(0, 0, -look.px(6), 0).translated(0, look.px(6)), look)

    def _paint_bare(self, painter: QPainter, survey: HeadSurvey, box: QRectF, look: Look, seen: Seen) -> None:
        """Paint a map, and a frame around the one that is large."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # the dot of the one before has set it
        painter.fillRect(box, colour_of(look.theme.card))
        if survey.is_computed:
            paint_cells(painter, self._image(survey, look), box, seen)
        if seen.chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for colour, width in ((look.theme.text, 4.0), (look.theme.card, 1.5)):  # seen on dark maps and light ones
                painter.setPen(QPen(colour_of(colour), width * look.zoom))
                painter.drawRect(box)
        if seen.marked:
            paint_marked_dot(painter, box, look)

    def paint_numbers(self, painter: QPainter, layout: WallGrid, look: Look) -> None:
        """Write the numbers of layers and heads around a quilt of maps alone, where they stand in their order."""
        if layout.is_bare and self.is_by_number:
            paint_numbers(painter, layout, self.frame.count, look, look.theme.muted)

    def paint_spot(self, painter: QPainter, survey: HeadSurvey, box: QRectF, look: Look, spot: Spot) -> None:
        """Outline in a head what is pointed at elsewhere; maps alone are too small for that."""
        if survey.is_computed:
            paint_spot(painter, survey.shape, cells_in(box, survey, look, stretches=self.is_quilt), spot, look)

    def positions(self, survey: HeadSurvey) -> FloatArray:
        """Return where the tiles of a head stand on the colour bar, 0 to 1."""
        return self.scale.positions(survey.shown.values)

    def paint_images(self, surveys: Iterable[HeadSurvey], look: Look) -> None:
        """Have an image of the map of each head, those of one shape coloured together."""
        new = [survey for survey in surveys if survey.place not in self.images]
        for shape, of_shape in groupby(new, lambda survey: survey.shown.values.shape):
            alike, at_once = list(of_shape), max(MOST_TOGETHER // max(math.prod(shape), 1), 1)
            for start in range(0, len(alike), at_once):
                some = alike[start : start + at_once]
                values, masked = map(np.stack, zip(*(survey.shown for survey in some), strict=True))
                pixels = tile_pixels(self.scale.positions(values), masked, self.scale, self.view.colour_map, look)
                self.images.update((each.place, image_of(own)) for each, own in zip(some, pixels, strict=True))

    def _image(self, survey: HeadSurvey, look: Look) -> QImage:
        if survey.place not in self.images:
            self.paint_images((survey,), look)
        return self.images[survey.place]

    # ---- In words ----

    def _short_name(self, survey: HeadSurvey) -> str:
        """Return the name of a head for a narrow strip: layer and head as 4.2, or its own."""
        if self.frame.source.head_name(*survey.place) or len(self.frame.layers) == 1:
            return survey.name
        return ".".join(str(self.frame.count.number(place)) for place in survey.place)

    def spoken(self) -> str:
        new = [survey for survey in self.surveys if survey.place not in self.old]
        computed, heads = sum(survey.is_computed for survey in new), counted(len(new), "head")
        if computed < len(new):
            heads = f"{computed} of {heads} computed"
        return f"{heads}; large: {head_name(self.frame, self.frame.layer, self.frame.head)}"


def with_edge(box: QRectF) -> QRect:
    """Return the pixels of a thumbnail: its frame is wide when it is chosen, and reaches beyond its box."""
    return box.adjusted(-EDGE, -EDGE, EDGE, EDGE).toAlignedRect()


def are_by_number(surveys: Sequence[HeadSurvey], frame: HeadsFrame) -> bool:
    """Whether these are all heads of a frame, layer by layer, each from its first head."""
    in_turn = all(first.place < second.place for first, second in pairwise(surveys))
    return in_turn and len(surveys) == len(frame.places)


def paint_numbers(painter: QPainter, grid: WallGrid, count: Count, look: Look, colour: str) -> None:
    """Write the numbers of heads above maps and those of layers beside them, as many as there is room for.

    Where a column is a layer it is the other way round.
    """
    px, (rows, columns) = look.px, grid.shape
    painter.setFont(look.font(11))
    painter.setPen(colour_of(colour))
    step = math.ceil(painter.fontMetrics().horizontalAdvance("00 ") / (grid.width + grid.gap))
    for column in range(0, columns, step):
        box = grid.cell(0, column)
        above = QRectF(box.left() - 20, box.top() - px(16), box.width() + 40, px(16))
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, str(count.number(column)))
    step = math.ceil(painter.fontMetrics().height() / (grid.height + grid.gap))
    for row in range(0, rows, step):
        box = grid.cell(row, 0)
        beside = QRectF(box.left() - px(44), box.center().y() - 10, px(40), 20)
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(count.number(row)))


# ---- Colours ----
# One scale for all heads, and what its bar says.


_ENDS = {Contrast.MAX: "largest of all", Contrast.PERCENTILE: "98 % of each head"}
"""What the end of the wall’s colours is called, for those contrasts under which it depends on the weights."""


def wall_scale(surveys: Iterable[HeadSurvey], contrast: Contrast) -> ColourScale:
    """Return the colours of all thumbnails: the same weight has the same colour in every head.

    They end no lower than at three even shares, 3/n for n keys: else heads that are all even would look strong.
    """
    surveys = tuple(surveys)
    computed = [survey for survey in surveys if survey.is_computed]
    effects = [survey.effect for survey in computed if survey.effect is not None]
    if effects:
        return score_scale(np.nan_to_num(effects), "change of the answer")
    differences = [survey.signed.largest for survey in computed if survey.signed is not None]
    if differences:
        return score_scale(np.array(differences), "A − B")
    if contrast not in _ENDS or not computed:
        return weight_scale(contrast, np.zeros((1, 1)), np.zeros((1, 1), np.bool_))
    largest = max(survey.end_under(contrast) for survey in computed)
    top = min(max(largest, 3.0 / min(survey.shape[1] for survey in computed)), 1.0)
    what = _ENDS[contrast] if largest >= top else "3 even shares"
    if len(computed) + sum(bool(survey.refusal) for survey in surveys) < len(surveys):
        what = what.replace("of all", "so far")
    return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight", end=f"{end_text(top)}, {what}" if top < 1.0 else "")


def wall_legend(surveys: Sequence[HeadSurvey], view: HeadsView, scale: ColourScale | None = None) -> MapPicture:
    """Return a picture of no cells that holds what the colour bar of a wall says; of its scale, where that is known."""
    masked = np.array([any(survey.pooled.masked.any() for survey in surveys if survey.is_computed)])
    scale = wall_scale(surveys, view.contrast) if scale is None else scale
    return MapPicture(np.zeros((0, 0)), masked, scale, view.colour_map, (), ())


# ---- Painted thumbnails ----
# A pointer over the map alters none of them, and they are not painted again.


MOST_TILES_KEPT = 192
"""Painted thumbnails kept at a time: more than are in view, and about 15 MB at zoom 1. Of maps alone none is kept."""


class WallTiles:
    """Each as it was last painted, and what it was painted for."""

    def __init__(self) -> None:
        self._kept: dict[Place, tuple[object, QPixmap]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()

    def forget(self, place: Place) -> None:
        """Keep none of a head."""
        self._kept.pop(place, None)

    def of(self, wall: Wall, survey: HeadSurvey, box: QRectF, grid: WallGrid, look: Look, ratio: float) -> QPixmap:
        """Return a thumbnail, the one of the last time if nothing about it has changed."""
        place = with_edge(box)
        # Of its place, only what is left of whole pixels alters the picture.
        inside = box.translated(-QPointF(place.topLeft()))
        key = (survey.name, wall.view.sort, wall.seen(survey), inside, ratio)
        kept = self._kept.get(survey.place)
        if kept is not None and kept[0] == key:
            return kept[1]
        picture = QPixmap(place.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(colour_of(look.theme.window))
        painter = QPainter(picture)
        wall.paint_head(painter, survey, inside, grid, look)
        painter.end()
        if len(self._kept) > MOST_TILES_KEPT:
            self._kept.clear()
        self._kept[survey.place] = key, picture
        return picture
