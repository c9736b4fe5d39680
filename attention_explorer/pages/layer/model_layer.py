"""The boxes of a layer of what Heads shows: as those of a layer that is drawn, from what its source says of it."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.numerals import coordinate
from attention_explorer.model.arrays import Bools
from attention_explorer.pages.layer.boxes import Box, Form, Line, with_dropout
from attention_explorer.sources.source import LayerPart, Lookup
from attention_explorer.sources.whole_layer import WholeLayer

_FIRST = ("embeddings", "positions", "x", "self_output", "self_sum", "context", "attention_input", "q", "k", "v")
_OF_PAIRS = ("scores", "scaled", "masked", "weights")
_MATRICES = ("w_q", "w_k", "w_v", "w_o")
_NETWORK = ("feed_forward_input", "before_activation", "linear_part", "hidden", "feed_forward_output")
_LAST = (*_NETWORK, "feed_forward_normed", "feed_forward_sum", "output")
_LINES = {
    **dict.fromkeys((*_FIRST, *_OF_PAIRS), Line.SCORES),
    **dict.fromkeys(_LAST, Line.FEED_FORWARD),
    **dict.fromkeys(_MATRICES, Line.MATRICES),
}
_COLOURS = {"q": "query", "k": "key", "v": "value", "w_q": "query", "w_k": "key", "w_v": "value"}
_COLOURS["head_output"] = "output"
_NORMS = {
    "attention_input": "Norm before attention",
    "attention_normed": "Norm of what attention puts out",
    "middle": "Norm after attention",
    "feed_forward_input": "Norm before the network",
    "feed_forward_normed": "Norm of what the network puts out",
    "output": "Norm after the network",
}


_ACTIVATIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_new": "GELU (tanh)",
    "gelu_pytorch_tanh": "GELU (tanh)",
    "silu": "SiLU",
    "swish": "SiLU",
}
"""What people call those that configurations name."""
_OF_PART = {
    LayerPart.RESIDUAL: ("attention_sum", "feed_forward_sum"),
    LayerPart.NETWORK: (*_NETWORK, "feed_forward_normed", "feed_forward_sum"),
}
"""The boxes that there are not where a part is cut."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelLayer:
    """A layer as boxes."""

    boxes: tuple[Box, ...]
    mask: Bools | None
    lookup: Lookup
    sizes: dict[str, int]
    nbytes: int


def model_layer(whole: WholeLayer, place: int, cut: frozenset[LayerPart] = frozenset()) -> ModelLayer:
    """Return the boxes of a layer without those that are ``cut``; ``place`` is its number from 0."""
    boxes: list[Box] = []
    left_out = {name for part in cut for name in _OF_PART[part]}
    for name, array in whole.arrays.items():
        if name in left_out:
            continue
        title, what, formula = _words(whole, name, place)
        form = Form.MATRIX if name in _MATRICES else Form.HEADS if array.ndim == 3 else Form.FEATURES
        form = Form.KEYS if name in _OF_PAIRS else form
        shared = whole.shared if name in ("k", "v") else 1
        sources = _sources(name, [box.name for box in boxes])
        told, colour = whole.formulas.get(name, formula), _COLOURS.get(name, "")
        line = _LINES.get(name, Line.MIXING)
        boxes.append(Box(name, title, what, told, form, array[None], line, sources, colour, shared=shared))
    found = with_dropout(boxes, whole.dropout, whole.mask)
    return ModelLayer(found, whole.mask, whole.lookup, whole.sizes, whole.nbytes)


def _sources(name: str, before: list[str]) -> tuple[str, ...]:
    """Return the boxes that arrows come from."""
    entering = next((each for each in ("attention_input", "self_sum", "x") if each in before), "")
    if name in ("q", "k", "v"):
        of_context = name != "q" and "context" in before
        return ("context",) if of_context else (entering,) if entering else ()
    own: dict[str, tuple[str, ...]] = {
        **dict.fromkeys(("embeddings", "positions", "context", *_MATRICES), ()),
        "attention_input": ("self_sum" if "self_sum" in before else "x",),
        "x": tuple(each for each in ("embeddings", "positions") if each in before),
        "scores": ("q", "k"),
        "head_output": ("weights", "v"),
        "linear_part": (before[-2] if len(before) > 1 else "",),
        "hidden": tuple(each for each in ("before_activation", "linear_part") if each in before),
    }
    return own[name] if name in own else (before[-1],)


