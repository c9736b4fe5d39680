"""What setting a field of the Positions page changes besides the field, and how lists of dimensions are typed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from attention_explorer.core.declared import with_value
from attention_explorer.core.numerals import coordinate
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.positions.state import MOST_WAVES, PositionsState


def changed(state: PositionsState, name: str, value: Any) -> PositionsState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, held within its range.

    Raises
    ------
    ExplorerError
        It cannot hold that; the message says why.
    """
    match name:
        case "position":
            return state.with_position(round(value))
        case "shift":
            return state.with_shift(round(value))
        case "length" | "d_model" | "heads":
            return state.with_sizes(**{name: value})
        case "base":
            return state.with_base(value)
        case "query_position":
            return replace(state, query_position=min(max(round(value), 0), state.length - 1))
        case "head_number":
            return replace(state, head=max(state.count.index_of(round(value)), 0))
        case "scaled_by_root":
            return replace(state, embedding_scale=math.sqrt(state.d_model) if value else 1.0)
        case "dimensions":
            typed = isinstance(value, str)
            return replace(state, dimensions=parsed_dimensions(value, state.d_model) if typed else value)
    return with_value(state, name, value)


# ---- Dimensions as people type them ----


def dimensions_text(dimensions: tuple[int, ...]) -> str:
    """Return dimensions as they stand in their field."""
    return ", ".join(map(str, dimensions))


def parsed_dimensions(text: str, d_model: int) -> tuple[int, ...]:
    """Read dimensions as people type them: "0, 1 8;32".

    Raises
    ------
    ExplorerError
        One is no whole number from 0 to below ``d_model``, or there are too many.
    """
    parts = text.replace(",", " ").replace(";", " ").split()
    for part in parts:
        if not (part.isdecimal() and len(part) < 10 and int(part) < d_model):
            last = coordinate(d_model - 1)
            wanted = f"type whole numbers from 0 to {last}, such as 0, 1, 8"
            raise ExplorerError(f"{quoted(part)} is not a dimension: {wanted}.")
    found = tuple(dict.fromkeys(int(part) for part in parts))
    if len(found) > MOST_WAVES:
        raise ExplorerError(f"There is room for {MOST_WAVES} waves, not {len(found)}. Choose fewer dimensions.")
    return found
