"""Which picture of the Lab page is on show; what it shows is in the other parts of the window's state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields


class LabView(StrEnum):
    """A picture of the page."""

    WHY = "why √d"
    AGAINST = "against d"
    SOFTMAX = "softmax"
    COST = "cost"
    GROWTH = "growth"
    REACH = "reach"
    INPUTS = "inputs"
    NORM = "norm"
    LINEAR = "linear"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class LabState(CheckedFields):
    """The Lab page: one question at a time. Scores and bench, sizes and layers are parts of the window's state."""

    view: LabView = declared(LabView.WHY, "view", "Which picture is shown", "Show another picture", is_view=True)
