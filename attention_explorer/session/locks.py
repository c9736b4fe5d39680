"""Locks of files, by which windows know what another living one holds."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLockFile


def locked(path: Path, suffix: str) -> QLockFile | None:
    """Return the lock of a file whose name ends in ``suffix``, now ours; None if a living process has it.

    That of a dead one is taken over.
    """
    lock = QLockFile(str(path.with_name(path.name.removesuffix(suffix) + ".lock")))
    lock.setStaleLockTime(0)  # however old: only the death of its process frees it
    return lock if lock.tryLock(0) else None
