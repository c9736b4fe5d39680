"""Keys that carry a label: the weight that falls on those of one label, without a matrix of who belongs to whom."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Bools, Floats

Positions: TypeAlias = npt.NDArray[np.intp]

MassAndCount: TypeAlias = tuple[Floats, Floats]
"""For one or several sets of keys and b rows: the weight on them and how many are visible, (..., sets, b) each."""

# Pairs of a query and a key cost about so many times as much as entries of a matrix.
_SPARSE = 16


class LabelledKeys:
    """Keys with a label each, of which a query wants those of one label.

    Parameters
    ----------
    labels : ndarray of int, (n_k,)
        Which label each key has, −1 for none.
    """

    def __init__(self, labels: Positions) -> None:
        self._labels = labels.astype(np.int32)  # for comparisons: twice as fast as those of int64
        self._step = len(labels) + 1
        self._order = np.argsort(labels, kind="stable")  # (n_k,), keys of a label together, in their order
        self._places = labels[self._order] * self._step + self._order  # rises

    def sums(self, weights: Floats, allowed: Bools | None, wanted: Positions, last: Positions) -> MassAndCount:
        """Add up the weights of the wanted keys, and count those that are visible.

        Parameters
        ----------
        weights : ndarray, (..., b, n_k)
            Rows of a map, or of several.
        allowed : ndarray of bool, (..., b, n_k), or None
            False where masked.
        wanted, last : ndarray of int, (b,)
            The label that each row wants, and up to which key.

        Returns
        -------
        tuple of ndarray
            (..., 1, b) each.
        """
        starts = np.searchsorted(self._places, wanted * self._step)
        counts = np.searchsorted(self._places, wanted * self._step + last, side="right") - starts
        counts = np.maximum(counts, 0)  # (b,)
        if int(counts.sum()) > len(counts) * weights.shape[-1] // _SPARSE:
            return self._dense_sums(weights, allowed, wanted, last, counts)
        rows = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys = self._order[np.repeat(starts, counts) + within]
        mass = _added(weights[..., rows, keys], rows, len(counts))
        visible = counts if allowed is None else _added(allowed[..., rows, keys], rows, len(counts))
        return mass[..., None, :], np.broadcast_to(visible.astype(np.float64), mass.shape)[..., None, :]

    def _dense_sums(
        self, weights: Floats, allowed: Bools | None, wanted: Positions, last: Positions, counts: Positions
    ) -> MassAndCount:
        """Do the same where a token fills much of the text, as padding does: key by key, without a list of pairs."""
        n_k, dtype = len(self._labels), self._labels.dtype
        is_member = self._labels == wanted.astype(dtype)[:, None]  # (b, n_k)
        if last.min() < n_k - 1:
            is_member &= np.arange(n_k, dtype=dtype) <= last.astype(dtype)[:, None]
        if allowed is not None:
            is_member = is_member & allowed
        members = is_member.astype(weights.dtype)
        mass: Floats = np.vecdot(weights, members).astype(np.float64)  # (..., b)
        # A product sums rows faster than sum.
        visible = counts if allowed is None else members @ np.ones(n_k, weights.dtype)
        return mass[..., None, :], np.broadcast_to(visible.astype(np.float64), mass.shape)[..., None, :]


def _added(picked: Floats | Bools, rows: Positions, b: int) -> Floats:
    """Add up what was picked of b rows of each map, (..., pairs), where a pair is of which row: (..., b)."""
    maps = picked.shape[:-1]
    count = math.prod(maps)
    places = rows + b * np.arange(count)[:, None]  # (maps, pairs)
    sums = np.bincount(places.ravel(), picked.ravel(), minlength=count * b)
    return sums.astype(np.float64, copy=False).reshape(*maps, b)
