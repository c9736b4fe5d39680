"""The numbers at the axes: each whole, or not there at all."""

from __future__ import annotations

import pytest
from heads_driver import painted_texts
from PySide6.QtCore import QPointF

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.pages.lookup.ui.plane_ticks import paint_tick_labels


@pytest.fixture
def window(make_window):
    return make_window(ExplorerState(lookup=preset("three-keys").state))


def numbers(window) -> list[str]:
    return painted_texts(lambda painter: paint_tick_labels(painter, window.page.canvas.scene()))


def test_a_number_under_a_badge_is_left_out(window):
    assert "8" in numbers(window)
    assert "10" not in numbers(window), "v₁ and v₂ lie on them: half of them would read as 0"
    assert "2" in numbers(window), "the one at the other axis; the name beside q covers this one"
    assert numbers(window).count("2") == 1


def test_it_comes_back_when_the_badge_has_gone(window, hand):
    canvas = window.page.canvas
    before = numbers(window)
    scene = canvas.scene()
    hand(canvas).drag(scene.place(QUERY), QPointF(scene.point((5.0, -1.5))), steps=4)
    after = numbers(window)
    assert after.count("2") == 2, "nothing is named beside q any more"
    assert len(after) == len(before) + 1
