"""A lookup at every point of a grid: what a query would find wherever it might stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.attention import times, weighted_mean
from attention_explorer.model.lookup import attend, checked_lookup, lookup_scale
from attention_explorer.model.scalars import flag, positive_temperature
from attention_explorer.model.softmax import exponential_weights, one_hot


class LookupField(NamedTuple):
    """Lookups on a grid; row i is at y[i], column j at x[j].

    Attributes
    ----------
    weights : ndarray, (h, w, n)
        Each point's weights sum to 1.
    output : ndarray, (h, w, d_v)
        The mean of the values at each point.
    """

    weights: Floats
    output: Floats


def lookup_field(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    keys: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    hard: bool = False,
    temperature: float = 1.0,
    scaled: bool = False,
) -> LookupField:
    """Look up every query (x[j], y[i]) of a grid.

    Parameters
    ----------
    x : array_like, (w,)
        First coordinate of the columns.
    y : array_like, (h,)
        Second coordinate of the rows.
    keys : array_like, (n, 2)
        At least one key in the plane.
    values : array_like, (n, d_v)
        One row per key.
    hard, temperature, scaled
        As in `lookup`.

    Returns
    -------
    LookupField
        Of dtype ``np.result_type`` of the four, where integers and booleans count as float64 and float16 as
        float32. The arrays may be views with another order of axes in memory.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, there is no key, or the temperature is not above 0.

    Notes
    -----
    `lookup` (Vaswani et al. 2017, eq. 1) at each point.
    """
    across, down = finite_array("x", x, "w"), finite_array("y", y, "h")
    corner = np.zeros((1, 2), dtype=np.result_type(across, down))
    corner, rows, contents = checked_lookup("a point of the grid", corner, keys, values)
    across, down = across.astype(corner.dtype, copy=False), down.astype(corner.dtype, copy=False)
    warmth = 1.0 if flag("hard", hard) else positive_temperature(temperature)
    scale = lookup_scale(2, scaled)
    with np.errstate(all="ignore"):  # overflow is looked for below
        # Keys first: a maximum or sum over a short last axis costs many times one over the first.
        scores = rows[:, 0, None, None] * across + rows[:, 1, None, None] * down[:, None]  # (n, h, w)
        logits = times(scores, scale)
    if not np.isfinite(logits).all():
        return _point_by_point(across, down, rows, contents, scale, warmth, hard)
    weights = one_hot(logits, 0) if hard else exponential_weights(logits, 0, warmth)
    output = weighted_mean(weights.reshape(len(rows), -1).T, contents)  # (n, h, w): (h·w, n) @ (n, d_v)
    return LookupField(np.moveaxis(weights, 0, -1), output.reshape(len(down), len(across), contents.shape[1]))


def _point_by_point(
    x: Floats, y: Floats, keys: Floats, values: Floats, scale: float, temperature: float, hard: bool
) -> LookupField:
    """Take the long way, which knows scores beyond the float range."""
    grid = np.stack(np.broadcast_arrays(x, y[:, None]), axis=-1)  # (w,), (h, 1): (h, w, 2)
    found = attend(grid, keys, values, scale, temperature, hard)
    return LookupField(found.weights, found.output)
