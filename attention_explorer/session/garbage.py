"""When Python may look for garbage: not while a worker runs, or widgets would be deleted on its thread.

Python collects what refers to itself in a circle, such as a closed dialog and its slots, on whatever thread happens to
allocate at that moment, and Qt does not survive the deletion of a widget on another thread than its own.
"""

from __future__ import annotations

import gc

_holders = 0
_was_enabled = True


def hold() -> None:
    """Collect no garbage until as many calls of `release` have come. For the GUI thread."""
    global _holders, _was_enabled
    if not _holders:
        _was_enabled = gc.isenabled()
        gc.disable()
    _holders += 1


def release() -> None:
    """Take back one `hold`; after the last, the collector is as it was before the first. Without any, do nothing."""
    global _holders
    if not _holders:
        return
    _holders -= 1
    if not _holders and _was_enabled:
        gc.enable()


def collect_if_due() -> None:
    """Collect on this thread, whoever holds, what the collector would collect by now. For the GUI thread."""
    counts, limits = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if 0 < limits[generation] < counts[generation]:
            gc.collect(generation)
            return
