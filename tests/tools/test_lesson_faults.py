"""Mistakes in a lesson file: each with its line, all of them at once, and found in one pass through the file."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_explorer import cli
from attention_explorer.errors import ExplorerError
from attention_explorer.tools.lessons import reading, rehearsing
from attention_explorer.tools.lessons.reading import MOST_BYTES, MOST_TOLD, lesson_from
from attention_explorer.tools.lessons.tables import Way, lines_of
from attention_explorer.tools.lessons.walk import checked

LESSONS = Path(__file__).parents[1] / "data" / "lessons"
SOFT = (LESSONS / "soft.lesson.toml").read_text(encoding="utf-8")
KINDS = (LESSONS / "kinds.lesson.toml").read_text(encoding="utf-8")

EVERY_FORM = r'''a = 1
"b c".'d' = 2 # comment = [ {
e . "\u0066" = 3
g = [4, 4, # ]
  [5], """
"} ]""""", 6,
]
h = { i = 8, "j" = { k.l = 8 }, m = [{ n = 8 }] }
[p]
q = 10
[p.r]
s = 12
[[t]]
u = 14
[t.v]
w = 16
[[ t ]]
u = 18
[[t.x]]
y = 20
[[t.x]]
y = 22
z = """
[no] = {"""
A = 1979-05-27 07:32:00
B = 26
'''
"""Each number is that of its own line."""


def ways_of(part: object, way: Way = ()) -> Iterator[tuple[Way, object]]:
    """Yield all parts of a document below this one, each with the way to it."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for step, inner in items:
        yield (*way, step), inner
        yield from ways_of(inner, (*way, step))


def test_every_part_of_a_document_is_found_on_its_line() -> None:
    found = lines_of(EVERY_FORM)
    parts = dict(ways_of(tomllib.loads(EVERY_FORM)))
    assert found.keys() == parts.keys()
    assert {way: line for way, line in parts.items() if isinstance(line, int)}.items() <= found.items()
    assert (found[("t", 0)], found[("t", 1)], found[("t", 1, "x", 1)]) == (13, 17, 21)


def test_whatever_tomllib_reads_is_followed_to_its_end() -> None:
    chance = random.Random(23)  # noqa: S311 - damage, no secrets
    followed = 0
    for number in range(3000):
        text = list((SOFT, KINDS, EVERY_FORM)[number % 3])
        for _ in range(1 + number % 4):
            text[chance.randrange(len(text))] = chance.choice(" \n\"'[]{}=,.#\\a1")
        try:
            document = tomllib.loads("".join(text))
        except tomllib.TOMLDecodeError:
            continue
        assert lines_of("".join(text)).keys() == dict(ways_of(document)).keys()
        followed += 1
    assert followed > 500


def test_a_mistake_in_a_long_file_is_found_without_reading_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read, loads = [], tomllib.loads
    monkeypatch.setattr(reading.tomllib, "loads", lambda text: (read.append(text), loads(text))[1])
    long = SOFT + "\n".join(f'[[step]]\nsay = "Step {number}."' for number in range(90)) + "\n# " + "x" * 40_000
    with pytest.raises(ExplorerError, match=r"^“my.lesson.toml”, line 220: .*“syt”"):
        lesson_from(long.replace('say = "Step 88."', 'say = "Step 88."\nsyt = 1').encode(), "my.lesson.toml")
    assert sum(len(text) > 40_000 for text in read) == 1


@pytest.mark.parametrize(
    "text", ["a." * 30_000, "a = " + "[" * 60_000, "a = " + "{b = " * 12_000, "[a" + ".a" * 30_000 + "]"]
)
def test_what_would_take_minutes_to_read_is_refused_with_its_line(text: str) -> None:
    assert len(text) < MOST_BYTES
    with pytest.raises(ExplorerError, match=r"in line 2 more than 16 names or brackets"):
        lesson_from(f"format = 1\n{text}".encode(), "my.lesson.toml")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("format = 0x" + "f" * 5000, "“format” must be a whole number"),
        ("minutes = " + "9" * 5000, "it holds a number with thousands of digits"),
        (SOFT.replace("-0.4, 1.6", "0x" + "f" * 5000), "holds a whole number beyond all ranges"),
        (KINDS.replace("step = 0.5", "step = 1e-300"), "draw from 2 to"),
    ],
)
def test_numbers_beyond_all_ranges_are_refused_in_words(text: str, what: str) -> None:
    with pytest.raises(ExplorerError, match=what) as refused:
        lesson_from(text.encode(), "my.lesson.toml")
    assert "Exceeds" not in str(refused.value)


