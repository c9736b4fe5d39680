"""Numbers that stand in the texts of a lesson: each is given by the state, or is compared to what is computed from it.

Answers are computed, but a text such as “so it gets 0.731” is typed, and nothing would keep it true. So a step names in
its ``facts`` what such a number is: ``facts = { "0.731" = "lookup.weights[0]" }``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.expression import Expression, ExpressionError
from attention_explorer.tools.lessons.lesson import Fact, Step
from attention_explorer.tools.lessons.names import names_in, with_fields

NUMBER = re.compile(r"(?<![\w.,])\d+\.\d+(?!\w|\.\d)")
"""A number with a point. Whole numbers are counts, sizes and names more often than they are results."""


def texts_of(step: Step) -> tuple[str, ...]:
    """Return all that a step may say."""
    options = () if step.answer is None else step.answer.options
    said = (step.text, step.hint, step.right, step.wrong, *(slip.say for slip in step.slips))
    return (*said, *(option.say for option in options), *(option.reply for option in options))


def check_fact(fact: Fact, step: Step, state: ExplorerState) -> None:
    """See that a fact stands in the texts of its step and is true.

    Parameters
    ----------
    fact : Fact
        One of the step's.
    step : Step
        The step.
    state : ExplorerState
        In which it begins.

    Raises
    ------
    ExplorerError
        It does not: the message has what is said and what is computed.
    """
    if not any(fact.said in NUMBER.findall(text) for text in texts_of(step)):
        raise ExplorerError(f"no text of the step says {fact.said}, which is named in “facts”")
    value = _value(fact, state)
    digits = len(fact.said.partition(".")[2])
    if abs(value - float(fact.said)) > 0.5 * 10**-digits * (1 + 1e-9):
        raise ExplorerError(f"the text says {fact.said}, but {quoted(fact.of.text)} is {value:.{digits + 2}f}")


def unproved(step: Step, state: ExplorerState) -> tuple[str, ...]:
    """Return the numbers with a point in the texts of a step that nothing vouches for.

    What does: a field of a page that the step is about, a number that it sets or draws or that stands in one of its
    expressions, or a fact. The sentences of a choice are left out: most are wrong, and their conditions tell which.
    """
    pages = (getattr(state, page) for page in _pages(step))
    drawn = (draw.values for draw in step.draw)
    parts = (*pages, *drawn, step.set, step.done, *(slip.set for slip in step.slips))
    known = {abs(number) for part in parts for number in _numbers(part)} | set(_written(step))
    proved = {fact.said for fact in step.facts}
    chosen = {option.say for option in step.answer.options} if step.answer is not None else set()
    texts = (text for text in texts_of(step) if text not in chosen)
    said = dict.fromkeys(number for text in texts for number in NUMBER.findall(text))
    return tuple(number for number in said if number not in proved and float(number) not in known)


def _value(fact: Fact, state: ExplorerState) -> float:
    value = fact.of.value(names_in(with_fields(state, fact.set)))
    if not isinstance(value, float):
        raise ExpressionError(f"{quoted(fact.of.text)} is no number, but {fact.said} is")
    return abs(value)


def _pages(step: Step) -> tuple[str, ...]:
    """Return the pages that a step names: those of another are no reason for a number."""
    named = (*step.set, *step.done, *step.light, *(name for each in _asked(step) for name in each.names))
    return tuple(dict.fromkeys(name.partition(".")[0] for name in named))


def _asked(step: Step) -> tuple[Expression, ...]:
    answer = step.answer
    asked = () if answer is None else (answer.of, *(option.condition for option in answer.options))
    return tuple(each for each in (step.until, *asked) if each is not None)


def _written(step: Step) -> Iterator[float]:
    """Yield the numbers that stand in the conditions and answers of a step."""
    for each in _asked(step):
        for node in ast.walk(each.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
                yield float(node.value)


def _numbers(part: object) -> Iterator[float]:
    """Yield all numbers of a state, or of what is set in it."""
    if isinstance(part, int | float):
        yield float(part)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _numbers(getattr(part, field.name))
    elif isinstance(part, dict):
        for value in part.values():
            yield from _numbers(value)
    elif isinstance(part, tuple | list):
        for value in part:
            yield from _numbers(value)
