"""The Training page: a network learns while one looks on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.kit.controls.made import allow_unless, button
from attention_explorer.kit.controls.sentence_field import WordCompleter
from attention_explorer.kit.form import Form
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.learned_elsewhere import NOTHING_LEARNED
from attention_explorer.pages.training import words
from attention_explorer.pages.training.moment import needed_at
from attention_explorer.pages.training.pair_words import SAME
from attention_explorer.pages.training.seen import Seen
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.pages.training.ui.main_curves import MainCurves
from attention_explorer.pages.training.ui.own import OwnLinesDialog, with_lines
from attention_explorer.pages.training.ui.pictures import LAST_KEY, MAP, hidden
from attention_explorer.pages.training.ui.player import TrainingPlayer
from attention_explorer.pages.training.ui.take import TAKINGS, Taking
from attention_explorer.pages.training.ui.views import ASK, views
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.sources.learned.own_text import ENDINGS
from attention_explorer.sources.learned.setup import OWN, LineCut

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure

_ALONG = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
_HIDES, _ENTERS = (Qt.Key.Key_H, Qt.Key.Key_Delete), (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LearningCanvas(PicturesCanvas):
    """The picture; keys that it has no use for walk along the curves, before what scrolls takes them.

    Signals
    -------
    unused : QKeyEvent
        Such a key was pressed.
    """

    unused = Signal(object)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if not event.isAccepted():
            self.unused.emit(event)


class TrainingPage(FramePage):
    """The views of a run: a row step by step, the map, what breaks, other seeds; the curves are the main quantity."""

    name = "Training"
    part = "training"
    main: MainCurves
    gestures = (
        ("Space", "learn, or pause"),
        ("Drag the line across the curves", "go back in time, and forward again"),
        ("Left and right arrow keys", "the step before and the next one on the curves"),
        ("Point at a cell", "read its weight, and what it was at the beginning"),
        ("Click a step of Watch", "go to that step"),
        ("Click a row of the map", "follow that query"),
        ("Click a small map", "see that head large"),
        ("Break it: click a head", "switch it off, put it back as it was drawn, switch it on"),
        ("Break it: click a cell", "hide it from attention, or show it again"),
        ("Up or down arrow key", "choose a cell; arrows walk on, H or Delete hides it, Enter clicks it, Esc lets go"),
        ("Seeds: click a map, or Enter", "open that seed"),
        ("Held out: click a line, or Enter", "ask it"),
        ("Drop a file of lines", "learn them: “input -> answer” on each, or two columns of a table"),
        ("Esc", "stop learning; what was learned stays"),
        ("Right click", "export, copy the picture, copy the numbers, take it along"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.swaps: list[QPushButton] = []
        """By which A and B change places, one a view."""
        self.lines_buttons: list[QPushButton] = []
        """By which lines of one's own are changed, one a view."""
        self._lines_typed = ""
        """What was written of them and not agreed to."""
        self.needed_button = QPushButton("Which heads does it need?")
        self.needed_button.setToolTip("Try sets of heads, and find the fewest that do nearly as well as all")
        self.completers: dict[object, WordCompleter] = {}
        super().__init__(session, look, parent)
        self.finding = JobQueue(self)
        self.player = TrainingPlayer(session, self)
        self.player.running_changed.connect(self._on_running_changed)
        self.player.refused.connect(self.refused)
        self.needed_button.clicked.connect(self.find_needed)
        self.finding.delivered.connect(lambda _key, said: self.done.emit(said))

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    @property
    def jobs(self) -> JobQueue:
        queues = (self.requests.jobs, self.finding, self.player.jobs) if hasattr(self, "player") else ()
        return next((queue for queue in queues if queue.is_busy()), self.requests.jobs)

    def make_canvas(self) -> PicturesCanvas:
        canvas = LearningCanvas(self.look, "Large picture", lambda: self.state)
        canvas.unused.connect(self._walk_curves)
        return canvas

    def make_main(self) -> MainCurves:
        return MainCurves(self.session, self.look)

    def is_for(self, view: View[Any], ready: Preset[Any]) -> bool:
        return view.id is not TrainingView.SEEDS and super().is_for(view, ready)  # nothing is played there

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        if view.id is TrainingView.SEEDS:
            return ()
        tip = "Type, paste or open lines “input -> answer”, to be learned as any other task"
        lines = button("Your lines…", tip, lambda: self.ask_for_lines())
        self.lines_buttons.append(lines)
        swap = button("Swap A and B", "Put B in place of A, to change it", self.swap)
        self.swaps.append(swap)
        return (lines, swap, self.needed_button) if view.id is TrainingView.BREAK else (lines, swap)

    def form_of(self, view: View[Any]) -> Form[Any]:
        form = super().form_of(view)
        if ASK in form.controls and view.id not in self.completers:
            line: Any = form.controls[ASK]
            self.completers[view.id] = WordCompleter(line)
            line.setCompleter(self.completers[view.id])
            line.editingFinished.connect(self.session.commit)
        return form

    def example_of(self, view: View[Any], state: TrainingState) -> Preset[Any] | None:
        ready = preset_of(view.presets, state.preset)
        return ready if ready.state.setup == state.setup else None

    def set_elsewhere(self, view: View[Any], state: TrainingState) -> str:
        """Return what is set otherwise than the task proposes it; lines of one's own are named by the button."""
        return view.set_elsewhere(state, TrainingState().with_task(state.setup.task))

    def _connect(self) -> None:
        super()._connect()
        canvas = self.main.canvas
        canvas.changed.connect(self._go)
        canvas.dragged.connect(self._on_line_dragged)
        canvas.dropped.connect(lambda kept: self.session.commit() if kept else self.session.revert())
        canvas.spot_changed.connect(lambda _spot: self.said.emit(canvas.words()))
        canvas.menu_wanted.connect(self._on_menu_wanted)
        self.main.play.clicked.connect(self.toggle)
        self.main.step_button.clicked.connect(self.learn_a_step)

    def _arrange(self) -> None:
        self.main.fit(self.height())
        for view in self.completers:
            line = self._forms[view].controls[ASK]
            line.setMinimumWidth(max(min(round(0.36 * self.width()), self.look.px(440)), self.look.px(240)))
        super()._arrange()

    # ---- Showing ----

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        super().render_state(old, new)
        state = new.training
        for swap in self.swaps:
            swap.setVisible(state.other is not None)
            allow_unless(SAME if state.other == state.setup else "", swap)
        allow_unless("" if state.step else NOTHING_LEARNED, self.needed_button)
        for each in self.lines_buttons:
            each.setVisible(state.setup.task == OWN)
        completer = self.completers.get(self.view.id)
        if completer is not None:
            known = state.task.vocabulary(state.setup).words
            completer.offer(() if state.task.part_of_answer(state.setup) == LineCut.CHARACTERS else known)

    def _on_delivered(self, request: Any, ready: Any) -> None:  # noqa: ANN401 # as the base has it
        super()._on_delivered(request, ready)
        if isinstance(ready.picture, Seen):
            self.main.show_seen(ready.picture)

    def _on_running_changed(self, running: bool) -> None:
        self.main.play.show_playing(running)
        if self.isVisible():  # the one that was left stops too, and says nothing of it
            self.say_spot()

    def show_withheld(self) -> bool:
        self.main.is_withheld = bool(self.withheld)
        self.main.setVisible(bool(self.view.main))
        return super().show_withheld()

    def say_spot(self) -> None:
        idle = "learning …; Esc stops" if self.player.is_running else "Space learns, Esc stops"
        self.said.emit(self.canvas.words() or idle)

    # ---- Acting ----

    def apply(self, change: Change[Any]) -> None:
        if change.label == LAST_KEY:
            self.refused.emit(LAST_KEY)
            return
        new = replace(self.session.state, training=change.state)
        self.session.apply(new, change.label, change.merge and f"training {change.merge}")

    def show_view(self, view: View[Any]) -> None:
        if view.id is TrainingView.SEEDS:
            self.player.stop()
        super().show_view(view)

    def show_example(self, ready: Preset[Any]) -> None:
        kept = replace(ready.state, speed=self.state.speed, other=self.state.other)
        super().show_example(replace(ready, state=kept.with_setup(kept.setup)))  # lets go of a B of another task

    def _on_field(self, state: Any, label: str, merge: str) -> None:  # noqa: ANN401 # a `TrainingState`
        is_dropped = state.other is None and self.state.other is not None and state.setup == self.state.setup
        super()._on_field(state, "Drop B" if is_dropped else label, merge)

    def _go(self, change: Change[Any]) -> None:
        self.player.stop()
        self.apply(change)

    def _on_line_dragged(self, change: Change[Any]) -> None:
        self.player.stop()
        self.session.preview(replace(self.session.state, training=change.state), change.label)

    def toggle(self) -> None:
        """Learn, or pause; where other seeds are on show, the one on show learns."""
        if self.view.id is TrainingView.SEEDS:
            self.show_view(self.view_named(TrainingView.WATCH))
        self.player.toggle()
        self.main.play.show_playing(self.player.is_running)

    def learn_a_step(self) -> None:
        """Learn from one more batch."""
        self.player.stop()
        self.apply(Change(self.state.at_step(self.state.step + 1), "Step", "step"))

    def swap(self) -> None:
        """Put B in place of A."""
        if self.state.other is None:
            self.refused.emit("There is no B: “+ run B” keeps this run as one.")
        else:
            self.apply(Change(self.state.with_runs_swapped(), "Swap A and B"))

    def ask_for_lines(self, path: Path | None = None) -> None:
        """Ask for lines of one's own to learn, beginning with those that are learned, or with those of a file."""

        def learn(lines: tuple[str, ...], cut: LineCut) -> None:
            self.player.stop()
            self._lines_typed = ""
            self.apply(Change(with_lines(self.state, lines, cut), "Change the lines"))

        def keep() -> None:
            typed = self.lines_dialog.field.toPlainText()
            self._lines_typed = "" if typed == "\n".join(self.state.setup.lines) else typed

        self.lines_dialog = OwnLinesDialog(self, self.look, self.state.setup, learn, self._lines_typed)
        self.lines_dialog.rejected.connect(keep)
        self.lines_dialog.open()
        if path is not None:
            self.lines_dialog.read(path)

    def take_file(self, path: Path) -> bool:
        is_of_lines = path.suffix.lower() in ENDINGS
        if is_of_lines:
            self.ask_for_lines(path)
        return is_of_lines

    def find_needed(self) -> None:
        """Find the fewest heads that do the work, and say them."""
        if self.withheld:
            self.refused.emit(self.withheld)
            return
        state = self.state

        def work(_report: Report, deliver: Deliver) -> None:
            deliver(words.needed(needed_at(state.setup, state.step), state))

        self.finding.request((state.setup, state.step), work)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Space and not event.modifiers():
            self.toggle()
        elif self._walk_curves(event):
            pass
        elif key in _HIDES and self._chosen is not None and self._chosen.item == MAP:
            self._hide(self._chosen.part)
        elif key in _ENTERS and self._chosen is not None:
            self._click(self._chosen)
        else:
            super().keyPressEvent(event)

    def _walk_curves(self, event: QKeyEvent) -> bool:
        """Go along the curves by a key, wherever the keyboard is; return whether it is one for that."""
        is_along = event.key() in _ALONG and bool(self.view.main) and self.main.isVisible()
        if is_along:
            event.accept()
            self.main.canvas.keyPressEvent(event)
        return is_along

    @property
    def _chosen(self) -> Hit | None:
        """What is pointed at, while the picture has the keyboard."""
        spot: Any = self.canvas.hovered
        return spot if self.canvas.hasFocus() and spot != NOWHERE else None

    def _click(self, hit: Hit) -> None:
        """Do by a key what a click does."""
        change = self.view.picture.changed(self.state, self.canvas.picture, hit, None)
        if change is not None:
            self.apply(change)

    def _hide(self, cell: tuple[int, int]) -> None:
        numbers = self.finished_numbers()
        if isinstance(numbers, Seen):
            self.apply(hidden(self.state, numbers, cell))

    # ---- Leaving ----

    def cancel(self) -> bool:
        return self.player.stop() or self.canvas.let_go() or super().cancel()

    def stop(self) -> None:
        self.player.stop()

    def leave(self) -> None:
        super().leave()
        self.finding.cancel()

    # ---- Taking it away ----

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction("Play or pause", lambda page: page.toggle(), "Ctrl+Space", "Learn, and watch"),
            PageAction("Step", lambda page: page.learn_a_step(), "Ctrl+.", "Learn from one more batch"),
            PageAction(
                "Which heads does it need?", lambda page: page.find_needed(), "", "Find the fewest that do the work"
            ),
            PageAction(
                "Your own lines…", lambda page: page.ask_for_lines(), "", "Type, paste or open lines “input -> answer”"
            ),
            PageAction("Swap A and B", lambda page: page.swap(), "", "Put B in place of A, to change it"),
            PageAction(""),
            *(PageAction(each.title, partial(_take, each), "", each.tip) for each in TAKINGS),
            PageAction(""),
            *cls.view_actions(views()),
        )

    def take(self, taking: Taking) -> None:
        """Take along what was learned."""
        reason = taking.reason(self.state)
        if reason:
            self.refused.emit(reason)
        else:
            taking.act(self)

    def offer_taking(self, menu: QMenu) -> None:
        super().offer_taking(menu)
        menu.addSeparator()
        menu.setToolTipsVisible(True)
        for taking in TAKINGS:
            action = menu.addAction(taking.title, partial(self.take, taking))
            reason = taking.reason(self.state)
            action.setEnabled(not reason)
            action.setToolTip(reason or taking.tip)

    def figure(self) -> Figure:
        from attention_explorer.pages.training.ui.views import training_figure

        return training_figure(self.state, self.finished_numbers())


def _take(taking: Taking, page: TrainingPage) -> None:
    page.take(taking)
