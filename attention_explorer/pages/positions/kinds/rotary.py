"""Queries and keys are turned by their position (RoPE, Su et al. 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model.rotary import rotary
from attention_explorer.pages.positions.kinds.kind import PositionEncoding, Said, Verdict
from attention_explorer.pages.positions.sums import turned_products

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class Rotary(PositionEncoding):
    """Pairs of features that turn."""

    turns = needs_even = has_layouts = True
    is_sine_first = False
    name, title, told = "Rotary encoding", "rotary", "rotary positions"
    tip = "Rotary (RoPE): queries and keys are turned by their position (Su et al. 2021)."
    headline = "Every pair of dimensions turns at its own speed."
    alike = "One query and one key, turned to their places: the product depends on the offset alone."
    why_alike = "W_q and W_k act before the turning, so the offset alone decides after them too."
    scores = "One line for all queries: the score depends on the offset alone."
    numbers_are = "cos or sin of the angle m·θ"
    made = "Pair i of a query or key at position p is turned by p / {}; shown are cos and sin of that angle."
    note = "cos and sin of the angle by which the pair of each dimension turns, the cosine first"

    def formulas(self, state: PositionsState) -> tuple[str, ...]:
        return (f"φ_i = {{p}}/{{{self.power(state)}}}{self.turning(state)}",)

    def said(self, state: PositionsState) -> Said:
        formula = "(R_p q) · (R_{p + n} k) = q · R_n k"
        return Said("q · k, turned", "after W_q, W_k", "query turned to k · key at 0", formula=formula)

    def verdict(self, state: PositionsState) -> Verdict:
        layouts = (
            " The two layouts pair different dimensions: weights trained with one do not work with the other."
            if state.d_model > 2
            else ""
        )
        return Verdict(
            "Turned, not added: the score depends on the offset alone.",
            "Queries and keys are turned by p·θ before their product, so q·k depends on their offset alone, whatever "
            f"W_q and W_k are, and every vector keeps its length.{layouts}",
        )

    def cell(self, state: PositionsState, position: int, dimensions: tuple[int, ...], angle: str, worked: str) -> str:
        first, second = sorted(dimensions)
        return f"position {position} turns dimensions {first} and {second} by {angle} rad: {worked}"

    # ---- Lines of its program ----

    helper = "rotary"

    def table_lines(self, state: PositionsState) -> str:
        joined = "np.hstack((cos, sin))" if self.splits(state) else None
        turning = self.turning_pairs(state.d_model // 2)
        still = "" if turning == state.d_model // 2 else f"turns[:, {turning}:] = 0.0  # these pairs stand still"
        return f"""
            turns = np.arange(length)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
            {still}
            cos, sin = np.cos(turns), np.sin(turns)  # of the angle by which each pair turns
            encoding = {joined or "np.stack((cos, sin), axis=-1).reshape(length, d_model)"}
        """

    def alike_lines(self, state: PositionsState) -> str:
        return f"""
            def turned(row, places):  # one vector at all places
                return rotary(np.tile(row, (len(places), 1)), places, base{self.layout(state)})

            similarity = turned(query, positions) @ turned(key, positions).T
            curve = turned(query, offsets) @ key
            after_projections = turned(query @ w_q, positions) @ turned(key @ w_k, positions).T
        """

    def score_lines(self, state: PositionsState) -> str:
        layout = self.layout(state)
        return f"""
            root, places = np.sqrt(w_q.shape[1]), np.arange(length)
            q = rotary((query @ w_q)[None], np.array([i]), base{layout})[0]
            k = rotary(np.tile(key @ w_k, (length, 1)), places, base{layout})
            scores = k @ q / root
            content = (query @ w_q) @ (key @ w_k) / root
            terms = np.array([content, scores[j] - content])  # and the change by turning
        """

    def turned_line(self, state: PositionsState) -> str:
        return f"q, k = (rotary(part, np.arange(n), base{self.layout(state)}) for part in (q, k))"

    def turn_line(self, state: PositionsState) -> str:
        return f"turn = rotary(np.eye(d_model), np.full(d_model, shift), base{self.layout(state)}).T  # R_k"

    def layout(self, state: PositionsState) -> str:
        """Return the last argument of ``rotary``, where it needs one."""
        return "" if self.splits(state) else f', layout="{state.layout.value}"'

    # ---- Numbers ----

    def splits(self, state: PositionsState) -> bool:
        return state.layout == "half"

    def products(self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int) -> FloatArray:
        return turned_products(query, key, state.base, state.layout.value, first, count)

    def turned(self, state: PositionsState, rows: FloatArray, places: FloatArray) -> FloatArray:
        return np.asarray(rotary(rows, places, state.base, state.layout.value))
