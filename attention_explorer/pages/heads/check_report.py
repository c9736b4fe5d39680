"""What an experiment on the Heads page hands back: a sentence, a few lines, and small tables of true numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numbers_files import as_csv
from attention_explorer.core.numerals import exact, signed, size_text, weight_text
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.sources.source import Ability
from attention_explorer.sources.tutorials import ends_before_w_o

MOST_CHECKED = 512
"""Tokens up to which experiments are done: they compute whole layers several times over."""

MOST_LISTED = 24
"""Rows of a table before the rest is left out."""

ROUNDING = 1e-12
"""Differences below this share of the largest score are rounding."""

Cell = str | float


class Form(StrEnum):
    """How the numbers of a column are written."""

    TEXT = "text"
    WEIGHT = "weight"
    SIGNED = "signed"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class CheckTable:
    """A small table: the first column names, the others are numbers.

    ``bars`` are the lengths, 0…1, of bars drawn behind the name, one a row; empty for none.
    """

    columns: tuple[tuple[str, Form], ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    marked_row: int | None = None
    marked_column: int | None = None
    """A marked row is highlighted; with a column, that cell of it alone."""
    bars: tuple[float, ...] = ()
    more: str = ""
    """What was left out."""

    @property
    def header(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(title for title, _ in self.columns)

    def text(self, row: int, column: int) -> str:
        """Return a cell as it is shown."""
        return cell_text(self.rows[row][column], self.columns[column][1])

    def exact(self, row: int, column: int) -> str:
        """Return a cell with every digit."""
        cell = self.rows[row][column]
        return cell if isinstance(cell, str) else exact(cell)

    def csv(self) -> str:
        """Return the table as CSV, numbers with every digit."""
        return as_csv(self.header, self.rows)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What came out of an experiment: the sentence first, then what it rests on."""

    result: str
    tables: tuple[CheckTable, ...] = ()
    notes: tuple[str, ...] = ()


def cell_text(cell: Cell, form: Form) -> str:
    """Return a cell as it is shown: weights with four decimals, sizes with three digits, scores signed."""
    if isinstance(cell, str):
        return cell
    if math.isnan(cell):
        return "NaN"
    if form is Form.SIGNED:
        return signed(cell, 3)
    return weight_text(cell) if form is Form.WEIGHT else size_text(cell)


def require_size(frame: HeadsFrame) -> None:
    """Refuse frames that are too large, or have nothing, to experiment with.

    Raises
    ------
    ExplorerError
        There are more than 512 tokens, or none, or only weights are known.
    """
    lacking = frame.source.traits.reason_against(Ability.SCORES)
    if lacking:
        raise ExplorerError(lacking)
    longest, shortest = max(frame.shape), min(frame.shape)
    if longest > MOST_CHECKED:
        raise ExplorerError(
            f"The experiments go up to {MOST_CHECKED} tokens, and there are {longest}: shorten the sentence to try "
            "them."
        )
    if shortest == 0:
        raise ExplorerError("There is no token to experiment with: type a sentence.")


def map_of(frame: HeadsFrame, q: FloatArray, k: FloatArray, mask: BoolArray | None) -> QueryKeyMap:
    """Return the map of other queries and keys, (n_q, d_k) and (n_k, d_k), as the setup of a frame makes its own."""
    setup = frame.setup
    scale = None if setup.scaled else 1.0
    return QueryKeyMap(q, k, mask=mask, scale=scale, temperature=setup.temperature, hard=setup.hard)


def within(index: int | None, count: int) -> int | None:
    """Return a pinned row or token if there still is one."""
    return index if index is not None and 0 <= index < count else None


def listed_rows(count: int, around: int | None = None) -> range:
    """Return which of many rows a table lists: the first, or those around one."""
    if count <= MOST_LISTED or around is None:
        return range(min(count, MOST_LISTED))
    first = min(max(around - MOST_LISTED // 2, 0), count - MOST_LISTED)
    return range(first, first + MOST_LISTED)


def left_out(count: int, what: str) -> str:
    """Say how many rows a table leaves out; empty if none."""
    return f"… and {count} more {what}" if count > 0 else ""


def whole_layer(frame: HeadsFrame) -> str:
    """Return what an experiment looks at the output of."""
    if not frame.has_projections:
        return "the output of this head"
    own = " (with this program’s own W_O: the tutorial’s output is A·V)" if ends_before_w_o(frame.setup.recipe) else ""
    several = len(frame.layers) > 1
    return f"the output of {frame.count.layer(frame.layer)}" if several else f"the output of the layer{own}"
