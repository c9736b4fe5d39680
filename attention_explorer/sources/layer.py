"""One layer of attention with all its heads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ExplorerError
from attention_explorer.model import AttentionMap, MultiHeadAttention, QueryKeyMap, RowMask

Floats = npt.NDArray[np.floating[Any]]
T = TypeVar("T")


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
    maps : tuple of AttentionMap
        One a head; nothing of size n_q × n_k is computed or read before it is asked for.
    x : ndarray, (n_q, d_model), or None
        What the queries are made of, if it is known.
    context : ndarray, (n_k, d_model), or None
        What keys and values are made of; `x` itself in self-attention.
    q, k : ndarray, (heads, n_q, d_k) and (heads, n_k, d_k), or None
        Queries and keys of the heads, if they are known.
    values : Values or None
        What `v`, (heads, n_k, d_v), is made of when it is asked for, if it is known.
    attention : MultiHeadAttention or None
        The projections, if q, k and v were projected from x and context.
    shared : int
        How many heads that follow each other have the same keys and values, as in grouped-query attention.
    """

    maps: tuple[AttentionMap, ...]
    x: Floats | None = None
    context: Floats | None = None
    q: Floats | None = None
    k: Floats | None = None
    values: Values | None = None
    attention: MultiHeadAttention | None = None
    shared: int = 1

    @property
    def v(self) -> Floats:
        """The values; an ExplorerError where they are not known."""
        return self._known(self.values, "values").array

    @property
    def inputs(self) -> tuple[Floats, Floats]:
        """X and context; an ExplorerError where they are not known."""
        return self._known(self.x, "inputs"), self._known(self.context, "inputs")

    @property
    def queries_and_keys(self) -> tuple[Floats, Floats]:
        """Q and k; an ExplorerError where they are not known."""
        return self._known(self.q, "queries"), self._known(self.k, "keys")

    @staticmethod
    def _known(found: T | None, what: str) -> T:
        if found is None:
            raise ExplorerError(f"The {what} of this layer are not known: only its weights are.")
        return found

    def with_maps(
        self, mask: npt.ArrayLike | RowMask | None, scale: float | None, temperature: float, hard: bool
    ) -> Self:
        """Return the layer with a map of each head's queries and keys; the arguments are those of `QueryKeyMap`."""
        q, k = self.queries_and_keys
        maps = QueryKeyMap.of_heads(q, k, mask=mask, scale=scale, temperature=temperature, hard=hard)
        return self._replace(maps=maps)
