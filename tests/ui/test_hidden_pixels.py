"""A picture that nobody sees keeps no pixels: on a large screen those of all pages would be half a gigabyte."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.pictures import pointed_picture
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.settings import Settings
from attention_explorer.window.window import MainWindow

LARGE = 64 * 64
"""Pixels of more than an icon or a name."""


def large_pixmaps(page: QWidget) -> list[QPixmap]:
    """Return what the widgets of a page keep painted: Python objects that their attributes lead to."""
    found = list[QPixmap]()
    for widget in page.findChildren(QWidget):
        todo: list[object] = list(vars(widget).values())
        while todo:
            value = todo.pop()
            if isinstance(value, QPixmap) and value.width() * value.height() > LARGE:
                found.append(value)
            elif isinstance(value, tuple | list | dict):
                todo.extend(gc.get_referents(value))
    return found


@pytest.fixture
def window(make_window, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(pointed_picture, "FORGET_AFTER_MILLISECONDS", 1)
    window: MainWindow = make_window(settings=Settings())
    window.resize(1280, 800)
    return window


@pytest.mark.parametrize("name", [entry.id for entry in PAGES if entry.id != "training"])
def test_a_page_that_is_left_keeps_no_pixels_and_its_pictures_come_back_the_same(window, qtbot, name) -> None:
    other = next(entry.id for entry in PAGES if entry.id != name)
    for each in (name, other, name):  # it is laid out in the size of the window only when it is shown
        window.show_page(each)
        window.page.settle()
        qtbot.wait(1)
    page = window.page
    pictures = [each for each in page.findChildren(QWidget) if hasattr(each, "forget_pixels") and each.isVisible()]
    before = [each.grab().toImage() for each in pictures]
    assert large_pixmaps(page)
    window.show_page(other)
    qtbot.waitUntil(lambda: not large_pixmaps(page))
    window.show_page(name)
    page.settle()
    assert [each.grab().toImage() for each in pictures] == before
