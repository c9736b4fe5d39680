"""What the pictures of the Positions page share: keys, what goes to the worker, and what files hold."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Qt

from attention_explorer.core.numbers_export import Table
from attention_explorer.kit.items.numbered_map import NumberedMap
from attention_explorer.kit.picture import Arrays, Change, Hit, Picture
from attention_explorer.pages.positions import encoding
from attention_explorer.pages.positions.clocks import ClocksPicture
from attention_explorer.pages.positions.encoding import EncodingPicture, NumberMap
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import PositionsState

N = TypeVar("N")
E = TypeVar("E", EncodingPicture, ClocksPicture)

QUICK_NUMBERS = 2**17
"""An encoding of so many numbers, 512 × 256, takes less than about 15 ms; larger ones are computed on the worker."""
FEW_NUMBERS = 2**15
"""The same for pictures that multiply all rows by all rows."""
PAGE_STEP = 10
MOVE = "Move the position"
_STEPS: dict[int, int] = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -PAGE_STEP,
    Qt.Key.Key_PageDown: PAGE_STEP,
}

Changed = Change[PositionsState] | None


def has_few(state: PositionsState, most: int = QUICK_NUMBERS) -> bool:
    """Whether an encoding has too few numbers to trouble the worker with it."""
    return state.length * state.d_model <= most


has_very_few = partial(has_few, most=FEW_NUMBERS)


def has_few_or_is_sampled(state: PositionsState) -> bool:
    """Whether the same holds, or only samples are drawn: a learned encoding alone has to be drawn whole."""
    return not kind_of(state).is_drawn or has_few(state)


def moved(state: PositionsState, position: int) -> Change[PositionsState]:
    """Return that another position is looked at."""
    return Change(state.with_position(position), MOVE, "position p")


def map_of(
    name: str, numbers: NumberMap, heading: str = "", *, detail: str = "", row: int | None = None
) -> NumberedMap:
    """Return the item that shows a map of numbers."""
    return NumberedMap(
        name,
        numbers.picture,
        numbers.rows,
        numbers.columns,
        numbers.row_count,
        numbers.column_count,
        heading,
        detail,
        numbers.badge,
        row,
    )


class OfPosition(Picture[PositionsState, N]):
    """A picture in which one position is looked at."""

    uses_pixels = True

    def is_step(self, shown: PositionsState, wanted: PositionsState) -> bool:
        """Whether only the position has moved: what takes long is kept from the time before."""
        return replace(shown, position=wanted.position) == wanted

    def press(self, state: PositionsState, numbers: N, key: int) -> Changed:
        """Move the position."""
        if self.reason(numbers):
            return None
        here, last = state.position_shown, state.length - 1
        to = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(Qt.Key(key), here + _STEPS.get(key, 0))
        return moved(state, to) if state.with_position(to).position != here else None


class OfEncoding(OfPosition[E]):
    """A picture of the encoding itself, whose numbers are those of files."""

    is_quick = staticmethod(has_few_or_is_sampled)

    def arrays(self, numbers: E) -> Arrays:
        return encoding.encoding_arrays(numbers.state)

    def lines(self, numbers: E) -> Table:
        return encoding.encoding_table(numbers.state)

    def told(self, numbers: E) -> dict[str, object]:
        return {"axes": encoding.axes_of(numbers.state), "settings": encoding.settings(numbers.state)}


def is_in(hit: Hit, name: str) -> bool:
    """Whether an item was hit at a row and a column of it, one of which may be beside it."""
    return hit.item == name and isinstance(hit.part, tuple)
