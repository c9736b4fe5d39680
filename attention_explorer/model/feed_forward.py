"""The position-wise feed-forward network with every intermediate: Vaswani et al. 2017, section 3.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.fields import choice
from attention_explorer.model.activations import Activation, activate, activation_slope
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.derivatives import derivative_by_output, within_range
from attention_explorer.model.linear import checked_bias, flat_product, linear, read_only


class FeedForwardTrace(NamedTuple):
    """A feed-forward network with every intermediate, in the order of computation.

    Attributes
    ----------
    x : ndarray, (..., d_model)
        What came in.
    before : ndarray, (..., d_ff)
        x @ w1 + b1, before the activation.
    linear_part : ndarray, (..., d_ff), or None
        x @ w3 + b3, which a gated network multiplies with its gate; None for the others.
    hidden : ndarray, (..., d_ff)
        The hidden units after activation and gate.
    output : ndarray, (..., d_model)
        hidden @ w2 + b2.
    """

    x: Floats
    before: Floats
    linear_part: Floats | None
    hidden: Floats
    output: Floats

    @property
    def zero_share(self) -> float:
        """The share of hidden units that are exactly 0; 0 if there are none."""
        return float(np.mean(self.hidden == 0.0)) if self.hidden.size else 0.0


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FeedForward:
    """Two matrices with an activation in between, the same for every position.

    Parameters
    ----------
    w1 : array_like, (d_model, d_ff)
        Makes the hidden units.
    b1 : array_like, (d_ff,), optional
        Added to them before the activation.
    w2 : array_like, (d_ff, d_out)
        Makes the output.
    b2 : array_like, (d_out,), optional
        Added to it.
    activation : Activation
        What a hidden unit does.
    w3, b3 : array_like, (d_model, d_ff) and (d_ff,), optional
        The second projection of a gated network, which needs w3; no other takes them.

    Raises
    ------
    ArrayError
        If a shape does not fit, an entry is not finite, or activation and w3 do not belong together.

    Notes
    -----
    Vaswani et al. 2017, eq. 2. Gated, (x w1 σ(x w1) ⊙ x w3) w2, it is FFN_SwiGLU of Shazeer 2020, eq. 6, whose
    W, V and W₂ are w1, w3 and w2 here. Weights are (in, out): ``w1 = linear.weight.T`` of a `torch.nn.Linear`.
    """

    w1: Floats
    b1: Floats | None
    w2: Floats
    b2: Floats | None
    activation: Activation
    w3: Floats | None
    b3: Floats | None

    def __init__(
        self,
        w1: npt.ArrayLike,
        b1: npt.ArrayLike | None,
        w2: npt.ArrayLike,
        b2: npt.ArrayLike | None,
        activation: Activation | str = Activation.RELU,
        *,
        w3: npt.ArrayLike | None = None,
        b3: npt.ArrayLike | None = None,
    ) -> None:
        first, second = finite_array("w1", w1, "d_model", "d_ff"), finite_array("w2", w2, "d_ff", "d_out")
        if first.shape[1] != second.shape[0]:
            raise ArrayError(
                f"w1 has shape {first.shape} and w2 {second.shape}: w2 must have as many rows as w1 columns"
            )
        which = choice("activation", activation, Activation)
        third = None if w3 is None else finite_array("w3", w3, "d_model", "d_ff")
        _match_gate(which, first, third, b3)
        object.__setattr__(self, "w1", read_only(first))
        object.__setattr__(self, "b1", checked_bias("b1", b1, "w1", first))
        object.__setattr__(self, "w2", read_only(second))
        object.__setattr__(self, "b2", checked_bias("b2", b2, "w2", second))
        object.__setattr__(self, "activation", which)
        object.__setattr__(self, "w3", None if third is None else read_only(third))
        object.__setattr__(self, "b3", None if third is None else checked_bias("b3", b3, "w3", third))

    def __repr__(self) -> str:
        dtype = np.result_type(self.w1, self.w2)
        return f"FeedForward(w1 {self.w1.shape}, w2 {self.w2.shape}, {self.activation}, {dtype})"

    def __call__(self, x: npt.ArrayLike) -> FeedForwardTrace:
        """Send every position through the network.

        Parameters
        ----------
        x : array_like, (..., d_model)
            Finite numbers.

        Returns
        -------
        FeedForwardTrace
            float32 if everything given is float32 or float16.

        Raises
        ------
        ArrayError
            If the width does not fit, an entry is not finite, or a product leaves the float range.
        """
        rows = finite_array("x", x, "...", "d_model")
        before = linear("x", rows, "w1", self.w1, self.b1)
        hidden = activate(before, self.activation)
        linear_part = None
        if self.w3 is not None:
            linear_part = linear("x", rows, "w3", self.w3, self.b3)
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # the product with w2 looks for it
                hidden = hidden * linear_part
        output = linear("hidden", hidden, "w2", self.w2, self.b2)
        return FeedForwardTrace(rows, before, linear_part, hidden, output)

    def parameter_count(self) -> int:
        """Count the learned numbers: those of all matrices and biases."""
        arrays = (self.w1, self.b1, self.w2, self.b2, self.w3, self.b3)
        return sum(0 if array is None else array.size for array in arrays)

    def reverse(self, trace: FeedForwardTrace, d_output: Floats) -> Floats:
        """Pull a derivative by the output back to one by the input.

        Parameters
        ----------
        trace : FeedForwardTrace
            What this network computed.
        d_output : ndarray, (..., d_out)
            ∂L/∂output of any number L.

        Returns
        -------
        ndarray, (..., d_model)
            ∂L/∂x; the slope of ReLU at 0 counts as 0.

        Raises
        ------
        ArrayError
            If the shape is not that of the output, an entry is not finite, or the derivative leaves the float range.
        """
        d_output = derivative_by_output(d_output, trace.output)
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            by_hidden = flat_product(d_output, self.w2.T)  # (..., d_out) @ (d_out, d_ff)
            by_before = by_hidden * activation_slope(trace.before, self.activation)
            if self.w3 is None or trace.linear_part is None:
                return within_range(flat_product(by_before, self.w1.T))
            by_linear = by_hidden * activate(trace.before, self.activation)
            by_before = by_before * trace.linear_part
            return within_range(flat_product(by_before, self.w1.T) + flat_product(by_linear, self.w3.T))


def feed_forward(
    x: npt.ArrayLike,
    w1: npt.ArrayLike,
    b1: npt.ArrayLike | None,
    w2: npt.ArrayLike,
    b2: npt.ArrayLike | None,
    activation: Activation | str = Activation.RELU,
    *,
    w3: npt.ArrayLike | None = None,
    b3: npt.ArrayLike | None = None,
) -> FeedForwardTrace:
    """Send every position through two matrices with an activation in between.

    Parameters
    ----------
    x : array_like, (..., d_model)
        Finite numbers.
    w1, b1, w2, b2, activation, w3, b3
        As for `FeedForward`.

    Returns
    -------
    FeedForwardTrace
        float32 if everything given is float32 or float16.

    Raises
    ------
    ArrayError
        As for `FeedForward` and its call.

    Notes
    -----
    Vaswani et al. 2017, eq. 2.
    """
    return FeedForward(w1, b1, w2, b2, activation, w3=w3, b3=b3)(x)


def _match_gate(activation: Activation, w1: Floats, w3: Floats | None, b3: npt.ArrayLike | None) -> None:
    """Check that a gated network has its second projection, and no other."""
    if activation is Activation.SILU_GATED and w3 is None:
        raise ArrayError(
            f"activation {activation.value!r} multiplies two projections: give w3 too, of shape {w1.shape}"
        )
    if activation is not Activation.SILU_GATED and not (w3 is None and b3 is None):
        raise ArrayError(
            f"activation {activation.value!r} has no gate: leave w3 and b3 out, or choose "
            f"{Activation.SILU_GATED.value!r}"
        )
    if w3 is not None and w3.shape != w1.shape:
        raise ArrayError(f"w3 has shape {w3.shape}, but must have that of w1, {w1.shape}")
