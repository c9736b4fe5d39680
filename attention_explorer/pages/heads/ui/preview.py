"""The head under the pointer, among many that are small: large enough to read, and never over what is pointed at."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.drawing.heatmap import paint_heatmap
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.survey import HeadSurvey, doing, line_words
from attention_explorer.pages.heads.ui.map_layout import filled_layout, paint_line
from attention_explorer.pages.heads.ui.wall import Wall
from attention_explorer.pages.heads.wall_colours import wall_scale

SIDE, WORDS, INSIDE, OUTSIDE = 330, 40, 10, 8
"""Pixels at zoom 1 of its map at most, of the words below it, and inside and outside its frame."""
LARGER = 1.6
"""How many times as wide as the small map it has to be, to be of use."""


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
