"""What is pinned follows its word while the sentence is edited."""

from __future__ import annotations

import pytest

from attention_explorer.pages.heads.edited_sentence import place_after_edit
from attention_explorer.pages.heads.state import HeadsState


@pytest.mark.parametrize(
    ("old", "place", "new", "expected"),
    [
        ("the cat sat", 1, "the cat sat", 1),
        ("the cat sat", 0, "the cat ran", 0),
        ("the cat sat", 2, "the big cat sat", 3),
        ("the cat sat", 2, "cat sat", 1),
        ("the cat sat", 1, "the bcat sat", 1),
        ("the bigcat sat", 1, "the big cat sat", 2),
        ("the bigcat sat", 1, "the bigcat is sat", 1),
        ("the big cat sat", 2, "the bigcat sat", 1),
        ("the cat sat", 1, "the sat", 1),
        ("a b c d e f", 4, "a f", 1),
        ("the cat sat", 2, "the cat", 2),
        ("the cat", 7, "the big cat", 7),
        ("the cat sat on it", 4, "now it is a dog", 1),
        ("it sat on it", 3, "so it was it then", 3),
        ("the cat sat on it", 4, "now", 4),
        ("the cat", 1, "the cat the cat", 1),
        ("cat", 0, "", 0),
    ],
)
def test_a_place_after_an_edit(old: str, place: int, new: str, expected: int) -> None:
    assert place_after_edit(place, tuple(old.split()), tuple(new.split())) == expected


def test_row_and_column_follow_the_sentence_that_they_belong_to() -> None:
    crossed = HeadsState().with_recipe(context="one two three").with_view(row=7, column=2)
    word = crossed.setup.recipe.tokens[7]
    state = crossed.with_recipe(sentence="Well , " + crossed.setup.recipe.sentence)
    assert (state.view.row, state.view.column) == (9, 2)
    assert state.setup.recipe.tokens[9] == word
    assert state.with_recipe(context="zero one two three").view.column == 3
    assert HeadsState().with_view(row=None).with_recipe(sentence="so").view.row is None
