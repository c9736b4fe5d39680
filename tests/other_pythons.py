"""The quick tests under every other Python that is installed here: ``python -m tests.other_pythons``.

Each has a copy of this folder under ``build/`` with an environment of its own, as ``make test`` makes one on a new
machine. The Python that runs this has its own tests; one for which packages cannot be had is named and passed over.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST, NEWEST = 11, 20
"""The minor versions of Python 3 that are looked for."""
ASK = "import ensurepip, sys, venv; print(sys.version_info.minor)"


def installed() -> dict[int, str]:
    """Return a command for each Python that the program may run on, but for this one, by its minor version."""
    names = (shutil.which(f"python3.{minor}") for minor in range(OLDEST, NEWEST))
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.*/bin/python3")
    found: dict[int, str] = {}
    for python in (*filter(None, names), *map(str, sorted(kept))):
        said = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=False).stdout.strip()
        if said and int(said) >= OLDEST and int(said) != sys.version_info.minor:
            found.setdefault(int(said), python)
    return found


def copy(name: str) -> Path:
    """Return a copy of this folder, with the environment that it had the last time."""
    folder = ROOT / "build" / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name != ".venv":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    left_out = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info")
    return shutil.copytree(ROOT, folder, ignore=left_out, dirs_exist_ok=True)


def passes(minor: int, python: str) -> bool:
    """Run the quick tests under a Python, and return whether they pass or could not be run."""
    name = f"python3.{minor}"
    make = ["make", "--no-print-directory", "-C", copy(name), f"PYTHON={python}"]
    if subprocess.run([*make, ".venv/.libraries"], check=False).returncode:
        print(f"{name}: passed over, its packages could not be installed", flush=True)
        return True
    passed = subprocess.run([*make, "test"], check=False).returncode == 0
    print(f"{name}: {'all passed' if passed else 'FAILED'}", flush=True)
    return passed


def main() -> int:
    """Try all, one after the other: the tests of each take all processors."""
    pythons = installed()
    if not pythons:
        print(f"There is no other Python here than 3.{sys.version_info.minor}.", flush=True)
    passed = [passes(minor, pythons[minor]) for minor in sorted(pythons)]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
