"""How far apart the vectors of positions are: every one has its own fingerprint."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.pages.positions.kinds.registry import kind_of
from attention_explorer.pages.positions.state import Likeness, PositionsState
from attention_explorer.pages.positions.sums import rates_of


def shows_distances(state: PositionsState) -> bool:
    """Whether distances are to be shown, and there are any: only an encoding with a vector a position has them."""
    return state.likeness is Likeness.DISTANCE and kind_of(state).adds


def distances(rows: FloatArray) -> FloatArray:
    """Return the distance (h, h) of every two of the vectors (h, d); 0 on the diagonal."""
    squares = (rows * rows).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * (rows @ rows.T), 0.0))
    np.fill_diagonal(apart, 0.0)  # where rounding would leave the root of something tiny
    return np.asarray(apart)


def distances_by_offset(state: PositionsState, products: FloatArray) -> FloatArray:
    """Return ‖PE(0) − PE(k)‖ of the sinusoidal encoding from its products PE(0) · PE(k) for k from 0 on."""
    squares = np.full(len(products), state.d_model // 2, np.float64)  # sin² + cos² = 1 a pair
    if state.d_model % 2:  # and the square of the lone sine
        squares += np.sin(np.arange(len(products)) * rates_of(state.d_model, state.base)[-1]) ** 2
    apart = np.sqrt(np.maximum(squares[0] + squares - 2.0 * products, 0.0))
    apart[0] = 0.0
    return np.asarray(apart)
