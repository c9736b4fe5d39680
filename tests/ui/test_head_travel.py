"""Cells on their way: from view to view each goes to its place, and a small map grows into the large one and back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from attention_explorer.kit import tween
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.strokes import strokes_of

LONG = 20_000
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def driver(open_heads, monkeypatch):
    driver = open_heads(HeadsState())
    driver.page.settle()
    QApplication.processEvents()
    monkeypatch.setattr(tween, "MILLISECONDS", LONG)
    return driver


def go(driver, picture: Picture) -> None:
    driver.press(driver.controls.pictures.buttons[picture])
    driver.page.settle()
    for _ in range(3):
        QApplication.processEvents()
    driver.window.grab()


def places(driver) -> np.ndarray:
    """Where the cells are at the end, in the view on show."""
    canvas = driver.canvas
    return strokes_of(canvas._picture, canvas.picture_layout, canvas.look)


def on_the_screen(widget, strokes: np.ndarray) -> QRectF:
    """The smallest rectangle round cells, on the screen."""
    half = strokes[:, 4] / 2
    left, right = strokes[:, 0].min(), strokes[:, 2].max()
    top, bottom = (strokes[:, 1] - half).min(), (strokes[:, 1] + half).max()
    return QRectF(QPointF(widget.mapToGlobal(QPointF(left, top))), QPointF(widget.mapToGlobal(QPointF(right, bottom))))


def is_near(box: QRectF, other: QRectF, by: float = 4.0) -> bool:
    corners = zip(box.getCoords(), other.getCoords(), strict=True)
    return all(abs(a - b) <= by for a, b in corners)


@pytest.mark.parametrize("picture", [Picture.LINES, Picture.STAGES])
def test_each_cell_goes_from_the_map_to_its_place_and_back(driver, picture) -> None:
    image, at_first = driver.canvas.grab().toImage(), places(driver)
    go(driver, picture)
    way = driver.canvas._strokes
    assert way.is_under_way
    assert driver.texts() == [], "no digits stand in cells on their way"
    assert driver.canvas.grab().toImage() != image
    way._clock.setCurrentTime(LONG // 4)
    end = places(driver)
    assert end.shape == at_first.shape == (121, 9)
    share = float(way._clock.currentValue())
    moved = (way.now - way._start) / np.where(way._start == end, np.inf, end - way._start)
    assert np.allclose(moved[way._start != end], share)
    half_way = way.now
    go(driver, Picture.HEATMAP)
    assert way.is_under_way
    assert np.abs(way.now - half_way)[:, 4:].max() < 8.0, "it turns round where it is"
    way._clock.setCurrentTime(LONG)
    assert not way.is_under_way
    assert driver.canvas.grab().toImage() == image


def test_a_head_that_is_clicked_among_all_grows_from_its_place_into_the_map_and_back(driver) -> None:
    driver.choose(driver.controls.presets, "minilm")
    driver.page.settle()
    driver.canvas._strokes._clock.setCurrentTime(LONG)
    large = on_the_screen(driver.canvas, places(driver))
    go(driver, Picture.ALL)
    wall, way = driver.page.wall, driver.page.wall.above.tween
    assert way.is_under_way
    assert is_near(on_the_screen(wall, way._start), large)
    frame = wall.item.frame
    assert is_near(on_the_screen(wall, way._end), wall.above.cells_of(frame.layer, frame.head), 0.01)
    way._clock.setCurrentTime(LONG)
    small = wall.above.cells_of(2, 5)
    driver.click(wall.box_of(wall.index_of(2, 5)).center(), wall)
    driver.page.settle()
    for _ in range(3):
        QApplication.processEvents()
    way = driver.canvas._strokes
    assert driver.page.view.id is Picture.HEATMAP
    assert way.is_under_way
    assert is_near(on_the_screen(driver.canvas, way._start), small)
    assert np.array_equal(way._end, places(driver))


def test_where_nothing_is_to_move_all_is_there_at_once(driver) -> None:
    driver.page.set_moves(False)
    go(driver, Picture.LINES)
    assert not driver.canvas._strokes.is_under_way
    go(driver, Picture.ALL)
    go(driver, Picture.HEATMAP)
    go(driver, Picture.ALL)
    assert not driver.page.wall.above.tween.is_under_way


def test_a_map_of_many_tokens_is_there_at_once(driver) -> None:
    driver.choose(driver.controls.presets, heads_preset("random-words").id)
    driver.type_into(driver.controls.sentence, " ".join(["so"] * 30))
    driver.page.settle()
    go(driver, Picture.LINES)
    assert not driver.canvas._strokes.is_under_way
