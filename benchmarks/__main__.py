"""Runs the suites that are named, or all of them, and prints one table."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.readme import write_readme
from benchmarks.report import Row, machine, machine_line, results, table, write_json

SUITES = {
    "drag": "a frame of a drag in the window, over an empty repaint of the page",
    "heads": "typing, pointing and choosing on the Heads page, its wall over Matplotlib, its memory",
    "recorded": "files of attention: opened, shown, and long ones, over Matplotlib, BertViz and the floor",
    "positions": "a step of the slider on the Positions page, over an empty repaint of the page",
    "pages": "on every page: coming back to it, a drag, over an empty repaint; and a window that nobody touches",
    "export": "a wall of heads written as PNG, SVG and PDF, over Matplotlib's",
    "plane": "the plane redrawn by a Matplotlib canvas",
    "rulers": "calls and files behind a drag and a letter; controls and words on each page, over what they are to be",
    "start": "the first picture of the program, over that of a bare window",
    "responsiveness": "a walk through everything: the longest that the window keeps a hand waiting, and why",
    "model": "the arithmetic, over bare matrix products",
    "layer": "a whole layer, over bare matrix products and over PyTorch's where it is installed",
    "models": "trained models: a run over bare matrix products and PyTorch's, opening, typing, memory",
    "circuits": "what is asked of all heads of a model, over as many bare runs; memory, the window meanwhile",
    "training": "Play on the Training page: until “it” is understood, pictures a second, holds of the GUI thread",
    "learning": "a step of learning each task, over bare matrix products and over PyTorch's; what five seeds reach",
}
ROOT = Path(__file__).parents[1]
RESULTS, README = ROOT / "build" / "bench.json", ROOT / "benchmarks" / "README.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 0 whether or not an aim is missed."""
    # Drawn without a screen unless the platform is named, so that numbers of two days are of the same thing.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    options = _parser().parse_args(arguments)
    measured: dict[str, list[Row]] = {}
    for name in options.suites or SUITES:
        print(f"{name}: {SUITES[name]} …", file=sys.stderr, flush=True)
        # A suite is loaded when its turn comes: Matplotlib is needed by one of them only.
        measured[name] = importlib.import_module(f"benchmarks.{name}").measure()
    print(table([row for rows in measured.values() for row in rows]))
    print("Medians, and the 99th percentile of ours. " + machine_line(machine()))
    content = results(RESULTS, measured)
    content["suites"] = {name: content["suites"][name] for name in SUITES if name in content["suites"]}
    write_json(RESULTS, content)
    if options.readme:
        write_readme(README, content)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    suites = "; ".join(f"{name}: {subject}" for name, subject in SUITES.items())
    parser.add_argument("suites", nargs="*", type=_suite, metavar="SUITE", help=suites)
    what = "write the table of benchmarks/README.md from build/bench.json, which keeps suites that are not measured now"
    parser.add_argument("--readme", action="store_true", help=what)
    return parser


def _suite(name: str) -> str:
    if name not in SUITES:
        raise argparse.ArgumentTypeError(f"there is no suite “{name}”; there are {', '.join(SUITES)}")
    return name


if __name__ == "__main__":
    sys.exit(main())
