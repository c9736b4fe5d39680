"""The arithmetic of the model layer, over the two bare matrix products that each lookup cannot do without.

Ours checks its arguments, looks for overflow, takes the softmax and keeps every intermediate; the products are q·k of
every query with every key, and weights · values, of the same sizes and dtype.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attention_explorer.model import lookup, lookup_field, scaled_dot_product_attention
from benchmarks.report import Row
from benchmarks.timing import Contender, in_turns

HEADS, TOKENS, WIDTH = 12, 512, 64
GRIDS = ((64, 64), (240, 160))

KEYS = np.array([[2.0, 0.2], [-0.4, 2.0]])


def measure() -> list[Row]:
    """Measure a lookup, two fields and one layer of attention."""
    return [_lookup(), *(_field(*grid) for grid in GRIDS), _attention()]


def _lookup() -> Row:
    query, weights = np.array([1.4, 0.6]), np.array([0.7, 0.3])
    ours = lambda: lookup(query, KEYS, KEYS)  # noqa: E731 - one of two callables that only belong here
    return _row("lookup, 2 keys", ours, lambda: (KEYS @ query, weights @ KEYS), rounds=5000)


def _field(columns: int, rows: int) -> Row:
    x, y = np.linspace(-3.0, 3.0, columns), np.linspace(2.0, -2.0, rows)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    weights = np.full((len(points), len(KEYS)), 0.5)
    return _row(
        f"lookup_field, {columns}×{rows}, 2 keys",
        lambda: lookup_field(x, y, KEYS, KEYS),
        lambda: (points @ KEYS.T, weights @ KEYS),
        rounds=400,
    )


def _attention() -> Row:
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((HEADS, TOKENS, WIDTH), dtype=np.float32) for _ in range(3))
    weights = np.full((HEADS, TOKENS, TOKENS), 1 / TOKENS, dtype=np.float32)
    return _row(
        f"attention, {HEADS} heads, {TOKENS}×{WIDTH}, float32",
        lambda: scaled_dot_product_attention(q, k, v),
        lambda: (q @ k.swapaxes(-1, -2), weights @ v),
        rounds=60,
    )


def _row(what: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> Row:
    measured, floor = in_turns(Contender(ours), Contender(theirs), rounds=rounds, warm_up=5)
    return Row(what, measured, "its 2 matrix products", floor)
