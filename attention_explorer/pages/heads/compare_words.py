"""A cell, a row and a column of a comparison in words and numbers: A, B and A − B, each under its name.

Rows and columns are the numbers of their tokens: see `AlignedAxis`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import MINUS, readable
from attention_explorer.model import Stage
from attention_explorer.pages.heads.aligned import NONE, joined
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.reading import Reading
from attention_explorer.pages.heads.shown_map import hidden_keys, shown_map
from attention_explorer.pages.heads.wording import isolated, key_name, number_word, one, query_name

NO_CELL = "no such cell"
NO_COUNTERPART = "no counterpart"


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One cell of both maps, at the stage on show."""

    a: float | None
    b: float | None
    difference: float | None
    """A − B; None where there is nothing to subtract."""
    without: tuple[str, str] = ("", "")
    """Why A or B has no number here, or has 0 that is no weight: masked, hidden, no counterpart."""


def compared_cell(comparison: Comparison, row: int, column: int) -> ComparedCell:
    """Return the numbers of a cell as the three maps show them: a masked weight counts as 0, a masked score is none."""
    (a, why_a), (b, why_b) = (_number(comparison, side, _own(comparison, side, row, column)) for side in (0, 1))
    difference = None
    if comparison.view.stage is Stage.WEIGHTS:
        some = not (why_a and why_b) and NO_COUNTERPART not in (why_a, why_b)
        difference = (a or 0.0) - (b or 0.0) if some else None
    elif a is not None and b is not None:
        difference = a - b
    return ComparedCell(a, b, difference, (why_a, why_b))


def _own(comparison: Comparison, side: int, row: int, column: int) -> tuple[int, int] | None:
    """Return which cell of A (side 0) or B (1) that is; None if it has no such cell."""
    own_row, own_column = comparison.rows.in_each(row)[side], comparison.columns.in_each(column)[side]
    return None if own_row is None or own_column is None else (own_row, own_column)


def _number(comparison: Comparison, side: int, cell: tuple[int, int] | None) -> tuple[float | None, str]:
    """Return the number that a map shows in a cell of its own, or why it shows none."""
    frame, view = comparison.frames[side], comparison.view
    if cell is None:
        return None, NO_COUNTERPART
    row, column = cell
    if not frame.map.allowed(one(row), one(column))[0, 0]:
        return None, f"hidden {frame.what_hides(row, column)}"
    if view.stage is Stage.WEIGHTS and hidden_keys(frame, view.hidden)[column]:
        return None, "taken out of the picture"
    return float(shown_map(frame, view).stage(view.stage, one(row), one(column))[0, 0]), ""


# ---- In words ----


def compared_words(comparison: Comparison, row: int, column: int) -> str:
    """Return a cell in one line for the status bar: A, B and A − B, or which of them alone has it."""
    pairs = [_pair(comparison, side, row, column) for side in (0, 1)]
    if not any(pairs):
        return _apart(comparison, row, column)
    cell = compared_cell(comparison, row, column)
    words = [
        f"{number_word(frame, comparison.view.stage)} {readable(number)}" if number is not None else why
        for frame, number, why in zip(comparison.frames, (cell.a, cell.b), cell.without, strict=True)
    ]
    if not all(pairs):
        side = 0 if pairs[0] else 1
        return f"{pairs[side]}: {words[side]}, only in {'AB'[side]}"
    rest = f"A − B {_signed(readable, cell.difference)}"
    if pairs[0] == pairs[1]:
        return f"{pairs[0]}: A {words[0]}; B {words[1]}; {rest}"
    return f"A, {pairs[0]}: {words[0]}; B, {pairs[1]}: {words[1]}; {rest}"


def compared_token_words(comparison: Comparison, number: int, *, is_row: bool) -> str:
    """Return which token a row or a column stands for, by its places in A and in B."""
    axis, name = (comparison.rows, query_name) if is_row else (comparison.columns, key_name)
    said = [
        f"{name(frame, own)} in {letter}"
        for frame, own, letter in zip(comparison.frames, axis.in_each(number), "AB", strict=True)
        if own is not None
    ]
    only = "only " if len(said) == 1 else ""
    return f"{'query' if is_row else 'key'} {only}{' and '.join(said)}" if said else NO_CELL


def _apart(comparison: Comparison, row: int, column: int) -> str:
    """Say of a query that only one has and a key that only the other has that there is no such cell."""
    tokens = _tokens(comparison, row, column)
    if not tokens:
        return NO_CELL
    first, second = ("A", "B") if comparison.rows.in_each(row)[0] is not None else ("B", "A")
    return f"{tokens}: no cell, as the query is only in {first} and the key only in {second}"


