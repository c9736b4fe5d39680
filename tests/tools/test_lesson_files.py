"""Lesson files: read, refused with the line of what is wrong, and walked from their first step to the last."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from attention_explorer import cli
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.session_file import write_session
from attention_explorer.tools.lessons.answers import Given, drawn, judged, truth
from attention_explorer.tools.lessons.lesson import Kind, Step
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import MOST_BYTES, lesson_from, read_lesson
from attention_explorer.tools.lessons.walk import begun, checked, unproved_numbers

LESSONS = Path(__file__).parents[1] / "data" / "lessons"
SOFT = (LESSONS / "soft.lesson.toml").read_text(encoding="utf-8")
KINDS = (LESSONS / "kinds.lesson.toml").read_text(encoding="utf-8")
START = ExplorerState()


def walk(text: str) -> list[tuple[int, str, str]]:
    return [(step.line, name, what) for step, name, what in checked(lesson_from(text.encode(), "my.lesson.toml"))]


def test_a_lesson_is_walked_and_its_names_and_answers_told() -> None:
    assert walk(SOFT) == [
        (7, "lookup.weights[1]", "α₂"),
        (18, "lookup.output[0]", "o"),
        (18, "lookup.output", "o"),
        (18, "lookup.weights", "α"),
        (18, "lookup.contributions", "αv"),
        (18, "answer", "12.689414213699951"),
        (35, "lookup.weights[0]", "α₁"),
        (35, "lookup.weights", "α"),
        (35, "lookup.output", "o"),
        (35, "answer", "0.3333333333333333"),
    ]


def test_the_command_line_checks_a_lesson(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["lesson", "check", str(LESSONS / "soft.lesson.toml")]) == 0
    assert "  line 7: lookup.weights[1] = α₂\n" in capsys.readouterr().out
    (tmp_path / "bad.lesson.toml").write_text(SOFT.replace("hint", "hnit"), encoding="utf-8")
    assert cli.main(["lesson", "check", str(tmp_path / "bad.lesson.toml")]) == 1
    said = capsys.readouterr().err
    assert said == (
        "attention-explorer: “bad.lesson.toml”, line 16: there is nothing called “hnit” here. Did you mean “hint”?\n"
    )
    assert cli.main(["lesson", "check", str(tmp_path / "none.lesson.toml")]) == 1
    assert "cannot be read: No such file" in capsys.readouterr().err


def test_a_link_to_no_term_and_an_unproved_number_are_told_and_are_no_errors(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    linked = SOFT.replace('hint = "', 'hint = "[All](softmax) [of](softmox) [it](softmox). ', 1)
    (tmp_path / "linked.lesson.toml").write_text(linked, encoding="utf-8")
    assert cli.main(["lesson", "check", str(tmp_path / "linked.lesson.toml")]) == 0
    told = capsys.readouterr()
    assert "answer = " in told.out
    assert told.err == (
        "attention-explorer: “linked.lesson.toml”, line 7: “softmox” is no term, so nothing is linked there.\n"
        "attention-explorer: “linked.lesson.toml”, line 18: nothing vouches for 0.731. Name in “facts” what it is.\n"
    )


# ---- Refusals ----


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("format = 1", "format = 2", 1, "This version of the program does not know it"),
        ("format = 1", "format = true", 1, "must be a whole number"),
        ("minutes = 6", "minutes = -6", 3, "must be more than 0"),
        ("minutes = 6", "minutes = inf", 3, "must be a number, up to"),
        ("minutes = 6", "picture = 3", 3, "the picture of step 3 would tell what its question hides"),
        ("minutes = 6", "picture = 99", 3, "there is no step 99"),
        ("minutes = 6", 'letters = "much too many"', 3, "at most 12 can be shown large"),
        ('["dictionary"]', '"dictionary"', 4, "must be a list"),
        ('say = """\n', 'ask = 3\nsay = """\n', 7, "either “say”"),
        ("hint", "hnit", 16, "Did you mean “hint”"),
        ("> 0.5", "> ", 14, "cannot be read at character"),
        ("> 0.5", "> evil()", 14, "is no function"),
        ("0.01 }", "0 }", 23, "“within” must be more than 0"),
        ("number = ", "nubmer = ", 23, "has one of number"),
        ("number = ", 'token = "lookup.values", number = ', 23, "has one of number"),
        ("within = 0.01", 'within = 0.01, labels = ["a"]', 23, "nothing called “labels” here"),
        ('number = "lookup.output[0]"', 'from = 2, bars = "lookup.weights"', 23, "cannot go from 2 to 1"),
        ('number = "lookup.output[0]"', 'labels = [1], bars = "lookup.weights"', 23, "“labels” must be a text"),
        ("[[step.slips]]\nset", "[[step.slip]]\nset", 27, "Did you mean “slips”"),
        ('set = { "lookup.hard" = true }', "", 31, "a slip needs “set”"),
        ("-0.4, 1.6", "1979-05-27, 1", 15, "cannot be a date"),
    ],
)
def test_a_file_is_refused_with_the_line(old: str, new: str, line: int, what: str) -> None:
    assert old in SOFT
    with pytest.raises(ExplorerError, match=rf"^“my.lesson.toml”, line {line}: .*{what}"):
        walk(SOFT.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('show = "two-keys"', 'show = "two-kyes"', 7, "Did you mean “two-keys”"),
        ('show = "two-keys"', 'show = "../secret.attn.json"', 7, "must lie beside the lesson"),
        ("lookup.weights[1] > 0.5", "lookup.weights[2] > 0.5", 7, "there are 2"),
        ("lookup.weights[1] > 0.5", "lookup.weights[1] < 0.5", 7, "it is over before anything is done"),
        ("[-0.4, 1.6]", "[1.4, 0.6]", 7, "does not lead to"),
        ('"lookup.hard" = true', '"lookup.hrad" = true', 18, "Did you mean “hard”"),
        ('set = { "lookup.hard" = true }', 'set = { "lookup.temperature" = 1 }', 18, "gives the right answer"),
        ('"lookup.output[0]", within', '"lookup.values", within', 18, "no answer of the kind “number”"),
        ('number = "lookup.output[0]"', 'labels = ["k"], bars = "lookup.weights"', 18, "1 names, but there are 2"),
        ('number = "lookup.output[0]"', 'labels = "lookup.weights", bars = "lookup.weights"', 18, "gives no names"),
        ('{ number = "lookup.output[0]", within = 0.01 }', '{ order = "lookup.hard" }', 18, "no answer of the kind"),
        (
            '{ number = "lookup.output[0]"',
            "{ token = \"heads.row('cat').top\", labels = ['a', 'b'] } #",
            18,
            "those that",
        ),
        ('{ number = "lookup.output[0]", within = 0.01 }', '{ cells = "heads.masked" }', 18, "do not fit the card"),
        ('light = ["lookup.', 'light = ["lookup.tabel", "lookup.', 7, "no part of a page. Did you mean “lookup.table”"),
        ('hide = ["lookup.output",', 'hide = ["lookup.otuput",', 18, "Did you mean “output”"),
    ],
)
def test_a_lesson_that_cannot_be_played_is_refused_with_its_step(old: str, new: str, line: int, what: str) -> None:
    assert old in SOFT
    with pytest.raises(ExplorerError, match=rf"^“my”, line {line}, step \d: .*{what}"):
        walk(SOFT.replace(old, new, 1))


FACTS = """
format = 1
title = "Facts"
[[step]]
show = "quiz"
ask = "What comes out?"
answer = { number = "lookup.output[0]", within = 0.01 }
right = "k₁ gets SAID of it, and at temperature 2 it gets 0.62."
facts = { "0.731" = "lookup.weights[0]", "0.62" = { of = "lookup.weights[0]", set = { "lookup.temperature" = 2 } } }
"""


def test_a_number_that_a_text_says_is_compared_to_what_is_computed() -> None:
    assert walk(FACTS.replace("SAID", "0.731"))
    with pytest.raises(ExplorerError, match=r"the text says 0\.732, but “lookup\.weights\[0\]” is 0\.73106"):
        walk(FACTS.replace("SAID", "0.732").replace('"0.731"', '"0.732"'))
    with pytest.raises(ExplorerError, match=r"no text of the step says 0\.731"):
        walk(FACTS.replace("SAID", "0.732"))
    (step, number), *more = unproved_numbers(lesson_from(FACTS.replace("SAID", "0.731 or 0.777").encode(), "my"))
    assert (step.line, number, more) == (4, "0.777", [])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "“format” is missing"),
        (b"\xff\xfe", "line 1: this is no text in UTF-8"),
        (b"format = 1\ntitle = \n", "cannot be read as TOML: Invalid value in line 2"),
        (b"format = 1\ntitle = 'x'\nstep = []\n", "line 3: there are 0 steps"),
        (b"a = " + b"[" * 5000, "nested too deeply|cannot be read as TOML"),
        (b"#" * (MOST_BYTES + 1), "more than 64 KiB"),
        (b"format = 1\ntitle = 'x'\nstep = [1]\n", "line 3: “step” must be a table"),
        (b"format = " + b"9" * 5000, "cannot be read as TOML"),
    ],
)
def test_what_is_no_lesson_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(ExplorerError, match=what):
        lesson_from(data, "my.lesson.toml")


def test_two_hundred_damaged_files_are_walked_or_refused_in_words() -> None:
    chance = random.Random(17)  # noqa: S311 - damage, no secrets
    refused = []
    tracemalloc.start()
    for number in range(200):
        text = bytearray((SOFT, KINDS)[number % 2].encode())
        for _ in range(1 + number % 3):
            at = chance.randrange(len(text))
            match number % 4:
                case 0:
                    text[at] = chance.randrange(256)
                case 1:
                    del text[at:]
                    text = text or bytearray(b"x")
                case 2:
                    del text[at : at + chance.randrange(1, 30)]
                case _:
                    text[at:at] = chance.choice(
                        [b'"', b"]]", b"\n[[step]]\n", b" = 1e999", b"lookup.", b"{", b"#", b"'''"]
                    )
        try:
            list(checked(lesson_from(bytes(text), "my.lesson.toml")))
        except ExplorerError as error:
            refused.append(str(error))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20
    assert 50 < len(refused) < 200, "some damage is harmless, such as that of a letter of a sentence"
    assert all("my" in sentence and len(sentence) < 600 for sentence in refused)


# ---- Answers ----


def question(kind: Kind) -> tuple[Step, ExplorerState]:
    step = next(step for step in lesson_from(KINDS.encode(), "x").steps if step.answer and step.answer.kind is kind)
    return step, begun(step, START)


LOOKUP = lookup_frame(begun(lesson_from(KINDS.encode(), "x").steps[0], START).lookup)


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (Kind.NUMBER, 12.69, 13.31),
        (Kind.POINT, tuple(LOOKUP.output + 0.1), tuple(LOOKUP.output + 0.11)),
        (Kind.BARS, tuple(LOOKUP.weights + 0.04), tuple(LOOKUP.weights + 0.06)),
        (Kind.ORDER, (1, 0), (0, 1)),
        (Kind.TOKEN, "because", "cat"),
        (Kind.CHOICE, 1, 0),
        (Kind.CELLS, frozenset((key,) for key in range(3, 11)), frozenset((key,) for key in range(2, 11))),
    ],
)
def test_every_kind_of_answer_is_judged_by_the_state(kind: Kind, right: Given, wrong: Given) -> None:
    step, state = question(kind)
    found = judged(step, state, right)
    assert found.is_right
    assert found.slip is None
    assert judged(step, state, found.truth).is_right
    assert judged(step, state, found.truth).error == 0.0
    assert not judged(step, state, wrong).is_right


def test_a_slip_is_known_by_what_another_state_gives() -> None:
    step = lesson_from(SOFT.encode(), "x").steps[1]
    state = begun(step, START)
    root = np.exp(1 / np.sqrt(2))
    assert "√2" in judged(step, state, (10 * root + 20) / (root + 1)).slip.say
    assert "hard" in judged(step, state, 10.0).slip.say
    found = judged(step, state, 14.0)
    assert (found.is_right, found.slip) == (False, None)
    assert found.error == pytest.approx(14 - (10 * np.e + 20) / (np.e + 1))


def test_an_answer_of_another_length_is_refused() -> None:
    step, state = question(Kind.BARS)
    with pytest.raises(ExplorerError, match="needs 2 numbers, not 3"):
        judged(step, state, (0.1, 0.2, 0.7))


def test_equal_numbers_may_stand_in_either_order() -> None:
    text = 'format = 1\ntitle = "x"\n[[step]]\nshow = "equal-scores"\nask = "?"\nanswer = { order = "lookup.scores" }\n'
    step = lesson_from(text.encode(), "x").steps[0]
    state = begun(step, START)
    assert judged(step, state, (2, 0, 1)).is_right
    assert not judged(step, state, (2, 2, 1)).is_right


def test_fresh_cases_are_drawn_as_the_question_wants_them() -> None:
    step, state = question(Kind.ORDER)
    cases = [drawn(step, state, seed) for seed in range(30)]
    assert cases[3] == drawn(step, state, 3)
    assert len({case.lookup.query for case in cases}) > 10
    for case in cases:
        scores = lookup_frame(case.lookup).attention.scores
        assert abs(scores[0] - scores[1]) > 0.4
        assert truth(step.answer, case) == tuple(np.argsort(-scores))


def test_a_draw_that_never_fits_is_said() -> None:
    text = KINDS.replace("> 0.4", "> 400")
    with pytest.raises(ExplorerError, match="None of 500 cases"):
        walk(text)


def test_a_session_beside_the_lesson_is_shown(tmp_path: Path) -> None:
    kept = with_fields(START, {"lookup.query": [2, 2]})
    write_session(tmp_path / "mine.attn.json", kept, page="lookup")
    (tmp_path / "a.lesson.toml").write_text(
        SOFT.replace('"two-keys"', '"mine.attn.json"').replace("[-0.4, 1.6]", "[-1, 2]")
    )
    lesson = read_lesson(tmp_path / "a.lesson.toml")
    assert begun(lesson.steps[0], START, tmp_path) == kept
    assert list(checked(lesson, tmp_path))
