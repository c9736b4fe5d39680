"""What can be set on the Positions page: views, encoding, sizes, examples, and what is in the drawer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import alibi_slopes, learned_encoding, sinusoidal_encoding, wavelengths
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import (
    Likeness,
    PositionsPicture,
    PositionsState,
    RotaryLayout,
    changed,
    parsed_dimensions,
)

# ---- Views and encodings ----


@pytest.mark.parametrize("kind", PositionKind)
def test_every_kind_can_be_chosen(positions, kind):
    positions.choose(positions.few("kind"), PositionKind.ALIBI if kind is PositionKind.NONE else PositionKind.NONE)
    positions.choose(positions.few("kind"), kind)
    assert positions.state.kind is kind
    assert positions.undo_text == "Choose the encoding"
    positions.undo()
    assert positions.state.kind is not kind


# ---- Sizes ----


def test_sizes_are_typed_and_the_numbers_follow(positions):
    positions.type_into(positions.field("length"), "20")
    positions.type_into(positions.field("d_model"), "7")
    positions.type_into(positions.field("base"), "1e3")
    assert (positions.state.length, positions.state.d_model, positions.state.base) == (20, 7, 1000.0)
    np.testing.assert_allclose(positions.picture.table.picture.values, sinusoidal_encoding(20, 7, 1000.0), atol=1e-13)
    assert "(20, 7)" in positions.texts()
    assert positions.steps == 3
    assert f"{wavelengths(7, 1000.0)[-1]:.0f} for i = 3" in positions.notes


def test_arrow_keys_double_and_halve_sizes(positions):
    box = positions.field("d_model")
    box.setFocus()
    positions.key(Qt.Key.Key_Up, widget=box)
    assert positions.state.d_model == 128
    positions.key(Qt.Key.Key_Down, widget=box)
    positions.key(Qt.Key.Key_Down, widget=box)
    assert positions.state.d_model == 32
    assert positions.steps == 1  # quickly after one another
    positions.undo()
    assert positions.state.d_model == 64


def test_heads_of_alibi_that_are_no_power_of_two(positions):
    positions.choose(positions.few("kind"), PositionKind.ALIBI)
    positions.type_into(positions.field("heads"), "12")
    np.testing.assert_array_equal(positions.picture.bias.slopes, alibi_slopes(12))
    assert any("head 12" in text for text in positions.texts()) or "head 12" in positions.drawer_texts()


def test_the_seed_draws_another_learned_encoding(positions):
    positions.choose(positions.few("kind"), PositionKind.LEARNED)
    positions.type_into(positions.field("seed"), "7")
    np.testing.assert_array_equal(positions.picture.table.picture.values, learned_encoding(64, 64, 7))
    positions.type_into(positions.field("seed"), "1.5")
    assert "whole number" in positions.told
    assert positions.state.seed == 7


def test_the_layout_of_rotary_pairs_other_dimensions(positions):
    positions.choose(positions.few("kind"), PositionKind.ROTARY)
    half = positions.picture.table.picture.values
    positions.choose(positions.field("layout"), RotaryLayout.INTERLEAVED)
    assert positions.state.layout is RotaryLayout.INTERLEAVED
    interleaved = positions.picture.table.picture.values
    np.testing.assert_array_equal(interleaved[:, 0::2], half[:, :32])  # the cosines
    np.testing.assert_array_equal(interleaved[:, 1::2], half[:, 32:])


SIZES = ("length", "d_model", "base", "heads", "seed", "layout")
EVERY_KIND = {"d_model", "base", "heads", "seed", "layout"}


@pytest.mark.parametrize(
    ("kind", "picture", "expected"),
    [
        (PositionKind.SINUSOIDAL, PositionsPicture.ENCODING, {"length", "d_model", "base"}),
        (PositionKind.LEARNED, PositionsPicture.ENCODING, {"length", "d_model", "seed"}),
        (PositionKind.ROTARY, PositionsPicture.ENCODING, {"length", "d_model", "base", "layout"}),
        (PositionKind.ALIBI, PositionsPicture.ENCODING, {"length", "heads"}),
        (PositionKind.SINUSOIDAL, PositionsPicture.SIMILARITY, {"length", "d_model", "base", "seed"}),
        (PositionKind.ALIBI, PositionsPicture.ATTENTION, {"length", *EVERY_KIND}),  # which show every kind
        (PositionKind.NONE, PositionsPicture.ORDER, EVERY_KIND),
    ],
)
def test_only_sizes_that_mean_something_can_be_set(positions, kind, picture, expected):
    positions.open(kind=kind, picture=picture)
    assert {name for name in SIZES if positions.field(name).isVisible()} == expected


OTHERS = ("head_number", "shift", "dimensions", "likeness", "causal", "concatenated", "embedding_scale", "sentence")


@pytest.mark.parametrize(
    ("kind", "picture", "expected"),
    [
        (PositionKind.SINUSOIDAL, PositionsPicture.ENCODING, {"dimensions"}),
        (PositionKind.NONE, PositionsPicture.ENCODING, set()),
        (PositionKind.ALIBI, PositionsPicture.ENCODING, {"head_number"}),
        (PositionKind.ROTARY, PositionsPicture.CLOCKS, {"shift"}),
        (PositionKind.LEARNED, PositionsPicture.CLOCKS, set()),
        (PositionKind.LEARNED, PositionsPicture.SIMILARITY, {"likeness"}),
        (PositionKind.ROTARY, PositionsPicture.SIMILARITY, set()),
        (PositionKind.NONE, PositionsPicture.ATTENTION, {"causal", "concatenated", "embedding_scale"}),
        (PositionKind.NONE, PositionsPicture.ORDER, {"head_number", "causal", "embedding_scale", "sentence"}),
    ],
)
def test_only_what_the_picture_needs_is_there(positions, kind, picture, expected):
    positions.open(kind=kind, picture=picture)
    positions.page.open_drawer(True)
    controls = positions.drawer.form.controls
    assert {name for name in OTHERS if name in controls and controls[name].isVisible()} == expected


# ---- The main quantity ----


def test_numbers_are_typed_and_bad_ones_refused(positions):
    box = positions.main.box
    positions.type_into(box, "63")
    assert positions.state.position == 63
    positions.type_into(box, "64")
    assert "“64” does not fit here: type a whole number from 0 to 63." in positions.told
    assert (positions.state.position, box.text()) == (63, "64")
    positions.key(Qt.Key.Key_Escape, widget=box)
    assert box.text() == "63"


def test_the_slider_ends_where_the_positions_end(positions):
    positions.open(position=5000, length=8192)
    assert positions.main.slider.maximum() == 8191
    positions.type_into(positions.field("length"), "100")
    assert (positions.main.slider.maximum(), positions.main.box.text()) == (99, "99")
    assert positions.state.position == 5000, "a wish stays"
    positions.type_into(positions.field("length"), "8192")
    assert positions.main.box.text() == "5000"


def test_without_clocks_the_position_cannot_be_moved_and_says_why(positions):
    positions.open(kind=PositionKind.LEARNED, picture=PositionsPicture.CLOCKS)
    assert not positions.main.slider.isEnabled()
    assert "Only a sinusoidal or a rotary encoding has clocks" in positions.main.slider.toolTip()


# ---- In the drawer ----


def test_the_shift_turns_the_hands_and_the_matrix(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=8)
    before = np.asarray(positions.picture.advances)
    positions.type_into(positions.few("shift"), "6")
    np.testing.assert_allclose(positions.picture.advances, 2 * before)  # the shift was 3
    assert positions.picture.matrix.values[0, 0] == pytest.approx(math.cos(6))
    assert "for k = 6 by" in positions.notes


def test_waves_are_chosen_by_their_dimensions(positions):
    positions.type_into(positions.field("dimensions"), "3; 4 5,5")
    assert positions.state.dimensions == (3, 4, 5)
    assert [wave.dimension for wave in positions.picture.waves] == [3, 4, 5]
    assert any(text.startswith("dim 4, sin") for text in positions.texts())
    assert positions.field("dimensions").text() == "3, 4, 5"


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        ("64", "“64” is not a dimension"),
        ("x", "from 0 to 63"),
        ("-1", "is not a dimension"),
        ("0 1 2 3 4 5 6 7 8", "room for 8"),
    ],
)
def test_waves_that_cannot_be_are_refused(positions, typed, part):
    positions.type_into(positions.field("dimensions"), typed)
    assert part in positions.told
    assert positions.state.dimensions == (0, 1, 8, 32)
    assert positions.field("dimensions").text() == "0, 1, 8, 32"
    with pytest.raises(ExplorerError, match=part):
        parsed_dimensions(typed, 64)


def test_what_was_undone_is_not_done_again_by_leaving_the_field(positions):
    positions.type_into(positions.field("dimensions"), "3")
    assert positions.state.dimensions == (3,)
    positions.back()
    assert positions.field("dimensions").text() == "0, 1, 8, 32"
    positions.canvas.setFocus()
    assert positions.state.dimensions == (0, 1, 8, 32)


def test_no_wave_at_all_leaves_the_map_alone(positions):
    line = positions.field("dimensions")
    line.setFocus()
    line.selectAll()
    positions.key(Qt.Key.Key_Delete, widget=line)
    positions.key(Qt.Key.Key_Return, widget=line)
    assert positions.state.dimensions == ()
    assert positions.picture.waves == ()
    assert not any(text.startswith("dim ") for text in positions.texts())


def test_undo_in_the_sentence_is_that_of_the_window_and_not_one_of_its_own(positions):
    positions.open(picture=PositionsPicture.ORDER)
    field, session = positions.few("sentence"), positions.window.session
    field.setFocus()
    field.end(False)
    QTest.keyClicks(field, " twice")
    assert positions.state.sentence == "the dog bites the man twice"
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == positions.state.sentence == "the dog bites the man"
    assert session.history.can_redo
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "the dog bites the man", "what was refused is given up first"


def test_the_causal_mask_hides_what_comes_later(positions):
    positions.open(picture=PositionsPicture.ATTENTION)
    positions.press(positions.few("causal"))
    assert positions.state.causal
    weights = positions.picture.weights
    assert (weights[41:] == 0).all()
    assert weights[:41].sum() == pytest.approx(1.0)
    assert "masked" in positions.texts()
    positions.press(positions.few("causal"))
    assert (positions.picture.weights > 0).all()


def test_concatenation_has_no_cross_terms(positions):
    positions.open(picture=PositionsPicture.ATTENTION)
    assert len(positions.picture.terms) == 4
    positions.choose(positions.field("concatenated"), True)
    assert positions.state.concatenated
    assert [term.name for term in positions.picture.terms] == ["content · content", "position · position"]
    assert "no term mixes them" in positions.notes


def test_the_scale_of_the_embeddings_has_the_papers_root(positions):
    positions.open(picture=PositionsPicture.ATTENTION)
    before = positions.picture.norms[0].number
    positions.press(positions.field("scaled_by_root"))
    assert positions.state.embedding_scale == 8.0
    assert positions.picture.norms[0].number == pytest.approx(8 * before)
    assert positions.field("embedding_scale").text() == "8"
    positions.press(positions.field("scaled_by_root"))
    assert positions.state.embedding_scale == 1.0
    box = positions.field("embedding_scale")
    box.setFocus()
    positions.key(Qt.Key.Key_Up, widget=box)
    assert positions.state.embedding_scale == 2.0
    assert positions.undo_text == "Move the scale of the embeddings"
    positions.type_into(box, "0.37")
    assert positions.state.embedding_scale == 0.37
    assert f"{positions.picture.norms[0].number:.3f}" in positions.drawer_texts()
    positions.type_into(box, "101")
    assert "out of range" in positions.told
    assert positions.state.embedding_scale == 0.37
    positions.type_into(box, "50")
    assert positions.state.embedding_scale == 50.0


def test_the_head_of_alibi_is_typed_as_it_is_counted(positions):
    positions.open(kind=PositionKind.ALIBI)
    positions.type_into(positions.field("head_number"), "8")
    assert positions.state.head == 7
    assert positions.picture.bias.head == 7
    assert "The biases of head 8" in positions.texts()
    for typed in ("0", "9"):
        positions.type_into(positions.field("head_number"), typed)
        assert f"“{typed}” does not fit here: type a whole number from 1 to 8." in positions.told
        assert positions.state.head == 7
    assert changed(PositionsState(), "head_number", 3).head == 2


def test_a_sentence_is_typed_letter_by_letter_and_an_empty_one_refused(positions):
    positions.open(picture=PositionsPicture.ORDER)
    positions.type_into(positions.few("sentence"), "we saw her")
    assert positions.picture.words == ("we", "saw", "her")
    assert positions.steps == 1
    positions.type_into(positions.few("sentence"), " ")
    assert "Type at least one word" in positions.told
    assert positions.few("sentence").text() == "we saw her"


def test_words_are_shuffled_again_and_the_weights_stay(positions):
    positions.open(picture=PositionsPicture.ORDER, kind=PositionKind.NONE)
    order, before = positions.picture.order, positions.picture.maps[0].values
    positions.press(positions.page.shuffle)
    assert positions.picture.order != order
    assert sorted(positions.picture.order) == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(positions.picture.maps[0].values, before)
    assert positions.picture.outcomes[0].found.error < 1e-14
    assert positions.undo_text == "Shuffle the words"
    positions.undo()
    assert positions.picture.order == order


def test_two_words_have_one_other_order_and_one_word_none(positions):
    positions.open(picture=PositionsPicture.ORDER, sentence="dog bites")
    positions.press(positions.page.shuffle)
    assert positions.picture.order == (1, 0)
    positions.open(picture=PositionsPicture.ORDER, sentence="dog")
    positions.press(positions.page.shuffle)
    assert "at least two words" in positions.notes


def test_positions_are_compared_by_distance_too(positions):
    positions.open(picture=PositionsPicture.SIMILARITY)
    positions.choose(positions.few("likeness"), Likeness.DISTANCE)
    rows = sinusoidal_encoding(64, 64)
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    np.testing.assert_allclose(positions.picture.maps[0].values, apart, atol=1e-6)
    np.testing.assert_allclose(positions.picture.curve, apart[0], atol=1e-7)
    assert "1.472 at 1" in positions.texts()
    assert "The two closest vectors are 1.4718 apart: those of neighbours." in positions.panel_words()[1]
    positions.back()
    assert positions.state.likeness is Likeness.PRODUCT
