"""Legend and switch in one: a chip per overlay that shows how it is drawn and turns it on and off."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.drawing.marks import colour_of, dashes, draw_arrow, draw_line, pen
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import Overlay
from attention_explorer.pages.lookup.ui.plane_backdrop import overlay_pen_style
from attention_explorer.pages.lookup.ui.plane_output import GHOST
from attention_explorer.pages.ui.session import Session

SAMPLE_WIDTH, SAMPLE_HEIGHT = 22, 14

GRADIENT_OVERLAYS = (Overlay.GRADIENT, Overlay.TARGET)
"""Their chips stand in the card of the gradient."""
CANVAS_OVERLAYS = tuple(overlay for overlay in Overlay if overlay not in GRADIENT_OVERLAYS)
"""The chips of all others stand above the plane."""


@dataclass(frozen=True, slots=True)
class OverlayName:
    """What an overlay is called and what it teaches."""

    overlay: Overlay
    title: str
    tip: str


OVERLAY_NAMES = (
    OverlayName(
        Overlay.FIELD,
        "Weights",
        "The colour of a place says which keys a query at that place attends to.\n"
        "Soft: the colours blend. Hard: a region with sharp borders for each key that can win.",
    ),
    OverlayName(
        Overlay.TIE,
        "Tie line",
        "Where the two highest scores are equal: with two keys a line through the origin,\n"
        "perpendicular to k₁ − k₂. Crossing it changes the winner of a hard lookup.",
    ),
    OverlayName(
        Overlay.ANGLE,
        "Equal angle",
        "Where the query makes the same angle with two keys. It is not the tie line when the\n"
        "keys differ in length: the dot product measures length as well as direction.",
    ),
    OverlayName(
        Overlay.HULL,
        "Hull",
        "The convex hull of the values. Weights are never negative and sum to 1,\nso the output can never leave it.",
    ),
    OverlayName(
        Overlay.CHAIN,
        "Chain",
        "How the output adds up: α₁v₁, then α₂v₂ from where that ends, and so on.",
    ),
    OverlayName(
        Overlay.TRAIL,
        "Trail",
        "Where the output has been while this is on; C clears it. In hard mode it jumps, so the trail has gaps.",
    ),
    OverlayName(
        Overlay.LIMIT,
        "Limit",
        "Where the output of a soft lookup goes as the query grows without end in its\n"
        "direction: to the value of the winner, or to the mean of the values that tie.",
    ),
    OverlayName(
        Overlay.OTHER,
        "Both modes",
        "Soft beside hard: where the output of the other mode is for the same query.\n"
        "Drag q, and see one slide and the other jump.",
    ),
    OverlayName(
        Overlay.GRADIENT,
        "Gradient",
        "How the output moves when the query moves: the dotted circle around q, and where\n"
        "∂o/∂q takes it, around o. In hard mode that is nowhere: o stands still, or jumps.",
    ),
    OverlayName(
        Overlay.TARGET,
        "Target",
        "A place t for the output to reach. The loss is ½|o − t|²; Step and Play move q downhill.",
    ),
)


def draw_sample(painter: QPainter, overlay: Overlay, box: QRectF, look: Look) -> None:
    """Draw an overlay in miniature, as the legend shows it."""
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    theme, middle = look.theme, box.center().y()
    left, right = QPointF(box.left(), middle), QPointF(box.right(), middle)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if overlay is Overlay.FIELD:
        _draw_field_sample(painter, box, look)
    elif overlay in (Overlay.TIE, Overlay.ANGLE, Overlay.HULL):
        colour = theme.value if overlay is Overlay.HULL else theme.text
        draw_line(painter, left, right, dashes(colour, *overlay_pen_style(look.zoom, overlay)))
    elif overlay is Overlay.CHAIN:
        draw_arrow(painter, left, right, theme.value, 2.0 * look.zoom, look.px(8))
    elif overlay is Overlay.TRAIL:
        for i in range(4):
            shade = QColor(theme.output)
            shade.setAlphaF(0.25 * (i + 1))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade)
            spot = QPointF(box.left() + box.width() * (i + 0.5) / 4, middle)
            painter.drawEllipse(spot, look.px(2.2), look.px(2.2))
    elif overlay is Overlay.LIMIT:
        half = box.height() * 0.42
        corners = [box.center() + QPointF(*d) for d in ((0, -half), (half, 0), (0, half), (-half, 0))]
        painter.setPen(pen(theme.output_ink, 1.8 * look.zoom))
        painter.drawPolygon(QPolygonF(corners))
    elif overlay is Overlay.OTHER:
        painter.setPen(pen(theme.output_ink, 1.4 * look.zoom, opacity=GHOST))
        painter.setBrush(QColor(theme.output))
        painter.drawEllipse(box.center() - QPointF(box.width() * 0.24, 0), box.height() * 0.3, box.height() * 0.3)
        painter.setBrush(colour_of(theme.output, GHOST / 3))
        painter.drawEllipse(box.center() + QPointF(box.width() * 0.24, 0), box.height() * 0.3, box.height() * 0.3)
    elif overlay is Overlay.GRADIENT:
        painter.setPen(dashes(theme.output_ink, 1.4 * look.zoom, look.px(2), look.px(2)))
        painter.drawEllipse(box.center(), box.width() * 0.42, box.height() * 0.36)
    elif overlay is Overlay.TARGET:
        painter.setPen(pen(theme.loss, 1.8 * look.zoom))
        painter.drawEllipse(box.center(), box.height() * 0.3, box.height() * 0.3)
        draw_line(
            painter,
            QPointF(box.center().x(), box.top()),
            QPointF(box.center().x(), box.bottom()),
            painter.pen(),
        )
    painter.restore()


def _draw_field_sample(painter: QPainter, box: QRectF, look: Look) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    width = box.width() / 3
    for i, tint in enumerate(look.theme.tints[:3]):
        painter.setBrush(QColor(tint))
        painter.drawRect(QRectF(box.left() + i * width, box.top(), width, box.height()))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen(look.theme.axis, 1.0))
    painter.drawRect(box)


class OverlayChips(QWidget):
    """A row of chips for some overlays."""

    def __init__(
        self, session: Session, look: Look, overlays: tuple[Overlay, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._look: Look | None = None
        self._chips: dict[Overlay, QPushButton] = {}
        self._flow = FlowLayout(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        for name in OVERLAY_NAMES:
            if name.overlay in overlays:
                self._flow.addWidget(self._chip(name))
        self.set_look(look)

    def _chip(self, name: OverlayName) -> QPushButton:
        chip = QPushButton(name.title)
        chip.setObjectName("chip")
        chip.setCheckable(True)
        chip.setToolTip(name.tip)
        chip.setAccessibleName(f"Show {name.title.lower()}")
        chip.setAccessibleDescription(name.tip)
        chip.clicked.connect(lambda shown, overlay=name.overlay: self.switch(overlay, shown))
        self._chips[name.overlay] = chip
        return chip

    def switch(self, overlay: Overlay, shown: bool) -> None:
        """Show an overlay, or hide it, as one step."""
        state = self._session.state
        title = next(name.title for name in OVERLAY_NAMES if name.overlay is overlay).lower()
        label = f"{'Show' if shown else 'Hide'} {title}"
        self._session.apply(replace(state, lookup=state.lookup.with_overlay(overlay, shown)), label)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        if look == self._look:
            return
        self._look = look
        self._flow.setSpacing(look.px(6))
        size = QSize(look.px(SAMPLE_WIDTH), look.px(SAMPLE_HEIGHT))
        for overlay, chip in self._chips.items():
            chip.setIcon(_sample_icon(overlay, size, look, self.devicePixelRatioF()))
            chip.setIconSize(size)

    def show_frame(self, frame: LookupFrame) -> None:
        """Check the chips of the overlays that are shown, and grey those that cannot be drawn."""
        for overlay, chip in self._chips.items():
            chip.setChecked(frame.state.shows(overlay))
            allow_unless(frame.reason_against(overlay), chip)


def _sample_icon(overlay: Overlay, size: QSize, look: Look, ratio: float) -> QIcon:
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    box = QRectF(1, 1, size.width() - 2, size.height() - 2)
    draw_sample(painter, overlay, box, look)
    painter.end()
    return QIcon(pixmap)
