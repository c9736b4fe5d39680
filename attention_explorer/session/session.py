"""The current state of the window, how it changes, and its two histories: of the subject, and of the view."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import is_same_subject, with_step, with_view_of
from attention_explorer.session.history import History, Step

NEVER = -1.0
"""Within which nothing joins the step before; what comes after may join."""
MERGE_WITHIN_SECONDS = 1.0
"""Key presses and wheel steps of one kind that follow each other faster than this are one step."""


class Held(Protocol):
    """What a session holds: an immutable value."""

    def counted(self, count: Count) -> Self:
        """Return it with layers, heads and tokens numbered in one way."""
        ...

    def followed(self, old: Self) -> Self:
        """Return it with what a change from ``old`` leaves behind, such as the trail of a lookup."""
        ...


State = TypeVar("State", bound=Held)


@dataclass(frozen=True, slots=True)
class Place(Generic[State]):
    """Where somebody is: what is shown, on which page, and how many steps of either history are done."""

    state: State
    page: str
    done: int
    seen: int


class StateSession(QObject, Generic[State]):
    """Holds one immutable state and announces every change of it.

    ``preview`` shows a state while a gesture is under way, ``commit`` turns what was previewed into one step and
    ``revert`` puts back what was there before the gesture. A step that changes the subject is one of `history`, which
    `undo` and `redo` go through; one that changes the view alone is one of `views`, for `go_back` and `go_forward`.

    Signals
    -------
    changed : (old, new)
        The state has changed. Emitted at once, never for a change to an equal state.
    undone, redone : (old, new, text)
        Undo or redo has gone one step through the history; the text names the change. Emitted after ``changed``.
    turned_back : page
        Back or Forward leads to another page. Emitted after ``changed``.
    went_back, went_forward : (old, new, text)
        Back or Forward has left, or shown again, what the text names. Emitted last.
    """

    changed = Signal(object, object)
    undone = Signal(object, object, str)
    redone = Signal(object, object, str)
    turned_back = Signal(str)
    went_back = Signal(object, object, str)
    went_forward = Signal(object, object, str)

    def __init__(self, state: State, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.count = Count.FROM_ONE
        """How the states that are shown are numbered, wherever they come from: a setting, which undo leaves alone."""
        self._state: State = state.counted(self.count)
        self._committed = self._state
        self.aside: State | None = None
        """The person's own work, while something else is shown in its place: that is what is kept of it."""
        self._label = ""
        self._is_applying = False
        self._clock = clock
        self.history: History[State] = History(self)
        """The steps that changed the subject."""
        self.views: History[tuple[State, str]] = History(self)
        """The steps that changed the view alone: each from a state and a page to others."""
        self.page = ""
        """The page on show; empty before the first."""

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
    def is_held(self) -> bool:
        """Whether such a change goes on, as a drag does: more of it are to come."""
        return self.is_previewing and not self._is_applying

    @property
    def is_new(self) -> bool:
        """Whether nothing has been done since the session began."""
        return not (self.is_previewing or len(self.history) or len(self.views))

    @property
    def _previews_subject(self) -> bool:
        return not is_same_subject(self._state, self._committed)

    @property
    def _previews_view(self) -> bool:
        return self.is_previewing and not self._previews_subject

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back; a preview under way counts."""
        return self.history.can_undo or self._previews_subject

    @property
    def undo_text(self) -> str:
        """What `undo` would take back."""
        return self._label if self._previews_subject else self.history.undo_text

    @property
    def can_go_back(self) -> bool:
        """Whether something else was looked at before; a preview under way counts."""
        return self.views.can_undo or self._previews_view

    @property
    def back_text(self) -> str:
        """What `go_back` would go back behind."""
        return self._label if self._previews_view else self.views.undo_text

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
        """Make what was previewed one step.

        A non-empty ``merge`` lets it join the step before, if that carries the same word and is less than ``within``
        seconds old.
        """
        before, after = self._committed, self._state
        if before == after:
            return
        self._committed = after
        if is_same_subject(before, after):
            self._looked((before, self.page), self._label, merge, within)
        else:
            self.views.close()
            self.history.add(Step(before, after, self._label, merge, self._clock(), within))

    def _looked(self, before: tuple[State, str], label: str, merge: str = "", within: float = 0.0) -> None:
        self.history.close()
        self.views.add(Step(before, (self._committed, self.page), label, merge, self._clock(), within))

    def turn_to(self, page: str, label: str) -> None:
        """Know that another page is shown, which is a step of the view."""
        if page == self.page:
            return
        before, self.page = self.page, page
        if before:
            self._looked((self._committed, before), label)

    def apply(self, new: State, label: str, merge: str = "", *, within: float = MERGE_WITHIN_SECONDS) -> None:
        """Change the state and make that a step at once."""
        self.commit()
        self._is_applying = True
        try:
            self.preview(new, label)
        finally:
            self._is_applying = False
        self.commit(merge, within=within)

    def revert(self) -> None:
        """Put back the state from before the preview."""
        self._show(self._committed)

    def restart(self, state: State) -> None:
        """Show a state that has no history: another session begins."""
        self._label = ""
        self.history.clear()
        self.views.clear()
        self._restore(state)

    def undo(self) -> None:
        """Take back the last step that changed the subject; a preview of such a change counts as one."""
        self.commit()
        old, text = self._state, self.history.undo_text
        self.go_to(self.history.index - 1)
        self.undone.emit(old, self._state, text)

    def redo(self) -> None:
        """Do again what was last taken back; a preview of such a change ends that possibility."""
        self.commit()
        old, text = self._state, self.history.redo_text
        self.go_to(self.history.index + 1)
        self.redone.emit(old, self._state, text)

    def go_to(self, index: int) -> None:
        """Go to where so many steps of the history are done, as far as there are so many, and keep the view."""
        index = min(max(index, 0), len(self.history))
        state = self._state
        for old, new in self.history.way_to(index):
            state = self.changed_again(state, old, new)
        if index != self.history.index:
            self._restore(state)
            self.history.go_to(index)

    def go_back(self) -> None:
        """Look at what was looked at before; a preview of another view counts as a step."""
        self._look_along(-1, self.went_back)

    def go_forward(self) -> None:
        """Look again at what was last left by `go_back`."""
        self._look_along(1, self.went_forward)

    def _look_along(self, way: int, went: SignalInstance) -> None:
        """Go one step through what was looked at, or as many as it takes until something else is seen; say which."""
        self.commit()
        was, text = (self._state, self.page), ""
        while (self._state, self.page) == was and 0 <= self.views.index + way <= len(self.views):
            index = self.views.index + way
            text = self.views.undo_text if way < 0 else self.views.redo_text
            for (old, _), (new, page) in self.views.way_to(index):
                self._restore(self.looked_at_again(self._state, old, new))
                self.page = page
            self.views.go_to(index)
        if self.page != was[1]:
            self.turned_back.emit(self.page)
        went.emit(was[0], self._state, text)

    @property
    def keys(self) -> dict[str, Callable[[], None]]:
        """What leads through the histories, by its keys, for windows that the menus of the main window do not reach."""
        ways = {"Ctrl+Z": self.undo, "Ctrl+Shift+Z": self.redo, "Ctrl+Y": self.redo}
        return {**ways, "Alt+Left": self.go_back, "Alt+Right": self.go_forward}

    @property
    def place(self) -> Place[State]:
        """Where the person is now, for `return_to`."""
        return Place(self._state, self.page, self.history.index, self.views.index)

    def return_to(self, place: Place[State], label: str) -> None:
        """Show again what was shown at a place, with the histories that it had; as a step if they are gone."""
        self.commit()
        self.go_to(place.done)
        if is_same_subject(self._state, place.state):
            self._restore(place.state)
        self.views.go_to(min(place.seen, len(self.views)))
        self.page = place.page
        self.apply(place.state, label)

    # ---- For what knows the pages ----

    def changed_again(self, state: State, old: State, new: State) -> State:
        """Return a state, about the same as ``old``, with what a step from that to ``new`` changes."""
        return with_step(state, old, new)

    def looked_at_again(self, state: State, _old: State, new: State) -> State:
        """Return a state looked at as after a step from ``old`` to ``new``."""
        return with_view_of(state, new)

    def _show(self, new: State) -> None:
        old, self._state = self._state, new
        if old != new:
            self.changed.emit(old, new)

    def _restore(self, state: State) -> None:
        self._committed = self.counted(state)
        self._show(self._committed)
