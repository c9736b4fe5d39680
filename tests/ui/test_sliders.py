"""Sliders: the handle is a whole disc at every size of the window's text, and comes to where the slider is pressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider

from attention_explorer.kit.controls.sliding_number import Slider
from attention_explorer.pages.registry import PAGE_IDS, find_preset
from attention_explorer.session.settings import ZOOM_STEPS, Settings, ThemeChoice

if TYPE_CHECKING:
    from attention_explorer.window.window import MainWindow


def handle_of(slider: QSlider) -> QRect:
    """Where the handle of a slider is."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)


def is_whole(slider: QSlider, colour: str) -> bool:
    """Is the handle inside the slider, and painted as high as wide? No other part of a slider has its colour."""
    handle = handle_of(slider)
    image = slider.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    rows, columns = np.nonzero(pixels == QColor(colour).rgb())
    return slider.rect().contains(handle) and bool(np.ptp(rows) == np.ptp(columns))


def faults_of(window: MainWindow) -> Iterator[str]:
    """Yield for each slider on show, with and without the focus, what is wrong with its handle, or ''."""
    for slider in window.page.findChildren(QSlider):
        if slider.isVisible() and slider.isEnabled():
            for move in (slider.setFocus, slider.clearFocus):
                move()
                whole = is_whole(slider, window.look.theme.strong)
                yield "" if whole else f"the handle of {slider.accessibleName()} is cut"


@pytest.mark.parametrize("zoom", ZOOM_STEPS)
def test_no_handle_of_a_slider_is_cut(make_window, zoom):
    window, found = make_window(settings=Settings(theme=ThemeChoice.LIGHT, zoom=zoom)), []
    for page in PAGE_IDS:
        window.show_page(page)
        window.page.settle()
        found += faults_of(window)
        if page == "heads":
            window.page.open_drawer(True)  # which has sliders of its own
            QApplication.processEvents()
            found += faults_of(window)
            window.page.open_drawer(False)
    window.show_preset(find_preset("descent", "lookup"))
    QTest.mouseClick(window.page.descent.step, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert window.page.descent.way.isVisible()
    found += faults_of(window)
    assert len(found) > 10
    assert not any(found), "\n".join(found)


def is_under(slider: QSlider, x: float, steps: int = 1) -> bool:
    """Is the handle at a place, as near as so many of its steps let it be?"""
    handle = handle_of(slider)
    a_step = steps * (slider.width() - handle.width()) / (slider.maximum() - slider.minimum())
    return abs(handle.center().x() - x) <= a_step / 2 + 2


def empty_place(slider: QSlider) -> float:
    """Return a place in a slider that is far from its handle."""
    is_left = handle_of(slider).center().x() < slider.width() / 2
    return slider.width() * (0.8 if is_left else 0.2)


@pytest.fixture
def first_slider(make_window):
    """Open a window on a page, and return its first slider that can be moved."""

    def find(page: str) -> tuple[MainWindow, QSlider]:
        window = make_window(settings=Settings(page=page))
        window.resize(1280, 1200)
        window.show()
        QApplication.processEvents()
        sliders = [each for each in window.page.findChildren(QSlider) if each.isVisible() and each.isEnabled()]
        return window, sliders[0]

    return find


@pytest.mark.parametrize("page", ["lookup", "heads", "positions", "lab"])
def test_a_slider_comes_to_where_it_is_pressed_and_follows(first_slider, hand, page):
    window, slider = first_slider(page)
    before, value, place = window.session.state, slider.value(), empty_place(slider)
    middle, mouse = slider.height() / 2, hand(slider)
    mouse.press(QPointF(place, middle))
    assert is_under(slider, place)
    assert window.session.is_previewing
    for x in (place + 15.0, slider.width() / 2, slider.width() * 0.4):
        mouse.move(QPointF(x, middle))
        assert is_under(slider, x)
    mouse.release()
    assert is_under(slider, slider.width() * 0.4, slider.singleStep())  # between stops there is nothing to stay at
    assert len(window.session.history) + len(window.session.views) == 1  # which position is looked at is a view
    window.session.undo()
    window.session.go_back()
    assert window.session.state == before
    assert slider.value() == value


def test_pressed_beside_its_knob_a_slider_is_put_back_by_escape(first_slider, hand):
    window, slider = first_slider("lab")
    before, value = window.session.state, slider.value()
    mouse = hand(slider)
    mouse.press(QPointF(empty_place(slider), slider.height() / 2))
    assert window.session.state != before
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    assert window.session.state == before
    mouse.release()
    assert window.session.state == before
    assert slider.value() == value
    assert not window.session.can_undo


def test_a_click_beside_the_knob_is_one_step(first_slider, hand):
    window, slider = first_slider("lookup")
    mouse, place = hand(slider), empty_place(slider)
    mouse.press(QPointF(place, slider.height() / 2))
    mouse.release()
    assert is_under(slider, place)
    assert window.session.undo_text == "Change temperature"
    assert len(window.session.history) == 1


def test_a_double_click_beside_the_knob_resets_in_one_step(first_slider, hand):
    window, slider = first_slider("lookup")
    window.session._clock = lambda: 0.0  # however slow the machine is
    window.page.main.slider_of(window.page.view).box.setValue(3.0)
    before = window.session.state
    hand(slider).double_click(QPointF(slider.width() * 0.1, slider.height() / 2))
    assert window.session.state.lookup.temperature == 1.0
    window.session.undo()
    assert window.session.state == before


def test_another_button_of_the_mouse_moves_nothing(first_slider, hand):
    window, slider = first_slider("lookup")
    mouse = hand(slider)
    mouse.press(QPointF(empty_place(slider), slider.height() / 2), Qt.MouseButton.RightButton)
    mouse.release(Qt.MouseButton.RightButton)
    assert not window.session.can_undo


def test_every_slider_of_a_page_does_so(make_window):
    window, found = make_window(), []
    for page in PAGE_IDS:
        window.show_page(page)
        if page == "layer":  # which makes them when they are first needed
            for view in window.page.views:
                window.page.show_view(view)
        found += window.page.findChildren(QSlider)
    assert len(found) > 5
    assert not [slider.accessibleName() for slider in found if not isinstance(slider, Slider)]
