"""The Lookup page: drag a query and watch a lookup blend or snap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.role import Role
from attention_explorer.kit.controls.hint_card import HintCard
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, PageScroll
from attention_explorer.kit.controls.preset_box import PresetBox
from attention_explorer.kit.controls.room_kept import keep_out_of_sight
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.head_row import HeadRow
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Vector, around
from attention_explorer.pages.lookup.presets import LEARNED, PRESETS, preset
from attention_explorer.pages.lookup.state import Overlay, Part
from attention_explorer.pages.lookup.ui.canvas import LookupCanvas
from attention_explorer.pages.lookup.ui.numbers_table import NumbersTable
from attention_explorer.pages.lookup.ui.overlay_chips import CANVAS_OVERLAYS, OverlayChips
from attention_explorer.pages.lookup.ui.panel import LookupPanel
from attention_explorer.pages.lookup.ui.row_notice import RowNotice
from attention_explorer.pages.lookup.wording import description, given_in_words, key_name
from attention_explorer.pages.ui.page import Page, PageAction
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, Report
from attention_explorer.session.requests import Requests, Standing

if TYPE_CHECKING:
    # Loaded when it is first needed: file formats would delay the first picture.
    from attention_explorer.pages.lookup.ui.figure import LookupFigure

NARROW_PAGE = 860
"""Below this width, in pixels at zoom 1, the panel goes below the plane and the page scrolls."""

LEAST_PLANE = 170
"""Pixels at zoom 1 that a plane needs to be of use."""

TALL_PANEL = 1040
"""From this height on, in pixels at zoom 1, the chart has a place of its own instead of a tab."""


class LookupPage(Page):
    """The plane with its table, and beside it the controls, the weights, the sum and the gradient.

    The row of a head is opened first, on a worker if that takes long. Until it is there, and if it cannot be, a notice
    stands in place of all that: only `_is_open` rows may be shown.
    """

    gestures = (
        ("Drag a tip or a shaft", "move q, a key, a value or the target"),
        ("Shift while dragging", "snap to the 0.1 grid"),
        ("Ctrl while dragging, or the square handle", "change only the length"),
        ("Alt while dragging, or the round handle", "change only the angle (some desktops keep Alt for themselves)"),
        ("Esc while dragging", "put everything back"),
        ("Double click on the plane, or Insert", "add a key"),
        ("Delete", "remove the selected key"),
        ("Tab, Shift+Tab", "select the next or the previous vector"),
        ("Arrow keys", "nudge the selected vector by 0.1; Shift by 0.01, Ctrl by 0.5; with none (Esc), move the view"),
        ("Drag the plane, wheel, + and −", "move and zoom the view"),
        ("Home", "bring back the first view"),
        ("Right click", "menu for what is under the pointer"),
        ("Hover a bar", "see the arithmetic that made the weight"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.requests: Requests[HeadRow] = Requests(self)
        self.canvas = LookupCanvas(session, look)
        self.table = NumbersTable(session, look)
        self.chips = OverlayChips(session, look, CANVAS_OVERLAYS)
        self.panel = LookupPanel(session, look)
        panel = self.panel
        self.controls, self.bars, self.gradient, self.tabs = panel.controls, panel.bars, panel.gradient, panel.tabs
        self.noticed, self.sum = panel.noticed, panel.sum
        self._build()
        self._connect()
        self.set_look(look)

    # ---- Building ----

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._left = QVBoxLayout()
        self._left.addLayout(self._make_header())
        self.hint = HintCard(self.look, self.presets, self)
        self._left.addWidget(self.canvas, 1)
        self._left.addWidget(self.chips)
        self._left.addWidget(self.table)
        self._columns.addLayout(self._left, 1)
        self._columns.addWidget(self.panel)
        # Scrolls only where the window is too small for two columns; see _arrange.
        self._page_scroll = PageScroll(content)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._page_scroll)
        self.notice = RowNotice(self.requests, self.look, self)
        whole.addWidget(self.notice)

    def _make_header(self) -> QHBoxLayout:
        title = QLabel("Lookup")
        title.setObjectName("title")
        self.presets = PresetBox("Ready-made lookups; each says what to look for", PRESETS, self._load)
        # What it would like to be depends on the longest name that it has shown.
        self.presets.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.home = QPushButton("Home view")
        self.home.setToolTip("Go back to the first view (Home)")
        self.home.clicked.connect(self.canvas.show_home)
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Save the picture (PNG, SVG, PDF) or the numbers (CSV, JSON)")
        self.export_button.clicked.connect(self.export)
        self._header = QHBoxLayout()
        self._header.addWidget(title)
        self._header.addWidget(self.presets, 1)
        self._header.addWidget(self.home)
        self._header.addWidget(self.export_button)
        self._header.addStretch(0)  # with all of it hidden, Qt would hold the whole column to its width of nothing
        return self._header

    def _connect(self) -> None:
        self.canvas.pointed.connect(self.said)
        self.canvas.guessed.connect(self.guessed)
        for source in (self.canvas, self.table.numbers, self.controls.exact, self.gradient):
            source.refused.connect(self.refused)
        self.canvas.grabbed.connect(self.gradient.stop)
        self.canvas.selection_changed.connect(self._on_selection_changed)
        self.canvas.menu_wanted.connect(self._on_menu_wanted)
        self.table.part_clicked.connect(self._on_table_part_clicked)
        self.bars.row_clicked.connect(self._on_row_clicked)
        self.requests.changed.connect(self._on_requests_changed)
        self.notice.leave.clicked.connect(lambda: self._load(PRESETS[0].id))

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._columns.setSpacing(px(12))
        self._left.setSpacing(px(8))
        self._header.setSpacing(px(8))
        self.presets.setMinimumWidth(px(124))
        for part in (self.canvas, self.table, self.chips, self.hint, self.panel, self.notice):
            part.set_look(look)
        if self._is_open:
            self._show(lookup_frame(self.session.state.lookup))
        self._arrange()

    def _arrange(self) -> None:
        """Put the panel beside the plane, or below it where the window is too narrow for both."""
        px, is_narrow = self.look.px, self.width() < self.look.px(NARROW_PAGE) and not self.is_alone
        self._columns.setContentsMargins(px(14), px(10), px(12 if is_narrow else 6), px(10))
        if is_narrow:
            self._columns.setDirection(QBoxLayout.Direction.TopToBottom)
            self.panel.stand_below(self.width())
            self.hint.stand_in(self._left, 1, after=self.export_button)
            # Never so low that nothing on it can be told apart: then the page scrolls, as above a low card of a lesson.
            self.canvas.setFixedHeight(max(min(px(360), self.height() - px(80)), px(LEAST_PLANE)))
        else:
            self._columns.setDirection(QBoxLayout.Direction.LeftToRight)
            self.canvas.setMinimumHeight(0)
            self.canvas.setMaximumHeight(UNBOUNDED)
            self.panel.stand_beside(self.width())
            self.hint.stand_in(self.panel.column, 0, after=self.table)
        self.panel.give_chart_its_place(self.height() >= px(TALL_PANEL))

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.lookup == new.lookup and old is not new:
            return
        was_open = not self._page_scroll.isHidden()
        self._open(new.lookup.row)
        if not self._is_open:
            return
        old = old if was_open else new  # what changed before was not shown
        self.canvas.render_state(old, new)
        if old is new or old.lookup.with_camera(None) != new.lookup.with_camera(None):
            self._show(lookup_frame(new.lookup))

    # ---- The row of a head ----

    # It is no `RequestingPage`: that would be loaded before the first picture, with pictures that other pages have.

    @property
    def _is_open(self) -> bool:
        """Whether what the state asks for is there to be shown."""
        row = self.session.state.lookup.row
        return row is None or (row == self.requests.wanted and self.requests.standing is Standing.CURRENT)

    def _open(self, row: HeadRow | None) -> None:
        """Ask for a row, and show the page or, in its place, how it stands with the row."""
        if row is None:
            self.requests.leave()
        else:
            # Not before there is one: what rows come from would delay the first picture.
            from attention_explorer.pages.lookup.open_row import is_quick, opened_row

            def work(_report: Report, deliver: Deliver) -> None:
                found = opened_row(row)
                _ = found.names, found.hint  # of a long text these take a while too
                deliver(found)

            with QSignalBlocker(self.requests):  # the page is being shown already
                self.requests.want(row, work, at_once=is_quick(row))
            self.notice.show_standing(row)
        if not self._is_open:
            self.gradient.stop()
        self._page_scroll.setVisible(self._is_open)
        self.notice.setHidden(self._is_open)

    def _on_requests_changed(self) -> None:
        state = self.session.state
        if state.lookup.row is not None and self.requests.standing is not Standing.LEFT:
            self.render_state(state, state)
            self.focus_first()

    @property
    def reason_against_taking(self) -> str:
        return "" if self._is_open else self.notice.words.text()

    def _show(self, frame: LookupFrame) -> None:
        self.panel.show_frame(frame, self.canvas.selected)
        self.table.numbers.set_frame(frame)
        self.chips.show_frame(frame)
        self._show_preset(frame)
        self.table.fit_height()
        self._columns.activate()  # at once: who adds a key asks how much of the plane is left

    def show_withheld(self) -> bool:
        withheld = bool(self.withheld)
        self.gradient.stop()
        self.said.emit("")
        for part in (self.canvas, self.table.numbers, self.panel):
            part.withhold(withheld)
        keep_out_of_sight(withheld, self.presets, self.chips)  # the names of presets say what is to be seen
        if not withheld and self._is_open:
            self._show(lookup_frame(self.session.state.lookup))
        return True

    def ask_for_place(self, wanted: bool) -> None:
        self.canvas.ask_for_place(wanted)

    def show_guess(self, place: Vector | None) -> None:
        self.canvas.show_guess(place)

    def _show_preset(self, frame: LookupFrame) -> None:
        state = frame.state
        if frame.row is not None:
            self.presets.show_other(frame.row.hint)
            return
        if state.preset == LEARNED.id:
            self.presets.show_other(LEARNED)
            return
        ready = preset(state.preset)
        # The query is there to be moved.
        changed = (state.entries, state.values) != (ready.state.entries, ready.state.values)
        self.presets.show_preset(ready.id, changed=changed)

    # ---- What people do ----

    def _load(self, identifier: str) -> None:
        ready = preset(identifier)
        self.gradient.stop()
        self.session.apply(replace(self.session.state, lookup=ready.state), f"Load “{ready.title}”")

    def _on_selection_changed(self, part: Part | None) -> None:
        if part is not None:
            row = self.table.numbers.row_of(part)
            if row is not None and not self.table.hasFocus():
                self.table.setCurrentIndex(self.table.numbers.index(row, 0))
        self.panel.explain(lookup_frame(self.session.state.lookup), part)

    def _on_table_part_clicked(self, part: Part | None) -> None:
        if part is not None:
            self.canvas.select(part)

    def _on_row_clicked(self, row: int) -> None:
        self.canvas.select(Part(Role.KEY, row))

    def _on_menu_wanted(self, where: QPoint, part: Part | None, at: Vector) -> None:
        menu = self.context_menu(part, at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def context_menu(self, part: Part | None, at: Vector) -> QMenu:
        """Return the menu for a part of the lookup, or for a place on the plane."""
        menu = QMenu(self)
        if part is not None:
            self.canvas.select(part)
            self._add_part_actions(menu, part)
        else:
            if self.session.state.lookup.row is None:
                menu.addAction("Add a key here", lambda: self.canvas.add_key(at))
            menu.addAction("Home view", self.canvas.show_home)
        menu.addSeparator()
        self.offer_taking(menu)
        return menu

    def _add_part_actions(self, menu: QMenu, part: Part) -> None:
        state = self.session.state.lookup
        if state.is_fixed(part):
            return
        if part.role in (Role.KEY, Role.VALUE):
            name = key_name(part.index)
            remove = menu.addAction(f"Delete {name} and its value", self.canvas.remove_selected)
            remove.setEnabled(len(state.entries) > 1)
        if not state.on_number_line(part):
            menu.addAction(f"Set the length of {part.symbol} to 1", lambda: self._set_unit_length(part))
            menu.addAction(f"Move {part.symbol} to the origin", lambda: self._move(part, (0.0, 0.0)))

    def _set_unit_length(self, part: Part) -> None:
        self._move(part, around(self.session.state.lookup.position(part), 1.0))

    def _move(self, part: Part, to: Vector) -> None:
        state = self.session.state
        self.session.apply(replace(state, lookup=state.lookup.moved(part, to)), f"Move {part.name}")

    def toggle_hard(self) -> None:
        """Switch between soft and hard lookup."""
        self.controls.set_hard(not self.session.state.lookup.hard)

    def toggle_other(self) -> None:
        """Draw the output of the other mode beside this one, or no longer."""
        self.chips.switch(Overlay.OTHER, not self.session.state.lookup.shows(Overlay.OTHER))

    def equalise(self) -> None:
        """Move the query to the origin, where every score is 0 and every weight the same."""
        self._move(Part(Role.QUERY), (0.0, 0.0))

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(
                "Hard or soft lookup", lambda page: page.toggle_hard(), "H", "Switch between arg max and softmax"
            ),
            PageAction(
                "Both modes", lambda page: page.toggle_other(), "B", "Draw the output of the other mode too, as a ghost"
            ),
            PageAction("Make all scores equal", lambda page: page.equalise(), "E", "Move the query to the origin"),
            PageAction(""),
            PageAction(
                "Step downhill", lambda page: page.step_downhill(), "S", "One step of gradient descent on the target"
            ),
            PageAction(
                "Play or pause", lambda page: page.play_downhill(), "P", "Take step after step until the slope is gone"
            ),
            PageAction(
                "Clear the trail",
                lambda page: page.canvas.clear_trail(),
                "C",
                "Forget past outputs and count jumps anew",
            ),
            PageAction(""),
            PageAction("Home view", lambda page: page.canvas.show_home(), "", "Go back to the first view"),
        )

    def step_downhill(self) -> None:
        """Take one step of the descent."""
        self._downhill(self.gradient.step)

    def play_downhill(self) -> None:
        """Let q walk downhill by itself, or stop it."""
        self._downhill(self.gradient.play)

    def _downhill(self, button: QAbstractButton) -> None:
        """Press a button of the gradient; q does not wander off where neither gradient nor target is shown."""
        if self.tabs.isHidden():
            self.said.emit("The gradient is shown at the level Full, in the menu View.")
        else:
            button.click()

    def focus_first(self) -> None:
        (self.canvas if self._is_open else self.notice.leave).setFocus(Qt.FocusReason.OtherFocusReason)

    def stop(self) -> None:
        self.gradient.stop()

    def leave(self) -> None:
        super().leave()
        self.requests.leave()

    def settle(self, seconds: float = 30.0) -> None:
        self.requests.jobs.wait(seconds)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self.requests.stop():
            super().keyPressEvent(event)

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        self.gradient.set_moves(moves)

    # ---- Taking it away ----

    def figure(self) -> LookupFigure:
        from attention_explorer.pages.lookup.ui.figure import LookupFigure

        return LookupFigure(self.session.state.lookup)

    def description(self) -> str:
        """Return the page in words."""
        if not self._is_open:
            return self.notice.words.text()
        frame = lookup_frame(self.session.state.lookup)
        return given_in_words(frame.state) if self.withheld else description(frame)
