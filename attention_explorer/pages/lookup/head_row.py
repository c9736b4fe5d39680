"""Which row of a head a lookup shows."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from attention_explorer.core.counting import MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.temperature import temperature_declared
from attention_explorer.fields import CheckedFields
from attention_explorer.sources.source import Recipe


@dataclass(frozen=True, slots=True)
class HeadRow(CheckedFields):
    """Names one query of a head, by all that decides the head's numbers.

    It is a reference, not the numbers: the keys that have no name go on counting wherever the query is dragged, and for
    that each of them must be known, which for a long text would be megabytes in every undo step and session file. And
    so no file can hold keys that are not those of its head. `opened_row` finds them.
    """

    recipe: Recipe = declared(
        MISSING, "source", "Where the attention comes from", "Open another source", kind=Kind.REFERENCE
    )
    mask: MaskChoice = declared(MaskChoice, "mask", "Which keys a query may attend to", "Change the mask")
    scaled: bool = declared(True, "÷√d_k", "Whether its scores are divided by √d_k", "Switch ÷√d_k")
    hard: bool = declared(
        False, "lookup", "Whether the best key takes all", "Switch soft and hard", names={"off": "Soft", "on": "Hard"}
    )
    temperature: float = temperature_declared()
    layer: int = declared(0, "layer", "The layer of the head", "Choose another head", high=MOST_WISHED)
    head: int = declared(0, "head", "The head in its layer", "Choose another head", high=MOST_WISHED)
    row: int = declared(0, "row", "The query whose row it is", "Choose another row", high=2**31)
    count: Count = count_declared()
