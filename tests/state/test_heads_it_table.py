"""The table for “it”: the tutorial's numbers, the scores they imply, and numbers of one's own."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.hand_made import hand_made_layers
from attention_explorer.sources.hand_made_notes import pattern_words
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.heads.differences import what_differs
from attention_explorer.state.heads.frame import heads_frame
from attention_explorer.state.heads.it_table import (
    antecedent_head,
    it_reading,
    it_table,
    it_words,
    renormalised,
    with_last_word,
    with_score,
    with_share,
)
from attention_explorer.state.heads.state import HeadsSetup, MaskChoice, MaskKind

RECIPE = HandMadeRecipe()
MAT, CAT, THE, ON = 5, 1, 0, 3


def table_of(recipe: HandMadeRecipe, **changes: object):
    return it_table(heads_frame(HeadsSetup(recipe, **changes)))


def test_the_tutorials_weights_and_the_differences_behind_them():
    table = table_of(RECIPE)
    np.testing.assert_allclose(
        table.weights, [0.02, 0.08, 0.03, 0.01, 0.01, 0.72, 0.03, 0.05, 0.03, 0.02], rtol=0, atol=1e-15
    )
    assert math.fsum(table.shares) == 100
    for key, implied in ((CAT, 2.197), (THE, 3.584), (ON, 4.277), (MAT, 0.0)):
        assert table.behind[key] == pytest.approx(implied, abs=5e-4)
        assert table.scores[MAT] - table.scores[key] == pytest.approx(table.behind[key], abs=1e-12)
    assert table.entropy == pytest.approx(1.153, abs=5e-4)
    assert "2.197 above that of “cat”: e to that power is 9.00" in it_reading(table)
    assert "as spread as 3.17 even keys" in it_reading(table)
    assert table.glosses[MAT] == "Most likely referent: “it” = mat"
    assert "invented" in it_words(table)
    assert "sum to 100" in it_words(table)


def test_a_typed_share_is_renormalised_with_the_others():
    changed = with_share(RECIPE, CAT, "72")
    table = table_of(changed)
    assert table.is_own
    expected = np.array([2, 72, 3, 1, 1, 72, 3, 5, 3, 2]) / 164
    np.testing.assert_allclose(table.weights, expected, rtol=0, atol=1e-15)
    assert table.weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert it_words(table).startswith("Typed numbers")
    other = hand_made_layers(changed)[0].maps[0].weights()
    assert np.array_equal(other, hand_made_layers(RECIPE)[0].maps[0].weights())  # the other heads stay


def test_a_typed_score_makes_its_share():
    table = table_of(with_score(RECIPE, THE, "2,5"))
    assert table.scores[THE] == pytest.approx(2.5)
    assert table.shares[THE] == pytest.approx(math.exp(2.5))
    by_hand = [math.exp(score) for score in table.scores.tolist()]
    np.testing.assert_allclose(table.weights, np.array(by_hand) / math.fsum(by_hand), atol=1e-15)


def test_dividing_by_the_sum_moves_no_weight():
    changed = with_share(RECIPE, ON, "400")
    divided = renormalised(changed)
    assert math.fsum(share for _, share in divided.own_shares) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(table_of(divided).weights, table_of(changed).weights, atol=1e-15)


def test_the_last_word_moves_the_weight_between_mat_and_cat():
    tired = with_last_word(RECIPE, "tired")
    assert tired.sentence == "The cat sat on the mat because it was tired"
    table = table_of(tired)
    assert table.weights[CAT] == pytest.approx(0.72)
    assert table.weights[MAT] == pytest.approx(0.08)
    assert "“it” = cat" in table.glosses[CAT]
    assert with_last_word(tired, "soft") == RECIPE
    assert with_last_word(HandMadeRecipe("it is soft."), "tired").sentence == "it is tired."
    assert with_last_word(HandMadeRecipe("a dog"), "tired").sentence.endswith("it was tired")
    assert not table_of(with_last_word(with_share(RECIPE, CAT, "5"), "soft")).is_own  # its own numbers are forgotten


def test_own_numbers_hold_for_their_sentence_only():
    changed = with_share(RECIPE, CAT, "5")
    assert changed.has_own_shares
    other = replace(changed, sentence="The dog sat on the mat because it was soft")
    assert not other.has_own_shares
    assert table_of(other).weights[MAT] == pytest.approx(72 / 93)  # "dog" is not in the table: 1 instead of 8
    assert replace(other, sentence=changed.sentence).has_own_shares


def test_the_numbers_are_those_of_the_head_with_mask_and_temperature():
    table = table_of(RECIPE, mask=MaskChoice(MaskKind.CAUSAL), temperature=2.0)
    assert table.weights[8:].tolist() == [0.0, 0.0]
    assert np.isinf(table.behind[8:]).all()
    seen = [math.exp(score / 2) for score in table.scores[:8].tolist()]
    np.testing.assert_allclose(table.weights[:8], np.array(seen) / math.fsum(seen), atol=1e-15)
    nothing = table_of(HandMadeRecipe("it was soft"), mask=MaskChoice(MaskKind.STRICT))
    assert it_reading(nothing) == "“it” may attend to nothing here."


@pytest.mark.parametrize(
    ("make", "text", "said"),
    [
        (with_share, "0", "above 0"),
        (with_share, "-3", "above 0"),
        (with_share, "2e6", "up to 1000000"),
        (with_share, "much", "not a number"),
        (with_score, "12.5", "from −12 to 12"),
    ],
)
def test_what_cannot_be_a_share_or_a_score_is_refused(make, text, said):
    with pytest.raises(ExplorerError, match=said):
        make(RECIPE, CAT, text)


def test_where_there_is_no_table_it_says_why():
    with pytest.raises(ExplorerError, match="hand-made heads of one sentence"):
        it_table(heads_frame(HeadsSetup(ToyRecipe())))
    with pytest.raises(ExplorerError, match="hand-made heads of one sentence"):
        it_table(heads_frame(HeadsSetup(HandMadeRecipe("le chat", "the cat"))))
    with pytest.raises(ExplorerError, match="There is no “it”"):
        it_table(heads_frame(HeadsSetup(HandMadeRecipe("The cat sat"))))
    for change in (renormalised, lambda recipe: with_share(recipe, 0, "1")):
        with pytest.raises(ExplorerError, match="Only the hand-made heads"):
            change(ToyRecipe())
    assert antecedent_head(ToyRecipe()) is None


def test_what_else_speaks_of_the_head_knows_of_typed_numbers():
    head = antecedent_head(RECIPE)
    changed = with_share(RECIPE, CAT, "500")
    assert "whose numbers were typed" in pattern_words(changed, head)
    assert "typed" not in pattern_words(RECIPE, head)
    a, b = what_differs(HeadsSetup(changed), HeadsSetup(RECIPE))
    assert "“it” as typed in A" in a
    assert "“it” as in the tutorial" in b
