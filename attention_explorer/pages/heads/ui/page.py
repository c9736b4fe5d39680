"""The Heads page: every head of a sentence, one of them large, and every number behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import refusals_counted
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.discard import discard
from attention_explorer.kit.controls.hint_card import HintCard
from attention_explorer.kit.controls.more_button import LOW_PAGE
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, PageScroll
from attention_explorer.kit.controls.room_kept import keep_out_of_sight
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import OTHER, HeadsFrame, heads_frame
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.row_steps import row_steps
from attention_explorer.pages.heads.shown_map import shown_as
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.bar import HeadsBar
from attention_explorer.pages.heads.ui.loader import HeadsLoader, HeadsRequest, NoPicture, Part
from attention_explorer.pages.heads.ui.panel import HeadsPanel
from attention_explorer.pages.heads.ui.picture_card import PictureCard
from attention_explorer.pages.heads.ui.spot_words import asked_words, spot_words
from attention_explorer.pages.heads.ui.typed_name import TypedName
from attention_explorer.pages.heads.ui.wall_side import WallSide
from attention_explorer.pages.heads.verdict import Verdict
from attention_explorer.pages.row_as_lookup import as_lookup, reason_against_lookup
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.requesting_page import RequestingPage
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.requests import Standing
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.heads.ui.arrays_window import ArraysWindow
    from attention_explorer.pages.heads.ui.checks import HeadsChecks
    from attention_explorer.pages.heads.ui.setup import HeadsSetupPanel

KEPT = "Kept as B. Change anything, then choose Compare."
WALL_WIDTH = 268
PANEL_WIDTH = 344
TIGHT_PAGE = 1120
"""Pixels at zoom 1 of a page below which the columns beside the picture give way to it."""
TIGHT_WALL_WIDTH, TIGHT_LAYERS_WIDTH, TIGHT_PANEL_WIDTH = 150, 226, 312
"""The wall of one layer, that of several, and the panel."""
NARROW_PAGE = 946
LOW_PANEL = 740
"""Pixels at zoom 1 of the page below which the panel has no room for the hint: it stands above the columns."""
LEAST_CENTRE = 270
"""Pixels at zoom 1 of the card of the picture, below which the cells of eleven tokens would be too small."""


class HeadsPage(RequestingPage):
    """The wall of heads, the large picture, and beside it the reading, the setup and the checks."""

    presented = ("title", "badges", "pictures")
    gestures = (
        ("Point at a cell", "light it up in every head; the arithmetic appears"),
        ("Click a cell or a token", "pin it; click again or Esc lets go"),
        ("Arrow keys", "walk from cell to cell"),
        ("R, C", "keep the whole row or column of the cell; again: the cell"),
        ("Wheel, + and −", "look closer (Ctrl+wheel where the page scrolls); drag to move; Home shows all"),
        ("Click a thumbnail", "show that head large; arrow keys walk"),
        ("Type L7H3", "show layer 7, head 3 large"),
        ("Shift+click a thumbnail, M", "mark the head: marked ones are laid side by side"),
        ("Ctrl+click a thumbnail, Space", "leave the head out of mean, largest and rollout, or take it in again"),
        ("Paint, then drag over cells", "hide them or show them again; on a token, its row or column"),
        ("Esc while it computes", "stop; what is shown stays"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self._frame: HeadsFrame | None = None
        self._has_more_to_show = False
        self._spoken_of, self._spoken = NOWHERE, ""  # by the status bar, of what and what
        self._says_kept = False
        self.arrays: ArraysWindow | None = None
        self._typed = TypedName()
        self.loader = self.requests = HeadsLoader(self)
        self.bar = HeadsBar(session, look)
        self.hint = HintCard(look, self.bar.presets, self)
        self._make_wall_side()
        self._make_centre()
        self._make_panel()
        self._build()
        self._connect()
        self.set_look(look)

    # ---- Building ----

    def _make_wall_side(self) -> None:
        self._wall_side = WallSide(self.session, self.look)
        self.wall, self.legend = self._wall_side.wall, self._wall_side.legend
        self.aggregate, self.sort = self._wall_side.aggregate, self._wall_side.sort
        self.identity = self._wall_side.identity

    def _make_centre(self) -> None:
        self._centre = PictureCard(self.session, self.look, self.requests)
        self.title, self.badges, self.keep = self._centre.title, self._centre.badges, self._centre.keep
        self.pictures, self._widgets = self._centre.pictures, self._centre.widgets
        self.canvas, self.lines = self._centre.canvas, self._centre.lines
        self.stages, self.comparison = self._centre.stages, self._centre.comparison
        self.marked, self.search = self._centre.marked, self._centre.search
        self.note = self._centre.note

    def _make_panel(self) -> None:
        self._panel = HeadsPanel(self.session, self.look)
        self.tabs, self.note_text = self._panel.tabs, self._panel.note_text
        self.reading = self._panel.reading

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._all = QVBoxLayout(content)
        self._all.addWidget(self.bar)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self._wall_side)
        self._columns.addWidget(self._centre, 1)
        self._columns.addWidget(self._panel)
        self._all.addLayout(self._columns, 1)
        self._page_scroll = PageScroll(content)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._page_scroll)

    def _connect(self) -> None:
        for source in (self.bar, self._panel, self.reading, self._wall_side.filter):
            source.refused.connect(self.refused)
        self.bar.export_wanted.connect(self.export)
        self.bar.paint_toggled.connect(self._on_paint_toggled)
        self.bar.height_changed.connect(self._arrange)
        self.loader.delivered.connect(self._on_delivered)
        self.requests.forgotten.connect(self._forget)
        self.note.find_wanted.connect(self.find_wanted)
        self.note.reopen_wanted.connect(self.reopen_wanted)
        self.requests.changed.connect(self.on_requests_changed)
        self.note.dim_too(self._wall_side.wall, goes_on=True)
        self.note.dim_too(self.reading)
        self.note.said.connect(self.said)
        self.bar.presets.activated.connect(lambda _index: self._wall_side.scroll_to_chosen())
        self.canvas.tiles_changed.connect(self._load)
        self.wall.looked_at.connect(self._load, Qt.ConnectionType.QueuedConnection)  # it is being painted
        self.canvas.painting_ended.connect(lambda: self.bar.paint.setChecked(False))
        self.keep.clicked.connect(self.keep_for_comparison)
        self._centre.other.button.files_wanted.connect(self.files_to_compare_wanted)
        self._centre.other.refused.connect(self.refused)
        self._centre.arrays.clicked.connect(self.show_arrays)
        self._centre.spot_changed.connect(self._on_spot_changed)
        self._centre.menu_wanted.connect(self._on_menu_wanted)
        self.search.found.connect(self._on_token_found)
        self.search.closed.connect(self.focus_first)
        self.bar.find_wanted.connect(self.search.open_row)
        self.tabs.currentChanged.connect(lambda _index: self._show_panel())
        self.wall.said.connect(self.said)
        self.reading.spot_hovered.connect(self._on_list_hovered)
        self.said.connect(self._on_said)
        self.reading.spot_clicked.connect(self.canvas.pin)
        self.reading.lookup_wanted.connect(self.open_lookup)
        self.reading.steps_wanted.connect(self.show_steps)

    @property
    def setup(self) -> HeadsSetupPanel:
        """The tab with every number that decides what the maps are."""
        return self._panel.setup

    @property
    def checks(self) -> HeadsChecks:
        """The tab with the experiments."""
        return self._panel.checks

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._all.setContentsMargins(px(14), px(10), px(12), px(10))
        self._all.setSpacing(px(8))
        self._columns.setSpacing(px(10))
        for part in (self.bar, self.hint, self._wall_side, self._centre, self._panel):
            part.set_look(look)
        self._give_arrays(look)
        self._arrange()

    def _give_arrays(self, look: Look) -> None:
        """Put a look on the window with the arrays; one that was closed is made anew when it is wanted again."""
        if self.arrays is None:
            return
        if self.arrays.isVisible():
            self.arrays.set_look(look)
            return
        # Qt would style its many widgets along with those of the page, seen or not.
        discard(self.arrays)
        self.arrays = None

    def _arrange(self) -> None:
        """Three columns, or one that scrolls where the window is too narrow."""
        px, narrow = self.look.px, self.width() < self.look.px(NARROW_PAGE) and not self.is_alone
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        self.bar.be_low(self.height() < px(LOW_PAGE))
        wide, tight = self.width() > px(1900), self.width() < px(TIGHT_PAGE)
        for side, width, least in (
            (self._wall_side, WALL_WIDTH, TIGHT_LAYERS_WIDTH if self._has_layers else TIGHT_WALL_WIDTH),
            (self._panel, PANEL_WIDTH, TIGHT_PANEL_WIDTH),
        ):
            given = px(least if tight else width * (1.4 if wide else 1))
            side.setMinimumWidth(0 if narrow else given)
            side.setMaximumWidth(UNBOUNDED if narrow else given)
        # One below the other, the picture comes first, and as far as possible it fits into what is seen at a time.
        place = 0 if narrow else 1
        if self._columns.indexOf(self._centre) != place:
            self._columns.removeWidget(self._centre)
            self._columns.insertWidget(place, self._centre, 1)
        seen = self.height() - self.bar.maximumHeight() - px(28)  # with the bar, between the margins
        self._centre.setMinimumHeight(min(px(460), max(seen, px(LEAST_CENTRE))) if narrow else 0)
        needs_height = narrow and not self.withheld
        self._wall_side.setMinimumHeight(px(240) if needs_height else 0)
        self._panel.setMinimumHeight(px(560) if needs_height else 0)
        if narrow:
            self.hint.stand_in(self._columns, 1, after=self.comparison)
        elif self.height() < px(LOW_PANEL):
            self.hint.stand_in(self._all, 1, after=self.bar.unpaint)
        else:
            self.hint.stand_in(self._panel.column, 0, after=self.comparison)
        self._panel.fit_note()

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        self.canvas.moves = moves

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.heads == new.heads and old is not new:
            return
        if self._says_kept:
            self.say_spot()  # the next change is made: what was said of the one before goes
        other = other_setup(new.heads)
        CACHE.compare(id(self.requests), None if other is None else heads_frame.peek(other))
        if self._load():
            return
        self._show_controls(new.heads, self._frame)
        if self._frame is not None and (old is new or old.heads.view != new.heads.view):
            self._wall_side.show_view(self._frame, new.heads.view)
            self._show_spots()
            self._say_again()

    def _load(self) -> bool:
        """Compute what the state needs, if it is not what is shown already; return whether that was done at once."""
        return self.loader.load(self.request_now())

    def request_now(self) -> HeadsRequest:
        """Return what the present state asks for."""
        return HeadsRequest.of(self.session.state.heads, self.canvas.tiles, self.wall.layers_in_view)

    def show_withheld(self) -> bool:
        withheld = bool(self.withheld)
        self.say_spot()
        if self.arrays is not None:
            self.arrays.close()
        # The names of presets say what is to be seen.
        keep_out_of_sight(withheld, self._wall_side, self._panel, self.bar.presets)
        self._centre.withhold(withheld)
        self._arrange()
        return True

    def _on_delivered(self, request: HeadsRequest, part: Part) -> None:
        heads = self.session.state.heads
        if isinstance(part, HeadsFrame):
            had_layers, self._frame = self._has_layers, part
            self._has_more_to_show = True
            if self._has_layers != had_layers:
                self._arrange()
            if self.request_now() != self.requests.wanted:  # how many layers there are is known now
                self._load()
        elif self._frame is None:
            return
        elif isinstance(part, tuple):
            # The window is not shown by the thumbnails; their order is that of now.
            view = replace(request.heads.view, window=None).arranged_as(heads.view)
            self._wall_side.show_surveys(self._frame, view, part)
        elif isinstance(part, Verdict):
            self._show_rest()
            self._panel.show_note(part)
        elif isinstance(part, NoPicture):
            self._show_rest()
            self._centre.forget()
            self.reading.show_reason(part.reason)  # not what was read of another head
        else:
            self._centre.show_picture(self._frame, request.heads.view, part)
            with self._reading_on():
                self._centre.show_title(self._frame, heads, part)
            self._centre.set_spots(self._centre.hovered, self.pinned)

    def _show_rest(self) -> None:
        """Show what else there is of the newest frame, once the large picture is painted: nobody reads it so soon."""
        if self._frame is None or not self._has_more_to_show:
            return
        self._has_more_to_show = False
        self._show_controls(self.session.state.heads, self._frame)
        self._show_spots()
        self._say_again()

    @property
    def _has_layers(self) -> bool:
        """Whether the wall is one of several layers, each a line."""
        return self._frame is not None and len(self._frame.layers) > 1

    def _forget(self) -> None:
        """Show nothing: what is wanted cannot be computed, and what was on show belongs to something else."""
        self._frame = None
        for part in (self._centre, self._wall_side, self._panel):
            part.forget()
        if self.arrays is not None:
            self.arrays.close()
        self._show_controls(self.session.state.heads, None)

    def _show_controls(self, heads: HeadsState, frame: HeadsFrame | None) -> None:
        with self._reading_on():
            self.bar.show_frame(heads, frame)
        if frame is not None:
            self._wall_side.show_frame(heads, frame)
            self.search.show_frame(frame, heads)
        with self._reading_on():
            self._panel.show_frame(heads, frame)
        with self._reading_on():
            self._centre.other.show_state(heads)
        with self._reading_on():
            if frame is not None and self.arrays is not None:
                self.arrays.show_frame(frame)

    def _show_panel(self) -> None:
        with self._reading_on():
            self._panel.show_frame(self.session.state.heads, self._frame)
        self._show_spots()

    @contextmanager
    def _reading_on(self) -> Iterator[None]:
        """Do what may read numbers of the source; where it is gone by now, say so in place of them and on the picture.

        A file may be written over at any time while it is open.
        """
        try:
            with refusals_counted(self.session.state.heads.setup.count):
                yield
        except ExplorerError as error:
            self.reading.show_reason(str(error))
            if not self.requests.is_pending:  # else the worker finds out, and what fails may be what was shown before
                self.requests.refuse(error)

    # ---- Pointing ----

    @property
    def pinned(self) -> Spot:
        """What is pinned, as far as it lies on the map."""
        view = self.session.state.heads.view
        if self._frame is None:
            return Spot(view.row, view.column)
        # What is pinned of a longer sentence is shown on the last token there is.
        n_q, n_k = self._frame.shape
        row = None if view.row is None else min(view.row, n_q - 1)
        column = None if view.column is None else min(view.column, n_k - 1)
        compared = self._centre.compared
        if compared is not None:  # and what only B has, where that is
            in_rows, in_columns = compared.rows.known_as(view.row), compared.columns.known_as(view.column)
            row, column = (row if in_rows is None else in_rows), (column if in_columns is None else in_columns)
        return Spot(row, column)

    def _show_spots(self) -> None:
        frame = self._frame
        if frame is None:
            return
        hovered = self._centre.hovered
        self._centre.set_spots(hovered, self.pinned)
        spot = hovered if hovered != NOWHERE else self.pinned
        self._show_on_wall(spot)
        is_raw = bool(shown_as(frame, self.session.state.heads.view))
        one, several = self._centre.map_hovered, self._centre.shows_several_heads
        read = one if isinstance(one, HeadsFrame) else frame
        with self._reading_on():
            self._panel.show_spot(read, spot, self._centre.compared, is_raw=is_raw, names_head=several)
        self.reading.allow_lookup(reason_against_lookup(frame, self.pinned.row))

    def _show_on_wall(self, spot: Spot) -> None:
        """Light up a spot in the thumbnails, which are A's: what only B has is not there."""
        is_there = self._frame is not None and spot.lies_on(self._frame.shape)
        self.wall.set_spot(spot if is_there else NOWHERE)

    def _on_spot_changed(self, spot: Spot) -> None:
        self._show_spots()
        self._say_spot(spot)

    def _on_token_found(self, spot: Spot) -> None:
        self.canvas.reveal(spot)
        self._say_spot(spot)

    def _on_list_hovered(self, spot: Spot | None) -> None:
        shown = self.pinned if spot is None else spot
        self._centre.set_spots(NOWHERE, shown)
        self._show_on_wall(shown)
        self._say_spot(NOWHERE if spot is None else spot)

    def say_spot(self) -> None:
        self._say_spot(self._centre.hovered)  # it may rest on the new picture

    def _say_spot(self, spot: Spot) -> None:
        frame, compared, one = self._frame, self._centre.compared, self._centre.map_hovered
        view, is_kept = self.session.state.heads.view, spot == self.pinned
        self._spoken_of = spot
        try:
            if frame is None:
                self._spoken = ""
            elif self.withheld:
                self._spoken = asked_words(frame, spot)
            else:
                self._spoken = spot_words(frame, view, compared, one, spot, is_kept=is_kept)
        except ExplorerError as error:
            self._spoken = self.session.state.heads.setup.count.recounted(str(error))
        self.said.emit(self._spoken)

    def _on_said(self, sentence: str) -> None:
        self._says_kept = False
        if sentence != self._spoken:
            self._spoken_of = NOWHERE  # the status bar speaks of something else now

    def _say_again(self) -> None:
        """Say anew what the status bar speaks of: its numbers or its words may be others by now."""
        if self._spoken_of != NOWHERE:
            self._say_spot(self._centre.hovered if self._centre.hovered != NOWHERE else self.pinned)

    def _on_menu_wanted(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all", self.canvas.show_all)
        if self._frame is not None and not reason_against_lookup(self._frame, self.pinned.row):
            menu.addAction("Pinned row as a lookup", self.open_lookup)
        menu.addSeparator()
        self.offer_taking(menu)
        menu.addAction("Export all heads…", self.export_wall)
        menu.popup(where)

    # ---- Computing ----

    def on_requests_changed(self) -> None:
        if self.requests.standing in (Standing.STOPPED, Standing.REFUSED):
            self._panel.stop_writing()  # there will be no maps of what was written
        if not self.requests.is_pending:
            self._show_rest()
        super().on_requests_changed()
        if self.requests.sentence:
            self.wall.dim_old()

    # ---- What people do ----

    def _setup(self, label: str, **changes: object) -> None:
        state = self.session.state
        self.session.apply(replace(state, heads=state.heads.with_setup(**changes)), label)

    def keep_for_comparison(self) -> None:
        """Keep the setup as B, if it can be computed."""
        reason = self.requests.reason if self.requests.standing is Standing.REFUSED else ""
        if reason and not reason.startswith(OTHER):
            self.refused.emit(f"Not kept as B: {reason}")
            return
        state = self.session.state
        heads = replace(state.heads, other=state.heads.setup)
        self.session.apply(replace(state, heads=heads), "Keep as B")
        self.said.emit(KEPT)
        self._says_kept = True

    def _refuses_to_tell(self) -> bool:
        """Say why nothing is told now, if that is so."""
        if self.withheld:
            self.refused.emit(self.withheld)
        return bool(self.withheld)

    def show_arrays(self) -> None:
        """Open the window with every array behind the head, beside the page."""
        if self._frame is None or self._refuses_to_tell():
            return
        if self.arrays is None:
            # Not before it is wanted: the page opens faster.
            from attention_explorer.pages.heads.ui.arrays_window import ArraysWindow

            self.arrays = ArraysWindow(self.session, self.look, self)
        self.arrays.show_frame(self._frame)
        self.arrays.show()
        self.arrays.activateWindow()

    def show_steps(self, row: int) -> None:
        """Open the window in which a row is computed step by step."""
        from attention_explorer.pages.heads.ui.row_steps_window import RowStepsWindow  # not before it is wanted

        if self._frame is None:
            return
        try:
            steps = row_steps(self._frame, row)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        RowStepsWindow(steps, self.look, self.window(), moves=self.moves).open()

    def open_lookup(self) -> None:
        """Open the pinned row on the Lookup page."""
        if self._frame is None or self._refuses_to_tell():
            return
        try:
            state = as_lookup(self.session.state, self._frame, self.pinned.row)
        except ExplorerError as error:
            self.refused.emit(self._frame.count.recounted(str(error)))
            return
        self.session.apply(state, "Row as a lookup")
        self.page_wanted.emit("lookup")

    def _on_paint_toggled(self, on: bool) -> None:
        self.canvas.paints_mask = on
        self.canvas.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)
        if on:
            self.said.emit("Drag over cells to hide them or show them again; a token stands for its row or column.")

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction("Next head", lambda page: page.step_head(1), "N", "Show the next head large"),
            PageAction("Previous head", lambda page: page.step_head(-1), "P", "Show the head before"),
            PageAction(
                "Reverse the order", lambda page: page.turn_wall_round(), "T", "Begin the wall at the other end"
            ),
            PageAction(
                "Mark the head", lambda page: page.mark_head(), "M", "Mark it, to be laid side by side with others"
            ),
            PageAction(
                "Find a token…", lambda page: page.search.open_row(), "Ctrl+F", "Find tokens, and hide them as keys"
            ),
            PageAction("Keep as B", lambda page: page.keep_for_comparison(), "B", "Keep this setup for comparison"),
            PageAction(
                "Compare with a file…",
                lambda page: page.compare_wanted.emit(),
                "",
                "Open a file of attention as B, beside this",
            ),
            PageAction(
                "Arrays…",
                lambda page: page.show_arrays(),
                "A",
                "Show every array behind the head: X, W_Q, Q, K, V, output",
            ),
            PageAction(
                "Pinned row as a lookup",
                lambda page: page.open_lookup(),
                "O",
                "Open its query and keys on the Lookup page",
            ),
            PageAction("Hard or soft", lambda page: page.toggle_hard(), "H", "Switch between arg max and softmax"),
            PageAction(""),
            PageAction(
                "Export all heads…",
                lambda page: page.export_wall(),
                "",
                "Save the wall of heads as a picture or as numbers",
            ),
            PageAction("Show all", lambda page: page.canvas.show_all(), "", "Show the whole map again"),
        )

    def turn_wall_round(self) -> None:
        """Begin the wall of heads at its other end."""
        self._wall_side.turn_round()

    def step_head(self, step: int) -> None:
        """Show large the head that is so many places on."""
        if self._frame is not None:
            places = self._frame.places
            at = places.index((self._frame.layer, self._frame.head)) + step
            self.wall.choose(*places[min(max(at, 0), len(places) - 1)])

    def event(self, event: QEvent) -> bool:
        # Qt asks so of every key, before whatever has the keyboard takes it.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            if event.key() == Qt.Key.Key_H and self._typed.wants_h(QApplication.focusWidget()):
                event.accept()  # within a name it is a letter, not the key for hard or soft
                return True
            if not self._typed.is_letter(event.text()):
                self._typed.end()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the letters of a head's name, which nothing that has the keyboard has a use for."""
        if event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_CapsLock):
            return
        commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        letter = "" if event.modifiers() & commands else event.text()
        if self._frame is not None and self._typed.take(letter, QApplication.focusWidget()):
            self._go_to_typed(self._frame)
        else:
            super().keyPressEvent(event)

    def _go_to_typed(self, frame: HeadsFrame) -> None:
        """Show the head whose name has been typed."""
        numbers = self._typed.place
        if numbers is None:
            self.said.emit(f"Go to {self._typed.text} …")
            return
        place = frame.count.index_of(numbers[0]), frame.count.index_of(numbers[1])
        if place in frame.places:
            self.said.emit("")  # no more “Go to …”
            self.wall.choose(*place)
        else:
            self.said.emit(f"There is no {self._typed.text}: layers and heads count {frame.count.value}.")

    def mark_head(self) -> None:
        """Mark the head on show, or take its mark away."""
        if self._frame is not None:
            self.wall.mark(self._frame.layer, self._frame.head)

    def toggle_hard(self) -> None:
        """Switch between soft and hard lookup, where the weights are computed."""
        setup = self.session.state.heads.setup
        reason = source_of(setup.recipe).traits.reason_against(Ability.SCORES)
        if reason:
            self.refused.emit(reason)
            return
        hard = not setup.hard
        self._setup("Hard lookup" if hard else "Soft lookup", hard=hard)

    def focus_first(self) -> None:
        # Of the state: the picture may still be computed, and Qt keeps the focus for a widget that is shown later.
        self._widgets[self.session.state.heads.view.picture].setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.pages.heads.ui.figure import HeadsFigure

        return HeadsFigure(self.session.state.heads)

    def export_wall(self) -> None:
        """Ask for a file and write all heads to it."""
        from attention_explorer.kit.export.dialog import export_with_dialog
        from attention_explorer.pages.heads.ui.figure import HeadsFigure

        self._say_or_refuse(lambda: export_with_dialog(self, HeadsFigure(self.session.state.heads, is_wall=True)))
