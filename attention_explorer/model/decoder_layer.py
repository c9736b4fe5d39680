"""The decoder's layer: causal self-attention, attention to another sequence, feed-forward network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.fields import choice
from attention_explorer.model.arrays import Floats, finite_array, not_a_mask
from attention_explorer.model.attention_reverse import AttentionDerivative, attention_reverse
from attention_explorer.model.derivatives import derivative_by_output
from attention_explorer.model.encoder_layer import check_widths
from attention_explorer.model.feed_forward import FeedForward, FeedForwardTrace
from attention_explorer.model.kv_cache import KVCache, attend_with_cache
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.norm import Norm
from attention_explorer.model.rotary import RotaryPositions
from attention_explorer.model.scalars import flag
from attention_explorer.model.sublayer import NormPlacement, SublayerTrace, Wiring


class DecoderTrace(NamedTuple):
    """One decoder layer with every intermediate.

    Attributes
    ----------
    self_attention : SublayerTrace of MultiHeadTrace
        Among the tokens of the sequence, none looking ahead.
    cross_attention : SublayerTrace of MultiHeadTrace
        From the sequence to the context.
    feed_forward : SublayerTrace of FeedForwardTrace
        The feed-forward network.
    """

    self_attention: SublayerTrace[MultiHeadTrace]
    cross_attention: SublayerTrace[MultiHeadTrace]
    feed_forward: SublayerTrace[FeedForwardTrace]

    @property
    def weights(self) -> Floats:
        """The weights among the tokens of the sequence, (..., heads, n, n)."""
        return self.self_attention.inside.weights

    @property
    def cross_weights(self) -> Floats:
        """The weights from the sequence to the context, (..., heads, n, n_k)."""
        return self.cross_attention.inside.weights

    @property
    def output(self) -> Floats:
        """What the layer puts out, (..., n, d_model)."""
        return self.feed_forward.output


class DecoderDerivative(NamedTuple):
    """A derivative by what a decoder layer was given.

    Attributes
    ----------
    x : ndarray, (..., n, d_model)
        By the sequence.
    context : ndarray, (..., n_k, d_context)
        By the context.
    weights : ndarray, (..., heads, n, n)
        By the weights among the tokens of the sequence; see `AttentionDerivative`.
    cross_weights : ndarray, (..., heads, n, n_k)
        By the weights from the sequence to the context.
    """

    x: Floats
    context: Floats
    weights: Floats
    cross_weights: Floats


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DecoderLayer:
    """Three sublayers, each with a residual and a norm. Without the second it is an `EncoderLayer` with a causal mask.

    Parameters
    ----------
    self_attention : MultiHeadAttention
        From d_model to d_model features.
    cross_attention : MultiHeadAttention
        Queries from d_model features, keys and values from those of the context, output d_model.
    feed_forward : FeedForward
        From d_model to d_model features.
    norm : NormPlacement
        "post", "pre" or "none".
    norms : sequence of three Norm, optional
        Of the three sublayers in their order; layer norms without gain and bias if not given.
    residual : bool
        Whether each sublayer's output is added to what came into it.

    Raises
    ------
    ArrayError
        If a width does not fit, there are not three norms, or the placement is unknown.

    Notes
    -----
    Vaswani et al. 2017, section 3.1, the right half of figure 1.
    """

    self_attention: MultiHeadAttention
    cross_attention: MultiHeadAttention
    feed_forward: FeedForward
    norms: tuple[Norm, ...]
    wiring: Wiring

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        cross_attention: MultiHeadAttention,
        feed_forward: FeedForward,
        *,
        norm: NormPlacement | str = NormPlacement.POST,
        norms: Sequence[Norm] | None = None,
        residual: bool = True,
    ) -> None:
        three = (Norm(),) * 3 if norms is None else tuple(norms)
        if len(three) != 3:
            raise ArrayError(f"{len(three)} norms were given, but a decoder layer has three, one for each sublayer")
        check_widths(self_attention, feed_forward, three)
        d_model = self_attention.w_q.shape[0]
        if (cross_attention.w_q.shape[0], cross_attention.w_o.shape[1]) != (d_model, d_model):
            raise ArrayError(
                f"cross_attention has w_q of shape {cross_attention.w_q.shape} and w_o {cross_attention.w_o.shape}: "
                f"it must take and put out d_model = {d_model} features, as the self-attention does"
            )
        object.__setattr__(self, "self_attention", self_attention)
        object.__setattr__(self, "cross_attention", cross_attention)
        object.__setattr__(self, "feed_forward", feed_forward)
        object.__setattr__(self, "norms", three)
        object.__setattr__(self, "wiring", Wiring(choice("norm", norm, NormPlacement), flag("residual", residual)))

    def __repr__(self) -> str:
        first, second = self.self_attention, self.cross_attention
        return (
            f"DecoderLayer({first.heads} and {second.heads} heads, d_model {first.w_q.shape[0]}, "
            f"d_context {second.w_k.shape[0]}, d_ff {self.feed_forward.w1.shape[1]}, norm {self.wiring.placement}, "
            f"{first.dtype})"
        )

    def __call__(
        self,
        x: npt.ArrayLike,
        context: npt.ArrayLike,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        hard: bool = False,
        positions: RotaryPositions | None = None,
        context_mask: npt.ArrayLike | None = None,
    ) -> DecoderTrace:
        """Send sequences through the layer; no token sees a later one of its own sequence.

        Parameters
        ----------
        x : array_like, (..., n, d_model)
            The sequence that is being written.
        context : array_like, (..., n_k, d_context)
            The sequence it is written from, such as what an encoder put out.
        mask, bias, positions
            Of the self-attention, besides its causal mask; as for `attend_with_cache`.
        scale, hard
            Of both kinds of attention; as for `MultiHeadAttention`.
        context_mask : array_like of bool, optional
            True where a query may attend to the context; the shapes of `MultiHeadAttention`.

        Returns
        -------
        DecoderTrace

        Raises
        ------
        ArrayError
            If a shape does not fit, an entry is not finite, or a stage leaves the float range.
        """
        given = partial(self._run, mask=mask, bias=bias, scale=scale, hard=hard, positions=positions)
        return given(x, context, None, context_mask=context_mask)

    def decode(
        self,
        x: npt.ArrayLike,
        context: npt.ArrayLike,
        cache: KVCache | None = None,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        hard: bool = False,
        positions: RotaryPositions | None = None,
        context_mask: npt.ArrayLike | None = None,
    ) -> tuple[DecoderTrace, KVCache]:
        """Send the newest tokens through the layer, with keys and values of those before from a cache.

        Parameters
        ----------
        x : array_like, (..., m, d_model)
            The newest tokens.
        context : array_like, (..., n_k, d_context)
            The same in every step; its keys and values are made anew.
        cache : KVCache, optional
            What this method returned for the tokens before; none at the start.
        mask, bias, positions
            As for a call, of the m newest queries.
        scale, hard
            As for a call.
        context_mask : array_like of bool, optional
            As for a call, with m queries.

        Returns
        -------
        trace : DecoderTrace
            The last m rows of a call, up to rounding.
        cache : KVCache
            Of the self-attention, for the next step.

        Raises
        ------
        ArrayError
            As for a call, or if the cache belongs to another layer.
        """
        given = partial(self._run, mask=mask, bias=bias, scale=scale, hard=hard, positions=positions)
        trace = given(x, context, cache, context_mask=context_mask)
        inside = trace.self_attention.inside
        return trace, KVCache(inside.k, inside.v)  # those of all tokens so far

    def reverse(self, trace: DecoderTrace, d_output: npt.ArrayLike) -> DecoderDerivative:
        """Pull a derivative by the output back to those by sequence and context: the exact gradient, by hand.

        Parameters
        ----------
        trace : DecoderTrace
            What a call of this layer returned.
        d_output : array_like, (..., n, d_model)
            ∂L/∂output of any number L.

        Returns
        -------
        DecoderDerivative

        Raises
        ------
        ArrayError
            If the shape is not that of the output, an entry is not finite, or a derivative leaves the float range.
        """
        derivative = derivative_by_output(d_output, trace.output)
        fed, crossed, first = trace.feed_forward, trace.cross_attention, trace.self_attention
        pulled: list[AttentionDerivative] = []

        def through_cross(d_inside: Floats) -> Floats:
            pulled.append(attention_reverse(self.cross_attention, crossed.inside, d_inside))
            return pulled[-1].x

        def through_self(d_inside: Floats) -> Floats:
            pulled.append(attention_reverse(self.self_attention, first.inside, d_inside))
            return np.asarray(pulled[-1].x + pulled[-1].context)

        through_network = partial(self.feed_forward.reverse, fed.inside)
        derivative = self.wiring.reverse(fed, self.norms[2], derivative, through_network)
        derivative = self.wiring.reverse(crossed, self.norms[1], derivative, through_cross)
        by_x = self.wiring.reverse(first, self.norms[0], derivative, through_self)
        by_cross, by_self = pulled
        return DecoderDerivative(by_x, by_cross.context, by_self.weights, by_cross.weights)

    def _run(
        self,
        x: npt.ArrayLike,
        context: npt.ArrayLike,
        cache: KVCache | None,
        *,
        scale: float | None,
        hard: bool,
        context_mask: npt.ArrayLike | None,
        **of_self: Any,  # noqa: ANN401 # mask, bias and positions
    ) -> DecoderTrace:
        """Send the newest tokens through the layer; arguments are those of `decode`."""
        rows = finite_array("x", not_a_mask("x", x), "...", "m", "d_model")
        called = {"scale": scale, "hard": hard, **of_self}
        first = self.wiring.run(
            rows, self.norms[0], lambda before: attend_with_cache(self.self_attention, before, cache, **called)[0]
        )
        look = partial(self.cross_attention, context=context, mask=context_mask, scale=scale, hard=hard)
        return self._after(first, look)

    def _after(self, first: SublayerTrace[MultiHeadTrace], look: Callable[[Floats], MultiHeadTrace]) -> DecoderTrace:
        """Run the two sublayers behind the self-attention."""
        crossed = self.wiring.run(first.output, self.norms[1], look)
        return DecoderTrace(first, crossed, self.wiring.run(crossed.output, self.norms[2], self.feed_forward))
