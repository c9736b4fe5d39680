"""What a person can change on the Training page: what learns, how far it has come, and what is asked of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from attention_explorer.core.counting import MOST_TOKENS, MOST_WISHED, Count, count_declared
from attention_explorer.core.declared import Kind, declared, derived, with_value
from attention_explorer.fields import CheckedFields
from attention_explorer.pages.preset_lists import preset_declared
from attention_explorer.sources.learned.setup import LearningSetup

if TYPE_CHECKING:
    # Loaded when there is a task: networks that learn would delay the first picture.
    from attention_explorer.sources.learned.task import Task

MOST_STEPS = 20_000
"""So far does Play go at most."""

FIRST_TASK, FIRST_SEED = "it", 8
"""What the page begins with: with this seed “it” takes the mat before it finds the cat."""
TRAILER_SECONDS = 6.0


class TrainingView(StrEnum):
    """A picture of the page."""

    WATCH = "watch"
    MAP = "map"
    BREAK = "break"
    SEEDS = "seeds"
    HELD_OUT = "held out"


class Speed(StrEnum):
    """How fast Play goes."""

    SLOW = "slow"
    STEADY = "steady"
    FULL = "full"
    SIX_SECONDS = "six seconds"

    def step_after(self, seconds: float, begin: int, end: int) -> int:
        """Return how far it is to have learned so long after it has begun, of the steps from one to another."""
        if self is Speed.SIX_SECONDS:  # as long for the second step as for the last hundred of four
            left, last = math.log(max(begin, 1)), math.log(end)
            return min(round(math.exp(left + seconds * last / TRAILER_SECONDS)), end)
        pace = {Speed.SLOW: 10.0, Speed.STEADY: 60.0, Speed.FULL: math.inf}[self]
        return end if pace == math.inf else min(begin + int(seconds * pace), end)


def _task_of(name: str) -> Task:
    from attention_explorer.sources.learned.tasks import task_of

    return task_of(name)


Head = tuple[int, int]
"""Layer and head, from 0."""
Cell = tuple[int, int]
"""Query and key, from 0."""


class Broken(NamedTuple):
    """What is not as it was learned.

    Attributes
    ----------
    off, drawn : frozenset of (layer, head)
        Heads that write nothing, and those whose matrices are what they were drawn as; none is both.
    hidden : frozenset of (query, key)
        Cells that nobody may attend to.
    """

    off: frozenset[Head] = frozenset()
    drawn: frozenset[Head] = frozenset()
    hidden: frozenset[Cell] = frozenset()


WHOLE = Broken()


@dataclass(frozen=True, slots=True)
class TrainingState(CheckedFields):
    """The Training page.

    The weights are no part of it: the same setup learns the same numbers again, step by step.
    """

    setup: LearningSetup = declared(
        lambda: LearningSetup(task=FIRST_TASK, seed=FIRST_SEED),
        "run",
        "All that decides the numbers, with the step",
        "Change what learns",
    )
    other: LearningSetup | None = declared(
        None, "B", "Another run of the same task that learns beside it, to be compared", "Compare two runs"
    )
    step: int = declared(
        0, "step", "How many times it has learned from a batch of sentences", "Go to step", high=MOST_STEPS
    )
    learned: int = declared(
        0, "steps learned", "How far it has learned: the curves and the step go up to there", "Learn", high=MOST_STEPS
    )
    """Less than `step` says no more than that; see `reached`."""
    sentence: str = declared(
        "", "sentence", "A sentence of words that it knows; empty for the one that the task proposes", "Ask a sentence"
    )
    off: frozenset[Head] = declared(
        frozenset(),
        "heads off",
        "Heads whose part of the output is 0: layer and head, from 0",
        "Switch heads off or on",
        high=MOST_WISHED,
    )
    drawn: frozenset[Head] = declared(
        frozenset(),
        "heads as drawn",
        "Heads whose matrices are put back to what they were drawn as: layer and head, from 0",
        "Put heads back",
        high=MOST_WISHED,
    )
    hidden: frozenset[Cell] = declared(
        frozenset(),
        "hidden cells",
        "Cells that nobody may attend to, in every layer and head: query and key, from 0",
        "Hide cells",
        high=MOST_TOKENS - 1,
    )
    layer: int = declared(1, "layer", "The layer that is shown large", "Show layer", high=5, is_view=True)
    head: int = declared(0, "head", "The head that is shown large", "Show head", high=15, is_view=True)
    row: int = declared(
        -1,
        "row",
        "The query whose row is framed; −1 for the last one that is asked something",
        "Follow another query",
        low=-1,
        high=MOST_TOKENS - 1,
        is_view=True,
    )
    speed: Speed = declared(
        Speed.SIX_SECONDS,
        "speed",
        "How fast Play goes: ten steps a second, sixty, as fast as this machine can, or all of it in six seconds,\n"
        "evenly along the axis of steps",
        "Change the speed",
        is_view=True,
    )
    preset: str = preset_declared("training", "it")
    count: Count = count_declared()
    view: TrainingView = declared(
        TrainingView.WATCH, "view", "Which picture is shown", "Show another picture", is_view=True
    )

    @property
    def task(self) -> Task:
        """What is learned."""
        return _task_of(self.setup.task)

    @property
    def reached(self) -> int:
        """How far it has learned."""
        return max(self.step, self.learned)

    @property
    def end(self) -> int:
        """Where the axis of steps ends: as far as the task takes, or as many times as far as was learned."""
        return end_of(self.setup, self.reached)

    def at_step(self, step: int) -> Self:
        """Return the state with another step on show; what was learned stays."""
        return replace(self, step=step, learned=max(self.reached, step))

    @property
    @derived(
        "sentence",
        "A sentence of words that it knows; if one is unknown, those that it knows are listed",
        "Ask a sentence",
        kind=Kind.SENTENCE,
    )
    def sentence_shown(self) -> str:
        """What is asked."""
        return self.sentence or self.task.probe(self.setup)

    @property
    @derived(
        "+ run B",
        "Keep this run as B, then change A: both learn, and their curves and maps stand side by side",
        "Compare two runs",
    )
    def is_compared(self) -> bool:
        """Whether there is a B."""
        return self.other is not None

    @property
    def head_shown(self) -> Head:
        """The layer and the head on show: those that are wished for, as far as there are such."""
        return min(self.layer, self.setup.layers - 1), min(self.head, self.setup.heads - 1)

    @property
    def broken(self) -> Broken:
        """What is not as it was learned: of the heads that there are, and one that is off is off."""
        return Broken(self._existing(self.off), self._existing(self.drawn - self.off), self.hidden)

    @property
    def off_shown(self) -> frozenset[Head]:
        """The heads that are off, of those there are."""
        return self.broken.off

    @property
    def drawn_shown(self) -> frozenset[Head]:
        """The heads that are as they were drawn, of those there are."""
        return self.broken.drawn

    @property
    def is_broken(self) -> bool:
        """Whether heads are off or as they were drawn, or cells are hidden."""
        return self.broken != WHOLE

    def _existing(self, heads: frozenset[Head]) -> frozenset[Head]:
        return frozenset(
            (layer, head) for layer, head in heads if layer < self.setup.layers and head < self.setup.heads
        )

    def with_setup(self, setup: LearningSetup) -> Self:
        """Return the state with something else that learns, from its beginning; B stays if it can be asked the same."""
        sentence = self.sentence if are_asked_the_same(setup, self.setup) else ""
        other = self.other if self.other is not None and are_asked_the_same(setup, self.other) else None
        hidden = self.hidden if are_asked_the_same(setup, self.setup) else frozenset()
        return replace(self, setup=setup, step=0, learned=0, sentence=sentence, other=other, hidden=hidden)

    def with_runs_swapped(self) -> Self:
        """Return the state with B in place of A, and A in place of B."""
        return self if self.other is None else replace(self, setup=self.other, other=self.setup)

    def with_task(self, name: str) -> Self:
        """Return the state with another task, as that is proposed, with the last layer on show."""
        setup = _task_of(name).setup
        return replace(
            self.with_setup(setup), layer=setup.layers - 1, head=0, row=-1, off=frozenset(), drawn=frozenset()
        )

    def with_head_switched(self, head: Head) -> Self:
        """Return the state with a head off that was on, as it was drawn that was off, or on that was as drawn."""
        if head in self.off:
            return replace(self, off=self.off - {head}, drawn=self.drawn | {head})
        if head in self.drawn:
            return replace(self, drawn=self.drawn - {head})
        return replace(self, off=self.off | {head})

    def with_cell_switched(self, cell: Cell) -> Self:
        """Return the state with a cell hidden that was not, or to be attended to again."""
        return replace(self, hidden=self.hidden ^ {cell})


def are_asked_the_same(one: LearningSetup, other: LearningSetup) -> bool:
    """Return whether two networks learn the same task, with sentences of the same length, and the same lines."""
    return all(getattr(one, name) == getattr(other, name) for name in ("task", "length", "lines", "cut"))


def end_of(setup: LearningSetup, reached: int) -> int:
    """Return where the axis of steps ends: at the last step that the task takes, or at a multiple of it."""
    steps = _task_of(setup.task).steps
    return max(min(max(-(-reached // steps), 1) * steps, MOST_STEPS), reached)


SETUP = "setup."
"""How the names of fields begin that decide the run."""


def changed(state: TrainingState, name: str, value: Any) -> TrainingState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, and with what that changes too.

    Raises
    ------
    ExplorerError
        Nothing can learn with it: the sizes do not go together, or the task has decided the field.
    """
    if name.startswith(SETUP):
        setup = with_value(state.setup, name.removeprefix(SETUP), value)
        _task_of(setup.task).check(setup)
        return state.with_setup(setup)
    if name == "sentence_shown":
        return replace(state, sentence=value, row=-1)
    if name == "is_compared":
        return replace(state, other=state.setup if value else None)
    return with_value(state, name, value)


def reasons_against(state: TrainingState) -> dict[str, str]:
    """Return by field why it cannot be changed, where the task decides it."""
    task = state.task
    return {f"{SETUP}{name}": f"The task “{task.title}” decides this." for name in task.fixed}
