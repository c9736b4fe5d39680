"""What a person can change on the Circuits page: the model, what it reads, what is asked, and the head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from attention_explorer.core.counting import MOST_TOKENS, MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared, derived, with_value
from attention_explorer.fields import CheckedFields
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.registry import sentence_of
from attention_explorer.sources.source import Recipe

TEXT = " ".join("qcmbtfkqcmbtfkqc")
"""What the first model reads: seven letters again and again."""
TWIN = " ".join("qcpbtfkqcpbtfkqc")
"""Another letter follows the c."""


class CircuitsView(StrEnum):
    """A question of the page."""

    LOOKS = "looks"
    BREAKS = "breaks"
    DECIDED = "decided"
    WRITES = "writes"
    WORDS = "words"
    READS = "reads"
    TWINS = "twins"
    FOUND = "found"


class Looks(StrEnum):
    """Where a head may look."""

    PREVIOUS = "previous"
    INDUCTION = "induction"
    DUPLICATE = "duplicate"
    EARLIER = "earlier"
    SINK = "sink"
    SELF = "self_"
    NEXT = "next"


class Breaks(StrEnum):
    """What is measured without a head."""

    COPY = "copy"
    ANSWER = "answer"
    LOSS = "loss"


class Reads(StrEnum):
    """By what a head reads what an earlier one wrote."""

    KEYS = "k"
    QUERIES = "q"
    VALUES = "v"


class PutIn(StrEnum):
    """What of a text is put into its twin."""

    RESIDUAL = "residual"
    ATTENTION = "attention"
    NETWORK = "network"
    HEAD = "head"


LOOK_NAMES = {
    "previous": "one back",
    "induction": "at what followed",
    "duplicate": "at the same place of the copy",
    "earlier": "at the same word earlier",
    "sink": "at the first word",
    "self_": "at itself",
    "next": "one on",
}
_OF_ANSWER = (CircuitsView.WRITES, CircuitsView.WORDS, CircuitsView.TWINS)


@dataclass(frozen=True, slots=True)
class CircuitsState(CheckedFields):
    """The Circuits page. Layers, heads and positions count from 0."""

    recipe: Recipe = declared(
        lambda: LearnedRecipe(*BOX["repeat-4"], sentence=TEXT),
        "model",
        "The model, and what it reads",
        "Ask another model",
        kind=Kind.REFERENCE,
    )
    twin: str = declared(
        TWIN, "twin", "A sentence of as many tokens, into which values of the first are put", "Change the twin"
    )
    answer: str = declared(
        "",
        "answer",
        "A word of one token that is asked about; empty for the one that the model finds most probable",
        "Ask for another answer",
        kind=Kind.SENTENCE,
    )
    against: str = declared(
        "",
        "against",
        "A word whose logit is taken off that of the answer; empty for the next most probable one, and of a twin for\n"
        "its own answer",
        "Ask against another word",
        kind=Kind.SENTENCE,
    )
    position: int = declared(
        -1,
        "position",
        "The token at which an answer is asked, from 0; −1 is the last",
        "Ask at another token",
        low=-1,
        high=MOST_TOKENS - 1,
    )
    seed: int = declared(
        0,
        "seed",
        "Of the random texts that are said twice: others give other numbers",
        "Change the seed",
        high=LARGEST_SEED,
    )
    look: Looks = declared(Looks.PREVIOUS, "looks", "Where heads look", "Ask for another look", names=LOOK_NAMES)
    breaks: Breaks = declared(
        Breaks.COPY,
        "what breaks",
        "What is measured with one head off: the loss on the copy of a random text, the logit of the answer\n"
        "less that of another, or the loss on the sentence",
        "Measure something else",
        names={"copy": "the copy", "answer": "the answer", "loss": "the sentence"},
    )
    reads: Reads = declared(
        Reads.KEYS,
        "reads by",
        "Whether later heads read it by their keys, their queries or their values",
        "Read by something else",
        names={"k": "keys", "q": "queries", "v": "values"},
    )
    put_in: PutIn = declared(
        PutIn.RESIDUAL,
        "put in",
        "What of the sentence is put into its twin, one place after the other: what enters a layer, what its\n"
        "attention or its network writes, or one head at all positions",
        "Put in something else",
        names={"residual": "what enters", "head": "one head"},
    )
    layer: int = declared(
        0, "layer", "The layer that is looked at", "Show another layer", high=MOST_WISHED, is_view=True
    )
    head: int = declared(3, "head", "The head that is looked at", "Show another head", high=MOST_WISHED, is_view=True)
    preset: str = preset_declared("circuits", "looks", "")
    count: Count = count_declared()
    view: CircuitsView = declared(
        CircuitsView.LOOKS, "view", "Which question is asked", "Ask another question", is_view=True
    )

    @property
    @derived("sentence", "What the model reads", "Type", kind=Kind.SENTENCE, has_words=True)
    def sentence(self) -> str:
        """What the model reads."""
        return sentence_of(self.recipe)

    @property
    def of_model(self) -> Recipe:
        """The model alone, whatever it reads: what decides the numbers of random texts and of weights."""
        return with_sentence(self.recipe, TEXT)

    @property
    def asks_for_answer(self) -> bool:
        """Whether the view on show asks for an answer."""
        return self.view in _OF_ANSWER or (self.view is CircuitsView.BREAKS and self.breaks is Breaks.ANSWER)

    def with_model(self, recipe: Recipe) -> Self:
        """Return the state with another model, asked for its own answer at its last token."""
        return replace(self, recipe=recipe, twin=sentence_of(recipe), answer="", against="", position=-1, preset="")


def with_sentence(recipe: Recipe, sentence: str) -> Recipe:
    """Return a recipe that reads something else; one that reads nothing as it is."""
    return replace(recipe, sentence=sentence) if hasattr(recipe, "sentence") else recipe  # type: ignore[call-arg]


def changed(state: CircuitsState, name: str, value: Any) -> CircuitsState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, and with what that changes too."""
    if name == "sentence":
        return replace(state, recipe=with_sentence(state.recipe, value), position=-1)
    return with_value(state, name, value)
