"""Counts, which are exact, and random scores, whose spread is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from attention_explorer import model
from tests.truth import plain
from tests.truth.draw import Array, Draw
from tests.truth.register import EXACT, Pair, checks


def _operations(rows: int, inner: int, columns: int) -> int:
    """Count a matrix product by doing it: a multiplication and an addition for each term."""
    return sum(2 for _ in product(range(rows), range(inner), range(columns)))


@checks("product_flops", "recurrent_flops", "recurrent_path", bound=EXACT)
def products(draw: Draw) -> Iterator[Pair]:
    rows, inner, columns = draw.size(), draw.size(), draw.size()
    yield model.product_flops(rows, inner, columns), _operations(rows, inner, columns)
    yield model.recurrent_flops(rows, inner), sum(2 * _operations(1, inner, inner) for _ in range(rows))
    yield model.recurrent_path(rows), sum(1 for _ in range(1, rows))


@checks("attention_path", bound=EXACT)
def path(draw: Draw) -> Iterator[Pair]:
    """By walking: a layer carries a token as far forward as a query looks back."""
    tokens, window = draw.size(1, 30), draw.pick(None, draw.size(1, 8))
    layers, reached = 0, 0
    while reached < tokens - 1 and (window is None or window > 1):
        layers, reached = layers + 1, tokens - 1 if window is None else reached + window - 1
    found = model.attention_path(tokens, window)
    yield -1 if found is None else found, -1 if reached < tokens - 1 else layers


@checks("recurrent_influence", bound=4)
def influence(draw: Draw) -> Iterator[Pair]:
    decay, steps = float(draw.random.random()), np.arange(draw.size(1, 20))
    wanted = [math.prod([plain.Long(decay)] * int(step), start=plain.Long(1)) for step in steps]
    yield model.recurrent_influence(decay, steps), np.array(wanted)


@checks("ModelSize", bound=2)
def model_size(draw: Draw) -> Iterator[Pair]:
    """Every product of every layer, done number by number; a ratio may be rounded."""
    heads, n, layers, hidden = draw.size(1, 3), draw.size(1, 5), draw.size(1, 3), draw.size(1, 5)
    d, window = heads * draw.size(1, 3), draw.maybe(draw.size(1, 6))
    size = model.ModelSize(n, d, heads, layers, hidden, draw.pick(2, 4), window)
    keys, d_k = n if window is None else min(n, window), d // heads
    projections = 4 * _operations(n, d, d)
    scores = sum(_operations(n, d_k, keys) for _ in range(heads))
    network = _operations(n, d, hidden) + _operations(n, hidden, d)
    yield (size.projection_flops, size.score_flops, size.weighted_value_flops), (projections, scores, scores)
    yield (size.feed_forward_flops, size.layer_flops), (network, projections + 2 * scores + network)
    yield size.flops, layers * (projections + 2 * scores + network)
    stack = model.random_stack(model.StackSetting(d, heads, hidden, layers), np.random.RandomState(0))
    biases = sum(layer.feed_forward.b1.size + layer.feed_forward.b2.size for layer in stack.layers)
    yield size.parameters, stack.parameter_count() - biases
    entries = sum(1 for _ in product(range(layers), range(heads), range(n), range(keys)))
    yield (size.all_matrix_elements, size.all_matrix_bytes), (entries, entries * size.bytes_per_number)
    yield size.cache_elements, sum(2 for _ in product(range(layers), range(keys), range(d)))
    one = projections // n + network // n
    seen = [t if window is None else min(t, window) for t in range(1, n + 1)]
    yield size.decoding_flops, layers * sum(one + 2 * heads * _operations(1, d_k, t) for t in seen)
    anew = [t * one + 2 * heads * t * _operations(1, d_k, many) for t, many in enumerate(seen, 1)]
    yield size.decoding_flops_without_cache, layers * sum(anew)
    twice = model.ModelSize(2 * n, d, heads, layers, hidden, 4, window)
    yield size.doubling_ratio, twice.layer_flops / size.layer_flops


@checks("draw_scores", bound=64)
def draw_scores(draw: Draw) -> Iterator[Pair]:
    """The same random numbers, multiplied in loops; with as many keys as features nothing is drawn in short."""
    source, distribution = draw.pick(*model.ScoreSource), draw.pick(*model.EntryDistribution)
    keys, d_k, count, seed = draw.size(2, 5), draw.size(1, 4), draw.size(1, 3), draw.size(0, 99)
    setting = model.ScoreSetting(source, d_k, draw.size(1, keys), 0.3, keys, distribution)
    numbers = np.random.default_rng(seed)
    if source is model.ScoreSource.DIRECT:
        q, k = (_entries(distribution, (count, rows, d_k), numbers) for rows in (1, keys))
    else:
        x = _entries(distribution, (count, keys, setting.d_model if source == "projected" else d_k), numbers)
        q = k = x
        if source is model.ScoreSource.PROJECTED:
            drawn = [_entries(distribution, (count, setting.d_model, d_k), numbers) for _ in range(2)]
            q, k = (
                np.array([plain.linear(plain.long(a), plain.long(b) * 0.3) for a, b in zip(x, w, strict=True)])
                for w in drawn
            )
    none = np.zeros((keys, 0), plain.Long)
    found = [plain.attention_stages(plain.long(a), plain.long(b), none)["scores"] for a, b in zip(q, k, strict=True)]
    if source is model.ScoreSource.PROJECTED and distribution is model.EntryDistribution.NORMAL:
        setting = model.ScoreSetting(source, d_k, keys, 0.3, keys, distribution)
        yield model.draw_scores(setting, count, seed).shape, (count, keys, keys)
        return
    yield plain.beside_one(model.draw_scores(setting, count, seed)), plain.beside_one(found)


def _entries(distribution: model.EntryDistribution, shape: tuple[int, ...], numbers: np.random.Generator) -> Array:
    match distribution.value:
        case "uniform":
            return (2.0 * numbers.random(shape) - 1.0) * math.sqrt(3.0)
        case "laplace":
            return numbers.laplace(0.0, 1.0, shape) / math.sqrt(2.0)
        case "signs":
            return np.where(numbers.integers(0, 2, shape) == 1, 1.0, -1.0)
    return numbers.standard_normal(shape)


@checks("ScoreSetting", "ScoreSource", "EntryDistribution", bound=16)
def predicted(draw: Draw) -> Iterator[Pair]:
    """The spread of scores of random signs, over every outcome there is: at most 2⁹ of them."""
    source, keys, d_model = draw.pick(*model.ScoreSource), 2, draw.size(1, 2)
    d_k = 1 if source is model.ScoreSource.PROJECTED else draw.size(1, 3)
    gain, scaled = draw.pick(0.3, 1.0), draw.chance()
    setting = model.ScoreSetting(source, d_k, d_model, gain, keys, model.EntryDistribution.SIGNS)
    total = squares = plain.Long(0)
    scores = 0
    for signs in product((-1, 1), repeat=setting.numbers_of_a_draw):
        numbers = np.array(signs, plain.Long)
        if source is model.ScoreSource.PROJECTED:
            x, w = numbers[: keys * d_model].reshape(keys, d_model), numbers[keys * d_model :].reshape(2, d_model, d_k)
            q, k = (plain.linear(x, one * gain) for one in w)
        elif source is model.ScoreSource.EMBEDDINGS:
            q = k = numbers.reshape(keys, d_k)
        else:
            q, k = numbers[:d_k].reshape(1, d_k), numbers[d_k:].reshape(keys, d_k)
        for a, b in product(q, k):
            score = (a * b).sum() / (np.sqrt(plain.Long(d_k)) if scaled else 1)
            total, squares, scores = total + score, squares + score**2, scores + 1
    yield setting.predicted_std(scaled), np.sqrt(squares / scores - (total / scores) ** 2)
    moments = {"normal": 3, "uniform": 9 / 5, "laplace": 6, "signs": 1}
    yield [one.kurtosis for one in model.EntryDistribution], [moments[one] for one in model.EntryDistribution]
