"""A positional encoding at any positions and dimensions: what is not looked at is not computed."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray, IntArray
from attention_explorer.model.encodings import clock_angles, wavelengths
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState


def reason_without_table(state: PositionsState) -> str:
    """Return why there is no table position × dimension, as a sentence; empty if there is one."""
    return kind_of(state).reason(state)


def numbers_of(state: PositionsState) -> PositionsState:
    """Return the state without what does not alter the numbers of an encoding: what is computed once is kept by it."""
    return PositionsState(state.kind, state.length, state.d_model, state.base, state.seed, state.layout, state.heads)


# ---- Pairs ----


def pair_count(state: PositionsState) -> int:
    """Return how many hands there are; the last may be a sine without a cosine."""
    return -(-state.d_model // 2)


def pair_of(state: PositionsState, dimension: int) -> int:
    """Return which pair a dimension belongs to, from 0."""
    return kind_of(state).pair_of(state, dimension, state.d_model)


def dimensions_of_pair(state: PositionsState, pair: int) -> tuple[int, ...]:
    """Return the two dimensions of a pair; one if the sine is alone."""
    if kind_of(state).splits(state):
        return pair, pair + state.d_model // 2
    return tuple(dimension for dimension in (2 * pair, 2 * pair + 1) if dimension < state.d_model)


def function_of(state: PositionsState, dimension: int) -> str:
    """Return "sin" or "cos": what a column of the table holds. Pairs of rotary begin with the cosine."""
    first = dimensions_of_pair(state, pair_of(state, dimension))[0] == dimension
    return "sin" if first == kind_of(state).is_sine_first else "cos"


def angle_rates(state: PositionsState) -> FloatArray:
    """Return θ_i = base^(−2i/d_model) of each pair, (⌈d_model/2⌉,), in radians a position."""
    rates = np.array(clock_angles([1.0], state.d_model, state.base)[0])
    rates[kind_of(state).turning_pairs(len(rates)) :] = 0.0
    return rates


def wavelengths_of(state: PositionsState) -> FloatArray:
    """Return after how many positions each pair is round again, (⌈d_model/2⌉,); inf where it stands still."""
    found = np.array(wavelengths(state.d_model, state.base), np.float64)
    found[kind_of(state).turning_pairs(len(found)) :] = np.inf
    return found


def wavelength(state: PositionsState, dimension: int) -> float:
    """Return after how many positions a dimension repeats."""
    return float(wavelengths_of(state)[pair_of(state, dimension)])


# ---- Numbers ----


def encoding_at(state: PositionsState, positions: FloatArray | IntArray, dimensions: IntArray) -> FloatArray:
    """Return the table where it is looked at.

    Parameters
    ----------
    state
        One whose `reason_without_table` is empty.
    positions : ndarray, (h,)
        Whole numbers; between them too for the kinds that turn.
    dimensions : ndarray of int, (w,)
        Columns of the table.

    Returns
    -------
    ndarray, (h, w)
        The encoding. For rotary the cosine and the sine of the angle by which a pair turns: the columns of its two
        dimensions, the cosine first.
    """
    if kind_of(state).is_drawn:
        return np.asarray(kind_of(state).drawn(state)[np.ix_(np.asarray(positions, np.intp), dimensions)])
    pairs, sines = _pairs_and_sines(state, dimensions)
    pairs, places = np.unique(pairs, return_inverse=True)
    # As `clock_angles` does it, for the pairs wanted alone: one wave of 1024 dimensions should not cost all of them.
    angles = np.asarray(positions)[:, None] / np.power(state.base, 2 * pairs / state.d_model)
    angles[:, pairs >= kind_of(state).turning_pairs(pair_count(state))] = 0.0
    values = np.empty((len(angles), len(dimensions)))
    values[:, sines] = np.sin(angles[:, places[sines]])
    values[:, ~sines] = np.cos(angles[:, places[~sines]])
    return values


def _pairs_and_sines(state: PositionsState, dimensions: IntArray) -> tuple[IntArray, np.typing.NDArray[np.bool_]]:
    """Return `pair_of` and whether `function_of` is a sine, of many dimensions (w,) at once."""
    kind = kind_of(state)
    is_first = dimensions < max(state.d_model // 2, 1) if kind.splits(state) else dimensions % 2 == 0
    return kind.pair_of(state, dimensions, state.d_model), is_first == kind.is_sine_first


# ---- Samples ----


def sampled_positions(length: int, most: int) -> tuple[IntArray, int]:
    """Return every n-th position, at most so many, and n."""
    step = max(1, -(-length // max(most, 1)))
    return np.arange(0, length, step), step


def sampled_dimensions(state: PositionsState, most: int) -> tuple[IntArray, int]:
    """Return the dimensions of every n-th pair, at most so many, and n: every n-th dimension could be sines alone."""
    step = max(1, -(-state.d_model // max(most, 2)))
    found = (dimensions_of_pair(state, pair) for pair in range(0, pair_count(state), step))
    return np.asarray(sorted(dimension for pair in found for dimension in pair), np.intp), step


def ordinal(number: int) -> str:
    """Return 2nd, 3rd, 8th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


# ---- Random numbers ----


WIDEST_HEAD = 64
"""Features of a query and key at most, as in the heads of real models."""


@kept
def drawn(seed: int, name: str, *shape: int) -> FloatArray:
    """Draw N(0, 1) for a name, independent of all other names and of the learned encoding; read-only."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    stream = np.random.RandomState(np.frombuffer(digest, dtype="<u4").astype(np.uint32))
    numbers = stream.randn(*shape)
    numbers.setflags(write=False)
    return numbers


def head_width(d_model: int) -> int:
    """Return d_k: how many features queries and keys have."""
    return min(d_model, WIDEST_HEAD)


def contents(state: PositionsState, scale: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings (d_model,) of the one query token and the one key token; entries N(0, scale²)."""
    query, key = (drawn(state.seed, f"{role} content", state.d_model) for role in ("query", "key"))
    return query * scale, key * scale


def projections(state: PositionsState, what: str = "content") -> tuple[FloatArray, FloatArray]:
    """Return W_q and W_k, (d_model, d_k) each, entries N(0, 1/d_model)."""
    shape = state.d_model, head_width(state.d_model)
    w_q, w_k = (drawn(state.seed, f"{name} of {what}", *shape) for name in ("W_q", "W_k"))
    return w_q / math.sqrt(state.d_model), w_k / math.sqrt(state.d_model)
