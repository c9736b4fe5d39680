"""A lesson on paper: a sheet with its tasks and questions, and one with the answers, which are computed. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.core.numerals import percent, subscript
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.tools.lessons.answers import drawn, offered, truth
from attention_explorer.tools.lessons.lesson import Answer, Kind, Lesson, Step
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import read_lesson
from attention_explorer.tools.lessons.walk import begun, ended, page_of
from attention_explorer.tools.lessons.words import TYPED, drawn_words, rich, truth_words

SEED = 1
"""By which questions with numbers drawn afresh get theirs: the same on every copy."""
LINE = "…" * 24
BOX = "☐"


@dataclass(frozen=True, slots=True)
class Item:
    """One step on paper.

    Attributes
    ----------
    number : int
        Of the step, from 1.
    text : str
        What to do, or what is asked, with the marks of lessons.
    options : tuple of str
        The sentences of a choice.
    wants : str
        What is to be written down; empty for a task, and for a choice.
    answer : str
        What is right; empty for a task.
    why : str
        Why it is right.
    slips : tuple of (str, str)
        Answers that come of known mistakes, and what is said of them.
    page : str
        Whose picture the question is answered by; empty where its text has all that is needed.
    case : ExplorerState or None
        What that picture shows.
    """

    number: int
    text: str
    options: tuple[str, ...] = ()
    wants: str = ""
    answer: str = ""
    why: str = ""
    slips: tuple[tuple[str, str], ...] = ()
    page: str = ""
    case: ExplorerState | None = None


def read_items(path: Path) -> tuple[Lesson, tuple[Item, ...]]:
    """Return the lesson in a file and its steps on paper; an ExplorerError says what is wrong with it."""
    lesson = read_lesson(path)
    return lesson, items_of(lesson, path.absolute().parent)


def items_of(lesson: Lesson, folder: Path | None = None) -> tuple[Item, ...]:
    """Return the steps of a lesson on paper; the session files that it shows lie in ``folder``."""
    return tuple(_items(lesson, folder))


def _items(lesson: Lesson, folder: Path | None) -> Iterator[Item]:
    state = ExplorerState()
    for number, step in enumerate(lesson.steps, 1):
        state = drawn(step, begun(step, state, folder), SEED)
        yield _item(number, step, state, page_of(lesson, number - 1, state))
        state = ended(step, state)


def _item(number: int, step: Step, case: ExplorerState, page: str) -> Item:
    text = f"{step.text} {drawn_words(step, case)}".strip()
    if step.answer is None:
        return Item(number, text)
    offer = offered(step.answer, case)
    answer = truth_words(step.answer, truth(step.answer, case), offer)
    if offer.labels:
        text = f"{text}\n\nOf: {', '.join(offer.labels)}."
    shown = "" if step.hide else page  # what hides nothing is answered by what is on show; else the text has all of it
    if shown == "lookup":
        text = f"{text}\n\nWeights: {_bars(case)}."
    return Item(
        number,
        text,
        tuple(option.say for option in step.answer.options),
        TYPED.get(step.answer.kind, "") if step.answer.kind is not Kind.CHOICE else "",
        answer,
        step.right or step.wrong,
        tuple(_slips(step, step.answer, case)),
        shown,
        case,
    )


def _bars(case: ExplorerState) -> str:
    """Return the weights as they stand at the bars of the Lookup page, which are no part of its picture."""
    weights = lookup_frame(case.lookup).weights
    return ", ".join(f"k{subscript(index)} {percent(weight)}" for index, weight in enumerate(weights, 1))


def _slips(step: Step, answer: Answer, case: ExplorerState) -> Iterator[tuple[str, str]]:
    for slip in step.slips:
        elsewhere = with_fields(case, slip.set)
        yield truth_words(answer, truth(answer, elsewhere, slip.of), offered(answer, elsewhere)), slip.say


# ---- As HTML, which becomes the pages ----


def questions_html(lesson: Lesson, items: tuple[Item, ...]) -> str:
    """Return the sheet with what is to be done and answered."""
    steps = "".join(f"{_step(item)}{_room(item)}" for item in items)
    return (
        f"<h1>{_plain(lesson.title)}</h1>"
        f"<p>Name: {LINE}&nbsp;&nbsp;&nbsp;&nbsp;Date: {'…' * 10}</p>{steps}"
        "<p class='small'>Do what has no line to write on in Attention Explorer, under Lessons. "
        "Answer each question before you look.</p>"
    )


def solutions_html(lesson: Lesson, items: tuple[Item, ...]) -> str:
    """Return the sheet with the answers."""
    steps = "".join(_solution(item) for item in items if item.answer)
    learned = f"<h2>What was learned</h2>{_paragraphs(lesson.learned)}" if lesson.learned else ""
    return (
        f"<h1>{_plain(lesson.title)}: answers</h1>"
        "<p class='small'>Computed by the model layer for the numbers on the sheet. In the program, questions with "
        f"numbers drawn afresh ask with others.</p>{steps}{learned}"
    )


def picture_name(item: Item) -> str:
    """Return what the picture of a question is called in the sheet."""
    return f"picture:{item.number}"


def _step(item: Item) -> str:
    kind = "Question" if item.answer else "To do"
    picture = f"<p><img src='{picture_name(item)}'></p>" if item.page else ""
    return f"<h2>{item.number}. {kind}</h2>{_paragraphs(item.text)}{picture}"


def _room(item: Item) -> str:
    """Return where the answer is to be written or ticked."""
    if item.options:
        return "".join(f"<p class='option'>{BOX}&nbsp;&nbsp;{_plain(option)}</p>" for option in item.options)
    return f"<p class='option'>{item.wants or 'Answer'}: {LINE}</p>" if item.answer else ""


def _solution(item: Item) -> str:
    slips = "".join(f"<p class='option'>{_plain(given)}: {_plain(say)}</p>" for given, say in item.slips)
    return f"<h2>{item.number}. {_plain(item.answer)}</h2>{_paragraphs(item.why)}{slips}"


def _paragraphs(text: str) -> str:
    """Return a text of a lesson as HTML; nothing on paper is a link."""
    return re.sub(r"</?a\b[^>]*>", "", rich(text))


def _plain(text: str) -> str:
    """Return the same without a paragraph of its own."""
    return re.sub(r"</?p\b[^>]*>", "", _paragraphs(text))
