"""What each view of the page is drawn from: the answer to its question, with the state that asked it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.pages.circuits.state import Breaks, CircuitsState, CircuitsView
from attention_explorer.sources.circuits import asking
from attention_explorer.sources.circuits.asking import Answer, Brought, DecidedAt, Looked, Made, Question, Written
from attention_explorer.sources.circuits.composition import Composition, check_layers
from attention_explorer.sources.circuits.effects import last_of
from attention_explorer.sources.circuits.find import Finding

Pixels = tuple[int, int]
_S = TypeVar("_S")


def question_of(state: CircuitsState) -> Question:
    """Return the answer that is asked of what the model reads."""
    return Question(state.recipe, state.answer.strip(), state.against.strip(), state.position)


def _knocked_for(state: CircuitsState) -> Question | None:
    """Return the answer that heads are switched off for; None for the loss on the sentence."""
    return question_of(state) if state.breaks is Breaks.ANSWER else None


def bounded(at: int, count: int) -> int:
    """Return a place that is wished for, as far as there is one."""
    return min(max(at, 0), count - 1)


@dataclass(frozen=True, eq=False)
class LooksSeen:
    """Where all heads look."""

    state: CircuitsState
    looked: Looked

    @property
    def scores(self) -> Floats:
        """(layers, heads), of the look that is asked for."""
        return np.asarray(self.looked.detected.arrays()[self.state.look.value])

    @property
    def even(self) -> float:
        """What even weights would give."""
        return float(self.looked.detected.even[self.state.look.value])

    @property
    def named(self) -> list[tuple[int, int]]:
        """The heads that are named for it."""
        return self.looked.detected.named[self.state.look.value]

    @property
    def head(self) -> tuple[int, int]:
        """The head on show."""
        return head_in(self.state, self.scores.shape)


def head_in(state: CircuitsState, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the head on show, of (layers, heads)."""
    return bounded(state.layer, shape[0]), bounded(state.head, shape[1])


@dataclass(frozen=True, eq=False)
class BreaksSeen(LooksSeen):
    """Where all heads look, and what breaks without each.

    Attributes
    ----------
    effect : ndarray, (layers, heads)
        By how much the number rises without the head; NaN where that was not measured yet.
    before : float
        The number with all heads on.
    first : float
        The loss the first time; NaN where the copy is not what is measured.
    answer : Answer or None
        What is asked, where it is an answer.
    """

    effect: Floats
    before: float
    first: float
    answer: Answer | None

    @property
    def is_complete(self) -> bool:
        """Whether every head was switched off."""
        return not bool(np.isnan(self.effect).any())


@dataclass(frozen=True, eq=False)
class DecidedSeen:
    """The most probable words by layer and position."""

    state: CircuitsState
    decided: DecidedAt

    @property
    def cell(self) -> tuple[int, int]:
        """The row, 0 before the first layer, and the position on show."""
        rows, n = self.decided.probabilities.shape[:2]
        at = self.state.position
        return bounded(self.state.layer + 1, rows), n - 1 if at < 0 else bounded(at, n)


@dataclass(frozen=True, eq=False)
class WritesSeen:
    """Who wrote an answer."""

    state: CircuitsState
    written: Written


@dataclass(frozen=True, eq=False)
class WordsSeen:
    """Which words made an answer."""

    state: CircuitsState
    made: Made


@dataclass(frozen=True, eq=False)
class ReadsSeen:
    """Who reads whom."""

    state: CircuitsState
    composition: Composition

    @property
    def scores(self) -> Floats:
        """(layers, heads, layers, heads), who writes first; NaN where nobody can read it."""
        return np.asarray(self.composition.arrays()[self.state.reads.value])

    @property
    def head(self) -> tuple[int, int]:
        """The head on show."""
        return head_in(self.state, self.scores.shape)


@dataclass(frozen=True, eq=False)
class TwinsSeen:
    """What brings the answer of a text into its twin."""

    state: CircuitsState
    brought: Brought

    @property
    def is_complete(self) -> bool:
        """Whether every place was measured."""
        return not bool(np.isnan(self.brought.effect).any())


@dataclass(frozen=True, eq=False)
class FoundSeen:
    """The circuit, as far as it was found."""

    state: CircuitsState
    finding: Finding

    @property
    def is_complete(self) -> bool:
        """Whether it says all that it can say."""
        return self.finding.is_found


