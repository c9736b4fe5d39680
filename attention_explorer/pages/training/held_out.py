"""What a step answers to sentences that are never learned from, one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numbers_export import Table
from attention_explorer.core.numerals import counted, grouped
from attention_explorer.errors import quoted
from attention_explorer.model.learning import NOT_ASKED, Batch
from attention_explorer.pages.training.moment import broken_model, scoring_with
from attention_explorer.pages.training.state import Broken, TrainingState
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Task

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
    model = broken_model(setup, step, broken)
    task, whole = model.task, model.task.held_out(setup)
    context = None if whole.context is None else whole.context[:MOST]
    batch = Batch(whole.tokens[:MOST], whole.targets[:MOST], context)
    asked = [np.flatnonzero(row != NOT_ASKED) for row in batch.targets]
    right = [row[places] for row, places in zip(batch.targets, asked, strict=True)]
    known = task.vocabulary(setup).words
    if task.writes:
        sentences = [task.said([known[token] for token in row[: places[0]]], setup)
                     for row, places in zip(batch.tokens.tolist(), asked, strict=True)]  # fmt: skip
        said = [
            task.said(each, setup) for each in model.write(sentences, lambda batch: scoring_with(broken.hidden, batch))
        ]
        return tuple(
            HeldAnswer(sentence, task.said([known[token] for token in answer[:-1]], setup), each)
            for sentence, answer, each in zip(sentences, right, said, strict=True)
        )
    logits = model.network(batch, scoring_with(broken.hidden, batch)).logits
    answered = np.split(logits.argmax(axis=-1), np.cumsum([len(each) for each in right])[:-1])
    sentences = [" ".join(known[token] for token in row) for row in (batch.tokens if context is None else context)]
    return tuple(
        HeldAnswer(sentence, _text(task, setup, answer), _text(task, setup, each))
        for sentence, answer, each in zip(sentences, right, answered, strict=True)
    )


def _text(task: Task, setup: LearningSetup, tokens: np.ndarray[tuple[int], np.dtype[np.intp]]) -> str:
    known = task.answers(setup).words
    return " ".join(known[token] for token in tokens)


def headline(found: tuple[HeldAnswer, ...], state: TrainingState) -> str:
    """Say how many of those that are listed are right."""
    when = f"Step {grouped(state.step)}" if state.step else "Nothing learned"
    right = sum(each.is_right for each in found)
    noun = ("held-out " if state.task.holds_out else "") + ("line" if state.task.writes else "sentence")
    first = "the first " if len(found) == MOST else ""
    return f"{when}: {right} of {first}{counted(len(found), noun)} right."


def said_of(each: HeldAnswer) -> str:
    """Say a line of the list."""
    verdict = "right" if each.is_right else f"wrong: it should be {quoted(each.right)}"
    return f"{quoted(each.sentence)} is answered by {quoted(each.said)}, {verdict}. Click to ask it."


def lines(found: tuple[HeldAnswer, ...]) -> Table:
    """Return what a CSV file holds: a line a sentence."""
    rows = [(each.sentence, each.right, each.said, int(each.is_right)) for each in found]
    return Table.of(("input", "right", "answer", "is_right"), rows)
