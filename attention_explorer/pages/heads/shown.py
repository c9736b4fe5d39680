"""What lessons can ask of the Heads page besides its fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from attention_explorer.core.named import (
    Chooser,
    ExpressionError,
    Group,
    Member,
    Members,
    Shown,
    members_of_row,
    place_of,
)
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model import AttentionMap, MapSummary
from attention_explorer.model.arrays import Bools
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.pages.heads.guess import guess_setup, guessed, without_word
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.survey import survey_heads
from attention_explorer.sources.source import Guess

T = TypeVar("T")


def heads_members(state: HeadsState) -> Members:
    """Return the map on show, its rows, what its head amounts to, and what the model says."""

    def shown(read: Callable[[HeadsFrame], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(_of_page(state, read), name)

    def pair(what: str) -> Callable[..., str]:
        return lambda *at: f"{what} of query {at[0]} on key {at[1]}" if len(at) == 2 else what

    return {
        "tokens": shown(lambda f: f.queries, "token"),
        "keys": shown(lambda f: f.keys, "key"),
        "layer": shown(lambda f: f.layer, "the layer on show, from 0"),
        "head": shown(lambda f: f.head, "the head on show, from 0"),
        "weights": shown(lambda f: f.map.weights(), pair("the weight")),
        "scores": shown(lambda f: f.query_key_map.scores(), pair("the score")),
        "masked": shown(_masked, pair("whether the mask hides the key")),
        "row_sums": shown(lambda f: f.map.weights().sum(axis=1), "the sum of row"),
        "column_sums": shown(lambda f: f.map.weights().sum(axis=0), "the sum of column"),
        "head_count": shown(lambda f: f.heads, "how many heads the layer has"),
        "head_width": shown(lambda f: f.head_width, "d_k, how wide a head is"),
        "guess": lambda: _said(_of_page(state, lambda _: _guess(state))),
        "without": lambda: Chooser(partial(_without, state)),
        "row": lambda: Chooser(partial(_row, state)),
        "of_head": lambda: _of_head(state),
        "of_heads": lambda: _of_heads_of_layer(state),
    }


def _guess(state: HeadsState) -> Guess | None:
    found = guessed(guess_setup(state.setup))
    return None if found is None else found.now


def _said(found: Guess | None) -> Shown:
    if found is None:
        raise ExpressionError("what reads the sentence guesses no word of it")
    return Shown(found.word, f"what the model says: {found.about} …")


def _without(state: HeadsState, which: str | int) -> Group:
    """Return what the model says with one more word hidden from it."""
    column = place_of(_of_page(state, lambda f: f.keys), which)
    return Group({"guess": lambda: _said(_of_page(state, lambda _: without_word(state, column)))})


_LOOKS = {
    "itself": ("self_mass", "the mean weight of a token on itself"),
    "previous": ("previous_mass", "the mean weight on the token before"),
    "first": ("first_mass", "the mean weight on the first token"),
    "largest": ("max_weight", "the mean largest weight of a row"),
    "saturated": ("saturated", "the share of sharp rows"),
    "entropy": ("entropy", "the mean entropy of the rows, in nats"),
    "spread": ("score_std", "the standard deviation of the scaled scores"),
}
"""By name, what a head's map amounts to: the field of its summary, and what it is called."""


def _of_head(state: HeadsState) -> Group:
    """Return what the head on show amounts to."""
    surveyed = _surveyed(state)
    place = _of_page(state, lambda f: f.head)
    return Group(
        {
            name: lambda field=field, words=words: Shown(getattr(surveyed[place], field), words)  # type: ignore[misc]
            for name, (field, words) in _LOOKS.items()
        }
    )


def _of_heads_of_layer(state: HeadsState) -> Group:
    """Return the same of all heads of the layer on show, one number a head."""
    surveyed = _surveyed(state)

    def all_of(field: str, words: str) -> Shown:
        numbers = np.asarray([getattr(summary, field) for summary in surveyed])
        return Shown(numbers, lambda *at: f"{words}: head {at[0] + 1}" if at else words)

    return Group({name: partial(all_of, field, words) for name, (field, words) in _LOOKS.items()})


def _surveyed(state: HeadsState) -> list[MapSummary]:
    frame = _of_page(state, lambda found: found)
    return [found.summary for found in survey_heads(frame, [(frame.layer, head) for head in range(frame.heads)])]


def _of_page(state: HeadsState, read: Callable[[HeadsFrame], T]) -> T:
    try:
        return read(frame_to_show(state.setup))
    except ExpressionError:
        raise
    except ExplorerError as error:
        raise ExpressionError(f"the page Heads refuses its settings: {error}") from error


def _masked(frame: HeadsFrame) -> Bools:
    return np.zeros(frame.shape, bool) if frame.mask is None else ~frame.mask


def _row(state: HeadsState, which: str | int) -> Group:
    """Return the row of a query, which is named by its token, the first of them, or by its number from 0."""
    frame = _of_page(state, lambda found: found)
    row = place_of(frame.queries, which)
    weights = frame.map.weights(slice(row, row + 1))[0]
    token = quoted(frame.queries[row])

    def on_first() -> Shown:
        tops = [_top(each, row) for layer in frame.layers for each in layer.maps]
        return Shown(tops.count(0), f"in how many heads {token} attends most to the first token")

    return Group(
        {
            **members_of_row(token, frame.keys, weights),
            "heads_on_first": on_first,
            "heads": lambda: Shown(len(frame.places), "how many heads there are"),
            "masked": lambda: Shown(
                _masked(frame)[row],
                lambda *i: (
                    f"whether the mask hides {quoted(frame.keys[i[0]])} from {token}"
                    if i
                    else f"what the mask hides from {token}"
                ),
            ),
        }
    )


def _top(attention: AttentionMap, row: int) -> int:
    return int(attention.weights(slice(row, row + 1))[0].argmax())
