"""Finds what Python keeps of Qt beyond its life: items of layouts, which take the process with them some day, and
windows, with all that they hold."""

from __future__ import annotations

import gc

import shiboken6
from PySide6.QtWidgets import QLayout, QLayoutItem

from attention_explorer.kit.controls.made import FlowLayout
from attention_explorer.window.window import MainWindow


def stray_items() -> list[QLayoutItem]:
    """Return the wrappers that say they are valid, of items that no layout has any more: Qt has deleted them.

    What gets their place in memory is taken for them by PySide, and when it is deleted the process ends.
    """
    # The items of a layout of ours live on when it is gone, until Python forgets it. They are held here from the first
    # line on: were the layout forgotten between this line and the next, its items would look stray.
    ours = {id(item): item for each in gc.get_objects() if type(each) is FlowLayout for item in each._items}
    wrappers = shiboken6.getAllValidWrappers()
    layouts = [each for each in wrappers if isinstance(each, QLayout)]
    items = (each for each in wrappers if isinstance(each, QLayoutItem) and not isinstance(each, QLayout))
    # A layout only compares addresses: nothing reads what may be gone.
    return [item for item in items if id(item) not in ours and all(layout.indexOf(item) < 0 for layout in layouts)]


def kept_windows() -> int:
    """Return how many windows Qt has deleted and something in Python or PySide still refers to."""
    gc.collect()
    return sum(type(each) is MainWindow and not shiboken6.isValid(each) for each in gc.get_objects())
