"""Positional encodings that are added to the embeddings."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.scalars import finite_number, size


def sinusoidal_encoding(length: SupportsIndex, d_model: SupportsIndex, base: float = 10000.0) -> Floats:
    """Give each position the hands of clocks, from fast to slow.

    Parameters
    ----------
    length : int
        Number of positions.
    d_model : int
        Number of features. If odd, the last clock has a sine and no cosine.
    base : float
        The slowest clock is nearly so many times slower than the fastest; above 0.

    Returns
    -------
    ndarray, (length, d_model)
        float64. Feature 2i is sin(p / base^(2i/d_model)) and 2i + 1 its cosine, for position p.

    Raises
    ------
    ArrayError
        If a size is no integer or negative, or the base is not a finite number above 0.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, where the base is 10000 and d_model even.
    """
    positions, features = size("length", length), size("d_model", d_model)
    slowest = finite_number("base", base)
    if slowest <= 0.0:
        raise ArrayError(f"base must be above 0, not {base!r}")
    clocks = np.arange(0, features, 2) / max(features, 1)  # 2i/d_model, (⌈d_model/2⌉,)
    with np.errstate(under="ignore"):
        angles = np.arange(positions)[:, None] / np.power(slowest, clocks)  # (length, ⌈d_model/2⌉)
    encoding = np.empty((positions, features))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : features // 2])
    return encoding
