"""The two lines above the picture, used as people use them: kinds, pictures, sizes, presets."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from attention_explorer.model import alibi_slopes, learned_encoding, sinusoidal_encoding, wavelengths
from attention_explorer.pages.positions.presets import POSITIONS_PRESETS
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, RotaryLayout

# The off-screen platform says this whenever a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.mark.parametrize("kind", PositionKind)
def test_every_kind_has_a_button(positions, kind):
    positions.press(positions.bar.kinds.buttons[PositionKind.ALIBI if kind is PositionKind.NONE else PositionKind.NONE])
    positions.press(positions.bar.kinds.buttons[kind])
    assert positions.state.kind is kind
    assert positions.undo_text == f"Encoding: {kind.value}"
    positions.undo()
    assert positions.state.kind is not kind


@pytest.mark.parametrize("picture", PositionsPicture)
def test_every_picture_has_a_button_and_a_shortcut(positions, picture):
    other = PositionsPicture.ORDER if picture is not PositionsPicture.ORDER else PositionsPicture.CLOCKS
    positions.press(positions.bar.picture_row.buttons[other])
    positions.press(positions.bar.picture_row.buttons[picture])
    assert positions.state.picture is picture
    positions.undo()
    number = list(PositionsPicture).index(picture) + 1
    positions.key(Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
    assert positions.state.picture is picture
    assert positions.bar.picture_row.buttons[picture].isChecked()


def test_sizes_are_typed_and_the_numbers_follow(positions):
    positions.type_into(positions.bar.length, "20")
    positions.type_into(positions.bar.d_model, "7")
    positions.type_into(positions.bar.base, "1e3")
    assert (positions.state.length, positions.state.d_model, positions.state.base) == (20, 7, 1000.0)
    np.testing.assert_allclose(positions.picture.table.picture.values, sinusoidal_encoding(20, 7, 1000.0), atol=1e-13)
    assert "(20, 7)" in positions.shown_title()
    assert positions.steps == 3
    longest = f"{wavelengths(7, 1000.0)[-1]:.0f} for i = 3"
    assert longest in positions.notes


@pytest.mark.parametrize("typed", ["abc", "0", "-3", "7.5", "8193"])
def test_a_length_that_cannot_be_is_refused_in_words(positions, typed):
    positions.type_into(positions.bar.length, typed)
    assert f"“{typed}” does not fit here: type a whole number from 1 to 8192." in positions.told
    assert positions.state.length == 64
    assert positions.bar.length.text() == typed
    positions.key(Qt.Key.Key_Escape, widget=positions.bar.length)
    assert positions.bar.length.text() == "64"
    assert positions.steps == 0


@pytest.mark.parametrize("typed", ["abc", "0", "-1", "nan", "1e9"])
def test_a_base_that_cannot_be_is_refused_in_words(positions, typed):
    positions.type_into(positions.bar.base, typed)
    assert typed in positions.told
    assert positions.state.base == 10000.0
    assert positions.steps == 0


def test_a_comma_is_a_decimal_point(positions):
    positions.type_into(positions.bar.base, "2,5")
    assert positions.state.base == 2.5


def test_arrow_keys_double_and_halve_sizes(positions):
    positions.bar.d_model.setFocus()
    positions.key(Qt.Key.Key_Up, widget=positions.bar.d_model)
    assert positions.state.d_model == 128
    positions.key(Qt.Key.Key_Down, widget=positions.bar.d_model)
    positions.key(Qt.Key.Key_Down, widget=positions.bar.d_model)
    assert positions.state.d_model == 32
    assert positions.steps == 1  # quickly after one another
    positions.undo()
    assert positions.state.d_model == 64


def test_heads_of_alibi_that_are_no_power_of_two(positions):
    positions.press(positions.bar.kinds.buttons[PositionKind.ALIBI])
    positions.type_into(positions.bar.heads, "12")
    np.testing.assert_array_equal(positions.picture.bias.slopes, alibi_slopes(12))
    assert any("head 12" in text for text in positions.texts())


def test_the_seed_draws_another_learned_encoding(positions):
    positions.press(positions.bar.kinds.buttons[PositionKind.LEARNED])
    positions.type_into(positions.bar.seed, "7")
    np.testing.assert_array_equal(positions.picture.table.picture.values, learned_encoding(64, 64, 7))
    positions.type_into(positions.bar.seed, "1.5")
    assert "whole number" in positions.told
    assert positions.state.seed == 7


def test_the_layout_of_rotary_pairs_other_dimensions(positions):
    positions.press(positions.bar.kinds.buttons[PositionKind.ROTARY])
    half = positions.picture.table.picture.values
    positions.choose(positions.bar.layout_choice, RotaryLayout.INTERLEAVED)
    assert positions.state.layout is RotaryLayout.INTERLEAVED
    interleaved = positions.picture.table.picture.values
    np.testing.assert_array_equal(interleaved[:, 0::2], half[:, :32])  # the cosines
    np.testing.assert_array_equal(interleaved[:, 1::2], half[:, 32:])


@pytest.mark.parametrize(
    ("kind", "picture", "expected"),
    [
        (PositionKind.SINUSOIDAL, PositionsPicture.ENCODING, {"length", "d_model", "base"}),
        (PositionKind.LEARNED, PositionsPicture.ENCODING, {"length", "d_model", "seed"}),
        (PositionKind.ROTARY, PositionsPicture.ENCODING, {"length", "d_model", "base", "layout"}),
        (PositionKind.ALIBI, PositionsPicture.ENCODING, {"length", "heads"}),
        (PositionKind.ALIBI, PositionsPicture.ATTENTION, {"length", "d_model", "heads", "seed"}),
        (PositionKind.SINUSOIDAL, PositionsPicture.SIMILARITY, {"length", "d_model", "base", "seed"}),
        (PositionKind.NONE, PositionsPicture.ORDER, {"d_model", "heads", "seed"}),
    ],
)
def test_only_what_means_something_can_be_set(positions, kind, picture, expected):
    positions.show(kind=kind, picture=picture)
    bar = positions.bar
    boxes = {name: getattr(bar, name) for name in ("length", "d_model", "base", "heads", "seed")}
    boxes["layout"] = bar.layout_choice
    assert {name for name, box in boxes.items() if box.isVisible()} == expected


@pytest.mark.parametrize("ready", POSITIONS_PRESETS, ids=lambda ready: ready.id)
def test_every_preset_can_be_chosen_and_says_what_to_look_for(positions, ready):
    positions.show(length=3, preset="alibi" if ready.id != "alibi" else "rotary")
    positions.choose(positions.bar.preset_box, ready.id)
    positions.settle()
    assert positions.state == ready.state
    assert positions.steps == 1
    assert positions.page.hint.text.text() == ready.look_for
    positions.undo()
    assert positions.state.length == 3


def test_a_changed_preset_is_marked_until_it_is_as_it_was(positions):
    positions.type_into(positions.bar.length, "65")
    assert positions.bar.preset_box.currentText() == "Sinusoidal, 64 × 64 (changed)"
    positions.type_into(positions.bar.length, "64")
    assert positions.bar.preset_box.currentText() == "Sinusoidal, 64 × 64"
    positions.press(positions.bar.picture_row.buttons[PositionsPicture.CLOCKS])
    assert positions.bar.preset_box.currentText() == "Sinusoidal, 64 × 64"
