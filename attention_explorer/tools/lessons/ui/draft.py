"""Keeps a recording on disk as it grows, and finds what was left there: a crash or a closed window loses nothing.

Each is a lesson file, ``recording-….lesson.toml``, in the user's folder for data of this program. One that no living
process has locked was left.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QLockFile, QObject

from attention_explorer.core.files import make_folder, remove, write_whole
from attention_explorer.errors import ExplorerError
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.locks import Left, locked, youngest_left
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.reading import SUFFIX, read_lesson
from attention_explorer.tools.lessons.recording import Recording
from attention_explorer.tools.lessons.to_toml import lesson_text

PREFIX = "recording-"


LeftRecording: TypeAlias = Left[Lesson]
"""A recording that was left, as a lesson."""


class Draft(QObject):
    """The file of the recording of one window; its parent is the recorder.

    Parameters
    ----------
    parent : QObject
        Who owns it.
    folder : callable
        Returns where it lies; None where nothing is kept.
    failed : callable
        Called once with the reason why it cannot be kept, and again only if it could be in between.
    """

    def __init__(self, parent: QObject, folder: Callable[[], Path | None], failed: Callable[[str], object]) -> None:
        super().__init__(parent)
        self._folder, self._failed, self._has_failed = folder, failed, False
        self._name = f"{PREFIX}{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
        self._lock: QLockFile | None = None
        self._order = 0
        self._unwritten: Callable[[], None] | None = None
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_kept)
        self.jobs.failed.connect(self._on_not_kept)

    def keep(self, recording: Recording) -> None:
        """Write a recording on the worker, in place of what was written before; one without steps is deleted there."""
        path = self._path()
        if path is None:
            return

        def write() -> None:
            lesson = recording.as_far_as_it_goes()
            if lesson.steps:
                write_whole(path, lesson_text(lesson).encode(), private=True)
            else:
                remove(path)

        self._order += 1
        self._unwritten = write
        self.jobs.request(self._order, self._work(write, self._order))

    def _work(self, write: Callable[[], None], order: int) -> Callable[[Report, Deliver], None]:
        def work(_report: Report, deliver: Deliver) -> None:
            write()
            deliver(order)

        return work

    def write_now(self) -> None:
        """Write what is not written yet, and be done when this returns."""
        self.jobs.wait(5)
        if self._unwritten is not None:
            write, self._unwritten = self._unwritten, None
            try:
                write()
            except ExplorerError as error:
                self._fail(error)

    def leave(self) -> None:
        """Write it, and leave it to be found by the next window: this one is about to close."""
        self.write_now()
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def left_over(self) -> LeftRecording | None:
        """Return the youngest recording that was left, locked so that no other window offers it too."""
        folder = self._folder()
        return None if folder is None else youngest_left(folder, PREFIX, SUFFIX, folder / self._name, read_lesson)

    def _path(self) -> Path | None:
        """Return where to write, in a folder that is there and with our lock."""
        folder = self._folder()
        if folder is None:
            return None
        path = folder / self._name
        try:
            make_folder(folder, private=True)
        except ExplorerError as error:
            self._fail(error)
            return None
        if self._lock is None:
            self._lock = locked(path, SUFFIX)
        return path

    def _on_kept(self, _key: object, order: int) -> None:
        self._has_failed = False
        if order == self._order:
            self._unwritten = None

    def _on_not_kept(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self._fail(error)

    def _fail(self, error: ExplorerError) -> None:
        had_failed, self._has_failed = self._has_failed, True
        if not had_failed:
            self._failed(f"The recording cannot be backed up, so save it in between. {error}")
