"""Answers: out of what they are made, and what is right, which is computed from the state."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from attention_explorer.core.named import ExpressionError, Group
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.subject import followed
from attention_explorer.tools.lessons.expression import Expression, Value, expression
from attention_explorer.tools.lessons.lesson import Answer, Kind, Labels, Slip, Step
from attention_explorer.tools.lessons.names import names_in, with_fields

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


Given: TypeAlias = "float | str | int | Sequence[float] | Sequence[int] | frozenset[tuple[int, ...]]"
"""A number, a token, the place of a sentence in the list, coordinates, bars, places in order, or ticked cells."""

Right: TypeAlias = "float | str | int | tuple[float, ...] | tuple[int, ...] | frozenset[tuple[int, ...]]"
"""The same, as it should be."""

Outcome: TypeAlias = "tuple[Given | None, Right]"
"""An answer and the truth; None for the answer of somebody who had it told."""

MOST_TRIES = 500


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer is worth.

    Attributes
    ----------
    is_right : bool
        Whether it is right.
    truth : Right
        The right answer, of the same kind as the one that was given.
    error : float
        How far a number, a point or the worst of some bars is off; of cells, how many; 0 for the other kinds.
    slip : Slip or None
        The mistake by which it can be explained.
    """

    is_right: bool
    truth: Right
    error: float = 0.0
    slip: Slip | None = None


def truth(answer: Answer, state: ExplorerState, of: Expression | None = None) -> Right:
    """Return the right answer in a state.

    Parameters
    ----------
    answer : Answer
        What is asked for.
    state : ExplorerState
        Where it is asked.
    of : Expression, optional
        What is asked instead.

    Returns
    -------
    float, str, int, tuple or frozenset
        A number, a token, the number of a sentence, coordinates or bars, places in order, or ticked cells.

    Raises
    ------
    ExpressionError
        What is asked for has no answer in this state: several sentences are right, or none.
    """
    if answer.kind is Kind.CHOICE:
        return _right_option(answer, state)
    asked = of or answer.of
    if asked is None:
        raise ExpressionError("the answer says nothing that could be computed")
    return _as_kind(answer.kind, asked.value(names_in(state)), asked.text)


def _right_option(answer: Answer, state: ExplorerState) -> int:
    names = names_in(state)
    right = [index for index, option in enumerate(answer.options) if option.condition.holds(names)]
    if len(right) == 1:
        return right[0]
    raise ExpressionError(f"{len(right)} of its sentences are right, but one must be")


def _as_kind(kind: Kind, value: Value, text: str) -> Right:
    numbers = isinstance(value, np.ndarray) and value.dtype.kind in "fiu"
    match kind:
        case Kind.NUMBER if isinstance(value, float):
            return value
        case Kind.TOKEN if isinstance(value, str):
            return value
        case Kind.POINT if isinstance(value, np.ndarray) and numbers and value.shape == (2,):
            return tuple(map(float, value))
        case Kind.BARS if isinstance(value, np.ndarray) and numbers and value.ndim == 1:
            return tuple(map(float, value))
        case Kind.ORDER if isinstance(value, np.ndarray) and numbers and value.ndim == 1:
            return tuple(map(int, np.argsort(-value, kind="stable")))
        case Kind.CELLS if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            return frozenset(tuple(map(int, place)) for place in np.argwhere(value))
    raise ExpressionError(f"“{text}” is no answer of the kind “{kind}”")


def judged(step: Step, state: ExplorerState, given: Given) -> Verdict:
    """Say what an answer to a question is worth.

    Parameters
    ----------
    step : Step
        The question.
    state : ExplorerState
        The case that is asked about.
    given : Given
        The answer, of the kind that is asked for.

    Raises
    ------
    ExplorerError
        The answer is of another kind, or has another length; or the question has no answer.
    """
    answer = step.answer
    if answer is None:
        raise ExplorerError("This step asks nothing.")
    right = truth(answer, state)
    is_right, error = _compared(answer, state, given, right)
    slip = None if is_right else next((slip for slip in step.slips if _explains(slip, answer, state, given)), None)
    return Verdict(is_right, right, error, slip)


def _explains(slip: Slip, answer: Answer, state: ExplorerState, given: Given) -> bool:
    elsewhere = with_fields(state, slip.set)
    return _compared(answer, elsewhere, given, truth(answer, elsewhere, slip.of))[0]


def _compared(answer: Answer, state: ExplorerState, given: Given, right: Right) -> tuple[bool, float]:
    if answer.kind is Kind.CELLS and isinstance(given, frozenset) and isinstance(right, frozenset):
        return given == right, float(len(given ^ right))
    if answer.kind in (Kind.TOKEN, Kind.CHOICE, Kind.CELLS):
        return given == right, 0.0
    numbers, wanted = np.atleast_1d(np.asarray(given, float)), np.atleast_1d(np.asarray(right, float))
    if numbers.shape != wanted.shape:
        raise ExplorerError(f"The answer needs {wanted.size} numbers, not {numbers.size}.")
    if answer.kind is Kind.ORDER:
        return _is_ordered(answer, state, numbers.astype(int).tolist()), 0.0
    off = numbers - wanted
    error = float(np.hypot(*off) if answer.kind is Kind.POINT else np.abs(off).max())
    return error <= answer.within * (1 + 1e-9), error


def _is_ordered(answer: Answer, state: ExplorerState, places: list[int]) -> bool:
    """Whether places are in order, the largest first; equal numbers may stand either way."""
    if answer.of is None or sorted(places) != list(range(len(places))):
        return False
    values = np.asarray(answer.of.value(names_in(state)))[places]
    return bool(np.all(values[:-1] >= values[1:] - 1e-12 * np.abs(values[1:])))


def drawn(step: Step, state: ExplorerState, seed: int) -> ExplorerState:
    """Return a fresh case of a question; the same one for the same seed.

    Raises
    ------
    ExplorerError
        None of 500 cases is as the question wants it.
    """
    generator = random.Random(seed)  # noqa: S311 # a case to practise on, no secret
    for _ in range(MOST_TRIES):
        case = with_fields(state, {draw.name: generator.choice(draw.values) for draw in step.draw})
        if step.where is None or step.where.holds(names_in(case)):
            return followed(state, case)
    text = "" if step.where is None else step.where.text
    raise ExplorerError(f"None of {MOST_TRIES} cases that were drawn has {text}.")
