"""What the pictures of what attention costs share."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.items.item import Arrays
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.pages.lab.cost_export import cost_numbers
from attention_explorer.pages.lab.cost_growth import GrowthPicture
from attention_explorer.pages.lab.cost_layer import LayerPicture
from attention_explorer.pages.lab.cost_state import LONGEST, CostState
from attention_explorer.pages.lab.inputs import InputsPicture
from attention_explorer.pages.lab.reach import ReachPicture

N = TypeVar("N", LayerPicture, GrowthPicture, ReachPicture, InputsPicture)

_POWERS = {round(2 ** (step / 2)) for step in range(2 * LONGEST.bit_length() - 1)}
LENGTHS = tuple(sorted(_POWERS | {10**power for power in range(1, 8)}))
"""Numbers of tokens at which a drag stops."""


class Counted(Picture[CostState, N]):
    """A picture of numbers that say why there are none, and that are written to files."""

    def reason(self, numbers: N) -> str:
        return numbers.reason

    def arrays(self, numbers: N) -> Arrays:
        found = cost_numbers(numbers).arrays
        return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def with_tokens(state: CostState, n: Any) -> Change[CostState]:  # noqa: ANN401 # as the item says
    """Return the state with another number of tokens."""
    new = state.with_sizes(n=round(n))
    return Change(new, f"Change n to {grouped(new.n)}", "n")
