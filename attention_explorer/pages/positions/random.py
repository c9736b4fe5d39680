"""What is random on the Positions page: contents, projections, each from a stream of its own."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.pages.positions.state import PositionsState

WIDEST_HEAD = 64
"""Features of a query and key at most, as in the heads of real models."""


@kept
def drawn(seed: int, name: str, *shape: int) -> FloatArray:
    """Draw N(0, 1) for a name, independent of all other names and of the learned encoding; read-only."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    stream = np.random.RandomState(np.frombuffer(digest, dtype="<u4").astype(np.uint32))
    numbers = stream.randn(*shape)
    numbers.setflags(write=False)
    return numbers


def head_width(d_model: int) -> int:
    """Return d_k: how many features queries and keys have."""
    return min(d_model, WIDEST_HEAD)


def contents(state: PositionsState, scale: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return the embeddings (d_model,) of the one query token and the one key token; entries N(0, scale²)."""
    query, key = (drawn(state.seed, f"{role} content", state.d_model) for role in ("query", "key"))
    return query * scale, key * scale


def projections(state: PositionsState, what: str = "content") -> tuple[FloatArray, FloatArray]:
    """Return W_q and W_k, (d_model, d_k) each, entries N(0, 1/d_model)."""
    shape = state.d_model, head_width(state.d_model)
    w_q, w_k = (drawn(state.seed, f"{name} of {what}", *shape) for name in ("W_q", "W_k"))
    return w_q / math.sqrt(state.d_model), w_k / math.sqrt(state.d_model)
