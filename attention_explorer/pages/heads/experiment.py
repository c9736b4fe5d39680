"""Which experiment the view *Check* does, and with what: no numbers, so that the state of the page can hold it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import declared
from attention_explorer.fields import CheckedFields
from attention_explorer.model.scalars import LARGEST_SEED

LARGEST_CONSTANT, LARGEST_NOISE = 50.0, 99.0


class Check(StrEnum):
    """An experiment."""

    WEIGHTS = "Weights on show"
    SHUFFLE = "Shuffle"
    SYMMETRY = "S and Sᵀ"
    RESHAPE = "Reshape"
    MASKING = "Four ways to mask"
    CHANGE = "Change a token"
    CONSTANT = "Add a constant"
    BROADCAST = "A mask for each sequence"


class Precision(StrEnum):
    """How many bits every number has."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    FLOAT16 = "float16"


class MaskDemo(StrEnum):
    """Rows of scores for which the ways to mask disagree."""

    FULLY_MASKED = "fully masked row"
    LOW_SCORE = "visible score −2e9"
    ADDED_FLOAT32 = "added in float32"


def fixed_precision(demo: MaskDemo | None) -> Precision | None:
    """Return the precision that an example is about, if it is about one."""
    return Precision.FLOAT32 if demo is MaskDemo.ADDED_FLOAT32 else None


def _of(check: Check) -> Any:  # noqa: ANN401 # whether a field counts in an experiment
    return lambda heads: heads.experiment.check is check


@dataclass(frozen=True, slots=True)
class Experiment(CheckedFields):
    """An experiment with its settings; those of the others have no effect. The query is the pinned one of the view."""

    check: Check = declared(
        Check.SHUFFLE, "experiment", "What to try with the head on show", "Choose an experiment", is_view=True
    )
    seed: int = declared(
        0,
        "order",
        "Which shuffled order the tokens are put in",
        "Shuffle the tokens",
        high=LARGEST_SEED,
        shown=_of(Check.SHUFFLE),
    )
    precision: Precision = declared(
        Precision.FLOAT64,
        "precision",
        "How many bits every number has: 64, 32 or 16",
        "Change the precision",
        shown=lambda heads: heads.experiment.check is Check.MASKING and fixed_precision(heads.experiment.demo) is None,
    )
    demo: MaskDemo | None = declared(
        None,
        "row to mask",
        "A row of the setup, or an example where the ways to mask disagree",
        "Change the row to mask",
        choices=(None, *MaskDemo),
        names={"None": "a row of this setup"},
        shown=_of(Check.MASKING),
    )
    token: int | None = declared(
        None,
        "token to change",
        "The token whose vector gets noise: the pinned one, or one in the middle, if none is chosen",
        "Change another token",
        high=MOST_TOKENS - 1,
        shown=_of(Check.CHANGE),
    )
    amount: float = declared(
        1.0,
        "noise",
        "How strong the noise is: its standard deviation",
        "Change the noise",
        high=LARGEST_NOISE,
        stops=(1.0, LARGEST_NOISE),
        shown=_of(Check.CHANGE),
    )
    constant: float = declared(
        5.0,
        "constant",
        "What is added to every score of the pinned row",
        "Move the constant",
        low=-LARGEST_CONSTANT,
        high=LARGEST_CONSTANT,
        stops=[step / 2 for step in range(-100, 101)],
        shown=_of(Check.CONSTANT),
    )

    @property
    def precision_used(self) -> Precision:
        """The precision that counts: that of the example, if it is about one."""
        return fixed_precision(self.demo) or self.precision
