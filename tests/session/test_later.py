"""What is done a moment later is done, or forgotten with whoever wanted it."""

from __future__ import annotations

import gc
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from attention_explorer.session.later import later


class Owner(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.acted = 0

    def act(self) -> None:
        self.acted += 1


def test_it_is_done_once_and_leaves_nothing(qtbot):
    owner = Owner()
    later(owner, owner.act)
    later(owner, owner.act, 30)
    assert owner.acted == 0
    qtbot.waitUntil(lambda: owner.acted == 2)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not owner.children()


@pytest.mark.parametrize("how", ["a method", "a function"])
def test_an_owner_that_goes_first_is_not_kept(qapp, how):
    owner = Owner()
    later(owner, owner.act if how == "a method" else lambda owner=owner: owner.act())
    known = weakref.ref(owner)
    shiboken6.delete(owner)
    del owner
    qapp.processEvents()
    gc.collect()
    assert known() is None
