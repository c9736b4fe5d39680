"""From one example to the next query, keys and weights travel; under a hand, and in what is written, nothing does."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest
from PySide6.QtCore import QPointF

from attention_explorer.kit import tween
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, LookupView

LONG = 20_000
"""Milliseconds: what takes so long is still on its way when it is looked at."""


@pytest.fixture
def page(make_window, monkeypatch):
    shown = make_window(ExplorerState()).page
    monkeypatch.setattr(tween, "MILLISECONDS", LONG)
    return shown


def shares(page) -> list[float]:
    return [bar.share for bar in page.panel.items._items.items[0].bars]


def test_all_is_on_its_way_and_what_is_written_is_its_end(page, qtbot):
    before = page.canvas.scene()
    page.show_example(preset("equal-scores"))
    qtbot.waitUntil(lambda: page.canvas.scene().state.query != before.state.query)
    seen, end = page.canvas.scene().state, preset("equal-scores").state
    assert len(seen.entries) == 3, "what was not there before comes from the origin"
    assert 1.2 < seen.query[0] < 1.4
    assert 0.0 < seen.query[1] < 0.6
    assert shares(page) == pytest.approx(lookup_frame(seen).weights.tolist(), abs=0.05)
    assert shares(page)[0] > 0.4
    assert [bar.text for bar in page.panel.items._items.items[0].bars] == ["33 %"] * 3
    assert page.session.state.lookup == end


def test_in_a_hard_lookup_the_output_jumps_on_the_way(make_window, monkeypatch, qtbot):
    monkeypatch.setattr(tween, "MILLISECONDS", 800)
    page = make_window(ExplorerState()).page
    page.toggle_hard()
    ready = preset("long-key")
    end = replace(ready.state.moved(QUERY, (-1.0, 1.0)), hard=True)
    seen: list[tuple[float, ...]] = []
    page.canvas.travelled.connect(lambda: seen.append(tuple(page.canvas.scene().frame.weights.tolist())))
    page.show_example(replace(ready, state=end))
    qtbot.waitUntil(lambda: page.canvas.scene().state == end)
    assert len(seen) > 2
    assert set(seen) <= {(1.0, 0.0), (0.0, 1.0)}, "nothing in between"


def test_a_hand_need_not_wait(page, hand):
    page.show_example(preset("long-key"))
    mouse = hand(page.canvas)
    mouse.drag(page.canvas.scene().place(QUERY), page.canvas.scene().place(QUERY) + QPointF(30, 0))
    assert page.canvas.scene().state.query == page.session.state.lookup.query


def test_a_drag_and_a_typed_number_arrive_at_once(page, hand):
    mouse = hand(page.canvas)
    mouse.drag(page.canvas.scene().place(QUERY), page.canvas.scene().point((0.5, 0.5)))
    assert page.canvas.scene().state.query == pytest.approx((0.5, 0.5), abs=0.02)
    page.main.slider_of(page.view).box.setValue(0.5)
    assert shares(page) == lookup_frame(page.session.state.lookup).weights.tolist()


def test_another_view_may_be_chosen_on_the_way(page, monkeypatch, qtbot):
    words, travelled = page.view_named(LookupView.WORDS), Event()
    kind = type(words.picture)
    compute = kind.compute
    monkeypatch.setattr(kind, "is_quick", staticmethod(lambda _state: False))
    monkeypatch.setattr(kind, "compute", staticmethod(lambda *given: travelled.wait(10) and compute(*given)))
    page.canvas.travelled.connect(travelled.set)
    page.show_example(preset("equal-scores"))
    page.show_view(words)
    assert isinstance(page.canvas.picture, LookupFrame)
    page.settle()
    assert travelled.is_set()
    assert not isinstance(page.canvas.picture, LookupFrame)
