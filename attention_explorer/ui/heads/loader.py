"""From a state to what is drawn: at once where that is quick, else on a worker, the old picture staying meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal

from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import watched
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.side_by_side import side_by_side
from attention_explorer.state.heads.cost import blocks, is_quick
from attention_explorer.state.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.state.heads.large_picture import LargePicture, large_picture
from attention_explorer.state.heads.state import HeadsSetup, HeadsState, Picture, SortBy
from attention_explorer.state.heads.survey import HeadSurvey, head_survey, survey_heads
from attention_explorer.state.heads.verdict import verdict

DELIVERY_INTERVAL_SECONDS = 0.05
"""Heads are handed over about 20 times a second, as many as there are: one by one they would crowd the window."""
FIRST_DELIVERY_SECONDS = 0.15
"""What is done sooner comes in one piece: the window has the large picture to paint meanwhile."""

CELLS_OF_A_LARGE_MAP = 2**16
"""From so many weights on, a head takes most of its time in arithmetic that does not hold up Python."""

Part: TypeAlias = HeadsFrame | LargePicture | tuple[HeadSurvey, ...]
"""What is delivered, one after the other: the frame, the large picture, and the heads so far."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted: the state, and the pixels there are for the large picture."""

    heads: HeadsState
    tiles: tuple[int, int]

    @classmethod
    def of(cls, heads: HeadsState, tiles: tuple[int, int]) -> Order:
        """Return the order for a state; what does not alter the numbers or the colours is left out."""
        other = heads.other if heads.view.picture is Picture.COMPARE else None
        # Stages and comparisons show whole maps, whatever part is in view.
        window = heads.view.window if heads.view.picture in (Picture.HEATMAP, Picture.LINES) else None
        view = replace(heads.view, row=None, column=None, sort=SortBy.NUMBER, window=window)
        return cls(HeadsState(heads.setup, view, other), tiles)


class HeadsLoader(QObject):
    """Computes what an order needs and hands it over part by part.

    Signals
    -------
    delivered : Order, Part
        A part is ready. Parts of one order come in order; an order may be overtaken by a newer one.
    failed : str
        Why an order cannot be carried out.
    busy_changed : bool
        Whether something is being computed on the worker that somebody waits for.
    progressed : float
        So much of it is done, 0…1.
    """

    delivered = Signal(object, object)
    failed = Signal(str)
    busy_changed = Signal(bool)
    progressed = Signal(float)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self.delivered)
        self.jobs.failed.connect(self._on_failed)
        self.jobs.progressed.connect(self._on_progressed)
        self.jobs.finished.connect(self._on_finished)
        self._surveyed: tuple[HeadsFrame, tuple[HeadSurvey, ...]] | None = None
        self._is_busy = False

    @property
    def is_busy(self) -> bool:
        """Whether something is on its way."""
        return self._is_busy

    def load(self, order: Order) -> bool:
        """Carry out an order, the newest one wins; return whether it is done, and not on its way."""
        if not is_quick(order.heads.setup):
            self._set_busy(True)
            self.jobs.request(order, self._work(order))
            return False
        self.cancel()  # what is still being computed for an older order is not wanted any more
        try:
            for part in self._parts(order):
                self.delivered.emit(order, part)
        except ExplorerError as error:
            self.failed.emit(str(error))
            return False
        return True

    def cancel(self) -> None:
        """Drop what is on its way: nothing of it comes any more, and the worker notices at the next block."""
        self.jobs.cancel()
        self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        if busy != self._is_busy:
            self._is_busy = busy
            self.busy_changed.emit(busy)

    # ---- The work ----

    def _parts(self, order: Order, progress: _Progress | None = None) -> Iterator[Part]:
        progress = _Progress(order.heads.setup) if progress is None else progress
        frame = frame_to_show(order.heads.setup)
        verdict(frame)  # kept for the note, which asks for it
        progress.has_frame()
        picture = large_picture(order.heads, frame, order.tiles)
        progress.has_picture()
        yield frame
        yield picture
        yield from self._walls(frame)

    def _walls(self, frame: HeadsFrame) -> Iterator[tuple[HeadSurvey, ...]]:
        """Yield the heads there are, now and then, and at the end all of them."""
        if self._surveyed is None or self._surveyed[0].layers is not frame.layers:
            surveys: list[HeadSurvey] = []
            due = time.monotonic() + FIRST_DELIVERY_SECONDS
            for survey in _surveys(frame):
                surveys.append(survey)
                if time.monotonic() >= due:
                    yield tuple(surveys)
                    due = time.monotonic() + DELIVERY_INTERVAL_SECONDS
            self._surveyed = frame, tuple(surveys)
        yield self._surveyed[1]

    def _work(self, order: Order) -> Callable[[Report, Deliver], None]:
        def work(report: Report, deliver: Deliver) -> None:
            progress = _Progress(order.heads.setup, report)
            with watched(progress.pass_block):
                for part in self._parts(order, progress):
                    deliver(part)

        return work

    # ---- The worker ----

    def _on_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.failed.emit(str(error))

    def _on_progressed(self, _key: object, fraction: float) -> None:
        self.progressed.emit(fraction)

    def _on_finished(self, _key: object) -> None:
        if not self.jobs.is_busy():
            self._set_busy(False)


def _surveys(frame: HeadsFrame) -> Iterator[HeadSurvey]:
    """Yield the heads of all layers: large maps side by side, for small ones threads would only wait for each other."""
    if frame.shape[0] * frame.shape[1] < CELLS_OF_A_LARGE_MAP:
        return survey_heads(frame)
    places = ((layer, head) for layer in range(len(frame.layers)) for head in range(frame.heads))
    return side_by_side(partial(head_survey, frame, *place) for place in places)


class _Progress:
    """Counts the blocks that are computed, over those that are expected.

    What is kept from the time before is skipped, and what was not expected is not counted.
    """

    def __init__(self, setup: HeadsSetup, report: Report = lambda _fraction: None) -> None:
        self._blocks, self._report = blocks(setup), report
        self._done, self._end = 0, self._blocks.frame

    def pass_block(self) -> None:
        """Count a block."""
        self._done = min(self._done + 1, self._end)
        self._report(self._done / self._blocks.all)

    def has_frame(self) -> None:
        """Go on to the large picture."""
        self._done = self._blocks.frame
        self._end = self._done + self._blocks.picture

    def has_picture(self) -> None:
        """Go on to the wall."""
        self._done = self._end
        self._end = self._blocks.all
