"""Walks a lesson step by step, and finds out whether all that it says can be, and is true."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

from attention_explorer.core.named import ExpressionError
from attention_explorer.errors import ExplorerError, full_stop, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import find_preset, in_view
from attention_explorer.pages.session_file import SUFFIX, read_session
from attention_explorer.pages.subject import followed
from attention_explorer.tools.lessons.answers import Right, drawn, offered, truth
from attention_explorer.tools.lessons.expression import Expression
from attention_explorer.tools.lessons.lesson import Answer, Fact, Kind, Lesson, Step
from attention_explorer.tools.lessons.names import in_sight, names_in, names_of, refuse_files, with_fields

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


CASES = 20
"""That are drawn of a question to check it."""


def begun(step: Step, before: ExplorerState, folder: Path | None = None) -> ExplorerState:
    """Return the state that a step begins with.

    Parameters
    ----------
    step : Step
        The step.
    before : ExplorerState
        How the step before it ended.
    folder : Path, optional
        Where the lesson lies, and the session files that it shows.

    Raises
    ------
    ExplorerError
        There is no such preset, session file or field.
    """
    state = in_sight(step.light, with_fields(_shown(step, before, folder) if step.show else before, step.set))
    state = followed(before, state)
    page = named_page(step)
    return in_view(state, page)[1] if page else state


def ended(step: Step, state: ExplorerState) -> ExplorerState:
    """Return the state after *Show me*."""
    return followed(state, with_fields(state, step.done))


def reached(lesson: Lesson, number: int, own: ExplorerState, folder: Path | None = None) -> ExplorerState:
    """Return how the step before a step ends if everything is done as *Show me* does it.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    number : int
        That of the step, from 0.
    own : ExplorerState
        What somebody begins with. Where that cannot hold what the lesson sets, it is as if they had nothing of their
        own: `checked` has found that this can be.
    folder : Path, optional
        Where the lesson lies.

    Raises
    ------
    ExplorerError
        A session file that the lesson shows cannot be read.
    """
    try:
        return _walked(lesson, number, own, folder)
    except ExplorerError:
        return _walked(lesson, number, ExplorerState(), folder)


def _walked(lesson: Lesson, number: int, state: ExplorerState, folder: Path | None) -> ExplorerState:
    for step in lesson.steps[:number]:
        state = ended(step, begun(step, state, folder))
    return state


def page_of(lesson: Lesson, number: int, state: ExplorerState) -> str:
    """Return the page that shows the state of a step, which is that of the step before if it names none."""
    named = next((page for step in reversed(lesson.steps[: number + 1]) if (page := named_page(step))), "")
    return in_view(state, named)[0] if named else ""


def named_page(step: Step) -> str:
    """Return the page, or the part of the state, that a step names by what it shows or sets; empty for none."""
    if step.show and not step.show.endswith(SUFFIX):
        return find_preset(step.show, step.page).page
    return step.page or next((name.partition(".")[0] for name in step.set), "")


def _shown(step: Step, before: ExplorerState, folder: Path | None) -> ExplorerState:
    if not step.show.endswith(SUFFIX):
        ready = find_preset(step.show, step.page)
        return ready.put_into(before)
    if folder is None or Path(step.show).name != step.show:
        raise ExplorerError(f"{quoted(step.show)} must lie beside the lesson, and be named without a folder.")
    state = read_session(folder / step.show).state
    refuse_files(state)
    return state


def checked(
    lesson: Lesson, folder: Path | None = None, come_to: Callable[[Step], object] = lambda _step: None
) -> Iterator[tuple[Step, str, str]]:
    """Walk a lesson as *Show me* would, and find out whether all that it says can be.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    folder : Path, optional
        Where it lies.
    come_to : callable, optional
        Called with each step before it is begun.

    Yields
    ------
    step, name, what : Step, str, str
        Each name that is used, with what the window calls it; for a question, what its answer is.

    Raises
    ------
    ExplorerError
        Once all that can be walked has been: a step cannot begin, is over before anything is done, is not over when
        it is done, or has no answer. The message has a line for each such thing, with the line of the step.
    """
    state: ExplorerState | None = ExplorerState()
    faults = _Faults()
    for number, step in enumerate(lesson.steps, 1):
        if state is None and not step.show:
            continue  # goes on from a state that could not be made
        come_to(step)
        before, state = state or ExplorerState(), None
        with faults.of(f"{quoted(lesson.name)}, line {step.line}, step {number}"):
            now = begun(step, before, folder)
            for asked, case in ((step, now), *_again(step, before, folder)):
                with faults.of():
                    yield from ((asked, *pair) for pair in _step_checked(asked, case, faults))
            state = ended(step, now)
    faults.refuse()


class _Faults:
    """Gathers what is wrong, each with where that is."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._where = ""

    @contextmanager
    def of(self, where: str = "") -> Iterator[None]:
        """Gather what is wrong meanwhile; without a place it is where it was."""
        self._where = where or self._where
        try:
            yield
        except ExplorerError as error:
            self.told += (f"{self._where}: {full_stop(line)}" for line in str(error).split("\n"))

    def refuse(self) -> None:
        """Refuse what anything was found to be wrong with."""
        if self.told:
            raise ExplorerError("\n".join(dict.fromkeys(self.told)))


