"""What an answer of the model changes by without each head, for the wall: measured once, for Circuits too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.numerals import signed
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, Picture
from attention_explorer.pages.heads.survey import HeadSurvey
from attention_explorer.sources.circuits import asking
from attention_explorer.sources.circuits.asking import Effects, Question
from attention_explorer.sources.circuits.effects import last_of
from attention_explorer.sources.registry import source_of, tokens_of

TWO_TOWERS = (
    "The effect of a head is measured in models of one tower: this one has an encoder and a decoder. Circuits asks it."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What the colours of the wall mean, or why nothing could be measured."""

    words: str


def question_of(heads: HeadsState) -> Question | None:
    """Return the answer for which all heads are switched off, one by one; None if the wall does not ask for it.

    It is asked at the pinned token, or at the last one.

    Raises
    ------
    ExplorerError
        If the model cannot be opened.
    """
    view, source = heads.view, source_of(heads.setup.recipe)
    if not (view.effect and view.picture is Picture.ALL and source.can_be_asked):
        return None
    plain = by_word(heads, whole=False)
    recipe, row = plain.setup.recipe, plain.view.row
    is_last = row is None or row >= len(tokens_of(recipe)) - 1
    return Question(recipe, view.answer.strip(), "", -1 if is_last or row is None else row)


def effects(question: Question) -> Iterator[tuple[float, Effects]]:
    """Yield which share is measured, and the changes; see `asking.knocked`.

    Raises
    ------
    ExplorerError
        If the model says no words, the answer is not one token, or the model has two towers.
    """
    if asking.model_of(question.recipe).transformer.encoder is not None:
        raise ExplorerError(TWO_TOWERS)
    return asking.knocked(question.recipe, question)


def are_known(question: Question) -> bool:
    """Whether all of it was measured before."""
    return asking.knocked.peek(question.recipe, question) is not None


def with_effects(surveys: tuple[HeadSurvey, ...], found: Effects) -> tuple[HeadSurvey, ...]:
    """Return heads with what the answer changes by without each."""
    return tuple(replace(survey, effect=float(found.effect[survey.place])) for survey in surveys)


def effect_words(setup: HeadsSetup, found: Effects) -> str:
    """Say what was measured, and how much of it."""
    asked = found.answer
    if asked is None:
        return ""
    word, other = map(quoted, asked.words)
    at = quoted(asked.tokens[asked.position].strip())
    what = f"the change of the logit of {word} over {other} at {at}"
    said = f"Each head off alone: {what}, {signed(found.before)} with all on"
    if replace(setup.without_focus, mask=setup.mask) != HeadsSetup(setup.recipe) or setup.switched_off:
        said += " and nothing hidden"
    known = np.count_nonzero(~np.isnan(found.effect))
    return f"{said}. Measured{'' if known == found.effect.size else f' so far: {known} of {found.effect.size}'}."


def effect_said(heads: HeadsState) -> str:
    """Say what the heads of a picture on paper are coloured by; empty where it is their weights."""
    found = effects_on_wall(heads)
    return "" if found is None else effect_words(heads.setup, found)


def effects_on_wall(heads: HeadsState) -> Effects | None:
    """Return all of it for a picture on paper; None where the wall does not ask for it, or nothing can be measured."""
    try:
        question = question_of(heads)
        return None if question is None else last_of(effects(question))[1]
    except ExplorerError:  # the window says why
        return None
