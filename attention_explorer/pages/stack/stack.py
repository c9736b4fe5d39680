"""What goes through the Layer page: the tokens, their vectors and a stack of layers, drawn from the seed or learned.

All random numbers come from one `numpy.random.RandomState(seed)`, whose stream is frozen for ever (NEP 19), in the
order of the tutorials: the vectors of all tokens, times the embedding scale; then, layer after layer, W_q, W_k, W_v,
W_O, W₁ and W₂ (and W₃ of a gated network). A switch never moves a number that is drawn before it. Biases and gains
have a stream of their own, of the seed and 1: layer after layer b_q, b_k, b_v, b_O, b₁ and b₂, then gain and bias of
each norm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, Contrast, FloatArray, MapPicture, ScaleKind, weight_scale
from attention_explorer.core.mask import MaskChoice
from attention_explorer.errors import ExplorerError
from attention_explorer.model import (
    Activation,
    EncoderLayer,
    EncoderStack,
    NormKind,
    StackSetting,
    StackTrace,
    random_layer,
    sinusoidal_encoding,
)
from attention_explorer.model import Initialiser as Rule
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.attention_layer import AttentionLayer
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.linear import read_only
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.pages.stack.learned import learned_layers, reason_against_state, steps_to_learn
from attention_explorer.pages.stack.state import MOST_LAYERS, MOST_TOKENS, BlockState
from attention_explorer.pages.stack.typed import TYPED, checked
from attention_explorer.sources.tokens import tokens_in

MOST_NUMBERS = 2**25
"""Entries of all matrices and of all arrays of a pass together: a quarter of a gibibyte as float64."""
QUICK_NUMBERS = 150_000
"""With no more than these, drawing and computing take less than about 20 ms."""


@dataclass(frozen=True, eq=False)
class BlockStack:
    """What is computed with. The arrays are read-only and shared between calls.

    Attributes
    ----------
    tokens : tuple of str
        Of the sentence; sequences after the first of a batch have random vectors without words.
    embeddings : ndarray, (batch, n, d_model)
        The vectors before the positions are added.
    x : ndarray, (batch, n, d_model)
        What goes into the first layer.
    stack : EncoderStack
        The layers; without the feed-forward network each is an `AttentionLayer`.
    mask : ndarray of bool, (n, n), or None
        True where a query may attend; None if it may everywhere.
    """

    tokens: tuple[str, ...]
    embeddings: Floats
    x: Floats
    stack: EncoderStack
    mask: Bools | None


def block_stack(state: BlockState) -> BlockStack:
    """Draw what a state asks for; the same object as long as nothing but the view changes.

    Parameters
    ----------
    state : BlockState
        Any.

    Returns
    -------
    BlockStack

    Raises
    ------
    ExplorerError
        If the heads do not divide d_model, the sentence is empty or too long, the whole is too large, or the sizes
        are not those of the learned layers that the state names.
    """
    check_sizes(state)
    return _drawn(_whole(_key(state)))


def block_trace(state: BlockState) -> StackTrace:
    """Send the tokens of a state through all its layers.

    Parameters
    ----------
    state : BlockState
        Any.

    Returns
    -------
    StackTrace
        Shared between calls; write into none of its arrays.

    Raises
    ------
    ExplorerError
        As for `block_stack`, or if a number leaves the float range.
    """
    check_sizes(state)
    return _passed(_key(state))


def stack_setting(state: BlockState) -> StackSetting:
    """Return sizes and options of the stack for the model layer; the feed-forward switch is not among them."""
    number = state.initialiser is Initialiser.NUMBER
    return StackSetting(
        d_model=state.d_model,
        heads=state.heads,
        d_ff=state.d_ff,
        layers=state.layers,
        initialiser=state.gain if number else Rule(state.initialiser.value),
        norm=state.norm,
        norm_kind=state.norm_kind,
        residual=state.residual,
        activation=state.activation,
        eps=state.eps,
        eps_inside_sqrt=state.eps_inside_sqrt,
    )


def check_sizes(state: BlockState) -> None:
    """Refuse, in words, sizes that do not go together.

    Parameters
    ----------
    state : BlockState
        Any.

    Raises
    ------
    ExplorerError
        If the heads do not divide d_model, the sentence is empty or too long, the whole is too large, or the sizes
        are not those of the learned layers that the state names.
    """
    reason = reason_against_state(state)
    if reason:
        raise ExplorerError(reason)
    if state.d_model % state.heads:
        fitting = _nearest_divisors(state.d_model, state.heads)
        raise ExplorerError(
            f"{state.heads} heads cannot share {state.d_model} features equally: {state.d_model} ÷ {state.heads} = "
            f"{state.d_model / state.heads:.2f} is not a whole number. d_model = {state.d_model} can be shared by "
            f"{' or '.join(map(str, fitting))} heads."
        )
    count = len(tokens_in(state.sentence))
    if not 1 <= count <= MOST_TOKENS:
        raise ExplorerError(
            f"The sentence has {count} tokens: write at least one."
            if count == 0
            else f"The sentence has {count} tokens, and there is room for {MOST_TOKENS}: make it shorter."
        )
    typed_arrays(state)
    numbers = count_numbers(state)
    if numbers > MOST_NUMBERS:
        raise ExplorerError(
            f"This stack and what passes through it would hold {numbers / 1e6:.0f} million numbers, and at most "
            f"{MOST_NUMBERS / 1e6:.0f} million fit: choose fewer layers, a smaller d_model or d_ff, or fewer tokens."
        )


def typed_arrays(state: BlockState) -> dict[str, Floats]:
    """Return what is typed, as arrays: X (n, d_model), and matrices (d_model, d_model), by the names of the fields.

    Raises
    ------
    ExplorerError
        One has another shape.
    """
    count, width = len(tokens_in(state.sentence)), state.d_model
    shapes = {"typed_x": (count, width)}
    return {name: checked(name, rows, shapes.get(name, (width, width))) for name, rows in state.typed.items()}


def count_numbers(state: BlockState) -> int:
    """Count the entries of all matrices and of all arrays that come up in a pass."""
    count = len(tokens_in(state.sentence))
    gated = state.activation is Activation.SILU_GATED
    matrices = 4 * state.d_model**2 + (3 if gated else 2) * state.d_model * state.d_ff
    rows = state.batch * count
    arrays = rows * (12 * state.d_model + 3 * state.d_ff) + 4 * state.batch * state.heads * count**2
    return state.layers * (matrices + arrays)


def most_layers(state: BlockState, wanted: int) -> int:
    """Return as many layers as are wanted, or as many as there is room for with the sizes of a state; at least 1."""
    fitting = MOST_NUMBERS // count_numbers(replace(state, layers=1))
    return max(min(wanted, MOST_LAYERS, fitting), 1)


def is_quick(state: BlockState) -> bool:
    """Whether drawing and one pass take less than about 20 ms."""
    return count_numbers(state) <= QUICK_NUMBERS and not steps_to_learn(state)


def _nearest_divisors(width: int, heads: int) -> list[int]:
    divisors = [number for number in range(1, width + 1) if width % number == 0]
    below = max((number for number in divisors if number < heads), default=1)
    above = min((number for number in divisors if number > heads), default=below)
    return sorted({below, above})


def without_view(state: BlockState) -> BlockState:
    """Return the state with a view like any other, so that looking elsewhere draws nothing anew.

    What is typed, and dropout, stay where the picture takes them.
    """
    plain = BlockState()
    typed: dict[str, Any] = {name: state.typed.get(name, ()) for name in TYPED}
    view = ("picture", "layer", "box", "head", "token", "factor", "changed_token", "decoded", "norm_scale", "preset")
    state = state if state.drops is not None else _whole(state)
    return replace(state, **{name: getattr(plain, name) for name in view}, **typed)


def _key(state: BlockState) -> BlockState:
    """Return what decides the numbers."""
    of_layer = state.mask if state.picture is BlockPicture.LAYER else MaskChoice()
    return replace(without_view(state), biases=state.has_biases, gains=state.has_gains, mask=of_layer)


def _whole(state: BlockState) -> BlockState:
    """Return the state without dropout, of which the weights know nothing."""
    return replace(state, dropout=False, dropout_rate=0.0, dropout_seed=0)


@kept
def _drawn(state: BlockState) -> BlockStack:
    tokens = tokens_in(state.sentence)
    mask = state.allowed
    if state.learned is not None:
        vectors, read, stack = learned_layers(state.learned, state.sentence)
        return BlockStack(tokens, read_only(vectors), read_only(read), stack, mask)
    numbers = np.random.RandomState(state.seed)
    embeddings = numbers.randn(state.batch, len(tokens), state.d_model) * state.embedding_scale
    typed = typed_arrays(state)
    embeddings[0] = typed.get("typed_x", embeddings[0])
    x = embeddings + sinusoidal_encoding(len(tokens), state.d_model) if state.encoding else embeddings
    setting = stack_setting(state)
    layers = []
    more = np.random.RandomState([state.seed, 1])
    for place in range(state.layers):
        of_first = {} if place else {f"w_{name[-1]}": array for name, array in typed.items() if name != "typed_x"}
        layer = _with_more(random_layer(setting, numbers), state, more, of_first)
        layers.append(layer if state.feed_forward else AttentionLayer(layer))
    return BlockStack(tokens, read_only(embeddings), read_only(x), EncoderStack(layers), mask)


BIAS, GAIN = 0.1, 0.2
"""Standard deviations of what is drawn of biases, and of gains around 1."""


def _with_more(
    layer: EncoderLayer, state: BlockState, numbers: np.random.RandomState, typed: dict[str, Floats]
) -> EncoderLayer:
    """Return a layer with biases and gains, if it is to have any, which have random numbers of their own.

    ``typed`` has matrices in the place of those that were drawn.
    """
    if not (state.has_biases or state.has_gains or typed):
        return layer
    attention, network, width = layer.attention, layer.feed_forward, layer.d_model
    more: dict[str, Any] = {"b1": network.b1, "b2": network.b2}
    if state.has_biases:
        wide = {"b_q": width, "b_k": width, "b_v": width, "b_o": width, "b1": state.d_ff, "b2": width}
        more |= {name: BIAS * numbers.randn(count) for name, count in wide.items()}
    if state.has_gains:
        for place in (1, 2):
            more[f"gain{place}"] = 1 + GAIN * numbers.randn(width)
            if state.norm_kind is NormKind.LAYER:
                more[f"bias{place}"] = BIAS * numbers.randn(width)
    return EncoderLayer(
        *(typed.get(name, getattr(attention, name)) for name in ("w_q", "w_k", "w_v", "w_o")),
        w1=network.w1,
        w2=network.w2,
        w3=network.w3,
        heads=state.heads,
        norm=state.norm,
        norm_kind=state.norm_kind,
        residual=state.residual,
        eps=state.eps,
        eps_inside_sqrt=state.eps_inside_sqrt,
        activation=state.activation,
        **more,
    )


@kept
def _passed(state: BlockState) -> StackTrace:
    drawn = _drawn(_whole(state))
    checkpoint()
    return drawn.stack(drawn.x, mask=drawn.mask, dropout=state.drops)


# ---- As maps ----


def feature_map(values: FloatArray, tokens: tuple[str, ...], *, end: float = 0.0) -> MapPicture:
    """Return values (n, features) as a map around 0, whose colours end at ``end`` or at the largest number."""
    largest = end or float(np.abs(values).max(initial=0.0)) or 1.0
    scale = ColourScale(ScaleKind.DIVERGING, -largest, largest, "")
    names = tuple(str(feature) for feature in range(values.shape[1]))
    return MapPicture(values, np.zeros(values.shape, np.bool_), scale, "viridis", tokens, names)


def weight_map(weights: FloatArray, masked: np.typing.NDArray[np.bool_], tokens: tuple[str, ...]) -> MapPicture:
    """Return weights (rows, keys) as a map from 0 to 1; the first rows of all tokens."""
    scale = weight_scale(Contrast.UNIT, weights, masked)
    return MapPicture(weights, masked, scale, "viridis", tokens[: len(weights)], tokens[: weights.shape[1]])
