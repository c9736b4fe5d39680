"""Starts threads, and several calls at a time; garbage is collected on the GUI thread alone, memory given back.

While work goes on for long, as where something is learned, the GUI thread collects now and then by itself.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QTimer

from attention_explorer.core.byte_cache import CACHE

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


# ---- When Python may look for garbage ----
# Python collects what refers to itself in a circle, such as a closed dialog and its slots, on whatever thread happens
# to allocate at that moment, and Qt does not survive the deletion of a widget on another thread than its own.


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


LOOK_EVERY_MILLISECONDS = 100

_works: dict[threading.Thread, bool] = {}
"""The threads for which the collector is held: whether each still works, as far as is known."""
_timer: QTimer | None = None


def start(run: Callable[[], None], name: str) -> threading.Thread:
    """Run something on a thread of its own, which does not keep the process from ending. For the GUI thread.

    No garbage is collected there until the thread has ended, or is said to `rest`.
    """
    thread = threading.Thread(target=run, name=name, daemon=True)
    wake(thread)  # from before it begins: starting it allocates too
    thread.start()
    return thread


def wake(thread: threading.Thread) -> None:
    """Know that a thread is about to work, or to end. For the GUI thread."""
    if not _works:
        hold()
        _look_often()
    _works[thread] = True


def rest(thread: threading.Thread) -> None:
    """Know that a thread has nothing to do any more and waits, or will in a moment. For the GUI thread."""
    if thread in _works:
        _works[thread] = False


def let_go(thread: threading.Thread) -> None:
    """Know that a thread was waited for: if it has not ended, it still works. For the GUI thread."""
    if not thread.is_alive():
        _forget(thread)


def _look() -> None:
    """Collect what is due, and leave that to Python again as soon as no thread works."""
    collect_if_due()
    for thread, works in list(_works.items()):
        if not (works and thread.is_alive()):
            _forget(thread)


def _forget(thread: threading.Thread) -> None:
    if _works.pop(thread, None) is not None and not _works:
        release()
        if _timer is not None and shiboken6.isValid(_timer):
            _timer.stop()


@contextmanager
def pool(threads: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """Give so many threads to calls that are waited for here; on leaving, those that have not begun are dropped."""
    from concurrent.futures import ThreadPoolExecutor  # not wanted before something takes long

    hold()
    executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        release()


def _look_often() -> None:
    global _timer
    application = QCoreApplication.instance()
    if application is None:
        return  # the process ends
    if _timer is None or not shiboken6.isValid(_timer):
        _timer = QTimer(application, interval=LOOK_EVERY_MILLISECONDS)
        _timer.timeout.connect(_look)
    _timer.start()


# ---- Several calls at a time ----


T = TypeVar("T")

MOST_THREADS = 4
"""Memory is not faster for more of them."""


def side_by_side(calls: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield what each call returns, in their order; meanwhile the next ones are under way on threads of their own.

    Each call sees the context variables of the caller. What one of them raises is raised here. Whoever stops listening,
    or closes the iterator, waits for the calls that have begun; no others are made.
    """
    # One processor is left to the window, which would stutter otherwise.
    threads = max(1, min(MOST_THREADS, (os.cpu_count() or 1) - 1))
    rest, begun = iter(calls), deque["Future[T]"]()
    with pool(threads, "attention-explorer-side") as executor:
        while True:
            for call in islice(rest, 2 * threads - len(begun)):
                begun.append(executor.submit(copy_context().run, call))
            if not begun:
                return
            yield begun.popleft().result()


# ---- Memory given back ----
# What is kept beyond its budget, and what the allocator still holds.


M_ARENA_MAX = -8
"""What glibc calls the most heaps of a process, in malloc.h."""

_one_at_a_time = Lock()


def tidy() -> None:
    """Drop what is kept beyond its budget and give the memory back, on a thread of its own: it may be a gigabyte."""
    start(_tidy, "attention-explorer-tidy")


def empty() -> None:
    """Drop everything that is kept, and give the memory back."""
    CACHE.clear()
    give_back()


def _tidy() -> None:
    if _one_at_a_time.acquire(blocking=False):
        try:
            CACHE.tidy()
            give_back()
        finally:
            _one_at_a_time.release()


def use_one_heap() -> None:
    """Have all threads allocate from one heap; call it before there are any.

    By itself, glibc makes a heap for each thread and keeps up to 64 MiB at the end of each that `give_back` cannot
    return: it trims the end of the first heap only.
    """
    _call_glibc("mallopt", M_ARENA_MAX, 1)


def give_back() -> None:
    """Have the C library return to the system what was freed; only glibc keeps so much that it has to be asked."""
    _call_glibc("malloc_trim", 0)


def _call_glibc(name: str, *numbers: int) -> None:
    """Call a function that only glibc has; elsewhere nothing happens."""
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    if function is not None:
        function(*numbers)
