"""Larger letters for pictures of text where there is far more room than they need, as on a projector."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF

from attention_explorer.kit.theme import Look

WIDE, HIGH = 1000, 700
"""Up to here a picture is drawn at its own size; pixels at zoom 1."""
MOST = 1.4
"""More would shout beside the rest of the window."""


def roomy(look: Look, room: QRectF) -> Look:
    """Return the look to draw with in a room: the same in an ordinary one, larger in a very large one."""
    factor = min(room.width() / look.px(WIDE), room.height() / look.px(HIGH), MOST)
    return replace(look, zoom=look.zoom * factor) if factor > 1.0 else look
