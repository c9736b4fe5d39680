"""A lesson made by doing: states go in, steps come out, and the lesson shows again what was shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.registry import PARTS, find_preset, presets_in
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.reading import MOST_STEPS, lesson_from
from attention_explorer.tools.lessons.recording import SOON, Moment, Recording, recording_of
from attention_explorer.tools.lessons.to_toml import lesson_text
from attention_explorer.tools.lessons.walk import checked

PLANE = find_preset("two-keys", "lookup").state
QUESTION = next(step for step in reading.lessons()[2].steps if step.answer is not None)

FILE = FileRecipe("a.npz", 1, 1, "0" * 64)


def at(time: float, page: str = "lookup", state: ExplorerState = PLANE, **fields: object) -> Moment:
    changed = with_fields(state, {name.replace("__", "."): value for name, value in fields.items()})
    return Moment(changed, page, "Do it", time, "Words.")


def again(recording: Recording) -> Recording:
    """Return a recording after its lesson was written and read."""
    return recording_of(lesson_from(lesson_text(recording.lesson("x")).encode(), "x"))


def shown(recording: Recording) -> list[object]:
    return [(moment.page, dict(moment.view), moment.words) for moment in recording.moments]


# ---- What is a step ----


def test_what_comes_soon_belongs_to_the_step_and_what_comes_later_is_one() -> None:
    recording = Recording().seen(at(0)).seen(at(1, lookup__hard=True)).seen(at(1 + SOON, lookup__temperature=2.0))
    assert len(recording.moments) == 1
    assert recording.moments[0].state.lookup.temperature == 2.0
    recording = recording.seen(at(6 + 2 * SOON, lookup__temperature=3.0))
    assert len(recording.moments) == 2


def test_the_same_field_is_one_step_however_long_it_takes() -> None:
    recording = Recording().seen(at(0))
    for number in range(1, 5):
        recording = recording.seen(at(100 * number, lookup__temperature=number + 0.5))
    assert [moment.state.lookup.temperature for moment in recording.moments] == [1.0, 4.5]
    assert len(recording.seen(at(900, lookup__temperature=4.5, lookup__scaled=True)).moments) == 3


def test_nothing_joins_a_step_where_something_was_said_or_asked() -> None:
    recording = Recording().seen(at(0))
    for changes in ({"is_own": True}, {"question": QUESTION}):
        settled = recording.with_moment(0, replace(recording.moments[0], **changes))  # type: ignore[arg-type]
        assert len(settled.seen(at(0.5, lookup__hard=True)).moments) == 2


def test_another_page_is_a_step_and_what_changes_on_one_that_is_not_seen_is_none() -> None:
    recording = Recording().seen(at(0)).seen(at(0.1, "heads"))
    assert [moment.page for moment in recording.moments] == ["lookup", "heads"]
    assert recording.seen(at(99, "heads", lookup__hard=True)) == recording


def test_what_goes_back_by_itself_is_no_step() -> None:
    recording = Recording().seen(at(0)).seen(at(50, lookup__hard=True)).seen(at(99, lookup__hard=False))
    assert shown(recording) == shown(Recording().seen(at(0)))


def test_undo_takes_the_last_step_back_and_of_a_joined_one_a_part() -> None:
    first = Recording().seen(at(0))
    both = first.seen(at(50, lookup__hard=True)).seen(at(51, lookup__hard=True, lookup__scaled=True))
    part = both.taken_back(at(60, lookup__hard=True))
    assert [moment.state.lookup.scaled for moment in part.moments] == [False, False]
    assert part.taken_back(at(61)) == first
    assert Recording().taken_back(at(0)) == first
    assert first.seen(at(50, "heads")).taken_back(at(60)) == first, "Back to the page before"


# ---- Changing the steps ----


def test_steps_are_deleted_moved_and_joined() -> None:
    recording = Recording(tuple(replace(at(0), words=word) for word in "abc"))
    told = lambda changed: "".join(moment.words for moment in changed.moments)  # noqa: E731
    assert told(recording.without(1)) == "ac"
    assert told(recording.moved(0, 1)) == "bac"
    assert told(recording.moved(2, -9)) == "cab"
    assert told(recording.moved(0, 9)) == "bca"
    assert told(recording.joined(2)) == "ab\n\nc"
    assert recording.joined(0) == recording


def test_of_two_steps_made_one_the_later_is_shown_and_the_question_stays() -> None:
    first, second = replace(at(0), question=QUESTION), at(9, lookup__hard=True)
    (both,) = Recording((first, second)).joined(1).moments
    assert both.state.lookup.hard
    assert both.question == QUESTION


# ---- As a lesson ----


@pytest.mark.parametrize("part", PARTS)
def test_every_preset_is_named_and_nothing_is_set(part: str) -> None:
    for ready in list(presets_in(part))[::3]:
        recording = Recording((Moment(ready.state, ready.page, words="Look."),), "A title")
        (step,) = recording.lesson().steps
        assert (step.show, dict(step.set)) == (ready.id, {})
        assert shown(again(recording)) == shown(recording)


@pytest.mark.parametrize("lesson", [*reading.lessons()[:11:2], reading.lessons()[-2]], ids=lambda lesson: lesson.name)
def test_what_the_lessons_of_the_program_show_is_shown_again(lesson: Lesson) -> None:
    recording = recording_of(lesson)
    made = recording.lesson(lesson.name)
    assert shown(again(recording)) == shown(recording)
    assert [step.answer for step in made.steps] == [step.answer for step in lesson.steps]
    assert sum(len(step.set) for step in made.steps) <= sum(len(step.set) for step in lesson.steps) + 4


def test_only_what_differs_from_the_step_before_is_named() -> None:
    recording = Recording(
        (at(0), at(9, lookup__temperature=2.0), at(20, "heads"), at(30, lookup__temperature=2.0)), "T"
    )
    steps = recording.lesson().steps
    assert [(step.show, step.page, dict(step.set)) for step in steps] == [
        ("two-keys", "", {}),
        ("", "", {"lookup.temperature": 2.0}),
        ("random-words", "", {}),
        ("", "lookup", {}),
    ]


def test_a_mask_is_named_by_what_was_chosen_and_another_source_whole() -> None:
    heads = find_preset("random-words").state
    masked = with_fields(heads, {"heads.setup.mask.kind": "causal"})
    made = find_preset("hand-made").state
    recording = Recording((at(0, "heads", heads), at(9, "heads", masked), at(20, "heads", made)), "T")
    steps = recording.lesson().steps
    assert dict(steps[1].set) == {"heads.setup.mask.kind": "causal"}
    assert steps[2].show == "hand-made"
    assert shown(again(recording)) == shown(recording)


def test_a_recorded_lesson_passes_its_check() -> None:
    asked = replace(at(9, lookup__query=[0.9, 1.2]), question=QUESTION)
    lesson = again(Recording((at(0), asked, at(20, "heads")), "A title")).lesson("x")
    assert "answer" in [name for _, name, _ in checked(lesson)]
    assert lesson.steps[1].right == lesson.steps[1].wrong == "Words."


# ---- What is wrong with it ----


@pytest.mark.parametrize(
    ("recording", "said"),
    [
        (Recording((at(0),), "  "), "no title"),
        (Recording((), "T"), "no steps"),
        (Recording((replace(at(0), words=" "),), "T"), "Step 1 says nothing"),
        (Recording(tuple(at(0) for _ in range(MOST_STEPS + 1)), "T"), f"{MOST_STEPS + 1} steps"),
        (
            Recording((at(0), at(1, "heads", ExplorerState(heads=HeadsState().with_setup(recipe=FILE)))), "T"),
            "Step 2 shows a file",
        ),
    ],
    ids=["title", "steps", "words", "many", "file"],
)
def test_what_no_lesson_can_be_made_of_is_said_in_a_sentence(recording: Recording, said: str) -> None:
    with pytest.raises(ExplorerError, match=said) as error:
        recording.lesson()
    assert all(line.endswith(".") for line in str(error.value).split("\n"))
