"""Sees on which thread Python collects garbage: on another than that of the window it may delete widgets."""

from __future__ import annotations

import gc
import sys
import threading
import traceback

import shiboken6

collected_elsewhere: list[str] = []
"""Where other threads were when Python collected garbage on them, with a window on the screen."""


def watch_the_collector() -> None:
    """Write down from now on every such collection."""
    if _look not in gc.callbacks:
        gc.callbacks.append(_look)


def _look(phase: str, _info: dict[str, int]) -> None:
    if phase != "start" or threading.current_thread() is threading.main_thread() or not _has_window():
        return
    stack = "".join(traceback.format_stack(sys._getframe(1)))
    if "execnet" not in stack:  # that is how workers of the tests hear what to do next
        collected_elsewhere.append(f"Collected on {threading.current_thread().name}:\n{stack}")


def _has_window() -> bool:
    return any(type(each).__name__ == "MainWindow" for each in shiboken6.getAllValidWrappers())
