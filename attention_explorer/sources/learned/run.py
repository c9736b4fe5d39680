"""A run: a tiny network learns a task, a step at a time, and every step so far can be looked at again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import KnowsItsArrays, kept
from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning import AdamSetting, Batch, ExplodedError, Training
from attention_explorer.model.learning.network import Tokens
from attention_explorer.model.one_core import one_core
from attention_explorer.sources.learned.first import first_network, numbers_of
from attention_explorer.sources.learned.learned_model import LearnedModel, Measured, Trial
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of


class Curve(NamedTuple):
    """What was measured so far.

    Attributes
    ----------
    steps : ndarray of int, (points,)
        After how many steps it was measured on held-out sentences; 0 is before the first.
    loss, accuracy : ndarray, (points,)
        There: mean cross-entropy in nats, and the share of right answers, 0 to 1.
    weight : ndarray, (points,)
        The weight of the best head on what a readable head would look at; NaN where the task knows none.
    training_loss, training_accuracy : ndarray, (steps,)
        On the batch of each step before it was learned from: entry s is of the model after s steps.
    """

    steps: Tokens
    loss: Floats
    accuracy: Floats
    weight: Floats
    training_loss: Floats
    training_accuracy: Floats


class Run(KnowsItsArrays):
    """A network that learns a task. The same setup gives the same run, step by step, on every machine.

    All threads may use it: one at a time advances it, and the others look at steps that were made and at the curve
    without waiting for it. A step is made, for them, when it is known to be good and was measured where that is due:
    nothing that was to be seen of it is added or taken back later.

    Parameters
    ----------
    setup : LearningSetup
        All that decides the run.

    Raises
    ------
    ExplorerError
        If the setup does not fit the task, or the heads do not divide d_model.
    """

    def __init__(self, setup: LearningSetup) -> None:
        network = first_network(setup)
        self.setup, self.task = setup, task_of(setup.task)
        self.trial = Trial(setup)
        self._training = Training(network, _batches(setup), AdamSetting(rate=setup.rate, warm_up=setup.warm_up))
        self._advancing = Lock()
        self._learned: list[tuple[float, float]] = []
        self._points: dict[int, Measured] = {}
        self._exploded = ""
        self._points[0] = self.trial.measure(network)
        self._step = 0

    @property
    def step(self) -> int:
        """Steps made."""
        return self._step

    @property
    def size(self) -> int:
        """How many numbers are learned."""
        return int(self._training.network.parameters.vector.size)

    @property
    def exploded(self) -> str:
        """Why it cannot go on, in a sentence; empty while it can."""
        return self._exploded

    @property
    def arrays(self) -> list[object]:
        """What takes memory: the steps that are kept, and the held-out sentences."""
        return [*self._training.kept_arrays, self.trial]

    def advance(self, until_step: int, cancelled: Callable[[], bool] = lambda: False) -> int:
        """Learn until so many steps are made; at once if they were.

        Parameters
        ----------
        until_step : int
            How many steps in all.
        cancelled : callable
            Asked before each step; True ends it, and what was learned stays. Each step is also a `checkpoint`.

        Returns
        -------
        int
            Steps made in all.

        Raises
        ------
        ExplodedError
            If learning leaves all bounds; the last good step is then the last there is, and it raises this again.
        """
        with self._advancing, one_core():
            while self.step < until_step and not cancelled():
                if self._exploded:
                    raise ExplodedError(self._exploded)
                try:
                    self._advance()
                except ExplodedError as error:
                    self._exploded = str(error)
                    raise
            return self.step

    def at(self, step: int = -1) -> LearnedModel:
        """Return the model as it was after so many steps.

        Parameters
        ----------
        step : int
            0 to `step`; below 0 counts from the end, −1 is the last.

        Raises
        ------
        ArrayError
            If that step was not made.
        """
        made = self.step
        wanted = made + 1 + step if step < 0 else step
        if not 0 <= wanted <= made:
            raise ArrayError(f"there is no step {wanted}: steps 0 to {made} were made")
        with one_core():
            return LearnedModel(self.setup, wanted, self._training.network_at(wanted))

    def curve(self, until_step: int | None = None) -> Curve:
        """Return what was measured so far, or up to a step, as arrays of its own."""
        last = self.step if until_step is None else min(until_step, self.step)
        points = {step: point for step, point in list(self._points.items()) if step <= last}
        learned = np.array(self._learned[:last], np.float64).reshape(-1, 2)
        measured = list(points.values())
        return Curve(
            np.array(list(points), np.intp),
            np.array([each.loss for each in measured]),
            np.array([each.accuracy for each in measured]),
            np.array([np.nan if each.weight is None else each.weight for each in measured]),
            *learned.T.copy(),
        )

    def measured(self, step: int = -1) -> Measured:
        """Measure a step on the held-out sentences; at once where it is a point of the curve."""
        wanted = self.step + 1 + step if step < 0 else step
        found = self._points.get(wanted)
        return self.trial.measure(self.at(wanted).network) if found is None else found

    def _advance(self) -> None:
        training = self._training
        answered = training.advance()
        if training.step % self.task.every == 0:
            try:
                self._points[training.step] = self.trial.measure(training.network)
            except ArrayError as error:
                training.refuse(str(error))
        self._learned.append((answered.loss, answered.accuracy))
        self._step = training.step  # last: from now on others see it


def _batches(setup: LearningSetup) -> Callable[[int], Batch]:
    """Return what draws the batch of a step. It knows no run: both would wait in memory for Python's collector."""
    task = task_of(setup.task)
    return lambda step: task.draw(numbers_of(setup.seed, step), setup.batch, setup)


@kept
def run_of(setup: LearningSetup) -> Run:
    """Return the run of a setup, the same for all who ask while it is kept."""
    return Run(setup)
