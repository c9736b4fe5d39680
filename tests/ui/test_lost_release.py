"""A dialog that opens in the middle of a drag hears of the button that is let go: the drag must not go on after it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lab.scores_state import ScalingPicture, ScalingState
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.session.settings import Settings, ThemeChoice

LEFT = Qt.MouseButton.LeftButton


def place_in_window(widget, place):
    return widget.mapTo(widget.window(), place.toPoint())


def interrupted_drag(window, widget, place) -> None:
    """Drag, open a dialog, let go over it, close it, and point at where the drag began."""
    session, shown = window.session, window.windowHandle()
    start, before = place_in_window(widget, place), window.session.state
    QTest.mouseMove(shown, start)
    QTest.mousePress(shown, LEFT, Qt.KeyboardModifier.NoModifier, start)
    for step in range(1, 6):
        QTest.mouseMove(shown, start + QPoint(8 * step, 2 * step))
    assert session.state != before
    assert session.is_previewing
    window.action("about").trigger()
    QApplication.processEvents()
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    QTest.mouseRelease(dialog.windowHandle(), LEFT, Qt.KeyboardModifier.NoModifier, QPoint(5, 5))
    dialog.close()
    QApplication.processEvents()
    window.activateWindow()
    for step in range(1, 6):
        QTest.mouseMove(shown, start + QPoint(-6 * step, -2 * step))
    assert session.state == before
    assert not session.is_previewing
    assert not session.can_undo


def handle_of(slider: QSlider) -> QPointF:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return QPointF(slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center())


@pytest.fixture
def open_page(make_window):
    def make(page: str, **parts: object):
        window = make_window(
            replace(ExplorerState(), **parts), Settings(theme=ThemeChoice.LIGHT, page=page), size=(1280, 900)
        )
        window.page.settle()
        QApplication.processEvents()
        return window

    return make


def test_on_the_plane(open_page):
    window = open_page("lookup")
    canvas = window.page.canvas
    interrupted_drag(window, canvas, canvas.scene().place(QUERY))


def test_where_the_lessons_take_the_place_of_the_page(open_page):
    window = open_page("lookup")
    canvas, shown, before = window.page.canvas, window.windowHandle(), window.session.state
    start = place_in_window(canvas, canvas.scene().place(QUERY))
    QTest.mousePress(shown, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(shown, start + QPoint(40, 10))
    assert window.session.is_previewing
    QTest.keyClick(shown, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseRelease(shown, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(40, 10))
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    assert window.instead is None
    QTest.mouseMove(shown, start + QPoint(-30, -10))
    assert (window.session.state, window.session.is_previewing) == (before, False)


def test_while_the_plane_is_moved(open_page):
    window = open_page("lookup")
    canvas, shown = window.page.canvas, window.windowHandle()
    start = place_in_window(canvas, QPointF(12, 12))
    QTest.mousePress(shown, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(shown, start + QPoint(20, 20))
    window.action("about").trigger()
    QApplication.processEvents()
    camera = window.session.state.lookup.camera
    dialog = QApplication.activeModalWidget()
    QTest.mouseRelease(dialog.windowHandle(), LEFT, Qt.KeyboardModifier.NoModifier, QPoint(5, 5))
    dialog.close()
    window.activateWindow()
    QTest.mouseMove(shown, start + QPoint(60, 50))
    assert window.session.state.lookup.camera == camera
    assert not window.session.is_previewing


def test_going_back_while_the_plane_is_moved(open_page):
    window = open_page("lookup")
    canvas, shown = window.page.canvas, window.windowHandle()
    start = place_in_window(canvas, QPointF(12, 12))
    canvas.setFocus()
    QTest.keyClick(shown, Qt.Key.Key_Plus)
    QTest.mousePress(shown, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(shown, start + QPoint(20, 20))
    for _ in range(2):
        QTest.keyClick(shown, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    before = window.session.state
    assert before == ExplorerState()
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    QTest.mouseRelease(shown, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(20, 20))
    assert window.session.state == before
    assert not window.session.is_previewing


@pytest.mark.parametrize(
    ("page", "part"),
    [
        ("cost", {"cost": CostState(picture=CostPicture.GROWTH)}),
        ("scaling", {"scaling": ScalingState(picture=ScalingPicture.BENCH)}),
    ],
)
def test_on_a_picture(open_page, page, part):
    window = open_page(page, **part)  # by the name of a page that is in Lab now
    canvas = window.page.canvas
    window.page.canvas.setFocus()
    places = (QPointF(x, y) for y in range(5, canvas.height(), 6) for x in range(5, canvas.width(), 6))
    held = (place for place in places if canvas._drawing.grab(canvas.picture, canvas.picture_layout, place) is not None)
    interrupted_drag(window, canvas, next(held))


def test_while_the_mask_is_painted(open_page):
    window = open_page("heads", heads=HeadsState())
    window.page.map_controls.paint.setChecked(True)
    canvas = window.page.canvas
    interrupted_drag(window, canvas, canvas.cell_box(4, 4).center())


@pytest.mark.parametrize("page", ["lookup", "positions", "heads"])
def test_on_a_slider(open_page, page):
    window = open_page(page)
    window.resize(1280, 1400)
    QApplication.processEvents()
    slider = next(
        each
        for each in window.page.findChildren(QSlider)
        if each.isEnabled() and each.visibleRegion().contains(handle_of(each).toPoint())
    )
    value = slider.value()
    interrupted_drag(window, slider, handle_of(slider))
    assert slider.value() == value


def test_esc_puts_the_temperature_back(open_page):
    window = open_page("lookup")
    slider, before = window.page.main.slider_of(window.page.view).slider, window.session.state
    value = slider.value()
    QTest.mousePress(slider, LEFT, Qt.KeyboardModifier.NoModifier, handle_of(slider).toPoint())
    QTest.mouseMove(slider, handle_of(slider).toPoint() + QPoint(30, 0))
    assert window.session.state != before
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    assert window.session.state == before
    QTest.mouseRelease(slider, LEFT)
    assert not window.session.can_undo
    assert slider.value() == value
