"""The results of a class: the files that learners have written, read one by one, and how many were right."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import ExplorerError, FileAccessError, full_stop, on_one_line, quoted
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.results import COLUMNS, KINDS, THIRTY
from attention_explorer.tools.lessons.taking import AFTER, BEFORE, TAKES
from attention_explorer.tools.lessons.words import spoken

MOST_BYTES, MOST_FILES = 1 << 20, 400
"""Of a file, and of files."""
LONGEST_NAME = 20
"""Characters of a name that are read: so many leave room in the picture for what stands behind it."""

Marks: TypeAlias = tuple[bool | None, ...]
"""Whether each question was answered right, in order; None where no answer was given."""

_TITLE = re.compile(rf"{THIRTY} (\w+), ({BEFORE}|{AFTER}), .*")


@dataclass(frozen=True, slots=True)
class Person:
    """What one file says.

    Attributes
    ----------
    name : str
        Of the learner, on one line; that of the file if it has none.
    takes : mapping of str to Marks
        The thirty questions, `BEFORE` or `AFTER`, or both; whole takes only.
    """

    name: str
    takes: Mapping[str, Marks]


class _WrongError(Exception):
    """A file is not used; the message is the end of a sentence about it."""


def class_from(folder: Path, bank: Lesson, complain: Callable[[str], object]) -> tuple[Person, ...]:
    """Read the result files of a folder, by their names in order.

    Parameters
    ----------
    folder : Path
        Where they lie.
    bank : Lesson
        The thirty questions.
    complain : callable
        Takes a sentence about each file that is left out.

    Raises
    ------
    ExplorerError
        The folder cannot be read, or no file in it has all of the thirty questions.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in KINDS)
    except OSError as error:
        raise FileAccessError(f"The folder {quoted(str(folder))} cannot be read: {error.strerror or error}.") from error
    if len(paths) > MOST_FILES:
        raise ExplorerError(
            f"There are {len(paths)} files in {quoted(str(folder))}, but one picture holds {MOST_FILES} at most."
        )
    found = []
    for path in paths:
        try:
            found.append(_person(path, bank))
        except _WrongError as wrong:
            complain(f"{quoted(path.name)} is left out: {full_stop(str(wrong))}")
    if not found:
        raise ExplorerError(
            f"No file in {quoted(str(folder))} has answers to all of the thirty questions. "
            "Learners write them with Result… on the lessons page, as CSV or JSON."
        )
    return tuple(_told_apart(found))


def asked_lines(people: Sequence[Person], bank: Lesson) -> str:
    """Return a line for each question: its number, what share of answers was right each time, and what it asks."""
    lines = []
    for number, step in enumerate(bank.steps):
        shares = ""
        for when in TAKES:
            marks = [person.takes[when][number] is True for person in people if when in person.takes]
            shares += f"  {when} {sum(marks)} of {len(marks)}" if marks else ""
        lines.append(f"{number + 1:2}{shares}  {spoken(step.text)}\n")
    return "".join(lines)


def _person(path: Path, bank: Lesson) -> Person:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _WrongError(f"it cannot be read: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise _WrongError("it has more than 1 MiB, and no result is that large")
    name, answers = (_of_table if path.suffix.lower() == ".csv" else _of_document)(data, bank)
    count = len(bank.steps)
    takes = {
        when: tuple(marks[step] for step in range(1, count + 1))
        for when, marks in answers.items()
        if marks.keys() == set(range(1, count + 1))
    }
    if not takes:
        begun = "the thirty questions were begun, but not finished"
        raise _WrongError(begun if answers else "it has no answers to the thirty questions")
    return Person(on_one_line(name.strip() or path.stem, LONGEST_NAME), takes)


def _told_apart(people: Iterable[Person]) -> Iterator[Person]:
    """Yield people with a number behind a name that somebody before them has."""
    seen: dict[str, int] = {}
    for person in people:
        seen[person.name] = seen.get(person.name, 0) + 1
        again = f" ({seen[person.name]})" if seen[person.name] > 1 else ""
        yield Person(person.name + again, person.takes)


# ---- Files ----

_Answers: TypeAlias = dict[str, dict[int, bool | None]]
"""By when they were taken, and by the number of the question."""


def _of_document(data: bytes, bank: Lesson) -> tuple[str, _Answers]:
    try:
        document = json_from(data)
    except JsonTextError as error:
        raise _WrongError(str(error)) from None
    if not isinstance(document, dict) or not isinstance(document.get("lessons"), list):
        raise _WrongError("it is no result of lessons")
    name, takes = document.get("name"), document.get("thirty", [])
    answers: _Answers = {}
    for take in takes if isinstance(takes, list) else ():
        if not isinstance(take, dict) or take.get("when") not in (BEFORE, AFTER):
            raise _WrongError("what it says of the thirty questions is damaged")
        _check_bank(take.get("bank"), bank)
        answers[take["when"]] = dict(map(_marked, take["answers"] if isinstance(take.get("answers"), list) else ()))
    return name if isinstance(name, str) else "", answers


def _marked(asked: Any) -> tuple[int, bool | None]:  # noqa: ANN401 # whatever stands in the file
    step, right = (asked.get("step"), asked.get("right")) if isinstance(asked, dict) else (None, None)
    if type(step) is not int or not (right is None or isinstance(right, bool)):
        raise _WrongError("what it says of the thirty questions is damaged")
    return step, right


def _of_table(data: bytes, bank: Lesson) -> tuple[str, _Answers]:
    try:
        lines = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except UnicodeDecodeError:
        raise _WrongError("it is no text in UTF-8") from None
    except csv.Error as error:
        raise _WrongError(f"it is no table: {error}") from None
    if not lines or not set(COLUMNS) <= lines[0].keys():
        raise _WrongError("it is no result of lessons")
    answers: _Answers = {}
    for line in lines:
        title = _TITLE.fullmatch(line["lesson"] or "")
        if title is None:
            continue
        _check_bank(title[1], bank)
        step, right = line["step"] or "", line["right_at_first_try"]
        if not (step.isascii() and step.isdecimal() and len(step) < 4) or right not in ("yes", "no", ""):
            raise _WrongError("what it says of the thirty questions is damaged")
        answers.setdefault(title[2], {})[int(step)] = {"yes": True, "no": False}.get(right)
    return (lines[0]["name"] or "").removeprefix("'"), answers


def _check_bank(mark: object, bank: Lesson) -> None:
    if mark != bank.mark:
        raise _WrongError("its questions are those of another version of the program")
