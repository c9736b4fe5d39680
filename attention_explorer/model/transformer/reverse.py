"""The reverse pass: the gradient of any number by all that the layers of a tower compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, all_finite
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.transformer.activations import ACTIVATIONS, SLOPES
from attention_explorer.model.transformer.attention import Attention, AttentionRun
from attention_explorer.model.transformer.head import Head
from attention_explorer.model.transformer.layer import Layer, Surroundings
from attention_explorer.model.transformer.network import Network
from attention_explorer.model.transformer.parts import Norms, normed, pulled
from attention_explorer.model.transformer.rope import Turn
from attention_explorer.model.transformer.spec import QkNorm
from attention_explorer.model.transformer.stack import StackRun


@dataclass(frozen=True, slots=True, eq=False)
class AttentionGradient:
    """∂L by what an attention computed, each taken for itself: through what follows from it alone."""

    q: Floats
    """(heads, n_q, d), by queries as scores are made of them."""
    k: Floats
    """(kv_heads, n_k, d), likewise: of keys that heads share the sum of all."""
    v: Floats
    """(kv_heads, n_k, d)."""
    scores: Floats
    """(heads, n_q, n_k), by what the softmax is made of; 0 where it is hidden."""
    weights: Floats
    """(heads, n_q, n_k), through weights · v, and not as the others of its row change with it."""
    mixed: Floats
    """(heads, n_q, d)."""
    output: Floats
    """(n_q, d_model)."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerGradient:
    """∂L by what a layer computed; all of rows are (n, d_model)."""

    residual: Floats
    """By what enters."""
    between: Floats
    """By what the attention leaves for the network."""
    after: Floats
    """By what leaves."""
    network: Floats
    attention: AttentionGradient
    cross: AttentionGradient | None


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """∂L by all that a tower computed."""

    layers: tuple[LayerGradient, ...]
    context: Floats | None
    """By what leaves the encoder, (n_k, d_model); None in one tower."""


def reverse(run: StackRun, d_hidden: Floats) -> Gradients:
    """Pull a derivative back through all layers of a tower, each of which is run again.

    Parameters
    ----------
    run : StackRun
        An unaltered run.
    d_hidden : ndarray, (n, d_model)
        ∂L/∂(last hidden states, after the last norm) of any number L.

    Returns
    -------
    Gradients

    Raises
    ------
    ArrayError
        If the run was altered, the derivative does not fit, or a number passes the range of float32.

    Notes
    -----
    The chain rule; through Vaswani et al. 2017, eq. 1: ∂L/∂V = Aᵀ ∂L/∂O, ∂L/∂A = ∂L/∂O Vᵀ, ∂L/∂S = A ⊙ (∂L/∂A − its
    mean under A), ∂L/∂Q = ∂L/∂S K · scale. Where a softmax is saturated A ⊙ … is near 0, whatever changing the score
    would do: an estimate by gradients is to be held against the run itself.
    """
    if run.is_altered:
        raise ArrayError("gradients are of a run without changes: run the text without them")
    hidden, final = run.hidden, run.stack.final_norm
    if d_hidden.shape != hidden[-1].shape:
        raise ArrayError(f"d_hidden has shape {d_hidden.shape}, but the last hidden states are {hidden[-1].shape}")
    d_x, d_context = np.asarray(d_hidden, np.float32), None
    gradients: list[LayerGradient] = []
    for place in reversed(range(run.count)):
        checkpoint()
        with np.errstate(all="ignore"):  # looked for below
            made = _Made(run.stack.layers[place], hidden[place], run.surroundings(place))
            if place == run.count - 1:
                d_x = d_x if final is None else final.reverse(made.output(), d_x)
            gradient, more = made.reverse(d_x)
        if not all_finite(gradient.residual):
            raise ArrayError(f"the gradient leads beyond the range of float32 in layer {place}")
        d_context = more if d_context is None or more is None else d_context + more
        gradients.append(gradient)
        d_x = gradient.residual
    return Gradients(tuple(reversed(gradients)), d_context)


