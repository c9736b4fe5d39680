"""Saving sessions that name large files of attention, or arrays from Python: on a worker, then the session itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.file_places import named_files
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable

if TYPE_CHECKING:
    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.sources.saved_files import SavedFiles

Save = Callable[["SavedFiles"], object]


class FilesToSave(QObject):
    """Reads and copies what a session is saved with.

    Parameters
    ----------
    parent : QObject
        Who owns it.
    failed : callable
        Called with the reason why a copy could not be written.
    """

    def __init__(self, parent: QObject, failed: Callable[[str], object]) -> None:
        super().__init__(parent)
        self._failed = failed
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def prepare(self, state: ExplorerState, path: Path, save: Save) -> None:
        """Call ``save`` with what is to be named in a session at a path: at once where nothing takes time."""
        from attention_explorer.sources.saved_files import SavedFiles, files_to_save, takes_time

        files = named_files(state)
        if not any(map(takes_time, files)):
            save(SavedFiles({}, ()))
            return

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(files_to_save(files, path))

        self.jobs.request(save, work, replace=True)

    def _on_delivered(self, save: Save, found: SavedFiles) -> None:
        save(found)

    def _on_failed(self, _save: Save, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self._failed(str(error))
