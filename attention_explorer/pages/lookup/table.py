"""The exact numbers of a lookup as rows and columns: coordinates that can be typed, and everything computed of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial

from attention_explorer.core.numerals import compact, coordinate
from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import QUERY, REST, LookupState, Part, ValueKind


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    X = 1
    Y = 2
    LENGTH = 3
    SCORE = 4
    COSINE = 5
    WEIGHT = 6
    VALUE_X = 7
    VALUE_Y = 8
    CONTRIBUTION = 9


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of the table.

    Attributes
    ----------
    text : str
        How it is written.
    ink : str
        A field of `Theme`.
    is_bold : bool
        Whether its letters are bold.
    number : float or None
        What it shows, with every digit; None if it has no number, or more than one.
    edits : (Part, int) or None
        The part that typing moves, and which of its coordinates.
    tip : str
        What else there is to say of it.
    """

    text: str = ""
    ink: str = "text"
    is_bold: bool = False
    number: float | None = None
    edits: tuple[Part, int] | None = None
    tip: str = ""


def parts_of(state: LookupState) -> tuple[Part | None, ...]:
    """Return of what the rows are: query, keys, the target where it is shown, and None for the output."""
    return (*(part for part in state.parts() if part.role is not Role.VALUE), None)


def cells_of(frame: LookupFrame, *, is_withheld: bool = False) -> list[list[TableCell]]:
    """Return the rows of the table; where it is withheld, with “?” for all that is computed."""
    rows = []
    for part in parts_of(frame.state):
        found = _output_cells(frame) if part is None else _part_cells(frame, part)
        if is_withheld:
            given = (Column.NAME,) if part is None else (Column.NAME, *_COORDINATES)
            found |= {
                column: TableCell("?", was.ink, was.is_bold) for column, was in found.items() if column not in given
            }
        rows.append([found.get(column, TableCell()) for column in Column])
    return rows


_COORDINATES = (Column.X, Column.Y, Column.VALUE_X, Column.VALUE_Y)


def _output_cells(frame: LookupFrame) -> dict[Column, TableCell]:
    total, output = float(frame.weights.sum()), frame.output.tolist()
    found = {Column.NAME: TableCell("o"), Column.WEIGHT: TableCell(_weight(total), number=total)}
    found |= {Column(Column.X + axis): _signed(at) for axis, at in enumerate(output)}
    found[Column.CONTRIBUTION] = TableCell(_sum(output))
    return {column: replace(cell, ink="output_ink", is_bold=True) for column, cell in found.items()}


def _part_cells(frame: LookupFrame, part: Part) -> dict[Column, TableCell]:
    """Return what there is to say of the query, a key or the target."""
    state, index = frame.state, part.index
    is_key, is_fixed = part.role is Role.KEY, state.is_fixed(part)
    token = frame.row.names[index] if frame.row is not None and is_key else ""
    ink = "loss_ink" if part.role is Role.TARGET else f"{part.role}_ink"
    place = state.position(part)[: 1 if state.on_number_line(part) else 2]
    found = {Column.NAME: TableCell(part.symbol, ink, is_bold=True, tip=token)}
    # Those of a head are computed, with more digits than anybody would type.
    found |= _coordinates(Column.X, place, compact if is_fixed else coordinate, None if is_fixed else part)
    if part == QUERY:
        found[Column.LENGTH] = TableCell(compact(frame.query_length), number=frame.query_length)
    return found | _key_cells(frame, index) if is_key else found


def _key_cells(frame: LookupFrame, index: int) -> dict[Column, TableCell]:
    """Return what is computed of a key, and its value."""
    part, is_tied = Part(Role.VALUE, index), frame.state.values is ValueKind.KEYS
    is_fixed, ink = frame.state.is_fixed(part), "muted" if is_tied else "value_ink"
    shown = compact if is_fixed else partial(coordinate, digits=5)
    length, weight = float(frame.key_lengths[index]), float(frame.weights[index])
    return {
        Column.LENGTH: _cell(length, compact(length)),
        Column.SCORE: _signed(math.nan if index == REST else float(frame.scores[index])),
        Column.COSINE: _signed(float(frame.cosines[index])),
        Column.WEIGHT: TableCell(_weight(weight), number=weight),
        **_coordinates(Column.VALUE_X, frame.values[index].tolist(), shown, None if is_tied or is_fixed else part, ink),
        Column.CONTRIBUTION: TableCell(_sum(frame.contributions[index].tolist()), "value_ink"),
    }


def _coordinates(
    first: Column, numbers: Sequence[float], shown: Callable[[float], str], part: Part | None, ink: str = "text"
) -> dict[Column, TableCell]:
    """Return coordinates from a column on; of a ``part`` they are typed."""
    return {
        Column(first + axis): TableCell(shown(number), ink, number=number, edits=None if part is None else (part, axis))
        for axis, number in enumerate(numbers)
    }


def _signed(number: float) -> TableCell:
    return _cell(number, compact(number, sign=True))


def _cell(number: float, text: str) -> TableCell:
    return TableCell("–" if math.isnan(number) else text, number=number)


def _weight(number: float) -> str:
    return f"{number:.6f}" if number >= 1e-6 or number == 0 else f"{number:.2e}"


def _sum(row: list[float]) -> str:
    text = ", ".join(compact(number, sign=True) for number in row)
    return text if len(row) == 1 else f"({text})"
