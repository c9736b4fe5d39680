"""A layer, array by array: what enters it, all that it computes on the way, what leaves it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.sources.lookup import Lookup

if TYPE_CHECKING:
    # Of models alone: what runs them is loaded when one is opened.
    from attention_explorer.model import Dropout
    from attention_explorer.model.transformer.attention import Attention, AttentionRun
    from attention_explorer.model.transformer.layer import Layer as ModelLayer
    from attention_explorer.model.transformer.layer import LayerRun, Surroundings
    from attention_explorer.model.transformer.parts import FastNorm
    from attention_explorer.sources.layer import Layer


@dataclass(frozen=True, slots=True, eq=False)
class WholeLayer:
    """Every array of a layer: float32 of a model, float64 of all else.

    Attributes
    ----------
    arrays : dict of str to ndarray
        In the order of computation: of heads (heads, n, d), of scores and weights (heads, n_q, n_k), else (n, d). Keys
        and values that heads share are there once. Masked scores are −∞. What is not known is not there.
    mask : ndarray of bool, (n_q, n_k), or None
        True where a query may attend; None if it may everywhere.
    lookup : Lookup
        How the scores became weights; ``scale`` is what q·k was multiplied by.
    shared : int
        How many heads share a key and a value.
    activation : str
        Of the network; empty where there is none.
    is_gated : bool
        Whether half of what the network makes is a gate for the other half.
    is_parallel : bool
        Whether attention and network are given the same x.
    biases : tuple of str
        Which of the scores have one by distance, and which projections have one, in words.
    sizes : dict of str to int
        How many learned numbers attention and network have; empty where none were learned.
    formulas : mapping of str to str
        How arrays were made, in words of the source, where these say more than letters.
    dropout : Dropout or None
        What was left out of this layer.
    gains : bool
        Whether its norms have what they learned.
    """

    arrays: dict[str, Floats]
    mask: Bools | None
    lookup: Lookup
    shared: int = 1
    activation: str = ""
    is_gated: bool = False
    is_parallel: bool = False
    biases: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)
    dropout: Dropout | None = None
    gains: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self.arrays.values())


# ---- Of attention alone ----


def attention_layer(
    layer: Layer, lookup: Lookup, before: Mapping[str, Floats], formulas: Mapping[str, str]
) -> WholeLayer:
    """Return every array of a layer of which only the attention is known, or is all there is.

    Parameters
    ----------
    layer : Layer
        With its queries and keys.
    lookup : Lookup
        How its scores become weights.
    before : mapping of str to ndarray
        What was added up to its input.
    formulas : mapping of str to str
        As of `WholeLayer`.
    """
    q, k = layer.queries_and_keys
    scale = 1 / math.sqrt(q.shape[-1]) if lookup.scale is None else lookup.scale
    allowed = layer.maps[0].allowed()
    mask = None if allowed.all() else np.asarray(allowed)
    scores = q @ k.swapaxes(-1, -2)
    arrays = dict(before)
    if layer.x is not None and layer.context is not None:
        arrays |= {"x": layer.x, **({} if layer.context is layer.x else {"context": layer.context})}
    arrays |= {"q": q, "k": k, **({} if layer.values is None else {"v": layer.v})}
    weights = np.stack([each.weights() for each in layer.maps])
    arrays |= {"scores": scores, **_scaled(scores * scale, mask), "weights": weights}
    if layer.values is not None:
        arrays["head_output"] = np.stack([each.output(v) for each, v in zip(layer.maps, layer.v, strict=True)])
    if layer.attention is not None:
        found, own = arrays["head_output"], layer.attention
        arrays |= {"concat": _side_by_side(found), "attention_output": own.project_output(found)}
        for name, matrix in (("w_q", own.w_q), ("w_k", own.w_k), ("w_v", own.w_v)):
            arrays[name] = np.stack(np.split(matrix, len(q), axis=1))
        arrays["w_o"] = np.stack(np.split(own.w_o, len(q)))
    return WholeLayer(arrays, mask, lookup._replace(mask=None, scale=scale), layer.shared, formulas=formulas)


def _scaled(scaled: Floats, mask: Bools | None) -> dict[str, Floats]:
    """Return scores before and behind a mask, if there is one."""
    hidden = {} if mask is None else {"masked": np.where(mask, scaled, scaled.dtype.type(-np.inf))}
    return {"scaled": scaled, **hidden}


def _side_by_side(found: Floats) -> Floats:
    """Return (heads, n, d) as (n, heads · d)."""
    return found.swapaxes(0, 1).reshape(found.shape[1], -1)


# ---- Of a trained model ----


def whole_layer(
    layer: ModelLayer,
    run: LayerRun,
    given: Surroundings,
    lookup: Lookup,
    hidden: Bools | None = None,
    *,
    is_cross: bool,
    formulas: Mapping[str, str],
) -> WholeLayer:
    """Return every array of a layer of a trained model.

    Parameters
    ----------
    layer : Layer
        With its weights.
    run : LayerRun
        What it computed.
    given : Surroundings
        What it was given besides what entered.
    lookup : Lookup
        How its scores became weights, where that can be chosen.
    hidden : ndarray of bool, (n_q, n_k), optional
        True where a query may attend, by the mask that was chosen.
    is_cross : bool
        Whether the look at the encoder is told array by array, and the attention of the tokens to each other only by
        what comes of it.
    formulas : mapping of str to str
        As of `WholeLayer`.
    """
    looks, inside, own, bias, gains = layer.attention, run.attention, given.visible, given.bias, lookup.gains
    arrays = {"x": run.residual}
    if is_cross and layer.cross is not None and run.cross is not None and given.context is not None:
        arrays["self_output"] = inside.output
        arrays["self_sum"] = layer.joined(looks.norms, run.residual, inside.output)  # its ways are not cut
        arrays["context"] = given.context
        looks, inside, own, bias = layer.cross, run.cross, None, None
    if not layer.spec.divides_by_root:
        lookup = Lookup()  # the scores of such a model are its own
    visible = own if hidden is None else hidden if own is None else own & hidden
    mask = None if visible is None or visible.all() else np.asarray(visible)
    factor = 1.0 if lookup.scale is None else lookup.scale * math.sqrt(layer.spec.head_width)
    arrays |= _attention(looks, inside, arrays.get("self_sum", run.residual))
    arrays |= _scaled(looks.scored(inside.q, inside.k, bias, factor)[0], mask)
    way = arrays["self_sum"] if "self_sum" in arrays else given.around_attention(run.residual)
    arrays |= _joined(layer, looks, inside, way) | _network(layer, run, given)
    network = layer.network
    parts = {"attention": (looks.project, looks.output), "feed_forward": (network.up, network.down)}
    biases = {
        "distances": bias,
        "queries, keys and values": looks.project.bias,
        "W_O": looks.output.bias,
        "W₁": network.up.bias,
        "W₂": network.down.bias,
    }
    return WholeLayer(
        arrays,
        mask,
        lookup._replace(mask=None, scale=looks.scale * factor),
        len(inside.q) // len(inside.k),
        layer.spec.activation,
        layer.spec.gated,
        layer.spec.parallel,
        tuple(name for name, bias in biases.items() if bias is not None),
        {
            name: sum(each.weight.size + (0 if each.bias is None else each.bias.size) for each in matrices)
            for name, matrices in parts.items()
        },
        formulas,
        given.changes.dropout,
        gains,
    )


def _attention(looks: Attention, inside: AttentionRun, x: Floats) -> dict[str, Floats]:
    """Return what an attention makes of x until it has scores."""
    k = np.repeat(inside.k, len(inside.q) // len(inside.k), axis=0)
    vectors = {"q": inside.q, "k": inside.k, "v": inside.v}
    return {**_normed("attention_input", looks.norms.before, x), **vectors, "scores": inside.q @ k.swapaxes(-1, -2)}


def _joined(layer: ModelLayer, looks: Attention, inside: AttentionRun, way: Floats) -> dict[str, Floats]:
    """Return what comes of its weights, and is added to the way around it."""
    summed = way + layer.added(looks.norms, inside.output)
    return {
        "weights": inside.weights,
        "head_output": inside.mixed,
        "concat": _side_by_side(inside.mixed),
        "attention_output": inside.output,
        **_normed("attention_normed", looks.norms.inner, inside.output),
        "attention_sum": summed,
        **_normed("middle", looks.norms.after, summed),
    }


def _network(layer: ModelLayer, run: LayerRun, given: Surroundings) -> dict[str, Floats]:
    """Return what the network computes, and what leaves the layer."""
    network, norms = layer.network, layer.network.norms
    entering = run.residual if layer.spec.parallel else run.between
    read = entering if norms.before is None else norms.before(entering)
    inner = network.up(read)
    half = inner.shape[1] // 2 if layer.spec.gated else inner.shape[1]
    summed = given.around_network(run.between) + layer.added(norms, run.network.output)
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
