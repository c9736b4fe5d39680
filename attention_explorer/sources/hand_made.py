"""Heads made by hand: patterns that trained models are known for, made with real queries and keys, nothing learned.

Every head is told apart by a few features. A key k_j holds features of its token with the value 1 (or a number), a
query q_i asks for the features it wants with the value score · √d_k, so the scaled score q·k/√d_k of a wanted pair
is `score` and that of any other 0. A query of zeros wants nothing: its weights are even. All heads have as many
features as the one that needs most, rounded up to a power of 4, so that √d_k is exact; unused features are 0.

Value j is the j-th unit vector, so output i holds the weights of query i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attention_explorer.model import RowMask
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.hand_made_words import antecedent_hundredths, concept, two_nouns
from attention_explorer.sources.layer import Floats, Layer, Values

WANTED_SCORE = 6.0
"""The scaled score of a wanted pair; e⁶ is 403 to 1 against a key that is not wanted."""


Features = tuple[Floats, Floats]
"""What the queries ask for, (n_q, features), as scaled scores; and what the keys hold, (n_k, features)."""


@dataclass(frozen=True, slots=True)
class HandMadeHead:
    """A pattern with its name; `hand_made_notes.pattern_words` says what it does."""

    id: str
    name: str
    within: bool
    """Whether it makes sense within one sentence."""
    across: bool
    """Whether it makes sense from one sentence to another."""
    features: Callable[[tuple[str, ...], tuple[str, ...]], Features]
    """Makes queries and keys for the tokens that ask and those that are attended to."""


def hand_made_heads(recipe: HandMadeRecipe) -> tuple[HandMadeHead, ...]:
    """Name the heads that a recipe has, in the order of its maps.

    Parameters
    ----------
    recipe : HandMadeRecipe
        With or without a context.

    Returns
    -------
    tuple of HandMadeHead
        Those that make sense within a sentence, or from one to another.
    """
    across = recipe.context is not None
    return tuple(head for head in HAND_MADE_HEADS if (head.across if across else head.within))


def hand_made_layers(
    recipe: HandMadeRecipe,
    *,
    mask: npt.ArrayLike | RowMask | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    hard: bool = False,
) -> tuple[Layer, ...]:
    """Make the heads of a sentence, or from one sentence to another.

    Parameters
    ----------
    recipe : HandMadeRecipe
        The sentences.
    mask : array_like of bool, (n_q, n_k), or RowMask, optional
        True where a query may attend, or a function that gives rows of that.
    scale : float, optional
        Factor of the scores, 1/√d_k if not given; only then are scores and weights as they were made to be.
    temperature : float
        Divides the scores in the softmax; ignored if `hard`.
    hard : bool
        Whether the best key takes all.

    Returns
    -------
    tuple of Layer
        One. Its x has a feature for every word, 1 for the token's own; queries and keys were not projected from
        it, so `attention` is None.

    Raises
    ------
    ExplorerError
        If mask, scale or temperature do not fit.
    """
    asking, asked = recipe.tokens, recipe.context_tokens
    made = [_features_of(head, recipe) for head in hand_made_heads(recipe)]
    d_k = 4 ** math.ceil(math.log2(max(keys.shape[1] for _, keys in made) or 1) / 2)
    q = np.stack([_widened(queries, d_k) for queries, _ in made]) * math.sqrt(d_k)
    k = np.stack([_widened(keys, d_k) for _, keys in made])
    v = np.broadcast_to(np.eye(len(asked)), (len(made), len(asked), len(asked)))
    x, context = _one_hot_words(asking, asked)
    for array in (q, k, v, x, context):
        array.flags.writeable = False
    layer = Layer((), x, x if recipe.context is None else context, q, k, Values(lambda: v))
    return (layer.with_maps(mask, scale, temperature, hard),)


def _features_of(head: HandMadeHead, recipe: HandMadeRecipe) -> Features:
    if head.id == "antecedent" and recipe.has_own_shares:
        return _pronouns(recipe.tokens), _keys_of_shares(recipe.antecedent_shares)
    return head.features(recipe.tokens, recipe.context_tokens)


# ---- The patterns ----


def _previous_token(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    positions = np.eye(len(asked))
    wanted = np.maximum(np.arange(len(asking)) - 1, 0)
    return WANTED_SCORE * positions[wanted], positions


def _first_token(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    keys = np.zeros((len(asked), 1))
    keys[:1] = 1.0
    return np.full((len(asking), 1), WANTED_SCORE), keys


def _same_word(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    return _matching([token.casefold() for token in asking], [token.casefold() for token in asked])


def _antecedent(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    return _pronouns(asking), _keys_of_shares(antecedent_hundredths(asked))


def _keys_of_shares(shares: Sequence[float]) -> Floats:
    # The logarithm of a weight is the score that has it as its exponential: the rest is the softmax's to do.
    return np.array([math.log(share) for share in shares]).reshape(len(shares), 1)


def _two_at_once(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    keys = np.zeros((len(asked), 1))
    keys[list(two_nouns(asked))] = 1.0
    queries = _pronouns(asking)
    if not queries.any():
        queries[-1:] = 1.0
    return WANTED_SCORE * queries, keys


def _even(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    return np.zeros((len(asking), 1)), np.zeros((len(asked), 1))


def _translation(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    return _matching([concept(token) for token in asking], [concept(token) for token in asked])


def _pronouns(asking: tuple[str, ...]) -> Floats:
    return np.array([[1.0 if token.casefold() == "it" else 0.0] for token in asking]).reshape(len(asking), 1)


def _matching(wanted: list[str | None], held: list[str | None]) -> Features:
    """Let every query want the keys that hold the same, one feature for each thing that a key holds."""
    things = list(dict.fromkeys(thing for thing in held if thing is not None))
    return WANTED_SCORE * _indicators(wanted, things), _indicators(held, things)


def _indicators(having: list[str | None], things: list[str]) -> Floats:
    """Mark which of the things each has: (len(having), len(things))."""
    marks = np.zeros((len(having), len(things)))
    columns = {thing: column for column, thing in enumerate(things)}
    for row, thing in enumerate(having):
        if thing in columns:
            marks[row, columns[thing]] = 1.0
    return marks


def _one_hot_words(asking: tuple[str, ...], asked: tuple[str, ...]) -> Features:
    words = list(dict.fromkeys(token.casefold() for token in (*asking, *asked)))
    x, context = (_indicators([token.casefold() for token in tokens], words) for tokens in (asking, asked))
    return x, context


def _widened(features: Floats, width: int) -> Floats:
    return np.pad(features, ((0, 0), (0, width - features.shape[1])))


HAND_MADE_HEADS: tuple[HandMadeHead, ...] = (
    HandMadeHead(
        "previous-token",
        "previous token",
        within=True,
        across=False,
        features=_previous_token,
    ),
    HandMadeHead(
        "first-token",
        "first token",
        within=True,
        across=True,
        features=_first_token,
    ),
    HandMadeHead(
        "same-word",
        "same word",
        within=True,
        across=True,
        features=_same_word,
    ),
    HandMadeHead(
        "antecedent",
        "antecedent of “it”",
        within=True,
        across=False,
        features=_antecedent,
    ),
    HandMadeHead(
        "two-at-once",
        "two at once",
        within=True,
        across=False,
        features=_two_at_once,
    ),
    HandMadeHead(
        "even",
        "even",
        within=True,
        across=False,
        features=_even,
    ),
    HandMadeHead(
        "translation",
        "translation",
        within=False,
        across=True,
        features=_translation,
    ),
)
