"""The boxes of a layer's diagram: every array with what it is called, how it is made and where it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import EllipsisType
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import ColourScale, ScaleKind
from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.numerals import coordinate
from attention_explorer.model import (
    Activation,
    Dropout,
    DropoutPlace,
    EncoderTrace,
    FeedForwardTrace,
    NormKind,
    NormPlacement,
    SublayerTrace,
)
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import ACTIVATION_NAMES, brief

# ---- What numbers are like ----


@dataclass(frozen=True, slots=True)
class Summary:
    """What the numbers of a box are like. Masked scores do not count.

    Attributes
    ----------
    mean, std, low, high, norm : float
        Over all numbers of all sequences; the norm is the square root of the sum of their squares.
    row_norm : float
        The mean of the norms of the rows; of the heads' rows where there are heads.
    zeros : float
        Which share is exactly 0.
    masked : float
        Which share is masked.
    """

    mean: float
    std: float
    low: float
    high: float
    norm: float
    row_norm: float
    zeros: float
    masked: float


def summary_of(array: Floats) -> Summary:
    """Return what the numbers of an array (..., rows, columns) are like."""
    is_finite = np.isfinite(array)
    finite = array[is_finite]
    held = np.where(is_finite, array, 0.0)
    return Summary(
        float(finite.mean()),
        float(finite.std()),
        float(finite.min()),
        float(finite.max()),
        float(np.linalg.norm(held)),
        float(np.linalg.norm(held, axis=-1).mean()),
        float(np.mean(array == 0.0)),
        float(1.0 - is_finite.mean()),
    )


# ---- Boxes ----


class Form(StrEnum):
    """What the last two axes of an array are."""

    FEATURES = "token × feature"
    HEADS = "head: token × feature"
    KEYS = "head: query × key"
    MATRIX = "head: feature × feature"


class Rows(StrEnum):
    """What a row of an array belongs to."""

    QUERIES = "a token that looks"
    KEYS = "a token that is looked at"
    FEATURES = "a feature"


class Line(StrEnum):
    """The lines of the diagram: data run to the right, back to the left and to the right; matrices stand below."""

    SCORES = "from tokens to weights"
    MIXING = "from weights back to tokens"
    FEED_FORWARD = "the feed-forward network"
    MATRICES = "what the layer is made with"


@dataclass(frozen=True, eq=False)
class Box:
    """One array of the layer.

    Attributes
    ----------
    name : str
        As `EncoderTrace.stages` calls it; what a state remembers.
    title : str
        What stands above it: what is done to get here.
    what : str
        The same as a heading.
    formula : str
        How it is made, in letters.
    form : Form
        What its axes are.
    array : ndarray, (batch, n, d) or (batch, heads, n, d)
        All of it.
    colour : str
        query, key, value or output, whose colour it wears; empty for the others.
    line : Line
        Where in the diagram it stands.
    sources : tuple of str
        The boxes that arrows come from.
    shared : int
        How many heads share each of its parts, as grouped keys and values are shared.
    left_out : ndarray of bool, of the shape of the array, or None
        Where dropout left a number out; None where there is none.
    factor : float
        What dropout multiplied the others by.
    """

    name: str
    title: str
    what: str
    formula: str
    form: Form
    array: Floats
    line: Line
    sources: tuple[str, ...]
    colour: str = ""
    shared: int = 1
    left_out: Bools | None = None
    factor: float = 1.0

    @property
    def first(self) -> Floats:
        """The first sequence of the batch, (n, d) or (heads, n, d)."""
        return np.asarray(self.array[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape as the tutorials state it: without the batch if there is one sequence."""
        return self.array.shape if len(self.array) > 1 else self.array.shape[1:]

    @property
    def shape_text(self) -> str:
        """(8, 6, 6)."""
        return shape_words(self.shape)

    @property
    def rows(self) -> Rows:
        """What its rows belong to."""
        if self.form is Form.MATRIX:
            return Rows.FEATURES
        return Rows.KEYS if self.name in ("context", "k", "v") else Rows.QUERIES

    @property
    def has_heads(self) -> bool:
        """Whether every head has a part of its own."""
        return self.form is not Form.FEATURES

    @cached_property
    def summary(self) -> Summary:
        """What its numbers are like."""
        return summary_of(self.array)

    @cached_property
    def largest(self) -> float:
        """The largest size of a number of the first sequence; masked scores do not count."""
        return float(np.abs(self.first).max(where=np.isfinite(self.first), initial=0.0))

    @cached_property
    def scale(self) -> ColourScale:
        """Its colours: weights from 0 to the largest, which dropout may let be above 1; everything else around 0.

        Weights that are all alike stand in the middle of the colour bar, not at its end.
        """
        if self.name == "weights":
            top = min(max(self.largest, 2.0 / self.first.shape[-1]), self.factor)
            return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight")
        end = self.largest or 1.0
        return ColourScale(ScaleKind.DIVERGING, -end, end, self.what)

    def part(self, head: int) -> Floats:
        """Return what is drawn large: one head, or all; (rows, columns) of the first sequence."""
        return np.asarray(self.first[self._place_of(head)])

    def holes(self, head: int) -> Bools | None:
        """Return which of these numbers dropout left out; None where there is none."""
        return None if self.left_out is None else np.asarray(self.left_out[0][self._place_of(head)])

    def _place_of(self, head: int) -> int | EllipsisType:
        return head // self.shared if self.has_heads else ...


