"""Long arithmetic passes by here, block after block: whoever runs it can count the blocks, or end it.

Nothing of that alters a number, so it is no argument of every function on the way; what is kept from call to call
would have to leave it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_watcher: ContextVar[Callable[[], None] | None] = ContextVar("watcher", default=None)


def checkpoint() -> None:
    """Tell the watcher of this thread, if there is one, that some milliseconds of work are done."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher()


@contextmanager
def watched(watcher: Callable[[], None]) -> Iterator[None]:
    """Have a function called at every checkpoint that is passed meanwhile, on this thread.

    Parameters
    ----------
    watcher : callable
        What it raises ends the work, and passes through whatever was computing.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)
