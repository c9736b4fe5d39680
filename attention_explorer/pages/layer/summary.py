"""What the numbers of an array are like, in a handful of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Floats


@dataclass(frozen=True, slots=True)
class Summary:
    """What the numbers of a box are like. Masked scores do not count.

    Attributes
    ----------
    mean, std, low, high, norm : float
        Over all numbers of all sequences; the norm is the square root of the sum of their squares.
    row_norm : float
        The mean of the norms of the rows; of the heads' rows where there are heads.
    zeros : float
        Which share is exactly 0.
    masked : float
        Which share is masked.
    """

    mean: float
    std: float
    low: float
    high: float
    norm: float
    row_norm: float
    zeros: float
    masked: float


def summary_of(array: Floats) -> Summary:
    """Return what the numbers of an array (..., rows, columns) are like."""
    is_finite = np.isfinite(array)
    finite = array[is_finite]
    held = np.where(is_finite, array, 0.0)
    return Summary(
        float(finite.mean()),
        float(finite.std()),
        float(finite.min()),
        float(finite.max()),
        float(np.linalg.norm(held)),
        float(np.linalg.norm(held, axis=-1).mean()),
        float(np.mean(array == 0.0)),
        float(1.0 - is_finite.mean()),
    )
