"""The middle of the Heads page: the large picture with its title, whichever of the five it is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.room_kept import keep_out_of_sight
from attention_explorer.kit.controls.steady import Steady
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison, compared_sources
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.large_picture import LargePicture
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.marked import MarkedHeads
from attention_explorer.pages.heads.offers import Offers, offers_for
from attention_explorer.pages.heads.presets import has_own_other
from attention_explorer.pages.heads.stages import StagesPicture
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture
from attention_explorer.pages.heads.ui.find_row import FindRow
from attention_explorer.pages.heads.ui.heatmap_canvas import HeatmapCanvas
from attention_explorer.pages.heads.ui.map_widget import MapWidget, OneMap
from attention_explorer.pages.heads.ui.offer_row import OfferRow
from attention_explorer.pages.heads.ui.other_row import OtherRow
from attention_explorer.pages.heads.ui.picture_canvas import COMPARE, LINES, MARKED, STAGES, PictureCanvas
from attention_explorer.pages.heads.wording import badges, map_title, source_words
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.requests import Requests


class PictureCard(Steady):
    """The heatmap, the lines, the stages, the comparison or heads side by side, one at a time.

    Signals
    -------
    spot_changed : Spot
        What the pointer is over; `NOWHERE` when it leaves.
    menu_wanted : QPoint
        The context menu is asked for at a place of the screen.
    """

    spot_changed = Signal(object)
    menu_wanted = Signal(QPoint)

    def __init__(self, session: Session, look: Look, requests: Requests[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._card = Card(look)
        self.title = TextBlock(look, 1, "What the large picture shows")
        self.badges = TextBlock(look, 1, "What to know about the colours")
        self.offers = OfferRow(session)
        self.other = OtherRow(session, look)
        self.search = FindRow(session)
        self.keep = QPushButton("Keep as B")
        self.keep.setToolTip("Keep this setup as B. Then change anything and compare: A beside B, and A − B.")
        self.arrays = QPushButton("Arrays…")
        self.arrays.setToolTip("Every array behind this picture: X, W_Q, W_K, W_V, Q, K, V, scores, weights, output")
        self.canvas = HeatmapCanvas(session, look)
        self.lines = PictureCanvas(session, look, "Lines from queries to keys", LINES)
        self.stages = PictureCanvas(session, look, "Stages of the head", STAGES)
        self.comparison = PictureCanvas(session, look, "Comparison of A and B", COMPARE)
        self.marked = PictureCanvas(session, look, "Marked heads side by side", MARKED)
        self.widgets: dict[Picture, MapWidget] = {
            Picture.HEATMAP: self.canvas,
            Picture.LINES: self.lines,
            Picture.STAGES: self.stages,
            Picture.COMPARE: self.comparison,
            Picture.MARKED: self.marked,
        }
        self.pictures = QStackedWidget()
        for widget in self.widgets.values():
            self.pictures.addWidget(widget)
            widget.spot_changed.connect(self.spot_changed)
            widget.menu_wanted.connect(self.menu_wanted)
        self.canvas.tiles_drawn_changed.connect(self._show_badges_of_map)
        self._build()
        self.note = RequestNote(requests, session, look, self.title, self.pictures, tuple(self.widgets.values()))
        self.note.dim_too(self.badges)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.arrays)
        head.addWidget(self.keep)
        self._card.body.addLayout(head)
        self._about = QWidget()  # what is said of the numbers
        self._about_column = QVBoxLayout(self._about)
        self._about_column.setContentsMargins(0, 0, 0, 0)
        for part in (self.badges, self.other, self.offers):
            self._about_column.addWidget(part)
        self._card.body.addWidget(self._about)
        self._card.body.addWidget(self.search)
        self._card.body.addWidget(self.pictures, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        for part in (self._card, self.title, self.badges, self.other, self.offers, self.search, self.note):
            part.set_look(look)
        self._about_column.setSpacing(self._card.body.spacing())
        for widget in self.widgets.values():
            widget.set_look(look)

    def show_picture(self, frame: HeadsFrame, shown: HeadsView, picture: LargePicture) -> None:
        """Show a picture of a frame, computed for a view."""
        if isinstance(picture, MapPicture):
            self.canvas.show_picture(frame, shown, picture)
        elif isinstance(picture, LinePicture):
            self.lines.show_picture(frame, shown, picture)
        elif isinstance(picture, StagesPicture):
            self.stages.show_picture(frame, shown, picture)
        elif isinstance(picture, MarkedHeads):
            self.marked.show_picture(frame, shown, picture)
        else:
            self.comparison.show_picture(frame, shown, picture)
        self.pictures.setCurrentWidget(self.widgets[shown.picture])
        if self.canvas.withheld:
            self._hide_what_tells()

    def withhold(self, withheld: bool) -> None:
        """Show the map without its numbers, and nothing of pictures that are made of them, or show it all again."""
        self.canvas.withhold(withheld)
        self._show_badges_of_map()  # a map that was delivered without its numbers had nothing to say of their colours
        keep_out_of_sight(withheld, self._about)
        self._hide_what_tells()

    def _hide_what_tells(self) -> None:
        is_map = self.pictures.currentWidget() is self.canvas
        keep_out_of_sight(self.canvas.withheld and not is_map, self.pictures)

    def forget(self) -> None:
        """Show nothing: there is no picture of what is wanted."""
        for widget in self.widgets.values():
            widget.forget()
        self.title.set_text(TextLine("", bold=True, size=15))
        self.badges.set_text(TextLine("", "muted", size=12))
        self.offers.show_offers(Offers())

    def show_title(self, frame: HeadsFrame, heads: HeadsState, picture: LargePicture) -> None:
        """Say what the picture shows, and what its colours do not show as it is."""
        title = picture.title if isinstance(picture, MarkedHeads) else map_title(frame)
        self.title.set_text(TextLine(title, bold=True, size=15))
        if isinstance(picture, Comparison):
            self._show_words(*_what_b_is(heads, picture), *compared_sources(picture))
        else:
            self._show_badges(frame, self._badges(frame, heads.view, picture))
        self.offers.show_offers(offers_for(frame, heads, picture))

    def _badges(self, frame: HeadsFrame, view: HeadsView, picture: LargePicture) -> tuple[str, ...]:
        if isinstance(picture, MapPicture):
            picture = self.canvas.picture or picture  # as it is drawn
        found = badges(frame, view, picture) if isinstance(picture, MapPicture | LinePicture | MarkedHeads) else ()
        if isinstance(picture, MarkedHeads) and not view.marked.intersection(frame.places):
            found = (*found, "no head is marked: Shift+click on the wall, or M")
        return found

    def _show_badges(self, frame: HeadsFrame, said: tuple[str, ...]) -> None:
        self._show_words(*said, source_words(frame))

    def _show_words(self, *words: str) -> None:
        self.badges.set_text(TextLine("; ".join(words), "muted", size=12))

    def _show_badges_of_map(self) -> None:
        frame, picture = self.canvas.frame, self.canvas.picture
        if frame is not None and picture is not None and self.pictures.currentWidget() is self.canvas:
            self._show_badges(frame, badges(frame, self.canvas.view, picture))

    # ---- Pointing ----

    @property
    def compared(self) -> Comparison | None:
        """The comparison on show, if it is one."""
        picture = self.comparison.picture
        shown = self.pictures.currentWidget() is self.comparison
        return picture if shown and isinstance(picture, Comparison) else None

    @property
    def shows_several_heads(self) -> bool:
        """Whether heads stand side by side."""
        return self.pictures.currentWidget() is self.marked

    @property
    def hovered(self) -> Spot:
        """What the pointer is over in the picture on show."""
        widget = self.pictures.currentWidget()
        return widget.hovered if isinstance(widget, MapWidget) else NOWHERE

    @property
    def map_hovered(self) -> OneMap | None:
        """The map that the pointer is over, in a picture of several."""
        widget = self.pictures.currentWidget()
        return widget.map_hovered if isinstance(widget, MapWidget) else None

    def set_spots(self, hovered: Spot, pinned: Spot) -> None:
        """Light up what is pointed at and what is pinned, in every picture."""
        for widget in self.widgets.values():
            widget.set_spots(hovered, pinned)


def _what_b_is(heads: HeadsState, picture: Comparison) -> tuple[str, ...]:
    if picture.is_of_one_setup:
        return ("B is still the same as A",)
    return ("B shows the same head as A",) if has_own_other(heads) else ()
