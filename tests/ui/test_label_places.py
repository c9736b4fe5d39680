"""Labels in charts: they stand clear of what is there, and a line leads to what they name where that is farther off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.kit.drawing.label_places import boxes_along, draw_leader, free_spot
from attention_explorer.kit.theme import LIGHT, Look

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
