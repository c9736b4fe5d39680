"""The temperatures of a softmax that the program offers, and the steps of the slider between them."""

from __future__ import annotations

import math
from typing import Any

from attention_explorer.core.declared import declared

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
