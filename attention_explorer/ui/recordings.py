"""Opening files of attention: looked at on a worker, and shown on the Heads page as one undo step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.errors import ExplorerError
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.sources.registry import source_of

if TYPE_CHECKING:
    from attention_explorer.state.heads.state import HeadsState
    from attention_explorer.ui.window import MainWindow


class Recordings(QObject):
    """Opens files of attention in a window.

    Parameters
    ----------
    window : MainWindow
        Whose session they go into.
    opened : callable
        Called with the path of a file that was opened.
    failed : callable
        Called with the path of one that was not, and why.
    """

    def __init__(
        self, window: MainWindow, opened: Callable[[Path], object], failed: Callable[[Path, str], object]
    ) -> None:
        super().__init__(window)
        self._window, self._opened, self._failed = window, opened, failed
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)

    def open(self, path: Path) -> None:
        """Look at a file, then show what it holds."""

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.state.heads.recorded import heads_of_file

            with stoppable(report):
                deliver(heads_of_file(path))

        self._window.tell(f"Opening {path.name} …")
        self.jobs.request(path, work, replace=True)

    def _on_delivered(self, path: Path, heads: HeadsState) -> None:
        window, state = self._window, self._window.session.state
        window.show_page("heads")
        window.session.apply(replace(state, heads=replace(heads, other=state.heads.other)), f"Open {path.name}")
        self._opened(path)
        window.tell(f"Opened. {source_of(heads.setup.recipe).verdict()[1]}")

    def _on_failed(self, path: Path, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self._failed(path, str(error))
