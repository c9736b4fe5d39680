"""What lies over all heads: the one under the pointer, large enough to read, and a map that goes back to its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QMenu

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap import paint_heatmap
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.kit.tween import Tween
from attention_explorer.pages.heads.survey import HeadSurvey, doing, line_words
from attention_explorer.pages.heads.ui.map_layout import filled_layout, paint_line
from attention_explorer.pages.heads.ui.thumbnail import cells_in
from attention_explorer.pages.heads.ui.travel import cell_strokes, paint_strokes
from attention_explorer.pages.heads.ui.wall import Wall, wall_scale
from attention_explorer.sources.registry import source_of

if TYPE_CHECKING:
    from attention_explorer.pages.heads.state import HeadsState
    from attention_explorer.pages.heads.ui.head_wall import HeadWall  # which makes it


SIDE, WORDS, INSIDE, OUTSIDE = 330, 40, 10, 8
"""Pixels at zoom 1 of its map at most, of the words below it, and inside and outside its frame."""
LARGER = 1.6
"""How many times as wide as the small map it has to be, to be of use."""


class AboveHeads:
    """Knows what lies over a wall, and paints it."""

    def __init__(self, wall: HeadWall) -> None:
        self._wall, self._box = wall, QRectF()
        self.tween = Tween(wall)
        self.tween.moved.connect(wall.update)
        self._going: tuple[MapPicture, QRectF] | None = None  # a map that goes back, and from or to where on the screen

    @property
    def preview(self) -> QRectF:
        """Where the head under the pointer is shown larger; empty where none is, or it would hardly be larger."""
        wall = self._wall
        survey = wall.survey_at(wall.hovered) if wall.is_quilt else None
        index = None if survey is None or not survey.is_computed else wall.index_of(*survey.place)
        if index is None:
            return QRectF()
        room = QRectF(wall.visibleRegion().boundingRect())
        self._box = preview_box(room, wall.box_of(index), self._box, wall.look)
        return self._box

    def receive(self, picture: MapPicture, box: QRectF) -> None:
        """Let a map that was large, in a box of the screen, shrink into its place among the heads."""
        self._going = picture, box

    def cells_of(self, layer: int, head: int) -> QRectF:
        """Return where the map of a head is on the screen; empty as long as it has not come."""
        wall = self._wall
        box, index = wall.place_of(layer, head), wall.index_of(layer, head)
        if box is None or index is None:
            return QRectF()
        if not wall.grid.is_bare:
            box = cells_in(box, wall.surveys[index], wall.look, stretches=wall.is_quilt)
        return QRectF(wall.mapToGlobal(box.topLeft()), box.size())

    def paint(self, painter: QPainter, item: Wall) -> None:
        """Paint the head under the pointer, and the map on its way."""
        survey, box, wall = self._wall.survey_at(self._wall.hovered), self.preview, self._wall
        if survey is not None and not box.isEmpty():
            paint_preview(painter, item, survey, box, wall.look)
        if self._going is not None:
            self._send(*self._going, self.cells_of(item.frame.layer, item.frame.head))
        if self.tween.is_under_way:
            paint_strokes(painter, self.tween.now)

    def _send(self, picture: MapPicture, start: QRectF, end: QRectF) -> None:
        """Send a map from a box of the screen to another, which may be elsewhere a moment later."""
        if start != end:
            for place, follows in ((start, False), (end, not end.isEmpty())):
                here = QRectF(self._wall.mapFromGlobal(place.topLeft()), place.size())
                if follows or not self.tween.is_under_way:
                    self.tween.go(cell_strokes(picture, here, self._wall.look), follows=follows)
        self._going = (picture, end) if self.tween.is_under_way else None


def preview_box(room: QRectF, small: QRectF, before: QRectF, look: Look) -> QRectF:
    """Return where the preview of a small map is; empty without room for one that is notably larger.

    It stays where it was ``before`` unless it would cover the map: then it goes to the other side of the room.
    """
    outside, words = look.px(OUTSIDE), look.px(WORDS)
    high = room.height() - words - 2 * outside
    side = min(float(look.px(SIDE)), room.width() / 2 - 2 * outside - small.width(), high)
    if side < LARGER * max(small.width(), small.height()):
        return QRectF()
    top = room.center().y() - (side + words) / 2
    places = [QRectF(left, top, side, side + words) for left in (room.right() - side - outside, room.left() + outside)]
    places.sort(key=lambda place: place != before)
    return next(place for place in places if not place.intersects(small.adjusted(-outside, 0, outside, 0)))


def paint_preview(painter: QPainter, wall: Wall, survey: HeadSurvey, box: QRectF, look: Look) -> None:
    """Paint the map of a head with its tokens, in the colours of the wall, its name and what it does.

    Of heads that are coloured by their effect it has the weights.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour_of(look.theme.text), 1.0))
    painter.setBrush(colour_of(look.theme.card))
    painter.drawRoundedRect(box, look.px(6), look.px(6))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    inside = look.px(INSIDE)
    room = box.adjusted(inside, inside / 2, -inside, -look.px(WORDS))
    plain, frame, view = replace(survey, effect=None), wall.frame, wall.view
    scale = wall.scale if survey.effect is None else wall_scale((plain,), view.contrast)
    picture = MapPicture(*plain.shown, scale, view.colour_map, frame.queries, frame.keys)
    layout, line = filled_layout(picture, look, room)
    paint_heatmap(painter, picture, layout, replace(look, axis_names=False), bar=False, on_the_way=picture.positions)
    does = doing(survey)
    paint_line(painter, picture, f"{survey.name}: {does}" if does else survey.name, line, look)
    painter.setFont(look.font(12))
    painter.setPen(colour_of(look.theme.muted))
    words = QRectF(room.left(), box.bottom() - look.px(WORDS - 4), room.width(), look.px(WORDS - 8))
    painter.drawText(words, Qt.TextFlag.TextWordWrap, line_words(survey).removeprefix(f"{survey.name}: "))


# ---- The menu of a head ----


OFF = "left out of mean, largest and rollout; later layers stay as they are"
OFF_IN_MODEL = "it adds nothing, so later layers change; left out of mean, largest and rollout too"


def off_words(heads: HeadsState) -> str:
    """Say what it means that a head is off."""
    return OFF_IN_MODEL if source_of(heads.setup.recipe).traits.runs_without_heads else OFF


def menu_of(wall: HeadWall, heads: HeadsState, place: tuple[int, int]) -> QMenu:
    """Return the menu of a head; it goes when it is closed."""
    is_off, marked = place in heads.setup.switched_off, heads.view.marked
    menu = QMenu(wall)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Show large", lambda: wall.choose(*place))
    menu.addAction("What it does, in Circuits", lambda: wall.ask(*place))
    menu.setToolTipsVisible(True)
    switch = menu.addAction("Switch on" if is_off else "Switch off", lambda: wall.switch(*place))
    switch.setToolTip(f"Off: {off_words(heads)}")
    menu.addAction("Unmark" if place in marked else "Mark", lambda: wall.mark(*place))
    if marked:
        menu.addAction("Unmark all", wall.unmark_all)
    return menu
