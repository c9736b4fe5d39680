"""Whether recorded weights are those that the queries and keys beside them give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.sources.recorded.axes import ROUNDING
from attention_explorer.sources.recorded.contents import Contents
from attention_explorer.sources.recorded.heads import RecordedHead

MOST_ROWS = 64
_MOST_ENTRIES = 2**23
"""Of the queries and keys that are read for it, unless one head has more."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far recorded weights are from softmax(q·kᵀ ÷ √d_k), in a sample of rows."""

    difference: float
    """The largest one."""
    holds: bool
    """Whether it is no more than rounding, by the types that they are stored in."""


def judged(contents: Contents, difference: float | None) -> Agreement | None:
    """Judge a difference that was found by `largest_difference`; None if there was nothing to compare."""
    if difference is None or not (contents.attention and contents.q and contents.k):
        return None
    stored = (contents.attention[0], contents.q[0], contents.k[0])
    return Agreement(difference, difference <= max(ROUNDING.get(array.precision, 1e-4) for array in stored))


def largest_difference(contents: Contents, heads: Sequence[Sequence[RecordedHead]]) -> float | None:
    """Compare recorded weights with those that queries and keys give.

    Parameters
    ----------
    contents : Contents
        What is what in the file.
    heads : sequence of sequence of RecordedHead
        All of them, by layer.

    Returns
    -------
    float or None
        Of at most 64 rows, spread over heads and queries; None if there are not both, or no head has rows of weights.
    """
    if not (contents.attention and contents.q and contents.k):
        return None
    every = [head for layer in heads for head in layer]
    entries = sum(every[0].shape) * contents.k[0].shape[-1]
    count = max(1, min(len(every), MOST_ROWS, _MOST_ENTRIES // max(1, entries)))
    found = []
    for place in range(count):
        head = every[place * len(every) // count]
        n_q = head.shape[0]
        rows = np.unique(np.linspace(0, n_q - 1, max(1, min(n_q, MOST_ROWS // count))).astype(int))
        try:
            found.append(float(np.abs(head.map().weights(rows) - head.scores_map().weights(rows)).max()))
        except ArrayError:  # it holds no weights, or no vectors, which is said where it is looked at
            continue
    return max(found, default=None)
