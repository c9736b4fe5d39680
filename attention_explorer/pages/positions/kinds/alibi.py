"""Scores fall with the distance, each head at its own slope (ALiBi, Press et al. 2022)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.pages.positions.kinds.kind import PositionEncoding, Said, Verdict

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class Alibi(PositionEncoding):
    """A bias for each distance, and no dimensions."""

    has_slopes = True
    name, title, told = "ALiBi", "ALiBi", "ALiBi"
    tip = "ALiBi: scores fall with the distance, each head at its own slope (Press et al. 2022)."
    headline = "Distance costs, and each head has its own rate."
    alike = "Nothing is added to the vectors. The bias falls in a straight line with the distance."
    why_alike = "{head} takes its slope off the score for each position of distance, whatever the vectors are."
    scores = "One line for all queries: each head takes its slope times the distance off the score."
    formula_of_scores = "α_j = softmax({q_i · k_j}/{√d_k} − m |i − j|)"
    no_table = "ALiBi has no dimensions: it takes a number off each score, the larger the further apart two tokens are."
    no_clocks = "ALiBi has no clocks: it takes slope × distance off each score. See the picture “Encoding”."

    def formulas(self, state: PositionsState) -> tuple[str, ...]:
        return ("s_j = {q_i · k_j}/{√d_k} − m |i − j|",)

    def said(self, state: PositionsState) -> Said:
        bias = f"bias of {state.count.head(state.head_shown)}"
        return Said(bias, "score + bias", f"{bias} at offset k", ("bias", "score"), self.formulas(state)[0])

    def verdict(self, state: PositionsState) -> Verdict:
        slopes = alibi_slopes(state.heads)
        steep, flat = float(slopes.max()), float(slopes.min())
        factor = f"e^(−10·{slope_words(steep)}) = {math.exp(-10 * steep):.3g}"
        if state.heads > 1:
            factor += f" in the steepest head and by {math.exp(-10 * flat):.3g} in the flattest,"
        return Verdict(
            self.headline,
            f"Ten positions away, a weight is multiplied by {factor} before it is normalised. "
            "Nothing is added to the embeddings, and texts may have any length.",
        )

    # ---- Lines of its program ----

    helper = """
        below = 1 << (heads.bit_length() - 1)  # the largest power of two that is not above
        between = np.arange(1, 2 * (heads - below), 2) / (2 * below)
        slopes = 2.0 ** (-8.0 * np.concatenate([np.arange(1, below + 1) / below, between]))  # Press et al. 2022
    """

    def alike_lines(self, state: PositionsState) -> str:
        return """
            similarity = -slopes[head] * np.abs(positions[:, None] - positions)
            curve = -slopes[head] * offsets
            after_projections = (query @ w_q) @ (key @ w_k) / np.sqrt(w_q.shape[1]) + similarity
        """

    def score_lines(self, state: PositionsState) -> str:
        return """
            content = (query @ w_q) @ (key @ w_k) / np.sqrt(w_q.shape[1])
            scores = content - slopes[head] * np.abs(i - np.arange(length))
            terms = np.array([content, scores[j] - content])
        """

    def bias_line(self, state: PositionsState) -> str:
        return "scores = scores - slopes[:, None, None] * np.abs(np.arange(n)[:, None] - np.arange(n))"

    # ---- Numbers ----

    def alike_by_offset(
        self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int
    ) -> FloatArray:
        return np.asarray(-self.slope(state) * np.abs(np.arange(first, first + count)))

    def slope(self, state: PositionsState) -> float:
        return float(alibi_slopes(state.heads)[state.head_shown])

    def bias(self, state: PositionsState, heads: int, count: int) -> FloatArray:
        return np.asarray(alibi_bias(heads, count))


def slope_words(slope: float) -> str:
    """Return a slope as the paper writes it where that is short: 1/2, 1/256, 0.7071."""
    power = -math.log2(slope)
    return f"1/{2 ** round(power)}" if abs(power - round(power)) < 1e-12 else f"{slope:.4f}"
