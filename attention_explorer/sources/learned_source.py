"""A model that was learned here as a source, and what to say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core import files
from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask
from attention_explorer.model.arrays import Bools
from attention_explorer.model.learning import Batch, Network, Parameters, Scoring
from attention_explorer.model.softmax import softmax
from attention_explorer.sources.layer import Layer, Values
from attention_explorer.sources.learned.box import file_name, name_in_box, record_of
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.model_file import read_model
from attention_explorer.sources.learned.run import run_of
from attention_explorer.sources.learned.saved import taken
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.task import Question, Task
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.source import Ability, Guess, Lookup, Made, Traits
from attention_explorer.sources.typed_source import TypedSource

if TYPE_CHECKING:
    from attention_explorer.sources.models.model import Model

OF_A_STEP = 2.5e6
"""What a step of learning takes at least, in multiplications."""

_LACKS = {
    Ability.DRAWING: "A learned model has the sizes and the seed it was learned with: train another.",
    Ability.EMBEDDINGS: "The vectors were learned with the model: choose random heads to type some.",
}


@kept
def learned_model(setup: LearningSetup, step: int) -> LearnedModel:
    """Return a model after some steps: out of the box, from a file beside the session, or learned again.

    Raises
    ------
    ExplorerError
        If the setup does not fit the task, learning leaves all bounds before that step, or a file is damaged.
    """
    name = name_in_box(setup, step)
    if name:
        return read_model(Path(files.path(file_name(name))))
    found = taken(setup, step)
    if found is not None:
        return found.model
    run = run_of(setup)
    run.advance(step)
    return run.at(step)


@lru_cache(maxsize=1024)
def _accuracy(setup: LearningSetup, step: int) -> float:
    """Return the share of right answers on held-out sentences; learned and measured where nobody did it before."""
    name = name_in_box(setup, step)
    return record_of(name).accuracy if name else learned_model(setup, step).measured().accuracy


@kept
def float64_network(setup: LearningSetup, step: int) -> Network:
    """Return the network over the same numbers in float64, so that all that is shown of it is as exact as of toys.

    Parameters and errors are those of `learned_model`.
    """
    network = learned_model(setup, step).network
    _accuracy(setup, step)  # captions say it: measured here, on the worker, they need not wait for it
    return network.over(Parameters(network.parameters.arrays, np.float64))


@kept
def _as_model(setup: LearningSetup, step: int) -> Model:
    """Return the network as a model like those on disk; parameters and errors are those of `learned_model`."""
    from attention_explorer.sources.learned.as_model import as_model  # what runs trained models comes with it

    return as_model(learned_model(setup, step))


class LearnedLayers(tuple[Layer, ...]):
    """The layers, and how their scores become weights, by which the answer is found too."""

    scoring: Scoring


class LearnedSource(TypedSource[LearnedRecipe]):
    """Runs a model that was learned here."""

    @property
    def _task(self) -> Task | None:
        return TASKS.get(self.recipe.setup.task)

    @property
    def _is_causal(self) -> bool:
        return self._task is not None and self._task.causal

    @property
    def traits(self) -> Traits:
        recipe, task = self.recipe, self._task
        title = "an unknown task" if task is None else task.title
        setup, lacks = recipe.setup, dict(_LACKS)
        if self._is_causal:
            lacks[Ability.MASKS] = "This model sees no later token: its causal mask is a part of it."
        if setup.hard or not setup.scaled:
            own = "lets the best key take all" if setup.hard else "does not divide its scores by √d_k"
            lacks[Ability.SCORES] = lacks[Ability.MASKS] = f"This model {own}: its weights are shown as they are."
        origin = f"learned here: {title}, step {recipe.step}, seed {setup.seed}"
        return Traits("learned here", origin, Made.LEARNED, lacks)

    @property
    def origin(self) -> str:
        setup, step = self.recipe.setup, self.recipe.step
        of = f" of {self._task.part_of_answer(setup)}" if self._task is not None and self._task.writes else ""
        return f"{self.traits.origin}, {percent(_accuracy(setup, step))}{of} right"

    @property
    def heads(self) -> tuple[int, ...]:
        return (self.recipe.setup.heads,) * max(self.recipe.setup.layers, 1)

    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        batch = self._batch()
        lacks, setup = self.traits.lacks, self.recipe.setup
        if Ability.SCORES in lacks:
            lookup = Lookup(None, None if setup.scaled else 1.0, hard=setup.hard)
        mask = None if Ability.MASKS in lacks else lookup.mask
        if callable(mask):
            mask = mask(0, len(self.tokens))
        how = lookup.scale, lookup.temperature, lookup.hard
        scoring = Scoring(None if mask is None else np.asarray(mask), *how)
        layers = float64_network(self.recipe.setup, self.recipe.step).attended(batch, scoring)
        if self._is_causal:
            mask = causal_mask(len(self.tokens))
        found = LearnedLayers(
            Layer((), q=layer.q[0], k=layer.k[0], values=Values(lambda v=layer.v[0]: v)).with_maps(mask, *how)  # type: ignore[misc] # bound now
            for layer in layers
        )
        found.scoring = scoring
        return found

    @property
    def guesses(self) -> bool:
        return self._asked is not None

    def guess(self, layers: Sequence[Layer]) -> Guess | None:
        asked, task, recipe = self._asked, self._task, self.recipe
        if asked is None or task is None or not isinstance(layers, LearnedLayers):
            return None
        logits = float64_network(recipe.setup, recipe.step)(asked.batch, layers.scoring).logits[-1]
        probabilities = softmax(logits)
        best = int(probabilities.argmax())
        return Guess(task.before_answer, task.answers(recipe.setup).words[best], float(probabilities[best]))

    @cached_property
    def _asked(self) -> Question | None:
        """Return the sentence as what it asks; None where it asks nothing that says something, or cannot be read."""
        task, recipe = self._task, self.recipe
        try:
            return task.question(recipe.sentence, recipe.setup) if task is not None and task.before_answer else None
        except ExplorerError:
            return None

    can_be_asked = True

    def model_to_ask(self) -> Model:
        return _as_model(self.recipe.setup, self.recipe.step)

    def checkpoints(self) -> int:
        recipe = self.recipe
        is_known = learned_model.peek(recipe.setup, recipe.step) is not None or self._lies_ready
        return 0 if is_known else recipe.step

    @property
    def _lies_ready(self) -> bool:
        """Whether its numbers are in a file, and need not be learned."""
        setup, step = self.recipe.setup, self.recipe.step
        return bool(name_in_box(setup, step)) or taken(setup, step) is not None

    def operations(self) -> float:
        recipe, setup = self.recipe, self.recipe.setup
        if not self.checkpoints():
            return super().operations()
        width = setup.d_model * (4 * setup.d_model + 2 * setup.d_ff + setup.length)
        a_step = 3.0 * setup.batch * setup.length * (setup.layers + setup.encoder_layers) * width
        return recipe.step * max(a_step, OF_A_STEP)

    def mask(self, layer: int) -> Bools | None:
        return causal_mask(len(self.tokens)) if self._is_causal else None

    def mask_words(self) -> str:
        return "causal" if self._is_causal else ""

    # ---- In words ----

    def verdict(self) -> tuple[str, str]:
        setup, step = self.recipe.setup, self.recipe.step
        parts = "answers" if self._task is None else self._task.part_of_answer(setup)
        return (
            f"These weights were learned here, in {step} steps.",
            f"{percent(_accuracy(setup, step))} of its {parts} are right on sentences that it never saw. "
            "A right answer does not make a readable map: what a head is worth, breaking it tells.",
        )

    def differences(self, other: LearnedSource) -> Iterator[tuple[str, str]]:
        for field in fields(LearningSetup):
            values = [getattr(each.recipe.setup, field.name) for each in (self, other)]
            if isinstance(values[0], tuple):  # lines, too long to be said
                values = ["its own", "its own" if values[0] == values[1] else "others"]
            yield tuple(f"{field.name.replace('_', ' ')} {value}" for value in values)  # type: ignore[misc] # two
        yield f"step {self.recipe.step}", f"step {other.recipe.step}"

    def _batch(self) -> Batch:
        """Return the sentence as the network takes it.

        Raises
        ------
        ExplorerError
            If it does not fit the task.
        """
        recipe, task = self.recipe, self._task
        if task is None:
            raise ExplorerError(f"There is no task “{recipe.setup.task}” in this version: choose other heads.")
        task.check(recipe.setup)
        if not recipe.setup.layers:
            raise ExplorerError("This model has no layer of attention: choose another.")
        return task.typed(recipe.sentence, recipe.context, recipe.setup)
