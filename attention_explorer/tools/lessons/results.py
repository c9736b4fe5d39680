"""What a learner has done, as a small file for a teacher: written only where the learner says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from attention_explorer.core.numbers_files import as_csv, check_kind
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.shelf import by_guessing
from attention_explorer.tools.lessons.taking import Take
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
