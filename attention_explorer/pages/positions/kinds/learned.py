"""A free vector for each position, shown before training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model.encodings import learned_encoding
from attention_explorer.pages.positions.kinds.kind import AddedEncoding, Said, Verdict

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class Learned(AddedEncoding):
    """A table of numbers without any order to them."""

    is_drawn = True
    name, title, told = "Learned encoding", "learned, untrained", "learned positions"
    title_beside = title
    tip = "Learned: a free vector for each position, shown before training."
    numbers_are = "learned number"
    headline = "Before training, every position is noise."
    alike = "Drawn at random, before any training: two positions are alike only by chance."
    why_alike = "What neighbours have in common has to be learned."
    scores = "Untrained, it is noise: from key to key the score varies by {varies}."
    no_clocks = "A learned encoding has no clocks: each number is free, and nothing ties position p + k to position p."

    def said(self, state: PositionsState) -> Said:
        after = "PE(p) W_q · PE(p′) W_k"
        return Said("PE(p) · PE(p′), learned", after, "PE(0) · PE(k) at offset k, learned")

    def verdict(self, state: PositionsState) -> Verdict:
        return Verdict(
            "Each position is a free vector, random until trained.",
            f"Before training, neighbours are alike only by chance. Position {state.length} has no vector at all: "
            "such a model cannot read a text longer than it was made for.",
        )

    def norm(self, state: PositionsState, norm: float) -> str:
        expected = 0.02 * math.sqrt(state.d_model)
        return f"Its norm is {norm:.4g}; about 0.02 · √{state.d_model} = {expected:.4g} is expected."

    def cell(self, state: PositionsState, position: int, dimensions: tuple[int, ...], angle: str, worked: str) -> str:
        return (
            f"learned({position}, {dimensions[0]}) = {worked}: a number of its own, drawn with seed {state.seed}, "
            "before any training"
        )

    def table_lines(self, state: PositionsState) -> str:
        return "encoding = np.random.RandomState(seed).randn(length, d_model) * 0.02  # before any learning"

    def added_line(self, state: PositionsState) -> str:
        return "x = x + np.random.RandomState(seed).randn(n, d_model) * 0.02"

    # ---- Numbers ----

    def drawn(self, state: PositionsState) -> FloatArray:
        return _drawn(state.length, state.d_model, state.seed)

    def products_with_rows(self, state: PositionsState, vectors: FloatArray) -> FloatArray:
        return np.asarray(vectors @ self.drawn(state).T)

    def added(self, state: PositionsState, count: int, d_model: int) -> FloatArray:
        return np.asarray(learned_encoding(count, d_model, state.seed))


@kept
def _drawn(length: int, d_model: int, seed: int) -> FloatArray:
    return np.asarray(learned_encoding(length, d_model, seed))
