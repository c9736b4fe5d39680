"""From numbers to places on a colour bar: what is linear, what is not, and the words that say so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from attention_explorer.core.numerals import MINUS, compact, scientific

FloatArray = np.typing.NDArray[np.floating]
BoolArray = np.typing.NDArray[np.bool_]

SEQUENTIAL = ("viridis", "cividis", "magma")
"""Colour maps for weights. All three grow steadily lighter; cividis reads alike with every kind of colour vision."""

LOWEST_LOG = 1e-4
"""Where the log scale ends: smaller weights take its last colour."""

PERCENTILE = 98.0


class Contrast(StrEnum):
    """How weights become colours. Scores are always drawn around 0, up to their largest."""

    UNIT = "0…1"
    MAX = "0…max"
    ROW = "per row"
    LOG = "log"
    PERCENTILE = "percentile"


class ScaleKind(StrEnum):
    """How a number finds its place between the ends of the colour bar."""

    LINEAR = "linear"
    ROW = "row"
    LOG = "log"
    DIVERGING = "diverging"


@dataclass(frozen=True, slots=True)
class ColourScale:
    """A colour bar from ``low`` to ``high``, and what to call it."""

    kind: ScaleKind
    low: float
    high: float
    title: str
    badge: str = ""
    """Why the colours are not the raw numbers on 0…1; empty if they are."""
    end: str = ""
    """What the high end is called, where the number would not do."""

    @property
    def is_diverging(self) -> bool:
        """Whether 0 is in the middle."""
        return self.kind is ScaleKind.DIVERGING

    def positions(self, values: FloatArray) -> FloatArray:
        """Return where values (h, w) stand on the bar, 0 to 1; what lies beyond an end stands at that end."""
        if self.kind is ScaleKind.LOG:
            tiny = np.maximum(values, LOWEST_LOG)
            return np.asarray(np.clip(1.0 - np.log10(tiny) / math.log10(LOWEST_LOG), 0.0, 1.0))
        if self.kind is ScaleKind.ROW:
            largest = values.max(axis=-1, keepdims=True, initial=0.0)
            shares: FloatArray = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
            return shares
        # ∞ − ∞ of a score beyond the float range, and a bar whose ends are the same.
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            if self.is_diverging:  # high − low of ±1e308 would be infinite
                shifted = np.asarray(0.5 + 0.5 * (values / self.high))
            else:
                shifted = np.asarray((values - self.low) / (self.high - self.low))
        places: FloatArray = np.clip(shifted, 0.0, 1.0, out=shifted)
        places[np.isnan(places)] = 0.5
        return places

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Return places on the bar with what they are called."""
        if self.kind is ScaleKind.LOG:
            return tuple((1 - i / 4, f"{10.0**-i:g}") for i in (4, 3, 2, 1, 0))
        if self.kind is ScaleKind.ROW:
            return ((0.0, "0"), (1.0, "row’s largest"))
        if self.is_diverging:
            end = short_number(self.high)
            return ((0.0, MINUS + end), (0.5, "0"), (1.0, "+" + end))
        return ((0.0, short_number(self.low)), (1.0, self.end or end_text(self.high)))


def short_number(number: float) -> str:
    """Return a finite number as a colour bar says it: 0, 1, 0.35, 12.4, 2.06·10⁻⁹."""
    if number == round(number) and abs(number) < 1e6:
        return str(round(number)).replace("-", MINUS)
    if abs(number) >= 1e6:
        return compact(number)
    if abs(number) < 1e-4:
        return MINUS * (number < 0) + scientific(abs(number))
    return (f"{number:.0f}" if abs(number) >= 1000 else f"{number:.3g}").replace("-", MINUS)


def end_text(weight: float) -> str:
    """Return the largest weight as the end of a bar: 1 for exactly 1, and 1.00 for what only rounds to it."""
    return f"{weight:.2f}" if 0.9995 <= weight < 1.0 else short_number(weight)


def weight_scale(contrast: Contrast, weights: FloatArray, masked: BoolArray, where: str = "") -> ColourScale:
    """Return the scale for weights (h, w) under a contrast; ``masked`` cells do not count, ``where`` they are."""
    if contrast is Contrast.ROW:
        return ColourScale(
            ScaleKind.ROW,
            0.0,
            1.0,
            "weight ÷ largest of its row",
            "colours are not the raw weights: each row is divided by its largest",
        )
    if contrast is Contrast.LOG:
        return ColourScale(
            ScaleKind.LOG,
            LOWEST_LOG,
            1.0,
            "weight (log)",
            "colours are not proportional to the weights: powers of ten from 0.0001 to 1",
        )
    visible = weights[~masked] if masked.any() else weights
    top = 1.0
    if contrast is not Contrast.UNIT and visible.size:
        top = float(np.percentile(visible, PERCENTILE) if contrast is Contrast.PERCENTILE else visible.max())
    if top == 1.0 or top <= 0.0:
        return ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")
    if contrast is Contrast.PERCENTILE:
        said = f"colours end at {end_text(top)}, the {PERCENTILE:.0f}th percentile{where}"
    else:
        said = f"colours end at {end_text(top)}, the largest weight{where}"
    return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight", said)


def length_scale(contrast: Contrast, lengths: FloatArray, masked: BoolArray, symbol: str) -> ColourScale:
    """Return the scale for lengths (h, w), which may be of any size: to the largest, or what a contrast makes of it."""
    if contrast is Contrast.ROW:
        said = "each row is divided by its largest"
        return ColourScale(ScaleKind.ROW, 0.0, 1.0, f"{symbol} ÷ largest of its row", f"colours: {said}")
    visible = lengths[~masked]
    if contrast is Contrast.PERCENTILE and visible.size and (top := float(np.percentile(visible, PERCENTILE))) > 0.0:
        said = f"colours end at {end_text(top)}, the {PERCENTILE:.0f}th percentile"
        return ColourScale(ScaleKind.LINEAR, 0.0, top, symbol, said)
    return ColourScale(ScaleKind.LINEAR, 0.0, float(visible.max(initial=0.0)) or 1.0, symbol)


def score_scale(scores: FloatArray, title: str) -> ColourScale:
    """Return the zero-centred scale for scores (h, w); infinite ones (masked) do not count."""
    finite = scores[np.isfinite(scores)]
    end = float(np.abs(finite).max()) if finite.size else 0.0
    return ColourScale(ScaleKind.DIVERGING, -(end or 1.0), end or 1.0, title)
