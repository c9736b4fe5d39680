"""What a model says with words hidden from it, against loops over plain numbers."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core import files
from attention_explorer.pages.heads.guess import can_hide_words, guess_setup, guessed, without_word
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.heads.state import HeadsState, MaskChoice, MaskKind
from attention_explorer.sources.learned.box import file_name
from attention_explorer.sources.learned.model_file import read_model
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.registry import tokens_of
from attention_explorer.tools.lessons import reading

EXAMPLE = heads_preset(HIDING).state
IT, ADJECTIVE, ANIMAL, THING = 7, 9, 1, 5
ASKED = next(step.draw[0].values for step in reading.lessons()[0].steps if step.draw)
SENTENCES = ("The cat slept on the bed because it was soft", "the dog lay near the wall because it was tired .", *ASKED)


def reading(sentence: str) -> HeadsState:
    return EXAMPLE.with_recipe(sentence=sentence)


def by_loops(words: list[str], hidden: Collection[int], *, causal: bool = False) -> dict[str, float]:
    """Return how probable each answer at “it” is: two layers of one head over one sentence, number by number."""
    model = read_model(Path(files.path(file_name("it"))))
    array = {name: part.astype(float).tolist() for name, part in model.network.parameters.arrays.items()}
    known = TASKS["it"].vocabulary(model.setup).words
    rows = [
        [a + b for a, b in zip(array["w_e"][known.index(word)], array["w_p"][place], strict=True)]
        for place, word in enumerate(words)
    ]
    for layer in range(2):
        q, k, v = ([times(row, array[f"stack.{layer}.w_{name}"]) for row in rows] for name in "qkv")
        after = []
        for place, (row, query) in enumerate(zip(rows, q, strict=True)):
            seen = [j for j in range(len(words)) if j not in hidden and (j <= place or not causal)]
            scores = {j: dot(query, k[j]) / math.sqrt(32) for j in seen}
            most = max(scores.values())
            shares = {j: math.exp(score - most) for j, score in scores.items()}
            total = sum(shares.values())
            found = [sum(share / total * v[j][d] for j, share in shares.items()) for d in range(32)]
            after.append([a + b for a, b in zip(row, times(found, array[f"stack.{layer}.w_o"]), strict=True)])
        rows = after
    logits = [a + b for a, b in zip(times(rows[IT], array["w_out"]), array["b_out"], strict=True)]
    most = max(logits)
    powers = [math.exp(logit - most) for logit in logits]
    return {word: power / sum(powers) for word, power in zip(known, powers, strict=True)}


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(row: list[float], matrix: list[list[float]]) -> list[float]:
    return [dot(row, list(column)) for column in zip(*matrix, strict=True)]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_guess_is_what_loops_find_whatever_word_is_hidden(sentence):
    heads, words = reading(sentence), sentence.lower().split()
    found = guessed(guess_setup(heads.setup))
    for hidden in (None, *range(len(words))):
        guess = found.now if hidden is None else without_word(heads, hidden)
        wanted = by_loops(words, () if hidden is None else (hidden,))
        assert guess.word == max(wanted, key=wanted.get)
        assert guess.probability == pytest.approx(wanted[guess.word], rel=1e-9)


def test_two_hidden_words_are_as_hidden_as_one():
    heads = reading(SENTENCES[0]).with_word(ADJECTIVE, hide=True).with_word(ANIMAL, hide=True)
    found, wanted = guessed(guess_setup(heads.setup)), by_loops(SENTENCES[0].lower().split(), (ADJECTIVE, ANIMAL))
    assert found.hidden == ("cat", "soft")
    assert found.before.word == "bed"
    assert found.now.probability == pytest.approx(wanted[found.now.word], rel=1e-9)


def test_what_the_example_says_of_its_words_is_so():
    said = {word: without_word(EXAMPLE, place).word for place, word in enumerate(tokens_of(EXAMPLE.setup.recipe))}
    assert guessed(guess_setup(EXAMPLE.setup)).now.word == "bed"
    assert said["soft"] == "cat"
    assert said["bed"] not in ("bed", "cat")
    assert {guess for word, guess in said.items() if word not in ("soft", "bed")} == {"bed"}
    assert "the bed. Click the eye below “soft”" in heads_preset(HIDING).look_for


def test_the_pair_of_nouns_was_never_learned_from():
    setup = EXAMPLE.setup.recipe.setup
    task = TASKS[setup.task]
    numbers = task.vocabulary(setup).numbers("cat", "bed").tolist()
    drawn = task.draw(np.random.RandomState(3), 6000, setup).tokens[:, [ANIMAL, THING]].tolist()
    assert numbers not in drawn
    assert numbers in task.held_out(setup).tokens[:, [ANIMAL, THING]].tolist()


@pytest.mark.parametrize("sentence", ASKED)
def test_with_its_last_word_hidden_each_sentence_of_the_lesson_is_of_the_animal(sentence):
    words = sentence.split()
    assert guessed(guess_setup(reading(sentence).setup)).now.word == words[THING]
    assert without_word(reading(sentence), ADJECTIVE).word == words[ANIMAL]


@pytest.mark.parametrize(
    ("preset", "sentence", "says", "hides"),
    [
        (HIDING, "The cat slept", False, False),  # nothing is asked
        (HIDING, "The unicorn slept on the bed because it was soft", False, False),
        ("learned-it", None, True, True),
        ("learned-repeat", None, False, False),
        ("random-words", None, False, False),
        ("minilm", None, False, False),
    ],
)
def test_who_says_nothing_has_no_guess_and_no_eyes(preset, sentence, says, hides):
    heads = heads_preset(preset).state
    heads = heads if sentence is None else heads.with_recipe(sentence=sentence)
    assert can_hide_words(heads.setup) is hides
    if "unicorn" not in (sentence or ""):
        assert (guessed(guess_setup(heads.setup)) is not None) is says


def test_a_mask_that_is_chosen_counts_beside_what_is_hidden():
    heads = EXAMPLE.with_setup(mask=MaskChoice(MaskKind.CAUSAL)).with_word(ANIMAL + 1, hide=True)
    found = guessed(guess_setup(heads.setup))
    for guess, hidden in ((found.now, (ANIMAL + 1,)), (found.before, ())):
        wanted = by_loops(SENTENCES[0].lower().split(), hidden, causal=True)
        assert guess.word == max(wanted, key=wanted.get)
        assert guess.probability == pytest.approx(wanted[guess.word], rel=1e-9)
