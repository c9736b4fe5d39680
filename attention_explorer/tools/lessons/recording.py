"""A lesson made by doing: the states of a window become steps. Pure values; `ui/recorder.py` listens to the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, cast

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import Kind, declarations, usual_of
from attention_explorer.core.json_text import Json
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.old_names import VIEWS
from attention_explorer.pages.registry import find_preset, parts_of, preset_ids
from attention_explorer.pages.session_codec import encoded
from attention_explorer.tools.lessons.lesson import Lesson, Settings, Step
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import MOST_STEPS, usual_picture
from attention_explorer.tools.lessons.walk import begun, ended, page_of

# ---- What a step names ----
# What a step of a lesson names, so that a page shows some state: a preset, and the fields that differ from it.


View: TypeAlias = Mapping[str, PageState]
"""What a page shows: parts of the state by their names, the main one first."""


def view_of(state: ExplorerState, page: str) -> View:
    """Return what a page shows of a state, numbered from 1 and without what only past changes have left behind."""
    plain = state.counted(Count.FROM_ONE)
    if page == "lab":
        part = plain.lab.view.part
        main: PageState = replace(getattr(plain, part), picture=plain.lab.view.picture)
        return {part: main, "lab": plain.lab}
    (part,) = parts_of(page)
    shown: Any = getattr(plain, part)
    if part in VIEWS:  # its picture may be one of Lab
        shown = replace(shown, picture=shown.picture_shown)
    if part == "training" and shown.learned <= shown.step:
        shown = replace(shown, learned=0)  # which says no more than the step
    return {part: _without_history(shown)}


def _without_history(part: Any) -> PageState:  # noqa: ANN401 # one of the parts
    kinds = declarations(type(part))
    left = {name: usual_of(type(part), name) for name, said in kinds.items() if said.kind is Kind.HISTORY}
    found: PageState = replace(part, **left)
    return found


def shown_as(view: View, page: str, before: ExplorerState, seen: frozenset[str]) -> Step:
    """Return a step without words that shows a view.

    Parameters
    ----------
    view : View
        What it is to show.
    page : str
        On which page.
    before : ExplorerState
        How the step before it ends.
    seen : frozenset of str
        The parts that earlier steps have shown: another may be anything when the lesson comes to it.

    Raises
    ------
    ExplorerError
        No lesson can show that: the message is the end of a sentence about the step.
    """
    part = next(iter(view))
    ways = [_preset_of(view[part], part)]
    if part in seen:
        ways.insert(0, Step(0, "", page=page))
    steps = [step for way in ways if (step := _completed(way, view, page, before)) is not None]
    if not steps:
        raise ExplorerError(_reason(view))
    return min(steps, key=_length)  # the first of equals


def _preset_of(shown: Any, part: str) -> Step:  # noqa: ANN401 # one of the parts
    """Return the step that shows the preset from which a part was made, or the first of its page."""
    known = preset_ids(part)
    name = shown.preset if shown.preset in known else known[0]
    try:
        find_preset(name)
    except ExplorerError:  # pages share the name
        return Step(0, "", show=name, page=part)
    return Step(0, "", show=name)


def _completed(way: Step, view: View, page: str, before: ExplorerState) -> Step | None:
    """Return a step with the fields that it has to set; None if it would show something else even so."""
    try:
        start = begun(way, before)
        settings = _set_in(start, view)
        step = replace(way, set=settings, page=way.page if way.show or not settings else "")
        made = view_of(begun(step, before), page)
    except ExplorerError:
        return None
    return step if dict(made) == dict(view) else None


def _set_in(state: ExplorerState, view: View) -> Settings:
    """Return what is to be set in a state to have a view; what that brings along by itself is left out."""
    found: dict[str, Any] = {}
    for name, part in view.items():
        old = _without_history(getattr(with_fields(state, found), name))
        found |= differences(encoded(old), encoded(part), name)
    return found


def _length(step: Step) -> int:
    return len(step.set) + bool(step.show)


def _reason(view: View) -> str:
    whole = replace(ExplorerState(), **cast("Any", view))
    if files_of(whole):
        return "shows a file or a model of this computer, which no lesson can bring along"
    return "shows what no lesson file can say"


# ---- Fields ----


def differences(old: Json, new: Json, name: str) -> dict[str, Any]:
    """Return what of a part is to be set, by dotted names, so that the old one becomes the new one."""
    return dict(_differences(old, new, name))


def _differences(old: Json, new: Json, name: str) -> Iterator[tuple[str, Any]]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict) and _goes_deeper(old, new):
        for key, value in new.items():
            yield from _differences(old[key], value, f"{name}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and _are_objects(old, new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{name}[{at}]")
    else:
        yield name, "none" if new is None else _sayable(new)


def _goes_deeper(old: dict[str, Json], new: dict[str, Json]) -> bool:
    """Whether fields can be set one by one: not if others are there, or a text becomes nothing."""
    return old.keys() == new.keys() and not any(isinstance(old[key], str) and new[key] is None for key in new)


def _are_objects(old: list[Json], new: list[Json]) -> bool:
    return len(old) == len(new) and all(isinstance(item, dict) for item in (*old, *new))


def _sayable(value: Json) -> Any:  # noqa: ANN401 # what a file can hold
    """Return a value without what a file has no word for: a field that is left out is empty again."""
    if isinstance(value, dict):
        return {key: _sayable(item) for key, item in value.items() if item is not None}
    return [_sayable(item) for item in value] if isinstance(value, list) else value


def named_fields(old: View, new: View) -> frozenset[str]:
    """Return the dotted names of the fields in which two views of the same parts differ."""
    if old.keys() != new.keys():
        return frozenset()
    return frozenset(name for part in new for name in differences(encoded(old[part]), encoded(new[part]), part))


# ---- Recording ----


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
