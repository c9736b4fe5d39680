"""The results of a class as one picture: rows are people, columns are the thirty questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from attention_explorer.core.map_picture import ColourScale, FloatArray, MapPicture, ScaleKind
from attention_explorer.core.numbers_export import numbers_of
from attention_explorer.core.numerals import counted
from attention_explorer.errors import UsageError, quoted
from attention_explorer.kit.export.figure import write_figure
from attention_explorer.kit.items.item import Arrays, Hit
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import GUESSING, TAKES
from attention_explorer.tools.lessons.reading import by_guessing
from attention_explorer.tools.lessons.results import Marks, Person

PICTURES = (".png", ".svg", ".pdf")
"""Kinds of files that the picture can be."""
SIGNS = {True: "✓", False: "✗", None: "–"}
LEGEND = "✓ right · ✗ wrong · grey no answer"
WIDTH, ROW, ABOVE = 1120.0, 26.0, 64.0
"""Pixels of the picture at zoom 1: how wide it is, how high a row is, and what stands above the rows."""

People: TypeAlias = tuple[Person, ...]


class ClassPicture(Picture[People, People]):
    """Who answered which question right, before the lessons and after them."""

    compute = staticmethod(lambda people, _pixels: people)
    narrowest = 640.0

    def item(self, numbers: People) -> RowsMap:
        names, shares, signs = zip(*_rows(numbers), strict=True)
        values = np.vstack(shares)
        words = tuple(tuple(sign.replace(SIGNS[None], "") for sign in row) for row in signs)  # a stroke is there
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "share right")
        columns = tuple(str(number) for number in range(1, values.shape[1] + 1))
        picture = MapPicture(np.nan_to_num(values), np.isnan(values), scale, "viridis", names, columns)
        return RowsMap("Answers", picture, names_columns=True, words=words, title="Questions", detail=LEGEND)

    def panel(self, _numbers: People) -> Panel:
        return Panel()

    def headline(self, numbers: People) -> str:
        return f"{counted(len(numbers), 'learner')}. {LEGEND}."

    def words(self, numbers: People, hit: Hit) -> str:
        name, _, signs = list(_rows(numbers))[hit.part[0]]
        return f"{name}, question {hit.part[1] + 1}: {signs[hit.part[1]]}"

    def says(self, numbers: People) -> tuple[str, ...]:
        return tuple(f"{name}: {' '.join(signs)}" for name, _, signs in _rows(numbers))

    def arrays(self, numbers: People) -> Arrays:
        """Return the shares of right answers, a row for each of the picture; NaN where no answer was given."""
        return {"right": np.vstack([shares for _, shares, _ in _rows(numbers)])}

    def height(self, numbers: People, _width: float) -> float | None:
        return _height(numbers)


def _height(people: People) -> float:
    return ABOVE + ROW * sum(1 for _ in _rows(people))


def _rows(people: People) -> Iterator[tuple[str, FloatArray, tuple[str, ...]]]:
    """Yield what each row is called, its shares of right answers, NaN for none, and the signs in its cells.

    A person has a row for each time; below them stands what share of all were right, if they are several.
    """
    for person in people:
        for when, marks in _in_order(person):
            shares = np.array([np.nan if mark is None else float(mark) for mark in marks])
            yield f"{person.name}, {when}", shares, tuple(SIGNS[mark] for mark in marks)
    for when in TAKES:
        all_marks = [person.takes[when] for person in people if when in person.takes]
        if len(all_marks) > 1:
            shares = np.array([[mark is True for mark in marks] for marks in all_marks]).mean(axis=0)
            yield f"all {len(all_marks)}, {when}, %", shares, tuple(f"{100 * share:.0f}" for share in shares)


def _in_order(person: Person) -> Iterator[tuple[str, Marks]]:
    return ((when, person.takes[when]) for when in TAKES if when in person.takes)


def class_figure(people: People, bank: Lesson) -> PicturesFigure:
    """Return the picture of a class."""
    title = f"Thirty questions: {counted(len(people), 'learner')}"
    return PicturesFigure(
        people,
        ClassPicture(),
        title,
        title,
        f"{_means(people, len(bank.steps))} {GUESSING.format(round(by_guessing()))}",
        lambda arrays: numbers_of(arrays, {}),
        people,
        room=(WIDTH, _height(people)),
        page="Results",
        stem="results",
    )


def _means(people: People, count: int) -> str:
    """Say how many are right on average, before and after."""
    said = []
    for when, called in TAKES.items():
        right = [sum(mark is True for mark in person.takes[when]) for person in people if when in person.takes]
        if right:
            said.append(f"{np.mean(right):.3g} of {count} {called}")
    return f"Right on average: {', '.join(said)}."


def write_class(path: Path, people: People, bank: Lesson) -> None:
    """Write the picture of a class to a file.

    Raises
    ------
    ExplorerError
        The file is none of `PICTURES`, or cannot be written.
    """
    if path.suffix.lower() not in PICTURES:
        raise UsageError(f"The picture is a PNG, SVG or PDF file: let {quoted(path.name)} end in .png, .svg or .pdf.")
    write_figure(class_figure(people, bank), path)
