"""The gradient of a loss by every learned number of a layer and of its parts: what a trace is pulled back to.

The forward pass returns a trace, and `gradient_of` takes it: no graph is recorded, and every line is one of the chain
rule through Vaswani et al. 2017. Parameters have the names by which the constructors of the parts take them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.attention_layer import AttentionLayer
from attention_explorer.model.attention_reverse import inputs_reverse, projections_reverse
from attention_explorer.model.decoder_layer import DecoderLayer, DecoderTrace
from attention_explorer.model.derivatives import within_range
from attention_explorer.model.encoder_layer import EncoderLayer, EncoderTrace
from attention_explorer.model.feed_forward import FeedForward, FeedForwardTrace
from attention_explorer.model.layer_stack import EncoderStack, StackTrace
from attention_explorer.model.linear import flat_product
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.norm import Norm
from attention_explorer.model.sublayer import Inside, NormPlacement, SublayerTrace, Wiring

Gradients: TypeAlias = dict[str, Floats]
"""∂L by each parameter, under its name and of its shape."""

Part: TypeAlias = MultiHeadAttention | FeedForward | Norm | EncoderLayer | DecoderLayer | EncoderStack

_OF_ATTENTION = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
_OF_NETWORK = ("w1", "b1", "w2", "b2", "w3", "b3")
_OF_NORM = ("gain", "bias")


class AttentionGradient(NamedTuple):
    """The gradient of multi-head attention.

    Attributes
    ----------
    x : ndarray, (..., n_q, d_model)
        By the sequence of the queries; in self-attention by all that was made of it.
    context : ndarray, (..., n_k, d_context), or None
        By the sequence of keys and values; None in self-attention.
    parameters : dict of str to ndarray
        w_q, w_k, w_v, w_o and the biases there are.
    """

    x: Floats
    context: Floats | None
    parameters: Gradients


class Gradient(NamedTuple):
    """The gradient of a part that takes one sequence.

    Attributes
    ----------
    x : ndarray, (..., n, d_model)
        By what came in.
    parameters : dict of str to ndarray
        By each parameter, under the names of `parameters_of`.
    """

    x: Floats
    parameters: Gradients


class DecoderGradient(NamedTuple):
    """The gradient of a decoder layer.

    Attributes
    ----------
    x : ndarray, (..., n, d_model)
        By the sequence.
    context : ndarray, (..., n_k, d_context)
        By the context.
    parameters : dict of str to ndarray
        By each parameter.
    """

    x: Floats
    context: Floats
    parameters: Gradients


def parameters_of(part: Part) -> dict[str, Floats]:
    """Name every learned array of a part.

    Parameters
    ----------
    part : MultiHeadAttention, FeedForward, Norm, EncoderLayer, DecoderLayer or EncoderStack
        Any.

    Returns
    -------
    dict of str to ndarray
        Read-only views of what the part computes with; arrays without entries are left out. An encoder layer's names
        are those of its constructor (w_q … b_o, w1 … b3, gain1, bias1, gain2, bias2); a decoder layer's attention is
        self.w_q … and cross.w_q …; a stack's layers are 0.w_q …, 1.w_q …, and its last norm last.gain, last.bias.
    """
    match part:
        case MultiHeadAttention():
            return _held(part, _OF_ATTENTION)
        case FeedForward():
            return _held(part, _OF_NETWORK)
        case Norm():
            return _held(part, _OF_NORM)
        case EncoderLayer():
            inner = parameters_of(part.attention) | parameters_of(part.feed_forward)
            return inner | _numbered(part.norms)
        case DecoderLayer():
            looks = _under("self.", parameters_of(part.self_attention))
            looks |= _under("cross.", parameters_of(part.cross_attention))
            return looks | parameters_of(part.feed_forward) | _numbered(part.norms)
        case EncoderStack():
            found: dict[str, Floats] = {}
            for place, layer in enumerate(part.layers):
                found |= _under(f"{place}.", parameters_of(layer))
            return found | ({} if part.last_norm is None else _under("last.", parameters_of(part.last_norm)))


def attention_gradient(attention: MultiHeadAttention, trace: MultiHeadTrace, d_output: Floats) -> AttentionGradient:
    """Differentiate multi-head attention by its input and by its projections.

    Parameters
    ----------
    attention : MultiHeadAttention
        What made the trace.
    trace : MultiHeadTrace
        Every intermediate.
    d_output : ndarray, (..., n_q, d_out)
        ∂L/∂output of any number L.

    Returns
    -------
    AttentionGradient
        Through the arg max of a hard lookup nothing goes: w_q and w_k get zeros.

    Raises
    ------
    ArrayError
        As `attention_reverse`.

    Notes
    -----
    With Q = X W_Q the chain rule gives ∂L/∂W_Q = Xᵀ ∂L/∂Q, and so for K, V and W_O (Vaswani et al. 2017, section
    3.2.2); a bias, added to every row, gets the sum over the rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        found = projections_reverse(attention, trace, d_output)
        by_x, by_context = inputs_reverse(attention, trace, found)
        parameters = {
            **_linear_gradient(attention, "w_q", "b_q", trace.x, found.q),
            **_linear_gradient(attention, "w_k", "b_k", trace.context, found.k),
            **_linear_gradient(attention, "w_v", "b_v", trace.context, found.v),
            **_linear_gradient(attention, "w_o", "b_o", trace.concat, d_output),
        }
        if trace.context is trace.x:
            return AttentionGradient(within_range(by_x + by_context), None, _in_range(parameters))
    return AttentionGradient(within_range(by_x), within_range(by_context), _in_range(parameters))


