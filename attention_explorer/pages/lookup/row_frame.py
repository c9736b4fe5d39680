"""The numbers of the Lookup page for a row of a head: the named keys one by one, all others as the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model import Attention, LookupGradient, entropy
from attention_explorer.model.row_lookup import RowWeights
from attention_explorer.pages.lookup.numbers import FloatArray, LookupFrame, best_keys
from attention_explorer.pages.lookup.open_row import OpenRow, opened_row
from attention_explorer.pages.lookup.plane import winners_nearby
from attention_explorer.pages.lookup.state import Entry, LookupState, ValueKind


def row_frame(state: LookupState) -> LookupFrame:
    """Compute every number that the page shows of a row.

    Raises
    ------
    ExplorerError
        The row cannot be computed or read, or the state names none; the message says why.
    """
    if state.row is None:
        raise ExplorerError("This lookup is no row of a head.")
    row = opened_row(state.row)
    plane, query = row.plane, np.asarray(state.query)
    at = plane.weights_at(query, temperature=state.temperature, hard=state.hard)
    scores = _with_rest(plane.scaled_at(query)[plane.heaviest], math.nan, row)
    masked = _with_rest(at.scores[plane.heaviest], at.rest_score, row)
    weights = _with_rest(at.heaviest, at.rest, row)
    keys, values = (_rows_with_rest(array, rest, row) for array, rest in _both(row, at))
    best = best_keys(at.scores, row.plane.keys, query)
    output = np.zeros(2) if at.output is None else at.output
    attention = Attention(scores, scores, masked, weights, output)
    return LookupFrame(
        state=_shown(state, row, keys, values),
        keys=keys,
        values=values,
        attention=attention,
        gradient=_gradient(state, row, at),
        key_lengths=_with_rest(plane.key_lengths[plane.heaviest], math.nan, row),
        entropy=float(entropy(at.weights)),
        winners=tuple(sorted({row.entry_of(key) for key in best})),
        winner=int(at.weights.argmax()),
        limit=row.values[list(_far_winners(row, query, best))].mean(axis=0),
        jump=_jump(state, row, best, output),
        tie_is_exact=len({float(at.scores[key]) for key in best}) == 1,
        row=row,
    )


def _with_rest(named: FloatArray, rest: float, row: OpenRow) -> FloatArray:
    return np.append(named, rest) if len(row.plane.rest) else named


def _rows_with_rest(array: FloatArray, rest: FloatArray | None, row: OpenRow) -> FloatArray:
    named: FloatArray = array[row.plane.heaviest]
    return named if rest is None else np.vstack((named, rest))


def _both(row: OpenRow, at: RowWeights) -> tuple[tuple[FloatArray, FloatArray | None], ...]:
    return (row.plane.keys, at.rest_key), (row.values, at.rest_value)


def _shown(state: LookupState, row: OpenRow, keys: FloatArray, values: FloatArray) -> LookupState:
    """Return the state with the keys and values of the row for entries; it is never one of the session's."""
    entries = tuple(
        Entry((kx, ky), (vx, vy), 0.0) for (kx, ky), (vx, vy) in zip(keys.tolist(), values.tolist(), strict=True)
    )
    return replace(state, entries=entries, values=ValueKind.VECTORS, scaled=False, extent=row.extent)


def _gradient(state: LookupState, row: OpenRow, at: RowWeights) -> LookupGradient:
    if state.hard:
        return LookupGradient(np.zeros((2, 2)), np.zeros((row.entries, 2)))
    found = row.plane.gradient_at(state.query, at.weights, state.temperature)
    rest = found.weights[row.plane.rest].sum(axis=0) if len(row.plane.rest) else None
    return LookupGradient(found.output, _rows_with_rest(found.weights, rest, row))


def _far_winners(row: OpenRow, query: FloatArray, best: tuple[int, ...]) -> Sequence[int]:
    """Return the keys that win as the query is lengthened for ever: then no bias counts."""
    if not row.plane.bias.any():
        return best
    along = np.where(row.plane.allowed, row.plane.keys @ query, -np.inf)
    found: list[int] = np.flatnonzero(along == along.max()).tolist()
    return found


def _jump(state: LookupState, row: OpenRow, best: tuple[int, ...], output: FloatArray) -> float:
    if not state.hard or len(best) == 1:
        return 0.0
    rivals = best if math.hypot(*state.query) else row.border
    points = tuple((x, y) for x, y in row.plane.keys[list(rivals)].tolist())
    near = winners_nearby(points, state.query, tuple(range(len(rivals))))
    return max(math.dist(row.values[rivals[i]], output) for i in near)
