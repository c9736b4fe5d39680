"""The pictures of maps as the frame knows them: one head, its lines, marked heads side by side, two setups compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.colour_maps import paint_title_of_small_bar, title_of_small_bar
from attention_explorer.kit.drawing.heatmap import most_tiles, paint_heatmap, paint_lit, paint_unknown
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.drawing.small_map import (
    Arrangement,
    SmallMap,
    arranged,
    best_arrangement,
    cell_at,
    paint_small_map,
)
from attention_explorer.kit.items.item import Blank, Hit, Item
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison, compared_sources
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.pages.heads.large_picture import LargePicture, large_picture
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.presets import has_own_other
from attention_explorer.pages.heads.shown_map import MarkedHeads
from attention_explorer.pages.heads.stages import StagesPicture
from attention_explorer.pages.heads.state import HeadsState, HeadsView
from attention_explorer.pages.heads.state import Picture as View
from attention_explorer.pages.heads.ui.line_picture import LinesItem
from attention_explorer.pages.heads.ui.map_layout import HeadLine, filled_layout, paint_legend, paint_line
from attention_explorer.pages.heads.ui.maps_item import ComparedItem, MapItem, MapsItem, SeveralMaps, labelled
from attention_explorer.pages.heads.ui.stages import StagesItem
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.heads.wording import badges, map_title, source_words

# ---- Marked heads ----


GAP, GUTTER, HEADER = 18, 10, 20
"""Pixels at zoom 1 between maps side by side, between rows of maps, and for a title."""
BAR_ROOM, BAR_HEIGHT = 30, 16
"""Pixels at zoom 1 for the colour bar in its line below the maps, and how high that line is."""
WIDEST_BAR, BESIDE_BAR = 260, 46
"""The colour bar, and beside it what a masked cell looks like, before its word."""


@dataclass(frozen=True, slots=True)
class MarkedLayout:
    """Where the maps and their colour bar are."""

    maps: tuple[SmallMap, ...]
    bar: QRectF  # its title is at its left


def marked_layout(marked: MarkedHeads, look: Look, room: QRectF) -> MarkedLayout:
    """Fit the maps into a room, in as many columns as make their cells largest."""
    px, pictures, without_bars = look.px, marked.pictures, replace(look, colour_bars=False)
    bar_room = px(BAR_ROOM) if look.colour_bars else 0
    maps_room = room.adjusted(0, 0, 0, -bar_room)
    header = px(HEADER) if len(pictures) > 1 else 0  # of one head the title of the picture has the name
    choices = tuple(Arrangement(columns, px(GAP), px(GUTTER), header) for columns in range(len(pictures), 0, -1))
    best = best_arrangement(pictures, without_bars, maps_room, choices)
    maps = arranged(pictures, without_bars, maps_room, best)
    cells = [small.layout.cells for small in maps]
    left, right = min(box.left() for box in cells), max(box.right() for box in cells)
    top = max(box.bottom() for box in cells) + px(10)
    legend = _legend(marked)
    beside = text_size(look.font(11.5), legend.masked_word)[0] + px(BESIDE_BAR) if legend.masked.any() else 0.0
    title = title_of_small_bar(legend.scale, look)
    width = min(right - left, px(WIDEST_BAR), room.right() - left - beside - title)
    return MarkedLayout(maps, QRectF(left + title, top, width, px(BAR_HEIGHT)))


def _legend(marked: MarkedHeads) -> MapPicture:
    """Return the map whose colour bar says all there is to say: one with masked cells, if there is any."""
    return next((each for each in marked.pictures if each.masked.any()), marked.pictures[0])


@dataclass(frozen=True, slots=True, eq=False)
class MarkedItem(SeveralMaps[MarkedLayout]):
    """The maps of the marked heads."""

    name: str
    picture: MarkedHeads
    is_given: bool = False

    def layout(self, look: Look, box: QRectF) -> MarkedLayout:
        return marked_layout(self.picture, look, box)

    def paint(self, painter: QPainter, layout: MarkedLayout, look: Look, *, vector: bool = False) -> None:
        without_bars, marked = replace(look, colour_bars=False), self.picture
        for picture, small in zip(marked.pictures, layout.maps, strict=True):
            paint_small_map(painter, picture, small, without_bars, vector=vector)
        if len(marked.titles) > 1:
            self._paint_titles(painter, layout, look)
        if look.colour_bars:
            paint_title_of_small_bar(painter, _legend(marked), layout.bar, look)
        paint_legend(painter, _legend(marked), layout.bar, look, vector=vector)

    def _paint_titles(self, painter: QPainter, layout: MarkedLayout, look: Look) -> None:
        font = look.font(12.5, bold=True)
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.text))
        for title, small in zip(self.picture.titles, layout.maps, strict=True):
            said = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, small.header.width())
            painter.drawText(small.header, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)

    def suits(self) -> tuple[float, float]:
        rows, columns = self.cells
        across, small = min(self.maps, 4), labelled(rows, columns)
        width, height = max(columns * small, 120.0) + 20.0, max(rows * small, 120.0) + 60.0
        return max(across * min(width, 1500.0) + 100.0, 460.0), -(-self.maps // across) * min(height, 1500.0) + 110.0

    def foot(self, look: Look, room: QRectF) -> float:
        return max(self.layout(look, room).bar.bottom() + look.px(8), 120.0)


# ---- The views ----


OneMap: TypeAlias = HeadsFrame
"""One of several maps in a picture: another head."""
THE_PICTURE = "The picture"
Laid: TypeAlias = Any
"""Where everything of a picture is."""


ITEMS: dict[type[LargePicture], tuple[str, Callable[[str, Any], MapsItem[Any]]]] = {
    MapPicture: ("Map", MapItem),
    LinePicture: ("Lines", LinesItem),
    StagesPicture: ("Stages", StagesItem),
    Comparison: ("Compare", ComparedItem),
    MarkedHeads: ("Side by side", MarkedItem),
}


def item_of(picture: LargePicture) -> MapsItem[Any]:
    """Return a large picture as an item, as files have it; on the screen a map fills its card, see `HeadMap`."""
    name, kind = ITEMS[type(picture)]
    return kind(name, picture)


@dataclass(frozen=True, slots=True, eq=False)
class HeadNumbers:
    """A picture with the frame that it is drawn from, and the state that it was computed for."""

    frame: HeadsFrame
    heads: HeadsState
    picture: LargePicture

    @property
    def view(self) -> HeadsView:
        """How it is looked at."""
        return self.heads.view


class MapsPicture(Picture[HeadsState, HeadNumbers]):
    """What the pictures of maps share: their cells, rows and columns are pinned, so a place is a `Spot`."""

    map_at: Callable[[HeadNumbers, Laid, QPointF], OneMap | None] = staticmethod(lambda *_: None)
    """(numbers, layout, place) -> the head whose map is at a place, where there are several."""

    def item(self, numbers: HeadNumbers) -> MapsItem[Any]:
        return item_of(numbers.picture)

    def layout(self, numbers: HeadNumbers, look: Look, room: QRectF) -> Laid:
        return self.item(numbers).layout(look, room)

    def paint(self, painter: QPainter, numbers: HeadNumbers, laid: Laid, look: Look, *, vector: bool = False) -> None:
        self.item(numbers).paint(painter, laid, look, vector=vector)

    def spot_at(self, numbers: HeadNumbers, laid: Laid, place: QPointF) -> Spot:
        hit = self.item(numbers).hit(laid, place)
        return NOWHERE if hit is None else hit.part

    def compute(self, state: HeadsState, pixels: tuple[int, int]) -> HeadNumbers:
        frame = frame_to_show(state.setup)
        return HeadNumbers(frame, state, large_picture(state, frame, pixels))

    uses_pixels = True

    def headline(self, numbers: HeadNumbers) -> str:
        return map_title(numbers.frame)

    def says(self, numbers: HeadNumbers) -> tuple[str, ...]:
        found = verdict(numbers.frame)
        return tuple(filter(None, (f"{found.title}.", found.text)))

    def notes(self, numbers: HeadNumbers) -> tuple[TextLine, ...]:
        try:
            found = verdict(numbers.frame)
        except ExplorerError as error:
            return (TextLine(numbers.frame.count.recounted(str(error)), size=12.5),)
        return TextLine(found.title, bold=True), TextLine(found.text, size=12.5)

    def about(self, numbers: HeadNumbers, _heads: HeadsState, drawn: LargePicture) -> tuple[str, ...]:
        """Return what to know of its colours and numbers: where they are not those of the head, and whose they are.

        ``drawn`` is the picture as it is drawn, perhaps in fewer tiles.
        """
        picture, frame = drawn, numbers.frame
        if isinstance(picture, MapPicture | LinePicture | MarkedHeads):
            return (*badges(frame, numbers.view, picture), source_words(frame))
        return (source_words(frame),)

    def panel(self, _numbers: HeadNumbers) -> Panel:
        return Panel()

    def walk_through(self, numbers: HeadNumbers) -> tuple[Sequence[int], Sequence[int]]:
        """Return rows and columns in the order in which the arrow keys go from one to the next."""
        n_q, n_k = numbers.frame.shape
        return range(n_q), range(n_k)

    def mark_spot(self, painter: QPainter, numbers: HeadNumbers, laid: Laid, look: Look, spot: Spot) -> None:
        """Light up a spot."""
        item = self.item(numbers)
        item.mark(painter, laid, look, Hit(item.name, spot))

    def press(self, _state: HeadsState, _numbers: HeadNumbers, _key: int) -> None:
        """Leave the keys to the canvas."""

    def walk(self, _numbers: HeadNumbers, _hit: object, _key: int) -> None:
        """Leave the keys to the canvas."""

    def held(self, numbers: HeadNumbers, look: Look, room: QRectF, _pressed: object) -> Laid:
        return self.layout(numbers, look, room)

    def given(self, _numbers: HeadNumbers) -> Item[Any]:
        return Blank(THE_PICTURE)

    def hides(self, _numbers: HeadNumbers) -> tuple[str, ...]:
        return (THE_PICTURE,)

    def has_cells(self, _numbers: HeadNumbers) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class MapLaid:
    """A map in as many tiles as have a pixel each, and where its cells are."""

    picture: MapPicture
    layout: HeatmapLayout
    line: HeadLine
    title: str = ""


class HeadMap(MapsPicture):
    """The map of a head, or of several in one."""

    fills_card = names_itself = True
    ratio = 1.0
    """Pixels of the screen by pixel of the window; the canvas says it."""
    is_unknown = False
    """Whether its numbers are asked for: “?” stands in its cells."""

    def layout(self, numbers: HeadNumbers, look: Look, room: QRectF) -> Laid:
        picture = self.map_of(numbers)
        if self.is_unknown:
            picture = picture.unknown()
        layout, line = filled_layout(picture, look, room)
        fitted = picture.fitted(*most_tiles(layout.cells, self.ratio))
        if fitted is not picture:
            layout, line = filled_layout(fitted, look, room)
        return MapLaid(fitted, layout, line, self.headline(numbers))

    @staticmethod
    def map_of(numbers: HeadNumbers) -> MapPicture:
        """Return the map."""
        return cast("MapPicture", numbers.picture)

    def paint(self, painter: QPainter, numbers: HeadNumbers, laid: Laid, look: Look, *, vector: bool = False) -> None:
        if self.is_unknown:
            paint_unknown(painter, laid.picture, laid.layout, replace(look, axis_names=False))
        else:
            self.paint_on_the_way(painter, laid, look, None, vector=vector)

    def paint_on_the_way(
        self, painter: QPainter, laid: MapLaid, look: Look, now: FloatArray | None, *, vector: bool = False
    ) -> None:
        """Paint it with its tiles on the way from those of another head, if any are given."""
        bare = replace(look, axis_names=False)
        paint_heatmap(painter, laid.picture, laid.layout, bare, vector=vector, bar=False, on_the_way=now)
        paint_line(painter, laid.picture, laid.title, laid.line, look, vector=vector)

    def mark_spot(self, painter: QPainter, _numbers: HeadNumbers, laid: MapLaid, look: Look, spot: Spot) -> None:
        paint_lit(painter, laid.picture, laid.layout, look, spot.row, spot.column)

    def spot_at(self, _numbers: HeadNumbers, laid: Laid, place: QPointF) -> Spot:
        layout, picture = laid.layout, laid.picture
        row, column = layout.row_at(place.y()), layout.column_at(place.x())
        left, top = layout.cells.left(), layout.cells.top()
        in_labels_left = left - layout.row_labels.room - 12 <= place.x() < left
        above = place.y() < top and place.y() > top - layout.column_labels.room - 24
        spot_row = None if row is None else row + picture.first_row
        spot_column = None if column is None else column + picture.first_column
        if row is not None and (column is not None or in_labels_left):
            return Spot(spot_row, spot_column)
        return Spot(None, spot_column) if column is not None and above else NOWHERE

    def data_box(self, laid: MapLaid) -> QRectF:
        """Return where its cells are."""
        return laid.layout.cells

    def withheld(self) -> Any:  # noqa: ANN401 # another picture
        asked = HeadMap()
        asked.is_unknown = True
        return asked

    def notes(self, numbers: HeadNumbers) -> tuple[TextLine, ...]:
        return (TextLine("Hidden until you answer: the weights."),) if self.is_unknown else super().notes(numbers)


class HeadLines(MapsPicture):
    """Queries at the left, keys at the right, a line from each query to its strongest keys."""


class HeadsCompared(MapsPicture):
    """A and B over the tokens of both, and their difference."""

    def walk_through(self, numbers: HeadNumbers) -> tuple[Sequence[int], Sequence[int]]:
        found = compared(numbers)
        return found.rows.numbers.tolist(), found.columns.numbers.tolist()

    def about(self, numbers: HeadNumbers, heads: HeadsState, _drawn: LargePicture) -> tuple[str, ...]:
        found, own = compared(numbers), has_own_other(heads)
        same = "B is still the same as A" if found.is_of_one_setup else "B shows the same head as A" if own else ""
        return tuple(filter(None, (same, *compared_sources(found))))


def compared(numbers: HeadNumbers) -> Comparison:
    """Return the comparison."""
    return cast("Comparison", numbers.picture)


class HeadsMarked(MapsPicture):
    """The marked heads beside each other, at one size and in the same colours."""

    @staticmethod
    def map_at(numbers: HeadNumbers, laid: Laid, place: QPointF) -> OneMap | None:
        hit = cell_at(laid.maps, place)
        return None if hit is None else _marked(numbers).frames[hit.map]

    def headline(self, numbers: HeadNumbers) -> str:
        none = "" if numbers.view.marked.intersection(numbers.frame.places) else " (mark others: Shift+click, or M)"
        return f"{_marked(numbers).title}{none}"


def _marked(numbers: HeadNumbers) -> MarkedHeads:
    return cast("MarkedHeads", numbers.picture)


class AllHeads(MapsPicture):
    """Every head of every layer. The page lays its wall over this picture, which computes nothing of its own."""

    fills_card = True

    def compute(self, state: HeadsState, pixels: tuple[int, int]) -> HeadNumbers:
        one = replace(state, view=replace(state.view, picture=View.HEATMAP))
        return super().compute(one, pixels)

    def layout(self, _numbers: HeadNumbers, _look: Look, room: QRectF) -> Laid:
        return room

    def paint(self, painter: QPainter, numbers: HeadNumbers, laid: Laid, look: Look, *, vector: bool = False) -> None:
        """Leave it to the wall."""

    def spot_at(self, _numbers: HeadNumbers, _laid: Laid, _place: QPointF) -> Spot:
        return NOWHERE

    def mark_spot(self, painter: QPainter, numbers: HeadNumbers, laid: Laid, look: Look, spot: Spot) -> None:
        """Leave it to the wall."""
