"""The numbers of the Heads page: a pure function of its setup, shared by every picture, card and export of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.counting import Count
from attention_explorer.core.mask import mask_of, what_hides
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model import (
    ArrayMap,
    AttentionMap,
    CombinedMap,
    QueryKeyMap,
    rollout,
)
from attention_explorer.model.arrays import Floats
from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.masked_layers import layers_and_mask, left_out, words_of_mask
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Source
from attention_explorer.sources.token_names import numbered_tokens

BoolArray = np.typing.NDArray[np.bool_]

MOST_FOR_ROLLOUT = 1024
"""Tokens up to which a rollout is computed: it multiplies whole matrices."""

MOST_MASKED = 2**24
"""Cells of a map up to which a mask of its own is held as a whole: 4096 tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadsFrame:
    """Every map of a setup, and the one in the large picture. Nothing of size n² is computed before it is asked for."""

    setup: HeadsSetup
    """As the source carries it out: see `resolved`."""
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    layers: Sequence[Layer]
    """Each is run when it is first looked at."""
    mask: BoolArray | None  # (n_q, n_k), True = may attend
    layer: int  # the setup's, held within what the source has
    head: int
    map: AttentionMap

    @property
    def is_cross(self) -> bool:
        """Whether the keys come from a second sentence."""
        return self.source.is_cross

    @property
    def visible(self) -> npt.NDArray[np.intp]:
        """How many keys each query sees (n_q,)."""
        return keys_seen(self.mask, self.shape)

    @property
    def exact_tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens of queries and keys to the letter, for files; `queries` and `keys` are what is drawn."""
        exact = self.source.tokens, self.source.context_tokens
        return numbered_tokens(self.source, exact, self.count)

    @property
    def source(self) -> Source[Any]:
        """What the attention comes from."""
        return source_of(self.setup.recipe)

    @property
    def count(self) -> Count:
        """How layers, heads and tokens are numbered."""
        return self.setup.count

    @property
    def has_projections(self) -> bool:
        """Whether queries, keys and values are projected from what goes in."""
        return self.layers[self.layer].attention is not None

    @property
    def is_one_head(self) -> bool:
        """Whether the large picture shows a single head, which has queries, keys and scores."""
        return self.setup.aggregate is Aggregate.ONE

    @property
    def aggregate(self) -> Aggregate:
        """What the large picture shows: the setup's choice, or the mean where a rollout cannot be computed."""
        chosen = self.setup.aggregate
        return chosen if chosen is not Aggregate.ROLLOUT or can_roll_out(self.layers) else Aggregate.MEAN

    @property
    def mask_words(self) -> str:
        """Which masks there are, in words: that of the weights themselves, and that of the setup; empty if none."""
        return ", ".join(filter(None, (self.source.mask_words(), words_of_mask(self.source, self.setup.mask))))

    def what_hides(self, row: int, column: int) -> str:
        """Return by what a hidden cell is hidden: by hand, by the causal mask."""
        own, chosen = self.source.mask_words(), mask_of(self.setup.mask, *self.shape)
        if own and (chosen is None or chosen[row, column]):
            return f"by the mask: {own}"
        return what_hides(self.setup.mask, (row, column))

    @property
    def rows_are_distributions(self) -> bool:
        """Whether every row of the large picture's map sums to 1, or is zero with nothing to attend to.

        The largest of several heads sums to more. A rollout loses what queries with nothing to attend to take up.
        """
        if self.aggregate is Aggregate.MAX:
            return len(heads_in(self.setup, self.layers, self.layer)) == 1
        if self.aggregate is not Aggregate.ROLLOUT or self.mask is None or self.mask.any(axis=1).all():
            return True
        totals = self.map.row_summary().total
        return bool(np.all((totals == 0.0) | (np.abs(totals - 1.0) < 1e-6)))

    @property
    def shape(self) -> tuple[int, int]:
        """n_q, n_k."""
        return len(self.queries), len(self.keys)

    @property
    def heads(self) -> int:
        """How many heads the layer on show has."""
        return self.source.heads[self.layer]

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """(layer, head) of every head, layer by layer; known without running any."""
        return places_of(self.source.heads)

    @property
    def head_map(self) -> AttentionMap:
        """The map of the head chosen, also while an aggregate is shown."""
        return self.layers[self.layer].maps[self.head]

    @property
    def query_key_map(self) -> QueryKeyMap:
        """The map of the head chosen, with the queries and keys behind it.

        Raises
        ------
        ExplorerError
            Only its weights are known.
        """
        if not isinstance(self.head_map, QueryKeyMap):
            raise ExplorerError(self.source.traits.reason_against(Ability.SCORES))
        return self.head_map

    @property
    def head_width(self) -> int:
        """d_k."""
        return int(self.layers[self.layer].queries_and_keys[0].shape[-1])


