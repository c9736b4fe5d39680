"""One row of a head as a lookup in the plane: every score and weight stays what it is in the head."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, finite_array
from attention_explorer.model.attention import weights_of
from attention_explorer.model.attention_map import Stage
from attention_explorer.model.gradient import LookupGradient, weighted_covariances
from attention_explorer.model.map_selection import chosen
from attention_explorer.model.principal import principal_plane
from attention_explorer.model.query_key_map import QueryKeyMap
from attention_explorer.model.scalars import flag, positive_temperature, size

NAMED = 12
"""The heaviest keys, which are shown one by one; all others are the rest."""


class RowWeights(NamedTuple):
    """What a query in the plane attends to.

    Attributes
    ----------
    scores : ndarray, (n_k,)
        As the softmax sees them: with the bias, −inf for hidden keys.
    weights : ndarray, (n_k,)
        Of all keys; 0 for hidden ones.
    heaviest : ndarray, (m,)
        The weights of ``RowLookup.heaviest``, in that order, also if others weigh more by now.
    rest : float
        The weight of all other visible keys together; with the heaviest it sums to 1, or to 0 if nothing is visible.
    rest_score : float
        The score with which one key would weigh as much: T·ln Σ e^(score/T), or the largest if hard; −inf if there is
        no rest.
    rest_key, rest_value : ndarray, (2,), or None
        Where the rest stands: the mean of its keys and of its values by their weights. To first order the rest answers
        a moved query as one key there would. None if there is no rest, the value also if there are no values.
    output : ndarray, (2,), or None
        The mean of all values by their weights: the head's output as the plane of values shows it. None without values.
    """

    scores: Floats
    weights: Floats
    heaviest: Floats
    rest: float
    rest_score: float
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
    key_lengths : ndarray, (n_k,)
        ‖k‖ with all features of the head; in the plane a key is as long or shorter.
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
        The visible keys of the largest weights, the largest first; among equals that of the higher score, or the first.
    rest : ndarray of int, (n_k − hidden − m,)
        All other visible keys, in their order.
    """

    row: int
    query: Floats
    keys: Floats
    key_lengths: Floats
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

    def is_own(self, query: npt.ArrayLike) -> bool:
        """Tell whether a query in the plane is that of the head, be it rounded otherwise on another machine.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is moved to.

        Returns
        -------
        bool

        Raises
        ------
        ArrayError
            If it is not two finite numbers.
        """
        apart = float(np.abs(self._point(query) - self.query).max())
        return apart <= _ROUNDING * abs(float(self.query[0]))

    def scaled_at(self, query: npt.ArrayLike) -> Floats:
        """Compute the scaled scores of a query in the plane, without the bias and of hidden keys too.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is moved to.

        Returns
        -------
        ndarray, (n_k,)
            keys @ query; ±inf or NaN beyond the float range. At ``self.query`` the head's own, not rounded again.

        Raises
        ------
        ArrayError
            If it is not two finite numbers.
        """
        point = self._point(query)
        with np.errstate(all="ignore"):
            return self.scaled if self.is_own(point) else self.keys @ point

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
        scaled = self.scaled_at(query)
        with np.errstate(all="ignore"):  # looked for below
            scores = np.where(self.allowed, scaled + self.bias, -np.inf)
        if not (np.isfinite(scores) | ~self.allowed).all():
            place = self._point(query).tolist()
            raise ArrayError(f"the scores of a query at {place} leave the float range: move it nearer")
        return scores

    def weights_at(
        self, query: npt.ArrayLike, *, temperature: float | None = None, hard: bool | None = None
    ) -> RowWeights:
        """Compute what a query in the plane attends to, over all keys of the row.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is moved to.
        temperature : float, optional
            Divides the scores in the softmax, in place of that of the head.
        hard : bool, optional
            Whether the best key takes all, in place of what the head does.

        Returns
        -------
        RowWeights
            At ``self.query``, unless the head's softmax is replaced, the weights of the head.

        Raises
        ------
        ArrayError
            If it is not two finite numbers, a score leaves the float range, or the temperature is not above 0.
        """
        scores = self.scores_at(query)
        hard = self.hard if hard is None else flag("hard", hard)
        warmth = self.temperature if temperature is None else positive_temperature(temperature)
        is_same = hard is self.hard and (hard or warmth == self.temperature)
        is_own = is_same and self.is_own(query)
        weights = self.weights if is_own else weights_of(scores, warmth, hard)
        rest_key = rest_value = None
        rest_score = -math.inf
        if len(self.rest):
            # Among themselves, for all of them together may weigh less than the smallest float.
            within = weights_of(scores[self.rest], warmth, hard)
            rest_key = within @ self.keys[self.rest]
            rest_value = None if self.values is None else within @ self.values[self.rest]
            rest_score = _as_one_score(scores[self.rest], warmth, hard)
        return RowWeights(
            scores,
            weights,
            weights[self.heaviest],
            float(weights[self.rest].sum()),
            rest_score,
            rest_key,
            rest_value,
            None if self.values is None else weights @ self.values,
        )

    def gradient_at(self, query: npt.ArrayLike, weights: Floats, temperature: float) -> LookupGradient:
        """Differentiate the output and all weights of a soft lookup by a query in the plane.

        Parameters
        ----------
        query : array_like, (2,)
            Where the query is.
        weights : ndarray, (n_k,)
            What `weights_at` gives there.
        temperature : float
            With which they were computed.

        Returns
        -------
        LookupGradient
            output (2, 2) and weights (n_k, 2); 0 for hidden keys.

        Raises
        ------
        ArrayError
            If there are no values.
        """
        if self.values is None:
            raise ArrayError("there are no values, so there is no output to differentiate")
        seen = self.allowed
        found = weighted_covariances(weights[seen], self.keys[seen], self.values[seen], 1.0, temperature)
        of_weights = np.zeros_like(self.keys)
        of_weights[seen] = found.weights
        return LookupGradient(found.output, of_weights)

    def shares(self, queries: npt.ArrayLike, temperatures: npt.ArrayLike) -> Floats:
        """Compute the soft weights of many queries at once, those of the rest as one.

        Parameters
        ----------
        queries : array_like, (..., 2)
            Points of the plane.
        temperatures : array_like, (...)
            Above 0; broadcast with the queries.

        Returns
        -------
        ndarray, (..., m) or (..., m + 1)
            In the order of `heaviest`, the rest last if there is one.
        """
        points, warmth = finite_array("queries", queries, "...", "2"), finite_array("temperatures", temperatures, "...")
        order = np.concatenate((self.heaviest, self.rest))
        scores = points @ self.keys[order].T + self.bias[order]  # (..., visible)
        weights = weights_of(scores / warmth[..., None], 1.0, False)
        m = len(self.heaviest)
        if not len(self.rest):
            return weights
        return np.concatenate((weights[..., :m], weights[..., m:].sum(axis=-1, keepdims=True)), axis=-1)

    def _point(self, query: npt.ArrayLike) -> Floats:
        point = finite_array("query", query, "2")
        if point.shape != (2,):
            raise ArrayError(f"query has shape {point.shape}, but must be (2,), a point of the plane")
        return point.astype(np.float64, copy=False)


