"""The slider that adds a constant, and the batch of masks, under a real hand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.heads.checks import Check, Experiment, carry_out
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.session.settings import ThemeChoice


def on_the_check(driver, check: Check):
    driver.page.tabs.setCurrentIndex(2)
    panel = driver.page.checks
    panel.choice.setFocus()
    while panel.choice.currentText() != check.value:
        QTest.keyClick(panel.choice, Qt.Key.Key_Down)
    QApplication.processEvents()
    return panel


def test_the_slider_adds_a_constant_and_the_weights_stay(driver):
    panel = on_the_check(driver, Check.CONSTANT)
    row = driver.heads.view.row
    assert panel.constant.isVisible()
    assert not panel.token.isVisible()
    before = panel.tables[0].text().splitlines()
    panel.constant.setFocus()
    for _ in range(3):
        QTest.keyClick(panel.constant, Qt.Key.Key_Right)
    assert panel.experiment.constant == 6.5
    assert panel.added.text() == "+6.5"
    assert panel.result.text() == carry_out(driver.frame, Experiment(Check.CONSTANT, row=row, constant=6.5)).result
    after = panel.tables[0].text().splitlines()
    assert [line.split(" | ")[3:] for line in before[1:]] == [line.split(" | ")[3:] for line in after[1:]]
    assert [line.split(" | ")[2] for line in before[1:]] != [line.split(" | ")[2] for line in after[1:]]


def test_a_drag_of_the_slider_is_no_change_of_the_setup(driver):
    panel = on_the_check(driver, Check.CONSTANT)
    setup, steps = driver.heads.setup, driver.steps
    middle = panel.constant.height() / 2
    hand = driver.hand(panel.constant)
    hand.drag(QPointF(panel.constant.width() * 0.55, middle), QPointF(4, middle))
    assert panel.experiment.constant < -30
    assert "moves no weight" in panel.result.text()
    assert (driver.heads.setup, driver.steps) == (setup, steps)


def test_a_batch_of_masks_is_shown(driver):
    panel = on_the_check(driver, Check.BROADCAST)
    assert "without an error message" in panel.result.text()
    assert "Largest weight on a hidden key" in panel.tables[0].text()
    assert not panel.constant.isVisible()


def test_two_sentences_are_refused_in_words(open_heads):
    panel = on_the_check(open_heads(heads_preset("translation").state), Check.BROADCAST)
    assert "remove the second sentence" in panel.result.text()


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_the_new_experiments_are_not_cut_off(open_heads, theme, zoom):
    driver = open_heads(zoom=zoom, theme=theme)
    for check in (Check.CONSTANT, Check.BROADCAST):
        panel = on_the_check(driver, check)
        for block in (panel.look_for, panel.result, panel.notes):
            assert block.height() >= block.heightForWidth(block.width())
        table = panel.tables[0]
        assert table.column_edges()[0] > 60 * zoom  # room for the names
