"""A lesson made by doing: the states of a window become steps. Pure values; `ui/recorder.py` listens to the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.differences import View, named_fields, shown_as, view_of
from attention_explorer.tools.lessons.lesson import Lesson, Step
from attention_explorer.tools.lessons.reading import MOST_STEPS, usual_picture
from attention_explorer.tools.lessons.walk import begun, ended, page_of

SOON = 4.0
"""Seconds within which a change belongs to the step before."""
LONG_AGO = float("-inf")
UNTITLED = "(no title yet)"
"""Stands in the file of a recording that has no title so far: every lesson has one."""
UNSAID = "…"
"""Stands there for words that are missing so far."""
MINUTES_A_STEP = 1.5
"""That a step takes a class, where nobody says how long the lesson takes."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a recording.

    Attributes
    ----------
    state : ExplorerState
        What the window showed.
    page : str
        On which page.
    label : str
        What was done, as the undo menu says it.
    time : float
        When, in seconds.
    words : str
        What is said; with a question, what is said after its answer.
    is_own : bool
        Whether somebody has typed those words: nothing that is done later joins the step then.
    question : Step or None
        The question, without what it shows; None if nothing is asked.
    """

    state: ExplorerState
    page: str
    label: str = ""
    time: float = LONG_AGO
    words: str = ""
    is_own: bool = False
    question: Step | None = None

    @property
    def view(self) -> View:
        """What its page shows of its state."""
        return view_of(self.state, self.page)

    @property
    def is_settled(self) -> bool:
        """Whether somebody has said or asked something here."""
        return self.is_own or self.question is not None


@dataclass(frozen=True, slots=True)
class Recording:
    """A lesson that is being made.

    Attributes
    ----------
    moments : tuple of Moment
        Its steps.
    title, about, learned : str
        As in a lesson.
    minutes : float
        How long it takes; 0 for as long as its steps are likely to take.
    """

    moments: tuple[Moment, ...] = ()
    title: str = ""
    about: str = ""
    learned: str = ""
    minutes: float = 0.0

    # ---- Listening ----

    def seen(self, now: Moment, *, may_join: bool = True) -> Recording:
        """Return it with what is shown now: a step of its own, or part of the last one.

        A change joins the last step if it comes soon after it, or is of the same fields of the same page; not if
        something was said or asked there, nor if it may not. Another page is a step.
        """
        if not self.moments:
            return replace(self, moments=(now,))
        last = self.moments[-1]
        if last.page == now.page and _is_same(last.view, now.view):
            return self
        if not (may_join and self._joins(last, now)):
            return replace(self, moments=(*self.moments, now))
        joined = replace(now, label=last.label if _is_page(self.moments) else now.label)
        kept = self.moments[:-1]
        return replace(self, moments=kept if _leads_nowhere(kept, joined) else (*kept, joined))

    def _joins(self, last: Moment, now: Moment) -> bool:
        if last.is_settled or last.page != now.page:
            return False
        if now.time - last.time <= SOON:
            return True
        before = self.moments[-2] if len(self.moments) > 1 else last
        changed = named_fields(before.view, last.view)
        return bool(changed) and changed == named_fields(last.view, now.view)

    def taken_back(self, now: Moment) -> Recording:
        """Return it after Undo or Back: the last step is gone, or what is left of it is shown now."""
        if _leads_nowhere(self.moments[:-1], now):
            return replace(self, moments=self.moments[:-1])
        if not self.moments or self.moments[-1].page != now.page:
            return self.seen(now)
        return replace(self, moments=(*self.moments[:-1], replace(self.moments[-1], state=now.state)))

    def changed(self, at: int) -> frozenset[str]:
        """Return the fields in which a step differs from the one before on its page; none after another page."""
        if at == 0 or self.moments[at - 1].page != self.moments[at].page:
            return frozenset()
        return named_fields(self.moments[at - 1].view, self.moments[at].view)

    # ---- Changing ----

    def with_moment(self, at: int, moment: Moment) -> Recording:
        """Return it with another step in place of one."""
        return self._with((*self.moments[:at], moment, *self.moments[at + 1 :]))

    def without(self, at: int) -> Recording:
        """Return it without a step."""
        return self._with((*self.moments[:at], *self.moments[at + 1 :]))

    def moved(self, at: int, by: int) -> Recording:
        """Return it with a step so many places later, as far as there are so many."""
        rest = [*self.moments[:at], *self.moments[at + 1 :]]
        rest.insert(min(max(at + by, 0), len(rest)), self.moments[at])
        return self._with(tuple(rest))

    def joined(self, at: int) -> Recording:
        """Return it with a step and the one before as one, which shows what the later one showed and says both."""
        if at == 0:
            return self
        first, second = self.moments[at - 1 : at + 1]
        words = "\n\n".join(filter(None, (first.words, second.words)))
        asked = first.question if first.page == second.page else None
        both = replace(second, words=words, is_own=True, question=second.question or asked)
        return self._with((*self.moments[: at - 1], both, *self.moments[at + 1 :]))

    def _with(self, moments: tuple[Moment, ...]) -> Recording:
        return replace(self, moments=moments)

    # ---- As a lesson ----

    @property
    def questions(self) -> int:
        """How many questions it has."""
        return sum(moment.question is not None for moment in self.moments)

    def lesson(self, name: str = "") -> Lesson:
        """Return it as a lesson, whose steps name only what differs from the step before.

        Parameters
        ----------
        name : str
            That of its file, without the ending.

        Raises
        ------
        ExplorerError
            It has no title, or no steps or too many; or a step says nothing, or shows what no lesson can. The message
            has a sentence for each.
        """
        faults = list(_faults(self))
        lesson = self._made(name, faults, self.moments)
        if faults:
            raise ExplorerError("\n".join(faults))
        return lesson

    def as_far_as_it_goes(self) -> Lesson:
        """Return it as a lesson that can be written and read again, whatever is missing: `recording_of` knows."""
        said = tuple(
            moment if moment.words.strip() or moment.question is not None else replace(moment, words=UNSAID)
            for moment in self.moments[:MOST_STEPS]
        )
        return self._made("", [], said)

    def _made(self, name: str, faults: list[str], moments: tuple[Moment, ...]) -> Lesson:
        steps = tuple(_steps(moments, faults))
        minutes = self.minutes or usual_minutes(len(steps))
        picture, letters = usual_picture(steps)
        said = {"about": self.about.strip(), "picture": picture, "letters": letters}
        return Lesson(name, self.title.strip() or UNTITLED, float(minutes), (), self.learned.strip(), steps, **said)  # type: ignore[arg-type]


def _steps(moments: tuple[Moment, ...], faults: list[str]) -> Iterator[Step]:
    state, seen = ExplorerState(), frozenset[str]()
    for number, moment in enumerate(moments, 1):
        try:
            shown, ends = _shown(moment.state, moment.page, state, seen)
        except ExplorerError as error:
            faults.append(f"Step {number} {error}. Delete it, or show something else.")
            continue
        if not moment.words.strip() and moment.question is None:
            faults.append(f"Step {number} says nothing: write what is to be seen there, or delete it.")
        state, seen = ends, seen.union(moment.view)
        yield _worded(shown, moment)


@lru_cache(maxsize=2 * MOST_STEPS)
def _shown(state: ExplorerState, page: str, before: ExplorerState, seen: frozenset[str]) -> tuple[Step, ExplorerState]:
    """Return the step that shows a state, and the state after it: a change alters one step, and all are written."""
    step = shown_as(view_of(state, page), page, before, seen)
    return step, begun(step, before)


def usual_minutes(steps: int) -> float:
    """Return how long a lesson of so many steps takes a class, where nobody says."""
    return float(max(round(MINUTES_A_STEP * steps), 1))


def _faults(recording: Recording) -> Iterator[str]:
    if not recording.title.strip():
        yield "The lesson has no title yet: type one above the steps."
    count = len(recording.moments)
    if not count:
        yield "There are no steps yet: press Go on, and do something in the window."
    if count > MOST_STEPS:
        yield f"There are {count} steps, but a lesson has {MOST_STEPS} at most: delete or join some."


def _worded(shown: Step, moment: Moment) -> Step:
    words = moment.words.strip()
    if moment.question is None:
        return replace(shown, text=words)
    asked = moment.question
    return replace(asked, show=shown.show, page=shown.page, set=shown.set, right=words, wrong=words)


def _is_same(old: View, new: View) -> bool:
    return dict(old) == dict(new)


def _is_page(moments: tuple[Moment, ...]) -> bool:
    """Whether the last step came of turning to its page."""
    return len(moments) > 1 and moments[-2].page != moments[-1].page


def _leads_nowhere(kept: tuple[Moment, ...], now: Moment) -> bool:
    """Whether what is shown now is what the step before shows."""
    return bool(kept) and kept[-1].page == now.page and _is_same(kept[-1].view, now.view)


def recording_of(lesson: Lesson, folder: Path | None = None) -> Recording:
    """Return the recording that a lesson came of, to be gone on with; errors as in `begun`.

    What recordings do not have, such as tasks, hints and numbers drawn afresh, is not in it.
    """
    return Recording(
        tuple(_moments(lesson, folder)),
        "" if lesson.title == UNTITLED else lesson.title,
        lesson.about,
        lesson.learned,
        0.0 if lesson.minutes == usual_minutes(len(lesson.steps)) else lesson.minutes,
    )


def _moments(lesson: Lesson, folder: Path | None) -> Iterator[Moment]:
    state = ExplorerState()
    for number, step in enumerate(lesson.steps):
        state = begun(step, state, folder)
        page = page_of(lesson, number, state)
        if step.answer is None:
            yield Moment(state, page, words="" if step.text == UNSAID else step.text, is_own=True)
        else:
            question = replace(step, show="", page="", set={}, right="", wrong="")
            yield Moment(state, page, words=step.right, is_own=True, question=question)
        state = ended(step, state)