def _tokens(comparison: Comparison, row: int, column: int) -> str:
    """Return the tokens of a cell, whoever has them; empty if there is none."""
    names = []
    for axis, number in ((comparison.rows, row), (comparison.columns, column)):
        in_a, in_b = axis.in_each(number)
        if in_a is None and in_b is None:
            return ""
        names.append(axis.a[in_a] if in_a is not None else axis.b[in_b or 0])
    return " → ".join(f"“{isolated(name)}”" for name in names)


def _pair(comparison: Comparison, side: int, row: int, column: int, kind: str = "query ") -> str:
    """Return a cell by the tokens of A (side 0) or B (1); empty if it has no such cell."""
    frame, cell = comparison.frames[side], _own(comparison, side, row, column)
    if cell is None:
        return ""
    return f"{kind}{query_name(frame, cell[0])} → {'key ' if kind else ''}{key_name(frame, cell[1])}"


def _signed(text: Callable[[float], str], difference: float | None) -> str:
    if difference is None:
        return "none"
    return f"{'+' if difference > 0 else MINUS if difference < 0 else ''}{text(abs(difference))}"


# ---- A row or a column ----


@dataclass(frozen=True, slots=True, eq=False)
class ReadSide:
    """The side of a comparison that a row or a column is read from: A, or B where only B has it."""

    letter: str
    frame: HeadsFrame
    rows: Sequence[int]
    """The numbers of its queries."""
    columns: Sequence[int]

    def own(self, number: int | None, *, is_row: bool) -> int | None:
        """Return which of its own tokens has a number; None if none has."""
        numbers = self.rows if is_row else self.columns
        return None if number is None or number not in numbers else numbers.index(number)

    def named(self, reading: Reading) -> Reading:
        """Return a reading of this side that says whose it is."""
        return replace(reading, title=f"{self.letter}: {reading.title}")


def read_side(comparison: Comparison, row: int | None, column: int | None) -> ReadSide:
    """Return the side on which a row is read, or without one a column."""
    axis, number = (comparison.columns, column) if row is None else (comparison.rows, row)
    a, b = comparison.frames
    if number is not None and axis.in_each(number)[0] is None and axis.in_each(number)[1] is not None:
        return ReadSide("B", b, comparison.rows.numbers_of_b, comparison.columns.numbers_of_b)
    return ReadSide("A", a, range(len(a.queries)), range(len(a.keys)))


def compared_table(
    comparison: Comparison, number: int, *, is_row: bool
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the row or column of a token in A, B and A − B as a header and rows, with the place of each in both."""
    axis = comparison.columns if is_row else comparison.rows
    count = comparison.frames[0].count.number
    (a, has_a, shows_a), (b, has_b, shows_b) = (_line(comparison, side, number, is_row=is_row) for side in (0, 1))
    subtracts = has_a & has_b & (shows_a | shows_b) if _is_of_weights(comparison) else shows_a & shows_b
    with np.errstate(over="ignore", invalid="ignore"):  # of scores beyond the float range
        difference = a - b
    numbers = [
        [value if shows else "" for value, shows in zip(values.tolist(), shown.tolist(), strict=True)]
        for values, shown in ((a, shows_a), (b, shows_b), (difference, subtracts))
    ]
    places = [["" if at == NONE else count(at) for at in own.tolist()] for own in (axis.in_a, axis.in_b)]
    word = comparison.view.stage.value.removesuffix("s") if _is_of_weights(comparison) else "score"
    places_of = ("position",) if axis.is_complete else ("position in A", "position in B")
    pairs = zip(axis.tokens(), axis.tokens(of_b=True), strict=True)
    tokens = [joined(first) if first == second else joined(first, second) for first, second in pairs]
    rows: list[tuple[object, ...]] = list(zip(tokens, *places[: len(places_of)], *numbers, strict=True))
    return ("token", *places_of, f"A {word}", f"B {word}", "A − B"), rows


def _line(comparison: Comparison, side: int, number: int, *, is_row: bool) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return a row or column of a map over the tokens of both: numbers, which cells it has, which it shows, (m,) each.

    Where it shows none, the number is 0.
    """
    frame, view = comparison.frames[side], comparison.view
    line, across = (comparison.rows, comparison.columns) if is_row else (comparison.columns, comparison.rows)
    own, places = line.in_each(number)[side], across.in_b if side else across.in_a
    values, has = np.zeros(len(places)), (places != NONE) & (own is not None)
    if own is None:
        return values, has, has
    at = (one(own), slice(None)) if is_row else (slice(None), one(own))
    allowed = frame.map.allowed(*at).ravel()
    if _is_of_weights(comparison):
        left_out = hidden_keys(frame, view.hidden)
        allowed = allowed & ~(left_out if is_row else left_out[own])
    shows = has & allowed[places]
    values[shows] = shown_map(frame, view).stage(view.stage, *at).ravel()[places[shows]]
    return values, has, shows


def _is_of_weights(comparison: Comparison) -> bool:
    return comparison.view.stage is Stage.WEIGHTS
