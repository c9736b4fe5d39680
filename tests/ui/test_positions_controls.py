"""The controls below the picture under a real hand: sliders, fields, switches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import sinusoidal_encoding
from attention_explorer.pages.positions.state import Likeness, PositionKind, PositionsPicture
from attention_explorer.pages.positions.ui.controls import parsed_dimensions

NAMES = ("play", "position", "shift", "query", "head", "waves", "likeness", "shuffle", "causal", "concatenated")
MORE = ("scale", "sentence")


def test_a_drag_moves_the_position_and_is_one_step(positions):
    slider = positions.controls.position.slider
    positions.drag_slider(slider, 60.0)
    moved = positions.state.position
    assert moved > 15
    assert positions.controls.position.box.text() == str(moved)
    expected = sinusoidal_encoding(64, 64)[moved]
    np.testing.assert_allclose(positions.page.panel.numbers._reading.values, expected[:12], atol=1e-13)
    assert (positions.looks, positions.back_text) == (1, "Move the position")
    positions.back()
    assert positions.state.position == 5
    assert slider.value() == 5
    positions.window.session.go_forward()
    assert slider.value() == moved


def test_esc_puts_a_slider_back(positions):
    slider = positions.controls.position.slider
    mouse, start = positions.hand(slider), positions.handle_of(slider)
    mouse.press(start)
    mouse.move(start + QPointF(50, 0))
    assert positions.state.position != 5
    positions.key(Qt.Key.Key_Escape, widget=slider)
    assert positions.state.position == 5
    mouse.release()
    assert (positions.state.position, slider.value(), positions.steps) == (5, 5, 0)


def test_numbers_are_typed_and_bad_ones_refused(positions):
    box = positions.controls.position.box
    positions.type_into(box, "63")
    assert positions.state.position == 63
    positions.type_into(box, "64")
    assert "“64” does not fit here: type a whole number from 0 to 63." in positions.told
    assert (positions.state.position, box.text()) == (63, "64")
    positions.key(Qt.Key.Key_Escape, widget=box)
    assert box.text() == "63"


def test_the_shift_turns_the_hands_and_the_matrix(positions):
    positions.show(picture=PositionsPicture.CLOCKS, d_model=8)
    before = np.asarray(positions.picture.advances)
    positions.type_into(positions.controls.shift.box, "6")
    np.testing.assert_allclose(positions.picture.advances, 2 * before)  # the shift was 3
    assert positions.picture.matrix.values[0, 0] == pytest.approx(math.cos(6))
    assert "R₆" in positions.texts()


def test_waves_are_chosen_by_their_dimensions(positions):
    positions.type_into(positions.controls.waves, "3; 4 5,5")
    assert positions.state.dimensions == (3, 4, 5)
    assert [wave.dimension for wave in positions.picture.waves] == [3, 4, 5]
    assert any(text.startswith("dim 4, sin") for text in positions.texts())
    assert positions.controls.waves.text() == "3, 4, 5"


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
    positions.type_into(positions.controls.waves, typed)
    assert part in positions.told
    assert positions.state.dimensions == (0, 1, 8, 32)
    assert positions.controls.waves.text() == "0, 1, 8, 32"
    with pytest.raises(ExplorerError, match=part):
        parsed_dimensions(typed, 64)


def test_what_was_undone_is_not_done_again_by_leaving_the_field(positions):
    positions.type_into(positions.controls.waves, "3")
    assert positions.state.dimensions == (3,)
    positions.back()
    assert positions.controls.waves.text() == "0, 1, 8, 32"
    positions.canvas.setFocus()
    assert positions.state.dimensions == (0, 1, 8, 32)


def test_an_undone_sentence_is_shown_though_the_field_has_the_keyboard(positions):
    positions.show(picture=PositionsPicture.ORDER)
    positions.type_into(positions.controls.sentence, "we saw her")
    positions.undo()
    assert positions.controls.sentence.text() == positions.state.sentence == "the dog bites the man"


def test_undo_in_the_sentence_is_that_of_the_window_and_not_one_of_its_own(positions):
    positions.show(picture=PositionsPicture.ORDER)
    field, session = positions.controls.sentence, positions.window.session
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


def test_no_wave_at_all_leaves_the_map_alone(positions):
    positions.controls.waves.setFocus()
    positions.controls.waves.selectAll()
    positions.key(Qt.Key.Key_Delete, widget=positions.controls.waves)
    positions.key(Qt.Key.Key_Return, widget=positions.controls.waves)
    assert positions.state.dimensions == ()
    assert positions.picture.waves == ()
    assert not any(text.startswith("dim ") for text in positions.texts())


def test_the_causal_mask_hides_what_comes_later(positions):
    positions.show(picture=PositionsPicture.ATTENTION)
    positions.press(positions.controls.causal)
    assert positions.state.causal
    weights = positions.picture.weights
    assert (weights[41:] == 0).all()
    assert weights[:41].sum() == pytest.approx(1.0)
    assert "masked" in positions.texts()
    positions.press(positions.controls.causal)
    assert (positions.picture.weights > 0).all()


def test_concatenation_has_no_cross_terms(positions):
    positions.show(picture=PositionsPicture.ATTENTION)
    assert len(positions.picture.terms) == 4
    positions.press(positions.controls.concatenated.buttons[True])
    assert positions.state.concatenated
    assert [term.name for term in positions.picture.terms] == ["content · content", "position · position"]
    assert "no term mixes them" in positions.notes


def test_the_scale_of_the_embeddings_slides_and_has_the_papers_root(positions):
    positions.show(picture=PositionsPicture.ATTENTION)
    before = positions.picture.norms[0].number
    positions.press(positions.controls.root)
    assert positions.state.embedding_scale == 8.0
    assert positions.picture.norms[0].number == pytest.approx(8 * before)
    assert positions.controls.scale.slider.value() == 160
    positions.press(positions.controls.root)
    assert positions.state.embedding_scale == 1.0
    positions.drag_slider(positions.controls.scale.slider, 30.0)
    slid = positions.state.embedding_scale
    assert slid > 2.0
    assert slid * 20 == pytest.approx(round(slid * 20))
    assert positions.undo_text == "Move the scale of the embeddings"
    positions.type_into(positions.controls.scale.box, "0.37")
    assert positions.state.embedding_scale == 0.37
    assert f"{positions.picture.norms[0].number:.3f}" in positions.texts()
    positions.type_into(positions.controls.scale.box, "101")
    assert "out of range" in positions.told
    assert positions.state.embedding_scale == 0.37


def test_a_scale_beyond_the_slider_can_be_typed(positions):
    positions.show(picture=PositionsPicture.ATTENTION)
    positions.type_into(positions.controls.scale.box, "50")
    assert positions.state.embedding_scale == 50.0
    assert positions.controls.scale.slider.value() == positions.controls.scale.slider.maximum()


def test_the_head_of_alibi_slides(positions):
    positions.show(kind=PositionKind.ALIBI)
    positions.drag_slider(positions.controls.head.slider, 200.0)
    assert positions.state.head == 7
    assert positions.controls.head.box.text() == "8"
    assert positions.picture.bias.head == 7
    assert "The biases of head 8" in positions.texts()


def test_a_sentence_is_typed_letter_by_letter_and_an_empty_one_refused(positions):
    positions.show(picture=PositionsPicture.ORDER)
    positions.type_into(positions.controls.sentence, "we saw her")
    assert positions.picture.words == ("we", "saw", "her")
    assert positions.steps == 1
    positions.type_into(positions.controls.sentence, " ")
    assert "Type at least one word" in positions.told
    assert positions.controls.sentence.text() == "we saw her"


def test_words_are_shuffled_again_and_the_weights_stay(positions):
    positions.show(picture=PositionsPicture.ORDER, kind=PositionKind.NONE)
    order, before = positions.picture.order, positions.picture.maps[0].values
    positions.press(positions.controls.shuffle)
    assert positions.picture.order != order
    assert sorted(positions.picture.order) == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(positions.picture.maps[0].values, before)
    assert positions.picture.outcomes[0].found.error < 1e-14
    assert positions.undo_text == "Shuffle the words"
    positions.undo()
    assert positions.picture.order == order


def test_two_words_have_one_other_order_and_one_word_none(positions):
    positions.show(picture=PositionsPicture.ORDER, sentence="dog bites")
    positions.press(positions.controls.shuffle)
    assert positions.picture.order == (1, 0)
    positions.show(picture=PositionsPicture.ORDER, sentence="dog")
    positions.press(positions.controls.shuffle)
    assert "at least two words" in positions.notes


def test_positions_are_compared_by_distance_too(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    positions.press(positions.controls.likeness.buttons[Likeness.DISTANCE])
    rows = sinusoidal_encoding(64, 64)
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    np.testing.assert_allclose(positions.picture.maps[0].values, apart, atol=1e-6)
    np.testing.assert_allclose(positions.picture.curve, apart[0], atol=1e-7)
    assert "1.472 at 1" in positions.texts()
    assert "The two closest vectors are 1.4718 apart: those of neighbours." in positions.notes
    positions.back()
    assert positions.state.likeness is Likeness.PRODUCT


@pytest.mark.parametrize(
    ("kind", "picture", "expected"),
    [
        (PositionKind.SINUSOIDAL, PositionsPicture.ENCODING, {"position", "waves"}),
        (PositionKind.NONE, PositionsPicture.ENCODING, set()),
        (PositionKind.ALIBI, PositionsPicture.ENCODING, {"head"}),
        (PositionKind.ROTARY, PositionsPicture.CLOCKS, {"play", "position", "shift"}),
        (PositionKind.LEARNED, PositionsPicture.CLOCKS, set()),
        (PositionKind.LEARNED, PositionsPicture.SIMILARITY, {"likeness"}),
        (PositionKind.ROTARY, PositionsPicture.SIMILARITY, set()),
        (PositionKind.NONE, PositionsPicture.ATTENTION, {"position", "query", "causal", "concatenated", "scale"}),
        (PositionKind.NONE, PositionsPicture.ORDER, {"head", "shuffle", "causal", "scale", "sentence"}),
    ],
)
def test_only_what_the_picture_needs_is_there(positions, kind, picture, expected):
    positions.show(kind=kind, picture=picture)
    shown = {name for name in (*NAMES, *MORE) if getattr(positions.controls, name).isVisible()}
    assert shown == expected
