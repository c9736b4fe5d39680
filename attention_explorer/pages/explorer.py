"""The one immutable value that the window is a function of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from attention_explorer.core.counting import Count
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.block.state import BlockState
from attention_explorer.pages.cost.state import CostState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.lookup import descent, jumps, trail
from attention_explorer.pages.lookup.head_row import HeadRow
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.training.state import TrainingState

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

    def counted(self, count: Count) -> ExplorerState:
        """Return it with layers, heads and tokens numbered in one way on every page."""
        heads = self.heads
        other = None if heads.other is None else _counting(heads.other, count)
        heads = replace(heads, setup=_counting(heads.setup, count), other=other)
        row = None if self.lookup.row is None else _counting(self.lookup.row, count)
        new = replace(
            self,
            lookup=self.lookup if row is self.lookup.row else replace(self.lookup, row=row),
            heads=heads,
            positions=_counting(self.positions, count),
            block=_counting(self.block, count),
            cost=_counting(self.cost, count),
            training=_counting(self.training, count),
        )
        return self if new == self else new

    def followed(self, old: ExplorerState) -> ExplorerState:
        """Return it with what a change from ``old`` leaves behind: trail, descent and jumps of the lookup."""
        if self.lookup == old.lookup:
            return self
        try:
            lookup = descent.kept_by(old.lookup, trail.followed(old.lookup, self.lookup))
            lookup = jumps.counted(old.lookup, lookup)
        except ExplorerError:  # the row of a head that is not there: the page says so
            return self
        return self if lookup is self.lookup else replace(self, lookup=lookup)


Counting = TypeVar("Counting", HeadsSetup, HeadRow, PositionsState, BlockState, CostState, TrainingState)


def _counting(part: Counting, count: Count) -> Counting:
    return part if part.count is count else replace(part, count=count)
