"""Decoding token by token with a KV cache: what is kept, what is saved, and that nothing else comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.map_picture import FloatArray, MapPicture
from attention_explorer.core.numerals import counted, percent, size_text
from attention_explorer.model import Activation, ModelSize, causal_mask
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import (
    QUICK_NUMBERS,
    block_stack,
    check_sizes,
    count_numbers,
    feature_map,
    weight_map,
    without_view,
)
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.decoding import Decoding
from attention_explorer.sources.registry import source_of

QUICK_STEPS = 40
"""So many steps of one layer take less than about 20 ms, beside their arithmetic."""


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Arithmetic of each step in FLOPs, all layers, matrix products only; each (n,)."""

    cached: FloatArray
    anew: FloatArray
    """Without a cache: all tokens so far go through again."""


@dataclass(frozen=True, slots=True, eq=False)
class CachePicture:
    """The cache of one head of one layer, after so many tokens."""

    state: BlockState
    tokens: tuple[str, ...]
    decoded: int
    decoding: Decoding
    work: Work
    maps: tuple[MapPicture, MapPicture, MapPicture]
    """K, V and weights of the tokens so far."""

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.decoding.k)

    @property
    def rows_made(self) -> tuple[int, int]:
        """Rows of K and V that were made so far, in one layer: with the cache, and without."""
        return self.decoded, self.decoded * (self.decoded + 1) // 2

    @property
    def numbers_held(self) -> int:
        """How many numbers the caches of all layers hold."""
        arrays = (*self.decoding.k, *self.decoding.v)
        return self.decoded * sum(int(array.shape[0] * array.shape[2]) for array in arrays)

    def flops(self, *, cached: bool) -> float:
        """Return the arithmetic of all steps so far."""
        return float((self.work.cached if cached else self.work.anew)[: self.decoded].sum())

    @property
    def saved(self) -> float:
        """The share of the arithmetic so far that the cache saves."""
        return 1.0 - self.flops(cached=True) / self.flops(cached=False)


def decoded_shown(state: BlockState) -> int:
    """Return how many tokens are decoded: the wish, at least one, at most all."""
    return min(max(state.decoded, 1), state.token_count)


def with_decoded(state: BlockState, decoded: int) -> BlockState:
    """Return the state with so many tokens decoded, as far as there are as many."""
    return replace(state, decoded=min(max(decoded, 1), state.token_count))


_kept: Kept[Decoding] = Kept()


def is_quick(state: BlockState) -> bool:
    """Whether decoding takes less than about 20 ms."""
    if is_known(state):
        return True
    if state.model_shown is not None or steps_to_learn(state) or state.token_count * state.layers > QUICK_STEPS:
        return False
    return state.token_count * count_numbers(state) <= 10 * QUICK_NUMBERS


def is_known(state: BlockState) -> bool:
    """Whether all steps of a state have been decoded already."""
    return _kept.get(_key(state)) is not None


def _key(state: BlockState) -> BlockState:
    """Return what decides the numbers; decoding is causal whatever the mask of the page, and a model is as it is."""
    shown = state.model_shown
    return replace(without_view(state), causal=False) if shown is None else BlockState(model=shown)


def cache_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> CachePicture:
    """Decode the tokens of a state, and show the cache after some of them.

    Raises
    ------
    ExplorerError
        The sizes do not go together, or a number leaves the float range.
    """
    shown = state.model_shown
    if shown is None:
        check_sizes(state)
    else:
        source_of(shown).open()  # then its tokens are known
    decoding = _kept.get(_key(state))
    if decoding is None:
        decoding = _decoded(state) if shown is None else source_of(shown).decoding()
        _kept.keep(_key(state), decoding)
    tokens = block_stack(state).tokens if shown is None else source_of(shown).labels[0]
    work = _step_work(decoding)
    return CachePicture(state, tokens, decoded_shown(state), decoding, work, _maps(state, tokens, decoding))


def _decoded(state: BlockState) -> Decoding:
    whole = block_stack(state)
    x, stack = whole.x[0], whole.stack
    count, layers, heads = len(x), len(stack.layers), state.heads
    weights = [np.zeros((heads, count, count)) for _ in range(layers)]
    output, caches = np.zeros(x.shape), None
    for token in range(count):
        checkpoint()
        trace, caches = stack.decode(x[token : token + 1], caches)
        output[token] = trace.output[0]
        for kept, row in zip(weights, trace.weights, strict=True):
            kept[:, token, : token + 1] = row[:, 0]
    held = () if caches is None else caches
    full = stack(x, mask=causal_mask(count)).output
    keys, values = tuple(c.k for c in held), tuple(c.v for c in held)
    return Decoding(keys, values, tuple(weights), output, full, _flops(state))


def _flops(state: BlockState) -> tuple[float, float]:
    """Return the arithmetic of a layer with the network that the state has: of a token, and of a pair."""
    parts = 0.0 if not state.feed_forward else 1.5 if state.activation is Activation.SILU_GATED else 1.0
    one = ModelSize(tokens=1, d_model=state.d_model, heads=state.heads, layers=state.layers, d_ff=state.d_ff)
    # A gated network has three matrices where the others have two.
    return one.projection_flops + parts * one.feed_forward_flops, float(one.quadratic_flops)


def _step_work(decoding: Decoding) -> Work:
    """Return the arithmetic of every step."""
    t, layers = np.arange(1.0, len(decoding.output) + 1), len(decoding.k)
    row, pairs = decoding.flops
    return Work(layers * (row + pairs * t), layers * (row * t + pairs * t**2))


