"""A field for a number that is small as a rule, such as the ε of a norm."""

from __future__ import annotations

from attention_explorer.core.numerals import MINUS
from attention_explorer.kit.controls.number_box import NumberBox

LEAST_IN_FULL = 1e-8
"""Below this zeros would have to be counted."""


class SmallNumberBox(NumberBox):
    """Writes 0.00001 where other fields write a power of ten."""

    def _written(self, value: float) -> str:
        if not LEAST_IN_FULL <= abs(value) < 1e-3:
            return super()._written(value)
        digits = f"{value:.12f}".rstrip("0")
        # Three digits that count are as many as there is room for, and what is typed is mostly one of them.
        return (digits if len(digits) <= 10 else f"{value:.10f}".rstrip("0")).replace("-", MINUS)
