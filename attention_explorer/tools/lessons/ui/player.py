"""Plays a lesson in the window: begins its steps, sees that they are done, and puts the person's own work back."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, SignalInstance

from attention_explorer.core.numerals import coordinate
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.discard import discard
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.page import Page
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons import shelf
from attention_explorer.tools.lessons.answers import Outcome, Right, Verdict, drawn, judged, truth
from attention_explorer.tools.lessons.lesson import Kind, Lesson, Step
from attention_explorer.tools.lessons.offers import MOST
from attention_explorer.tools.lessons.progress import Progress
from attention_explorer.tools.lessons.reading import SUFFIX as SUFFIX_OF_LESSONS
from attention_explorer.tools.lessons.reading import lesson_from, read_lesson
from attention_explorer.tools.lessons.recall import recall_of
from attention_explorer.tools.lessons.results import KINDS, result, result_file
from attention_explorer.tools.lessons.taking import AFTER, BEFORE, Reply
from attention_explorer.tools.lessons.ui.page import LessonsPage
from attention_explorer.tools.lessons.ui.panel import LessonCard
from attention_explorer.tools.lessons.ui.pictures import LessonPictures
from attention_explorer.tools.lessons.ui.place import Place, has_to_learn
from attention_explorer.tools.lessons.ui.taking import begun_take, reply_to, with_reply
from attention_explorer.tools.lessons.ui.views import longest_words, view_of
from attention_explorer.tools.lessons.walk import begun, checked, ended
from attention_explorer.tools.lessons.words import (
    TYPED,
    asks_what_must_be_learned,
    drawn_words,
    is_met,
    read_answer,
    told_words,
    verdict_words,
)
from attention_explorer.tools.lessons.writing import EXAMPLE, example

if TYPE_CHECKING:
    from attention_explorer.tools.lessons.ui.first import FirstLessons

LESSON_FILES = {SUFFIX_OF_LESSONS: "Lesson"}
COVER = "?\n\nAnswer first. Then you see it here."
LEARNED_FIRST = "One moment: this is learned first."
AWAY = 600.0
"""Seconds between two things done after which somebody was away, and the rest is not counted."""
WITHHELD = "A question of the lesson is open: answer it first. Then all numbers are here again."


class LessonPlayer(QObject):
    """Plays one lesson at a time; its parent is the window."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self.progress = Progress.read(window.settings.lessons)
        self.today = date.today
        """Says what day it is."""
        self.place: Place | None = None
        self.card: LessonCard | None = None
        self.first: FirstLessons | None = None
        """What offers the first lessons, at the first start."""
        self.pictures = LessonPictures(self)
        """Here, for those who show them come and go."""
        self._veiled: Page | None = None
        self._in_use: set[Page] = set()
        """The pages that the lesson has shown."""
        self._asked: Page | None = None
        """The page that was asked for a place, where the guess stands."""
        self._learning = JobQueue(self)
        self._awaited: tuple[Callable[[Any], None], Callable[[ExplorerError], None]] | None = None
        """What is done with what has to be learned first, or with what is wrong; None if nobody waits for it."""
        self._learning.delivered.connect(self._on_learned)
        self._learning.failed.connect(self._on_not_learned)
        self._since = monotonic()
        self._session.changed.connect(self._on_changed)
        window.worn.connect(self._wear)
        window.guessed.connect(self._choose)

    # ---- Beginning and ending ----

    def welcome(self) -> None:
        """Offer the first lessons below the page, to somebody who is here for the first time."""
        from attention_explorer.tools.lessons.ui.first import FirstLessons  # drawing them takes time to load

        self.first = FirstLessons(self._window.look, shelf.lessons(), self.pictures)
        self.first.chosen.connect(self.start)
        self.first.all_wanted.connect(self.show_list)
        self.first.explore.clicked.connect(self._put_away)
        self._window.stand_below(self.first)

    def _put_away(self) -> None:
        """Show the first lessons no longer: somebody has begun one, or explores."""
        if self.first is not None:
            discard(self.first)
            self.first = None

    def show_list(self) -> None:
        """Show the lessons in place of the page."""
        look, lessons = self._window.look, shelf.lessons()
        page = LessonsPage(look, lessons, self.progress, shelf.bank(), self.today(), self.pictures)
        page.chosen.connect(self.start)
        page.taken.connect(self.take)
        page.recalled.connect(self.ask_again)
        page.printed.connect(self._window.tools.hand_out)
        page.forgotten.connect(self._forget)
        page.result_wanted.connect(self._write_result)
        page.closed.connect(self._close_list)
        self._window.show_instead(page, "lessons")
        page.ways[0].setFocus()

    def _close_list(self) -> None:
        self._window.show_page_again()
        if self.is_playing:
            self._give_keyboard()

    def _forget(self, lesson: Lesson | None) -> None:
        if lesson is shelf.bank():
            self._keep(self.progress.taken(BEFORE, None).taken(AFTER, None))
        else:
            self._keep(Progress() if lesson is None else self.progress.without(lesson))
        self.show_list()

    def _write_result(self, name: str) -> None:
        """Ask where the result is to be, and write it there."""
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain  # file formats take time to load

        path = ask_for_file(self._window, "Save the result", "result", KINDS)
        if path is not None:
            found = result(shelf.lessons(), self.progress, name, shelf.bank())
            self._window.tell(save_or_explain(self._window, result_file(found, path), path))

    def start_file(self, path: Path) -> None:
        """Begin the lesson of a file, after walking it on the worker; what is wrong with it is told."""

        def compute() -> Lesson:
            lesson = read_lesson(path)
            for _ in checked(lesson, path.parent):
                pass
            return lesson

        def begin(lesson: Lesson) -> None:
            self._window.tell("")
            self.start(lesson, path.parent)

        def refuse(error: ExplorerError) -> None:
            self._window.tell("")
            self._window.could_not_open(path, str(error))

        self._window.tell("One moment: the lesson is looked over first, and what it asks about is computed.")
        self._find_out(compute, begin, refuse, aside=True)

    def start_example(self) -> None:
        """Begin the lesson that shows how lessons are written."""
        self.start(lesson_from(example(), EXAMPLE))

    def save_example(self) -> None:
        """Ask where the file of that lesson is to be, to be changed there, and write it."""
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain  # file formats take time to load

        path = ask_for_file(self._window, "Save the example", EXAMPLE.removesuffix(SUFFIX_OF_LESSONS), LESSON_FILES)
        if path is not None:
            self._window.tell(save_or_explain(self._window, lambda file, _report: file.write(example()), path))

    def take(self, when: str) -> None:
        """Begin the thirty questions, `BEFORE` the lessons or `AFTER` them, or go on with them where they were left."""
        self.leave()
        bank = shelf.bank()
        self._keep(begun_take(self.progress, bank, when, self.today()))
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
        self._put_away()
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

    def leave(self) -> None:
        """End the lesson, if one is under way, and put back what was there before it."""
        if self.place is None:
            return
        own, page = self.place.own, self.place.own_page
        self._drop()
        self._session.apply(own, "Leave the lesson")
        self._window.show_page(page)

    def _drop(self) -> None:
        """End the lesson and leave everything as it is."""
        self._count_time()
        self._session.aside = None
        self._await_nothing()
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

    def _keep(self, progress: Progress) -> None:
        self.progress = progress
        self._window.settings = replace(self._window.settings, lessons=progress.text())

    def _count_time(self) -> None:
        """Add to the time of the lesson what has passed, but not that of somebody who is away."""
        if self.place is not None:
            passed, self._since = monotonic() - self._since, monotonic()
            self._keep(self.place.spent(self.progress, min(passed, AWAY)))

    # ---- Steps ----

    def _begin(self, step: int, before: ExplorerState) -> None:
        """Begin a step; the one after the last is the end of the lesson."""
        place = self._playing()
        lesson = place.lesson
        self._await_nothing()  # of the step before
        if step == len(lesson.steps):
            self._keep(place.finished(self.progress, self.today()))
            case, seed = place.own if place.take else before, 0
        else:
            self._keep(place.begun(self.progress, step))
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
            self._find_out(lambda: place.offer, show, self._complain, aside=True)
        else:
            self._enter(place)

    def _enter(self, place: Place) -> None:
        self.place = place
        self._put()
        card = self._show()
        announce(card, card.spoken())
        self._give_keyboard()

    def _give_keyboard(self) -> None:
        """Give the keyboard to what the step is about: the page of a task, the answer to a question."""
        now = self._playing().now
        if now is not None and now.until is not None:
            self._window.page.focus_first()
        elif self.card is not None:
            self.card.take_keyboard()

    def _hint(self) -> None:
        self._change(is_hinted=True)
        self._give_keyboard()  # or it would be at *Show me* now, where Enter tells the answer

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
        following = shelf.after(place.lesson)
        self.leave()
        if following is not None:
            self.start(following)

    def _skip(self) -> None:
        place = self._playing()
        if place.now is not None and place.take:
            self._reply(Reply(case=drawn_words(place.now, place.case)))
        elif place.now is not None:
            after = self._shown_me(place.now) if place.recall is None else place.entry(place.step + 1)
            self._begin(place.step + 1, after)

    def _reply(self, reply: Reply) -> None:
        """Keep the answer to one of the thirty questions, and go on to the next without a word about it."""
        place = self._playing()
        self._keep(with_reply(self.progress, place.take, reply))
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
        self._await_nothing()  # this answer takes the place of an earlier one
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
        self._find_out(compute, use, self._complain, aside=learns)

    def _find_out(
        self,
        compute: Callable[[], Any],
        use: Callable[[Any], None],
        refuse: Callable[[ExplorerError], None],
        *,
        aside: bool,
    ) -> None:
        """Compute something and use it: at once, or aside on the worker where that may take a while."""
        if not aside:
            try:
                found = compute()
            except ExplorerError as error:
                refuse(error)
            else:
                use(found)
            return

        def work(report: Report, deliver: Deliver) -> None:
            with stoppable(report):
                deliver(compute())

        self._awaited = use, refuse
        self._learning.request(id(work), work, replace=True)

    def _await_nothing(self) -> None:
        self._learning.cancel()
        self._awaited = None

    def _on_learned(self, _key: object, found: object) -> None:
        if self._awaited is not None:
            (use, _), self._awaited = self._awaited, None
            use(found)

    def _on_not_learned(self, _key: object, error: Exception) -> None:
        if not isinstance(error, ExplorerError):
            raise error  # a fault of the program, which is shown as any other
        if self._awaited is not None:
            (_, refuse), self._awaited = self._awaited, None
            refuse(error)

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
            self._keep(self.progress.answered(place.lesson, place.step, is_right=is_right))
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
        if not aside or self._awaited is None:  # else another step is on its way
            self._find_out(lambda: is_met(task, state), use, self._complain, aside=aside)

    def _wear(self) -> None:
        if isinstance(self._window.instead, LessonsPage):
            self._window.instead.set_look(self._window.look)
        if self.card is not None:
            self.card.set_look(self._window.look)
            self._window.stand_above(self.card)
        if self.first is not None:
            self.first.set_look(self._window.look)
            self._window.stand_below(self.first)

    def _show(self) -> LessonCard:
        place = self._playing()
        if self.card is None:
            raise ExplorerError("The card of the lesson is not there.")
        self.card.show_view(view_of(place, self.progress, self.today()))
        return self.card
