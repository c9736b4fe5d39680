"""What lessons can ask of the Positions page besides its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_explorer.core.named import (
    ExpressionError,
    Member,
    Members,
    Shown,
    number_of,
)
from attention_explorer.model import alibi_slopes
from attention_explorer.pages.positions.clocks import ClocksPicture, clocks_picture
from attention_explorer.pages.positions.order import order_picture
from attention_explorer.pages.positions.similarity import similarity_picture
from attention_explorer.pages.positions.state import PositionsState


def positions_members(state: PositionsState) -> Members:
    """Return what is known of the encoding on show."""

    def hands() -> ClocksPicture:
        picture = clocks_picture(state, (0, 0))
        if picture.reason:
            raise ExpressionError(picture.reason)
        return picture

    def clocks(read: Callable[[ClocksPicture], Any], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(hands()), lambda *i: f"{words} {number_of(i)}".strip())

    def slope() -> float:
        return float(alibi_slopes(state.heads)[state.head_shown])

    def curve() -> Shown:
        found = similarity_picture(state).curve
        if found is None:
            raise ExpressionError("this kind of encoding has no vectors to compare")
        return Shown(found, lambda *i: f"how alike two positions are that are {i[0]} apart" if i else "how alike")

    return {
        "angles": clocks(lambda c: c.angles, "the angle at the position, in radians, of hand"),
        "advances": clocks(lambda c: c.advances, "what the shift adds to the angle, in radians, of hand"),
        "wavelengths": clocks(lambda c: c.lengths, "after how many positions it is round, hand"),
        "alike": curve,
        "is_equivariant": lambda: Shown(
            (lambda picture: picture.outcomes[picture.shown].is_equivariant)(order_picture(state)),
            "whether shuffled words give the same outputs, shuffled",
        ),
        "slope": lambda: Shown(slope(), "what ALiBi takes off a score for each position"),
        "penalty": lambda: Shown(slope() * state.shift_shown, "what ALiBi takes off so far away"),
    }
