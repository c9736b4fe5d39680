"""The ground of the plane: field or regions, grid, axes, lines of equal score. Nothing here depends on the query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF

from attention_explorer.kit.drawing.marks import dashes, distance, draw_haloed_text, draw_line, pen, text_box, text_size
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.plane import (
    PlaneTransform,
    TieRay,
    convex_hull,
    equal_angle_rays,
    regions,
    tick_step,
    ticks,
    tie_rays,
    weight_field,
)
from attention_explorer.pages.lookup.state import Overlay
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene, rect_of
from attention_explorer.pages.lookup.wording import region_words, rival_name

MOST_TIE_LABELS = 6
"""With more boundaries than this their labels would cover each other, and the region names say enough."""


def paint_backdrop(painter: QPainter, scene: PlaneScene) -> None:
    """Paint everything that stays when only the query moves."""
    painter.save()
    painter.setClipRect(scene.rect)
    painter.fillRect(scene.rect, QColor(scene.look.theme.plane))
    frame = scene.frame
    if frame.draws(Overlay.FIELD):
        if scene.state.hard:
            _paint_regions(painter, scene)
        else:
            _paint_field(painter, scene)
    _paint_grid(painter, scene.transform, scene.look)
    if frame.draws(Overlay.ANGLE):
        _paint_rays(painter, scene, equal_angle_rays(scene.state.keys), Overlay.ANGLE)
    if frame.draws(Overlay.TIE):
        _paint_rays(painter, scene, tie_rays(frame.rivals), Overlay.TIE)
    if frame.draws(Overlay.HULL) and scene.values is None:
        _paint_hull(painter, scene)
    # The keys of a head have names enough; where it is soft, colours blend.
    if (frame.draws(Overlay.FIELD) or frame.draws(Overlay.TIE)) and (frame.row is None or scene.state.hard):
        _paint_region_names(painter, scene)
    painter.restore()
    if scene.values is not None:
        _paint_value_plane(painter, scene, scene.values)


def _paint_value_plane(painter: QPainter, scene: PlaneScene, values: PlaneTransform) -> None:
    """Paint the ground of the plane of a head's values, and say on both planes what lies where."""
    look, font = scene.look, scene.look.font(11.5)
    painter.save()
    painter.setClipRect(rect_of(values))
    painter.fillRect(rect_of(values), QColor(look.theme.plane))
    _paint_grid(painter, values, look)
    if scene.frame.draws(Overlay.HULL):
        _paint_hull(painter, scene)
    painter.restore()
    for text, box in plane_names(scene):
        draw_haloed_text(painter, box, text, font, look.theme.muted, look.theme.plane)


def plane_names(scene: PlaneScene) -> Iterator[tuple[str, QRectF]]:
    """Return what is said at the top of each of two planes, and where; nothing for a single one."""
    look = scene.look
    places = () if scene.values is None else (scene.rect, scene.value_rect)
    for text, place in zip(("queries and keys", "values and output"), places, strict=False):
        width, height = text_size(look.font(11.5), text)
        yield text, QRectF(place.left() + look.px(8), place.top() + look.px(5), width, height)


def backdrop_key(scene: PlaneScene) -> tuple[object, ...]:
    """Return what the backdrop depends on; equal keys mean equal pictures."""
    state = scene.state
    row = scene.frame.row
    if row is not None:  # its rest moves with the query, and is not part of the ground
        ground = (state.row, state.hard, state.temperature, scene.values)
        return (ground, state.overlays, scene.transform, scene.look, row.field_columns(scene.field_columns))
    values = state.value_rows if state.shows(Overlay.HULL) else ()
    overlays = state.overlays & {Overlay.FIELD, Overlay.TIE, Overlay.ANGLE, Overlay.HULL}
    lookup = (state.keys, values, state.hard, state.temperature, state.scaled, state.values)
    return (lookup, overlays, scene.transform, scene.look, scene.field_columns)


# ---- Field and regions ----


