"""A page that shows one large picture at a time, with a bar above it, its controls below and what it says beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.choice import Choice
from attention_explorer.kit.controls.hint_card import HintCard
from attention_explorer.kit.controls.more_button import LOW_PAGE
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, PageScroll, PanelScroll
from attention_explorer.kit.controls.room_kept import keep_out_of_sight
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.controls import PictureBar, PictureControls
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import NotesPanel
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.pictures.request import PictureRequest, Ready, work_for
from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.requesting_page import RequestingPage
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.requests import Requests

PANEL_WIDTH = 340
NARROW_PAGE = 900

S = TypeVar("S")


def _choose_picture(picture: object, page: Any) -> None:  # noqa: ANN401 # of a page of any state
    page.bar.choose_picture(picture)


class PicturesPage(RequestingPage, Generic[S]):
    """What pages of this kind share. A page of its own says which part of the state it shows and how.

    A subclass sets ``part``, and its `drawing_of`, `title_of`, `make_bar`, `make_controls`, `verdict_of` and `figure`.
    """

    part = ""
    """The field of `ExplorerState` that the page shows."""
    narrow_below = NARROW_PAGE
    presented = ("title", "canvas")
    """Pixels at zoom 1 of the page below which the panel goes under the picture."""
    least_heights = 280, 400
    """Pixels at zoom 1 that the picture gets at least: beside the panel, and above it."""
    picture_name = "Large picture"
    """What the picture is called by a screen reader."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self.requests = Requests(self, self._streams)
        self.jobs = self.requests.jobs
        self.bar = self.make_bar()
        self.canvas = PicturesCanvas(look, self.picture_name, lambda: self.state)
        self.controls = self.make_controls()
        self.panel = self.make_panel()
        self.hint = HintCard(look, self.bar.preset_box, self)
        self._build()
        self._connect()
        self.set_look(look)

    # ---- For the pages ----

    def drawing_of(self, state: S) -> PictureDrawing[S, Any, Any]:
        """Return how the picture that a state asks for is drawn; the same object for the same kind of picture."""
        raise NotImplementedError

    def title_of(self, state: S) -> str:
        """Return what stands above the picture."""
        raise NotImplementedError

    def verdict_of(self, state: S) -> tuple[TextLine, ...]:
        """Return what is true of the state, for the card below the notes."""
        raise NotImplementedError

    def make_bar(self) -> PictureBar[S]:
        """Return the widget above the picture."""
        raise NotImplementedError

    def make_controls(self) -> PictureControls[S]:
        """Return the widget below the picture."""
        raise NotImplementedError

    def make_panel(self) -> NotesPanel:
        """Return the widget beside the picture."""
        return NotesPanel(self.look)

    @staticmethod
    def beside(_state: Any) -> object:  # noqa: ANN401 - a static method knows no type variable of its class
        """Return what else the page shows of a state; computed along with the picture, perhaps on the worker."""
        return None

    def picture_shown(self, state: S, picture: object, beside: Any) -> None:  # noqa: ANN401 - as `beside` returned it
        """Show more of a new picture, and what was computed `beside` it, if the page has a place for it."""

    def least_height(self, _state: S, *, narrow: bool) -> int:
        """Return the pixels at zoom 1 that the picture of a state gets at least; ``narrow``: above the panel."""
        return self.least_heights[narrow]

    @classmethod
    def picture_actions(cls, pictures: Iterable[Choice]) -> tuple[PageAction, ...]:
        """Return for the menu that each of the pictures is shown, with its key."""
        return tuple(
            PageAction(f"Show {title.lower()}", partial(_choose_picture, picture), f"Ctrl+{number}", tip)
            for number, (picture, title, tip) in enumerate(pictures, start=1)
        )

    @property
    def measured(self) -> object:
        """What the page shows that is no part of the state, if there is such a thing."""
        return None

    @property
    def state(self) -> S:
        """The page's part of the state."""
        return self.own(self.session.state)

    def own(self, state: ExplorerState) -> S:
        """Return the page's part of a state, as the page shows it."""
        found: S = getattr(state, self.part)
        return found

    def apply(self, change: Change[S]) -> None:
        """Change the page's part of the state, as one step."""
        new = replace(self.session.state, **{self.part: change.state})  # type: ignore[arg-type]
        self.session.apply(new, change.label, change.merge and f"{self.part} {change.merge}")

    # ---- Building ----

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._all = QVBoxLayout(content)
        self._all.addWidget(self.bar)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self._make_card(), 1)
        self._panel_scroll = PanelScroll(self.panel)
        self._columns.addWidget(self._panel_scroll)
        self._all.addLayout(self._columns, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(PageScroll(content))

    def _make_card(self) -> Card:
        self.card = Card(self.look)
        self.title = TextBlock(self.look, 1, "What the picture shows")
        self.card.body.addWidget(self.title)
        self.card.body.addWidget(self.canvas, 1)
        self.card.body.addWidget(self.controls)
        self.note = RequestNote(self.requests, self.session, self.look, self.title, self.canvas, (self.canvas,))
        self.note.dim_too(self.panel.notes)
        return self.card

    def _connect(self) -> None:
        self.bar.refused.connect(self.refused)
        self.bar.export_wanted.connect(self.export)
        self.controls.refused.connect(self.refused)
        self.canvas.spot_changed.connect(self._on_spot_changed)
        self.canvas.menu_wanted.connect(self._on_menu_wanted)
        self.canvas.resized.connect(self._load)
        self.canvas.changed.connect(self.apply)
        self.canvas.dragged.connect(self._on_dragged)
        self.canvas.dropped.connect(self._on_dropped)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self.on_requests_changed)
        self.note.said.connect(self.said)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._all.setContentsMargins(px(14), px(10), px(12), px(10))
        self._all.setSpacing(px(8))
        self._columns.setSpacing(px(10))
        for part in (self.bar, self.card, self.title, self.canvas, self.controls, self.hint, self.panel, self.note):
            part.set_look(look)
        self._arrange()

    def _arrange(self) -> None:
        """Two columns, or one that scrolls where the window is too narrow."""
        px, narrow = self.look.px, self._is_narrow
        self.bar.be_low(self._is_low)
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        width = px(PANEL_WIDTH * (1.3 if self.width() > px(1900) else 1))
        self._panel_scroll.setMinimumWidth(0 if narrow else width)
        self._panel_scroll.setMaximumWidth(UNBOUNDED if narrow else width)
        self._panel_scroll.be_whole(narrow)
        if narrow:
            self.hint.stand_in(self._all, 1, after=self.canvas)
        else:
            self.hint.stand_in(self.panel.column, 0, after=self.canvas)
        self._give_height()

    @property
    def _is_narrow(self) -> bool:
        return self.width() < self.look.px(self.narrow_below) and not self.is_alone

    @property
    def _is_low(self) -> bool:
        return self.height() < self.look.px(LOW_PAGE)

    def _give_height(self) -> None:
        # Of a low page the picture takes no more than it needs: it is to be seen whole.
        narrow = self._is_narrow and not self._is_low
        least = 0 if self.is_alone else self.look.px(self.least_height(self.state, narrow=narrow))
        self.canvas.setMinimumHeight(least)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if getattr(old, self.part) == getattr(new, self.part) and old is not new:
            return
        state = self.own(new)
        self._give_height()
        self.bar.show_state(state)
        self.controls.show_state(state)
        self.panel.show_verdict(self.verdict_of(state))
        self._load()

    def request_now(self) -> PictureRequest[S]:
        """Return what the present state asks for."""
        state = self.state
        return PictureRequest(state, self.canvas.tiles if self.drawing_of(state).uses_pixels else (0, 0), self.measured)

    def show_withheld(self) -> bool:
        self.canvas.withhold(bool(self.withheld))
        # The names of presets say what is to be seen.
        keep_out_of_sight(bool(self.withheld), self._panel_scroll, self.bar.preset_box)
        self.say_spot()
        return True

    def _load(self) -> None:
        """Compute what the state needs, if it is not what is shown already: at once, or on the worker."""
        request = self.request_now()
        drawing = self.drawing_of(request.state)
        at_once = drawing.is_quick(request.state) or self._is_step(request)
        self.requests.want(request, work_for(request, drawing, self.beside, at_once=at_once), at_once=at_once)

    def _is_step(self, request: PictureRequest[S]) -> bool:
        """Whether it takes little to go to a request from the picture on show."""
        shown, drawing = self.requests.shown, self.drawing_of(request.state)
        if shown is None or shown.tiles != request.tiles or self.jobs.is_busy():
            return False
        return drawing is self.drawing_of(shown.state) and drawing.is_step(shown.state, request.state)

    def _streams(self, request: PictureRequest[S], _part: object) -> bool:
        return self.drawing_of(request.state).stream is not None

    def _on_delivered(self, request: PictureRequest[S], ready: Ready) -> None:
        state, drawing, picture = request.state, self.drawing_of(request.state), ready.picture
        self.canvas.heading = self.title_of(state)
        self.canvas.show_picture(drawing, picture)
        self.title.set_text(TextLine(self.title_of(state), bold=True, size=15))
        self.panel.show_notes(drawing.notes(picture))
        self.picture_shown(state, picture, ready.beside)
        self.say_spot()

    def finished_picture(self) -> object:
        """Return the picture on the screen if it is that of the state, and all of it; else None.

        Only such a picture may be taken away as what the state shows: others are from before, or some draws of many.
        """
        requests = self.requests
        is_finished = requests.is_whole and requests.shown is not None and requests.shown.state == self.state
        return self.canvas.picture if is_finished else None

    # ---- Pointing ----

    def _on_dragged(self, change: Change[S]) -> None:
        new = replace(self.session.state, **{self.part: change.state})  # type: ignore[arg-type]
        self.session.preview(new, change.label)

    def _on_dropped(self, kept: bool) -> None:
        if kept:
            self.session.commit()
        else:
            self.session.revert()

    def _on_spot_changed(self, _spot: Spot) -> None:
        self.say_spot()

    def say_spot(self) -> None:
        self.said.emit(self.canvas.words())

    def _on_menu_wanted(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.offer_taking(menu)
        menu.popup(where)

    def focus_first(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
