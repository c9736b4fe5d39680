"""The words of the pictures of scores: titles, what the settings are, and what is true of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.numerals import coordinate, plain, scientific
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.lab.bench import BenchPicture, Fault, bench_picture, rows_text
from attention_explorer.pages.lab.score_rows import Measure
from attention_explorer.pages.lab.scores_presets import scaling_preset
from attention_explorer.pages.lab.scores_state import GainRule, ScalingPicture, ScalingState

SOURCE_NAMES = {
    ScoreSource.DIRECT: "q and k drawn",
    ScoreSource.PROJECTED: "q = x·W_q, k = x·W_k",
    ScoreSource.EMBEDDINGS: "Q = K = X",
}
DISTRIBUTION_NAMES = {
    EntryDistribution.NORMAL: "normal",
    EntryDistribution.UNIFORM: "uniform",
    EntryDistribution.LAPLACE: "Laplace",
    EntryDistribution.SIGNS: "±1",
}


_PERCENT = "\u00a0%"  # never torn from its number


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


# ---- What the settings are ----


def picture_title(state: ScalingState) -> str:
    """Return what the large picture shows."""
    if state.picture is ScalingPicture.BENCH:
        return "The softmax, step by step"
    if state.picture is ScalingPicture.GROWTH:
        return f"Scores and weights against d_k: {SOURCE_NAMES[state.source]}"
    return f"Scores at d_k = {state.d_k}: {SOURCE_NAMES[state.source]}"


def settings_words(state: ScalingState) -> str:
    """Return what the numbers were made with."""
    if state.picture is ScalingPicture.BENCH:
        return _bench_words(state)
    parts = [SOURCE_NAMES[state.source], f"{DISTRIBUTION_NAMES[state.distribution]} entries of variance 1"]
    parts.append(f"d_k = {state.d_k}")
    if state.source is ScoreSource.PROJECTED:
        model = "d_model = d_k" if state.follows else f"d_model = {state.d_model}"
        parts += [model, f"σ_w = {coordinate(state.gain) if state.rule is GainRule.NUMBER else state.rule.value}"]
    what = "keys" if state.source is ScoreSource.DIRECT else "tokens"
    parts += [f"{state.keys} {what}", f"up to {state.draws} draws", f"seed {state.seed}"]
    return ", ".join(parts)


def _bench_words(state: ScalingState) -> str:
    bench = state.bench
    parts = [f"scores {rows_text(bench.rows)}"]
    if bench.factor != 1.0:
        parts.append(f"× {coordinate(bench.factor)}")
    if bench.shift:
        parts.append(f"{plain(bench.shift, 2)} added to row {bench.row_shown + 1}")
    parts.append(f"{bench.precision.value}, largest score {'subtracted first' if bench.subtract_max else 'left in'}")
    parts.append("normalised over the queries" if bench.over_queries else "normalised over the keys")
    return ", ".join(parts)


# ---- What is true of them ----


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is true of the settings."""

    title: str
    text: str
    claim: str = ""
    """The sentence that is judged, if there is one."""


def verdict(state: ScalingState) -> Verdict:
    """Return the verdict of a preset while its settings are as they were, else what theory says of the settings."""
    ready = scaling_preset(state.preset)
    if _is_as_in(state, ready.state):
        return Verdict(f"{ready.verdict}.", ready.truth, ready.claim)
    if state.picture is ScalingPicture.BENCH:
        return _of_bench(state)
    return {ScoreSource.DIRECT: _of_direct, ScoreSource.PROJECTED: _of_projected}.get(state.source, _of_embeddings)(
        state
    )


def _is_as_in(state: ScalingState, ready: ScalingState) -> bool:
    """Whether what the picture depends on is that of a preset: either the bench, or all but the bench."""
    if ScalingPicture.BENCH in (state.picture, ready.picture):
        looked_at = replace(state.bench, row=ready.bench.row, key=ready.bench.key)
        return state.picture is ready.picture and looked_at == ready.bench
    as_seen = replace(state, picture=ready.picture, shared_axis=ready.shared_axis, axis_d_k=ready.axis_d_k)
    return replace(as_seen, bench=ready.bench) == ready


def _of_direct(state: ScalingState) -> Verdict:
    raw = state.setting.predicted_std(False)
    text = f"Raw scores spread by √{state.d_k} = {plain(raw)}. Scaled scores spread by 1, whatever d_k is."
    if not state.scaled:
        return Verdict(
            "Without scaling, d_k decides how sharp the weights are.", f"{text} {_sharpness(raw, state.keys)}"
        )
    tail = state.distribution.kurtosis**2 - 3.0  # of one product of two entries
    if tail > 0 and state.d_k <= 16:
        text += f" At small d_k the tails are heavier than normal: excess kurtosis {plain(tail / state.d_k)}."
    return Verdict("With scaling, d_k hardly matters.", f"{text} {_sharpness(1.0, state.keys)}")