_ROUNDING = 1e-12


def _as_one_score(scores: Floats, temperature: float, hard: bool) -> float:
    """Return the score of one key that would weigh as much as all of these."""
    largest = float(scores.max())
    if hard:
        return largest
    return largest + temperature * math.log(float(np.exp((scores - largest) / temperature).sum()))


def row_query(map_: QueryKeyMap, row: SupportsIndex) -> Floats:
    """Return where the query of a row stands in its plane, as `row_lookup` has it, without looking at any key.

    Parameters
    ----------
    map_ : QueryKeyMap
        The head.
    row : int
        Which query, from 0.

    Returns
    -------
    ndarray, (2,)
        (‖q‖ · scale, 0)

    Raises
    ------
    ArrayError
        If there is no such row.
    """
    at = size("row", row)
    chosen("row", at, map_.n_q)
    return np.array([_direction(map_.q[at].astype(np.float64))[1] * map_.scale, 0.0])


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
    scaled, bias = map_.stage(Stage.SCALED, at).astype(np.float64), map_.bias(at).astype(np.float64)
    visible = np.flatnonzero(allowed)
    order = visible[np.lexsort((-(scaled + bias)[visible], -weights[visible]))]
    most = size("named", named)
    return RowLookup(
        row=at,
        query=query,
        keys=keys,
        key_lengths=_lengths(map_.k.astype(np.float64)),
        key_directions=directions,
        key_share=share,
        values=values,
        value_directions=value_directions,
        value_share=value_share,
        bias=bias,
        allowed=allowed,
        scaled=scaled,
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


def _lengths(rows: Floats) -> Floats:
    """Return the length of every row; squares leave the range before lengths do."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    lengths: Floats = np.linalg.norm(rows / np.where(largest, largest, 1.0), axis=1) * largest[:, 0]
    return lengths


def _direction(vector: Floats) -> tuple[Floats, float]:
    """Return a unit vector and the length, zeros for a vector of zeros."""
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(vector), 0.0
    length = float(np.linalg.norm(vector / largest))  # squares leave the range before lengths do
    return vector / largest / length, length * largest
