"""The last few things that took long to compute."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

P = TypeVar("P")


class Kept(Generic[P]):
    """The last few pictures that took long, by what decided them: another look at the same is no reason to draw again.

    The worker puts them in, and the window takes them out.
    """

    def __init__(self, most: int = 6) -> None:
        self._most, self._pictures, self._lock = most, dict[Hashable, P](), Lock()

    def get(self, key: Hashable) -> P | None:
        """Return the picture, if it is kept."""
        with self._lock:
            return self._pictures.get(key)

    def keep(self, key: Hashable, picture: P) -> None:
        """Keep a picture; of too many the oldest goes."""
        with self._lock:
            self._pictures[key] = picture
            while len(self._pictures) > self._most:
                del self._pictures[next(iter(self._pictures))]
