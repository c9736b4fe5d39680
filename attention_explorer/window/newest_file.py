"""A private file that a worker writes and the window writes or removes: what was asked for last is what stays."""

from __future__ import annotations

import threading
from pathlib import Path

from attention_explorer.core.files import remove, write_whole


class NewestFile:
    """Orders get numbers on the GUI thread, and whoever comes with an older one than the newest comes too late."""

    def __init__(self) -> None:
        self._newest = 0
        self._lock = threading.Lock()

    def order(self) -> int:
        """Return the number of a new order; all those before it are void."""
        # Not under the lock: it is held while a slow disk writes, which the window shall not wait for.
        self._newest += 1
        return self._newest

    def is_newest(self, order: int) -> bool:
        """Whether nothing was ordered since."""
        return order == self._newest

    def write(self, order: int, path: Path, data: bytes) -> bool:
        """Write the file, unless something else was ordered meanwhile; return whether that is done.

        Raises
        ------
        ExportError
            It cannot be written; the message says why.
        """
        with self._lock:
            if not self.is_newest(order):
                return False
            write_whole(path, data, private=True)
            return True

    def remove(self, path: Path) -> None:
        """Delete the file, if it is there and may be deleted; nothing that is under way brings it back."""
        self.order()
        with self._lock:
            remove(path)
