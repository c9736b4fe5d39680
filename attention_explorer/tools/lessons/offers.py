"""What an answer is made of: the names of bars, of things to put in order, of words, and of the cells of a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.expression import Expression, ExpressionError, Group, expression
from attention_explorer.tools.lessons.lesson import Answer, Kind, Labels
from attention_explorer.tools.lessons.names import names_in

MOST = {Kind.BARS: 12, Kind.ORDER: 12, Kind.TOKEN: 64, Kind.CELLS: 64}
"""So many can be shown in a card, of each kind."""

WIDEST_MAP, HIGHEST_MAP = 8, 8
"""Columns and rows of a map of cells."""

KEYS, QUERIES = "heads.keys", "heads.tokens"


@dataclass(frozen=True, slots=True)
class Offer:
    """Out of what an answer is made.

    Attributes
    ----------
    labels : tuple of str
        The names of bars, things, words or columns; empty for the other kinds.
    rows : tuple of str
        Those of the rows of a map; empty for a single row.
    """

    labels: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


def offered(answer: Answer, state: ExplorerState) -> Offer:
    """Return out of what a question can be answered in a state.

    Raises
    ------
    ExpressionError
        There are more or fewer names than things, or too many of them; or the word that is right is not among them.
    """
    if answer.of is None or answer.kind not in MOST:
        return Offer()
    names = names_in(state)
    value = answer.of.value(names)
    if answer.kind is Kind.TOKEN:
        return _words(answer, names, str(value))
    shape = np.shape(value)
    if len(shape) not in ((1, 2) if answer.kind is Kind.CELLS else (1,)):
        raise ExpressionError(f"“{answer.of.text}” has no row of numbers to answer with")
    is_map = len(shape) == 2
    labels = _labels(answer.labels, names) or _known(answer.of, names, shape[-1])
    rows = (_labels(answer.rows, names) or _tokens(QUERIES, names, shape[0]) or _numbered(shape[0])) if is_map else ()
    for what, count in (("labels", shape[-1]), ("rows", shape[0] if is_map else 0)):
        there = labels if what == "labels" else rows
        if len(there) != count:
            raise ExpressionError(f"“{what}” has {len(there)} names, but there are {count} in “{answer.of.text}”")
    _check_room(answer.kind, shape)
    return Offer(labels, rows)


def _check_room(kind: Kind, shape: tuple[int, ...]) -> None:
    if len(shape) == 2 and (shape[0] > HIGHEST_MAP or shape[1] > WIDEST_MAP):
        raise ExpressionError(
            f"{shape[0]} × {shape[1]} cells do not fit the card: ask for one row, or for {HIGHEST_MAP} × {WIDEST_MAP}"
        )
    if shape[-1] > MOST[kind]:
        raise ExpressionError(f"{shape[-1]} do not fit the card: an answer of the kind “{kind}” has {MOST[kind]}")


def _words(answer: Answer, names: Group, right: str) -> Offer:
    among = tuple(dict.fromkeys(_labels(answer.labels or expression(KEYS), names)))
    if right not in among:
        raise ExpressionError(f"the right word, “{right}”, is not among those that are offered: {', '.join(among)}")
    if not 2 <= len(among) <= MOST[Kind.TOKEN]:
        raise ExpressionError(f"there are {len(among)} words to choose from, but there must be 2 to {MOST[Kind.TOKEN]}")
    return Offer(among)


def _labels(labels: Labels, names: Group) -> tuple[str, ...]:
    if not isinstance(labels, Expression):
        return labels
    texts = labels.value(names)
    if isinstance(texts, np.ndarray) and texts.ndim == 1 and texts.dtype.kind == "U":
        return tuple(map(str, texts))
    raise ExpressionError(f"“{labels.text}” gives no names")


def _known(of: Expression, names: Group, count: int) -> tuple[str, ...]:
    """Return what the window calls each of some numbers: the tokens of a head's row, else their own names."""
    if of.text.lstrip().startswith("heads."):
        return _tokens(KEYS, names, count) or _numbered(count)
    try:
        return tuple(expression(f"{of.text}[{index}]").words(names)[0][1] for index in range(count))
    except (ExplorerError, IndexError):  # it is no plain name
        return _numbered(count)


def _tokens(name: str, names: Group, count: int) -> tuple[str, ...]:
    """Return the tokens of the page Heads, if there are so many."""
    try:
        tokens = _labels(expression(name), names)
    except ExplorerError:
        return ()
    return tokens if len(tokens) == count else ()


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, count + 1))
