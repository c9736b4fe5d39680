"""Norms, networks, layers and stacks, forth and back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from attention_explorer import model
from attention_explorer.model.sublayer import HasOutput
from tests.truth import plain, plain_layers
from tests.truth.draw import Array, Draw
from tests.truth.plain_layers import Step
from tests.truth.register import Pair, checks

NEAR_THE_KINK = 0.01
"""ReLU has no slope at 0: derivatives are not compared where a hidden unit is nearer to it than this."""


def compared(ours: Array, function: Step, x: Array, by_output: Array, draw: Draw) -> Pair:
    """Compare a derivative along two random directions, in units of its length, or of 1 if that is shorter."""
    directions = [draw.numbers(*x.shape) for _ in range(2)]
    length = max(np.sqrt((plain.long(ours) ** 2).sum()), 1.0)
    found = [float((ours * u).sum()) for u in directions]
    wanted = [plain_layers.along(function, x, by_output, u) for u in directions]
    return np.array([*found, float(length)]), np.array([*wanted, length])


def draw_norm(draw: Draw, width: int, dtype: Any = np.float64) -> model.Norm:
    kind = draw.pick(*model.NormKind)
    bias = draw.maybe(draw.numbers(width, dtype=dtype)) if kind is model.NormKind.LAYER else None
    gain = draw.maybe(1.0 + draw.numbers(width, dtype=dtype) / 4)
    gain = None if gain is None else gain.astype(dtype)
    # Not too small: where a row is nearly one number repeated, differences would be too coarse for its slope.
    return model.Norm(kind, gain=gain, bias=bias, eps=draw.pick(0.03, 0.1), eps_inside_sqrt=draw.chance())


def draw_network(draw: Draw, width: int, dtype: Any = np.float64) -> model.FeedForward:
    hidden, activation = draw.size(1, 6), draw.pick(*model.Activation)
    w1, w2, w3 = (draw.numbers(*s, dtype=dtype) for s in ((width, hidden), (hidden, width), (width, hidden)))
    b1, b2, b3 = (draw.maybe(draw.numbers(n, dtype=dtype)) for n in (hidden, width, hidden))
    gated = {"w3": w3, "b3": b3} if activation is model.Activation.SILU_GATED else {}
    return model.FeedForward(w1, b1, w2, b2, activation, **gated)


def draw_attention(
    draw: Draw, heads: int, width: int, context: int, dtype: Any = np.float64
) -> model.MultiHeadAttention:
    shapes = ((width, width), (context, width), (context, width), (width, width))
    matrices = [draw.numbers(*shape, dtype=dtype, scale=0.5) for shape in shapes]
    return model.MultiHeadAttention(*matrices, heads, b_v=draw.maybe(draw.numbers(width, dtype=dtype)))


def draw_layer(draw: Draw, dtype: Any = np.float64) -> model.EncoderLayer:
    heads = draw.size(1, 2)
    width = heads * draw.size(2, 3) if heads > 1 else draw.size(3, 6)
    attention, network = draw_attention(draw, heads, width, width, dtype), draw_network(draw, width, dtype)
    first = draw_norm(draw, width, dtype)
    return model.EncoderLayer(
        *(attention.w_q, attention.w_k, attention.w_v, attention.w_o),
        w1=network.w1,
        b1=network.b1,
        w2=network.w2,
        b2=network.b2,
        heads=heads,
        norm=draw.pick(*model.NormPlacement),
        norm_kind=first.kind,
        residual=draw.chance(),
        eps=first.eps,
        eps_inside_sqrt=first.eps_inside_sqrt,
        gain1=first.gain,
        bias1=first.bias,
        activation=network.activation,
        w3=network.w3,
        b3=network.b3,
        b_v=attention.b_v,
    )


def kinked(*networks: tuple[model.FeedForward, model.FeedForwardTrace]) -> bool:
    """Say whether a hidden unit of a ReLU is too near to its kink."""
    return any(
        held.activation is model.Activation.RELU and np.abs(trace.before).min(initial=1.0) < NEAR_THE_KINK
        for held, trace in networks
    )


@checks("activate", "Activation", "activation_slope", bound=256)
def activation(draw: Draw) -> Iterator[Pair]:
    """The slopes by differences are good to some 1e-14 themselves."""
    x = draw.numbers(*draw.batch(), 3, dtype=draw.dtype(), scale=draw.pick(0.1, 3.0))
    long = plain.long(x)
    for kind in model.Activation:
        one = lambda number, kind=kind: plain.activation(number, kind.value)  # noqa: E731
        # Beside 1: far below 0 the numbers that make them up are larger than they are.
        wanted = np.vectorize(one, otypes=[plain.Long])(long)
        yield plain.beside_one(model.activate(x, kind)), plain.beside_one(wanted)
        if kind is not model.Activation.RELU:
            slope = np.vectorize(lambda number, one=one: plain.slope(one, number), otypes=[plain.Long])(long)
            yield plain.beside_one(model.activation_slope(x, kind)), plain.beside_one(slope)
    yield model.activation_slope(x, model.Activation.RELU), (x > 0).astype(float)


@checks("layer_norm", "rms_norm", "Norm", "NormKind", bound=256)
def norm(draw: Draw) -> Iterator[Pair]:
    width, dtype = draw.size(2, 8), draw.dtype(np.float64, np.float32)
    held, x = (
        draw_norm(draw, width, dtype),
        draw.numbers(draw.size(), width, dtype=dtype, scale=draw.pick(0.1, 1.0, 30.0)),
    )
    options = (draw.pick(1e-6, 1e-5, 0.1), draw.chance())
    same = model.Norm(held.kind, gain=held.gain, bias=held.bias, eps=options[0], eps_inside_sqrt=options[1])
    wanted = plain_layers.norm(same, plain.long(x))
    yield same(x), wanted
    if held.kind is model.NormKind.LAYER:
        yield model.layer_norm(x, held.gain, held.bias, *options), wanted
    else:
        yield model.rms_norm(x, held.gain, *options), wanted
    if dtype is np.float64 and width > 3:  # rows that are far from one number repeated, where a norm is not smooth
        rows, by_output = draw.numbers(*x.shape), draw.numbers(*x.shape)
        yield compared(held.reverse(rows, by_output), lambda y: plain_layers.norm(held, y), rows, by_output, draw)


@checks("FeedForward", "FeedForwardTrace", "feed_forward", bound=512)
def feed_forward(draw: Draw) -> Iterator[Pair]:
    width, dtype = draw.size(), draw.dtype(np.float64, np.float32)
    held, x = draw_network(draw, width, dtype), draw.numbers(draw.size(), width, dtype=dtype)
    trace = held(x)
    yield trace.output, plain_layers.network(held, plain.long(x))
    yield trace.before, plain.linear(plain.long(x), plain.long(held.w1), plain_layers.long_or_none(held.b1))
    yield trace.zero_share, sum(one == 0 for one in trace.hidden.flat) / trace.hidden.size
    by_hand = model.feed_forward(x, held.w1, held.b1, held.w2, held.b2, held.activation, w3=held.w3, b3=held.b3)
    yield by_hand.output, trace.output
    if dtype is np.float64 and not kinked((held, trace)):
        by_output = draw.numbers(*x.shape)
        ours = held.reverse(trace, by_output)
        yield compared(ours, lambda rows: plain_layers.network(held, rows), x, by_output, draw)


@checks("attention_reverse", "AttentionDerivative", "AttentionCall", bound=512)
def attention_reverse(draw: Draw) -> Iterator[Pair]:
    heads = draw.size(1, 2)
    width, context_width = heads * draw.size(1, 2), draw.size(1, 4)
    held = draw_attention(draw, heads, width, context_width)
    x, context = draw.numbers(draw.size(1, 4), width), draw.numbers(draw.size(1, 4), context_width)
    mask = draw.mask(len(x), len(context))
    by_output = draw.numbers(*x.shape)
    found = model.attention_reverse(held, held(x, context, mask=mask), by_output)
    by_x = lambda rows: plain_layers.heads(held, rows, plain.long(context), mask)  # noqa: E731
    by_context = lambda rows: plain_layers.heads(held, plain.long(x), rows, mask)  # noqa: E731
    yield compared(found.x, by_x, x, by_output, draw)
    yield compared(found.context, by_context, context, by_output, draw)
    call = {"scale": draw.pick(None, 0.3), "temperature": draw.pick(1.0, 2.0)}
    found = model.attention_reverse(held, held(x, context, mask=mask, **call), by_output)
    scale = call["scale"] or 1 / math.sqrt(held.d_k)
    wider = scale / call["temperature"] * math.sqrt(held.d_k)  # as if W_q were longer
    longer = model.MultiHeadAttention(held.w_q * wider, held.w_k, held.w_v, held.w_o, heads, b_v=held.b_v)
    by_x = lambda rows: plain_layers.heads(longer, rows, plain.long(context), mask)  # noqa: E731
    yield compared(found.x, by_x, x, by_output, draw)


@checks("EncoderLayer", "EncoderTrace", "SublayerTrace", "Wiring", "NormPlacement", bound=20000)
def encoder(draw: Draw) -> Iterator[Pair]:
    """A norm of a few features may divide by little, and makes so much of a rounding error before it."""
    dtype = draw.dtype(np.float64, np.float32)
    layer, batch, n = draw_layer(draw, dtype), draw.pick((), (2,)), draw.size(1, 4)
    x, mask = draw.numbers(*batch, n, layer.d_model, dtype=dtype), draw.maybe(draw.mask(n, n))
    trace = layer(x, mask=mask)
    for at in product(*map(range, batch)):
        yield trace.output[at], plain_layers.encoder(layer, plain.long(x[at]), mask)
    yield trace.stages()["attention_sum"], _summed(trace.attention, layer.wiring)
    yield trace.stages()["feed_forward_sum"], _summed(trace.feed_forward, layer.second_wiring)
    if dtype is np.float64 and not batch and not kinked((layer.feed_forward, trace.feed_forward.inside)):
        by_output = draw.numbers(*x.shape)
        ours = layer.reverse(trace, by_output)
        yield compared(ours, lambda rows: plain_layers.encoder(layer, rows, mask), x, by_output, draw)


@checks("Dropout", "DropoutPlace", bound=20000)
def dropout(draw: Draw) -> Iterator[Pair]:
    """Which numbers are left out is taken from what is to be checked, and what that does to the layer is not."""
    layer, n = draw_layer(draw), draw.size(1, 4)
    left = model.Dropout(*(draw.pick(0.0, 0.1, 0.5) for _ in range(4)), seed=draw.size(0, 99), layer=draw.size(0, 3))
    x, mask = draw.numbers(n, layer.d_model), draw.maybe(draw.mask(n, n))
    stages = layer(x, mask=mask, dropout=left).stages()
    factors = {}
    for place in model.DropoutPlace:
        factors[place.value] = left.kept(place, stages[place].shape) / (1 - plain.long(left.rate(place)))
    yield stages["output"], plain_layers.encoder(layer, plain.long(x), mask, factors)


def _summed(trace: model.SublayerTrace[HasOutput], wiring: model.Wiring) -> Array:
    return trace.x + trace.inside.output if wiring.residual else trace.inside.output


@checks("EncoderStack", "StackTrace", bound=100000)
def stack(draw: Draw) -> Iterator[Pair]:
    setting = model.StackSetting(
        4, 2, 3, 2, initialiser=0.5, eps=0.1, activation=model.Activation.GELU, norm=draw.pick(*model.NormPlacement)
    )
    whole = model.random_stack(setting, np.random.RandomState(draw.size(0, 999)))
    x, last = draw.numbers(draw.size(1, 2), 4), draw.maybe(draw_norm(draw, 4))
    whole = model.EncoderStack(whole.layers, last)

    def wanted(rows: Array) -> Array:
        for layer in whole.layers:
            rows = plain_layers.encoder(layer, rows, None)
        return rows if last is None else plain_layers.norm(last, rows)

    trace, by_output = whole(x), draw.numbers(*x.shape)
    yield trace.output, wanted(plain.long(x))
    yield compared(whole.reverse(trace, by_output)[0], wanted, x, by_output, draw)


@checks("DecoderLayer", "DecoderTrace", "DecoderDerivative", bound=20000)
def decoder(draw: Draw) -> Iterator[Pair]:
    heads, context_width = draw.size(1, 2), draw.size(1, 4)
    width = heads * 2 if heads > 1 else 3
    layer = model.DecoderLayer(
        draw_attention(draw, heads, width, width),
        draw_attention(draw, heads, width, context_width),
        draw_network(draw, width),
        norm=draw.pick(*model.NormPlacement),
        norms=[draw_norm(draw, width) for _ in range(3)],
        residual=draw.chance(),
    )
    x, context = draw.numbers(draw.size(1, 3), width), draw.numbers(draw.size(1, 3), context_width)
    trace, by_output = layer(x, context), draw.numbers(len(x), width)
    yield trace.output, plain_layers.decoder(layer, plain.long(x), plain.long(context))
    if kinked((layer.feed_forward, trace.feed_forward.inside)):
        return
    found = layer.reverse(trace, by_output)
    yield compared(found.x, lambda rows: plain_layers.decoder(layer, rows, plain.long(context)), x, by_output, draw)
    by_context = lambda rows: plain_layers.decoder(layer, plain.long(x), rows)  # noqa: E731
    yield compared(found.context, by_context, context, by_output, draw)


@checks("Initialiser", "StackSetting", "initial_gain", "random_layer", "random_stack", bound=4)
def initialisers(draw: Draw) -> Iterator[Pair]:
    d_model, d_ff, seed = 2 * draw.size(1, 3), draw.size(), draw.size(0, 99)
    for rule in model.Initialiser:
        yield model.initial_gain(rule, d_model, d_ff), _gain(rule.value, d_model, d_ff)
        setting = model.StackSetting(d_model, 2, d_ff, 2, rule, activation=model.Activation.SILU_GATED)
        numbers = np.random.RandomState(seed)
        for layer in model.random_stack(setting, np.random.RandomState(seed)).layers:
            held, fed = layer.attention, layer.feed_forward
            for matrix in (held.w_q, held.w_k, held.w_v, held.w_o, fed.w1, fed.w2, fed.w3):
                drawn = np.array([[plain.Long(numbers.randn()) for _ in row] for row in matrix])
                yield matrix, drawn * _gain(rule.value, *matrix.shape)
        one = model.random_layer(setting, np.random.RandomState(seed))
        yield (
            one.attention.w_q,
            np.random.RandomState(seed).randn(d_model, d_model) * _gain(rule.value, d_model, d_model),
        )


def _gain(rule: str, d_in: int, d_out: int) -> float:
    rules = {"√(2/d_in)": 2 / d_in, "1/√d_in": 1 / d_in, "√(2/(d_in + d_out))": 2 / (d_in + d_out)}
    return math.sqrt(rules[rule]) if rule in rules else float(rule)


@checks("mean_token_cosine", bound=256)
def cosine(draw: Draw) -> Iterator[Pair]:
    x = draw.numbers(draw.size(2), draw.size(2), dtype=draw.dtype()) + draw.pick(1, 3)  # none of them all zeros
    rows = plain.long(x)
    rows = rows[[bool(row.any()) for row in rows]]
    lengths = [np.sqrt((row**2).sum()) for row in rows]
    pairs = [(i, j) for i in range(len(x)) for j in range(len(x)) if i != j]
    known = range(len(rows))
    total = sum((rows[i] * rows[j]).sum() / lengths[i] / lengths[j] for i in known for j in known if i != j)
    computed = np.float32 if x.dtype in (np.float16, np.float32) else np.float64
    yield np.array([model.mean_token_cosine(x), 1.0], computed), np.array([total / len(pairs), 1.0])


@checks("survey_depth", "DepthSurvey", bound=100000)
def depth(draw: Draw) -> Iterator[Pair]:
    if draw.case >= 3:
        return  # the whole Jacobian by differences takes a second
    setting = model.StackSetting(
        4, 2, 3, 2, initialiser=0.5, eps=0.1, activation=model.Activation.GELU, norm=draw.pick(*model.NormPlacement)
    )
    found = model.survey_depth(setting, tokens=2, draws=1, seed=draw.case)
    numbers = np.random.RandomState(draw.case)
    x = plain.long(numbers.randn(2, 4))
    layers = model.random_stack(setting, numbers).layers
    ratios, levels = [plain.Long(1)], [x]
    for depth in range(1, 3):
        levels.append(plain_layers.encoder(layers[depth - 1], levels[-1], None))
        by_output = numbers.randn(2, 4)

        def part(rows: Array, depth: int = depth) -> Array:
            for layer in layers[:depth]:
                rows = plain_layers.encoder(layer, rows, None)
            return rows

        slopes = [plain_layers.along(part, x, by_output, unit.reshape(2, 4)) for unit in np.eye(8)]
        ratios.append(np.sqrt(sum(s**2 for s in slopes)) / np.sqrt((plain.long(by_output) ** 2).sum()))
    yield found.gradient_ratios[0], np.array(ratios)
    norms = [[np.sqrt((row**2).sum()) for row in level] for level in levels]
    yield found.token_norms[0], np.array([sum(pair) / 2 for pair in norms])
    cosines = [(a * b).sum() / one / two for (a, b), (one, two) in zip(levels, norms, strict=True)]
    yield found.token_cosines[0], np.array(cosines)
    yield found.medians().token_norms, found.token_norms[0]


@checks("mean_of_heads", "max_of_heads", "rollout", "renormalised", bound=64)
def aggregates(draw: Draw) -> Iterator[Pair]:
    heads, n, dtype = draw.size(), draw.size(), draw.dtype(np.float64, np.float32)
    weights = draw.weights(heads, n, n, dtype=dtype)
    long = plain.long(weights)
    yield model.mean_of_heads(weights), sum(long) / heads
    yield model.max_of_heads(weights), [[max(long[:, i, j]) for j in range(n)] for i in range(n)]
    identity, rolled = draw.chance(), np.eye(n, dtype=plain.Long)
    for layer in long:
        mixed = [[(layer[i, j] + (i == j)) / 2 if identity else layer[i, j] for j in range(n)] for i in range(n)]
        rolled = np.array([[sum(mixed[i][m] * rolled[m, j] for m in range(n)) for j in range(n)] for i in range(n)])
    yield model.rollout(list(weights), identity=identity), rolled
    shown = draw.mask(n)
    kept = [[[w * one for w, one in zip(row, shown, strict=True)] for row in head] for head in long]
    yield model.renormalised(weights, shown), [[[w / (sum(row) or 1) for w in row] for row in head] for head in kept]
