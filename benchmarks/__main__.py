"""Runs the suites that are named, or all of them, and prints one table."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Row, machine, table, write_json

SUITES = {
    "drag": "a frame of a drag in the window, over an empty repaint of the page",
    "heads": "typing, pointing and choosing on the Heads page, its wall over Matplotlib, its memory",
    "positions": "a step of the slider on the Positions page, over an empty repaint of the page",
    "export": "a wall of heads written as PNG and SVG, over Matplotlib's",
    "plane": "the plane redrawn by a Matplotlib canvas",
    "start": "the first picture of the program, over that of a bare window",
    "model": "the arithmetic, over bare matrix products",
    "layer": "a whole layer, over bare matrix products and over PyTorch's where it is installed",
}
RESULTS = Path(__file__).parents[1] / "build" / "bench.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 whether or not an aim is missed."""
    # Drawn without a screen unless the platform is named, so that numbers of two days are of the same thing.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    rows: list[Row] = []
    for name in _parser().parse_args(arguments).suites or SUITES:
        print(f"{name}: {SUITES[name]} …", file=sys.stderr, flush=True)
        # A suite is loaded when its turn comes: Matplotlib is needed by one of them only.
        rows += importlib.import_module(f"benchmarks.{name}").measure()
    print(table(rows))
    print("Medians, and the 99th percentile of ours. " + ", ".join(f"{k} {v}" for k, v in machine().items() if v))
    write_json(RESULTS, rows)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    suites = "; ".join(f"{name}: {subject}" for name, subject in SUITES.items())
    parser.add_argument("suites", nargs="*", type=_suite, metavar="SUITE", help=suites)
    return parser


def _suite(name: str) -> str:
    if name not in SUITES:
        raise argparse.ArgumentTypeError(f"there is no suite “{name}”; there are {', '.join(SUITES)}")
    return name


if __name__ == "__main__":
    sys.exit(main())
