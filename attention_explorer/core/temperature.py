"""The temperatures of a softmax that the program offers, and the steps of the slider between them."""

from __future__ import annotations

import math

LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 0.01, 100.0
SLIDER_STEPS = 400


def slider_to_temperature(step: int) -> float:
    """Return the temperature at a slider position: equal steps multiply it by equal factors."""
    low, high = math.log10(LOWEST_TEMPERATURE), math.log10(HIGHEST_TEMPERATURE)
    return float(f"{10 ** (low + (high - low) * step / SLIDER_STEPS):.3g}")


def temperature_to_slider(temperature: float) -> int:
    """Return the slider position nearest to a temperature."""
    low, high = math.log10(LOWEST_TEMPERATURE), math.log10(HIGHEST_TEMPERATURE)
    return round((math.log10(temperature) - low) / (high - low) * SLIDER_STEPS)
