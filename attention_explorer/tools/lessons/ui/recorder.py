"""Records a lesson: hears every change of the window, shows the strip and the page of steps, checks and saves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QMessageBox

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.made import discard
from attention_explorer.kit.message import ask
from attention_explorer.session.jobs import Working
from attention_explorer.tools.host import Host
from attention_explorer.tools.lessons.lesson import Lesson, Step
from attention_explorer.tools.lessons.proposing import proposed, why_none, with_proposed_words
from attention_explorer.tools.lessons.reading import SUFFIX
from attention_explorer.tools.lessons.recording import Moment, Recording, recording_of
from attention_explorer.tools.lessons.rehearsing import Rehearsed, rehearsed
from attention_explorer.tools.lessons.to_toml import lesson_text
from attention_explorer.tools.lessons.ui.draft import Draft, LeftRecording
from attention_explorer.tools.lessons.ui.pictures import picture_of_state
from attention_explorer.tools.lessons.ui.player import LessonPlayer
from attention_explorer.tools.lessons.ui.record_page import RecordPage, RecordStrip

if TYPE_CHECKING:
    from attention_explorer.session.history import History

MOST_UNDONE = 100
CHECKING = "Checking …"
CHECK_AFTER = 400
"""Milliseconds after the last change, so that typing does not wait for it."""
DRAW_AFTER = 100
"""Milliseconds after the last change of the room for the picture: drawing it computes what its page shows."""


class LessonRecorder(QObject):
    """Makes a lesson of what is done in a window, which is its parent.

    While the strip is there it records; the page of steps changes what was recorded. Otherwise it hears nothing.
    """

    def __init__(self, window: Host, player: LessonPlayer) -> None:
        super().__init__(window)
        self._window, self._session, self._player = window, window.session, player
        self.recording = Recording()
        self.clock: Callable[[], float] = time.monotonic
        self.strip: RecordStrip | None = None
        self.page: RecordPage | None = None
        self.draft = Draft(self, lambda: window.kept_folder, window.tell)
        self.proposing, self.checking = Working(self), Working(self)
        self._at = -1
        """The step on show; what is recorded comes behind it."""
        self._asked_for: object = None
        """Of what the questions on offer are."""
        self._offered: tuple[Step, ...] | None = ()
        self._why_none = ""
        self._worded = -1
        """The step whose words are being typed."""
        self._past: list[tuple[Recording, int]] = []
        self._saved: Recording | None = None
        self._tried: Lesson | None = None
        """The lesson that is being tried."""
        self._soon = QTimer(self, interval=CHECK_AFTER, singleShot=True)
        self._soon.timeout.connect(self._check)
        self._resized = QTimer(self, interval=DRAW_AFTER, singleShot=True)
        self._resized.timeout.connect(self._draw_again)
        self._drawn_for = QSize()
        self._done = {id(steps): steps.index for steps in (self._session.history, self._session.views)}
        for steps in (self._session.history, self._session.views):
            steps.changed.connect(self._on_step)
        window.turned.connect(self._on_turned)
        window.worn.connect(self._wear)
        player.began.connect(self._on_lesson)
        player.left.connect(self._on_left)

    # ---- Beginning and ending ----

    def start(self) -> None:
        """Begin to record; while that is under way, show the steps."""
        if self.page is not None:
            return
        if self.strip is not None:
            self.show_steps()
            return
        self._window.tools.leave_lesson()
        left = None if self.recording.moments else self.draft.left_over()
        if left is None:
            self._record()
        else:
            self._offer(left)

    def _offer(self, left: LeftRecording) -> None:
        """Ask what to do with a recording that was left."""
        steps = counted(len(left.kept.steps), "step")
        text = f"“{left.kept.title}”, {steps}, was left on {left.time:%d %B, %H:%M}. Go on with it?"
        answers = (
            (("Go on with it", QMessageBox.ButtonRole.AcceptRole), lambda: self._take(left)),
            (("Delete it and begin anew", QMessageBox.ButtonRole.DestructiveRole), lambda: self._begin_anew(left)),
            (QMessageBox.StandardButton.Cancel, left.lock.unlock),
        )
        ask(self._window, "A recording was not finished", text, answers, default=0)

    def _begin_anew(self, left: LeftRecording) -> None:
        left.forget()
        self._record()

    def _take(self, left: LeftRecording) -> None:
        def use(recording: Recording) -> None:
            self._window.tell("")
            self._set(recording, len(recording.moments) - 1)
            self.draft.write_now()  # before what it came of is deleted
            left.forget()
            self.show_steps()

        def refuse(error: ExplorerError) -> None:
            left.lock.unlock()
            self._window.tell(f"The recording cannot be gone on with. {error}")

        self._window.tell("One moment: the steps are gone through.")
        self.checking.find_out(lambda: recording_of(left.kept), use, refuse)

    def _record(self) -> None:
        """Record from now on: what is on show is the first step, or comes behind the step that is chosen."""
        self._window.show_page_again()
        if self.strip is None:
            self.strip = RecordStrip(self._window.look)
            self.strip.finish.clicked.connect(self.show_steps)
            self.strip.delete.clicked.connect(self._delete)
            self.strip.titled.connect(lambda text: self._change(replace(self.recording, title=text), past=False))
            self.strip.form.worded.connect(self._word)
            self.strip.form.asked.connect(self._ask)
            self.strip.form.left.connect(lambda: self._window.page.focus_first())
            self._window.stand_above(self.strip)
        self._set_head(self._head().seen(self._now(""), may_join=False))
        self._show()

    def _put_away(self) -> None:
        """Hear nothing any more; the recording stays."""
        if self.strip is not None:
            discard(self.strip)
            self.strip = None

    def show_steps(self) -> None:
        """Show all steps in place of the page."""
        self._session.commit()
        self._put_away()
        page = self.page = RecordPage(self._window.look)
        page.chosen.connect(self._choose)
        page.moved.connect(lambda by: self._change(self.recording.moved(self._at, by), self._at + by))
        page.described.connect(self._describe)
        page.room_changed.connect(self._resized.start)
        page.form.worded.connect(self._word)
        page.form.asked.connect(self._ask)
        for button, run in (
            (page.join, lambda: self._change(self.recording.joined(self._at), self._at - 1)),
            (page.delete, self._delete),
            (page.undo, self._undo),
            (page.go_on, self._go_on),
            (page.preview, lambda: self._rehearse(self._try)),
            (page.save, lambda: self._rehearse(self._save)),
            (page.hand_out, lambda: self._rehearse(lambda found: self._window.tools.hand_out(found.lesson))),
            (page.discard, self._ask_to_discard),
            (page.close_button, self._close),
        ):
            button.clicked.connect(run)
        self._window.show_instead(page, "lessons")
        self._asked_for = None  # the picture is to be drawn too
        self._show()
        self._check()
        (page.title if not self.recording.title else page.steps).setFocus()

    def _go_on(self) -> None:
        """Record again, with the step that is chosen on show."""
        self.page = None
        if self._at >= 0:
            moment = self.recording.moments[self._at]
            self._session.apply(moment.state, f"Step {self._at + 1} of the lesson")
            self._window.show_page(moment.page)
        self._record()

    def _close(self) -> None:
        """Leave the steps; what was not saved is kept."""
        is_saved = self.recording == self._saved or not self.recording.moments
        if is_saved:
            self._forget()
        self.page = None
        self._window.show_page_again()
        if not is_saved:
            self._window.tell("The recording is kept: Help, Record a lesson goes on with it.")

    def _forget(self) -> None:
        self.recording, self._saved, self._at = Recording(), None, -1
        self._past.clear()
        self.draft.keep(self.recording)

    def _ask_to_discard(self) -> None:
        text = f"Delete the recording with its {counted(len(self.recording.moments), 'step')}?"
        delete = "Delete it", QMessageBox.ButtonRole.DestructiveRole
        answers = (delete, self._discard), (QMessageBox.StandardButton.Cancel, None)
        ask(self._window, "Discard the recording", text, answers)

    def _discard(self) -> None:
        self._forget()
        self.page = None
        self._window.show_page_again()

    # ---- Hearing the window ----

    def _now(self, label: str) -> Moment:
        return Moment(self._session.committed, self._session.page, label, self.clock())

    def _on_step(self) -> None:
        """Hear that something was done, or taken back, in one of the two histories."""
        for steps in (self._session.history, self._session.views):
            before, self._done[id(steps)] = self._done[id(steps)], steps.index
            if steps.index != before and self.strip is not None and not self._player.is_playing:
                self._on_done(steps, was_undone=steps.index < before and not self._session.is_new)

    def _on_done(self, steps: History, *, was_undone: bool) -> None:  # type: ignore[type-arg]
        head, now = self._head(), self._now("" if was_undone else steps.undo_text)
        self._set_head(head.taken_back(now) if was_undone else head.seen(now))

    def _head(self) -> Recording:
        """Return the steps up to the one on show: what is done now comes behind them."""
        return replace(self.recording, moments=self.recording.moments[: self._at + 1])

    def _set_head(self, head: Recording) -> None:
        head = with_proposed_words(head)
        rest = self.recording.moments[self._at + 1 :]
        if head.moments != self.recording.moments[: self._at + 1]:
            self._set(replace(head, moments=(*head.moments, *rest)), len(head.moments) - 1)
            self._show()

    def _on_turned(self) -> None:
        if self.page is not None and self._window.instead is not self.page:
            self.page = None
            if self._tried is None and self._window.instead is None and not self._player.is_playing:
                self._record()  # something else was called up: what is seen is recorded again

    def _on_lesson(self) -> None:
        if self._tried is None and self.strip is not None:
            self._put_away()
            self._window.tell("The recording is kept: Help, Record a lesson goes on with it.")

    # ---- Changing what was recorded ----

    def _set(self, recording: Recording, at: int) -> None:
        self.recording, self._at, self._worded = recording, min(at, len(recording.moments) - 1), -1
        self.draft.keep(recording)

    def _change(self, recording: Recording, at: int | None = None, *, past: bool = True) -> None:
        """Change the recording by hand; what it was before can be had again on the page of steps."""
        if recording == self.recording:
            return
        if past:
            self._past = [*self._past, (self.recording, self._at)][-MOST_UNDONE:]
        self._set(recording, self._at if at is None else at)
        self._show()
        self._soon.start()

    def _undo(self) -> None:
        if self._past:
            recording, at = self._past.pop()
            self._change(recording, at, past=False)

    def _word(self, words: str) -> None:
        if self._at >= 0:
            moment = replace(self.recording.moments[self._at], words=words, is_own=bool(words.strip()))
            if not moment.is_own:
                head = with_proposed_words(replace(self._head(), moments=(*self._head().moments[:-1], moment)))
                moment = head.moments[-1]
            is_typing, self._worded = self._worded == self._at, self._at  # what Undo takes back is all that was typed
            self._change(self.recording.with_moment(self._at, moment), past=not is_typing)
            self._worded = self._at

    def _ask(self, question: Step | None) -> None:
        if self._at >= 0:
            moment = replace(self.recording.moments[self._at], question=question)
            self._change(self.recording.with_moment(self._at, moment))

    def _delete(self) -> None:
        if self._at >= 0:
            self._change(self.recording.without(self._at), max(self._at - 1, 0))

    def _choose(self, at: int) -> None:
        self._at = at
        self._show()

    def _describe(self, title: str, about: str, learned: str, minutes: int) -> None:
        described = replace(self.recording, title=title, about=about, learned=learned, minutes=float(minutes))
        self._change(described, past=False)

    # ---- Showing ----

    def _show(self) -> None:
        at = self._at
        moment = self.recording.moments[at] if at >= 0 else None
        asked_for = None if moment is None else (moment.state, moment.page, self.recording.changed(at))
        if moment is None and self.page is not None:
            self.page.show_picture(QPixmap())
        if moment is not None and asked_for != self._asked_for:
            self._asked_for, self._offered = asked_for, None
            self._propose(moment, self.recording.changed(at))
        self._show_form()

    def _propose(self, moment: Moment, changed: frozenset[str]) -> None:
        def find() -> tuple[tuple[Step, ...], str]:
            found = proposed(moment.state, moment.page, changed)
            return found, "" if found else why_none(moment.state, moment.page)

        def use(found: tuple[tuple[Step, ...], str]) -> None:
            self._offered, self._why_none = found
            self._show_form()
            self._draw(moment)  # now that what has to be learned for it is known

        self.proposing.find_out(find, use, lambda error: use(((), str(error))))

    def _draw(self, moment: Moment) -> None:
        """Show what is seen at a step on the page of steps."""
        page = self.page
        if page is None:
            return
        ratio, room = page.devicePixelRatioF(), page.picture.size()
        self._drawn_for = room
        try:
            drawn = picture_of_state(moment.state, moment.page, self._window.look, room * ratio, whole=True)
        except ExplorerError:  # the page says why
            drawn = QPixmap()
        drawn.setDevicePixelRatio(ratio)
        page.show_picture(drawn, moment.words)

    def _draw_again(self) -> None:
        is_drawn = self.page is None or self.page.picture.size() == self._drawn_for
        if self._at >= 0 and self._offered is not None and not is_drawn:  # what is offered is known before it is drawn
            self._draw(self.recording.moments[self._at])

    def _show_form(self) -> None:
        at = self._at
        if self.strip is not None:
            self.strip.show_recording(self.recording, at, self._offered, self._why_none)
        if self.page is not None:
            moment = self.recording.moments[at] if at >= 0 else None
            self.page.show_recording(self.recording, at, can_undo=bool(self._past))
            self.page.show_form(moment, self._offered, self._why_none)

    def _wear(self) -> None:
        if self.strip is not None:
            self.strip.set_look(self._window.look)
            self._window.stand_above(self.strip)
        if self.page is not None:
            self.page.set_look(self._window.look)

    # ---- Checking, trying and saving ----

    def _check(self) -> None:
        """Walk the lesson as `lesson check` does, and say what is wrong with it."""
        self._rehearse(lambda _found: None)

    def _rehearse(self, use: Callable[[Rehearsed], object]) -> None:
        if self.page is None:
            return
        recording = self.recording
        self._soon.stop()
        self.page.say(CHECKING)

        def told(found: Rehearsed) -> None:
            if self.page is not None:
                self.page.say(*found.said)
            use(found)

        def refuse(error: ExplorerError) -> None:
            if self.page is not None:
                self.page.say(*str(error).split("\n"))
                announce(self.page.said, str(error))

        self.checking.find_out(lambda: rehearsed(recording), told, refuse)

    def _try(self, found: Rehearsed) -> None:
        """Play the lesson as the class will; its end comes back to the steps."""
        self._tried = found.lesson
        self._player.start(found.lesson)

    def _on_left(self) -> None:
        if self._tried is not None:
            tried, self._tried = self._tried, None
            self._player.keep(self._player.progress.without(tried))
            self.show_steps()

    def _save(self, found: Rehearsed) -> None:
        """Ask for a file, and write the lesson to it."""
        # File formats take time to load.
        from attention_explorer.kit.export.dialog import ask_for_file, save_or_explain
        from attention_explorer.tools.lessons.ui.offering import LESSON_FILES

        saved = self.recording
        path = ask_for_file(self._window, "Save the lesson", file_stem(saved.title), LESSON_FILES)
        if path is None:
            return
        if not path.name.endswith(SUFFIX):
            self._say(f"{quoted(path.name)} was not written: the name of a lesson file ends in {SUFFIX}.")
            return
        data = lesson_text(found.lesson).encode()
        told = save_or_explain(self._window, lambda file, _report: file.write(data), path)
        if told.startswith("Saved"):
            self._saved = saved
        self._say(told)
        self._window.tell(told)

    def _say(self, text: str) -> None:
        """Say something where the check does."""
        if self.page is not None and text:
            self.page.say(text)
            announce(self.page.said, text)


def file_stem(title: str) -> str:
    """Return what the file of a lesson may be called, after its title."""
    words = "".join(sign if sign.isalnum() else " " for sign in title.casefold()).split()
    return "-".join(words)[:60] or "lesson"
