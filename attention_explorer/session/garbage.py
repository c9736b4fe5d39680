"""When Python may look for garbage: not while a worker runs, or widgets would be deleted on its thread.

Python collects what refers to itself in a circle, such as a closed dialog and its slots, on whatever thread happens to
allocate at that moment, and Qt does not survive the deletion of a widget on another thread than its own.
"""

from __future__ import annotations

import gc
import time
from threading import Lock

MOST_SHARE = 0.01
"""How much of the time may go into looking through all that there is, which takes a tenth of a second."""

_lock = Lock()
_holders = 0
_was_enabled = True
_all_again_at = 0.0


def hold() -> None:
    """Collect no garbage until as many calls of `release` have come."""
    global _holders, _was_enabled
    with _lock:
        if not _holders:
            _was_enabled = gc.isenabled()
            gc.disable()
        _holders += 1


def release() -> None:
    """Take back one `hold`; after the last, the collector is as it was before the first. Without any, do nothing."""
    global _holders
    with _lock:
        if not _holders:
            return
        _holders -= 1
        if not _holders and _was_enabled:
            gc.enable()


def collect_if_due() -> None:
    """Collect on this thread, whoever holds, what the collector would collect by now. For the GUI thread."""
    global _all_again_at
    counts, limits, now = gc.get_count(), gc.get_threshold(), time.monotonic()
    for generation in (2, 1, 0):
        if 0 < limits[generation] < counts[generation] and (generation < 2 or now >= _all_again_at):
            gc.collect(generation)
            if generation == 2:
                after = time.monotonic()
                _all_again_at = after + (after - now) / MOST_SHARE
            return
