"""The same recipe with other seeds, side by side: what each has learned, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from attention_explorer.core.numerals import percent, plain
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import answer_at, trained
from attention_explorer.pages.training.state import WHOLE, Head, TrainingState
from attention_explorer.sources.learned.learned_model import Answer, Measured
from attention_explorer.sources.learned.run import run_of
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of

SIDE_BY_SIDE = 6
NOTHING_LEARNED = "Let it learn first: press Play in Watch. Then other seeds learn as far, and are laid beside it."


class SeedResult(NamedTuple):
    """What a seed has come to.

    Attributes
    ----------
    setup : LearningSetup
        The recipe with that seed.
    head : (layer, head)
        The head that looks most at what a readable one would look at; the one on show where the task knows none.
    answer : Answer or None
        What it says to the sentence on show; None if it could not learn that far.
    measured : Measured or None
        On held-out sentences.
    row : int
        The query whose row is framed.
    reason : str
        Why there is no answer.
    """

    setup: LearningSetup
    head: Head
    answer: Answer | None
    measured: Measured | None
    row: int = 0
    reason: str = ""

    @property
    def right(self) -> float | None:
        """The share of right answers, of a task that writes that of lines that are right; None without an answer."""
        if self.measured is None:
            return None
        return self.measured.whole if task_of(self.setup.task).writes else self.measured.accuracy

    def is_reached(self, state: TrainingState) -> bool:
        """Whether it does what the task is about."""
        found = self.measured
        return found is not None and state.task.is_reached(found.accuracy, found.weight or 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """The seeds that have learned so far."""

    state: TrainingState
    found: tuple[SeedResult, ...] = ()

    @property
    def reason(self) -> str:
        """Why there are none."""
        return "" if self.state.step else NOTHING_LEARNED

    @property
    def is_complete(self) -> bool:
        """Whether all are there."""
        return len(self.found) == SIDE_BY_SIDE


def stream(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Iterator[tuple[float, Seeds | None]]:
    """Learn one seed behind the other; yield the share done with the seeds so far."""
    found: tuple[SeedResult, ...] = ()
    setups = setups_beside(state.setup) if state.step else ()
    yield 0.0, None if setups else Seeds(state)
    for setup in setups:
        found = (*found, result_of(state, setup))
        yield len(found) / SIDE_BY_SIDE, Seeds(state, found)


def all_of(state: TrainingState, _pixels: tuple[int, int] = (0, 0)) -> Seeds:
    """Return all seeds."""
    return [each for _, each in stream(state) if each is not None][-1]


def is_known(state: TrainingState) -> bool:
    """Whether nothing has to be learned for them."""
    runs = (run_of.peek(setup) for setup in setups_beside(state.setup))
    return not state.step or all(run is not None and (run.exploded or run.step >= state.step) for run in runs)


def setups_beside(setup: LearningSetup) -> tuple[LearningSetup, ...]:
    """Return the recipe with its own seed, and with the smallest others."""
    seeds = [setup.seed, *(seed for seed in range(SIDE_BY_SIDE) if seed != setup.seed)]
    return tuple(replace(setup, seed=seed) for seed in seeds[:SIDE_BY_SIDE])


def result_of(state: TrainingState, setup: LearningSetup) -> SeedResult:
    """Have a seed learn as far as the one on show, whole, and ask it the same."""
    head, step = state.head_shown, state.step
    try:
        measured = trained(setup, step).measured(step)
        answer = answer_at(setup, step, state.sentence_shown, WHOLE)
    except ExplorerError as error:
        return SeedResult(setup, head, None, None, reason=str(error))
    row = state.row if 0 <= state.row < len(answer.tokens) else answer.places[-1]
    return SeedResult(setup, measured.scores[-1].best if measured.scores else head, answer, measured, row)


def opened(state: TrainingState, found: SeedResult) -> TrainingState:
    """Return the state with another seed on show, at the same step."""
    layer, head = found.head
    return replace(state.with_setup(found.setup), step=state.step, layer=layer, head=head)


# ---- In words ----


def title(found: SeedResult, state: TrainingState) -> str:
    """Name a seed above its map: “seed 3, layer 2”."""
    return f"seed {found.setup.seed}, {words.head_words(found.head, state)}"


def below(found: SeedResult) -> str:
    """Say below its map how often it is right, and what the asking word looks at."""
    if found.answer is None or found.right is None:
        return "it could not learn that far"
    looks_at = words.row_looks_at(found.answer, found.head, found.row)
    of = " of lines" if task_of(found.setup.task).writes else ""
    return f"{percent(found.right)}{of} right · {looks_at}"


def explanation(found: Sequence[SeedResult]) -> str:
    """Say which head and row of each seed are seen; empty before there is one."""
    first = next((each for each in found if each.answer is not None), None)
    if first is None or first.answer is None or first.measured is None:
        return ""
    scores = first.measured.scores
    which = f"The head of each that looks most at {scores[-1].name}" if scores else "The head on show, of each"
    return f"{which}; framed: {quoted(first.answer.tokens[first.row])}."


def summary(found: Sequence[SeedResult], state: TrainingState) -> tuple[str, ...]:
    """Say how far the seeds that are there agree, in whole sentences, the shortest first."""
    if len(found) < SIDE_BY_SIDE:
        return (f"{len(found)} of {SIDE_BY_SIDE} have learned …",)
    right = [each.right for each in found if each.right is not None]
    weights = [each.measured.weight for each in found if each.measured is not None and each.measured.weight is not None]
    reached = sum(each.is_reached(state) for each in found)
    said = [] if state.task.writes else [f"{reached} of {SIDE_BY_SIDE} {state.task.seeds_words}."]
    if right:
        where = "Of held-out lines " if state.task.writes else "On held-out sentences "
        where = where if state.task.holds_out else ""
        said.append(f"{where}{_span(percent(min(right)), percent(max(right)))} right.")
    if weights:
        name = next(each.measured.scores[-1].name for each in found if each.measured is not None)
        said.append(f"Best head’s weight on {name}: {_span(plain(min(weights)), plain(max(weights)))}.")
    if state.is_broken:
        said.append("Nothing is broken in them.")
    return (*said, *dict.fromkeys(each.reason for each in found if each.reason))


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
