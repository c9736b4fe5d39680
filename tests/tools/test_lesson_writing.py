"""What the program says about the format of lessons is what its reader takes, and the example is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_explorer import cli
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import ALL_PARTS
from attention_explorer.pages.session_codec import encoded
from attention_explorer.tools.lessons import tables, writing
from attention_explorer.tools.lessons.lesson import Kind
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import lesson_from
from attention_explorer.tools.lessons.writing import example, sections

LESSONS = Path(__file__).parents[1] / "data" / "lessons"
EVERY_TABLE = """
format = 1
title = "x"
[[step]]
say = "Do."
until = "lookup.hard"
done = { "lookup.hard" = true }
[[step]]
ask = "?"
answer = { cells = "heads.masked", labels = "heads.keys" }
facts = { "0.5" = { of = "lookup.weights[0]" } }
slips = [{ say = "No.", of = "lookup.slope" }]
draw = { "lookup.temperature" = { from = 1, to = 2, step = 1 } }
again = { ask = "??", answer = { number = "lookup.slope", within = 1 }, where = "lookup.tied" }
"""


def test_every_key_that_is_read_is_told_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: dict[str, set[str]] = {}
    close = tables.Table.close

    def noted(table: tables.Table) -> None:
        kind = next((step for step in reversed(table.way) if isinstance(step, str)), "")
        taken.setdefault(kind, set()).update(table._known)
        close(table)

    monkeypatch.setattr(tables.Table, "close", noted)
    for text in ((LESSONS / "kinds.lesson.toml").read_text(), (LESSONS / "soft.lesson.toml").read_text(), EVERY_TABLE):
        lesson_from(text.encode(), "x")
    assert taken == {
        "": set(writing.LESSON),
        "step": {*writing.STEP, *writing.TASK, *writing.QUESTION},
        "again": {*writing.STEP, *writing.QUESTION} - {"say", "again"},
        "answer": {*writing.KINDS, *writing.ANSWER},
        "choice": set(writing.CHOICE),
        "slips": set(writing.SLIP),
        "0.5": {"of", "set"},
        "lookup.temperature": {"from", "to", "step"},
    }
    assert set(writing.KINDS) == set(Kind)
    assert all(f"{key} = " in writing.STEP["facts"] for key in ("of", "set"))
    assert all(f"{key} = " in writing.QUESTION["draw"] for key in ("from", "to", "step"))


@pytest.mark.parametrize("page", ALL_PARTS)
def test_all_that_is_said_to_be_set_can_be(page: str) -> None:
    state = ExplorerState()
    rows = next(dict(rows) for heading, rows in sections(state) if heading == f"Names of the page {page}")
    for name in rows["can be set"].split(", "):
        value = encoded(state)
        for part in name.split("."):
            value = value[part]  # type: ignore[call-overload, index]
        assert with_fields(state, {name: value}) == state
    if page != "lab":  # which says only what is on show
        assert rows["are computed"] if page != "training" else "training.accuracy" in rows["are computed"]


def test_the_example_is_walked_without_a_word_against_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.lesson.toml").write_bytes(example())
    assert cli.main(["lesson", "check", str(tmp_path / "mine.lesson.toml")]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    steps = lesson_from(example(), "x").steps
    assert [step.answer.kind if step.answer else None for step in steps] == [None, Kind.NUMBER, Kind.CHOICE]
    assert steps[1].slips
    assert steps[2].draw
