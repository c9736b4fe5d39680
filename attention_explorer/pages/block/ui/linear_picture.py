"""Attention with V, then with X, multiplied by a number: what comes out, what would if it were linear, and the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.learned import steps_to_learn
from attention_explorer.pages.block.linear import (
    FACTORS,
    LinearPicture,
    factor_text,
    is_quick,
    linear_numbers,
    linear_picture,
    linear_sentences,
    linear_words,
    map_titles,
    verdict_of,
)
from attention_explorer.pages.block.state import BlockState
from attention_explorer.pages.block.ui.feature_map import (
    FeatureMap,
    label_room,
    mark_feature_map,
    paint_feature_map,
    place_map,
)

HEADING, GAP = 24, 16


@dataclass(frozen=True, slots=True)
class LinearLayout:
    """Where the two headings and the six maps are: those of V first."""

    headings: tuple[QRectF, QRectF]
    maps: tuple[FeatureMap, ...]


def linear_layout(picture: LinearPicture, look: Look, room: QRectF) -> LinearLayout:
    """Fit two rows of three maps, of which the first of a row has labels."""
    px = look.px
    labels = label_room(picture.tokens, look, room)
    high = (room.height() - px(GAP)) / 2
    wide = (room.width() - labels - 2 * px(GAP)) / 3
    headings, maps = [], []
    for row in range(2):
        top = room.top() + row * (high + px(GAP))
        headings.append(QRectF(room.left(), top, room.width(), px(HEADING)))
        for column in range(3):
            left = room.left() + column * (wide + px(GAP)) + (labels if column else 0)
            box = QRectF(left, top + px(HEADING), wide + (0 if column else labels), high - px(HEADING))
            map_ = picture.maps[3 * row + column]
            maps.append(place_map(look, box, map_, labels=0 if column else labels))
    return LinearLayout((headings[0], headings[1]), tuple(maps))


def paint_linear(
    painter: QPainter, picture: LinearPicture, layout: LinearLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint both rows, each with what it comes to above it."""
    count, width = picture.by[0].found.shape
    is_narrow = layout.maps[0].axis.width() < look.px(150)
    for which, heading in enumerate(layout.headings):
        font = look.font(14, bold=True)
        painter.setFont(font)
        painter.setPen(colour_of(look.theme.value_ink if which == 0 else look.theme.text))
        text = QFontMetricsF(font).elidedText(verdict_of(picture, which), Qt.TextElideMode.ElideRight, heading.width())
        painter.drawText(heading, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        for column, title in enumerate(map_titles(picture, which)):
            number = 3 * which + column
            paint_feature_map(
                painter,
                picture.maps[number],
                layout.maps[number],
                look,
                title,
                f"feature 0…{width - 1} →" + ("" if column or is_narrow else ", token ↓"),
                shape=f"({count}, {width})",
                vector=vector,
            )


# ---- Pointing ----


def linear_spot(_picture: LinearPicture, layout: LinearLayout, place: QPointF) -> Spot:
    """Return the token and the feature, the same for all maps."""
    for map_ in layout.maps:
        cell = map_.cell_at(place)
        if cell is not None:
            return Spot(*cell)
    return NOWHERE


def mark_linear(painter: QPainter, picture: LinearPicture, layout: LinearLayout, look: Look, spot: Spot) -> None:
    """Outline the same cell in all maps."""
    if spot.row is not None and spot.column is not None:
        for map_, place in zip(picture.maps, layout.maps, strict=True):
            mark_feature_map(painter, map_, place, look, spot.row, spot.column)


def spot_words(picture: LinearPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    return "" if spot.row is None or spot.column is None else linear_words(picture, spot.row, spot.column)


def linear_notes(picture: LinearPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(linear_sentences(picture))


def _press(state: BlockState, _picture: LinearPicture, key: int) -> Change[BlockState] | None:
    """Left and right: the next smaller or larger factor of the slider."""
    if key == Qt.Key.Key_Right:
        factor = next((stop for stop in FACTORS if stop > state.factor), FACTORS[-1])
    elif key == Qt.Key.Key_Left:
        factor = next((stop for stop in reversed(FACTORS) if stop < state.factor), FACTORS[0])
    else:
        return None
    if factor == state.factor:
        return None
    return Change(replace(state, factor=factor), f"Multiply by {factor_text(factor)}", "factor")


def linear_drawing() -> PictureDrawing[BlockState, LinearPicture, LinearLayout]:
    """Return how the picture is drawn."""
    return PictureDrawing(
        linear_picture,
        linear_layout,
        paint_linear,
        mark_linear,
        linear_spot,
        spot_words,
        linear_notes,
        press=_press,
        is_quick=is_quick,
        checkpoints=steps_to_learn,
        uses_pixels=False,
        parts=lambda _picture: ("In V: scaled before and after", "In X: scaled before and after"),
        numbers=linear_numbers,
    )
