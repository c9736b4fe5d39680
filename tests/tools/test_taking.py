"""The thirty questions as they are kept and handed in, and the picture of a class."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explorer import cli
from attention_explorer.errors import ExplorerError
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.expression import expression
from attention_explorer.tools.lessons.lesson import Answer, Kind, Option, Step
from attention_explorer.tools.lessons.progress import (
    AFTER,
    BEFORE,
    Progress,
    Reply,
    Take,
    as_document,
    guessing,
    takes_from,
)
from attention_explorer.tools.lessons.recall import TAUGHT_IN, again
from attention_explorer.tools.lessons.results import class_from, result, result_file
from attention_explorer.tools.lessons.ui.results_figure import class_figure

BANK = reading.bank()
ADA = Take(BANK.mark, "2026-11-26", 0, tuple(Reply(place % 3 == 0, said="1") for place in range(30)), 60.0)
LATER = replace(ADA, date="2026-12-05", lessons=8, replies=tuple(Reply(place != 4) for place in range(30)))
SILENT = replace(ADA, replies=tuple(Reply() for _ in range(30)))


def hand_in(path: Path, name: str, **takes: Take) -> None:
    found = result(reading.lessons(), Progress(takes=takes), name, BANK)
    with path.open("wb") as file:
        result_file(found, path)(file, None)


def test_what_was_taken_is_kept_word_for_word():
    kept = Progress(takes={BEFORE: replace(ADA, replies=(Reply(False, "q = (1, 2)", "“k₁”", "It is k₂."), Reply()))})
    assert Progress.read(kept.text()) == kept


@pytest.mark.parametrize(
    "damage",
    [
        None,
        [],
        {"before": None},
        {"before": {"bank": 1, "date": "x"}},
        {"later": {"bank": "a", "date": "b", "replies": []}},
    ],
)
def test_what_cannot_be_understood_was_never_taken(damage):
    assert Progress.read(json.dumps({"thirty questions": damage})).takes == {}


@pytest.mark.parametrize("replies", [None, [1], [[1, "", "", ""]], [[True]], [[True, "", "", ""]] * 400])
def test_of_a_damaged_take_no_answer_is_left(replies):
    text = json.dumps({"thirty questions": {"before": {"bank": "a", "date": "b", "replies": replies}}})
    assert Progress.read(text).takes == {BEFORE: Take("a", "b")}


@pytest.mark.parametrize(
    ("kind", "of", "chance"),
    [
        (Kind.NUMBER, "lookup.weights[0]", 0.0),
        (Kind.POINT, "lookup.output", 0.0),
        (Kind.BARS, "lookup.weights", 0.04),
        (Kind.ORDER, "lookup.weights", 1 / 2),
        (Kind.CELLS, "heads.row(0).masked", 1 / 2**11),
        (Kind.TOKEN, "heads.row(0).top", 1 / 11),
    ],
)
def test_a_guess_is_right_as_often_as_there_is_little_to_choose_from(kind, of, chance):
    step = Step(1, "?", answer=Answer(kind, expression(of), within=0.1))
    assert guessing(replace(BANK, steps=(step,))) == pytest.approx(chance)


def test_guessing_all_thirty_gives_the_choices_of_one_in_four_and_next_to_nothing_else():
    choices = sum(step.answer.kind is Kind.CHOICE for step in BANK.steps)
    assert guessing(BANK) == pytest.approx(choices / 4, abs=0.001)
    three = tuple(Option(str(number), expression("True")) for number in range(3))
    step = Step(1, "?", answer=Answer(Kind.CHOICE, options=three))
    assert guessing(replace(BANK, steps=(step,))) == pytest.approx(1 / 3)


def test_a_result_has_both_takes_with_every_answer_and_what_guessing_gives():
    found = result(reading.lessons(), Progress(takes={BEFORE: ADA, AFTER: LATER}), "Ada", BANK)
    before, after = found["thirty"]
    assert (before["when"], before["date"], before["right"], before["of"]) == (BEFORE, "2026-11-26", 10, 30)
    assert (after["when"], after["right"], after["lessons_finished"]) == (AFTER, 29, 8)
    assert before["guessing"] == round(guessing(BANK), 2)
    assert before["answers"][0]["question"].startswith("A query meets the key")
    assert before["answers"][1]["right"] is False
    other = result(reading.lessons(), Progress(takes={BEFORE: replace(ADA, bank="other")}), "", BANK)
    assert other["thirty"] == [], "those were other questions"


# ---- A class ----


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    hand_in(tmp_path / "a.json", "Ada", before=ADA, after=LATER)
    hand_in(tmp_path / "b.csv", "=Ben", before=ADA, after=LATER)
    hand_in(tmp_path / "c.csv", "", after=SILENT)
    return tmp_path


def test_a_class_is_read_from_both_kinds_of_files(folder):
    told = []
    ada, ben, other = class_from(folder, BANK, told.append)
    assert (ada.name, ben.name, other.name) == ("Ada", "=Ben", "c")
    assert ada.takes == ben.takes
    assert ada.takes[BEFORE] == tuple(place % 3 == 0 for place in range(30))
    assert other.takes == {AFTER: (None,) * 30}
    assert not told


def _changed(folder: Path, change) -> str:
    document = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    change(document)
    return json.dumps(document)


BAD = {
    "no JSON": (lambda _f: "{", "the text ends too early"),
    "empty": (lambda _f: "", "it is empty"),
    "another document": (lambda _f: '{"name": "x"}', "it is no result of lessons"),
    "no questions": (lambda _f: '{"name": "x", "lessons": []}', "it has no answers to the thirty questions"),
    "not finished": (lambda f: _changed(f, lambda d: [t["answers"].pop() for t in d["thirty"]]), "not finished"),
    "other questions": (lambda f: _changed(f, lambda d: d["thirty"][0].update(bank="x")), "another version"),
    "damaged": (lambda f: _changed(f, lambda d: d["thirty"][0]["answers"][0].update(right=7)), "is damaged"),
    "damaged when": (lambda f: _changed(f, lambda d: d["thirty"][0].update(when=7)), "is damaged"),
    "twice": (lambda f: _changed(f, lambda d: d["thirty"].__setitem__(0, 7)), "is damaged"),
}


@pytest.mark.parametrize("damage", BAD)
def test_a_bad_file_is_left_out_by_its_name_and_the_others_are_used(folder, damage):
    make, why = BAD[damage]
    (folder / "z.json").write_text(make(folder), encoding="utf-8")
    told = []
    assert len(class_from(folder, BANK, told.append)) == 3
    (sentence,) = told
    assert sentence.startswith("“z.json” is left out: ")
    assert why in sentence


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe,", "no text in UTF-8"),
        (b"a,b\n1,2\n", "no result of lessons"),
        (b"", "no result of lessons"),
        (b"x" * (1 << 21), "more than 1 MiB"),
    ],
)
def test_a_bad_table_is_left_out_too(folder, data, why):
    (folder / "z.csv").write_bytes(data)
    told = []
    assert len(class_from(folder, BANK, told.append)) == 3
    assert why in told[0]


def test_a_table_that_somebody_has_changed_is_left_out(folder):
    text = (folder / "b.csv").read_text(encoding="utf-8")
    (folder / "b.csv").write_text(text.replace(",yes\r\n", ",perhaps\r\n").replace(",yes\n", ",perhaps\n"), "utf-8")
    told = []
    assert [person.name for person in class_from(folder, BANK, told.append)] == ["Ada", "c"]
    assert "is damaged" in told[0]


def test_two_of_one_name_are_told_apart(folder):
    hand_in(folder / "d.json", "Ada", before=SILENT)
    assert [person.name for person in class_from(folder, BANK, print)] == ["Ada", "=Ben", "c", "Ada (2)"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("A\nB\tC", "A B C"), ("\u202eAda", "\ufffdAda"), ("Maximiliana Oberhammer", "Maximiliana Oberham…")],
)
def test_a_name_stands_on_one_line_and_leaves_room_for_before_and_after(folder, name, shown):
    hand_in(folder / "d.csv", name, before=SILENT)
    assert class_from(folder, BANK, print)[-1].name == shown


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ExplorerError, match=r"No file in .* has answers to all of the thirty questions"):
        class_from(tmp_path, BANK, print)
    with pytest.raises(ExplorerError, match="cannot be read"):
        class_from(tmp_path / "there-is-none", BANK, print)


def test_the_picture_has_a_row_for_each_time_and_one_for_all(qapp, folder):
    people = class_from(folder, BANK, print)
    figure = class_figure(people, BANK)
    item = figure.drawing.item(people)
    assert item.picture.row_tokens == (
        *("Ada, before", "Ada, after", "=Ben, before", "=Ben, after", "c, after"),
        *("all 2, before, %", "all 3, after, %"),
    )
    assert item.words[0][:3] == ("✓", "✗", "✗")
    assert item.words[4] == ("",) * 30, "a masked cell has a stroke"
    assert item.words[5][:3] == ("100", "0", "0")
    assert item.words[6][4] == "0"
    assert item.picture.values[6][0] == pytest.approx(2 / 3)
    assert item.picture.masked[4].all()
    assert "10 of 30 before the lessons" in figure.caption
    assert "Guessing alone gives about 2." in figure.caption
    assert "Ada, before: ✓ ✗ ✗" in figure.description
    assert figure.numbers().main.shape == (7, 30)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_command_writes_the_picture(qapp, folder, ending, capsys):
    (folder / "z.json").write_text("{", encoding="utf-8")
    out = folder / f"class.{ending}"
    assert cli.main(["lesson", "results", str(folder), str(out)]) == 0
    said = capsys.readouterr()
    first, *asked = said.out.splitlines()
    assert first == str(out)
    assert asked[4].startswith(" 5  before 0 of 2  after 0 of 3  Three keys: k₁ = (2, 0.5)")
    assert len(asked) == 30
    assert "“z.json” is left out" in said.err
    assert out.stat().st_size > 3000


def test_without_a_name_the_picture_lies_beside_the_files(qapp, folder):
    assert cli.main(["lesson", "results", str(folder)]) == 0
    assert (folder / "results.png").exists()
    assert cli.main(["lesson", "results", str(folder), str(folder / "class.csv")]) != 0


def test_the_questions_can_be_taken_with_anything_open():
    assert all(step.show for step in BANK.steps), "none goes on from the one before"
    assert BANK.mark


def test_every_question_has_its_lesson_and_what_an_older_version_kept_is_read():
    assert len(TAUGHT_IN) == len(BANK.steps) == 30
    assert set(TAUGHT_IN) <= {lesson.key for lesson in reading.lessons()}
    document = as_document(ADA)
    document["replies"] = [reply[:4] for reply in document["replies"]]
    assert takes_from({BEFORE: document}) == {BEFORE: ADA}
    found = again(BANK, ADA, reading.lessons())
    assert [each.lesson.key for each in found][:2] == ["sentence", "soft"]
    assert sum(each.count for each in found) == 30
    assert sum(len(each.wrong) for each in found) == 20
    assert all(not reviewed.right for each in found for reviewed in each.wrong)
