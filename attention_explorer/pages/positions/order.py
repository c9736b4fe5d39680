"""The order experiment: shuffle the words, and see whether the outputs are the same rows in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import Contrast, FloatArray, MapPicture, weight_scale
from attention_explorer.core.numerals import size_text
from attention_explorer.core.shuffle import ShuffleComparison, compared, shuffled_order
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Attention, MultiHeadAttention, causal_mask, scaled_dot_product_attention
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.positions.kinds.registry import KINDS, PositionKind
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import token_embeddings, toy_layers

WIDEST, MOST_HEADS, MOST_WORDS = 64, 8, 24
"""What the experiment is done with at most: it computes a layer twenty times over."""
MOST_SHUFFLES = 64
"""So often an order is drawn in search of another one."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of one kind of encoding, with or without a causal mask."""

    kind: PositionKind
    causal: bool
    found: ShuffleComparison | None
    """None if the encoding cannot be had."""
    reason: str = ""

    @property
    def is_equivariant(self) -> bool:
        """Whether the outputs are the same rows in another order."""
        return self.found is not None and self.found.is_equivariant

    @property
    def words(self) -> str:
        """What came out, in words."""
        if self.found is None:
            return self.reason
        return "same rows, reordered" if self.is_equivariant else "order matters"

    @property
    def error(self) -> str:
        """How far the outputs are from the same rows in another order."""
        return "" if self.found is None else size_text(self.found.error)

    @property
    def verdict(self) -> str:
        """Both."""
        return self.words if self.found is None else f"{self.words} (error {self.error})"


@dataclass(frozen=True, slots=True, eq=False)
class OrderPicture:
    """A table kind × mask, and the weights of one head before and after."""

    state: PositionsState
    reason: str
    """Why there is nothing to shuffle; else empty."""
    words: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    """Which word, from 0, stands at each place after the shuffle."""
    outcomes: tuple[Outcome, ...] = ()
    """Kind by kind, each without and with the causal mask."""
    maps: tuple[MapPicture, ...] = ()
    """Weights before and after; empty if the kind of the state cannot be had."""
    head: int = 0
    d_model: int = 0
    heads: int = 0
    left_out: int = 0
    """Words of the sentence that were too many."""

    @property
    def shuffled(self) -> tuple[str, ...]:
        """The words after the shuffle."""
        return tuple(self.words[word] for word in self.order)

    @property
    def shown(self) -> int:
        """The number of the outcome of the state."""
        return 2 * [*KINDS].index(self.state.kind) + int(self.state.causal)


def order_picture(state: PositionsState, tiles: tuple[int, int] = (1024, 1024)) -> OrderPicture:
    """Shuffle the words of a state's sentence under every kind of encoding; few enough words to be drawn whole."""
    names = ("kind", "d_model", "base", "seed", "layout", "heads", "head", "causal", "embedding_scale", "sentence")
    return _order_picture(PositionsState(**{name: getattr(state, name) for name in (*names, "shuffle")}))


def shuffled_again(state: PositionsState) -> PositionsState:
    """Return the state with the words in another order, or in the same where two words allow no other."""
    count = min(len(ToyRecipe(sentence=state.sentence).tokens), MOST_WORDS)
    if count < 2:
        return state
    now = _order_of(state, count)
    others = (replace(state, shuffle=state.shuffle + more) for more in range(1, MOST_SHUFFLES + 1))
    return next((other for other in others if _order_of(other, count) != now), state)


def _order_of(state: PositionsState, count: int) -> tuple[int, ...]:
    return shuffled_order(count, (state.seed + state.shuffle) % (LARGEST_SEED + 1))


@kept
def _order_picture(state: PositionsState) -> OrderPicture:
    layer = _Layer.of(state)
    count = len(layer.words)
    if count < 2:
        return OrderPicture(state, "Shuffling needs at least two words: type a longer sentence.", layer.words)
    order = _order_of(state, count)
    outcomes = tuple(_outcome(layer, kind, causal, order) for kind in KINDS for causal in (False, True))
    head = min(state.head_shown, layer.heads - 1)
    picture = OrderPicture(
        state,
        "",
        layer.words,
        order,
        outcomes,
        head=head,
        d_model=layer.d_model,
        heads=layer.heads,
        left_out=layer.left_out,
    )
    if outcomes[picture.shown].found is None:
        return picture
    places = list(order)
    before, after = (layer.attend(rows, state.kind, state.causal).weights[head] for rows in (layer.x, layer.x[places]))
    maps = _map(before, layer.words, state.causal), _map(after, picture.shuffled, state.causal)
    return replace(picture, maps=maps)


