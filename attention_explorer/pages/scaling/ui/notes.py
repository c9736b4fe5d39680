"""What the panel of the Scaling page says beside each picture: its true numbers in a few sentences."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.numerals import coordinate, grouped, percent, plain, scientific
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.scaling.bench import BenchPicture, Fault
from attention_explorer.pages.scaling.growth import GrowthPicture
from attention_explorer.pages.scaling.rows import SATURATED_ABOVE
from attention_explorer.pages.scaling.scores import ScoresPicture
from attention_explorer.pages.scaling.state import Precision, ScalingState
from attention_explorer.pages.scaling.ui.bench_columns import number_text
from attention_explorer.pages.scaling.wording import measured, share, verdict

ROUNDING = 1e-6
"""A weight that moves by less shows it in none of its digits."""
FEW = 32
"""Below so many features one pair of W_q and W_k differs visibly from the next."""


def scores_notes(picture: ScoresPicture) -> tuple[TextLine, ...]:
    """Return what the panel says beside the histograms."""
    raw, scaled = picture.raw.summary, picture.scaled.summary
    said = (
        f"Rows that put more than {percent(SATURATED_ABOVE)} on one key: {share(raw.saturated.value)} not scaled, "
        f"{share(scaled.saturated.value)} scaled. The gradient of the softmax is {_ratio(picture)}."
    )
    if picture.state.keys == 1:
        said = "A row with a single key has weight 1 whatever its score, so its softmax has no gradient."
    lines = [
        TextLine("How far do scores spread?", bold=True),
        TextLine(_law(picture)),
        TextLine(f"Measured: {measured(raw.std)} not scaled, {measured(scaled.std)} scaled. {said}"),
    ]
    shape = _shape(picture)
    if shape:
        lines.append(TextLine(shape))
    lines.append(TextLine(_draws(picture.raw.summary.draws, picture.draws, picture.state, raw.rows), "muted"))
    return tuple(lines)


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
        return f"{scientific(raw)} when not scaled and {scientific(scaled)} when scaled"
    ratio = scaled / raw
    if 0.95 < ratio < 1.05:
        return "about the same"
    times = f"{ratio:.1f}" if ratio < 100 else scientific(ratio)
    return f"{times} times as large when scaled" if ratio > 1 else f"{1 / ratio:.1f} times as large when not scaled"


def _shape(picture: ScoresPicture) -> str:
    setting = picture.setting
    if setting.source is ScoreSource.PROJECTED:
        if min(setting.d_k, setting.d_model) >= FEW:
            return ""
        return (
            "The curve is a normal one with the predicted spread. The bars are more peaked and have longer tails: "
            "W_q and W_k differ from draw to draw, and some draws spread the scores more than others."
        )
    excess = (setting.distribution.kurtosis**2 - 3.0) / setting.d_k
    if setting.source is ScoreSource.DIRECT and abs(excess) > 0.3:
        heavy = "heavier" if excess > 0 else "lighter"
        return (
            f"At d_k = {setting.d_k} the bars have {heavy} tails than the normal curve (excess kurtosis "
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
    return " The hint and the verdict give the numbers of all draws." if verdict(state).claim else ""


# ---- Against d_k ----


def growth_notes(picture: GrowthPicture) -> tuple[TextLine, ...]:
    """Return what the panel says beside the curves."""
    first, last = picture.point_at(2), picture.point_at(64)
    lines = [TextLine("From d_k = 2 to 64", bold=True)]
    if first is not None and last is not None:
        for scaled, name in ((True, "Scaled"), (False, "Not scaled")):
            one, other = first.of(scaled), last.of(scaled)
            lines.append(
                TextLine(
                    f"{name}: standard deviation {measured(one.std)} → {measured(other.std)}, largest weight "
                    f"{measured(one.largest)} → {measured(other.largest)}, entropy ÷ ln n {measured(one.entropy)} → "
                    f"{measured(other.entropy)}, gradient {measured(one.gradient)} → {measured(other.gradient)}."
                )
            )
        if (
            first.scaled.own is not None
            and last.scaled.own is not None
            and picture.state.source is ScoreSource.EMBEDDINGS
        ):
            lines.append(
                TextLine(f"Weight on oneself, scaled: {measured(first.scaled.own)} → {measured(last.scaled.own)}.")
            )
    lines.append(TextLine(f"Uniform weights would be 1/{picture.state.keys} = {plain(1 / picture.state.keys, 3)}."))
    lines.append(TextLine(_growth_draws(picture), "muted"))
    return tuple(lines)


def _growth_draws(picture: GrowthPicture) -> str:
    draws = [point.raw.draws for point in picture.points]
    if not picture.is_complete:
        return f"{min(draws)} to {max(draws)} draws at each d_k so far.{_of_all_draws(picture.state)}"
    if min(draws) == max(draws):
        return f"{draws[0]} draws at each d_k. Seed {picture.state.seed}."
    return f"Up to {max(draws)} draws at each d_k, and at least {min(draws)}. Seed {picture.state.seed}."


# ---- The bench ----


def bench_notes(picture: BenchPicture) -> tuple[TextLine, ...]:
    """Return what the panel says beside the bench."""
    bench = picture.bench
    lines = [TextLine("What the softmax does", bold=True), TextLine(_fault_words(picture))]
    lines.append(TextLine(_limit_words(picture)))
    if picture.has_slope:
        lines.append(
            TextLine(
                f"The two largest scores are {plain(picture.gap)} apart. For the largest weight p, p (1 − p) is "
                f"{number_text(picture.slope)}; it is never above 0.25. Rows and columns of the Jacobian sum to 0: "
                "what one key gains, the others lose."
            )
        )
    if bench.shift and picture.fault is Fault.NONE:
        lines.append(TextLine(f"{plain(bench.shift)} added to every score of the row {_moved(picture)}."))
    sums = ", ".join("NaN" if math.isnan(total) else plain(total, 3) for total in picture.row_sums.tolist())
    lines.append(TextLine(f"Row sums: {sums}.", "muted"))
    return tuple(lines)


def _moved(picture: BenchPicture) -> str:
    bench, moved = picture.bench, picture.shift_moves
    if moved == 0.0:
        return "moves no weight"
    if bench.over_queries:
        return f"moves its weights by up to {number_text(moved)}: each key’s weights compete down the column"
    if moved < ROUNDING:
        return "moves no weight, apart from rounding"
    return (
        f"moves its weights by up to {number_text(moved)}, as larger scores are rounded more in {bench.precision.value}"
    )


def _fault_words(picture: BenchPicture) -> str:
    exact = ", ".join(number_text(weight) for weight in picture.exact[picture.row].tolist())
    if picture.fault is Fault.NAN:
        return f"NaN. In float64, with the largest score subtracted first, the weights are {exact}."
    if picture.fault is Fault.SILENT:
        return f"Every weight is 0, and there is no NaN to notice it by. They should be {exact}."
    if picture.bench.over_queries:
        return "exp of each score, divided by the sum down its column: the columns sum to 1, the rows need not."
    off = float(abs(picture.weights[picture.row].astype(float) - picture.exact[picture.row]).max())
    if off == 0.0:
        return "exp of each score, divided by their sum: the weights sum to 1, and a larger score never gets less."
    return f"These weights are within {number_text(off)} of the exact ones: the difference is rounding."


def _limit_words(picture: BenchPicture) -> str:
    bench, row = picture.bench, picture.row
    limit = plain(bench.precision.exp_limit)
    if bench.subtract_max:
        return (
            "With the largest score subtracted no exponential is above 1, so none overflows (without that, scores "
            f"above {limit} would)."
        )
    text = f"exp overflows above {limit} in {bench.precision.value}"
    if np.isinf(picture.exponentials if bench.over_queries else picture.exponentials[row]).any():
        return f"{text}: here it does."
    if np.isinf(picture.totals[row]).any():
        return f"{text}. Here no exponential does, but their sum already does."
    factor = picture.failing_factor()
    if math.isinf(factor):
        return f"{text}. These scores never get there; but far below 0 every exp becomes 0, and 0 ÷ 0 is NaN."
    digits = 3 if bench.precision is Precision.HALF else 5  # as many as rounding in the precision leaves
    return f"{text}. The sum of these exponentials overflows from “×” {factor:.{digits}g} on."


# ---- The verdict ----


def verdict_lines(state: ScalingState) -> tuple[TextLine, ...]:
    """Return what is true of the settings, with the sentence that is judged if there is one."""
    said = verdict(state)
    lines = [TextLine(said.claim, "muted")] if said.claim else []
    lines += [TextLine(said.title, bold=True), TextLine(said.text)]
    return tuple(lines)
