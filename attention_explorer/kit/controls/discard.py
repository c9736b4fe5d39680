"""Takes a widget out of the window for good."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def discard(widget: QWidget) -> None:
    """Take a widget out of the window now; Qt deletes it an event later.

    `deleteLater` alone would leave it in view until then. It is hidden before it loses its parent, because a layout
    shows a new widget an event later, and one without a parent would be shown as a window of its own.
    """
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()
