"""What a step answers to sentences that are never learned from, one by one."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numbers_export import Table
from attention_explorer.core.numerals import counted, grouped
from attention_explorer.errors import quoted
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.pages.training.moment import broken_model, scoring_with
from attention_explorer.pages.training.state import Broken, TrainingState
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.setup import LearningSetup

MOST = 14
"""Sentences that are listed: the first of those held out."""


class HeldAnswer(NamedTuple):
    """A sentence that is never learned from.

    Attributes
    ----------
    sentence, right, said : str
        What is asked, what would be right, and what it answers.
    """

    sentence: str
    right: str
    said: str

    @property
    def is_right(self) -> bool:
        """Whether every part of the answer is right."""
        return self.said == self.right


@kept
def held_answers(setup: LearningSetup, step: int, broken: Broken) -> tuple[HeldAnswer, ...]:
    """Return what the model of a step answers to the first held-out sentences, broken as it is."""
    model, hidden = broken_model(setup, step, broken), broken.hidden
    task, whole = model.task, model.task.held_out(setup)
    context = None if whole.context is None else whole.context[:MOST]
    batch = Batch(whole.tokens[:MOST], whole.targets[:MOST], context)
    sentences, right = _asked(model, batch)
    if task.writes:
        said = model.write(sentences, lambda batch: scoring_with(hidden, batch))
    else:
        best = model.network(batch, scoring_with(hidden, batch)).logits.argmax(axis=-1)
        answers = iter([task.answers(setup).words[each] for each in best.tolist()])
        said = [tuple(islice(answers, len(row))) for row in right]
    texts = ((task.said(row, setup), task.said(each, setup)) for row, each in zip(right, said, strict=True))
    return tuple(HeldAnswer(sentence, *both) for sentence, both in zip(sentences, texts, strict=True))


def _asked(model: LearnedModel, batch: Batch) -> tuple[list[str], list[list[str]]]:
    """Return the sentences of a batch as somebody would type them, and the words that would be right."""
    task, setup = model.task, model.setup
    words, answers = task.vocabulary(setup).words, task.answers(setup).words
    places = [np.flatnonzero(row != NOT_ASKED).tolist() for row in batch.targets]
    given = (batch.tokens if batch.context is None else batch.context).tolist()
    if task.writes:  # it is given what stands before the first answer, and the last one is the end
        given = [row[: asked[0]] for row, asked in zip(given, places, strict=True)]
        places = [asked[:-1] for asked in places]
    right = [[answers[row[each]] for each in asked] for row, asked in zip(batch.targets.tolist(), places, strict=True)]
    return [task.said([words[token] for token in row], setup) for row in given], right


def headline(found: tuple[HeldAnswer, ...], state: TrainingState, count: int) -> str:
    """Say how many of those that are listed are right, of so many that there are."""
    when = f"Step {grouped(state.step)}" if state.step else "Nothing learned"
    right = sum(each.is_right for each in found)
    noun = ("held-out " if state.task.holds_out else "") + ("line" if state.task.writes else "sentence")
    first = "the first " if len(found) < count else ""
    return f"{when}: {right} of {first}{counted(len(found), noun)} right."


def said_of(each: HeldAnswer) -> str:
    """Say a line of the list."""
    verdict = "right" if each.is_right else f"wrong: it should be {quoted(each.right)}"
    said = quoted(each.said) if each.said else "nothing"
    return f"{quoted(each.sentence)} is answered by {said}, {verdict}. Click to ask it."


def lines(found: tuple[HeldAnswer, ...]) -> Table:
    """Return what a CSV file holds: a line a sentence."""
    rows = [(each.sentence, each.right, each.said, int(each.is_right)) for each in found]
    return Table.of(("input", "right", "answer", "is_right"), rows)
