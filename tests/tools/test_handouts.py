"""Lessons on paper: every question is on the sheet, and the answers are those that the model layer computes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explorer.cli import main
from attention_explorer.core.numerals import percent
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import drawn, judged
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.walk import begun, ended
from attention_explorer.tools.lessons.words import read_answer
from attention_explorer.tools.presenting.handout import SEED, items_of, picture_name, questions_html, solutions_html
from attention_explorer.tools.presenting.ui.figure import handout_bytes, write_handout

LESSONS = Path(__file__).parents[2] / "resources" / "lessons"


@pytest.mark.parametrize("lesson", reading.lessons(), ids=lambda lesson: lesson.name)
def test_the_answers_on_paper_are_right_for_the_numbers_on_paper(lesson) -> None:
    state = ExplorerState()
    for step, item in zip(lesson.steps, items_of(lesson), strict=True):
        state = drawn(step, begun(step, state), SEED)
        assert bool(item.answer) == (step.answer is not None)
        if step.answer is not None and step.answer.kind is Kind.NUMBER:
            assert judged(step, state, read_answer(Kind.NUMBER, item.answer)).is_right
            for given, _ in item.slips:
                assert not judged(step, state, read_answer(Kind.NUMBER, given)).is_right
        elif step.answer is not None and step.answer.kind is Kind.CHOICE:
            place = [option.say for option in step.answer.options].index(item.answer.strip("“”"))
            assert judged(step, state, place).is_right
        state = ended(step, state)


def test_the_questions_come_without_the_answers() -> None:
    lesson = next(lesson for lesson in reading.lessons() if lesson.name == "soft")
    items = items_of(lesson)
    questions, solutions = questions_html(lesson, items), solutions_html(lesson, items)
    assert "12.689" in solutions
    assert "12.689" not in questions
    assert "13.302" in solutions
    assert "13.302" not in questions
    for item in items:
        assert (f"{item.number}. Question" in questions) == bool(item.answer)
    assert "href" not in questions + solutions, "nothing on paper is a link"
    assert "☐" in questions


@pytest.mark.parametrize("lesson", reading.lessons(), ids=lambda lesson: lesson.name)
def test_what_hides_nothing_has_its_picture_and_nothing_else_has(lesson) -> None:
    items = items_of(lesson)
    sheet = questions_html(lesson, items)
    for step, item in zip(lesson.steps, items, strict=True):
        is_pictured = step.answer is not None and not step.hide
        assert (f"<img src='{picture_name(item)}'>" in sheet) == is_pictured
        assert bool(item.page) == is_pictured
    assert "<img" not in solutions_html(lesson, items)


def test_the_map_that_is_to_be_read_is_on_the_sheet(qapp) -> None:
    lesson = next(lesson for lesson in reading.lessons() if lesson.name == "masks")
    items = items_of(lesson)
    (item,) = (item for item in items if item.page)
    assert item.text.startswith("All words ask at once: that is a map.")
    without = [replace(each, page="") for each in items]
    bare, data = (handout_bytes(lesson, tuple(each)) for each in (without, items))
    assert data.count(b"/Subtype /Image") == bare.count(b"/Subtype /Image") + 1


def test_bars_that_are_asked_about_are_on_the_sheet_in_numbers() -> None:
    lesson = next(lesson for lesson in reading.lessons() if lesson.name == "why-soft")
    (item,) = (item for item in items_of(lesson) if item.page)
    weight = lookup_frame(item.case.lookup).weights[0]
    assert f"Weights: k₁ {percent(weight)}, k₂ " in item.text


def test_marks_of_a_lesson_are_no_html_of_the_sheet() -> None:
    lesson = reading.lessons()[1]
    assert not re.search(r"\*\*|`", questions_html(lesson, items_of(lesson)))


def test_it_is_written_as_a_pdf_from_the_command_line(tmp_path, capsys) -> None:
    out = tmp_path / "soft.pdf"
    assert main(["lesson", "handout", str(LESSONS / "soft.lesson.toml"), str(out)]) == 0
    data = out.read_bytes()
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", data)) == 2, "the questions, and the answers"
    assert b"/FontFile" in data, "true letters"


def test_a_long_lesson_goes_on_over_pages(qapp) -> None:
    lesson = reading.lessons()[1]
    data = handout_bytes(lesson, items_of(lesson) * 8)
    assert len(re.findall(rb"/Type /Page\b", data)) > 4


@pytest.mark.parametrize(
    ("file", "out", "why"),
    [
        ("soft.lesson.toml", "soft.txt", "end in .pdf"),
        ("nothing.lesson.toml", "soft.pdf", "cannot be read"),
        ("soft.lesson.toml", "no/such/folder/soft.pdf", "folder"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path, capsys, file: str, out: str, why: str) -> None:
    assert main(["lesson", "handout", str(LESSONS / file), str(tmp_path / out)]) in (1, 2)
    assert why in capsys.readouterr().err
    assert not (tmp_path / out).exists()


def test_only_pdf_files_are_written(qapp, tmp_path) -> None:
    with pytest.raises(ExplorerError, match=r"\.pdf"):
        write_handout(tmp_path / "sheet.docx", reading.lessons()[1], ())
