"""What the Positions page asks of an encoding: its words, its numbers, and the lines of its program."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from attention_explorer.core.map_picture import FloatArray, IntArray
from attention_explorer.core.numerals import coordinate, scientific

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState

Dimensions = TypeVar("Dimensions", int, IntArray)

OF_SCORES = "α_j = softmax({q_i · k_j}/{√d_k})"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to make of an encoding."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of two positions that are compared: formulas, or a few words.

    Attributes
    ----------
    before, after : str
        What stands above the maps, without W_q and W_k and with them.
    curve : str
        What the curve over the offsets is.
    bars : (str, str)
        What the colours of both maps mean.
    formula : str
        Why they are as they are; empty if nothing is.
    """

    before: str
    after: str
    curve: str
    bars: tuple[str, str] = ("product", "product")
    formula: str = ""


class PositionEncoding:
    """An encoding: one that leaves everything as it is, unless a subclass says otherwise.

    A subclass in a file of its own, and its line in `registry.py`, are all that the page needs.
    """

    # ---- What it does, by which fields and views are shown ----

    adds: ClassVar = False
    """Whether a vector is added to each token, or put beside it."""
    turns: ClassVar = False
    """Whether it is made of hands that turn, each at a speed of its own: then it has a base, waves and clocks."""
    needs_even: ClassVar = False
    """Whether the last dimension cannot be alone."""
    has_layouts: ClassVar = False
    """Whether it may turn different dimensions together."""
    has_slopes: ClassVar = False
    """Whether each head takes a slope of its own off the scores; such an encoding has no dimensions."""
    is_drawn: ClassVar = False
    """Whether it is random, and has to be drawn whole."""
    is_sine_first: ClassVar = True
    """Whether the first number of a pair is the sine."""

    # ---- Words ----

    name: ClassVar[str]
    """What it is called in titles."""
    title: ClassVar[str]
    """In a word or two, beside a line and in a table."""
    title_beside: ClassVar = ""
    """The same where it stands beside the embedding; empty if it cannot."""
    told: ClassVar[str]
    """In a lesson, of what was drawn."""
    tip: ClassVar[str]
    """What it does, in a sentence of the tip of its control."""
    headline: ClassVar = ""
    """What its map shows."""
    numbers_are: ClassVar = ""
    """What the colours of the map mean."""
    made: ClassVar = ""
    """How the numbers of the map are made; ``{}`` stands for the power that a position is divided by."""
    note: ClassVar = ""
    """What files say of those numbers besides."""
    alike: ClassVar[str]
    """What is seen where positions are compared, in a headline."""
    why_alike: ClassVar[str]
    """And why; ``{head}`` stands for the head on show."""
    scores: ClassVar[str]
    """What it does to scores, in a headline; ``{varies}`` stands for how much they differ."""
    formula_of_scores: ClassVar = OF_SCORES
    no_table: ClassVar = ""
    """Why there is no table position × dimension; empty if there is one."""
    no_clocks: ClassVar = ""
    """Why there are no clocks; empty if there are some."""

    def formulas(self, state: PositionsState) -> tuple[str, ...]:
        """Return how its numbers come about, a formula a line."""
        return ()

    def power(self, state: PositionsState) -> str:
        """Return what a position is divided by for pair i, in the notation of formulas."""
        return f"{coordinate(state.base)}^{{2 i/{state.d_model}}}"

    def turning(self, state: PositionsState) -> str:
        """Return which pairs turn, behind a formula of their angle; empty if all do."""
        pairs = -(-state.d_model // 2)
        turning = self.turning_pairs(pairs)
        return f", i < {turning}" if turning < pairs else ""

    def cell(self, state: PositionsState, position: int, dimensions: tuple[int, ...], angle: str, worked: str) -> str:
        """Return what a number of the map is.

        ``dimensions`` are its own and, of a pair, the other one; ``angle`` is how far the pair has turned, and
        ``worked`` the number with what made it.
        """
        raise NotImplementedError

    def said(self, state: PositionsState) -> Said:
        """Return what is said where positions are compared."""
        raise NotImplementedError

    def verdict(self, state: PositionsState) -> Verdict:
        """Return what to make of it, with its numbers."""
        raise NotImplementedError

    def reason(self, state: PositionsState) -> str:
        """Return why there is no table, as a sentence; empty if there is one."""
        if self.needs_even and state.d_model % 2:
            return f"{self.name} turns pairs of dimensions, and {state.d_model} is odd: choose an even d_model."
        return self.no_table

    def norm(self, state: PositionsState, norm: float) -> str:
        """Return the norm of a row, with what is to be expected of it."""
        if state.d_model % 2:
            return (
                f"Its norm is {norm:.4f}; the norm differs from position to position, as the last sine has no cosine."
            )
        root = f"√({state.d_model}/2)"
        return f"Its norm is {norm:.4f} = {root}, the same for every position: sin² + cos² = 1 in each pair."

    # ---- Lines of its program ----

    helper: ClassVar = ""
    """What the lines call: a name of `core/script.py`, or its lines."""

    def table_lines(self, state: PositionsState) -> str:
        """Return lines that make ``encoding`` (length, d_model)."""
        raise NotImplementedError

    def alike_lines(self, state: PositionsState) -> str:
        """Return lines that make ``similarity``, ``curve`` and ``after_projections``, where nothing is added.

        They have query, key, w_q, w_k, positions and offsets.
        """
        raise NotImplementedError

    def score_lines(self, state: PositionsState) -> str:
        """Return lines that make ``scores`` of the query at i and all keys, and the ``terms`` of the one at j."""
        raise NotImplementedError

    def added_line(self, state: PositionsState) -> str:
        """Return a line that adds to vectors x (n, d_model); empty for none."""
        return ""

    def turned_line(self, state: PositionsState) -> str:
        """Return a line that turns queries q and keys k (heads, n, d); empty for none."""
        return ""

    def turn_line(self, state: PositionsState) -> str:
        """Return a line that makes ``turn``, the matrix (d_model, d_model) by which ``shift`` turns what is turned."""
        raise NotImplementedError

    def bias_line(self, state: PositionsState) -> str:
        """Return a line that changes scores (heads, n, n); empty for none."""
        return ""

    # ---- Numbers ----

    def splits(self, state: PositionsState) -> bool:
        """Whether pair i is made of dimensions i and i + d/2, and not of 2i and 2i + 1."""
        return False

    def pair_of(self, state: PositionsState, dimension: Dimensions, width: int) -> Dimensions:
        """Return which pair a dimension, or each of several, out of ``width`` belongs to, from 0."""
        return dimension % max(width // 2, 1) if self.splits(state) else dimension // 2

    def turning_pairs(self, pairs: int) -> int:
        """Return how many of so many pairs turn, from the fastest on; the others stand still."""
        return pairs

    def drawn(self, state: PositionsState) -> FloatArray:
        """Return the whole of a table that is drawn, (length, d_model)."""
        raise NotImplementedError

    def products(self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int) -> FloatArray:
        """Return the product of a query and a key (d,) at offsets from ``first`` on, (count,)."""
        return np.full(count, float(query @ key))

    def alike_by_offset(
        self, state: PositionsState, query: FloatArray, key: FloatArray, first: int, count: int
    ) -> FloatArray:
        """Return what is compared at offsets from ``first`` on, (count,), where they alone decide."""
        return self.products(state, query, key, first, count)

    def products_with_rows(self, state: PositionsState, vectors: FloatArray) -> FloatArray:
        """Return the products of vectors (m, d_model) with the rows of all positions that are added, (m, length)."""
        raise NotImplementedError

    def slope(self, state: PositionsState) -> float:
        """Return what the head on show takes off a score for each position of distance."""
        return 0.0

    def added(self, state: PositionsState, count: int, d_model: int) -> FloatArray | float:
        """Return what is added to vectors (count, d_model)."""
        return 0.0

    def turned(self, state: PositionsState, rows: FloatArray, places: FloatArray) -> FloatArray:
        """Return queries or keys (…, n, d) as they are turned at n places."""
        return rows

    def bias(self, state: PositionsState, heads: int, count: int) -> FloatArray | None:
        """Return what is added to the scores of each head, (heads, count, count); None for nothing."""
        return None


class AddedEncoding(PositionEncoding):
    """An encoding whose rows are added to the embeddings, or put beside them."""

    adds = True

    def score_lines(self, state: PositionsState) -> str:
        if state.concatenated:
            return """
                root = np.sqrt(2 * w_q.shape[1])  # queries are twice as wide
                content = (query @ w_q) @ (key @ w_k) / root
                places = (encoding @ w_k_place) @ (encoding[i] @ w_q_place) / root
                scores, terms = content + places, np.array([content, places[j]])
            """
        return """
            root = np.sqrt(w_q.shape[1])
            scores = ((key + encoding) @ w_k) @ ((query + encoding[i]) @ w_q) / root
            q, k, asking, asked = query @ w_q, key @ w_k, encoding[i] @ w_q, encoding[j] @ w_k
            terms = np.array([q @ k, q @ asked, asking @ k, asking @ asked]) / root  # they add up to scores[j]
        """


def wavelength_text(length: float) -> str:
    """Return a wavelength as it is read: 6.28, 19.9, 47117, 6.21·10⁸; ∞ of what stands still."""
    if math.isinf(length):
        return "∞"
    if length < 1000:
        return f"{length:.3g}"
    return f"{length:.0f}" if length < 1e6 else scientific(length)
