"""Locks of files, by which windows know what another living one holds, and find what one that crashed has left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QLockFile

from attention_explorer.core.files import remove, time_of
from attention_explorer.errors import ExplorerError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Left(Generic[T]):
    """What was left: as it is read, when it was kept, and its file, locked for us."""

    kept: T
    time: datetime
    path: Path
    lock: QLockFile

    def forget(self) -> None:
        """Delete it: it is gone on with, or not wanted."""
        remove(self.path)
        self.lock.unlock()


def youngest_left(
    folder: Path, prefix: str, suffix: str, own: Path | None, read: Callable[[Path], T]
) -> Left[T] | None:
    """Return the youngest file of these names that was left, locked so that no other window offers it too."""
    for path in sorted(folder.glob(f"{prefix}*{suffix}"), key=time_of, reverse=True):
        lock = None if path == own else locked(path, suffix)
        if lock is None:
            continue  # ours, or that of an open window
        try:
            return Left(read(path), datetime.fromtimestamp(time_of(path)), path, lock)
        except ExplorerError:
            lock.unlock()  # not written by us, or for a newer version: it stays where it is
    return None


def locked(path: Path, suffix: str) -> QLockFile | None:
    """Return the lock of a file whose name ends in ``suffix``, now ours; None if a living process has it.

    That of a dead one is taken over.
    """
    lock = QLockFile(str(path.with_name(path.name.removesuffix(suffix) + ".lock")))
    lock.setStaleLockTime(0)  # however old: only the death of its process frees it
    return lock if lock.tryLock(0) else None
