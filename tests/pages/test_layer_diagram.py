"""The diagram of a layer: which boxes there are, their shapes, and the arithmetic in words."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from written_numbers import csv_text

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.core.numerals import SPACE
from attention_explorer.core.preset import preset_of
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.lab.ui.views import views as of_lab
from attention_explorer.pages.layer.boxes import Form, summary_of
from attention_explorer.pages.layer.diagram import Residual, diagram_picture, shape_trace
from attention_explorer.pages.layer.diagram_words import (
    box_words,
    cell_words,
    norm_words,
    parameter_words,
    row_words,
    short,
    token_path,
)
from attention_explorer.pages.layer.ui.views import view_of, views
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import OF_BLOCK, ORDER, BlockPicture
from attention_explorer.pages.stack.state import BlockState

BLOCK_PRESETS = preset_list("block")
block_preset = partial(preset_of, preset_list("block"))

SWITCHES = [
    BlockState(norm=norm, residual=residual, causal=causal, feed_forward=network, activation=activation)
    for norm, residual, causal, network, activation in itertools.product(
        NormPlacement, (True, False), (True, False), (True, False), (Activation.RELU, Activation.SILU_GATED)
    )
]


def names_of(state: BlockState) -> list[str]:
    return [box.name for box in diagram_picture(state).boxes]


def read(text: str) -> float:
    return float(text.replace("−", "-").replace("+", ""))


# ---- Boxes ----


@pytest.mark.parametrize("state", SWITCHES)
def test_what_is_switched_off_is_absent_and_the_rest_in_order(state: BlockState) -> None:
    picture = diagram_picture(state)
    names = [box.name for box in picture.boxes]
    assert [ORDER.index(name) for name in names] == sorted({ORDER.index(name) for name in names})
    assert ("masked" in names) == state.causal
    assert ("attention_sum" in names) == state.residual
    assert ("feed_forward_sum" in names) == (state.residual and state.feed_forward)
    assert ("attention_input" in names) == (state.norm is NormPlacement.PRE)
    assert ("middle" in names) == (state.norm is NormPlacement.POST)
    assert ("hidden" in names) == state.feed_forward
    assert ("linear_part" in names) == (state.feed_forward and state.activation is Activation.SILU_GATED)
    np.testing.assert_array_equal(picture.boxes[-1].array, picture.trace.output)
    assert len(picture.residuals) == state.residual * (1 + state.feed_forward)


@pytest.mark.parametrize("state", SWITCHES)
def test_arrows_come_from_boxes_that_are_there(state: BlockState) -> None:
    names = names_of(state)
    for box in diagram_picture(state).boxes:
        assert all(names.index(source) < names.index(box.name) for source in box.sources)
        assert bool(box.sources) == (box.name != "x")


def test_the_arrays_are_those_of_the_model() -> None:
    picture = diagram_picture(BlockState(causal=True))
    stages = picture.trace.stages()
    for box in picture.boxes:
        np.testing.assert_array_equal(box.array, stages[box.name])


def test_residuals_go_around_the_sublayers() -> None:
    assert diagram_picture(BlockState()).residuals == (
        Residual("x", "attention_sum"),
        Residual("middle", "feed_forward_sum"),
    )
    pre = diagram_picture(BlockState(norm=NormPlacement.PRE))
    assert pre.residuals[1] == Residual("attention_sum", "feed_forward_sum")


def test_the_shapes_are_those_of_the_tutorial() -> None:
    picture = diagram_picture(block_preset("shapes").state)
    assert shape_trace(picture) == "(6, 64) → (8, 6, 8) → (8, 6, 6) → (8, 6, 8) → (6, 64) → (6, 64)"
    other = diagram_picture(BlockState(sentence="a b c", d_model=12, heads=3, batch=2))
    assert shape_trace(other) == ("(2, 3, 12) → (2, 3, 3, 4) → (2, 3, 3, 3) → (2, 3, 3, 4) → (2, 3, 12) → (2, 3, 12)")


def test_the_norms_of_the_pipeline_are_printed() -> None:
    picture = diagram_picture(block_preset("pipeline").state)
    for norms in (picture.before, picture.after):
        assert " ".join(f"{norm:.2f}" for norm in norms) in block_preset("pipeline").look_for


def test_a_box_that_is_switched_off_gives_way_to_the_one_before_it() -> None:
    state = BlockState(box="masked")
    assert diagram_picture(state).chosen.name == "scaled"
    assert diagram_picture(replace(state, causal=True)).chosen.name == "masked"
    assert diagram_picture(BlockState(box="output", feed_forward=False)).chosen.name == "middle"
    assert diagram_picture(BlockState(box="nonsense")).chosen.name == "x"


def test_a_later_layer_takes_what_the_one_before_puts_out() -> None:
    first, last = (diagram_picture(BlockState(layers=3, layer=layer)) for layer in (0, 9))
    assert last.box("x").what == "X, from layer 2"
    assert last.embeddings is None
    assert first.embeddings is not None
    assert not np.array_equal(first.box("x").array, last.box("x").array)


def test_a_token_beyond_the_sentence_is_not_followed() -> None:
    assert diagram_picture(BlockState(token=5)).token == 5
    assert diagram_picture(BlockState(token=6)).token is None
    assert token_path(diagram_picture(BlockState(token=6))) == ()


# ---- Words ----


@pytest.mark.parametrize("kind", NormKind)
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("norm", [NormPlacement.PRE, NormPlacement.POST])
def test_the_arithmetic_of_a_norm_gives_its_number(kind: NormKind, inside: bool, norm: NormPlacement) -> None:
    state = BlockState(norm=norm, norm_kind=kind, eps=0.5, eps_inside_sqrt=inside)
    picture = diagram_picture(state)
    box = picture.box("attention_input" if norm is NormPlacement.PRE else "middle")
    words = cell_words(picture, box, 0, 1, 2)
    number, divisor, result = (
        read(re.findall(r"([+−][\d.]+)", words)[0]),
        *map(
            read,
            re.search(r"÷ ([\d.]+) = ([+−][\d.]+)", words).groups(),  # type: ignore[union-attr]
        ),
    )
    mean = read(re.search(r"mean ([+−][\d.]+)", words)[1]) if kind is NormKind.LAYER else 0.0  # type: ignore[index]
    assert (number - mean) / divisor == pytest.approx(result, abs=2e-3)
    assert result == pytest.approx(float(box.first[1, 2]), abs=6e-4)


def test_the_arithmetic_of_a_weight_gives_the_weight() -> None:
    picture = diagram_picture(BlockState(causal=True))
    box = picture.box("weights")
    words = cell_words(picture, box, 2, 4, 1)
    share, total, weight = (float(text) for text in re.search(r"= ([\d.]+) ÷ ([\d.]+) = ([\d.]+)$", words).groups())  # type: ignore[union-attr]
    assert share / total == pytest.approx(weight, abs=2e-3)
    assert weight == pytest.approx(float(box.first[2, 4, 1]), abs=5.1e-5)
    assert "head 3, “the” (5) → “cat” (2)" in words
    assert "comes later: −∞, weight exactly 0" in cell_words(picture, box, 2, 1, 4)


@pytest.mark.parametrize("name", ["x", "attention_sum", "feed_forward_sum"])
def test_the_parts_of_a_sum_add_up(name: str) -> None:
    picture = diagram_picture(BlockState())
    numbers = [read(text) for text in re.findall(r"[+−][\d.]+", cell_words(picture, picture.box(name), 0, 3, 7))]
    assert numbers[0] + numbers[1] == pytest.approx(numbers[2], abs=2e-3)


@pytest.mark.parametrize("state", SWITCHES[::5])
def test_every_number_and_box_can_be_put_into_words(state: BlockState) -> None:
    picture = diagram_picture(state)
    for box in picture.boxes:
        assert box.shape_text in box_words(picture, box)
        words = cell_words(picture, box, 1, 2, 1)
        assert box.what in words
        assert "nan" not in words
        assert "norm" in row_words(picture, box, 0)
    assert "before the layer" in norm_words(picture, 0)


def test_the_scores_say_how_they_are_scaled() -> None:
    picture = diagram_picture(BlockState())
    words = cell_words(picture, picture.box("scaled"), 0, 0, 1)
    score, scaled = (read(text) for text in re.search(r"([+−][\d.]+) ÷ √8 = ([+−][\d.]+)", words).groups())  # type: ignore[union-attr]
    assert score / 8**0.5 == pytest.approx(scaled, abs=1e-3)


def test_a_summary_leaves_masked_scores_out() -> None:
    found = summary_of(np.array([[3.0, -np.inf], [0.0, 4.0]]))
    assert (found.low, found.high, found.norm, found.zeros, found.masked) == (0.0, 4.0, 5.0, 0.25, 0.25)
    assert found.mean == pytest.approx(7 / 3)
    assert found.row_norm == 3.5


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "0.000"), (1.5, "1.500"), (-2.5e-7, "−2.50·10⁻⁷"), (12345.6, "12346")]
)
def test_short_numbers(number: float, text: str) -> None:
    assert short(number) == text


def test_parameters_are_counted() -> None:
    assert f"3{SPACE}148{SPACE}288 parameters" in parameter_words(diagram_picture(block_preset("full").state))
    assert "2 layers" in parameter_words(diagram_picture(BlockState(layers=2)))


# ---- Presets and files ----


@pytest.mark.parametrize("ready", BLOCK_PRESETS, ids=lambda ready: ready.id)
def test_presets_can_be_computed_and_know_themselves(ready) -> None:
    assert ready.state.preset == ready.id
    assert diagram_picture(ready.state).boxes
    own = ready.state.picture in OF_BLOCK
    view = next(view for view in (views() if own else of_lab(lambda: None)) if view.shown is ready.state.picture)
    assert view.example(ready.state) is ready
    assert view.example(replace(ready.state, box="k", token=1)) is ready
    if own:
        assert view.example(replace(ready.state, seed=7)) is None
    numbers, words = view.picture.compute(ready.state, (0, 0)), view.settings(ready.state)
    told = [line.text for line in view.picture.notes(numbers)]
    assert len(told) > 1
    assert all(told)
    uses_sentence = ready.state.picture not in (BlockPicture.DEPTH, BlockPicture.NORM)
    assert (ready.state.sentence in words) == uses_sentence


def numbers_of_layer(state: BlockState) -> Numbers:
    view, numbers = view_of(BlockPicture.LAYER), diagram_picture(state)
    return view.numbers(state, numbers, view.picture.numbers(numbers))


def test_all_arrays_are_exported_with_their_settings() -> None:
    state = BlockState(causal=True, box="weights")
    picture = diagram_picture(state)
    numbers = numbers_of_layer(state)
    assert next(iter(numbers.arrays)) == "weights"
    np.testing.assert_array_equal(numbers.arrays["weights"], picture.box("weights").array)
    assert "masked,0,0,0,1,-inf" in csv_text(numbers)
    assert numbers.parameters["settings"]["heads"] == 8  # type: ignore[index]
    assert len(csv_text(numbers).splitlines()) == 1 + sum(array.size for array in numbers.arrays.values())


def test_a_large_layer_has_a_table_of_the_first_array_alone() -> None:
    state = replace(block_preset("full").state, box="scores")
    numbers = numbers_of_layer(state)
    assert len(csv_text(numbers).splitlines()) == 1 + 2 * 8 * 10 * 10
    assert "hidden" in numbers.arrays
    assert "NPZ holds all" in str(numbers.parameters["table"])


def test_heads_are_counted_in_forms() -> None:
    forms = {box.name: box.form for box in diagram_picture(BlockState()).boxes}
    assert forms["q"] is Form.HEADS
    assert forms["weights"] is Form.KEYS
    assert forms["concat"] is Form.FEATURES
