"""Ways on that Heads offers: where the picture shows little as it is, and where words are unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from attention_explorer.core.map_picture import Contrast, MapPicture
from attention_explorer.core.numerals import listed
from attention_explorer.errors import on_one_line, quoted
from attention_explorer.model import Stage
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.large_picture import LargePicture
from attention_explorer.pages.heads.shown_map import lengths_shown, stage_shown
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, MaskChoice, MaskKind
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import context_of, recipe_as, sentence_of
from attention_explorer.sources.source import Ability, Recipe
from attention_explorer.sources.tokens import tokens_in

DARK = 0.02
"""Where the average weight is less than this share of the colour bar, a map is nearly all in its darkest colour."""

MOST_OFFERS = 2


@dataclass(frozen=True, slots=True)
class Offer:
    """A button: its text, a tip, the name of its undo step, and what it does.

    Without a change it asks how the file is to be read.
    """

    text: str
    tip: str
    label: str = ""
    change: Callable[[HeadsState], HeadsState] | None = None


@dataclass(frozen=True, slots=True)
class Offers:
    """Some buttons with the words before them."""

    words: str = ""
    buttons: tuple[Offer, ...] = ()


def offers_for(frame: HeadsFrame, heads: HeadsState, picture: LargePicture) -> Offers:
    """Return what a picture of a frame offers: another B while B is A, other colours where nearly all is dark."""
    if isinstance(picture, Comparison):
        return Offers("Compare with:", _other_setups(frame, heads.setup)) if picture.is_of_one_setup else Offers()
    if isinstance(picture, MapPicture) and _is_dark(frame, heads, picture):
        return Offers("Nearly all is dark. Try:", _COLOURS)
    return Offers()


def offers_for_refused(heads: HeadsState) -> Offers:
    """Return the question how a file is to be read of which a row is none of weights."""
    return Offers("A row is none of weights:", (_ASK,)) if recipe_as(heads.setup.recipe, FileRecipe) else Offers()


_ASK = Offer("How to read it…", "Say which axis is which, and whether rows are scores or parts of a sum")


# ---- What to compare with ----


def _other_setups(frame: HeadsFrame, setup: HeadsSetup) -> tuple[Offer, ...]:
    """Return the obvious things to compare a setup with, each as B."""
    traits, found = frame.source.traits, []
    if not traits.reason_against(Ability.MASKS):
        masked = frame.mask is not None
        name, mask = ("no mask", MaskChoice()) if masked else ("causal mask", MaskChoice(MaskKind.CAUSAL))
        found.append((name, replace(setup, mask=mask)))
    if setup.aggregate is not Aggregate.ONE:
        found.append(
            (f"{frame.count.head(frame.head)} alone", replace(setup, head=frame.head, aggregate=Aggregate.ONE))
        )
    elif frame.heads > 1:
        head = (frame.head + 1) % frame.heads
        found.append((frame.count.head(head), replace(setup, head=head)))
    if not traits.reason_against(Ability.SCORES):
        found.append(("soft lookup" if setup.hard else "hard lookup", replace(setup, hard=not setup.hard)))
    return tuple(_kept_as_b(text, other) for text, other in found[:MOST_OFFERS])


def _kept_as_b(text: str, other: HeadsSetup) -> Offer:
    tip = f"The same with {text} becomes B: A beside B, and A − B"
    return Offer(text, tip, f"Compare with {text}", lambda heads: replace(heads, other=other))


# ---- Colours ----


def _is_dark(frame: HeadsFrame, heads: HeadsState, picture: MapPicture) -> bool:
    if stage_shown(frame, heads.view) is not Stage.WEIGHTS or frame.setup.hard:
        return False  # what is not the best is 0 in hard lookup: no colours show more of it
    if lengths_shown(frame, heads.view) is not None:
        return False  # lengths are no shares of a whole
    if heads.view.contrast not in (Contrast.UNIT, Contrast.MAX):
        return False
    visible = np.array([frame.shape[1]]) if frame.mask is None else frame.mask.sum(axis=1)
    # Of the rows that see anything, each shares out 1. Not from the picture: it depends on the room there is.
    return float(np.count_nonzero(visible)) < DARK * picture.scale.high * float(visible.sum())


def _with_contrast(text: str, tip: str, contrast: Contrast) -> Offer:
    return Offer(text, tip, "Change the contrast", lambda heads: heads.with_view(contrast=contrast))


_COLOURS = (
    _with_contrast("log", "Powers of ten from 0.0001 to 1: small weights become visible", Contrast.LOG),
    _with_contrast("to 98 %", "End the bar where 98 % of the weights lie below", Contrast.PERCENTILE),
)


# ---- Unknown words ----


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
