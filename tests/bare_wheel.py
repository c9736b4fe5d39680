"""The program where there is only Python, without git, make and this folder: ``python -m tests.bare_wheel``.

A wheel is built of the sources alone, and installed into a new environment with what it asks for. There, in an empty
folder, the commands of a class are typed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from time import perf_counter

from attention_explorer import __version__

ROOT = Path(__file__).parents[1]
SOURCES = ("attention_explorer", "resources", "pyproject.toml", "README.md", "LICENSE")
PROGRAM = "attention-explorer"
QUIET = ("--quiet", "--disable-pip-version-check")
KINDS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
"""How the files begin that are rendered."""


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    """Run a command in a folder, which must end well, and return all that it says."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, **streams)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def build(folder: Path) -> Path:
    """Build the wheel from a copy of the sources, so that nothing of an earlier build gets into it."""
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    pip = (sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation")
    run(*pip, *QUIET, "--wheel-dir", folder, folder, folder=folder, **os.environ)
    (wheel,) = folder.glob("*.whl")
    return wheel


def left_out(wheel: Path) -> list[str]:
    """Return what of the program is not in the wheel: modules and files that it reads."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    modules = (path.relative_to(ROOT) for path in (ROOT / "attention_explorer").rglob("*.py"))
    folders = (path for path in (ROOT / "resources").iterdir() if path.name not in ("pictures", "__pycache__"))
    read = (path.relative_to(ROOT) for folder in folders for path in folder.rglob("*") if path.is_file())
    files = (*modules, *(Path("attention_explorer") / path for path in read))
    return sorted({path.as_posix() for path in files} - inside)


def try_commands(programs: Path, folder: Path) -> None:
    """Type the commands of a class in an empty folder, with nothing to be found but what was installed."""
    home = {"PATH": str(programs), "HOME": str(folder / "home")}
    (folder / "home").mkdir()

    def typed(words: str, answer: str) -> None:
        said = run(programs / PROGRAM, *words.split(), folder=folder, **home)
        if not re.fullmatch(answer, said.strip()):
            raise SystemExit(f"{PROGRAM} {words} says\n{said}")

    typed("--version", f"Attention Explorer {__version__}")
    typed("gallery pictures --page lookup --theme light", "[0-9]+ pictures in pictures")
    drawn = dict.fromkeys((folder / "pictures").iterdir(), KINDS[".png"])
    for preset, ending in zip(("minilm", "learned-it", "descent"), KINDS, strict=True):
        typed(f"render {preset} {preset}{ending}", "")
        drawn[folder / (preset + ending)] = KINDS[ending]
    wrong = [path.name for path, begins in drawn.items() if not path.read_bytes().startswith(begins)]
    if wrong or len(drawn) < 10:
        raise SystemExit(f"{len(drawn)} pictures, of which these are none: {wrong}")


def main() -> int:
    """Build, install and try it, and say how long that took."""
    start = perf_counter()
    with tempfile.TemporaryDirectory() as made:
        sources, venv, empty = (Path(made) / name for name in ("sources", "venv", "empty"))
        for folder in (sources, empty):
            folder.mkdir()
        wheel = build(sources)
        if missing := left_out(wheel):
            raise SystemExit(f"The wheel lacks {len(missing)} files: {', '.join(missing[:20])}")
        run(sys.executable, "-m", "venv", venv, folder=empty, **os.environ)
        programs = venv / ("Scripts" if sys.platform == "win32" else "bin")
        install = ("-m", "pip", "install", *QUIET, "--only-binary", ":all:")
        run(programs / "python", *install, wheel, folder=empty, **os.environ)
        try_commands(programs, empty)
        size = wheel.stat().st_size / 1e6
        sys.stdout.write(f"The wheel ({size:.1f} MB) runs by itself; tried in {perf_counter() - start:.0f} s.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
