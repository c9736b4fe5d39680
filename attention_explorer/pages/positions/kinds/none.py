"""No encoding: attention is blind to order, but for what a causal mask tells it (NoPE)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attention_explorer.pages.positions.kinds.kind import PositionEncoding, Said, Verdict

if TYPE_CHECKING:
    from attention_explorer.pages.positions.state import PositionsState


class NoEncoding(PositionEncoding):
    """Nothing tells where a token stands."""

    name, title, told = "No encoding", "none", "no positions"
    tip = "None: attention is blind to order."
    alike = "Without an encoding the product of a query and a key is the same wherever they stand."
    why_alike = "Nothing tells one position from another, so every cell has the same number."
    scores = "Without an encoding the score is the same at every distance."
    no_table = (
        "Without an encoding there is nothing to draw. Attention alone is blind to order; "
        "only a causal mask tells it something. See the picture “Order”."
    )
    no_clocks = "Without an encoding there are no clocks: every position looks the same."

    def said(self, state: PositionsState) -> Said:
        return Said("q · k, no encoding", "after W_q, W_k", "q · k at offset k")

    def verdict(self, state: PositionsState) -> Verdict:
        return Verdict(
            "Without an encoding, attention cannot see the order.",
            "Shuffle the words, and the outputs are the same rows in the new order: to attention a sentence is a bag "
            "of words. A causal mask changes that, because each word then sees only itself and the words before it.",
        )

    def alike_lines(self, state: PositionsState) -> str:
        return """
            similarity = np.full((len(positions), len(positions)), query @ key)
            curve = np.full(len(offsets), query @ key)
            after_projections = np.full(similarity.shape, (query @ w_q) @ (key @ w_k))
        """

    def score_lines(self, state: PositionsState) -> str:
        return """
            terms = np.array([(query @ w_q) @ (key @ w_k)]) / np.sqrt(w_q.shape[1])
            scores = np.full(length, terms[0])  # the same wherever the tokens stand
        """
