"""Play: the position moves by itself, so that the hands turn at their speeds."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from attention_explorer.pages.ui.player import Player
from attention_explorer.pages.ui.session import Session

MILLISECONDS = 33
"""About 30 frames a second."""
SLOWEST = 12.0
"""Positions a second."""
LONGEST_SECONDS = 20.0
"""How long a walk over all positions may take."""


class PositionsPlayer(Player):
    """Moves the position."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, parent)
        self._timer = QTimer(self)
        self._timer.setInterval(MILLISECONDS)
        self._timer.timeout.connect(self._on_timeout)
        self._clock = QElapsedTimer()
        self._start = 0

    def begin(self) -> None:
        self._start = self._session.state.positions.position_shown
        self._clock.start()
        self._timer.start()

    def end(self) -> None:
        self._timer.stop()

    def step(self) -> None:
        """Move on by one position, for who wants nothing to move by itself."""
        state = self._session.state
        position = (state.positions.position_shown + 1) % state.positions.length
        moved = replace(state, positions=state.positions.with_position(position))
        self._session.apply(moved, "Step", merge="positions step")

    def _on_timeout(self) -> None:
        state = self._session.state
        if not self.is_own(state):
            self.stop()  # a person took over
            return
        length = state.positions.length
        speed = max(SLOWEST, length / LONGEST_SECONDS)
        position = (self._start + int(self._clock.elapsed() / 1000.0 * speed)) % length
        self.go(replace(state, positions=state.positions.with_position(position)), "Play")
