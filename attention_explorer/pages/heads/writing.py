"""How a model goes on with a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields
from attention_explorer.model.scalars import LARGEST_SEED

MOST_WRITTEN = 100
"""Tokens that are written before somebody has to ask again."""


@dataclass(frozen=True, slots=True)
class Writing(CheckedFields):
    """How the next token is drawn. It alters no map."""

    temperature: float = declared(
        0.0,
        "T",
        "Temperature: 0 writes the most probable token, 1 draws one as the bars say, more draws rare ones more often",
        "Change the temperature of writing",
        high=10.0,
    )
    top_k: int = declared(
        40,
        "top",
        "How many of the most probable tokens there are to draw from",
        "Change how many are drawn from",
        low=1,
        high=1000,
    )
    seed: int = declared(
        0, "seed", "The same seed writes the same text", "Change the seed of writing", high=LARGEST_SEED
    )
