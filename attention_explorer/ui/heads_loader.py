"""From a state to what is drawn: at once where that is quick, else on a worker, the old picture staying meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from attention_explorer.errors import ExplorerError
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.state.heads import HeadsSetup, HeadsState, Picture, SortBy
from attention_explorer.state.heads_frame import HeadsFrame, heads_frame
from attention_explorer.state.heads_survey import HeadSurvey, survey_heads
from attention_explorer.state.large_picture import LargePicture, large_picture
from attention_explorer.state.map_picture import Window

QUICK_OPERATIONS = 3e7
"""Multiplications that take less than about 20 ms; more than that is done on the worker."""

Part: TypeAlias = HeadsFrame | LargePicture | tuple[HeadSurvey, ...]
"""What is delivered, one after the other: the frame, the large picture, and the heads so far."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted: the state, the part of the map in view, and the pixels there are for it."""

    heads: HeadsState
    window: Window | None
    tiles: tuple[int, int]

    @classmethod
    def of(cls, heads: HeadsState, window: Window | None, tiles: tuple[int, int]) -> Order:
        """Return the order for a state; what does not alter the numbers or the colours is left out."""
        other = heads.other if heads.view.picture is Picture.COMPARE else None
        view = replace(heads.view, row=None, column=None, sort=SortBy.NUMBER)
        return cls(HeadsState(heads.setup, view, other), window, tiles)


def operations(setup: HeadsSetup) -> float:
    """Estimate the multiplications that a setup and the wall of its heads take."""
    recipe = setup.recipe
    n_q, n_k = len(recipe.tokens), len(recipe.context_tokens)
    if not isinstance(recipe, ToyRecipe):
        return 8.0 * n_q * n_k * max(n_q, 16)
    width = recipe.heads * recipe.head_width
    projections = 3.0 * (n_q + n_k) * recipe.d_model * width
    return recipe.layers * (projections + n_q * n_k * (2.0 * width + 60.0 * recipe.heads))


class HeadsLoader(QObject):
    """Computes what an order needs and hands it over part by part.

    Signals
    -------
    delivered : Order, Part
        A part is ready. Parts of one order come in order; an order may be overtaken by a newer one.
    failed : str
        Why an order cannot be carried out.
    busy_changed : bool
        Whether something is being computed on the worker.
    """

    delivered = Signal(object, object)
    failed = Signal(str)
    busy_changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self.delivered)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.started.connect(self._on_started)
        self.jobs.finished.connect(self._on_finished)
        self._surveyed: tuple[HeadsFrame, tuple[HeadSurvey, ...]] | None = None

    def load(self, order: Order) -> None:
        """Carry out an order; the newest one wins."""
        if operations(order.heads.setup) > QUICK_OPERATIONS:
            self.jobs.request(order, self._work(order))
            return
        self.jobs.cancel()  # what is still being computed for an older order is not wanted any more
        try:
            for part in self._parts(order):
                self.delivered.emit(order, part)
        except ExplorerError as error:
            self.failed.emit(str(error))

    def _parts(self, order: Order) -> Iterator[Part]:
        frame = heads_frame(order.heads.setup)
        yield frame
        yield large_picture(order.heads, frame, order.window, order.tiles)
        same_heads = self._surveyed is not None and self._surveyed[0].layers is frame.layers
        if same_heads and self._surveyed is not None:
            yield self._surveyed[1]
            return
        surveys: tuple[HeadSurvey, ...] = ()
        for survey in survey_heads(frame):
            surveys = (*surveys, survey)
            if operations(order.heads.setup) > QUICK_OPERATIONS:
                yield surveys  # each as it is ready
        self._surveyed = frame, surveys
        yield surveys

    def _work(self, order: Order) -> Callable[[Report, Deliver], None]:
        recipe = order.heads.setup.recipe
        heads = recipe.heads * recipe.layers if isinstance(recipe, ToyRecipe) else 6

        def work(report: Report, deliver: Deliver) -> None:
            for done, part in enumerate(self._parts(order)):
                deliver(part)
                report(min(done / (heads + 2), 1.0))

        return work

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.failed.emit(str(error))

    def _on_started(self, _key: object) -> None:
        self.busy_changed.emit(True)

    def _on_finished(self, _key: object) -> None:
        self.busy_changed.emit(self.jobs.is_busy())
