"""The numbers of words in the plane: queries, keys and values, the row of one word, and where it moves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numbers_export import Table
from attention_explorer.model import lookup
from attention_explorer.model.attention import Attention
from attention_explorer.pages.lookup.plane import Vector
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.words_state import WordsHead, WordsState

ALIKE = 0.9
"""Of the largest weight: words with so much are found alike."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadNumbers:
    """What one head makes of the words.

    Attributes
    ----------
    matrices : WordsHead
        Its matrices.
    queries, keys, values : ndarray, (n, 2)
        Those of all words: points @ W.
    attention : Attention
        The row of the word that asks: scores q·k, scaled by 1/√2, weights (n,) and output (2,).
    """

    matrices: WordsHead
    queries: FloatArray
    keys: FloatArray
    values: FloatArray
    attention: Attention

    @property
    def weights(self) -> FloatArray:
        """The weights of the row, (n,)."""
        return self.attention.weights

    def made_by(self, matrix: str) -> FloatArray:
        """Return what a matrix (w_q, w_k or w_v) makes of all words, (n, 2)."""
        return {"w_q": self.queries, "w_k": self.keys, "w_v": self.values}[matrix]


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """How the loss ½|x + o − t|² of the word that asks grows with the row of one head.

    Attributes
    ----------
    query : ndarray, (2,)
        With its query.
    keys, values : ndarray, (n, 2)
        With each key, and with each value.
    """

    query: FloatArray
    keys: FloatArray
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class WordsNumbers:
    """Words, what the heads make of them, and where the word that asks moves.

    Attributes
    ----------
    state : WordsState
        What was asked for.
    hard : bool
        Whether the best key takes all.
    tokens : tuple of str
        The words of the sentence.
    points : ndarray, (n, 2)
        Where they stand.
    heads : tuple of HeadNumbers
        One, or two.
    output : ndarray, (2,)
        What the heads hand over, added up: o.
    """

    state: WordsState
    hard: bool
    tokens: tuple[str, ...]
    points: FloatArray
    heads: tuple[HeadNumbers, ...]
    output: FloatArray

    @property
    def asking(self) -> int:
        """The word that asks."""
        return self.state.asking

    @property
    def word(self) -> str:
        """How it is written."""
        return self.tokens[self.asking]

    @property
    def head(self) -> HeadNumbers:
        """The head on show."""
        return self.heads[self.state.shown_head]

    @property
    def place(self) -> FloatArray:
        """Where the word that asks stands, (2,)."""
        place: FloatArray = self.points[self.asking]
        return place

    @property
    def moved(self) -> FloatArray:
        """Where it is with o added, (2,)."""
        moved: FloatArray = self.place + self.output
        return moved

    @property
    def heaviest(self) -> int:
        """The other word that the head on show looks at most; itself, where there is no other."""
        return self.heaviest_of(self.head)

    def found_by(self, head: HeadNumbers) -> tuple[str, ...]:
        """Return the other words that a head finds, each once: the heaviest, and those with nearly as much weight."""
        least = ALIKE * float(head.weights[self.heaviest_of(head)])
        found = {
            token.casefold(): token
            for token, weight in zip(self.tokens, head.weights.tolist(), strict=True)
            if weight >= least and token.casefold() != self.word.casefold()
        }
        return tuple(found.values())

    def heaviest_of(self, head: HeadNumbers) -> int:
        """Return the other word that a head looks at most; the word itself, where there is no other."""
        others = [i for i, token in enumerate(self.tokens) if token.casefold() != self.word.casefold()]
        return max(others, key=lambda i: float(head.weights[i]), default=self.asking)

    @property
    def toward(self) -> str:
        """The word that the distance is measured to."""
        known = self.state.known
        return self.state.toward if self.state.toward.casefold() in known else self.tokens[self.heaviest]

    @property
    def target(self) -> FloatArray:
        """Where that word stands, (2,)."""
        return np.asarray(self.state.known[self.toward.casefold()])

    @property
    def distances(self) -> tuple[float, float]:
        """How far the word that asks is from there, before and after."""
        return math.dist(self.place, self.target), math.dist(self.moved, self.target)

    @property
    def slopes(self) -> tuple[Slopes, ...]:
        """How the loss ½|x + o − t|² grows with queries, keys and values of each head."""
        residual = self.moved - self.target
        return tuple(_slopes(head, self.asking, residual, self.hard) for head in self.heads)


