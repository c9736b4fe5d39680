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

    def changed_again(self, state: ExplorerState, old: ExplorerState, new: ExplorerState) -> ExplorerState:
        # Loaded with the first step: what goes together in a state is not asked before the first picture.
        from attention_explorer.pages.steps import changed_again

        return changed_again(state, old, new)

    def looked_at_again(self, state: ExplorerState, old: ExplorerState, new: ExplorerState) -> ExplorerState:
        from attention_explorer.pages.steps import looked_at_again

        return looked_at_again(state, old, new)
