"""The programs of Lab’s pictures of scores: scores that are drawn, how they grow with d_k, and the softmax bench."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.script import SOFTMAX, Program, Script
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource
from attention_explorer.pages.lab import scores
from attention_explorer.pages.lab import scores_growth as growth
from attention_explorer.pages.lab.bench import bench_picture
from attention_explorer.pages.lab.score_rows import SATURATED_ABOVE, TAIL, draws_possible
from attention_explorer.pages.lab.scores import WEIGHT_BINS, bin_edges
from attention_explorer.pages.lab.scores_state import GainRule, ScalingPicture, ScalingState

_ENTRIES = {
    EntryDistribution.NORMAL: "numbers.standard_normal({})",
    EntryDistribution.UNIFORM: "numbers.uniform(-np.sqrt(3), np.sqrt(3), {})",
    EntryDistribution.LAPLACE: "numbers.laplace(0.0, np.sqrt(0.5), {})",
    EntryDistribution.SIGNS: "2.0 * numbers.integers(0, 2, {}) - 1.0",
}
_GAINS = {GainRule.NORMALISED: "np.sqrt(1 / d_model)", GainRule.HE: "np.sqrt(2 / d_model)"}
_OTHERS = """
    def others(p):  # for each entry the sum of all others: 1 - p would lose the digits of a p near 1
        total = np.zeros_like(p)
        total[..., 1:] = p[..., :-1].cumsum(axis=-1)
        total[..., :-1] += p[..., :0:-1].cumsum(axis=-1)[..., ::-1]
        return total
"""
_MEASURED = f"""
    def mean(values):  # and its standard error: draws are independent, the rows of a draw are not
        by_draw = values.reshape(len(values), -1).mean(axis=1)
        return by_draw.mean(), by_draw.std(ddof=1) / np.sqrt(len(by_draw))

    def measured(scores):
        weights = softmax(scores)
        largest = weights.max(axis=-1)
        level, square = scores.mean(axis=(1, 2)), (scores**2).mean(axis=(1, 2))
        std = np.sqrt(square.mean() - level.mean() ** 2)
        std_error = mean(square - 2.0 * level.mean() * level)[1] / (2.0 * std)
        logs = np.log(np.where(weights > 0.0, weights, 1.0))
        entropy = -(weights * logs).sum(axis=-1) / np.log(max(scores.shape[-1], 2))
        squares = weights**2
        gradient = np.sqrt((squares * (others(weights) ** 2 + others(squares))).sum(axis=-1))
        slopes, half = np.sort(weights), 0.5 / np.sqrt(largest.size)
        slopes = slopes[..., -1] * slopes[..., :-1].sum(axis=-1)
        low, middle, high = np.quantile(slopes, (max(0.5 - half, 0.0), 0.5, min(0.5 + half, 1.0)))
        tail = mean(np.abs(scores) > {TAIL!r})
        found = (std, std_error), tail, mean(largest), mean(largest > {SATURATED_ABOVE!r}), mean(entropy)
        found += mean(gradient), (middle, 0.5 * (high - low))  # of the slope the median
        return np.array([*found, mean(np.diagonal(weights, axis1=1, axis2=2))]) if has_own else np.array(found)
