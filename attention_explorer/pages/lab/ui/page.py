"""The Lab page: one question at a time, one slider and one large picture for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lab.measure import Measurement, measured
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.views import views
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report


class LabPage(FramePage):
    """The views of Lab, and what this machine was measured to take."""

    name = "Lab"
    part = "lab"
    gestures = (
        ("Point at a picture", "see its numbers in the status bar"),
        ("Drag a handle, or ← and → on the picture", "move the main quantity"),
        ("+ and −", "a step of the main quantity, wherever the keyboard is"),
        ("↑ and ↓ on the softmax bench", "move the score of a key"),
        ("Click in a picture", "choose what is there"),
        ("Esc", "stop computing or measuring; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.measurement: Measurement | None = None
        """What this machine took. It belongs to the machine, so it is no part of the state, and undo leaves it."""
        self._is_ending = False
        """Whether measuring was stopped and the worker has not noticed yet: it does so after the run under way."""
        self.measure_button = QPushButton("Measure here")
        self.measure_button.setToolTip(
            "Run this machine’s attention (one head, queries, keys and values of n × d_k) at growing n and draw how "
            "long it takes. Esc stops."
        )
        self.measure_button.clicked.connect(self._on_measure_pressed)
        super().__init__(session, look, parent)
        self.measuring = JobQueue(self)
        self.measuring.delivered.connect(self._on_measured)
        self.measuring.progressed.connect(self._on_measuring)
        self.measuring.failed.connect(self._on_measuring_failed)
        self.measuring.finished.connect(self._on_measuring_finished)

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views(lambda: self.measurement)

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        return (self.measure_button,) if view.id is LabView.GROWTH else ()

    @property
    def measured(self) -> Measurement | None:
        return self.measurement if self.view.id is LabView.GROWTH else None

    # ---- Measuring ----

    def _on_measure_pressed(self) -> None:
        if not self.cancel():
            self.measure()

    def measure(self) -> None:
        """Run this machine's attention at growing n, on the worker, and draw the points as they come."""
        if self.measuring.is_busy():
            ending = "The stopped run has not quite ended yet. Press Measure here again in a moment."
            self.refused.emit(ending if self._is_ending else "Measuring is already under way. Press Esc to stop it.")
            return
        if self.view.id is not LabView.GROWTH:
            self.show_view(self.view_named(LabView.GROWTH))
        state = self.state
        self.measurement = None
        self._say_how_far(0.0)

        def work(report: Report, deliver: Deliver) -> None:
            report(0.0)
            for fraction, found in measured(state):
                report(fraction)
                deliver(found)

        self.measuring.request("measure", work)
        self._load()

    def _say_how_far(self, fraction: float | None) -> None:
        self.measure_button.setText("Measure here" if fraction is None else f"Cancel ({fraction:.0%})")

    def _on_measured(self, _key: object, found: Measurement) -> None:
        self.measurement = found
        self._load()

    def _on_measuring(self, _key: object, fraction: float) -> None:
        self._say_how_far(fraction)
        self.said.emit(f"measuring … {fraction:.0%}; Esc stops it")

    def _on_measuring_failed(self, _key: object, error: Exception) -> None:
        if isinstance(error, ExplorerError):
            self.refused.emit(str(error))

    def _on_measuring_finished(self, _key: object) -> None:
        if not self._is_ending:
            self._say_how_far(None)
            self.say_spot()
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
        self._say_how_far(None)
        return True

    # ---- Menu ----

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(
                "Measure here", lambda page: page.measure(), "Ctrl+M", "Run this machine’s attention at growing n"
            ),
            PageAction(""),
            *cls.view_actions(views(lambda: None)),
        )
