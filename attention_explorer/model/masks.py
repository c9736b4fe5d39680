"""Who may attend to whom: boolean masks, True where a query (row) may attend to a key (column).

Masks combine by ``&``: both must allow the pair.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, whole_array
from attention_explorer.model.scalars import flag, size


def causal_mask(n_q: SupportsIndex, n_k: SupportsIndex | None = None) -> Bools:
    """Let each query see its own position and those before it.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys; as many as queries if not given.

    Returns
    -------
    ndarray of bool, (n_q, n_k)
        Query i may see key j if j ≤ i + n_k − n_q.

    Raises
    ------
    ArrayError
        If a size is no integer or negative.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.3. With n_q ≠ n_k the papers leave a choice. Here the *last* query is
    aligned with the *last* key (bottom right), so one new query sees the whole of a key/value cache; with
    fewer keys than queries the first queries see nothing. The other convention aligns the first with the
    first (top left, j ≤ i): ``causal_mask(n)[:n_q, :n_k]`` for any n not below either.
    """
    queries = size("n_q", n_q)
    keys = queries if n_k is None else size("n_k", n_k)
    return np.tri(queries, keys, keys - queries, dtype=np.bool_)


def padding_mask(lengths: npt.ArrayLike, n_k: SupportsIndex) -> Bools:
    """Let every query see the first keys of its sequence and none of the padding behind them.

    Parameters
    ----------
    lengths : array_like of int, any shape (...)
        How many keys of each sequence are real, 0 to n_k.
    n_k : int
        Number of keys, padding included.

    Returns
    -------
    ndarray of bool, (..., 1, n_k)
        `MultiHeadAttention` and the layers take it as it is. `scaled_dot_product_attention` knows of no heads: for
        scores (batch, n_q, n_k) it fits as it is, for (batch, heads, n_q, n_k) write ``mask[:, None]``.

    Raises
    ------
    ArrayError
        If a length is no integer or outside 0 to n_k, or n_k is no integer of at least 0.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.3, hides keys in the same way (−inf before the softmax).
    """
    keys = size("n_k", n_k)
    counts = whole_array("lengths", lengths, "an array of integers")
    if counts.dtype.kind not in "iu":
        raise ArrayError(f"lengths of shape {counts.shape} must be integers, not {counts.dtype}")
    if counts.size and not (counts.min() >= 0 and counts.max() <= keys):
        raise ArrayError(f"lengths of shape {counts.shape} must lie between 0 and n_k = {keys}")
    return np.arange(keys) < counts[..., None, None]  # (n_k,) < (..., 1, 1): (..., 1, n_k)


def window_mask(n: SupportsIndex, width: SupportsIndex, causal: bool = False) -> Bools:
    """Let each query see its neighbours only.

    Parameters
    ----------
    n : int
        Number of positions.
    width : int
        How many positions a query sees to each side, itself included: 1 is itself only, 0 nothing.
    causal : bool
        Whether to hide the later positions too; then `width` is how many a query sees at all.

    Returns
    -------
    ndarray of bool, (n, n)
        |i − j| < width, and j ≤ i if causal.

    Raises
    ------
    ArrayError
        If a size is no integer or negative.

    Notes
    -----
    Beltagy, Peters & Cohan 2020 (Longformer), section 3.1, whose window w is 2 · width − 1 here; causal, it
    is the sliding window W of Jiang et al. 2023 (Mistral 7B), section 2.
    """
    positions = size("n", n)
    reach = min(size("width", width), positions)
    ahead = min(reach - 1, 0) if flag("causal", causal) else reach - 1
    near_or_before = np.tri(positions, k=ahead, dtype=np.bool_)  # j − i ≤ ahead
    too_early = np.tri(positions, k=-reach, dtype=np.bool_)  # j − i ≤ −width
    return near_or_before & ~too_early


def prefix_mask(n: SupportsIndex, prefix: SupportsIndex) -> Bools:
    """Let all queries see the first keys, and the rest causally.

    Parameters
    ----------
    n : int
        Number of positions.
    prefix : int
        How many of the first keys everyone sees, 0 to n.

    Returns
    -------
    ndarray of bool, (n, n)
        j ≤ i or j < prefix.

    Raises
    ------
    ArrayError
        If a size is no integer, negative, or the prefix is longer than n.

    Notes
    -----
    The prefix LM of Raffel et al. 2020 (T5), section 3.2.1; the sequence-to-sequence mask of Dong et al. 2019
    (UniLM), section 2.2.
    """
    positions, first = size("n", n), size("prefix", prefix)
    if first > positions:
        raise ArrayError(f"prefix must lie between 0 and n = {positions}, not {first}")
    mask = causal_mask(positions)
    mask[:, :first] = True
    return mask


def strictly_causal_mask(n_q: SupportsIndex, n_k: SupportsIndex | None = None) -> Bools:
    """Let each query see the positions before its own, but not its own.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys; as many as queries if not given.

    Returns
    -------
    ndarray of bool, (n_q, n_k)
        Query i may see key j if j < i + n_k − n_q; with as many keys as queries the first sees nothing.

    Raises
    ------
    ArrayError
        If a size is no integer or negative.

    Notes
    -----
    `causal_mask` without the diagonal, aligned in the same way.
    """
    queries = size("n_q", n_q)
    keys = queries if n_k is None else size("n_k", n_k)
    return np.tri(queries, keys, keys - queries - 1, dtype=np.bool_)


def block_mask(n: SupportsIndex, block: SupportsIndex) -> Bools:
    """Let each query see the positions of its own block.

    Parameters
    ----------
    n : int
        Number of positions.
    block : int
        Positions of a block, at least 1; the last may be shorter.

    Returns
    -------
    ndarray of bool, (n, n)
        ⌊i / block⌋ = ⌊j / block⌋.

    Raises
    ------
    ArrayError
        If a size is no integer or negative, or the block is 0.

    Notes
    -----
    The block-local attention of Liu et al. 2018, section 4.2.4, without its causal half.
    """
    positions, length = size("n", n), size("block", block)
    if length == 0:
        raise ArrayError("block must be at least 1, not 0: every position belongs to a block")
    number = np.arange(positions) // min(length, max(positions, 1))
    return np.equal(number[:, None], number)  # (n, 1) = (n,): (n, n)
