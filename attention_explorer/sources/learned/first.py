"""What a run begins with: its random numbers, and its network before the first step."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.learning import Network, NormalDraws
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of

_FIRST_NUMBERS = 2**40
"""Stands for the numbers to begin with where other seeds have a step."""


def first_network(setup: LearningSetup) -> Network:
    """Make the network of a setup as it is before the first step.

    Raises
    ------
    ExplorerError
        If the setup does not fit the task, or the heads do not divide d_model.
    """
    task = task_of(setup.task)
    task.check(setup)
    return task.network(setup, NormalDraws(numbers_of(setup.seed, _FIRST_NUMBERS)))


def numbers_of(seed: int, step: int) -> np.random.RandomState:
    """Return the random numbers of a step; those of NumPy's legacy methods, whose stream never changes."""
    return np.random.RandomState(np.random.PCG64([seed, step]))
