"""The exact numbers: typing them, refusing nonsense in words, copying them with every digit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lookup_driver import K2, LookupDriver
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import LookupState, LookupView, Part, ValueKind
from attention_explorer.pages.lookup.sums import Column


@pytest.fixture
def opens(make_window, hand) -> Callable[..., LookupDriver]:
    return lambda lookup=None, **how: LookupDriver.open(make_window, hand, lookup, **how)


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens()


def test_typing_a_coordinate_moves_the_vector_exactly(at, qtbot):
    at.type_cell(0, Column.X, "1.0000001")
    assert at.lookup.query == (1.0000001, 0.6)
    assert at.undo_text == "Type query"
    model = at.model
    assert model.data(model.index(0, Column.X)) == "1.0000001"


def test_computed_cells_cannot_be_typed_into(at):
    model = at.model
    for column in (Column.NAME, Column.LENGTH, Column.SCORE, Column.COSINE, Column.WEIGHT, Column.CONTRIBUTION):
        for row in range(model.rowCount()):
            assert not model.flags(model.index(row, column)) & Qt.ItemFlag.ItemIsEditable
    assert not model.setData(model.index(1, Column.WEIGHT), "0.5")
    assert not model.setData(model.index(1, Column.VALUE_X), "0.5")  # values are the keys: type the key


def test_own_values_and_numbers_can_be_typed(opens):
    at = opens(preset("quiz").state)
    at.type_cell(2, Column.VALUE_X, "30")
    assert at.lookup.entries[1].number == 30.0
    at = opens(preset("three-keys").state)
    at.type_cell(1, Column.VALUE_Y, "2.5")
    assert at.lookup.entries[0].value == (10.0, 2.5)


def test_the_weights_column_adds_up_in_the_last_row(opens):
    for name in ("two-keys", "three-keys", "descent"):
        model = opens(preset(name).state).model
        rows = [row for row in range(model.rowCount()) if model.part(row) and model.part(row).role is Role.KEY]
        total = sum(model.number(row, Column.WEIGHT) for row in rows)
        assert model.number(model.rowCount() - 1, Column.WEIGHT) == pytest.approx(total, abs=1e-15)
        assert total == pytest.approx(1.0, abs=1e-15)


def test_copying_gives_every_digit(at, qtbot):
    table = at.table
    table.setFocus()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = QGuiApplication.clipboard().text().split("\t")
    assert cells[Column.NAME] == "k₁"
    assert float(cells[Column.WEIGHT]) == 0.907207046882843
    assert cells[Column.X] == "2.0"


def test_choosing_a_row_selects_the_vector(at, qtbot):
    table = at.table
    table.setFocus()
    table.setCurrentIndex(table.numbers.index(2, Column.X))
    assert at.selected == Part(Role.KEY, 1)


def test_rows_follow_the_keys(at):
    model = at.model
    at.key(Qt.Key.Key_Insert)
    assert model.rowCount() == 5
    assert model.data(model.index(3, Column.NAME)) == "k₃"
    at.undo()
    assert model.rowCount() == 4


def test_a_vector_that_is_selected_is_found_in_the_table(at):
    table = at.table
    at.canvas.setFocus()
    at.click(at.place(K2))
    assert table.currentIndex().row() == 2


def test_it_is_that_of_the_state_however_often_it_is_put_away(at):
    assert at.weights_told() == ["0.907207", "0.092793"]
    at.press(at.drawer.less)
    at.press_hard()
    assert at.weights_told() == ["1.000000", "0.000000"]


@pytest.mark.parametrize("view", [view for view in LookupView if view is not LookupView.WORDS])
def test_every_view_of_a_lookup_has_it(at, view):
    at.show(view)
    assert at.table.isVisible()
    names = [at.model.data(at.model.index(row, Column.NAME)) for row in range(at.model.rowCount())]
    assert names == ["q", "k₁", "k₂", *(["t"] if view is LookupView.GRADIENT else []), "o"]
    assert at.cell("k₁", Column.WEIGHT) == "0.907207"


@pytest.mark.parametrize(("before", "after"), [("vectors", "numbers"), ("numbers", "vectors")])
def test_the_titles_are_those_of_the_values_on_show(opens, before, after):
    changed, new = (opens(LookupState(values=ValueKind(values))) for values in (before, after))
    tables = changed.table, new.table
    changed.apply(new.lookup, "Values")
    QApplication.processEvents()
    heads = [table.horizontalHeader().grab().toImage() for table in tables]
    assert heads[0] == heads[1]
