"""What learners have done: one’s result as a small file for a teacher, and those of a class, read again."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.core.numbers_files import as_csv, check_kind
from attention_explorer.errors import ExplorerError, FileAccessError, full_stop, on_one_line, quoted
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, TAKES, Progress, Take
from attention_explorer.tools.lessons.reading import by_guessing
from attention_explorer.tools.lessons.words import spoken

KINDS = {".csv": "Result, a line for each question", ".json": "Result"}
"""Kinds of files by their endings, the usual one first."""

LONGEST_NAME = 100
THIRTY = "Thirty questions"
COLUMNS = ("name", "lesson", "finished", "minutes", "step", "question", "tries", "right_at_first_try")


def result(lessons: Sequence[Lesson], progress: Progress, name: str, bank: Lesson) -> dict[str, Any]:
    """Return what was done of some lessons.

    Parameters
    ----------
    lessons : sequence of Lesson
        Those that the result is about.
    progress : Progress
        What was done.
    name : str
        Of the learner; may be empty.
    bank : Lesson
        The thirty questions.

    Returns
    -------
    dict
        The name and the lessons, each with its minutes and questions; a question that was not answered has no tries,
        and None for whether it was right. Then the thirty questions as often as they were taken.
    """
    return {
        "format": 1,
        "name": name.strip(),
        "lessons": [_lesson(lesson, progress) for lesson in lessons],
        "thirty": [_taken(bank, when, take) for when, take in progress.takes.items() if take.bank == bank.mark],
    }


def _lesson(lesson: Lesson, progress: Progress) -> dict[str, Any]:
    done = progress.of(lesson)
    questions = [
        {
            "step": number + 1,
            "question": spoken(step.text),
            "tries": done.tries.get(number, 0),
            "right_at_first_try": done.first_tries.get(number),
        }
        for number, step in enumerate(lesson.steps)
        if step.answer is not None
    ]
    minutes = round(done.seconds / 60, 1)
    return {"lesson": lesson.title, "finished": done.finished, "minutes": minutes, "questions": questions}


def _taken(bank: Lesson, when: str, take: Take) -> dict[str, Any]:
    """Return what was answered to the thirty questions; those that were not come to are left out."""
    answers = [
        {
            "step": number + 1,
            "question": f"{spoken(bank.steps[number].text)} {reply.case}".strip(),
            "right": reply.is_right,
            "answer": reply.said,
            "mistake": reply.why,
        }
        for number, reply in enumerate(take.replies)
    ]
    return {
        "bank": bank.mark,
        "when": when,
        "date": take.date,
        "lessons_finished": take.lessons,
        "minutes": round(take.seconds / 60, 1),
        "right": take.right,
        "of": len(bank.steps),
        "guessing": round(by_guessing(), 2),
        "answers": answers,
    }


def result_file(found: Mapping[str, Any], path: Path) -> Callable[[IO[bytes], object], object]:
    """Return what writes a result to the file at a path, as its ending says."""

    def write(file: IO[bytes], _report: object) -> None:
        check_kind(path, KINDS)
        is_table = path.suffix.lower() == ".csv"
        text = as_csv(COLUMNS, _rows(found)) if is_table else json.dumps(found, ensure_ascii=False, indent=2) + "\n"
        file.write(text.encode())

    return write


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    name = _harmless(found["name"])
    for lesson in found["lessons"]:
        for asked in lesson["questions"]:
            right = asked["right_at_first_try"]
            yield (
                *(name, lesson["lesson"], _yes(lesson["finished"]), lesson["minutes"], asked["step"]),
                *(_harmless(asked["question"]), asked["tries"], "" if right is None else _yes(right)),
            )
    for take in found["thirty"]:
        title, is_whole = taken_title(take["bank"], take["when"], take["date"]), len(take["answers"]) == take["of"]
        for asked in take["answers"]:
            right = asked["right"]
            yield (
                *(name, title, _yes(is_whole), take["minutes"], asked["step"], _harmless(asked["question"])),
                *(int(right is not None), "" if right is None else _yes(right)),
            )


def taken_title(bank: str, when: str, date: str) -> str:
    """Return what stands in a table in place of a lesson: “Thirty questions 1f…, before, 2026-11-26”."""
    return f"{THIRTY} {bank}, {when}, {date}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _harmless(text: str) -> str:
    """Keep a table from taking a text for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


MOST_BYTES, MOST_FILES = 1 << 20, 400
"""Of a file, and of files."""
LONGEST_SHOWN = 20
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
    return Person(on_one_line(name.strip() or path.stem, LONGEST_SHOWN), takes)


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
