"""What files say of a row of a head beside what they say of any lookup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.row_wording import whose_weights
from attention_explorer.pages.lookup.state import REST

if TYPE_CHECKING:
    # Loaded when there is a row: sources would delay the first picture.
    from attention_explorer.pages.lookup.open_row import OpenRow

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


def row_cells(row: OpenRow, index: int) -> dict[str, str]:
    """Return the cells of an entry that other lookups lack."""
    if index == REST:
        return {"name": "rest", "keys": str(len(row.plane.rest))}
    key = int(row.plane.heaviest[index])
    return {
        "token": row.exact_tokens[1][key],
        "place": str(row.of.count.number(key)),
        "keys": "1",
        "bias": repr(float(row.plane.bias[key])),
    }


def row_arrays(frame: LookupFrame, row: OpenRow) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that other lookups lack, of axes as in `ROW_AXES`, and the scores with the bias."""
    state = frame.state
    at = row.plane.weights_at(state.query, temperature=state.temperature, hard=state.hard)
    return {
        "scores": frame.scores,
        "places": row.plane.heaviest + row.of.count.first,
        "bias": row.plane.bias,
        "all_scores": at.scores,
        "all_weights": at.weights,
    }


def row_settings(frame: LookupFrame, row: OpenRow) -> dict[str, object]:
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


def row_document(row: OpenRow) -> dict[str, object]:
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
