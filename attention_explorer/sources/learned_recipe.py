"""The recipe of a model that was learned here: how, after how many steps, and the sentence it is given."""

from __future__ import annotations

from dataclasses import dataclass, field

from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.source import TypedRecipe
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

    setup: LearningSetup = field(default_factory=LearningSetup)
    step: int = 0
    sentence: str = "The cat sat on the mat because it was tired."
    context: str | None = None

    @property
    def tokens(self) -> tuple[str, ...]:
        """One a query."""
        return tokens_in(self.sentence)

    @property
    def context_tokens(self) -> tuple[str, ...]:
        """One a key."""
        return self.tokens if self.context is None else tokens_in(self.context)
