"""Files of attention that are gone or were changed: looked for with a dialog, or opened as they are now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.file_places import named_files, with_files
from attention_explorer.session import memory
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Lookup

if TYPE_CHECKING:
    from attention_explorer.sources.lost_files import Found
    from attention_explorer.window.window import MainWindow


class LostFiles(QObject):
    """Puts other files in place of those that the state names and that are not what they were, in one undo step.

    Parameters
    ----------
    window : MainWindow
        Whose session it is.
    failed : callable
        Called with the reason why a file cannot be taken.
    """

    def __init__(self, window: MainWindow, failed: Callable[[str], object]) -> None:
        super().__init__(window)
        self._window, self._failed = window, failed
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)
        self.jobs.failed.connect(self._on_failed)
        self.checks = JobQueue(self)
        self.checks.delivered.connect(self._on_checked)

    def find(self, path: str) -> None:
        """Ask where the file is that was at a path."""
        from attention_explorer.window.session_dialogs import ask_where_it_is

        ask_where_it_is(self._window, Path(path), lambda chosen: self.look_at(path, chosen))

    def look_at(self, path: str, chosen: Path) -> None:
        """Take a file for the one that was at a path, if it holds the same; else say what is different, and ask."""
        files = self._files

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.sources.lost_files import found_among

            with stoppable(report):
                deliver(found_among(files, path, chosen))

        self._window.tell(f"Looking at {chosen.name} …")
        self.jobs.request((path, chosen), work, replace=True)

    def reopen(self, path: str) -> None:
        """Show what the file at a path holds now."""
        files = self._files

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.sources.lost_files import Found, as_it_is

            with stoppable(report):
                deliver({file: Found(as_it_is(file), "") for file in files if Path(file.path) == Path(path)})

        self.jobs.request((path, None), work, replace=True)

    def check(self) -> None:
        """Look, beside the work, whether files that were written since the session was saved are still the same."""
        files = tuple(file for file in self._files if file.whole)
        if not files:
            return

        def work(report: Report, deliver: Deliver) -> None:
            from attention_explorer.sources.lost_files import others_than_saved

            with stoppable(report):
                deliver(others_than_saved(files))

        self.checks.request(files, work, replace=True)

    def _on_checked(self, _files: object, others: tuple[FileRecipe, ...]) -> None:
        from attention_explorer.pages.ui.page import RequestingPage

        page = self._window.page
        for other in set(others) & set(self._files):
            source_of.cache_clear()
            memory.empty()  # what was computed of it is not of what was saved
            try:
                source_of(other).layers(Lookup())
            except ExplorerError as error:
                if isinstance(page, RequestingPage) and self._window.settings.page == "heads":
                    page.requests.refuse(error)

    @property
    def _files(self) -> tuple[FileRecipe, ...]:
        return named_files(self._window.session.state)

    def _on_delivered(self, key: tuple[str, Path | None], found: dict[FileRecipe, Found]) -> None:
        path, chosen = key
        name, differences = Path(path).name, [each.difference for each in found.values() if each.difference]
        if chosen is None:
            self._put(found, f"Open {name} as it is now")
        elif differences:
            from attention_explorer.window.session_dialogs import ask_whether_another_will_do

            ask_whether_another_will_do(
                self._window, name, differences[0], lambda: self._put(found, f"Open {chosen.name} in place of {name}")
            )
        else:
            self._put(found, f"Find {name}")

    def _put(self, found: dict[FileRecipe, Found], label: str) -> None:
        session = self._window.session
        session.apply(with_files(session.state, {old: each.recipe for old, each in found.items()}), label)

    def _on_failed(self, _key: object, error: Exception) -> None:
        self._window.statusBar().clearMessage()
        if isinstance(error, ExplorerError):
            self._failed(str(error))
