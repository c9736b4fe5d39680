"""The table for “it”: the tutorial's numbers, the scores they imply, and numbers of one's own."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.compare import what_differs
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.it_table import (
    antecedent_head,
    it_reading,
    it_table,
    it_words,
    renormalised,
    with_last_word,
    with_score,
    with_share,
)
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.hand_made import hand_made_layers
from attention_explorer.sources.hand_made_notes import pattern_words
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

RECIPE = HandMadeRecipe()
MAT, CAT, THE, ON = 5, 1, 0, 3
TUTORIAL = {
    "The": 2, "cat": 8, "sat": 3, "on": 1, "the": 1, "mat": 72, "because": 3, "it": 5, "was": 3, "soft": 2,
}  # fmt: skip
WORDS = st.sampled_from(("The", "the", "cat", "mat", "it", "soft", "tired", "animal", "street", "says", "."))
SETTINGS = st.fixed_dictionaries(
    {
        "mask": st.sampled_from((MaskChoice(), MaskChoice(MaskKind.CAUSAL), MaskChoice(MaskKind.STRICT))),
        "hard": st.booleans(),
        "temperature": st.sampled_from((0.5, 1.0, 3.0)),
        "scaled": st.booleans(),
    }
)
SENTENCES = st.one_of(
    st.just(RECIPE.sentence),
    st.just("The cat sat on the mat because it was tired"),
    st.just("My uncle says it rains"),
    st.lists(WORDS, min_size=1, max_size=6).map(lambda words: " ".join((*words, "it"))),
)


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
    assert table.glosses[MAT] == "Most likely referent — “it” = mat"
    assert "invented" in it_words(table)
    assert "sum to 100" in it_words(table)


@settings(max_examples=150, deadline=None)
@given(SENTENCES, st.booleans(), SETTINGS)
def test_every_table_says_whose_its_numbers_are_and_what_becomes_of_them(sentence, typed, changes):
    recipe = with_share(HandMadeRecipe(sentence), 0, "7") if typed else HandMadeRecipe(sentence)
    table = table_of(recipe, **changes)
    said, shares = it_words(table), np.array(table.shares)
    printed = table.tokens == tuple(TUTORIAL) and table.shares == tuple(map(float, TUTORIAL.values()))
    assert said.startswith("A tutorial’s invented numbers") == table.is_the_tutorials == printed
    assert said.startswith("Typed numbers") == typed
    assert said.startswith("Numbers that this program made up") == (not printed and not typed)
    assert not any(table.glosses) or not typed, "why is not known of typed numbers"
    if "Divided by that they are the weights" in said:
        np.testing.assert_allclose(table.weights, shares / shares.sum(), rtol=1e-8)
        assert table.weights.sum() == pytest.approx(1.0)
    elif "would be the weights" in said:
        assert abs(table.weights - shares / shares.sum()).max() > 0
        assert table.changed_by
    else:
        assert not table.weights.any()


@settings(max_examples=100, deadline=None)
@given(SENTENCES, SETTINGS)
def test_the_lead_of_the_best_score_is_the_one_that_the_weights_show(sentence, changes):
    table = table_of(HandMadeRecipe(sentence), **changes)
    seen = np.isfinite(table.behind)
    if not seen.any():
        return
    logits = table.scores[seen] / table.temperature
    if changes["hard"]:
        assert table.weights.max() == 1
    else:
        np.testing.assert_allclose(table.weights[seen], np.exp(logits) / np.exp(logits).sum(), rtol=1e-9)
    np.testing.assert_allclose(table.behind[seen], table.scores[seen].max() - table.scores[seen], atol=1e-12)
    alike = int(np.count_nonzero(table.weights == table.weights.max()))
    said = it_reading(table)
    assert said.startswith("The most goes to " if alike == 1 else f"{alike} tokens get the most, ")
    if " Its score lies " in said:
        assert ("divided by the temperature" in said) == (table.temperature != 1.0)


@pytest.mark.parametrize("scaled", [True, False])
def test_a_typed_score_is_the_score_shown(scaled):
    unit = table_of(RECIPE, scaled=scaled).score_unit
    table = table_of(with_score(RECIPE, THE, "2.5", unit), scaled=scaled)
    assert table.scores[THE] == pytest.approx(2.5)
    assert (unit == 1.0) == scaled


def test_an_adjective_describes_only_a_noun_that_is_there():
    assert table_of(HandMadeRecipe("it is soft")).glosses[2] == "Adjective"
    assert table_of(RECIPE).glosses[9] == "Adjective describing mat"


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
    with pytest.raises(ExplorerError, match="hand-made heads of a single sentence"):
        it_table(heads_frame(HeadsSetup(ToyRecipe())))
    with pytest.raises(ExplorerError, match="hand-made heads of a single sentence"):
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
    assert "as typed in its table" in pattern_words(changed, head)
    assert "typed" not in pattern_words(RECIPE, head)
    a, b = what_differs(HeadsSetup(changed), HeadsSetup(RECIPE))
    assert "“it” as typed in A" in a
    assert "“it” as first made" in b
