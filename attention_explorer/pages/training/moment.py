"""What the page shows of a step: answers, attention, and what heads are worth. Kept, for whoever asks again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.learning import AS_LEARNED, Batch, ExplodedError, Scoring
from attention_explorer.pages.training.state import WHOLE, Broken, Cell, Head, TrainingState, end_of
from attention_explorer.sources.learned.learned_model import Answer, Heads, LearnedModel
from attention_explorer.sources.learned.run import Curve, Run, run_of
from attention_explorer.sources.learned.saved import taken
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import task_of

STRIDE = 4
"""Steps between two reports of how far it is."""
FRAMES, FIRST_FRAME = 14, 4
"""Of the film of a row: how many there are behind that of step 0, and which step is the first of them."""
WEIGHTS = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "weight")


class MomentRequest(NamedTuple):
    """All that a moment depends on."""

    setup: LearningSetup
    step: int
    sentence: str
    broken: Broken
    other: LearningSetup | None = None
    reached: int = 0
    """How far it has learned, where that is beyond the step."""

    @classmethod
    def of(cls, state: TrainingState) -> MomentRequest:
        """Return what a state asks for."""
        return cls(state.setup, state.step, state.sentence_shown, state.broken, state.other, state.reached)

    @property
    def learned(self) -> int:
        """How far its run has to have learned: not at all for weights from a file with nothing learned beyond them."""
        is_from_file = taken(self.setup, self.step) is not None and self.reached <= self.step
        return 0 if is_from_file else max(self.step, self.reached)

    @property
    def of_other(self) -> MomentRequest | None:
        """The same asked of B, of which nothing is broken; None without B."""
        return None if self.other is None else MomentRequest(
            self.other, self.step, self.sentence, WHOLE, reached=self.reached
        )  # fmt: skip

    def asked_at(self, step: int) -> tuple[LearningSetup, int, str, Broken]:
        """Return what `answer_at` takes, for another step."""
        return self.setup, step, self.sentence, self.broken

    @property
    def frames(self) -> tuple[int, ...]:
        """The steps of its film, as many behind the one on show as will be there in the end."""
        if self.learned < self.step:
            return 0, self.step  # of weights from a file only the beginning is known
        return frames_of(end_of(self.setup, max(self.step, self.reached)), self.step)

    @property
    def seen(self) -> tuple[int, ...]:
        """Of these steps those up to the one on show."""
        return tuple(each for each in self.frames if each <= self.step)

    @property
    def to_learn(self) -> int:
        """How many steps have to be learned for it."""
        run = run_of.peek(self.setup)
        own = max(self.learned - (0 if run is None else run.step), 0)
        return own + (0 if self.of_other is None else self.of_other.to_learn)

    @property
    def is_known(self) -> bool:
        """Whether nothing has to be learned or asked for it."""
        run = run_of.peek(self.setup)
        is_there = run is not None and run.step >= (self.step if run.exploded else self.learned)
        known = is_there and all(answer_at.peek(*self.asked_at(each)) is not None for each in self.seen)
        if task_of(self.setup.task).writes:
            known = known and written_at.peek(*self.asked_at(self.step)) is not None
        return known and (self.of_other is None or self.of_other.is_known)


Film = tuple[tuple[int, Answer], ...]
"""Answers by their steps."""


class OtherAnswer(NamedTuple):
    """What B says to the same sentence at the same step; where it got no answer, the reason.

    Of a B with which nothing can learn there are no curves.
    """

    setup: LearningSetup
    answer: Answer | None
    curve: Curve | None
    film: Film = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What is seen of a step.

    Attributes
    ----------
    request : MomentRequest
        What it was asked for.
    answer : Answer
        What the model says to the sentence, and what it looks at.
    film : tuple of (int, Answer)
        The same at some steps before, the first of them 0, and at this one.
    points : (Floats, Floats) or None
        Of a dictionary in the plane: where its queries and keys stand, each (n, 2).
    run : Run
        What learned. It may have gone on since: what is seen of it ends with `curve`.
    curve : Curve
        As far as the request says that it has learned.
    other : OtherAnswer or None
        The same of B, where two runs are compared.
    written : tuple of str or None
        Of a task that writes: the tokens that it writes behind the sentence.
    """

    request: MomentRequest
    answer: Answer
    film: Film
    points: tuple[Floats, Floats] | None
    run: Run
    curve: Curve
    other: OtherAnswer | None = None
    written: tuple[str, ...] | None = None

    def row_of(self, state: TrainingState) -> int:
        """Return the query whose row is framed."""
        last = self.answer.places[-1]
        return state.row if 0 <= state.row < len(self.answer.tokens) else last

    def weights(self, head: Head) -> Floats:
        """Return the weights of a head, (n_q, n_k)."""
        found: Floats = self.answer.weights[head[0]][head[1]]
        return found

    def wanted(self, row: int) -> tuple[str, Bools] | None:
        """Return what a readable head would look at in a row, in a few words, and which keys (n_k,) that are.

        None where the task does not know: also of an answer of which it does not know whether it is right.
        """
        task, answer = task_of(self.request.setup.task), self.answer
        if row in answer.places and answer.right[answer.places.index(row)] is None:
            return None
        patterns = task.patterns(task.question(self.request.sentence, self.request.setup).batch)
        keys = patterns[-1].wanted[0, row] if patterns else np.zeros(1, bool)
        return (patterns[-1].name, keys) if keys.any() else None

    def picture(self, head: Head, *, is_causal: bool) -> MapPicture:
        """Return the map of a head, ready to be drawn."""
        return picture_of(self.answer, head, is_causal=is_causal, hidden=self.request.broken.hidden)


