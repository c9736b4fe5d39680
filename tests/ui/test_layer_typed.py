"""X and matrices of the Layer page, typed by real keys, and drawn again by a click."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import NormPlacement
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.box import BOX

SMALL = BlockState(
    sentence="a b c", d_model=2, heads=1, d_ff=4, norm=NormPlacement.NONE, residual=False, feed_forward=False,
    encoding=False, layers=2,
)  # fmt: skip
X, W_V = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]), np.array([[0.0, 2.0], [3.0, 0.5]])


def test_x_and_a_matrix_are_typed_and_the_layer_computes_with_them(open_layer):
    layer = open_layer(SMALL)
    drawn = layer.picture.box("q").first[0]
    layer.type_into(layer.field("typed_x"), "1 0; 0 1; 1 -1")
    layer.type_into(layer.field("typed_v"), "0, 2; 3, .5")
    np.testing.assert_array_equal(layer.picture.box("x").first, X)
    np.testing.assert_array_equal(layer.picture.box("v").first[0], X @ W_V)
    assert not np.array_equal(layer.picture.box("q").first[0], drawn), "it is made of X, by a matrix that was drawn"
    assert layer.field("typed_v").text() == "0, 2; 3, 0.5"
    assert "X and W_V typed" in layer.page.view.settings(layer.state)
    assert "W_V:\N{NO-BREAK SPACE}0, 2; 3, 0.5" in layer.page.also.text()
    assert "W_Q" not in layer.page.also.text(), "nothing is typed there"
    first = layer.picture.boxes[-1].first
    layer.type_into(layer.main.box, "2")
    np.testing.assert_array_equal(layer.picture.box("x").first, first)
    layer.undo()
    layer.undo()
    assert layer.state.typed_v == ()


def test_positions_are_added_to_what_is_typed(open_layer):
    typed = tuple(map(tuple, X.tolist()))
    plain = open_layer(replace(SMALL, encoding=True, typed_x=typed, layers=1))
    found = plain.picture.box("x").first
    np.testing.assert_allclose(found - X, [[0, 1], [np.sin(1), np.cos(1)], [np.sin(2), np.cos(2)]], atol=1e-15)


@pytest.mark.parametrize(
    ("text", "said"),
    [("1 0; 0", "2 numbers in row 1 and 1 in row 2"), ("1 x", "“x”"), ("1 2000000", "out of range")],
)
def test_what_is_no_matrix_is_refused_while_it_is_typed(open_layer, text, said):
    layer = open_layer(SMALL)
    layer.type_into(layer.field("typed_q"), text)
    assert said in layer.told
    assert layer.state.typed_q == ()


def test_rows_that_do_not_fit_the_sentence_say_so_and_the_picture_waits(open_layer):
    layer = open_layer(replace(SMALL, typed_x=tuple(map(tuple, X.tolist()))))
    layer.type_into(layer.few("text"), "a b c d")
    assert "X was typed as 3 × 2 numbers, but here it has 4 rows of 2" in layer.page.requests.reason
    layer.type_into(layer.field("typed_x"), " ")
    assert layer.picture.box("x").first.shape == (4, 2)


def test_all_is_drawn_again_with_the_next_seed_a_step_each(open_layer):
    layer = open_layer(SMALL)
    before = layer.picture.box("x").first
    layer.field("seed")
    again = layer.page._again[layer.drawer.form]
    layer.press(again)
    layer.press(again)
    assert layer.state.seed == SMALL.seed + 2
    assert not np.array_equal(layer.picture.box("x").first, before)
    assert layer.undo_text == "Draw again"
    layer.undo()
    assert layer.state.seed == SMALL.seed + 1


def test_wide_or_learned_layers_have_no_lines_to_type_in(open_layer):
    from attention_explorer.pages.stack.learned import learned_block

    layer = open_layer(replace(SMALL, d_model=64))
    assert not layer.field("typed_x").isVisible()
    layer.open(learned_block(*BOX["it"], "The cat sat on the mat because it was tired."))
    assert not layer.field("typed_x").isVisible()
    assert not layer.page._again[layer.drawer.form].isEnabled()


def test_lab_and_the_other_views_take_none_of_it(open_layer):
    layer = open_layer(replace(SMALL, causal=True, typed_x=tuple(map(tuple, X.tolist()))))
    typed = layer.state
    layer.show(BlockPicture.CACHE)
    shown = layer.picture
    layer.open(replace(typed, picture=BlockPicture.CACHE, typed_x=()))
    np.testing.assert_array_equal(shown.decoding.k[0], layer.picture.decoding.k[0])
