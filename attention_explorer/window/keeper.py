"""Keeps what is not saved: against a crash while the window is open, and until the next start when it is closed.

Two kinds of files lie in the user's folder for data of this program, both ordinary session files:

- ``open-….attn.json``, one for every window with something unsaved, written some seconds after a change and deleted at
  the end. One that is left over, and whose lock no living process holds, belongs to a window that crashed.
- ``last.attn.json``, what was open when the window was closed. It belongs to the first window that starts, which holds
  its lock; a second one keeps nothing at its end and asks instead, so that neither overwrites the other.

A third kind, ``aside-….attn.json``, is what was not saved when something else was opened; see `set_aside`.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from attention_explorer.core.declared import is_same_subject
from attention_explorer.core.files import make_folder, remove, write_whole
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.session_file import SUFFIX, Opened, read_session, session_bytes, write_session
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.locks import Left, locked, youngest_left
from attention_explorer.window.open_session import Aside, OpenSession, SetAside

if TYPE_CHECKING:
    # Loaded with the first file: the window starts without it.
    from attention_explorer.pages.session_codec import Extra


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


KEEP_AFTER_MILLISECONDS = 4000
OPEN = "open-"
OPEN_FIRST = "open-first-"
"""Of the window that goes on where it was left: what it leaves in a crash is younger than what it began with."""

LAST = "last"


LeftOver: TypeAlias = Left[Opened]
"""A session that a window that crashed has left."""


@dataclass(frozen=True, slots=True, eq=False)
class _Copy:
    """What is to be kept, as it was when that was asked for: the worker touches nothing that changes."""

    order: int
    state: ExplorerState
    extra: Extra
    page: str
    file: Path | None

    @property
    def of(self) -> tuple[ExplorerState, Path | None]:
        """What it is a copy of."""
        return self.state, self.file

    def data(self) -> bytes:
        """Return the contents of the file. Raises `ExplorerError` for what cannot be saved."""
        return session_bytes(self.state, self.extra, page=self.page, file=str(self.file or ""))


class Keeper(QObject):
    """Writes what is not saved to a folder of its own, and finds what others have left there.

    While somebody works this is done on a worker: a painted mask can take half a second. A full disk must not disturb
    somebody who has not even asked to save: it is said once, and tried again.

    Signals
    -------
    failed : str
        Why what is not saved cannot be kept; again only if it could be in between.
    """

    failed = Signal(str)

    def __init__(
        self,
        folder: Path,
        session: Session,
        opened: OpenSession,
        page: Callable[[], str],
        *,
        milliseconds: int = KEEP_AFTER_MILLISECONDS,
    ) -> None:
        super().__init__(session)
        self._folder, self._session, self._open, self._page = folder, session, opened, page
        self._aside = SetAside(folder)
        self._name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
        self._path: Path | None = None
        self._lock: QLockFile | None = None
        self._last_lock: QLockFile | None = None
        self._kept: tuple[ExplorerState, Path | None] | None = None
        self._file = NewestFile()
        self.jobs = JobQueue()  # nobody's child: it outlives a session that is forgotten while the worker writes
        self.jobs.delivered.connect(self._on_kept)
        self.jobs.failed.connect(self._on_not_kept)
        self._problem = ""
        self._timer = QTimer(self, singleShot=True, interval=milliseconds)
        self._timer.timeout.connect(self.keep_aside)
        session.changed.connect(self._on_changed)
        opened.changed.connect(self._on_saved)

    @property
    def folder(self) -> Path:
        """Where what is not saved is kept."""
        return self._folder

    # ---- Against a crash ----

    def _on_changed(self) -> None:
        # Not started anew by every change: in a long drag the file would wait for its end.
        if not self._timer.isActive() and self._open.is_changed:
            self._timer.start()

    def _on_saved(self) -> None:
        if not self._open.is_changed:
            self._drop()

    def keep(self) -> None:
        """Write what is not saved, unless that has been done, and be done when this returns."""
        path = self._path_to_keep()
        if path is None:
            return
        copy = self._copy()
        try:
            if self._file.write(copy.order, path, copy.data()):
                self._kept, self._problem = copy.of, ""
        except ExplorerError as error:
            self._fail(error)

    def keep_aside(self) -> None:
        """Write what is not saved, unless that has been done, on the worker."""
        if self.jobs.is_busy():
            self._timer.start()  # a new order would make void what is being written: in a long drag nothing were kept
            return
        path = self._path_to_keep()
        if path is None:
            return
        copy, file = self._copy(), self._file

        def work(report: Report, deliver: Deliver) -> None:
            data = copy.data()
            report(0.5)  # goes no further if it is not wanted any more
            if file.write(copy.order, path, data):
                deliver(copy)

        self.jobs.request(copy.order, work)

    def _on_kept(self, _key: object, copy: _Copy) -> None:
        self._problem = ""
        if self._file.is_newest(copy.order):
            self._kept = copy.of

    def _on_not_kept(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self._fail(error)

    def _fail(self, error: ExplorerError) -> None:
        had_failed, self._problem = bool(self._problem), str(error)
        if not had_failed:
            self.failed.emit(f"Unsaved changes cannot be backed up, so save the session yourself. {self._problem}")

    def _path_to_keep(self) -> Path | None:
        """Return where to write, in a folder that is there and with our lock; none if there is nothing to be kept."""
        if not self._open.is_changed or (self._open.state, self._open.path) == self._kept:
            return None
        try:
            make_folder(self._folder, private=True)
        except ExplorerError as error:
            self._fail(error)
            return None
        if self._path is None:
            self._path = self._folder / f"{OPEN_FIRST if self._last_lock else OPEN}{self._name}"
        if self._lock is None:
            self._lock = locked(self._path, SUFFIX)
        return self._path

    def _copy(self) -> _Copy:
        return _Copy(self._file.order(), self._open.state, dict(self._open.extra), self._page(), self._open.path)

    def _write_last(self) -> bool:
        try:
            make_folder(self._folder, private=True)
            file = str(self._open.path or "")
            state, extra, page = self._open.state, self._open.extra, self._page()
            write_session(self._last, state, extra, page=page, file=file, private=True)
        except ExplorerError:
            return False
        return True

    def _drop(self) -> None:
        self._timer.stop()
        self.jobs.cancel()
        self._kept = None
        if self._path is not None:
            self._file.remove(self._path)
            self._path = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def left_over(self) -> LeftOver | None:
        """Return the youngest session that a crashed window has left, locked so that no other window offers it too."""
        return youngest_left(self._folder, OPEN, SUFFIX, self._path, read_session)

    def take(self, left: LeftOver) -> None:
        """Go on with what a crashed window has left."""
        if left.path.name.startswith(OPEN_FIRST):
            self._last_lock = locked(self._last, SUFFIX)
        self.restore(left.kept)
        left.forget()

    def restore(self, kept: Opened) -> None:
        """Show what was kept of a session, as a change of its file if that is still there."""
        path = Path(kept.file) if kept.file else None
        saved = ExplorerState()
        if path is not None:
            try:
                found = read_session(path)
            except ExplorerError:
                path = None  # the file is gone: what was kept of it has no name now
            else:
                saved, path = found.state, None if found.left_out else path  # a damaged file is not written over
        self._open.restore(kept, saved, path)
        self.keep()

    # ---- When something else takes its place ----

    def set_aside(self) -> Aside | None:
        """Keep what is open for a while, for something else takes its place; None if that cannot be done."""
        return self._aside.keep(self._open, self._page())

    def asides(self) -> list[Aside]:
        """Return what was set aside lately, the newest first."""
        return self._aside.all()

    def forget(self, *asides: Aside) -> None:
        """Delete what was set aside."""
        self._aside.forget(*asides)

    # ---- Until the next start ----

    @property
    def _last(self) -> Path:
        return self._folder / f"{LAST}{SUFFIX}"

    def go_on(self) -> Opened | None:
        """Show where the last window was left, if no other goes on there; none if there is nothing."""
        try:
            make_folder(self._folder, private=True)
        except ExplorerError:
            return None
        self._last_lock = locked(self._last, SUFFIX)
        if self._last_lock is None or not self._last.exists():
            return None
        try:
            kept = read_session(self._last)
        except ExplorerError:
            return None
        if kept.file:  # nothing of it was unsaved: the file itself tells best, but not how it was looked at
            path = Path(kept.file)
            try:
                found = read_session(path)
                if not found.left_out and is_same_subject(found.state, kept.state):
                    self._open.restore(kept, found.state, path)
                    return kept
                if not found.left_out:  # else what was kept has more
                    return self._open.open(path)
            except ExplorerError:
                pass
        self._open.restore(kept, ExplorerState(), None)
        return kept

    def keep_for_next_start(self) -> bool:
        """Keep what is open and has no file, so that closing the window loses nothing; return whether that is done."""
        return self._open.path is None and self._last_lock is not None and self._write_last()

    def end(self, *, goes_on: bool) -> None:
        """Leave things as the next start is to find them; what is not saved has been asked about."""
        if self._last_lock is not None:
            if not (goes_on and self._write_last()):
                remove(self._last)
            self._last_lock.unlock()
            self._last_lock = None
        self._drop()
