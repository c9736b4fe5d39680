"""What can be done with a head of the wall, in the menu of a right click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from attention_explorer.sources.registry import source_of

if TYPE_CHECKING:
    from attention_explorer.pages.heads.state import HeadsState
    from attention_explorer.pages.heads.ui.head_wall import HeadWall

OFF = "left out of mean, largest and rollout; later layers stay as they are"
OFF_IN_MODEL = "it adds nothing, so later layers change; left out of mean, largest and rollout too"


def off_words(heads: HeadsState) -> str:
    """Say what it means that a head is off."""
    return OFF_IN_MODEL if source_of(heads.setup.recipe).traits.runs_without_heads else OFF


def menu_of(wall: HeadWall, heads: HeadsState, place: tuple[int, int]) -> QMenu:
    """Return the menu of a head; it goes when it is closed."""
    is_off, marked = place in heads.setup.switched_off, heads.view.marked
    menu = QMenu(wall)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addAction("Show large", lambda: wall.choose(*place))
    menu.addAction("What it does, in Circuits", lambda: wall.ask(*place))
    menu.setToolTipsVisible(True)
    switch = menu.addAction("Switch on" if is_off else "Switch off", lambda: wall.switch(*place))
    switch.setToolTip(f"Off: {off_words(heads)}")
    menu.addAction("Unmark" if place in marked else "Mark", lambda: wall.mark(*place))
    if marked:
        menu.addAction("Unmark all", wall.unmark_all)
    return menu
