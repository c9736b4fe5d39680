"""The Heads page: every head of a sentence, one of them large, and every number behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.preset import Preset
from attention_explorer.kit.controls.made import allow_unless, give_up_room, keep_out_of_sight
from attention_explorer.kit.controls.panel_scroll import keep_in_view
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.aligned import is_own_other
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.head_difference import Measured
from attention_explorer.pages.heads.offers import offers_for, offers_for_refused, unknown_words
from attention_explorer.pages.heads.presets import heads_preset, is_changed, loaded, other_setup
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.acting import ActingPage, TypedName
from attention_explorer.pages.heads.ui.canvas import TILE_STEP
from attention_explorer.pages.heads.ui.drawer_parts import DrawerParts, limit_choices
from attention_explorer.pages.heads.ui.loader import HeadsLoader, HeadsRequest, NoPicture, Part
from attention_explorer.pages.heads.ui.map_canvas import HeadsCanvas
from attention_explorer.pages.heads.ui.row_player import RowPlayer
from attention_explorer.pages.heads.ui.rows import FindRow, MapControls, OfferRow, OtherRow
from attention_explorer.pages.heads.ui.subject import HeadsSubject
from attention_explorer.pages.heads.ui.views import numbers_of, views
from attention_explorer.pages.heads.ui.wall_side import WallSide
from attention_explorer.pages.heads.verdict import Verdict
from attention_explorer.pages.ui.frame_page import SETTLES_MILLISECONDS
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.requests import Standing
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

WIDE = (Picture.ALL, Picture.COMPARE)
"""The views that need all the room there is: nothing stands beside them but the drawer."""


class HeadsPage(ActingPage):
    """The sentence, the heads beside it, and one of them as a map, as lines, in steps or against another."""

    name = "Heads"
    part = "heads"
    shown_by = "view.picture"
    in_line = True  # mask and softmax stay where they are from view to view

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.typed = TypedName()
        self._rest_is_of: tuple[HeadsState, HeadsFrame | None] | None = None
        self._wall_is_named = False  # by a lesson, for whom the strip is there in a narrow window too
        self.subject = HeadsSubject(session, look)
        self.wall_side = WallSide(session, look)
        self.wall = self.wall_side.wall
        self.search = FindRow(session)
        self.map_controls = MapControls(session)
        self.other = OtherRow(session, look)
        self.offers = OfferRow(session)
        self.player = RowPlayer(session)
        self.play = self.player.button
        self.keep, self.more = QPushButton("Keep as B"), QPushButton("More")
        self.drawer_parts = DrawerParts(session, look)
        super().__init__(session, look, parent)

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    def make_requests(self) -> HeadsLoader:
        return HeadsLoader(self, numbers_of)

    def make_canvas(self) -> PicturesCanvas:
        return HeadsCanvas(self.session, self.look, lambda: self.state)

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        return (self.keep,) if view.id is Picture.COMPARE else ()

    @property
    def presented(self) -> tuple[str, ...]:  # type: ignore[override] # the same for a page in other views
        """What is shown to a room: the picture under its sentence, or all heads."""
        picture = ("wall_side",) if self.view.id is Picture.ALL else ("title", "canvas")
        return "subject", *picture

    @property
    def read_first(self) -> Sequence[QWidget]:
        return self.subject, self.wall_side, self.search, self.other, self.offers

    def example_of(self, view: View[Any], _state: HeadsState) -> Preset[Any] | None:
        state = self.session.state.heads  # what was asked for does not say whose settings it has
        return None if not state.preset or is_changed(state) else heads_preset(state.preset)

    def is_for(self, view: View[Any], ready: Preset[Any]) -> bool:
        return view.id is not Picture.CHECK or super().is_for(view, ready)  # the others show the same head

    def _show_settings(self, view: View[Any], state: HeadsState) -> None:
        super()._show_settings(view, state)
        no_scores = source_of(self.session.state.heads.setup.recipe).traits.reason_against(Ability.SCORES)
        allow_unless(no_scores, self.bar.view_row.buttons[Picture.STAGES])
        self.bar.view_box.enable_values(lambda picture: picture is not Picture.STAGES or not no_scores)

    def shown_without_example(self) -> str:
        return source_of(self.session.state.heads.setup.recipe).traits.kind

    def _show_elsewhere(self, view: View[Any], state: HeadsState, ready: Preset[Any] | None) -> None:
        """Leave the line to what is to know of the numbers: hidden and shown again, it would be laid out twice."""

    def show_view(self, view: View[Any]) -> None:
        laid = self.canvas.map_laid
        if view.id is Picture.ALL and laid is not None and self.moves and not self.withheld:
            cells = laid.layout.cells
            self.wall.above.receive(laid.picture, QRectF(self.canvas.mapToGlobal(cells.topLeft()), cells.size()))
        self.session.apply(self._with_other(self.showing(view, self.session.state)), f"Show {view.title}")

    @staticmethod
    def _with_other(state: ExplorerState) -> ExplorerState:
        """Return a state that compares with something: from there on, what is changed makes the difference."""
        if state.heads.view.picture is not Picture.COMPARE or state.heads.other is not None:
            return state
        return replace(state, heads=replace(state.heads, other=state.heads.setup))

    def show_example(self, ready: Preset[Any]) -> None:
        state, picture = self.session.state, self.view.id
        heads = loaded(ready, state.heads)
        if picture is not Picture.MARKED:  # an example has no marks
            heads = heads.with_view(picture=picture)
        self.session.apply(self._with_other(replace(state, heads=heads)), f"Load “{ready.title}”")
        self.begin_again()
        self.wall_side.scroll_to_chosen()

    # ---- Building ----

    def _build(self) -> None:
        super()._build()
        later = QWidget(self)  # owns what stands in a view that was never shown
        later.hide()
        if self.keep.parent() is None:
            self.keep.setParent(later)
        self.drawer_parts.add_rare(self.subject.cross, *self.map_controls.widgets)
        self.drawer_parts.add_first(self.wall_side.filter, self.other.second)
        self._all.insertWidget(1, self.subject)
        self._columns.insertWidget(0, self.wall_side)
        at = self.card.body.indexOf(self.canvas)
        for place, widget in enumerate((self.search, self.other, self.offers)):
            self.card.body.insertWidget(at + place, widget)
        self.drawer.add(self.drawer_parts)
        self.more.setToolTip(self.panel.more.toolTip())
        self.more.clicked.connect(lambda: self.open_drawer(True))
        self.main.end(self.more)
        self.main.lead(self.play)
        self.keep.setToolTip("Keep this setup for comparison (B)")
        self.note.dim_too(self.wall, goes_on=True)

    def _connect(self) -> None:
        super()._connect()
        for source in (self.subject, self.wall_side.filter, self.other, self.drawer_parts):
            source.refused.connect(self.refused)
        self.note.is_said_elsewhere = lambda: self._misses_words
        self.offers.reading_wanted.connect(lambda: self.reading_wanted.emit(self.requests.reason))
        self.note.find_wanted.connect(self.find_wanted)
        self.note.reopen_wanted.connect(self.reopen_wanted)
        self.requests.forgotten.connect(self._forget)
        self.canvas.painting_ended.connect(lambda: self.map_controls.paint.setChecked(False))
        self.map_controls.paint_toggled.connect(self._on_paint_toggled)
        self.wall.looked_at.connect(self._load, Qt.ConnectionType.QueuedConnection)  # it is being painted
        self.wall.said.connect(self.said)
        self.wall.opened.connect(self._on_opened)
        self.wall.asked.connect(self.show_in_circuits)
        self.wall_side.threshold_wanted.connect(self._open_threshold)
        self.play.clicked.connect(self.toggle_play)
        self.keep.clicked.connect(self.keep_for_comparison)
        self.other.button.files_wanted.connect(self.files_to_compare_wanted)
        self.search.found.connect(self._on_token_found)
        self.search.closed.connect(self.focus_first)
        self.drawer_parts.find_wanted.connect(self.search.open_row)
        self.canvas.resized.connect(lambda: self._show_about(self.session.state.heads))  # as many tiles as pixels

    def set_look(self, look: Look) -> None:
        parts: list[Any] = [self.subject, self.wall_side, self.search, self.other, self.offers]
        for part in (*parts, self.drawer_parts):
            part.set_look(look)
        super().set_look(look)

    def _arrange(self) -> None:
        super()._arrange()
        is_all = self.view.id is Picture.ALL
        self.wall_side.be_quilt(is_all or self._is_narrow)
        self.subject.be_narrow(self._is_narrow)
        self.card.setHidden(is_all)
        beside = self.view.id not in WIDE or self.is_open
        self._show_side(self._panel_scroll, has_place=beside and not self.is_alone)
        self.more.setVisible(not beside)
        has_room = self._wall_is_named or not self._is_narrow
        self._show_side(self.wall_side, has_place=is_all or (has_room and not self.is_alone))
        self._columns.setStretch(self._columns.indexOf(self.wall_side), int(is_all))

    def _fit_height(self) -> None:
        self._fit_line()  # a mask may have a size, an experiment more fields, and a model a longer name for its mask
        super()._fit_height()
        self.wall_side.setMinimumHeight(self.canvas.minimumHeight() if self._is_narrow else 0)

    def room_around_picture(self) -> int:
        # The wall of all heads stands in place of the card; what is hidden with that is laid out no more.
        return 0 if self.view.id is Picture.ALL else super().room_around_picture()

    def _fit_line(self) -> None:
        margins = self._all.contentsMargins()
        self.main.fit(self.width() - margins.left() - margins.right())

    def is_in_drawer(self, names: tuple[str, ...]) -> bool:
        return super().is_in_drawer(names) or any(map(self.drawer_parts.holds, names))

    def reveal(self, names: tuple[str, ...]) -> None:
        self._wall_is_named = self.wall.accessibleName() in names
        super().reveal(names)
        self._arrange()

    def _show_side(self, side: QWidget, *, has_place: bool) -> None:
        """Show what stands beside the picture where it has a place; while its numbers are asked for, that alone."""
        if has_place:
            keep_out_of_sight(bool(self.withheld), side)
        else:
            give_up_room(side)
            side.hide()

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        self.wall.moves = moves
        self.player.set_moves(moves)

    def stop(self) -> None:
        self.player.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        self.player.stop()
        super().hideEvent(event)

    # ---- Showing ----

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.heads == new.heads and old is not new:
            return
        if self._says_kept:
            self.say_spot()  # the next change is made: what was said of the one before goes
        other = other_setup(new.heads)
        CACHE.compare(id(self.requests), None if other is None else heads_frame.peek(other))
        if self.player.is_running and new.heads.view.picture is not Picture.ROW:
            self.player.stop()
        self.play.setVisible(new.heads.view.picture is Picture.ROW)
        if old is not new and self.view_of(new) is self._in_order:
            self.requests.load(self.request_now(), only_aside=True)  # the worker begins while controls are shown
        super().render_state(old, new)
        if old is new and self._rest_is_of == (new.heads, self._frame):
            return  # somebody comes back, and all is as it was
        self._show_about(new.heads)
        if self.requests.is_pending:  # what is typed is seen at once
            with self._reading_on():
                self.subject.show_frame(new.heads, self._frame, self.pinned)
        else:
            self._show_rest()

    def request_now(self) -> HeadsRequest:  # type: ignore[override] # it has a state and tiles, as the frame needs
        # The canvas is out of sight while all heads are seen, and its size means nothing.
        tiles = (TILE_STEP, TILE_STEP) if self.view.id is Picture.ALL else self.canvas.tiles
        return HeadsRequest.of(self.state, tiles, self.wall.layers_in_view)

    def _load(self) -> None:
        self.requests.load(self.request_now())

    def _on_delivered(self, request: Any, ready: Any) -> None:  # noqa: ANN401 # `HeadsRequest` and `Part`
        part: Part = ready
        heads = self.session.state.heads
        if isinstance(part, HeadsFrame):
            self._frame, self._verdict = part, None
            if self.request_now() != self.requests.wanted:  # how many layers there are is known now
                self._load()
        elif self._frame is None:
            return
        elif isinstance(part, tuple):
            # The window is not shown by the thumbnails; their order is that of now.
            view = replace(request.state.view, window=None).arranged_as(heads.view)
            self.wall_side.show_surveys(self._frame, view, part)
        elif isinstance(part, Measured):
            self.wall_side.say_measured(part.words)
        elif isinstance(part, Verdict):
            self._verdict = part
            self._show_rest()
        elif isinstance(part, NoPicture):
            self._forget_picture()
            self.panel.show_panel(Panel("", (), part.reason))  # not what was read of another head
            self.offers.show_offers(offers_for_refused(heads))
            self._show_rest()
        else:
            self._show_picture(request, part)

    def _show_picture(self, request: HeadsRequest, numbers: Any) -> None:  # noqa: ANN401 # of the picture asked for
        view = self._view_for(request.state)
        self.canvas.set_spots(self.canvas.hovered, self.pinned_on(numbers))
        self.canvas.heading = view.picture.title(numbers)
        self.canvas.show_picture(view.picture, numbers)
        self._show_title()
        with self._reading_on():
            if self.canvas.numbers is None:  # else it comes with what these weights are
                self._panel_of = None
                self.show_panel_of(view, numbers)
        self._show_about(self.session.state.heads)
        self._fill_drawer()
        if self.canvas.hovered != NOWHERE:
            self.say_spot()

    def _show_about(self, heads: HeadsState) -> None:
        """Say what is to know of the numbers and colours on show, and offer what would show more."""
        if heads.view.picture is Picture.ALL:
            return  # it would be said below a picture that is out of sight
        numbers, picture = self.canvas.numbers, self.canvas.open_picture
        if numbers is None or picture is None:
            self.also.setText("")
            self.also.hide()
            return
        with self._reading_on():
            self.also.setText("; ".join(picture.about(numbers, heads, self.canvas.map_picture or numbers.picture)))
            if not self.is_alone:  # else it is in the caption, and out of sight
                self.also.setVisible(not self.withheld)
            self.offers.show_offers(offers_for(numbers.frame, heads, numbers.picture))
            self._show_offers()

    def _show_rest(self) -> None:
        """Show what else there is of the newest frame, once the large picture is painted: nobody reads it so soon."""
        heads, frame = self.session.state.heads, self._frame
        self._rest_is_of = heads, frame
        with self._reading_on():
            self.map_controls.show_state(heads)
            limit_choices(self.form_of(self.view), heads, frame)
            if heads.view.picture is Picture.COMPARE or not self.other.isHidden():
                self.other.show_state(heads)
                self.keep.setVisible(not is_own_other(heads))
        if frame is not None:
            self.wall_side.show_frame(heads, frame)
            self.wall_side.show_view(frame, heads.view)
            self.search.show_frame(frame, heads)
        self._fill_drawer()  # what it says of these numbers too
        self._show_spots()
        self._say_again()

    def _fill_drawer(self) -> None:
        with self._reading_on():
            super()._fill_drawer()
        if self.is_open:
            with self._reading_on():
                self.drawer_parts.show_frame(self.session.state.heads, self._frame)
                limit_choices(self.drawer.form, self.session.state.heads, self._frame)

    def _open_threshold(self) -> None:
        """Show in the drawer from which value on heads are looked at, to be typed."""
        self.open_drawer(True)
        self.wall_side.filter.controls["value"].setFocus()
        keep_in_view(self.wall_side.filter, SETTLES_MILLISECONDS)

    def begin_open(self, is_open: bool) -> None:
        super().begin_open(is_open)
        self._arrange()

    def _exchange(self, first: QWidget | None, *, is_open: bool) -> None:
        super()._exchange(first, is_open=is_open)
        self._arrange()

    def _forget(self) -> None:
        """Show nothing: what is wanted cannot be computed, and what was on show belongs to something else."""
        self._frame = self._verdict = None
        self._forget_picture()
        self.wall_side.forget()
        self.panel.show_panel(Panel())
        self._show_rest()

    def _forget_picture(self) -> None:
        self.canvas.forget()
        self.canvas.heading, self._panel_of = "", None
        self._show_title()
        self.also.hide()

    def show_withheld(self) -> bool:
        withheld = bool(self.withheld)
        self.player.stop()
        self.subject.withhold(withheld)
        shown = super().show_withheld()
        self._arrange()
        self._show_about(self.session.state.heads)
        self._show_offers()
        return shown

    def _show_offers(self) -> None:
        """Hide what the picture offers while its numbers are asked for, or unknown words have ways on of their own."""
        self.offers.setHidden(bool(self.withheld) or self._misses_words or not self.offers.buttons)

    def finished_numbers(self) -> object:
        requests = self.requests
        is_finished = requests.is_whole and not requests.is_old
        return self.canvas.picture if is_finished else None

    @property
    def _misses_words(self) -> bool:
        """Whether nothing newer is shown because of words that are unknown: the sentence says so, and what to do."""
        is_refused = self.requests.standing is Standing.REFUSED
        return is_refused and bool(unknown_words(self.session.state.heads.setup.recipe))

    def _on_token_found(self, spot: Spot) -> None:
        self.canvas.reveal(spot)
        self._say_spot(spot)

    def offer_model(self, name: str, read: Callable[[], object]) -> None:
        self.subject.offer_model(name, read)

    # ---- Computing ----

    def on_requests_changed(self) -> None:
        if self.requests.standing in (Standing.STOPPED, Standing.REFUSED):
            self.drawer_parts.stop_writing()  # there will be no maps of what was written
        is_shown = self._rest_is_of == (self.session.state.heads, self._frame)  # it came with the verdict
        if not self.requests.is_pending and (self.is_open or not is_shown):
            self._show_rest()
        super().on_requests_changed()
        self.subject.show_reason(self.requests.reason if self.requests.standing is Standing.REFUSED else "")
        self._show_offers()
        if self.requests.sentence and not self._misses_words:
            self.wall.dim_old()
