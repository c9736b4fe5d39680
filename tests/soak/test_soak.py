"""The monkey for a moment; `make soak` lets it loose for longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def soak(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: it changes folders and hooks of the whole process, and measures what it holds."""
    paths = os.pathsep.join(map(str, (TESTS.parent, TESTS, TESTS / "ui")))
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "0", "QT_QPA_PLATFORM": "offscreen"}
    environment["TMPDIR"] = str(folder)
    command = [sys.executable, "-m", "soak", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)


def test_a_clumsy_user_breaks_nothing(tmp_path):
    done = soak(tmp_path, "--seed", "12", "--until", "200", "--blocked", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 steps" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_broke_is_kept_and_its_folder_named(tmp_path):
    done = soak(tmp_path, "--seed", "12", "--until", "20", "--blocked", "0.0001")
    assert done.returncode == 1, done.stdout + done.stderr
    (folder,) = tmp_path.iterdir()
    assert f"are in {folder}" in done.stdout
    assert {"actions.log", "broken-at.attn.json"} <= {path.name for path in folder.iterdir()}
