"""The hands of the clocks: from 12 o'clock, clockwise, as far as the angle says, and what a shift sweeps over."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.kit.drawing.colour_maps import DIVERGING, pixels_of
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.ui.clocks import RING, Clocks, Dials, DialsLayout, tip_of

ROOM = QRectF(0, 0, 900, 600)
LOOK = Look(LIGHT)

pytestmark = pytest.mark.usefixtures("qapp")


def shown(position: int, shift: int) -> PositionsState:
    return replace(PositionsState(length=64, d_model=8), position=position, shift=shift)


def laid_out(state: PositionsState) -> tuple[Dials, DialsLayout]:
    dials = Clocks().item(clocks_picture(state, (1, 1)))
    return dials, dials.layout(LOOK, ROOM)


def colours(state: PositionsState, hours: tuple[float, ...], reach: float) -> list[str]:
    """Return the colours on the first dial at angles (radians, clockwise from 12) and a share of its radius."""
    dials, layout = laid_out(state)
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    dials.paint(painter, layout, LOOK)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(600, 900) & 0xFFFFFF
    number, box = layout.places[0]
    assert dials.dial(number).pair == 0
    away = reach * box.width() / 2
    places = [(box.center().x() + away * math.sin(a), box.center().y() - away * math.cos(a)) for a in hours]
    return [f"#{int(pixels[round(y), round(x)]):06x}" for x, y in places]


def test_the_first_hand_goes_a_radian_a_position_clockwise() -> None:
    """At 11 the hand of θ = 1 has turned 11 rad, a turn and 270°: it points at 9 o'clock."""
    quarters = (0.0, math.pi / 2, math.pi, 3 * math.pi / 2)
    twelve, three, six, nine = colours(shown(11, 0), quarters, 0.5)
    plane = LIGHT.plane.lower()
    assert (twelve, three, six) == (plane, plane, plane)
    assert nine != plane


def test_the_legs_of_the_hand_have_the_colours_of_sine_and_cosine_on_the_map() -> None:
    """At 1 the tip is 0.84 to the right and 0.54 up: the legs stand on the vertical, and at the height of the tip."""
    dials, layout = laid_out(shown(1, 0))
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    dials.paint(painter, layout, LOOK)
    painter.end()
    _, box = layout.places[0]
    tip, middle = tip_of(box, 1.0), box.center()
    places = ((tip.x() + middle.x()) / 2, tip.y()), (middle.x(), (tip.y() + middle.y()) / 2)
    for (x, y), value in zip(places, (math.sin(1.0), math.cos(1.0)), strict=True):
        wanted = int(pixels_of(np.array([[(value + 1) / 2]]), None, DIVERGING, LIGHT.masked)[0, 0]) & 0xFFFFFF
        assert image.pixelColor(round(x), round(y)).name() == f"#{wanted:06x}"


def test_the_arc_goes_on_from_the_hand_as_far_as_the_shift_turns_it() -> None:
    """From 12 o'clock by k = 2 rad: what lies 1 rad ahead is swept over, 3 rad ahead and 1 rad behind it is not."""
    swept, beyond, behind = colours(shown(0, 2), (1.0, 3.0, -1.0), RING)
    assert swept == LIGHT.axis.lower()
    assert beyond == behind == LIGHT.track.lower()
    end, mirrored = colours(shown(0, 2), (2.0, -2.0), RING)
    assert end == LIGHT.card.lower()  # in the ring at its end
    assert mirrored == LIGHT.track.lower()


def test_dials_are_found_where_they_are_and_labelled_with_their_own_wavelength() -> None:
    dials, layout = laid_out(shown(11, 2))
    hits = [dials.hit(layout, box.center()) for _, box in layout.places]
    assert hits == [Hit(dials.name, pair) for pair in range(4)]
    figure = svg_bytes(lambda p: dials.paint(p, layout, LOOK), QSize(900, 600), 1.0, "clocks", "")
    middle = {text: place.boundingRect().center() for text, place in text_places(figure)}
    # 2π · 10000^(2i/8) for i = 0 and 1: 6.283 and 62.83 positions
    for pair, wavelength in ((0, "a turn in 6.28"), (1, "a turn in 62.8")):
        box = layout.places[pair][1]
        (place,) = [place for text, place in middle.items() if text == wavelength]
        assert box.left() < place.x() < box.right()
        assert place.y() > box.bottom()
    assert f"sin {math.sin(11):+.2f}".replace("-", "−") in middle


def test_many_dials_have_their_names_and_too_many_say_how_many_are_left_out() -> None:
    dials = Clocks().item(clocks_picture(PositionsState(d_model=64), (1, 1)))
    assert len(dials.layout(LOOK, ROOM).places) == 32
    dials = Clocks().item(clocks_picture(PositionsState(d_model=1024), (1, 1)))
    layout = dials.layout(LOOK, ROOM)
    assert layout.step > 1
    assert len(layout.places) == -(-512 // layout.step)
    figure = svg_bytes(lambda p: dials.paint(p, layout, LOOK), QSize(900, 600), 1.0, "clocks", "")
    assert any(f"of {512} clocks" in text for text, _ in text_places(figure))


def test_a_hidden_dial_tells_neither_hand_nor_numbers() -> None:
    dials, layout = laid_out(shown(11, 2))
    figures = [
        svg_bytes(lambda p, d=each: d.paint(p, layout, LOOK), QSize(900, 600), 1.0, "clocks", "")
        for each in (dials, dials.hidden())
    ]
    told, hidden = ({text for text, _ in text_places(figure)} for figure in figures)
    assert {text for text in told - hidden if not text.startswith(("sin", "cos"))} == set()
    assert hidden - told == {"?"}
    assert dials.hidden().spoken() == ""
