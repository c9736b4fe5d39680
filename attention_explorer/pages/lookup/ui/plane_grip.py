"""What lies under the pointer, and what a drag of it means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter

from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.drawing.marks import distance
from attention_explorer.pages.lookup.plane import Extent, PlaneTransform, Vector, along, around, snapped
from attention_explorer.pages.lookup.state import LookupState, Part
from attention_explorer.pages.lookup.ui.plane_foreground import handle_places
from attention_explorer.pages.lookup.ui.plane_scene import (
    BADGE_RADIUS,
    NumberLine,
    PlaneScene,
    distance_to_segment,
    has_shaft,
)

SNAP = Qt.KeyboardModifier.ShiftModifier
LENGTH_ONLY = Qt.KeyboardModifier.ControlModifier
ANGLE_ONLY = Qt.KeyboardModifier.AltModifier


class Grip(Enum):
    """By which end a part is held."""

    TIP = "tip"
    SHAFT = "shaft"
    LENGTH = "length"
    ANGLE = "angle"


@dataclass(frozen=True, slots=True)
class Hold:
    """A part under the pointer and how it would be held."""

    part: Part
    grip: Grip


def hold_at(scene: PlaneScene, at: QPointF) -> Hold | None:
    """Return what a press at a pixel would take hold of; the selected part's handles first, then tips, then shafts.

    What can be moved lies above what cannot.
    """
    px = scene.look.px
    if scene.selected is not None:
        places = handle_places(scene, scene.selected)
        if places is not None:
            for grip, place in zip((Grip.LENGTH, Grip.ANGLE), places, strict=True):
                if distance(at, place) <= px(9):
                    return Hold(scene.selected, grip)
    tips = [(distance(at, scene.place(part)), order, part) for order, part in enumerate(_by_reach(scene))]
    near = [(scene.state.is_fixed(tip[2]), tip) for tip in tips if tip[0] <= px(BADGE_RADIUS + 3)]
    if near:
        is_fixed, (least, _, _) = min(near)
        # Of those that cover each other the one on top, also where another lies a hair nearer.
        level = [tip for fixed, tip in near if fixed is is_fixed and tip[0] <= least + px(4)]
        return Hold(min(level, key=itemgetter(1))[2], Grip.TIP)
    shafts = [
        (distance_to_segment(at, scene.start_of(part), scene.place(part)), order, part)
        for order, part in enumerate(_by_reach(scene))
        if has_shaft(scene.state, part)
    ]
    away, _, nearest = min(shafts)
    return Hold(nearest, Grip.SHAFT) if away <= px(6) else None


def _by_reach(scene: PlaneScene) -> tuple[Part, ...]:
    """Return the parts with the selected one first: of two that lie on each other it is the one that is meant."""
    parts = scene.parts
    if scene.selected not in parts or scene.selected is None:
        return parts
    return (scene.selected, *(part for part in parts if part != scene.selected))


@dataclass(frozen=True, slots=True)
class Drag:
    """A drag under way: everything it needs was fixed at the press, so it cannot drift."""

    hold: Hold
    before: LookupState
    scene: PlaneScene
    pressed: QPointF

    @property
    def line(self) -> NumberLine | None:
        """The number line on which the part lies, if it is a plain number."""
        return self.scene.line if self.before.on_number_line(self.hold.part) else None

    def position(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> Vector:
        """Return where the part goes with the pointer at a pixel."""
        part = self.hold.part
        start = self.before.position(part)
        if self.line is not None:
            number = start[0] + (at.x() - self.pressed.x()) * self.line.units_per_pixel
            return snapped((number, 0.0)) if modifiers & SNAP else (number, 0.0)
        # The distance between pointer and tip at the press is kept, so that nothing jumps.
        transform = self.scene.transform_of(part)
        origin_x, origin_y = transform.to_plane(self.pressed.x(), self.pressed.y())
        x, y = transform.to_plane(at.x(), at.y())
        to = (start[0] + x - origin_x, start[1] + y - origin_y)
        if self.hold.grip is Grip.ANGLE:
            return self._turned((x, y), (origin_x, origin_y), start)
        if modifiers & ANGLE_ONLY:
            return around(to, math.hypot(*start))
        if self.hold.grip is Grip.LENGTH or modifiers & LENGTH_ONLY:
            return along(to, start)
        return snapped(to) if modifiers & SNAP else rounded_to_pixel(to, transform)

    @staticmethod
    def _turned(pointer: Vector, pressed: Vector, start: Vector) -> Vector:
        """Return ``start`` turned by the angle that the pointer has swept around the origin."""
        angle = math.atan2(pointer[1], pointer[0]) - math.atan2(pressed[1], pressed[0])
        cos, sin = math.cos(angle), math.sin(angle)
        return cos * start[0] - sin * start[1], sin * start[0] + cos * start[1]


@dataclass(frozen=True, slots=True)
class Pan:
    """A drag of the plane itself."""

    pressed: QPointF
    seen: Extent
    """What the canvas showed."""

    def view(self, at: QPointF, pixels_per_unit: float) -> Extent:
        """Return what is in view with the pointer at a pixel: the point that was pressed stays under it."""
        moved = at - self.pressed
        return self.seen.shifted(-moved.x() / pixels_per_unit, moved.y() / pixels_per_unit)


def rounded_to_pixel(to: Vector, transform: PlaneTransform) -> Vector:
    """Return a position to the decimal that is finer than a pixel: a hand cannot mean more digits than that."""
    decimals = math.ceil(math.log10(transform.pixels_per_unit))
    return round(to[0], decimals), round(to[1], decimals)


def cursor_for(scene: PlaneScene, hold: Hold | None) -> Qt.CursorShape:
    """Return the pointer shape that says what a press would do."""
    if hold is None or scene.state.is_fixed(hold.part):
        return Qt.CursorShape.ArrowCursor
    return {
        Grip.TIP: Qt.CursorShape.OpenHandCursor,
        Grip.SHAFT: Qt.CursorShape.OpenHandCursor,
        Grip.LENGTH: Qt.CursorShape.SizeAllCursor,
        Grip.ANGLE: Qt.CursorShape.CrossCursor,
    }[hold.grip]
