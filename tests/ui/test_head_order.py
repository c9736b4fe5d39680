"""The order of the heads on the wall, by any summary and in both directions, and what is said of it."""

from __future__ import annotations

import pytest
from heads_driver import widget_texts
from PySide6.QtCore import Qt

from attention_explorer.state.heads.state import HeadsState, MaskChoice, MaskKind, SortBy
from attention_explorer.state.session_file import session_bytes, session_from

# The off-screen platform says this whenever a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

NUMBERS = [(layer, head) for layer in range(2) for head in range(4)]


def order(driver) -> list[tuple[int, int]]:
    return [survey.place for survey in driver.page.wall.surveys]


@pytest.fixture
def words_once(open_heads):
    """Two layers of four random heads on words of which none comes twice."""
    driver = open_heads(HeadsState().with_recipe(sentence="every word comes only once", layers=2, heads=4))
    driver.page.settle()
    return driver


def test_an_order_that_no_head_has_a_number_for_is_that_of_the_numbers_and_says_why(words_once):
    driver, side = words_once, words_once.page._wall_side
    driver.choose(driver.page.sort, SortBy.ENTROPY)
    assert order(driver) != NUMBERS
    assert not side.note.isVisible()
    driver.choose(driver.page.sort, SortBy.INDUCTION)
    assert order(driver) == NUMBERS
    assert side.note.isVisible()
    assert side.note.text() == "In order of number: no query sees what came after the same token earlier."
    driver.press(side.in_grid)
    assert widget_texts(driver.page.wall) == ["1", "2", "3", "4", "1", "2"], "lines are layers, and numbered"
    driver.choose(driver.page.sort, SortBy.FIRST)
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
    driver.choose(driver.page.sort, sort)
    assert driver.page._wall_side.note.text() == f"In order of number: {reason}."


def test_a_mask_that_brings_the_pattern_takes_the_note_away(open_heads):
    heads = HeadsState().with_recipe(sentence="every word comes only once").with_view(sort=SortBy.NEXT)
    driver = open_heads(heads.with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    driver.page.settle()
    assert driver.page._wall_side.note.isVisible()
    driver.choose(driver.page.bar.masks, MaskKind.NONE)
    assert not driver.page._wall_side.note.isVisible()


def test_a_key_and_a_button_turn_the_order_round_and_sessions_keep_it(words_once):
    driver, side = words_once, words_once.page._wall_side
    driver.choose(driver.page.sort, SortBy.SCORE_STD)
    before = order(driver)
    driver.key(Qt.Key.Key_O, widget=driver.page.wall)
    assert order(driver) == before[::-1]
    driver.press(side.reverse)
    assert order(driver) == before
    driver.undo()
    assert order(driver) == before[::-1]
    state = driver.window.session.state
    assert session_from(session_bytes(state), "order").state.heads.view == state.heads.view
