"""The numbers of the Positions page as files: the encoding with its wavelengths and settings, every digit of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from attention_explorer import __version__
from attention_explorer.core.counting import Count
from attention_explorer.core.numbers_export import Arrays, Numbers, Table, array_table, rows_of
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExportError
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.model.encodings import wavelengths
from attention_explorer.pages.positions.state import PositionKind, PositionsState
from attention_explorer.pages.positions.table import TURNING, encoding_at, reason_without_table
from attention_explorer.pages.positions.wording import KIND_NAMES, settings_words

MOST_NUMBERS = 2**21
"""The most numbers of a file: 16 MiB of them, several times that as text."""


def encoding_numbers(state: PositionsState) -> Numbers:
    """Return the encoding (length, d_model), or the biases of ALiBi (heads, length, length).

    Raises
    ------
    ExportError
        There is no encoding, or its numbers are too many for a file.
    """
    if state.kind is PositionKind.ALIBI:
        _require_room(state.heads * state.length**2)
        arrays: Arrays = {"bias": alibi_bias(state.heads, state.length), "slopes": alibi_slopes(state.heads)}
        axes = [f"head ({state.count.value})", "query (row)", "key (column)"]
        return _numbers(state, arrays, axes, _slopes_table(arrays["slopes"], state.count))
    reason = reason_without_table(state)
    if reason:
        raise ExportError(f"There are no numbers to export. {reason}")
    _require_room(state.length * state.d_model)
    encoding = encoding_at(state, np.arange(state.length), np.arange(state.d_model))
    arrays = {"encoding": encoding}
    if state.kind in TURNING:
        arrays["wavelengths"] = wavelengths(state.d_model, state.base)
    return _numbers(state, arrays, ["position (row, from 0)", "dimension (column, from 0)"], _table(encoding))


def picture_numbers(state: PositionsState, arrays: Arrays) -> Numbers:
    """Return the arrays of one of the other pictures, the main one first; the table has a line a number.

    Raises
    ------
    ExportError
        There is nothing to export.
    """
    if not arrays:
        raise ExportError("There are no numbers to export: this picture shows none for this kind of encoding.")
    _require_room(sum(array.size for array in arrays.values()))
    return _numbers(state, arrays, [], array_table(arrays), asdict(state))


def _require_room(count: int) -> None:
    if count > MOST_NUMBERS:
        raise ExportError(
            f"That would be {grouped(count)} numbers, more than the {grouped(MOST_NUMBERS)} a file can take. Choose "
            "fewer positions, dimensions or heads."
        )


def _table(encoding: np.typing.NDArray[np.float64]) -> Table:
    length, d_model = encoding.shape

    def rows() -> Iterator[tuple[object, ...]]:
        return ((position, *row) for position, row in enumerate(rows_of(encoding)))

    return Table(("position \\ dimension", *range(d_model)), rows, length)


def _slopes_table(slopes: np.typing.NDArray[Any], count: Count) -> Table:
    return Table.of((f"head ({count.value})", "slope"), list(enumerate(slopes.tolist(), start=count.first)))


def _numbers(
    state: PositionsState, arrays: Arrays, axes: list[str], table: Table, made_with: dict[str, Any] | None = None
) -> Numbers:
    parameters = {
        "program": f"Attention Explorer {__version__}",
        "what": f"{KIND_NAMES[state.kind]}: {settings_words(state)}",
        "picture": state.picture.value,
        "axes": axes,
        "settings": settings(state) if made_with is None else made_with,
    }
    return Numbers(table, {**parameters, **arrays}, arrays, parameters)


def settings(state: PositionsState) -> dict[str, Any]:
    """Return what decides the numbers, as it can be written down."""
    found: dict[str, Any] = {"kind": state.kind.value, "length": state.length}
    if state.kind is PositionKind.ALIBI:
        return {**found, "heads": state.heads}
    found["d_model"] = state.d_model
    if state.kind in TURNING:
        found["base"] = state.base
    if state.kind is PositionKind.ROTARY:
        found["layout"] = state.layout.value
        found["note"] = "cos and sin of the angle by which the pair of each dimension turns, the cosine first"
    if state.kind is PositionKind.LEARNED:
        found["seed"] = state.seed
        found["standard_deviation"] = 0.02
    return found
