"""Several calls at a time, for arithmetic that lets other threads run meanwhile."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

from attention_explorer.session.threads import pool

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
    rest, begun = iter(calls), deque[Future[T]]()
    with pool(threads, "attention-explorer-side") as executor:
        while True:
            for call in islice(rest, 2 * threads - len(begun)):
                begun.append(executor.submit(copy_context().run, call))
            if not begun:
                return
            yield begun.popleft().result()
