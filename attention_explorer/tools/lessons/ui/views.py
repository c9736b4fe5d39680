"""What the card shows of a place: a step of a lesson, one of the thirty questions, one that comes again, or an end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from attention_explorer.tools.lessons import shelf
from attention_explorer.tools.lessons.lesson import Lesson
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.recall import end_words
from attention_explorer.tools.lessons.ui.panel import CardView
from attention_explorer.tools.lessons.ui.place import Place
from attention_explorer.tools.lessons.ui.taking import view_of_take
from attention_explorer.tools.lessons.words import drawn_words

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
        following = shelf.after(lesson)
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
