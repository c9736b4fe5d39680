"""Words of a text, whichever tokens its model cuts it into; and what a source shows of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.model_source import ModelSource, model_recipe
from attention_explorer.sources.models import load_model
from attention_explorer.sources.source import Ability, Lookup

MODELS = Path(__file__).parents[2] / "data" / "models"
TEXT = "Unbelievable, isn't it? (Rome) is well-known..."
WORDS = ["Unbelievable", ",", "isn't", "it", "?", "(", "Rome", ")", "is", "well-known", ".", ".", "."]
NAMES = ("gpt2", "llama", "llama-spm", "modernbert", "gemma3", "t5")
SPECIAL = ("[CLS]", "[SEP]", "<s>", "</s>", "<bos>")


def source(name: str, text: str = TEXT, context: str | None = None) -> ModelSource:
    return ModelSource(replace(model_recipe(MODELS / name, text), context=context, whole_words=True))


def by_token(name: str, text: str = TEXT, context: str | None = None) -> ModelSource:
    return ModelSource(replace(model_recipe(MODELS / name, text), context=context))


def words_of(labels: tuple[str, ...]) -> list[str]:
    return [label.strip("␣") for label in labels if label not in SPECIAL]


@pytest.mark.parametrize("name", NAMES)
def test_words_are_those_between_spaces_without_the_punctuation_at_their_edges(name: str) -> None:
    opened = source(name)
    found = words_of(opened.labels[0])
    # SentencePiece may have a token of a word and the mark before it.
    assert found == WORDS or "".join(found) == "".join(WORDS)
    assert "well-known" in found
    assert "isn't" in found
    assert len(opened.words[0]) == len(by_token(name).tokens) > len(opened.tokens)


def test_parts_of_a_character_and_a_space_before_a_word_belong_to_it() -> None:
    assert words_of(source("gpt2", "naïve  🙂 東京 ok").labels[0]) == ["naïve", "", "🙂", "東", "京", "ok"]


@pytest.mark.parametrize("name", ["bert", "xlm-roberta"])
def test_of_a_pair_no_word_crosses_from_one_text_into_the_other(name: str) -> None:
    found = [word.casefold() for word in words_of(source(name, "Hello there", "Yes indeed").labels[0])]
    assert found == ["hello", "there", "yes", "indeed"]


@pytest.mark.parametrize(
    ("name", "context"), [("gpt2", None), ("bert", None), ("bert", "yes you do"), ("t5", "hello you")]
)
def test_its_maps_are_those_of_its_tokens_summed_and_averaged(name: str, context: str | None) -> None:
    whole, cut = source(name, "Hello there, you", context), by_token(name, "Hello there, you", context)
    queries, keys = (np.array(each) for each in cut.words)
    for shown, layer in zip(whole.layers(Lookup()), cut.layers(Lookup()), strict=True):
        for map_, tokens in zip(shown.maps, layer.maps, strict=True):
            sums = np.stack([tokens.weights()[:, keys == word].sum(axis=1) for word in range(keys.max() + 1)], axis=1)
            means = np.stack([sums[queries == word].mean(axis=0) for word in range(queries.max() + 1)])
            np.testing.assert_allclose(map_.weights(), means, rtol=0, atol=1e-6)
            np.testing.assert_allclose(map_.weights().sum(axis=1), 1.0, rtol=0, atol=1e-5)
    assert whole.traits.reason_against(Ability.SCORES) == whole.traits.reason_against(Ability.VALUES) != ""
    assert any("whole words" in line for line in whole.caption())


def test_a_word_that_is_hidden_is_hidden_with_all_its_tokens() -> None:
    whole, cut = source("gpt2", "Hello there, you"), by_token("gpt2", "Hello there, you")
    mask = np.ones((len(whole.tokens),) * 2, bool)
    mask[1:, 1] = False
    words = np.array(cut.words[0])
    expected = cut.layers(Lookup(mask=mask[words][:, words]))[1].maps[0].weights()
    assert not expected[words > 1][:, words == 1].any()
    np.testing.assert_allclose(
        whole.layers(Lookup(mask=mask))[1].maps[0].weights()[0],
        np.add.reduceat(expected[words == 0].mean(axis=0), np.flatnonzero(np.diff(words, prepend=-1))),
        atol=1e-6,
    )


def test_what_a_model_says_after_a_word_is_what_it_says_after_its_last_token() -> None:
    whole, cut = source("gpt2"), by_token("gpt2")
    layers, tokens = whole.layers(Lookup()), cut.layers(Lookup())
    for word in (0, 3):
        last = max(place for place, each in enumerate(cut.words[0]) if each == word)
        now, then = whole.predictions(layers, word, 3), cut.predictions(tokens, last, 3)
        assert now is not None
        assert then is not None
        assert now.ids == then.ids
    assert whole.guess(layers) == cut.guess(tokens)
    bits, each = whole.surprise(layers), load_model(MODELS / "gpt2")(TEXT).surprise
    assert bits is not None
    assert np.isnan(bits[0])
    np.testing.assert_allclose(bits[1], each[np.array(cut.words[0]) == 1].sum(), atol=1e-3)


def test_a_model_that_is_gone_says_so() -> None:
    with pytest.raises(ExplorerError):
        ModelSource(ModelRecipe("nowhere", whole_words=True)).words  # noqa: B018
