"""Moving down the slope: Adam, a rate that warms up and decays, and a limit to the length of a gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning.exact import Exact, power


@dataclass(frozen=True, slots=True)
class AdamSetting(CheckedFields):
    """All that decides how Adam moves.

    Attributes
    ----------
    rate : float
        The largest learning rate, α; above 0.
    warm_up : int
        Steps in which the rate grows up to it, at least 1.
    beta1, beta2 : float
        How slowly the means of gradients and of their squares forget; at least 0, below 1.
    eps : float
        Keeps the divisor away from 0.
    clip : float
        The largest length of a gradient; above 0.
    """

    rate: float = 0.003
    warm_up: int = 20
    beta1: float = 0.9
    beta2: float = 0.99
    eps: float = 1e-8
    clip: float = 1.0
    _refusal = ArrayError

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 1: it grows in proportion, then falls as 1/√step.

        Notes
        -----
        Vaswani et al. 2017, eq. 3, with the peak given: rate · min(step/warm_up, √(warm_up/step)). It does not depend
        on how many steps are to come, so that a step is the same in a short run and in a long one.
        """
        return self.rate * min(step / self.warm_up, math.sqrt(self.warm_up / step))


@dataclass(slots=True)
class AdamState:
    """What Adam remembers from step to step.

    Attributes
    ----------
    step : int
        Steps made.
    mean, square : ndarray, (count,)
        Running means of gradients and of their squares, m and v; of the dtype of the parameters.
    """

    step: int
    mean: Floats
    square: Floats

    @classmethod
    def start(cls, vector: Floats) -> AdamState:
        """Return the state before the first step."""
        return cls(0, np.zeros_like(vector), np.zeros_like(vector))


def adam_step(vector: Floats, gradient: Floats, state: AdamState, setting: AdamSetting) -> None:
    """Move parameters one step against the gradient, in place, and what is remembered with them.

    Parameters
    ----------
    vector : ndarray, (count,)
        The parameters, θ.
    gradient : ndarray, (count,)
        ∂L/∂θ, clipped here.
    state : AdamState
        Of the same parameters.
    setting : AdamSetting
        Rates.

    Notes
    -----
    Kingma & Ba 2015, algorithm 1: m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², and with both divided by 1−βᵗ, as they began
    at 0, θ ← θ − α m̂/(√v̂ + ε).
    """
    state.step += 1
    g = clipped(gradient, setting.clip)
    state.mean *= setting.beta1
    state.mean += (1.0 - setting.beta1) * g
    state.square *= setting.beta2
    state.square += (1.0 - setting.beta2) * (g * g)
    unbiased = state.square / (1.0 - power(setting.beta2, state.step))
    np.sqrt(unbiased, out=unbiased)
    unbiased += setting.eps
    length = setting.rate_at(state.step) / (1.0 - power(setting.beta1, state.step))
    with np.errstate(over="ignore"):  # a rate beyond the range leads to parameters that are looked at before they count
        vector -= length * (state.mean / unbiased)


def clipped(gradient: Floats, largest: float) -> Floats:
    """Shorten a gradient that is longer than a limit, and keep its direction.

    Parameters
    ----------
    gradient : ndarray, (count,)
        All gradients in one row; finite.
    largest : float
        The limit, above 0.

    Returns
    -------
    ndarray, (count,)
        `gradient` itself, or a shorter one.

    Notes
    -----
    Pascanu, Mikolov & Bengio 2013, algorithm 1.
    """
    length = _length(gradient)
    return gradient if length <= largest else gradient * (largest / length)


def _length(gradient: Floats) -> float:
    """Return the root of the sum of squares, the same on every processor."""
    factor = Exact(gradient.size).factor(gradient.astype(np.float64, copy=False))
    return math.sqrt(float(factor @ factor))
