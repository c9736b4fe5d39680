"""From the start of the process to the first painted picture: the program, and a bare window beside it.

The bare window is an empty QWidget in a QMainWindow, in a process that loads the same libraries of others (PySide6,
NumPy and their parts). PySide makes each of Qt's classes when it is first asked for, so a second bare window asks for
those that we use: what is above that is our own, our modules, our widgets, our painting.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.report import Row
from benchmarks.timing import Samples

ROUNDS = 11
AIM = 1.25
ROOT = Path(__file__).parents[1]


def measure() -> list[Row]:
    """Start all three in turns."""
    with TemporaryDirectory() as home:
        # The first start of each also fills the caches of files and fonts, and is forgotten.
        _, loaded = _start(home, "program")
        modules = [name for name in loaded if ":" not in name]
        contenders = (("program",), ("bare", *modules), ("bare", *loaded))
        rounds = [[_start(home, *contender)[0] for contender in contenders] for _ in range(1 + ROUNDS)]
    ours, bare, acquainted = (Samples(seconds) for seconds in zip(*rounds[1:], strict=True))
    return [
        Row("start until the first picture", ours, "a bare window", bare),
        Row("start until the first picture", ours, "the same with our Qt classes", acquainted, AIM),
    ]


def _start(home: str, *arguments: str) -> tuple[float, list[str]]:
    """Return the seconds until the first picture, and the names of what was loaded."""
    places = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), home)
    # Compiled once and kept, as after any second start, also where the environment says not to write that down.
    places |= {"PYTHONPYCACHEPREFIX": str(Path(home) / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "benchmarks.first_frame", *arguments]
    start = perf_counter()
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **places}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The window did not open:\n{done.stderr}")
    shown, *loaded = done.stdout.split()
    return float(shown) - start, loaded
