"""Whatever is opened and closed: Python keeps no item of a layout that Qt has deleted."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
import shiboken6
from item_wrappers import stray_items
from people_driver import catch_up, let_work, scenes_of, windows_beside
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget
from window_driver import drop

from attention_explorer.kit.controls.made import FlowLayout
from attention_explorer.pages.registry import PAGE_IDS
from attention_explorer.window.window import MainWindow

Show = Callable[[MainWindow], object]
LESSON = Path(__file__).parents[1] / "data/lessons/kinds.lesson.toml"


def opened_by(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Show:
    """Return what opens a window by a key, and closes it."""

    def show(window: MainWindow) -> None:
        before = set(QApplication.topLevelWidgets())
        QTest.keyClick(window, key, modifiers)
        catch_up(window)
        opened = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in before]
        assert opened
        for each in opened:
            each.close()

    return show


def presented(window: MainWindow) -> None:
    for page in PAGE_IDS:
        window.show_page(page)
        QTest.keyClick(window, Qt.Key.Key_F5)
        assert not window.menuBar().isVisible()
        window.resize(1600, 1000)
        catch_up(window)
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert window.menuBar().isVisible()


def lesson_taken(window: MainWindow) -> None:
    """Open a lesson that asks in every way, and go to its end."""
    drop(window, QUrl.fromLocalFile(str(LESSON)))
    while window.tools.lesson_card is None:  # it is looked over on the worker first
        let_work()
    steps = 0
    while window.tools.lesson_card.skip.isVisible():
        QTest.mouseClick(window.tools.lesson_card.skip, Qt.MouseButton.LeftButton)
        catch_up(window)
        steps += 1
    assert steps > 5
    window.tools.leave_lesson()


CONTROL = Qt.KeyboardModifier.ControlModifier
MODES: dict[str, Show] = {
    **{scene.name: scene.show for page in PAGE_IDS for scene in scenes_of(page)},
    "presenting": presented,
    "a lesson": lesson_taken,
    "the help": opened_by(Qt.Key.Key_F1),
    "the code": opened_by(Qt.Key.Key_U, CONTROL),
    "the search": opened_by(Qt.Key.Key_K, CONTROL),
    "other windows": lambda window: list(windows_beside(window)),
}


@pytest.mark.parametrize("name", MODES)
def test_python_keeps_no_item_that_is_gone(name, page_window):
    page = name.split()[0] if name.split()[0] in PAGE_IDS else "heads"
    window = page_window(page)
    window.show_page(page)
    MODES[name](window)
    assert not stray_items()


def test_an_item_that_outlives_its_widget_is_found(qapp):
    row = QHBoxLayout(outer := QWidget())
    row.addWidget(label := QLabel())
    held = row.itemAt(0)
    assert not stray_items()
    label.setParent(None)  # Qt deletes the item
    assert stray_items() == [held]
    shiboken6.invalidate(held)
    assert not stray_items()
    outer.deleteLater()
    QApplication.sendPostedEvents(outer, QEvent.Type.DeferredDelete)


def test_a_layout_forgotten_while_one_looks_is_no_alarm(qapp, monkeypatch):
    """The collector may run at any line."""
    flow = FlowLayout(outer := QWidget())
    flow.addWidget(QLabel())
    flow.itself = flow  # so that only the collector takes it
    shiboken6.delete(outer)
    del flow, outer
    listed = shiboken6.getAllValidWrappers
    monkeypatch.setattr(shiboken6, "getAllValidWrappers", lambda: (listed(), gc.collect())[0])
    assert not stray_items()
