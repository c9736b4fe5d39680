"""Attention that is learned, from Python: a tiny network learns a task, and every step of it can be looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from attention_explorer.api import open_window
from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError, did_you_mean
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning.network import Tokens
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView
from attention_explorer.sources.learned.learned_model import Answer, LearnedModel, Measured
from attention_explorer.sources.learned.model_file import check_ending, write_model
from attention_explorer.sources.learned.own_lines import said_of_right
from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of
from attention_explorer.sources.learned_recipe import LearnedRecipe

__all__ = ["Trained", "check_ending", "report", "started", "train", "write_model"]

_LINES = 12


class Trained:
    """A network that learned a task. Layers and heads count from 0.

    Parameters
    ----------
    run : Run
        What was learned.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._curve = run, run.curve()

    def __repr__(self) -> str:
        setup, last = self.setup, self._run.measured()
        return f"Trained({setup.task!r}, {self._run.step} steps, seed {setup.seed}, accuracy {last.accuracy:.3f})"

    @property
    def setup(self) -> LearningSetup:
        """All that decided it."""
        return self._run.setup

    @property
    def steps(self) -> Tokens:
        """After how many steps it was measured on held-out sentences, (points,); 0 is before the first."""
        return self._curve.steps

    @property
    def loss(self) -> Floats:
        """The mean cross-entropy there, in nats, (points,)."""
        return self._curve.loss

    @property
    def accuracy(self) -> Floats:
        """The share of right answers there, 0 to 1, (points,)."""
        return self._curve.accuracy

    @property
    def weight(self) -> Floats:
        """The weight of the best head on what a readable head would look at, (points,); NaN where there is none."""
        return self._curve.weight

    def weights(self, sentence: str, step: int = -1) -> tuple[Floats, ...]:
        """Return the attention of a sentence.

        Parameters
        ----------
        sentence : str
            Of the words that it knows.
        step : int
            After how many steps; below 0 counts from the end.

        Returns
        -------
        tuple of ndarray, each (heads, n_q, n_k)
            One for each layer; rows are queries and sum to 1.

        Raises
        ------
        ExplorerError
            If that step was not made, or the sentence does not fit.
        """
        return self.ask(sentence, step).weights

    def ask(self, sentence: str, step: int = -1) -> Answer:
        """Return what the model says to a sentence: answers, their probabilities, and the attention.

        Parameters and errors are those of `weights`.
        """
        return self.at(step).ask(sentence)

    def write(self, sentence: str, step: int = -1) -> str:
        """Return what a model of the task "own" writes behind an input, also of one that no line has.

        Parameters and errors are those of `weights`.
        """
        model = self.at(step)
        return model.task.said(model.write([sentence])[0], self.setup)

    def at(self, step: int = -1) -> LearnedModel:
        """Return the model as it was after so many steps; below 0 counts from the end."""
        return self._run.at(step)

    def open(self, sentence: str | None = None, step: int = -1) -> None:
        """Open the window on its attention. A script waits until it is closed, a notebook goes on.

        The session holds setup and step, not the numbers: the window learns them again, which takes as long.

        Parameters
        ----------
        sentence : str, optional
            Of the words that it knows; by default one of the task's own.
        step : int
            After how many steps; below 0 counts from the end.

        Raises
        ------
        ExplorerError
            If that step was not made, or the sentence does not fit.
        """
        model = self.at(step)
        asked = model.task.probe(self.setup) if sentence is None else sentence
        model.ask(asked)  # what does not fit is refused here, and not in the window
        written, context = model.task.texts(asked, self.setup)
        recipe = LearnedRecipe(self.setup, model.step, written, context)
        layer = max(self.setup.layers - 1, 0)
        page = HeadsState(HeadsSetup(recipe, layer=layer), HeadsView(), preset="")
        open_window(ExplorerState(heads=page), "heads")

    def save(self, path: str | os.PathLike[str], step: int = -1) -> None:
        """Write the learned numbers to a file, with the setup and the step.

        Parameters
        ----------
        path : str or path
            Ending in .npz or .safetensors.
        step : int
            After how many steps; below 0 counts from the end.

        Raises
        ------
        ExplorerError
            If the file cannot be written, or that step was not made.
        """
        write_model(Path(path), self.at(step))


