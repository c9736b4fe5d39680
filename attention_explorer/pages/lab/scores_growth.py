"""What happens to scores and weights as d_k grows, raw and scaled, measured at many d_k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.model.score_draws import ScoreSetting
from attention_explorer.pages.lab.score_rows import (
    Measure,
    RawAndScaled,
    Summary,
    draws_possible,
    score_pieces,
    summary,
)
from attention_explorer.pages.lab.scores import decisive, summary_numbers
from attention_explorer.pages.lab.scores_state import ScalingState

STOPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""The d_k that are measured."""
MOST_NUMBERS = 2**24
"""So many random numbers are drawn for one d_k at most: some tenths of a second."""
FIRST_NUMBERS = 2**20
"""So many are drawn for the first picture, of all d_k together."""


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """What was measured at one d_k."""

    d_k: int
    setting: ScoreSetting
    draws: int
    """As many as are to be made; more may be wished for."""
    raw: Summary
    scaled: Summary

    def of(self, scaled: bool) -> Summary:
        """Return the scaled or the raw ones."""
        return self.scaled if scaled else self.raw


@dataclass(frozen=True, slots=True, eq=False)
class GrowthPicture:
    """What has been measured so far, in the order of d_k."""

    state: ScalingState
    points: tuple[GrowthPoint, ...]

    @property
    def d_ks(self) -> FloatArray:
        """The d_k that were measured, as floats for an axis."""
        return np.asarray([point.d_k for point in self.points], np.float64)

    def measures(self, quantity: str, scaled: bool) -> tuple[Measure, ...]:
        """Return what was measured of a quantity, a field of `Summary`."""
        return tuple(getattr(point.of(scaled), quantity) for point in self.points)

    def values(self, quantity: str, scaled: bool) -> FloatArray:
        """Return the values alone."""
        return np.asarray([measure.value for measure in self.measures(quantity, scaled)])

    def predicted_stds(self, scaled: bool) -> FloatArray:
        """Return the standard deviations that theory predicts."""
        return np.asarray([point.setting.predicted_std(scaled) for point in self.points])

    def nearest(self, d_k: float) -> int:
        """Return the index of the d_k nearest on a logarithmic axis."""
        return int(np.argmin(np.abs(np.log(self.d_ks / max(d_k, 1e-9)))))

    @property
    def is_complete(self) -> bool:
        """Whether all draws have been made."""
        return all(point.raw.draws >= point.draws for point in self.points)


def growth_picture(state: ScalingState, _tiles: tuple[int, int] = (0, 0)) -> GrowthPicture:
    """Return the picture of all draws.

    Raises
    ------
    ArrayError
        What the state asks for cannot be drawn.
    """
    kept = _kept.get(_key(state))
    if kept is not None:
        return replace(kept, state=state)
    return [picture for _, picture in growth_stream(state) if picture is not None][-1]


_kept: Kept[GrowthPicture] = Kept()


def _key(state: ScalingState) -> ScalingState:
    """Return what decides the numbers: not which d_k is looked at."""
    return replace(decisive(state), d_k=1)


def is_measured(state: ScalingState) -> bool:
    """Whether all has been measured already."""
    return _kept.get(_key(state)) is not None


def growth_stream(
    state: ScalingState, _tiles: tuple[int, int] = (0, 0)
) -> Iterator[tuple[float, GrowthPicture | None]]:
    """Yield the share done with a picture of the draws so far, or with None where no new one is due.

    Every round doubles the draws at every d_k, so that the whole curve is there at once and grows steadier.
    """
    tallies = [_Tally(state, d_k) for d_k in STOPS]
    wanted = max(2, FIRST_NUMBERS // sum(tally.setting.numbers_of_a_draw for tally in tallies))
    every = sum(tally.work for tally in tallies)
    while True:
        for tally in tallies:
            while tally.done < min(wanted, tally.draws):
                tally.draw_more()
                yield sum(other.work_done for other in tallies) / every, None
        share = sum(other.work_done for other in tallies) / every
        picture = GrowthPicture(state, tuple(tally.point() for tally in tallies))
        if all(tally.done >= tally.draws for tally in tallies):
            _kept.keep(_key(state), picture)
            yield 1.0, picture
            return
        yield share, picture
        wanted *= 4


class _Tally:
    """What has been measured so far at one d_k."""

    def __init__(self, state: ScalingState, d_k: int) -> None:
        self.d_k, self.setting = d_k, state.setting_at(d_k)
        self.draws = draws_possible(self.setting, state.draws, MOST_NUMBERS)
        self.done = 0
        self._pieces = score_pieces(self.setting, self.draws, state.seed)
        self._measured = RawAndScaled(self.setting)

    @property
    def work(self) -> float:
        return float(self.draws * self.setting.numbers_of_a_draw)

    @property
    def work_done(self) -> float:
        return float(self.done * self.setting.numbers_of_a_draw)

    def draw_more(self) -> None:
        raw = next(self._pieces)
        self.done += len(raw)
        self._measured.add(raw)

    def point(self) -> GrowthPoint:
        raw, scaled = (summary(self._measured.readings(scaled)) for scaled in (False, True))
        return GrowthPoint(self.d_k, self.setting, self.draws, raw, scaled)


def growth_numbers(picture: GrowthPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture: arrays along d_k, (value, standard error) of what was measured."""
    found: dict[str, np.typing.NDArray[Any]] = {
        "std_raw": np.zeros(0),  # the main one first
        "d_k": np.asarray([point.d_k for point in picture.points]),
        "draws": np.asarray([point.raw.draws for point in picture.points]),
    }
    for scaled, name in ((False, "raw"), (True, "scaled")):
        parts = [summary_numbers(point.of(scaled), name) for point in picture.points]
        found |= {quantity: np.stack([part[quantity] for part in parts]) for quantity in parts[0]}
        found[f"predicted_std_{name}"] = picture.predicted_stds(scaled)
    return found
