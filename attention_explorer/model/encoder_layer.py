"""The whole layer: attention and feed-forward network, each with residual and norm. Vaswani et al. 2017, figure 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.fields import choice
from attention_explorer.model.activations import Activation
from attention_explorer.model.arrays import Floats, finite_array, not_a_mask
from attention_explorer.model.attention_reverse import attention_reverse
from attention_explorer.model.derivatives import derivative_by_output
from attention_explorer.model.dropout import Dropout
from attention_explorer.model.feed_forward import FeedForward, FeedForwardTrace
from attention_explorer.model.kv_cache import KVCache, attend_with_cache
from attention_explorer.model.multi_head import MultiHeadAttention, MultiHeadTrace
from attention_explorer.model.norm import Norm, NormKind
from attention_explorer.model.rotary import RotaryPositions
from attention_explorer.model.scalars import flag
from attention_explorer.model.sublayer import NormPlacement, SublayerTrace, Wiring


class EncoderTrace(NamedTuple):
    """One layer with every intermediate.

    Attributes
    ----------
    attention : SublayerTrace of MultiHeadTrace
        The first half; ``attention.inside`` holds queries, keys, values, scores and so on.
    feed_forward : SublayerTrace of FeedForwardTrace
        The second half; ``feed_forward.inside`` holds the hidden units.
    """

    attention: SublayerTrace[MultiHeadTrace]
    feed_forward: SublayerTrace[FeedForwardTrace]

    @property
    def x(self) -> Floats:
        """What came in, (..., n, d_model)."""
        return self.attention.x

    @property
    def weights(self) -> Floats:
        """The attention weights, (..., heads, n, n)."""
        return self.attention.inside.weights

    @property
    def output(self) -> Floats:
        """What the layer puts out, (..., n, d_model)."""
        return self.feed_forward.output

    def stages(self) -> dict[str, Floats]:
        """Name every array in the order of computation.

        Returns
        -------
        dict of str to ndarray
            x, attention_input, q, k, v, scores, scaled, masked, weights, head_output, concat, attention_output,
            attention_sum, middle, feed_forward_input, before_activation, linear_part (of a gated network only),
            hidden, feed_forward_output, feed_forward_sum, output. Where the layer has no norm or residual, a
            stage is the same array as the one before.
        """
        heads, fed = self.attention.inside, self.feed_forward.inside
        gated = {} if fed.linear_part is None else {"linear_part": fed.linear_part}
        return {
            "x": self.x,
            "attention_input": self.attention.before,
            **{name: array for name, array in heads._asdict().items() if name not in ("x", "context", "output")},
            "attention_output": heads.output,
            "attention_sum": self.attention.summed,
            "middle": self.attention.output,
            "feed_forward_input": self.feed_forward.before,
            "before_activation": fed.before,
            **gated,
            "hidden": fed.hidden,
            "feed_forward_output": fed.output,
            "feed_forward_sum": self.feed_forward.summed,
            "output": self.output,
        }


@dataclass(frozen=True, init=False, eq=False, repr=False)
class EncoderLayer:
    """Attention, then a feed-forward network, each with a residual and a norm. With a causal mask it is a GPT's layer.

    Parameters
    ----------
    w_q, w_k : array_like, (d_model, heads·d_k)
        Make queries and keys.
    w_v : array_like, (d_model, heads·d_v)
        Makes values.
    w_o : array_like, (heads·d_v, d_model)
        Mixes the heads.
    w1, b1 : array_like, (d_model, d_ff) and (d_ff,), b1 optional
        Make the hidden units. These and all that follow are given by name.
    w2, b2 : array_like, (d_ff, d_model) and (d_model,), b2 optional
        Make the output.
    heads : int
        Number of heads, at least 1.
    norm : NormPlacement
        "post" (2017), "pre" (GPT-2 and later) or "none".
    norm_kind : NormKind
        "layer" or "rms".
    residual : bool
        Whether each half is added to what came into it.
    eps, eps_inside_sqrt
        Of both norms.
    gain1, bias1, gain2, bias2 : array_like, (d_model,), optional
        Of the norm of attention and of that of the feed-forward network.
    activation : Activation
        Of the hidden units: "relu", "gelu", "gelu_tanh" or "silu_gated".
    w3, b3 : array_like, (d_model, d_ff) and (d_ff,), optional
        The second projection of a gated network.
    b_q, b_k, b_v, b_o : array_like, optional
        Biases of attention.

    Raises
    ------
    ArrayError
        If a shape does not fit, an entry is not finite, or an option is unknown.

    Notes
    -----
    Vaswani et al. 2017, section 3.1, whose norms have gain and bias and whose projections have no bias. Without dropout
    unless a call is given one. Weights are (in, out): those of a `torch.nn.Linear` are (out, in), so
    ``w1 = linear1.weight.T``.
    """

    attention: MultiHeadAttention
    feed_forward: FeedForward
    norms: tuple[Norm, Norm]
    wiring: Wiring

    def __init__(
        self,
        w_q: npt.ArrayLike,
        w_k: npt.ArrayLike,
        w_v: npt.ArrayLike,
        w_o: npt.ArrayLike,
        *,
        w1: npt.ArrayLike,
        b1: npt.ArrayLike | None = None,
        w2: npt.ArrayLike,
        b2: npt.ArrayLike | None = None,
        heads: SupportsIndex,
        norm: NormPlacement | str = NormPlacement.POST,
        norm_kind: NormKind | str = NormKind.LAYER,
        residual: bool = True,
        eps: float = 1e-5,
        eps_inside_sqrt: bool = True,
        gain1: npt.ArrayLike | None = None,
        bias1: npt.ArrayLike | None = None,
        gain2: npt.ArrayLike | None = None,
        bias2: npt.ArrayLike | None = None,
        activation: Activation | str = Activation.RELU,
        w3: npt.ArrayLike | None = None,
        b3: npt.ArrayLike | None = None,
        b_q: npt.ArrayLike | None = None,
        b_k: npt.ArrayLike | None = None,
        b_v: npt.ArrayLike | None = None,
        b_o: npt.ArrayLike | None = None,
    ) -> None:
        attention = MultiHeadAttention(w_q, w_k, w_v, w_o, heads, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o)
        network = FeedForward(w1, b1, w2, b2, activation, w3=w3, b3=b3)
        make = partial(Norm, norm_kind, eps=eps, eps_inside_sqrt=eps_inside_sqrt)
        norms = make(gain=gain1, bias=bias1), make(gain=gain2, bias=bias2)
        check_widths(attention, network, norms)
        object.__setattr__(self, "attention", attention)
        object.__setattr__(self, "feed_forward", network)
        object.__setattr__(self, "norms", norms)
        object.__setattr__(self, "wiring", Wiring(choice("norm", norm, NormPlacement), flag("residual", residual)))

    def __repr__(self) -> str:
        attention, network = self.attention, self.feed_forward
        return (
            f"{type(self).__name__}({attention.heads} heads, d_model {self.d_model}, d_k {attention.d_k}, "
            f"d_ff {network.w1.shape[1]}, norm {self.wiring.placement}, {network.activation}, {attention.dtype})"
        )

    @property
    def d_model(self) -> int:
        """Features of a token."""
        return int(self.attention.w_q.shape[0])

    @property
    def second_wiring(self) -> Wiring:
        """How the second half is wired: as the first."""
        return self.wiring

    def __call__(
        self,
        x: npt.ArrayLike,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
        positions: RotaryPositions | None = None,
        dropout: Dropout | None = None,
    ) -> EncoderTrace:
        """Send sequences through the layer.

        Parameters
        ----------
        x : array_like, (..., n, d_model)
            One sequence, or a batch of them.
        mask : array_like of bool, optional
            True where a query may attend; the shapes of `MultiHeadAttention`.
        bias : array_like, optional
            Numbers added to the scaled scores; −inf hides. One for each head is ``bias[None]``.
        scale : float, optional
            Factor of the scores, 1/√d_k if not given.
        temperature : float
            Divides the masked scores in the softmax; ignored if `hard`.
        hard : bool
            Whether the best key takes all.
        positions : RotaryPositions, optional
            By which queries and keys are turned.
        dropout : Dropout, optional
            What is left out, as in a step of learning.

        Returns
        -------
        EncoderTrace
            float32 if everything given is float32 or float16. With dropout, each stage is what is left of it.

        Raises
        ------
        ArrayError
            If a shape does not fit, an entry is not finite, or a stage leaves the float range.
        """
        rows = finite_array("x", not_a_mask("x", x), "...", "n", "d_model")

        def attend(before: Floats) -> MultiHeadTrace:
            found = self.attention(
                before, mask=mask, bias=bias, scale=scale, temperature=temperature, hard=hard, positions=positions
            )
            return found if dropout is None else dropout.in_attention(self.attention, found)

        return self._after(self.wiring.run(rows, self.norms[0], attend), dropout)

    def decode(
        self,
        x: npt.ArrayLike,
        cache: KVCache | None = None,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        positions: RotaryPositions | None = None,
    ) -> tuple[EncoderTrace, KVCache]:
        """Send the newest tokens through the layer, causally, with keys and values of those before from a cache.

        Parameters
        ----------
        x : array_like, (..., m, d_model)
            The newest tokens.
        cache : KVCache, optional
            What this method returned for the tokens before; none at the start.
        mask, bias, scale, temperature, positions
            As for `attend_with_cache`: of the m newest queries.

        Returns
        -------
        trace : EncoderTrace
            The last m rows of a call with `causal_mask` and the same options, up to rounding.
        cache : KVCache
            For the next step.

        Raises
        ------
        ArrayError
            As for a call, or if the cache belongs to another layer.
        """
        rows = finite_array("x", not_a_mask("x", x), "...", "m", "d_model")
        attend = partial(attend_with_cache, mask=mask, bias=bias, scale=scale, temperature=temperature)
        attended = self.wiring.run(
            rows, self.norms[0], lambda before: attend(self.attention, before, cache, positions=positions)[0]
        )
        return self._after(attended), KVCache(attended.inside.k, attended.inside.v)  # those of all tokens so far

    def reverse(self, trace: EncoderTrace, d_output: npt.ArrayLike) -> Floats:
        """Pull a derivative by the output back to one by the input: the exact gradient, by hand.

        Parameters
        ----------
        trace : EncoderTrace
            What a call of this layer returned.
        d_output : array_like, (..., n, d_model)
            ∂L/∂output of any number L.

        Returns
        -------
        ndarray, (..., n, d_model)
            ∂L/∂x. The slope of ReLU at 0 counts as 0.

        Raises
        ------
        ArrayError
            If the shape is not that of the output, an entry is not finite, a derivative leaves the float range, or the
            trace was made with dropout.
        """
        return self._reversed(trace, d_output)[0]

    def reverse_weights(self, trace: EncoderTrace, d_output: npt.ArrayLike) -> Floats:
        """Pull a derivative by the output back to one by the attention weights.

        Parameters
        ----------
        trace, d_output
            As for `reverse`.

        Returns
        -------
        ndarray, (..., heads, n, n)
            ∂L/∂A, each weight taken for itself; see `AttentionDerivative`.

        Raises
        ------
        ArrayError
            As for `reverse`.
        """
        return self._reversed(trace, d_output)[1]

    def _reversed(self, trace: EncoderTrace, d_output: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the derivatives by x and by the weights."""
        by_output = derivative_by_output(d_output, trace.output)
        fed, attended = trace.feed_forward, trace.attention
        by_weights: list[Floats] = []

        def through_heads(d_inside: Floats) -> Floats:
            found = attention_reverse(self.attention, attended.inside, d_inside)
            by_weights.append(found.weights)
            return np.asarray(found.x + found.context)

        through_network = partial(self.feed_forward.reverse, fed.inside)
        by_middle = self.second_wiring.reverse(fed, self.norms[1], by_output, through_network)
        return self.wiring.reverse(attended, self.norms[0], by_middle, through_heads), by_weights[0]

    def parameter_counts(self) -> dict[str, int]:
        """Count the learned numbers of attention, feed-forward network and norms, biases included.

        Returns
        -------
        dict of str to int
            attention, feed_forward, norms.
        """
        return {
            "attention": self.attention.parameter_count(),
            "feed_forward": self.feed_forward.parameter_count(),
            "norms": sum(norm.parameter_count() for norm in self.norms),
        }

    def _after(self, attended: SublayerTrace[MultiHeadTrace], dropout: Dropout | None = None) -> EncoderTrace:
        """Run the second half."""

        def feed(before: Floats) -> FeedForwardTrace:
            found = self.feed_forward(before)
            return found if dropout is None else dropout.in_network(self.feed_forward, found)

        return EncoderTrace(attended, self.second_wiring.run(attended.output, self.norms[1], feed))


def check_widths(attention: MultiHeadAttention, network: FeedForward, norms: tuple[Norm, ...]) -> None:
    """Refuse parts that do not all take and give the same number of features.

    Parameters
    ----------
    attention : MultiHeadAttention
        Its w_q sets d_model.
    network : FeedForward
        What comes after.
    norms : tuple of Norm
        All norms of the layer.

    Raises
    ------
    ArrayError
        If a width is another.
    """
    d_model = attention.w_q.shape[0]
    for name, array, axis in (
        ("w_k", attention.w_k, 0),
        ("w_o", attention.w_o, 1),
        ("w1", network.w1, 0),
        ("w2", network.w2, 1),
    ):
        if array.shape[axis] != d_model:
            raise ArrayError(
                f"{name} has shape {array.shape} and w_q {attention.w_q.shape}: a layer puts out as many features as "
                f"it takes in, so {name} must have {d_model} {'columns' if axis else 'rows'}"
            )
    for norm in norms:
        norm.check_width(d_model)
