"""What attention takes on this machine, by the clock: the model layer's own function at growing n."""

from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model import scaled_dot_product_attention
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.precision import Precision

SHORTEST = 256
"""Where measuring begins: below, the time is that of calling functions."""
FEWEST, MOST, LONG_ENOUGH = 3, 30, 0.4
"""At least and at most so many runs at each n, and no further one once they have taken so many seconds."""
SEED = 0

FloatArray = np.typing.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """The runs at one number of tokens."""

    n: int
    seconds: tuple[float, ...]

    @property
    def fastest(self) -> float:
        """The run that was held up least, by other programs and by waiting for threads."""
        return min(self.seconds)


@dataclass(frozen=True, slots=True)
class HeadsMeasured:
    """One product for all heads against a product for each."""

    n: int
    d_model: int
    heads: int
    one: float
    many: float
    """Seconds, the fastest run of each."""
    difference: float
    """The largest difference of the two results."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Attention of one head, (n, d_k) queries, keys and values, without a mask. It belongs to the machine."""

    d_k: int
    precision: Precision
    points: tuple[MeasuredPoint, ...] = ()
    heads: HeadsMeasured | None = None

    @property
    def ratios(self) -> tuple[float, ...]:
        """The factor from each n to the next, which is twice as large."""
        times = [point.fastest for point in self.points]
        return tuple(later / earlier for earlier, later in itertools.pairwise(times))


def lengths_measured(state: CostState) -> tuple[int, ...]:
    """Return the numbers of tokens: powers of two up to the longest wished for."""
    found = []
    n = SHORTEST
    while n <= state.longest_measured:
        found.append(n)
        n *= 2
    return tuple(found)


def computed_as(precision: Precision) -> Precision:
    """Return the precision the model layer computes in: float16 is taken as float32."""
    return Precision.FLOAT32 if precision is Precision.FLOAT16 else precision


def measured(state: CostState, clock: Callable[[], float] = time.perf_counter) -> Iterator[tuple[float, Measurement]]:
    """Measure on the thread that asks, yielding (share done, what there is so far) after every run.

    Raises
    ------
    ExplorerError
        There is not enough memory for the longest.
    """
    precision = computed_as(state.precision)
    points: list[MeasuredPoint] = []
    lengths = lengths_measured(state)
    for n in lengths:
        q, k, v = _arrays(n, state.d_k, precision)
        run = _attention(q, k, v)
        runs: list[float] = []
        try:
            run()  # the first run also asks the system for memory
            while _goes_on(runs):
                runs.append(_seconds(run, clock))
                so_far = (*points, MeasuredPoint(n, tuple(runs)))
                yield 0.95 * (len(points) + _done(runs)) / len(lengths), Measurement(state.d_k, precision, so_far)
        except MemoryError:
            raise ExplorerError(
                f"There is not enough memory for a {n} × {n} matrix of {precision.value}. Measure up to {n // 2} "
                "tokens."
            ) from None
        points.append(MeasuredPoint(n, tuple(runs)))
    yield 1.0, Measurement(state.d_k, precision, tuple(points), _heads_measured(state, precision, clock))


def _done(runs: list[float]) -> float:
    """Return how much of the runs at one n is done; each n takes about as long, but for the longest."""
    return min(len(runs) / FEWEST, max(len(runs) / MOST, sum(runs) / LONG_ENOUGH), 1.0)


def _goes_on(runs: list[float]) -> bool:
    return len(runs) < FEWEST or (len(runs) < MOST and sum(runs) < LONG_ENOUGH)


def _arrays(n: int, d_k: int, precision: Precision) -> tuple[FloatArray, FloatArray, FloatArray]:
    stream = np.random.default_rng(SEED)
    q, k, v = (stream.standard_normal((n, d_k)).astype(precision.value) for _ in range(3))
    return q, k, v


def _attention(q: FloatArray, k: FloatArray, v: FloatArray) -> Callable[[], object]:
    return lambda: scaled_dot_product_attention(q, k, v)


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return max(clock() - start, 1e-9)


# ---- One product instead of h ----

MOST_TOKENS, WIDEST_PRODUCT = 512, 2048


def _heads_measured(state: CostState, precision: Precision, clock: Callable[[], float]) -> HeadsMeasured | None:
    """Time X·W_q for all heads at once and head by head, unless it is too wide to be done in passing."""
    width, heads = state.d_model, state.heads
    if width > WIDEST_PRODUCT or width % heads:
        return None
    n = min(state.n, MOST_TOKENS)
    stream = np.random.default_rng(SEED)
    x = stream.standard_normal((n, width)).astype(precision.value)
    w = stream.standard_normal((width, width)).astype(precision.value) / np.sqrt(width, dtype=precision.value)
    parts = [np.ascontiguousarray(part) for part in np.split(w, heads, axis=1)]  # (d, d_k) each

    def one() -> FloatArray:
        return np.asarray(x @ w)

    def many() -> FloatArray:
        return np.concatenate([x @ part for part in parts], axis=1)

    difference = float(np.abs(one() - many()).max())
    times = [min(_seconds(run, clock) for _ in range(7)) for run in (one, many)]
    return HeadsMeasured(n, width, heads, times[0], times[1], difference)


def measurement_said(found: Measurement) -> dict[str, object]:
    """Return what was measured, as files of numbers say it."""
    said: dict[str, object] = {
        "what": "scaled dot-product attention of one head, (n, d_k) each, no mask; the seconds of every run",
        "d_k": found.d_k,
        "precision": found.precision.value,
        "machine": platform.machine(),
        "numpy": np.__version__,
        "points": [{"n": point.n, "seconds": list(point.seconds)} for point in found.points],
    }
    return said if found.heads is None else {**said, "one product or one a head": asdict(found.heads)}
