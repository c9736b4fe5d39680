"""What lessons can ask of the Lookup page besides its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_explorer.core.named import (
    Member,
    Members,
    Shown,
)
from attention_explorer.core.numerals import subscript
from attention_explorer.model.arrays import Floats
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.words_plane import WordsNumbers, words_numbers


def lookup_members(state: LookupState) -> Members:
    """Return the numbers of the plane, and what its words come to."""
    frame = lookup_frame(state)
    width = frame.values.shape[1]

    def number(read: Callable[[LookupFrame], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(frame), name)

    return {
        "query": number(lambda f: np.asarray(f.state.query), _coordinate("q")),
        "keys": number(lambda f: f.keys, _coordinate("k", is_row=True)),
        "value_rows": number(lambda f: f.values, _coordinate("v", width, is_row=True)),
        "scores": number(lambda f: f.attention.scores, lambda *i: f"q·k{_digit(i)}"),
        "scaled_scores": number(lambda f: f.attention.scaled, lambda *i: f"q·k{_digit(i)} as softmax takes it"),
        "weights": number(lambda f: f.weights, lambda *i: f"α{_digit(i)}"),
        "output": number(lambda f: f.output, _coordinate("o", width)),
        "contributions": number(lambda f: f.contributions, _coordinate("αv", width, is_row=True)),
        "cosines": number(lambda f: f.cosines, lambda *i: f"cos(q, k{_digit(i)})"),
        "slope": number(lambda f: f.gradient_norm, "how fast o moves with q"),
        "query_length": number(lambda f: f.query_length, "|q|"),
        "key_lengths": number(lambda f: f.key_lengths, lambda *i: f"|k{_digit(i)}|"),
        "winner": number(lambda f: f.winners[0], "the key with the highest score, from 0"),
        "tied": number(lambda f: len(f.winners) > 1, "whether the highest scores are equal"),
        "found": number(lambda f: f.exact_match is not None, "whether a key equals q"),
        "entropy": number(lambda f: f.entropy, "entropy of the weights, in nats"),
        "target": number(lambda f: np.asarray(f.state.target_row), _coordinate("t", width)),
        "loss": number(lambda f: f.loss, "½|o − t|²"),
        "loss_gradient": number(lambda f: f.loss_gradient, _coordinate("∂L/∂q")),
        "jump": number(lambda f: f.jump, "how far o can jump"),
        "value_gradients": number(_value_gradients, _coordinate("∂L/∂v", width, is_row=True)),
        "is_row": number(lambda f: f.row is not None, "whether a row of a head is looked up in"),
        **_words_of(state),
    }


def _words_of(state: LookupState) -> Members:
    """Return what the words in the plane come to; of two heads that of the one on show."""

    def number(read: Callable[[WordsNumbers], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(words_numbers(state)), name)

    def word(symbol: str) -> Callable[..., str]:
        return lambda *at: f"{symbol} of word {at[0]}" if at else symbol

    def of_word(symbol: str) -> Callable[..., str]:
        return lambda *at: f"{'xy'[at[1]]} of the {symbol} of word {at[0]}" if len(at) == 2 else symbol

    return {
        "tokens_in_plane": number(lambda n: n.tokens, "word"),
        "asking_word": number(lambda n: n.asking, "the word that asks, from 0"),
        "word_points": number(lambda n: n.points, of_word("features")),
        "word_queries": number(lambda n: n.head.queries, of_word("query")),
        "word_keys": number(lambda n: n.head.keys, of_word("key")),
        "word_values": number(lambda n: n.head.values, of_word("value")),
        "word_scores": number(lambda n: n.head.attention.scores, word("q·k")),
        "word_weights": number(lambda n: n.head.weights, word("weight")),
        "handed_over": number(lambda n: n.head.attention.output, _coordinate("what the head hands over")),
        "word_output": number(lambda n: n.output, _coordinate("o")),
        "word_moved": number(lambda n: n.moved, _coordinate("word + o")),
        "distance_before": number(lambda n: n.distances[0], "distance before"),
        "distance_after": number(lambda n: n.distances[1], "distance after"),
    }


def _value_gradients(frame: LookupFrame) -> Floats:
    """Return ∂L/∂v_j = α_j (o − t) of the loss ½|o − t|², (n, d_v)."""
    return np.outer(frame.weights, frame.residual)


def _digit(indices: tuple[int, ...]) -> str:
    return subscript(indices[0] + 1) if indices else ""


def _coordinate(symbol: str, width: int = 2, *, is_row: bool = False) -> Callable[..., str]:
    """Return what names number j of a vector, or (i, j) of rows of them: “x of k₁”; a plain number has no x."""

    def name(*indices: int) -> str:
        which = symbol + (_digit(indices[:1]) if is_row else "")
        axis = indices[1:] if is_row else indices
        return f"{'xy'[axis[0]]} of {which}" if axis and width == 2 else which

    return name
