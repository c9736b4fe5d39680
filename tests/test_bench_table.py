"""The table of measurements in `benchmarks/README.md`, which `make bench` writes. Nothing is measured here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.__main__ import SUITES
from benchmarks.readme import BEGIN, END, HEADER, readme_table, with_table
from benchmarks.report import Row, results, table, write_json
from benchmarks.timing import Samples

ROOT = Path(__file__).parents[1]
FAST = Row("drag q", Samples((0.010, 0.012, 0.011)), "an empty repaint", Samples((0.022,)), 3.0)
SLOW = Row("start", Samples((0.66,)), "a bare window", Samples((0.3,)), 1.25)
NO_AIM = Row("size", Samples((80.0,)), "a table", Samples((100.0,)), unit="kB")


def test_a_row_says_whether_its_aim_is_met() -> None:
    assert FAST.cells() == ("drag q", "11 ms", "12 ms", "an empty repaint", "22 ms", "0.50×", "≤ 3×", "yes")
    assert SLOW.cells()[-2:] == ("≤ 1.25×", "no")
    assert NO_AIM.cells()[-2:] == ("", "")
    assert table([FAST]).splitlines()[0].endswith("met?")


def test_the_readme_lists_all_that_has_an_aim_and_nothing_else(tmp_path: Path) -> None:
    written = readme_table(results(tmp_path / "none.json", {"drag": [FAST, NO_AIM], "start": [SLOW]})).splitlines()
    assert written[0] == f"| {' | '.join(HEADER)} |"
    assert written[2] == "| drag q | 11 ms | an empty repaint, 22 ms | 0.50× | ≤ 3× | yes |"
    assert written[3] == "| start | 660 ms | a bare window, 300 ms | 2.20× | ≤ 1.25× | no |"
    assert written[4] == ""
    assert written[5].startswith("Medians. ")


def test_a_suite_that_is_not_measured_now_stays(tmp_path: Path) -> None:
    path = tmp_path / "build" / "bench.json"
    write_json(path, results(path, {"drag": [FAST], "start": [SLOW]}))
    again = results(path, {"start": [SLOW, SLOW]})
    assert [len(rows) for rows in again["suites"].values()] == [1, 2]


def test_another_machine_is_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bench.json"
    write_json(path, results(path, {"drag": [FAST]}))
    monkeypatch.setattr(report, "machine", lambda: {"cpus": 1000})
    assert set(results(path, {"start": [SLOW]})["suites"]) == {"start"}


def test_only_the_table_of_the_readme_is_replaced(tmp_path: Path) -> None:
    content = results(tmp_path / "none.json", {"drag": [FAST]})
    once = with_table(f"before\n{BEGIN}\nold\n{END}\nbehind\n", content)
    assert once == f"before\n{BEGIN}\n{readme_table(content)}\n{END}\nbehind\n"
    assert with_table(once, content) == once
    with pytest.raises(ValueError, match="no place for the table"):
        with_table("nothing here", content)


def test_our_readme_has_a_place_for_it() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    with_table(text, {"machine": {}, "suites": {}})


def test_every_suite_has_a_file() -> None:
    assert all((ROOT / "benchmarks" / f"{name}.py").is_file() for name in SUITES)
