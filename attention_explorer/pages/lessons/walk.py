"""From step to step through the states of a lesson, and what can be found out about it without anybody playing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from attention_explorer.errors import ExplorerError, full_stop, quoted
from attention_explorer.pages.lessons.answers import Right, drawn, truth
from attention_explorer.pages.lessons.expression import Expression
from attention_explorer.pages.lessons.facts import check_facts, unproved
from attention_explorer.pages.lessons.lesson import Answer, Kind, Lesson, Step
from attention_explorer.pages.lessons.names import names_in, refuse_files, with_fields
from attention_explorer.pages.lessons.offers import offered
from attention_explorer.pages.lessons.parts import names_of
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.ready_made import find_preset
from attention_explorer.state.session_file import SUFFIX, read_session

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
    return with_fields(_shown(step, before, folder) if step.show else before, step.set)


def ended(step: Step, state: ExplorerState) -> ExplorerState:
    """Return the state after *Show me*."""
    return with_fields(state, step.done)


def _shown(step: Step, before: ExplorerState, folder: Path | None) -> ExplorerState:
    if not step.show.endswith(SUFFIX):
        ready = find_preset(step.show, step.page)
        return with_page(before, ready.state, ready.page)
    if folder is None or Path(step.show).name != step.show:
        raise ExplorerError(f"{quoted(step.show)} must lie beside the lesson, and be named without a folder.")
    state = read_session(folder / step.show).state
    refuse_files(state)
    return state


def checked(lesson: Lesson, folder: Path | None = None) -> Iterator[tuple[Step, str, str]]:
    """Walk a lesson as *Show me* would, and find out whether all that it says can be.

    Yields
    ------
    step, name, what : Step, str, str
        Each name that is used, with what the window calls it; for a question, what its answer is.

    Raises
    ------
    ExplorerError
        A step cannot begin, is over before anything is done, is not over when it is done, or has no answer; the
        message has its line.
    """
    state = ExplorerState()
    for number, step in enumerate(lesson.steps, 1):
        try:
            state = begun(step, state, folder)
            yield from ((step, *pair) for pair in _step_checked(step, state))
            state = ended(step, state)
        except ExplorerError as error:
            raise ExplorerError(
                f"{quoted(lesson.name)}, line {step.line}, step {number}: {full_stop(str(error))}"
            ) from error


def unproved_numbers(lesson: Lesson, folder: Path | None = None) -> Iterator[tuple[Step, str]]:
    """Yield the numbers in the texts of a lesson that nothing vouches for; errors as in `begun`."""
    state = ExplorerState()
    for step in lesson.steps:
        state = begun(step, state, folder)
        yield from ((step, number) for number in unproved(step, state))
        state = ended(step, state)


def _step_checked(step: Step, state: ExplorerState) -> Iterator[tuple[str, str]]:
    names_of(step.light)
    check_facts(step, state)
    for each in _expressions(step):
        yield from each.words(names_in(state))
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


def with_page(state: ExplorerState, other: ExplorerState, page: str) -> ExplorerState:
    """Return a state with one page of another."""
    return replace(state, **{page: getattr(other, page)})
