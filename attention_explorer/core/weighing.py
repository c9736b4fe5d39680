"""How scores become weights, as a state holds it: scale, lookup and temperature, and heads that add nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from attention_explorer.core.counting import MOST_WISHED
from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields

# ---- Temperatures ----


LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 0.01, 100.0
SLIDER_STEPS = 400


def temperature_declared(**said: Any) -> Any:  # noqa: ANN401 # more of `Declaration`; takes the place of a default
    """Return the field of a state that holds a temperature."""
    return declared(
        1.0,
        "temperature",
        "The scores are divided by the temperature before the softmax.\n"
        "Towards 0 the highest score takes all the weight, upwards the weights become even.",
        "Change temperature",
        low=LOWEST_TEMPERATURE,
        high=HIGHEST_TEMPERATURE,
        stops=tuple(slider_to_temperature(step) for step in range(SLIDER_STEPS + 1)),
        **said,
    )


def slider_to_temperature(step: int) -> float:
    """Return the temperature at a slider position: equal steps multiply it by equal factors."""
    low, high = math.log10(LOWEST_TEMPERATURE), math.log10(HIGHEST_TEMPERATURE)
    return float(f"{10 ** (low + (high - low) * step / SLIDER_STEPS):.3g}")


# ---- How scores become weights ----


def scaled_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a state that holds whether scores are divided by √d_k."""
    return declared(
        True,
        "÷ √d_k",
        "Divide every score by √d_k. Without it the scores spread √d_k times as far,\n"
        "and the softmax comes closer to all or nothing.",
        "Switch ÷ √d_k",
    )


def hard_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a state that holds whether the best key takes all."""
    return declared(
        False,
        "lookup",
        "How a row of scores becomes a row of weights: every key gets a share, or the best one takes all.",
        "Switch soft and hard",
        names={"off": "Soft", "on": "Hard"},
    )


def switched_off_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a state that holds which heads are off."""
    return declared(
        frozenset(),
        "heads off",
        "Heads that are greyed among all heads and left out of mean, max and rollout: layer and head, from 0",
        "Switch heads off or on",
        high=MOST_WISHED,
    )


@dataclass(frozen=True, slots=True)
class Weighing(CheckedFields):
    """How the scores of a model become weights."""

    scaled: bool = scaled_declared()
    hard: bool = hard_declared()
    temperature: float = temperature_declared()
    switched_off: frozenset[tuple[int, int]] = switched_off_declared()
