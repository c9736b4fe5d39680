"""Multi-head attention with every intermediate: Vaswani et al. 2017, section 3.2.2.

Heads are column blocks: head h owns the columns h·d to (h + 1)·d of the projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, boolean_array, finite_array, logit_array, not_a_mask
from attention_explorer.model.attention import scaled_dot_product_attention
from attention_explorer.model.head_axis import apart, check_width, for_heads, side_by_side
from attention_explorer.model.linear import checked_bias, linear, read_only
from attention_explorer.model.rotary import RotaryPositions
from attention_explorer.model.scalars import size


class AttentionCall(NamedTuple):
    """How attention was called, which its derivative has to know.

    Attributes
    ----------
    scale : float or None
        Factor of the scores; None is 1/√d_k.
    temperature : float
        What divided the masked scores.
    hard : bool
        Whether the best key took all.
    positions : RotaryPositions or None
        By which queries and keys were turned.
    drops : bool
        Whether dropout left some of the weights or of the output out.
    """

    scale: float | None = None
    temperature: float = 1.0
    hard: bool = False
    positions: RotaryPositions | None = None
    drops: bool = False


class _Stages(NamedTuple):
    x: Floats
    context: Floats
    q: Floats
    k: Floats
    v: Floats
    scores: Floats
    scaled: Floats
    masked: Floats
    weights: Floats
    head_output: Floats
    concat: Floats
    output: Floats


class MultiHeadTrace(_Stages):
    """Multi-head attention with every intermediate, in the order of computation.

    Stages that do not differ may be the same array, or views of one: copy before writing into one.

    Attributes
    ----------
    x : ndarray, (..., n_q, d_model)
        Where the queries come from.
    context : ndarray, (..., n_k, d_context)
        Where keys and values come from; `x` itself for self-attention.
    q : ndarray, (..., heads, n_q, d_k)
        Queries.
    k : ndarray, (..., heads, n_k, d_k)
        Keys.
    v : ndarray, (..., heads, n_k, d_v)
        Values.
    scores, scaled, masked, weights : ndarray, (..., heads, n_q, n_k)
        The stages of `Attention`.
    head_output : ndarray, (..., heads, n_q, d_v)
        weights @ v, head by head.
    concat : ndarray, (..., n_q, heads·d_v)
        The outputs of the heads side by side.
    output : ndarray, (..., n_q, d_out)
        concat @ w_o + b_o.
    call : AttentionCall
        How it was called. It is no item of the tuple, which holds arrays alone.
    """

    call = AttentionCall()

    def _replace(self, **changes: Any) -> Self:  # noqa: ANN401 # as of any named tuple
        replaced = super()._replace(**changes)
        replaced.call = self.call
        return replaced


@dataclass(frozen=True, init=False, eq=False, repr=False)
class MultiHeadAttention:
    """Attention of several heads, each with projections of its own: Concat(head₁, …, head_h) W_O.

    Parameters
    ----------
    w_q : array_like, (d_model, heads·d_k)
        Makes queries, as ``x @ w_q``.
    w_k : array_like, (d_context, heads·d_k)
        Makes keys.
    w_v : array_like, (d_context, heads·d_v)
        Makes values.
    w_o : array_like, (heads·d_v, d_out)
        Mixes the heads.
    heads : int
        Number of heads, at least 1.
    b_q, b_k : array_like, (heads·d_k,), optional
        Added to queries and keys.
    b_v : array_like, (heads·d_v,), optional
        Added to values.
    b_o : array_like, (d_out,), optional
        Added to the output.

    Raises
    ------
    ArrayError
        If a shape does not fit, a width cannot be shared equally by the heads, or an entry is not finite.

    Notes
    -----
    Vaswani et al. 2017, section 3.2.2, which has no biases. Weights are (in, out), as the paper multiplies: those of a
    `torch.nn.Linear` are (out, in), so ``w_q = linear.weight.T``.
    """

    w_q: Floats
    w_k: Floats
    w_v: Floats
    w_o: Floats
    heads: int
    b_q: Floats | None
    b_k: Floats | None
    b_v: Floats | None
    b_o: Floats | None

    def __init__(
        self,
        w_q: npt.ArrayLike,
        w_k: npt.ArrayLike,
        w_v: npt.ArrayLike,
        w_o: npt.ArrayLike,
        heads: SupportsIndex,
        *,
        b_q: npt.ArrayLike | None = None,
        b_k: npt.ArrayLike | None = None,
        b_v: npt.ArrayLike | None = None,
        b_o: npt.ArrayLike | None = None,
    ) -> None:
        held = {
            "w_q": finite_array("w_q", w_q, "d_model", "heads·d_k"),
            "w_k": finite_array("w_k", w_k, "d_context", "heads·d_k"),
            "w_v": finite_array("w_v", w_v, "d_context", "heads·d_v"),
            "w_o": finite_array("w_o", w_o, "heads·d_v", "d_out"),
        }
        count = size("heads", heads)
        _match_projections(**held, heads=count)
        biases = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
        for name, array in held.items():
            object.__setattr__(self, name, read_only(array))
        object.__setattr__(self, "heads", count)
        for name, bias in biases.items():
            weight_name = f"w_{name[-1]}"
            object.__setattr__(self, name, checked_bias(name, bias, weight_name, held[weight_name]))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {getattr(self, name).shape}" for name in ("w_q", "w_k", "w_v", "w_o"))
        return f"MultiHeadAttention({self.heads} heads, {shapes}, {self.dtype})"

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """What float32 input leads to."""
        return np.result_type(np.float32, self.w_q, self.w_k, self.w_v, self.w_o)

    @property
    def d_k(self) -> int:
        """Features of a query and of a key of one head."""
        return int(self.w_q.shape[1]) // self.heads

    @property
    def d_v(self) -> int:
        """Features of a value of one head."""
        return int(self.w_v.shape[1]) // self.heads

    def parameter_count(self) -> int:
        """Count the learned numbers: those of all matrices and biases."""
        arrays = (self.w_q, self.w_k, self.w_v, self.w_o, self.b_q, self.b_k, self.b_v, self.b_o)
        return sum(0 if array is None else array.size for array in arrays)

    def __call__(
        self,
        x: npt.ArrayLike,
        context: npt.ArrayLike | None = None,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
        positions: RotaryPositions | None = None,
    ) -> MultiHeadTrace:
        """Let every position of `x` attend to `context`, or to `x` itself.

        Parameters
        ----------
        x : array_like, (..., n_q, d_model)
            One sequence, or a batch of them.
        context : array_like, (..., n_k, d_context), optional
            Where keys and values come from; `x` if not given. The leading axes broadcast with those of `x`.
        mask : array_like of bool, optional
            True where a query may attend. (n_q, n_k) for all heads and sequences; for a batch
            (batch…, n_q, n_k) for all heads; or as many axes as the scores, (batch…, heads, n_q, n_k), each
            as long as theirs or 1. So (batch, n_q, n_k) never falls on the heads, however many there are;
            a `padding_mask`, (batch, 1, n_k), is taken as it is.
        bias : array_like, optional
            Numbers added to the scaled scores; −inf hides. The same shapes as `mask`. One for each head, such as
            `alibi_bias`, is always ``bias[None]``, (1, heads, n_q, n_k), with a batch or without one; with as many
            heads as sequences (heads, n_q, n_k) is refused, for it could be one for each sequence.
        scale : float, optional
            Factor of the scores, 1/√d_k if not given.
        temperature : float
            Divides the masked scores in the softmax; ignored if `hard`.
        hard : bool
            Whether the best key takes all.
        positions : RotaryPositions, optional
            By which queries and keys are turned; in self-attention alone.

        Returns
        -------
        MultiHeadTrace
            float32 if everything given is float32 or float16.

        Raises
        ------
        ArrayError
            If a shape does not fit, an entry is not finite, a mask is given in the place of x, context or bias, or a
            projection leaves the float range.

        Notes
        -----
        Vaswani et al. 2017, section 3.2.2; every head is `scaled_dot_product_attention`.
        """
        if positions is not None and context is not None:
            raise ArrayError(
                "positions turn the queries and keys of one sequence: leave them out where there is a context"
            )
        x, context = self._sequences(x, context)
        q, k, v = self._projected(x, context)
        if positions is not None:
            q, k = positions.turned(q), positions.turned(k)
        return self.attended(
            x,
            context,
            q,
            k,
            v,
            mask=mask,
            bias=bias,
            scale=scale,
            temperature=temperature,
            hard=hard,
            positions=positions,
        )

    def attended(
        self,
        x: Floats,
        context: Floats,
        q: Floats,
        k: Floats,
        v: Floats,
        *,
        mask: npt.ArrayLike | None,
        bias: npt.ArrayLike | None,
        scale: float | None,
        temperature: float,
        hard: bool,
        positions: RotaryPositions | None,
    ) -> MultiHeadTrace:
        """Compare queries and keys that are made already, and mix the values.

        Parameters
        ----------
        x, context : ndarray
            What they were made of.
        q, k, v : ndarray, (..., heads, n, d)
            As `project` makes them, turned if there are positions.
        mask, bias, scale, temperature, hard, positions
            As for a call.

        Returns
        -------
        MultiHeadTrace

        Raises
        ------
        ArrayError
            As for a call.
        """
        shape = (*np.broadcast_shapes(q.shape[:-3], k.shape[:-3]), self.heads, q.shape[-2], k.shape[-2])
        found = scaled_dot_product_attention(
            q,
            k,
            v,
            mask=None if mask is None else for_heads("mask", boolean_array("mask", mask), shape),
            bias=None if bias is None else for_heads("bias", logit_array("bias", not_a_mask("bias", bias)), shape),
            scale=scale,
            temperature=temperature,
            hard=hard,
        )
        concat = side_by_side(found.output)
        output = linear("concat", concat, "w_o", self.w_o, self.b_o)
        trace = MultiHeadTrace(x, context, q, k, v, *found, concat, output)
        trace.call = AttentionCall(scale, temperature, hard, positions)
        return trace

    def project(self, x: npt.ArrayLike, context: npt.ArrayLike | None = None) -> tuple[Floats, Floats, Floats]:
        """Make queries, keys and values of every head, without comparing any.

        Parameters
        ----------
        x : array_like, (..., n_q, d_model)
            Where the queries come from.
        context : array_like, (..., n_k, d_context), optional
            Where keys and values come from; `x` if not given.

        Returns
        -------
        q : ndarray, (..., heads, n_q, d_k)
        k : ndarray, (..., heads, n_k, d_k)
        v : ndarray, (..., heads, n_k, d_v)

        Raises
        ------
        ArrayError
            As for a call.
        """
        return self._projected(*self._sequences(x, context))

    def project_queries_keys(self, x: npt.ArrayLike, context: npt.ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Make queries and keys of every head: all that weights are made of.

        Parameters
        ----------
        x, context : array_like
            As for `project`.

        Returns
        -------
        q : ndarray, (..., heads, n_q, d_k)
        k : ndarray, (..., heads, n_k, d_k)

        Raises
        ------
        ArrayError
            As for a call.
        """
        queries, keys = self._sequences(x, context)
        return self._queries(queries), self._keys(keys, "x" if keys is queries else "context")

    def project_values(self, context: npt.ArrayLike) -> Floats:
        """Make the values of every head.

        Parameters
        ----------
        context : array_like, (..., n_k, d_context)
            Where the values come from.

        Returns
        -------
        v : ndarray, (..., heads, n_k, d_v)

        Raises
        ------
        ArrayError
            As for a call.
        """
        return self._values(
            finite_array("context", not_a_mask("context", context), "...", "n_k", "d_context"), "context"
        )

    def project_output(self, head_output: npt.ArrayLike) -> Floats:
        """Mix the outputs of the heads: concat @ w_o + b_o.

        Parameters
        ----------
        head_output : array_like, (..., heads, n_q, d_v)
            What each head found.

        Returns
        -------
        ndarray, (..., n_q, d_out)

        Raises
        ------
        ArrayError
            If the shape does not fit, an entry is not finite, or the output leaves the float range.
        """
        found = finite_array("head_output", head_output, "...", "heads", "n_q", "d_v")
        if found.shape[-3] != self.heads or found.shape[-1] != self.d_v:
            raise ArrayError(
                f"head_output has shape {found.shape}, but must be (..., heads, n_q, d_v) with heads = {self.heads} "
                f"and d_v = {self.d_v}"
            )
        return linear("concat", side_by_side(found), "w_o", self.w_o, self.b_o)

    def _sequences(self, x: npt.ArrayLike, context: npt.ArrayLike | None) -> tuple[Floats, Floats]:
        """Check the sequences; for self-attention both are one array."""
        queries = finite_array("x", not_a_mask("x", x), "...", "n_q", "d_model")
        if context is None:
            return queries, queries
        keys = finite_array("context", not_a_mask("context", context), "...", "n_k", "d_context")
        try:
            np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
        except ValueError:
            raise ArrayError(
                f"x has shape {queries.shape} and context {keys.shape}: the leading axes do not broadcast"
            ) from None
        return queries, keys

    def _projected(self, x: Floats, context: Floats) -> tuple[Floats, Floats, Floats]:
        source = "x" if context is x else "context"
        return self._queries(x), self._keys(context, source), self._values(context, source)

    def _queries(self, x: Floats) -> Floats:
        return apart(linear("x", x, "w_q", self.w_q, self.b_q), self.heads)

    def _keys(self, context: Floats, source: str) -> Floats:
        return apart(linear(source, context, "w_k", self.w_k, self.b_k), self.heads)

    def _values(self, context: Floats, source: str) -> Floats:
        return apart(linear(source, context, "w_v", self.w_v, self.b_v), self.heads)


def _match_projections(w_q: Floats, w_k: Floats, w_v: Floats, w_o: Floats, heads: int) -> None:
    """Check that the four matrices belong together."""
    if w_q.shape[1] == 0 or w_v.shape[1] == 0:
        raise ArrayError(f"w_q has shape {w_q.shape} and w_v {w_v.shape}: a head needs at least one feature")
    check_width("d_model" if w_q.shape[0] == w_q.shape[1] else "the width of w_q", w_q.shape[1], heads)
    check_width("d_model" if w_v.shape[0] == w_v.shape[1] else "the width of w_v", w_v.shape[1], heads)
    if w_k.shape[1] != w_q.shape[1]:
        raise ArrayError(f"w_q has shape {w_q.shape} and w_k {w_k.shape}: they must have as many columns heads·d_k")
    if w_k.shape[0] != w_v.shape[0]:
        raise ArrayError(f"w_k has shape {w_k.shape} and w_v {w_v.shape}: they must have as many rows d_context")
    if w_o.shape[0] != w_v.shape[1]:
        raise ArrayError(
            f"w_v has shape {w_v.shape} and w_o {w_o.shape}: w_o must have as many rows as w_v has columns, heads·d_v"
        )
