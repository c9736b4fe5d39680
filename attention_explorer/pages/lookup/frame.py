"""The numbers of the Lookup page: a pure function of its state, shared by plane, bars, table and exports."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_explorer.model import entropy, lookup, lookup_gradient
from attention_explorer.pages.lookup.numbers import LookupFrame, best_keys
from attention_explorer.pages.lookup.plane import winners_nearby
from attention_explorer.pages.lookup.state import QUERY, LookupState


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
        from attention_explorer.pages.lookup.row_frame import row_frame

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
