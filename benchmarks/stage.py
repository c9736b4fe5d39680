"""The real window with a mouse in it: events go in, and pixels are waited for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from attention_explorer.app import make_application
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState, Part
from attention_explorer.pages.lookup.ui.canvas import LookupCanvas
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import JobQueue
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.window.window import MainWindow

SIZE = QSize(1280, 800)
SECONDS_TO_SETTLE = 0.4
RADIUS, STEP = 60.0, 0.1
"""The pointer's circle in pixels, and the angle from one move to the next in radians: about 6 px a move."""


class PaintCounter(QObject):
    """Counts the paint events of one widget, as proof that what was timed was painted."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.paints = 0
        self._seen = 0
        watched.installEventFilter(self)

    def must_have_painted(self) -> None:
        """Raise if there was no paint event since the last call."""
        if self.paints == self._seen:
            raise RuntimeError("A frame was not painted, so there was nothing to measure.")
        self._seen = self.paints

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Count and let everything pass."""
        self.paints += event.type() is QEvent.Type.Paint
        return False


Canvas = TypeVar("Canvas", bound=QWidget)


class Stage(Generic[Canvas]):
    """A shown main window of 1280×800 with a page, and settings of its own; ``canvas`` is the page's large picture."""

    def __init__(self, settings: Path, state: ExplorerState, page: str, canvas: type[Canvas]) -> None:
        make_application()
        self.session = Session(state)
        store = SettingsStore(settings)
        # What was chosen is shown at once: how long a picture is on its way to it is no matter of speed.
        settings_of_it = replace(Settings(), theme=ThemeChoice.LIGHT, page=page, reduced_motion=True)
        self.window = MainWindow(self.session, store, settings_of_it)
        self.window.resize(SIZE)
        self.window.show()
        self.page = self.window.page
        self.canvas: Canvas = self.page.findChildren(canvas)[0]
        self.activate()
        self.counter = PaintCounter(self.canvas)

    def activate(self) -> None:
        """Give the keyboard to the picture, as a click does; a window opened later takes it away."""
        self.window.activateWindow()
        self.canvas.setFocus()
        settle()

    def pixels(self) -> QImage:
        """Return what has arrived on the screen, without painting anything."""
        return self.window.screen().grabWindow(self.window.winId()).toImage()

    def close(self) -> None:
        """Take the window away."""
        self.window.close()
        self.window.deleteLater()
        settle()


def lookup_stage(settings: Path, lookup: LookupState) -> Stage[LookupCanvas]:
    """Open the Lookup page in a state."""
    return Stage(settings, ExplorerState(lookup=lookup), "lookup", LookupCanvas)


class PointerDrag:
    """A pointer that has pressed on a part of the plane and goes round in a circle."""

    def __init__(self, stage: Stage[LookupCanvas], part: Part) -> None:
        self._canvas, self._counter = stage.canvas, stage.counter
        self._start = stage.canvas.scene().place(part)
        self._path = self._circle()
        self._next = self._start
        self._event = mouse_event(self._canvas, QEvent.Type.MouseButtonPress, self._start)
        QApplication.sendEvent(self._canvas, self._event)
        self._prove_that_pixels_arrive(stage)

    def _circle(self) -> Iterator[QPointF]:
        for step in count(1):
            angle = STEP * step
            yield self._start + QPointF(RADIUS * (math.cos(angle) - 1), RADIUS * math.sin(angle))

    def aim(self) -> None:
        """Make the next mouse event."""
        self._next = next(self._path)
        self._event = mouse_event(self._canvas, QEvent.Type.MouseMove, self._next)

    def move(self) -> None:
        """Send it, and return when everything that it changed is painted."""
        QApplication.sendEvent(self._canvas, self._event)
        paint()
        self._counter.must_have_painted()

    def release(self) -> None:
        """Let go."""
        QApplication.sendEvent(self._canvas, mouse_event(self._canvas, QEvent.Type.MouseButtonRelease, self._next))
        settle()

    def _prove_that_pixels_arrive(self, stage: Stage[LookupCanvas]) -> None:
        for _ in range(5):
            before = stage.pixels()
            self.aim()
            self.move()
            if stage.pixels() == before:
                raise RuntimeError("A mouse move did not change a pixel, so there is nothing to measure.")


def mouse_event(target: QWidget, kind: QEvent.Type, at: QPointF, *, pressed: bool = True) -> QMouseEvent:
    """Return an event of the left button; a move is with the button down unless it is said not to be."""
    moving = kind is QEvent.Type.MouseMove
    released = kind is QEvent.Type.MouseButtonRelease
    button, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    return QMouseEvent(
        kind,
        at,
        target.mapToGlobal(at),
        none if moving else button,
        none if released or (moving and not pressed) else button,
        Qt.KeyboardModifier.NoModifier,
    )


def paint() -> None:
    """Deliver everything that waits: layouts first, then the repaint of every widget that asked for one."""
    QApplication.sendPostedEvents()
    QApplication.processEvents()


def paint_when_done(jobs: JobQueue, seconds: float) -> None:
    """Return when nothing is computed any more and everything is painted; raise if that takes more seconds."""
    if jobs.is_busy() and not jobs.wait(seconds):
        raise RuntimeError(f"The worker was not done in {seconds:g} s.")
    paint()


def settle() -> None:
    """Let layouts, animations and timers of a window that has just changed come to rest."""
    end = perf_counter() + SECONDS_TO_SETTLE
    while perf_counter() < end:
        paint()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
