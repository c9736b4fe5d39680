"""What the plane shows at one moment: numbers, camera and look together, and where each part falls in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.state.lookup.frame import LookupFrame, as_vector, lookup_frame
from attention_explorer.state.lookup.plane import PlaneTransform, Vector, tick_step
from attention_explorer.state.lookup.state import LookupState, Overlay, Part, ValueKind
from attention_explorer.state.role import Role
from attention_explorer.ui.theme import Look

NUMBER_LINE_HEIGHT = 66
BADGE_RADIUS = 13.0


@dataclass(frozen=True, slots=True)
class NumberLine:
    """The axis below the plane on which values lie that are plain numbers."""

    low: float
    high: float
    left: float  # px
    right: float  # px
    y: float  # px

    def to_pixels(self, number: float) -> QPointF:
        """Return where a number lies, in pixels."""
        share = (number - self.low) / (self.high - self.low)
        return QPointF(self.left + share * (self.right - self.left), self.y)

    @property
    def units_per_pixel(self) -> float:
        """How much the number changes from one pixel to the next."""
        return (self.high - self.low) / (self.right - self.left)


def number_range(state: LookupState) -> Vector:
    """Return round bounds that hold every number of the state with room at both ends to drag into."""
    numbers = [entry.number for entry in state.entries]
    if state.shows(Overlay.TARGET):
        numbers.append(state.target_number)
    low, high = min(numbers), max(numbers)
    room = max(0.4 * (high - low), 0.05 * max(abs(low), abs(high)), 1.0)
    step = tick_step(1.0, (high - low + 2 * room) / 12)
    return math.floor((low - room) / step) * step, math.ceil((high + room) / step) * step


@dataclass(frozen=True, slots=True)
class PlaneScene:
    """One picture of the plane, ready to paint on a screen or into a file."""

    state: LookupState
    transform: PlaneTransform
    look: Look
    line: NumberLine | None = None
    selected: Part | None = None
    hovered: Part | None = None
    field_columns: int = 160
    """Columns of the soft weight field; coarse while the keys are moving."""

    @property
    def frame(self) -> LookupFrame:
        """The numbers of the picture."""
        return lookup_frame(self.state)

    @property
    def rect(self) -> QRectF:
        """The whole plane in pixels, without the number line."""
        return QRectF(0, 0, self.transform.width, self.transform.height)

    def point(self, position: Vector) -> QPointF:
        """Return a plane point in pixels."""
        return QPointF(*self.transform.to_pixels(*position))

    def place(self, part: Part) -> QPointF:
        """Return where a part is drawn, in pixels."""
        if self.line is not None and self.state.on_number_line(part):
            return self.line.to_pixels(self.state.position(part)[0])
        return self.point(self.state.position(part))

    def place_value(self, row: tuple[float, ...]) -> QPointF:
        """Return where a value, an output or a target is drawn, in pixels."""
        return self.line.to_pixels(row[0]) if self.line is not None else self.point((row[0], row[1]))

    @property
    def origin(self) -> QPointF:
        """The origin of the plane in pixels."""
        return self.point((0.0, 0.0))

    @property
    def output_place(self) -> QPointF:
        """Where the output is drawn, in pixels."""
        return self.place_value(tuple(self.frame.output.tolist()))

    @property
    def output(self) -> Vector:
        """The output as a point of the plane (or of the number line)."""
        return as_vector(self.frame.output)


def scene_for(
    state: LookupState,
    look: Look,
    width: float,
    height: float,
    *,
    numbers: Vector | None = None,
    selected: Part | None = None,
    hovered: Part | None = None,
    field_columns: int = 160,
) -> PlaneScene:
    """Lay out a picture of ``width`` × ``height`` px: what its camera shows, or its extent with room around it."""
    plane_height, line = height, None
    if state.values is ValueKind.NUMBERS:
        plane_height = max(1.0, height - look.px(NUMBER_LINE_HEIGHT))
        low, high = number_range(state) if numbers is None else numbers
        margin = look.px(30)
        right = max(width - margin, margin + 1.0)
        line = NumberLine(low, high, margin, right, plane_height + look.px(34))
    if state.camera is None:
        # A margin as wide as a badge: a vector that ends on the edge of the extent is still seen whole.
        transform = PlaneTransform.fitting(state.extent, width, plane_height, look.px(BADGE_RADIUS + 4))
    else:
        transform = PlaneTransform.fitting(state.camera, width, plane_height)
    return PlaneScene(state, transform, look, line, selected, hovered, field_columns)


def has_shaft(state: LookupState, part: Part) -> bool:
    """Return whether a part is drawn as an arrow from the origin."""
    return part.role is not Role.TARGET and not state.on_number_line(part)
