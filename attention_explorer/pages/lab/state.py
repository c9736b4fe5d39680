"""Which picture of the Lab page is on show; what it shows is in the other parts of the window's state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.lab.cost_state import CostPicture
from attention_explorer.pages.lab.scores_state import ScalingPicture
from attention_explorer.pages.stack.choices import BlockPicture

_PARTS: dict[type[StrEnum], str] = {ScalingPicture: "scaling", CostPicture: "cost", BlockPicture: "block"}


class LabView(StrEnum):
    """A picture of the page: its name in files, and the picture that it is of a part of the window's state."""

    picture: StrEnum

    def __new__(cls, name: str, picture: StrEnum) -> Self:
        """Return the view of this name, with its picture beside it."""
        view = str.__new__(cls, name)
        view._value_, view.picture = name, picture
        return view

    WHY = "why √d", ScalingPicture.SCORES
    AGAINST = "against d", ScalingPicture.GROWTH
    SOFTMAX = "softmax", ScalingPicture.BENCH
    COST = "cost", CostPicture.LAYER
    GROWTH = "growth", CostPicture.GROWTH
    REACH = "reach", CostPicture.REACH
    INPUTS = "inputs", CostPicture.INPUTS
    NORM = "norm", BlockPicture.NORM
    LINEAR = "linear", BlockPicture.LINEAR
    DEPTH = "depth", BlockPicture.DEPTH

    @property
    def part(self) -> str:
        """The part of the window's state that it shows."""
        return _PARTS[type(self.picture)]


@dataclass(frozen=True, slots=True)
class LabState(CheckedFields):
    """The Lab page: one question at a time. Scores and bench, sizes and layers are parts of the window's state."""

    view: LabView = declared(LabView.WHY, "view", "Which picture is shown", "Show another picture", is_view=True)
