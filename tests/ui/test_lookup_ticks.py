"""The numbers at the axes: each whole, or not there at all."""

from __future__ import annotations

import pytest
from heads_driver import painted_texts
from lookup_driver import LookupDriver
from PySide6.QtCore import QPointF

from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.pages.lookup.ui.plane_output import paint_tick_labels


@pytest.fixture
def at(make_window, hand) -> LookupDriver:
    return LookupDriver.open(make_window, hand, preset("three-keys").state, size=(1280, 720))


def numbers(at: LookupDriver) -> list[str]:
    return painted_texts(lambda painter: paint_tick_labels(painter, at.canvas.scene()))


def test_a_number_under_a_badge_is_left_out(at):
    assert "8" in numbers(at)
    assert "10" not in numbers(at), "v₁ and v₂ lie on them: half of them would read as 0"
    assert "2" in numbers(at), "the one at the other axis; the name beside q covers this one"
    assert numbers(at).count("2") == 1


def test_it_comes_back_when_the_badge_has_gone(at):
    before = numbers(at)
    at.hand().drag(at.place(QUERY), QPointF(at.at(5.0, -1.5)), steps=4)
    after = numbers(at)
    assert after.count("2") == 2, "nothing is named beside q any more"
    assert len(after) == len(before) + 1