def _of_projected(state: ScalingState) -> Verdict:
    setting, sigma = state.setting, state.setting.gain_number
    rough = setting.d_model * sigma**2
    exact = setting.predicted_std(True)
    text = (
        f"Scaled scores spread by about d_model·σ_w² = {setting.d_model}·{coordinate(sigma, 3)}² = {plain(rough)}"
        f" (exactly {plain(exact, 3)} here, each token’s score with itself included)"
    )
    grows = state.follows and state.rule is GainRule.NUMBER
    text += ", which grows with d_k because d_model does." if grows else ", at every d_k."
    title = "The gain decides, not d_k." if state.scaled else "Without scaling, the scores also grow with √d_k."
    shown = exact if state.scaled else setting.predicted_std(False)
    return Verdict(title, f"{text} {_sharpness(shown, state.keys)}")


def _of_embeddings(state: ScalingState) -> Verdict:
    own = math.sqrt(state.d_k) if state.scaled else float(state.d_k)
    alone = "With a single token that weight is always 1."
    return Verdict(
        "Every token finds itself.",
        f"x·x = ‖x‖² is d_k on average, so a token’s score with itself is about {plain(own)} "
        f"{'after' if state.scaled else 'without'} scaling, and with others about 0. "
        f"{alone if state.keys == 1 else 'The weight of a token on itself grows with d_k, scaled or not.'}",
    )


def _sharpness(std: float, keys: int) -> str:
    if keys == 1:
        return "A single key has the weight 1 whatever its score is."
    if std < 0.3:
        return f"With a spread of {plain(std)} the weights stay near 1/{keys} = {plain(1.0 / keys, 3)}."
    if std < 1.6:
        return f"A spread of {plain(std)} leaves more than one key some weight, and the softmax a gradient."
    if std < 4.0:
        return f"A spread of {plain(std)} makes the weights sharp."
    return f"A spread of {plain(std)} saturates the softmax: in many rows one key takes nearly all the weight."


def _of_bench(state: ScalingState) -> Verdict:
    bench, picture = state.bench, bench_picture(state.bench)
    limit = plain(bench.precision.exp_limit)
    if picture.fault is Fault.NAN:
        return Verdict(
            "NaN: ∞ divided by ∞, or 0 by 0.",
            f"exp overflows above {limit} in {bench.precision.value} and is 0 far below 0. “Subtract max” prevents "
            "both: the largest exponential is then exp(0) = 1.",
        )
    if picture.fault is Fault.SILENT and np.isinf(picture.totals[picture.row]).any():
        return Verdict(
            "All weights are 0, and nothing says so.",
            "Each exponential of the row is finite, but what it is divided by is infinite: no NaN, no error, no "
            "gradient. “Subtract max” prevents it.",
        )
    if picture.fault is Fault.SILENT:
        return Verdict(
            "All weights of this row are 0.",
            f"The other queries take nearly all of each key; what is left is too small for {bench.precision.value}.",
        )
    if bench.over_queries:
        is_lucky = bool(np.allclose(picture.row_sums, 1.0))
        return Verdict(
            "The wrong axis, though here rows sum to 1." if is_lucky else "The wrong axis: rows do not sum to 1.",
            "Each column sums to 1 instead: queries compete for a key. A weight does not depend on the scores of other "
            "keys, so the Jacobian of the row is diagonal.",
        )
    said = (
        "Subtracting the largest score changes no weight, nor does adding a constant to the row, apart from rounding"
        if bench.subtract_max
        else f"{_of_other_rows(picture)}. As long as the sum neither overflows nor becomes 0, adding a constant to the "
        "row changes no weight, apart from rounding"
    )
    return Verdict(
        "Weights depend only on the differences between scores.",
        f"{said}. Larger differences make the weights sharper: multiplying them by 2 halves the temperature.",
    )


def _of_other_rows(picture: BenchPicture) -> str:
    """Say whether the rows that are not looked at fare as well."""
    broken = [row + 1 for row in range(len(picture.weights)) if picture.fault_of(row) is not Fault.NONE]
    if not broken:
        return "No exponential overflows here"
    names = " and ".join([", ".join(map(str, broken[:-1]))] * (len(broken) > 1) + [str(broken[-1])])
    queries = "queries" if len(broken) > 1 else "query"
    return f"No exponential overflows in this row; something goes wrong in {queries} {names}"
