"""An attention map backed by queries and keys, computed a block of rows at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats, finite_array, logit_array, match_scores, not_a_mask
from attention_explorer.model.attention import Attention, scaled_dot_product_attention, times, weights_of
from attention_explorer.model.attention_map import AttentionMap, Stage
from attention_explorer.model.linear import read_only
from attention_explorer.model.map_selection import ALL, Choice, Selection, chosen, count, without_single_axes
from attention_explorer.model.map_summary import RowBlock
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.row_mask import RowMask, rows_of_mask, taken_mask
from attention_explorer.model.scalars import finite_number, flag, outside_range, positive_temperature


class QueryKeyMap(AttentionMap):
    """The map softmax(Q Kᵀ · scale), of which only the blocks asked for are computed.

    Parameters
    ----------
    q : array_like, (n_q, d_k)
        Queries.
    k : array_like, (n_k, d_k)
        Keys.
    mask : array_like of bool or RowMask, optional
        True where a query may attend; (n_q, n_k) or with an axis of 1, or a function of (start, stop) that
        gives those rows.
    bias : array_like, optional
        Numbers added to the scaled scores; −inf hides. (n_q, n_k) or with an axis of 1.
    scale : float, optional
        Factor of the scores, 1/√d_k if not given.
    temperature : float
        Divides the masked scores in the softmax; ignored if `hard`.
    hard : bool
        Whether the best key takes all.

    Raises
    ------
    ArrayError
        If an entry is not finite, a shape does not fit, the mask is not boolean, or the scale or temperature
        is not finite (the temperature above 0); later, if what a function gives as mask does not fit.

    Notes
    -----
    Vaswani et al. 2017, eq. 1. The numbers are those of `scaled_dot_product_attention`: bit by bit if the map
    is one block, else but for the rounding of the matrix product.
    """

    has_scores: ClassVar[bool] = True

    def __init__(
        self,
        q: npt.ArrayLike,
        k: npt.ArrayLike,
        *,
        mask: npt.ArrayLike | RowMask | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
    ) -> None:
        queries, keys = (
            finite_array(name, not_a_mask(name, value), n, "d_k")
            for name, value, n in (("q", q, "n_q"), ("k", k, "n_k"))
        )
        if queries.shape[1] != keys.shape[1] or queries.shape[1] == 0:
            raise ArrayError(
                f"q has shape {queries.shape} and k {keys.shape}: the last axis d_k must be the same, at least 1"
            )
        shape = (len(queries), len(keys))
        added = None if bias is None else logit_array("bias", not_a_mask("bias", bias))
        if added is not None:
            match_scores("bias", added, shape)
        dtype = np.result_type(queries, keys) if added is None else np.result_type(queries, keys, added)
        super().__init__(shape, dtype)
        self._q, self._k = (read_only(array.astype(dtype, copy=False)) for array in (queries, keys))
        self._mask = taken_mask(mask, shape)
        self._bias: Floats | None = None
        self._unhidden: Bools | None = None  # where a bias of −inf does not hide
        if added is not None:
            self._bias, self._unhidden = _split_bias(added.astype(dtype, copy=False), shape)
        self._scale = 1.0 / math.sqrt(queries.shape[1]) if scale is None else finite_number("scale", scale)
        self._hard = flag("hard", hard)
        self._temperature = 1.0 if hard else positive_temperature(temperature)
        self._in_range = self._stays_in_range(float(_largest(self._q)), float(_largest(self._k)))

    @classmethod
    def of_heads(
        cls,
        q: npt.ArrayLike,
        k: npt.ArrayLike,
        *,
        mask: npt.ArrayLike | RowMask | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
    ) -> tuple[Self, ...]:
        """Return a map of each head of a layer; what they share is checked once.

        Parameters
        ----------
        q, k : array_like, (heads, n_q, d_k) and (heads, n_k, d_k)
            Queries and keys.
        mask, scale, temperature, hard
            Of all of them, as the class takes them.

        Raises
        ------
        ArrayError
            As the class does, or if there are not as many heads of the one as of the other.
        """
        queries, keys = (finite_array(name, value, "heads", "n", "d_k") for name, value in (("q", q), ("k", k)))
        if len(queries) != len(keys):
            raise ArrayError(f"q has shape {queries.shape} and k {keys.shape}: there must be as many heads of both")
        if not len(queries):
            return ()
        first = cls(queries[0], keys[0], mask=mask, scale=scale, temperature=temperature, hard=hard)
        queries, keys = (read_only(array.astype(first.dtype, copy=False)) for array in (queries, keys))
        reaches = _largest(queries).tolist(), _largest(keys).tolist()
        return tuple(map(first._with, queries, keys, *reaches))

    def _with(self, q: Floats, k: Floats, largest_q: float, largest_k: float) -> Self:
        """Return the map of other queries and keys, which are checked."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _q=q, _k=k)
        other._in_range = other._stays_in_range(largest_q, largest_k)
        return other

    @property
    def q(self) -> Floats:
        """The queries, (n_q, d_k), not to be written into."""
        return self._q

    @property
    def k(self) -> Floats:
        """The keys, (n_k, d_k), not to be written into."""
        return self._k

    @property
    def scale(self) -> float:
        """The factor of the scores that is used."""
        return self._scale

    @property
    def temperature(self) -> float:
        """The temperature of the softmax; 1 if `hard`."""
        return self._temperature

    @property
    def hard(self) -> bool:
        """Whether the best key takes all."""
        return self._hard

    def bias(self, rows: Choice = ALL, cols: Choice = ALL) -> Floats:
        """Return the numbers that are added to scaled scores.

        Parameters
        ----------
        rows, cols : int, slice or array of int or bool
            Which queries and which keys.

        Returns
        -------
        ndarray, (rows, cols)
            0 without a bias, and where one of −inf hides: `allowed` says so there.

        Raises
        ------
        ArrayError
            For a choice outside the map.
        """
        queries, keys = chosen("rows", rows, self.n_q), chosen("cols", cols, self.n_k)
        added = np.zeros((count(queries), count(keys)), self._dtype)
        return without_single_axes(self._biased(added, queries, keys), rows, cols)

    def _described(self) -> list[str]:
        is_causal = isinstance(self._mask, np.ndarray) and np.array_equal(self._mask, causal_mask(*self._shape))
        said = {
            "causal": is_causal,
            "masked": self._mask is not None and not is_causal,
            "biased": self._bias is not None,
            "hard": self._hard,
            f"temperature {self._temperature:g}": self._temperature != 1.0,
        }
        return [words for words, holds in said.items() if holds]

    def _stays_in_range(self, q: float, k: float) -> bool:
        """Tell whether no score and no partial sum of one can leave the float range, by the largest entries."""
        bound: float = self._q.shape[1] * q * k * max(1.0, abs(self._scale))
        if self._bias is not None:
            bound += float(np.abs(self._bias).max())
        return bound < float(np.finfo(self._dtype).max) / 8.0

    def _allowed_part(self, rows: Selection) -> Bools | None:
        allowed = rows_of_mask(self._mask, rows, self.n_k)
        if self._unhidden is None:
            return allowed
        unhidden: Bools = self._unhidden[rows]
        return unhidden if allowed is None else allowed & unhidden

    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        if stage is Stage.WEIGHTS:
            return self._weights_part(rows)[:, cols]
        if not self._in_range:
            allowed = self._allowed_part(rows) if stage is Stage.MASKED else None
            found = self._attention(rows, cols, None if allowed is None else allowed[:, cols])
            return np.array(getattr(found, stage.value))
        scores = self._q[rows] @ self._k[cols].T  # (rows, d_k) @ (d_k, cols): (rows, cols)
        if stage is Stage.SCORES:
            return scores
        scaled = self._scaled(scores)
        if stage is Stage.SCALED:
            return scaled
        logits = self._biased(scaled, rows, cols)
        allowed = self._allowed_part(rows)
        if allowed is not None:
            np.copyto(logits, -np.inf, where=~allowed[:, cols])
        return logits

    def _weights_part(self, rows: Selection) -> Floats:
        if not self._in_range:
            return self._attention(rows, slice(0, self.n_k), self._allowed_part(rows)).weights
        masked = self._stage_part(Stage.MASKED, rows, slice(0, self.n_k))
        return weights_of(masked, self._temperature, self._hard)

    def _block(self, rows: Selection) -> RowBlock:
        allowed = self._allowed_part(rows)
        if not self._in_range:
            found = self._attention(rows, slice(0, self.n_k), allowed)
            return RowBlock(rows, found.weights, allowed, None, np.array(found.scaled))
        scaled = self._scaled(self._q[rows] @ self._k.T)
        return self._weighed(rows, scaled, None if self._bias is None else self._bias[rows], allowed)

    def _weighed(self, rows: Selection, scaled: Floats, bias: Floats | None, allowed: Bools | None) -> RowBlock:
        """Take scaled scores through the softmax, (..., b, n_k): those of this map, or of several of its kind."""
        logits = scaled if bias is None else scaled + bias
        masked = logits
        if allowed is not None:
            masked = np.where(allowed, logits, logits.dtype.type(-np.inf))
        weights = weights_of(masked, self._temperature, self._hard)
        return RowBlock(rows, weights, allowed, logits, scaled, self._temperature)

    @property
    def kind(self) -> tuple[object, ...] | None:
        """What maps have in common that are one product of queries and keys; None with a bias, or beyond its range."""
        if type(self) is not QueryKeyMap or not self._in_range or self._bias is not None:
            return None
        return self._mask is None, self._scale, self._temperature, self._hard, self._q.shape[1]

    def block_of(self, maps: Sequence[AttentionMap]) -> RowBlock:
        """Compute all rows of several maps of the kind of this one, by one product."""
        alike = [map_ for map_ in maps if isinstance(map_, QueryKeyMap)]
        q, k = np.stack([map_.q for map_ in alike]), np.stack([map_.k for map_ in alike])
        rows = slice(0, self.n_q)
        masks = [rows_of_mask(map_._mask, rows, self.n_k) for map_ in alike]  # noqa: SLF001 - of this class too
        allowed = None if self._mask is None else np.stack([mask for mask in masks if mask is not None])
        return self._weighed(rows, self._scaled(q @ k.swapaxes(1, 2)), None, allowed)

    def _attention(self, rows: Selection, cols: Selection, allowed: Bools | None) -> Attention:
        """Compute a block whose scores may leave the float range."""
        return scaled_dot_product_attention(
            self._q[rows],
            self._k[cols],
            np.zeros((count(cols), 0), self._dtype),
            mask=allowed,
            bias=None if self._bias is None else self._bias[rows][:, cols],
            scale=self._scale,
            temperature=self._temperature,
            hard=self._hard,
        )

    def _scaled(self, scores: Floats) -> Floats:
        """Scale scores in place where the scale is a number of their type."""
        if self._scale == 1.0 or outside_range(self._scale, scores.dtype):
            return times(scores, self._scale)
        scores *= self._scale
        return scores

    def _biased(self, scaled: Floats, rows: Selection, cols: Selection) -> Floats:
        if self._bias is not None:
            scaled += self._bias[rows][:, cols]
        return scaled


def _largest(vectors: Floats) -> Floats:
    """Return the largest entry without its sign of vectors (..., n, d), (...); 0 of none."""
    return np.asarray(np.abs(vectors).max(axis=(-1, -2), initial=0.0))


def _split_bias(bias: Floats, shape: tuple[int, ...]) -> tuple[Floats, Bools | None]:
    """Turn the −inf of a bias into a mask, so that the rest is finite."""
    hidden = np.isneginf(bias)
    if not hidden.any():
        return np.broadcast_to(bias, shape), None
    return np.broadcast_to(np.where(hidden, bias.dtype.type(0.0), bias), shape), np.broadcast_to(~hidden, shape)
