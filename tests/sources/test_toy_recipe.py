"""What a recipe refuses, and what it predicts."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import MultiHeadAttention
from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe, checked
from attention_explorer.sources.toy import toy_layers

SMALL = ToyRecipe(sentence="a b c", d_model=8, heads=2)


def test_a_recipe_is_a_value() -> None:
    assert ToyRecipe() == ToyRecipe()
    assert len({ToyRecipe(), ToyRecipe(), replace(ToyRecipe(), seed=1)}) == 2
    assert checked(SMALL) is SMALL


def test_widths_and_gains() -> None:
    assert ToyRecipe().head_width == 8
    assert replace(SMALL, heads=3, d_k=5).head_width == 5
    assert replace(SMALL, gain_kind=GainKind.NUMBER, gain=0.7).gain_number == 0.7
    assert replace(SMALL, gain_kind=GainKind.HE).gain_number == 0.5
    assert replace(SMALL, d_model=16).gain_number == 0.25


def test_tokens_of_both_sentences() -> None:
    assert SMALL.tokens == SMALL.context_tokens == ("a", "b", "c")
    assert replace(SMALL, context="d e").context_tokens == ("d", "e")
    assert replace(SMALL, context="").context_tokens == ()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"d_model": 0}, "d_model must be a whole number from 1 to 1024, not 0."),
        ({"d_model": 1025}, "d_model must be a whole number from 1 to 1024, not 1025."),
        ({"heads": 0}, "The number of heads must be a whole number from 1 to 64, not 0."),
        ({"d_k": 513}, "d_k must be a whole number from 1 to 512, not 513."),
        ({"d_k": 0}, "d_k must be a whole number from 1 to 512, not 0."),
        ({"layers": 25}, "The number of layers must be a whole number from 1 to 24, not 25."),
        ({"seed": -1}, "The seed must be a whole number from 0 to 4294967295, not -1."),
        ({"seed": 2**32}, "The seed must be a whole number from 0 to 4294967295, not 4294967296."),
        ({"gain": -0.1}, "The gain must be a number from 0 to 100, not -0.1."),
        ({"embedding_scale": 101.0}, "The embedding scale must be a number from 0 to 100, not 101.0."),
        (
            {"projections": Projections.IDENTITY, "d_k": 3},
            "Without projections the heads share the d_model = 8 features of a token, but 2 heads of d_k = 3 would "
            "need 6: choose a number of heads that divides d_model and leave d_k open, or choose random projections.",
        ),
        (
            {"vectors": TokenVectors.GIVEN, "given": ((0.0,) * 8, (1.0, 2.0))},
            "Vector 2 of 2 has 2 numbers, but d_model is 8: give every token d_model numbers, or change d_model.",
        ),
        (
            {"vectors": TokenVectors.GIVEN, "given": ((math.nan,) * 8,)},
            "Vector 1 of 1 holds nan: give finite numbers only.",
        ),
        (
            {"d_model": 1024, "layers": 24},
            "This model would hold 101 million numbers, and at most 67 million fit: choose fewer layers, a smaller "
            "d_model or d_k, or a shorter sentence.",
        ),
    ],
)
def test_refusals(changes: dict[str, Any], sentence: str) -> None:
    recipe = replace(SMALL, **changes)
    with pytest.raises(ExplorerError) as refusal:
        checked(recipe)
    assert str(refusal.value) == sentence
    with pytest.raises(ExplorerError):
        toy_layers(recipe)


@pytest.mark.parametrize("projections", Projections)
def test_heads_divide_d_model_unless_d_k_is_given(projections: Projections) -> None:
    with pytest.raises(ExplorerError, match="3") as refusal:
        checked(replace(SMALL, heads=3, projections=projections))
    eye = np.eye(8)
    with pytest.raises(ExplorerError) as of_the_model:
        MultiHeadAttention(eye, eye, eye, eye, 3)
    own = "" if projections is Projections.IDENTITY else ", or give d_k a number of its own."
    assert str(refusal.value) == f"{of_the_model.value}{own}"
    wide = replace(SMALL, heads=3, d_k=5)
    assert checked(wide) is wide


def test_rows_that_are_not_used_are_not_judged() -> None:
    recipe = replace(SMALL, given=((1.0,),))
    assert checked(recipe) is recipe


def measured_std(recipe: ToyRecipe, scaled: bool, draws: int) -> float:
    """The root mean square of the first layer's scores of token 0 for token 1 and the other way round."""
    scores = []
    for seed in range(draws):
        layer = toy_layers(replace(recipe, seed=seed))[0]
        products = layer.q @ layer.k.swapaxes(1, 2) / (math.sqrt(recipe.head_width) if scaled else 1.0)
        scores.append([products[:, 0, 1], products[:, 1, 0]])
    return float(np.std(scores))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"d_k": 2},
        {"d_k": 32, "gain_kind": GainKind.NUMBER, "gain": 0.3, "embedding_scale": 0.5},
        {"gain_kind": GainKind.HE, "encoding": Encoding.SINUSOIDAL, "vectors": TokenVectors.BY_POSITION},
        {"projections": Projections.TIED},
        {"projections": Projections.TIED, "d_k": 24, "embedding_scale": 2.0},
    ],
)
def test_predicted_std_is_what_is_measured(changes: dict[str, Any], scaled: bool) -> None:
    recipe = replace(ToyRecipe(sentence="cat mat", d_model=16, heads=4), **changes)
    predicted = recipe.predicted_score_std(scaled)
    assert predicted is not None
    # 600 draws of 8 scores, of which those of one draw are not quite independent: within 6 %.
    assert measured_std(recipe, scaled, 600) == pytest.approx(predicted, rel=0.06)


def test_the_prediction_is_d_model_times_variance_of_the_weights() -> None:
    assert ToyRecipe().predicted_score_std() == pytest.approx(1.0)
    assert ToyRecipe().predicted_score_std(scaled=False) == pytest.approx(math.sqrt(8))
    assert ToyRecipe(gain_kind=GainKind.NUMBER).predicted_score_std() == pytest.approx(5.76)
    assert ToyRecipe(gain_kind=GainKind.HE).predicted_score_std() == pytest.approx(2.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"projections": Projections.IDENTITY},
        {"vectors": TokenVectors.GIVEN},
        {"projections": Projections.TIED, "encoding": Encoding.SINUSOIDAL},
    ],
)
def test_no_prediction_where_there_is_none(changes: dict[str, Any]) -> None:
    assert replace(ToyRecipe(), **changes).predicted_score_std() is None