def _maps(state: BlockState, tokens: tuple[str, ...], decoding: Decoding) -> tuple[MapPicture, MapPicture, MapPicture]:
    """Return keys, values and weights with a row for every token, of which those still to come are absent."""
    layer, head, decoded = state.layer_shown, state.head_shown, decoded_shown(state)
    later = np.arange(len(tokens)) >= decoded
    of_head = head // decoding.shared(layer)
    k, v = (feature_map(held[layer][of_head], tokens) for held in (decoding.k, decoding.v))
    weights = weight_map(decoding.weights[layer][head], ~causal_mask(len(tokens)), tokens)
    k_map, v_map, weights = (
        replace(
            map_,
            masked=map_.masked | later[:, None],
            absent=(later, np.zeros(map_.values.shape[1], np.bool_) if number < 2 else later),
        )
        for number, map_ in enumerate((k, v, weights))
    )
    return k_map, v_map, weights


# ---- Words ----


def flops_text(flops: float) -> str:
    """Return arithmetic as people read it: 98 304, 1.2 million, 3.4 billion."""
    for name, unit in (("trillion", 1e12), ("billion", 1e9), ("million", 1e6)):
        if flops >= unit:
            return f"{flops / unit:.3g} {name}"
    return f"{flops:,.0f}".replace(",", " ")


def table_rows(picture: CachePicture) -> tuple[tuple[str, str, str], ...]:
    """Return what there is to compare: (name, with the cache, without)."""
    layers, decoded = picture.layers, picture.decoded
    of_all = f", {layers} layers" if layers > 1 else ""
    made, anew = (rows * layers for rows in picture.rows_made)
    step = picture.work.cached[decoded - 1], picture.work.anew[decoded - 1]
    return (
        (f"rows of K and V in this step{of_all}", str(layers), str(decoded * layers)),
        (f"rows of K and V so far{of_all}", str(made), str(anew)),
        ("FLOPs of this step", flops_text(float(step[0])), flops_text(float(step[1]))),
        ("FLOPs so far", flops_text(picture.flops(cached=True)), flops_text(picture.flops(cached=False))),
        ("numbers kept", flops_text(float(picture.numbers_held)), "0"),
    )


def equality_text(picture: CachePicture) -> str:
    """Return by how much decoding differs from attention over all tokens at once."""
    error = picture.decoding.error(picture.decoded)
    return f"largest difference from full causal attention: {size_text(error)}"


def cache_sentences(picture: CachePicture) -> tuple[str, ...]:
    """Return what the panel says, the headline first."""
    decoded, state = picture.decoded, picture.state
    newest = state.count.token(picture.tokens[decoded - 1], decoded - 1)
    sentences = [
        "Each token’s key and value are computed once",
        f"{newest} came last: one row was added to K and to V in every head and layer, "
        f"and its query was compared with {counted(decoded, 'key')}.",
        f"Without the cache, {counted(decoded, 'row')} in every layer would be computed again in this step. "
        f"So far the cache saves {percent(picture.saved)} of the arithmetic, and keeps "
        f"{flops_text(float(picture.numbers_held))} numbers for it.",
        f"The result is the same: {equality_text(picture)}.",
        "Under a causal mask no later token changes an earlier row: that is why its key and value can be kept.",
    ]
    if picture.decoding.shared(state.layer_shown) > 1:
        shared = picture.decoding.shared(state.layer_shown)
        sentences.append(f"Every {shared} heads share a key and a value, so the cache is {shared} times smaller.")
    if state.model_shown is None and not state.causal:
        sentences.append("The stack in the other pictures has no mask; decoding is always causal.")
    return tuple(sentences)


def cache_words(picture: CachePicture, which: int, row: int, column: int) -> str:
    """Return a number of K (0), V (1) or the weights (2)."""
    map_ = picture.maps[which]
    state = picture.state
    if row >= picture.decoded:
        return f"{state.count.token(picture.tokens[row], row)} is not decoded yet. Click to decode up to here"
    place, count = state.count.place(state.layer_shown, state.head_shown), state.count
    value = float(map_.values[row, column])
    if which == 2:
        token, key = count.token(picture.tokens[row], row), count.token(picture.tokens[column], column)
        if map_.masked[row, column]:
            return f"{key} was not there yet when {token} was decoded"
        return f"{place}: {token} attends to {key} with weight {value:.4g}"
    name = ("key", "value")[which]
    return f"{place}: {name} of {count.token(picture.tokens[row], row)}, feature {column}: {value:+.4f}".replace(
        "-", "−"
    )


def step_words(picture: CachePicture, step: int) -> str:
    """Return what a step costs, counted from 0."""
    if not 0 <= step < len(picture.tokens):
        return ""
    cached, anew = float(picture.work.cached[step]), float(picture.work.anew[step])
    number = picture.state.count.number(step)
    return (
        f"token {number}, “{picture.tokens[step]}”: {flops_text(cached)} FLOPs with the cache, {flops_text(anew)} "
        f"without ({anew / cached:.1f} times). Click to decode up to here."
    )


def cache_numbers(picture: CachePicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture."""
    k_map, v_map, weights = picture.maps
    return {
        "k": k_map.values[: picture.decoded],
        "v": v_map.values[: picture.decoded],
        "weights": weights.values[: picture.decoded],
        "output_decoded": picture.decoding.output[: picture.decoded],
        "output_full": picture.decoding.full[: picture.decoded],
        "flops_with_cache": picture.work.cached,
        "flops_without_cache": picture.work.anew,
        "tokens": np.asarray(picture.tokens),
    }
