"""The monkey for a moment; `make soak` lets it loose for longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_a_clumsy_user_breaks_nothing(tmp_path):
    """In a process of its own: it changes folders and hooks of the whole process, and measures what it holds."""
    paths = os.pathsep.join(map(str, (TESTS.parent, TESTS, TESTS / "ui")))
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "0", "QT_QPA_PLATFORM": "offscreen"}
    arguments = ["--seed", "12", "--until", "200", "--blocked", "60", "--keep", str(tmp_path)]
    command = [sys.executable, "-m", "soak", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "200 steps" in done.stdout
