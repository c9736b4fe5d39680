"""Sines and cosines of many wavelengths, added to the embeddings (Vaswani et al. 2017)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model.encodings import sinusoidal_encoding
from attention_explorer.pages.positions.kinds.kind import AddedEncoding, Said, Verdict, wavelength_text
from attention_explorer.pages.positions.sums import encoding_products, rates_of

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class Sinusoidal(AddedEncoding):
    """A row of waves for each position."""

    turns = True
    name, title, told = "Sinusoidal encoding", "added sinusoid", "sinusoidal positions"
    title_beside = "concatenated sinusoid"
    tip = "Sinusoidal: sines and cosines of many wavelengths are added to the embeddings (Vaswani et al. 2017)."
    headline = "Every position has its own row of waves."
    alike = "PE(p) · PE(p′) depends on the offset alone: every diagonal has one number."
    why_alike = "A position is a vector like any other: attention compares them by their product."
    scores = "Each query has its own line: distance alone does not decide."
    numbers_are = "sine or cosine"
    helper = "sinusoids"
    made = "PE(p, 2i) = sin(p / {}) and PE(p, 2i + 1) = cos(p / {})."

    def formulas(self, state: PositionsState) -> tuple[str, ...]:
        power = self.power(state)
        return f"PE(p, 2 i) = sin {{p}}/{{{power}}}", f"PE(p, 2 i + 1) = cos {{p}}/{{{power}}}"

    def said(self, state: PositionsState) -> Said:
        formula = "" if state.d_model % 2 else "PE(p) · PE(p + k) = Σ_i cos(θ_i k)"
        after = "PE(p) W_q · PE(p′) W_k"
        return Said("PE(p) · PE(p′)", after, "PE(0) · PE(k) at offset k", formula=formula)

    def verdict(self, state: PositionsState) -> Verdict:
        rates = rates_of(state.d_model, state.base)
        fastest, slowest = (wavelength_text(2 * math.pi / rate) for rate in (float(rates[0]), float(rates[-1])))
        waves = f"The wavelengths go from {fastest} to {slowest} positions."
        if fastest == slowest:
            waves = f"Every wave is {fastest} positions long."
        if state.d_model % 2:
            return Verdict(
                "Every position has a fingerprint, but the last sine has no cosine.",
                f"{waves} d_model is odd. A shift rotates each pair of sine and cosine, but not the last sine, which "
                "is alone; so PE(p)·PE(q) depends on p and q, not on p − q alone. An even d_model has no such sine.",
            )
        return Verdict(
            "Every position has a fingerprint, and a shift is a rotation.",
            f"{waves} PE(p)·PE(q) depends on p − q alone, but it need not fall as the distance grows, and after "
            "random W_q and W_k it depends on p and q. A model can learn relative positions from this; it does not "
            "get them for free.",
        )

    def cell(self, state: PositionsState, position: int, dimensions: tuple[int, ...], angle: str, worked: str) -> str:
        return f"PE({position}, {dimensions[0]}) = {worked}"

    def table_lines(self, state: PositionsState) -> str:
        return "encoding = sinusoids(np.arange(length), d_model, base)"

    def added_line(self, state: PositionsState) -> str:
        return "x = x + sinusoids(np.arange(n), d_model, base)"

    # ---- Numbers ----

    def alike_by_offset(
        self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int
    ) -> FloatArray:
        at_zero = np.zeros(state.d_model)
        at_zero[1::2] = 1.0  # PE(0): sines 0, cosines 1
        offsets = np.abs(np.arange(first, first + count))
        return encoding_products(at_zero, state.base, max(abs(first), first + count - 1) + 1)[offsets]

    def products_with_rows(self, state: PositionsState, vectors: FloatArray) -> FloatArray:
        return encoding_products(vectors, state.base, state.length)

    def added(self, state: PositionsState, count: int, d_model: int) -> FloatArray:
        return np.asarray(sinusoidal_encoding(count, d_model, state.base))
