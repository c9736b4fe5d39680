"""How long a setup takes to compute, told beforehand from its sizes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.sources.hand_made import hand_made_heads
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.heads.state import Aggregate, HeadsSetup

QUICK_OPERATIONS = 2.5e7
"""Multiplications that take less than about 20 ms; what takes more is done on a worker."""

OF_A_HEAD = 9e5
"""What calling the functions takes for a head of a few tokens, in multiplications: about 0.6 ms."""
OF_A_DRAWN_NUMBER = 60.0
"""What drawing one number of a projection takes, in multiplications: about 40 ns."""


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
    recipe = setup.recipe
    n_q, n_k = len(recipe.tokens), len(recipe.context_tokens)
    if not isinstance(recipe, ToyRecipe):
        return 8.0 * n_q * n_k * max(n_q, 16)
    width = recipe.heads * recipe.head_width
    drawn = OF_A_DRAWN_NUMBER * 4.0 * recipe.d_model * width
    projections = 3.0 * (n_q + n_k) * recipe.d_model * width
    heads = recipe.heads * OF_A_HEAD + n_q * n_k * (2.0 * width + 60.0 * recipe.heads)
    return recipe.layers * (drawn + projections + heads)


def blocks(setup: HeadsSetup, surveyed: Collection[int] | None = None) -> Blocks:
    """Count the blocks of rows that are computed for a setup, its large picture and the wall of its heads.

    Of the wall, the layers that are ``surveyed``; all of them if not given.
    """
    recipe = setup.recipe
    if isinstance(recipe, ToyRecipe):
        layers, heads = recipe.layers, recipe.heads
    else:
        layers, heads = 1, len(hand_made_heads(recipe))
    a_map = -(-len(recipe.tokens) // rows_of_a_block(len(recipe.context_tokens)))
    looked_at = range(layers) if surveyed is None else surveyed
    run, more = min(setup.layer, layers - 1), max(looked_at, default=0)  # layers below the ones that are looked at
    before = 4 * layers  # projections drawn
    if setup.aggregate is Aggregate.ROLLOUT:
        run = layers - 1
        before += layers * (heads + 1) * a_map  # the weights of every head, and a product of a layer
    return Blocks(before + run * heads * a_map, a_map, (len(looked_at) + max(more - run, 0)) * heads * a_map)