def with_dropout(boxes: Iterable[Box], dropout: Dropout | None, mask: Bools | None) -> tuple[Box, ...]:
    """Return boxes that say what dropout has left out of them; what a mask hides was never there."""
    return tuple(box if dropout is None else _dropped(box, dropout, mask) for box in boxes)


def _dropped(box: Box, dropout: Dropout, mask: Bools | None) -> Box:
    place = next((place for place in dropout.places if place == box.name), None)
    if place is None:
        return box
    left_out = ~dropout.kept(place, box.array.shape)
    if place is DropoutPlace.WEIGHTS and mask is not None:
        left_out &= mask
    said = f"then dropout: 0 with p = {dropout.rate(place):g}, the rest × {coordinate(dropout.factor(place), 4)}"
    return replace(box, formula=f"{box.formula}, {said}", left_out=left_out, factor=dropout.factor(place))


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as it is written: (8, 11, 8)."""
    return f"({', '.join(map(str, shape))})"


def layer_boxes(state: BlockState, trace: EncoderTrace) -> tuple[Box, ...]:
    """Return the boxes that there are for the switches of a state, in the order of computation."""
    found = _scores_line(state, trace) + _mixing_line(state, trace)
    if state.feed_forward:
        found += _feed_forward_line(state, trace, found[-1].name)
    return tuple(found)


def _scores_line(state: BlockState, trace: EncoderTrace) -> list[Box]:
    return [*_projected(state, trace), *_weighed(state, trace)]


def _projected(state: BlockState, trace: EncoderTrace) -> list[Box]:
    """Return what goes into a layer, and the queries, keys and values made of it."""
    boxes, source, line = [_x_box(state, trace)], "X", Line.SCORES
    if state.norm is NormPlacement.PRE:
        boxes.append(_norm_box(state, "attention_input", trace.attention.before, line, "x", "before attention"))
        source = "norm(X)"
    before, inside = boxes[-1].name, trace.attention.inside
    for name, what, array, colour in (
        ("q", "Queries", inside.q, "query"),
        ("k", "Keys", inside.k, "key"),
        ("v", "Values", inside.v, "value"),
    ):
        letter = name.upper()
        bias = "" if not state.has_biases else f" + b_{name}"
        formula = f"{letter} = {source}·W_{name}{bias}, cut into heads"
        boxes.append(Box(name, letter, what, formula, Form.HEADS, array, line, (before,), colour))
    return boxes


def _weighed(state: BlockState, trace: EncoderTrace) -> list[Box]:
    """Return the stages from scores to weights."""
    inside, width = trace.attention.inside, state.d_model // state.heads
    factor = f"S ÷ √d_k = S ÷ {math.sqrt(width):.3g}"
    rows = [
        ("scores", "Q·Kᵀ", "Scores", "S = Q·Kᵀ, head by head", inside.scores, ("q", "k")),
        ("scaled", f"÷ √{width}", "Scaled scores", factor, inside.scaled, ("scores",)),
    ]
    if state.allowed is not None:
        only_causal = state.causal and state.mask == MaskChoice()
        hidden = f"−∞ where {'the key comes after the query' if only_causal else 'the mask hides the key'}"
        rows.append(("masked", "mask", "Masked scores", hidden, inside.masked, ("scaled",)))
    rows.append(("weights", "softmax", "Weights", "A = softmax of every row", inside.weights, (rows[-1][0],)))
    return [
        Box(name, title, what, formula, Form.KEYS, array, Line.SCORES, sources)
        for name, title, what, formula, array, sources in rows
    ]


def _x_box(state: BlockState, trace: EncoderTrace) -> Box:
    if state.layer_shown:
        before = state.count.layer(state.layer_shown - 1)
        title, what = "X", f"X, from {before}"
        formula = f"X is the output of {before}"
    elif state.encoding:
        added = "sinusoids" if state.learned is None else "a learned vector for each place,"
        title, what, formula = (
            "X = E + P",
            "X: embeddings and positions",
            f"X = E + P, {added} added to the embeddings",
        )
    else:
        title, what, formula = "X", "X: embeddings", "X = E, the embeddings alone, without positions"
    return Box("x", title, what, formula, Form.FEATURES, trace.x, Line.SCORES, ())


def _norm_box(state: BlockState, name: str, array: Floats, line: Line, source: str, where: str) -> Box:
    layer = state.norm_kind is NormKind.LAYER
    title, eps = "norm" if layer else "RMS norm", "ε"
    letter = "σ" if layer else "rms"
    root = f"√({letter}² + {eps})" if state.eps_inside_sqrt else f"({letter} + {eps})"
    top = "(x − mean)" if layer else "x"
    kind = "Layer norm" if layer else "RMS norm"
    learns = ", times gain, plus bias" if layer else ", times gain"
    return Box(
        name,
        title,
        f"{kind} {where}",
        f"{top} ÷ {root}, row by row, ε = {brief(state.eps)}{learns if state.has_gains else ''}",
        Form.FEATURES,
        array,
        line,
        (source,),
    )


def _mixing_line(state: BlockState, trace: EncoderTrace) -> list[Box]:
    attended, line = trace.attention, Line.MIXING
    inside = attended.inside
    mixed = "A·V: values mixed by the weights"
    side_by_side = "Concat(head₁, …, head_h)"
    found, features = inside.head_output, Form.FEATURES
    return [
        Box("head_output", "A·V", "Output of each head", mixed, Form.HEADS, found, line, ("weights", "v"), "output"),
        Box("concat", "concat", "Heads side by side", side_by_side, features, inside.concat, line, ("head_output",)),
        Box(
            "attention_output",
            "· W_O",
            "Output of attention",
            f"Concat·W_O{' + b_O' if state.has_biases else ''} mixes the heads",
            features,
            inside.output,
            line,
            ("concat",),
        ),
        *_closing(
            state,
            attended,
            line,
            "attention_output",
            ("attention_sum", "Residual sum after attention", "X + attention"),
            ("middle", "after attention"),
        ),
    ]


def _feed_forward_line(state: BlockState, trace: EncoderTrace, middle: str) -> list[Box]:
    fed, line, boxes = trace.feed_forward, Line.FEED_FORWARD, list[Box]()
    if state.norm is NormPlacement.PRE:
        where = "before the feed-forward network"
        boxes.append(_norm_box(state, "feed_forward_input", fed.before, line, middle, where))
        middle = "feed_forward_input"
    boxes += _network(state.activation, fed.inside, middle)
    boxes += _closing(
        state,
        fed,
        line,
        "feed_forward_output",
        ("feed_forward_sum", "Residual sum after the network", "Y + network"),
        ("output", "after the feed-forward network"),
    )
    return boxes


def _network(activation: Activation, inside: FeedForwardTrace, before: str) -> list[Box]:
    """Return the arrays of the feed-forward network, which starts from the box ``before``."""
    title, formula = "Before the activation", _activation_formula(activation)
    rows: list[tuple[str, str, str, str, Floats, tuple[str, ...]]]
    rows = [("before_activation", "· W₁ + b₁", title, "Y·W₁ + b₁", inside.before, (before,))]
    if inside.linear_part is not None:
        gate = "The other factor of the gate"
        rows.append(("linear_part", "· W₃", gate, "Y·W₃", inside.linear_part, (before,)))
    factors, out = tuple(row[0] for row in rows), "Output of the network"
    rows += [
        ("hidden", ACTIVATION_NAMES[activation], "Hidden units", formula, inside.hidden, factors),
        ("feed_forward_output", "· W₂ + b₂", out, "hidden·W₂ + b₂", inside.output, ("hidden",)),
    ]
    return [
        Box(name, title, what, formula, Form.FEATURES, array, Line.FEED_FORWARD, sources)
        for name, title, what, formula, array, sources in rows
    ]


def _closing(
    state: BlockState,
    sublayer: SublayerTrace[Any],
    line: Line,
    source: str,
    summed: tuple[str, str, str],
    normed: tuple[str, str],
) -> list[Box]:
    """Return what comes after a sublayer, if it is switched on: the residual sum, and the norm of post-norm.

    ``summed`` is name, heading and formula of the sum, ``normed`` the name of the norm and where it stands.
    """
    boxes = list[Box]()
    if state.residual:
        name, what, formula = summed
        boxes.append(Box(name, "+ residual", what, formula, Form.FEATURES, sublayer.summed, line, (source,)))
        source = name
    if state.norm is NormPlacement.POST:
        name, where = normed
        boxes.append(_norm_box(state, name, sublayer.output, line, source, where))
    return boxes


def _activation_formula(activation: Activation) -> str:
    return {
        Activation.RELU: "max(0, z) of every number",
        Activation.GELU: "z·Φ(z) of every number, Φ the normal distribution",
        Activation.GELU_TANH: "½ z (1 + tanh(√(2/π) (z + 0.044715 z³))), as GPT-2 computes it",
        Activation.SILU_GATED: "z·σ(z) times the other factor",
    }[activation]
