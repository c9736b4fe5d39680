"""Which row of a head a lookup shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from attention_explorer.core.counting import Count
from attention_explorer.core.mask import MaskChoice
from attention_explorer.fields import CheckedFields
from attention_explorer.sources.source import Recipe


@dataclass(frozen=True, slots=True)
class HeadRow(CheckedFields):
    """Names one query of a head, by all that decides the head's numbers.

    It is a reference, not the numbers: the keys that have no name go on counting wherever the query is dragged, and for
    that each of them must be known, which for a long text would be megabytes in every undo step and session file. And
    so no file can hold keys that are not those of its head. `opened_row` finds them.
    """

    recipe: Recipe
    mask: MaskChoice = field(default_factory=MaskChoice)
    scaled: bool = True
    hard: bool = False
    temperature: float = 1.0
    layer: int = 0
    head: int = 0
    row: int = 0
    count: Count = Count.FROM_ONE
    """How layers, heads and tokens are numbered in words; `ExplorerState` has one way for all pages."""