def feed_forward_gradient(network: FeedForward, trace: FeedForwardTrace, d_output: Floats) -> Gradient:
    """Differentiate a feed-forward network by its input and by its matrices.

    Parameters
    ----------
    network : FeedForward
        What made the trace.
    trace : FeedForwardTrace
        Every intermediate.
    d_output : ndarray, (..., d_out)
        ∂L/∂output of any number L.

    Returns
    -------
    Gradient
        The slope of ReLU at 0 counts as 0.

    Raises
    ------
    ArrayError
        As `FeedForward.reverse`.

    Notes
    -----
    The chain rule through Vaswani et al. 2017, eq. 2: ∂L/∂W₂ = hiddenᵀ ∂L/∂output, ∂L/∂W₁ = xᵀ ∂L/∂before.
    """
    by_before, by_linear = network.reverse_hidden(trace, d_output)
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        by_x = flat_product(by_before, network.w1.T)
        parameters = _linear_gradient(network, "w1", "b1", trace.x, by_before)
        parameters |= _linear_gradient(network, "w2", "b2", trace.hidden, d_output)
        if network.w3 is not None and by_linear is not None:
            by_x = by_x + flat_product(by_linear, network.w3.T)
            parameters |= _linear_gradient(network, "w3", "b3", trace.x, by_linear)
    return Gradient(within_range(by_x), _in_range(parameters))


def norm_gradient(norm: Norm, x: Floats, d_output: Floats) -> Gradients:
    """Differentiate a norm by its gain and bias; `Norm.reverse` does so by its input.

    Parameters
    ----------
    norm : Norm
        Any.
    x : ndarray, (..., d_model)
        What was normalised.
    d_output : ndarray, (..., d_model)
        ∂L/∂output of any number L.

    Returns
    -------
    dict of str to ndarray
        gain and bias, those of them that the norm has.

    Raises
    ------
    ArrayError
        If an entry is not finite or a gradient leaves the float range.

    Notes
    -----
    With output = gain ⊙ y + bias (Ba, Kiros & Hinton 2016, eq. 4): ∂L/∂gain = Σ y ⊙ ∂L/∂output over the rows.
    """
    found: Gradients = {}
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        if norm.gain is not None:
            plain = Norm(norm.kind, eps=norm.eps, eps_inside_sqrt=norm.eps_inside_sqrt)
            found["gain"] = _row_sum(plain(x) * d_output)
        if norm.bias is not None:
            found["bias"] = _row_sum(d_output)
    return _in_range(found)


