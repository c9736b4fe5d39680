"""The cells of the table of exact numbers, apart from the window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.state import LookupState, LookupView, ValueKind
from attention_explorer.pages.lookup.sums import Column, cells_of, parts_of

GIVEN = {Column.NAME, Column.X, Column.Y, Column.VALUE_X, Column.VALUE_Y}
EACH = pytest.mark.parametrize(
    "state", [replace(LookupState(), values=kind, view=LookupView.GRADIENT) for kind in ValueKind]
)


@EACH
def test_a_table_that_is_withheld_tells_where_numbers_are_and_none_that_is_computed(state: LookupState) -> None:
    shown, withheld = cells_of(lookup_frame(state)), cells_of(lookup_frame(state), is_withheld=True)
    asked = 0
    for part, row, hidden in zip(parts_of(state), shown, withheld, strict=True):
        for column in Column:
            if column is Column.NAME or (part is not None and column in GIVEN):
                assert hidden[column] == row[column]
                continue
            assert (hidden[column].text, hidden[column].number) == ("?" if row[column].text else "", None)
            asked += bool(row[column].text)
    assert asked > 10


@EACH
def test_a_cell_that_is_typed_moves_the_coordinate_that_it_shows(state: LookupState) -> None:
    typed = [cell for row in cells_of(lookup_frame(state)) for cell in row if cell.edits is not None]
    assert typed
    for cell in typed:
        assert cell.edits is not None
        part, axis = cell.edits
        assert state.position(part)[axis] == cell.number
