"""The one immutable value that the window is a function of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.state.block.state import BlockState
from attention_explorer.state.cost.state import CostState
from attention_explorer.state.heads.state import HeadsSetup, HeadsState
from attention_explorer.state.lookup import descent, jumps, trail
from attention_explorer.state.lookup.head_row import HeadRow
from attention_explorer.state.lookup.state import LookupState
from attention_explorer.state.positions.state import PositionsState
from attention_explorer.state.scaling.state import ScalingState

PageState: TypeAlias = LookupState | HeadsState | PositionsState | BlockState | ScalingState | CostState | TrainingState
"""What one page shows."""


@dataclass(frozen=True, slots=True)
class ExplorerState(CheckedFields):
    """Everything a person can change and undo, page by page. Small hashable values only, never arrays."""

    lookup: LookupState = field(default_factory=LookupState)
    heads: HeadsState = field(default_factory=HeadsState)
    positions: PositionsState = field(default_factory=PositionsState)
    block: BlockState = field(default_factory=BlockState)
    scaling: ScalingState = field(default_factory=ScalingState)
    cost: CostState = field(default_factory=CostState)
    training: TrainingState = field(default_factory=TrainingState)


def counting(state: ExplorerState, count: Count) -> ExplorerState:
    """Return a state whose layers, heads and tokens are numbered in one way on every page."""
    heads = state.heads
    other = None if heads.other is None else _counting(heads.other, count)
    heads = replace(heads, setup=_counting(heads.setup, count), other=other)
    row = None if state.lookup.row is None else _counting(state.lookup.row, count)
    new = replace(
        state,
        lookup=state.lookup if row is state.lookup.row else replace(state.lookup, row=row),
        heads=heads,
        positions=_counting(state.positions, count),
        block=_counting(state.block, count),
        cost=_counting(state.cost, count),
        training=_counting(state.training, count),
    )
    return state if new == state else new


Counting = TypeVar("Counting", HeadsSetup, HeadRow, PositionsState, BlockState, CostState, TrainingState)


def _counting(part: Counting, count: Count) -> Counting:
    return part if part.count is count else replace(part, count=count)


def followed(old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return ``new`` with what a change from ``old`` leaves behind: trail, descent and jumps of the lookup."""
    if new.lookup == old.lookup:
        return new
    try:
        lookup = descent.kept_by(old.lookup, trail.followed(old.lookup, new.lookup))
        lookup = jumps.counted(old.lookup, lookup)
    except ExplorerError:  # the row of a head that is not there: the page says so
        return new
    return new if lookup is new.lookup else replace(new, lookup=lookup)