# ---- Asking ----


def looks_seen(state: CircuitsState, _pixels: Pixels) -> LooksSeen:
    """Return where all heads look."""
    return LooksSeen(state, asking.looked(state.of_model, state.seed))


def breaks_seen(state: CircuitsState, pixels: Pixels) -> BreaksSeen:
    """Return what breaks without each head, all of it."""
    return _last(breaks_stream(state, pixels))


def breaks_stream(state: CircuitsState, _pixels: Pixels) -> Iterator[tuple[float, BreaksSeen]]:
    """Yield what breaks without each head, as it is measured."""
    looked = asking.looked(state.of_model, state.seed)
    if state.breaks is Breaks.COPY:
        for share, found in asking.found(state.of_model, state.seed):
            effect = np.asarray(found.loss) - found.all_on
            yield share, BreaksSeen(state, looked, effect, found.all_on, found.first, None)
        return
    for share, knocked in asking.knocked(state.recipe, _knocked_for(state)):
        yield share, BreaksSeen(state, looked, knocked.effect, knocked.before, float("nan"), knocked.answer)


def decided_seen(state: CircuitsState, _pixels: Pixels) -> DecidedSeen:
    """Return the most probable words by layer and position."""
    return DecidedSeen(state, asking.decided_at(state.recipe))


def writes_seen(state: CircuitsState, _pixels: Pixels) -> WritesSeen:
    """Return who wrote the answer."""
    return WritesSeen(state, asking.written(question_of(state)))


def words_seen(state: CircuitsState, _pixels: Pixels) -> WordsSeen:
    """Return which words made the answer."""
    return WordsSeen(state, asking.made(question_of(state)))


def reads_seen(state: CircuitsState, _pixels: Pixels) -> ReadsSeen:
    """Return who reads whom."""
    return ReadsSeen(state, asking.composed(state.of_model))


def twins_seen(state: CircuitsState, pixels: Pixels) -> TwinsSeen:
    """Return what brings the answer over, all of it."""
    return _last(twins_stream(state, pixels))


def twins_stream(state: CircuitsState, _pixels: Pixels) -> Iterator[tuple[float, TwinsSeen]]:
    """Yield what brings the answer over, as it is measured."""
    for share, found in asking.brought(question_of(state), state.twin, state.put_in.value):
        yield share, TwinsSeen(state, found)


def found_seen(state: CircuitsState, pixels: Pixels) -> FoundSeen:
    """Return the circuit, with every head switched off."""
    return _last(found_stream(state, pixels))


def found_stream(state: CircuitsState, _pixels: Pixels) -> Iterator[tuple[float, FoundSeen]]:
    """Yield the circuit, as it is found."""
    check_layers(asking.model_of(state.of_model))
    for share, found in asking.found(state.of_model, state.seed):
        yield share, FoundSeen(state, found)


def _last(steps: Iterator[tuple[float, _S]]) -> _S:
    return last_of(steps)[1]


# ---- Whether it is known already ----


def is_known(state: CircuitsState) -> bool:
    """Whether the answer to the question of the view on show is kept, so that nobody needs to wait for it."""
    return _KNOWN[state.view](state)


def _knows_breaks(state: CircuitsState) -> bool:
    if asking.looked.peek(state.of_model, state.seed) is None:
        return False
    if state.breaks is Breaks.COPY:
        return _knows_found(state)
    return asking.knocked.peek(state.recipe, _knocked_for(state)) is not None


def _knows_found(state: CircuitsState) -> bool:
    return asking.found.peek(state.of_model, state.seed) is not None


_KNOWN: dict[CircuitsView, Callable[[CircuitsState], bool]] = {
    CircuitsView.LOOKS: lambda state: asking.looked.peek(state.of_model, state.seed) is not None,
    CircuitsView.BREAKS: _knows_breaks,
    CircuitsView.DECIDED: lambda state: asking.decided_at.peek(state.recipe) is not None,
    CircuitsView.WRITES: lambda state: asking.written.peek(question_of(state)) is not None,
    CircuitsView.WORDS: lambda state: asking.made.peek(question_of(state)) is not None,
    CircuitsView.READS: lambda state: asking.composed.peek(state.of_model) is not None,
    CircuitsView.TWINS: lambda state: (
        asking.brought.peek(question_of(state), state.twin, state.put_in.value) is not None
    ),
    CircuitsView.FOUND: _knows_found,
}
