"""Plays a lesson in the window: begins its steps, sees that they are done, and puts the person's own work back."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Signal, SignalInstance

from attention_explorer.core.numerals import coordinate
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.made import discard
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.page import Page
from attention_explorer.session.jobs import Working
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import reading
from attention_explorer.tools.lessons.answers import MOST, Outcome, Right, Verdict, drawn, judged, truth
from attention_explorer.tools.lessons.lesson import Kind, Lesson, Step
from attention_explorer.tools.lessons.progress import Progress, Reply
from attention_explorer.tools.lessons.recall import recall_of
from attention_explorer.tools.lessons.ui.panel import LessonCard
from attention_explorer.tools.lessons.ui.place import (
    Place,
    begun_take,
    has_to_learn,
    longest_words,
    no_reply,
    reply_to,
    view_of,
    with_reply,
)
from attention_explorer.tools.lessons.walk import begun, ended
from attention_explorer.tools.lessons.words import (
    TYPED,
    asks_what_must_be_learned,
    is_met,
    read_answer,
    told_words,
    verdict_words,
)

COVER = "?\n\nAnswer first. Then you see it here."
LEARNED_FIRST = "One moment: this is learned first."
AWAY = 600.0
"""Seconds between two things done after which somebody was away, and the rest is not counted."""
WITHHELD = "A question of the lesson is open: answer it first. Then all numbers are here again."


class LessonPlayer(QObject):
    """Plays one lesson at a time; its parent is the window.

    Signals
    -------
    began : ()
        A lesson has begun, or the thirty questions, or some that come again.
    left : ()
        It is over, and what was there before it has come back, unless another session was opened.
    """

    began = Signal()
    left = Signal()
    review_wanted = Signal()

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self.progress = Progress.read(window.settings.lessons)
        self.today = date.today
        """Says what day it is."""
        self.place: Place | None = None
        self.card: LessonCard | None = None
        self._veiled: Page | None = None
        self._in_use: set[Page] = set()
        """The pages that the lesson has shown."""
        self._asked: Page | None = None
        """The page that was asked for a place, where the guess stands."""
        self.working = Working(self)
        self._since = monotonic()
        self._session.changed.connect(self._on_changed)
        window.worn.connect(self._wear)
        window.guessed.connect(self._choose)

    # ---- Beginning and ending ----

    def take(self, when: str) -> None:
        """Begin the thirty questions, `BEFORE` the lessons or `AFTER` them, or go on with them where they were left."""
        self.leave()
        bank = reading.bank()
        self.keep(begun_take(self.progress, bank, when, self.today()))
        self._open(Place(bank, len(self.progress.takes[when].replies), *self._own(), take=when))

    def ask_again(self, lesson: Lesson) -> None:
        """Ask three questions of a lesson that was finished days ago."""
        self.leave()
        recall = recall_of(lesson, self.progress.of(lesson))
        self._open(Place(recall.asked, 0, *self._own(), recall=recall))

    def start(self, lesson: Lesson, folder: Path | None = None) -> None:
        """Begin a lesson, or go on with it where it was left; the sessions of one of a file lie in its folder."""
        self.leave()
        self._open(Place(lesson, self.progress.of(lesson).step, *self._own(), folder))

    def _own(self) -> tuple[ExplorerState, ExplorerState, str]:
        """Return the person's own work, twice, and its page: what a place begins with, and what comes back."""
        self._session.commit()
        own = self._session.state
        return own, own, self._window.settings.page

    def _open(self, place: Place) -> None:
        self._window.show_page_again()
        self.began.emit()
        self._since = monotonic()
        self.place = place
        self._session.aside = place.own  # a crash within the lesson must not keep that of the lesson instead
        self.card = LessonCard(self._window.look)
        for signal, run in self._answers_to(self.card):
            signal.connect(run)
        self._window.stand_above(self.card)
        self.card.keep_room(longest_words(place.lesson))
        self._begin(place.step, place.entry(place.step))

    def _answers_to(self, card: LessonCard) -> tuple[tuple[SignalInstance, Callable[..., object]], ...]:
        return (
            (card.back.clicked, self._back),
            (card.hint.clicked, self._hint),
            (card.tell.clicked, self._show_me),
            (card.another.clicked, self._another),
            (card.skip.clicked, self._skip),
            (card.next.clicked, self._next),
            (card.leave.clicked, self.leave),
            (card.given, self._answer),
            (card.written, self._show_guess),
            (card.term_wanted, self._window.tools.terms.explain),
        )

    @property
    def is_playing(self) -> bool:
        """Whether a lesson is under way."""
        return self.place is not None

    @property
    def lesson(self) -> Lesson | None:
        """The lesson under way, or of which questions are asked again."""
        if self.place is None:
            return None
        return self.place.lesson if self.place.recall is None else self.place.recall.of

    def leave(self) -> None:
        """End the lesson, if one is under way, and put back what was there before it."""
        if self.place is None:
            return
        own, page = self.place.own, self.place.own_page
        self._drop()
        self._session.apply(own, "Leave the lesson")
        self._window.show_page(page)
        self.left.emit()

    def _drop(self) -> None:
        """End the lesson and leave everything as it is."""
        self._count_time()
        self._session.aside = None
        self.working.forget()
        self.place = None
        self._unveil()
        self._window.light(())
        self._forget_guess()
        for page in self._in_use:
            page.name_examples(True)
        self._in_use.clear()
        if self.card is not None:
            discard(self.card)
            self.card = None

    def keep(self, progress: Progress) -> None:
        """Keep what was done, in the settings."""
        self.progress = progress
        self._window.settings = replace(self._window.settings, lessons=progress.text())

    def _count_time(self) -> None:
        """Add to the time of the lesson what has passed, but not that of somebody who is away."""
        if self.place is not None:
            passed, self._since = monotonic() - self._since, monotonic()
            self.keep(self.place.spent(self.progress, min(passed, AWAY)))

    # ---- Steps ----

    def _begin(self, step: int, before: ExplorerState) -> None:
        """Begin a step; the one after the last is the end of the lesson."""
        place = self._playing()
        lesson = place.lesson
        self.working.forget()  # of the step before
        if step == len(lesson.steps):
            self.keep(place.finished(self.progress, self.today()))
            case, seed = place.own if place.take else before, 0
        else:
            self.keep(place.begun(self.progress, step))
            try:
                state = begun(lesson.steps[step], before, place.folder)
            except ExplorerError:  # what somebody did on the way does not go with what the step sets
                state = begun(lesson.steps[step], place.entry(step), place.folder)
            seed = random.randrange(2**32)  # noqa: S311 # to practise on
            case = drawn(lesson.steps[step], state, seed)
        self._count_time()
        self._forget_guess()
        begun_here = {"is_done": False, "verdict": "", "outcome": None, "is_hinted": False}
        self._come_to(replace(place, step=step, case=case, seed=seed, **begun_here))  # type: ignore[arg-type]

    def _come_to(self, place: Place) -> None:
        """Show a step; where its words have to be learned first, on the worker, so that the window goes on."""

        def show(_offer: object) -> None:
            self._window.tell("")
            self._enter(place)

        if has_to_learn(place, MOST):
            self._window.tell(LEARNED_FIRST)
            self.working.find_out(lambda: place.offer, show, self._complain, aside=True)
        else:
            self._enter(place)

    def _enter(self, place: Place) -> None:
        self.place = place
        self._put()
        card = self._show()
        announce(card, card.spoken())
        self.give_keyboard()

    def give_keyboard(self) -> None:
        """Give the keyboard to what the step is about: the page of a task, the answer to a question."""
        now = self._playing().now
        if now is not None and now.until is not None:
            self._window.page.focus_first()
        elif self.card is not None:
            self.card.take_keyboard()

    def _hint(self) -> None:
        self._change(is_hinted=True)
        self.give_keyboard()  # or it would be at *Show me* now, where Enter tells the answer

    def _put(self) -> None:
        """Put the case of the step on its page, without what the question must not tell, or cover the page."""
        place = self._playing()
        page = place.page
        if page and page != self._window.settings.page:
            self._window.show_page(page)
        self._in_use.add(self._window.page)
        self._window.page.name_examples(False)  # “A long key beats an aligned one” would answer the question
        self._unveil()
        if place.wants_place:
            self._asked = self._window.page
        if self._asked is not None:
            self._asked.ask_for_place(place.wants_place)
        if place.is_covered:
            self._veiled = self._window.page
            if not self._veiled.withhold(WITHHELD):
                self._window.light(())
                self._window.cover(COVER)
                return  # the case is not computed anywhere, where a copy might give it away
        if place.take and place.now is None:
            self._session.apply(place.case, "The end")  # not what was asked last, with its answer
        elif place.now is not None:
            self._session.apply(place.case, f"Lesson, step {place.step + 1}")
        self._window.light(place.light_in(place.case))
        self._window.show_lit()

    def _forget_guess(self) -> None:
        """Ask for no place any more, and take the guess away, also of a page that is out of view by now."""
        if self._asked is not None:
            self._asked.ask_for_place(False)
            self._asked.show_guess(None)
            self._asked = None

    def _unveil(self) -> None:
        self._window.uncover()
        if self._veiled is not None:
            self._veiled.withhold("")
            self._veiled = None

    def _playing(self) -> Place:
        if self.place is None:
            raise ExplorerError("No lesson is under way.")
        return self.place

    def _change(self, **changes: bool | str) -> None:
        self.place = replace(self._playing(), **changes)  # type: ignore[arg-type]
        self._show()

    def _back(self) -> None:
        place = self._playing()
        step = max(place.step - 1, 0)
        self._begin(step, place.entry(step))

    def _next(self) -> None:
        place = self._playing()
        if place.now is not None:
            after = self._session.state if place.recall is None else place.entry(place.step + 1)
            self._begin(place.step + 1, after)
            return
        following = None if place.take else reading.after(place.lesson)
        self.leave()
        if place.take:
            self.review_wanted.emit()
        if following is not None:
            self.start(following)

    def _skip(self) -> None:
        place = self._playing()
        if place.now is not None and place.take:
            step, asked = place.now, place.now.answer
            find = (lambda: None) if asked is None else (lambda: truth(asked, place.case))
            self._work_out(find, lambda right: self._reply(no_reply(place, step, right)))
        elif place.now is not None:
            after = self._shown_me(place.now) if place.recall is None else place.entry(place.step + 1)
            self._begin(place.step + 1, after)

    def _reply(self, reply: Reply) -> None:
        """Keep the answer to one of the thirty questions, and go on to the next without a word about it."""
        place = self._playing()
        self.keep(with_reply(self.progress, place.take, reply))
        self._begin(place.step + 1, place.entry(place.step + 1))

    def _shown_me(self, now: Step) -> ExplorerState:
        """Return how the step ends after *Show me*: on what is there, if that can hold what the step sets."""
        place = self._playing()
        try:
            return ended(now, place.case)
        except ExplorerError:
            return place.entry(place.step + 1)

    def _another(self) -> None:
        place = self._playing()
        self._begin(place.step, place.entry(place.step))

    def _show_me(self) -> None:
        place = self._playing()
        if place.now is None:
            return
        if place.now.answer is None:
            self._session.apply(self._shown_me(place.now), "Show me")
            if self.card is not None:
                self.card.take_keyboard()
        else:
            now, answer = place.now, place.now.answer

            def tell(right: Right) -> None:
                self._judged(told_words(now, right, place.offer), (None, right), is_right=False)

            self._work_out(lambda: truth(answer, place.case), tell)

    def _answer(self, given: Any) -> None:  # noqa: ANN401 # a `Given`, but signals carry what they are given
        """Judge an answer; what was typed is read first."""
        place = self._playing()
        now = place.now
        if now is None or now.answer is None:
            return
        self.working.forget()  # this answer takes the place of an earlier one
        try:
            if given is None:
                raise ExplorerError("Choose an answer first.")
            answer = read_answer(now.answer.kind, given) if now.answer.kind in TYPED else given
        except ExplorerError as error:
            self._complain(error)
            return

        def judge(verdict: Verdict) -> None:
            if place.take:
                self._reply(reply_to(place, now, answer, verdict))
                return
            words = verdict_words(now, answer, verdict, place.offer)
            self._judged(words, (answer, verdict.truth), is_right=verdict.is_right)

        self._work_out(lambda: judged(now, place.case, answer), judge)

    def _complain(self, error: ExplorerError) -> None:
        """Tell what is wrong with an answer in the card, where the eyes are."""
        self._change(verdict=str(error))
        announce(self._show(), str(error))

    def _work_out(self, compute: Callable[[], Any], use: Callable[[Any], None]) -> None:
        """Compute something about the question and use it."""
        learns = has_to_learn(self._playing())
        if learns:
            self._change(verdict=LEARNED_FIRST)
        self.working.find_out(compute, use, self._complain, aside=learns)

    def _show_guess(self, text: str) -> None:
        """Mark on the plane what is typed as a point."""
        if self._asked is None or not self._playing().wants_place:
            return
        try:
            x, y = (float(str(part)) for part in read_answer(Kind.POINT, text))  # type: ignore[union-attr]
        except (ExplorerError, ValueError):
            self._asked.show_guess(None)  # no point yet
        else:
            self._asked.show_guess((x, y))

    def _choose(self, place: tuple[float, float]) -> None:
        """Take a place that was clicked for what is typed."""
        if self.card is not None:
            self.card.write(" ".join(coordinate(part, 4) for part in place))

    def _judged(self, words: str, outcome: Outcome, *, is_right: bool) -> None:
        place = self._playing()
        self._count_time()
        if place.recall is None:
            self.keep(self.progress.answered(place.lesson, place.step, is_right=is_right))
        firsts = {place.step: is_right, **place.firsts}
        self.place = replace(place, firsts=firsts, is_done=True, verdict=words, outcome=outcome)
        self._put()
        card = self._show()
        announce(card, card.spoken_verdict())
        card.next.setFocus()

    # ---- Following the window ----

    def _on_changed(self, old: ExplorerState, new: ExplorerState) -> None:
        place = self.place
        if place is None or place.now is None:
            return
        if self._session.is_new:
            self._drop()  # another session was opened: nothing of the one before comes back
            self.left.emit()
            return
        if place.light_in(old) != place.light_in(new):
            self._window.light(place.light_in(new))
        if not place.is_done:
            self._see_whether_it_is_done(place.now, new)

    def _see_whether_it_is_done(self, task: Step, state: ExplorerState) -> None:
        """See whether a task is done; on the worker where its condition is about what has still to learn."""

        def use(met: bool) -> None:
            place = self.place
            if met and place is not None and place.now is task and self._session.state == state:
                self._change(is_done=True)
                if self.card is not None:
                    announce(self.card, "Done. Next goes on.")

        aside = asks_what_must_be_learned(task, state)
        if not aside or not self.working.is_awaited:  # else another step is on its way
            self.working.find_out(lambda: is_met(task, state), use, self._complain, aside=aside)

    def _wear(self) -> None:
        if self.card is not None:
            self.card.set_look(self._window.look)
            self._window.stand_above(self.card)

    def _show(self) -> LessonCard:
        place = self._playing()
        if self.card is None:
            raise ExplorerError("The card of the lesson is not there.")
        self.card.show_view(view_of(place, self.progress, self.today()))
        return self.card
