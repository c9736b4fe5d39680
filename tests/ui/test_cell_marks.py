"""What is drawn over the cells of a map: hatching, numbers and outlines that can be told from what is below them."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import colour_distance, pixels
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from attention_explorer.core.numerals import MINUS
from attention_explorer.kit.drawing.cell_marks import (
    cell_text,
    hatching,
    number_size,
    paint_hatching,
    paint_numbers,
    paint_outline,
)
from attention_explorer.kit.drawing.colour_maps import SEQUENTIAL, colour_table
from attention_explorer.kit.theme import DARK, LIGHT, Look

pytestmark = pytest.mark.usefixtures("qapp")


def colour_at(name: str, position: float) -> QColor:
    """Return the colour of a place 0…1 on a map."""
    table = colour_table(name)
    return QColor.fromRgb(int(table[round(position * (len(table) - 1))]))


def canvas(ground: str, width: int = 120, height: int = 120) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(ground))
    return image


# ---- Hatching ----


@pytest.mark.parametrize(
    ("tiles", "side"), [((3, 3), 300.0), ((11, 11), 400.0), ((64, 64), 450.0), ((300, 200), 450.0)]
)
def test_lines_cover_masked_tiles_and_no_others(tiles, side):
    masked = np.random.default_rng(1).random(tiles) < 0.4
    cells = QRectF(10, 20, side, side)
    height, width = side / tiles[0], side / tiles[1]
    lines = hatching(masked, cells, 5.0)
    assert lines
    hit = np.zeros(tiles, bool)
    for line in lines:
        for share in np.linspace(0.001, 0.999, 150):
            place = line.pointAt(share)
            row, column = (place.y() - 20) / height, (place.x() - 10) / width
            if min(row % 1, column % 1) > 1e-6 and max(row % 1, column % 1) < 1 - 1e-6:
                hit[int(row), int(column)] = True
    assert not (hit & ~masked).any()
    if side / max(tiles) > 20:
        assert np.array_equal(hit, masked), "while there is room every masked cell has its line"


def test_lines_are_apart_and_go_on_through_neighbours():
    cells = QRectF(0, 0, 300, 300)
    lines = hatching(np.ones((300, 300), bool), cells, 5.0)
    assert len(lines) <= 600 / 5, "one line a diagonal, not one a cell"
    sums = sorted(line.p1().x() + line.p1().y() for line in lines)
    assert np.diff(sums).min() >= 5.0
    assert hatching(np.zeros((5, 5), bool), cells, 5.0) == []


def test_many_long_lines_are_drawn_at_once():
    image = canvas("#ffffff", 2000, 2000)
    painter = QPainter(image)
    paint_hatching(painter, ~np.tri(512, dtype=bool), QRectF(0, 0, 2000, 2000), Look(LIGHT, 1.0))
    ends = painter.pen().capStyle()
    painter.end()
    assert pixels(image)[100, 1000:].min() < 0xFFFFFF
    assert ends is Qt.PenCapStyle.FlatCap, "0.05 s; with round ends of the lines more than 3 s"


@pytest.mark.parametrize("name", SEQUENTIAL)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("count", [4, 20, 200])
def test_masked_cells_are_no_plain_area(theme, count, name):
    # The grey of the dark theme is close to the dark end of the colour maps: the lines tell them apart.
    image = canvas(theme.masked)
    painter = QPainter(image)
    paint_hatching(painter, np.ones((count, count), bool), QRectF(0, 0, 120, 120), Look(theme))
    painter.end()
    shades = {image.pixelColor(x, y).name() for x in range(120) for y in range(0, 120, 3)}
    assert max(colour_distance(shade, theme.masked) for shade in shades) >= 25
    assert max(colour_distance(shade, colour_at(name, 0.0).name()) for shade in shades) >= 40


# ---- Numbers ----


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("width", [30.0, 37.0, 45.0, 110.0])
@pytest.mark.parametrize("text", [".316", f"{MINUS}0.35", f"{MINUS}12.4", "+1e+03", "+123456"])
def test_a_number_leaves_air_around_it_or_is_not_written(text, width, zoom):
    look, box = Look(LIGHT, zoom), QRectF(0, 0, width * zoom, width * zoom)
    size = number_size([text, ".1"], box, look)
    if size >= 11.0:
        assert QFontMetricsF(look.font(size)).horizontalAdvance(text) <= box.width() - 3
    image, before = canvas("white", 240, 240), canvas("white", 240, 240)
    painter = QPainter(image)
    paint_numbers(painter, [text], [box], [0xFFFFFFFF], look)
    painter.end()
    assert (image != before) == (size >= 11.0)


def test_small_numbers_have_room_where_long_ones_have_not():
    box = QRectF(0, 0, 37, 37)
    assert number_size([".316"], box, Look()) >= 11.0
    assert number_size(["+1.2e+03"], box, Look()) < 11.0


# ---- Outlines ----


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", SEQUENTIAL)
@pytest.mark.parametrize("side", [3.0, 12.0, 40.0])
def test_an_outline_stands_out_from_every_colour_of_a_map(theme, name, side):
    box = QRectF(40, 40, side, side)
    for share in np.linspace(0, 1, 21):
        ground = colour_at(name, share).name()
        image = canvas(ground)
        painter = QPainter(image)
        paint_outline(painter, box, theme.text, Look(theme))
        painter.end()
        across = [image.pixelColor(x, round(box.center().y())).name() for x in range(30, 52)]
        assert max(colour_distance(ground, colour) for colour in across) >= 70, ground
        assert image.pixelColor(QPointF(20, 20).toPoint()).name() == ground


@pytest.mark.parametrize(
    ("number", "text"),
    [(-0.0004, "−0.00"), (0.0004, "+0.00"), (0.0, "+0.00"), (-0.0, "+0.00"), (-1.26, "−1.26"), (-12.34, "−12.3")],
)
def test_a_sign_is_that_of_the_number_also_where_its_digits_are_0(number, text):
    assert cell_text(number, signed=True) == text


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0.0, "0"), (1e-12, ".000"), (0.0004, ".000"), (0.38, ".380"), (0.9994, ".999"), (0.9996, "1.00"), (1.0, "1")],
)
def test_nothing_and_everything_are_written_only_for_exactly_these(weight, text):
    assert cell_text(weight, signed=False) == text
