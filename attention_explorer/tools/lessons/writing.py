"""How to write a lesson: what the format has, in words, and all names. A test compares it with `reading`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from attention_explorer.core import files
from attention_explorer.core.json_text import Json
from attention_explorer.core.named import Group
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import ALL_PARTS
from attention_explorer.pages.session_codec import encoded
from attention_explorer.tools.lessons.expression import ALLOWED
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.names import PARTS, names_in
from attention_explorer.tools.lessons.reading import (
    FORMAT,
    LONGEST_TEXT,
    MOST_BYTES,
    MOST_LARGE,
    MOST_OPTIONS,
    MOST_STEPS,
    SUFFIX,
)

EXAMPLE = f"example{SUFFIX}"

INTRODUCTION = (
    f"A lesson is a text file in TOML whose name ends in {SUFFIX}, of {MOST_BYTES // 1024} KiB at most. File → Open "
    "plays it, and so does dropping it on the window. All that is wrong with it is told, with its lines.",
    "Right answers are not written down: they are expressions, and are computed from what the window shows. Nothing in "
    "a lesson is run as a program, and it opens no file but sessions that lie beside it.",
    "Help → Record a lesson writes such a file for you: do in the window what the class is to see, and each change is "
    "a step. Say something there, or have a question asked that is proposed; the steps can be put in order, tried and "
    "saved. What only a file can say, such as tasks, hints and numbers drawn afresh, is added by hand.",
    f"“attention-explorer lesson check FILE{SUFFIX}” walks a lesson without the window and prints what each name is "
    "called and what each answer is.",
)

LESSON = {
    "format": f"{FORMAT}: the version of this format",
    "title": "What the lesson is called",
    "minutes": "How long it takes; 5 if nothing is said",
    "after": "A list of the lessons that come before it, by the names of their files",
    "learned": "What the card says at its end",
    "about": "What it is about, in a sentence or two; they stand on the lessons page and tell no answer",
    "picture": "The step, from 1, whose picture stands for it there; if nothing is said the first that hides nothing",
    "letters": f"Up to {MOST_LARGE} large letters in place of that picture",
    "edition": "1 if nothing is said; a higher number when its steps have become others, whose answers count anew",
    "step": f"A [[step]] for each step, from 1 to {MOST_STEPS}",
}

STEP = {
    "say": f"What to do, or only to read, in up to {LONGEST_TEXT} characters: **bold**, *italic*, `code`. A bold word "
    "that is a term of the glossary is linked to it, and so is [words](term).",
    "ask": "A question. A step has either this or “say”.",
    "show": "The preset that it begins with, by its name in “attention-explorer presets”, or a session file beside the "
    "lesson. Without it the step goes on from where the one before ended.",
    "page": "The page, where presets of several pages have that name",
    "set": 'Fields that are set after that: { "lookup.hard" = true }',
    "light": "A list of the parts of the window that the step needs; all else is dimmed",
    "hint": "What is said to somebody who asks for help",
    "facts": 'What the numbers in its texts are, which is then checked: { "0.731" = "lookup.weights[0]" }, or '
    '{ "0.62" = { of = "lookup.weights[0]", set = { "lookup.temperature" = 2 } } } where it is that of another state',
}

TASK = {
    "until": "The condition that ends the step; without it the step is only to be read",
    "done": "Fields that “Show me” sets, so that the condition holds",
}

QUESTION = {
    "answer": "What is asked for: one of the kinds below",
    "hide": "A list of names, whose numbers stand as “?” until the question is answered",
    "slips": "Mistakes that people make, a [[step.slips]] for each",
    "right": "What is said after a right answer",
    "wrong": "What is said after another",
    "draw": 'Fields that are drawn afresh each time: { "lookup.query" = "grid" }, a list of values, or '
    "{ from = 1, to = 9, step = 2 }",
    "where": "A condition that must hold of what was drawn",
    "again": "A [step.again]: the question that comes in its place days later, with all that a question may have; "
    "without it the same one comes",
}

KINDS: Mapping[str, str] = {
    Kind.NUMBER: "A number that is typed",
    Kind.POINT: "A place on the plane that is clicked, or typed as two numbers",
    Kind.BARS: "A row of numbers, each guessed by dragging a bar",
    Kind.TOKEN: "One of the words of a sentence",
    Kind.ORDER: "Numbers that are put in order, the largest first",
    Kind.CELLS: "Some places of a row or a map that are ticked: those at which it is true",
    Kind.CHOICE: f"One of 2 to {MOST_OPTIONS} sentences, a [[step.answer.choice]] for each",
}

ANSWER = {
    "within": "How far a number, a coordinate or a bar may be off",
    "labels": "What bars, words, things in order or the cells of a row are called, where it is not what the window "
    'calls them: a list, or an expression such as "heads.keys"',
    "rows": "What the rows of a map of cells are called",
    "from": "Where a bar begins; 0 if nothing is said",
    "to": "Where a bar ends; 1 if nothing is said",
}

CHOICE = {
    "say": "The sentence",
    "if": "The condition under which it is the right one; it must hold for one sentence",
    "reply": "What is said to somebody who chooses it",
}

SLIP = {
    "say": "What is said to somebody who makes this mistake",
    "set": "The fields of the state in which the answer would be right",
    "of": "What the mistake comes to, where it is something else than what is asked",
}

EXPRESSIONS = (
    f"Conditions and answers are made of {ALLOWED}, such as lookup.weights[1] > 0.5. Indices count from 0. A row is "
    'chosen by its word or its number: heads.row("it").top.',
    "Of a list one part can be set: lookup.entries[0].number.",
)


def sections(state: ExplorerState | None = None) -> Iterator[tuple[str, tuple[tuple[str, ...], ...]]]:
    """Yield a heading and its rows, each of one text or of a name and what it means.

    Parameters
    ----------
    state : ExplorerState, optional
        Whose names are told; those that it starts with by default.
    """
    yield "Write a lesson", tuple((text,) for text in INTRODUCTION)
    yield "At the top of the file", _rows(LESSON)
    yield "In each step", _rows(STEP)
    yield "In a task", _rows(TASK)
    yield "In a question", _rows(QUESTION)
    yield "Kinds of answers", _rows(KINDS)
    yield "With an answer", _rows(ANSWER)
    yield "In each sentence of a choice", _rows(CHOICE)
    yield "In each of the slips", _rows(SLIP)
    yield "Conditions and answers", tuple((text,) for text in EXPRESSIONS)
    yield "What “light” names", tuple((name, ", ".join(called)) for name, called in PARTS.items())
    shown = ExplorerState() if state is None else state
    for page in ALL_PARTS:
        yield f"Names of the page {page}", tuple(_names(shown, page))


def _rows(words: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(words.items())


def _names(state: ExplorerState, page: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a page, which can be set, and what it computes."""
    own = getattr(state, page)
    yield "can be set", ", ".join(f"{page}.{name}" for name in _keys(encoded(own)))
    group = names_in(state).member(page)
    known = {part.name for part in fields(own)}
    computed = [name for name in group.members if name not in known] if isinstance(group, Group) else []
    yield "are computed", ", ".join(f"{page}.{name}" for name in computed)


def _keys(part: Json) -> Iterator[str]:
    """Yield the dotted names of what an object holds."""
    for key, value in part.items() if isinstance(part, dict) else ():
        inner = [f"{key}.{name}" for name in _keys(value)]
        yield from inner or [key]


def example() -> bytes:
    """Return the file of a lesson that shows how they are written."""
    return files.read_bytes(f"lessons/{EXAMPLE}")
