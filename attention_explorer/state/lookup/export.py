"""The numbers of a lookup as files: exactly what is on show, with every digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer import __version__
from attention_explorer.state.lookup.frame import LookupFrame, lookup_frame
from attention_explorer.state.lookup.state import LookupState, Overlay, ValueKind
from attention_explorer.state.numbers_export import Numbers, Table

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
    "d_output_d_query": ("value coordinate", "coordinate"),
    "d_weights_d_query": ("key", "coordinate"),
    "target": ("value coordinate",),
    "loss": (),
    "d_loss_d_query": ("coordinate",),
}
"""What each axis of an array counts, by the name the array has in every file; the target's only where it is shown."""


def lookup_numbers(state: LookupState) -> Numbers:
    """Return the numbers of a lookup in every form; the weights are the main array.

    A cosine is NaN in the arrays where a vector has no length, and so no angle.
    """
    arrays = lookup_arrays(state)
    parameters = {
        **_heading(state),
        "axes": {name: ARRAY_AXES[name] for name in arrays},
        "weights_sum_to_1_over": "key",
    }
    return Numbers(_table(state), _document(state), arrays, parameters, indent=2)


def lookup_arrays(state: LookupState) -> dict[str, npt.NDArray[Any]]:
    """Return every array of the computation, of shapes as in `ARRAY_AXES`."""
    frame = lookup_frame(state)
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
    if state.shows(Overlay.TARGET):
        arrays |= {
            "target": np.asarray(state.target_row),
            "loss": np.asarray(frame.loss),
            "d_loss_d_query": frame.loss_gradient,
        }
    return arrays


def _table(state: LookupState) -> Table:
    """Return a row for q, for each key, for the target where it is shown, and for the output.

    A cell is empty where there is nothing to say: a plain number has no second coordinate, a zero vector no cosine.
    """
    frame = lookup_frame(state)
    rows = [{"name": "q", "length": repr(frame.query_length), **_pair("", state.query)}]
    rows += (_key_row(frame, index) for index in range(len(state.entries)))
    if state.shows(Overlay.TARGET):
        rows.append({"name": "t", **_pair("", state.target_row)})
    output = tuple(frame.output.tolist())
    rows.append({"name": "o", "weight": repr(float(frame.weights.sum())), **_pair("", output)})
    return Table.of(CSV_COLUMNS, [[row.get(column, "") for column in CSV_COLUMNS] for row in rows])


def _key_row(frame: LookupFrame, index: int) -> dict[str, str]:
    cosine = float(frame.cosines[index])
    return {
        "name": f"k{index + 1}",
        **_pair("", frame.state.keys[index]),
        "length": repr(float(frame.key_lengths[index])),
        "score": repr(float(frame.attention.scores[index])),
        "cosine": "" if math.isnan(cosine) else repr(cosine),
        "weight": repr(float(frame.weights[index])),
        **_pair("value_", frame.state.value_rows[index]),
        **_pair("contribution_", tuple(frame.contributions[index].tolist())),
    }


def _pair(prefix: str, row: tuple[float, ...]) -> dict[str, str]:
    return {f"{prefix}{axis}": repr(number) for axis, number in zip("xy", row, strict=False)}


def _heading(state: LookupState) -> dict[str, object]:
    """Return what the numbers are, and the settings that made them."""
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
        },
    }


def _document(state: LookupState) -> dict[str, object]:
    """Return the lookup with its settings, every stage of the computation and its gradient."""
    frame = lookup_frame(state)
    attention = frame.attention
    document: dict[str, object] = {
        **_heading(state),
        "query": state.query,
        "keys": state.keys,
        "values": state.value_rows,
        "scores": attention.scores.tolist(),
        "scaled": attention.scaled.tolist(),
        "cosines": [None if math.isnan(c) else c for c in frame.cosines.tolist()],
        "weights": attention.weights.tolist(),
        "contributions": frame.contributions.tolist(),
        "output": attention.output.tolist(),
        "entropy_nats": frame.entropy,
        "tied_keys": [i + 1 for i in frame.winners] if len(frame.winners) > 1 else [],
        "d_output_d_query": frame.gradient.output.tolist(),
        "d_weights_d_query": frame.gradient.weights.tolist(),
    }
    if state.shows(Overlay.TARGET):
        document |= {
            "target": state.target_row,
            "loss": frame.loss,
            "d_loss_d_query": frame.loss_gradient.tolist(),
        }
    return document
