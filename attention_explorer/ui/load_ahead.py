"""Loads on a worker, once the window is there, what is needed later: no page has to be loaded while a hand waits."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from PySide6.QtCore import QObject, QTimer

from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.ui.page import PAGES

AFTER_MILLISECONDS = 400
"""After the first picture: that must not wait for anything that is loaded here."""


def modules_ahead() -> list[str]:
    """Return what is imported only where it is needed, which takes up to 0.3 s at first: pages, sources, exporting."""
    package = "attention_explorer.sources"
    sources = (found.name for found in iter_modules(import_module(package).__path__, f"{package}."))
    beside = (f"attention_explorer.pages.{name}" for name in ("lessons", "terms", "search", "presenting"))
    rooms = [*(entry.package for entry in PAGES), "attention_explorer.ui.export", *beside]
    of_rooms = [found.name for room in rooms for found in iter_modules(import_module(room).__path__, f"{room}.")]
    return of_rooms + [name for name in sources if name.endswith("_source")]


class LoadAhead(QObject):
    """Imports them one after the other. What is wanted before its turn is loaded at once, as ever."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)

    def start(self) -> None:
        """Begin soon."""
        QTimer.singleShot(AFTER_MILLISECONDS, self, lambda: self.jobs.request("ahead", load))


def load(report: Report, _deliver: Deliver) -> None:
    """Import all of them; between two it can be cancelled."""
    names = modules_ahead()
    for number, name in enumerate(names):
        report(number / len(names))
        import_module(name)
