"""Labels in charts: they stand clear of what is there, and a line leads to what they name where that is farther off."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.kit.drawing.label_places import boxes_along, draw_leader, free_spot
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.block.depth import depth_picture
from attention_explorer.pages.block.ui import depth_picture as drawing
from attention_explorer.pages.ready_made import find_preset

ROOM = QRectF(0, 0, 200, 100)
LOOK = Look(LIGHT)


def drawn_pixels(mark: QPointF, box: QRectF) -> int:
    """Return how many pixels a leader takes."""
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        draw_leader(painter, mark, box, LOOK)
    return sum(image.pixel(x, y) != 0xFFFFFFFF for x in range(200) for y in range(100))


def test_a_label_stands_beside_its_mark_unless_something_is_there(qapp) -> None:
    mark = QPointF(100, 50)
    free = free_spot(mark, (30, 10), (6, 40), [], ROOM)
    assert ROOM.contains(free)
    assert not free.contains(mark)
    assert abs(free.center().x() - mark.x()) < 30
    crowd = [QRectF(50, 30, 100, 40)]
    aside = free_spot(mark, (30, 10), (6, 40), crowd, ROOM)
    assert not aside.intersects(crowd[0])


def test_only_a_label_far_from_its_mark_has_a_line_to_it(qapp) -> None:
    assert drawn_pixels(QPointF(20, 50), QRectF(26, 43, 40, 14)) == 0
    assert drawn_pixels(QPointF(20, 50), QRectF(60, 10, 40, 14)) > 20


def test_boxes_hug_a_line(qapp) -> None:
    boxes = boxes_along([QPointF(0, 0), QPointF(10, 0), QPointF(10, 20)], 2)
    assert [box.getRect() for box in boxes] == [(-2, -2, 14, 4), (8, -2, 4, 24)]


@pytest.mark.parametrize("identifier", ["depth"])
def test_the_number_in_a_chart_of_depth_is_near_its_dot(qapp, monkeypatch, identifier) -> None:
    spots: list[tuple[QPointF, QRectF]] = []
    monkeypatch.setattr(drawing, "draw_leader", lambda _painter, dot, box, _look: spots.append((dot, box)))
    picture = depth_picture(find_preset(identifier, "block").state.block)
    image = QImage(800, 600, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        layout = drawing.depth_layout(picture, LOOK, QRectF(0, 0, 800, 600))
        drawing.paint_depth(painter, picture, layout, LOOK)
    assert len(spots) == 2
    for dot, box in spots:
        assert abs(box.center().y() - dot.y()) < 50
        assert not box.contains(dot)
