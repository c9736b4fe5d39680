"""Softmax and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attention_explorer import model
from attention_explorer.model.mask_fill import LARGE
from tests.truth import plain
from tests.truth.draw import Array, Draw
from tests.truth.register import EXACT, Pair, checks


def _scores(draw: Draw, scale: float = 3.0) -> Array:
    """Return rows of scores, some of them hidden."""
    shape = (*draw.batch(), draw.size(1, 7))
    dtype = draw.dtype()
    scores = draw.numbers(*shape, dtype=dtype, scale=scale * draw.pick(0.1, 1.0, 10.0))
    if scores.dtype.kind == "f" and draw.chance():
        scores = np.where(draw.mask(*shape), scores, scores.dtype.type(-np.inf))
    return scores


@checks("softmax", bound=64)
def softmax(draw: Draw) -> Iterator[Pair]:
    scores, temperature = _scores(draw), draw.pick(1.0, 0.5, 3.0)
    wanted = plain.by_row(lambda row: plain.softmax_row(row, temperature), plain.long(scores))
    yield model.softmax(scores, temperature=temperature), wanted
    yield model.softmax(np.moveaxis(scores, -1, 0), 0, temperature), np.moveaxis(wanted, -1, 0)


@checks("hard_weights", bound=EXACT)
def hard_weights(draw: Draw) -> Iterator[Pair]:
    scores = _scores(draw).round()  # rounded, so that there are ties
    yield model.hard_weights(scores), plain.by_row(plain.hard_row, plain.long(scores))


@checks("tied", bound=EXACT)
def tied(draw: Draw) -> Iterator[Pair]:
    scores, tolerance = _scores(draw).round(), draw.pick(0.0, 1.0, 2.5)

    def row(scores: Array) -> Array:
        return np.array([one > -np.inf and max(scores) - one <= tolerance for one in scores])

    yield model.tied(scores, tolerance=tolerance), plain.by_row(row, plain.long(scores))


@checks("entropy", bound=16)
def entropy(draw: Draw) -> Iterator[Pair]:
    weights = draw.weights(*draw.batch(), draw.size(2, 9), dtype=draw.dtype(np.float64, np.float32))
    weights[..., 0] *= draw.pick(0, 1)  # a weight of 0 counts as nothing
    yield model.entropy(weights), plain.by_row(plain.entropy_row, plain.long(weights))


@checks("softmax_jacobian", "softmax_gradient_norm", bound=128)
def jacobian(draw: Draw) -> Iterator[Pair]:
    scores, temperature = _scores(draw, 0.7), draw.pick(1.0, 0.5, 3.0)  # so that no slope is too small for float32
    wanted = plain.by_row(lambda row: plain.jacobian_row(row, temperature), plain.long(scores))
    yield model.softmax_jacobian(scores, temperature), wanted
    yield model.softmax_gradient_norm(scores, temperature), np.sqrt((wanted**2).sum(axis=(-1, -2)))


@checks("two_key_slope", bound=64)
def two_key_slope(draw: Draw) -> Iterator[Pair]:
    gap = draw.numbers(draw.size(), dtype=draw.dtype(), scale=draw.pick(0.1, 5.0))
    p = [plain.softmax_row(plain.long([one, 0.0])) for one in gap.astype(np.longdouble)]
    yield model.two_key_slope(gap), np.array([a * b for a, b in p])


@checks("softmax_in_precision", "PrecisionSoftmax", bound=8)
def softmax_in_precision(draw: Draw) -> Iterator[Pair]:
    dtype, subtract = draw.dtype(np.float64, np.float32, np.float16), draw.chance()
    scores = draw.numbers(*draw.batch(), draw.size(1, 6), scale=draw.pick(1.0, 2.0))
    found = model.softmax_in_precision(scores, dtype, subtract)
    yield found.scores, scores.astype(dtype)
    top = found.scores.max(axis=-1, keepdims=True) if subtract else np.zeros((), dtype)
    yield found.shifted, found.scores - top
    yield found.exponentials, np.exp(plain.long(found.shifted))
    yield found.total, plain.by_row(lambda row: np.array([sum(row)]), plain.long(found.exponentials))
    yield found.weights, plain.long(found.exponentials) / plain.long(found.total)


@checks("filled_weights", "MaskFill", bound=64)
def filled_weights(draw: Draw) -> Iterator[Pair]:
    shape, dtype = (draw.size(), draw.size(2, 6)), draw.dtype(np.float64, np.float32)
    scaled, mask = draw.numbers(*shape, scale=2.0).astype(dtype), draw.mask(*shape)
    for fill in model.MaskFill:
        weights = []
        for row, seen in zip(plain.long(scaled), mask, strict=True):
            match fill:
                case model.MaskFill.MINUS_INFINITY:
                    weights.append(plain.softmax_row(np.where(seen, row, -np.inf)))
                case model.MaskFill.LARGE_NEGATIVE:
                    weights.append(plain.softmax_row(np.where(seen, row, -LARGE)))
                case model.MaskFill.ADDED:  # the sum is rounded as the program rounds it
                    added = row.astype(dtype) + np.where(seen, dtype(0), dtype(-LARGE))
                    weights.append(plain.softmax_row(plain.long(added)))
                case model.MaskFill.AFTER_SOFTMAX:
                    weights.append(plain.softmax_row(row) * seen)
        yield model.filled_weights(scaled, mask, fill, dtype=dtype), np.array(weights)


@checks("softmax_reverse", bound=64)
def softmax_reverse(draw: Draw) -> Iterator[Pair]:
    shape, dtype = (*draw.batch(), draw.size(2, 6)), draw.dtype(np.float64, np.float32)
    weights, by_weights = draw.weights(*shape, dtype=dtype), draw.numbers(*shape, dtype=dtype)

    def row(p: Array, g: Array) -> Array:
        n = len(p)  # the sum of p is 1 but for its own rounding, which is not at stake here
        total = p.sum()
        return np.array([sum(g[i] * p[i] * ((i == j) * total - p[j]) for i in range(n)) for j in range(n)])

    yield model.softmax_reverse(weights, by_weights), plain.by_row(row, plain.long(weights), plain.long(by_weights))


@checks("normal_cdf", "normal_tail", "normal_density", bound=2000)
def normal(draw: Draw) -> Iterator[Pair]:
    """Far out in the tails the rounding of x/σ counts x² times."""
    x, std = draw.numbers(*draw.batch(), 3, dtype=draw.dtype(), scale=3.0), draw.pick(1.0, 0.25, 7.0)
    long, root = plain.long(x), np.sqrt(plain.Long(2))
    yield model.normal_cdf(x), np.vectorize(lambda one: plain.erfc(-one / root) / 2, otypes=[plain.Long])(long)
    density = np.exp(-((long / std) ** 2) / 2) / (std * np.sqrt(2 * plain.PI))
    yield model.normal_density(x, std), density
    beyond = float(abs(x.flat[0]))
    yield model.normal_tail(beyond, std), plain.erfc(plain.Long(beyond) / std / root)
