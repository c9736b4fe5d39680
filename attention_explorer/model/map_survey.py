"""Maps at a glance: of each a small picture, what it does in a few numbers, and how much it follows known patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.model.map_summary import MapSummary, RowBlock, SummaryPass
from attention_explorer.model.patterns import Pattern, PatternPass, PatternScore
from attention_explorer.model.pooling import Pooled, TilePool

Blocks: TypeAlias = Iterable[tuple[int, RowBlock]]
"""Blocks of rows, each with how many rows came before."""


class HasBlocks(Protocol):
    """What is surveyed, as an `AttentionMap`."""

    @property
    def shape(self) -> tuple[int, int]:
        """n_q, n_k."""

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Of its weights."""

    def blocks(self) -> Iterator[tuple[int, RowBlock]]:
        """Compute all rows, a block at a time."""

    @property
    def kind(self) -> tuple[object, ...] | None:
        """What it has in common with those that `block_of` computes together with it, if anything."""

    def block_of(self, maps: Sequence[Any]) -> RowBlock:
        """Compute all rows of several small ones of its kind as one block."""


class MapSurvey(NamedTuple):
    """A map at a glance.

    Attributes
    ----------
    pooled : Pooled
        Its weights as a picture, as ``pooled(Stage.WEIGHTS, height, width)`` gives it.
    summary : MapSummary
        As ``summary()``.
    patterns : mapping
        As ``patterns(tokens, context_tokens)``; empty where none were asked for.
    """

    pooled: Pooled
    summary: MapSummary
    patterns: Mapping[Pattern, PatternScore]


def surveys(
    maps: Sequence[HasBlocks],
    height: int,
    width: int,
    tokens: Sequence[str] | None = None,
    context_tokens: Sequence[str] | None = None,
) -> Iterator[MapSurvey]:
    """Survey maps of one shape: small ones together, as further rows of one array, which is many times as fast.

    Parameters
    ----------
    maps : sequence of AttentionMap
        Any number of them.
    height, width : int
        How many tiles a picture may have each way, at least 1.
    tokens, context_tokens : sequence of str, optional
        As `PatternPass` takes them.

    Yields
    ------
    MapSurvey
        Of each map in its turn.

    Raises
    ------
    ArrayError
        If a size is below 1, there are not as many tokens, or what a map was made of holds no weights.
    """
    for shape, dtype, blocks in _together(maps):
        tiles, taken = TilePool(shape, height, width, dtype, by_magnitude=False), SummaryPass(shape)
        patterns = None if tokens is None else PatternPass(shape, tokens, context_tokens)
        for offset, block in blocks:
            tiles.add(offset, block.weights if block.shown is None else block.shown, block.allowed)
            if patterns is not None:
                patterns.add(block)
            taken.add(block)
        summaries = taken.summaries()
        pictures = (part.reshape(len(summaries), *part.shape[-2:]) for part in tiles.pooled(0.0))
        found = [{}] * len(summaries) if patterns is None else patterns.scores_of_maps()
        yield from map(MapSurvey, map(Pooled, *pictures), summaries, found)


def _together(
    maps: Sequence[HasBlocks],
) -> Iterator[tuple[tuple[int, ...], np.dtype[Any], Blocks]]:
    """Yield the blocks of maps of one shape: of small maps, one block of as many as a long map would have there."""
    for start in range(0, len(maps), at_once := _at_once(maps)):
        some = maps[start : start + at_once]
        if at_once == 1:
            yield some[0].shape, some[0].dtype, some[0].blocks()
            continue
        for (dtype, kind), alike in groupby(some, lambda map_: (map_.dtype, map_.kind)):
            for block in _stacked(list(alike), is_one_kind=kind is not None):
                yield block.weights.shape, dtype, ((0, block),)


def _stacked(maps: Sequence[HasBlocks], *, is_one_kind: bool) -> Iterator[RowBlock]:
    """Yield all rows of small maps as blocks (maps, n_q, n_k), as few as there can be."""
    if is_one_kind:
        for _ in maps:
            checkpoint()
        yield maps[0].block_of(maps)
        return
    blocks = (block for map_ in maps for _, block in map_.blocks())
    for _, alike in groupby(blocks, lambda block: block.kind):
        yield RowBlock.stacked(list(alike))


def _at_once(maps: Sequence[HasBlocks]) -> int:
    """Return how many maps of one shape fit into a block."""
    n_q, n_k = maps[0].shape if maps else (0, 0)
    return max(rows_of_a_block(n_k) // n_q, 1) if n_q else 1
