"""Arrays and what is said of them, as what is written to files: the table, the document, the archive."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npz_bytes

from attention_explorer.core.numbers_export import MOST_LINES, Numbers, Table, array_table, numbers_of
from attention_explorer.errors import ExportError

LISTS = {"n": np.array([1, 2, 3]), "name": np.array(["a", "b"]), "none": np.zeros(0)}


def read(numbers: Numbers) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_text(numbers))))


@pytest.mark.parametrize("other", [np.array([[0.1, 0.2], [0.3, 1 / 3]]), np.array(0.25)])
def test_whatever_its_shape_an_array_has_a_row_a_number(other: np.typing.NDArray[Any]) -> None:
    table = array_table({"other": other, "list": np.array([7, 8])})
    assert table.header == ("array", "row", "column", "value")
    first = [("other", *divmod(at, 2), value) for at, value in enumerate(other.ravel().tolist())]
    assert [*table.rows()] == [*first, ("list", 0, 0, 7), ("list", 1, 0, 8)]
    assert table.count == other.size + 2


def test_axes_before_the_last_count_as_rows() -> None:
    array = np.arange(12).reshape(2, 3, 2)
    rows = [*array_table({"a": array}).rows()]
    assert rows == [("a", row, column, 2 * row + column) for row in range(6) for column in range(2)]


def test_what_is_said_goes_with_the_arrays_into_every_file() -> None:
    numbers = numbers_of(LISTS, {"what": "three lists", "settings": {"n": 3}})
    document = json.loads(json_text(numbers))
    assert document["program"].startswith("Attention Explorer ")
    assert (document["what"], document["settings"]) == ("three lists", {"n": 3})
    assert (document["n"], document["name"]) == ([1, 2, 3], ["a", "b"])
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as file:
        assert set(file.files) == {*LISTS, "parameters"}
        assert json.loads(str(file["parameters"]))["what"] == "three lists"
    assert "table" not in numbers.parameters


@pytest.mark.parametrize("count", [MOST_LINES - 1, MOST_LINES])
def test_of_many_numbers_the_table_has_the_first_array_alone(count: int) -> None:
    arrays = {"main": np.arange(count), "more": np.array([5])}
    numbers, is_many = numbers_of(arrays, {"what": "many"}), count + 1 > MOST_LINES
    assert ("more" in numbers.document) != is_many
    assert ("table" in numbers.parameters) == is_many
    assert list(numbers.arrays) == ["main", "more"]
    rows = read(numbers)
    assert len(rows) == 1 + count + (not is_many)
    assert [row[-1] for row in rows[-2:]] == [str(count - 2), str(count - 1)] if is_many else [str(count - 1), "5"]
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as file:
        assert file["more"].tolist() == [5]
        assert ("table" in json.loads(str(file["parameters"]))) == is_many


def test_a_table_of_its_own_gets_the_arrays_that_are_listed() -> None:
    seen: list[str] = []

    def table(arrays: dict[str, np.typing.NDArray[Any]]) -> Table:
        seen.extend(arrays)
        return Table.of(("a",), [(1,)])

    assert numbers_of({"main": np.zeros(MOST_LINES), "more": np.zeros(1)}, {}, table).table.header == ("a",)
    assert seen == ["main"]


def test_nothing_is_not_written() -> None:
    with pytest.raises(ExportError, match="no numbers to export yet"):
        numbers_of({}, {})