def picture_of(answer: Answer, head: Head, *, is_causal: bool, hidden: frozenset[Cell] = frozenset()) -> MapPicture:
    """Return the map of a head of an answer, ready to be drawn."""
    weights: Floats = answer.weights[head[0]][head[1]]
    masked = np.triu(np.ones(weights.shape, bool), 1) if is_causal else np.zeros(weights.shape, bool)
    masked |= ~allowed(weights.shape, hidden)
    return MapPicture(weights, masked, WEIGHTS, "viridis", answer.tokens, answer.context_tokens)


def trained(setup: LearningSetup, step: int, report: Callable[[float], object] = lambda _fraction: None) -> Run:
    """Return the run of a setup, trained at least so far.

    Raises
    ------
    ExplorerError
        Nothing can learn with it, or learning exploded on the way.
    """
    run = run_of(setup)
    while run.step < step:
        report(run.step / step)
        run.advance(min(step, run.step + STRIDE))
    return run


def model_at(
    setup: LearningSetup, step: int, report: Callable[[float], object] = lambda _fraction: None
) -> LearnedModel:
    """Return the model of a step: from a file beside the session, or trained that far where nobody has.

    Raises
    ------
    ExplorerError
        As `trained`.
    """
    found = taken(setup, step)
    return trained(setup, step, report).at(step) if found is None else found.model


def allowed(cells: tuple[int, ...], hidden: frozenset[Cell]) -> Bools:
    """Return a mask, (n_q, n_k): True where nobody has hidden a cell."""
    mask = np.ones(cells, bool)
    for row, column in hidden:
        if row < cells[0] and column < cells[1]:
            mask[row, column] = False
    return mask


def scoring_with(hidden: frozenset[Cell], batch: Batch) -> Scoring:
    """Return how sentences are scored with some cells hidden from every layer and head."""
    if not hidden:
        return AS_LEARNED
    keys = batch.tokens if batch.context is None else batch.context
    return Scoring(allowed((batch.tokens.shape[-1], keys.shape[-1]), hidden))


def broken_model(setup: LearningSetup, step: int, broken: Broken) -> LearnedModel:
    """Return the model of a step with some heads off and some as they were drawn; `scoring_with` hides cells."""
    return model_at(setup, step).forgotten(broken.drawn).without(broken.off)


@kept
def answer_at(setup: LearningSetup, step: int, sentence: str, broken: Broken) -> Answer:
    """Return what the model of a step says to a sentence, broken as it is."""
    model = broken_model(setup, step, broken)
    question = model.task.question(sentence, setup)
    try:
        return model.answer(question, scoring_with(broken.hidden, question.batch))
    except ArrayError as error:
        raise ExplorerError(
            f"At step {step} the numbers have grown too large to be shown ({error}). Choose a smaller learning rate."
        ) from None


@kept
def written_at(setup: LearningSetup, step: int, sentence: str, broken: Broken) -> tuple[str, ...]:
    """Return what the model of a step writes behind a sentence, broken as it is."""
    model = broken_model(setup, step, broken)
    return model.write([sentence], lambda batch: scoring_with(broken.hidden, batch))[0]


