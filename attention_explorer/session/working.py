"""Finds out one thing at a time: at once, or aside on a worker so that the window goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject

from attention_explorer.errors import ExplorerError
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable

T = TypeVar("T")


class Working(QObject):
    """Finds out one thing at a time: what is asked for last is what is wanted. Nothing comes after `forget`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)
        self._awaited: tuple[Callable[[Any], None], Callable[[ExplorerError], None]] | None = None
        """What is done with what is found out, or with what is wrong; None if nobody waits for it."""
        self.jobs.delivered.connect(self._on_found)
        self.jobs.failed.connect(self._on_failed)

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for what is computed aside."""
        return self._awaited is not None

    def find_out(
        self,
        compute: Callable[[], T],
        use: Callable[[T], None],
        refuse: Callable[[ExplorerError], None],
        *,
        aside: bool = True,
    ) -> None:
        """Compute something and use it: at once, or aside where that may take a while."""
        if not aside:
            try:
                found = compute()
            except ExplorerError as error:
                refuse(error)
            else:
                use(found)
            return

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(compute())

        self._awaited = use, refuse
        self.jobs.request(id(work), work, replace=True)

    def forget(self) -> None:
        """Wait for nothing any more."""
        self.jobs.cancel()
        self._awaited = None

    def _on_found(self, _key: object, found: object) -> None:
        if self._awaited is not None:
            (use, _), self._awaited = self._awaited, None
            use(found)

    def _on_failed(self, _key: object, error: Exception) -> None:
        if self._awaited is not None:
            (_, refuse), self._awaited = self._awaited, None
            if isinstance(error, ExplorerError):
                refuse(error)
