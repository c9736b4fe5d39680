"""Heads marked on the wall, and laid side by side: one picture of all of them, in the same colours."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import colour_distance, sequential
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from attention_explorer.core.map_picture import Contrast
from attention_explorer.pages.heads.export import marked_numbers
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.large_picture import large_picture
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.shown_map import MOST_MARKED
from attention_explorer.pages.heads.state import HeadsView, Hidden, Picture
from attention_explorer.pages.heads.ui.figure import HeadsFigure

PLACES = ((0, 0), (3, 1), (5, 10))
MINILM = heads_preset("minilm").state


@pytest.fixture
def driver(open_heads):
    """The heads of a recorded model, all in the grid."""
    driver = open_heads(MINILM)
    driver.page.settle()
    return driver


def weights(place: tuple[int, int]) -> np.ndarray:
    layer, head = place
    return heads_frame(MINILM.setup).layers[layer].maps[head].weights()


def mark(driver, place: tuple[int, int]) -> None:
    wall = driver.page.wall
    driver.click(wall.place_of(*place).center(), wall, Qt.KeyboardModifier.ShiftModifier)
    driver.page.settle()


def side_by_side(driver) -> None:
    for place in PLACES:
        mark(driver, place)
    driver.press(driver.controls.pictures.buttons[Picture.MARKED])
    driver.page.settle()


def spot_of(driver, number: int, row: int, column: int) -> QPointF:
    box = driver.canvas.picture_layout.maps[number].layout.rectangle(row, column)
    return box.topLeft() + QPointF(0.2 * box.width(), 0.4 * box.height())  # clear of the frame of a pinned row


def test_marked_heads_have_a_dot_and_are_drawn_in_the_same_colours(driver):
    before = driver.page.wall.grab().toImage()
    side_by_side(driver)
    after = driver.page.wall.grab().toImage()
    for place in driver.frame.places:
        box = driver.page.wall.place_of(*place).toAlignedRect().adjusted(3, 3, -2, -3)
        assert (before.copy(box) != after.copy(box)) == (place in PLACES), place
    assert driver.heads.view.marked == frozenset(PLACES)
    assert driver.page.title.text() == "3 heads side by side"
    assert {"layer 1, head 1", "layer 4, head 2", "layer 6, head 11"} <= set(driver.texts())
    end = max(weights(place).max() for place in PLACES)
    image = driver.canvas.grab().toImage()
    for number, place in enumerate(PLACES):
        for row, column in ((0, 0), (4, 2), (9, 11)):
            drawn = image.pixelColor(spot_of(driver, number, row, column).toPoint()).name()
            assert colour_distance(drawn, sequential(weights(place)[row, column] / end)) <= 3, (place, row, column)


def test_each_map_says_whose_cell_it_is_and_a_click_reads_on_in_that_head(driver):
    side_by_side(driver)
    canvas = driver.canvas
    driver.hand(canvas).move(spot_of(driver, 2, 4, 7))
    assert driver.said.startswith("layer 6, head 11: query ")
    assert f"{weights((5, 10))[4, 7]:.4f}" in driver.said
    assert driver.page.panel.title.text().startswith("layer 6, head 11: ")
    assert driver.page.row_beside().steps.reading.weights == pytest.approx(weights((5, 10))[4])
    driver.click(spot_of(driver, 2, 4, 7), canvas)
    driver.page.settle()
    assert (driver.heads.setup.layer, driver.heads.setup.head, driver.pin) == (5, 10, (4, 7))
    driver.click(spot_of(driver, 0, 4, 7), canvas)
    driver.page.settle()
    assert (driver.heads.setup.layer, driver.heads.setup.head, driver.pin) == (0, 0, (4, 7))
    driver.click(spot_of(driver, 0, 4, 7), canvas)
    assert driver.pin == (None, None), "a second click on the same head lets go"


def test_the_keyboard_marks_too_and_everything_is_undone(driver):
    wall = driver.page.wall
    wall.setFocus()
    QTest.keyClicks(wall, "L3H4")
    driver.key(Qt.Key.Key_M, widget=wall)
    assert driver.said.startswith("1 head marked")
    driver.key(Qt.Key.Key_Right, widget=wall)
    driver.key(Qt.Key.Key_M, widget=wall)
    assert driver.heads.view.marked == {(2, 3), (2, 4)}
    assert driver.back_text == "Mark layer 3, head 5"
    driver.key(Qt.Key.Key_M, widget=wall)
    assert driver.heads.view.marked == {(2, 3)}
    driver.back()
    assert driver.heads.view.marked == {(2, 3), (2, 4)}
    wall.unmark_all()
    assert not driver.heads.view.marked


def test_beside_another_head_the_panel_says_whose_row_it_reads(driver):
    mark(driver, PLACES[0])
    driver.show(Picture.MARKED)
    driver.page.settle()
    assert driver.page.title.text() == "layer 1, head 1"
    assert driver.page.panel.title.text() == "layer 4, head 2: “it” asks, “cat” answers with 0.49."


def test_a_screen_reader_hears_each_of_them(driver):
    side_by_side(driver)
    said = driver.canvas.spoken()
    assert said.startswith("Heads page. Maps, 3 heads side by side")
    for name in ("Layer 1, head 1: ", "Layer 4, head 2: ", "Layer 6, head 11: "):
        assert name in said


def test_files_hold_every_marked_head_and_say_what_was_hidden(tmp_path):
    heads = MINILM.with_view(picture=Picture.MARKED, marked=frozenset(PLACES))
    figure = HeadsFigure(heads)
    assert figure.title == "3 heads side by side"
    assert figure.file_stem == "3-heads-side-by-side"
    numbers = figure.numbers()
    np.testing.assert_array_equal(np.asarray(numbers.arrays["weights"]), np.stack([weights(place) for place in PLACES]))
    assert numbers.arrays["heads"].tolist() == ["layer 1, head 1", "layer 4, head 2", "layer 6, head 11"]
    hiding = marked_numbers(heads_frame(heads.setup), HeadsView(marked=frozenset(PLACES), hidden=Hidden.FIRST))
    shown = np.asarray(hiding.arrays["weights"])
    assert not shown[:, :, 0].any()
    assert "hidden_keys" in hiding.parameters


@pytest.mark.parametrize("contrast", list(Contrast))
def test_one_scale_holds_for_all_and_no_more_than_can_be_seen_are_drawn(contrast):
    many = frozenset((layer, head) for layer in range(6) for head in range(3))
    heads = MINILM.with_view(picture=Picture.MARKED, marked=many, contrast=contrast)
    picture = large_picture(heads, heads_frame(heads.setup), (500, 500))
    assert len({each.scale for each in picture.pictures}) == 1
    assert len(picture.pictures) == MOST_MARKED
    assert picture.title == f"{MOST_MARKED} heads side by side, of 18 marked"
    assert picture.titles[:4] == tuple(f"layer {1 + n // 3}, head {1 + n % 3}" for n in range(4))


def test_a_mark_that_the_text_shown_does_not_have_is_kept_and_not_drawn():
    heads = MINILM.with_view(picture=Picture.MARKED, marked=frozenset({(0, 1), (40, 2)}))
    picture = large_picture(heads, heads_frame(heads.setup), (500, 500))
    assert picture.title == "layer 1, head 2"
