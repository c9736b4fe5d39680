"""The window with all arrays: it follows the page, its symbols lead to arrays, and its numbers can be typed."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import numbers_in, pixels
from PySide6.QtCore import QModelIndex, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QTableView

from attention_explorer.pages.heads.array import ArrayKind, arrays_of
from attention_explorer.pages.heads.arrays import head_array
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.ui.arrays_window import ArraysWindow
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.sources.recipe import TokenVectors


def open_arrays(driver) -> ArraysWindow:
    driver.key(Qt.Key.Key_A)
    QApplication.processEvents()
    window = driver.page.arrays
    assert window is not None
    assert window.isVisible()
    window.show_array(ArrayKind.Q)
    return window


def click(widget, place: QPointF) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place.toPoint())


def type_number(table: QTableView, row: int, column: int, text: str) -> None:
    """Double click a number and type another."""
    index = table.model().index(row, column)
    table.scrollTo(index)
    place = table.visualRect(index).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (editor,) = [line for line in table.findChildren(QLineEdit) if line.isVisible()]
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()


@pytest.fixture
def three_words(open_heads):
    driver = open_heads(heads_preset("dot-products").state)
    window = open_arrays(driver)
    window.tabs.setCurrentIndex(1)
    QApplication.processEvents()
    return driver, window


def test_the_button_and_the_key_open_it(driver):
    window = open_arrays(driver)
    window.close()
    assert not window.isVisible()
    driver.window.activateWindow()
    QApplication.processEvents()
    driver.key(Qt.Key.Key_A)
    assert window.isVisible()


def test_every_array_is_a_click_away(driver):
    window = open_arrays(driver)
    for kind in arrays_of(driver.frame):
        click(window.grid, window.grid.place_of(kind).center())
        array = head_array(driver.frame, kind)
        assert window.detail.array.kind is kind
        assert f"Where it comes from: {array.source}" in window.detail.words.text()
        assert str(array.shape) in window.detail.words.text()


def test_the_symbols_of_the_formula_lead_to_their_matrices(driver):
    window = open_arrays(driver)
    for bar in (window.formula, window.projections):
        for kind, button in bar.symbols:
            driver.press(button)
            assert window.detail.array.kind is kind
    assert [button.text() for _, button in window.formula.symbols] == ["head 1", "softmax", "Q", "Kᵀ", "÷ √8", "V"]


def test_arrow_keys_walk_through_the_arrays(driver):
    window = open_arrays(driver)
    window.grid.setFocus()
    assert window.detail.array.kind is ArrayKind.Q
    for key, kind in (
        (Qt.Key.Key_Right, ArrayKind.K),
        (Qt.Key.Key_Up, ArrayKind.W_K),
        (Qt.Key.Key_Left, ArrayKind.W_Q),
        (Qt.Key.Key_Left, ArrayKind.X),
        (Qt.Key.Key_Left, ArrayKind.X),
    ):
        QTest.keyClick(window.grid, key)
        assert window.detail.array.kind is kind


def test_pointing_reads_the_number_and_a_click_keeps_it(driver):
    window = open_arrays(driver)
    matrix = window.detail.matrix
    layout = matrix.map_layout()
    driver.hand(matrix).move(QPointF(1, 1))
    driver.hand(matrix).move(layout.rectangle(1, 4).center())
    value = head_array(driver.frame, ArrayKind.Q).values[1, 4]
    assert window.detail.said.text().startswith("Q[cat, 5] = ")
    assert numbers_in(window.detail.said.text())[1] == value
    assert "row “cat” of X times column 5 of W_Q" in window.detail.said.text()
    driver.click(layout.rectangle(2, 0).center(), matrix)
    driver.hand(matrix).move(QPointF(1, 1))
    assert window.detail.said.text().startswith("Q[sat, 1] = ")
    QTest.keyClick(matrix, Qt.Key.Key_Down)
    assert window.detail.said.text().startswith("Q[on, 1] = ")


def test_numbers_are_shown_on_demand_and_copied(driver):
    window = open_arrays(driver)
    window.show_array(ArrayKind.WEIGHTS)
    assert not window.detail.table.isVisible()
    driver.press(window.detail.ways.buttons[True])
    assert window.detail.table.isVisible()
    weights = driver.frame.head_map.weights()
    model = window.detail.model
    shown = [[float(model.data(model.index(i, j))) for j in range(11)] for i in range(11)]
    assert np.array_equal(shown, weights)
    window.detail.table.setFocus()
    QTest.keyClick(window.detail.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert rows[0][:3] == ["query", "The", "cat"]
    assert [float(cell) for cell in rows[1][1:]] == weights[0].tolist()


def test_it_follows_the_page_and_the_page_follows_it(driver):
    window = open_arrays(driver)
    QTest.keyClick(window.grid, Qt.Key.Key_N)
    assert window.head.currentText() == "head 2"
    assert "columns 9–16 of 64, those of head 2" in window.detail.words.text()
    window.head.setFocus()
    QTest.keyClick(window.head, Qt.Key.Key_Down)
    assert driver.heads.setup.head == 2
    assert driver.back_text == "Show head 3"
    driver.back()
    assert window.head.currentText() == "head 2"
    driver.window.activateWindow()
    QApplication.processEvents()
    driver.key(Qt.Key.Key_P)
    assert window.head.currentText() == "head 1"


def test_it_goes_with_the_page(driver):
    window = open_arrays(driver)
    QTest.mouseClick(driver.window._rail_buttons["lookup"][0], Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert not window.isVisible()
    QTest.mouseClick(driver.window._rail_buttons["heads"][0], Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert driver.page.isVisible()


def test_another_shape_is_explained_and_does_not_look_like_an_error(open_heads):
    driver = open_heads(heads_preset("three-token").state)
    window = open_arrays(driver)
    click(window.grid, window.grid.place_of(ArrayKind.HEAD_OUTPUT).center())
    assert "A·V (3, 2) need not have the shape of X (3, 4)" in window.detail.words.text()
    window.show_array(ArrayKind.Q)
    picture, weights, found = (
        pixels(window.grid.grab(window.grid.place_of(kind).toRect().adjusted(0, 0, 0, -80)).toImage())
        for kind in (ArrayKind.Q, ArrayKind.WEIGHTS, ArrayKind.HEAD_OUTPUT)
    )
    assert (found[1, 20:100] == weights[1, 20:100]).all(), "a frame as every other"
    assert (found[1, 20:100] != picture[1, 20:100]).any(), "which that of the chosen one is not"


def test_w_o_is_whole_with_the_rows_of_the_head_framed(open_heads):
    driver = open_heads()
    window = open_arrays(driver)
    window.show_array(ArrayKind.W_O)
    assert "W_O  (64, 64): mixes the heads" in window.detail.words.text()
    first = window.detail.matrix.grab().toImage()
    driver.key(Qt.Key.Key_N)
    assert "rows 9–16 of 64, those of head 2" in window.detail.words.text()
    assert window.detail.matrix.grab().toImage() != first, "the frame has moved"


def test_many_numbers_come_from_a_worker_and_the_old_ones_stay_till_then(open_heads, qtbot):
    driver = open_heads()
    window = open_arrays(driver)
    before = window.detail.array
    sentence = " ".join(f"w{i}" for i in range(120))
    state = driver.window.session.state
    driver.window.session.apply(replace(state, heads=state.heads.with_recipe(sentence=sentence)), "Long")
    qtbot.waitUntil(lambda: driver.page._frame is not None and driver.page._frame.shape == (120, 120))
    assert window.detail.array is before
    assert window.jobs.is_busy()
    qtbot.waitUntil(lambda: window.detail.array is not before)
    np.testing.assert_array_equal(window.detail.array.values, driver.page._frame.layers[0].q[0])
    qtbot.waitUntil(lambda: not window.jobs.is_busy())
    window.show_array(ArrayKind.OUTPUT)  # from what is there
    assert not window.jobs.is_busy()
    assert window.detail.array.shape == (120, 64)


def test_too_many_tokens_are_refused_in_words(open_heads, qtbot):
    driver = open_heads()
    window = open_arrays(driver)
    state = driver.window.session.state
    recipe = state.heads.with_recipe(sentence=" ".join(["w"] * 513), d_model=4, heads=1)
    driver.window.session.apply(replace(state, heads=recipe), "Too long")
    qtbot.waitUntil(lambda: window.reason.isVisible(), timeout=10000)
    assert "up to 512 tokens, and there are 513" in window.reason.text()
    assert not window.grid.isVisible()
    driver.undo()
    qtbot.waitUntil(lambda: window.grid.isVisible(), timeout=10000)


def test_values_longer_than_queries_are_chosen_and_seen(driver):
    window = open_arrays(driver)
    window.show_array(ArrayKind.V)
    driver.page.open_drawer(True)
    random = driver.page.drawer_parts.random
    d_v = random.form.controls["value_width"]
    assert (d_v.text(), random.as_d_k.isChecked()) == ("8", True)
    driver.window.activateWindow()
    driver.type_into(d_v, "5")
    QApplication.processEvents()
    assert driver.heads.setup.recipe.d_v == 5
    assert "V  (11, 5) of (8, 11, 5)" in window.detail.words.text()
    assert "d_v 5" in driver.page.also.text()
    assert not random.as_d_k.isChecked()
    driver.press(random.as_d_k)
    assert driver.heads.setup.recipe.d_v is None
    assert "V  (11, 8)" in window.detail.words.text()


def test_heads_made_by_hand_show_what_they_have(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    window = open_arrays(driver)
    assert window.head.currentText() == "antecedent of “it”"
    assert window.grid.place_of(ArrayKind.W_Q).isEmpty()
    assert not window.projections.isVisible()
    window.tabs.setCurrentIndex(1)
    assert "Hand-made heads have no embeddings" in window.embeddings.words.text()
    driver.press(window.embeddings.tutorial)
    assert driver.heads == heads_preset("dot-products").state
    assert window.embeddings.table.isVisible()


def test_the_three_words_are_compared(three_words):
    driver, window = three_words
    part = window.embeddings
    assert part.products.text().splitlines()[0].endswith("= 0.72 + 0.02 + 0.56 + 0.06 = 1.36")
    layout = part.dots.map_layout()
    driver.click(layout.rectangle(1, 2).center(), part.dots)
    driver.hand(part.dots).move(QPointF(1, 1))
    assert part.products.text().splitlines()[0].startswith("sat · mat = 0.1·0.8")
    assert part.products.text().splitlines()[0].endswith("= 0.68")
    assert part.cosines.chosen == (1, 2)
    assert "“mat” matches “cat” better than itself" in part.verdict.text()


def test_a_typed_number_changes_every_picture_and_can_be_undone(three_words):
    driver, window = three_words
    before = driver.heads
    type_number(window.embeddings.table, 2, 0, "2,5")
    assert driver.heads.setup.recipe.given[2] == (2.5, 0.2, 0.7, 0.3)
    assert driver.undo_text == "Change “mat”"
    assert "= 2.89" in window.embeddings.products.text()  # 0.9·2.5 + 0.02 + 0.56 + 0.06
    raw = driver.frame.head_map.scores()
    assert raw is not None
    assert driver.frame.layers[0].q[0][2, 0] == 2.5
    assert window.embeddings.model.data(window.embeddings.model.index(2, 0)) == "2.5"
    driver.undo()
    assert driver.heads == before
    assert "= 1.36" in window.embeddings.products.text()


def test_what_is_no_number_is_refused_in_words(three_words):
    driver, window = three_words
    before = driver.heads
    type_number(window.embeddings.table, 0, 0, "much")
    assert driver.heads == before
    assert "“much” is not a number" in window.warning.text()
    assert window.warning.isVisible()
    window.tabs.setCurrentIndex(0)
    assert not window.warning.isVisible(), "it was about another tab"
    window.tabs.setCurrentIndex(1)
    type_number(window.embeddings.table, 0, 0, "much")
    type_number(window.embeddings.table, 0, 0, "1")
    assert not window.warning.isVisible()


def test_lengths_cannot_be_typed(three_words):
    _, window = three_words
    model = window.embeddings.model
    assert not model.flags(model.index(0, 4)) & Qt.ItemFlag.ItemIsEditable
    assert model.flags(model.index(0, 3)) & Qt.ItemFlag.ItemIsEditable
    assert model.rowCount(QModelIndex()) == 3


def test_random_vectors_are_edited_after_they_were_made_ones_own(driver):
    window = open_arrays(driver)
    window.tabs.setCurrentIndex(1)
    part = window.embeddings
    assert not part.model.flags(part.model.index(1, 0)) & Qt.ItemFlag.ItemIsEditable
    q = driver.frame.layers[0].q.copy()
    driver.press(part.edit)
    assert driver.heads.setup.recipe.vectors is TokenVectors.GIVEN
    assert np.array_equal(driver.frame.layers[0].q, q)
    assert not part.edit.isVisible()
    type_number(window.embeddings.table, 1, 0, "-3")
    assert driver.frame.layers[0].x[1, 0] == -3.0
    driver.undo()
    driver.undo()
    assert driver.heads.setup.recipe.vectors is TokenVectors.BY_WORD


@pytest.mark.parametrize("theme", list(ThemeChoice)[-2:])
@pytest.mark.parametrize(("zoom", "size"), [(1.0, (1280, 800)), (1.0, (2560, 1440)), (2.0, (1280, 800))])
def test_it_fits_the_screen_and_cuts_nothing_off(open_heads, theme, zoom, size):
    driver = open_heads(heads_preset("stacked").state, theme=theme, zoom=zoom, size=size)
    window = open_arrays(driver)
    window.resize(min(round(1080 * zoom), size[0] - 40), min(round(740 * zoom), size[1] - 60))
    QApplication.processEvents()
    assert window._arrays_area.horizontalScrollBar().maximum() == 0
    for button in window.findChildren(QPushButton):
        if button.isVisible():
            assert button.width() >= button.minimumSizeHint().width(), button.text()
    window.tabs.setCurrentIndex(1)
    QApplication.processEvents()
    part = window.embeddings
    assert part.products.height() >= part.products.heightForWidth(part.products.width())
    assert part.dots.width() > 180 * zoom


# ---- The table for “it” ----


def open_table(driver) -> ArraysWindow:
    window = open_arrays(driver)
    window.tabs.setCurrentIndex(2)
    QApplication.processEvents()
    return window


def it_row(window: ArraysWindow, row: int) -> list[str]:
    model = window.it_table.model
    return [str(model.data(model.index(row, column))) for column in range(model.columnCount())]


def heading(window: ArraysWindow) -> str:
    model = window.it_table.model
    return str(model.headerData(model.columnCount() - 1, Qt.Orientation.Horizontal))


def test_the_table_of_the_tutorial_is_shown(open_heads):
    window = open_table(open_heads(heads_preset("hand-made").state))
    assert it_row(window, 1) == ["8", "0.0800", "+2.079", "2.197", "Could be the referent"]
    assert it_row(window, 5) == ["72", "0.7200", "+4.277", "0.000", "Most likely referent — “it” = mat"]
    table = window.it_table.table
    assert table.columnWidth(0) == 96
    assert sum(map(table.columnWidth, range(5))) == table.viewport().width(), "the reasons have the rest of the room"
    model = window.it_table.model
    assert "Could be the referent" in model.data(model.index(1, 1), Qt.ItemDataRole.ToolTipRole)
    assert model.headerData(3, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole) == "Preposition, irrelevant"


def test_a_typed_share_moves_the_head_and_is_undone(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    window = open_table(driver)
    before = driver.heads
    type_number(window.it_table.table, 1, 0, "72")
    assert driver.frame.head_map.weights()[7, 1] == pytest.approx(72 / 164)
    assert it_row(window, 1)[1] == "0.4390"
    assert window.it_table.back.isEnabled()
    driver.press(window.it_table.divide)
    assert it_row(window, 1)[1] == "0.4390"
    assert it_row(window, 1)[0] == "0.439"
    driver.press(window.it_table.back)
    assert driver.heads == before
    for _ in range(3):
        driver.undo()
    assert driver.heads == before


def test_a_typed_score_and_a_refused_one(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    window = open_table(driver)
    type_number(window.it_table.table, 0, 2, "4.5")
    assert it_row(window, 0)[2] == "+4.500"
    assert "The most goes to “The”" in window.it_table.reading.text()
    before = driver.heads
    type_number(window.it_table.table, 0, 2, "99")
    assert driver.heads == before
    assert "from −12 to 12" in window.warning.text()


def test_the_last_word_is_swapped(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    window = open_table(driver)
    driver.press(window.it_table.last_words["tired"])
    assert driver.heads.setup.recipe.sentence.endswith("it was tired")
    assert "The most goes to “cat”: 0.720" in window.it_table.reading.text()
    assert "tutorial’s words" not in heading(window)
    assert "this program made up" in window.it_table.words.text()
    driver.press(window.it_table.last_words["soft"])
    assert "The most goes to “mat”: 0.720" in window.it_table.reading.text()
    assert heading(window) == "why, in the tutorial’s words"


def test_without_a_table_its_sentence_is_offered(driver):
    window = open_table(driver)
    assert not window.it_table.table.isVisible()
    assert "open the tutorial’s" in window.it_table.words.text()
    driver.press(window.it_table.open)
    assert driver.heads == heads_preset("hand-made").state
    assert window.it_table.table.isVisible()


def test_what_is_typed_here_is_undone_and_done_again_here(three_words):
    driver, window = three_words
    before = driver.heads
    type_number(window.embeddings.table, 0, 0, "0.5")
    typed = driver.heads
    assert typed != before
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert driver.heads == before
    QTest.keyClick(window, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert driver.heads == typed
