"""The diagram of a layer as a picture of the Block page: its boxes above, the one that is looked at below."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from attention_explorer.kit.drawing.marks import draw_line, pen
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.boxes import Box
from attention_explorer.pages.block.diagram import DiagramPicture, diagram_picture
from attention_explorer.pages.block.diagram_words import box_words, cell_words, norm_words, row_words
from attention_explorer.pages.block.export import diagram_arrays
from attention_explorer.pages.block.ui.boxes import outline_row, paint_diagram
from attention_explorer.pages.block.ui.detail import (
    DetailLayout,
    detail_layout,
    label_box,
    mark_cell,
    mark_token,
    paint_detail,
)
from attention_explorer.pages.block.ui.layout import DiagramLayout, diagram_layout
from attention_explorer.pages.block.ui.notes import diagram_notes
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import is_quick, without_view
from attention_explorer.pages.stack.state import BlockState

DETAIL_SHARE, DETAIL_LEAST = 0.36, 176
MOST_DETAIL = 0.42
ROW, AROUND, GAP = 13, 100, 12
"""Pixels at zoom 1: a row of the large map where there is room, what stands around its rows, and a gap."""


@dataclass(frozen=True, slots=True)
class BlockSpot(Spot):
    """A box of the diagram; or a token, a number or a norm of the part that is drawn large."""

    box: str = ""
    head: int | None = None
    is_norm: bool = False


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Where the diagram and the large part are."""

    diagram: DiagramLayout
    detail: DetailLayout
    divider: tuple[QPointF, QPointF]


def block_layout(picture: DiagramPicture, look: Look, room: QRectF) -> BlockLayout:
    """Share a room between the diagram and what is drawn large."""
    px = look.px
    share = DETAIL_SHARE if picture.state.feed_forward else DETAIL_SHARE + 0.08
    wanted = max(share * room.height(), px(DETAIL_LEAST), px(ROW) * len(picture.tokens) + px(AROUND))
    low = min(wanted, MOST_DETAIL * room.height())
    upper = QRectF(room.left(), room.top(), room.width(), room.height() - low - px(GAP))
    lower = QRectF(room.left(), upper.bottom() + px(GAP), room.width(), low)
    y = upper.bottom() + 0.5 * px(GAP)
    return BlockLayout(
        diagram_layout(picture, look, upper.adjusted(2, 2, -2, -2)),
        detail_layout(picture, look, lower),
        (QPointF(room.left(), y), QPointF(room.right(), y)),
    )


