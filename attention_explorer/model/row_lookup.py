"""One row of a head as a lookup in the plane: every score and weight stays what it is in the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, finite_array
from attention_explorer.model.attention import weights_of
from attention_explorer.model.attention_map import Stage
from attention_explorer.model.map_selection import chosen
from attention_explorer.model.principal import principal_plane
from attention_explorer.model.query_key_map import QueryKeyMap
from attention_explorer.model.scalars import size

NAMED = 12
"""The heaviest keys, which are shown one by one; all others are the rest."""


class RowWeights(NamedTuple):
    """What a query in the plane attends to.

    Attributes
    ----------
    heaviest : ndarray, (m,)
        The weights of ``RowLookup.heaviest``, in that order, also if others weigh more by now.
    rest : float
        The weight of all other visible keys together; with the heaviest it sums to 1, or to 0 if nothing is visible.
    rest_key, rest_value : ndarray, (2,), or None
        Where the rest stands: the mean of its keys and of its values by their weights. To first order the rest answers
        a moved query as one key there would. None if there is no rest, the value also if there are no values.
    output : ndarray, (2,), or None
        The mean of all values by their weights: the head's output as the plane of values shows it. None without values.
    """

    heaviest: Floats
    rest: float
    rest_key: Floats | None
    rest_value: Floats | None
    output: Floats | None


@dataclass(frozen=True, eq=False)
class RowLookup:
    """A query of a head and its keys and values in two planes, all in float64.

    In the plane of query and keys x runs along the query of the head and y along the first principal direction of what
    is left of the visible keys without their x. The query is multiplied by the scale, 1/√d_k as a rule, so
    ``keys @ query + bias`` are the scores before the softmax, but for the rounding of one product. A query moved to
    (a, b) is the query (a·x + b·y) / scale of the head, x and y the directions, and its weights are those that the
    head would give it.

    Attributes
    ----------
    row : int
        Which query of the map.
    query : ndarray, (2,)
        (‖q‖ · scale, 0).
    keys : ndarray, (n_k, 2)
        Hidden keys too.
    key_directions : ndarray, (2, d_k)
        The x and y direction: unit vectors; zeros where keys fill no such direction.
    key_share : float
        How much y keeps of the variance that is left of the visible keys without their x.
    values : ndarray, (n_k, 2), or None
        Along their own first two principal directions, from the origin, so that means of values are where they belong.
    value_directions : ndarray, (2, d_v), or None
        Those directions.
    value_share : float
        How much they keep of the variance of the visible values.
    bias : ndarray, (n_k,)
        What is added to the scaled scores of the row; 0 where nothing is.
    allowed : ndarray of bool, (n_k,)
        False for keys that mask or bias hide.
    scaled, weights : ndarray, (n_k,)
        Scaled scores and weights as the map gives them.
    temperature : float
        Divides scaled score + bias in the softmax.
    hard : bool
        Whether the best key takes all.
    heaviest : ndarray of int, (m,)
        The visible keys of the largest weights, the largest first, among equals the first.
    rest : ndarray of int, (n_k − hidden − m,)
        All other visible keys, in their order.
    """

    row: int
    query: Floats
    keys: Floats
    key_directions: Floats
    key_share: float
    values: Floats | None
    value_directions: Floats | None
    value_share: float
    bias: Floats
    allowed: Bools
    scaled: Floats
    weights: Floats
    temperature: float
    hard: bool
    heaviest: npt.NDArray[np.intp]
    rest: npt.NDArray[np.intp]

    def scores_at(self, query: npt.ArrayLike) -> Floats:
        """Compute the scores of a query in the plane as the softmax sees them.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is moved to.

        Returns
        -------
        ndarray, (n_k,)
            keys @ query + bias, −inf for hidden keys. At ``self.query`` the head's own, not rounded again, so that keys
            that tie in the head tie here.

        Raises
        ------
        ArrayError
            If it is not two finite numbers, or a score leaves the float range.
        """
        point = self._point(query)
        with np.errstate(all="ignore"):  # looked for below
            scaled = self.scaled if self._is_own(point) else self.keys @ point
            scores = np.where(self.allowed, scaled + self.bias, -np.inf)
        if not (np.isfinite(scores) | ~self.allowed).all():
            raise ArrayError(f"the scores of a query at {point.tolist()} leave the float range: move it nearer")
        return scores

    def weights_at(self, query: npt.ArrayLike) -> RowWeights:
        """Compute what a query in the plane attends to, over all keys of the row.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is moved to.

        Returns
        -------
        RowWeights
            At ``self.query`` the weights of the head.

        Raises
        ------
        ArrayError
            If it is not two finite numbers, or a score leaves the float range.
        """
        scores = self.scores_at(query)
        own = self._is_own(self._point(query))
        weights = self.weights if own else weights_of(scores, self.temperature, self.hard)
        rest_key = rest_value = None
        if len(self.rest):
            # Among themselves, for all of them together may weigh less than the smallest float.
            within = weights_of(scores[self.rest], self.temperature, self.hard)
            rest_key = within @ self.keys[self.rest]
            rest_value = None if self.values is None else within @ self.values[self.rest]
        output = None if self.values is None else weights @ self.values
        return RowWeights(weights[self.heaviest], float(weights[self.rest].sum()), rest_key, rest_value, output)

    def _point(self, query: npt.ArrayLike) -> Floats:
        point = finite_array("query", query, "2")
        if point.shape != (2,):
            raise ArrayError(f"query has shape {point.shape}, but must be (2,), a point of the plane")
        return point.astype(np.float64, copy=False)

    def _is_own(self, point: Floats) -> bool:
        return bool((point == self.query).all())


def row_lookup(
    map_: QueryKeyMap, row: SupportsIndex, v: npt.ArrayLike | None = None, *, named: SupportsIndex = NAMED
) -> RowLookup:
    """Lay one query of a head, its keys and its values out in planes.

    Parameters
    ----------
    map_ : QueryKeyMap
        The head; its queries and keys as they are compared, after rotary.
    row : int
        Which query, from 0.
    v : array_like, (n_k, d_v), optional
        The values of the head.
    named : int
        How many of the heaviest keys are named.

    Returns
    -------
    RowLookup

    Raises
    ------
    ArrayError
        If there is no such row, the values do not fit, or the numbers are too large for a plane.

    Notes
    -----
    Vaswani et al. 2017, eq. 1, a row of it: a score sees of a key only its part along the query.
    """
    at = size("row", row)
    chosen("row", at, map_.n_q)
    allowed = map_.allowed(at)
    query, keys, directions, share = _key_plane(map_, at, allowed)
    values = value_directions = None
    value_share = 1.0
    if v is not None:
        values, value_directions, value_share = _value_plane(map_, v, allowed)
    weights = map_.weights(at).astype(np.float64)
    visible = np.flatnonzero(allowed)
    order = visible[np.argsort(-weights[visible], kind="stable")]
    most = size("named", named)
    return RowLookup(
        row=at,
        query=query,
        keys=keys,
        key_directions=directions,
        key_share=share,
        values=values,
        value_directions=value_directions,
        value_share=value_share,
        bias=map_.bias(at).astype(np.float64),
        allowed=allowed,
        scaled=map_.stage(Stage.SCALED, at).astype(np.float64),
        weights=weights,
        temperature=map_.temperature,
        hard=map_.hard,
        heaviest=order[:most],
        rest=np.sort(order[most:]),
    )


def _key_plane(map_: QueryKeyMap, row: int, allowed: Bools) -> tuple[Floats, Floats, Floats, float]:
    """Return the query (2,), the keys (n_k, 2), the directions (2, d_k), and the share that y keeps."""
    q, k = map_.q[row].astype(np.float64), map_.k.astype(np.float64)
    with np.errstate(all="ignore"):  # looked for below
        x, length = _direction(q)
        if length == 0.0:  # any direction is along this query: take that in which the keys differ most
            x = principal_plane(k[allowed], 1).directions[0]
        query = np.array([length * map_.scale, 0.0])
        along = k @ x  # (n_k,)
        left = k - along[:, None] * x  # (n_k, d_k)
        plane = principal_plane(left[allowed], 1)
        y, _ = _direction(plane.directions[0] - (plane.directions[0] @ x) * x)  # rounding has left it some x
        # The head's own scores, so that no rounding of the geometry comes between: x · query is the score again.
        exact = map_.stage(Stage.SCALED, row).astype(np.float64) / query[0]
        is_normal = abs(query[0]) >= np.finfo(np.float64).tiny
        keys = np.stack((exact if is_normal else along, left @ y), axis=1)
    if not (np.isfinite(keys).all() and np.isfinite(query).all()):
        raise ArrayError(f"the queries and keys of row {row} are too large for a plane: their products leave the range")
    return query, keys, np.stack((x, y)), plane.share


def _value_plane(map_: QueryKeyMap, v: npt.ArrayLike, allowed: Bools) -> tuple[Floats, Floats, float]:
    """Return the values (n_k, 2), their directions (2, d_v), and the share of the variance that they keep."""
    values = finite_array("v", v, "n_k", "d_v").astype(np.float64, copy=False)
    if len(values) != map_.n_k:
        raise ArrayError(f"v has shape {values.shape}, but the map has {map_.n_k} keys: it must have as many rows")
    directions, share = principal_plane(values[allowed], 2)
    with np.errstate(all="ignore"):  # looked for below
        points = values @ directions.T
    if not np.isfinite(points).all():
        raise ArrayError(f"v of shape {values.shape} is too large for a plane: a length leaves the float range")
    return points, directions, share


def _direction(vector: Floats) -> tuple[Floats, float]:
    """Return a unit vector and the length, zeros for a vector of zeros."""
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(vector), 0.0
    length = float(np.linalg.norm(vector / largest))  # squares leave the range before lengths do
    return vector / largest / length, length * largest
