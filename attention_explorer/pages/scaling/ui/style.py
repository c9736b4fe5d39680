"""How scaled and unscaled scores are told apart in every picture of the Scaling page: by line, by fill and by name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from attention_explorer.kit.drawing.legend import entries_height, entry_boxes, entry_words
from attention_explorer.kit.drawing.marks import colour_of, dashes, draw_line, paint_words, pen
from attention_explorer.kit.theme import Look

NAMES = {False: "not scaled", True: "scaled"}
PREDICTED = "predicted"
SAMPLE, LINE = 26, 18
"""Pixels at zoom 1 of a line in the legend, and of the height of its words."""


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


def legend_height(look: Look, width: float, more: str = "") -> float:
    """Return how high the legend is in a room of a width."""
    return entries_height(_names(more), look.px(SAMPLE), width, look.px(LINE), look)


def _names(more: str) -> tuple[str, ...]:
    names = NAMES[True], NAMES[False], PREDICTED
    return (*names, more) if more else names


def paint_legend(painter: QPainter, box: QRectF, look: Look, leading: bool, *, more: str = "") -> None:
    """Write what the lines are; ``leading`` tells which of the two the page speaks of."""
    sample = look.px(SAMPLE)
    strokes = (
        stroke_of(look, True, leading=leading),
        stroke_of(look, False, leading=not leading),
        predicted_stroke(look),
    )
    entries = entry_boxes(_names(more), sample, box, look.px(LINE), look)
    for name, stroke, entry in zip(_names(""), strokes, entries, strict=False):
        middle = entry.center().y()
        draw_line(painter, QPointF(entry.left(), middle), QPointF(entry.left() + sample, middle), stroke)
        paint_words(painter, entry_words(entry, sample, look), name, look)
    if more:
        paint_words(painter, entries[-1], more, look)