def paint_block(
    painter: QPainter, picture: DiagramPicture, layout: BlockLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint the diagram, and below it what is drawn large."""
    paint_diagram(painter, picture, layout.diagram, look, vector=vector)
    draw_line(painter, *layout.divider, pen(look.theme.border, 1.0))
    paint_detail(painter, picture, layout.detail, look, vector=vector)


def mark_block(painter: QPainter, picture: DiagramPicture, layout: BlockLayout, look: Look, spot: Spot) -> None:
    """Frame the box that is pointed at, or light up a token in all boxes."""
    if not isinstance(spot, BlockSpot):
        return
    if spot.box:
        place = layout.diagram.places.get(spot.box)
        if place is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(look.theme.muted, 2.0))
            painter.drawRoundedRect(place.frame, look.px(5), look.px(5))
        return
    if spot.row is None or spot.row >= len(picture.tokens):
        return
    for place in layout.diagram.places.values():
        outline_row(painter, place, spot.row, look)
    if spot.column is not None and spot.column < layout.detail.cells.columns:
        mark_cell(painter, picture, layout.detail, look, spot.row, spot.column)
    else:
        mark_token(painter, picture, layout.detail, look, spot.row)


def block_spot(_picture: DiagramPicture, layout: BlockLayout, place: QPointF) -> Spot:
    """Return what is at a place."""
    found = layout.diagram.at(place)
    if found is not None:
        head = found.tile_at(place) if found.box.has_heads else None
        return BlockSpot(box=found.box.name, head=head)
    detail = layout.detail
    row = detail.row_at(place.y())
    if row is None:
        return NOWHERE
    column = detail.cells.column_at(place.x())
    if column is not None:
        return BlockSpot(row, column)
    if label_box(detail).contains(place):
        return BlockSpot(row)
    return BlockSpot(row, is_norm=True) if detail.bars.contains(place) else NOWHERE


def block_words(picture: DiagramPicture, spot: Spot) -> str:
    """Return what is at a spot, in words."""
    if not isinstance(spot, BlockSpot):
        return ""
    if spot.box:
        box = _box_named(picture, spot.box)
        return "" if box is None else box_words(picture, box)
    if spot.row is None or spot.row >= len(picture.tokens):
        return ""
    if spot.is_norm:
        return norm_words(picture, spot.row)
    box = picture.chosen
    if spot.column is None:
        return f"{row_words(picture, box, spot.row)}. Click to follow it through all boxes"
    if spot.column >= box.first.shape[-1]:
        return ""
    return cell_words(picture, box, picture.state.head_shown, spot.row, spot.column)


def _box_named(picture: DiagramPicture, name: str) -> Box | None:
    return next((box for box in picture.boxes if box.name == name), None)


# ---- Acting ----


def block_click(
    state: BlockState, picture: DiagramPicture, layout: BlockLayout, place: QPointF
) -> Change[BlockState] | None:
    """Enlarge the box that is clicked, or follow the token whose row is."""
    spot = block_spot(picture, layout, place)
    if not isinstance(spot, BlockSpot):
        return None
    if spot.box:
        box = _box_named(picture, spot.box)
        if box is None:
            return None
        new = replace(state, box=box.name, head=state.head if spot.head is None else spot.head)
        return _looked(state, new, f"Look at {box.what}")
    if spot.row is None:
        return None
    return _followed(state, picture, None if spot.row == picture.token else spot.row)


def block_press(state: BlockState, picture: DiagramPicture, key: int) -> Change[BlockState] | None:
    """Walk: left and right from box to box, up and down from token to token, page up and down from head to head."""
    place, last = picture.boxes.index(picture.chosen), len(picture.boxes) - 1
    walk = {
        Qt.Key.Key_Left: max(place - 1, 0),
        Qt.Key.Key_Right: min(place + 1, last),
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: last,
    }
    if key in walk:
        box = picture.boxes[walk[Qt.Key(key)]]
        return _looked(state, replace(state, box=box.name), f"Look at {box.what}")
    if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        move = 1 if key == Qt.Key.Key_Down else -1
        count = len(picture.tokens)
        token = (
            (0 if move > 0 else count - 1) if picture.token is None else min(max(picture.token + move, 0), count - 1)
        )
        return _followed(state, picture, token)
    if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
        head = min(max(state.head_shown + (1 if key == Qt.Key.Key_PageDown else -1), 0), state.heads - 1)
        return _looked(state, replace(state, head=head), f"Look at {state.count.head(head)}")
    if key == Qt.Key.Key_Escape and picture.token is not None:
        return _followed(state, picture, None)
    return None


def _looked(state: BlockState, new: BlockState, label: str) -> Change[BlockState] | None:
    return None if new == state else Change(new, label, "look")


def _followed(state: BlockState, picture: DiagramPicture, token: int | None) -> Change[BlockState] | None:
    if token == state.token:
        return None
    label = "Follow no token" if token is None else f"Follow “{picture.tokens[token]}”"
    return Change(replace(state, token=token), label, "look")


def _is_step(shown: BlockState, wanted: BlockState) -> bool:
    """Whether only what is looked at differs: another box, head or token of arrays that are there."""
    return shown.layer_shown == wanted.layer_shown and without_view(shown) == without_view(wanted)


def layer_drawing() -> PictureDrawing[BlockState, DiagramPicture, BlockLayout]:
    """Return how the diagram is drawn."""
    return PictureDrawing(
        diagram_picture,
        block_layout,
        paint_block,
        mark_block,
        block_spot,
        block_words,
        diagram_notes,
        click=block_click,
        press=block_press,
        is_quick=is_quick,
        checkpoints=steps_to_learn,
        is_step=_is_step,
        uses_pixels=False,
        numbers=diagram_arrays,
        parts=lambda picture: tuple(box.title for box in picture.boxes),
    )
