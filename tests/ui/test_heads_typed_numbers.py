"""The tables of the drawer whose numbers can be typed: vectors of random heads, and what “it” attends to."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QTableView

from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.ui.embeddings_part import EmbeddingsPart
from attention_explorer.pages.heads.ui.it_table_part import ItTablePart
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.sources.recipe import TokenVectors


def open_drawer(driver):
    """Open the drawer, and return its sections."""
    driver.page.open_drawer(True)
    driver.page.settle()
    QApplication.processEvents()
    return driver.page.drawer_parts


def embeddings_of(driver) -> EmbeddingsPart:
    return open_drawer(driver).embeddings


def table_of(driver) -> ItTablePart:
    return open_drawer(driver).it_table


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
    return driver, embeddings_of(driver)


def test_only_what_has_numbers_to_type_has_the_sections(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    parts = open_drawer(driver)
    assert parts.it_table.isVisible()
    assert "embeddings" not in parts.__dict__
    state = driver.window.session.state
    driver.window.session.apply(replace(state, heads=heads_preset("dot-products").state), "Other heads")
    driver.page.settle()
    QApplication.processEvents()
    assert parts.embeddings.isVisible()
    assert not parts.it_table.isVisible()


def test_values_longer_than_queries_are_chosen_and_seen(driver):
    random = open_drawer(driver).random
    d_v = random.form.controls["value_width"]
    assert (d_v.text(), random.as_d_k.isChecked()) == ("8", True)
    driver.type_into(d_v, "5")
    QApplication.processEvents()
    assert driver.heads.setup.recipe.d_v == 5
    assert driver.frame.layers[0].v.shape == (8, 11, 5)
    assert "d_v 5" in driver.page.also.text()
    assert not random.as_d_k.isChecked()
    driver.press(random.as_d_k)
    assert driver.heads.setup.recipe.d_v is None


def test_the_three_words_are_compared(three_words):
    driver, part = three_words
    assert part.products.text().splitlines()[0].endswith("= 0.72 + 0.02 + 0.56 + 0.06 = 1.36")
    layout = part.dots.map_layout()
    driver.click(layout.rectangle(1, 2).center(), part.dots)
    driver.hand(part.dots).move(QPointF(1, 1))
    assert part.products.text().splitlines()[0].startswith("sat · mat = 0.1·0.8")
    assert part.products.text().splitlines()[0].endswith("= 0.68")
    assert part.cosines.chosen == (1, 2)
    assert "“mat” matches “cat” better than itself" in part.verdict.text()


def test_a_typed_number_changes_every_picture_and_can_be_undone(three_words):
    driver, part = three_words
    before = driver.heads
    type_number(part.table, 2, 0, "2,5")
    assert driver.heads.setup.recipe.given[2] == (2.5, 0.2, 0.7, 0.3)
    assert driver.undo_text == "Change “mat”"
    assert "= 2.89" in part.products.text()  # 0.9·2.5 + 0.02 + 0.56 + 0.06
    raw = driver.frame.head_map.scores()
    assert raw is not None
    assert driver.frame.layers[0].q[0][2, 0] == 2.5
    assert part.model.data(part.model.index(2, 0)) == "2.5"
    driver.undo()
    assert driver.heads == before
    assert "= 1.36" in part.products.text()


def test_what_is_no_number_is_refused_in_words(three_words):
    driver, part = three_words
    before = driver.heads
    type_number(part.table, 0, 0, "much")
    assert driver.heads == before
    assert "“much” is not a number" in driver.window.statusBar().currentMessage()
    type_number(part.table, 0, 0, "1")
    assert driver.heads.setup.recipe.given[0][0] == 1.0


def test_all_rows_of_a_few_words_are_seen(three_words):
    _, part = three_words
    assert not part.table.verticalScrollBar().isVisible()
    assert not part.table.horizontalScrollBar().isVisible()


def test_lengths_cannot_be_typed(three_words):
    _, part = three_words
    model = part.model
    assert not model.flags(model.index(0, 4)) & Qt.ItemFlag.ItemIsEditable
    assert model.flags(model.index(0, 3)) & Qt.ItemFlag.ItemIsEditable
    assert model.rowCount(QModelIndex()) == 3


def test_random_vectors_are_edited_after_they_were_made_ones_own(driver):
    part = embeddings_of(driver)
    assert not part.model.flags(part.model.index(1, 0)) & Qt.ItemFlag.ItemIsEditable
    q = driver.frame.layers[0].q.copy()
    driver.press(part.edit)
    assert driver.heads.setup.recipe.vectors is TokenVectors.GIVEN
    assert np.array_equal(driver.frame.layers[0].q, q)
    assert not part.edit.isVisible()
    type_number(part.table, 1, 0, "-3")
    assert driver.frame.layers[0].x[1, 0] == -3.0
    driver.undo()
    driver.undo()
    assert driver.heads.setup.recipe.vectors is TokenVectors.BY_WORD


def test_what_is_compared_is_copied_with_every_digit(three_words):
    driver, part = three_words
    driver.press(part.copy)
    rows = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text())))
    assert rows[0][:2] == ["token", "x1"]
    assert float(rows[1][7]) == part._table.dots[0, 2]


@pytest.mark.parametrize("theme", list(ThemeChoice)[-2:])
@pytest.mark.parametrize(("zoom", "size"), [(1.0, (1280, 800)), (1.0, (2560, 1440)), (2.0, (1280, 800))])
@pytest.mark.parametrize("name", ["dot-products", "hand-made"])
def test_the_sections_cut_nothing_off(open_heads, theme, zoom, size, name):
    driver = open_heads(heads_preset(name).state, theme=theme, zoom=zoom, size=size)
    parts = open_drawer(driver)
    part = parts.embeddings if name == "dot-products" else parts.it_table
    assert driver.page._panel_scroll.horizontalScrollBar().maximum() == 0
    for button in part.findChildren(QPushButton):
        if button.isVisible():
            assert button.width() >= button.minimumSizeHint().width(), button.text()
    words = part.products if name == "dot-products" else part.reading
    assert words.height() >= words.heightForWidth(words.width())


# ---- The table for “it” ----


def it_row(part: ItTablePart, row: int) -> list[str]:
    model = part.model
    return [str(model.data(model.index(row, column))) for column in range(model.columnCount())]


def heading(part: ItTablePart) -> str:
    model = part.model
    return str(model.headerData(model.columnCount() - 1, Qt.Orientation.Horizontal))


def test_the_table_of_the_tutorial_is_shown(open_heads):
    part = table_of(open_heads(heads_preset("hand-made").state))
    assert it_row(part, 1) == ["8", "0.0800", "+2.079", "2.197", "Could be the referent"]
    assert it_row(part, 5) == ["72", "0.7200", "+4.277", "0.000", "Most likely referent — “it” = mat"]
    table = part.table
    assert not table.verticalScrollBar().isVisible(), "all rows are seen"
    model = part.model
    assert "Could be the referent" in model.data(model.index(1, 1), Qt.ItemDataRole.ToolTipRole)
    assert model.headerData(3, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole) == "Preposition, irrelevant"


def test_a_typed_share_moves_the_head_and_is_undone(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    part = table_of(driver)
    before = driver.heads
    type_number(part.table, 1, 0, "72")
    assert driver.frame.head_map.weights()[7, 1] == pytest.approx(72 / 164)
    assert it_row(part, 1)[1] == "0.4390"
    assert part.back.isEnabled()
    driver.press(part.divide)
    assert it_row(part, 1)[1] == "0.4390"
    assert it_row(part, 1)[0] == "0.439"
    driver.press(part.back)
    assert driver.heads == before
    for _ in range(3):
        driver.undo()
    assert driver.heads == before


def test_a_typed_score_and_a_refused_one(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    part = table_of(driver)
    type_number(part.table, 0, 2, "4.5")
    assert it_row(part, 0)[2] == "+4.500"
    assert "The most goes to “The”" in part.reading.text()
    before = driver.heads
    type_number(part.table, 0, 2, "99")
    assert driver.heads == before
    assert "from −12 to 12" in driver.window.statusBar().currentMessage()


def test_the_last_word_is_swapped(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    part = table_of(driver)
    driver.press(part.last_words["tired"])
    assert driver.heads.setup.recipe.sentence.endswith("it was tired")
    assert "The most goes to “cat”: 0.720" in part.reading.text()
    assert "tutorial’s words" not in heading(part)
    assert "this program made up" in part.words.text()
    driver.press(part.last_words["soft"])
    assert "The most goes to “mat”: 0.720" in part.reading.text()
    assert heading(part) == "why, in the tutorial’s words"


def test_a_sentence_without_it_has_no_table_and_says_so(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    part = table_of(driver)
    state = driver.window.session.state
    driver.window.session.apply(replace(state, heads=state.heads.with_recipe(sentence="The cat sat")), "Type")
    driver.page.settle()
    QApplication.processEvents()
    assert not part.table.isVisible()
    assert "There is no “it” in this sentence" in part.words.text()
    driver.undo()
    assert part.table.isVisible()
