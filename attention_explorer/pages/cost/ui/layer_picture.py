"""What a layer costs as a picture: every matrix of the model as a square, and its operations as bars at n and at 2n."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.drawing.marks import colour_of, draw_line, paint_reason, pen, text_size
from attention_explorer.kit.drawing.text_table import Column, TableLayout, mark_row, paint_table, table_layout
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import Look, Theme
from attention_explorer.pages.cost.layer import (
    LayerPicture,
    amount_words,
    layer_sentences,
    square_name,
    term_words,
    total_words,
)
from attention_explorer.pages.cost.numerals import memory_words, operation_words, ratio_words, share_words, short_count
from attention_explorer.pages.cost.ui.roomy_look import roomy

TERM_SHADES = (0.85, 0.62, 0.36, 0.25, 0.14)
"""How dark the terms are, those of the n² part first."""
SCOPE_SHADES = (0.9, 0.5, 0.2)
"""How dark the matrix of one head, those of its layer and the others are."""
ROW, TITLE, BAR, GAP = 22, 22, 27, 14
"""Pixels at zoom 1."""
HIGHEST_ROW, HIGHEST_BAR = 50, 84
LINES_FROM = 5.0
"""Squares of at least so many pixels are told apart by lines."""
NOW, DOUBLED = 100, 101
"""The rows of a spot that stand for whole bars; terms are 0 …, amounts come after the terms."""

AMOUNT_COLUMNS = (
    Column("numbers kept", is_bold=True),
    Column("formula", rank=2),
    Column("numbers", is_right=True, rank=1),
    Column("memory", is_right=True, is_bold=True),
    Column("at 2n", is_right=True),
)
TERM_COLUMNS = (
    Column("operations", is_bold=True),
    Column("product", is_muted=True, rank=2),
    Column("formula", rank=1),
    Column("with numbers", is_muted=True, rank=3),
    Column("count", is_right=True, is_bold=True),
    Column("share", is_right=True),
    Column("at 2n", is_right=True),
)


@dataclass(frozen=True, slots=True)
class LayerLayout:
    """Where squares, bars and tables are."""

    room: QRectF
    grid: QRectF
    amounts: TableLayout | None
    bars: tuple[QRectF, QRectF]
    """All of the bar at n and at 2n."""
    bars_title: QRectF
    terms: TableLayout | None


def cost_layer_layout(picture: LayerPicture, look: Look, room: QRectF) -> LayerLayout:
    """Fit squares beside the table of memory, and bars above the table of operations."""
    look = roomy(look, room)
    px = look.px
    if picture.cost is None:
        return LayerLayout(room, QRectF(), None, (QRectF(), QRectF()), QRectF(), None)
    lines = len(picture.amounts) + 1 + len(picture.terms) + 1
    around = px(TITLE) * 2 + px(GAP) * 2
    rest = room.height() - around
    # A bar is half as high again as a row, but where room is short rows go first.
    row = min(max(min(rest / (lines + 3), (rest - 2 * px(BAR + 5)) / lines), px(17)), px(HIGHEST_ROW))
    bar = min(max((rest - row * lines) / 2 - px(5), px(BAR)), px(HIGHEST_BAR))
    upper = row * (len(picture.amounts) + 1)
    side = min(upper, 0.3 * room.width())
    grid = _grid_box(picture, QRectF(room.left(), room.top() + px(TITLE), side, upper))
    left = room.left() + side + px(22)
    right_part = QRectF(left, room.top() + px(TITLE), room.right() - left, upper)
    amounts = table_layout(look, right_part, AMOUNT_COLUMNS, _amount_rows(picture), row_height=row, indent=px(18))
    title = QRectF(room.left(), right_part.bottom() + px(GAP), room.width(), px(TITLE))
    bars = _bar_boxes(picture, look, QRectF(room.left(), title.bottom(), room.width(), bar), px(5))
    below = bars[1].bottom() + px(5) + px(GAP)
    table = QRectF(room.left(), below, room.width(), row * (len(picture.terms) + 1))
    terms = table_layout(look, table, TERM_COLUMNS, _term_rows(picture), row_height=row, indent=px(18))
    return LayerLayout(room, grid, amounts, bars, title, terms)


def _grid_box(picture: LayerPicture, box: QRectF) -> QRectF:
    """Return where L rows of h squares stand in a box."""
    state = picture.state
    cell = min(box.width() / state.heads, box.height() / state.layers, 40.0)
    width, height = cell * state.heads, cell * state.layers
    return QRectF(box.left() + (box.width() - width) / 2, box.top() + (box.height() - height) / 2, width, height)


def _bar_boxes(picture: LayerPicture, look: Look, box: QRectF, gap: float) -> tuple[QRectF, QRectF]:
    """Return the bars, both to one scale, the first in a box and the second below it."""
    px, bold = look.px, look.font(12, bold=True)
    names = max(text_size(bold, name)[0] for name in _bar_names(picture)) + px(10)
    after = max(text_size(bold, text)[0] for text in _bar_texts(picture)) + px(10)
    now, then = picture.operations
    wide = max(box.width() - names - after, 20.0)
    first = QRectF(box.left() + names, box.top(), wide * now / then, box.height())
    return first, QRectF(first.left(), first.bottom() + gap, wide, box.height())


def _bar_names(picture: LayerPicture) -> tuple[str, str]:
    n = picture.state.n
    return f"n = {grouped(n)}", f"2n = {grouped(2 * n)}"


def _bar_texts(picture: LayerPicture) -> tuple[str, str]:
    now, then = picture.operations
    return operation_words(now), f"{operation_words(then)}   {ratio_words(then / now)}"


def _amount_rows(picture: LayerPicture) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            amount.name,
            amount.formula,
            grouped(amount.elements),
            memory_words(amount.size),
            ratio_words(amount.growth),
        )
        for amount in picture.amounts
    )


def _term_rows(picture: LayerPicture) -> tuple[tuple[str, ...], ...]:
    total = picture.operations[0]
    return tuple(
        (
            term.name,
            term.product,
            term.formula,
            term.filled,
            short_count(term.operations).rstrip(),
            share_words(term.operations / total),
            ratio_words(term.growth),
        )
        for term in picture.terms
    )


def cost_layer_parts(picture: LayerPicture) -> tuple[str, ...]:
    """Return what the picture shows, in names that tell no number."""
    kept = (f"Numbers kept: {amount.name}" for amount in picture.amounts)
    return *kept, *(f"Operations: {term.name}" for term in picture.terms), "Operations at 2n"


# ---- Painting ----


def shade(theme: Theme, share: float) -> str:
    """Return a grey between the ground (0) and the text (1)."""
    ground, ink = QColor(theme.card), QColor(theme.text)
    mixed = (
        round(low + share * (high - low))
        for low, high in ((ground.red(), ink.red()), (ground.green(), ink.green()), (ground.blue(), ink.blue()))
    )
    return QColor(*mixed).name()


def paint_cost_layer(
    painter: QPainter, picture: LayerPicture, layout: LayerLayout, look: Look, *, vector: bool = False
) -> None:
    """Paint everything that does not depend on the pointer."""
    if layout.amounts is None or layout.terms is None:
        paint_reason(painter, picture.reason, layout.room, look)
        return
    look = roomy(look, layout.room)
    state, theme = picture.state, look.theme
    across = f"{state.layers} × {state.heads} matrices" if state.layers * state.heads > 1 else "1 matrix"
    line = QRectF(layout.room.left(), layout.room.top(), layout.room.width(), look.px(TITLE))
    size = f"n × w = {grouped(state.n)} × {grouped(picture.cost.keys)}" if picture.cost and state.windowed else "n × n"
    paint_heading(painter, line, f"Layers × heads: {across}, each {size}", look)
    _paint_grid(painter, picture, layout.grid, look)
    paint_table(painter, layout.amounts, look)
    for row, amount in enumerate(picture.amounts):
        if amount.scope is not None:
            _swatch(painter, layout.amounts.row(row), shade(theme, SCOPE_SHADES[row]), look)
    named = square_name(state)
    paint_heading(
        painter, layout.bars_title, f"Operations of one layer. Strong: the {named} part; faint: the n part", look
    )
    _paint_bars(painter, picture, layout, look)
    paint_table(painter, layout.terms, look)
    for row, share in enumerate(TERM_SHADES):
        _swatch(painter, layout.terms.row(row), shade(theme, share), look)


def paint_heading(painter: QPainter, line: QRectF, text: str, look: Look) -> None:
    """Write the title of a part of the picture."""
    painter.setFont(look.font(12.5, bold=True))
    painter.setPen(colour_of(look.theme.text))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(line.width()))
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)


def _swatch(painter: QPainter, row: QRectF, colour: str, look: Look) -> None:
    side = look.px(10)
    box = QRectF(row.left() + 1, row.center().y() - side / 2, side, side)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(box, colour_of(colour))
    painter.setPen(pen(look.theme.muted, 1))  # the palest is hardly to be told from the card
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


def _paint_grid(painter: QPainter, picture: LayerPicture, grid: QRectF, look: Look) -> None:
    """Paint a square for each head of each layer: one dark, those of its layer less so, the others pale."""
    state, theme = picture.state, look.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    cell = grid.width() / state.heads
    painter.fillRect(grid, colour_of(shade(theme, SCOPE_SHADES[2])))
    painter.fillRect(
        QRectF(grid.left(), grid.top(), grid.width(), max(cell, 1.0)), colour_of(shade(theme, SCOPE_SHADES[1]))
    )
    painter.fillRect(
        QRectF(grid.left(), grid.top(), max(cell, 1.0), max(cell, 1.0)), colour_of(shade(theme, SCOPE_SHADES[0]))
    )
    if cell < LINES_FROM:
        return
    stroke = pen(theme.card, 1)
    for column in range(1, state.heads):
        x = grid.left() + column * cell
        draw_line(painter, QPointF(x, grid.top()), QPointF(x, grid.bottom()), stroke)
    for row in range(1, state.layers):
        y = grid.top() + row * cell
        draw_line(painter, QPointF(grid.left(), y), QPointF(grid.right(), y), stroke)


def _paint_bars(painter: QPainter, picture: LayerPicture, layout: LayerLayout, look: Look) -> None:
    px, theme = look.px, look.theme
    for which, (bar, name, text) in enumerate(zip(layout.bars, _bar_names(picture), _bar_texts(picture), strict=True)):
        painter.setFont(look.font(12, bold=True))
        painter.setPen(colour_of(theme.text))
        before = QRectF(layout.room.left(), bar.top(), bar.left() - px(6) - layout.room.left(), bar.height())
        painter.drawText(before, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        after = QRectF(bar.right() + px(8), bar.top(), layout.room.right() - bar.right(), bar.height())
        painter.drawText(after, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        for term, (segment, share) in enumerate(zip(segments(picture, bar, which), TERM_SHADES, strict=True)):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.fillRect(segment, colour_of(shade(theme, share)))
            label = picture.terms[term].name
            if text_size(look.font(11), label)[0] + px(8) <= segment.width():
                painter.setFont(look.font(11))
                painter.setPen(colour_of(theme.card if share > 0.5 else theme.text))
                painter.drawText(segment, Qt.AlignmentFlag.AlignCenter, label)


def segments(picture: LayerPicture, bar: QRectF, which: int) -> tuple[QRectF, ...]:
    """Return the terms in a bar, 0 that at n and 1 that at 2n."""
    total = picture.operations[which]
    found, left = [], bar.left()
    for term in picture.terms:
        wide = bar.width() * (term.doubled if which else term.operations) / total
        found.append(QRectF(left, bar.top(), wide, bar.height()))
        left += wide
    return tuple(found)


# ---- Pointing ----


def cost_layer_spot(picture: LayerPicture, layout: LayerLayout, place: QPointF) -> Spot:
    """Return a square as (layer, head), else as a row alone a term, an amount or what is beside a bar."""
    if layout.amounts is None or layout.terms is None:
        return NOWHERE
    state = picture.state
    if layout.grid.contains(place):
        cell = layout.grid.width() / state.heads
        layer = min(int((place.y() - layout.grid.top()) / cell), state.layers - 1)
        return Spot(layer, min(int((place.x() - layout.grid.left()) / cell), state.heads - 1))
    for which, bar in enumerate(layout.bars):
        for term, segment in enumerate(segments(picture, bar, which)):
            if segment.contains(place):
                return Spot(term)
        if bar.top() <= place.y() <= bar.bottom():
            return Spot(DOUBLED if which else NOW)
    row = layout.terms.row_at(place)
    if row is not None:
        return Spot(row)
    row = layout.amounts.row_at(place)
    return NOWHERE if row is None else Spot(len(picture.terms) + row)


def mark_cost_layer(painter: QPainter, picture: LayerPicture, layout: LayerLayout, look: Look, spot: Spot) -> None:
    """Outline what is pointed at wherever it is drawn."""
    if layout.amounts is None or layout.terms is None or spot.row is None:
        return
    look = roomy(look, layout.room)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.text, 2.0 * look.zoom))
    count = len(picture.terms)
    if spot.column is not None:
        if not spot.lies_on((picture.state.layers, picture.state.heads)):
            return
        cell = layout.grid.width() / picture.state.heads
        painter.drawRect(
            QRectF(layout.grid.left() + spot.column * cell, layout.grid.top() + spot.row * cell, cell, cell)
        )
    elif spot.row < count:
        for which, bar in enumerate(layout.bars):
            painter.drawRect(segments(picture, bar, which)[spot.row].adjusted(0, -1, 0, 1))
        mark_row(painter, layout.terms, look, spot.row)
    elif spot.row in (NOW, DOUBLED):
        painter.drawRect(layout.bars[spot.row - NOW].adjusted(-1, -1, 1, 1))
    elif spot.row < count + len(picture.amounts):
        mark_row(painter, layout.amounts, look, spot.row - count)


# ---- Words ----


def cost_layer_words(picture: LayerPicture, spot: Spot) -> str:
    """Return the arithmetic of what is under the pointer."""
    if spot.row is None or picture.cost is None:
        return ""
    count = len(picture.terms)
    if spot.column is not None:
        if not spot.lies_on((picture.state.layers, picture.state.heads)):
            return ""
        place = picture.state.count.place(spot.row, spot.column).capitalize()
        return f"{place}: {amount_words(picture, picture.amounts[0])}"
    if spot.row < count:
        return term_words(picture, picture.terms[spot.row])
    if spot.row in (NOW, DOUBLED):
        return total_words(picture, spot.row == DOUBLED)
    if spot.row < count + len(picture.amounts):
        return amount_words(picture, picture.amounts[spot.row - count])
    return ""


def cost_layer_notes(picture: LayerPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    return notes_of(layer_sentences(picture))
