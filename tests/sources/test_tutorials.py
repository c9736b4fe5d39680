"""The tutorials' worked examples against numbers that were computed by another route."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.model import Stage, causal_mask
from attention_explorer.sources.recipe import checked
from attention_explorer.sources.toy import Layer, toy_layers
from attention_explorer.sources.tutorials import TUTORIALS, Tutorial

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_sources.json").read_text(encoding="utf-8"))
BY_ID = {tutorial.id: tutorial for tutorial in TUTORIALS}


def layer_of(tutorial_id: str) -> Layer:
    (layer,) = toy_layers(BY_ID[tutorial_id].recipe)
    return layer


def output_of(layer: Layer, mask: np.ndarray | None = None) -> np.ndarray:
    assert layer.attention is not None
    return layer.attention(layer.x, mask=mask).output


def weights_of(layer: Layer) -> np.ndarray:
    return np.array([head.weights() for head in layer.maps])


def match_check(array: np.ndarray, check: dict[str, Any]) -> None:
    entries = array.ravel()
    ramp = np.arange(1, entries.size + 1) / entries.size
    sums = [entries.size, entries.sum(), (entries**2).sum(), (entries * ramp).sum()]
    np.testing.assert_allclose(sums, [check["n"], check["sum"], check["sumsq"], check["ramp"]], rtol=1e-9)


@pytest.mark.parametrize(
    ("tutorial_id", "section"),
    [
        ("five-token", "seed001_five_token"),
        ("four-token", "seed003_four_token"),
        ("three-token", "seed004_three_token"),
    ],
)
def test_one_head(tutorial_id: str, section: str) -> None:
    layer, case = layer_of(tutorial_id), REFERENCE[section]
    np.testing.assert_allclose(layer.maps[0].weights(), case["weights"], rtol=1e-9)
    np.testing.assert_allclose(layer.maps[0].output(layer.v[0]), case["output"], rtol=1e-9, atol=1e-10)


def test_multi_head() -> None:
    layer, case = layer_of("multi-head"), REFERENCE["mha_seed001"]
    match_check(layer.x, case["input_checks"]["X"])
    np.testing.assert_allclose(layer.x[0, :4], case["input_checks"]["X[0,:4]"], rtol=1e-15)
    np.testing.assert_allclose(weights_of(layer), case["expected"]["weights"], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(output_of(layer), case["expected"]["output"], rtol=1e-9, atol=1e-10)


def test_multi_head_with_the_causal_mask() -> None:
    layer, case = layer_of("multi-head"), REFERENCE["mha_seed001"]["expected_causal"]
    (masked,) = toy_layers(BY_ID["multi-head"].recipe, mask=causal_mask(6))
    np.testing.assert_allclose(masked.maps[0].weights(), case["weights_head0"], rtol=1e-9, atol=1e-10)
    output = output_of(layer, causal_mask(6))
    np.testing.assert_allclose(output[0], case["output_row0"], rtol=1e-9)
    match_check(output, case["output_check"])


def test_pipeline() -> None:
    layer, case = layer_of("pipeline"), REFERENCE["seed001_pipeline"]
    np.testing.assert_allclose(np.linalg.norm(layer.x, axis=1), case["norms_before"], rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(output_of(layer), axis=1), case["norms_after"], rtol=1e-9)
    match_check(weights_of(layer), case["weights_check"])
    match_check(output_of(layer), case["output_check"])


def test_dot_products() -> None:
    case = REFERENCE["seed001_dot_products"]
    words = BY_ID["dot-products"].recipe.tokens
    layer = layer_of("dot-products")
    np.testing.assert_array_equal(layer.x, [case["vectors"][word] for word in words])
    scores = layer.maps[0].scores(stage=Stage.SCORES)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert scores[i, j] == pytest.approx(case[f"{words[i]}.{words[j]}"], rel=1e-15)
        assert f"{scores[i, j]:.2f}" in BY_ID["dot-products"].facts


def short(number: float) -> str:
    return f"{number:.3f}".removeprefix("0")


def test_the_facts_are_the_numbers() -> None:
    for tutorial_id in ("five-token", "four-token", "three-token", "multi-head"):
        row = weights_of(layer_of(tutorial_id))[0, 0]
        assert " ".join(short(weight) for weight in row) in BY_ID[tutorial_id].facts
    for row in weights_of(layer_of("three-token"))[0]:
        assert " ".join(short(weight) for weight in row) in BY_ID["three-token"].facts
    pipeline = layer_of("pipeline")
    for vectors in (pipeline.x, output_of(pipeline)):
        norms = np.linalg.norm(vectors, axis=1)
        assert " ".join(f"{norm:.2f}" for norm in norms) in BY_ID["pipeline"].facts


def test_the_facts_about_spread() -> None:
    layer = layer_of("multi-head")
    assert BY_ID["multi-head"].recipe.predicted_score_std() == pytest.approx(5.76)
    scores = np.array([head.scores(stage=Stage.SCALED) for head in layer.maps])
    assert np.std(scores) == pytest.approx(5.05, abs=0.005)
    assert "5.76 (here 5.05)" in BY_ID["multi-head"].facts
    assert np.median(weights_of(layer).max(axis=-1)) > 0.8


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda tutorial: tutorial.id)
def test_tutorials_are_good_recipes(tutorial: Tutorial) -> None:
    assert checked(tutorial.recipe) is tutorial.recipe
    assert toy_layers(replace(tutorial.recipe, layers=2))[1].x.shape == (
        len(tutorial.recipe.tokens),
        tutorial.recipe.d_model,
    )


def test_ids_are_unique() -> None:
    assert len(BY_ID) == len(TUTORIALS) == 6
