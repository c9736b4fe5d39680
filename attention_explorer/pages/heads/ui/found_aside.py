"""Something that is asked of all layers of a model, found on a worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject

from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.session.jobs import Working
from attention_explorer.sources.source import Recipe

T = TypeVar("T")


class FoundAside(QObject, Generic[T]):
    """What is found for a setup; the newest one counts. Until its answer is there, that for the same text stays.

    Parameters
    ----------
    find : callable
        (setup) -> the answer, on the worker; an ExplorerError leaves it at None, for the picture says why.
    told : callable
        Called when `found` is another.
    parent : QObject
        The owner.
    """

    def __init__(self, find: Callable[[HeadsSetup], T], told: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._find, self._told = find, told
        self._wanted: HeadsSetup | None = None
        self.found: T | None = None
        self.working = Working(self)

    def keep_for(self, recipe: Recipe | None) -> None:
        """Forget what was found of anything else than this."""
        if self._wanted is not None and self._wanted.recipe != recipe:
            self.working.forget()
            self._wanted = None
            self._show(None)

    def ask(self, setup: HeadsSetup | None) -> None:
        """Ask for a setup; None asks nothing."""
        self.keep_for(None if setup is None else setup.recipe)
        if setup is None or setup == self._wanted:
            return
        self._wanted = setup
        self.working.find_out(lambda: self._find(setup), self._show, lambda _error: self._show(None))

    def _show(self, found: T | None) -> None:
        self.found = found
        self._told()
