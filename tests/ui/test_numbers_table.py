"""The exact numbers: typing them, refusing nonsense in words, copying them with every digit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit

from attention_explorer.core.numerals import parsed_number
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import LookupState, Part
from attention_explorer.pages.lookup.ui.table_model import Column
from attention_explorer.window.window import MainWindow


@pytest.fixture
def window(make_window):
    return make_window()


def lookup(window) -> LookupState:
    return window.session.state.lookup


def type_into(qtbot, table, row, column, text):
    """Type into a cell as a person does: choose it, type, press Return."""
    table.setFocus()
    table.setCurrentIndex(table.numbers.index(row, column))
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()  # Qt lets the editor finish with the key before it takes the text


def test_typing_a_coordinate_moves_the_vector_exactly(window, qtbot):
    type_into(qtbot, window.page.table, 0, Column.X, "1.0000001")
    assert lookup(window).query == (1.0000001, 0.6)
    assert window.session.history.undo_text == "Type query"
    model = window.page.table.numbers
    assert model.data(model.index(0, Column.X)) == "1.0000001"


@pytest.mark.parametrize("text", ["abc", "", "nan", "inf", "1e999", "1..2", "1,2,3"])
def test_nonsense_is_refused_in_words_and_changes_nothing(window, qtbot, text):
    with qtbot.waitSignal(window.page.refused) as refusal:
        type_into(qtbot, window.page.table, 1, Column.Y, text)
    assert "number" in refusal.args[0]
    assert lookup(window) == LookupState()
    assert len(window.session.history) == 0


def test_a_coordinate_too_far_out_is_refused_in_words(window, qtbot):
    with qtbot.waitSignal(window.page.refused) as refusal:
        type_into(qtbot, window.page.table, 1, Column.X, "1e7")
    assert "1000000" in refusal.args[0]


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.4", 1.4), ("−0.25", -0.25), (" 3 ", 3.0), ("1,5", 1.5), ("1e-3", 0.001), ("1 000", 1000.0)],
)
def test_numbers_are_read_as_people_write_them(text, number):
    assert parsed_number(text) == number


def test_a_number_that_is_none_is_an_error():
    with pytest.raises(ExplorerError, match="not a number"):
        parsed_number("1.2.3")


def test_computed_cells_cannot_be_typed_into(window):
    model = window.page.table.numbers
    for column in (Column.NAME, Column.LENGTH, Column.SCORE, Column.COSINE, Column.WEIGHT, Column.CONTRIBUTION):
        for row in range(model.rowCount()):
            assert not model.flags(model.index(row, column)) & Qt.ItemFlag.ItemIsEditable
    assert not model.setData(model.index(1, Column.WEIGHT), "0.5")
    assert not model.setData(model.index(1, Column.VALUE_X), "0.5")  # values are the keys: type the key


def test_own_values_and_numbers_can_be_typed(make_window, qtbot):
    window = make_window(ExplorerState(lookup=preset("quiz").state))
    type_into(qtbot, window.page.table, 2, Column.VALUE_X, "30")
    assert lookup(window).entries[1].number == 30.0
    window = make_window(ExplorerState(lookup=preset("three-keys").state))
    type_into(qtbot, window.page.table, 1, Column.VALUE_Y, "2.5")
    assert lookup(window).entries[0].value == (10.0, 2.5)


def test_the_weights_column_adds_up_in_the_last_row(make_window):
    for name in ("two-keys", "three-keys", "descent"):
        model = make_window(ExplorerState(lookup=preset(name).state)).page.table.numbers
        rows = [row for row in range(model.rowCount()) if model.part(row) and model.part(row).role is Role.KEY]
        total = sum(model.number(row, Column.WEIGHT) for row in rows)
        assert model.number(model.rowCount() - 1, Column.WEIGHT) == pytest.approx(total, abs=1e-15)
        assert total == pytest.approx(1.0, abs=1e-15)


def test_copying_gives_every_digit(window, qtbot):
    table = window.page.table
    table.setFocus()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = QGuiApplication.clipboard().text().split("\t")
    assert cells[Column.NAME] == "k₁"
    assert float(cells[Column.WEIGHT]) == 0.907207046882843
    assert cells[Column.X] == "2.0"


def test_choosing_a_row_selects_the_vector(window, qtbot):
    table = window.page.table
    table.setFocus()
    table.setCurrentIndex(table.numbers.index(2, Column.X))
    assert window.page.canvas.selected == Part(Role.KEY, 1)


def test_rows_follow_the_keys(window):
    model = window.page.table.numbers
    window.page.canvas.add_key((0.5, 0.5))
    assert model.rowCount() == 5
    assert model.data(model.index(3, Column.NAME)) == "k₃"
    window.session.undo()
    assert model.rowCount() == 4


@pytest.mark.parametrize(("before", "after"), [("vectors", "numbers"), ("numbers", "vectors")])
def test_the_titles_are_those_of_the_values_on_show(make_window, before, after):
    def window(values: str) -> MainWindow:
        return make_window(ExplorerState(lookup=LookupState(values=values)))

    changed, new = window(before), window(after)
    changed.session.apply(new.session.state, "Values")
    QApplication.processEvents()
    heads = [each.page.table.horizontalHeader().grab().toImage() for each in (changed, new)]
    assert heads[0] == heads[1]
