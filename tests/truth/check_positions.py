"""Positions and masks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from attention_explorer import model
from tests.truth import plain
from tests.truth.draw import Array, Draw
from tests.truth.register import EXACT, Pair, checks

Long = plain.Long


def _angle(position: float, pair: int, d: int, base: float) -> Long:
    return Long(position) / Long(base) ** (Long(2 * pair) / d)


@checks("sinusoidal_encoding", "sinusoidal_rows", bound=4000)
def sinusoidal(draw: Draw) -> Iterator[Pair]:
    """Angles up to 5000 are rounded before the sine is taken, so that it may be 2500 ulp away and no more."""
    d, base, length = draw.size(1, 9), draw.pick(10000.0, 100.0, 2.5), draw.size(1, 9)
    positions = np.array([draw.size(-5000, 5000) for _ in range(draw.size())], float)

    def rows(positions: Array) -> Array:
        turn = [[_angle(p, f // 2, d, base) for f in range(d)] for p in positions]
        return np.array([[np.cos(a) if f % 2 else np.sin(a) for f, a in enumerate(row)] for row in turn], Long)

    yield model.sinusoidal_encoding(length, d, base), rows(np.arange(length))
    yield model.sinusoidal_rows(positions, d, base), rows(positions)


@checks("wavelengths", bound=16)
def wavelengths(draw: Draw) -> Iterator[Pair]:
    d, base = draw.size(1, 9), draw.pick(10000.0, 100.0, 0.5)
    yield model.wavelengths(d, base), np.array([2 * plain.PI / _angle(1, i, d, base) for i in range((d + 1) // 2)])


@checks("shift_matrix", bound=1000)
def shift_matrix(draw: Draw) -> Iterator[Pair]:
    d, offset = 2 * draw.size(1, 5), draw.size(-1000, 1000)
    wanted = np.zeros((d, d), Long)
    for pair in range(d // 2):
        a = _angle(offset, pair, d, 10000.0)
        wanted[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    yield model.shift_matrix(offset, d), wanted


@checks("learned_encoding", bound=1)
def learned(draw: Draw) -> Iterator[Pair]:
    length, d, seed, std = draw.size(), draw.size(), draw.size(0, 99), draw.pick(0.02, 1.0)
    numbers = np.random.RandomState(seed)
    wanted = [[Long(numbers.randn()) * Long(std) for _ in range(d)] for _ in range(length)]
    yield model.learned_encoding(length, d, seed, std), np.array(wanted)


@checks("rotary", "RotaryPositions", bound=500)
def rotary(draw: Draw) -> Iterator[Pair]:
    """As a product of complex numbers, pair by pair."""
    n, d, dtype, layout = draw.size(), 2 * draw.size(1, 4), draw.dtype(), draw.pick("half", "interleaved")
    x, positions = draw.numbers(n, d, dtype=dtype), np.array([draw.size(-500, 500) for _ in range(n)])
    wanted = np.zeros((n, d), Long)
    for row in range(n):
        for pair in range(d // 2):
            first, second = (pair, pair + d // 2) if layout == "half" else (2 * pair, 2 * pair + 1)
            a = _angle(positions[row], pair, d, 10000.0)
            number = np.clongdouble(complex(0)) + Long(x[row, first]) + 1j * Long(x[row, second])
            turned = number * (np.cos(a) + 1j * np.sin(a))
            wanted[row, first], wanted[row, second] = turned.real, turned.imag
    yield model.rotary(x, positions, layout=layout), wanted
    twice, back = np.stack([x, x[::-1]]), np.stack([positions, positions[::-1]])
    yield model.rotary(twice, back, layout=layout), np.stack([wanted, wanted[::-1]])
    heads = np.stack([twice, twice], axis=1)  # (batch, heads, n, d)
    turned = model.RotaryPositions(back, layout=layout).turned(heads)
    yield turned, np.stack([[wanted] * 2, [wanted[::-1]] * 2])


@checks("alibi_slopes", "alibi_bias", bound=4)
def alibi(draw: Draw) -> Iterator[Pair]:
    heads, n_q, n_k = draw.size(1, 20), draw.size(), draw.size()
    slopes = np.array([Long(2) ** exponent for exponent in _alibi_exponents(heads)])
    yield model.alibi_slopes(heads), slopes
    apart = [[[-slope * abs(i + n_k - n_q - j) for j in range(n_k)] for i in range(n_q)] for slope in slopes]
    yield model.alibi_bias(heads, n_q, n_k), np.array(apart)


def _alibi_exponents(heads: int) -> list[Long]:
    """Return the exponents of the code published with the paper (`get_slopes`), written as a recursion."""
    power = 2 ** (heads.bit_length() - 1)
    regular = [Long(-8 * (i + 1)) / power for i in range(min(power, heads))]
    return regular if power == heads else regular + _alibi_exponents(2 * power)[0::2][: heads - power]


def _pairs(n_q: int, n_k: int, sees: Callable[[int, int], bool]) -> Array:
    return np.array([[sees(i, j) for j in range(n_k)] for i in range(n_q)], bool).reshape(n_q, n_k)


@checks("causal_mask", "strictly_causal_mask", bound=EXACT)
def causal(draw: Draw) -> Iterator[Pair]:
    n_q, n_k = draw.size(0), draw.size(0)
    yield model.causal_mask(n_q, n_k), _pairs(n_q, n_k, lambda i, j: j <= i + n_k - n_q)
    yield model.strictly_causal_mask(n_q, n_k), _pairs(n_q, n_k, lambda i, j: j < i + n_k - n_q)
    yield model.causal_mask(n_q), _pairs(n_q, n_q, lambda i, j: j <= i)


@checks("padding_mask", bound=EXACT)
def padding(draw: Draw) -> Iterator[Pair]:
    n_k, sequences = draw.size(), draw.size()
    lengths = [draw.size(0, n_k) for _ in range(sequences)]
    yield model.padding_mask(lengths, n_k), _pairs(sequences, n_k, lambda i, j: j < lengths[i])[:, None]


@checks("window_mask", "prefix_mask", "block_mask", bound=EXACT)
def windows(draw: Draw) -> Iterator[Pair]:
    n, width, is_causal = draw.size(1, 9), draw.size(0, 10), draw.chance()
    near = _pairs(n, n, lambda i, j: abs(i - j) < width and (j <= i or not is_causal))
    yield model.window_mask(n, width, is_causal), near
    prefix, block = draw.size(0, n), draw.size(1, 10)
    yield model.prefix_mask(n, prefix), _pairs(n, n, lambda i, j: j <= i or j < prefix)
    yield model.block_mask(n, block), _pairs(n, n, lambda i, j: i // block == j // block)
