"""The one immutable value that the window is a function of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from attention_explorer.fields import CheckedFields
from attention_explorer.state.block.state import BlockState
from attention_explorer.state.cost.state import CostState
from attention_explorer.state.heads.state import HeadsState
from attention_explorer.state.lookup import jumps, trail
from attention_explorer.state.lookup.state import LookupState
from attention_explorer.state.positions.state import PositionsState
from attention_explorer.state.scaling.state import ScalingState

PageState: TypeAlias = LookupState | HeadsState | PositionsState | BlockState | ScalingState | CostState
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


def followed(old: ExplorerState, new: ExplorerState) -> ExplorerState:
    """Return ``new`` with what a change leaves behind on its way from ``old``: the trail of the lookup, its jumps."""
    if new.lookup == old.lookup:
        return new
    lookup = jumps.counted(old.lookup, trail.followed(old.lookup, new.lookup))
    return new if lookup is new.lookup else replace(new, lookup=lookup)
