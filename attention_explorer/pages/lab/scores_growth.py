"""What happens to scores and weights as d_k grows, raw and scaled, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import coordinate, grouped, percent, plain, scientific
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource
from attention_explorer.pages.lab.score_rows import (
    SATURATED_ABOVE,
    Measure,
    RawAndScaled,
    Summary,
    draws_possible,
    score_pieces,
    summary,
)
from attention_explorer.pages.lab.scores import ScoresPicture, decisive, predicted_density, summary_numbers
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


# ---- What is said ----


AS_THEY_COME = "as they come"
_PERCENT = "\u00a0%"  # never torn from its number
FEW = 32
"""Below so many features one pair of W_q and W_k differs visibly from the next."""


def measured(measure: Measure) -> str:
    """Return a number with as many digits as its standard error warrants, at most four behind the point."""
    value, error = measure.value, measure.error
    if value != 0 and abs(value) < 1e-3:
        known = error / 10.0 ** math.floor(math.log10(abs(value))) if error > 0.0 else 0.0
        return scientific(value, min(max(-math.floor(math.log10(known)), 0), 2) if known > 0.0 else 2)
    if not error > 0.0 or math.isnan(error):
        return plain(value, 3)
    return plain(value, min(max(-math.floor(math.log10(error)), 1), 4))


def share(fraction: float) -> str:
    """Return a share as a percentage with one or two decimals; in powers of ten where that would be 0."""
    if fraction == 0.0 or fraction == 1.0:
        return f"{100.0 * fraction:.0f}{_PERCENT}"
    if fraction < 1e-16:
        return f"≈ 0{_PERCENT}"
    if fraction < 1e-4:
        return scientific(100.0 * fraction) + _PERCENT
    return f"{100.0 * fraction:.{1 if fraction >= 0.01 else 2}f}{_PERCENT}"


def divided(d_k: int) -> str:
    """Return what scaled scores are called."""
    return f"divided by √{d_k}"


# ---- At one d_k ----


def scores_headline(picture: ScoresPicture) -> str:
    """Return in one sentence what the histograms show."""
    raw, scaled, setting = picture.raw.summary, picture.scaled.summary, picture.setting
    if not picture.state.shared_axis and not picture.state.holds_axes:
        return "Each over an axis of its own, both look alike."
    if setting.source is ScoreSource.EMBEDDINGS:
        return f"The score of a token with itself lies around {setting.d_k}."
    if not picture.state.scaled and raw.tail.value >= 0.01:
        return f"{share(raw.tail.value)} of the scores lie beyond ±30."
    if setting.source is ScoreSource.PROJECTED:
        return f"Even divided by √{setting.d_k}, scores spread by {plain(scaled.std.value)}."
    return "Scores grow like √d_k. Divided, they stay the same."


def scores_said(picture: ScoresPicture) -> tuple[str, ...]:
    """Return what else there is to say of the scores at one d_k."""
    drawn = _draws(picture.raw.summary.draws, picture.draws, picture.state, picture.raw.summary.rows)
    return _law(picture), *filter(None, [_shape(picture)]), drawn


QUANTITIES = {
    "std": "spread",
    "tail": "beyond ±30",
    "largest": "largest weight",
    "saturated": f"rows over {percent(SATURATED_ABOVE)}",
    "own": "weight on oneself",
    "entropy": "entropy ÷ ln n",
    "gradient": "gradient",
    "slope": "p (1 − p)",
}
"""What is measured of rows of scores, by the fields of `Summary`."""


def measured_rows(raw: Summary, scaled: Summary, predicted: tuple[float, float]) -> tuple[tuple[str, ...], ...]:
    """Return all that was measured, with raw and with scaled scores, and how they were predicted to be spread."""
    rows = [("predicted spread", *(plain(std, 3) for std in predicted))]
    for quantity, name in QUANTITIES.items():
        both = getattr(raw, quantity), getattr(scaled, quantity)
        write = (lambda each: share(each.value)) if quantity in ("tail", "saturated") else measured
        if None not in both:
            rows.append((name, write(both[0]), write(both[1])))
    return tuple(rows)


def score_words(picture: ScoresPicture, score: float, which: tuple[bool, ...] = (False, True)) -> str:
    """Return what share of the raw and of the scaled scores, or of ``which``, lies about a place on the axis."""
    return " · ".join(_bin_words(picture, scaled, score) for scaled in which)


def _bin_words(picture: ScoresPicture, scaled: bool, score: float) -> str:
    edges, name = picture.bin_edges(scaled), divided(picture.setting.d_k) if scaled else AS_THEY_COME
    index = int(np.searchsorted(edges, score, "right")) - 1
    if not 0 <= index < len(edges) - 1:
        return f"{name}: hardly any at {plain(score)}"
    low, high = float(edges[index]), float(edges[index + 1])
    expected = float(predicted_density(picture.setting, scaled, np.linspace(low, high, 9)).mean()) * (high - low)
    found = share(float(picture.counts[index]) / picture.scores)
    return f"{name}: {found} of the scores are from {plain(low)} to {plain(high)}, predicted {share(expected)}"


def weight_words(picture: ScoresPicture, row: int, key: int) -> str:
    """Return how a weight of one of the first rows came about, as scores come and divided."""
    score, root = float(picture.rows[row, key]), picture.root
    raw, scaled = (float(picture.first_weights(which)[row, key]) for which in (False, True))
    return (
        f"row {row + 1}, key {key + 1}: q·k = {plain(score)}, weight {plain(raw, 4)} · "
        f"÷ √{picture.setting.d_k} = {plain(score / root)}, weight {plain(scaled, 4)}"
    )


def _law(picture: ScoresPicture) -> str:
    setting = picture.setting
    if setting.source is ScoreSource.DIRECT:
        return (
            f"q·k is a sum of d_k = {setting.d_k} products of variance 1, so its variance is {setting.d_k} and its "
            f"standard deviation √{setting.d_k} = {plain(math.sqrt(setting.d_k))}. Dividing by √{setting.d_k} makes "
            "that 1."
        )
    if setting.source is ScoreSource.EMBEDDINGS:
        return (
            f"The scores of tokens with themselves, x·x = ‖x‖², lie around {setting.d_k}. Scores of different tokens "
            f"spread around 0 by √{setting.d_k} = {plain(math.sqrt(setting.d_k))}."
        )
    sigma = setting.gain_number
    variance = setting.d_model * sigma**2
    return (
        f"Entries of x·W have variance d_model·σ_w² = {setting.d_model}·{coordinate(sigma, 4)}² = {plain(variance)}. "
        f"So the scores of different tokens spread by {plain(variance)}·√{setting.d_k}, after the scaling by "
        f"{plain(variance)}; with those of tokens with themselves it is {plain(picture.scaled.predicted_std, 3)}."
    )


def _shape(picture: ScoresPicture) -> str:
    setting = picture.setting
    if setting.source is ScoreSource.PROJECTED:
        if min(setting.d_k, setting.d_model) >= FEW:
            return ""
        return (
            "The dotted curve is a normal one with the predicted spread. The histogram is more peaked and has longer "
            "tails: W_q and W_k differ from draw to draw, and some draws spread the scores more than others."
        )
    excess = (setting.distribution.kurtosis**2 - 3.0) / setting.d_k
    if setting.source is ScoreSource.DIRECT and abs(excess) > 0.3:
        heavy = "heavier" if excess > 0 else "lighter"
        return (
            f"At d_k = {setting.d_k} the histogram has {heavy} tails than the normal curve (excess kurtosis "
            f"{plain(excess)}). The variance is d_k at any size; the normal shape needs many terms."
        )
    if setting.distribution is EntryDistribution.SIGNS and setting.source is ScoreSource.DIRECT:
        return "Entries are −1 or 1, and q·k is a whole number: even then its variance is d_k."
    return ""


def _draws(done: int, possible: int, state: ScalingState, rows: int) -> str:
    text = f"{grouped(done)} draw{'s' * (done != 1)}, {grouped(rows)} row{'s' * (rows != 1)}"
    if done < possible:
        return f"{text} so far, of {grouped(possible)} draws."
    if possible < state.draws:
        wanted = grouped(state.draws)
        return f"{text}: as many as can be made in a few seconds, instead of {wanted} draws. Seed {state.seed}."
    return f"{text}. Seed {state.seed}: the same seed gives the same numbers."


# ---- As d_k grows ----


def growth_headline(picture: GrowthPicture) -> str:
    """Return in one sentence what the curves of the largest weight show."""
    raw, scaled = (picture.values("largest", which) for which in (False, True))
    rises = [float(curve[-1] - curve[0]) for curve in (raw, scaled)]
    if picture.state.keys == 1:
        return "A single key has the weight 1 at every d_k."
    if rises[1] >= 0.2:
        return "Weights sharpen with d_k, even divided by √d_k."
    if min(scaled.min(), raw.min()) > 0.6:
        return "Divided by √d_k or not: sharp at every d_k."
    if rises[0] >= 0.1:
        return "Weights sharpen with d_k. Divided by √d_k, they hardly do."
    return "Divided by √d_k or not: d_k matters little."


def growth_words(point: GrowthPoint, quantity: str) -> str:
    """Return a quantity at one d_k, as scores come and divided, each with its standard error."""
    parts = []
    for scaled, name in ((False, AS_THEY_COME), (True, divided(point.d_k))):
        measure: Measure = getattr(point.of(scaled), quantity)
        error = "" if math.isnan(measure.error) else f" ± {measure.error:.2g}"
        parts.append(f"{measured(measure)}{error} {name}")
    if quantity == "std":
        parts.append("predicted {:.4g} and {:.4g}".format(*map(point.setting.predicted_std, (False, True))))
    return f"d_k = {point.d_k}: {QUANTITIES[quantity]} {', '.join(parts)}"


def growth_said(picture: GrowthPicture) -> tuple[str, ...]:
    """Return what else there is to say of the curves."""
    keys, draws = picture.state.keys, [point.raw.draws for point in picture.points]
    some = str(draws[0]) if min(draws) == max(draws) else f"{min(draws)} to {max(draws)}"
    end = f". Seed {picture.state.seed}." if picture.is_complete else " so far."
    return f"Uniform weights would be 1/{keys} = {plain(1 / keys, 3)}.", f"{some} draws at each d_k{end}"
