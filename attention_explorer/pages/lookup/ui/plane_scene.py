"""What the plane shows at one moment: numbers, camera and look together, and where each part falls in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF

from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.marks import distance
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Extent, PlaneTransform, Vector, tick_step
from attention_explorer.pages.lookup.state import LookupState, LookupView, Overlay, Part, ValueKind

NUMBER_LINE_HEIGHT = 66
VALUES_SHARE, VALUES_GAP = 0.4, 6
"""Of the picture, the plane of a head's values; and the pixels at zoom 1 between the planes."""
BADGE_RADIUS = 13.0
NAME_HEIGHT = 18
"""Pixels at the top of each of two planes, where it says what lies on it."""


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


def rect_of(plane: PlaneTransform) -> QRectF:
    """Return where a plane is, in pixels."""
    return QRectF(plane.left, plane.top, plane.width, plane.height)


@dataclass(frozen=True)
class PlaneScene:
    """One picture of the plane, ready to paint on a screen or into a file; what is asked of it often is kept."""

    frame: LookupFrame
    """The numbers of the picture."""
    transform: PlaneTransform
    look: Look
    line: NumberLine | None = None
    values: PlaneTransform | None = None
    """The plane beside or below the other on which the values of a head lie: they have directions of their own."""
    selected: Part | None = None
    hovered: Part | None = None
    field_columns: int = 160
    """Columns of the soft weight field; coarse while the keys are moving."""
    withheld: bool = False
    """Whether nothing that is computed is drawn, such as the output."""

    @cached_property
    def state(self) -> LookupState:
        """What is on show; of a row of a head with its keys for entries."""
        return self.frame.state

    @property
    def rect(self) -> QRectF:
        """The whole plane in pixels, without what lies beside or below it."""
        return rect_of(self.transform)

    @property
    def value_rect(self) -> QRectF:
        """Where values and output are drawn, in pixels."""
        if self.values is not None:
            return rect_of(self.values)
        return self.rect if self.line is None else QRectF(0, self.rect.bottom(), self.rect.width(), 1e4)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Everything that can be taken hold of, in Tab order."""
        return self.state.parts()

    @cached_property
    def _places(self) -> dict[Part, QPointF]:
        return {part: self._place_of(part) for part in self.parts}

    @cached_property
    def has_values_apart(self) -> bool:
        """Whether values, output and target lie elsewhere than queries and keys."""
        return self.line is not None or self.values is not None

    def is_apart(self, part: Part) -> bool:
        """Return whether a part lies there."""
        return self.has_values_apart and part.role in (Role.VALUE, Role.TARGET)

    def point(self, position: Vector) -> QPointF:
        """Return a plane point in pixels."""
        return QPointF(*self.transform.to_pixels(*position))

    def place(self, part: Part) -> QPointF:
        """Return where a part is drawn, in pixels."""
        found = self._places.get(part)
        return self._place_of(part) if found is None else found

    def _place_of(self, part: Part) -> QPointF:
        position = self.state.position(part)
        return self.place_value(position) if self.is_apart(part) else self.point(position)

    def place_value(self, row: tuple[float, ...]) -> QPointF:
        """Return where a value, an output or a target is drawn, in pixels."""
        if self.line is not None:
            return self.line.to_pixels(row[0])
        return QPointF(*(self.values or self.transform).to_pixels(row[0], row[1]))

    def transform_of(self, part: Part) -> PlaneTransform:
        """Return by what a part that is a point of a plane becomes pixels, but for where that plane begins."""
        return self.values if self.values is not None and self.is_apart(part) else self.transform

    def start_of(self, part: Part) -> QPointF:
        """Return where the shaft of a part begins, in pixels."""
        return self.place_value((0.0, 0.0)) if self.is_apart(part) else self.origin

    @cached_property
    def origin(self) -> QPointF:
        """The origin of the plane in pixels."""
        return self.point((0.0, 0.0))

    @property
    def output_place(self) -> QPointF:
        """Where the output is drawn, in pixels."""
        return self.place_value(tuple(self.frame.output.tolist()))


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
    withheld: bool = False,
) -> PlaneScene:
    """Lay out a picture of ``width`` × ``height`` px: what its camera shows, or its extent with room around it."""
    given = frozenset(filter(state.shows, (Overlay.HULL, Overlay.TARGET)))  # which nobody has to compute
    frame = lookup_frame(replace(state, overlays=given, view=LookupView.PLANE) if withheld else state)
    state, plane_height, line, values = frame.state, height, None, None
    if frame.row is not None:
        width, plane_height, values = _beside(frame.row.value_extent, look, width, height)
    if state.values is ValueKind.NUMBERS:
        plane_height = max(1.0, height - look.px(NUMBER_LINE_HEIGHT))
        low, high = number_range(state) if numbers is None else numbers
        margin = look.px(30)
        right = max(width - margin, margin + 1.0)
        line = NumberLine(low, high, margin, right, plane_height + look.px(34))
    if state.camera is None:
        # A margin as wide as a badge: a vector that ends on the edge of the extent is still seen whole.
        margin, above = look.px(BADGE_RADIUS + 4), 0 if frame.row is None else look.px(NAME_HEIGHT)
        transform = PlaneTransform.fitting(state.extent, width, plane_height, margin, above)
    else:
        transform = PlaneTransform.fitting(state.camera, width, plane_height)
    return PlaneScene(frame, transform, look, line, values, selected, hovered, field_columns, withheld)


def _beside(extent: Extent, look: Look, width: float, height: float) -> tuple[float, float, PlaneTransform]:
    """Share a picture between two planes; return what is left for the first, and the second."""
    gap, margin, above = look.px(VALUES_GAP), look.px(BADGE_RADIUS + 4), look.px(NAME_HEIGHT)
    if width >= height:
        first = max(round(width * (1 - VALUES_SHARE)), 1.0)
        second = PlaneTransform.fitting(extent, max(width - first - gap, 1.0), height, margin, above)
        return first, height, replace(second, left=first + gap)
    first = max(round(height * (1 - VALUES_SHARE)), 1.0)
    second = PlaneTransform.fitting(extent, width, max(height - first - gap, 1.0), margin, above)
    return width, first, replace(second, top=first + gap)


def has_shaft(state: LookupState, part: Part) -> bool:
    """Return whether a part is drawn as an arrow from the origin."""
    return part.role is not Role.TARGET and not state.on_number_line(part)


def distance_to_segment(point: QPointF, start: QPointF, end: QPointF) -> float:
    """Return how many pixels a place is from a straight line with two ends."""
    dx, dy = end.x() - start.x(), end.y() - start.y()
    squared = dx * dx + dy * dy
    if squared == 0:
        return distance(point, start)
    share = ((point.x() - start.x()) * dx + (point.y() - start.y()) * dy) / squared
    share = min(max(share, 0.0), 1.0)
    return distance(point, QPointF(start.x() + share * dx, start.y() + share * dy))
