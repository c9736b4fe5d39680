"""Sliders: the handle is a whole disc on every page, at every size of the window's text, with and without the focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QTabWidget

from attention_explorer.pages.ready_made import PAGE_IDS
from attention_explorer.session.settings import ZOOM_STEPS, Settings, ThemeChoice

if TYPE_CHECKING:
    from attention_explorer.window.window import MainWindow


def is_whole(slider: QSlider, colour: str) -> bool:
    """Is the handle inside the slider, and painted as high as wide? No other part of a slider has its colour."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    handle = slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)
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
        for tabs in window.page.findChildren(QTabWidget):
            for index in range(1, tabs.count()):
                tabs.setCurrentIndex(index)
                found += faults_of(window)
    assert len(found) > 10
    assert not any(found), "\n".join(found)
