"""The session of the window: its state, how that changes, and its history."""

from __future__ import annotations

import time
from collections.abc import Callable

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.session.session import StateSession


class Session(StateSession[ExplorerState]):
    """Holds what every page shows; a new one shows what the window begins with."""

    def __init__(self, state: ExplorerState | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(ExplorerState() if state is None else state, clock)