def _slopes(head: HeadNumbers, asking: int, residual: FloatArray, hard: bool) -> Slopes:
    """Return the derivatives of the loss, by the chain rule.

    o = Σ α_j v_j gives ∂L/∂v_j = α_j r, with r = x + o − t; the softmax gives ∂L/∂s_j = α_j (v_j − o)·r of the scaled
    score s_j = q·k_j / √2. A hard lookup has no slope by q and k: there the weights stay as they are nearby.
    """
    weights, values = head.weights, head.values
    by_score = (
        np.zeros(len(weights)) if hard else weights * ((values - head.attention.output) @ residual) / math.sqrt(2)
    )
    return Slopes(by_score @ head.keys, np.outer(by_score, head.queries[asking]), np.outer(weights, residual))


def words_numbers(state: LookupState, _pixels: tuple[int, int] = (0, 0)) -> WordsNumbers:
    """Compute the words of a lookup."""
    return numbers_of(state.words, state.hard)


def numbers_of(state: WordsState, hard: bool) -> WordsNumbers:
    """Compute words in the plane."""
    points = np.asarray(state.places)
    heads = tuple(_head(each, points, state.asking, hard) for each in state.heads)
    output = np.sum([each.attention.output for each in heads], axis=0)
    return WordsNumbers(state, hard, state.tokens, points, heads, output)


def _head(matrices: WordsHead, points: FloatArray, asking: int, hard: bool) -> HeadNumbers:
    queries, keys, values = (points @ np.asarray(each) for each in (matrices.w_q, matrices.w_k, matrices.w_v))
    attention = lookup(queries[asking], keys, values, hard=hard, scaled=True)
    return HeadNumbers(matrices, queries, keys, values, attention)


def otherwise(numbers: WordsNumbers) -> tuple[str, Vector] | None:
    """Return a word that is not in the sentence, and where the word that asks moves with it in place of the heaviest.

    None where all words with a place are in the sentence, or no other word is looked at.
    """
    state, written = numbers.state, {token.casefold() for token in numbers.tokens}
    heaviest = numbers.heaviest
    if heaviest == numbers.asking:
        return None
    taken = numbers.tokens[heaviest].casefold()
    longest = max(
        (each for each in state.lexicon if each.text.casefold() not in written),
        key=lambda each: math.hypot(*each.place),
        default=None,
    )
    if longest is None:
        return None
    swapped = [longest.text if token.casefold() == taken else token for token in numbers.tokens]
    other = numbers_of(replace(state, sentence=" ".join(swapped), asks=numbers.word), numbers.hard)
    x, y = other.moved.tolist()
    return longest.text, (x, y)


# ---- For files ----

PREFIXES = ("", "second_")
"""Of the names of the arrays of each head."""


def words_arrays(numbers: WordsNumbers) -> dict[str, FloatArray]:
    """Return every array; those of a second head begin with "second"."""
    found = {"moved": numbers.moved, "output": numbers.output, "points": numbers.points}
    for prefix, head, slopes in zip(PREFIXES, numbers.heads, numbers.slopes, strict=False):
        own = {
            "queries": head.queries,
            "keys": head.keys,
            "values": head.values,
            "scores": head.attention.scores,
            "scaled": head.attention.scaled,
            "weights": head.weights,
            "handed_over": head.attention.output,
        }
        if numbers.state.gradients:
            own |= {
                "d_loss_d_query": slopes.query,
                "d_loss_d_keys": slopes.keys,
                "d_loss_d_values": slopes.values,
            }
        found |= {prefix + name: array for name, array in own.items()}
    return found


_PAIRS = ("points", "queries", "keys", "values")


def words_lines(numbers: WordsNumbers) -> Table:
    """Return a row for every word and head."""
    head = ["word", "head", *(f"{name}_{axis}" for name in _PAIRS for axis in "xy"), "score", "scaled", "weight"]
    rows = []
    for number, each in enumerate(numbers.heads):
        pairs = np.hstack([numbers.points, each.queries, each.keys, each.values]).tolist()
        stages = np.stack([each.attention.scores, each.attention.scaled, each.weights], axis=1).tolist()
        names = zip(numbers.tokens, pairs, stages, strict=True)
        rows += [(token, ("first", "second")[number], *pair, *stage) for token, pair, stage in names]
    return Table.of(tuple(head), rows)


def words_told(numbers: WordsNumbers) -> Mapping[str, object]:
    """Return what files of numbers say besides."""
    return {"words": list(numbers.tokens), "asks": numbers.word, "toward": numbers.toward}
