"""How scaled and unscaled scores are told apart in every picture of the Scaling page: by line, by fill and by name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from attention_explorer.ui.drawing.marks import colour_of, dashes, draw_line, paint_words, pen, text_size
from attention_explorer.ui.theme import Look

NAMES = {False: "not scaled", True: "scaled"}
PREDICTED = "predicted"


def stroke_of(look: Look, scaled: bool, *, leading: bool) -> QPen:
    """Return the pen of scaled (solid) or unscaled (dashed) ones; those the page speaks of are the darker."""
    colour = look.theme.text if leading else look.theme.muted
    width = (2.2 if leading else 1.6) * look.zoom
    return pen(colour, width) if scaled else dashes(colour, width, 6.0 * look.zoom, 3.5 * look.zoom)


def fill_of(look: Look, scaled: bool) -> QColor:
    """Return the fill of scaled (darker) or unscaled ones."""
    return colour_of(look.theme.text, 0.38 if scaled else 0.17)


def predicted_stroke(look: Look) -> QPen:
    """Return the pen of what theory predicts."""
    return dashes(look.theme.loss_ink, 1.6 * look.zoom, 1.6 * look.zoom, 3.0 * look.zoom)


def paint_legend(painter: QPainter, line: QRectF, look: Look, leading: bool, *, more: str = "") -> None:
    """Write what the lines are, from the left; ``leading`` tells which of the two the page speaks of."""
    px, left = look.px, line.left()
    font = look.font(11.5)
    samples = [
        (NAMES[True], stroke_of(look, True, leading=leading)),
        (NAMES[False], stroke_of(look, False, leading=not leading)),
        (PREDICTED, predicted_stroke(look)),
    ]
    for name, stroke in samples:
        middle = line.center().y()
        draw_line(painter, QPointF(left, middle), QPointF(left + px(26), middle), stroke)
        left += px(31)
        width = text_size(font, name)[0] + 2
        paint_words(painter, QRectF(left, line.top(), width, line.height()), name, look)
        left += width + px(14)
    if more and left < line.right() - px(40):
        paint_words(painter, QRectF(left, line.top(), line.right() - left, line.height()), more, look)
