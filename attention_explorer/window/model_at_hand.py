"""One model that is on this computer already, offered where a sentence is read by the small model of the box."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from attention_explorer.session.jobs import Working
from attention_explorer.session.later import later
from attention_explorer.sources.model_recipe import model_at

if TYPE_CHECKING:
    from attention_explorer.sources.models.found import FoundModel
    from attention_explorer.window.window import MainWindow

AFTER_MILLISECONDS = 1500
"""After the first picture, and what is loaded behind it."""
NO_WORDS = ("esm",)
"""Families that read no words: proteins."""


class ModelAtHand(QObject):
    """Looks for models once, on a worker, and offers the one that was opened last, or else the smallest."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._found: FoundModel | None = None
        self.working = Working(self)
        window.turned.connect(self._offer)

    def look(self, used: Iterable[Path], after: int = AFTER_MILLISECONDS) -> None:
        """Look soon; those that were ``used`` count from the newest."""
        search = partial(_search, tuple(used))
        later(self, lambda: self.working.find_out(search, self._on_found), after)

    def _on_found(self, found: FoundModel | None) -> None:
        self._found = found
        self._offer()

    def _offer(self) -> None:
        if self._found is not None:
            path = self._found.path
            self._window.page.offer_model(self._found.name, lambda: self._window.files.open(path))


def _search(used: tuple[Path, ...]) -> FoundModel | None:
    from attention_explorer.sources.models.found import find_models

    return best_of(find_models(used=used), used)


def best_of(models: Iterable[FoundModel], used: Iterable[Path]) -> FoundModel | None:
    """Return the model that was opened last, or else the one that takes least memory; none if no model reads words."""
    lately = [path.resolve() for path in map(model_at, used) if path is not None]

    def rank(model: FoundModel) -> tuple[int, int]:
        real = model.path.resolve()
        return lately.index(real) if real in lately else len(lately), model.needed

    fit = [model for model in models if not model.reason and model.fits and not model.family.startswith(NO_WORDS)]
    return min(fit, key=rank, default=None)
