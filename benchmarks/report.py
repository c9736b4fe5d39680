"""One line for each thing measured: as a table for people, as JSON for comparing two days, and for the README."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.timing import Samples

HEADER = ("what", "ours", "99 %", "compared with", "theirs", "ratio", "aim", "met?")
RIGHT_ALIGNED = {1, 2, 4, 5, 6}
SECONDS = "s"
PACKAGES = ("PySide6-Essentials", "numpy", "matplotlib", "pyqtgraph")


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement beside what it is compared with, in seconds or in another ``unit``.

    ``aim`` is the ratio not to exceed; None where there is none.
    """

    what: str
    ours: Samples
    compared_with: str
    theirs: Samples
    aim: float | None = None
    unit: str = SECONDS

    @property
    def ratio(self) -> float:
        """How many times as long ours takes, or as much."""
        return self.ours.median / self.theirs.median

    @property
    def verdict(self) -> str:
        """Whether the aim is reached; empty where there is none."""
        if self.aim is None:
            return ""
        return "yes" if self.ratio <= self.aim else "no"

    def cells(self) -> tuple[str, ...]:
        """Return the line of the table."""
        return (
            self.what,
            amount(self.ours.median, self.unit),
            amount(self.ours.slowest_percent, self.unit),
            self.compared_with,
            amount(self.theirs.median, self.unit),
            f"{self.ratio:.2f}×",
            "" if self.aim is None else f"≤ {self.aim:g}×",
            self.verdict,
        )

    def numbers(self) -> dict[str, object]:
        """Return the line for the JSON file."""
        return {
            "what": self.what,
            "ours": self.ours.median,
            "ours_99th_percentile": self.ours.slowest_percent,
            "unit": self.unit,
            "samples": len(self.ours.values),
            "compared_with": self.compared_with,
            "theirs": self.theirs.median,
            "ratio": self.ratio,
            "aim": self.aim,
            "met": self.verdict,
        }


def amount(number: float, unit: str) -> str:
    """Return a measurement with its unit."""
    return duration(number) if unit == SECONDS else f"{number:.3g} {unit}"


def duration(seconds: float) -> str:
    """Return three digits with a unit that fits."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.2f} s"


def table(rows: Sequence[Row]) -> str:
    """Return the aligned table."""
    lines = [HEADER, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("─" * width for width in widths))
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if column in RIGHT_ALIGNED else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]


def machine() -> dict[str, object]:
    """Return what the numbers depend on, without a name of the computer or of its owner."""
    return {
        "cpus": os.cpu_count(),
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "qt_platform": os.environ.get("QT_QPA_PLATFORM", ""),
        **{package: _version(package) for package in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def machine_line(known: Mapping[str, object]) -> str:
    """Return what `machine` says in one line."""
    return ", ".join(f"{name} {value}" for name, value in known.items() if value)


def results(path: Path, measured: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Return machine and measurements, suite by suite: those of now, and of other suites what the file holds.

    What was measured on another machine, or with other libraries, does not go on a table with what was measured here.
    """
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    kept = known.get("suites", {}) if known.get("machine") == machine() else {}
    now = {name: [row.numbers() for row in rows] for name, rows in measured.items()}
    return {"machine": machine(), "suites": kept | now}


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write machine and measurements to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
