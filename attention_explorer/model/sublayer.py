"""What a layer wraps around attention and around the feed-forward network: the residual and the norm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats, all_finite
from attention_explorer.model.derivatives import within_range
from attention_explorer.model.norm import Norm


class NormPlacement(StrEnum):
    """Where in a sublayer the norm stands."""

    NONE = "none"
    """Nowhere: x + f(x)."""

    POST = "post"
    """After the residual: norm(x + f(x)), Vaswani et al. 2017, section 3.1."""

    PRE = "pre"
    """Before f, beside the residual: x + f(norm(x)), Xiong et al. 2020, section 3.2; GPT-2 does so."""


class HasOutput(Protocol):
    """The trace of what stands inside a sublayer."""

    @property
    def output(self) -> Floats:
        """What it put out, (..., n, d_model)."""


Inside = TypeVar("Inside", bound=HasOutput)


class SublayerTrace(NamedTuple, Generic[Inside]):
    """One sublayer with every intermediate, in the order of computation.

    Stages that do not differ are the same array: copy before writing into one.

    Attributes
    ----------
    x : ndarray, (..., n, d_model)
        What came in.
    before : ndarray, (..., n, d_model)
        norm(x) with the norm before, else `x`.
    inside : MultiHeadTrace or FeedForwardTrace
        What attention or feed-forward network made of `before`.
    summed : ndarray, (..., n, d_model)
        x + inside.output with the residual, else inside.output.
    output : ndarray, (..., n, d_model)
        norm(summed) with the norm after, else `summed`.
    """

    x: Floats
    before: Floats
    inside: Inside
    summed: Floats
    output: Floats


@dataclass(frozen=True, slots=True)
class Wiring(CheckedFields):
    """How a sublayer is wired.

    Attributes
    ----------
    placement : NormPlacement
        Where the norm stands.
    residual : bool
        Whether what comes in is added to what attention or feed-forward network make of it.
    """

    placement: NormPlacement = NormPlacement.POST
    residual: bool = True
    _refusal = ArrayError

    def run(self, x: Floats, norm: Norm, inside: Callable[[Floats], Inside]) -> SublayerTrace[Inside]:
        """Send a sequence through a sublayer.

        Parameters
        ----------
        x : ndarray, (..., n, d_model)
            Finite numbers.
        norm : Norm
            Its norm; not used if there is none.
        inside : callable
            Makes the trace of attention or feed-forward network from (..., n, d_model).

        Returns
        -------
        SublayerTrace

        Raises
        ------
        ArrayError
            If `inside` or the norm refuses, or the sum leaves the float range.
        """
        before = norm(x) if self.placement is NormPlacement.PRE else x
        found = inside(before)
        summed = _sum(x, found.output) if self.residual else found.output
        output = norm(summed) if self.placement is NormPlacement.POST else summed
        return SublayerTrace(x, before, found, summed, output)

    def reverse(
        self,
        trace: SublayerTrace[Inside],
        norm: Norm,
        d_output: Floats,
        inside: Callable[[Floats], Floats],
    ) -> Floats:
        """Pull a derivative by the output back to one by the input.

        Parameters
        ----------
        trace : SublayerTrace
            What this sublayer computed.
        norm : Norm
            The norm it was run with.
        d_output : ndarray, (..., n, d_model)
            ∂L/∂output of any number L.
        inside : callable
            Pulls a derivative by ``trace.inside.output`` back to one by ``trace.before``.

        Returns
        -------
        ndarray, (..., n, d_model)
            ∂L/∂x.

        Raises
        ------
        ArrayError
            If the derivative leaves the float range.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            by_sum = norm.reverse(trace.summed, d_output) if self.placement is NormPlacement.POST else d_output
            by_x = inside(by_sum)
            if self.placement is NormPlacement.PRE:
                by_x = norm.reverse(trace.x, by_x)
            if self.residual:
                by_x = by_sum + by_x
        return within_range(by_x)


def _sum(x: Floats, found: Floats) -> Floats:
    with np.errstate(over="ignore"):  # looked for below
        total: Floats = x + found
    if not all_finite(total):
        raise ArrayError(f"the residual leaves the range of {total.dtype}: make the numbers smaller, or add a norm")
    return total
