"""The Cost page: what attention costs, counted and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.cost.measure import Measurement, measured
from attention_explorer.pages.cost.state import CostPicture, CostState
from attention_explorer.pages.cost.ui.bar import CostBar
from attention_explorer.pages.cost.ui.controls import CostControls
from attention_explorer.pages.cost.ui.pictures import cost_drawings
from attention_explorer.pages.cost.wording import picture_title, verdict
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.picture_page import PicturesPage
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure


class CostPage(PicturesPage[CostState]):
    """Sizes above, the picture with its controls, and beside it what it says. What was measured is kept here."""

    part = "cost"
    least_heights = 390, 400  # below which the rows of the tables could not be read
    gestures = (
        ("Point at a bar, a square, a line or a point", "see its formula with the numbers in the status bar"),
        ("Click the bar at 2n", "double n"),
        ("Click the curves", "move n there"),
        ("Left and right arrow keys", "halve and double n"),
        ("Esc", "stop measuring; points that are there stay"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.measurement: Measurement | None = None
        """What this machine took. It belongs to the machine, so it is no part of the state, and undo leaves it."""
        self._drawings = cost_drawings(lambda: self.measurement)
        self._is_ending = False
        """Whether measuring was stopped and the worker has not noticed yet: it does so after the run under way."""
        super().__init__(session, look, parent)
        self.measuring = JobQueue(self)
        self.measuring.delivered.connect(self._on_measured)
        self.measuring.progressed.connect(self._on_measuring)
        self.measuring.failed.connect(self._on_measuring_failed)
        self.measuring.finished.connect(self._on_measuring_finished)
        self.cost_controls.measure_wanted.connect(self.measure)
        self.cost_controls.stop_wanted.connect(self.cancel)

    # ---- What the frame asks ----

    def make_bar(self) -> CostBar:
        return CostBar(self.session, self.part, self.look)

    def make_controls(self) -> CostControls:
        self.cost_controls = CostControls(self.session, self.part, self.look)
        return self.cost_controls

    def drawing_of(self, state: CostState) -> PictureDrawing[CostState, Any, Any]:
        return self._drawings[state.picture]

    @property
    def measured(self) -> Measurement | None:
        return self.measurement if self.state.picture is CostPicture.GROWTH else None

    def title_of(self, state: CostState) -> str:
        return picture_title(state)

    def verdict_of(self, state: CostState) -> tuple[TextLine, ...]:
        headline, lines = verdict(state)
        return notes_of((headline, *lines))

    # ---- Measuring ----

    def measure(self) -> None:
        """Run this machine's attention at growing n, on the worker, and draw the points as they come."""
        if self.measuring.is_busy():
            ending = "The stopped run has not quite ended yet. Press Measure here again in a moment."
            self.refused.emit(ending if self._is_ending else "Measuring is already under way. Press Esc to stop it.")
            return
        state = self.state
        if state.picture is not CostPicture.GROWTH:
            self.bar.choose_picture(CostPicture.GROWTH)
        self.measurement = None
        self.cost_controls.show_measuring(0.0)

        def work(report: Report, deliver: Deliver) -> None:
            report(0.0)
            for fraction, found in measured(state):
                report(fraction)
                deliver(found)

        self.measuring.request("measure", work)
        self._load()

    def _on_measured(self, _key: object, found: Measurement) -> None:
        self.measurement = found
        self._load()

    def _on_measuring(self, _key: object, fraction: float) -> None:
        self.cost_controls.show_measuring(fraction)
        self.said.emit(f"measuring … {fraction:.0%}; Esc stops it")

    def _on_measuring_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.refused.emit(str(error))

    def _on_measuring_finished(self, _key: object) -> None:
        if not self._is_ending:
            self.cost_controls.show_measuring(None)
            self.said.emit(self.canvas.words())
        self._is_ending = False

    def cancel(self) -> bool:
        if not self._stop_measuring():
            return super().cancel()
        self.said.emit("Measuring was stopped. The points measured so far stay.")
        return True

    def stop(self) -> None:
        self._stop_measuring()

    def _stop_measuring(self) -> bool:
        """Return whether there was something to stop."""
        if self._is_ending or not self.measuring.is_busy():
            return False
        self._is_ending = True
        self.measuring.cancel()
        self.cost_controls.show_measuring(None)
        return True

    # ---- Keys and menu ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_M and not event.modifiers():
            self.measure()
            return
        super().keyPressEvent(event)

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(
                "Measure here", lambda page: page.measure(), "Ctrl+M", "Run this machine’s attention at growing n"
            ),
            PageAction(""),
            *cls.picture_actions((picture, picture.value, "") for picture in CostPicture),
        )

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.pages.cost.ui.figure import cost_figure

        return cost_figure(self.state, self.measurement)
