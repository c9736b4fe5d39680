"""How scores become weights, as a state holds it: scale, lookup and temperature, and heads that add nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_explorer.core.counting import MOST_WISHED
from attention_explorer.core.declared import declared
from attention_explorer.core.temperature import temperature_declared
from attention_explorer.fields import CheckedFields


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
