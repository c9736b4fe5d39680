"""How the heads of the wall are arranged: in which order, and which of them are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.declared import declared
from attention_explorer.core.numerals import coordinate
from attention_explorer.fields import CheckedFields

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
