"""The tests of arithmetic under every arithmetic that this processor can do: ``python -m tests.arithmetics``.

Sums differ in their last digits between processors. OpenBLAS and NumPy choose their code by the processor, and two
variables of the environment choose for them. Each pair runs in a process of its own, as does each number of threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

TESTS = (
    "tests/model",
    "tests/truth",
    "tests/sources",
    "tests/tools/test_code_programs.py",
    "tests/tools/test_shipped_lessons.py",
)
LEFT_OUT = ("--ignore-glob=*/test_bad_*", "--ignore-glob=*/test_damaged_*")
"""Files and arguments that are refused: nothing is summed there."""
CORES = {"Prescott": "SSE3", "Haswell": "AVX2", "SkylakeX": "X86_V4"}
"""OpenBLAS's names of processors, and what a processor needs for them."""
WIDE = tuple(name for name in __cpu_dispatch__ if name.startswith("AVX512") or name == "X86_V4")
"""NumPy's names of its sets of 512 bits."""
DISABLED = {"all features": (), "no AVX512": WIDE, f"no {' '.join(__cpu_dispatch__)}": tuple(__cpu_dispatch__)}
"""What NumPy goes without."""
THREADS = (1, 2, 8)


class Arithmetic(NamedTuple):
    """One way in which a processor may sum.

    Attributes
    ----------
    name : str
        In words.
    environment : dict of str to str
        The variables that choose it.
    lacks : str
        What this processor lacks for it, or why it would be the same as another; empty if it can be tried.
    """

    name: str
    environment: dict[str, str]
    lacks: str


def arithmetics() -> Iterator[Arithmetic]:
    """Yield every pair of cores and features, and every number of threads."""
    for core, needs in CORES.items():
        for words, names in DISABLED.items():
            mine = [name for name in names if __cpu_features__[name]]
            lacks = f"this processor has no {needs}" if not __cpu_features__[needs] else ""
            if names and not mine:
                lacks = lacks or "this processor has none of them: it is the same as all features"
            environment = {"OPENBLAS_CORETYPE": core, "NPY_DISABLE_CPU_FEATURES": " ".join(mine)}
            yield Arithmetic(f"{core}, {words}", environment, lacks)
    for count in THREADS:
        yield Arithmetic(f"threads: {count}", {"OPENBLAS_NUM_THREADS": str(count)}, "")


def tried(arithmetic: Arithmetic) -> bool:
    """Run the tests under one arithmetic, say how it went, and return whether they pass."""
    if arithmetic.lacks:
        print(f"{arithmetic.name}: skipped, {arithmetic.lacks}", flush=True)
        return True
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *LEFT_OUT, *TESTS],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **arithmetic.environment, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    last = (done.stdout.splitlines() or ["it said nothing"])[-1].strip("= ")
    print(f"{arithmetic.name}: {last} ({perf_counter() - start:.0f} s)", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return done.returncode == 0


def main() -> int:
    """Try all, as many at once as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return 0 if all(list(workers.map(tried, arithmetics()))) else 1


if __name__ == "__main__":
    sys.exit(main())
