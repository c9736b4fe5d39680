"""Attention of all heads of a layer, as trained models have it: grouped queries, rotary, windows, biases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.changes import NOTHING, LayerChanges, Softmax
from attention_explorer.model.transformer.parts import FastNorm, Linear
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.softmax_in_place import hard_in_place, softmax_in_place


@dataclass(frozen=True, slots=True, eq=False)
class AttentionRun:
    """Everything that one attention computed, float32. Heads share keys and values in groups: kv_heads ≤ heads."""

    q: Floats
    """(heads, n_q, d), turned by their positions where they are rotary; not scaled."""
    k: Floats
    """(kv_heads, n_k, d), turned too."""
    v: Floats
    """(kv_heads, n_k, d)."""
    weights: Floats
    """(heads, n_q, n_k); also of heads that are off, whose mixture is 0."""
    mixed: Floats
    """weights · v of each head, (heads, n_q, d)."""
    output: Floats
    """(n_q, d_model)."""


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """One attention of a layer with its weights.

    Parameters
    ----------
    norm : FastNorm
        Before or after it, as its layer has it.
    project : Linear
        (d_model, (heads + 2 kv_heads) width): the queries, keys and values of all heads, in this order.
    output : Linear
        (heads · width, d_model).
    heads, kv_heads, width : int
        Heads of the queries, those of keys and values, of which each serves heads ÷ kv_heads, and d of each.
    scale : float
        What q · k is multiplied by: 1/√d, or 1 in T5.
    window : int, optional
        How many keys a query sees at most, itself and those before it.

    Notes
    -----
    Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 for groups; Beltagy et al. 2020 for windows.
    """

    norm: FastNorm
    project: Linear
    output: Linear
    heads: int
    kv_heads: int
    width: int
    scale: float
    window: int | None = None

    def __call__(
        self,
        x: Floats,
        context: Floats | None = None,
        *,
        visible: Bools | None = None,
        bias: Floats | None = None,
        turn: Turn | None = None,
        changes: LayerChanges = NOTHING,
    ) -> AttentionRun:
        """Attend from x, (n_q, d_model), to itself or to a context, (n_k, d_model).

        Parameters
        ----------
        x, context : ndarray
            Normalised where the layer has it so.
        visible : ndarray of bool, (n_q, n_k), optional
            True where a query may attend.
        bias : ndarray, (heads, n_q, n_k), optional
            Added to the scores.
        turn : Turn, optional
            Of queries and keys by their positions.
        changes : LayerChanges
            Heads that are off, masks and patterns of single heads.
        """
        q, k, v = self._projected(x, context)
        if turn is not None:
            q, k = turn(q), turn(k)
        weights = self._weights(q, k, changes.visible(visible, self.heads), bias, changes.softmax)
        for head, pattern in changes.patterns.items():
            weights[head] = pattern
        mixed = (self._grouped(weights) @ v).reshape(q.shape)
        mixed[list(changes.off)] = 0.0
        joined = mixed.transpose(1, 0, 2).reshape(len(x), -1)
        return AttentionRun(q, k, v, weights, mixed, self.output(joined))

    def _projected(self, x: Floats, context: Floats | None) -> tuple[Floats, Floats, Floats]:
        if context is None:
            every = self._split(self.project(x))
            return every[: self.heads], every[self.heads : -self.kv_heads], every[-self.kv_heads :]
        inner, total = self.heads * self.width, self.project.weight.shape[1]
        both = self._split(self.project.part(inner, total)(context))
        return self._split(self.project.part(0, inner)(x)), both[: self.kv_heads], both[self.kv_heads :]

    def _split(self, rows: Floats) -> Floats:
        """Return (n, heads · width) as (heads, n, width), each head in one piece: four times as fast to multiply."""
        return np.ascontiguousarray(rows.reshape(len(rows), -1, self.width).transpose(1, 0, 2))

    def _grouped(self, of_heads: Floats) -> Floats:
        """Return (heads, n_q, …) as (kv_heads, group · n_q, …), so that each group is multiplied at once."""
        return of_heads.reshape(self.kv_heads, -1, of_heads.shape[-1])

    def _weights(self, q: Floats, k: Floats, visible: Bools | None, bias: Floats | None, softmax: Softmax) -> Floats:
        """Return softmax(q kᵀ · scale + bias) where it is visible, (heads, n_q, n_k)."""
        scaled = q * np.float32(self.scale * softmax.factor)
        scores: Floats = (self._grouped(scaled) @ k.swapaxes(1, 2)).reshape(self.heads, q.shape[1], k.shape[1])
        largest = _longest(scaled) * _longest(k)  # Cauchy and Schwarz
        if bias is not None:
            added = bias if softmax.factor == 1.0 else bias * np.float32(softmax.factor)
            scores += added
            largest += float(np.abs(added).max())
        if softmax.hard:
            hard_in_place(scores, visible)
        else:
            softmax_in_place(scores, visible, largest)
        return scores


def _longest(rows: Floats) -> float:
    """Return the length of the longest vector of (…, d)."""
    return float(np.sqrt(np.einsum("...d,...d->...", rows, rows).max()))
