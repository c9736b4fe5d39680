"""Where ε stands: the numbers of the tutorial, the formulas, and the row of one number repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from attention_explorer.model import NormKind
from attention_explorer.pages.lab.norm import (
    LARGEST_SCALE,
    LEAST_SCALE,
    SCALES,
    bar_words,
    norm_headline,
    norm_numbers,
    norm_picture,
    norm_sentences,
    norm_words,
    scale_at,
    unit_row,
)
from attention_explorer.pages.lab.ui.layers import NormSize
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import brief

TUTORIAL = BlockState(eps=1e-6)


@pytest.mark.parametrize(("scale", "beside", "below"), [(1e-3, 0.999, 0.707), (1e-4, 0.990, 0.100)])
def test_the_numbers_of_the_tutorial(scale: float, beside: float, below: float) -> None:
    picture = norm_picture(replace(TUTORIAL, norm_scale=scale))
    assert picture.output_std(False, scale) == pytest.approx(beside, abs=5e-4)
    assert picture.output_std(True, scale) == pytest.approx(below, abs=5e-4)
    assert picture.after[True].std() == pytest.approx(picture.output_std(True, scale))


def test_the_tutorials_own_row_was_a_percent_larger() -> None:
    # Its .711 is no other formula: a drawn row whose standard deviation came out as 1.011·10⁻³.
    assert norm_picture(TUTORIAL).output_std(True, 1.011e-3) == pytest.approx(0.711, abs=5e-4)


@pytest.mark.parametrize("kind", list(NormKind))
@pytest.mark.parametrize("eps", [1e-6, 1e-5, 0.0])
def test_the_curves_are_the_formulas(kind: NormKind, eps: float) -> None:
    picture = norm_picture(BlockState(eps=eps, norm_kind=kind))
    scales = picture.scales
    assert (scales[0], scales[-1]) == pytest.approx((LEAST_SCALE, LARGEST_SCALE))
    np.testing.assert_allclose(picture.curves[True], scales / np.sqrt(scales**2 + eps), rtol=1e-9)
    np.testing.assert_allclose(picture.curves[False], scales / (scales + eps), rtol=1e-9)


def test_a_constant_row_comes_out_as_zeros_of_a_layer_norm_only() -> None:
    layer, rms = (norm_picture(BlockState(norm_kind=kind)) for kind in (NormKind.LAYER, NormKind.RMS))
    for place in (True, False):
        assert not layer.constant_after[place].any()
        np.testing.assert_allclose(rms.constant_after[place], 1.0, rtol=1e-4)
    assert any("zeros either way" in sentence for sentence in norm_sentences(layer))
    assert any("does not subtract the mean" in sentence for sentence in norm_sentences(rms))


def test_the_row_is_that_of_the_seed() -> None:
    np.testing.assert_array_equal(unit_row(3), unit_row(3))
    assert not np.array_equal(unit_row(3), unit_row(4))
    assert unit_row(3).mean() == pytest.approx(0.0, abs=1e-15)
    assert unit_row(3).std() == pytest.approx(1.0)


def test_steps_go_from_stop_to_stop_and_stay_within() -> None:
    def stepped(scale: float, key: Qt.Key) -> float:
        state = BlockState(norm_scale=scale)
        change = NormSize().press(state, norm_picture(state), int(key))
        return scale if change is None else change.state.norm_scale

    assert stepped(1e-3, Qt.Key.Key_Right) == 2e-3
    assert stepped(1e-3, Qt.Key.Key_Left) == 5e-4
    assert stepped(0.0014, Qt.Key.Key_Left) == 1e-3
    assert stepped(SCALES[-1], Qt.Key.Key_Right) == LARGEST_SCALE
    assert stepped(SCALES[0], Qt.Key.Key_Left) == LEAST_SCALE
    assert (scale_at(1.234e-3), scale_at(1e9), scale_at(0.0)) == (1.2e-3, LARGEST_SCALE, LEAST_SCALE)


def test_words_and_numbers() -> None:
    picture = norm_picture(TUTORIAL)
    assert "0.999 (ε beside the root) and 0.707 (under it), a row of 10⁻⁴ with 0.990 and 0.100" in "".join(
        norm_sentences(picture)
    )
    assert norm_headline(BlockState(eps=0.0)) == "Without ε, rows of any size come out with 1."
    for inside in (True, False):
        readings = NormSize().panel(picture).items[0].readings
        assert readings[int(inside)].number == f"{picture.output_std(inside, 1e-3):.3f}"
    assert norm_words(picture, 100.0).startswith("standard deviation in 100, out: ")
    assert bar_words(picture, 0).startswith("feature 0: ")
    assert bar_words(picture, 16) == ""
    arrays = norm_numbers(picture)
    assert arrays["output_std_eps_under_root"].shape == arrays["input_std"].shape


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (0.5, "0.5"),
        (11.94, "11.9"),
        (0.0031623, "0.00316"),
        (1e-5, "10⁻⁵"),
        (2e-5, "2·10⁻⁵"),
        (38000.0, "3.8·10⁴"),
        (8.6e14, "8.6·10¹⁴"),
        (1.1e-74, "1.1·10⁻⁷⁴"),
        (999.7, "10³"),
        (1e-300, "10⁻³⁰⁰"),
    ],
)
def test_sizes_in_three_digits(number: float, text: str) -> None:
    assert brief(number) == text


def test_exported_curves_are_those_of_their_names() -> None:
    numbers = norm_numbers(norm_picture(BlockState(eps=1e-2)))
    size = numbers["input_std"]
    np.testing.assert_allclose(numbers["output_std_eps_under_root"], size / np.sqrt(size**2 + 1e-2), rtol=1e-9)
    np.testing.assert_allclose(numbers["output_std_eps_beside_root"], size / (size + 1e-2), rtol=1e-9)
