"""A layer of a trained model, array by array: what enters it, all that it computes on the way, what leaves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.transformer.layer import Layer, LayerRun, Surroundings
from attention_explorer.model.transformer.parts import FastNorm


@dataclass(frozen=True, slots=True, eq=False)
class WholeLayer:
    """Every array of a layer, float32.

    Attributes
    ----------
    arrays : dict of str to ndarray
        In the order of computation: of heads (heads, n, d), of scores and weights (heads, n_q, n_k), else (n, d). Keys
        and values that heads share are there once. Masked scores are −∞.
    mask : ndarray of bool, (n, n), or None
        True where a query may attend; None if it may everywhere.
    shared : int
        How many heads share a key and a value.
    scale : float
        What q·k is multiplied by.
    activation : str
        Of the network.
    is_gated : bool
        Whether half of what the network makes is a gate for the other half.
    is_parallel : bool
        Whether attention and network are given the same x.
    biases : tuple of str
        Which of the scores have one by distance, and which projections have one, in words.
    sizes : dict of str to int
        How many learned numbers attention and network have.
    """

    arrays: dict[str, Floats]
    mask: Bools | None
    shared: int
    scale: float
    activation: str
    is_gated: bool
    is_parallel: bool
    biases: tuple[str, ...]
    sizes: dict[str, int]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self.arrays.values())


def whole_layer(layer: Layer, run: LayerRun, given: Surroundings) -> WholeLayer:
    """Return every array of a layer.

    Parameters
    ----------
    layer : Layer
        With its weights.
    run : LayerRun
        What it computed.
    given : Surroundings
        What it was given besides what entered.
    """
    visible = given.visible
    mask = None if visible is None or visible.all() else np.asarray(visible)
    arrays = {**_attention(layer, run, given, mask), **_network(layer, run)}
    attention, network = layer.attention, layer.network
    parts = {
        "attention": (attention.project, attention.output),
        "feed_forward": (network.up, network.down),
    }
    biases = {
        "distances": given.bias,
        "queries, keys and values": attention.project.bias,
        "W_O": attention.output.bias,
        "W₁": network.up.bias,
        "W₂": network.down.bias,
    }
    return WholeLayer(
        arrays,
        mask,
        len(run.attention.q) // len(run.attention.k),
        attention.scale,
        layer.spec.activation,
        layer.spec.gated,
        layer.spec.parallel,
        tuple(name for name, bias in biases.items() if bias is not None),
        {
            name: sum(each.weight.size + (0 if each.bias is None else each.bias.size) for each in matrices)
            for name, matrices in parts.items()
        },
    )


def _attention(layer: Layer, run: LayerRun, given: Surroundings, mask: Bools | None) -> dict[str, Floats]:
    """Return what comes before the network."""
    attention, inside, x = layer.attention, run.attention, run.residual
    norms, k = attention.norms, np.repeat(inside.k, len(inside.q) // len(inside.k), axis=0)
    scaled, _ = attention.scored(inside.q, inside.k, given.bias)
    summed = x + layer.added(norms, inside.output)
    cross = {}
    if run.cross is not None and layer.cross is not None:
        cross = {"cross_output": run.cross.output, "cross_sum": run.between}
    return {
        "x": x,
        **_normed("attention_input", norms.before, x),
        **{"q": inside.q, "k": inside.k, "v": inside.v, "scores": inside.q @ k.swapaxes(-1, -2), "scaled": scaled},
        **({} if mask is None else {"masked": np.where(mask, scaled, np.float32(-np.inf))}),
        **{"weights": inside.weights, "head_output": inside.mixed},
        "concat": inside.mixed.swapaxes(0, 1).reshape(len(x), -1),
        "attention_output": inside.output,
        **_normed("attention_normed", norms.inner, inside.output),
        "attention_sum": summed,
        **_normed("middle", norms.after, summed),
        **cross,
    }


def _network(layer: Layer, run: LayerRun) -> dict[str, Floats]:
    """Return what the network computes, and what leaves the layer."""
    network, norms = layer.network, layer.network.norms
    entering = run.residual if layer.spec.parallel else run.between
    read = entering if norms.before is None else norms.before(entering)
    inner = network.up(read)
    half = inner.shape[1] // 2 if layer.spec.gated else inner.shape[1]
    summed = run.between + layer.added(norms, run.network.output)
    return {
        **({} if norms.before is None else {"feed_forward_input": read}),
        "before_activation": inner[:, :half],
        **({"linear_part": inner[:, half:]} if layer.spec.gated else {}),
        "hidden": run.network.hidden,
        "feed_forward_output": run.network.output,
        **_normed("feed_forward_normed", norms.inner, run.network.output),
        "feed_forward_sum": summed,
        **_normed("output", norms.after, summed),
    }


def _normed(name: str, norm: FastNorm | None, rows: Floats) -> dict[str, Floats]:
    return {} if norm is None else {name: norm(rows)}
