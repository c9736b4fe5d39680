"""All heads as thumbnails: click one to see it large. Each is one image, whatever the number of cells."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from attention_explorer.session.session import Session
from attention_explorer.state.colour_scale import weight_scale
from attention_explorer.state.heads import Aggregate, HeadsView
from attention_explorer.state.heads_frame import HeadsFrame
from attention_explorer.state.heads_survey import HeadSurvey, character, in_order, measure_text
from attention_explorer.state.map_picture import MapPicture
from attention_explorer.state.numerals import plain
from attention_explorer.ui.colour_maps import image_of, pixels_of
from attention_explorer.ui.map_widget import NOWHERE, Spot
from attention_explorer.ui.marks import colour_of
from attention_explorer.ui.theme import Look

SMALLEST_TILE = 118
"""Pixels at zoom 1 that a thumbnail is wide at least."""


def thumbnail_image(survey: HeadSurvey, view: HeadsView, look: Look) -> QImage:
    """Return the picture of a head, one pixel a tile, in the contrast and the colours of the view."""
    values, masked = survey.pooled
    scale = weight_scale(view.contrast, values, masked)
    return image_of(pixels_of(scale.positions(values), masked, view.colour_map, look.theme.masked))


def paint_thumbnail(
    painter: QPainter, survey: HeadSurvey, image: QImage, box: QRectF, view: HeadsView, look: Look, *, off: bool = False
) -> QRectF:
    """Paint a head with its name and summary into a box and return where its map is."""
    px = look.px
    side = box.width() - px(12)
    height, width = survey.pooled.values.shape
    stretch = side / max(height, width, 1)
    cells = QRectF(box.left() + px(6), box.top() + px(6), max(width * stretch, 2.0), max(height * stretch, 2.0))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, max(height, width) > side)
    painter.setOpacity(0.25 if off else 1.0)
    painter.drawImage(cells, image)
    painter.setOpacity(1.0)
    words = QRectF(box.left() + px(6), box.top() + px(8) + side, side, px(17))
    said = measure_text(survey, view.sort)
    standing_out = "off" if off else character(survey)
    painter.setFont(look.font(12, bold=True))
    painter.setPen(QColor(look.theme.muted if off else look.theme.text))
    name = painter.fontMetrics()
    painter.drawText(
        words,
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
        name.elidedText(survey.name, Qt.TextElideMode.ElideRight, round(side)),
    )
    below = words.translated(0, px(16))
    painter.setFont(look.font(11.5))
    painter.setPen(QColor(look.theme.muted))
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)
    painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, standing_out)
    return cells


def thumbnail_height(look: Look, width: float) -> float:
    """Return how high a thumbnail of a width is."""
    return width - look.px(12) + look.px(46)


class HeadWall(QWidget):
    """The thumbnails of all heads. Click: see it large. Ctrl+click, or Space: switch it off and on.

    Signals
    -------
    said : str
        A read-out for the head under the pointer.
    """

    said = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._frame: HeadsFrame | None = None
        self._view = HeadsView()
        self._surveys: tuple[HeadSurvey, ...] = ()
        self._images: dict[tuple[int, int], QImage] = {}
        self._spot = NOWHERE
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("All heads")

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._images.clear()
        self._fit()

    def show_surveys(self, frame: HeadsFrame, view: HeadsView, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show these heads; those of the same numbers and colours keep their pictures."""
        colours = (view.contrast, view.colour_map)
        if colours != (self._view.contrast, self._view.colour_map):
            self._images.clear()
        known = {survey.place: survey for survey in self._surveys}
        for survey in surveys:
            if known.get(survey.place) is not survey:
                self._images.pop(survey.place, None)
        self._frame, self._view, self._surveys = frame, view, in_order(surveys, view.sort)
        self.setAccessibleDescription(f"{len(surveys)} heads; large: layer {frame.layer + 1}, head {frame.head + 1}")
        self._fit()

    def show_view(self, frame: HeadsFrame, view: HeadsView) -> None:
        """Show the same heads in another order."""
        if frame is self._frame and view.sort is not self._view.sort:
            self.show_surveys(frame, replace(self._view, sort=view.sort), self._surveys)

    def set_spot(self, spot: Spot) -> None:
        """Mark the cell that is pointed at elsewhere in every head."""
        if spot != self._spot:
            self._spot = spot
            self.update()

    def _fit(self) -> None:
        rows = math.ceil(len(self._surveys) / self._columns())
        wanted = math.ceil(rows * (self._tile_height() + self._gap))
        if self.minimumHeight() != wanted:
            self.setMinimumHeight(wanted)
        self.update()

    # ---- Geometry ----

    @property
    def _gap(self) -> int:
        return self._look.px(8)

    def _columns(self) -> int:
        return max(1, (self.width() + self._gap) // (self._look.px(SMALLEST_TILE) + self._gap))

    def _tile_width(self) -> float:
        columns = self._columns()
        return (self.width() - (columns - 1) * self._gap) / columns

    def _tile_height(self) -> float:
        return thumbnail_height(self._look, self._tile_width())

    def box_of(self, index: int) -> QRectF:
        """Return where the thumbnail at a place of the order is."""
        row, column = divmod(index, self._columns())
        width, height = self._tile_width(), self._tile_height()
        return QRectF(column * (width + self._gap), row * (height + self._gap), width, height)

    def index_at(self, place: QPointF) -> int | None:
        """Return which thumbnail is at a place."""
        return next((i for i in range(len(self._surveys)) if self.box_of(i).contains(place)), None)

    def index_of(self, layer: int, head: int) -> int | None:
        """Return where in the order a head is."""
        return next((i for i, survey in enumerate(self._surveys) if survey.place == (layer, head)), None)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(2 * SMALLEST_TILE + 8), self.minimumHeight())

    def resizeEvent(self, event: object) -> None:
        self._fit()

    # ---- Painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), colour_of(self._look.theme.window))
        for index, survey in enumerate(self._surveys):
            box = self.box_of(index)
            if box.toAlignedRect().intersects(event.rect()):
                self._paint_tile(painter, survey, box)
        painter.end()

    def _paint_tile(self, painter: QPainter, survey: HeadSurvey, box: QRectF) -> None:
        look, frame = self._look, self._frame
        if frame is None:
            return
        chosen = self._is_shown(survey)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colour_of(look.theme.card))
        edge = look.theme.focus if chosen and self.hasFocus() else look.theme.text if chosen else look.theme.border
        painter.setPen(QPen(QColor(edge), 2.0 * look.zoom if chosen else 1.0))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), look.px(6), look.px(6))
        off = survey.place in frame.setup.switched_off
        cells = paint_thumbnail(painter, survey, self._image(survey), box, self._view, look, off=off)
        self._paint_spot(painter, cells)

    def _image(self, survey: HeadSurvey) -> QImage:
        if survey.place not in self._images:
            self._images[survey.place] = thumbnail_image(survey, self._view, self._look)
        return self._images[survey.place]

    def _is_shown(self, survey: HeadSurvey) -> bool:
        """Whether a head is in the large picture, alone or with the others of its layer."""
        frame = self._frame
        if frame is None:
            return False
        if frame.setup.aggregate is Aggregate.ONE:
            return survey.place == (frame.layer, frame.head)
        same_layer = survey.layer == frame.layer or frame.setup.aggregate is Aggregate.ROLLOUT
        return same_layer and survey.place not in frame.setup.switched_off

    def _paint_spot(self, painter: QPainter, cells: QRectF) -> None:
        frame, spot = self._frame, self._spot
        if frame is None or spot == NOWHERE:
            return
        n_q, n_k = frame.shape
        height, width = cells.height() / n_q, cells.width() / n_k
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._look.theme.query), 1.5))
        row = 0 if spot.row is None else min(spot.row, n_q - 1)
        column = 0 if spot.column is None else min(spot.column, n_k - 1)
        box = QRectF(
            cells.left() + column * width,
            cells.top() + row * height,
            cells.width() if spot.column is None else max(width, 3.0),
            cells.height() if spot.row is None else max(height, 3.0),
        )
        painter.drawRect(box)

    # ---- What people do ----

    def choose(self, layer: int, head: int) -> None:
        """Show a head large."""
        state = self._session.state
        heads = state.heads.with_setup(layer=layer, head=head, aggregate=Aggregate.ONE)
        self._session.apply(replace(state, heads=heads), f"Show head {head + 1}", merge="head")

    def switch(self, layer: int, head: int) -> None:
        """Switch a head off, or on again."""
        state = self._session.state
        place = frozenset({(layer, head)})
        now = state.heads.setup.switched_off
        heads = state.heads.with_setup(switched_off=now ^ place)
        label = f"Switch head {head + 1} {'on' if place <= now else 'off'}"
        self._session.apply(replace(state, heads=heads), label)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.index_at(event.position())
        if index is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        place = self._surveys[index].place
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.switch(*place)
        else:
            self.choose(*place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.index_at(event.position())
        self.said.emit("" if index is None else summary_words(self._surveys[index]))

    def leaveEvent(self, event: QEvent) -> None:
        self.said.emit("")

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            index = self.index_at(QPointF(event.pos()))
            tip = "" if index is None else f"{summary_words(self._surveys[index])}\nCtrl+click switches it off and on."
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.index_at(QPointF(event.pos()))
        if index is None or self._frame is None:
            return
        place = self._surveys[index].place
        off = place in self._frame.setup.switched_off
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show large", lambda: self.choose(*place))
        menu.addAction("Switch on" if off else "Switch off", lambda: self.switch(*place))
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame = self._frame
        at = None if frame is None else self.index_of(frame.layer, frame.head)
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._columns(),
            Qt.Key.Key_Down: self._columns(),
        }
        step = steps.get(Qt.Key(event.key()))
        if at is not None and step is not None:
            self.choose(*self._surveys[min(max(at + step, 0), len(self._surveys) - 1)].place)
        elif at is not None and event.key() == Qt.Key.Key_Space:
            self.switch(*self._surveys[at].place)
        else:
            super().keyPressEvent(event)


