"""The current state of the window, how it changes, and its history."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, Protocol, Self, TypeVar

from PySide6.QtCore import QObject, Signal

from attention_explorer.core.counting import Count
from attention_explorer.session.history import History, Step

MERGE_WITHIN_SECONDS = 1.0
"""Key presses and wheel steps of one kind that follow each other faster than this are one undo step."""


class Held(Protocol):
    """What a session holds: an immutable value."""

    def counted(self, count: Count) -> Self:
        """Return it with layers, heads and tokens numbered in one way."""
        ...

    def followed(self, old: Self) -> Self:
        """Return it with what a change from ``old`` leaves behind, such as the trail of a lookup."""
        ...


State = TypeVar("State", bound=Held)


class StateSession(QObject, Generic[State]):
    """Holds one immutable state and announces every change of it.

    ``preview`` shows a state while a gesture is under way, ``commit`` turns what was previewed into one undo step and
    ``revert`` puts back what was there before the gesture.

    Signals
    -------
    changed : (old, new)
        The state has changed. Emitted at once, never for a change to an equal state.
    undone, redone : (old, new, text)
        Undo or redo has gone one step through the history; the text names the change. Emitted after ``changed``.
    """

    changed = Signal(object, object)
    undone = Signal(object, object, str)
    redone = Signal(object, object, str)

    def __init__(self, state: State, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.count = Count.FROM_ONE
        """How the states that are shown are numbered, wherever they come from: a setting, which undo leaves alone."""
        self._state: State = state.counted(self.count)
        self._committed = self._state
        self.aside: State | None = None
        """The person's own work, while something else is shown in its place: that is what is kept of it."""
        self._label = ""
        self._clock = clock
        self.history: History[State] = History(self)

    @property
    def state(self) -> State:
        """What the window shows now."""
        return self._state

    @property
    def committed(self) -> State:
        """The state that the history ends with: what the window shows without a preview."""
        return self._committed

    @property
    def is_previewing(self) -> bool:
        """Whether a change is shown that is not yet part of the history."""
        return self._state != self._committed

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back; a preview under way counts."""
        return self.is_previewing or self.history.can_undo

    @property
    def undo_text(self) -> str:
        """What `undo` would take back."""
        return self._label if self.is_previewing else self.history.undo_text

    def counted(self, state: State) -> State:
        """Return a state as it is shown: numbered as all others."""
        return state.counted(self.count)

    def count_from(self, count: Count) -> None:
        """Have layers, heads and tokens numbered in another way from now on; that is no step of the history."""
        self.commit()
        self.count = count
        self._restore(self._state)

    def preview(self, new: State, label: str) -> None:
        """Show a state for now; ``label`` names the change in the undo menu once it is committed.

        What the change leaves behind, such as the trail of a lookup, is added to it here, for whoever makes it. Undo,
        redo and revert bring back states that have it already.
        """
        self._label = label
        self._show(self.counted(new).followed(self._state))

    def commit(self, merge: str = "", *, within: float = MERGE_WITHIN_SECONDS) -> None:
        """Make what was previewed one undo step.

        A non-empty ``merge`` lets it join the step before, if that carries the same word and is less than ``within``
        seconds old.
        """
        before, after = self._committed, self._state
        if before == after:
            return
        self._committed = after
        self.history.add(Step(before, after, self._label, merge, self._clock(), within))

    def apply(self, new: State, label: str, merge: str = "", *, within: float = MERGE_WITHIN_SECONDS) -> None:
        """Change the state and make that an undo step at once."""
        self.commit()
        self.preview(new, label)
        self.commit(merge, within=within)

    def revert(self) -> None:
        """Put back the state from before the preview."""
        self._show(self._committed)

    def restart(self, state: State) -> None:
        """Show a state that has no history: another session begins."""
        self._label = ""
        self.history.clear()
        self._restore(state)

    def undo(self) -> None:
        """Take back the last step; a preview under way counts as one."""
        self.commit()
        old, text = self._state, self.history.undo_text
        self.go_to(self.history.index - 1)
        self.undone.emit(old, self._state, text)

    def redo(self) -> None:
        """Do again what was last taken back; a preview under way ends that possibility."""
        self.commit()
        old, text = self._state, self.history.redo_text
        self.go_to(self.history.index + 1)
        self.redone.emit(old, self._state, text)

    def go_to(self, index: int) -> None:
        """Show what was shown when so many steps were done, as far as there are so many."""
        index = min(max(index, 0), len(self.history))
        if index != self.history.index:
            self._restore(self.history.state_at(index))
            self.history.go_to(index)

    def _show(self, new: State) -> None:
        old, self._state = self._state, new
        if old != new:
            self.changed.emit(old, new)

    def _restore(self, state: State) -> None:
        self._committed = self.counted(state)
        self._show(self._committed)
