"""Charts: a curve passes through its numbers, and a tick is written where its number is."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.kit.drawing.curve_chart import Axis, ChartLayout, chart_layout, paint_axes, paint_curve
from attention_explorer.kit.drawing.marks import pen
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.theme import LIGHT, Look

SIZE = QSize(500, 400)
BOX = QRectF(0, 0, 500, 400)

pytestmark = pytest.mark.usefixtures("qapp")


def is_black(paint: Callable[[QPainter], None], places: list[QPointF]) -> list[bool]:
    """Paint on white, and tell of each place whether something dark is within a pixel of it."""
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint(painter)
    painter.end()
    dark = (np.frombuffer(image.constBits(), np.uint32).reshape(SIZE.height(), SIZE.width()) & 0xFF) < 128
    return [bool(dark[int(p.y()) - 1 : int(p.y()) + 2, int(p.x()) - 1 : int(p.x()) + 2].any()) for p in places]


def centres(paint: Callable[[QPainter], None]) -> dict[str, QPointF]:
    """Return where the middle of each text is."""
    places = text_places(svg_bytes(paint, SIZE, 1.0, "chart", ""))
    return {text: place.boundingRect().center() for text, place in places}


def layout_of(across: Axis, up: Axis) -> ChartLayout:
    return chart_layout(Look(LIGHT), BOX, across, up)


def test_a_curve_passes_through_its_numbers() -> None:
    layout = layout_of(Axis(0.0, 10.0), Axis(0.0, 4.0))
    numbers = {4.0: 0.0, 6.0: 3.0, 8.0: 1.0}
    corners = [QPointF(layout.x(x), layout.y(y)) for x, y in numbers.items()]
    beside = [QPointF(layout.x(x), layout.y(y)) for x, y in ((2.0, 0.0), (4.0, 3.0), (8.0, 3.0), (10.0, 1.0))]
    values = np.array(list(numbers.values()))
    found = is_black(lambda p: paint_curve(p, layout, 4.0, values, pen("#000000", 3.0), step=2.0), corners + beside)
    assert found == [True] * 3 + [False] * 4


@pytest.mark.parametrize("count", [11, 5001])
def test_a_straight_piece_is_drawn_by_its_ends(count: int) -> None:
    layout = layout_of(Axis(0.0, count - 1.0), Axis(0.0, 1.0))
    values = np.abs(np.linspace(-1.0, 1.0, count))  # down and up again
    drawing = svg_bytes(lambda p: paint_curve(p, layout, 0.0, values, pen("#000000", 3.0)), SIZE, 1.0, "chart", "")
    (points,) = re.findall(r'<polyline[^>]* points="([^"]*)"', drawing.decode())
    assert len(points.split()) == 3


@pytest.mark.parametrize(
    ("across", "up", "x", "y"),
    [
        (Axis(0.0, 10.0), Axis(-1.0, 1.0), {"4": 0.4, "8": 0.8}, {"−1": 0.0, "1": 1.0}),
        (Axis(1.0, 256.0, log_base=2), Axis(1e-3, 10.0, log_base=10), {"16": 0.5}, {"0.01": 0.25, "0.1": 0.5}),
    ],
    ids=["linear", "logarithmic"],
)
def test_numbers_are_written_where_they_are(across: Axis, up: Axis, x: dict[str, float], y: dict[str, float]) -> None:
    """The share of the axis at which a number is to be, from its low end to its high one."""
    layout = layout_of(across, up)
    written = centres(lambda painter: paint_axes(painter, layout, Look(LIGHT)))
    plot = layout.plot
    for text, share in x.items():
        assert written[text].x() == pytest.approx(plot.left() + share * plot.width(), abs=4), text
    for text, share in y.items():
        assert written[text].y() == pytest.approx(plot.bottom() - share * plot.height(), abs=4), text
