"""Play: what a page shows goes on by itself, until it is stopped or a person takes over."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.session import Session


class Player(QObject):
    """Changes the state while it runs; all of it is one step of Back, made when it stops.

    Signals
    -------
    running_changed : bool
        It has begun or stopped.
    """

    running_changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._is_running = False
        self._last = session.state
        """To where this has brought the state."""

    @property
    def is_running(self) -> bool:
        """Whether it goes on by itself."""
        return self._is_running

    def start(self) -> None:
        """Go on from the state there is."""
        if self._is_running:
            return
        self._session.commit()
        self._last, self._is_running = self._session.state, True
        self.begin()
        self.running_changed.emit(True)

    def stop(self) -> bool:
        """Stop, and make where it has come to a step of Back; return whether it was running."""
        if not self._is_running:
            return False
        self._is_running = False
        self.end()
        if self.is_own(self._session.state):  # or else somebody changed something, and committed that
            self._session.commit()
        self.running_changed.emit(False)
        return True

    def toggle(self) -> None:
        """Begin or stop."""
        if not self.stop():
            self.start()

    def go(self, state: ExplorerState, label: str) -> None:
        """Show what comes next."""
        self._last = state
        self._session.preview(state, label)

    # ---- For players to say ----

    def begin(self) -> None:
        """Set going what calls `go` from time to time."""
        raise NotImplementedError

    def end(self) -> None:
        """Stop that."""
        raise NotImplementedError

    def is_own(self, state: ExplorerState) -> bool:
        """Whether a state is what this has made of it: else a person took over."""
        return state == self._last