def encoder_gradient(layer: EncoderLayer, trace: EncoderTrace, d_output: Floats) -> Gradient:
    """Differentiate an encoder layer by its input and by all its parameters.

    Parameters
    ----------
    layer : EncoderLayer
        What made the trace.
    trace : EncoderTrace
        Every intermediate.
    d_output : ndarray, (..., n, d_model)
        ∂L/∂output of any number L.

    Returns
    -------
    Gradient
        ``x`` is what `EncoderLayer.reverse` returns.

    Raises
    ------
    ArrayError
        As `EncoderLayer.reverse`.
    """
    network, attention = layer.feed_forward, layer.attention

    def through_network(inside: FeedForwardTrace, d_inside: Floats) -> Gradient:
        return feed_forward_gradient(network, inside, d_inside)

    def through_heads(inside: MultiHeadTrace, d_inside: Floats) -> AttentionGradient:
        return attention_gradient(attention, inside, d_inside)

    by_middle, second = d_output, Gradients()
    if not isinstance(layer, AttentionLayer):
        by_middle, second = _sublayer(
            layer.second_wiring, trace.feed_forward, layer.norms[1], 2, d_output, through_network
        )
    by_x, first = _sublayer(layer.wiring, trace.attention, layer.norms[0], 1, by_middle, through_heads)
    return Gradient(by_x, first | second)


def decoder_gradient(layer: DecoderLayer, trace: DecoderTrace, d_output: Floats) -> DecoderGradient:
    """Differentiate a decoder layer by sequence, context and all its parameters.

    Parameters
    ----------
    layer : DecoderLayer
        What made the trace.
    trace : DecoderTrace
        Every intermediate, of a call for all tokens at once.
    d_output : ndarray, (..., n, d_model)
        ∂L/∂output of any number L.

    Returns
    -------
    DecoderGradient
        ``x`` and ``context`` are those of `DecoderLayer.reverse`.

    Raises
    ------
    ArrayError
        As `DecoderLayer.reverse`.
    """
    by_context: list[Floats] = []

    def through_network(inside: FeedForwardTrace, d_inside: Floats) -> Gradient:
        return feed_forward_gradient(layer.feed_forward, inside, d_inside)

    def through_cross(inside: MultiHeadTrace, d_inside: Floats) -> Gradient:
        found = attention_gradient(layer.cross_attention, inside, d_inside)
        by_context.append(found.x if found.context is None else found.context)
        return Gradient(found.x, _under("cross.", found.parameters))

    def through_self(inside: MultiHeadTrace, d_inside: Floats) -> Gradient:
        found = attention_gradient(layer.self_attention, inside, d_inside)
        return Gradient(found.x, _under("self.", found.parameters))

    wiring, norms = layer.wiring, layer.norms
    derivative, third = _sublayer(wiring, trace.feed_forward, norms[2], 3, d_output, through_network)
    derivative, second = _sublayer(wiring, trace.cross_attention, norms[1], 2, derivative, through_cross)
    by_x, first = _sublayer(wiring, trace.self_attention, norms[0], 1, derivative, through_self)
    return DecoderGradient(by_x, by_context[0], first | second | third)


