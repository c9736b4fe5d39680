"""How long a setup takes to compute, told beforehand from its sizes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup
from attention_explorer.sources.registry import source_of

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
