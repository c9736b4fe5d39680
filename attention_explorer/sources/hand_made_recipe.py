"""What decides the numbers of the hand-made heads: the state holds it, and what computes with it is loaded later."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import Kind, declared
from attention_explorer.sources.hand_made_words import antecedent_hundredths
from attention_explorer.sources.source import TypedRecipe, context_declared, sentence_declared
from attention_explorer.sources.tokens import tokens_in

MOST_HAND_MADE_TOKENS = 256
"""Tokens of a sentence behind this many are left out."""


@dataclass(frozen=True, slots=True)
class HandMadeRecipe(TypedRecipe):
    """Everything that decides the numbers of the hand-made heads.

    Attributes
    ----------
    sentence : str
        Its tokens make the queries, and without `context` the keys too.
    context : str or None
        The second sentence of cross-attention: its tokens make the keys.
    own_shares : tuple of (str, float)
        Every token of the sentence with its share of what “it” attends to, above 0; whatever they sum to, the softmax
        makes weights of them. They count while the sentence has these very tokens, else the tutorial's do.
    """

    sentence: str = sentence_declared("The cat sat on the mat because it was soft")
    context: str | None = context_declared()
    own_shares: tuple[tuple[str, float], ...] = declared(
        (),
        "own shares",
        "How much “it” attends to each token, if it is not as in the tutorial",
        "Change what “it” attends to",
        kind=Kind.LIST,
        low=5e-324,
        high=1e6,
        most=MOST_TOKENS,
    )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that ask, one a query."""
        return tokens_in(self.sentence)[:MOST_HAND_MADE_TOKENS]

    @property
    def context_tokens(self) -> tuple[str, ...]:
        """The tokens that are attended to, one a key."""
        return self.tokens if self.context is None else tokens_in(self.context)[:MOST_HAND_MADE_TOKENS]

    @property
    def has_own_shares(self) -> bool:
        """Whether the own shares are for the sentence that there is."""
        return bool(self.own_shares) and tuple(token for token, _ in self.own_shares) == self.context_tokens

    @property
    def antecedent_shares(self) -> tuple[float, ...]:
        """How much “it” attends to each token, as shares."""
        if self.has_own_shares:
            return tuple(share for _, share in self.own_shares)
        return tuple(float(hundredths) for hundredths in antecedent_hundredths(self.context_tokens))
