"""Layers as they are before training: how large the random weights are, and the drawing of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import SupportsIndex

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.activations import Activation
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.encoder_layer import EncoderLayer
from attention_explorer.model.layer_stack import EncoderStack
from attention_explorer.model.norm import NormKind
from attention_explorer.model.scalars import finite_number, size, size_from
from attention_explorer.model.sublayer import NormPlacement


class Initialiser(StrEnum):
    """What decides the standard deviation σ of the entries of a matrix that takes d_in features and gives d_out."""

    GPT2 = "0.02"
    """Radford et al. 2018, section 4.1."""

    TENTH = "0.1"
    THREE_TENTHS = "0.3"

    HE = "√(2/d_in)"
    """He et al. 2015, eq. 10: keeps the size of ReLU networks."""

    NORMALISED = "1/√d_in"
    """LeCun et al. 1998, section 4.6: keeps the variance of a linear map; 1/√d_model for the projections."""

    XAVIER = "√(2/(d_in + d_out))"
    """Glorot & Bengio 2010, eq. 12."""


def initial_gain(initialiser: Initialiser | str | float, d_in: SupportsIndex, d_out: SupportsIndex) -> float:
    """Say how large the entries of a new matrix are.

    Parameters
    ----------
    initialiser : Initialiser, its text, or float
        The rule, or the standard deviation itself, at least 0.
    d_in, d_out : int
        Rows and columns of the matrix, each at least 1.

    Returns
    -------
    float
        σ, the standard deviation of its entries.

    Raises
    ------
    ArrayError
        If a size is not an integer of at least 1, or the number is negative or not finite.
    """
    rows, columns = size_from(1, "d_in", d_in), size_from(1, "d_out", d_out)
    known = isinstance(initialiser, str) and initialiser in list(Initialiser)
    rule = Initialiser(str(initialiser)) if known else None
    match rule:
        case Initialiser.HE:
            return math.sqrt(2.0 / rows)
        case Initialiser.NORMALISED:
            return math.sqrt(1.0 / rows)
        case Initialiser.XAVIER:
            return math.sqrt(2.0 / (rows + columns))
        case Initialiser.GPT2 | Initialiser.TENTH | Initialiser.THREE_TENTHS:
            return float(rule.value)
    deviation = finite_number("initialiser", initialiser)
    if deviation < 0.0:
        raise ArrayError(f"initialiser must be at least 0, not {initialiser!r}")
    return deviation


@dataclass(frozen=True, slots=True)
class StackSetting(CheckedFields):
    """All that decides a random stack but the random numbers.

    Attributes
    ----------
    d_model, heads, d_ff, layers : int
        Sizes; heads must divide d_model.
    initialiser : Initialiser or float
        The rule for σ of every matrix, or σ itself.
    norm, norm_kind, eps, eps_inside_sqrt, residual, activation
        As for `EncoderLayer`.
    """

    d_model: int = 64
    heads: int = 4
    d_ff: int = 256
    layers: int = 24
    initialiser: Initialiser | float = Initialiser.HE
    norm: NormPlacement = NormPlacement.POST
    norm_kind: NormKind = NormKind.LAYER
    residual: bool = True
    activation: Activation = Activation.RELU
    eps: float = 1e-5
    eps_inside_sqrt: bool = True
    _refusal = ArrayError


def random_layer(setting: StackSetting, numbers: np.random.RandomState) -> EncoderLayer:
    """Draw one layer.

    Parameters
    ----------
    setting : StackSetting
        Its number of layers is not used.
    numbers : RandomState
        NumPy's legacy random numbers, whose stream never changes. Drawn are, as the tutorials do, w_q, w_k, w_v,
        w_o, w1, w2, each N(0, σ²), and last w3 if the network is gated.

    Returns
    -------
    EncoderLayer
        Its feed-forward biases are zeros; attention and norms have none.

    Raises
    ------
    ArrayError
        If a size is below 1, the heads do not divide d_model, or an option is unknown.
    """
    d_model, d_ff = setting.d_model, setting.d_ff
    shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]
    w_q, w_k, w_v, w_o, w1, w2 = (_drawn(setting.initialiser, numbers, *shape) for shape in shapes)
    gated = setting.activation is Activation.SILU_GATED
    return EncoderLayer(
        *(w_q, w_k, w_v, w_o),
        w1=w1,
        b1=np.zeros(d_ff),
        w2=w2,
        b2=np.zeros(d_model),
        heads=setting.heads,
        norm=setting.norm,
        norm_kind=setting.norm_kind,
        residual=setting.residual,
        eps=setting.eps,
        eps_inside_sqrt=setting.eps_inside_sqrt,
        activation=setting.activation,
        w3=_drawn(setting.initialiser, numbers, d_model, d_ff) if gated else None,
    )


def random_stack(setting: StackSetting, numbers: np.random.RandomState) -> EncoderStack:
    """Draw a stack, layer by layer.

    Parameters
    ----------
    setting : StackSetting
        Sizes, initialiser and options.
    numbers : RandomState
        As for `random_layer`.

    Returns
    -------
    EncoderStack
        Without a last norm, so that every layer is like the others.

    Raises
    ------
    ArrayError
        As for `random_layer`, or if the number of layers is negative.
    """
    return EncoderStack(random_layer(setting, numbers) for _ in range(size("layers", setting.layers)))


def _drawn(initialiser: Initialiser | float, numbers: np.random.RandomState, d_in: int, d_out: int) -> Floats:
    checkpoint()
    deviation = initial_gain(initialiser, d_in, d_out)
    drawn: Floats = numbers.randn(d_in, d_out) * deviation
    return drawn
