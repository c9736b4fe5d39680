"""Labels in charts: they stand clear of what is there, and a line leads to what they name where that is farther off."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.kit.drawing.marks import boxes_along, draw_leader, free_spot
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
    boxes = boxes_along(np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 20.0]]), 2)
    assert boxes.tolist() == [[-2, -2, 12, 2], [8, -2, 12, 22]]  # left, top, right, bottom


def test_a_label_keeps_clear_of_lines_as_of_boxes(qapp) -> None:
    line = boxes_along(np.array([[50.0, 50.0], [150.0, 50.0]]), 20)
    aside = free_spot(QPointF(100, 50), (30, 10), (6, 40), [], ROOM, line)
    assert not aside.intersects(QRectF(30, 30, 140, 40))