def order_numbers(picture: OrderPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture: the errors (kinds, 2) first, NaN where a kind cannot be had."""
    if picture.reason:
        return {}
    errors = [np.nan if outcome.found is None else outcome.found.error for outcome in picture.outcomes]
    arrays: dict[str, np.typing.NDArray[Any]] = {
        "errors": np.reshape(errors, (len(KINDS), 2)),
        "kinds": np.asarray([kind.value for kind in KINDS]),
        "words": np.asarray(picture.words),
        "order": np.asarray(picture.order),
    }
    if picture.maps:
        found = picture.outcomes[picture.shown].found
        arrays |= {"weights_before": picture.maps[0].values, "weights_after": picture.maps[1].values}
        if found is not None:
            arrays |= {"output_of_shuffled": found.of_shuffled, "shuffled_output": found.shuffled}
    return arrays


def heads_used(d_model: int, heads: int) -> int:
    """Return the largest number of heads that shares d_model equally, with an even width for rotary if it can be."""
    fitting = [h for h in range(1, min(heads, MOST_HEADS, d_model) + 1) if d_model % h == 0]
    even = [h for h in fitting if d_model // h % 2 == 0]
    return (even or fitting)[-1]


def _outcome(layer: _Layer, kind: PositionKind, causal: bool, order: tuple[int, ...]) -> Outcome:
    if KINDS[kind].needs_even and layer.d_model % 2:
        return Outcome(kind, causal, None, f"needs an even d_model, not {layer.d_model}")
    return Outcome(kind, causal, compared(layer.function(kind, causal), layer.x, order))


def _map(weights: FloatArray, words: tuple[str, ...], causal: bool) -> MapPicture:
    masked = ~causal_mask(len(words)) if causal else np.zeros(weights.shape, np.bool_)
    scale, titles = weight_scale(Contrast.UNIT, weights, masked), ("query (row)", "key (column)")
    return MapPicture(weights, masked, scale, "viridis", words, words, row_title=titles[0], column_title=titles[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """One layer of attention over the words of the sentence; vectors move with their words, positions stay."""

    state: PositionsState
    words: tuple[str, ...]
    left_out: int
    d_model: int
    heads: int
    x: FloatArray  # (n, d_model)
    attention: MultiHeadAttention  # its projections

    @classmethod
    def of(cls, state: PositionsState) -> _Layer:
        d_model = min(state.d_model, WIDEST)
        heads = heads_used(d_model, state.heads)
        tokens = ToyRecipe(sentence=state.sentence).tokens
        sentence = state.sentence if len(tokens) <= MOST_WORDS else " ".join(tokens[:MOST_WORDS])
        recipe = ToyRecipe(
            sentence=sentence,
            d_model=d_model,
            heads=heads,
            seed=state.seed,
            embedding_scale=state.embedding_scale,
        )
        (layer,) = toy_layers(recipe)
        x, _ = token_embeddings(recipe)
        if layer.attention is None:
            raise ExplorerError("The experiment needs a layer with projections, and this one has none.")
        return cls(state, recipe.tokens, max(len(tokens) - MOST_WORDS, 0), d_model, heads, x, layer.attention)

    def function(self, kind: PositionKind, causal: bool) -> Callable[[FloatArray], FloatArray]:
        """Return f: vectors (n, d_model) in, outputs (n, d_model) out."""
        return lambda x: np.asarray(self.attention.project_output(self.attend(x, kind, causal).output))

    def attend(self, x: FloatArray, kind: PositionKind, causal: bool) -> Attention:
        """Return all heads of attention over vectors (n, d_model)."""
        count, encoding = len(x), KINDS[kind]
        q, k, v = self.attention.project(x + encoding.added(self.state, count, self.d_model))
        q, k = (encoding.turned(self.state, part, np.arange(count, dtype=float)) for part in (q, k))
        bias = encoding.bias(self.state, self.heads, count)
        return scaled_dot_product_attention(q, k, v, mask=causal_mask(count) if causal else None, bias=bias)
