"""Attention of all heads of a layer, as trained models have it: grouped queries, norms, rotary, biases, caps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.changes import (
    ATTENTION,
    HEAD,
    NOTHING,
    SCORES,
    WEIGHTS,
    Altering,
    K,
    Q,
    V,
)
from attention_explorer.model.transformer.parts import FastNorm, Linear, Norms, normed
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.softmax_in_place import hard_in_place, softmax_in_place
from attention_explorer.model.transformer.spec import QkNorm, Spec


@dataclass(frozen=True, slots=True, eq=False)
class AttentionRun:
    """Everything that one attention computed, float32. Heads share keys and values in groups: kv_heads ≤ heads.

    Where a key or value of one head was altered, every head has its own: kv_heads = heads. Of a batch all arrays have
    one more axis, the first.
    """

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
        changes: Altering = NOTHING,
        past: tuple[Floats, Floats] | None = None,
    ) -> AttentionRun:
        """Attend from x, (..., n_q, d_model), to itself or to a context, (..., n_k, d_model).

        Parameters
        ----------
        x, context : ndarray
            Normalised where the layer has it so; one text, or a batch of them.
        visible : ndarray of bool, (n_q, n_k), optional
            True where a query may attend.
        bias : ndarray, (heads, n_q, n_k), optional
            Added to the scores.
        turn : Turn, optional
            Of queries and keys by their positions.
        changes : Altering
            What is altered of all that is computed here.
        past : (ndarray, ndarray), optional
            Keys and values that are known: those of the tokens before x, (kv_heads, n_before, d), to which those of x
            are joined; or those of the context.
        """
        if past is None:
            q, k, v = self._altered(*self.projected(x, context, turn), changes)
        elif context is None:
            q, *new = self._altered(*self.projected(x, None, turn), changes)
            k, v = (np.concatenate(pair, axis=-2) for pair in zip(past, new, strict=True))
        else:
            q, (k, v) = changes.altered(Q, self._queries(x)), past
        weights = changes.altered(WEIGHTS, self._weights(q, k, visible, bias, changes))
        mixed = changes.altered(HEAD, (_grouped(weights, k) @ v).reshape(q.shape))
        joined = mixed.swapaxes(-3, -2).reshape(*x.shape[:-1], -1)
        return AttentionRun(q, k, v, weights, mixed, changes.altered(ATTENTION, self.output(joined)))

    def projected(self, x: Floats, context: Floats | None, turn: Turn | None) -> tuple[Floats, Floats, Floats]:
        """Return queries, (..., heads, n_q, d), keys and values, (..., kv_heads, n_k, d), normalised and turned."""
        spec = self.spec
        inner, keys = spec.heads * spec.head_width, spec.kv_heads * spec.head_width
        if context is None:
            rows = self.project(x)
            q, theirs = self._normed(0, rows[..., :inner]), rows[..., inner:]
        else:
            q, theirs = self._queries(x), self.project.part(inner, inner + 2 * keys)(context)
        k, v = self._normed(1, theirs[..., :keys]), self._split(theirs[..., keys:])
        return (q, k, v) if turn is None else (turn(q), turn(k), v)

    def _queries(self, x: Floats) -> Floats:
        """Return queries, (..., heads, n_q, d), normalised."""
        return self._normed(0, self.project.part(0, self.spec.heads * self.spec.head_width)(x))

    def _normed(self, which: int, rows: Floats) -> Floats:
        """Return queries (0) or keys (1), (..., n, heads · width), apart by heads and normalised where they are."""
        norm = None if self.qk_norms is None else self.qk_norms[which]
        if self.spec.qk_norm is QkNorm.WHOLE:
            return self._split(normed(norm, rows))
        return normed(norm, self._split(rows)) if self.spec.qk_norm is QkNorm.HEAD else self._split(rows)

    def _altered(self, q: Floats, k: Floats, v: Floats, changes: Altering) -> tuple[Floats, Floats, Floats]:
        """Alter queries, keys and values; of those that groups share every head then has its own."""
        if changes.touches(K, V):
            shared = self.spec.heads // k.shape[-3]
            whole = (*q.shape[:-2], k.shape[-2], k.shape[-1])
            k, v = (np.broadcast_to(np.repeat(each, shared, axis=-3), whole).copy() for each in (k, v))
            k, v = changes.altered(K, k), changes.altered(V, v)
        return changes.altered(Q, q), k, v

    def _split(self, rows: Floats) -> Floats:
        """Return (n, heads · width) as (heads, n, width), each head in one piece: four times as fast to multiply."""
        apart = rows.reshape(*rows.shape[:-1], -1, self.spec.head_width)
        return np.ascontiguousarray(apart.swapaxes(-3, -2))

    def _weights(self, q: Floats, k: Floats, visible: Bools | None, bias: Floats | None, changes: Altering) -> Floats:
        """Return softmax(q kᵀ · scale + bias) where it is visible, (..., heads, n_q, n_k)."""
        factor = changes.softmax.factor
        scores, largest = self.scored(q, k, bias, factor)
        if changes.touches(SCORES):
            visible = changes.visible(visible, scores.shape[-3:])
        if changes.sets_scores:
            largest = float(np.abs(changes.altered(SCORES, scores, factor)).max())
        maps = scores.reshape(-1, *scores.shape[-2:])
        if visible is not None and visible.ndim > 2:
            visible = np.broadcast_to(visible, scores.shape).reshape(maps.shape)
        if changes.softmax.hard:
            hard_in_place(maps, visible)
        else:
            softmax_in_place(maps, visible, largest)
        return scores

    def scored(self, q: Floats, k: Floats, bias: Floats | None, factor: float = 1.0) -> tuple[Floats, float]:
        """Return what the softmax is made of, (..., heads, n_q, n_k), times a factor, and a bound on its size."""
        scores, largest = self._scores(q, k, factor)
        if bias is not None:
            added = bias if factor == 1.0 else bias * np.float32(factor)
            scores += added
            largest += float(np.abs(added).max())
        return scores, largest

    def _scores(self, q: Floats, k: Floats, factor: float) -> tuple[Floats, float]:
        """Return q kᵀ · scale, capped where the tower caps it, times a factor, and a bound on their size."""
        cap = self.spec.soft_cap
        scaled = q * np.float32(self.scale * factor if cap is None else self.scale / cap)
        scores: Floats = (_grouped(scaled, k) @ k.swapaxes(-1, -2)).reshape(*q.shape[:-1], k.shape[-2])
        if cap is None:
            return scores, _longest(scaled) * _longest(k)  # Cauchy and Schwarz
        np.tanh(scores, out=scores)
        scores *= np.float32(cap * factor)
        return scores, cap * factor


def _grouped(of_heads: Floats, k: Floats) -> Floats:
    """Return (..., heads, n_q, …) as (..., kv_heads, group · n_q, …), so that each group is multiplied at once."""
    return of_heads.reshape(*of_heads.shape[:-3], k.shape[-3], -1, of_heads.shape[-1])


def _longest(rows: Floats) -> float:
    """Return the length of the longest vector of (…, d)."""
    return float(np.sqrt(np.einsum("...d,...d->...", rows, rows).max()))