@lru_cache(maxsize=16)
def places_of(heads: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return (layer, head) of every head, by how many each layer has."""
    return tuple((layer, head) for layer, count in enumerate(heads) for head in range(count))


def keys_seen(mask: BoolArray | None, shape: tuple[int, int]) -> npt.NDArray[np.intp]:
    """Return how many keys each query sees (n_q,), by the mask of a map of a shape, if there is one."""
    n_q, n_k = shape
    return np.full(n_q, n_k) if mask is None else mask.sum(axis=1)


@kept
def heads_frame(setup: HeadsSetup) -> HeadsFrame:
    """Compute what a setup needs; cached, so that all its readers share one computation.

    Raises
    ------
    ExplorerError
        The recipe cannot be carried out; the message says why.
    """
    source = source_of(setup.recipe)
    source.open()
    setup = resolved(setup)
    how = setup.mask, setup.scaled, setup.temperature, setup.hard
    layers, mask = layers_and_mask(setup.recipe, *how, heads_run_without(setup))
    layer = min(setup.layer, len(layers) - 1)
    head = min(setup.head, len(layers[layer].maps) - 1)
    shown = _shown_map(setup, layers, layer, head)
    if source.mask_words():
        mask = _own_mask(shown if isinstance(shown, CombinedMap) else layers[layer].maps[head])
    return HeadsFrame(setup, *numbered_tokens(source, source.labels, setup.count), layers, mask, layer, head, shown)


def frame_to_show(setup: HeadsSetup) -> HeadsFrame:
    """Compute what a setup needs for a picture of it.

    Raises
    ------
    ExplorerError
        The recipe cannot be carried out, or there is no token to draw; the message says why.
    """
    frame = heads_frame(setup)
    for which, tokens in (("sentence", frame.queries), ("second sentence", frame.keys)):
        if not tokens:
            raise ExplorerError(f"The {which} has no words: there is nothing to attend to. Type at least one.")
    return frame


OTHER = "B, the setup kept for comparison"
"""How the reason begins why there is no comparison, where that is not the fault of A."""


def other_frame(heads: HeadsState) -> HeadsFrame:
    """Compute B, with which a state is compared; where none is kept, the setup itself.

    Raises
    ------
    ExplorerError
        B cannot be computed; the message says that it is B, and why.
    """
    other = other_setup(heads)
    if other is None:
        return frame_to_show(heads.setup)
    try:
        return frame_to_show(other)
    except ExplorerError as error:
        raise ExplorerError(f"{OTHER}: {error} Choose another B: “Keep as B” takes the setup as it is now.") from error


def heads_run_without(setup: HeadsSetup) -> frozenset[tuple[int, int]]:
    """Return which heads the layers of a setup are computed without: those that are off, where a source can do that."""
    return left_out(setup.recipe, setup.switched_off)


def _shown_map(setup: HeadsSetup, layers: Sequence[Layer], layer: int, head: int) -> AttentionMap:
    if setup.aggregate is Aggregate.ONE:
        return layers[layer].maps[head]
    if setup.aggregate is Aggregate.ROLLOUT and can_roll_out(layers):
        per_layer = [_mean_weights(heads_in(setup, layers, number)) for number in range(len(layers))]
        return ArrayMap(rollout(per_layer, identity=setup.identity))
    return CombinedMap(heads_in(setup, layers, layer), largest=setup.aggregate is Aggregate.MAX)


def _own_mask(map_: AttentionMap) -> BoolArray | None:
    """Return who may attend to whom, where a mask belongs to the weights; None if nothing is hidden."""
    if map_.n_q * map_.n_k > MOST_MASKED:
        return None
    try:
        allowed = map_.allowed()
    except ArrayError:  # what is wrong with the weights is said where they are wanted
        return None
    return None if allowed.all() else allowed


def _mean_weights(maps: tuple[AttentionMap, ...]) -> Floats:
    """Average the weights of some heads, (n_q, n_k), with no more than two heads in memory at a time."""
    total = np.array(maps[0].weights())
    for map_ in maps[1:]:
        total += map_.weights()
    return total / len(maps)


def can_roll_out(layers: Sequence[Layer]) -> bool:
    """Whether a rollout can be computed: it needs square maps that are not too large."""
    n_q, n_k = layers[0].maps[0].shape
    return n_q == n_k and n_q <= MOST_FOR_ROLLOUT


def heads_in(setup: HeadsSetup, layers: Sequence[Layer], layer: int) -> tuple[AttentionMap, ...]:
    """Return the maps of a layer that are switched on; all of them where none is."""
    maps = layers[layer].maps
    return tuple(maps[head] for head in heads_on(setup, len(maps), layer))


def heads_on(setup: HeadsSetup, heads: int, layer: int) -> tuple[int, ...]:
    """Return which of so many heads of a layer are switched on; all of them where none is."""
    on = tuple(head for head in range(heads) if (layer, head) not in setup.switched_off)
    return on or tuple(range(heads))


def head_name(frame: HeadsFrame, layer: int, head: int) -> str:
    """Return what a head is called: its number, as the setup counts, or what it was made for."""
    own = frame.source.head_name(layer, head)
    if own:
        return own
    return frame.count.place(layer, head) if len(frame.layers) > 1 else frame.count.head(head)


# ---- How long it takes ----


QUICK_OPERATIONS = 2.5e7
"""Multiplications that take less than about 20 ms; what takes more is done on a worker."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """How many checkpoints are passed on the way, in the three parts of the work."""

    frame: int
    picture: int
    wall: int

    @property
    def all(self) -> int:
        """All of them, at least 1."""
        return max(self.frame + self.picture + self.wall, 1)


def is_quick(setup: HeadsSetup) -> bool:
    """Whether a setup, its large picture and the wall of its heads are computed before anybody has to wait."""
    return operations(setup) <= QUICK_OPERATIONS


def operations(setup: HeadsSetup) -> float:
    """Estimate the work of a setup and of the wall of its heads, in multiplications."""
    return source_of(setup.recipe).operations()


def blocks(setup: HeadsSetup, surveyed: Collection[int] | None = None) -> Blocks:
    """Count the blocks of rows that are computed for a setup, its large picture and the wall of its heads.

    Of the wall, the layers that are ``surveyed``; all of them if not given.
    """
    recipe = setup.recipe
    source = source_of(recipe)
    of_layers = source.heads
    layers, heads = len(of_layers), max(of_layers)
    a_map = -(-len(source.tokens) // rows_of_a_block(len(source.context_tokens)))
    looked_at = range(layers) if surveyed is None else surveyed
    run, more = min(setup.layer, layers - 1), max(looked_at, default=0)  # layers below the ones that are looked at
    before = source.checkpoints() + 4 * layers  # projections drawn
    if setup.aggregate is Aggregate.ROLLOUT:
        run = layers - 1
        before += layers * (heads + 1) * a_map  # the weights of every head, and a product of a layer
    return Blocks(before + run * heads * a_map, a_map, (len(looked_at) + max(more - run, 0)) * heads * a_map)
