"""Answers: what is right is computed from the state, and a slip by what another state would have given."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.expression import Expression, ExpressionError, Value
from attention_explorer.tools.lessons.lesson import Answer, Kind, Slip, Step
from attention_explorer.tools.lessons.names import names_in, with_fields

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
            return case
    text = "" if step.where is None else step.where.text
    raise ExplorerError(f"None of {MOST_TRIES} cases that were drawn has {text}.")
