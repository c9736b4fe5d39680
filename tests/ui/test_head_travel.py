"""Cells on their way: from view to view each goes to its place, and a small map grows into the large one and back."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import sequential
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.kit import tween
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.survey import surveys_of
from attention_explorer.pages.heads.ui.travel import strokes_of

LONG = 20_000


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


# ---- All heads while one types ----


@pytest.fixture
def quilt(driver):
    """Eight heads of random weights, which read whatever is typed."""
    driver.choose(driver.controls.presets, heads_preset("random-words").id)
    driver.type_into(driver.controls.sentence, "the cat sat on mats")
    go(driver, Picture.ALL)
    driver.page.wall.above.tween._clock.setCurrentTime(LONG)
    driver.page.subject.sentence.edit()
    return driver


def type_letter(driver, letter: str, at: int) -> None:
    driver.page.subject.sentence.field.setCursorPosition(at)
    QTest.keyClicks(driver.page.subject.sentence.field, letter)
    driver.page.settle()


def places_of_cells(wall) -> np.ndarray:
    """Where the weights of all heads stand on the colour bar, (heads, n, n)."""
    return np.stack([wall.item.positions(survey) for survey in wall.surveys])


def seen_in(wall, head: int, row: int, column: int, n: int) -> str:
    """The colour of a cell of a head, on the screen."""
    box = wall.above.cells_of(0, head)
    place = box.topLeft() + QPointF((column + 0.5) * box.width() / n, (row + 0.5) * box.height() / n)
    return wall.grab().toImage().pixelColor(wall.mapFromGlobal(place).toPoint()).name()


def test_while_one_types_every_small_map_goes_from_what_it_showed_to_what_the_words_give(quilt) -> None:
    wall, way = quilt.page.wall, quilt.page.wall.travel.tween
    before = places_of_cells(wall)
    type_letter(quilt, "s", len("the cat"))
    end = places_of_cells(wall)
    assert way.is_under_way
    assert np.array_equal(way._start.reshape(before.shape), before)
    assert np.array_equal(way._end.reshape(end.shape), end)
    way._clock.setCurrentTime(LONG // 4)
    now = way.now.reshape(end.shape)
    for head in range(8):
        row, column = np.unravel_index(np.abs(end[head] - before[head]).argmax(), (5, 5))
        assert seen_in(wall, head, row, column, 5) == sequential(now[head, row, column])
    assert np.abs(now - end).max() > 0.1
    way._clock.setCurrentTime(LONG)
    assert not way.is_under_way
    there = wall.grab().toImage()
    wall.picture_changed()
    assert wall.grab().toImage() == there


def test_cells_of_words_that_stay_go_with_them_and_a_new_word_is_there_at_once(quilt) -> None:
    wall, way = quilt.page.wall, quilt.page.wall.travel.tween
    before = places_of_cells(wall)
    type_letter(quilt, " ", len("the c"))
    start, end = way._start.reshape(-1, 6, 6), places_of_cells(wall)
    rest = [0, 1, 3, 4, 5]
    assert np.array_equal(start[:, rest][:, :, rest], before)
    assert np.array_equal(start[:, 2], end[:, 2])
    assert np.array_equal(start[:, :, 2], end[:, :, 2])


def test_the_next_letter_starts_from_where_the_picture_is(quilt) -> None:
    wall, way = quilt.page.wall, quilt.page.wall.travel.tween
    type_letter(quilt, "s", len("the cat"))
    way._clock.setCurrentTime(LONG // 4)
    half_way = way.now
    type_letter(quilt, "y", len("the cats"))
    assert way.is_under_way
    assert way._start == pytest.approx(half_way, abs=0.05)
    assert np.abs(way._start - half_way).max() < np.abs(way._start - places_of_cells(wall).ravel()).max() / 4


def test_heads_that_come_later_go_too_and_those_under_way_go_on(quilt) -> None:
    wall, way = quilt.page.wall, quilt.page.wall.travel.tween
    old, view, now = wall.item.frame, wall.item.view, quilt.heads.with_recipe(sentence="the cats sat on mats")
    frame = heads_frame(now.setup)
    surveys = surveys_of(frame)
    wall.show_surveys(frame, view, surveys[:3])
    assert old is not frame
    assert wall.old == {(0, head) for head in range(3, 8)}
    way._clock.setCurrentTime(LONG // 4)
    some = way.now.reshape(8, 5, 5)
    wall.show_surveys(frame, view, surveys)
    start = way._start.reshape(8, 5, 5)
    assert way.is_under_way
    assert start == pytest.approx(some, abs=0.05)
    assert np.array_equal(way._end.reshape(8, 5, 5), places_of_cells(wall))


@pytest.mark.parametrize("why", ["reduced motion", "a drag", "many words", "the strip"])
def test_all_small_maps_are_there_at_once(quilt, why) -> None:
    wall, before = quilt.page.wall, quilt.heads
    if why == "a drag":
        QTest.keyClick(quilt.controls.temperature.slider, Qt.Key.Key_Up)
    elif why == "many words":
        quilt.type_into(quilt.controls.sentence, " ".join(["so"] * 21))
    elif why == "the strip":
        go(quilt, Picture.HEATMAP)
        type_letter(quilt, "s", len("the cat"))
    else:
        quilt.window.set_reduced_motion(True)
        type_letter(quilt, "s", len("the cat"))
    quilt.page.settle()
    assert quilt.heads != before
    assert not wall.travel.tween.is_under_way
