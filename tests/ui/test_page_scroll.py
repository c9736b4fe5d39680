"""What scrolls a page that is too high for its window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QScrollBar, QVBoxLayout, QWidget

from attention_explorer.kit.controls.made import FlowLayout
from attention_explorer.kit.controls.panel_scroll import PageScroll

WIDE, HIGH = 420, 120
"""Pixels; four buttons stand side by side in 420, and no longer in 420 less a scroll bar."""


@pytest.fixture
def scroll(qtbot):
    """A page of a bar of buttons, and a picture that has just room below it while the bar has one line."""
    content = QWidget()
    column, line = QVBoxLayout(content), QWidget()
    column.setContentsMargins(0, 0, 0, 0)
    flow = FlowLayout(line)
    for _ in range(4):
        button = QPushButton("x")
        button.setFixedSize(100, 20)
        flow.addWidget(button)
    column.addWidget(line)
    picture = QWidget()
    picture.setMinimumHeight(HIGH - 20 - column.spacing())
    column.addWidget(picture, 1)
    scroll = PageScroll(content)
    scroll.setFrameShape(PageScroll.Shape.NoFrame)
    qtbot.addWidget(scroll)
    scroll.resize(WIDE, HIGH)
    scroll.show()
    QApplication.processEvents()
    return scroll


def shown_bar(scroll: PageScroll) -> QScrollBar | None:
    """Return the vertical bar that is to be seen."""
    bars = [bar for bar in scroll.findChildren(QScrollBar) if bar.orientation() is Qt.Orientation.Vertical]
    return next((bar for bar in bars if bar.isVisible()), None)


@pytest.mark.parametrize("before", [(WIDE, HIGH + 100), (WIDE, HIGH - 60), (WIDE - 50, HIGH - 60)])
def test_a_page_that_fits_does_not_scroll_whatever_size_it_had_before(scroll, before):
    for size in (before, (WIDE, HIGH)):
        scroll.resize(*size)
        QApplication.processEvents()
    assert scroll.verticalScrollBar().maximum() == 0
    assert scroll.widget().height() == HIGH
    assert shown_bar(scroll) is None


def test_a_page_that_does_not_fit_is_scrolled_with_a_bar_that_takes_no_width(scroll):
    scroll.resize(WIDE, HIGH - 60)
    QApplication.processEvents()
    bar = shown_bar(scroll)
    assert bar is not None
    assert scroll.widget().width() == WIDE
    below = QPoint(bar.width() // 2, bar.height() - 2)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=below)
    assert scroll.widget().y() == -bar.value() < 0
    scroll.verticalScrollBar().setValue(7)  # as Tab and the wheel do
    assert bar.value() == 7
