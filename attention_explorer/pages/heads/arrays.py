"""The numbers of every array behind a head, and where they come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.errors import ExplorerError
from attention_explorer.model import merge_heads, sinusoidal_encoding
from attention_explorer.pages.heads.array import (
    STAGES,
    ArrayKind,
    HeadArray,
    arrays_of,
    reason_against,
    shape_words,
)
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame, heads_run_without
from attention_explorer.pages.heads.stages import stage_steps
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup
from attention_explorer.sources.tutorials import ends_before_w_o


def head_array(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    """Return an array of the chosen head.

    Raises
    ------
    ExplorerError
        This frame has no such array, or too many tokens.
    """
    reason = reason_against(frame)
    if reason:
        raise ExplorerError(reason)
    if kind not in arrays_of(frame):
        raise ExplorerError(f"There is no {kind} here: choose another array.")
    if kind in STAGES:
        return _of_pairs(frame, kind)
    if kind in (ArrayKind.W_Q, ArrayKind.W_K, ArrayKind.W_V, ArrayKind.W_O):
        return _projection(frame, kind)
    if kind in (ArrayKind.Q, ArrayKind.K, ArrayKind.V):
        return _projected(frame, kind)
    if kind in (ArrayKind.HEAD_OUTPUT, ArrayKind.CONCAT, ArrayKind.OUTPUT):
        return _result(frame, kind)
    return _input(frame, kind)


def _input(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    (x, context), tokens = frame.layers[frame.layer].inputs, frame.queries
    values: FloatArray = x
    title, source = "what goes in", "the embeddings of the tokens"
    if kind is ArrayKind.CONTEXT:
        values, tokens, title = context, frame.keys, "the second sentence"
        source = "the embeddings of the second sentence; keys and values are made of it"
        if not frame.has_projections:
            source = "1 for the token’s own word; keys and values were made by hand and not from it"
    elif kind is ArrayKind.ENCODING:
        values, title = sinusoidal_encoding(*x.shape), "the encoding of the positions"
        source = "sines and cosines of the position, added to the embeddings"
    elif kind is ArrayKind.EMBEDDINGS and (embedded := frame.source.embeddings()):
        values, title, source = embedded[0], "the embeddings alone", frame.source.embedding_words()
    elif kind is ArrayKind.X and frame.layer > 0:
        source = f"LayerNorm(X + attention(X)) of {frame.count.layer(frame.layer - 1)}"
    elif kind is ArrayKind.X and not frame.has_projections:
        source = "1 for the token’s own word; queries and keys were made by hand and not from it"
    if kind in (ArrayKind.X, ArrayKind.CONTEXT) and frame.source.is_encoded and frame.layer == 0:
        source = "X = E + PE: embeddings plus the encoding of the positions"
    return HeadArray(
        kind, title, source, values, _nowhere(values), tokens, _numbers(frame, values.shape[1]), ("token", "feature")
    )


def _projection(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    attention = frame.layers[frame.layer].attention
    if attention is None:
        raise ExplorerError("Heads made by hand have no projections: choose another array.")
    whole = {
        ArrayKind.W_Q: attention.w_q,
        ArrayKind.W_K: attention.w_k,
        ArrayKind.W_V: attention.w_v,
        ArrayKind.W_O: attention.w_o,
    }[kind]
    if kind is ArrayKind.W_O:
        return _output_projection(frame, whole)
    width = whole.shape[1] // frame.heads
    own = slice(frame.head * width, (frame.head + 1) * width)
    values, part = whole[:, own], _part("columns", own, frame)
    said = {ArrayKind.W_Q: "makes queries", ArrayKind.W_K: "makes keys", ArrayKind.W_V: "makes values"}[kind]
    return HeadArray(
        kind,
        said,
        f"{frame.source.projection_words(kind)}; {part or 'all of it'}",
        values,
        _nowhere(values),
        _numbers(frame, values.shape[0]),
        _numbers(frame, values.shape[1], own.start),
        ("feature of X", "feature of the head"),
        shape_words(whole.shape) if part else "",
    )


def _output_projection(frame: HeadsFrame, whole: FloatArray) -> HeadArray:
    """Return W_O as a whole, as all heads meet in it, with the rows of the chosen head."""
    width = whole.shape[0] // frame.heads
    own = slice(frame.head * width, (frame.head + 1) * width)
    part = _part("rows", own, frame)
    return HeadArray(
        ArrayKind.W_O,
        "mixes the heads back into d_model features",
        f"{frame.source.projection_words(ArrayKind.W_O)}{f'; framed: {part}' if part else ''}",
        whole,
        _nowhere(whole),
        _numbers(frame, whole.shape[0]),
        _numbers(frame, whole.shape[1]),
        ("feature of concat", "feature of the output"),
        own_rows=own if part else None,
    )


def _projected(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    layer = frame.layers[frame.layer]
    all_heads = layer.v if kind is ArrayKind.V else layer.queries_and_keys[kind is ArrayKind.K]
    values = all_heads[frame.head]
    tokens = frame.queries if kind is ArrayKind.Q else frame.keys
    asked = ArrayKind.X if kind is ArrayKind.Q or not frame.is_cross else ArrayKind.CONTEXT
    shared = 1 if kind is ArrayKind.Q else layer.shared
    if layer.attention is None:
        source = frame.source.vectors_words(kind, frame.layer)
        if shared > 1:
            first = frame.head // shared * shared
            source += f"; heads {frame.count.span(first, first + shared)} have the same keys and values"
    else:
        width = values.shape[1]
        own = slice(frame.head * width, (frame.head + 1) * width)
        source = f"{kind} = {asked}·W_{kind}{_comma(_part('columns', own, frame))}"
    said = {ArrayKind.Q: "queries", ArrayKind.K: "keys", ArrayKind.V: "values"}[kind]
    whole = shape_words((frame.heads // shared, *values.shape)) if frame.heads > shared else ""
    title = f"the {said} of {frame.count.head(frame.head)}"
    columns = _numbers(frame, values.shape[1])
    return HeadArray(kind, title, source, values, _nowhere(values), tokens, columns, ("token", "feature"), whole)


def _of_pairs(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    values = frame.head_map.scores(stage=STAGES[kind])
    masked = _nowhere(values) if frame.mask is None or kind is ArrayKind.SCORES else ~frame.mask
    scale, mask, last = stage_steps(frame)
    title, source = {
        ArrayKind.SCORES: ("raw scores q·k", "QKᵀ: cell (i, j) is query i · key j"),
        ArrayKind.SCALED: ("scores before the softmax", f"QKᵀ, {scale}; {mask}"),
        ArrayKind.WEIGHTS: ("weights", f"{last} of S; {mask}"),
    }[kind]
    whole = shape_words((frame.heads, *frame.shape)) if frame.heads > 1 else ""
    return HeadArray(kind, title, source, values, masked, frame.queries, frame.keys, ("query", "key"), whole)


def _result(frame: HeadsFrame, kind: ArrayKind) -> HeadArray:
    if kind is ArrayKind.HEAD_OUTPUT:
        values = frame.head_map.output(frame.layers[frame.layer].v[frame.head])
        title = f"the output of {frame.count.head(frame.head)}"
        source = "A·V: row i is the values, blended by the weights of row i"
    else:
        concat, output = _layer_results(_without_focus(frame))
        if kind is ArrayKind.CONCAT:
            values, title = concat, "the outputs of all heads"
            heads = frame.count.head(0)
            if frame.heads > 1:
                heads += f" … {frame.count.head(frame.heads - 1)}"
            source = f"{heads} side by side, {concat.shape[1] // frame.heads} columns each"
        else:
            values, title, source = output, "the output of the layer", "output = concat·W_O"
            if ends_before_w_o(frame.setup.recipe):
                source += ", with a W_O of this program: the output of the tutorial is A·V"
    columns = _numbers(frame, values.shape[1])
    return HeadArray(kind, title, source, values, _nowhere(values), frame.queries, columns, ("token", "feature"))


def _without_focus(frame: HeadsFrame) -> HeadsSetup:
    # Which head is looked at does not alter the layer: all of its heads share one computation.
    return replace(
        frame.setup,
        layer=frame.layer,
        head=0,
        aggregate=Aggregate.ONE,
        identity=True,
        switched_off=heads_run_without(frame.setup),
    )


@kept
def _layer_results(setup: HeadsSetup) -> tuple[FloatArray, FloatArray]:
    """Return concat (n_q, heads·d_v) and output (n_q, d_out) of a layer."""
    frame = heads_frame(setup)
    layer = frame.layers[frame.layer]
    if layer.attention is None:
        raise ExplorerError("The output projection of these heads is not known here: choose another array.")
    found = np.stack([head.output(v) for head, v in zip(layer.maps, layer.v, strict=True)])
    return merge_heads(found), layer.attention.project_output(found)


def _part(what: str, own: slice, frame: HeadsFrame) -> str:
    if frame.heads == 1:
        return ""
    width = own.stop - own.start
    first, last = frame.count.number(own.start), frame.count.number(own.stop - 1)
    numbers = f"{what} {first}–{last}" if width > 1 else f"{what[:-1]} {first}"
    return f"{numbers} of {frame.heads * width}, those of {frame.count.head(frame.head)}"


def _comma(text: str) -> str:
    return f", {text}" if text else ""


def _numbers(frame: HeadsFrame, count: int, first: int = 0) -> tuple[str, ...]:
    return frame.count.all_of(first + count)[first:]


def _nowhere(values: FloatArray) -> BoolArray:
    return np.zeros(values.shape, np.bool_)
