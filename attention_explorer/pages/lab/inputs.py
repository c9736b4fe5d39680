"""Two inputs through the same layer: the operations depend on their length alone, the weights on what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.core.numerals import counted, grouped, plain
from attention_explorer.model import Stage, product_flops
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.tokens import tokens_in
from attention_explorer.sources.toy import toy_layers

MOST_WORDS = 24
"""Longer inputs are cut: their maps could not be read side by side."""
TOY_WIDTH, TOY_HEADS = 64, 8


@dataclass(frozen=True, slots=True)
class Product:
    """One matrix product that the layer carries out, counted from the shapes of its arrays."""

    name: str
    shapes: str
    operations: int


@dataclass(frozen=True, slots=True, eq=False)
class InputsPicture:
    """Both lists of operations, and the weights of the first head."""

    state: CostState
    reason: str = ""
    tokens: tuple[tuple[str, ...], ...] = ()
    products: tuple[tuple[Product, ...], ...] = ()
    maps: tuple[MapPicture, ...] = ()

    @property
    def totals(self) -> tuple[int, ...]:
        """All operations of each input."""
        return tuple(sum(product.operations for product in listed) for listed in self.products)

    @property
    def is_same_list(self) -> bool:
        """Whether both inputs take the same operations."""
        return len(set(self.products)) == 1

    @property
    def difference(self) -> float | None:
        """The largest difference of two weights; None if the inputs are not of one length."""
        if not self.maps or self.maps[0].cells != self.maps[1].cells:
            return None
        return float(np.abs(self.maps[0].values - self.maps[1].values).max())


@kept
def inputs_picture(state: CostState, _tiles: tuple[int, int] = (1, 1)) -> InputsPicture:
    """Run both sentences through one random layer of 8 heads and d_model = 64."""
    sentences = (state.sentence, state.other_sentence)
    tokens = tuple(tokens_in(sentence)[:MOST_WORDS] for sentence in sentences)
    if not all(tokens):
        return InputsPicture(state, "Type at least one word into each field: there is nothing to attend to yet.")
    recipes = (ToyRecipe(" ".join(words), d_model=TOY_WIDTH, heads=TOY_HEADS) for words in tokens)
    layers = [toy_layers(recipe)[0] for recipe in recipes]
    return InputsPicture(
        state,
        "",
        tokens,
        tuple(_products(layer) for layer in layers),
        tuple(_map(layer, words) for layer, words in zip(layers, tokens, strict=True)),
    )


def _products(layer: Layer) -> tuple[Product, ...]:
    """List what was multiplied, from the arrays that came of it."""
    (n, d), (heads, n_q, d_k) = layer.inputs[0].shape, layer.queries_and_keys[0].shape
    n_k, d_v = layer.v.shape[-2:]
    width = heads * d_k
    return (
        Product("X·W_q, X·W_k, X·W_v", f"3 × ({n}, {d})·({d}, {width})", 3 * product_flops(n, d, width)),
        Product("Q·Kᵀ", f"{heads} × ({n_q}, {d_k})·({d_k}, {n_k})", heads * product_flops(n_q, d_k, n_k)),
        Product("weights · V", f"{heads} × ({n_q}, {n_k})·({n_k}, {d_v})", heads * product_flops(n_q, n_k, d_v)),
        Product("heads · W_O", f"({n}, {heads * d_v})·({heads * d_v}, {d})", product_flops(n, heads * d_v, d)),
    )


def _map(layer: Layer, words: tuple[str, ...]) -> MapPicture:
    pooled = layer.maps[0].pooled(Stage.WEIGHTS, len(words), len(words))
    scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")
    return MapPicture(pooled.values, pooled.masked, scale, "viridis", words, words)


# ---- Words ----


def product_words(picture: InputsPicture, index: int) -> str:
    """Return a line of the list for both inputs."""
    first, second = (listed[index] for listed in picture.products)
    if first == second:
        return f"{first.name}: {first.shapes} = {grouped(first.operations)} operations, for either input"
    return (
        f"{first.name}: {first.shapes} = {grouped(first.operations)} operations for the first input, "
        f"{second.shapes} = {grouped(second.operations)} for the second"
    )


def weight_words(picture: InputsPicture, row: int, column: int) -> str:
    """Return the weight of a cell in both inputs."""
    said, count = [], picture.state.count
    for words, map_ in zip(picture.tokens, picture.maps, strict=True):
        if row < len(words) and column < len(words):
            weight = plain(float(map_.values[row, column]), 4)
            said.append(f"{count.token(words[row], row)} attends to {count.token(words[column], column)}: {weight}")
    return "; ".join(said)


def inputs_sentences(picture: InputsPicture) -> tuple[str, ...]:
    """Return what else the picture says."""
    lengths = (counted(len(words), "token") for words in picture.tokens)
    first, second = (
        f"{length}: {grouped(all_)} operations" for length, all_ in zip(lengths, picture.totals, strict=True)
    )
    lines = [f"First {first}. Second {second}."]
    if picture.difference:
        lines.append(f"The weights differ by up to {plain(picture.difference, 3)}.")
    if any(len(tokens_in(text)) > MOST_WORDS for text in (picture.state.sentence, picture.state.other_sentence)):
        lines.append(f"Only the first {MOST_WORDS} tokens of an input are used.")
    return tuple(lines)