def _paint_field(painter: QPainter, scene: PlaneScene) -> None:
    columns, state, seen = scene.field_columns, scene.state, scene.transform.visible
    if state.row is not None:
        from attention_explorer.pages.lookup.open_row import row_field  # not before there is a row: it has sources

        weights = row_field(state.row, state.temperature, seen, columns)
    else:
        rows = max(2, round(columns * scene.transform.height / scene.transform.width))
        weights = weight_field(state.keys, state.temperature, state.scaled, seen, columns, rows)
    rows, columns = weights.shape[:2]
    tints = np.array(
        [(QColor(tint).red(), QColor(tint).green(), QColor(tint).blue()) for tint in scene.look.theme.tints],
        dtype=np.float32,
    )
    blend = weights.astype(np.float32) @ tints[: weights.shape[-1]]
    rgb = np.ascontiguousarray(np.rint(blend).astype(np.uint8))
    image = QImage(rgb.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(scene.rect, image)


def _paint_regions(painter: QPainter, scene: PlaneScene) -> None:
    reach = _reach(scene)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # no seams between neighbours
    for region in regions(scene.frame.rivals):
        steps = max(2, math.ceil((region.end - region.start) / (math.pi / 8)) + 1)
        rim = [_polar(scene, region.start + (region.end - region.start) * i / (steps - 1), reach) for i in range(steps)]
        whole_plane = region.end - region.start >= 2 * math.pi - 1e-9
        painter.setBrush(QColor(scene.look.theme.tints[_entry(scene, region.winner)]))
        painter.drawPolygon(QPolygonF(rim if whole_plane else [scene.origin, *rim]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _entry(scene: PlaneScene, rival: int) -> int:
    """Return as which entry a rival is shown."""
    row = scene.frame.row
    return rival if row is None else row.entry_of(row.border[rival])


def _reach(scene: PlaneScene) -> float:
    """Return a distance in pixels from the origin that lies outside the picture in every direction."""
    rect = scene.rect
    corners = rect.topLeft(), rect.topRight(), rect.bottomLeft(), rect.bottomRight()
    return 1.2 * max(distance(corner, scene.origin) for corner in corners) + 10


def _polar(scene: PlaneScene, angle: float, away: float) -> QPointF:
    return QPointF(scene.origin.x() + away * math.cos(angle), scene.origin.y() - away * math.sin(angle))


def _paint_region_names(painter: QPainter, scene: PlaneScene) -> None:
    look, font = scene.look, scene.look.font(12)
    inner = scene.rect.adjusted(look.px(40), look.px(22), -look.px(40), -look.px(22))
    for region in regions(scene.frame.rivals):
        if region.end - region.start < math.radians(14) or len(scene.frame.rivals) == 1:
            continue
        spot = _last_inside(scene, (region.start + region.end) / 2, inner)
        if spot is None:
            continue
        text = region_words(scene.frame, region.winner)
        box = text_box(font, text, spot)
        # Not on an axis, nor below it or to its right, where its numbers are.
        if abs(spot.y() - scene.origin.y()) < box.height() / 2 + look.px(16):
            box.moveBottom(scene.origin.y() - look.px(4))
        elif abs(spot.x() - scene.origin.x()) < box.width() / 2 + look.px(30):
            box.moveRight(scene.origin.x() - look.px(8))
        box.moveLeft(min(max(box.left(), look.px(6)), scene.rect.right() - box.width() - look.px(6)))
        draw_haloed_text(painter, box, text, font, look.theme.muted, look.theme.plane)


def _last_inside(scene: PlaneScene, angle: float, box: QRectF) -> QPointF | None:
    """Return the point farthest from the origin in a direction that is still inside a box, or None if no point is."""
    dx, dy = math.cos(angle), -math.sin(angle)
    nearest, farthest = 0.0, math.inf
    for start, step, low, high in (
        (scene.origin.x(), dx, box.left(), box.right()),
        (scene.origin.y(), dy, box.top(), box.bottom()),
    ):
        if abs(step) < 1e-12:
            if not low <= start <= high:
                return None
            continue
        ends = sorted(((low - start) / step, (high - start) / step))
        nearest, farthest = max(nearest, ends[0]), min(farthest, ends[1])
    return None if farthest <= nearest else _polar(scene, angle, farthest)


# ---- Grid ----


def _paint_grid(painter: QPainter, transform: PlaneTransform, look: Look) -> None:
    theme, seen, rect = look.theme, transform.visible, rect_of(transform)
    step = tick_step(transform.pixels_per_unit, look.px(70))
    line, axis = pen(theme.grid, 1.0), pen(theme.axis, 1.2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for x in ticks(seen.left, seen.right, step):
        px = transform.to_pixels(x, 0.0)[0]
        draw_line(painter, QPointF(px, rect.top()), QPointF(px, rect.bottom()), axis if x == 0 else line)
    for y in ticks(seen.bottom, seen.top, step):
        py = transform.to_pixels(0.0, y)[1]
        draw_line(painter, QPointF(rect.left(), py), QPointF(rect.right(), py), axis if y == 0 else line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


# ---- Lines of equal score, hull ----


def overlay_pen_style(scene_look_px: float, overlay: Overlay) -> tuple[float, float, float]:
    """Return width, dash and gap in pixels for an overlay that is a line."""
    width, on, off = {
        Overlay.TIE: (1.6, 8.0, 5.0),
        Overlay.ANGLE: (1.6, 2.0, 4.0),
        Overlay.HULL: (1.6, 5.0, 4.0),
    }[overlay]
    return width * scene_look_px, on * scene_look_px, off * scene_look_px


def _paint_rays(painter: QPainter, scene: PlaneScene, rays: Iterable[TieRay], overlay: Overlay) -> None:
    reach, theme = _reach(scene), scene.look.theme
    rays = tuple(rays)
    stroke = dashes(theme.text, *overlay_pen_style(scene.look.zoom, overlay))
    for ray in rays:
        draw_line(painter, scene.origin, _polar(scene, ray.angle, reach), stroke)
    named: set[tuple[int, int]] = set()
    for ray in rays if len(rays) <= MOST_TIE_LABELS else ():
        if ray.pair not in named and _paint_ray_name(painter, scene, ray, overlay):
            named.add(ray.pair)


def _paint_ray_name(painter: QPainter, scene: PlaneScene, ray: TieRay, overlay: Overlay) -> bool:
    look, font = scene.look, scene.look.font(12)
    inset = scene.rect.adjusted(look.px(60), look.px(30), -look.px(60), -look.px(30))
    spot = _last_inside(scene, ray.angle, inset)
    if spot is None:
        return False
    i, j = (rival_name(scene.frame, index) for index in ray.pair)
    text = f"q·{i} = q·{j}" if overlay is Overlay.TIE else f"equal angle to {i}, {j}"
    width, height = text_size(font, text)
    box = QRectF(0, 0, width, height)
    # The tie is named clockwise of its line, the equal angle counter-clockwise: names of close lines keep apart.
    side = 1 if overlay is Overlay.TIE else -1
    across = look.px(10) + abs(math.sin(ray.angle)) * width / 2 + abs(math.cos(ray.angle)) * height / 2
    back = 0.0 if overlay is Overlay.TIE else look.px(34)
    box.moveCenter(
        QPointF(
            spot.x() + side * across * math.sin(ray.angle) - back * math.cos(ray.angle),
            spot.y() + side * across * math.cos(ray.angle) + back * math.sin(ray.angle),
        )
    )
    box.moveLeft(min(max(box.left(), look.px(4)), scene.rect.right() - width - look.px(4)))
    box.moveTop(min(max(box.top(), look.px(4)), scene.rect.bottom() - height - look.px(4)))
    draw_haloed_text(painter, box, text, font, look.theme.text, look.theme.plane)
    return True


def _paint_hull(painter: QPainter, scene: PlaneScene) -> None:
    row = scene.frame.row
    corners = convex_hull(tuple((x, y) for x, y in scene.state.value_rows)) if row is None else row.hull
    theme = scene.look.theme
    painter.setPen(dashes(theme.value, *overlay_pen_style(scene.look.zoom, Overlay.HULL)))
    if len(corners) >= 3:
        shade = QColor(theme.value)
        shade.setAlphaF(0.06)
        painter.setBrush(shade)
    outline = QPolygonF([scene.place_value(corner) for corner in corners])
    if len(corners) >= 3:
        painter.drawPolygon(outline)
    else:
        painter.drawPolyline(outline)  # there and back, the dashes would fill each other's gaps
    painter.setBrush(Qt.BrushStyle.NoBrush)
