"""Decoding token by token: keys and values of the past are kept instead of made again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, boolean_array, finite_array, not_a_mask
from attention_explorer.model.head_axis import for_heads
from attention_explorer.model.linear import read_only
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.rotary import RotaryPositions


@dataclass(frozen=True, eq=False, repr=False)
class KVCache:
    """Keys and values of all tokens so far, in one layer. It does not change: a longer one is made from it.

    Parameters
    ----------
    k : array_like, (..., heads, n, d_k)
        Keys; held read-only.
    v : array_like, (..., heads, n, d_v)
        Values; held read-only, of the dtype that both have in common.

    Raises
    ------
    ArrayError
        If heads, tokens or sequences of the two differ, or an entry is not finite.
    """

    k: Floats
    v: Floats

    def __post_init__(self) -> None:
        k, v = (finite_array(name, value, "...", "heads", "n", "d") for name, value in (("k", self.k), ("v", self.v)))
        if k.shape[:-1] != v.shape[:-1]:
            raise ArrayError(
                f"k has shape {k.shape} and v {v.shape}: all but the last axis must be the same, (..., heads, n)"
            )
        dtype = np.result_type(k, v)
        for name, array in (("k", k), ("v", v)):
            object.__setattr__(self, name, read_only(array.astype(dtype, copy=False)))

    def __repr__(self) -> str:
        return f"KVCache({self.tokens} tokens, k {self.k.shape}, v {self.v.shape}, {self.k.dtype})"

    @property
    def tokens(self) -> int:
        """How many tokens it holds."""
        return int(self.k.shape[-2])

    @property
    def numbers(self) -> int:
        """How many numbers it holds: n · heads · (d_k + d_v) for each sequence."""
        return self.k.size + self.v.size

    def extended(self, k: Floats, v: Floats) -> KVCache:
        """Return a cache with more tokens at its end.

        Parameters
        ----------
        k : ndarray, (..., heads, m, d_k)
            Keys of the new tokens.
        v : ndarray, (..., heads, m, d_v)
            Values of the new tokens.

        Returns
        -------
        KVCache
            Of n + m tokens. All are copied.

        Raises
        ------
        ArrayError
            If heads, widths or sequences are not those of the cache.
        """
        added = KVCache(k, v)
        for name, old, new in (("k", self.k, added.k), ("v", self.v, added.v)):
            if old.shape[:-2] != new.shape[:-2] or old.shape[-1] != new.shape[-1]:
                raise ArrayError(
                    f"the cache holds {name} of shape {old.shape}, and {new.shape} is to be added: all but the number "
                    "of tokens must be the same; start a new cache for other sequences or another layer"
                )
        return KVCache(np.concatenate([self.k, added.k], axis=-2), np.concatenate([self.v, added.v], axis=-2))


def attend_with_cache(
    attention: MultiHeadAttention,
    x: npt.ArrayLike,
    cache: KVCache | None = None,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    hard: bool = False,
    positions: RotaryPositions | None = None,
) -> tuple[MultiHeadTrace, KVCache]:
    """Let the newest tokens attend to themselves and to all before them, whose keys and values are in the cache.

    Parameters
    ----------
    attention : MultiHeadAttention
        The projections.
    x : array_like, (..., m, d_model)
        The newest tokens, one or several.
    cache : KVCache, optional
        What this function returned for the tokens before; none at the start.
    mask : array_like of bool, optional
        True where one of the m queries may attend to one of the n tokens so far, besides the causal mask: the last m
        rows of that of all tokens, such as of `window_mask`, or (batch, 1, n) of `padding_mask`. The shapes of
        `MultiHeadAttention`.
    bias : array_like, optional
        Numbers added to the scaled scores, the last m rows too: ``alibi_bias(heads, m, n)[None]``.
    scale, temperature, hard
        As for a call of `MultiHeadAttention`.
    positions : RotaryPositions, optional
        Of the m newest tokens; the keys in the cache are turned already.

    Returns
    -------
    trace : MultiHeadTrace
        The last m rows of causal attention over all n tokens: q (..., heads, m, d_k), weights
        (..., heads, m, n), output (..., m, d_out). Its k and v are those of all n tokens; its context is `x`, as
        the tokens before are no longer known.
    cache : KVCache
        Of n tokens, for the next step.

    Raises
    ------
    ArrayError
        If a shape does not fit the projections or the cache, or an entry is not finite.

    Notes
    -----
    Equal to a call with `causal_mask` and the same options up to rounding: no row of Vaswani et al. 2017, eq. 1, under
    the mask of section 3.2.3 depends on a later one. Shazeer 2019, section 2.4, decodes in this way.
    """
    rows = finite_array("x", not_a_mask("x", x), "...", "m", "d_model")
    if not isinstance(cache, KVCache | None):
        raise ArrayError(f"cache must be a KVCache, not {type(cache).__name__}: give masks and biases by name")
    q, k, v = attention.project(rows)
    if positions is not None:
        q, k = positions.turned(q), positions.turned(k)
    grown = KVCache(k, v) if cache is None else cache.extended(k, v)
    shape = (*q.shape[:-1], grown.tokens)
    allowed = causal_mask(*shape[-2:])
    if mask is not None:
        allowed = np.logical_and(allowed, for_heads("mask", boolean_array("mask", mask), shape))
    trace = attention.attended(
        *(rows, rows, q, grown.k, grown.v),
        mask=allowed,
        bias=bias,
        scale=scale,
        temperature=temperature,
        hard=hard,
        positions=positions,
    )
    return trace, grown
