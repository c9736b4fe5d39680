"""The numbers of a lookup as files: exactly what is on show, with every digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer import __version__
from attention_explorer.core.numbers_export import Numbers, Table
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.row_export import (
    ROW_AXES,
    ROW_COLUMNS,
    row_arrays,
    row_cells,
    row_document,
    row_settings,
)
from attention_explorer.pages.lookup.state import LookupState, Overlay, ValueKind
from attention_explorer.pages.lookup.wording import other_mode

CSV_COLUMNS = (
    "name",
    "x",
    "y",
    "length",
    "score",
    "cosine",
    "weight",
    "value_x",
    "value_y",
    "contribution_x",
    "contribution_y",
)

ARRAY_AXES: dict[str, tuple[str, ...]] = {
    "weights": ("key",),
    "query": ("coordinate",),
    "keys": ("key", "coordinate"),
    "values": ("key", "value coordinate"),
    "scores": ("key",),
    "scaled": ("key",),
    "cosines": ("key",),
    "contributions": ("key", "value coordinate"),
    "output": ("value coordinate",),
    "other_output": ("value coordinate",),
    "d_output_d_query": ("value coordinate", "coordinate"),
    "d_weights_d_query": ("key", "coordinate"),
    "target": ("value coordinate",),
    "loss": (),
    "d_loss_d_query": ("coordinate",),
    **ROW_AXES,
}
"""What each axis of an array counts, by the name the array has in every file; what is not shown is in none."""


def lookup_numbers(state: LookupState) -> Numbers:
    """Return the numbers of a lookup in every form; the weights are the main array.

    A cosine is NaN in the arrays where a vector has no length, and so no angle.
    """
    frame, arrays = lookup_frame(state), lookup_arrays(state)
    parameters = {
        **_heading(frame),
        "axes": {name: ARRAY_AXES[name] for name in arrays},
        "weights_sum_to_1_over": "key",
    }
    return Numbers(_table(frame), _document(frame), arrays, parameters, indent=2)


def lookup_arrays(state: LookupState) -> dict[str, npt.NDArray[Any]]:
    """Return every array of the computation, of shapes as in `ARRAY_AXES`."""
    frame = lookup_frame(state)
    state = frame.state
    arrays: dict[str, npt.NDArray[Any]] = {
        "weights": frame.weights,
        "query": np.asarray(state.query),
        "keys": frame.keys,
        "values": frame.values,
        "scores": frame.attention.scores,
        "scaled": frame.attention.scaled,
        "cosines": frame.cosines,
        "contributions": frame.contributions,
        "output": frame.output,
        "d_output_d_query": frame.gradient.output,
        "d_weights_d_query": frame.gradient.weights,
    }
    if frame.row is not None:
        arrays |= row_arrays(frame, frame.row)
    if state.shows(Overlay.OTHER):
        arrays["other_output"] = frame.other_output
    if state.shows(Overlay.TARGET):
        arrays |= {
            "target": np.asarray(state.target_row),
            "loss": np.asarray(frame.loss),
            "d_loss_d_query": frame.loss_gradient,
        }
    return arrays


def _table(frame: LookupFrame) -> Table:
    """Return a row for q, for each key, for the target where it is shown, for the output, and that of the other mode.

    A cell is empty where there is nothing to say: a plain number has no second coordinate, a zero vector no cosine.
    """
    state = frame.state
    columns = (CSV_COLUMNS[0], *(() if frame.row is None else ROW_COLUMNS), *CSV_COLUMNS[1:])
    rows = [{"name": "q", "length": repr(frame.query_length), **_pair("", state.query)}]
    rows += (_key_row(frame, index) for index in range(len(state.entries)))
    if state.shows(Overlay.TARGET):
        rows.append({"name": "t", **_pair("", state.target_row)})
    output = tuple(frame.output.tolist())
    rows.append({"name": "o", "weight": repr(float(frame.weights.sum())), **_pair("", output)})
    if state.shows(Overlay.OTHER):
        rows.append({"name": f"{other_mode(state)} o", **_pair("", tuple(frame.other_output.tolist()))})
    return Table.of(columns, [[row.get(column, "") for column in columns] for row in rows])


def _key_row(frame: LookupFrame, index: int) -> dict[str, str]:
    return {
        "name": f"k{index + 1}",
        **({} if frame.row is None else row_cells(frame.row, index)),
        **_pair("", frame.state.keys[index]),
        "length": _cell(frame.key_lengths[index]),
        "score": repr(float(frame.scores[index])),
        "cosine": _cell(frame.cosines[index]),
        "weight": repr(float(frame.weights[index])),
        **_pair("value_", frame.state.value_rows[index]),
        **_pair("contribution_", tuple(frame.contributions[index].tolist())),
    }


def _cell(number: float) -> str:
    return "" if math.isnan(number) else repr(float(number))


def _pair(prefix: str, row: tuple[float, ...]) -> dict[str, str]:
    return {f"{prefix}{axis}": repr(number) for axis, number in zip("xy", row, strict=False)}


def _heading(frame: LookupFrame) -> dict[str, object]:
    """Return what the numbers are, and the settings that made them."""
    state = frame.state
    return {
        "program": f"Attention Explorer {__version__}",
        "what": "lookup",
        "settings": {
            "lookup": "hard" if state.hard else "soft",
            "temperature": state.temperature,
            "divided_by_sqrt_d_k": state.scaled,
            "values": {
                ValueKind.KEYS: "the keys",
                ValueKind.VECTORS: "vectors",
                ValueKind.NUMBERS: "numbers",
            }[state.values],
            **({} if frame.row is None else row_settings(frame, frame.row)),
        },
    }


def _document(frame: LookupFrame) -> dict[str, object]:
    """Return the lookup with its settings, every stage of the computation and its gradient."""
    state, attention = frame.state, frame.attention
    document: dict[str, object] = {
        **_heading(frame),
        **({} if frame.row is None else row_document(frame.row)),
        "query": state.query,
        "keys": state.keys,
        "values": state.value_rows,
        "scores": frame.scores.tolist(),
        "scaled": _or_nothing(attention.scaled),
        "cosines": _or_nothing(frame.cosines),
        "weights": attention.weights.tolist(),
        "contributions": frame.contributions.tolist(),
        "output": attention.output.tolist(),
        "entropy_nats": frame.entropy,
        "tied_keys": [i + 1 for i in frame.winners] if len(frame.winners) > 1 else [],
        "d_output_d_query": frame.gradient.output.tolist(),
        "d_weights_d_query": frame.gradient.weights.tolist(),
    }
    if state.shows(Overlay.OTHER):
        document[f"{other_mode(state)}_output"] = frame.other_output.tolist()
    if state.shows(Overlay.TARGET):
        document |= {
            "target": state.target_row,
            "loss": frame.loss,
            "d_loss_d_query": frame.loss_gradient.tolist(),
        }
    return document


def _or_nothing(numbers: npt.NDArray[np.floating]) -> list[float | None]:
    """Return numbers as JSON has them: None where there is none."""
    return [None if math.isnan(number) else number for number in numbers.tolist()]
