"""Attention, lookups and heads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from attention_explorer import model
from tests.truth import plain
from tests.truth.draw import Array, Draw
from tests.truth.register import EXACT, Pair, checks


def _options(draw: Draw, shape: tuple[int, ...]) -> dict[str, Any]:
    """Return random options of attention; mask and bias have the shape of the scores or are shared."""
    own = shape[-2:] if draw.chance() else shape
    return {
        "mask": draw.maybe(draw.mask(*own)),
        "bias": draw.maybe(draw.numbers(*own)),
        "scale": draw.pick(None, 1.0, 0.3),
        "temperature": draw.pick(1.0, 0.5, 4.0),
        "hard": draw.pick(False, False, True),
    }


def _loops(q: Array, k: Array, v: Array, shape: tuple[int, ...], **options: Any) -> dict[str, Array]:
    """Return the stages of every leading index, stacked."""
    leading = shape[:-2]
    q, k, v = (np.broadcast_to(plain.long(x), (*leading, *x.shape[-2:])) for x in (q, k, v))
    whole = {
        name: None if options[name] is None else np.broadcast_to(options[name], shape) for name in ("mask", "bias")
    }
    found = [
        plain.attention_stages(
            q[at],
            k[at],
            v[at],
            **{**options, **{name: None if array is None else array[at] for name, array in whole.items()}},
        )
        for at in product(*map(range, leading))
    ]
    return {
        name: np.array([each[name] for each in found]).reshape(*leading, *found[0][name].shape) for name in found[0]
    }


@checks("scaled_dot_product_attention", "Attention", "KeptAttention", bound=64)
def attention(draw: Draw) -> Iterator[Pair]:
    batch, n_q, n_k, d_k, d_v = draw.batch(), draw.size(), draw.size(), draw.size(), draw.size()
    dtype = draw.dtype()
    q, k, v = (draw.numbers(*batch, *shape, dtype=dtype) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    shape = (*batch, n_q, n_k)
    options = _options(draw, shape)
    if options["hard"]:  # whole numbers: rounding must not decide who wins
        q, k = q.round(), k.round()
        options["scale"], options["bias"] = 1.0, None
    if options["bias"] is not None and q.dtype.kind == "f":
        options["bias"] = options["bias"].astype(np.result_type(q.dtype, np.float32))
    found = model.scaled_dot_product_attention(q, k, v, **options)
    name = draw.pick(*model.Attention._fields)
    kept = model.scaled_dot_product_attention(q, k, v, **options, keep=(name,))
    loops = _loops(q, k, v, shape, **options)
    yield getattr(kept, name), loops[name]
    for name, wanted in loops.items():
        yield getattr(found, name), wanted


@checks("lookup", bound=64)
def lookup(draw: Draw) -> Iterator[Pair]:
    batch, n, d, d_v, dtype = draw.batch(), draw.size(), draw.size(), draw.size(), draw.dtype()
    query, keys, values = (draw.numbers(*shape, dtype=dtype) for shape in ((*batch, d), (n, d), (n, d_v)))
    scaled, temperature = draw.chance(), draw.pick(1.0, 0.3)
    found = model.lookup(query, keys, values, temperature=temperature, scaled=scaled)
    scale = None if scaled else 1.0
    rows = plain.long(query).reshape(-1, d)
    wanted = plain.attention_stages(rows, plain.long(keys), plain.long(values), scale=scale, temperature=temperature)
    for name, array in wanted.items():
        yield getattr(found, name), array.reshape(*batch, array.shape[-1])


@checks("lookup_field", "LookupField", bound=64)
def lookup_field(draw: Draw) -> Iterator[Pair]:
    n, dtype, hard = draw.size(), draw.dtype(), draw.chance()
    x, y = draw.numbers(draw.size(), dtype=dtype), draw.numbers(draw.size(), dtype=dtype)
    keys, values = draw.numbers(n, 2, dtype=dtype), draw.numbers(n, 2, dtype=dtype)
    found = model.lookup_field(x, y, keys, values, hard=hard)
    points = plain.long([[a, b] for b in y for a in x])
    if hard:
        points, keys = points, keys  # products of random numbers do not tie
    wanted = plain.attention_stages(points, plain.long(keys), plain.long(values), scale=1.0, hard=hard)
    yield found.weights, wanted["weights"].reshape(len(y), len(x), n)
    yield found.output, wanted["output"].reshape(len(y), len(x), 2)


@checks("lookup_gradient", "LookupGradient", bound=256)
def lookup_gradient(draw: Draw) -> Iterator[Pair]:
    n, d, d_v, dtype = draw.size(2), draw.size(), draw.size(), draw.dtype(np.float64, np.float32)
    query, keys, values = (draw.numbers(*shape, dtype=dtype) for shape in ((d,), (n, d), (n, d_v)))
    found = model.lookup_gradient(query, keys, values)
    k, v = plain.long(keys), plain.long(values)
    slopes = plain.jacobian_row((k * plain.long(query)).sum(axis=1), 1.0)
    by_query = np.array([[sum(slopes[i, j] * k[j, f] for j in range(n)) for f in range(d)] for i in range(n)])
    yield found.weights, by_query
    yield (
        found.output,
        np.array([[sum(v[i, c] * by_query[i, f] for i in range(n)) for f in range(d)] for c in range(d_v)]),
    )


@checks("split_heads", "merge_heads", bound=EXACT)
def heads(draw: Draw) -> Iterator[Pair]:
    batch, n, count, width = draw.batch(), draw.size(), draw.size(), draw.size()
    x = draw.numbers(*batch, n, count * width, dtype=draw.dtype(np.float64, np.float32))
    apart = model.split_heads(x, count)
    wanted = np.empty_like(apart)
    for head, feature in product(range(count), range(width)):
        wanted[..., head, :, feature] = x[..., head * width + feature]
    yield apart, wanted
    yield model.merge_heads(apart), x


@checks("MultiHeadAttention", "MultiHeadTrace", bound=256)
def multi_head(draw: Draw) -> Iterator[Pair]:
    count, d_k, d_v, dtype = draw.size(1, 3), draw.size(1, 3), draw.size(1, 3), draw.dtype()
    d_model, d_context, d_out, n_q, n_k, batch = (*(draw.size() for _ in range(5)), draw.pick((), (2,)))
    shapes = ((d_model, count * d_k), (d_context, count * d_k), (d_context, count * d_v), (count * d_v, d_out))
    matrices = [draw.numbers(*shape, dtype=dtype, scale=0.5) for shape in shapes]
    biases = [draw.maybe(draw.numbers(shape[1], dtype=dtype)) for shape in shapes]
    layer = model.MultiHeadAttention(*matrices, count, **dict(zip(("b_q", "b_k", "b_v", "b_o"), biases, strict=True)))
    x, context = draw.numbers(*batch, n_q, d_model, dtype=dtype), draw.numbers(*batch, n_k, d_context, dtype=dtype)
    mask = draw.maybe(draw.mask(*batch, n_q, n_k))
    found = layer(x, context, mask=mask)
    for at in product(*map(range, batch)):
        seen = None if mask is None else mask[at]
        for name, wanted in plain_multi_head(matrices, biases, count, x[at], context[at], seen).items():
            yield getattr(found, name)[at], wanted


def plain_multi_head(
    matrices: list[Array], biases: list[Array | None], count: int, x: Array, context: Array, mask: Array | None
) -> dict[str, Array]:
    """Return every intermediate of one sequence, head by head."""
    held = [plain.long(matrix) for matrix in matrices]
    added = [None if bias is None else plain.long(bias) for bias in biases]
    sources = (plain.long(x), plain.long(context), plain.long(context))
    parts = [
        plain.heads_of(plain.linear(source, matrix, bias), count)
        for source, matrix, bias in zip(sources, held, added, strict=False)
    ]
    stages = [plain.attention_stages(*each, mask=mask) for each in zip(*parts, strict=True)]
    found = {name: np.array([each[name] for each in stages]) for name in ("scores", "scaled", "masked", "weights")}
    concat = np.concatenate([each["output"] for each in stages], axis=1)
    return {
        **dict(zip("qkv", (np.array(part) for part in parts), strict=True)),
        **found,
        "head_output": np.array([each["output"] for each in stages]),
        "concat": concat,
        "output": plain.linear(concat, held[3], added[3]),
    }


@checks("KVCache", "attend_with_cache", bound=256)
def cache(draw: Draw) -> Iterator[Pair]:
    count, width, n, dtype = draw.size(1, 3), draw.size(1, 3), draw.size(2, 6), draw.dtype(np.float64, np.float32)
    d_model = count * width
    matrices = [draw.numbers(d_model, d_model, dtype=dtype, scale=0.5) for _ in range(4)]
    layer, x = model.MultiHeadAttention(*matrices, count), draw.numbers(n, d_model, dtype=dtype)
    wanted = plain_multi_head(matrices, [None] * 4, count, x, x, model.causal_mask(n))
    held, start = None, 0
    while start < n:
        stop = min(n, start + draw.size(1, 3))
        trace, held = model.attend_with_cache(layer, x[start:stop], held)
        yield trace.output, wanted["output"][start:stop]
        yield trace.weights, wanted["weights"][:, start:stop, :stop]
        start = stop
    yield held.k, wanted["k"]
    yield held.v, wanted["v"]
    yield (held.tokens, held.numbers), (n, 2 * n * d_model)