def summary_words(survey: HeadSurvey) -> str:
    """Return the summary of a head in words."""
    summary = survey.summary
    where = f"layer {survey.layer + 1}, {survey.name}" if "layer" not in survey.name else survey.name
    text = (
        f"{where}: entropy {plain(summary.entropy)} nats, largest weight {plain(summary.max_weight)} a row on average, "
        f"mean distance {plain(summary.distance)}, on itself {plain(summary.self_mass)}, on the previous token "
        f"{plain(summary.previous_mass)}, on the first {plain(summary.first_mass)}"
    )
    return f"{text}; {summary.empty_rows} rows with nothing to attend to" if summary.empty_rows else text


class WallLegend(QWidget):
    """The colour bar of the wall, in a line."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._legend: MapPicture | None = None
        self.setAccessibleName("Colours of the heads")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self.updateGeometry()
        self.update()

    def show_legend(self, legend: MapPicture) -> None:
        """Show the colours of a wall."""
        self._legend = legend
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(200), self._look.px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        legend, px = self._legend, self._look.px
        if legend is None:
            return
        painter = QPainter(self)
        low, high = legend.scale.ticks()[0][1], legend.scale.ticks()[-1][1]
        painter.setFont(self._look.font(11.5))
        painter.setPen(colour_of(self._look.theme.muted))
        width = painter.fontMetrics().horizontalAdvance(low) + px(6)
        row = QRectF(0, 0, self.width(), self.height())
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, low)
        bar = QRectF(width, (self.height() - px(9)) / 2, px(90), px(9))
        pixels = pixels_of(np.linspace(0.0, 1.0, 256)[None, :], None, legend.colour_map, self._look.theme.masked)
        painter.drawImage(bar, image_of(pixels))
        painter.drawText(row.adjusted(bar.right() + px(6), 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, high)
        painter.end()