def stack_gradient(stack: EncoderStack, trace: StackTrace, d_output: Floats) -> Gradient:
    """Differentiate a stack by its input and by the parameters of all its layers.

    Parameters
    ----------
    stack : EncoderStack
        What made the trace.
    trace : StackTrace
        Every intermediate.
    d_output : ndarray, (..., n, d_model)
        ∂L/∂output of any number L.

    Returns
    -------
    Gradient

    Raises
    ------
    ArrayError
        As `EncoderStack.reverse`.
    """
    parameters: Gradients = {}
    derivative = d_output
    if stack.last_norm is not None:
        parameters = _under("last.", norm_gradient(stack.last_norm, trace.levels[-1], derivative))
        derivative = stack.last_norm.reverse(trace.levels[-1], derivative)
    for place in reversed(range(len(stack.layers))):
        found = encoder_gradient(stack.layers[place], trace.layers[place], derivative)
        derivative = found.x
        parameters |= _under(f"{place}.", found.parameters)
    return Gradient(derivative, parameters)


def _sublayer(
    wiring: Wiring,
    trace: SublayerTrace[Inside],
    norm: Norm,
    number: int,
    d_output: Floats,
    through: Callable[[Inside, Floats], Gradient | AttentionGradient],
) -> tuple[Floats, Gradients]:
    """Differentiate a sublayer by its input, and by what is inside it and its norm, the norm's under a number."""
    parameters: Gradients = {}

    def inside(d_inside: Floats) -> Floats:
        found = through(trace.inside, d_inside)
        parameters.update(found.parameters)
        if wiring.placement is NormPlacement.PRE:
            parameters.update(_with_number(norm_gradient(norm, trace.x, found.x), number))
        return found.x

    by_x = wiring.reverse(trace, norm, d_output, inside)
    if wiring.placement is NormPlacement.POST:
        parameters.update(_with_number(norm_gradient(norm, trace.summed, d_output), number))
    elif wiring.placement is NormPlacement.NONE:  # what is there and not used has a gradient too
        parameters.update(_with_number({name: np.zeros_like(a) for name, a in parameters_of(norm).items()}, number))
    return by_x, parameters


def linear_gradient(x: Floats, d_output: Floats) -> Floats:
    """Differentiate x @ W by W, over all rows of all sequences.

    Parameters
    ----------
    x : ndarray, (..., n, d_in)
        What the matrix took; its leading axes broadcast with those of `d_output`.
    d_output : ndarray, (..., n, d_out)
        ∂L/∂(x @ W).

    Returns
    -------
    ndarray, (d_in, d_out)
        xᵀ @ d_output.
    """
    if x.shape[:-1] != d_output.shape[:-1]:
        x = np.broadcast_to(x, (*d_output.shape[:-1], x.shape[-1]))
        x = np.ascontiguousarray(x)
    return np.asarray(x.reshape(-1, x.shape[-1]).T @ d_output.reshape(-1, d_output.shape[-1]))


def _linear_gradient(part: Part, weight: str, bias: str, x: Floats, d_output: Floats) -> Gradients:
    """Name the gradients of a matrix, if it has entries, and of its bias, if there is one."""
    found = {weight: linear_gradient(x, d_output)} if getattr(part, weight).size else {}
    return found if getattr(part, bias) is None else {**found, bias: _row_sum(d_output)}


def _row_sum(rows: Floats) -> Floats:
    flat = rows.reshape(-1, rows.shape[-1])
    return np.asarray(np.ones(len(flat), rows.dtype) @ flat)  # as a product it takes a third of the time of a sum


def _in_range(gradients: Gradients) -> Gradients:
    for gradient in gradients.values():
        within_range(gradient)
    return gradients


def _held(part: Part, names: tuple[str, ...]) -> dict[str, Floats]:
    held = {name: getattr(part, name) for name in names}
    return {name: array for name, array in held.items() if array is not None and array.size}


def _under(prefix: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    return {prefix + name: array for name, array in arrays.items()}


def _with_number(arrays: Mapping[str, Floats], number: int) -> dict[str, Floats]:
    return {f"{name}{number}": array for name, array in arrays.items()}


def _numbered(norms: tuple[Norm, ...]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for number, norm in enumerate(norms, start=1):
        found |= _with_number(parameters_of(norm), number)
    return found
