"""The steps that one can go back and forth through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

from PySide6.QtCore import QObject, Signal

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Step(Generic[State]):
    """One step.

    Attributes
    ----------
    before, after : a state
        What was shown before and after it.
    label : str
        What was done, as menus say it.
    merge : str
        The step joins the one before if that carries the same word; empty if it joins none.
    time, within : float
        When it was made, and at most how much later than that one, in seconds.
    """

    before: State
    after: State
    label: str
    merge: str = ""
    time: float = 0.0
    within: float = 0.0

    def joined(self, later: Step[State]) -> Self | None:
        """Return this step and the one after it as one, or None if they stay two."""
        if not self.merge or self.merge != later.merge or later.time - self.time > later.within:
            return None
        return replace(self, after=later.after, label=later.label, time=later.time)


class History(QObject, Generic[State]):
    """Steps, and how many of them are done: `index`. Those after it were taken back.

    Qt has a QUndoStack, but Python's collector may free a command of it before the stack, which ends the process.

    Signals
    -------
    changed
        There are other steps, or another number of them is done.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: list[Step[State]] = []
        self._index = 0

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def labels(self) -> list[str]:
        """What was done in each step."""
        return [step.label for step in self._steps]

    @property
    def index(self) -> int:
        """How many steps are done."""
        return self._index

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self._index > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return self._index < len(self)

    @property
    def undo_text(self) -> str:
        """What would be taken back; empty if nothing can be."""
        return self._steps[self._index - 1].label if self.can_undo else ""

    @property
    def redo_text(self) -> str:
        """What would be done again; empty if nothing can be."""
        return self._steps[self._index].label if self.can_redo else ""

    def add(self, step: Step[State]) -> None:
        """Add a step that was just done. Those that were taken back are gone, and one that leads nowhere is none."""
        del self._steps[self._index :]
        joined = self._steps[-1].joined(step) if self._steps else None
        if joined is not None:
            self._steps.pop()
        last = joined or step
        if last.before != last.after:
            self._steps.append(last)
        self._go(len(self))

    def close(self) -> None:
        """Let nothing join the last step any more: something else was done since."""
        if self._steps:
            self._steps[-1] = replace(self._steps[-1], merge="")

    def way_to(self, index: int) -> Iterator[tuple[State, State]]:
        """Yield from where to where each step leads on the way to so many done; those taken back lead backwards."""
        if index < self._index:
            yield from ((step.after, step.before) for step in reversed(self._steps[index : self._index]))
        else:
            yield from ((step.before, step.after) for step in self._steps[self._index : index])

    def go_to(self, index: int) -> None:
        """Know that so many steps are done."""
        if index != self._index:
            self._go(index)

    def clear(self) -> None:
        """Forget all steps."""
        if self._steps:
            self._steps.clear()
            self._go(0)

    def _go(self, index: int) -> None:
        self._index = index
        self.changed.emit()
