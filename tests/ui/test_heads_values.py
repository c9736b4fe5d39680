"""Weights times the lengths of their values in the large picture, named as what they are."""

from __future__ import annotations

import numpy as np
import pytest
from heads_driver import colour_distance, numbers_in, sequential
from PySide6.QtCore import Qt

from attention_explorer.core.map_picture import Contrast
from attention_explorer.model import Stage
from attention_explorer.pages.heads.alt_text import alt_text
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate, HeadsState, Hidden, Picture
from attention_explorer.pages.heads.ui.figure import HeadsFigure


def added(heads: HeadsState) -> np.ndarray:
    """How long what each key adds to each query's output is: the vectors themselves, made one by one."""
    frame = heads_frame(heads.setup)
    layer, weights = frame.layers[frame.layer], frame.map.weights()
    v = layer.v[frame.head]
    if layer.attention is not None:
        each = len(layer.attention.w_o) // len(layer.maps)
        v = v @ layer.attention.w_o[frame.head * each : (frame.head + 1) * each]
    lengths = [[float(np.linalg.norm(weight * v[key])) for key, weight in enumerate(row)] for row in weights]
    return np.array(lengths)


def test_the_map_of_a_toy_head_shows_what_each_key_adds_and_says_so(driver):
    bar, lengths = driver.controls, added(HeadsState())
    driver.press(bar.weighted)
    assert driver.back_text == "Weigh the values"
    end = lengths.max()
    for row, column in ((0, 3), (7, 10), (7, 1)):
        assert colour_distance(driver.colour(row, column), sequential(lengths[row, column] / end)) <= 3
    assert "‖α·v·W_O‖" in "".join(driver.texts())
    assert "‖α·v·W_O‖, how long what each key adds" in driver.page.also.text()
    assert "(Kobayashi et al. 2020): rows do not sum to 1" in driver.page.also.text()
    driver.hover(7, 10)
    weight, length, product = numbers_in(driver.said)[-3:]
    assert "× ‖v·W_O‖" in driver.said
    assert (weight, product) == pytest.approx((driver.weights[7, 10], lengths[7, 10]), rel=1e-3)
    assert weight * length == pytest.approx(product, rel=1e-3)
    assert driver.page.panel.sentence.text().startswith("These are the raw weights.")
    assert not bar.contrast.model().flags(bar.contrast.model().index(list(Contrast).index(Contrast.LOG), 0)) & (
        Qt.ItemFlag.ItemIsEnabled
    ), "lengths have no logarithmic bar from 0.0001 to 1"
    driver.choose(bar.stages, Stage.SCALED)
    assert not driver.heads.view.value_weighted
    driver.back()
    driver.back()
    assert "rows do not sum" not in driver.page.also.text()


@pytest.mark.parametrize("picture", [Picture.LINES, Picture.STAGES, Picture.COMPARE])
def test_other_pictures_show_weights_as_ever(driver, picture):
    driver.press(driver.controls.weighted)
    driver.press(driver.controls.pictures.buttons[picture])
    assert "‖" not in driver.page.also.text()
    assert not [text for text in driver.texts() if "α" in text]


def test_where_w_o_is_not_known_it_is_the_length_of_the_value(open_heads):
    heads = heads_preset("translation").state
    driver = open_heads(heads.with_view(value_weighted=True, picture=Picture.HEATMAP))
    driver.page.settle()
    frame = heads_frame(heads.setup)
    assert frame.layers[0].attention is None
    assert "‖α·v‖, how long" in driver.page.also.text()
    assert "W_O is not known" in driver.page.also.text()
    np.testing.assert_allclose(driver.canvas.map_picture.values, added(heads), rtol=1e-12)


def test_without_values_it_cannot_be_chosen_and_the_wish_is_kept_with_the_reason(open_heads):
    driver = open_heads(heads_preset("minilm").state.with_view(value_weighted=True))
    driver.page.settle()
    assert not driver.controls.weighted.isEnabled()
    assert "weights alone: the values were not recorded" in driver.page.also.text()
    np.testing.assert_array_equal(driver.canvas.map_picture.values, driver.weights)
    driver.choose(driver.controls.presets, "random-words")
    driver.page.settle()
    assert driver.controls.weighted.isEnabled()


def test_a_mean_of_heads_has_no_values(driver):
    driver.press(driver.controls.weighted)
    driver.choose(driver.controls.aggregate, Aggregate.MEAN)
    assert "weights alone: several heads in one have no values" in driver.page.also.text()
    np.testing.assert_array_equal(driver.canvas.map_picture.values, driver.weights)


def test_recorded_values_are_weighed(tmp_path, open_heads):
    rng = np.random.default_rng(5)
    q, k, v = rng.normal(size=(3, 2, 5, 4)).astype(np.float32)
    np.savez(tmp_path / "qkv.npz", q=q, k=k, v=v)
    heads = heads_of_file(tmp_path / "qkv.npz").with_view(value_weighted=True, picture=Picture.HEATMAP)
    driver = open_heads(heads)
    driver.page.settle()
    weights = driver.weights
    expected = weights * np.sqrt((v[0].astype(float) ** 2).sum(1))
    np.testing.assert_allclose(driver.canvas.map_picture.values, expected, rtol=1e-5)


@pytest.mark.parametrize("picture", [Picture.HEATMAP, Picture.MARKED])
def test_files_name_them_and_hold_the_weights_too(picture):
    heads = HeadsState().with_view(value_weighted=True, picture=picture, marked=frozenset({(0, 0)}))
    figure = HeadsFigure(heads)
    assert "‖α·v·W_O‖" in figure.caption
    assert "Largest ‖α·v·W_O‖" in figure.description
    numbers = figure.numbers()
    np.testing.assert_allclose(np.asarray(numbers.arrays["value_weighted"]).reshape(11, 11), added(heads), rtol=1e-12)
    weights = np.asarray(numbers.arrays["raw_weights"]).reshape(11, 11)
    np.testing.assert_array_equal(weights, heads_frame(heads.setup).map.weights())
    assert "weights" not in numbers.arrays
    assert numbers.parameters["numbers"] == "value_weighted"
    assert numbers.parameters["value_weighted"].startswith("‖α·v·W_O‖, how long")
    assert numbers.parameters["note"].startswith("not every row")


def test_hidden_punctuation_is_left_out_of_lengths_and_nothing_is_renormalised():
    heads = HeadsState().with_view(value_weighted=True, hidden=Hidden.PUNCTUATION)
    expected = added(heads)
    expected[:, -1] = 0.0
    np.testing.assert_allclose(HeadsFigure(heads).picture.values, expected, rtol=1e-12)
    caption = HeadsFigure(heads).caption
    assert "“.” hidden" in caption
    assert "renormalised" not in caption
    assert "renormalised" not in alt_text(heads)
