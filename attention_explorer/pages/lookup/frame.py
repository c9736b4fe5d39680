"""The numbers of the Lookup page: a pure function of its state, shared by plane, bars, table and exports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model import Attention, LookupGradient, entropy, lookup, lookup_gradient
from attention_explorer.model.row_lookup import RowWeights
from attention_explorer.pages.lookup.numbers import FloatArray, LookupFrame, best_keys
from attention_explorer.pages.lookup.open_row import OpenRow, opened_row
from attention_explorer.pages.lookup.plane import winners_nearby
from attention_explorer.pages.lookup.state import QUERY, Entry, LookupState, ValueKind

# ---- A row of a head ----
# The named keys one by one, all others as the rest.


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


@lru_cache(maxsize=8)
def lookup_frame(state: LookupState) -> LookupFrame:
    """Compute every number of the page from its state. Cached, so that all its readers share one computation.

    Raises
    ------
    ExplorerError
        The row of a head that the state names cannot be computed or read; the message says why.
    """
    frame = _computed(state.without_view())
    shown = state if frame.row is None else frame.state.seen_as(state)
    return frame if frame.state == shown else replace(frame, state=shown)


@lru_cache(maxsize=8)
def _computed(state: LookupState) -> LookupFrame:
    """Compute the numbers; apart from `lookup_frame`, so that moving the view computes nothing."""
    if state.row is not None:
        # Not before there is one: sources would delay the first picture.

        return row_frame(state)
    query, keys, values = map(np.asarray, (state.query, state.keys, state.value_rows))
    hard, temperature = state.hard, state.temperature
    attention = lookup(query, keys, values, hard=hard, temperature=temperature, scaled=state.scaled)
    winners = best_keys(attention.scores, keys, query)
    nearby = winners_nearby(state.keys, state.query, winners) if hard else ()
    return LookupFrame(
        state=state,
        keys=keys,
        values=values,
        attention=attention,
        gradient=lookup_gradient(query, keys, values, hard=hard, temperature=temperature, scaled=state.scaled),
        key_lengths=np.hypot(keys[:, 0], keys[:, 1]),
        entropy=float(entropy(attention.weights)),
        winners=winners,
        winner=int(attention.weights.argmax()),
        limit=values[list(winners)].mean(axis=0),
        jump=max((math.dist(values[i], attention.output) for i in nearby), default=0.0),
        tie_is_exact=len({float(attention.scores[i]) for i in winners}) == 1,
    )


def nearest_key(state: LookupState) -> tuple[int, float]:
    """Return the index of the key nearest to the query and its distance."""
    distances = [math.dist(state.query, key) for key in state.keys]
    index = min(range(len(distances)), key=distances.__getitem__)
    return index, distances[index]


def descended(state: LookupState) -> LookupState:
    """Return the state after one step of gradient descent on the loss: q ← q − rate · ∂L/∂q."""
    step = state.rate * lookup_frame(state).loss_gradient
    return state.moved(QUERY, (state.query[0] - float(step[0]), state.query[1] - float(step[1])))
