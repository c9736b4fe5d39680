"""X and the matrices of the first layer as somebody types them: rows of numbers in the place of drawn ones."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from attention_explorer.core.declared import Kind, declared
from attention_explorer.core.numerals import coordinate, parsed_number
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model.arrays import Floats

TypedRows: TypeAlias = tuple[tuple[float, ...], ...]
"""Rows of one length; none where nothing is typed."""
TYPED = {"typed_x": "X", "typed_q": "W_Q", "typed_k": "W_K", "typed_v": "W_V"}
"""The fields of a state that hold such rows, and what they stand for."""
WIDEST_TYPED, MOST_ROWS = 16, 128
"""Features of a token up to which rows are typed, and rows."""
LARGEST = 1e6


def typed_declared(what: str, **said: Any) -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a state that holds typed rows; ``what`` they are."""
    label = what.partition(",")[0]
    return declared(
        (),
        label,
        f"{what}: numbers with commas or spaces between them, a semicolon begins a new row: 1, 0; 0, 1.\n"
        "Empty: drawn from the seed. “Copy as CSV” of a box that has grown gives numbers to begin with.",
        f"Type {label}",
        kind=Kind.LIST,
        low=-LARGEST,
        high=LARGEST,
        most=MOST_ROWS,
        **said,
    )


def rows_text(rows: TypedRows) -> str:
    """Return rows as they are typed: 1, 0; 0, −1."""
    return "; ".join(", ".join(coordinate(number, 17) for number in row) for row in rows)


def parsed_rows(text: str) -> TypedRows:
    """Read rows of numbers; no rows of an empty text.

    Raises
    ------
    ExplorerError
        A number cannot be read or is out of range, there are too many, or rows have different lengths.
    """
    parts = text.replace("\n", ";").split(";")
    rows = tuple(tuple(map(_number, part.replace(",", " ").split())) for part in parts if part.strip(" ,"))
    if len(rows) > MOST_ROWS or max(map(len, rows), default=0) > WIDEST_TYPED:
        raise ExplorerError(f"There is room for {MOST_ROWS} rows of {WIDEST_TYPED} numbers. Type fewer.")
    reason = reason_against_rows(rows)
    if reason:
        raise ExplorerError(f"What is typed {reason}.")
    return rows


def reason_against_rows(rows: TypedRows) -> str:
    """Return why rows make no matrix; empty if they do."""
    counts = [len(row) for row in rows]
    odd = next((place for place, count in enumerate(counts) if count != counts[0]), None)
    if odd is None:
        return ""
    return f"has {counts[0]} numbers in row 1 and {counts[odd]} in row {odd + 1}, but all rows must be of one length"


def checked(name: str, rows: TypedRows, shape: tuple[int, int]) -> Floats:
    """Return typed rows as an array of a shape.

    Raises
    ------
    ExplorerError
        They have another one.
    """
    found = np.array(rows, np.float64)
    if found.shape != shape:
        given = " × ".join(map(str, found.shape))
        raise ExplorerError(
            f"{TYPED[name]} was typed as {given} numbers, but here it has {shape[0]} rows of {shape[1]}: type it so, or"
            " empty its line to have it drawn."
        )
    return found


def _number(word: str) -> float:
    number = parsed_number(word)
    if abs(number) > LARGEST:
        raise ExplorerError(f"{quoted(word)} is out of range: type numbers from −{LARGEST:,.0f} to {LARGEST:,.0f}.")
    return number
