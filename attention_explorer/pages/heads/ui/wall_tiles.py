"""Painted thumbnails of the wall: a pointer over the map alters none of them, and they are not painted again."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.survey import HeadSurvey
from attention_explorer.pages.heads.ui.wall import Place, Wall, with_edge
from attention_explorer.pages.heads.ui.wall_grid import WallGrid

MOST_TILES_KEPT = 192
"""Painted thumbnails kept at a time: more than are in view, and about 15 MB at zoom 1. Of maps alone none is kept."""


class WallTiles:
    """Each as it was last painted, and what it was painted for."""

    def __init__(self) -> None:
        self._kept: dict[Place, tuple[object, QPixmap]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()

    def forget(self, place: Place) -> None:
        """Keep none of a head."""
        self._kept.pop(place, None)

    def of(self, wall: Wall, survey: HeadSurvey, box: QRectF, grid: WallGrid, look: Look, ratio: float) -> QPixmap:
        """Return a thumbnail, the one of the last time if nothing about it has changed."""
        place = with_edge(box)
        # Of its place, only what is left of whole pixels alters the picture.
        inside = box.translated(-QPointF(place.topLeft()))
        key = (survey.name, wall.view.sort, wall.seen(survey), inside, ratio)
        kept = self._kept.get(survey.place)
        if kept is not None and kept[0] == key:
            return kept[1]
        picture = QPixmap(place.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(colour_of(look.theme.window))
        painter = QPainter(picture)
        wall.paint_head(painter, survey, inside, grid, look)
        painter.end()
        if len(self._kept) > MOST_TILES_KEPT:
            self._kept.clear()
        self._kept[survey.place] = key, picture
        return picture
