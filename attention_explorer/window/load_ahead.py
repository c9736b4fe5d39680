"""Loads on a worker, once the window is there, what is needed later: no page has to be loaded while a hand waits."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from PySide6.QtCore import QObject, Signal

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.later import later
from attention_explorer.tools.registry import PACKAGES as TOOLS

AFTER_MILLISECONDS = 400
"""After the first picture: that must not wait for anything that is loaded here."""
LESSONS_AFTER_MILLISECONDS = 150
"""The same, where somebody who is here for the first time waits for the lessons."""
_LESSONS = "attention_explorer.tools.lessons"


def modules_ahead() -> list[str]:
    """Return what is imported where it is needed, which takes up to 0.3 s at first: pages, plots, files, sources."""
    package = "attention_explorer.sources"
    sources = (found.name for found in iter_modules(import_module(package).__path__, f"{package}."))
    kit = (f"attention_explorer.kit.{room}" for room in ("items", "export"))
    rooms = [*(entry.package for entry in PAGES), *kit, *TOOLS]
    of_rooms = [found.name for room in rooms for found in iter_modules(import_module(room).__path__, f"{room}.")]
    return of_rooms + [name for name in sources if name.endswith("_source")]


class LoadAhead(QObject):
    """Imports them one after the other. What is wanted before its turn is loaded at once, as ever.

    Signals
    -------
    lessons_ready
        The lessons page can be shown without loading or reading anything.
    """

    lessons_ready = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_delivered)

    def _on_delivered(self) -> None:
        self.lessons_ready.emit()

    def start(self, *, lessons_first: bool = False) -> None:
        """Begin soon; sooner with the lessons, where these are what is offered first."""
        work = partial(load, lessons_first=lessons_first)
        after = LESSONS_AFTER_MILLISECONDS if lessons_first else AFTER_MILLISECONDS
        later(self, lambda: self.jobs.request("ahead", work), after)


def load(report: Report, deliver: Deliver, *, lessons_first: bool = False) -> None:
    """Import all of them; between two it can be cancelled. Deliver that the lessons are there, once they are read."""
    names = modules_ahead()
    if lessons_first:
        names.sort(key=lambda name: not name.startswith(_LESSONS))
    last = max(place for place, name in enumerate(names) if name.startswith(_LESSONS))
    for number, name in enumerate(names):
        report(number / len(names))
        import_module(name)
        if number == last:
            with suppress(ExplorerError):  # said when they are shown
                import_module(f"{_LESSONS}.reading").lessons()
            deliver(None)
