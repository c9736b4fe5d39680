"""The tutorial’s table for “it”: weights that sum to 1, the scores behind them, and numbers of one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage
from attention_explorer.sources.hand_made import hand_made_heads
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.hand_made_words import antecedent_gloss
from attention_explorer.state.colour_scale import FloatArray
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.state import Recipe
from attention_explorer.state.heads.wording import one
from attention_explorer.state.numerals import coordinate, parsed_number, plain

LARGEST_SHARE = 1e6
LARGEST_SCORE = 12.0
"""Scores from minus to plus this can be typed: e¹² is 163 thousand to 1."""

LAST_WORDS = ("soft", "tired")
"""What the sentences of two tutorials end in: with the one “it” is the mat, with the other the cat."""

HEADER = ("share", "weight", "score", "top − this")


@dataclass(frozen=True, slots=True, eq=False)
class ItTable:
    """The row of “it” in the head that is made after the tutorial’s table.

    Attributes
    ----------
    tokens : tuple of str
        The keys.
    shares : tuple of float
        What was typed, or the tutorial’s hundredths; they need not sum to anything.
    scores, weights : ndarray, (n_k,)
        Scaled scores and weights of the head, as every picture of it shows them.
    behind : ndarray, (n_k,)
        Implied score differences ln(largest weight ÷ weight): how far the score lies behind the best one. Infinite for
        weight 0.
    glosses : tuple of str
        Why, in the tutorial’s words; empty for other words.
    is_own : bool
        Whether the shares were typed.
    """

    row: int
    head: int
    tokens: tuple[str, ...]
    shares: tuple[float, ...]
    scores: FloatArray
    weights: FloatArray
    behind: FloatArray
    glosses: tuple[str, ...]
    is_own: bool

    @property
    def entropy(self) -> float:
        """In nats."""
        seen = self.weights[self.weights > 0]
        return float(-(seen * np.log(seen)).sum())

    def numbers(self) -> list[list[float]]:
        """Return share, weight, score and how far behind the best it is, a row a token."""
        columns = (self.shares, self.weights.tolist(), self.scores.tolist(), self.behind.tolist())
        return [list(row) for row in zip(*columns, strict=True)]


def antecedent_head(recipe: Recipe) -> int | None:
    """Return which head is made after the table, or None if there is none."""
    if not isinstance(recipe, HandMadeRecipe):
        return None
    return next((head for head, made in enumerate(hand_made_heads(recipe)) if made.id == "antecedent"), None)


def it_table(frame: HeadsFrame) -> ItTable:
    """Return the table of a frame.

    Raises
    ------
    ExplorerError
        The heads were not made by hand, or there is no “it”.
    """
    recipe, head = frame.setup.recipe, antecedent_head(frame.setup.recipe)
    if head is None or not isinstance(recipe, HandMadeRecipe):
        raise ExplorerError("This table belongs to the hand-made heads of one sentence: open the tutorial’s.")
    row = next((row for row, token in enumerate(frame.queries) if token.casefold() == "it"), None)
    if row is None:
        raise ExplorerError("There is no “it” in this sentence: type one, or open the tutorial’s.")
    map_ = frame.layers[frame.layer].maps[head]
    weights = map_.weights(one(row))[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        behind = np.log(weights.max(initial=0.0)) - np.log(weights)
    glosses = tuple(antecedent_gloss(token, frame.keys) or "" for token in frame.keys)
    scores = map_.scores(one(row), stage=Stage.SCALED)[0]
    shares = recipe.antecedent_shares
    return ItTable(row, head, frame.keys, shares, scores, weights, behind, glosses, recipe.has_own_shares)


# ---- Typing ----


def with_share(recipe: Recipe, row: int, text: str) -> HandMadeRecipe:
    """Return the recipe with another share for a token.

    Raises
    ------
    ExplorerError
        It is no number above 0, or the heads were not made by hand.
    """
    share = parsed_number(text)
    if not 0.0 < share <= LARGEST_SHARE:
        raise ExplorerError(
            f"A share is a number above 0, up to {LARGEST_SHARE:.0f}, not {text}: no score makes a weight of exactly "
            "0. A mask does."
        )
    return _with(recipe, row, share)


def with_score(recipe: Recipe, row: int, text: str) -> HandMadeRecipe:
    """Return the recipe with another score for a token: a share of e to the power of it.

    Raises
    ------
    ExplorerError
        It is no number from −12 to 12, or the heads were not made by hand.
    """
    score = parsed_number(text)
    if abs(score) > LARGEST_SCORE:
        raise ExplorerError(f"A score is a number from −{LARGEST_SCORE:g} to {LARGEST_SCORE:g}, not {text}.")
    return _with(recipe, row, math.exp(score))


def _with(recipe: Recipe, row: int, share: float) -> HandMadeRecipe:
    if not isinstance(recipe, HandMadeRecipe):
        raise ExplorerError("Only the hand-made heads have this table: open the tutorial’s.")
    shares = list(zip(recipe.context_tokens, recipe.antecedent_shares, strict=True))
    shares[row] = (shares[row][0], share)
    return replace(recipe, own_shares=tuple(shares))


def renormalised(recipe: Recipe) -> HandMadeRecipe:
    """Return the recipe with its shares divided by their sum: the weights stay what they are.

    Raises
    ------
    ExplorerError
        The heads were not made by hand.
    """
    if not isinstance(recipe, HandMadeRecipe):
        raise ExplorerError("Only the hand-made heads have this table: open the tutorial’s.")
    total = math.fsum(recipe.antecedent_shares)
    shares = tuple(share / total for share in recipe.antecedent_shares)
    return replace(recipe, own_shares=tuple(zip(recipe.context_tokens, shares, strict=True)))


def with_last_word(recipe: Recipe, word: str) -> HandMadeRecipe:
    """Return the tutorial’s sentence with another last word, and the numbers that go with it."""
    first = "The cat sat on the mat because it was soft"
    sentence = recipe.sentence if isinstance(recipe, HandMadeRecipe) and recipe.context is None else first
    words = sentence.split()
    last = next((at for at in reversed(range(len(words))) if words[at].strip(".!?").casefold() in LAST_WORDS), None)
    if last is None:
        words, last = first.split(), len(first.split()) - 1
    end = words[last][len(words[last].rstrip(".!?")) :]
    words[last] = word + end
    return HandMadeRecipe(" ".join(words))


# ---- In words ----


def it_words(table: ItTable) -> str:
    """Say what these numbers are, and what they are not."""
    total = math.fsum(table.shares)
    source = "Typed numbers" if table.is_own else "A tutorial’s invented numbers"
    return (
        f"{source}: no model was asked. The shares sum to {coordinate(total, 5)}; divided by that they are weights, "
        f"which sum to {plain(float(table.weights.sum()), 2)}. The tutorial’s heading “Attention Score” means these: "
        "scores come before the softmax and need not sum to anything."
    )


def it_reading(table: ItTable) -> str:
    """Say which token “it” attends to most, by how much its score leads, and how spread out the row is."""
    weights = table.weights
    if not (weights > 0).any():
        return "“it” may attend to nothing here."
    best = int(weights.argmax())
    order = np.argsort(-weights, kind="stable")
    said = f"The most goes to “{table.tokens[best]}”: {plain(float(weights[best]), 3)}."
    if len(order) > 1 and weights[order[1]] > 0:
        second = int(order[1])
        said += (
            f" Its score lies {plain(float(table.behind[second]), 3)} above that of “{table.tokens[second]}”: "
            f"e to that power is {plain(float(weights[best] / weights[second]), 2)}."
        )
    return f"{said} Entropy {plain(table.entropy, 3)} nats, as spread as {plain(math.exp(table.entropy), 2)} even keys."
