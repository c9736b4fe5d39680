"""The table of `benchmarks/README.md`, written from the measurements, so that the two never differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.report import amount, machine_line

BEGIN, END = "<!-- make bench ARGS=--readme -->", "<!-- end of make bench -->"
HEADER = ("what", "ours", "compared with", "ratio", "aim", "met?")


def readme_table(content: Mapping[str, Any]) -> str:
    """Return all that has an aim, as Markdown, and the machine; controls and words are no matter of speed."""
    suites = (rows for name, rows in content["suites"].items() if name != "rulers")
    measured = [row for rows in suites for row in rows if row["aim"] is not None]
    lines = [HEADER, ("---",) * len(HEADER), *(_cells(row) for row in measured)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{table}\n\nMedians. {machine_line(content['machine'])}."


def with_table(text: str, content: Mapping[str, Any]) -> str:
    """Return the README with what is between the two markers replaced.

    Raises
    ------
    ValueError
        The markers are not there, or not in this order.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, behind = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"benchmarks/README.md has no place for the table: put {BEGIN} and {END} around it.")
    return f"{before}{BEGIN}\n{readme_table(content)}\n{END}{behind}"


def write_readme(path: Path, content: Mapping[str, Any]) -> None:
    """Write the table into the README."""
    path.write_text(with_table(path.read_text(encoding="utf-8"), content), encoding="utf-8")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    ours, theirs = (amount(row[name], row["unit"]) for name in ("ours", "theirs"))
    with_what = f"{row['compared_with']}, {theirs}"
    return row["what"], ours, with_what, f"{row['ratio']:.2f}×", f"≤ {row['aim']:g}×", row["met"]
