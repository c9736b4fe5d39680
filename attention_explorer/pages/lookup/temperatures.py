"""The weights of a lookup at every temperature."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.pages.lookup.numbers import FloatArray, LookupFrame

SAMPLES, FEWEST_SAMPLES, MOST_WEIGHTS = 121, 9, 500_000
"""Of temperatures, and of the weights at all of them together: so many take about 15 ms."""


def sampled(frame: LookupFrame) -> tuple[FloatArray, FloatArray]:
    """Return temperatures (t,), evenly spaced by their logarithms, and the soft weights (t, n) at them."""
    samples = min(SAMPLES, max(MOST_WEIGHTS // sum(frame.numbers_of_keys), FEWEST_SAMPLES))
    temperatures = np.geomspace(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE, samples)
    return temperatures, frame.weights_at(temperatures)
