"""Play: the position moves by itself, so that the hands turn at their speeds."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session

MILLISECONDS = 33
"""About 30 frames a second."""
SLOWEST = 12.0
"""Positions a second."""
LONGEST_SECONDS = 20.0
"""How long a walk over all positions may take."""


class PositionsPlayer(QObject):
    """Moves the position while it runs; all of it is one step, made when it stops.

    Signals
    -------
    running_changed : bool
        It has begun or stopped.
    """

    running_changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._timer = QTimer(self)
        self._timer.setInterval(MILLISECONDS)
        self._timer.timeout.connect(self._on_timeout)
        self._clock = QElapsedTimer()
        self._start = 0
        self._last: ExplorerState | None = None

    @property
    def is_running(self) -> bool:
        """Whether the position moves."""
        return self._timer.isActive()

    def start(self) -> None:
        """Begin to move on from the position of the state."""
        if self.is_running:
            return
        self._session.commit()
        self._start = self._session.state.positions.position_shown
        self._last = self._session.state
        self._clock.start()
        self._timer.start()
        self.running_changed.emit(True)

    def stop(self) -> None:
        """Stop, and make where it has come to a step."""
        if not self.is_running:
            return
        self._timer.stop()
        if self._session.state == self._last:  # or else somebody changed something, and committed that
            self._session.commit()
        self.running_changed.emit(False)

    def toggle(self) -> None:
        """Begin or stop."""
        if self.is_running:
            self.stop()
        else:
            self.start()

    def step(self) -> None:
        """Move on by one position, for who wants nothing to move by itself."""
        state = self._session.state
        position = (state.positions.position_shown + 1) % state.positions.length
        moved = replace(state, positions=state.positions.with_position(position))
        self._session.apply(moved, "Step", merge="positions step")

    def _on_timeout(self) -> None:
        state = self._session.state
        if state != self._last:
            self.stop()  # a person took over
            return
        length = state.positions.length
        speed = max(SLOWEST, length / LONGEST_SECONDS)
        position = (self._start + int(self._clock.elapsed() / 1000.0 * speed)) % length
        moved = replace(state, positions=state.positions.with_position(position))
        self._last = moved
        self._session.preview(moved, "Play")
