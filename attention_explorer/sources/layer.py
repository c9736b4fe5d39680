"""One layer of attention with all its heads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from attention_explorer.model import MultiHeadAttention, QueryKeyMap, RowMask

Floats = npt.NDArray[np.float64]


class Values:
    """The values of all heads of a layer, made when they are first asked for: no map needs them."""

    def __init__(self, make: Callable[[], Floats]) -> None:
        self._make = make

    @cached_property
    def array(self) -> Floats:
        """(heads, n_k, d_v), read-only."""
        return self._make()


class Layer(NamedTuple):
    """One layer of attention with all its heads. The arrays are read-only and shared between calls.

    Attributes
    ----------
    x : ndarray, (n_q, d_model)
        What the queries are made of.
    context : ndarray, (n_k, d_model)
        What keys and values are made of; `x` itself in self-attention.
    q, k : ndarray, (heads, n_q, d_k) and (heads, n_k, d_k)
        Queries and keys of the heads.
    values : Values
        What `v`, (heads, n_k, d_v), is made of when it is asked for.
    maps : tuple of QueryKeyMap
        One a head; nothing of size n_q × n_k is computed before it is asked for.
    attention : MultiHeadAttention or None
        The projections, or None if q, k and v were not projected from x but made otherwise.
    """

    x: Floats
    context: Floats
    q: Floats
    k: Floats
    values: Values
    maps: tuple[QueryKeyMap, ...]
    attention: MultiHeadAttention | None

    @property
    def v(self) -> Floats:
        """The values."""
        return self.values.array

    def with_maps(
        self, mask: npt.ArrayLike | RowMask | None, scale: float | None, temperature: float, hard: bool
    ) -> Self:
        """Return the layer with a map of each head's queries and keys; the arguments are those of `QueryKeyMap`."""
        maps = tuple(
            QueryKeyMap(q, k, mask=mask, scale=scale, temperature=temperature, hard=hard)
            for q, k in zip(self.q, self.k, strict=True)
        )
        return self._replace(maps=maps)
