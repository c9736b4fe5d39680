"""The boxes of a layer of a trained model: as those of a layer that is drawn, from what its source says of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Bools
from attention_explorer.pages.layer.boxes import Box, Form, Line
from attention_explorer.sources.whole_layer import WholeLayer

_FIRST = ("x", "attention_input", "q", "k", "v", "scores", "scaled", "masked", "weights")
_NETWORK = ("feed_forward_input", "before_activation", "linear_part", "hidden", "feed_forward_output")
_LAST = (*_NETWORK, "feed_forward_normed", "feed_forward_sum", "output")
_COLOURS = {"q": "query", "k": "key", "v": "value", "head_output": "output"}
_NORMS = {
    "attention_input": "Norm before attention",
    "attention_normed": "Norm of what attention puts out",
    "middle": "Norm after attention",
    "feed_forward_input": "Norm before the network",
    "feed_forward_normed": "Norm of what the network puts out",
    "output": "Norm after the network",
}


@dataclass(frozen=True, slots=True, eq=False)
class ModelLayer:
    """A layer as boxes."""

    boxes: tuple[Box, ...]
    mask: Bools | None
    sizes: dict[str, int]
    nbytes: int


def model_layer(whole: WholeLayer, place: int) -> ModelLayer:
    """Return the boxes of a layer; ``place`` is its number from 0."""
    boxes: list[Box] = []
    for name, array in whole.arrays.items():
        title, what, formula = _words(whole, name, place)
        form = Form.FEATURES if array.ndim == 2 else Form.KEYS if name in _FIRST[5:] else Form.HEADS
        line = Line.SCORES if name in _FIRST else Line.FEED_FORWARD if name in _LAST else Line.MIXING
        shared = whole.shared if name in ("k", "v") else 1
        sources = _sources(name, [box.name for box in boxes])
        boxes.append(
            Box(name, title, what, formula, form, array[None], line, sources, _COLOURS.get(name, ""), shared=shared)
        )
    return ModelLayer(tuple(boxes), whole.mask, whole.sizes, whole.nbytes)


def _sources(name: str, before: list[str]) -> tuple[str, ...]:
    """Return the boxes that arrows come from."""
    if name in ("q", "k", "v"):
        return ("attention_input" if "attention_input" in before else "x",)
    own = {
        "x": (),
        "scores": ("q", "k"),
        "head_output": ("weights", "v"),
        "linear_part": (before[-2] if len(before) > 1 else "",),
        "hidden": tuple(each for each in ("before_activation", "linear_part") if each in before),
    }
    return own[name] if name in own else (before[-1],)


def _words(whole: WholeLayer, name: str, place: int) -> tuple[str, str, str]:
    """Return title, heading and formula of a box."""
    if name in _NORMS:
        return "norm", _NORMS[name], "every row normalised, times a gain that was learned"
    biased = "W₁" in whole.biases
    bias = " + b" if "queries, keys and values" in whole.biases else ""
    scale = f"÷ √{1 / whole.scale**2:.3g}" if np.isfinite(whole.scale) and whole.scale not in (0.0, 1.0) else "× 1"
    added = " + bias" if "distances" in whole.biases else ""
    parallel = "X and attention" if whole.is_parallel else "Y"
    read = "norm(X)" if "attention_input" in whole.arrays else "X"
    shared = f", one for every {whole.shared} heads" if whole.shared > 1 else ""
    words = {
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
        "weights": ("softmax", "Weights", "A = softmax of every row"),
        "head_output": ("A·V", "Output of each head", "A·V: values mixed by the weights"),
        "concat": ("concat", "Heads side by side", "Concat(head₁, …, head_h)"),
        "attention_output": ("· W_O", "Output of attention", "Concat·W_O mixes the heads"),
        "attention_sum": ("+ residual", "Residual sum after attention", "X + attention"),
        "cross_output": ("cross", "Output of the look at the encoder", "What it reads of the other sentence"),
        "cross_sum": ("+ residual", "Residual sum after the look at the encoder", "Y + what it reads there"),
        "before_activation": (
            "· W₁ + b₁" if biased else "· W₁",
            "Before the activation",
            "Y·W₁ + b₁" if biased else "Y·W₁",
        ),
        "linear_part": ("· W₃", "The other factor of the gate", "Y·W₃"),
        "hidden": (
            f"{whole.activation}{', gated' if whole.is_gated else ''}",
            "Hidden units",
            f"{whole.activation} of every number{', times the other factor' if whole.is_gated else ''}",
        ),
        "feed_forward_output": (
            "· W₂ + b₂" if "W₂" in whole.biases else "· W₂",
            "Output of the network",
            "hidden·W₂",
        ),
        "feed_forward_sum": ("+ residual", "Residual sum after the network", f"{parallel} + network"),
    }
    return words[name]