def train(
    task: str,
    *,
    steps: int | None = None,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
    **sizes: Any,  # noqa: ANN401 - each is checked by the setup
) -> Trained:
    """Have a tiny network learn a task.

    Parameters
    ----------
    task : str
        it, dictionary, previous, repeat, reverse, sort, translation, brackets, die or own.
    steps : int, optional
        How many steps; by default as many as the task takes.
    seed : int
        Of the first numbers and of the sentences. The same seed gives the same run on the same machine.
    cancelled : callable
        Asked before each step; True ends it, and what was learned until then is returned.
    **sizes
        Fields of `LearningSetup`: layers, heads, d_model, d_ff, length, hard, scaled, positions, residual, batch,
        rate, warm_up; of the task "own" lines, which is a tuple of “input -> answer”, and cut.

    Returns
    -------
    Trained

    Raises
    ------
    ExplorerError
        If there is no such task or field, a number is out of range, or learning leaves all bounds.

    Examples
    --------
    >>> import attention_explorer
    >>> run = attention_explorer.train("it", steps=200)
    >>> run.ask("The cat sat on the mat because it was soft.").answers
    ('mat',)
    """
    run = started(task, seed=seed, **sizes)
    run.advance(_count(run, steps), cancelled)
    return Trained(run)


def started(task: str, **sizes: Any) -> Run:  # noqa: ANN401 - each is checked by the setup
    """Return a run of a task, with some fields of its setup changed, before its first step.

    Raises
    ------
    ExplorerError
        If there is no such task or field, or a value does not fit.
    """
    known = [field.name for field in fields(LearningSetup) if field.name != "task"]
    for name in sizes:
        if name not in known:
            raise ExplorerError(f"There is no size {name!r}. {did_you_mean(name, known)}")
    return Run(replace(task_of(task).setup, **sizes))


def report(run: Run, steps: int | None = None) -> Iterator[str]:
    """Have a run learn, and say how well it does while it goes on.

    Parameters
    ----------
    run : Run
        Before its first step.
    steps : int, optional
        How many steps; by default as many as the task takes.

    Yields
    ------
    str
        A line: a head, a dozen measurements, and what became of it.

    Raises
    ------
    ExplorerError
        If the steps are no whole number, or learning leaves all bounds.
    """
    task, count = run.task, _count(run, steps)
    yield f"{task.title}. {task.about}"
    yield from task.says(run.setup)
    yield "  step    loss   right   weight   (on sentences that are held out)"
    for step in _measured_at(count, task.every):
        run.advance(step)
        yield _line(step, run.measured(step))
    (guessed, frequent), answer = run.trial.baselines, task.part_of_answer(run.setup).removesuffix("s")
    yield f"Guessing is right {guessed:.1%}, the most frequent {answer} {frequent:.1%} of the time."
    yield _verdict(run)


def _measured_at(count: int, every: int) -> list[int]:
    """Return about a dozen steps, at which it is measured anyway, and the last."""
    apart = max(-(-count // (_LINES * every)), 1) * every
    return sorted({*range(0, count, apart), count})


def _line(step: int, measured: Measured) -> str:
    weight = "     –" if measured.weight is None else f"{measured.weight:6.3f}"
    return f"{step:6}  {measured.loss:6.3f}  {measured.accuracy:6.1%}   {weight}"


def _verdict(run: Run) -> str:
    task, last = run.task, run.measured()
    if task.writes:
        count = len(run.trial.batch.tokens)
        right = round(last.whole * count)
        return f"{right} of {counted(count, 'held-out line')} right. {said_of_right(right, count)}"
    if task.is_reached(last.accuracy, last.weight or 0.0):
        return task.reached_words
    what = "the weight" if task.judged_by_weight else "right answers"
    return task.missed_words or f"Not learned: {what} had to reach {task.goal:.0%}."


def _count(run: Run, steps: int | None) -> int:
    count = run.task.steps if steps is None else steps
    if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 0:
        raise ExplorerError(f"steps must be a whole number from 0 on, not {count!r}.")
    return int(count)