"""
_TITLES = {
    ScalingPicture.SCORES: "Scores at one d_k, as they come and divided by √d_k",
    ScalingPicture.GROWTH: "Scores and weights against d_k",
    ScalingPicture.BENCH: "The softmax, step by step",
}
_QUANTITIES = ("std", "tail", "largest", "saturated", "entropy", "gradient", "slope")


def scaling_program(state: ScalingState) -> Program:
    """Return the program of the picture on show."""
    script = Script("scaling", f"{_TITLES[state.picture]}.")
    make = {ScalingPicture.SCORES: _scores, ScalingPicture.GROWTH: _growth, ScalingPicture.BENCH: _bench}[state.picture]
    return make(script, state)


# ---- Scores that are drawn ----


def _scores(script: Script, state: ScalingState) -> Program:
    setting = state.setting
    draws = draws_possible(setting, state.draws, scores.MOST_NUMBERS)
    script.give(seed=state.seed, keys=state.keys, d_k=state.d_k, draws=draws)
    _do_drawing(script, state)
    _do_measuring(script, setting)
    edges = bin_edges(setting)
    if setting.distribution is EntryDistribution.SIGNS and setting.source is not ScoreSource.PROJECTED:
        bins = f"np.arange({float(edges[0])!r}, {float(edges[-1]) + 0.5!r}, {float(edges[1] - edges[0])!r})"
    else:
        bins = f"np.linspace({float(edges[0])!r}, {float(edges[-1])!r}, {len(edges)})"
    script.do(f"""
        raw = draw(d_k, draws)  # (draws, queries, keys)
        edges, weight_edges = {bins}, np.linspace(0.0, 1.0, {WEIGHT_BINS + 1})
        histogram = np.column_stack([edges[:-1], edges[1:], np.histogram(raw, edges)[0]])
        scaled = raw / np.sqrt(d_k)
        first_row_raw_scores, first_row_weights_raw, first_row_weights_scaled = (
            raw[0, 0], softmax(raw[0, 0]), softmax(scaled[0, 0])
        )
        rows_by_largest_weight_raw = np.histogram(softmax(raw).max(axis=-1), weight_edges)[0]
        rows_by_largest_weight_scaled = np.histogram(softmax(scaled).max(axis=-1), weight_edges)[0]
    """)
    for name in ("raw", "scaled"):
        script.do(_taken_apart(_quantities(setting), name, f"measured({name})"))
    _do_predicting(script, state)
    note = "Of what theory predicts it has the standard deviation, and not the curve over the histogram."
    return script.program("histogram", note)


def _growth(script: Script, state: ScalingState) -> Program:
    settings = [state.setting_at(d_k) for d_k in growth.STOPS]
    draws = [draws_possible(setting, state.draws, growth.MOST_NUMBERS) for setting in settings]
    script.give(seed=state.seed, keys=state.keys, d_k=np.array(growth.STOPS), draws=np.array(draws))
    _do_drawing(script, state)
    _do_measuring(script, settings[0])
    quantities = _quantities(settings[0])
    script.do("""
        found = []
        for width, count in zip(d_k.tolist(), draws.tolist()):
            raw = draw(width, count)
            found.append((measured(raw), measured(raw / np.sqrt(width))))
        of_raw, of_scaled = np.array(found).swapaxes(0, 1).swapaxes(1, 2)
    """)
    for name in ("raw", "scaled"):
        script.do(_taken_apart(quantities, name, f"of_{name}"))
    _do_predicting(script, state)
    return script.program("std_raw")


def _quantities(setting: ScoreSetting) -> tuple[str, ...]:
    return _QUANTITIES if setting.source is ScoreSource.DIRECT else (*_QUANTITIES, "own")


def _taken_apart(quantities: tuple[str, ...], name: str, source: str) -> str:
    """Return what gives each measured number its name, on two lines."""
    names = [f"{quantity}_{name}" for quantity in quantities]
    return f"{', '.join(names[:4])}, *more = {source}\n{', '.join(names[4:])} = more"


def _do_drawing(script: Script, state: ScalingState) -> None:
    """Draw raw scores as the page does: in pieces, each of a seed of its own, so that first draws stay the same."""
    setting, source = state.setting, state.source
    entries = _ENTRIES[setting.distribution].format("shape")
    drawn = f"""
        def entries(*shape):  # mean 0, variance 1
            return {entries}
    """
    lines = ["def draw(d_k, draws):", "    pieces = []"]
    if source is ScoreSource.PROJECTED:
        d_model = "d_k" if state.follows else str(state.d_model)
        rows = "min(keys, d_model)" if setting.distribution is EntryDistribution.NORMAL else "d_model"
        lines.append(f"    d_model = {d_model}")
        lines.append(f"    rows, gain = {rows}, {_GAINS.get(state.rule, repr(state.gain))}")
        numbers = "keys * d_model + 2 * rows * d_k"
    else:
        numbers = "d_k * (keys + 1)" if source is ScoreSource.DIRECT else "d_k * keys"
    lines += [
        f"    size = {numbers}  # numbers of a draw",
        "    at_once, most = max(1, min(32, 2**16 // size)), max(1, 2**20 // size)",
        "    while sum(map(len, pieces)) < draws:",
        "        own = np.random.SeedSequence((seed, d_k, len(pieces))).generate_state(1)[0]",
        "        numbers = np.random.default_rng(int(own))",
        *(f"        {line}" for line in _queries_and_keys(setting)),
        "        pieces.append(q @ k.swapaxes(-1, -2))",
        "        at_once = min(2 * at_once, most)",
        "    return np.concatenate(pieces)[:draws]",
    ]
    script.do(drawn.replace("(*shape)", "(numbers, *shape)"))
    script.do("\n".join(lines))


def _do_predicting(script: Script, state: ScalingState) -> None:
    """Compute the standard deviation of all scores that theory gives, a token's score with itself included."""
    extra = state.distribution.kurtosis - 1.0
    if state.source is ScoreSource.DIRECT:
        variance = "d_k"
    elif state.source is ScoreSource.EMBEDDINGS:
        variance = f"((keys - 1) * d_k + d_k**2 + {extra!r} * d_k) / keys - (d_k / keys) ** 2"
    else:
        script.do(f"d_model = {'d_k' if state.follows else state.d_model}")
        gain = _GAINS.get(state.rule, repr(state.gain))
        variance = f"d_k * ({gain}) ** 4 * (d_model**2 + {extra!r} * d_model / keys)"
    script.do(f"""
        variance = {variance}  # by theory
        predicted_std_raw, predicted_std_scaled = np.sqrt(variance), np.sqrt(variance / d_k)
    """)


