"""The hands of the clocks: from 12 o'clock, clockwise, as far as the angle says, and what a shift sweeps over."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.ui.clocks_picture import clocks_layout, clocks_spot, paint_clocks

ROOM = QRectF(0, 0, 900, 600)
LOOK = Look(LIGHT)

pytestmark = pytest.mark.usefixtures("qapp")


def shown(position: int, shift: int) -> PositionsState:
    return replace(PositionsState(length=64, d_model=8), position=position, shift=shift)


def colours(state: PositionsState, hours: tuple[float, ...], reach: float) -> list[str]:
    """Return the colours on the first dial at angles (radians, clockwise from 12) and a share of its radius."""
    picture = clocks_picture(state, (1, 1))
    layout = clocks_layout(picture, LOOK, ROOM)
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    paint_clocks(painter, picture, layout, LOOK)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(600, 900) & 0xFFFFFF
    pair, box = layout.dials[0]
    assert pair == 0
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


def test_the_arc_goes_on_from_the_hand_as_far_as_the_shift_turns_it() -> None:
    """From 12 o'clock by k = 2 rad: what lies 1 rad ahead is swept over, 3 rad ahead and 1 rad behind it is not."""
    swept, beyond, behind = colours(shown(0, 2), (1.0, 3.0, -1.0), 0.5)
    assert swept == LIGHT.track.lower()
    assert beyond == behind == LIGHT.plane.lower()
    rims = [colours(shown(0, 2), (2.0, -2.0), 0.86 + past / 100) for past in (2, 3, 4)]  # of the circle at its end
    assert {tip for tip, _ in rims} != {LIGHT.plane.lower()}
    assert {mirrored for _, mirrored in rims} == {LIGHT.plane.lower()}


def test_dials_are_found_where_they_are_and_labelled_with_their_own_wavelength() -> None:
    state = shown(11, 2)
    picture = clocks_picture(state, (1, 1))
    layout = clocks_layout(picture, LOOK, ROOM)
    assert [clocks_spot(picture, layout, box.center()) for _, box in layout.dials] == [Spot(None, i) for i in range(4)]
    figure = svg_bytes(lambda p: paint_clocks(p, picture, layout, LOOK), QSize(900, 600), 1.0, "clocks", "")
    middle = {text: place.boundingRect().center() for text, place in text_places(figure)}
    # 2π · 10000^(2i/8) for i = 0 and 1: 6.283 and 62.83 positions
    for pair, wavelength in ((0, "λ 6.28"), (1, "λ 62.8")):
        box = layout.dials[pair][1]
        (place,) = [place for text, place in middle.items() if text.startswith(wavelength)]
        assert box.left() < place.x() < box.right()
        assert place.y() > box.bottom()
    assert any(text.startswith("at p + k = 13;") for text in middle)
    assert "at p = 11" in middle
