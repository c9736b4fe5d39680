"""What keeps the GUI thread, in a folder of its own: only what blocks is to be found there, not the test that waits."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG_ENOUGH = 0.3


def keep_computing() -> None:
    """Use up the processor, as a long sum would."""
    end = time.thread_time() + LONG_ENOUGH
    while time.thread_time() < end:
        sum(range(1000))


def wait_for_a_disk() -> None:
    """Do nothing, as whoever reads a slow disk does."""
    time.sleep(LONG_ENOUGH)


def on_the_way(block: Callable[[], None]) -> None:
    block()