def _queries_and_keys(setting: ScoreSetting) -> list[str]:
    if setting.source is ScoreSource.DIRECT:
        return ["q, k = entries(numbers, at_once, 1, d_k), entries(numbers, at_once, keys, d_k)"]
    if setting.source is ScoreSource.EMBEDDINGS:
        return ["q = k = entries(numbers, at_once, keys, d_k)  # Q = K = X"]
    return [
        "x = entries(numbers, at_once, keys, d_model)",
        "if rows < d_model:  # X = L Pᵀ: as many rows of Pᵀ W as there are tokens, instead of d_model rows of W",
        '    x = np.linalg.qr(x.swapaxes(-1, -2), mode="r").swapaxes(-1, -2)',
        "q, k = (x @ (entries(numbers, at_once, rows, d_k) * gain) for _ in range(2))",
    ]


def _do_measuring(script: Script, setting: ScoreSetting) -> None:
    script.do(f"has_own = {setting.source is not ScoreSource.DIRECT}  # whether query i and key i are the same token")
    script.do(SOFTMAX)
    script.do(_OTHERS)
    script.do(_MEASURED)


# ---- The bench ----


def _bench(script: Script, state: ScalingState) -> Program:
    bench = state.bench
    script.give(rows=np.array(bench.rows), row=bench.row_shown, factor=bench.factor, shift=bench.shift)
    script.do("""
        scores = rows * factor
        scores[row] += shift
    """)
    axis = 0 if bench.over_queries else 1
    script.do(f"""
        with np.errstate(all="ignore"):  # overflow and 0 ÷ 0 are what there is to see
            rounded = scores.astype(np.{bench.precision.value})
            shifted = rounded{f" - rounded.max(axis={axis}, keepdims=True)" * bench.subtract_max}
            exponentials = np.exp(shifted)
            last = exponentials.cumsum(axis={axis}){"[-1:]" if bench.over_queries else "[:, -1:]"}
            totals = np.broadcast_to(last, scores.shape)  # added up one by one
            weights = exponentials / totals
    """)
    script.do(f"""
        e = np.exp(scores - scores.max(axis={axis}, keepdims=True))
        exact_weights = e / e.sum(axis={axis}, keepdims=True)
    """)
    _do_jacobian(script, state)
    gaps = bench_picture(bench).gaps
    script.do(f"""
        gaps = np.linspace(0.0, {float(gaps[-1])!r}, {len(gaps)})
        slopes_of_two_keys = np.exp(-gaps) / (1.0 + np.exp(-gaps)) ** 2  # p (1 - p)
    """)
    return script.program("weights")


def _do_jacobian(script: Script, state: ScalingState) -> None:
    """Differentiate the weights of the row by its own scores."""
    picture = bench_picture(state.bench)
    weights = picture.weights[picture.row].astype(np.float64)
    if state.bench.over_queries or np.isnan(weights).any() or not weights.any():
        script.do("p = weights[row].astype(np.float64)")
        if state.bench.over_queries and not np.isnan(weights).any():
            script.do("jacobian = np.diag(p * (1.0 - p))  # weights compete with those of other queries")
        elif state.bench.over_queries:
            script.do("jacobian = np.full((len(p), len(p)), np.nan)")
        else:
            script.do("jacobian = np.diag(p) - np.outer(p, p)")
        return
    script.do(_OTHERS)
    script.do("""
        p = exact_weights[row]
        jacobian = -np.outer(p, p)
        np.fill_diagonal(jacobian, p * others(p))
    """)
