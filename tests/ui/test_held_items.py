"""Axes that stay as they were pressed while something is dragged, and the marks that are dragged or stepped."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import pixels
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.kit.items.columns import Above
from attention_explorer.kit.items.map import Map
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Axis, Corner, Handle, Mark
from attention_explorer.kit.items.strips import Bar, Part, Shares, Strip, Strips, colour_in
from attention_explorer.kit.items.words import Title
from attention_explorer.kit.picture import laid_out
from attention_explorer.kit.theme import DARK, LIGHT, Look

pytestmark = pytest.mark.usefixtures("qapp")
LOOK, BOX = Look(LIGHT), QRectF(0, 0, 400, 300)


def plot_to(high: float, *marks: Mark) -> Plot:
    return Plot("plot", Axis(0, high), Axis(0, 1), (Handle("at", 1.0), *marks))


def painted(item, layout) -> np.ndarray:
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    item.paint(painter, layout, LOOK)
    painter.end()
    return pixels(image).copy()


def test_the_axes_of_a_plot_stay_while_it_is_dragged() -> None:
    pressed = plot_to(2.0).layout(LOOK, BOX)
    dragged = plot_to(4.0)
    held = dragged.held(pressed, LOOK, BOX)
    assert held.place(1.0, 0.0) == pressed.place(1.0, 0.0) != dragged.layout(LOOK, BOX).place(1.0, 0.0)
    assert (painted(dragged, held) == painted(plot_to(2.0), pressed)).all()
    assert dragged.held(pressed, LOOK, QRectF(0, 0, 300, 300)).across.high == 4.0  # another room is another layout


def test_items_of_a_column_are_held_each_by_its_own_layout() -> None:
    before, after = (Above((Title("title", "words"), plot_to(high))) for high in (2.0, 4.0))
    held = after.held(before.layout(LOOK, BOX), LOOK, BOX)
    assert held[1].layout.across.high == 2.0
    other = Above((plot_to(4.0), Title("title", "words")))
    assert other.held(before.layout(LOOK, BOX), LOOK, BOX)[0].layout.across.high == 4.0


def test_a_corner_goes_level_first() -> None:
    plot = plot_to(4.0, Corner(1.5, 0.2, 3.0, 0.8))
    layout = plot.layout(LOOK, BOX)
    drawn = painted(plot, layout) != painted(plot_to(4.0), layout)

    def is_drawn(x: float, y: float) -> bool:
        at = layout.place(x, y)
        return bool(drawn[round(at.y()) - 2 : round(at.y()) + 3, round(at.x()) - 2 : round(at.x()) + 3].any())

    assert is_drawn(2.0, 0.2)
    assert is_drawn(3.0, 0.6)
    assert not is_drawn(2.0, 0.8)


def test_a_ring_of_a_strip_is_taken_and_gives_the_nearest_column() -> None:
    strips = Strips("strips", (Strip("one", np.zeros(10)), Strip("two", np.zeros(10), handle=7)))
    layout = strips.layout(LOOK, BOX)
    ring = layout.cell(1, 7).bottomLeft()
    hit = strips.grab(layout, ring + QPointF(3, 3))
    assert hit is not None
    assert hit.part == (1, None)
    assert strips.grab(layout, layout.cell(0, 7).center()) is None
    assert strips.value_at(layout, hit, QPointF(layout.cell(1, 3).left() + 4, 0)) == 3
    assert strips.value_at(layout, hit, QPointF(9999, 0)) == 10


def test_colours_are_greys_names_or_themselves() -> None:
    assert [colour_in(DARK, colour) for colour in (0.0, 1.0, "value", "#123456")] == [
        DARK.card,
        DARK.text,
        DARK.value,
        "#123456",
    ]
    bar = Shares("shares", (Bar("", (Part("part", 1.0, 1.0),)),))
    layout = bar.layout(LOOK, BOX)
    assert layout.bars[0].width() == BOX.width()  # no room for names that there are not
    assert (painted(bar, layout)[20, 20] & 0xFFFFFF) == int(LIGHT.text[1:], 16)


def test_cells_of_a_tall_map_reach_down_to_its_bar() -> None:
    words = tuple("abcd")
    scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")
    picture = MapPicture(np.eye(4), np.zeros((4, 4), bool), scale, "viridis", words, words)
    box = QRectF(0, 0, 200, 400)
    square, tall = (Map("map", picture, is_tall=is_tall).layout(LOOK, box) for is_tall in (False, True))
    assert tall.cells.topLeft() == square.cells.topLeft()
    assert tall.cells.width() == square.cells.width()
    assert tall.cell_height == pytest.approx(1.4 * tall.cell_width)
    assert square.cells.bottom() < tall.cells.bottom() < tall.bar.top() < tall.bar.bottom() < box.bottom()
    low = QRectF(0, 0, 200, 150)
    assert Map("map", picture, is_tall=True).layout(LOOK, low) == Map("map", picture).layout(LOOK, low)


SIZES = [((800, 540), 1.0), ((1900, 600), 1.0), ((1500, 1050), 1.4), ((3000, 2000), 1.4)]


@pytest.mark.parametrize(("size", "zoom"), SIZES)
def test_words_are_larger_in_a_very_large_room(size, zoom) -> None:
    laid = laid_out(plot_to(2.0), LOOK, QRectF(0, 0, *size))
    assert laid.look.zoom == pytest.approx(zoom)
    assert laid.layout.plot.left() == pytest.approx(plot_to(2.0).layout(laid.look, QRectF(0, 0, *size)).plot.left())
