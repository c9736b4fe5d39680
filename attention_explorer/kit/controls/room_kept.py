"""Takes widgets out of sight while what they show is asked for, and keeps their room: nothing else moves."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def keep_out_of_sight(hidden: bool, *widgets: QWidget) -> None:
    """Hide widgets in their places, or show them again."""
    for widget in widgets:
        _keep_room(widget, hidden)  # only now: what is hidden in another way is to give up its room
        widget.setHidden(hidden)


def give_up_room(widget: QWidget) -> None:
    """Leave no room for a widget that is out of sight."""
    _keep_room(widget, False)


def _keep_room(widget: QWidget, kept: bool) -> None:
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(kept)
    widget.setSizePolicy(policy)
