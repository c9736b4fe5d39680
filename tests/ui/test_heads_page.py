"""The Heads page as a whole: its pictures agree with each other, in every size and colour."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import numbers_in, sequential
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QApplication

from attention_explorer.core.map_picture import Contrast
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import DARK, LIGHT
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.parts import Check
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsState,
    HeadsView,
    Hidden,
    MaskChoice,
    MaskKind,
    Picture,
)
from attention_explorer.pages.registry import find_preset


def show(driver, heads: HeadsState) -> None:
    session = driver.window.session
    session.restart(replace(session.state, heads=heads))


def map_places(canvas, row: int, column: int) -> list[QPointF]:
    """Where a cell is in each of the maps of the stages or of a comparison."""
    return [small.layout.rectangle(row, column).center() for small in canvas.picture_layout.maps]


# ---- The line below every picture ----


@pytest.mark.parametrize("width", [900, 1024])
def test_the_line_of_controls_fits_in_every_view(open_heads, qtbot, width):
    driver = open_heads(size=(width, 768))
    shown = [(Picture.CHECK, check) for check in Check] + [(picture, Check.SHUFFLE) for picture in Picture]
    for mask, (picture, check) in itertools.product((MaskKind.NONE, MaskKind.WINDOW), shown):
        heads = driver.heads.with_view(picture=picture)
        setup = replace(heads.setup, mask=replace(heads.setup.mask, kind=mask))
        show(driver, replace(heads, setup=setup, experiment=replace(heads.experiment, check=check)))
        driver.page.settle()
        assert driver.page.main.isVisible()
        qtbot.waitUntil(lambda: driver.page.main.width() < driver.page.width())  # a layout comes in a moment


# ---- Try ----


def test_the_token_that_an_example_opens_with_is_not_one_that_was_clicked(open_heads):
    driver = open_heads(find_preset("random-words", "heads").state.heads)
    box = next(box for box in driver.page.panel.tries.boxes if box.text().startswith("Click a token"))
    assert driver.heads.view.row == 7
    assert not box.isChecked()
    driver.click_cell(2, 3)
    assert box.isChecked()


def test_more_of_all_heads_waits_for_words_and_not_for_a_threshold_that_is_not_there(open_heads):
    driver = open_heads(HeadsState().with_view(picture=Picture.ALL))
    driver.press(driver.page.more)
    assert driver.page.is_open
    assert QApplication.focusWidget() is driver.page.drawer.search


# ---- Pointing, in every picture ----


@pytest.mark.parametrize("picture", [Picture.ROW, Picture.STAGES, Picture.CHECK])
def test_what_is_pointed_at_in_another_kind_of_picture_lights_no_cell(driver, picture):
    driver.click_cell(2, 3)
    driver.press(driver.controls.pictures.buttons[picture])
    canvas = driver.canvas
    driver.hand(canvas).move(QPointF(0.3 * canvas.width(), 0.3 * canvas.height()))
    assert not isinstance(canvas.hovered, Spot)
    assert canvas.lit == Spot(2, 3), "what is pinned"
    driver.key(Qt.Key.Key_H)  # the sentence shows the weights of now
    assert driver.heads.setup.hard
    assert driver.page.subject.sentence.line.tokens.asks == 2


def test_the_same_cell_is_pointed_at_in_every_map(driver):
    driver.keep()
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    canvas = driver.canvas
    places = map_places(canvas, 3, 5)
    assert len(places) == 3
    for place in places:
        driver.hand(canvas).move(place)
        assert canvas.hovered == Spot(3, 5)
        expected = [driver.weights[3, 5]] * 2 + [0.0]
        assert driver.said.startswith("query “on” (4) → key “mat” (6): ")
        assert numbers_in(driver.said.split("weight", 1)[1]) == pytest.approx(expected, rel=5e-6)
        assert driver.page.wall.lit == Spot(3, 5)
        assert driver.page.panel.title.text() == "A: “on” (4) attends to"
    before = canvas.grab().toImage()
    driver.hand(canvas).move(map_places(canvas, 8, 1)[0])
    assert canvas.grab().toImage() != before
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert canvas.hovered == NOWHERE
    assert driver.said == ""


def test_a_line_is_pointed_at_as_its_cell(driver):
    driver.press(driver.controls.pictures.buttons[Picture.LINES])
    canvas = driver.canvas
    layout, weights = canvas.picture_layout, driver.weights
    row = 0
    column = int(weights[row].argmax())
    # At its very beginning a line is among all lines of its query; at its end, among all of its key.
    ends = QPointF(layout.field.right() - 2, layout.column_y(column))
    driver.hand(canvas).move(ends)
    assert canvas.hovered.column == column
    place = QPointF(layout.field.left() - 10, layout.row_y(7))
    driver.hand(canvas).move(place)
    assert canvas.hovered == Spot(7, None)
    assert driver.said == "query “it” (8): kept, click again to let go"
    driver.hand(canvas).move(QPointF(layout.field.right() + 10, layout.column_y(2)))
    assert canvas.hovered == Spot(None, 2)
    driver.hand(canvas).move(QPointF(2, 2))
    assert canvas.hovered == NOWHERE


def test_lines_are_those_that_the_share_asks_for(driver):
    driver.press(driver.controls.pictures.buttons[Picture.LINES])
    links = driver.canvas.numbers.picture.links
    for row in range(11):
        mine = links.row == row
        assert links.weight[mine].sum() >= 0.9 - 1e-9
        assert links.weight[mine].sum() - links.weight[mine].min() < 0.9
        assert links.weight[mine] == pytest.approx(driver.weights[row, links.column[mine]])


@pytest.mark.parametrize("picture", [Picture.LINES, Picture.COMPARE, Picture.MARKED])
def test_a_click_pins_a_click_lets_go_and_keys_walk_in_every_picture(driver, picture):
    driver.key(Qt.Key.Key_M)
    driver.press(driver.controls.pictures.buttons[picture])
    canvas = driver.canvas
    if picture is Picture.LINES:
        layout = canvas.picture_layout
        place, expected = QPointF(layout.field.left() - 10, layout.row_y(4)), (4, None)
    else:
        place, expected = map_places(canvas, 4, 2)[-1], (4, 2)
    driver.click(place, canvas)
    assert driver.pin == expected
    canvas.setFocus()
    driver.key(Qt.Key.Key_Down, widget=canvas)
    assert driver.pin == (5, expected[1])
    driver.key(Qt.Key.Key_Up, widget=canvas)
    driver.click(place, canvas)
    assert driver.pin == (None, None), "click again lets go"
    driver.click(place, canvas)
    driver.key(Qt.Key.Key_Escape, widget=canvas)
    assert driver.pin == (None, None)


def test_lines_without_hidden_keys_say_so(driver):
    bar, page = driver.controls, driver.page
    driver.choose(bar.masks, MaskKind.CAUSAL)
    driver.choose(bar.hidden, Hidden.FIRST)
    driver.press(bar.pictures.buttons[Picture.LINES])
    texts = driver.texts()
    assert texts.count("all it attends to is hidden") == 1
    assert "nothing to attend to" not in texts
    assert "of what is left of its weight" in " ".join(texts)
    for said in (page.also.text(), page.figure().caption):
        assert "not the raw weights: first token hidden, rows renormalised" in said
    assert "first token hidden, rows renormalised: " in page.figure().description


# ---- Compare ----


@pytest.mark.parametrize("change", [{"mask": MaskChoice(MaskKind.CAUSAL)}, {"hard": True}])
def test_that_b_is_kept_is_said_until_the_next_change(driver, change):
    driver.keep()
    assert driver.said.startswith("Kept as B")
    driver.hover(2, 3)
    driver.keep()
    show(driver, driver.heads.with_setup(**change))
    assert "Kept as B" not in driver.said
    driver.keep()
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert "Kept as B" not in driver.said


def test_what_cannot_be_computed_is_not_kept_as_b(driver):
    show(driver, HeadsState().with_recipe(d_model=10, heads=4))
    reason = driver.page.requests.reason
    driver.keep()
    assert driver.heads.other is None
    assert driver.told == f"Not kept as B: {reason}"


def test_a_b_that_cannot_be_computed_is_named_and_can_be_replaced(driver):
    refused = HeadsState().with_recipe(d_model=10, heads=4).setup
    show(driver, replace(HeadsState(), other=refused))
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert driver.page.requests.reason.startswith("B, the setup kept for comparison: ")
    assert "10" in driver.page.note.words.text()
    driver.keep()
    assert driver.heads.other == driver.heads.setup
    assert any("A and B are the same setup" in text for text in driver.texts())


def test_keep_as_b_then_change_shows_the_difference(driver):
    driver.key(Qt.Key.Key_B)
    kept = driver.heads.setup
    assert driver.heads.other == kept
    assert driver.undo_text == "Keep as B"
    assert "Kept as B" in driver.said
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert any("A and B are the same setup" in text for text in driver.texts())
    driver.key(Qt.Key.Key_N, widget=driver.canvas)
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    a, b = driver.weights, heads_frame(kept).map.weights()
    comparison = driver.canvas.numbers.picture
    assert np.allclose(comparison.difference.values, a - b)
    assert comparison.titles == ("A: head 2, causal", "B: head 1")
    largest, mean, cells = numbers_in(comparison.words)
    assert largest == pytest.approx(np.abs(a - b).max(), rel=1e-3)
    assert mean == pytest.approx(np.abs(a - b).mean(), rel=1e-3)
    assert cells == 121, "what is masked in one only counts"
    assert comparison.words.split()[0] in " ".join(driver.texts())
    end = np.abs(a - b).max()
    image = driver.canvas.grab().toImage()
    box = driver.canvas.picture_layout.maps[2].layout.rectangle(6, 2)
    drawn = image.pixelColor((box.topLeft() + QPointF(0.2 * box.width(), 0.2 * box.height())).toPoint()).name()
    assert drawn == sequential(((a - b)[6, 2] + end) / (2 * end), "brown-teal")
    driver.undo()
    driver.back()
    assert np.allclose(driver.canvas.numbers.picture.difference.values, 0.0)


def test_pointing_beyond_the_smaller_map_does_no_harm(driver):
    driver.keep()
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    driver.paste_into(driver.controls.sentence, "Now four words here")
    canvas = driver.canvas
    last = map_places(canvas, 14, 14)[1]
    driver.hand(canvas).move(last)
    canvas.grab()
    driver.page.wall.grab()
    driver.click(last, canvas)
    assert driver.pin == (14, 14), "the last of eleven tokens of B behind the four of A"
    driver.key(Qt.Key.Key_Left, widget=canvas)
    assert driver.pin == (14, 13)
    driver.press(driver.controls.pictures.buttons[Picture.HEATMAP])
    assert (driver.page.pinned.row, driver.page.pinned.column) == (3, 3), "the last cell of the map of four words"


def test_comparing_with_nothing_kept_keeps_this_setup_as_b(driver):
    before = driver.heads.setup
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert driver.heads.other == before
    assert np.array_equal(driver.canvas.numbers.picture.difference.values, np.zeros((11, 11)))
    driver.key(Qt.Key.Key_N, widget=driver.canvas)
    a, b = driver.weights, heads_frame(before).map.weights()
    assert np.allclose(driver.canvas.numbers.picture.difference.values, a - b)
    assert "B is still the same" not in driver.page.also.text()
    driver.undo()
    driver.undo()
    assert driver.heads.other is None
    assert driver.heads.view.picture is Picture.HEATMAP


def test_comparing_keeps_the_b_there_is(driver):
    driver.key(Qt.Key.Key_B)
    kept = driver.heads.setup
    driver.key(Qt.Key.Key_N)
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert driver.heads.other == kept != driver.heads.setup


def test_a_comparison_without_a_b_does_not_speak_of_one_that_was_kept(open_heads):
    driver = open_heads(HeadsState(view=HeadsView(picture=Picture.COMPARE)))
    assert np.array_equal(driver.canvas.numbers.picture.difference.values, np.zeros((11, 11)))
    assert "B is still the same as A" in driver.page.also.text()
    driver.keep()
    assert "B is still the same as A" in driver.page.also.text(), "it was kept, but nothing has changed since"


def test_two_equal_maps_offer_what_to_compare_with(open_heads):
    driver = open_heads(HeadsState().with_setup(head=7))
    offers = driver.page.offers
    assert not offers.isVisible()
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    equal = driver.heads
    for text, expected in (
        ("causal mask", replace(equal.setup, mask=MaskChoice(MaskKind.CAUSAL))),
        ("head 1", replace(equal.setup, head=0)),
    ):
        assert list(offers.buttons) == ["causal mask", "head 1"]
        driver.press(offers.buttons[text])
        assert (driver.heads.other, driver.heads.setup) == (expected, equal.setup)
        a, b = (heads_frame(setup).map.weights() for setup in (equal.setup, expected))
        np.testing.assert_allclose(driver.canvas.numbers.picture.difference.values, a - b)
        assert not offers.isVisible()
        is_view = text == "head 1"  # which head of B is looked at
        assert (driver.back_text if is_view else driver.undo_text) == f"Compare with {text}"
        (driver.back if is_view else driver.undo)()
        assert driver.heads == equal
    show(driver, replace(equal, setup=replace(expected, hard=True, mask=MaskChoice(MaskKind.CAUSAL)), other=None))
    assert list(offers.buttons) == ["no mask", "head 2"]
    show(driver, equal.with_setup(aggregate=Aggregate.MEAN))
    assert not offers.isVisible(), "B is one head"
    driver.keep()
    assert list(offers.buttons)[1] == "head 8 alone"


def test_colours_that_are_nearly_all_dark_are_offered_others(open_heads):
    driver = open_heads(HeadsState().with_recipe(sentence="so " * 120).with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    offers = driver.page.offers
    for text, contrast in (("log", Contrast.LOG), ("to 98 %", Contrast.PERCENTILE)):
        assert list(offers.buttons) == ["log", "to 98 %"]
        driver.press(offers.buttons[text])
        assert driver.heads.view.contrast is contrast
        assert not offers.isVisible()
        driver.back()
    assert driver.heads.view.contrast is Contrast.MAX
    for few in (HeadsState(), driver.heads.with_setup(hard=True), driver.heads.with_view(stage=Stage.SCORES)):
        show(driver, few)
        assert not offers.isVisible()


def test_a_kept_setup_survives_an_undo_of_what_came_after(driver):
    driver.key(Qt.Key.Key_B)
    driver.key(Qt.Key.Key_H)
    driver.undo()
    assert driver.heads.other == driver.heads.setup
    driver.undo()
    assert driver.heads.other is None


# ---- The drawer ----


def test_changing_the_setup_changes_picture_and_wall(driver):
    before = driver.weights
    driver.page.open_drawer(True)
    show(driver, driver.heads.with_recipe(seed=7))
    assert not np.allclose(driver.weights, before)
    assert driver.colour(5, 5) == sequential(driver.weights[5, 5] / driver.weights.max())
    assert driver.page.row_beside().steps.reading.weights == pytest.approx(driver.weights[7])


def test_the_note_is_as_high_as_its_text(driver):
    driver.page.open_drawer(True)
    for ready in HEADS_PRESETS:
        show(driver, ready.state)
        settle()
        block = driver.page.drawer.says
        assert block.height() >= block.heightForWidth(block.width()), ready.id


# ---- The window around it ----


def test_h_switches_between_hard_and_soft(driver):
    driver.key(Qt.Key.Key_H)
    assert driver.heads.setup.hard
    assert driver.undo_text == "Hard lookup"
    assert np.array_equal(np.sort(driver.weights, axis=1)[:, -1], np.ones(11))
    top = int(driver.weights[7].argmax())
    assert driver.colour(7, top) == sequential(1.0)
    assert driver.colour(7, (top + 1) % 11) == sequential(0.0)
    driver.key(Qt.Key.Key_H)
    assert driver.heads == HeadsState()


def settle() -> None:
    """Let layouts that depend on each other find their sizes."""
    for _ in range(5):
        QApplication.processEvents()


def test_switching_colours_repaints_map_wall_and_lists(driver):
    settle()
    painted = (driver.canvas, driver.page.wall, driver.page.panel.items, driver.page.subject.sentence.line)
    pictures = {widget: widget.grab().toImage() for widget in painted}
    driver.window.switch_theme()
    try:
        for widget, before in pictures.items():
            assert widget.grab().toImage() != before
        image = driver.canvas.grab().toImage()
        assert image.pixelColor(2, 2).name() == DARK.card
        weight = driver.weights[3, 3] / driver.weights.max()
        assert driver.colour(3, 3) == sequential(weight), "cells keep their colours"
        driver.choose(driver.controls.masks, MaskKind.CAUSAL)
        assert driver.colour(0, 9) == DARK.masked
        driver.undo()
    finally:
        driver.window.switch_theme()
    driver.canvas.setFocus()
    settle()
    for widget, before in pictures.items():
        assert widget.grab().toImage() == before


def test_resizing_computes_the_picture_for_the_new_pixels(driver):
    driver.window.resize(1000, 700)
    QApplication.processEvents()
    assert driver.colour(9, 9) == sequential(driver.weights[9, 9] / driver.weights.max())
    driver.window.resize(1280, 800)
    QApplication.processEvents()


def test_every_combination_of_stage_contrast_and_hidden_keys_is_drawn(driver):
    for stage, contrast, hidden, aggregate in itertools.product(
        (Stage.SCORES, Stage.WEIGHTS), Contrast, (Hidden.NOTHING, Hidden.PUNCTUATION), (Aggregate.ONE, Aggregate.MAX)
    ):
        heads = HeadsState().with_view(stage=stage, contrast=contrast, hidden=hidden, row=None)
        show(driver, heads.with_setup(aggregate=aggregate, mask=MaskChoice(MaskKind.STRICT)))
        weights_shown = stage is Stage.WEIGHTS or aggregate is not Aggregate.ONE
        hides = hidden is not Hidden.NOTHING and weights_shown
        assert (driver.colour(10, 10) == LIGHT.masked) == weights_shown, "the last key is a full stop, and hidden"
        assert ("rows renormalised" in driver.page.also.text()) == hides
        assert ("several heads in one" in driver.page.also.text()) == (
            stage is Stage.SCORES and aggregate is Aggregate.MAX
        )
