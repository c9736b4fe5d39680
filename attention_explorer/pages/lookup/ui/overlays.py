"""What can be drawn over the plane: what each is called and teaches, a sample of it, and the list that switches it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.drawing.marks import colour_of, dashes, draw_arrow, draw_circle, draw_line, pen
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import OF_THE_GRADIENT, LookupView, Overlay
from attention_explorer.pages.lookup.ui.plane_backdrop import overlay_pen_style
from attention_explorer.pages.lookup.ui.plane_output import GHOST, diamond
from attention_explorer.pages.ui.session import Session

SAMPLE_WIDTH, SAMPLE_HEIGHT = 22, 14


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
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme, zoom, centre = look.theme, look.zoom, box.center()
    across, up = QPointF(box.width(), 0), QPointF(0, box.height())
    match overlay:
        case Overlay.FIELD:
            _draw_field_sample(painter, box, look)
        case Overlay.TIE | Overlay.ANGLE | Overlay.HULL:
            colour = theme.value if overlay is Overlay.HULL else theme.text
            stroke = dashes(colour, *overlay_pen_style(zoom, overlay))
            draw_line(painter, centre - across / 2, centre + across / 2, stroke)
        case Overlay.CHAIN:
            draw_arrow(painter, centre - across / 2, centre + across / 2, theme.value, 2.0 * zoom, look.px(8))
        case Overlay.TRAIL:
            for i in range(4):
                spot = centre + across * ((i + 0.5) / 4 - 0.5)
                draw_circle(painter, spot, look.px(2.2), fill=colour_of(theme.output, 0.25 * (i + 1)))
        case Overlay.LIMIT:
            painter.setPen(pen(theme.output_ink, 1.8 * zoom))
            painter.drawPolygon(diamond(centre, box.height() * 0.42))
        case Overlay.OTHER:
            stroke = pen(theme.output_ink, 1.4 * zoom, opacity=GHOST)
            for side, opacity in ((-0.24, 1.0), (0.24, GHOST / 3)):
                spot = centre + across * side
                draw_circle(painter, spot, box.height() * 0.3, stroke, colour_of(theme.output, opacity))
        case Overlay.GRADIENT:
            painter.setPen(dashes(theme.output_ink, 1.4 * zoom, look.px(2), look.px(2)))
            painter.drawEllipse(centre, box.width() * 0.42, box.height() * 0.36)
        case Overlay.TARGET:
            stroke = pen(theme.loss, 1.8 * zoom)
            draw_circle(painter, centre, box.height() * 0.3, stroke)
            draw_line(painter, centre - up / 2, centre + up / 2, stroke)
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


class OverlayList(QFrame):
    """Boxes to tick, one below the other, over the page until somebody clicks elsewhere or presses Esc."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.setAccessibleName("What is drawn over the plane")
        self.column = QVBoxLayout(self)
        self.boxes: dict[Overlay, QCheckBox] = {}

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: True, Qt.Key.Key_Up: False}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.focusNextPrevChild(step)


class OverlayButton(QPushButton):
    """Opens a list of what can be drawn over the plane, each with a sample of how it is drawn, and ticked if it is."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Show…", parent)
        self._session, self._look = session, look
        self.setToolTip("What is drawn over the plane")
        self.setAccessibleName("Show over the plane")
        self.setAccessibleDescription("What is drawn over the plane")
        self.list = OverlayList(self)
        for name in OVERLAY_NAMES:
            box = self.list.boxes[name.overlay] = QCheckBox(name.title)
            box.setAccessibleName(f"Show {name.title.lower()}")
            box.clicked.connect(lambda shown, overlay=name.overlay: self.switch(overlay, shown))
            self.list.column.addWidget(box)
        self.clicked.connect(self.open)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        size = QSize(look.px(SAMPLE_WIDTH), look.px(SAMPLE_HEIGHT))
        for overlay, box in self.list.boxes.items():
            box.setIconSize(size)
            box.setIcon(_sample_icon(overlay, size, look, self.devicePixelRatioF()))

    def show_frame(self, frame: LookupFrame) -> None:
        """Tick what is drawn, grey what cannot be, and leave out what belongs to the view and is always there."""
        is_gradient = frame.state.view is LookupView.GRADIENT
        for name in OVERLAY_NAMES:
            box, reason = self.list.boxes[name.overlay], frame.reason_against(name.overlay)
            box.setHidden(is_gradient and name.overlay in OF_THE_GRADIENT)
            box.setChecked(frame.state.shows(name.overlay))
            box.setEnabled(not reason)
            box.setToolTip(reason or name.tip)

    def open(self) -> None:
        """Open the list above the button."""
        self.show_frame(lookup_frame(self._session.state.lookup))
        self.list.adjustSize()
        self.list.move(self.mapToGlobal(QPoint(0, -self.list.height() - self._look.px(4))))
        self.list.show()
        first = next((box for box in self.list.boxes.values() if box.isEnabled() and not box.isHidden()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.PopupFocusReason)

    def switch(self, overlay: Overlay, shown: bool) -> None:
        """Show an overlay, or hide it, as one step."""
        switch_overlay(self._session, overlay, shown)


def switch_overlay(session: Session, overlay: Overlay, shown: bool) -> None:
    """Show an overlay over the plane, or hide it, as one step."""
    title = next(name.title for name in OVERLAY_NAMES if name.overlay is overlay).lower()
    lookup = session.state.lookup.with_overlay(overlay, shown)
    session.apply(replace(session.state, lookup=lookup), f"{'Show' if shown else 'Hide'} {title}")


def _sample_icon(overlay: Overlay, size: QSize, look: Look, ratio: float) -> QIcon:
    pixmap = QPixmap(size * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        draw_sample(painter, overlay, QRectF(1, 1, size.width() - 2, size.height() - 2), look)
    return QIcon(pixmap)
