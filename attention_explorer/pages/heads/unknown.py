"""Words of a sentence that a source does not know, and the ways on: another word, or another source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from attention_explorer.core.numerals import listed
from attention_explorer.errors import on_one_line, quoted
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.registry import context_of, recipe_as, sentence_of
from attention_explorer.sources.source import Recipe
from attention_explorer.sources.tokens import tokens_in

MOST_WORDS = 2
"""So many words are offered another in their place, by one button."""
MOST_LETTERS = 24
"""So many of the sentence on show name it."""


@dataclass(frozen=True, slots=True)
class WayOn:
    """A button: what it says, what its undo step is called, and what it does."""

    text: str
    label: str
    change: Callable[[HeadsState], HeadsState]


def unknown_words(recipe: Recipe) -> tuple[str, ...]:
    """Return the words of a sentence, each once, that a model which was learned here does not know."""
    learned = recipe_as(recipe, LearnedRecipe)
    task = None if learned is None else TASKS.get(learned.setup.task)
    if learned is None or task is None:
        return ()
    known = {word.casefold() for word in task.vocabulary(learned.setup).words}
    words = (*learned.tokens, *(learned.context_tokens if learned.context is not None else ()))
    return tuple(dict.fromkeys(word for word in words if word.casefold() not in known))


def unknown_said(heads: HeadsState, shown: str) -> str:
    """Say which words the model does not know, and which sentence is on show instead, if any is."""
    words = unknown_words(heads.setup.recipe)
    were = "was" if len(words) == 1 else "were"
    still = f" Still on show: “{on_one_line(shown.strip(), MOST_LETTERS)}”." if shown else ""
    return f"{listed(map(quoted, words), MOST_WORDS)} {were} not learned.{still}"


def ways_on(heads: HeadsState) -> tuple[WayOn, ...]:
    """Return what can be done where a sentence has words that the model does not know."""
    learned, unknown = recipe_as(heads.setup.recipe, LearnedRecipe), unknown_words(heads.setup.recipe)
    if learned is None or not unknown:
        return ()
    known = TASKS[learned.setup.task].vocabulary(learned.setup).words
    others = dict[str, str]()
    for word in unknown[:MOST_WORDS]:
        near = get_close_matches(word.casefold(), known, 1)
        other = near[0] if near else _usual(learned, word, known)
        if other:
            others[word] = other
    random = WayOn("random heads take any sentence", "Random heads", _with_random_heads)
    if not others:
        return (random,)
    used = listed(map(quoted, others.values()), MOST_WORDS)
    of = f" of {quoted(*others)}" if len(others) == 1 else ""
    return WayOn(f"use {used} instead{of}", f"Use {used}", _instead(others)), random


def _usual(recipe: LearnedRecipe, word: str, known: tuple[str, ...]) -> str:
    """Return what stands in the place of a word in the sentence to begin with; empty if the model does not know it."""
    usual = tokens_in(sentence_of(ToyRecipe()))
    place = recipe.tokens.index(word) if word in recipe.tokens else len(usual)
    found = usual[place].casefold() if place < len(usual) else ""
    return found if found in known else ""


def _instead(others: Mapping[str, str]) -> Callable[[HeadsState], HeadsState]:
    def replaced(sentence: str) -> str:
        return " ".join(others.get(word, word) for word in sentence.split())

    def change(heads: HeadsState) -> HeadsState:
        recipe = heads.setup.recipe
        context = context_of(recipe)
        return heads.with_recipe(
            sentence=replaced(sentence_of(recipe)), context=None if context is None else replaced(context)
        )

    return change


def _with_random_heads(heads: HeadsState) -> HeadsState:
    recipe = ToyRecipe(sentence_of(heads.setup.recipe), context_of(heads.setup.recipe))
    return replace(heads, setup=replace(heads.setup, recipe=recipe, layer=0, head=0), preset="random-words")
