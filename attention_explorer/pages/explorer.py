"""The one immutable value that the window is a function of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import declared
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.pages import old_names, subject
from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.state import LabState
from attention_explorer.pages.lookup import trail
from attention_explorer.pages.lookup.state import HeadRow, LookupState
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.state import TrainingState

PageState: TypeAlias = (
    LookupState
    | HeadsState
    | PositionsState
    | BlockState
    | ScalingState
    | CostState
    | TrainingState
    | LabState
    | CircuitsState
)
"""What one page shows."""


@dataclass(frozen=True, slots=True)
class ExplorerState(CheckedFields):
    """Everything a person can change and undo, page by page. Small hashable values only, never arrays."""

    lookup: LookupState = declared(
        LookupState, "Lookup", "A query, some keys with their values, and how they are looked up", "Change Lookup"
    )
    heads: HeadsState = declared(
        HeadsState, "Heads", "Where the attention comes from, its mask, and how its maps are shown", "Change Heads"
    )
    positions: PositionsState = declared(
        PositionsState, "Positions", "An encoding of positions, its sizes, and what is shown of it", "Change Positions"
    )
    block: BlockState = declared(
        BlockState, "Layer", "A layer, its parts that can be switched, and what is shown of it", "Change Layer"
    )
    scaling: ScalingState = declared(
        ScalingState, "Scaling", "How scores are drawn, and the softmax bench", "Change Scaling"
    )
    cost: CostState = declared(
        CostState, "Cost", "The sizes of a transformer, and what is shown of their price", "Change Cost"
    )
    training: TrainingState = declared(
        TrainingState, "Training", "What learns, how far it has come, and what is asked of it", "Change Training"
    )
    lab: LabState = declared(LabState, "Lab", "Which picture of the Lab page is on show", "Change Lab")
    circuits: CircuitsState = declared(
        CircuitsState, "Circuits", "A model, what it reads, and what is asked of its heads", "Change Circuits"
    )

    def counted(self, count: Count) -> ExplorerState:
        """Return it with layers, heads and tokens numbered in one way on every page."""
        heads, row = self.heads, self.lookup.row
        parts = (heads.setup, heads.other, row, self.positions, self.block, self.cost, self.training, self.circuits)
        if not [part for part in parts if part is not None and part.count is not count]:
            return self
        other = None if heads.other is None else _counting(heads.other, count)
        return replace(
            self,
            lookup=self.lookup if row is None else replace(self.lookup, row=_counting(row, count)),
            heads=replace(heads, setup=_counting(heads.setup, count), other=other),
            positions=_counting(self.positions, count),
            block=_counting(self.block, count),
            cost=_counting(self.cost, count),
            training=_counting(self.training, count),
            circuits=_counting(self.circuits, count),
        )

    def followed(self, old: ExplorerState) -> ExplorerState:
        """Return it with what a change from ``old`` leaves behind.

        That is trail, descent and jumps of the lookup, the view of Lab that shows a picture just named, and the one
        model of Heads and Layer.
        """
        new = subject.followed(old, old_names.followed(old, self))
        if self.lookup == old.lookup:
            return new
        try:
            lookup = trail.kept_by(old.lookup, trail.followed(old.lookup, self.lookup))
            lookup = trail.counted(old.lookup, lookup)
        except ExplorerError:  # the row of a head that is not there: the page says so
            return new
        return new if lookup is self.lookup else replace(new, lookup=lookup)


Counting = TypeVar("Counting", HeadsSetup, HeadRow, PositionsState, BlockState, CostState, TrainingState, CircuitsState)


def _counting(part: Counting, count: Count) -> Counting:
    return part if part.count is count else replace(part, count=count)
