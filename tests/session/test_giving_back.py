"""Memory that workers have freed goes back to the system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FREED_BY_WORKERS = """
import threading
from pathlib import Path
from attention_explorer.app import make_application
from attention_explorer.session.memory import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

def work():
    blocks = [b"x" * 100_000 for _ in range(400)]
    together.wait()  # all are there
    together.wait()  # and measured

application = make_application()
large = bytes(30 * 2**20)
del large  # glibc learns from it to keep what is freed
together = threading.Barrier(4)
workers = [threading.Thread(target=work) for _ in range(3)]
for worker in workers:
    worker.start()
together.wait()
full = resident()
together.wait()
for worker in workers:
    worker.join()
give_back()
print(full, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_workers_have_freed_is_given_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FREED_BY_WORKERS],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    full, after = map(float, done.stdout.split())
    assert full - after > 100  # MiB, of the 114 that three workers held
