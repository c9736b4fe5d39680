"""The recipe of a model that was learned here: how, after how many steps, and the sentence it is given."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.declared import Kind, declared
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.source import TypedRecipe, context_declared, sentence_declared
from attention_explorer.sources.tokens import tokens_in

MOST_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class LearnedRecipe(TypedRecipe):
    """A model after some steps of a run, never its numbers: those are in the box, or are learned again.

    Attributes
    ----------
    setup : LearningSetup
        All that decides the run.
    step : int
        After how many steps.
    sentence : str
        What it is given; for a translation, what was written so far, beginning with "start".
    context : str or None
        For a translation the sentence in the first language, None for every other task.
    """

    setup: LearningSetup = declared(
        LearningSetup, "run", "All that decides the run that is looked into", "Open another run", kind=Kind.REFERENCE
    )
    step: int = declared(0, "step", "After how many steps of learning", "Go to step", high=MOST_STEPS)
    sentence: str = sentence_declared()
    context: str | None = context_declared()

    @property
    def tokens(self) -> tuple[str, ...]:
        """One a query."""
        return tokens_in(self.sentence)

    @property
    def context_tokens(self) -> tuple[str, ...]:
        """One a key."""
        return self.tokens if self.context is None else tokens_in(self.context)
