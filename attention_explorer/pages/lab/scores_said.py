"""What the pictures of scores say of their numbers: at one d_k, and as d_k grows."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.numerals import coordinate, grouped, percent, plain, scientific
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.lab.score_rows import SATURATED_ABOVE, Measure, Summary
from attention_explorer.pages.lab.scores import ScoresPicture, predicted_density
from attention_explorer.pages.lab.scores_growth import GrowthPicture, GrowthPoint
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.scores_wording import measured, share, verdict

AS_THEY_COME = "as they come"
FEW = 32
"""Below so many features one pair of W_q and W_k differs visibly from the next."""


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
    """Return all that there is to say of the scores at one d_k."""
    raw, scaled, name = picture.raw.summary, picture.scaled.summary, divided(picture.setting.d_k)
    gradient = (
        "A row with a single key has weight 1 whatever its score, so its softmax has no gradient."
        if picture.state.keys == 1
        else f"Rows that put more than {percent(SATURATED_ABOVE)} on one key: {share(raw.saturated.value)} "
        f"{AS_THEY_COME}, {share(scaled.saturated.value)} {name}. The gradient of the softmax is {_ratio(picture)}."
    )
    return (
        f"Scores spread by {measured(raw.std)} {AS_THEY_COME}, by {measured(scaled.std)} {name}.",
        _law(picture),
        gradient,
        f"Predicted are {plain(picture.raw.predicted_std, 3)} and {plain(picture.scaled.predicted_std, 3)}. Beyond ±30 "
        f"lie {share(raw.tail.value)} and {share(scaled.tail.value)} of the scores, and "
        f"{share(picture.raw.predicted_tail)} and {share(picture.scaled.predicted_tail)} of the predicted curves.",
        _of_rows(raw, scaled, picture.setting.keys),
        *filter(None, [_shape(picture)]),
        _draws(raw.draws, picture.draws, picture.state, raw.rows),
    )


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


def _ratio(picture: ScoresPicture) -> str:
    raw, scaled = picture.raw.summary.gradient.value, picture.scaled.summary.gradient.value
    if raw <= 0 or scaled <= 0:
        return f"{scientific(raw)} {AS_THEY_COME} and {scientific(scaled)} {divided(picture.setting.d_k)}"
    ratio = scaled / raw
    if 0.95 < ratio < 1.05:
        return "about the same"
    times = f"{ratio:.1f}" if ratio < 100 else scientific(ratio)
    return f"{times} times as large when divided" if ratio > 1 else f"{1 / ratio:.1f} times as large {AS_THEY_COME}"


def _of_rows(raw: Summary, scaled: Summary, keys: int) -> str:
    def both(one: Measure, other: Measure) -> str:
        return f"{measured(one)} and {measured(other)}"

    own = "" if raw.own is None or scaled.own is None else f" on itself {both(raw.own, scaled.own)},"
    return (
        f"Mean largest weight {both(raw.largest, scaled.largest)} (uniform would be {plain(1.0 / keys, 3)}),{own} "
        f"entropy ÷ ln n {both(raw.entropy, scaled.entropy)}, norm of the softmax’s gradient "
        f"{both(raw.gradient, scaled.gradient)}, median p(1 − p) of the largest weight {both(raw.slope, scaled.slope)}."
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
        return f"{text} so far, of {grouped(possible)} draws.{_of_all_draws(state)}"
    if possible < state.draws:
        wanted = grouped(state.draws)
        return f"{text}: as many as can be made in a few seconds, instead of {wanted} draws. Seed {state.seed}."
    return f"{text}. Seed {state.seed}: the same seed gives the same numbers."


def _of_all_draws(state: ScalingState) -> str:
    """Return a warning that a preset gives other numbers than those of the draws so far; empty where none is judged."""
    return " What is said of the example is of all draws." if verdict(state).claim else ""


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


def growth_words(point: GrowthPoint, quantity: str, title: str) -> str:
    """Return a quantity at one d_k, as scores come and divided, each with its standard error."""
    parts = []
    for scaled, name in ((False, AS_THEY_COME), (True, divided(point.d_k))):
        measure: Measure = getattr(point.of(scaled), quantity)
        error = "" if math.isnan(measure.error) else f" ± {measure.error:.2g}"
        parts.append(f"{measured(measure)}{error} {name}")
    if quantity == "std":
        parts.append("predicted {:.4g} and {:.4g}".format(*map(point.setting.predicted_std, (False, True))))
    return f"{title} {', '.join(parts)}"


def growth_said(picture: GrowthPicture) -> tuple[str, ...]:
    """Return all that there is to say of the curves."""
    keys, shown = picture.state.keys, picture.points[picture.nearest(picture.state.d_k)]
    here = (
        growth_words(shown, quantity, title)
        for quantity, title in (
            ("largest", "mean largest weight"),
            ("std", "standard deviation of the scores"),
            ("entropy", "entropy ÷ ln n"),
            ("gradient", "norm of the softmax’s gradient"),
        )
    )
    return (
        f"Uniform weights would be 1/{keys} = {plain(1 / keys, 3)}.",
        *_from_2_to_64(picture),
        f"At d_k = {shown.d_k}: {'; '.join(here)}; {grouped(shown.raw.draws)} draws.",
        _growth_draws(picture),
    )


def _from_2_to_64(picture: GrowthPicture) -> list[str]:
    first, last = picture.point_at(2), picture.point_at(64)
    if first is None or last is None:
        return []
    said = [
        f"From d_k = 2 to 64, {name}: standard deviation {measured(one.std)} → {measured(other.std)}, largest weight "
        f"{measured(one.largest)} → {measured(other.largest)}, entropy ÷ ln n {measured(one.entropy)} → "
        f"{measured(other.entropy)}, gradient {measured(one.gradient)} → {measured(other.gradient)}."
        for one, other, name in (
            (first.scaled, last.scaled, "divided by √d_k"),
            (first.raw, last.raw, AS_THEY_COME),
        )
    ]
    own = first.scaled.own, last.scaled.own
    if own[0] is not None and own[1] is not None and picture.state.source is ScoreSource.EMBEDDINGS:
        said.append(f"Weight on oneself, divided by √d_k: {measured(own[0])} → {measured(own[1])}.")
    return said


def _growth_draws(picture: GrowthPicture) -> str:
    draws = [point.raw.draws for point in picture.points]
    if not picture.is_complete:
        return f"{min(draws)} to {max(draws)} draws at each d_k so far.{_of_all_draws(picture.state)}"
    if min(draws) == max(draws):
        return f"{draws[0]} draws at each d_k. Seed {picture.state.seed}."
    return f"Up to {max(draws)} draws at each d_k, and at least {min(draws)}. Seed {picture.state.seed}."
