"""The encodings there are: a name in files and programs, and the class that says all about it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from attention_explorer.pages.positions.kinds.alibi import Alibi
from attention_explorer.pages.positions.kinds.kind import PositionEncoding
from attention_explorer.pages.positions.kinds.learned import Learned
from attention_explorer.pages.positions.kinds.none import NoEncoding
from attention_explorer.pages.positions.kinds.partial_rotary import PartialRotary
from attention_explorer.pages.positions.kinds.rotary import Rotary
from attention_explorer.pages.positions.kinds.sinusoidal import Sinusoidal

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class PositionKind(StrEnum):
    """How a transformer is told where a token stands."""

    NONE = "none"
    SINUSOIDAL = "sinusoidal"
    LEARNED = "learned"
    ROTARY = "rotary"
    ALIBI = "ALiBi"
    PARTIAL = "partial rotary"


KINDS: dict[PositionKind, PositionEncoding] = {
    PositionKind.NONE: NoEncoding(),
    PositionKind.SINUSOIDAL: Sinusoidal(),
    PositionKind.LEARNED: Learned(),
    PositionKind.ROTARY: Rotary(),
    PositionKind.ALIBI: Alibi(),
    PositionKind.PARTIAL: PartialRotary(),
}


def kind_of(state: PositionsState) -> PositionEncoding:
    """Return the encoding of a state."""
    return KINDS[state.kind]
