"""Does something a moment later."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer


class _Wish(QObject):
    """What is to be done; goes with its owner."""

    def __init__(self, owner: QObject, act: Callable[[], object]) -> None:
        super().__init__(owner)
        self.act = act


def later(owner: QObject, act: Callable[[], object], milliseconds: int = 0) -> None:
    """Do something once what Qt has to do now is done, or some time after, unless its owner is gone by then.

    `QTimer.singleShot` keeps what it was given for good if its owner goes first, and a whole window with it: here that
    is no more than a weak reference.
    """
    wish = _Wish(owner, act)
    QTimer.singleShot(milliseconds, wish, partial(_fulfil, weakref.ref(wish)))


def _fulfil(known: weakref.ref[_Wish]) -> None:
    wish = known()
    if wish is not None:
        wish.deleteLater()
        wish.act()
