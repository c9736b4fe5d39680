"""The order of the heads on the wall, by any summary and in both directions, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import sentence, widget_texts
from PySide6.QtCore import Qt

from attention_explorer.pages.heads.state import HeadsState, MaskChoice, MaskKind, Picture, SortBy
from attention_explorer.pages.heads.ui.figure import HeadsFigure

NUMBERS = [(layer, head) for layer in range(2) for head in range(4)]

NOT_MORE = ": how much moved, not how much it matters."


def order(driver) -> list[tuple[int, int]]:
    return [survey.place for survey in driver.page.wall.surveys]


@pytest.fixture
def words_once(open_heads):
    """Two layers of four random heads on words of which none comes twice."""
    driver = open_heads(HeadsState().with_recipe(sentence="every word comes only once", layers=2, heads=4))
    driver.page.settle()
    return driver


def test_an_order_that_no_head_has_a_number_for_is_that_of_the_numbers_and_says_why(words_once):
    driver, side = words_once, words_once.page.wall_side
    driver.choose(driver.controls.sort, SortBy.ENTROPY)
    assert order(driver) != NUMBERS
    assert not side.note.isVisible()
    driver.choose(driver.controls.sort, SortBy.INDUCTION)
    assert order(driver) == NUMBERS
    assert side.note.isVisible()
    assert side.note.text() == "In order of number: no query sees what came after the same token earlier."
    driver.show(Picture.ALL)
    driver.press(driver.controls.in_grid)
    sideways = driver.page.wall.grid.is_sideways
    numbers = ["1", "2", "1", "2", "3", "4"] if sideways else ["1", "2", "3", "4", "1", "2"]
    assert widget_texts(driver.page.wall) == numbers, "layers are numbered, and heads"
    driver.choose(driver.controls.sort, SortBy.FIRST)
    assert not side.note.isVisible()


@pytest.mark.parametrize(
    ("mask", "context", "sort", "reason"),
    [
        (MaskKind.CAUSAL, None, SortBy.NEXT, "no query sees the token after it"),
        (MaskKind.NONE, None, SortBy.SAME, "no query sees its own token elsewhere"),
        (MaskKind.NONE, None, SortBy.SPECIAL, "no query sees punctuation or a special token"),
        (MaskKind.NONE, "one two", SortBy.BACK, "queries have no position among the keys of a second sentence"),
    ],
)
def test_the_reason_is_that_of_the_pattern(open_heads, mask, context, sort, reason):
    heads = HeadsState().with_recipe(sentence="every word comes only once", context=context)
    driver = open_heads(heads.with_setup(mask=MaskChoice(mask)))
    driver.page.settle()
    driver.choose(driver.controls.sort, sort)
    assert driver.page.wall_side.note.text() == f"In order of number: {reason}."


def test_a_mask_that_brings_the_pattern_takes_the_note_away(open_heads):
    heads = HeadsState().with_recipe(sentence="every word comes only once").with_view(sort=SortBy.NEXT)
    driver = open_heads(heads.with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    driver.page.settle()
    assert driver.page.wall_side.note.isVisible()
    driver.choose(driver.controls.masks, MaskKind.NONE)
    assert not driver.page.wall_side.note.isVisible()


def test_a_key_and_a_button_turn_the_order_round(words_once):
    driver = words_once
    driver.choose(driver.controls.sort, SortBy.SCORE_STD)
    before = order(driver)
    driver.key(Qt.Key.Key_T, widget=driver.page.wall)
    assert order(driver) == before[::-1]
    driver.press(driver.controls.reverse)
    assert order(driver) == before
    driver.back()
    assert order(driver) == before[::-1]


# ---- By difference from B ----


def can_choose(driver, sort: SortBy) -> bool:
    box = driver.controls.sort
    return bool(box.model().flags(box.model().index(list(SortBy).index(sort), 0)) & Qt.ItemFlag.ItemIsEnabled)


def test_once_something_is_kept_the_heads_are_sorted_by_how_much_each_differs_from_it(words_once):
    driver, side = words_once, words_once.page.wall_side
    assert not can_choose(driver, SortBy.DIFFERENCE)
    kept = [driver.frame.layers[layer].maps[head].weights() for layer, head in NUMBERS]
    driver.keep()
    assert can_choose(driver, SortBy.DIFFERENCE)
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.choose(driver.controls.sort, SortBy.DIFFERENCE)
    now = [driver.frame.layers[layer].maps[head].weights() for layer, head in NUMBERS]
    by_head = {place: 0.5 * np.abs(a - b).sum(1).mean() for place, a, b in zip(NUMBERS, now, kept, strict=True)}
    assert order(driver) == sorted(NUMBERS, key=lambda place: -by_head[place])
    assert side.note.text() == f"Difference of each head from its own in B (no mask){NOT_MORE}"
    driver.hand(driver.page.wall).move(driver.page.wall.box_of(0).center())
    assert f"{max(by_head.values()):.2f} of each query’s weight lies elsewhere than in B" in driver.said
    driver.choose(driver.controls.masks, MaskKind.NONE)
    driver.page.wall.choose(1, 2)
    assert side.note.text() == f"Difference of each head from layer 1, head 1 (B){NOT_MORE}"
    assert order(driver)[-1] == (0, 0)
    driver.undo()
    driver.back()
    assert side.note.text() == f"Difference of each head from its own in B (no mask){NOT_MORE}"


def test_a_threshold_takes_it_too_and_files_say_what_was_compared(words_once):
    driver, side = words_once, words_once.page.wall_side
    driver.keep()
    driver.choose(driver.controls.sort, SortBy.DIFFERENCE)
    driver.show(Picture.ALL)
    driver.press(side.only)
    assert driver.heads.view.threshold.by is SortBy.DIFFERENCE
    driver.type_into(side.filter.controls["value"], "0.1")
    kept = driver.frame.layers[0].maps[0].weights()
    far = [
        f"layer {layer + 1}, head {head + 1}"
        for layer, head in NUMBERS
        if 0.5 * np.abs(driver.frame.layers[layer].maps[head].weights() - kept).sum(1).mean() >= 0.1
    ]
    assert 0 < len(far) < 8
    assert side.note.text().startswith(f"{len(far)} of 8 heads with difference from B ≥ 0.1\n")
    figure = HeadsFigure(driver.heads, is_wall=True)
    assert "difference of each head from layer 1, head 1 (B)" in figure.caption
    numbers = figure.numbers()
    assert numbers.parameters["heads_that_meet_it"] == far
    assert np.count_nonzero(numbers.arrays["differences"] >= 0.1) == len(far)


def test_a_session_sorted_by_difference_without_b_says_why_not(open_heads):
    driver = open_heads(HeadsState().with_view(sort=SortBy.DIFFERENCE))
    driver.page.settle()
    expected = "In order of number: nothing is kept as B with which these heads could be compared."
    assert driver.page.wall_side.note.text() == expected


def test_long_texts_are_compared_on_the_worker(open_heads, wait):
    recipe = {"sentence": sentence(400), "heads": 4}
    driver = open_heads(HeadsState().with_recipe(**recipe))
    wait(driver)
    driver.keep()
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.choose(driver.controls.sort, SortBy.DIFFERENCE)
    assert not driver.page.wall_side.note.text().startswith("In order of number"), "it is not known yet"
    wait(driver)
    heads = driver.page.wall.surveys
    assert len(heads) == 4
    assert [head.difference for head in heads] == sorted((head.difference for head in heads), reverse=True)
    assert all(0.0 < head.difference < 1.0 for head in heads)
