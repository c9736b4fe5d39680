"""What hand-made heads say of themselves, held against the weights that they have."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.sources.hand_made import hand_made_heads, hand_made_layers
from attention_explorer.sources.hand_made_notes import pattern_words, untranslated
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe


def head_of(recipe: HandMadeRecipe, name: str) -> int:
    return [head.id for head in hand_made_heads(recipe)].index(name)


def said(name: str, sentence: str, context: str | None = None) -> str:
    recipe = HandMadeRecipe(sentence, context)
    return pattern_words(recipe, head_of(recipe, name))


def weights(name: str, sentence: str, context: str | None = None) -> np.ndarray:
    recipe = HandMadeRecipe(sentence, context)
    return hand_made_layers(recipe)[0].maps[head_of(recipe, name)].weights()


def even(row: np.ndarray) -> bool:
    return bool(np.ptp(row) < 1e-12)


# ---- Translation ----


def test_a_translation_names_the_words_it_does_not_know() -> None:
    words = said("translation", "le chien dort", "the cat sleeps")
    assert "It does not know “dort”, which has no preference." in words
    assert "“chien” has no preference, as no translation is in the other sentence." in words
    rows = weights("translation", "le chien dort", "the cat sleeps")
    assert [even(row) for row in rows] == [False, True, True]


def test_a_translation_of_unknown_words_claims_no_pattern() -> None:
    words = said("translation", "der Hund bellt", "the dog barks")
    assert words == "It knows none of these words and finds no translation here: no token has a preference."
    assert all(even(row) for row in weights("translation", "der Hund bellt", "the dog barks"))


def test_known_words_alone_are_not_excused() -> None:
    assert said("translation", "le chat s'est assis sur le tapis", "The cat sat on the mat") == (
        "Every word looks for its translation, from a dictionary of a few words."
    )


def test_many_unknown_words_are_counted() -> None:
    words = said("translation", "le ba be bi bo bu", "the mat")
    assert "It does not know “ba”, “be”, “bi”, “bo” and 1 more, which have no preference." in words


vocabulary = st.lists(
    st.sampled_from(["le", "chat", "chien", "tapis", "the", "cat", "mat", "it", "xyz", "foo", ".", "tired", "soft"]),
    min_size=1,
    max_size=7,
).map(" ".join)


@given(vocabulary, vocabulary)
@settings(max_examples=150, deadline=None)
def test_exactly_the_rows_that_are_said_to_be_even_are(sentence: str, context: str) -> None:
    recipe = HandMadeRecipe(sentence, context)
    unknown, alone = untranslated(recipe.tokens, recipe.context_tokens)
    assert not set(unknown) & set(alone)
    rows = weights("translation", sentence, context)
    idle = {*unknown, *alone}
    for token, row in zip(recipe.tokens, rows, strict=True):
        wanted_by_all = token not in idle and bool(np.all(row == row[0]))  # every key is its translation
        assert even(row) == (token in idle or wanted_by_all)
    words = pattern_words(recipe, head_of(recipe, "translation"))
    assert ("no token has a preference" in words) == idle.issuperset(recipe.tokens)


@given(vocabulary, vocabulary)
@settings(max_examples=100, deadline=None)
def test_words_without_their_like_are_named(sentence: str, context: str) -> None:
    rows = weights("same-word", sentence, context)
    recipe = HandMadeRecipe(sentence, context)
    held = {token.casefold() for token in recipe.context_tokens}
    alone = [token.casefold() not in held for token in recipe.tokens]
    assert all(even(row) for row, idle in zip(rows, alone, strict=True) if idle)
    assert ("not in the other sentence" in pattern_words(recipe, head_of(recipe, "same-word"))) == any(alone)


# ---- Within a sentence ----


@given(vocabulary)
@settings(max_examples=150, deadline=None)
def test_what_it_stands_for_is_said_only_where_it_is_so(sentence: str) -> None:
    recipe = HandMadeRecipe(sentence)
    words, rows = said("antecedent", sentence), weights("antecedent", sentence)
    tokens = [token.casefold() for token in recipe.tokens]
    assert all(even(row) for word, row in zip(tokens, rows, strict=True) if word != "it")
    if "it" not in tokens:
        assert "no “it” here" in words
        return
    most = recipe.tokens[int(rows[tokens.index("it")].argmax())]
    named = re.search(r"looks for “(\w+)”|goes to “([^”]+)”", words)
    assert named is not None
    assert (named[1] or named[2]).casefold() == most.casefold()
    assert ("means nothing" in words) == (most.casefold() not in ("cat", "mat") or named[1] is None)


@given(vocabulary)
@settings(max_examples=100, deadline=None)
def test_the_two_tokens_that_are_named_get_the_most_and_alike(sentence: str) -> None:
    recipe = HandMadeRecipe(sentence)
    words, rows = said("two-at-once", sentence), weights("two-at-once", sentence)
    if len(recipe.tokens) == 1:
        assert "only one" in words
        return
    first, second = (int(place) - 1 for place in re.findall(r"\((\d+)\)", words))
    asking = [i for i, word in enumerate(recipe.tokens) if word == "it"] or [len(recipe.tokens) - 1]
    for row in asking:
        assert rows[row, first] == rows[row, second] == rows[row].max()
    assert all(even(row) for i, row in enumerate(rows) if i not in asking)


@pytest.mark.parametrize("head", range(5))
def test_no_words_have_no_pattern(head: int) -> None:
    assert pattern_words(HandMadeRecipe(""), head) == ""
