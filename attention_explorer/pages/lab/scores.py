"""Histograms of raw and of scaled scores over many draws, the curve theory predicts, and what softmax makes of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model.normal import normal_density
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource
from attention_explorer.model.softmax import softmax
from attention_explorer.pages.lab.score_rows import RawAndScaled, Summary, draws_possible, score_pieces, summary
from attention_explorer.pages.lab.scores_state import ScalingState

MOST_NUMBERS = 2**27
"""So many random numbers are drawn for a picture at most: some seconds."""
QUICK_NUMBERS, QUICK_SCORES = 2**17, 2**12
"""What is drawn and measured within about 20 ms."""
BINS, WEIGHT_BINS = 80, 40
FIRST_ROWS = 12
"""So many rows are kept to be looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Sharpness:
    """One of the two: raw scores, or the same divided by √d_k."""

    summary: Summary
    predicted_std: float
    weight_counts: FloatArray
    """Rows by their largest weight, (WEIGHT_BINS,)."""
    example: FloatArray
    """The weights of the first row of all, (keys,)."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoresPicture:
    """What has been drawn so far."""

    state: ScalingState
    setting: ScoreSetting
    draws: int
    """As many as are to be made; more may be wished for."""
    edges: FloatArray
    """Of the bins of raw scores, (bins + 1,); those of scaled scores are these divided by √d_k."""
    counts: FloatArray
    """Scores in each bin, (bins,); raw and scaled ones are the same, over another axis."""
    scores: int
    """How many there are, also outside the bins."""
    weight_edges: FloatArray
    raw: Sharpness
    scaled: Sharpness
    rows: FloatArray
    """The raw scores of the first rows, (`FIRST_ROWS` or as many as there are, keys)."""

    @property
    def root(self) -> float:
        """√d_k."""
        return math.sqrt(self.setting.d_k)

    def of(self, scaled: bool) -> Sharpness:
        """Return the scaled or the raw ones."""
        return self.scaled if scaled else self.raw

    @property
    def example(self) -> FloatArray:
        """The raw scores of the first row of all, (keys,)."""
        return np.asarray(self.rows[0])

    def first_weights(self, scaled: bool) -> FloatArray:
        """Return the weights of the first rows, (rows, keys)."""
        return np.asarray(softmax(self.rows / self.root if scaled else self.rows))

    def densities(self, scaled: bool) -> FloatArray:
        """Return the share of scores per unit of score, (bins,)."""
        widths = np.diff(self.edges) / (self.root if scaled else 1.0)
        return np.asarray(self.counts / (self.scores * widths))

    def bin_edges(self, scaled: bool) -> FloatArray:
        """Return the edges of the bins of the scores."""
        return self.edges / self.root if scaled else self.edges

    def axis_ends(self, scaled: bool) -> tuple[float, float]:
        """Return where the axis of the raw or the scaled scores begins and ends: at this d_k, or at the one held."""
        d_k = self.state.axis_d_k or self.state.d_k
        if self.state.source is ScoreSource.EMBEDDINGS:
            d_k = max(d_k, self.state.d_k)  # a token's score with itself lies around d_k, and is to be seen
        edges = bin_edges(self.state.setting_at(d_k))
        root = math.sqrt(d_k) if scaled and not self.state.shared_axis else 1.0
        return float(edges[0]) / root, float(edges[-1]) / root

    def beyond(self, scaled: bool) -> float:
        """Return about what share of the scores is beyond the ends of the axis; 0 where it has room for all bins."""
        edges, (low, high) = self.bin_edges(scaled), self.axis_ends(scaled)
        if low <= edges[0] and edges[-1] <= high:
            return 0.0
        inside = np.clip(edges[1:], low, high) - np.clip(edges[:-1], low, high)
        return 1.0 - float((self.counts * inside / np.diff(edges)).sum()) / self.scores

    @property
    def is_complete(self) -> bool:
        """Whether all draws have been made."""
        return self.raw.summary.draws >= self.draws


def decisive(state: ScalingState) -> ScalingState:
    """Return the state without what does not decide the numbers."""
    names = ("source", "distribution", "d_k", "d_model", "follows", "rule", "gain", "keys", "draws", "seed")
    return ScalingState(**{name: getattr(state, name) for name in names})


_kept: Kept[ScoresPicture] = Kept()


def is_quick(state: ScalingState) -> bool:
    """Whether all draws are made within about 20 ms, or have been made already."""
    if _kept.get(decisive(state)) is not None:
        return True
    setting = state.setting
    draws = draws_possible(setting, state.draws, MOST_NUMBERS)
    few = draws * setting.rows_of_a_draw * setting.keys <= QUICK_SCORES
    return few and draws * setting.numbers_of_a_draw <= QUICK_NUMBERS


def scores_picture(state: ScalingState, _tiles: tuple[int, int] = (0, 0)) -> ScoresPicture:
    """Return the picture of all draws.

    Raises
    ------
    ArrayError
        What the state asks for cannot be drawn.
    """
    kept = _kept.get(decisive(state))
    if kept is not None:
        return replace(kept, state=state)
    tally = _Tally(state)
    for raw in score_pieces(tally.setting, tally.draws, state.seed):
        tally.add(raw)
    return _keep(tally.picture())


def _keep(picture: ScoresPicture) -> ScoresPicture:
    _kept.keep(decisive(picture.state), picture)
    return picture


def scores_stream(
    state: ScalingState, _tiles: tuple[int, int] = (0, 0)
) -> Iterator[tuple[float, ScoresPicture | None]]:
    """Yield the share done with a picture of the draws so far, or with None where that is hardly more than before."""
    tally, shown = _Tally(state), 0
    for raw in score_pieces(tally.setting, tally.draws, state.seed):
        tally.add(raw)
        is_last = tally.done == tally.draws
        if is_last or tally.done >= 2 * shown:
            shown = tally.done
            yield tally.done / tally.draws, _keep(tally.picture()) if is_last else tally.picture()
        else:
            yield tally.done / tally.draws, None


class _Tally:
    """What has been counted so far."""

    def __init__(self, state: ScalingState) -> None:
        self.state, self.setting = state, state.setting
        self.draws = draws_possible(self.setting, state.draws, MOST_NUMBERS)
        self.edges = bin_edges(self.setting)
        self.weight_edges = np.linspace(0.0, 1.0, WEIGHT_BINS + 1)
        self.counts = np.zeros(len(self.edges) - 1)
        self.done = self.scores = 0
        self.rows: FloatArray = np.zeros((0, self.setting.keys))
        self._measured = RawAndScaled(self.setting)

    def add(self, raw: FloatArray) -> None:
        wanted = FIRST_ROWS - len(self.rows)
        if wanted > 0:
            self.rows = np.concatenate([self.rows, raw.reshape(-1, raw.shape[-1])[:wanted]])
        self.counts += np.histogram(raw, self.edges)[0]
        self.scores += raw.size
        self.done += len(raw)
        self._measured.add(raw)

    def picture(self) -> ScoresPicture:
        raw, scaled = (self._sharpness(scaled) for scaled in (False, True))
        return ScoresPicture(
            *(self.state, self.setting, self.draws, self.edges, self.counts.copy(), self.scores, self.weight_edges),
            *(raw, scaled, self.rows),
        )

    def _sharpness(self, scaled: bool) -> Sharpness:
        whole = self._measured.readings(scaled)
        counts, _ = np.histogram(whole.largest, self.weight_edges)
        example = self.rows[0] / math.sqrt(self.setting.d_k) if scaled else self.rows[0]
        return Sharpness(
            summary(whole),
            self.setting.predicted_std(scaled),
            counts.astype(np.float64),
            softmax(example),
        )


# ---- What theory says ----


def bin_edges(setting: ScoreSetting) -> FloatArray:
    """Return the edges of the bins of raw scores: wide enough for nearly all of them, decided before any is drawn."""
    std = setting.predicted_std(False)
    if setting.source is ScoreSource.EMBEDDINGS:
        root = math.sqrt(setting.d_k)
        beyond = setting.d_k + 4.5 * math.sqrt(setting.distribution.kurtosis - 1.0) * root
        low, high = -4.5 * root, max(4.5 * root, beyond)
    else:
        reach = (4.5 if setting.source is ScoreSource.DIRECT else 6.0) * (std or 1.0)
        low, high = -reach, reach
    if setting.distribution is not EntryDistribution.SIGNS or setting.source is ScoreSource.PROJECTED:
        return np.linspace(low, high, BINS + 1)
    # Sums of d_k signs are whole numbers 2 apart: bins hold equally many of them, or the bars would be a comb.
    width = 2.0 * max(1, round((high - low) / BINS / 2.0))
    first = math.floor((low - setting.d_k) / width) * width + setting.d_k - 1.0
    return np.asarray(np.arange(first, high + width, width))


def predicted_density(setting: ScoreSetting, scaled: bool, scores: FloatArray) -> FloatArray:
    """Return the curve predicted for scores: a normal one with the variance of theory.

    With Q = K = X it is two: around 0 for other tokens, around d_k for a token's score with itself.
    """
    unit = math.sqrt(setting.d_k) if scaled else 1.0
    if setting.source is not ScoreSource.EMBEDDINGS:
        return normal_density(scores, setting.predicted_std(scaled) or 1e-9)
    share, centre = 1.0 / setting.keys, setting.d_k / unit
    others = normal_density(scores, math.sqrt(setting.d_k) / unit)
    own_std = math.sqrt(setting.d_k * (setting.distribution.kurtosis - 1.0)) / unit
    own = normal_density(scores - centre, own_std or 0.02 * centre)
    return np.asarray((1.0 - share) * others + share * own)


def scores_numbers(picture: ScoresPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, the histogram first."""
    middles = 0.5 * (picture.edges[1:] + picture.edges[:-1])
    found: dict[str, np.typing.NDArray[Any]] = {
        "histogram": np.column_stack([picture.edges[:-1], picture.edges[1:], picture.counts]),
        "predicted_density_raw": predicted_density(picture.setting, False, middles),
        "weight_edges": picture.weight_edges,
    }
    for name, part in (("raw", picture.raw), ("scaled", picture.scaled)):
        found[f"rows_by_largest_weight_{name}"] = part.weight_counts
        found[f"first_row_weights_{name}"] = part.example
        found |= summary_numbers(part.summary, name)
        found[f"predicted_std_{name}"] = np.asarray(part.predicted_std)
    found["first_row_raw_scores"] = picture.example
    return found


def summary_numbers(summary_: Summary, name: str) -> dict[str, np.typing.NDArray[Any]]:
    """Return (value, standard error) of everything measured."""
    found = {}
    for quantity in ("std", "tail", "largest", "saturated", "entropy", "gradient", "slope", "own"):
        measure = getattr(summary_, quantity)
        if measure is not None:
            found[f"{quantity}_{name}"] = np.asarray((measure.value, measure.error))
    return found
