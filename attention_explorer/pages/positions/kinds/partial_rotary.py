"""Rotary with its slow hands stopped: what they turn least says what, the rest says where (Barbero et al. 2025)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.pages.positions.kinds.kind import Said, Verdict
from attention_explorer.pages.positions.kinds.rotary import Rotary

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class PartialRotary(Rotary):
    """The faster half of the pairs turns; the slower half stands still."""

    name, title, told = "Partial rotary encoding", "partial rotary", "partial rotary positions"
    tip = "Partial rotary: the faster half of the pairs turns, the slower half stands still (Barbero et al. 2025)."
    headline = "The faster half of the pairs turns; the rest stands still."
    why_alike = "What stands still compares contents at any distance; what turns sees the offset alone."
    scores = "One line for all queries; half of the features ignore the offset."
    made = (
        "The faster half of the pairs of a query or key at position p is turned by p / {}, the slower half not at all."
    )
    note = (
        "cos and sin of the angle by which the pair of each dimension turns, the cosine first; the slower half does not"
    )

    def said(self, state: PositionsState) -> Said:
        return replace(super().said(state), before="q · k, half turned")

    def verdict(self, state: PositionsState) -> Verdict:
        return Verdict(
            "Half is turned: the rest of the score is the same at any distance.",
            "The slowest hands of a rotary encoding hardly turn within a text, and carry content. Stopped, they do so "
            "at any length; q·k depends on the offset alone as before, and every vector keeps its length.",
        )

    def cell(self, state: PositionsState, position: int, dimensions: tuple[int, ...], angle: str, worked: str) -> str:
        pair = self.pair_of(state, min(dimensions), state.d_model)
        if pair < self.turning_pairs(state.d_model // 2):
            return super().cell(state, position, dimensions, angle, worked)
        first, second = sorted(dimensions)
        return f"dimensions {first} and {second} are not turned: cos 0 = 1 and sin 0 = 0 at every position"

    # ---- Lines of its program ----

    helper = """
        def rotary(x, positions, base=10000.0, layout="half"):  # its slower half stands still (Barbero et al. 2025)
            d = x.shape[-1]
            rates = 1 / base ** (np.arange(0, d, 2) / d)
            rates[(len(rates) + 1) // 2 :] = 0.0
            cos, sin = np.cos(positions[:, None] * rates), np.sin(positions[:, None] * rates)
            halves, neighbours = (slice(0, d // 2), slice(d // 2, d)), (slice(0, d, 2), slice(1, d, 2))
            first, second = halves if layout == "half" else neighbours
            a, b, turned = x[..., first], x[..., second], np.empty(np.broadcast_shapes(x.shape, (len(positions), d)))
            turned[..., first], turned[..., second] = a * cos - b * sin, a * sin + b * cos
            return turned
    """

    # ---- Numbers ----

    def turning_pairs(self, pairs: int) -> int:
        return (pairs + 1) // 2

    def products(self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int) -> FloatArray:
        asking, asked = self._split(state, query), self._split(state, key)
        found = super().products(state, asking, asked, first, count)
        return np.asarray(found + (query - asking) @ (key - asked))

    def turned(self, state: PositionsState, rows: FloatArray, places: FloatArray) -> FloatArray:
        turning = self._split(state, rows)
        return np.asarray(super().turned(state, turning, places) + (rows - turning))

    def _split(self, state: PositionsState, rows: FloatArray) -> FloatArray:
        """Return rows (…, d) with 0 in place of what stands still."""
        width = rows.shape[-1]
        pairs = self.pair_of(state, np.arange(width), width)
        return np.where(pairs < self.turning_pairs(width // 2), rows, 0.0)
