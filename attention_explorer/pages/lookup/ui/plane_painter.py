"""The whole picture of the plane, the same for the screen, the clipboard and files."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from attention_explorer.pages.lookup.ui.plane_backdrop import paint_backdrop
from attention_explorer.pages.lookup.ui.plane_foreground import paint_foreground
from attention_explorer.pages.lookup.ui.plane_scene import PlaneScene


def paint_plane(painter: QPainter, scene: PlaneScene) -> None:
    """Paint a scene with its top left corner at the painter's origin."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_backdrop(painter, scene)
    paint_foreground(painter, scene)