def test_all_mistakes_are_told_at_once_in_their_order() -> None:
    wrong = SOFT
    for old, new in (
        ("minutes = 6", "minutes = -6"),
        ("> 0.5", "> evil()"),
        ("hint", "hnit"),
        ("0.01 }", "0 }"),
        ('set = { "lookup.hard" = true }', ""),
    ):
        wrong = wrong.replace(old, new, 1)
    with pytest.raises(ExplorerError) as refused:
        lesson_from(wrong.encode(), "my.lesson.toml")
    told = str(refused.value).split("\n")
    assert [line.partition(":")[0] for line in told] == [
        f"“my.lesson.toml”, line {number}" for number in (3, 14, 16, 23, 31)
    ]
    assert all(word in line for word, line in zip(("minutes", "evil", "hnit", "within", "slip"), told, strict=True))


def test_of_very_many_mistakes_the_first_are_told() -> None:
    many = 'format = 1\ntitle = "x"\n' + "[[step]]\nsay = 3\n" * 50
    with pytest.raises(ExplorerError) as refused:
        lesson_from(many.encode(), "my.lesson.toml")
    told = str(refused.value).split("\n")
    assert len(told) == MOST_TOLD + 1
    assert told[-1] == "And 38 more."


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (  # a step that goes on from a sound state is walked after one with a fault
            [('"lookup.hard" = true', '"lookup.hrad" = true'), ("> 0.5", "< 0.5"), ('"two-keys"', '"two-kyes"')],
            ["line 7, step 1: .*“two-keys”", "line 18, step 2: .*“hard”"],
        ),
        (
            [('light = ["lookup.', 'light = ["lookup.tabel", "lookup.'), ("weights[1] > 0.5", "wieghts[1] > 0.5")],
            ["line 7, step 1: .*“lookup.tabel”", "line 7, step 1: .*“wieghts”"],
        ),
        (
            [('{ "lookup.query" = [-0.4, 1.6] }', '{ "lookup.qeury" = 1, "lookup.keys" = 2 }')],
            ["line 7, step 1: .*“query”", "line 7, step 1: .*“keys”. It is computed, and cannot be set. .*entries"],
        ),
        (
            [('{ "lookup.query" = [-0.4, 1.6] }', '{ "lookup.entries" = [{ key = [1, 0] }] }')],
            ["line 7, step 1: .*value is missing: there must be an object with key, value and number"],
        ),
    ],
)
def test_walking_tells_what_is_wrong_with_every_step(changes: list[tuple[str, str]], told: list[str]) -> None:
    text = SOFT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    with pytest.raises(ExplorerError) as refused:
        list(checked(lesson_from(text.encode(), "my.lesson.toml")))
    lines = str(refused.value).split("\n")
    assert len(lines) == len(told)
    assert all(re.match(f"“my”, {wanted}", line) for wanted, line in zip(told, lines, strict=True)), lines


def test_a_step_that_takes_long_is_said_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(rehearsing, "PATIENCE", 0.0)
    file = tmp_path / "slow.lesson.toml"
    file.write_text(
        'format = 1\ntitle = "Slow"\n\n[[step]]\nask = "How right?"\n'
        'set = { "training.step" = 3, "training.setup.seed" = 4711 }\n'
        'answer = { number = "training.accuracy", within = 0.01 }\n'
    )
    assert cli.main(["lesson", "check", str(file)]) == 0
    assert re.search(
        r"line 4: computing what this step asks takes \d+ s so far\. Ctrl\+C stops\.", capsys.readouterr().err
    )
