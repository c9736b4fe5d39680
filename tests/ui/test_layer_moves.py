"""A box of the diagram grows into its array before one's eyes: from where it is, without numbers, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from layer_driver import LayerDriver
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from attention_explorer.kit import tween
from attention_explorer.pages.layer.ui.diagram import Diagram
from attention_explorer.pages.stack.state import BlockState

LONG = 20_000


@pytest.fixture
def moving_layer(open_layer, monkeypatch):
    def make(block: BlockState, **settings) -> LayerDriver:
        driver = open_layer(block, **settings)
        monkeypatch.setattr(tween, "MILLISECONDS", LONG)
        return driver

    return make


def places(layer: LayerDriver) -> np.ndarray:
    """Where the arrays of the picture on show are at the end, and the maps of all heads."""
    boxes = [place.cells for place in layer.lanes.places.values()]
    return np.array([box.getRect() for box in (*boxes, *layer.lanes.heads)])


def painted(layer: LayerDriver) -> QImage:
    QApplication.processEvents()
    return layer.canvas.grab().toImage()


@pytest.mark.parametrize("dropout", [False, True])
def test_a_box_that_is_clicked_grows_from_where_it_is(moving_layer, dropout):
    layer = moving_layer(BlockState(box="weights", dropout=dropout))
    way, before, at_first = layer.canvas._way, places(layer), painted(layer)
    layer.click(layer.box("q"))
    assert way.is_under_way
    end = places(layer)
    names = list(layer.lanes.places)
    assert end[names.index("q"), 2] > 2 * before[names.index("q"), 2]
    way._clock.setCurrentTime(LONG // 4)
    share = float(way._clock.currentValue())
    assert 0.2 < share < 1.0
    np.testing.assert_allclose(way.now, before + share * (end - before))
    assert layer.picture.chosen.name == "q", "what is said is of the box that was chosen, at once"
    on_its_way = painted(layer)
    way._clock.setCurrentTime(LONG)
    assert not way.is_under_way
    finished = painted(layer)
    assert on_its_way not in (at_first, finished)
    layer.canvas.picture_changed()
    assert painted(layer) == finished, "in the end all is drawn as ever"


def test_no_words_and_no_numbers_are_on_the_way(moving_layer):
    layer = moving_layer(BlockState(box="weights"))
    assert ".235" in layer.texts()
    layer.click(layer.box("scaled"))
    assert layer.canvas._way.is_under_way
    assert layer.texts() == []


def test_another_choice_begins_where_the_picture_is(moving_layer):
    layer = moving_layer(BlockState(box="weights"))
    way, before = layer.canvas._way, places(layer)
    layer.click(layer.box("concat"))
    way._clock.setCurrentTime(LONG // 3)
    half_way = way.now
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_Home)
    assert layer.picture.chosen.name == "x"
    assert way.is_under_way
    assert np.abs(way.now - half_way).max() < 10.0
    assert np.abs(half_way - before).max() > 20.0


@pytest.mark.parametrize("act", ["token", "head", "seed", "resize"])
def test_whatever_else_changes_is_there_at_once(moving_layer, act):
    layer = moving_layer(BlockState(box="weights"))
    layer.click(layer.box("q"))
    assert layer.canvas._way.is_under_way
    layer.canvas.setFocus()
    if act == "token":
        layer.key(Qt.Key.Key_Down)
    elif act == "head":
        layer.key(Qt.Key.Key_PageDown)
    elif act == "seed":
        layer.type_into(layer.field("seed"), "7")
    else:
        layer.canvas._way._clock.setCurrentTime(LONG)
        layer.window.resize(1100, 760)
        QApplication.processEvents()
    assert not layer.canvas._way.is_under_way
    assert layer.texts()


def test_nothing_moves_where_motion_is_reduced(moving_layer):
    layer = moving_layer(BlockState(box="weights"), reduced_motion=True)
    layer.click(layer.box("q"))
    assert not layer.canvas._way.is_under_way
    layer.window.set_reduced_motion(False)
    layer.click(layer.box("k"))
    assert layer.canvas._way.is_under_way
    layer.window.set_reduced_motion(True)
    layer.click(layer.box("v"))
    assert not layer.canvas._way.is_under_way


def test_pointing_meanwhile_says_what_will_be_there_and_marks_nothing(moving_layer, monkeypatch):
    layer, marked = moving_layer(BlockState(box="weights")), []
    layer.click(layer.box("q"))
    monkeypatch.setattr(Diagram, "mark", lambda *_: marked.append(True))
    assert layer.point_at(layer.cell(1, 2)).startswith("Queries, head 1")
    painted(layer)
    assert layer.canvas._way.is_under_way
    assert not marked
    layer.canvas._way._clock.setCurrentTime(LONG)
    painted(layer)
    assert marked
