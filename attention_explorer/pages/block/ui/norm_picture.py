"""Where ε stands in a norm: what comes out against what goes in, and one row before and after as bars."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.curve_chart import (
    Axis,
    ChartLayout,
    chart_layout,
    draw_polyline,
    paint_axes,
    paint_dot,
)
from attention_explorer.kit.drawing.legend import entry_boxes, entry_words
from attention_explorer.kit.drawing.marks import (
    colour_of,
    dashes,
    draw_haloed_text,
    draw_line,
    paint_words,
    pen,
    text_size,
)
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.block.norm import (
    CONSTANT,
    FEATURES,
    FORMULAS,
    LARGEST_SCALE,
    LEAST_SCALE,
    NAMES,
    TUTORIAL_SCALES,
    NormPicture,
    bar_words,
    norm_name,
    norm_numbers,
    norm_picture,
    norm_sentences,
    norm_words,
    scale_at,
    stepped,
)
from attention_explorer.pages.block.numerals import brief
from attention_explorer.pages.block.state import BlockState

LEGEND, GAP, STRIP_TITLE, SAMPLE = 20, 18, 18, 28
LEGEND_ORDER = (True, False)
CHART_SHARE = 0.56
"""Of a wide room, the rest is for bars."""
GRIP = 6.0
"""How many pixels from the line at the size it can be grabbed."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One row of numbers as bars."""

    title: str
    values: FloatArray
    end: float
    """What the longest bar there is room for stands for."""
    inside: bool | None = None
    """Which norm it comes from; None for what goes in."""


@dataclass(frozen=True, slots=True)
class NormLayout:
    """Where the chart and the bars are."""

    legend: QRectF
    chart: ChartLayout
    strips: tuple[QRectF, ...]
    title_height: float
    """Pixels of the title of a strip."""

    def bars(self, strip: int) -> QRectF:
        """Return where the bars of a strip are, below its title."""
        box = self.strips[strip]
        return box.adjusted(0, min(self.title_height, box.height() / 2), 0, 0)


def strips_of(picture: NormPicture) -> tuple[Strip, ...]:
    """Return the rows that are drawn as bars: one before and after, then a constant one."""
    order = (False, True)
    end = max(float(np.abs(picture.after[place]).max()) for place in order) or 1.0
    end = max(end, 1.0)
    before = float(np.abs(picture.row).max()) or 1.0
    constant = np.full(FEATURES, CONSTANT)
    tops = max(1.0, *(float(np.abs(picture.constant_after[place]).max()) for place in order))
    strips = [Strip(f"before: std {brief(picture.scale)}", picture.row, before)]
    for place in order:
        std = picture.output_std(place, picture.scale)
        strips.append(Strip(f"{NAMES[place]}: std {plain(std, 3)}", picture.after[place], end, place))
    strips.append(Strip(f"constant row before: {CONSTANT:g}", constant, 1.0))
    shown = picture.state.eps_inside_sqrt
    after = picture.constant_after[shown]
    value = plain(float(after[0]), 3) if after.any() else "0"
    strips.append(Strip(f"constant row after: {value}", after, tops, shown))
    return tuple(strips)


def norm_layout(picture: NormPicture, look: Look, room: QRectF) -> NormLayout:
    """Fit the chart and the bars side by side, or below each other in a narrow room."""
    px = look.px
    beside = room.width() > 1.15 * room.height()
    wide = CHART_SHARE * room.width() if beside else room.width()
    legend = QRectF(room.left(), room.top(), wide, 0)
    legend.setBottom(max(box.bottom() for box in _legend_boxes(legend, look)))
    below = room.adjusted(0, legend.height() + px(4), 0, 0)
    if beside:
        chart_box = QRectF(below.left(), below.top(), wide, below.height())
        bars = QRectF(chart_box.right() + px(GAP), room.top(), 0, room.height())
        bars.setRight(room.right())
    else:
        chart_box = QRectF(below.left(), below.top(), below.width(), 0.44 * below.height())
        bars = QRectF(below.left(), chart_box.bottom() + px(8), below.width(), 0)
        bars.setBottom(room.bottom())
    count = len(strips_of(picture))
    step = bars.height() / count
    strips = [QRectF(bars.left(), bars.top() + n * step, bars.width(), step - px(8)) for n in range(count)]
    across = Axis(LEAST_SCALE, LARGEST_SCALE, "standard deviation of the row that goes in, log scale", log_base=10)
    chart = chart_layout(look, chart_box, across, Axis(0.0, 1.08))
    return NormLayout(legend, chart, tuple(strips), float(px(STRIP_TITLE)))


# ---- Painting ----


