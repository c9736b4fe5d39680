"""The list of files that `make test` leaves out."""

from __future__ import annotations

from pathlib import Path

from slow import ROOT, measured, slow_files


def test_every_file_of_the_list_is_there() -> None:
    assert [path for path in slow_files() if not path.is_file()] == []
    assert slow_files() < set((ROOT / "tests").rglob("test_*.py")), "some are quick"


def test_a_report_is_added_up_by_files(tmp_path: Path) -> None:
    cases = (
        ("tests.test_slow", 1.5),
        ("tests.test_slow", 3.0),
        ("tests.ui.test_window.TestOfAClass", 2.0),
        ("gone", 9.0),
    )
    body = "".join(f'<testcase classname="{name}" name="a" time="{seconds}"/>' for name, seconds in cases)
    report = tmp_path / "tests.xml"
    report.write_text(f"<testsuites><testsuite>{body}</testsuite></testsuites>")
    assert measured(report) == {"tests/test_slow.py": 4.5, "tests/ui/test_window.py": 2.0}
