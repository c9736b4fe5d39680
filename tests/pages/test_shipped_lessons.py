"""The lessons that come with the program: all that their files say can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_explorer import assets, cli
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.lessons import shelf
from attention_explorer.pages.lessons.lesson import Kind
from attention_explorer.pages.lessons.reading import SUFFIX
from attention_explorer.pages.lessons.walk import checked
from attention_explorer.pages.lessons.words import read_answer, rich, spoken

FOLDER = Path(assets.path(shelf.FOLDER))


def test_every_file_is_on_the_shelf() -> None:
    assert {path.name.removesuffix(SUFFIX) for path in FOLDER.iterdir()} == set(shelf.NAMES)


@pytest.mark.parametrize("name", shelf.NAMES)
def test_a_lesson_passes_its_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lesson", "check", str(FOLDER / f"{name}{SUFFIX}")]) == 0
    assert "answer = " in capsys.readouterr().out


@pytest.mark.parametrize("lesson", shelf.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_has_questions_and_comes_after_what_it_needs(lesson) -> None:
    place = shelf.NAMES.index(lesson.name)
    assert set(lesson.after) <= set(shelf.NAMES[:place])
    assert lesson.learned
    assert sum(name == "answer" for _, name, _ in checked(lesson)) >= 2
    for step in lesson.steps:
        assert step.until is None or step.hint, f"line {step.line}: a task needs a hint"


def test_texts_are_marked_and_nothing_in_them_is_html() -> None:
    text = "**q** is *a* `q·k` < 3 & <img src='x'>\n\nnext"
    assert "<b>q</b> is <i>a</i> <code>q·k</code> &lt; 3 &amp; &lt;img" in rich(text)
    assert rich(text).count("<p ") == 2
    assert spoken(text) == "q is a q·k < 3 & <img src='x'> next"


@pytest.mark.parametrize(
    ("kind", "text", "given"),
    [
        (Kind.NUMBER, " −0,25", -0.25),
        (Kind.POINT, "(0.5, −1)", (0.5, -1.0)),
        (Kind.POINT, "0.1; 0.2", (0.1, 0.2)),
    ],
)
def test_answers_are_read_as_people_type_them(kind: Kind, text: str, given: object) -> None:
    assert read_answer(kind, text) == given
    with pytest.raises(ExplorerError, match="Type an answer"):
        read_answer(kind, "  ")
