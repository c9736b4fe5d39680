"""The vectors of the tokens compared: against the tutorial's numbers, and loops by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import sinusoidal_encoding
from attention_explorer.pages.heads.dots import (
    as_given,
    dot_pictures,
    dot_table,
    dot_verdict,
    dot_words,
    reason_against_typing,
    vectors_table,
    vectors_words,
    with_number,
)
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.toy import token_embeddings, toy_layers

THREE_WORDS = heads_preset("dot-products").state.setup.recipe


def test_the_three_words_have_the_numbers_of_the_tutorial():
    table = dot_table(THREE_WORDS)
    assert table.names == ("cat", "sat", "mat")
    np.testing.assert_allclose(
        table.dots, [[1.5, 0.56, 1.36], [0.56, 1.4, 0.68], [1.36, 0.68, 1.26]], rtol=0, atol=1e-15
    )
    for i, j, cosine in ((0, 1, 0.38643671323171835), (0, 2, 0.9892544357364988), (1, 2, 0.511987811646309)):
        assert table.cosines[i, j] == pytest.approx(cosine, abs=1e-15)
        assert table.cosines[j, i] == table.cosines[i, j]


def test_a_dot_product_is_written_out_term_by_term():
    table = dot_table(THREE_WORDS)
    product, cosine = dot_words(table, 0, 2)
    assert product == "cat · mat = 0.9·0.8 + 0.1·0.2 + 0.8·0.7 + 0.2·0.3 = 0.72 + 0.02 + 0.56 + 0.06 = 1.36"
    assert cosine == "cosine = 1.360 ÷ (1.225 · 1.122) = 0.989"
    assert np.array_equal(table.terms(0, 2), [0.9 * 0.8, 0.1 * 0.2, 0.8 * 0.7, 0.2 * 0.3])


def test_long_vectors_show_their_largest_products_and_the_rest_as_a_sum():
    recipe = ToyRecipe()
    table = dot_table(recipe)
    product, _ = dot_words(table, 1, 4)
    assert "(58 smaller products)" in product
    terms = sorted((float(a) * float(b) for a, b in zip(table.vectors[1], table.vectors[4], strict=True)), key=abs)
    rest = math.fsum(terms[:-6])
    assert f"{abs(rest):.3g} (58 smaller products)" in product
    assert float(product.rsplit("= ", 1)[1].replace("−", "-")) == pytest.approx(math.fsum(terms), rel=1e-3)


def test_a_negative_factor_stands_in_brackets():
    table = dot_table(with_number(THREE_WORDS, 0, 1, "−0.5"))
    product, _ = dot_words(table, 0, 1)
    assert "(−0.5)·0.9" in product
    assert "= 0.09 − 0.45 + 0.24 + 0.14 = 0.02" in product


@pytest.mark.parametrize("projections", Projections)
@pytest.mark.parametrize("encoding", [Encoding.NONE, Encoding.SINUSOIDAL])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("vectors", [TokenVectors.BY_WORD, TokenVectors.BY_POSITION])
def test_the_dot_products_are_called_the_scores_just_where_they_are(projections, encoding, heads, vectors):
    recipe = ToyRecipe("a b c", d_model=4, heads=heads, projections=projections, encoding=encoding, vectors=vectors)
    said, table = vectors_words(recipe), dot_table(recipe)
    scores = heads_frame(HeadsSetup(recipe)).head_map.scores()
    sums = table.vectors + (sinusoidal_encoding(3, 4) if encoding is Encoding.SINUSOIDAL else 0.0)
    assert said.endswith("the dot products are the raw scores.") == np.allclose(scores, table.dots)
    assert ("dot products of the sums" in said) == (
        np.allclose(scores, sums @ sums.T) and encoding is not Encoding.NONE
    )
    assert ("x·W_Q" in said) == (projections is not Projections.IDENTITY)
    assert ("a new W" in said) <= (projections is not Projections.IDENTITY)


def test_length_beside_direction():
    assert "“mat” matches “cat” better than itself" in dot_verdict(dot_table(THREE_WORDS))
    same_length = ToyRecipe("a b", d_model=2, heads=1, vectors=TokenVectors.GIVEN, given=((1.0, 0.0), (0.0, 1.0)))
    assert dot_verdict(dot_table(same_length)).startswith("No token matches another better than itself")
    alone = ToyRecipe("a", d_model=2, heads=1, vectors=TokenVectors.GIVEN, given=((1.0, 0.0),))
    assert "length squared" in dot_verdict(dot_table(alone))


def test_a_vector_of_length_zero_has_no_direction():
    recipe = replace(THREE_WORDS, given=((0.0,) * 4, *THREE_WORDS.given[1:]))
    table = dot_table(recipe)
    assert np.isnan(table.cosines[0]).all()
    assert table.dots[0].tolist() == [0.0, 0.0, 0.0]
    assert "no direction" in dot_words(table, 0, 1)[1]
    _, cosines = dot_pictures(table)
    assert cosines.masked[0].all()
    assert not cosines.masked[1:, 1:].any()


def test_typing_changes_one_number_and_nothing_else():
    changed = with_number(THREE_WORDS, 1, 2, "0,35")
    assert changed.given[1] == (0.1, 0.9, 0.35, 0.7)
    assert changed.given[0] == THREE_WORDS.given[0]
    assert replace(changed, given=THREE_WORDS.given) == THREE_WORDS
    with pytest.raises(ExplorerError, match="is not a number"):
        with_number(THREE_WORDS, 1, 2, "much")
    with pytest.raises(ExplorerError, match="not a finite number"):
        with_number(THREE_WORDS, 1, 2, "inf")


def test_random_vectors_become_numbers_bit_by_bit_and_the_heads_stay():
    recipe = ToyRecipe(d_model=16, heads=2)
    given = as_given(recipe)
    assert given.vectors is TokenVectors.GIVEN
    assert np.array_equal(token_embeddings(given)[0], token_embeddings(recipe)[0])
    assert np.array_equal(toy_layers(given)[0].q, toy_layers(recipe)[0].q)


def test_the_encoding_is_left_out_and_stays_in_the_recipe():
    recipe = ToyRecipe(d_model=16, heads=2, encoding=Encoding.SINUSOIDAL)
    given = as_given(recipe)
    assert given.encoding is Encoding.SINUSOIDAL
    assert np.array_equal(token_embeddings(given)[0], token_embeddings(recipe)[0])
    assert np.array_equal(dot_table(recipe).vectors, token_embeddings(replace(recipe, encoding=Encoding.NONE))[0])


def test_both_sentences_are_compared():
    recipe = ToyRecipe("le chat", "The cat", d_model=8, heads=2)
    table = dot_table(recipe)
    assert table.names == ("le", "chat", "The", "cat")
    changed = with_number(recipe, 2, 0, "5")
    assert token_embeddings(changed)[1][0, 0] == 5.0
    assert np.array_equal(token_embeddings(changed)[0], token_embeddings(recipe)[0])


def test_rows_beyond_the_sentence_are_kept():
    shorter = replace(THREE_WORDS, sentence="cat sat")
    assert with_number(shorter, 0, 0, "2").given[2] == THREE_WORDS.given[2]


def test_what_cannot_be_compared_or_typed_says_why():
    with pytest.raises(ExplorerError, match="no embeddings"):
        dot_table(HandMadeRecipe())
    with pytest.raises(ExplorerError, match="Up to 64 vectors are compared, and there are 65"):
        dot_table(ToyRecipe(" ".join(["w"] * 65)))
    with pytest.raises(ExplorerError, match="type a sentence"):
        dot_table(ToyRecipe(""))
    assert "Up to 4096 numbers can be typed" in reason_against_typing(ToyRecipe(" ".join(["w"] * 65)))
    assert "Hand-made heads" in reason_against_typing(HandMadeRecipe())
    assert reason_against_typing(THREE_WORDS) == ""
    with pytest.raises(ExplorerError, match="4096"):
        as_given(ToyRecipe(" ".join(["w"] * 65)))


def test_the_numbers_can_be_taken_away():
    header, rows = vectors_table(dot_table(THREE_WORDS))
    assert header == ("token", "x1", "x2", "x3", "x4", "· cat", "· sat", "· mat", "cos cat", "cos sat", "cos mat")
    assert rows[0][:5] == ("cat", 0.9, 0.1, 0.8, 0.2)
    assert rows[2][7] == pytest.approx(1.26)
