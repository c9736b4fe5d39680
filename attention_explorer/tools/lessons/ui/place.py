"""Where somebody is in a lesson or the thirty questions: the step, its case, and what the card shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import Given, Offer, Outcome, Right, Verdict, offered
from attention_explorer.tools.lessons.lesson import Kind, Lesson, Step
from attention_explorer.tools.lessons.names import names_of, way_back
from attention_explorer.tools.lessons.progress import AFTER, BEFORE, GUESSING, TAKES, Progress, Reply, Take
from attention_explorer.tools.lessons.recall import Recall, end_words
from attention_explorer.tools.lessons.ui.asking import Asked
from attention_explorer.tools.lessons.ui.panel import CardView
from attention_explorer.tools.lessons.walk import page_of, reached
from attention_explorer.tools.lessons.words import MARKED, drawn_words, mistake_words, said_words, truth_words


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


WHAT_WAS_RIGHT = "What was right…"
ANSWER, NO_ANSWER = "Answer", "I do not know"
"""What the buttons of a question say of which nothing is told: how to give the answer, and how to give none."""
KEPT = "What you answered is kept on this machine, and **Result…** on the lessons page writes it to a file."
LISTED = "**What was right…** lists those that were not, with your answer, by the lesson to take again."
NEXT = "Which of them were right is not told, for they come again after the lessons, with other numbers."


def begun_take(progress: Progress, bank: Lesson, when: str, today: date) -> Progress:
    """Return the progress with a take that is under way: the one that was left, or a new one."""
    take = progress.takes.get(when)
    if take is not None and take.bank == bank.mark and len(take.replies) < len(bank.steps):
        return progress
    finished = sum(progress.of(lesson).finished for lesson in reading.lessons())
    return progress.taken(when, Take(bank.mark, today.isoformat(), finished))


def with_reply(progress: Progress, when: str, reply: Reply) -> Progress:
    """Return the progress with the answer to one more question."""
    take = progress.takes[when]
    return progress.taken(when, replace(take, replies=(*take.replies, reply)))


def reply_to(place: Place, step: Step, given: Given, verdict: Verdict) -> Reply:
    """Return what is kept of an answer."""
    said = "" if step.answer is None else said_words(step.answer, given, place.offer)
    why, right = mistake_words(step, given, verdict), _right_words(place, step, verdict.truth)
    return Reply(verdict.is_right, drawn_words(step, place.case), said, why, right)


def no_reply(place: Place, step: Step, right: Right | None) -> Reply:
    """Return what is kept of a question without an answer."""
    return Reply(case=drawn_words(step, place.case), right=_right_words(place, step, right))


def _right_words(place: Place, step: Step, right: Right | None) -> str:
    return "" if step.answer is None or right is None else truth_words(step.answer, right, place.offer)


def view_of_take(place: Place, progress: Progress) -> CardView:
    """Return what the card shows: a question, and nothing of what the answers before it are worth; or the score."""
    lesson, step = place.lesson, place.now
    if step is None:
        return CardView(
            lesson.title,
            place.step,
            len(lesson.steps),
            _score(lesson, place.take, progress),
            next_text=WHAT_WAS_RIGHT if place.take == AFTER else "",
        )
    asked = place.asked
    return CardView(
        f"{lesson.title}, {TAKES[place.take]}",
        place.step,
        len(lesson.steps),
        f"{step.text} {drawn_words(step, place.case)}".strip(),
        question=None if asked is None else replace(asked, check=ANSWER),
        verdict=place.verdict,
        has_skip=True,
        skip_text=NO_ANSWER,
        is_told=False,
    )


def _score(bank: Lesson, when: str, progress: Progress) -> str:
    take, other = progress.takes[when], progress.takes.get(BEFORE if when == AFTER else AFTER)
    count = len(bank.steps)
    none = sum(reply.is_right is None for reply in take.replies)
    said = f"**{take.right} of {count} right**, {TAKES[when]}."
    said += f" {none} without an answer." if none else ""
    said += f" {GUESSING.format(round(reading.by_guessing()))}"
    if other is not None and len(other.replies) == count and other.bank == bank.mark:
        which = BEFORE if when == AFTER else AFTER
        said += f" {TAKES[which].capitalize()} it was {other.right}, on {other.date}."
    return f"{said}\n\n{NEXT if when == BEFORE else LISTED} {KEPT}"


DRAWN, WRONG = "This time: q = (0.25, −1.25).", "**Not this time.** You said 1.25; it is 0.25."
"""As much as is said of a case that is drawn, and of an answer."""


def view_of(place: Place, progress: Progress, today: date) -> CardView:
    """Return what the card shows."""
    if place.take:
        return view_of_take(place, progress)
    view = _view_of_lesson(place, progress)
    if place.recall is None or place.now is not None:
        return view
    done = progress.of(place.recall.of)
    text = end_words(place.recall, sum(place.firsts.values()), done, today)
    return replace(view, has_back=False, text=text)  # going back would come to this end once more


def longest_words(lesson: Lesson) -> list[tuple[str, ...]]:
    """Return about all that a card says in a lesson, as `LessonCard.keep_room` takes it."""
    said: list[tuple[str, ...]] = [(f"That was the lesson.\n\n{lesson.learned}",)]
    for step in lesson.steps:
        if step.answer is None:
            said.append((step.text, f"*Hint:* {step.hint}"))
        else:
            text = f"{step.text} {DRAWN}" if step.draw else step.text
            said += [(text, ""), (text, f"{WRONG} {max(step.wrong, step.right, key=len)}")]
    return said


def _view_of_lesson(place: Place, progress: Progress) -> CardView:
    lesson, step = place.lesson, place.now
    if step is None:
        following = reading.after(lesson)
        tries = progress.of(lesson).first_tries
        questions = sum(step.answer is not None for step in lesson.steps)
        right = f" {sum(tries.values())} of {questions} questions right at the first try." if questions else ""
        return CardView(
            lesson.title,
            place.step,
            len(lesson.steps),
            f"**That was the lesson.**{right}\n\n{lesson.learned}",
            has_back=True,
            next_text=f"Next: {following.title}" if following else "",
        )
    is_open = not place.is_done and (step.until is not None or step.answer is not None)
    return CardView(
        lesson.title,
        place.step,
        len(lesson.steps),
        f"{step.text} {drawn_words(step, place.case)}".strip(),
        question=place.asked,
        outcome=place.outcome,
        hint=step.hint if place.is_hinted and not place.is_done else "",
        verdict=place.verdict,
        is_done=step.until is not None and place.is_done,
        has_back=place.step > 0,
        has_hint=bool(step.hint) and not place.is_hinted and is_open,
        has_skip=is_open,
        has_another=bool(step.draw),
        next_text="" if is_open else "Next",
    )
