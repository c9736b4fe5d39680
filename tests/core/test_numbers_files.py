"""The files that numbers become, against what Python's and NumPy's own writers make of whole arrays."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npy_bytes, npz_bytes

from attention_explorer.core import numbers_files
from attention_explorer.core.numbers_export import LargeArray, Numbers, Table
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.heads.export import map_numbers, stages_numbers, wall_numbers
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup, HeadsView

ARRAYS: dict[str, np.typing.NDArray[Any]] = {
    "floats": np.random.default_rng(0).normal(size=(3, 4)),
    "not finite": np.array([[np.nan, np.inf, -np.inf, -0.0]]),
    "float32": np.linspace(0, 1, 24, dtype=np.float32).reshape(2, 3, 4),
    "four axes": np.arange(36).reshape(2, 3, 2, 3),
    "switches": np.array([[True, False], [False, True]]),
    "texts": np.array(["a", "„“", 'say "so"\n']),
    "one": np.array(7.5),
    "missing": np.array(np.nan),
    "empty": np.zeros((2, 0, 3)),
    "no rows": np.zeros((0, 4)),
    "a row": np.arange(5, dtype=np.int64),
    "transposed": np.arange(6.0).reshape(2, 3).T,
}
PLAIN: dict[str, object] = {"what": "all sorts", "nested": {"a": [1, {"b": []}], "c": None}, "list": [[1, 2], []]}


def in_parts(array: np.typing.NDArray[Any]) -> LargeArray:
    """The same array, two rows of its last axis at a time."""
    rows = array.reshape(-1, array.shape[-1])
    return LargeArray(array.shape, array.dtype, lambda: (rows[at : at + 2] for at in range(0, len(rows), 2)))


def numbers_of(document: dict[str, object], indent: int | None = None) -> Numbers:
    return Numbers(Table.of(("a",), ()), document, {"a": np.zeros(1)}, {}, indent)


def as_lists(array: np.typing.NDArray[Any]) -> object:
    holes = array.astype(object)
    if array.dtype.kind == "f":
        holes[~np.isfinite(array)] = None
    return holes.tolist()


@pytest.mark.parametrize("indent", [None, 1, 2])
@pytest.mark.parametrize("split", [np.asarray, in_parts])
def test_json_is_what_json_makes_of_lists(indent: int | None, split: Any) -> None:
    arrays = {name: array for name, array in ARRAYS.items() if split is np.asarray or array.ndim > 1}
    whole = {**PLAIN, **{name: as_lists(array) for name, array in arrays.items()}}
    ours = json_text(numbers_of({**PLAIN, **{name: split(array) for name, array in arrays.items()}}, indent))
    assert ours == json.dumps(whole, ensure_ascii=False, indent=indent) + "\n"


@pytest.mark.parametrize("name", [name for name, array in ARRAYS.items() if array.ndim > 1])
def test_an_array_in_parts_makes_the_files_of_the_whole(name: str) -> None:
    array = np.ascontiguousarray(ARRAYS[name])
    table = Table.of(("a",), ())
    whole, split = (Numbers(table, {}, {"main": each}, {"of": name}) for each in (array, in_parts(array)))
    assert npy_bytes(split) == npy_bytes(whole)
    assert npz_bytes(split) == npz_bytes(whole)
    np.testing.assert_array_equal(np.load(io.BytesIO(npy_bytes(split))), array)
    np.testing.assert_array_equal(np.asarray(split.main), array)


def test_csv_is_what_csv_makes_of_rows_however_many_pieces_it_is_written_in(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("a,b", 0.1 + 0.2, None, 'say "so"'), ("\ud83d", 1, float("nan"), "")] * 7
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([("w", "x", "y", "z"), *rows])
    numbers = Numbers(Table.of(("w", "x", "y", "z"), rows), {}, {"a": np.zeros(1)}, {})
    for most in (10, 10**6):
        monkeypatch.setattr(numbers_files, "_CHARACTERS", most)
        assert csv_text(numbers) == stream.getvalue().replace("\ud83d", "\ufffd")


@pytest.mark.parametrize("write", [getattr(numbers_files, f"write_{kind}") for kind in ("csv", "json", "npy", "npz")])
def test_progress_grows_to_its_end_and_what_it_raises_ends_the_work(write: Any) -> None:
    class EnoughError(Exception):
        pass

    numbers = wall_numbers(heads_frame(HeadsSetup()))
    told: list[float] = []
    write(numbers, io.BytesIO(), told.append)
    assert told == sorted(told)
    assert 0.0 <= told[0] <= told[-1] <= 1.0
    assert len(told) > 2

    def stop(fraction: float) -> None:
        if fraction >= told[1]:
            raise EnoughError

    with pytest.raises(EnoughError):
        write(numbers, io.BytesIO(), stop)


def test_nothing_is_computed_that_the_file_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one array computes the maps that are in it, and no others."""
    computed: list[str] = []
    frame = heads_frame(HeadsSetup())
    stage, allowed = type(frame.head_map).stage, type(frame.head_map).allowed
    monkeypatch.setattr(type(frame.head_map), "stage", lambda *a: computed.append(a[1].value) or stage(*a))
    monkeypatch.setattr(type(frame.head_map), "allowed", lambda *a: computed.append("allowed") or allowed(*a))
    everything = (map_numbers(frame, HeadsView()), 1), (stages_numbers(frame), 1), (wall_numbers(frame), frame.heads)
    assert computed == [], "not before a file is written"
    for numbers, maps in everything:
        npy_bytes(numbers)
        assert computed == ["weights"] * maps
        computed.clear()


def test_a_map_is_written_a_block_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is, no more of it is held than the block that is being written."""
    largest = 0

    def parts() -> Iterator[np.typing.NDArray[Any]]:
        for row in range(64):
            checkpoint()
            yield np.full((1, 50), float(row))

    class File(io.BytesIO):
        def write(self, data: Any) -> int:
            nonlocal largest
            largest = max(largest, len(memoryview(data).cast("B")))
            return super().write(data)

    monkeypatch.setattr(numbers_files, "_CHARACTERS", 100)
    array = LargeArray((64, 50), np.dtype(float), parts)
    table = Table(range(50), lambda: (row for part in parts() for row in part.tolist()), 64)
    numbers = Numbers(table, {"map": array}, {"map": array}, {})
    for write in (numbers_files.write_csv, numbers_files.write_json, numbers_files.write_npy):
        largest = 0
        write(numbers, File(), lambda _: None)
        assert 0 < largest < 64 * 50 * 8 / 10
