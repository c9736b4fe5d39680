"""Scores of one query content and one key content, with the parts they are made of."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.pages.positions.kinds.registry import KINDS, PositionKind
from attention_explorer.pages.positions.random import contents, head_width, projections
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import encoding_at


def is_added(kind: PositionKind) -> bool:
    """Whether a kind adds a vector to each token."""
    return KINDS[kind].adds


def query_width(state: PositionsState, kind: PositionKind, *, projected: bool = True) -> int:
    """Return how many features a query has."""
    width = head_width(state.d_model) if projected else state.d_model
    return 2 * width if state.concatenated and is_added(kind) else width


def projected_contents(state: PositionsState) -> tuple[FloatArray, FloatArray]:
    """Return query and key of the contents, (d_k,) each, without their positions."""
    (query, key), (w_q, w_k) = contents(state, state.embedding_scale), projections(state)
    return query @ w_q, key @ w_k


def of_kind(state: PositionsState, kind: PositionKind) -> PositionsState:
    """Return a state of another kind whose encoding has the same numbers."""
    return PositionsState(kind=kind, length=state.length, d_model=state.d_model, seed=state.seed, base=state.base)


def relative_scores(state: PositionsState, kind: PositionKind, first: int, count: int) -> FloatArray:
    """Return scores that depend on the distance alone, without ALiBi's bias."""
    query, key = projected_contents(state)
    return KINDS[kind].products(state, query, key, first, count) / math.sqrt(len(query))


def slope_text(slope: float) -> str:
    """Return a slope as the paper writes it, 1/4, or with three digits."""
    inverse = 1 / slope
    return f"1/{inverse:.0f}" if abs(inverse - round(inverse)) < 1e-9 * inverse else f"{slope:.3g}"


def added_scores(state: PositionsState, kind: PositionKind, query: int) -> tuple[FloatArray, FloatArray]:
    """Return the scores (length,) of all keys for a query at a position: without W_q and W_k, and with them."""
    place = encoding_row(state, kind, query)
    asking = [_asking(state, kind, place, projected=projected) for projected in (False, True)]
    bare, own = _products(state, kind, np.stack([vector for _, vector in asking]))
    return asking[0][0] + bare, asking[1][0] + own


def encoding_row(state: PositionsState, kind: PositionKind, position: int) -> FloatArray:
    """Return the encoding of a position, (d_model,)."""
    return np.asarray(encoding_at(of_kind(state, kind), np.asarray([position]), np.arange(state.d_model))[0])


def _asking(
    state: PositionsState, kind: PositionKind, place: FloatArray, *, projected: bool
) -> tuple[float, FloatArray]:
    """Return c and u, (d_model,): the scaled score of a query at a place and a key at position j is c + u · PE(j)."""
    q, k = contents(state, state.embedding_scale)
    root = math.sqrt(query_width(state, kind, projected=projected))
    if not projected:
        asked = place if state.concatenated else q + place
        return float((q if state.concatenated else asked) @ k) / root, asked / root
    w_q, w_k = projections(state)
    if state.concatenated:  # the position has projections of its own
        of_place, for_place = projections(state, "position")
        return float((q @ w_q) @ (k @ w_k)) / root, for_place @ (place @ of_place) / root
    asked = (q + place) @ w_q
    return float(asked @ (k @ w_k)) / root, w_k @ asked / root


def _products(state: PositionsState, kind: PositionKind, vectors: FloatArray) -> FloatArray:
    """Return the products of vectors (m, d_model) with the encodings of all positions, (m, length)."""
    return KINDS[kind].products_with_rows(state, vectors)
