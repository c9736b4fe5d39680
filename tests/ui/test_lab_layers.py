"""Norm, Linear and Depth in the window: drags and undo, exact numbers, the worker, and what is taken away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from heads_driver import Gate
from pictures_driver import PicturesDriver
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.core.preset import preset_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.depth import DRAWS, DepthPicture, is_measured
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.lab.ui.layers import Depth
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.session.settings import Settings, ThemeChoice

block_preset = partial(preset_of, preset_list("block"))

VIEWS = {"norm": LabView.NORM, "linear": LabView.LINEAR, "depth": LabView.DEPTH}


class LayersDriver(PicturesDriver):
    """The window on a picture of layers on the Lab page."""

    is_patient = True

    @property
    def layout(self) -> Any:
        return self.canvas.picture_layout.layout


@pytest.fixture
def open_lab(make_window: Any, hand: Any) -> Any:
    def make(preset: str, **changes: Any) -> LayersDriver:
        state = ExplorerState(block=replace(block_preset(preset).state, **changes), lab=LabState(view=VIEWS[preset]))
        driver = LayersDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="lab")), hand)
        if not changes:
            driver.settle()
        return driver

    return make


def test_escape_stops_the_stacks_and_keeps_those_there_are(open_lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, stream = Gate(), Depth.stream

    def held_up(*given: Any) -> Iterator[tuple[float, DepthPicture | None]]:
        for step in stream(*given):
            yield step
            if step[1] is not None:
                gate.wait()  # else all may be there before the key is

    monkeypatch.setattr(Depth, "stream", staticmethod(held_up))
    driver = open_lab("depth", seed=502)
    deadline = time.monotonic() + 20
    while not isinstance(driver.picture, DepthPicture) and time.monotonic() < deadline:
        driver.page.jobs.wait(0.02)
        QApplication.processEvents()
    QTest.keyClick(driver.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in driver.said
    gate.open()
    driver.settle()
    assert 0 < driver.picture.draws < DRAWS
    assert f"median of {driver.picture.draws} random stacks" in driver.page.panel.sentence.text()
    assert not is_measured(driver.state)
    assert driver.page.finished_numbers() is None, "some stacks of many are not taken away as what the state shows"


def test_what_was_stopped_is_not_taken_away_with_the_picture_before(open_lab: Any) -> None:
    driver = open_lab("norm")
    before, session = driver.picture, driver.window.session
    assert driver.page.finished_numbers() is before
    depth = replace(block_preset("depth").state, seed=503)
    session.apply(replace(session.state, block=depth, lab=LabState(view=LabView.DEPTH)), "Depth")
    QTest.keyClick(driver.canvas, Qt.Key.Key_Escape)
    driver.settle()
    assert driver.picture is before, "the old one stays on show"
    assert driver.page.finished_numbers() is None


@pytest.mark.parametrize(
    ("preset", "field", "text", "value"),
    [("norm", "norm_scale", "1e-4", 1e-4), ("linear", "factor", "-2.5", -2.5), ("depth", "layers", "7", 7)],
)
def test_exact_numbers_are_typed(open_lab: Any, preset: str, field: str, text: str, value: float) -> None:
    driver = open_lab(preset)
    driver.type_into(driver.page.main.slider_of(driver.page.view).box, text)
    assert getattr(driver.state, field) == value
    assert getattr(driver.picture.state, field) == value
    assert driver.undo_text
