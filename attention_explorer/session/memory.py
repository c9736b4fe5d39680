"""Giving memory back that nobody needs any more: what is kept beyond its budget, and what the allocator still holds."""

from __future__ import annotations

import ctypes
import sys
import threading

from attention_explorer.byte_cache import CACHE

_one_at_a_time = threading.Lock()


def tidy() -> None:
    """Drop what is kept beyond its budget and give the memory back, on a thread of its own: it may be a gigabyte."""
    threading.Thread(target=_tidy, name="attention-explorer-tidy", daemon=True).start()


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


def give_back() -> None:
    """Have the C library return to the system what was freed; only glibc keeps so much that it has to be asked."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
