"""Giving memory back that nobody needs any more: what is kept beyond its budget, and what the allocator still holds."""

from __future__ import annotations

import ctypes
import sys
from threading import Lock

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.session import threads

M_ARENA_MAX = -8
"""What glibc calls the most heaps of a process, in malloc.h."""

_one_at_a_time = Lock()


def tidy() -> None:
    """Drop what is kept beyond its budget and give the memory back, on a thread of its own: it may be a gigabyte."""
    threads.start(_tidy, "attention-explorer-tidy")


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
