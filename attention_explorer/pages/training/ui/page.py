"""The Training page: a network learns while one looks on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.chart import Chart, Curve
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.hint_card import HintCard
from attention_explorer.kit.controls.more_button import MoreButton
from attention_explorer.kit.controls.panel_scroll import PageScroll, PanelScroll
from attention_explorer.kit.controls.preset_box import PresetBox
from attention_explorer.kit.controls.room_kept import keep_out_of_sight
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.form import Form
from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.kit.scene import Stage
from attention_explorer.kit.tab_order import in_order
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.training import pair_words, words
from attention_explorer.pages.training.moment import (
    Moment,
    MomentRequest,
    Worth,
    moment_at,
    needed_at,
    worth_at,
)
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.pages.training.state import TrainingState, changed_setup, reasons_against
from attention_explorer.pages.training.ui.cell_keys import CellKeys
from attention_explorer.pages.training.ui.pair_bar import OtherRunBar
from attention_explorer.pages.training.ui.panel import TrainingPanel
from attention_explorer.pages.training.ui.pictures import LearningScene, spoken
from attention_explorer.pages.training.ui.player import TrainingPlayer
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.requesting_page import RequestingPage
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, JobQueue, Report
from attention_explorer.session.requests import Requests
from attention_explorer.sources.learned.run import Curve as Learned
from attention_explorer.sources.learned.setup import LearningSetup

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure

PANEL_WIDTH = 330
NARROW_PAGE = 900
CHART_SHARE, LEAST_CHART, MOST_CHART = 0.17, 108, 225
FIRST_FIELDS = ("layers", "heads", "d_model", "seed", "hard", "scaled", "positions")
MORE_FIELDS = ("residual", "d_ff", "encoder_layers", "length", "batch", "rate", "warm_up")


class TrainingPage(RequestingPage):
    """What learns above, its attention large, the curves below, and beside it what can be asked and broken."""

    presented = ("heading", "origin", "canvas")
    gestures = (
        ("Space", "learn, or pause"),
        ("Point at a cell", "read its weight, and what it was at the beginning"),
        ("Click a row of the large map", "follow that query"),
        ("Shift and click a cell", "hide it from attention, or show it again"),
        ("Up or down arrow key", "choose a cell of the large map; arrows walk on, H or Delete hides it, Esc lets go"),
        ("Click a small map", "see that head large"),
        ("Drag the line across the curves", "go back in time, and forward again"),
        ("Left and right arrow keys", "the step before and the next one on the curves"),
        ("+ run B", "keep this one as B, then change A: the two are compared"),
        ("Seeds…", "other seeds of the same recipe side by side; click one, or arrow keys and Enter, to open it"),
        ("Esc", "stop learning; what was learned stays"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.requests: Requests[MomentRequest] = Requests(self)
        self.worths: Requests[tuple[object, ...]] = Requests(self)
        self.player = TrainingPlayer(session, self)
        self.finding = JobQueue(self)
        self._delivered: Moment | None = None
        self.worth: Worth | None = None
        self.scene = LearningScene(look)
        self._make_bar()
        self._make_picture()
        self._make_curves()
        self.panel = TrainingPanel(session, look)
        self.hint = HintCard(look, self.presets, self)
        self._build()
        self._connect()
        self.set_look(look)

    @property
    def state(self) -> TrainingState:
        """The page's part of the state."""
        return self.session.state.training

    @property
    def jobs(self) -> JobQueue:
        """What computes for the page now: of several workers one that is busy."""
        queues = (self.requests.jobs, self.worths.jobs, self.finding, self.player.jobs)
        return next((queue for queue in queues if queue.is_busy()), self.requests.jobs)

    # ---- Building ----

    def _make_bar(self) -> None:
        self.title = QLabel("Training")
        self.title.setObjectName("title")
        self.presets = PresetBox("What it is to learn; each says what to look for", TRAINING_PRESETS, self._load_preset)
        self.progress = QLabel()
        self.progress.setObjectName("muted")
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Save the picture (PNG, SVG, PDF) or the numbers (CSV, NPY, NPZ, JSON)")
        self.export_button.clicked.connect(self.export)
        self.form: Form[LearningSetup] = Form(LearningSetup, FIRST_FIELDS, self.look, changed_setup)
        self.more: Form[LearningSetup] = Form(LearningSetup, MORE_FIELDS, self.look, changed_setup)
        self.more_button = MoreButton()
        self.more_button.setText("More…")
        self.more_button.setToolTip("Show the other sizes, and how it learns; click again to hide them")
        self.more_button.toggled.connect(self.more.setVisible)
        self.more.hide()
        self.form.add(self.more_button)
        self.more_button.show()  # whatever the height: these are not for the first look; alone it would be a window
        self.others = OtherRunBar(self.look)
        self.form.add(self.others)

    def _make_picture(self) -> None:
        self.card = Card(self.look)
        self.heading = TextBlock(self.look, 1, "What the large map shows")
        self.origin = TextBlock(self.look, 1, "Where its numbers come from")
        self.canvas = Stage(self.look, "Attention", self.scene.lay_out)
        self.canvas.add(self.scene.items)
        self.cells = CellKeys(self.scene.large, self)
        for widget in (self.heading, self.origin):
            self.card.body.addWidget(widget)
        self.card.body.addWidget(self.canvas, 1)
        # After they have a parent, which is that of what dims them too: without one it would be a window.
        self.note = RequestNote(self.requests, self.session, self.look, self.heading, self.canvas, ())

    def _make_curves(self) -> None:
        self.curves = Card(self.look)
        self.chart = Chart(
            self.look, "Loss and right answers", ("step", "right, %", "loss, nats"), ("value_ink", "loss_ink")
        )
        self.play = QPushButton("Play")
        self.play.setCheckable(True)
        self.play.setToolTip("Learn, and watch (Space); Esc stops")
        self.step_button = QPushButton("Step")
        self.step_button.setToolTip("Learn from one more batch")
        self.speed: Form[TrainingState] = Form(TrainingState, ("speed",), self.look)
        self.legend = TextBlock(self.look, 1, "What the lines are")
        row = QHBoxLayout()
        for widget in (self.play, self.step_button, QLabel("speed"), self.speed):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.legend, 1)
        self.curves.body.addWidget(self.chart, 1)
        self.curves.body.addLayout(row)

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._all = QVBoxLayout(content)
        bar = QHBoxLayout()
        for widget in (self.title, self.presets, self.progress):
            bar.addWidget(widget)
        bar.addStretch(1)
        bar.addWidget(self.export_button)
        self._all.addLayout(bar)
        self._all.addWidget(self.form)
        self._all.addWidget(self.more)
        left = QVBoxLayout()
        left.addWidget(self.card, 1)
        left.addWidget(self.curves)
        self._left = left
        self._columns = QHBoxLayout()
        self._columns.addLayout(left, 1)
        self._scroll = PanelScroll(self.panel)
        self._columns.addWidget(self._scroll)
        self._all.addLayout(self._columns, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(PageScroll(content))
        self.hint.stand_in(self.panel.column, 0, after=self.speed)
        in_order(self.presets, self.export_button, self.form, self.more, self.card, self.chart, self.play)
        in_order(self.play, self.step_button, self.speed, self.hint.close_button, self.panel.ask, self.panel.break_it)

    def _connect(self) -> None:
        for form in (self.form, self.more):
            form.changed.connect(self._on_setup_changed)
            form.refused.connect(self.refused)
        self.speed.changed.connect(self._apply)
        self.play.clicked.connect(self.player.toggle)
        self.step_button.clicked.connect(self.learn_a_step)
        self.player.running_changed.connect(self._on_running_changed)
        self.player.refused.connect(self.refused)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self.on_requests_changed)
        self.worths.delivered.connect(self._on_worth)
        self.note.said.connect(self.said)
        self.scene.large.pointed.connect(self._on_cell)
        self.scene.large.clicked.connect(self._on_cell_clicked)
        self.scene.large.shift_clicked.connect(self._hide)
        self.scene.other.pointed.connect(self._on_cell_of_other)
        self.scene.other.clicked.connect(self._follow)
        self.others.changed.connect(self._apply)
        self.others.leaving.connect(self.player.stop)
        self.scene.strips.pointed.connect(self._on_strip)
        self.canvas.key_pressed.connect(self._on_canvas_key)
        self.cells.moved.connect(self._on_cell_chosen)
        self.cells.hide_wanted.connect(self._hide)
        self.cells.follow_wanted.connect(self._follow)
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.canvas.customContextMenuRequested.connect(self._show_menu)
        self.chart.dragged.connect(self._on_scrubbed)
        self.chart.released.connect(self.session.commit)
        self.panel.ask.refused.connect(self.refused)
        self.panel.break_it.switched.connect(self._switch_head)
        self.panel.break_it.needed_wanted.connect(self.find_needed)
        take = self.panel.take
        take.leaving.connect(self.player.stop)
        take.page_wanted.connect(self.page_wanted)
        take.done.connect(self.done)
        take.refused.connect(self.refused)
        self.finding.delivered.connect(lambda _key, said: self.done.emit(said))

    # ---- Look ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._all.setContentsMargins(px(14), px(10), px(12), px(10))
        self._all.setSpacing(px(8))
        self._left.setSpacing(px(8))
        self._columns.setSpacing(px(10))
        self.scene.set_look(look)
        for part in (
            self.card,
            self.heading,
            self.origin,
            self.canvas,
            self.note,
            self.curves,
            self.chart,
            self.legend,
        ):
            part.set_look(look)
        for other in (self.hint, self.panel, self.form, self.more, self.speed, self.others):
            other.set_look(look)
        self.presets.setFixedWidth(self.presets.widest(look))
        self._arrange()

    def _arrange(self) -> None:
        px = self.look.px
        width = px(PANEL_WIDTH * (1.3 if self.width() > px(1900) else 1))
        self._scroll.setFixedWidth(min(width, max(self.width() // 3, px(240))))
        self.chart.setFixedHeight(round(min(max(CHART_SHARE * self.height(), px(LEAST_CHART)), px(MOST_CHART))))
        self.canvas.setMinimumHeight(px(240))
        self.legend.setVisible(self.width() > px(800))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    # ---- Showing ----

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.training == new.training and old is not new:
            return
        state = new.training
        ready = preset_of(TRAINING_PRESETS, state.preset)
        self.presets.show_preset(state.preset, changed=state.setup != ready.state.setup)
        reasons = reasons_against(state.setup)
        self.form.show_state(state.setup, reasons)
        self.more.show_state(state.setup, reasons)
        self.speed.show_state(state)
        self.others.show_state(state)
        self.panel.ask.show_state(state)
        self.panel.break_it.show_state(state)
        self.panel.take.show_state(state)
        self.chart.show_line(state.step)
        self._fit_small_maps(state)
        self._load()

    def _fit_small_maps(self, state: TrainingState) -> None:
        new, gone = self.scene.fit_heads(state)
        for item in gone:
            self.canvas.scene().removeItem(item)
        for item in new:
            item.clicked.connect(self._choose_head)
            item.pointed.connect(partial(self._on_small_map, item.name))
        self.canvas.add(new)
        if new or gone:
            self.canvas.lay_out()

    def request_now(self) -> MomentRequest:
        return MomentRequest.of(self.state)

    def _load(self) -> None:
        request, newest = self.request_now(), self.player.moment
        ready = newest if newest is not None and newest.request == request else None

        def work(report: Report, deliver: Deliver) -> None:
            deliver(moment_at(request, report) if ready is None else ready)

        at_once = ready is not None or (request.is_known and not self.requests.jobs.is_busy())
        if not self.requests.want(request, work, at_once=at_once) and self.requests.shown == request:
            self._show_delivered()  # the same moment, another head or row of it
        self._load_worth()

    def _load_worth(self) -> None:
        """Measure what heads are worth, when nothing is learning."""
        state = self.state
        if self.player.is_running:
            self.panel.break_it.show_worth(None, state)
            return
        wanted = (state.setup, state.step, state.off_shown, state.drawn_shown, state.hidden)

        def work(_report: Report, deliver: Deliver) -> None:
            deliver(worth_at(*wanted))

        if not self.worths.want(wanted, work) and self.worths.shown == wanted:
            self.panel.break_it.show_worth(self.worth, state)

    def show_withheld(self) -> bool:
        withheld = bool(self.withheld)
        self.scene.withhold(withheld)
        beside = self.heading, self.origin, self.progress, self.presets, self.others, self._scroll
        keep_out_of_sight(withheld, *beside)
        self.curves.setHidden(withheld)  # their room is needed: without captions the map is small enough
        self.say_spot()
        if self._moment_of_state is None:
            self.canvas.set_words("")  # what is on show learned with another setup
        else:
            self._speak(self._moment_of_state)
        return True

    def _on_delivered(self, _request: MomentRequest, moment: Moment) -> None:
        self._delivered = moment
        self._show_delivered()

    def _show_delivered(self) -> None:
        """Show what was delivered last; it waits if something else learns by now, for undo may go back to it."""
        moment, state = self._delivered, self.state
        if moment is None or (moment.request.setup, moment.request.other) != (state.setup, state.other):
            return
        is_new, self.scene.moment = moment is not self.scene.moment, moment
        self._show_state_of_moment()
        if is_new:
            self._show_curves(moment)

    def _show_state_of_moment(self) -> None:
        moment, state = self._moment_of_state, self.state
        if moment is None:
            return
        self.scene.show(moment, state)
        self.heading.set_text(TextLine(words.title(moment, state), bold=True, size=15))
        self.origin.set_text(TextLine(words.origin(replace(state, step=moment.request.step)), ink="muted", size=12))
        self.panel.ask.show_moment(moment, state)
        self.panel.take.show_moment(moment)
        self._speak(moment)

    def _show_curves(self, moment: Moment) -> None:
        run, curve = moment.run, moment.curve
        chance, frequent = run.trial.baselines
        other = None if moment.other is None else moment.other.curve
        last = max(run.task.steps, moment.request.learned)
        ends = np.array([0.0, float(last)])
        curves = [
            Curve("chance", ends, np.full(2, 100 * chance), "axis", style=Qt.PenStyle.DashLine),
            Curve("most frequent answer", ends, np.full(2, 100 * frequent), "axis", style=Qt.PenStyle.DotLine),
            *(self._training_curves(curve) if other is None else self._curves_of_other(other)),
            Curve("loss", curve.steps, curve.loss, "loss", is_right=True),
            Curve("right answers", curve.steps, 100 * curve.accuracy, "value"),
        ]
        top = max(float(each.loss.max(initial=1e-6)) for each in (curve, other or curve))
        said = words.chart(run.task, curve, run.trial.baselines) + (
            "" if other is None else f" {pair_words.chart(other)}"
        )
        stops = np.arange(self.state.reached + 1)  # the curves of what was learned from end a step before
        self.chart.show_curves(curves, (0.0, float(last)), (0.0, 104.0), (0.0, 1.04 * top), said, stops)
        self.chart.show_line(self.state.step)
        step, is_learned = moment.request.step, moment.request.learned >= moment.request.step
        self.progress.setText(words.progress(run.task, curve, step) if is_learned else words.progress_of_taken(step))
        self.progress.setToolTip(words.sizes(run.size, run.setup.batch))
        legend = words.legend if other is None else pair_words.legend
        self.legend.set_text(TextLine(legend(run.task), ink="muted", size=12))

    @staticmethod
    def _training_curves(curve: Learned) -> tuple[Curve, Curve]:
        batches = np.arange(len(curve.training_loss))
        return (
            Curve("training loss", batches, curve.training_loss, "loss", is_right=True, is_faint=True),
            Curve("training answers", batches, 100 * curve.training_accuracy, "value", is_faint=True),
        )

    @staticmethod
    def _curves_of_other(curve: Learned) -> tuple[Curve, Curve]:
        dashed = Qt.PenStyle.DashLine
        return (
            Curve("loss of B", curve.steps, curve.loss, "loss", is_right=True, style=dashed),
            Curve("right answers of B", curve.steps, 100 * curve.accuracy, "value", style=dashed),
        )

    def _on_worth(self, request: object, worth: Worth) -> None:
        self.worth = worth  # that of `worths.shown`, also where something else is wanted by now: undo may go back to it
        if request == self.worths.wanted:  # or else it is of heads that there may not be any more
            self.panel.break_it.show_worth(worth, self.state)

    # ---- Acting ----

    def _apply(self, training: TrainingState, label: str, merge: str = "") -> None:
        new = replace(self.session.state, training=training)
        self.session.apply(new, label, merge and f"training {merge}")

    def _load_preset(self, identifier: str) -> None:
        ready = preset_of(TRAINING_PRESETS, identifier)
        kept = replace(ready.state, speed=self.state.speed, other=self.state.other)
        self._apply(kept.with_setup(kept.setup), f"Load “{ready.title}”")  # which lets go of a B of another task

    def _on_setup_changed(self, setup: LearningSetup, label: str, merge: str) -> None:
        self._apply(self.state.with_setup(setup), label, merge)

    def _choose_head(self, head: Any) -> None:  # noqa: ANN401 # a signal's object
        layer, number = head
        self._apply(replace(self.state, layer=layer, head=number), "Show another head", "head")

    def _switch_head(self, head: Any) -> None:  # noqa: ANN401 # a signal's object
        name, state = words.head_words(head, self.state), self.state
        label = (
            f"Put {name} back as drawn"
            if head in state.off
            else f"Switch {name} {'on' if head in state.drawn else 'off'}"
        )
        self._apply(state.with_head_switched(head), label)

    def learn_a_step(self) -> None:
        """Learn from one more batch."""
        self.player.stop()
        self._apply(self.state.at_step(self.state.step + 1), "Step", "step")

    def _on_scrubbed(self, at: float) -> None:
        self.player.stop()
        moved = self.state.at_step(min(max(round(at), 0), self.state.reached))
        self.session.preview(replace(self.session.state, training=moved), "Go to a step")

    def _on_running_changed(self, running: bool) -> None:
        self.play.setText("Pause" if running else "Play")
        self.play.setChecked(running)
        if not running:
            self._load_worth()

    def find_needed(self) -> None:
        """Find the fewest heads that do the work, and say them."""
        if self.withheld:
            self.refused.emit(self.withheld)
            return
        state = self.state

        def work(_report: Report, deliver: Deliver) -> None:
            deliver(words.needed(needed_at(state.setup, state.step), state))

        self.finding.request((state.setup, state.step), work)

    # ---- Pointing and keys ----

    @property
    def _moment_of_state(self) -> Moment | None:
        """What is on show, unless something else is to learn and its picture is still to come."""
        moment = self.scene.moment
        return moment if moment is not None and moment.request.setup == self.state.setup else None

    @property
    def _moment_in_sight(self) -> Moment | None:
        """The same, unless it is withheld."""
        return None if self.withheld else self._moment_of_state

    def _on_cell(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        moment = self._moment_in_sight
        if cell is None or moment is None:
            self.say_spot()
            return
        self.said.emit(words.cell(moment, self.state, self.state.head_shown, *cell))

    def _on_canvas_key(self, event: QKeyEvent) -> None:
        if self.cells.press(event):
            event.accept()
        else:
            self.keyPressEvent(event)

    def _on_cell_chosen(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        self._on_cell(cell)
        if self._moment_in_sight is not None:
            self._speak(self._moment_in_sight)

    def _speak(self, moment: Moment) -> None:
        """Have a screen reader say what is shown: the cell that keys have chosen, or all of it."""
        cell, state = self.cells.cell, self.state
        if self.withheld:
            self.canvas.set_words(words.asked(moment))
            return
        self.canvas.set_words(spoken(moment, state) if cell is None else words.chosen(moment, state, cell))

    def _on_cell_of_other(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        moment = self._moment_in_sight
        if cell is None or moment is None:
            self.say_spot()
        else:
            self.said.emit(pair_words.cell(moment, self.state, cell))

    def _on_cell_clicked(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        if self.panel.break_it.hide_cells.isChecked():
            self._hide(cell)
        else:
            self._follow(cell)

    def _hide(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        picture = self.scene.large.picture
        left = [] if picture is None else np.flatnonzero(~picture.masked[cell[0]]).tolist()
        if cell not in self.state.hidden and left in ([], [cell[1]]):
            self.refused.emit("Every query must have a key left to look at: show another cell of this row first.")
            return
        verb = "Show" if cell in self.state.hidden else "Hide"
        self._apply(self.state.with_cell_switched(cell), f"{verb} a cell")

    def _follow(self, cell: Any) -> None:  # noqa: ANN401 # a signal's object
        self._apply(replace(self.state, row=cell[0]), "Follow another query", "row")

    def _on_strip(self, place: Any) -> None:  # noqa: ANN401 # a signal's object
        moment = self._moment_in_sight
        if place is None or moment is None:
            self.say_spot()
            return
        when, _, weights = self.scene.strips.strips[place[0]]
        keys = moment.answer.context_tokens
        self.said.emit(f"{when}: “{keys[place[1]]}” gets {weights[place[1]]:.4f}")

    def _on_small_map(self, head: Any, found: object) -> None:  # noqa: ANN401 # an item's name
        self.said.emit(f"{words.head_words(head, self.state)}: click to see it large" if found else "")

    def say_spot(self) -> None:
        self.said.emit("Space learns, Esc stops" if not self.player.is_running else "learning …; Esc stops")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.modifiers():
            self.player.toggle()
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            self.chart.keyPressEvent(event)
            return
        super().keyPressEvent(event)

    def cancel(self) -> bool:
        return self.player.stop() or self.cells.leave() or super().cancel()

    def stop(self) -> None:
        self.player.stop()

    def leave(self) -> None:
        super().leave()
        self.worths.leave()
        self.finding.cancel()

    def settle(self, seconds: float = 30.0) -> None:
        super().settle(seconds)
        self.worths.jobs.wait(seconds)

    def focus_first(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction("Play or pause", lambda page: page.player.toggle(), "Ctrl+Space", "Learn, and watch"),
            PageAction("Step", lambda page: page.learn_a_step(), "Ctrl+.", "Learn from one more batch"),
            PageAction(
                "Which heads does it need?", lambda page: page.find_needed(), "", "Find the fewest that do the work"
            ),
        )

    # ---- Taking it away ----

    def _show_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.offer_taking(menu)
        menu.popup(self.canvas.mapToGlobal(where))

    def figure(self) -> Figure:
        from attention_explorer.pages.training.ui.figure import training_figure

        moment = self.scene.moment if self.requests.shown == self.request_now() else None
        return training_figure(self.state, moment)