class _Made:
    """A layer that was run again, up to where its network leads back to d_model."""

    def __init__(self, layer: Layer, x: Floats, given: Surroundings) -> None:
        self._layer, self._x, self._given = layer, x, given
        self._attention = layer.looked(x, given)
        self._y = self._z = layer.joined(layer.attention.norms, x, self._attention.output)
        self._cross: AttentionRun | None = None
        if layer.cross is not None:
            self._cross = layer.cross(normed(layer.cross.norms.before, self._y), context=given.context)
            self._z = layer.joined(layer.cross.norms, self._y, self._cross.output)
        network = layer.network
        self._inner = network.up(normed(network.norms.before, x if layer.spec.parallel else self._z))
        self._hidden = network.activated(self._inner.copy())

    def output(self) -> Floats:
        """Return what leaves the layer."""
        layer = self._layer
        return layer.joined(layer.network.norms, self._z, layer.network.down(self._hidden))

    def reverse(self, d_after: Floats) -> tuple[LayerGradient, Floats | None]:
        """Return the gradients of the layer, and that by the context."""
        layer, network = self._layer, self._layer.network
        norms = network.norms
        written = network.down(self._hidden) if norms.inner or norms.after else None
        d_way, d_network = _parted(layer, norms, self._z, written, d_after)
        d_entering = network.up.reverse(_through_network(network, self._inner, network.down.reverse(d_network)))
        if layer.spec.parallel:
            d_x, d_z = pulled(norms.before, self._x, d_entering), d_way
        else:
            d_x, d_z = np.zeros_like(self._x), d_way + pulled(norms.before, self._z, d_entering)
        cross, d_context, d_y = None, None, d_z
        if layer.cross is not None and self._cross is not None:
            d_y, d_output = _parted(layer, layer.cross.norms, self._y, self._cross.output, d_z)
            entering = normed(layer.cross.norms.before, self._y)
            cross, d_entering, d_context = _attention(
                layer.cross, self._cross, entering, d_output, context=self._given.context
            )
            d_y = d_y + pulled(layer.cross.norms.before, self._y, d_entering)
        d_way, d_output = _parted(layer, layer.attention.norms, self._x, self._attention.output, d_y)
        entering = normed(layer.attention.norms.before, self._x)
        attention, d_entering, _ = _attention(
            layer.attention, self._attention, entering, d_output, turn=self._given.turn
        )
        d_x = d_x + d_way + pulled(layer.attention.norms.before, self._x, d_entering)
        return LayerGradient(d_x, d_z, d_after, d_network, attention, cross), d_context


def _parted(layer: Layer, norms: Norms, way: Floats, output: Floats | None, d_y: Floats) -> tuple[Floats, Floats]:
    """Pull back after(way + inner(output)): to the way around a part, and to the output of the part."""
    if norms.after is not None and output is not None:
        d_y = norms.after.reverse(way + layer.added(norms, output), d_y)
    d_output = d_y if layer.spec.residual_scale == 1.0 else d_y * np.float32(layer.spec.residual_scale)
    return d_y, d_output if output is None else pulled(norms.inner, output, d_output)


def _through_network(network: Network, inner: Floats, d_hidden: Floats) -> Floats:
    """Pull back f(inner), or f(gate) · up."""
    spec = network.spec
    slope = SLOPES[spec.activation]
    if not spec.gated:
        return d_hidden * slope(inner)
    width = inner.shape[1] // 2
    gate, up = inner[:, :width], inner[:, width:]
    activated = network.activated(np.concatenate([gate, np.ones_like(gate)], axis=1))
    return np.concatenate([d_hidden * up * slope(gate), d_hidden * activated], axis=1)


