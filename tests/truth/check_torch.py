"""The same with PyTorch, where it is installed; it is never needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from attention_explorer import model
from tests.truth.check_layers import draw_attention, draw_layer, draw_network, draw_norm, kinked
from tests.truth.draw import Array, Draw
from tests.truth.register import EXACT, TORCH, Pair, checks


def _torch() -> Any:
    return importlib.import_module("torch")


def _tensor(array: Array, *, slopes: bool = False) -> Any:
    found = _torch().from_numpy(np.array(array))
    return found.requires_grad_() if slopes else found


def _gradients(output: Any, by_output: Array, *inputs: Any) -> list[Array]:
    return [each.numpy() for each in _torch().autograd.grad(output, inputs, _tensor(by_output))]


@checks("softmax", bound=64, against=TORCH)
def softmax(draw: Draw) -> Iterator[Pair]:
    scores = draw.numbers(*draw.batch(), draw.size(), dtype=draw.dtype(np.float64, np.float32), scale=5.0)
    yield model.softmax(scores), _torch().softmax(_tensor(scores), -1).numpy()


@checks("softmax_jacobian", "softmax_reverse", bound=128, against=TORCH)
def jacobian(draw: Draw) -> Iterator[Pair]:
    scores = draw.numbers(draw.size(2), scale=3.0)
    by_score = _torch().autograd.functional.jacobian(lambda s: _torch().softmax(s, -1), _tensor(scores))
    yield np.append(model.softmax_jacobian(scores), 1.0), np.append(by_score.numpy(), 1.0)  # beside 1, as below
    given, by_weights = _tensor(scores, slopes=True), draw.numbers(len(scores))
    (wanted,) = _gradients(_torch().softmax(given, -1), by_weights, given)
    yield np.append(model.softmax_reverse(model.softmax(scores), by_weights), 1.0), np.append(wanted, 1.0)


@checks("scaled_dot_product_attention", bound=64, against=TORCH)
def attention(draw: Draw) -> Iterator[Pair]:
    batch, n_q, n_k, d, d_v = draw.batch(), draw.size(), draw.size(), draw.size(), draw.size()
    dtype = draw.dtype(np.float64, np.float32)
    q, k, v = (draw.numbers(*batch, *shape, dtype=dtype) for shape in ((n_q, d), (n_k, d), (n_k, d_v)))
    mask = draw.mask(n_q, n_k)
    mask[:, 0] = True  # a row that sees nothing is a matter of convention
    wanted = _torch().nn.functional.scaled_dot_product_attention(*map(_tensor, (q, k, v)), attn_mask=_tensor(mask))
    yield model.scaled_dot_product_attention(q, k, v, mask=mask).output, wanted.numpy()


@checks("lookup", "lookup_gradient", bound=256, against=TORCH)
def lookup(draw: Draw) -> Iterator[Pair]:
    n, d = draw.size(2), draw.size()
    query, keys, values = draw.numbers(d), draw.numbers(n, d), draw.numbers(n, 3)
    found = lambda q: _torch().softmax(_tensor(keys) @ q, -1) @ _tensor(values)  # noqa: E731
    yield model.lookup(query, keys, values).output, found(_tensor(query)).numpy()
    slopes = _torch().autograd.functional.jacobian(found, _tensor(query)).numpy()
    # Beside 1: of a slope next to 0 PyTorch keeps no digits.
    yield np.append(model.lookup_gradient(query, keys, values).output, 1.0), np.append(slopes, 1.0)


@checks("activate", "activation_slope", bound=64, against=TORCH)
def activation(draw: Draw) -> Iterator[Pair]:
    functional, x = _torch().nn.functional, draw.numbers(3, 4, scale=3.0)
    for kind, function in _activations(functional).items():
        given = _tensor(x, slopes=True)
        output = function(given)
        yield model.activate(x, kind), output.detach().numpy()
        yield model.activation_slope(x, kind), _gradients(output, np.ones_like(x), given)[0]


def _activations(functional: Any) -> dict[model.Activation, Callable[[Any], Any]]:
    return {
        model.Activation.RELU: functional.relu,
        model.Activation.GELU: functional.gelu,
        model.Activation.GELU_TANH: lambda x: functional.gelu(x, approximate="tanh"),
        model.Activation.SILU_GATED: functional.silu,
    }


@checks("normal_cdf", bound=64, against=TORCH)
def normal(draw: Draw) -> Iterator[Pair]:
    x = draw.numbers(5, scale=2.0)
    yield model.normal_cdf(x), _torch().special.ndtr(_tensor(x)).numpy()


@checks("layer_norm", "rms_norm", "Norm", bound=256, against=TORCH)
def norm(draw: Draw) -> Iterator[Pair]:
    width = draw.size(3, 8)
    drawn, x, by_output = draw_norm(draw, width), draw.numbers(3, width), draw.numbers(3, width)
    held = model.Norm(drawn.kind, gain=drawn.gain, bias=drawn.bias, eps=drawn.eps)  # PyTorch's eps is inside the root
    given = _tensor(x, slopes=True)
    output = _norm(held, given)
    yield held(x), output.detach().numpy()
    yield held.reverse(x, by_output), _gradients(output, by_output, given)[0]


def _norm(held: model.Norm, x: Any) -> Any:
    gain, bias = (None if array is None else _tensor(array) for array in (held.gain, held.bias))
    functional, width = _torch().nn.functional, (x.shape[-1],)
    if held.kind is model.NormKind.RMS:
        return functional.rms_norm(x, width, gain, held.eps)
    return functional.layer_norm(x, width, gain, bias, held.eps)


@checks("split_heads", "merge_heads", bound=EXACT, against=TORCH)
def heads(draw: Draw) -> Iterator[Pair]:
    x, count = draw.numbers(2, 3, 6), draw.pick(1, 2, 3, 6)
    yield model.split_heads(x, count), _tensor(x).unflatten(-1, (count, -1)).transpose(-2, -3).numpy()
    yield model.merge_heads(model.split_heads(x, count)), x


@checks("MultiHeadAttention", "attention_reverse", bound=512, against=TORCH)
def multi_head(draw: Draw) -> Iterator[Pair]:
    count, context_width = draw.size(1, 3), draw.size()
    width = count * draw.size(1, 3)
    held = draw_attention(draw, count, width, context_width)
    x, context, by_output = draw.numbers(4, width), draw.numbers(3, context_width), draw.numbers(4, width)
    theirs = _torch().nn.MultiheadAttention(width, count, kdim=context_width, vdim=context_width, batch_first=True)
    theirs = theirs.double().eval()
    same = context_width == width
    zeros = np.zeros(width)
    arrays = {
        "in_proj_bias": np.concatenate([zeros, zeros, zeros if held.b_v is None else held.b_v]),
        "out_proj.weight": held.w_o.T,
        "out_proj.bias": zeros,
        **({"in_proj_weight": np.concatenate([held.w_q, held.w_k, held.w_v], axis=1).T} if same else {}),
        **({} if same else {f"{name}_proj_weight": getattr(held, f"w_{name}").T for name in "qkv"}),
    }
    theirs.load_state_dict({name: _tensor(array) for name, array in arrays.items()})
    given = _tensor(x, slopes=True), _tensor(context, slopes=True)
    output, weights = theirs(given[0], given[1], given[1], average_attn_weights=False)
    trace = held(x, context)
    yield trace.output, output.detach().numpy()
    yield trace.weights, weights.detach().numpy()
    found = model.attention_reverse(held, trace, by_output)
    by_x, by_context = _gradients(output, by_output, *given)
    yield found.x, by_x
    yield found.context, by_context


@checks("FeedForward", bound=512, against=TORCH)
def feed_forward(draw: Draw) -> Iterator[Pair]:
    width = draw.size()
    held, x, by_output = draw_network(draw, width), draw.numbers(3, width), draw.numbers(3, width)
    given = _tensor(x, slopes=True)
    output = _network(held, given)
    trace = held(x)
    yield trace.output, output.detach().numpy()
    if not kinked((held, trace)):
        yield held.reverse(trace, by_output), _gradients(output, by_output, given)[0]


def _network(held: model.FeedForward, x: Any) -> Any:
    def linear(x: Any, weight: Array, bias: Array | None) -> Any:
        return x @ _tensor(weight) + (0.0 if bias is None else _tensor(bias))

    hidden = _activations(_torch().nn.functional)[held.activation](linear(x, held.w1, held.b1))
    if held.w3 is not None:
        hidden = hidden * linear(x, held.w3, held.b3)
    return linear(hidden, held.w2, held.b2)


def _layers(draw: Draw, rate: float = 0.0) -> tuple[model.EncoderLayer, Any]:
    """Return a layer, and `torch.nn.TransformerEncoderLayer` with its numbers.

    That knows ReLU and GELU, layer norms, and the norm before or behind.
    """
    drawn = draw_layer(draw)
    placement = draw.pick(model.NormPlacement.POST, model.NormPlacement.PRE)
    activation = draw.pick(model.Activation.RELU, model.Activation.GELU)
    held, fed = drawn.attention, drawn.feed_forward
    b1, b2 = np.zeros(fed.w1.shape[1]), np.zeros(fed.w2.shape[1])
    ours = model.EncoderLayer(
        *(held.w_q, held.w_k, held.w_v, held.w_o),
        **{"w1": fed.w1, "b1": b1, "w2": fed.w2, "b2": b2, "heads": held.heads},
        norm=placement,
        activation=activation,
    )
    theirs = _torch().nn.TransformerEncoderLayer(
        ours.d_model,
        held.heads,
        fed.w1.shape[1],
        dropout=rate,
        activation=activation.value,
        batch_first=True,
        norm_first=placement is model.NormPlacement.PRE,
    )
    given = {
        "self_attn.in_proj_weight": np.concatenate([held.w_q, held.w_k, held.w_v], axis=1).T,
        "self_attn.in_proj_bias": np.zeros(3 * ours.d_model),
        "self_attn.out_proj.weight": held.w_o.T,
        "self_attn.out_proj.bias": np.zeros(ours.d_model),
        "linear1.weight": fed.w1.T,
        "linear1.bias": b1,
        "linear2.weight": fed.w2.T,
        "linear2.bias": b2,
    }
    theirs = theirs.double()
    theirs.load_state_dict({**theirs.state_dict(), **{name: _tensor(array) for name, array in given.items()}})
    return ours, theirs


@checks("EncoderLayer", bound=20000, against=TORCH)
def encoder(draw: Draw) -> Iterator[Pair]:
    """`torch.nn.TransformerEncoderLayer`."""
    ours, theirs = _layers(draw)
    x, mask = draw.numbers(2, draw.size(1, 5), ours.d_model), None
    if draw.chance():
        mask = model.causal_mask(x.shape[1])
    tokens = _tensor(x, slopes=True)
    output = theirs(tokens, src_mask=None if mask is None else ~_tensor(mask))  # True means hidden there
    trace, by_output = ours(x, mask=mask), draw.numbers(*x.shape)
    yield trace.output, output.detach().numpy()
    if kinked((ours.feed_forward, trace.feed_forward.inside)):
        return
    yield ours.reverse(trace, by_output), _gradients(output, by_output, tokens)[0]


class _Drawn(model.Dropout):
    """Leaves out what PyTorch left out."""

    found: ClassVar[dict[str, Array]] = {}

    def kept(self, place: model.DropoutPlace, shape: tuple[int, ...]) -> Array:
        return self.found[place].reshape(shape)


@checks("Dropout", bound=20000, against=TORCH)
def dropout(draw: Draw) -> Iterator[Pair]:
    """`torch.nn.TransformerEncoderLayer` in its train(): it draws, and both leave the same numbers out."""
    rate = draw.pick(0.1, 0.5)
    ours, theirs = _layers(draw, rate)
    x, torch = draw.numbers(2, draw.size(1, 5), ours.d_model), _torch()
    drop, attend, kept = torch.nn.functional.dropout, theirs.self_attn.forward, list[Array]()

    def recorded(array: Any, p: float, training: bool = True, inplace: bool = False) -> Any:
        kept.append(drop(torch.ones_like(array), p, training, inplace).numpy() > 0)
        return array * _tensor(kept[-1]) * (drop(torch.ones(64, dtype=array.dtype), p, training).max())

    torch.manual_seed(draw.size(0, 999))
    # Otherwise it would draw inside of a fused product.
    theirs.self_attn.forward = lambda *given, **named: attend(*given, **{**named, "need_weights": True})
    torch.nn.functional.dropout = recorded
    try:
        wanted = theirs.train()(_tensor(x)).detach().numpy()
    finally:
        torch.nn.functional.dropout = drop
    _Drawn.found = dict(zip(map(str, model.DropoutPlace), kept, strict=True))
    yield ours(x, dropout=_Drawn.everywhere(rate)).output, wanted


@checks("causal_mask", bound=EXACT, against=TORCH)
def causal(draw: Draw) -> Iterator[Pair]:
    n_q, n_k = draw.size(), draw.size()
    yield model.causal_mask(n_q, n_k), _torch().ones(n_q, n_k).tril(n_k - n_q).bool().numpy()
