"""Starts threads, and several calls at a time; while they work, garbage is collected on the GUI thread alone.

While work goes on for long, as where something is learned, the GUI thread collects now and then by itself.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QTimer

from attention_explorer.session import garbage

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


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
        garbage.hold()
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
    garbage.collect_if_due()
    for thread, works in list(_works.items()):
        if not (works and thread.is_alive()):
            _forget(thread)


def _forget(thread: threading.Thread) -> None:
    if _works.pop(thread, None) is not None and not _works:
        garbage.release()
        if _timer is not None and shiboken6.isValid(_timer):
            _timer.stop()


@contextmanager
def pool(threads: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """Give so many threads to calls that are waited for here; on leaving, those that have not begun are dropped."""
    from concurrent.futures import ThreadPoolExecutor  # not wanted before something takes long

    garbage.hold()
    executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        garbage.release()


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
