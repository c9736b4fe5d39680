"""Parts of the state of the Heads page: an experiment, the order of heads, how a row plays, how a model goes on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import Any

from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import declared
from attention_explorer.core.numerals import coordinate
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


# ---- The order of the heads, and which are looked at ----


LARGEST_THRESHOLD = 1e9


class SortBy(StrEnum):
    """The order of the wall."""

    NUMBER = "head"
    ALIKE = "alike"
    DOING = "what they do"
    ENTROPY = "entropy"
    EVENNESS = "evenness"
    MAX_WEIGHT = "mean of row maxima"
    SATURATED = "saturated rows"
    SCORE_STD = "spread of scores"
    DISTANCE = "distance"
    SELF = "on itself"
    PREVIOUS = "on previous"
    FIRST = "on first"
    NEXT = "on next"
    BACK = "k back"
    SAME = "on same token"
    SPECIAL = "on punctuation"
    INDUCTION = "induction"
    DIFFERENCE = "difference from B"

    @property
    def is_measured(self) -> bool:
        """Whether heads stand by a number that each of them has."""
        return self not in (SortBy.NUMBER, SortBy.ALIKE, SortBy.DOING)

    @property
    def words(self) -> str:
        """What the number that heads are sorted by is called in a sentence."""
        named = {SortBy.BACK: "weight k back", SortBy.INDUCTION: "weight by induction"}
        return named.get(self, f"weight {self.value}" if self.value.startswith("on ") else self.value)


@dataclass(frozen=True, slots=True)
class Threshold(CheckedFields):
    """Which heads of the wall are looked at: those with a summary from a value on, or up to it."""

    by: SortBy = declared(
        SortBy.ENTROPY,
        "summary of the threshold",
        "What is compared with the value",
        "Change the threshold",
        is_view=True,
    )
    value: float = declared(
        0.0,
        "value of the threshold",
        "From which value on, or up to which, heads are looked at",
        "Change the threshold",
        low=-LARGEST_THRESHOLD,
        high=LARGEST_THRESHOLD,
        is_view=True,
    )
    at_most: bool = declared(
        False,
        "at most",
        "At least the value, or at most",
        "Change the threshold",
        names={"off": "≥", "on": "≤"},
        is_view=True,
    )

    @property
    def words(self) -> str:
        """The condition as it is written: entropy ≥ 1.2."""
        return f"{self.by.words} {'≤' if self.at_most else '≥'} {coordinate(self.value, 5)}"


# ---- The moments of a row ----


MOST_KEYS = 16
"""Keys that have a line of their own; of more, the heaviest, and all others together in one line."""


class Part(IntEnum):
    """What is done one after the other; a row begins with the first of them that is known."""

    PRODUCTS = 0
    SCALE = 1
    MASK = 2
    EXP = 3
    WEIGHTS = 4
    VALUES = 5


@lru_cache(maxsize=64)
def moments(lines: int, *, has_scores: bool, has_values: bool) -> tuple[tuple[Part, int], ...]:
    """Return how far a row of so many lines is at each moment: the newest part, and how many of its lines are there."""
    one_by_one = range(1, lines + 1)
    products = [(Part.PRODUCTS, line) for line in one_by_one]
    whole = [(part, lines) for part in (Part.SCALE, Part.MASK, Part.EXP)]
    values = [(Part.VALUES, line) for line in one_by_one]
    return *(products + whole if has_scores else []), (Part.WEIGHTS, lines), *(values if has_values else [])


class RowSpeed(StrEnum):
    """How long a step of a row stays while it plays."""

    SLOW = "slow"
    STEADY = "steady"
    FAST = "fast"

    @property
    def milliseconds(self) -> int:
        """How long a step stays."""
        return {RowSpeed.SLOW: 2400, RowSpeed.STEADY: 1200, RowSpeed.FAST: 400}[self]


# ---- How a model goes on ----


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