def _attention(
    attention: Attention,
    run: AttentionRun,
    entering: Floats,
    d_output: Floats,
    *,
    context: Floats | None = None,
    turn: Turn | None = None,
) -> tuple[AttentionGradient, Floats, Floats | None]:
    """Pull back an attention: its gradients, that by what entered, and that by the context."""
    groups = len(run.k)
    apart = attention.output.reverse(d_output).reshape(len(d_output), len(run.q), -1)
    d_mixed = np.ascontiguousarray(apart.swapaxes(0, 1))
    by_groups = d_mixed.reshape(groups, -1, d_mixed.shape[-1])
    weights = run.weights.reshape(groups, -1, run.weights.shape[-1])
    d_weights = by_groups @ run.v.swapaxes(1, 2)
    d_scores = weights * (d_weights - np.einsum("gqk,gqk->gq", weights, d_weights)[..., None])
    d_raw, cap = d_scores, attention.spec.soft_cap
    if cap is not None:
        scores = attention.scored(run.q, run.k, None)[0].reshape(weights.shape)
        d_raw = d_scores * (np.float32(1.0) - np.square(scores / np.float32(cap)))
    d_raw = d_raw * np.float32(attention.scale)
    d_q = (d_raw @ run.k).reshape(run.q.shape)
    d_k = d_raw.swapaxes(1, 2) @ run.q.reshape(groups, -1, run.q.shape[-1])
    d_v = weights.swapaxes(1, 2) @ by_groups
    shape = run.weights.shape
    found = AttentionGradient(d_q, d_k, d_v, d_scores.reshape(shape), d_weights.reshape(shape), d_mixed, d_output)
    if turn is not None:
        d_q, d_k = turn.reverse(d_q), turn.reverse(d_k)
    return found, *_projections(attention, entering, context, (d_q, d_k, d_v))


def _projections(
    attention: Attention, entering: Floats, context: Floats | None, by: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats | None]:
    """Pull back queries, keys and values: to what entered, and to the context."""
    width = attention.spec.head_width
    inner, keys = attention.spec.heads * width, attention.spec.kv_heads * width
    of_q, of_kv = attention.project.part(0, inner), attention.project.part(inner, inner + 2 * keys)
    theirs = entering if context is None else context
    d_q = _normed_back(attention, 0, lambda: of_q(entering), by[0])
    d_k = _normed_back(attention, 1, lambda: of_kv(theirs)[:, :keys], by[1])
    d_kv = np.concatenate([d_k, _joined(by[2])], axis=1)
    if context is None:
        return attention.project.reverse(np.concatenate([d_q, d_kv], axis=1)), None
    return of_q.reverse(d_q), of_kv.reverse(d_kv)


def _joined(of_heads: Floats) -> Floats:
    """Return (heads, n, d) as (n, heads · d)."""
    return of_heads.swapaxes(0, 1).reshape(of_heads.shape[1], -1)


def _normed_back(attention: Attention, which: int, rows: Callable[[], Floats], d_of_heads: Floats) -> Floats:
    """Pull back the norm of queries (0) or keys (1), where there is one, to (n, heads · d)."""
    if attention.qk_norms is None or attention.spec.qk_norm is QkNorm.NONE:
        return _joined(d_of_heads)
    norm = attention.qk_norms[which]
    if attention.spec.qk_norm is QkNorm.WHOLE:
        return norm.reverse(rows(), _joined(d_of_heads))
    apart = rows().reshape(d_of_heads.shape[1], len(d_of_heads), -1).swapaxes(0, 1)
    return _joined(norm.reverse(apart, d_of_heads))


@np.errstate(all="ignore")
def reverse_head(head: Head, hidden: Floats, d_logits: Floats) -> Floats:
    """Pull a derivative by logits back to the last hidden states.

    Parameters
    ----------
    head : Head
        What makes logits.
    hidden : ndarray, (n, d_model)
        What it was given.
    d_logits : ndarray, (n, vocabulary)
        ∂L/∂logits.

    Returns
    -------
    ndarray, (n, d_model)
    """
    x = hidden * np.float32(head.scale)
    inner = x if head.transform is None else head.transform(x)
    if head.cap is not None:
        share = head(hidden) / np.float32(head.cap)
        d_logits = d_logits * (np.float32(1.0) - np.square(share))
    d_x = head.decode.reverse(d_logits)
    if head.transform is not None:
        activated = inner.copy()
        if head.activation:
            ACTIVATIONS[head.activation](activated)
        d_x = pulled(head.norm, activated, d_x)
        if head.activation:
            d_x = d_x * SLOPES[head.activation](inner)
        d_x = head.transform.reverse(d_x)
    else:
        d_x = pulled(head.norm, inner, d_x)
    return d_x * np.float32(head.scale)