def stroke_of(look: Look, inside: bool, *, leading: bool) -> QPen:
    """Return the pen of ε under the root (solid) or beside it (dashed); the one the page uses is the darker."""
    colour, width = (look.theme.text, 2.4) if leading else (look.theme.muted, 1.8)
    width *= look.zoom
    return pen(colour, width) if inside else dashes(colour, width, 7.0 * look.zoom, 4.0 * look.zoom)


def paint_norm(
    painter: QPainter, picture: NormPicture, layout: NormLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint the curves with the size that is looked at, and the rows."""
    _paint_legend(painter, picture, layout, look)
    chart = layout.chart
    paint_axes(painter, chart, look, f"{norm_name(picture.state)}: standard deviation of the row that comes out")
    leading = picture.state.eps_inside_sqrt
    for inside in (not leading, leading):
        points = [
            QPointF(chart.x(x), chart.y(y))
            for x, y in zip(picture.scales.tolist(), picture.curves[inside].tolist(), strict=True)
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_polyline(painter, points, stroke_of(look, inside, leading=inside is leading))
        for scale in TUTORIAL_SCALES:
            paint_dot(
                painter, QPointF(chart.x(scale), chart.y(picture.output_std(inside, scale))), look.theme.muted, 2.6
            )
    _paint_reading(painter, picture, layout, look, picture.scale)
    for strip, box, bars in zip(
        strips_of(picture), layout.strips, map(layout.bars, range(len(layout.strips))), strict=True
    ):
        _paint_strip(painter, strip, box, bars, look)


def _paint_legend(painter: QPainter, picture: NormPicture, layout: NormLayout, look: Look) -> None:
    sample = look.px(SAMPLE)
    for inside, box in zip(LEGEND_ORDER, _legend_boxes(layout.legend, look), strict=True):
        stroke = stroke_of(look, inside, leading=inside is picture.state.eps_inside_sqrt)
        middle = box.center().y()
        draw_line(painter, QPointF(box.left(), middle), QPointF(box.left() + sample, middle), stroke)
        paint_words(painter, entry_words(box, sample, look), _legend_name(inside), look)


def _legend_name(inside: bool) -> str:
    return f"{NAMES[inside]}: {FORMULAS[inside]}"


def _legend_boxes(box: QRectF, look: Look) -> list[QRectF]:
    names = [_legend_name(inside) for inside in LEGEND_ORDER]
    return entry_boxes(names, look.px(SAMPLE), box, look.px(LEGEND), look)


def _paint_reading(painter: QPainter, picture: NormPicture, layout: NormLayout, look: Look, scale: float) -> None:
    """Draw a line at a size, with what comes out there in numbers."""
    chart, theme, px = layout.chart, look.theme, look.px
    x, plot = chart.x(scale), layout.chart.plot
    draw_line(
        painter, QPointF(x, plot.top()), QPointF(x, plot.bottom()), pen(theme.text, look.zoom, Qt.PenStyle.DotLine)
    )
    font = look.font(12, bold=True)
    places = {inside: chart.y(picture.output_std(inside, scale)) for inside in (True, False)}
    for inside, y in places.items():
        paint_dot(painter, QPointF(x, y), theme.text, 3.6 * look.zoom)
        text = plain(picture.output_std(inside, scale), 3)
        width, height = text_size(font, text)
        # The curve under the root is the lower one: its number stands at its right, the other at its left.
        left = x + px(8) if inside else x - px(8) - width
        left = min(max(left, plot.left() + 2), plot.right() - width)
        top = min(max(y + px(1) if inside else y - height - px(2), plot.top() - px(4)), plot.bottom() - height)
        draw_haloed_text(painter, QRectF(left, top, width, height), text, font, theme.text, theme.card)


def _fill(strip: Strip, look: Look) -> QColor:
    if strip.inside is None:
        return colour_of(look.theme.muted, 0.75)
    return colour_of(look.theme.text, 0.85 if strip.inside else 0.5)


def _paint_strip(painter: QPainter, strip: Strip, box: QRectF, bars: QRectF, look: Look) -> None:
    """Paint a title, what a full bar stands for, and the bars around their line of zero."""
    px, theme = look.px, look.theme
    font = look.font(12.5, bold=True)
    painter.setFont(font)
    painter.setPen(colour_of(theme.text))
    scale = f"axis ±{brief(float(f'{strip.end:.2g}'))}"
    room = text_size(look.font(11.5), scale)[0] + px(8)
    if text_size(font, strip.title)[0] + room > box.width():
        scale, room = "", 0.0  # the number in the title comes first
    title = QRectF(box.left(), box.top(), max(box.width() - room, 20.0), bars.top() - box.top())
    text = QFontMetricsF(font).elidedText(strip.title, Qt.TextElideMode.ElideRight, title.width())
    painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    paint_words(painter, QRectF(box.right() - room + px(8), title.top(), room, title.height()), scale, look)
    middle, half = bars.center().y(), max(0.5 * bars.height() - 2, 1.0)
    draw_line(painter, QPointF(bars.left(), middle), QPointF(bars.right(), middle), pen(theme.axis, 1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    step = bars.width() / len(strip.values)
    for index, value in enumerate(strip.values.tolist()):
        length = half * min(max(value / strip.end, -1.0), 1.0)
        if length:
            left = bars.left() + (index + 0.18) * step
            bar = QRectF(left, min(middle, middle - length), 0.64 * step, max(abs(length), 0.8))
            painter.fillRect(bar, _fill(strip, look))


# ---- Pointing ----


def norm_spot(picture: NormPicture, layout: NormLayout, place: QPointF) -> Spot:
    """Return the index of a size as a column alone, or strip and feature."""
    chart = layout.chart
    if chart.plot.adjusted(-3, 0, 3, 3).contains(place):
        return Spot(None, int(np.argmin(np.abs(np.log(picture.scales / chart.number_at(place.x()))))))
    for strip, box in enumerate(layout.strips):
        if box.contains(place):
            return Spot(strip, min(int((place.x() - box.left()) / box.width() * FEATURES), FEATURES - 1))
    return NOWHERE


def mark_norm(painter: QPainter, picture: NormPicture, layout: NormLayout, look: Look, spot: Spot) -> None:
    """Write the numbers at a size, or frame a feature in all rows."""
    if spot.column is None:
        return
    if spot.row is None:
        if spot.column < len(picture.scales):
            _paint_reading(painter, picture, layout, look, float(picture.scales[spot.column]))
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.text, 1.2 * look.zoom))
    first = spot.row - spot.row % 3 if spot.row < 3 else 3
    for strip in range(first, min(first + 3, len(layout.strips))):
        bars = layout.bars(strip)
        step = bars.width() / FEATURES
        painter.drawRect(QRectF(bars.left() + spot.column * step, bars.top(), step, bars.height()))


def spot_words(picture: NormPicture, spot: Spot) -> str:
    """Return what is under the pointer."""
    if spot.column is None:
        return ""
    if spot.row is None:
        return norm_words(picture, spot.column)
    if spot.row < 3:
        return bar_words(picture, spot.column)
    after = " · ".join(
        f"{plain(float(picture.constant_after[place][0]), 4)} with {NAMES[place]}" for place in (True, False)
    )
    return f"a row of {CONSTANT:g} repeated; after {after}"


def norm_notes(picture: NormPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(norm_sentences(picture))


# ---- Acting ----


def _grab(picture: NormPicture, layout: NormLayout, place: QPointF) -> object:
    """Return whether the line at the size is at a place."""
    chart = layout.chart
    near = abs(chart.x(picture.scale) - place.x()) <= GRIP
    return True if near and chart.plot.contains(place) else None


def _scale_change(state: BlockState, layout: NormLayout, place: QPointF) -> Change[BlockState]:
    share = (place.x() - layout.chart.plot.left()) / (layout.chart.plot.width() or 1.0)
    number = layout.chart.across.number(min(max(share, 0.0), 1.0))
    return Change(replace(state, norm_scale=scale_at(number)), "Move the size of the row", "size of the row")


def _drag(
    state: BlockState, _picture: NormPicture, layout: NormLayout, _handle: object, place: QPointF
) -> Change[BlockState]:
    return _scale_change(state, layout, place)


def _click(state: BlockState, _picture: NormPicture, layout: NormLayout, place: QPointF) -> Change[BlockState] | None:
    """Look at the size that is clicked."""
    return _scale_change(state, layout, place) if layout.chart.plot.contains(place) else None


def _press(state: BlockState, _picture: NormPicture, key: int) -> Change[BlockState] | None:
    """Left and right: the next stop of the slider."""
    step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
    if not step:
        return None
    new = stepped(state, step)
    return None if new == state else Change(new, "Move the size of the row", "size of the row")


def norm_drawing() -> PictureDrawing[BlockState, NormPicture, NormLayout]:
    """Return how the picture is drawn."""
    return PictureDrawing(
        norm_picture,
        norm_layout,
        paint_norm,
        mark_norm,
        norm_spot,
        spot_words,
        norm_notes,
        click=_click,
        grab=_grab,
        drag=_drag,
        press=_press,
        uses_pixels=False,
        parts=lambda _picture: (
            "Standard deviation that comes out",
            "One row, before and after",
            "Equal numbers in a row",
        ),
        numbers=norm_numbers,
    )
