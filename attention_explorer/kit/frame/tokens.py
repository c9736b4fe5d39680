"""What a line of tokens shows: who looks at whom, which are hidden, which surprised the model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attention_explorer.core.numerals import plain, weight_text

MOST_WEIGHTS = 2
"""Of so many tokens the weight is written behind the line."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a line of tokens shows.

    Attributes
    ----------
    texts : tuple of str
        The tokens.
    asks : int or None
        The one whose row is looked at.
    weights : tuple of float
        By how much it looks at each, one a token; empty where nobody asks, or where the keys stand elsewhere.
    unknown : frozenset of str
        Words that the source does not know.
    fixed : str
        Why they cannot be typed; empty where they can.
    hidden : tuple of int
        Those that nobody may look at.
    has_eyes : bool
        Whether an eye below each hides it or has it seen again.
    surprise : tuple of float
        How little a model expected each, in bits; NaN for one that nothing foretells. Empty where it is not shown.
    """

    texts: tuple[str, ...] = ()
    asks: int | None = None
    weights: tuple[float, ...] = ()
    unknown: frozenset[str] = frozenset()
    fixed: str = ""
    hidden: tuple[int, ...] = ()
    has_eyes: bool = False
    surprise: tuple[float, ...] = ()

    @property
    def can_edit(self) -> bool:
        """Whether they can be typed."""
        return not self.fixed

    @property
    def heaviest(self) -> tuple[int, ...]:
        """The tokens whose weights are written, the heaviest first."""
        order = sorted(range(len(self.weights)), key=lambda place: -self.weights[place])
        return tuple(place for place in order[:MOST_WEIGHTS] if self.weights[place] > 0.0)

    def surprise_of(self, token: int) -> float | None:
        """Return the bits of a token; None where they are not shown, or nothing foretells it."""
        bits = self.surprise[token] if token < len(self.surprise) else math.nan
        return None if math.isnan(bits) else bits

    def spoken(self) -> str:
        """Return the line in words."""
        said = " ".join(self.texts[:200])
        known = [place for place in range(len(self.surprise)) if self.surprise_of(place) is not None]
        if known:
            most = max(known, key=self.surprise.__getitem__)
            said = f"{said}. Most surprising: {self.texts[most]}, {bits_text(self.surprise[most])}"
        if self.hidden:
            said = f"{said}. Hidden: {', '.join(self.texts[place] for place in self.hidden)}"
        if self.asks is None or not self.weights:
            return said
        found = ", ".join(f"{self.texts[place]} {weight_text(self.weights[place])}" for place in self.heaviest)
        return f"{said}. {self.texts[self.asks]} looks at {found}"


def bits_text(bits: float) -> str:
    """Return how much surprise there is: 3.4 bits."""
    return f"{plain(bits, 1)} bits"
