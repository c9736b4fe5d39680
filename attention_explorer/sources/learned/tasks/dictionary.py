"""A dictionary in the plane: each query has to find its partner among the keys."""

from __future__ import annotations

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.learning import Batch, Network, NormalDraws, Parameters, PlaneNetwork, PlaneSetting
from attention_explorer.model.learning.network import Tokens
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Pattern, Question, Task, one_key
from attention_explorer.sources.learned.vocabulary import Vocabulary


class Dictionary(Task):
    """As many queries as keys, all of them points of the plane that learn where to stand.

    There is nothing to hold out: every entry is asked at every step.
    """

    name = "dictionary"
    title = "A dictionary in the plane"
    about = "Each query has to find its partner among the keys, by standing in its direction."
    goal = 0.95
    judged_by_weight = True
    holds_out = False
    steps = 200
    every = 2
    setup = LearningSetup(task="dictionary", layers=1, d_model=2, length=8, scaled=False, batch=1, rate=0.3, warm_up=10)
    fixed = frozenset(
        {"layers", "heads", "d_model", "d_ff", "encoder_layers", "positions", "residual", "batch"},
    )

    def vocabulary(self, setup: LearningSetup) -> Vocabulary:
        """Return the names of the entries, from 1."""
        return Vocabulary(str(number) for number in range(1, setup.length + 1))

    def draw(self, numbers: np.random.RandomState, count: int, setup: LearningSetup) -> Batch:
        """Ask every entry."""
        return self.held_out(setup)

    def held_out(self, setup: LearningSetup) -> Batch:
        """Ask every entry."""
        entries = np.arange(setup.length)[None]
        return Batch(entries, entries)

    def probe(self, setup: LearningSetup) -> str:
        """Return all entries."""
        return " ".join(self.vocabulary(setup).words)

    def lengths(self, setup: LearningSetup) -> tuple[int, int]:
        """Take any number of them."""
        return 1, setup.length

    def question(self, sentence: str, setup: LearningSetup) -> Question:
        """Take all entries in order, as every key is one; see `Task`."""
        question = super().question(sentence, setup)
        self._see_whole(question.batch, setup)
        return question

    def typed(self, sentence: str, context: str | None, setup: LearningSetup) -> Batch:
        """Take all entries in order, as every key is one; see `Task`."""
        batch = super().typed(sentence, context, setup)
        self._see_whole(batch, setup)
        return batch

    def _see_whole(self, batch: Batch, setup: LearningSetup) -> None:
        if batch.tokens.shape[-1] != setup.length or (batch.tokens != np.arange(setup.length)).any():
            raise ExplorerError(f"A dictionary is shown as a whole: write “{self.probe(setup)}”.")

    def patterns(self, batch: Batch) -> tuple[Pattern, ...]:
        """Want the partner."""
        return (Pattern("the partner", one_key(batch.tokens, batch.tokens.shape[-1])),)

    def right_answers(self, tokens: Tokens, setup: LearningSetup) -> Tokens:
        """Return the entries themselves."""
        return tokens

    def network(self, setup: LearningSetup, numbers: NormalDraws) -> Network:
        """Make the points, where they stand to begin with."""
        setting = PlaneSetting(entries=setup.length, hard=setup.hard, scaled=setup.scaled)
        return PlaneNetwork(setting, Parameters(PlaneNetwork.first_parameters(setting, numbers)))
