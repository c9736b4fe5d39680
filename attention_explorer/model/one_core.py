"""Matrix products on one core, where they are small.

OpenBLAS shares a product of 1000 × 32 by 32 × 32 among all cores, and its threads wait for each other by spinning. That
gains nothing at this size, and where anything else runs too, as a window that paints, it costs a lot: a step of
learning what "it" refers to took 285 ms in place of 13 on two busy cores.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

_FOLDERS = ("../numpy.libs", ".dylibs")
"""Where NumPy's own libraries lie, seen from its package."""
_PREFIXES, _SUFFIXES = ("scipy_openblas", "openblas"), ("64_", "")

_lock = Lock()
_inside = 0
_before = 0


@contextmanager
def one_core() -> Iterator[None]:
    """Have matrix products use one core until all who asked for it are done; nothing happens without OpenBLAS.

    It is one switch for the whole process: products on other threads take longer meanwhile.
    """
    global _inside, _before
    threads = thread_switch()
    if threads is None:
        yield
        return
    read, write = threads
    with _lock:
        _inside += 1
        if _inside == 1:
            _before = read()
            write(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                write(_before)


@cache
def thread_switch() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Return what reads and what sets the number of OpenBLAS's threads, or None with another library."""
    package = Path(np.__file__).parent
    for path in (path for folder in _FOLDERS for path in sorted((package / folder).glob("*openblas*"))):
        try:
            library = ctypes.CDLL(str(path))  # it is loaded already: this is another handle to it
        except OSError:
            continue
        for prefix in _PREFIXES:
            for suffix in _SUFFIXES:
                read, write = (
                    getattr(library, f"{prefix}_{verb}_num_threads{suffix}", None) for verb in ("get", "set")
                )
                if read is not None and write is not None:
                    return read, write
    return None
