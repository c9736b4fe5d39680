"""Which files of tests `make test` leaves out, so that it ends within three minutes on two cores; CI runs them all.

``slow.txt`` beside it lists those that took longer than `MOST` when they were last measured. To measure them again:
``make all-tests ARGS=--junitxml=build/tests.xml``, then ``python -m tests.slow build/tests.xml``.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from pathlib import Path

MOST = 4.0
"""Seconds of one core."""
ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("slow.txt")


@cache
def slow_files() -> frozenset[Path]:
    """Return the files that take long."""
    return frozenset(ROOT / line.split()[0] for line in LIST.read_text(encoding="utf-8").splitlines())


def measured(report: Path) -> Counter[str]:
    """Return the seconds of each file, by its path from the project's folder, as a report of pytest has them."""
    found: Counter[str] = Counter()
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest has just written it
        parts = case.get("classname", "").split(".")
        ends = (f"{'/'.join(parts[:count])}.py" for count in range(len(parts), 0, -1))
        name = next((each for each in ends if (ROOT / each).exists()), "")
        found[name] += float(case.get("time", 0.0))
    del found[""]
    return found


def main(report: str) -> None:
    """Write the list anew."""
    slow = {name: seconds for name, seconds in measured(Path(report)).items() if seconds > MOST}
    LIST.write_text("".join(f"{name} {slow[name]:.0f} s\n" for name in sorted(slow)), encoding="utf-8")
    sys.stdout.write(f"{len(slow)} files take longer than {MOST:g} s\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
