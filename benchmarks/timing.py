"""Samples of a duration, taken in turns so that a busy machine slows all contenders alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np


@dataclass(frozen=True, slots=True)
class Samples:
    """Repeated measurements of one thing: seconds, or what its row says."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """What it takes most of the time."""
        return float(np.median(self.values))

    @property
    def slowest_percent(self) -> float:
        """The 99th percentile: the hitch that is felt."""
        return float(np.percentile(self.values, 99))


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to measure. ``prepare`` runs before each measurement and is not part of it."""

    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


def in_turns(*contenders: Contender, rounds: int, warm_up: int = 20) -> tuple[Samples, ...]:
    """Measure each contender once a round, one after the other, and forget the first rounds."""
    seconds: tuple[list[float], ...] = tuple([] for _ in contenders)
    for _ in range(warm_up + rounds):
        for contender, taken in zip(contenders, seconds, strict=True):
            contender.prepare()
            start = perf_counter()
            contender.run()
            taken.append(perf_counter() - start)
    return tuple(Samples(tuple(taken[warm_up:])) for taken in seconds)