_AS_ONE = 1e-6
"""What rounding makes of a scale of 1."""


def _softmax_words(whole: WholeLayer) -> tuple[str, str]:
    """Return title and formula of the weights."""
    lookup = whole.lookup
    if lookup.hard:
        return "arg max", "A = 1 for the largest of every row, 0 for the others"
    if lookup.temperature == 1.0:
        return "softmax", "A = softmax of every row"
    divisor = coordinate(lookup.temperature, 4)
    return f"softmax, T {divisor}", f"A = softmax of every row ÷ T, at temperature T = {divisor}"


def _scale_words(scale: float) -> str:
    """Return what q·k is multiplied by."""
    return "× 1" if scale == 0.0 or abs(scale - 1.0) < _AS_ONE else f"÷ √{1 / scale**2:.3g}"


def _words(whole: WholeLayer, name: str, place: int) -> tuple[str, str, str]:
    """Return title, heading and formula of a box."""
    if name in _NORMS:
        gain = "times a gain that was learned" if whole.gains else "without the gain that was learned"
        return "norm", _NORMS[name], f"every row normalised, {gain}"
    if name in _MATRICES:
        letter = f"W_{name[-1].upper()}"
        made = {"q": "makes the queries", "k": "makes the keys", "v": "makes the values"}
        return letter, f"{letter}, which {made.get(name[-1], 'mixes the heads')}", "the part of each head"
    biased, softmax = "W₁" in whole.biases, _softmax_words(whole)
    activation = _ACTIVATIONS.get(whole.activation, whole.activation)
    bias = " + b" if "queries, keys and values" in whole.biases else ""
    scale = _scale_words(float(whole.lookup.scale or 1.0))
    added = " + bias" if "distances" in whole.biases else ""
    parallel = "X and attention" if whole.is_parallel else "Y"
    read = "norm(X)" if "attention_input" in whole.arrays else "X"
    way = "Y" if "self_sum" in whole.arrays else "X"
    shared = f", one for every {whole.shared} heads" if whole.shared > 1 else ""
    words = {
        "embeddings": ("E", "Embeddings", "a vector for each token"),
        "positions": ("P", "Encoding of the positions", "sines and cosines of the position, added to E"),
        "self_output": ("self", "Output of the look at its own words", "What each word reads of those before it"),
        "self_sum": ("+ residual", "Y: residual sum after the look at its own words", "X + what it reads there"),
        "context": ("X′", "X′, of which keys and values are made", "The second sentence"),
        "x": (
            "X",
            "X, which enters the layer",
            "The embeddings" if not place else "X is the output of the layer before",
        ),
        "q": ("Q", "Queries", f"Q = {read}·W_q{bias}, cut into heads"),
        "k": ("K", f"Keys{shared}", f"K = {read}·W_k{bias}, cut into heads{shared}"),
        "v": ("V", f"Values{shared}", f"V = {read}·W_v{bias}, cut into heads{shared}"),
        "scores": ("Q·Kᵀ", "Scores", "S = Q·Kᵀ, head by head"),
        "scaled": (
            f"{scale}{added}",
            "Scaled scores",
            f"S {scale}{added and ', and a learned number for each distance'}",
        ),
        "masked": ("mask", "Masked scores", "−∞ where the model does not look"),
        "weights": (softmax[0], "Weights", softmax[1]),
        "head_output": ("A·V", "Output of each head", "A·V: values mixed by the weights"),
        "concat": ("concat", "Heads side by side", "Concat(head₁, …, head_h)"),
        "attention_output": ("· W_O", "Output of attention", "Concat·W_O mixes the heads"),
        "attention_sum": ("+ residual", "Residual sum after attention", f"{way} + attention"),
        "before_activation": (
            "· W₁ + b₁" if biased else "· W₁",
            "Before the activation",
            "Y·W₁ + b₁" if biased else "Y·W₁",
        ),
        "linear_part": ("· W₃", "The other factor of the gate", "Y·W₃"),
        "hidden": (
            f"{activation}{', gated' if whole.is_gated else ''}",
            "Hidden units",
            f"{activation} of every number{', times the other factor' if whole.is_gated else ''}",
        ),
        "feed_forward_output": (
            "· W₂ + b₂" if "W₂" in whole.biases else "· W₂",
            "Output of the network",
            "hidden·W₂",
        ),
        "feed_forward_sum": ("+ residual", "Residual sum after the network", f"{parallel} + network"),
    }
    return words[name]
