"""Who reads whom, by the weights alone: how much of what a head writes, later heads read (Elhage et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.transformer import HeadWeights, Stack, head_weights
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.circuits.asked import Circuits

AXES = ("writing layer", "writing head", "reading layer", "reading head")
DRAWS = 8
"""Pairs of random heads, of which the mean is taken off."""


@dataclass(frozen=True, repr=False, eq=False)
class Composition(Results):
    """Scores of all pairs of heads, (layers, heads, layers, heads), who writes first; NaN where none can read it."""

    q: Result
    """By queries: ‖W_V W_O W_Q′ W_K′ᵀ‖ ÷ (‖W_V W_O‖ ‖W_Q′ W_K′ᵀ‖), less what random heads have."""
    k: Result
    """By keys: ‖W_V W_O W_K′ W_Q′ᵀ‖ likewise."""
    v: Result
    """By values: ‖W_V W_O W_V′ W_O′‖ likewise."""
    random: float
    """What was taken off: the mean of heads whose numbers are normally distributed."""


class _Factors(NamedTuple):
    """A product left · right of rank d, as what norms of products with it are made of."""

    inner: Floats
    """(d_model, d) of a reader or (d, d_model) of a writer, so that the norm of a product is that of the inner ones."""
    norm: float


def composition(model: Circuits) -> Composition:
    """Compare all pairs of heads: see `Model.composition`."""
    stack = model.transformer.main
    check_layers(model)
    writing, random = _writers(stack), _random(stack)
    found = {name: Result(_pairs(writing, _each(stack, take)) - random, AXES) for name, take in _READERS.items()}
    return Composition(**found, random=random)


def by_keys(model: Circuits) -> Result:
    """Return ``k`` of `composition` alone, in a third of the time; all NaN in a model of one layer."""
    stack = model.transformer.main
    return Result(_pairs(_writers(stack), _each(stack, _READERS["k"])) - _random(stack), AXES)


def check_layers(model: Circuits) -> None:
    """Refuse a model in which no head can read another.

    Raises
    ------
    ExplorerError
        If there is one layer alone.
    """
    if len(model.transformer.main.layers) < 2:
        raise ExplorerError(
            "The model has one layer, and a head is read by later layers alone: ask one with two or more."
        )


def _each(stack: Stack, take: Callable[[HeadWeights], _Factors]) -> list[list[_Factors]]:
    found = []
    for layer in stack.layers:
        checkpoint()
        found.append([take(head_weights(layer.attention, head, folded=True)) for head in range(stack.spec.heads)])
    return found


def _writers(stack: Stack) -> list[list[_Factors]]:
    return _each(stack, _writer)


def _triangle(matrix: Floats) -> Floats:
    """Return R, (d, d), of a matrix Q R, (d_model, d)."""
    found: Floats = np.linalg.qr(matrix)[1]
    return found


def _writer(of: HeadWeights) -> _Factors:
    """Return R W_O, (d, d_model), with W_V = Q R: what follows has the norm that W_V W_O … has."""
    inner = _triangle(of.v) @ of.o
    return _Factors(inner, float(np.linalg.norm(inner)))


def _reader(left: Floats, right: Floats) -> _Factors:
    """Return left · Rᵀ, (d_model, d), with rightᵀ = Q R."""
    inner = left @ _triangle(right.T).T
    return _Factors(inner, float(np.linalg.norm(inner)))


_READERS: dict[str, Callable[[HeadWeights], _Factors]] = {
    "q": lambda of: _reader(of.q, of.k.T),
    "k": lambda of: _reader(of.k, of.q.T),
    "v": lambda of: _reader(of.v, of.o),
}


def _pairs(writing: list[list[_Factors]], reading: list[list[_Factors]]) -> Floats:
    """Return ‖writer · reader‖ ÷ (‖writer‖ ‖reader‖) of all pairs, (layers, heads, layers, heads)."""
    layers, heads = len(writing), len(writing[0])
    found = np.full((layers, heads, layers, heads), np.nan)
    for low in range(layers):
        checkpoint()
        rows = np.concatenate([each.inner for each in writing[low]])
        for high in range(low + 1, layers):
            columns = np.concatenate([each.inner for each in reading[high]], axis=1)
            squares = np.square(rows @ columns).reshape(heads, -1, heads, columns.shape[1] // heads)
            norms = np.outer([each.norm for each in writing[low]], [each.norm for each in reading[high]])
            found[low, :, high] = np.sqrt(squares.sum(axis=(1, 3))) / np.maximum(norms, np.finfo(np.float32).tiny)
    return found


def _random(stack: Stack) -> float:
    """Return the mean score of heads of the model's size, whose numbers are drawn."""
    spec, draw = stack.spec, np.random.default_rng(0)
    wide, narrow = (spec.width, spec.head_width), (spec.head_width, spec.width)
    scores = []
    for _ in range(DRAWS):
        writer = _triangle(draw.standard_normal(wide)) @ draw.standard_normal(narrow)
        reader = draw.standard_normal(wide) @ _triangle(draw.standard_normal(wide)).T
        scores.append(np.linalg.norm(writer @ reader) / (np.linalg.norm(writer) * np.linalg.norm(reader)))
    return float(np.mean(scores))
