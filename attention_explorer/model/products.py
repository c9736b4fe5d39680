"""Dot products summed feature by feature, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_explorer.model.arrays import Floats


def products_in_order(q: Floats, k: Floats) -> Floats:
    """Multiply every query with every key, adding the features one after the other.

    A matrix product may round a·b + c·d differently from c·d + a·b, because it fuses each multiplication with
    an addition. Then a query half-way between two mirrored keys would not tie. Added in this order two
    features round alike either way, for one query as for a whole grid of them. For few features it is also
    fast.

    Parameters
    ----------
    q : ndarray, (..., n_q, d)
        Queries; d is at least 1.
    k : ndarray, (..., n_k, d)
        Keys of the same dtype.

    Returns
    -------
    ndarray, (..., n_q, n_k)
        The raw scores q·k, in the dtype of the arguments; beyond the float range ±inf or NaN.

    Notes
    -----
    Q Kᵀ in Vaswani et al. 2017, eq. 1.
    """
    total: Floats = q[..., :, None, 0] * k[..., None, :, 0]  # (..., n_q, 1) · (..., 1, n_k): (..., n_q, n_k)
    for feature in range(1, q.shape[-1]):
        total += q[..., :, None, feature] * k[..., None, :, feature]
    return total
