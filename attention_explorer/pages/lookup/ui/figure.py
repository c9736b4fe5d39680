"""The plane of the Lookup page as a figure, with legend and caption."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.core.numerals import coordinate, vector
from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.marks import WORDS_SIZE, entry_boxes, entry_words, paint_wrapped, wrapped_height
from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.lookup.export import lookup_numbers
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.state import LookupState, LookupView, Part, ValueKind
from attention_explorer.pages.lookup.sums import exponent_text, output_sum
from attention_explorer.pages.lookup.ui.overlays import (
    OVERLAY_NAMES,
    SAMPLE_HEIGHT,
    SAMPLE_WIDTH,
    OverlayName,
    draw_sample,
)
from attention_explorer.pages.lookup.ui.plane_foreground import paint_plane
from attention_explorer.pages.lookup.ui.plane_scene import NUMBER_LINE_HEIGHT, VALUES_SHARE, scene_for
from attention_explorer.pages.lookup.ui.views import view_of
from attention_explorer.pages.lookup.wording import description, row_sentences

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState

FIELD_COLUMNS = 360
NARROWEST = 300
"""Pixels that the plane is laid out for at least."""

BESIDE = 480
"""From so many pixels on, the plane of a head’s values stands beside the other, not below it."""

USUAL_SHAPE, FLATTEST, TALLEST = 2 / 3, 1 / 4, 3 / 2
"""Height of the plane by its width."""


def drawn(state: ExplorerState, _what: str) -> Figure:
    """Return what the page shows large."""
    if state.lookup.view in (LookupView.PLANE, LookupView.GRADIENT):
        return LookupFigure(state.lookup)
    return figure_of(view_of(state.lookup.view), state.lookup, "Lookup")


@dataclass(frozen=True, slots=True)
class LookupFigure:
    """A `Figure` of a lookup: ``width`` × `height` px of plane, the footer below it."""

    state: LookupState
    width: int = 720
    look: Look = Look(LIGHT)
    is_captioned: bool = True

    def styled(self, style: FigureStyle) -> LookupFigure:
        """Return the same picture in a style; it has no title."""
        width = self.width if style.width is None else max(round(style.width), NARROWEST)
        return replace(self, look=style.look, width=width, is_captioned=style.is_captioned)

    @property
    def height(self) -> int:
        """The height of the plane in pixels; with a camera as its shape wants it, so that no more is seen."""
        camera = self.state.camera
        if self.state.row is not None and self.width < BESIDE:
            return round(self.width * TALLEST)
        if camera is None:
            return round(self.width * USUAL_SHAPE)
        if self.state.row is not None:
            return round(self.width * min(max(camera.height / camera.width * (1 - VALUES_SHARE), FLATTEST), 1.0))
        line = self.look.px(NUMBER_LINE_HEIGHT) if self.state.values is ValueKind.NUMBERS else 0
        return round(self.width * min(max(camera.height / camera.width, FLATTEST), TALLEST)) + line

    @property
    def size(self) -> QSize:
        """The size of the whole figure in pixels at 96 dpi."""
        return QSize(self.width, self.height + self._footer_height())

    def paint(self, painter: QPainter) -> None:
        """Paint the figure with its top left corner at the painter's origin."""
        painter.fillRect(QRect(0, 0, self.size.width(), self.size.height()), QColor(self.look.theme.plane))
        scene = scene_for(self.state, self.look, self.width, self.height, field_columns=FIELD_COLUMNS)
        painter.save()
        painter.setClipRect(QRectF(0, 0, self.width, self.height))
        paint_plane(painter, scene)
        painter.restore()
        self._paint_footer(painter)

    # ---- Words and numbers ----

    @property
    def title(self) -> str:
        """What is drawn."""
        row = lookup_frame(self.state).row
        return "lookup" if row is None else row.title

    @property
    def description(self) -> str:
        """The picture in words."""
        values = ""
        if self.state.values is not ValueKind.KEYS:
            rows = enumerate(lookup_frame(self.state).values.tolist())
            values = f" Values: {'; '.join(f'{Part(Role.VALUE, i).symbol} = {vector(tuple(row))}' for i, row in rows)}."
        return f"Lookup page. {description(lookup_frame(self.state))}{values} {self._lookup_words()}."

    @property
    def file_stem(self) -> str:
        """The proposed name of a file, without suffix."""
        return "lookup"

    def numbers(self) -> Numbers:
        """Return the numbers that are drawn."""
        return lookup_numbers(self.state)

    # ---- Footer ----

    def _legend(self) -> list[tuple[QRectF, OverlayName]]:
        """Return the box of each legend entry, in lines that fit the width, with its overlay name."""
        px, frame = self.look.px, lookup_frame(self.state)
        names = [name for name in OVERLAY_NAMES if frame.draws(name.overlay)]
        room = QRectF(px(12), self.height + px(8), self.width - px(24), 0.0)
        boxes = entry_boxes([name.title for name in names], px(SAMPLE_WIDTH), room, px(20), self.look)
        return list(zip(boxes, names, strict=True))

    def caption(self) -> str:
        """Return the line that says what is shown, with the settings that made it."""
        frame, said = lookup_frame(self.state), self._lookup_words()
        return said if frame.row is None else row_sentences(frame, frame.row, frame.row.title, said)

    def _lookup_words(self) -> str:
        frame, state = lookup_frame(self.state), self.state
        temperature = f", T = {coordinate(state.temperature)}" if state.temperature != 1 else ""
        soft = f"Soft lookup, weights = softmax({exponent_text(frame)}){temperature},"
        kind = "Hard lookup (arg max)" if state.hard else soft
        where = f"({coordinate(state.query[0])}, {coordinate(state.query[1])})"
        return f"{kind} at q = {where}:  {output_sum(frame)}"

    def _caption_top(self) -> float:
        legend = self._legend()
        return legend[-1][0].bottom() + self.look.px(3) if legend else self.height + self.look.px(8)

    def _footer_height(self) -> int:
        width, px = self.width - self.look.px(24), self.look.px
        high = wrapped_height(self.caption(), width, self.look.font(WORDS_SIZE)) + px(6) if self.is_captioned else 0.0
        return round(self._caption_top() - self.height + high + px(6))

    def _paint_footer(self, painter: QPainter) -> None:
        look, px = self.look, self.look.px
        # SVG does not clip: what reaches out of the plane is covered here.
        painter.fillRect(QRectF(0, self.height, self.width, self._footer_height()), QColor(look.theme.plane))
        for box, name in self._legend():
            sample = QRectF(box.left(), box.top() + px(3), px(SAMPLE_WIDTH), px(SAMPLE_HEIGHT))
            draw_sample(painter, name.overlay, sample, look)
            painter.setFont(look.font(WORDS_SIZE))
            painter.setPen(QColor(look.theme.text))
            painter.drawText(entry_words(box, px(SAMPLE_WIDTH), look), Qt.AlignmentFlag.AlignVCenter, name.title)
        if self.is_captioned:
            top = self._caption_top()
            paint_wrapped(painter, QRectF(px(12), top, self.width - px(24), 10_000.0), self.caption(), look)
