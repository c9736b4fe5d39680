"""Where somebody is in a lesson: the step, its case, and what comes back at the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.answers import Outcome
from attention_explorer.tools.lessons.lesson import Kind, Lesson, Step
from attention_explorer.tools.lessons.offers import Offer, offered
from attention_explorer.tools.lessons.parts import names_of, way_back
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.recall import Recall
from attention_explorer.tools.lessons.ui.asking import Asked
from attention_explorer.tools.lessons.walk import page_of, reached
from attention_explorer.tools.lessons.words import MARKED


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody is in a lesson.

    Attributes
    ----------
    lesson : Lesson
        The lesson.
    step : int
        From 0; the number of its steps at its end.
    case : ExplorerState
        The state that the step begins with.
    own : ExplorerState
        The person's own work, which comes back.
    own_page : str
        The page that was on show.
    folder : Path or None
        Where its file lies, with the sessions that it shows; None for one of the program's own.
    take : str
        When the thirty questions are taken, if they are: then no answer is told; empty for a lesson.
    recall : Recall or None
        Which questions come again; None in a lesson.
    firsts : mapping of int to bool
        Of those, by step, which were right at the first try.
    seed : int
        By which the question was drawn.
    is_done : bool
        Whether the task is done, or the question answered.
    verdict : str
        What is said about the answer.
    outcome : Outcome or None
        The answer and the truth.
    is_hinted : bool
        Whether the hint was asked for.
    """

    lesson: Lesson
    step: int
    case: ExplorerState
    own: ExplorerState
    own_page: str
    folder: Path | None = None
    take: str = ""
    recall: Recall | None = None
    firsts: Mapping[int, bool] = field(default_factory=dict)
    seed: int = 0
    is_done: bool = False
    verdict: str = ""
    outcome: Outcome | None = None
    is_hinted: bool = False

    @property
    def now(self) -> Step | None:
        """The step; None at the end."""
        return self.lesson.steps[self.step] if self.step < len(self.lesson.steps) else None

    @property
    def is_apart(self) -> bool:
        """Whether it is no lesson whose steps are gone on with: the thirty questions, or some that come again."""
        return bool(self.take) or self.recall is not None

    @property
    def page(self) -> str:
        """The page that it is on; after the last of the thirty questions, the person's own."""
        return self.own_page if self.take and self.now is None else page_of(self.lesson, self.step, self.case)

    def entry(self, step: int) -> ExplorerState:
        """Return how the step before ends if everything is done as *Show me* does it."""
        if self.take:
            return ExplorerState()  # none of the thirty goes on from the one before, nor from what somebody has
        if self.recall is not None:
            return reached(self.recall.of, (*self.recall.numbers, 0)[step], self.own)
        return reached(self.lesson, step, self.own, self.folder)

    # ---- What is kept of it ----

    def begun(self, progress: Progress, step: int) -> Progress:
        """Return the progress with a step that is begun."""
        return progress if self.is_apart else progress.at(self.lesson, step)

    def spent(self, progress: Progress, seconds: float) -> Progress:
        """Return the progress with more time for it; for questions that come again none is kept."""
        if self.take:
            take = progress.takes[self.take]
            return progress.taken(self.take, replace(take, seconds=take.seconds + seconds))
        return progress if self.recall is not None else progress.spent(self.lesson, seconds)

    def finished(self, progress: Progress, today: date) -> Progress:
        """Return the progress at the end."""
        if self.recall is not None:
            return progress.recalled(self.recall.of)
        return progress if self.take else progress.finished(self.lesson, today)

    # ---- The step ----

    @property
    def offer(self) -> Offer:
        """The names that the question is answered with."""
        answer = None if self.now is None else self.now.answer
        return Offer() if answer is None else offered(answer, self.case)

    @property
    def asked(self) -> Asked | None:
        """The question, as long as something of it is to be seen."""
        answer = None if self.now is None else self.now.answer
        if answer is None or (self.is_done and answer.kind not in MARKED):
            return None
        return Asked(answer, self.offer, self.seed)

    @property
    def light(self) -> tuple[str, ...]:
        """What the step needs on its page, as the page calls it; empty for all of it."""
        return () if self.now is None else names_of(self.now.light)

    def light_in(self, state: ExplorerState) -> tuple[str, ...]:
        """Return what is lit in a state: also the way home, once the plane was moved."""
        return (*self.light, *way_back(self.light, state))

    @property
    def wants_place(self) -> bool:
        """Whether a click on the plane is an answer now."""
        return self.asked is not None and self.asked.answer.kind is Kind.POINT

    @property
    def is_covered(self) -> bool:
        """Whether the page would give the answer away: then the question is not on it before it is answered."""
        return self.now is not None and bool(self.now.hide) and not self.is_done


def has_to_learn(place: Place, kinds: Collection[Kind] = tuple(Kind)) -> bool:
    """Whether a question of such a kind is about numbers of the page Training, where nobody may have learned so far."""
    answer = None if place.now is None else place.now.answer
    if answer is None or answer.kind not in kinds:
        return False
    asked = (answer.of, *(option.condition for option in answer.options))
    return any(name.startswith("training.") for each in asked if each is not None for name in each.names)