def moment_at(request: MomentRequest, report: Callable[[float], object] = lambda _fraction: None) -> Moment:
    """Compute a moment, training that far where nobody has.

    Raises
    ------
    ExplorerError
        The sentence is no question to this task, nothing can learn with the setup, or learning exploded.
    """
    step, reached = request.step, request.learned
    run = _learned(request.setup, min(step, reached), reached, report)
    film = _film(request)
    points = None
    if request.setup.task == "dictionary":
        parameters = model_at(request.setup, step).network.parameters
        points = parameters["q"], parameters["k"]
    other = None if request.of_other is None else other_answer_at(request.of_other, report)
    written = written_at(*request.asked_at(step)) if run.task.writes else None
    return Moment(request, film[-1][1], film, points, run, run.curve(reached), other, written)


def _film(request: MomentRequest) -> Film:
    return tuple((each, answer_at(*request.asked_at(each))) for each in request.seen)


def _learned(setup: LearningSetup, step: int, reached: int, report: Callable[[float], object]) -> Run:
    """Return a run that has learned up to a step, and as far beyond it as it has to and can.

    Raises
    ------
    ExplorerError
        As `trained`, for the step.
    """
    run = trained(setup, step, report)
    try:
        return trained(setup, reached, report)
    except ExplodedError:
        return run  # elsewhere it could: the curve ends with the last good step


def other_answer_at(asked: MomentRequest, report: Callable[[float], object]) -> OtherAnswer:
    """Ask B, training it that far where nobody has. What it cannot do is no reason against showing A."""
    setup, reached = asked.setup, max(asked.step, asked.reached)
    curve = None
    try:
        run = run_of(setup)
        curve = run.curve(reached)
        _learned(setup, asked.step, reached, report)
        curve = run.curve(reached)
        film = _film(asked)
        return OtherAnswer(setup, film[-1][1], curve, film)
    except ExplorerError as error:
        return OtherAnswer(setup, None, curve, (), str(error))


def frames_of(end: int, step: int) -> tuple[int, ...]:
    """Return the steps of a film: the beginning, others evenly along a logarithmic axis, and the one on show.

    That one has the place of the next one behind it, so that the film fills while it learns.
    """
    fixed = _fixed_frames(end)
    behind = next(place for place, each in enumerate(fixed) if each >= step)
    return (*fixed[:behind], step, *fixed[behind + 1 :])


@lru_cache(maxsize=16)
def _fixed_frames(end: int) -> tuple[int, ...]:
    evenly = np.geomspace(min(FIRST_FRAME, end), end, FRAMES).round().astype(int)
    return 0, *dict.fromkeys(evenly.tolist())


class Worth(NamedTuple):
    """What heads are worth, measured by breaking them.

    Attributes
    ----------
    whole : float
        Right answers with all heads, 0 to 1, on the sentences that are held out.
    together : float
        Broken as it is.
    alone : dict of (layer, head) to float
        With one of them broken: off, or as drawn if that is what it is now.
    """

    whole: float
    together: float
    alone: dict[Head, float]


@kept
def accuracy_at(setup: LearningSetup, step: int, broken: Broken) -> float:
    """Return how often the model of a step is right on held-out sentences, broken as it is.

    The hidden cells are hidden in each sentence, by their places.
    """
    trial, network = run_of(setup).trial, broken_model(setup, step, broken).network
    return trial.measure(network, scoring_with(broken.hidden, trial.batch)).accuracy


def worth_at(setup: LearningSetup, step: int, broken: Broken) -> Worth:
    """Break every head once."""
    alone = {head: accuracy_at(setup, step, each) for head, each in _broken_alone(setup, broken).items()}
    return Worth(accuracy_at(setup, step, WHOLE), accuracy_at(setup, step, broken), alone)


def is_worth_known(setup: LearningSetup, step: int, broken: Broken) -> bool:
    """Whether nothing has to be measured for `worth_at`."""
    asked = (WHOLE, broken, *_broken_alone(setup, broken).values())
    return all(accuracy_at.peek(setup, step, each) is not None for each in asked)


def _broken_alone(setup: LearningSetup, broken: Broken) -> dict[Head, Broken]:
    """Return how each head is broken alone: off, or as drawn if that is what it is now."""
    heads = [(layer, head) for layer in range(setup.layers) for head in range(setup.heads)]
    ones = {head: frozenset({head}) for head in heads}
    return {head: Broken(drawn=one) if head in broken.drawn else Broken(off=one) for head, one in ones.items()}


@kept
def needed_at(setup: LearningSetup, step: int) -> Heads:
    """Return the fewest heads that do nearly as well as all."""
    return model_at(setup, step).needed_heads()
