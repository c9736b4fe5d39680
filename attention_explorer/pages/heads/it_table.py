"""The table for “it”: a tutorial’s numbers or others, the weights they become, and the scores behind them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import coordinate, parsed_number, plain
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.wording import one
from attention_explorer.sources.hand_made import hand_made_heads
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.hand_made_words import TUTORIAL_WORDS, antecedent_gloss
from attention_explorer.sources.registry import recipe_as
from attention_explorer.sources.source import Recipe

LARGEST_SHARE = 1e6
LARGEST_SCORE = 12.0
"""Scores from minus to plus this can be typed: e¹² is 163 thousand to 1."""

LAST_WORDS = ("soft", "tired")
"""What the sentences of two tutorials end in: with the one “it” is the mat, with the other the cat."""


@dataclass(frozen=True, slots=True, eq=False)
class ItTable:
    """The row of “it” in the head that is made after the tutorial’s table.

    Attributes
    ----------
    tokens : tuple of str
        The keys.
    shares : tuple of float
        What was typed, the tutorial’s hundredths or numbers made after them; they need not sum to anything.
    scores, weights : ndarray, (n_k,)
        Scaled scores and weights of the head, as every picture of it shows them.
    behind : ndarray, (n_k,)
        How far the score lies behind the best one that is visible; infinite for hidden keys.
    glosses : tuple of str
        Why, word by word; empty where the shares were typed, and for words that are in no table.
    is_own : bool
        Whether the shares were typed.
    score_unit : float
        The score of a share of e: 1, or √d_k where the setup does not divide by it.
    temperature : float
        What the softmax divides the scores by.
    changed_by : tuple of str
        Settings by which the weights may differ from share ÷ sum: mask, temperature and the like.
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
    score_unit: float
    temperature: float
    changed_by: tuple[str, ...]

    @property
    def is_the_tutorials(self) -> bool:
        """Whether the shares are those that the tutorial prints, word by word."""
        return self.tokens == TUTORIAL_WORDS and not self.is_own

    @property
    def entropy(self) -> float:
        """In nats."""
        seen = self.weights[self.weights > 0]
        return float(-(seen * np.log(seen)).sum())

    def cells(self) -> list[tuple[float | str, ...]]:
        """Return share, weight, score, how far behind the best it is, and why: a row a token."""
        columns = (self.shares, self.weights.tolist(), self.scores.tolist(), self.behind.tolist(), self.glosses)
        return list(zip(*columns, strict=True))


def antecedent_head(recipe: Recipe) -> int | None:
    """Return which head is made after the table, or None if there is none."""
    made_by_hand = recipe_as(recipe, HandMadeRecipe)
    heads = () if made_by_hand is None else hand_made_heads(made_by_hand)
    return next((head for head, made in enumerate(heads) if made.id == "antecedent"), None)


def it_table(frame: HeadsFrame) -> ItTable:
    """Return the table of a frame.

    Raises
    ------
    ExplorerError
        The heads were not made by hand, or there is no “it”.
    """
    recipe, head = recipe_as(frame.setup.recipe, HandMadeRecipe), antecedent_head(frame.setup.recipe)
    if head is None or recipe is None:
        raise ExplorerError(
            "Only the hand-made heads of a single sentence have this table: choose the example “Hand-made heads”."
        )
    row = next((row for row, token in enumerate(frame.queries) if token.casefold() == "it"), None)
    if row is None:
        raise ExplorerError("There is no “it” in this sentence: type one, or choose the example “Hand-made heads”.")
    map_ = frame.layers[frame.layer].maps[head]
    visible = map_.scores(one(row), stage=Stage.MASKED)[0]
    is_own = recipe.has_own_shares
    return ItTable(
        row=row,
        head=head,
        tokens=frame.keys,
        shares=recipe.antecedent_shares,
        scores=map_.scores(one(row), stage=Stage.SCALED)[0],
        weights=map_.weights(one(row))[0],
        behind=visible.max() - visible if np.isfinite(visible).any() else np.full_like(visible, np.inf),
        glosses=tuple("" if is_own else antecedent_gloss(token, frame.keys) or "" for token in frame.keys),
        is_own=is_own,
        score_unit=1.0 if frame.setup.scaled else math.sqrt(frame.head_width),
        temperature=frame.setup.temperature,
        changed_by=_changed_by(frame, row),
    )


def _changed_by(frame: HeadsFrame, row: int) -> tuple[str, ...]:
    setup = frame.setup
    settings = {
        "mask": frame.mask is not None and not frame.mask[row].all(),
        "hard lookup": setup.hard,
        f"temperature {setup.temperature:g}": setup.temperature != 1.0 and not setup.hard,
        "no ÷√d_k": not setup.scaled and not setup.hard,
    }
    return tuple(setting for setting, applies in settings.items() if applies)


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


