"""The left side of the Heads page: the wall of all heads, and above it its colours and which heads are looked at."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.words import capital
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.controls.made import Steady
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, ColumnScroll
from attention_explorer.kit.drawing.colour_maps import paint_small_bar, paint_title_of_small_bar, title_of_small_bar
from attention_explorer.kit.form import Form
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.head_difference import compared_with
from attention_explorer.pages.heads.state import HeadsState, HeadsView, SortBy, Threshold
from attention_explorer.pages.heads.survey import (
    HeadSurvey,
    first_threshold,
    threshold_words,
    why_unordered,
)
from attention_explorer.pages.heads.ui.head_wall import HeadWall
from attention_explorer.pages.heads.ui.wall import wall_legend
from attention_explorer.pages.ui.session import Session

VIEW = declarations(HeadsView)
STRIP_WIDTHS = ((1100, 92), (1900, 112), (99_999, 160))
"""Pixels at zoom 1: of a window, up to which the strip has which width."""
SUMMARIES = tuple((sort, sort.value, f"The {sort.words} of each head") for sort in SortBy if sort.is_measured)


class WallLegend(QWidget):
    """The colour bar of the wall, in a line."""

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._legend: MapPicture | None = None
        self.setAccessibleName("Colours of the heads")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_legend(self, legend: MapPicture | None) -> None:
        """Show the colours of a wall; none where there are no heads."""
        self._legend = legend
        low, high = ("", "") if legend is None else (legend.scale.ticks()[end][1] for end in (0, -1))
        title = "" if legend is None else legend.scale.title
        self.setToolTip("" if legend is None else f"{capital(title)}, from {low} to {high}")
        self.setAccessibleDescription("" if legend is None else f"{title}: {legend.colour_map}, from {low} to {high}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(210) + round(self._title_width), self._look.px(16))

    @property
    def _title_width(self) -> float:
        """Pixels of the title, with their distance to the bar."""
        if self._legend is None:
            return 0.0
        return title_of_small_bar(self._legend.scale, self._look)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._legend is not None:
            painter, bar = QPainter(self), QRectF(self.rect()).adjusted(self._title_width, 0, 0, 0)
            paint_title_of_small_bar(painter, self._legend, bar, self._look)
            paint_small_bar(painter, self._legend, bar, self._look)
            painter.end()


class WallSide(Steady):
    """The wall of heads, and above it what is to know of its colours and order, and which heads are looked at.

    Signals
    -------
    threshold_wanted
        Heads are looked at from a value on, which is to be set.
    """

    threshold_wanted = Signal()

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._chosen: tuple[str, int, int] | None = None
        self._compared = ""  # what the heads differ from, if they are arranged by that
        self._measured = ""  # what the colours are, or why they are none, where the effect of heads is asked for
        self._wanted: tuple[int, int] | None = None  # the head to be brought into view as soon as it is there
        self.wall = HeadWall(session, look)
        self.legend = WallLegend(look)
        fields, choices = ("by", "at_most", "value"), {"by": SUMMARIES}
        self.filter = Form(Threshold, fields, look, in_column=True, choices=choices)
        """What makes the difference, for the drawer."""
        self.filter.changed.connect(self._show_only)
        self.filter.hide()
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setAccessibleName("About the order of the heads")
        self.note.setWordWrap(True)
        self.note.hide()
        self.only = QPushButton("Only some heads")
        self.only.setCheckable(True)
        self.only.setAccessibleName("Only heads from a value on")
        self.only.setToolTip(VIEW["threshold"].tip)
        self.only.clicked.connect(self._on_only_clicked)
        self._scroll = ColumnScroll(self.wall)
        self.wall.resized.connect(self._bring_into_view)
        self._above = QHBoxLayout()
        self._above.addWidget(self.legend)
        self._above.addWidget(self.note, 1)
        self._above.addStretch()
        self._above.addWidget(self.only)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._above)
        column.addWidget(self._scroll, 1)

    def be_quilt(self, is_quilt: bool) -> None:
        """Show all heads at once, as large as there is room for; or as a strip of thumbnails."""
        strip = next(
            self._look.px(own) for window, own in STRIP_WIDTHS if self.window().width() < self._look.px(window)
        )
        self.setMinimumWidth(0 if is_quilt else strip)
        self.setMaximumWidth(UNBOUNDED if is_quilt else strip)
        for part in (self.legend, self.only):
            part.setVisible(is_quilt)
        if is_quilt is not self.wall.is_quilt:
            self.wall.be_quilt(is_quilt)
            self._show_legend(self.wall.all_surveys)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._above.setSpacing(look.px(8))
        for part in (self.filter, self.wall, self.legend):
            part.set_look(look)

    def show_frame(self, heads: HeadsState, frame: HeadsFrame) -> None:
        """Show what is chosen, and have the wall scroll to another head."""
        chosen = heads.preset, frame.layer, frame.head
        if chosen != self._chosen:
            self._chosen, self._wanted = chosen, (frame.layer, frame.head)
        self.wall.expect(frame)
        self._compared = compared_with(heads)
        if not heads.view.effect:
            self._measured = ""
        threshold = heads.view.threshold
        self.only.setChecked(threshold is not None)
        self.filter.setVisible(threshold is not None)
        if threshold is not None:
            self.filter.show_state(threshold)
            by = self.filter.controls["by"]
            by.enable_values(lambda value: value is not SortBy.DIFFERENCE or heads.other is not None)  # type: ignore[attr-defined] # a list

    def show_surveys(self, frame: HeadsFrame, view: HeadsView, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show these heads of a frame."""
        self.wall.show_surveys(frame, view, surveys)
        self._show_legend(surveys)
        self._show_note(frame, surveys, view)
        self._bring_into_view()

    def _show_legend(self, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show the colours of heads that fill the page; above a strip is no room for them."""
        item = self.wall.item
        if item is not None and item.is_quilt:
            self.legend.show_legend(wall_legend(surveys, item.view, item.scale))

    def say_measured(self, words: str) -> None:
        """Say what the colours of the heads that come are; or why nothing was measured."""
        self._measured = words
        if self.wall.frame is not None:
            self._show_note(self.wall.frame, self.wall.all_surveys, self._session.state.heads.view)

    def forget(self) -> None:
        """Show no heads: there are none of what is wanted."""
        self._chosen = self._wanted = None
        self.wall.forget()
        self.legend.show_legend(None)

    def show_view(self, frame: HeadsFrame, view: HeadsView) -> None:
        """Show the same heads in another order."""
        self.wall.show_view(frame, view)
        self._show_note(frame, self.wall.all_surveys, view)

    def _show_note(self, frame: HeadsFrame, surveys: tuple[HeadSurvey, ...], view: HeadsView) -> None:
        compared = f"{capital(self._compared)}." if self._compared else ""
        said = (
            self._measured,
            "" if view.threshold is None else f"{threshold_words(surveys, view.threshold)} with {view.threshold.words}",
            why_unordered(frame, surveys, view.sort),
            compared,
        )
        self.note.setText("\n".join(filter(None, said)))
        self.note.setVisible(any(said))

    def scroll_to_chosen(self) -> None:
        """Bring the head that is chosen into view, now or when it comes."""
        if self._chosen is not None:
            self._wanted = self._chosen[1:]
            self._bring_into_view()

    def _bring_into_view(self) -> None:
        box = None if self._wanted is None else self.wall.place_of(*self._wanted)
        if box is None or box.bottom() > self.wall.height() + 1:
            return  # not there yet, or the wall has not grown yet: it will tell
        half = box.height() / 2 + self.wall.grid.gap
        self._scroll.ensureVisible(0, round(box.center().y()), 0, math.ceil(half))
        if self.wall.is_whole:
            self._wanted = None

    # ---- What people do ----

    def turn_round(self) -> None:
        """Have the order begin at its other end."""
        state = self._session.state
        heads = state.heads.with_view(reverse=not state.heads.view.reverse)
        self._session.apply(replace(state, heads=heads), VIEW["reverse"].undo)

    def _on_only_clicked(self, only: bool) -> None:
        threshold = first_threshold(self.wall.all_surveys, self._session.state.heads.view.sort) if only else None
        self._show_only(threshold, VIEW["threshold"].undo if only else "All heads again", "")
        if only:
            self.threshold_wanted.emit()

    def _show_only(self, threshold: Threshold | None, label: str, merge: str) -> None:
        """Look at the heads that meet a threshold, or at all."""
        state = self._session.state
        heads = state.heads.with_view(threshold=threshold)
        self._session.apply(replace(state, heads=heads), label, merge and f"threshold {merge}")
