"""The numbers of a lookup as files: exactly what is on show, with every digit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer import __version__
from attention_explorer.core.numbers_export import Arrays, Numbers, Table
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import REST, LookupState, Overlay, ValueKind
from attention_explorer.pages.lookup.wording import other_mode, whose_weights

if TYPE_CHECKING:
    # Loaded when there is a row: sources would delay the first picture.
    from attention_explorer.pages.lookup.open_row import OpenRow

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

ROW_COLUMNS = ("token", "place", "keys", "bias")
"""After the name: the token, its place in the head, how many keys it stands for, and what is added to q·k."""

ROW_AXES: dict[str, tuple[str, ...]] = {
    "places": ("named key",),
    "bias": ("key of the head",),
    "all_scores": ("key of the head",),
    "all_weights": ("key of the head",),
}

ABOUT_THE_REST = (
    "The last entry stands for all keys without a name. Its key and value are the means of theirs by their weights, "
    "its weight is their sum, and its score that of one key that would weigh as much."
)
ABOUT_SCORES = "q·k with the bias, as the softmax sees it; q has the scale of the head in it"

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
    return Numbers(_table(frame), _document(frame, arrays), arrays, parameters, indent=2)


def lookup_arrays(state: LookupState) -> Arrays:
    """Return every array of the computation, of shapes as in `ARRAY_AXES`."""
    frame = lookup_frame(state)
    state = frame.state
    arrays: Arrays = {
        "weights": frame.weights,
        "query": np.asarray(state.query),
        "keys": frame.keys,
        "values": frame.values,
        "scores": frame.scores,
        "scaled": frame.attention.scaled,
        "cosines": frame.cosines,
        "contributions": frame.contributions,
        "output": frame.output,
        "d_output_d_query": frame.gradient.output,
        "d_weights_d_query": frame.gradient.weights,
    }
    if frame.row is not None:
        arrays |= _row_arrays(frame, frame.row)
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
    rows = [{"name": "q", "length": frame.query_length, **_pair("", state.query)}]
    rows += (_key_row(frame, index) for index in range(len(state.entries)))
    if state.shows(Overlay.TARGET):
        rows.append({"name": "t", **_pair("", state.target_row)})
    rows.append({"name": "o", "weight": float(frame.weights.sum()), **_pair("", frame.output.tolist())})
    if state.shows(Overlay.OTHER):
        rows.append({"name": f"{other_mode(state)} o", **_pair("", frame.other_output.tolist())})
    return Table.of(columns, [[row.get(column) for column in columns] for row in rows])


def _key_row(frame: LookupFrame, index: int) -> dict[str, object]:
    found = {
        "name": f"k{index + 1}",
        **({} if frame.row is None else _row_cells(frame.row, index)),
        **_pair("", frame.state.keys[index]),
        **_pair("value_", frame.state.value_rows[index]),
        **_pair("contribution_", frame.contributions[index].tolist()),
    }
    columns = {
        "length": frame.key_lengths,
        "score": frame.scores,
        "cosine": frame.cosines,
        "weight": frame.weights,
    }
    numbers = {name: float(column[index]) for name, column in columns.items()}
    return found | {name: number for name, number in numbers.items() if not math.isnan(number)}


def _pair(prefix: str, row: Iterable[float]) -> dict[str, object]:
    return {f"{prefix}{axis}": number for axis, number in zip("xy", row, strict=False)}


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
            **({} if frame.row is None else _row_settings(frame, frame.row)),
        },
    }


def _document(frame: LookupFrame, arrays: Arrays) -> dict[str, object]:
    """Return the lookup with its settings, every stage of the computation and its gradient."""
    row, of_lookup = frame.row, dict(arrays)
    if row is not None:  # which says its own way which keys are named, and what is added to their scores
        of_lookup = {name: array for name, array in arrays.items() if name not in ROW_AXES}
    if "other_output" in of_lookup:
        of_lookup[f"{other_mode(frame.state)}_output"] = of_lookup.pop("other_output")
    tied = [i + 1 for i in frame.winners] if len(frame.winners) > 1 else []
    found = {**_heading(frame), **of_lookup, "entropy_nats": frame.entropy, "tied_keys": tied}
    return found if row is None else {**found, **_row_document(row)}


# ---- Of a row of a head ----


def _row_cells(row: OpenRow, index: int) -> dict[str, object]:
    """Return the cells of an entry that other lookups lack."""
    if index == REST:
        return {"name": "rest", "keys": len(row.plane.rest)}
    key = int(row.plane.heaviest[index])
    return {
        "token": row.exact_tokens[1][key],
        "place": row.of.count.number(key),
        "keys": 1,
        "bias": float(row.plane.bias[key]),
    }


def _row_arrays(frame: LookupFrame, row: OpenRow) -> Arrays:
    """Return the arrays that other lookups lack, of axes as in `ROW_AXES`, and the scores with the bias."""
    state = frame.state
    at = row.plane.weights_at(state.query, temperature=state.temperature, hard=state.hard)
    return {
        "places": row.plane.heaviest + row.of.count.first,
        "bias": row.plane.bias,
        "all_scores": at.scores,
        "all_weights": at.weights,
    }


def _row_settings(frame: LookupFrame, row: OpenRow) -> dict[str, object]:
    """Return which row it is, where it comes from, and what was made of it."""
    settings: dict[str, object] = {
        "row": row.title,
        "numbers": f"layers, heads and tokens {row.of.count.words}",
        "origin": row.origin,
        "weights": whose_weights(frame, row),
        "scores": ABOUT_SCORES,
        "divided_by_sqrt_d_k": row.of.scaled,
    }
    if row.hidden_words:
        settings["masked"] = row.hidden_words
    if len(row.plane.rest):
        settings["rest"] = ABOUT_THE_REST
    return settings


def _row_document(row: OpenRow) -> dict[str, object]:
    """Return what a document says of the entries that it does not say of other lookups."""
    named, (queries, keys), count = row.plane.heaviest, row.exact_tokens, row.of.count
    return {
        "query_token": queries[row.of.row],
        "query_place": count.number(row.of.row),
        "tokens": [keys[key] for key in named.tolist()],
        "places": [count.number(key) for key in named.tolist()],
        "bias": row.plane.bias[named].tolist(),
        "keys_in_the_rest": len(row.plane.rest),
        "keys_masked": int(np.count_nonzero(~row.plane.allowed)),
    }
