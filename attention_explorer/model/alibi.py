"""Attention with linear biases: the farther a key, the lower its score, by a slope of each head's own."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats
from attention_explorer.model.precision import in_precision
from attention_explorer.model.scalars import size


def alibi_slopes(heads: SupportsIndex) -> Floats:
    """Give each head its slope.

    Parameters
    ----------
    heads : int
        Number of heads.

    Returns
    -------
    ndarray, (heads,)
        float64, in score per position, after scores are divided by √d_k. For a power of two 2^(−8i/heads),
        i = 1 … heads. Else those of the largest power of two below, and then as many as are missing of every
        other one, from the first, of the power of two above: these are *not* in falling order.

    Raises
    ------
    ArrayError
        If the number is no integer or negative.

    Notes
    -----
    Press, Smith & Lewis 2022, section 3; head counts that are no power of two as in the code they published
    (`get_slopes`).
    """
    count = size("heads", heads)
    below = 1 << max(count.bit_length() - 1, 0)  # the largest power of two that is not above
    regular = np.arange(1, min(below, count) + 1) / below  # i/n
    between = np.arange(1, 2 * (count - below), 2) / (2 * below)  # i/2n for odd i; none for a power of two
    return np.exp2(-8.0 * np.concatenate([regular, between]))


def alibi_bias(
    heads: SupportsIndex,
    n_q: SupportsIndex,
    n_k: SupportsIndex | None = None,
    *,
    dtype: npt.DTypeLike = np.float64,
) -> Floats:
    """Build what is added to the scores.

    Parameters
    ----------
    heads : int
        Number of heads.
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys; as many as queries if not given.
    dtype : dtype
        float64, float32 or float16, to which the numbers are rounded: a float32 layer stays one.

    Returns
    -------
    ndarray, (heads, n_q, n_k)
        −slope · |i + n_k − n_q − j| for query i and key j: the last query is aligned with the last key,
        as in `causal_mask`. Nothing is hidden. `MultiHeadAttention` takes it as ``bias[None]``.

    Raises
    ------
    ArrayError
        If a size is no integer or negative, the dtype is none of the three, or a number is beyond its range.

    Notes
    -----
    Press, Smith & Lewis 2022, section 3, which adds it to scaled scores under a causal mask, j ≤ i; their bias
    −slope · (i − j) is this one there. For later keys the paper has no rule: here they are as far as earlier ones.
    """
    slopes = alibi_slopes(heads)
    queries = size("n_q", n_q)
    keys = queries if n_k is None else size("n_k", n_k)
    offset = np.arange(keys - queries, keys)[:, None] - np.arange(keys)  # (n_q, n_k)
    bias: Floats = slopes[:, None, None] * -np.abs(offset)  # whole numbers know no −0, so the diagonal is 0.0
    return in_precision("the bias", bias, dtype)
