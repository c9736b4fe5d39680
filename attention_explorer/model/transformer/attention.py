"""Attention of all heads of a layer, as trained models have it: grouped queries, norms, rotary, biases, caps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.changes import NOTHING, LayerChanges, Softmax
from attention_explorer.model.transformer.parts import FastNorm, Linear, Norms
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.softmax_in_place import hard_in_place, softmax_in_place
from attention_explorer.model.transformer.spec import QkNorm, Spec


@dataclass(frozen=True, slots=True, eq=False)
class AttentionRun:
    """Everything that one attention computed, float32. Heads share keys and values in groups: kv_heads ≤ heads."""

    q: Floats
    """(heads, n_q, d), normalised and turned by their positions where they are; not scaled."""
    k: Floats
    """(kv_heads, n_k, d), likewise."""
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
    spec : Spec
        Of the tower.
    scale : float
        What q · k is multiplied by.
    norms : Norms
        Around it.
    project : Linear
        (d_model, (heads + 2 kv_heads) width): the queries, keys and values of all heads, in this order.
    output : Linear
        (heads · width, d_model).
    qk_norms : (FastNorm, FastNorm), optional
        Of queries and of keys, where the tower has them.

    Notes
    -----
    Vaswani et al. 2017, section 3.2; Ainslie et al. 2023 for groups.
    """

    spec: Spec
    scale: float
    norms: Norms
    project: Linear
    output: Linear
    qk_norms: tuple[FastNorm, FastNorm] | None = None

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
        weights = self._weights(q, k, changes.visible(visible, self.spec.heads), bias, changes.softmax)
        for head, pattern in changes.patterns.items():
            weights[head] = pattern
        mixed = (self._grouped(weights) @ v).reshape(q.shape)
        mixed[list(changes.off)] = 0.0
        joined = mixed.transpose(1, 0, 2).reshape(len(x), -1)
        return AttentionRun(q, k, v, weights, mixed, self.output(joined))

    def _projected(self, x: Floats, context: Floats | None) -> tuple[Floats, Floats, Floats]:
        spec = self.spec
        inner, keys = spec.heads * spec.head_width, spec.kv_heads * spec.head_width
        if context is None:
            rows = self.project(x)
            mine, theirs = rows[:, :inner], rows[:, inner:]
        else:
            mine, theirs = self.project.part(0, inner)(x), self.project.part(inner, inner + 2 * keys)(context)
        q, k = self._normed(QkNorm.WHOLE, mine, theirs[:, :keys])
        q, k = self._normed(QkNorm.HEAD, self._split(q), self._split(k))
        return q, k, self._split(theirs[:, keys:])

    def _normed(self, kind: QkNorm, q: Floats, k: Floats) -> tuple[Floats, Floats]:
        if self.qk_norms is None or self.spec.qk_norm is not kind:
            return q, k
        return self.qk_norms[0](q), self.qk_norms[1](k)

    def _split(self, rows: Floats) -> Floats:
        """Return (n, heads · width) as (heads, n, width), each head in one piece: four times as fast to multiply."""
        return np.ascontiguousarray(rows.reshape(len(rows), -1, self.spec.head_width).transpose(1, 0, 2))

    def _grouped(self, of_heads: Floats) -> Floats:
        """Return (heads, n_q, …) as (kv_heads, group · n_q, …), so that each group is multiplied at once."""
        return of_heads.reshape(self.spec.kv_heads, -1, of_heads.shape[-1])

    def _weights(self, q: Floats, k: Floats, visible: Bools | None, bias: Floats | None, softmax: Softmax) -> Floats:
        """Return softmax(q kᵀ · scale + bias) where it is visible, (heads, n_q, n_k)."""
        scores, largest = self._scores(q, k, softmax.factor)
        if bias is not None:
            added = bias if softmax.factor == 1.0 else bias * np.float32(softmax.factor)
            scores += added
            largest += float(np.abs(added).max())
        if softmax.hard:
            hard_in_place(scores, visible)
        else:
            softmax_in_place(scores, visible, largest)
        return scores

    def _scores(self, q: Floats, k: Floats, factor: float) -> tuple[Floats, float]:
        """Return q kᵀ · scale, capped where the tower caps it, times a factor, and a bound on their size."""
        cap = self.spec.soft_cap
        scaled = q * np.float32(self.scale * factor if cap is None else self.scale / cap)
        scores: Floats = (self._grouped(scaled) @ k.swapaxes(1, 2)).reshape(len(q), q.shape[1], k.shape[1])
        if cap is None:
            return scores, _longest(scaled) * _longest(k)  # Cauchy and Schwarz
        np.tanh(scores, out=scores)
        scores *= np.float32(cap * factor)
        return scores, cap * factor


def _longest(rows: Floats) -> float:
    """Return the length of the longest vector of (…, d)."""
    return float(np.sqrt(np.einsum("...d,...d->...", rows, rows).max()))