def with_score(recipe: Recipe, row: int, text: str, unit: float = 1.0) -> HandMadeRecipe:
    """Return the recipe with another score for a token: a share of e to the power of it.

    ``unit`` is the `ItTable.score_unit` of the scores on show.

    Raises
    ------
    ExplorerError
        It is no number from −12 to 12 units, or the heads were not made by hand.
    """
    score, most = parsed_number(text), LARGEST_SCORE * unit
    if abs(score) > most:
        raise ExplorerError(f"A score is a number from −{most:g} to {most:g}, not {text}.")
    return _with(recipe, row, math.exp(score / unit))


def _with(recipe: Recipe, row: int, share: float) -> HandMadeRecipe:
    made_by_hand = _made_by_hand(recipe)
    shares = list(zip(made_by_hand.context_tokens, made_by_hand.antecedent_shares, strict=True))
    shares[row] = (shares[row][0], share)
    return replace(made_by_hand, own_shares=tuple(shares))


def _made_by_hand(recipe: Recipe) -> HandMadeRecipe:
    made_by_hand = recipe_as(recipe, HandMadeRecipe)
    if made_by_hand is None:
        raise ExplorerError("Only the hand-made heads have this table: choose the example “Hand-made heads”.")
    return made_by_hand


def renormalised(recipe: Recipe) -> HandMadeRecipe:
    """Return the recipe with its shares divided by their sum: the weights stay what they are.

    Raises
    ------
    ExplorerError
        The heads were not made by hand.
    """
    made_by_hand = _made_by_hand(recipe)
    total = math.fsum(made_by_hand.antecedent_shares)
    shares = tuple(share / total for share in made_by_hand.antecedent_shares)
    return replace(made_by_hand, own_shares=tuple(zip(made_by_hand.context_tokens, shares, strict=True)))


def with_last_word(recipe: Recipe, word: str) -> HandMadeRecipe:
    """Return the sentence, or else the tutorial’s, with another last word and the numbers that go with it."""
    made_by_hand = recipe_as(recipe, HandMadeRecipe)
    words = list(TUTORIAL_WORDS)
    if made_by_hand is not None and made_by_hand.context is None:
        words = made_by_hand.sentence.split()
    last = next((at for at in reversed(range(len(words))) if words[at].strip(".!?").casefold() in LAST_WORDS), None)
    if last is None:
        words, last = list(TUTORIAL_WORDS), len(TUTORIAL_WORDS) - 1
    end = words[last][len(words[last].rstrip(".!?")) :]
    words[last] = word + end
    return HandMadeRecipe(" ".join(words))


# ---- In words ----


def it_words(table: ItTable) -> str:
    """Say what these numbers are, and what they are not."""
    source = "Numbers that this program made up after a tutorial’s table for another sentence"
    if table.is_own:
        source = "Typed numbers"
    elif table.is_the_tutorials:
        source = "A tutorial’s invented numbers"
    said = f"{source}. These numbers come from no model. The shares sum to {coordinate(math.fsum(table.shares), 5)}."
    if not (table.weights > 0).any():
        return f"{said} The mask hides every key from “it”, so all weights are 0."
    if not np.allclose(table.weights, np.divide(table.shares, math.fsum(table.shares)), rtol=1e-9, atol=0):
        return f"{said} Divided by that they would be the weights, but for the setup: {', '.join(table.changed_by)}."
    heading = " (the tutorial calls them “Attention Score”; scores come before the softmax)"
    return f"{said} Divided by that they are the weights{heading * table.is_the_tutorials}, which sum to 1."


def it_reading(table: ItTable) -> str:
    """Say which token “it” attends to most, by how much its score leads, and how spread out the row is."""
    weights = table.weights
    if not (weights > 0).any():
        return "“it” may attend to nothing here."
    best, *others = np.argsort(-weights, kind="stable").tolist()
    weight = plain(float(weights[best]), 3)
    alike = [key for key in others if table.behind[key] == 0 and weights[key] > 0]
    second = next((key for key in others if weights[key] > 0), None)
    if alike:
        said = f"{len(alike) + 1} tokens get the most, {weight} each; the first of them is “{table.tokens[best]}”."
    else:
        said = f"The most goes to “{table.tokens[best]}”: {weight}."
    if not alike and second is not None:
        divided = f"divided by the temperature {table.temperature:g}, " if table.temperature != 1.0 else ""
        said += (
            f" Its score lies {plain(float(table.behind[second]), 3)} above that of “{table.tokens[second]}”: "
            f"{divided}e to that power is {plain(float(weights[best] / weights[second]), 2)}."
        )
    return f"{said} Entropy {plain(table.entropy, 3)} nats, as spread as {plain(math.exp(table.entropy), 2)} even keys."
