"""Hand-made heads: their patterns are as described, made by real queries and keys."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.model import Stage, causal_mask
from attention_explorer.sources.hand_made import HAND_MADE_HEADS, WANTED_SCORE, hand_made_heads, hand_made_layers
from attention_explorer.sources.hand_made_recipe import MOST_HAND_MADE_TOKENS, HandMadeRecipe
from attention_explorer.sources.hand_made_words import ANTECEDENT_GLOSSES, antecedent_gloss, antecedent_hundredths

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_sources.json").read_text(encoding="utf-8"))
TABLE = REFERENCE["seed003_it_table"]
SOFT = "The cat sat on the mat because it was soft"
FRENCH = "Le chat s'est assis sur le tapis"


def head_index(recipe: HandMadeRecipe, head_id: str) -> int:
    return [head.id for head in hand_made_heads(recipe)].index(head_id)


def weights_of(head_id: str, sentence: str, context: str | None = None) -> np.ndarray:
    recipe = HandMadeRecipe(sentence, context)
    return hand_made_layers(recipe)[0].maps[head_index(recipe, head_id)].weights()


def scores_of(head_id: str, sentence: str, context: str | None = None) -> np.ndarray:
    recipe = HandMadeRecipe(sentence, context)
    return hand_made_layers(recipe)[0].maps[head_index(recipe, head_id)].scores(stage=Stage.SCALED)


# ---- The antecedent of "it" ----


def test_the_table_comes_out_to_the_last_digit() -> None:
    assert HandMadeRecipe().tokens == tuple(TABLE["tokens"])
    weights = weights_of("antecedent", SOFT)
    np.testing.assert_allclose(weights[7], TABLE["weights"], rtol=0, atol=1e-15)
    assert sum(antecedent_hundredths(HandMadeRecipe().tokens)) == 100
    assert weights[7].sum() == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_array_equal(np.delete(weights, 7, axis=0), np.full((9, 10), 0.1))
    entropy = -(weights[7] * np.log(weights[7])).sum()
    assert entropy == pytest.approx(TABLE["entropy_nats"], rel=1e-14)


def test_score_differences_are_logarithms_of_ratios() -> None:
    row = scores_of("antecedent", SOFT)[7]
    assert row[5] - row[1] == pytest.approx(math.log(9), rel=1e-14)
    assert row[3] == 0.0


def test_tired_swaps_cat_and_mat() -> None:
    tired = weights_of("antecedent", SOFT.replace("soft", "tired"))[7]
    expected = list(TABLE["weights"])
    expected[1], expected[5] = expected[5], expected[1]
    np.testing.assert_allclose(tired, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("not_", "adjective", "noun"),
    [("did not", "tired", "animal"), ("didn't", "tired", "animal"), ("didn’t", "wide", "street")],
)
def test_it_finds_the_animal_or_the_street_of_every_tutorial(not_: str, adjective: str, noun: str) -> None:
    tokens = f"The animal {not_} cross the street because it was too {adjective}".split()
    row = weights_of("antecedent", " ".join(tokens))[tokens.index("it")]
    assert tokens[int(row.argmax())] == noun
    assert row.max() == pytest.approx(72 / (100 if len(tokens) == 12 else 99))
    assert antecedent_gloss(noun, tuple(tokens)) == f"Most likely referent — “it” = {noun}"
    if adjective == "tired":
        assert antecedent_gloss("tired", tuple(tokens)) == "Adjective describing animal"


def test_a_word_outside_the_table_takes_as_little_as_on() -> None:
    row = weights_of("antecedent", SOFT + ".")[7]
    assert row[10] == pytest.approx(1 / 101)
    assert row[5] == pytest.approx(72 / 101)


def test_without_it_all_rows_are_even() -> None:
    np.testing.assert_array_equal(weights_of("antecedent", "The cat sat on"), np.full((4, 4), 0.25))


def test_glosses() -> None:
    soft, tired = SOFT.split(), SOFT.replace("soft", "tired").split()
    assert list(ANTECEDENT_GLOSSES) == soft
    assert [antecedent_gloss(word, tuple(soft)) for word in soft] == list(ANTECEDENT_GLOSSES.values())
    assert antecedent_gloss("cat", tuple(tired)) == "Most likely referent — “it” = cat"
    assert antecedent_gloss("mat", tuple(tired)) == ANTECEDENT_GLOSSES["cat"]
    assert antecedent_gloss("tired", tuple(tired)) == "Adjective describing cat"
    assert antecedent_gloss("dog", tuple(soft)) is None


# ---- The other patterns ----


def test_previous_token() -> None:
    expected = np.eye(10, k=-1) * WANTED_SCORE
    expected[0, 0] = WANTED_SCORE
    np.testing.assert_array_equal(scores_of("previous-token", SOFT), expected)


@pytest.mark.parametrize("context", [None, FRENCH])
def test_first_token(context: str | None) -> None:
    scores = scores_of("first-token", SOFT, context)
    expected = np.zeros((10, 10 if context is None else 7))
    expected[:, 0] = WANTED_SCORE
    np.testing.assert_array_equal(scores, expected)


def test_same_word() -> None:
    words = "The dog saw the DOG".casefold().split()
    expected = [[WANTED_SCORE * (one == other) for other in words] for one in words]
    np.testing.assert_array_equal(scores_of("same-word", "The dog saw the DOG"), expected)
    across = scores_of("same-word", "Paris, oui", "yes, paris")
    np.testing.assert_array_equal(across, [[0, 0, WANTED_SCORE], [0, WANTED_SCORE, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("sentence", "row", "pair"),
    [
        (SOFT, 7, (1, 5)),
        ("It saw mat and Cat", 0, (2, 4)),
        ("a dog ran home", 3, (1, 2)),
        ("mat dog", 1, (0, 1)),
        ("The animal didn’t cross the street because it was too tired", 7, (1, 5)),
        ("My uncle says it rains", 3, (1, 2)),
        ("is it not so", 1, (1, 2)),
        ("mat", 0, (0,)),
    ],
)
def test_two_at_once(sentence: str, row: int, pair: tuple[int, ...]) -> None:
    weights = weights_of("two-at-once", sentence)
    n = len(weights)
    share = math.exp(WANTED_SCORE) / (len(pair) * math.exp(WANTED_SCORE) + n - len(pair))
    np.testing.assert_allclose(weights[row, list(pair)], share, rtol=1e-14)
    np.testing.assert_allclose(np.delete(weights, row, axis=0), 1 / n, rtol=1e-14)


def test_two_at_once_can_be_as_even_as_the_tutorial_says_it_cannot() -> None:
    np.testing.assert_allclose(weights_of("two-at-once", "the cat mat it")[3, 1:3], 0.4988, atol=5e-5)


@pytest.mark.parametrize("swapped", [False, True])
def test_translation_in_both_directions(swapped: bool) -> None:
    english = "The cat sat on the mat"
    pairs = {(0, 0), (0, 5), (1, 1), (2, 2), (2, 3), (3, 4), (4, 0), (4, 5), (5, 6)}
    expected = np.zeros((6, 7))
    for i, j in pairs:
        expected[i, j] = WANTED_SCORE
    if swapped:
        np.testing.assert_array_equal(scores_of("translation", FRENCH, english), expected.T)
    else:
        np.testing.assert_array_equal(scores_of("translation", english, FRENCH), expected)


def test_translation_of_the_second_half() -> None:
    scores = scores_of("translation", "parce qu’il était fatigué!", "because it was tired.")
    expected = np.zeros((5, 5))
    np.fill_diagonal(expected[:4], WANTED_SCORE)
    np.testing.assert_array_equal(scores[:4, :4], expected[:4, :4])
    np.testing.assert_array_equal(scores[4], 0.0)


# ---- All of them ----


def test_which_heads_a_recipe_has() -> None:
    assert [head.id for head in hand_made_heads(HandMadeRecipe())] == [
        "previous-token",
        "first-token",
        "same-word",
        "antecedent",
        "two-at-once",
        "even",
    ]
    assert [head.id for head in hand_made_heads(HandMadeRecipe(SOFT, ""))] == [
        "first-token",
        "same-word",
        "translation",
    ]
    assert len({head.name for head in HAND_MADE_HEADS}) == 7


@pytest.mark.parametrize("context", [None, FRENCH, ""])
@pytest.mark.parametrize("sentence", [SOFT, "", "it", "cat mat", "word " * 300, "a\ud800 👍🏽 ि"])
def test_scores_are_products_and_outputs_are_weights(sentence: str, context: str | None) -> None:
    recipe = HandMadeRecipe(sentence, context)
    (layer,) = hand_made_layers(recipe)
    n_q, n_k = len(recipe.tokens), len(recipe.context_tokens)
    assert n_q <= MOST_HAND_MADE_TOKENS
    assert layer.attention is None
    assert len(layer.maps) == len(hand_made_heads(recipe)) == len(layer.q)
    assert layer.x.shape[0] == n_q
    assert layer.context.shape[0] == n_k
    width = layer.q.shape[-1]
    for head, q, k, v in zip(layer.maps, layer.q, layer.k, layer.v, strict=True):
        weights = head.weights()
        assert weights.shape == (n_q, n_k)
        np.testing.assert_array_equal(head.scores(stage=Stage.SCALED), q @ k.T / math.sqrt(width))
        np.testing.assert_allclose(weights.sum(axis=1), 1.0 if n_k else 0.0, rtol=1e-14)
        np.testing.assert_array_equal(head.output(v), weights)
    for array in (layer.x, layer.context, layer.q, layer.k, layer.v):
        assert not array.flags.writeable


def test_mask_and_temperature_are_honest() -> None:
    plain = hand_made_layers(HandMadeRecipe())[0].maps[3].weights()[7]
    (layer,) = hand_made_layers(HandMadeRecipe(), mask=causal_mask(10), temperature=2.0)
    expected = np.sqrt(plain) * (np.arange(10) <= 7)
    np.testing.assert_allclose(layer.maps[3].weights()[7], expected / expected.sum(), rtol=1e-13)
    (hard,) = hand_made_layers(HandMadeRecipe(), hard=True)
    np.testing.assert_array_equal(hard.maps[3].weights()[7], np.eye(10)[5])
