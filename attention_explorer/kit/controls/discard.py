"""Takes a widget out of the window for good."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def discard(widget: QWidget) -> None:
    """Take a widget out of the window now, and delete it an event later.

    `deleteLater` alone leaves it in view until then. And hidden it must be before it loses its parent: a layout shows
    what was put into it an event later, as a window of its own if it has no parent by then.
    """
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()