def unproved_numbers(lesson: Lesson, folder: Path | None = None) -> Iterator[tuple[Step, str]]:
    """Yield the numbers in the texts of a lesson that nothing vouches for; errors as in `begun`."""
    state = ExplorerState()
    for step in lesson.steps:
        before, state = state, begun(step, state, folder)
        for asked, case in ((step, state), *_again(step, before, folder)):
            yield from ((asked, number) for number in unproved(asked, case))
        state = ended(step, state)


def _again(step: Step, before: ExplorerState, folder: Path | None) -> Iterator[tuple[Step, ExplorerState]]:
    """Yield the question that comes in the place of a step on another day, if there is one, with its state."""
    if step.again is not None:
        yield step.again, begun(step.again, before, folder)


def _step_checked(step: Step, state: ExplorerState, faults: _Faults) -> Iterator[tuple[str, str]]:
    with faults.of():
        names_of(step.light)
    for fact in step.facts:
        with faults.of():
            check_fact(fact, step, state)
    known = len(faults.told)
    for each in _expressions(step):
        with faults.of():
            yield from each.words(names_in(state))
    if len(faults.told) > known:
        return  # what has names that there are not has no answer, which need not be said too
    if step.until is not None:
        _check_task(step, step.until, state)
    if step.answer is not None:
        right = truth(step.answer, state)
        yield "answer", _answer_words(step.answer, right)
        among = offered(step.answer, state)
        if among.labels:
            yield "labels", ", ".join(among.labels)
        _check_question(step, step.answer, state, right)


def _expressions(step: Step) -> Iterator[Expression]:
    if step.until is not None:
        yield step.until
    if step.answer is not None and step.answer.of is not None:
        yield step.answer.of
    for option in () if step.answer is None else step.answer.options:
        yield option.condition
    yield from step.hide


def _check_task(step: Step, until: Expression, state: ExplorerState) -> None:
    if until.holds(names_in(state)):
        raise ExplorerError(f"it is over before anything is done: {quoted(until.text)}")
    if not until.holds(names_in(ended(step, state))):
        raise ExplorerError(f"what “done” sets does not lead to {quoted(until.text)}")


def _check_question(step: Step, answer: Answer, state: ExplorerState, right: Right) -> None:
    """See that no slip is right, and that fresh cases have an answer too."""
    for slip in step.slips:
        if truth(answer, with_fields(state, slip.set), slip.of) == right:
            raise ExplorerError(f"the slip {quoted(slip.say)} gives the right answer")
    for seed in range(CASES if step.draw else 0):
        case = drawn(step, state, seed)
        truth(answer, case)
        offered(answer, case)


def _answer_words(answer: Answer, right: Right) -> str:
    if answer.kind is Kind.CHOICE:
        return answer.options[int(str(right))].say
    if isinstance(right, frozenset):
        return ", ".join(str(place) for place in sorted(right)) or "none"
    return str(right)
