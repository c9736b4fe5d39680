"""The files that numbers become: CSV, JSON, NPY and NPZ, each written a part at a time.

Every function takes the file to write to and whom to report progress to, from 0 to 1. What `report` raises ends the
work. The same numbers give the same bytes each time, on every system.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from attention_explorer.core.json_text import well_formed
from attention_explorer.core.numbers_export import PARAMETERS, AnyArray, LargeArray, Numbers, Table, rows_of
from attention_explorer.core.numerals import grouped
from attention_explorer.errors import ExportError, quoted

Report: TypeAlias = Callable[[float], None]
Contents: TypeAlias = Callable[[IO[bytes], Report], object]
"""Writes a file, and reports how much of it is there."""

MOST_NUMBERS = 2**28
"""The most numbers of a file: 2 GiB of them."""
MOST_AS_TEXT = 2**25
"""The most cells of a CSV file, and numbers of a JSON file: up to 750 MB of text, which no spreadsheet opens."""

_CHARACTERS = 2**16
"""How much text is gathered before it is written."""
_ROWS = 32
"""Rows of a table from one report of progress to the next."""
_LARGE_MEMBER = 2**30
"""Bytes of an array from which on its member of an archive may outgrow 32 bits."""
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_OWNER_WRITES_ALL_READ = 0o644 << 16
_UNIX = 3


# ---- CSV ----


def as_csv(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a short table as CSV, numbers with every digit and None as an empty cell."""
    return "".join(_csv_pieces(header, rows))


def check_kind(path: Path, kinds: Iterable[str]) -> None:
    """Refuse a path with another ending than those of some kinds of files.

    Raises
    ------
    ExportError
        The message lists those there are.
    """
    if path.suffix.lower() not in kinds:
        raise ExportError(
            f"{quoted(path.name)} names another kind of file. Choose a name that ends in {' or '.join(kinds)}."
        )


def write_csv(numbers: Numbers, file: IO[bytes], report: Report) -> None:
    """Write the table as CSV, in UTF-8.

    Raises
    ------
    ExportError
        The table has more cells than `MOST_AS_TEXT`.
    """
    require_room(numbers.table.size, MOST_AS_TEXT, "Choose NPY or NPZ", "cells")
    for piece in _csv_pieces(numbers.table.header, _counted(numbers.table, report)):
        file.write(well_formed(piece).encode())


def _csv_pieces(header: Iterable[object], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(header)
    for row in rows:
        table.writerow(row)
        if stream.tell() > _CHARACTERS:
            yield stream.getvalue()
            stream.seek(0)
            stream.truncate()
    yield stream.getvalue()


def _counted(table: Table, report: Report) -> Iterator[Iterable[object]]:
    for done, row in enumerate(table.rows()):
        if done % _ROWS == 0:
            report(done / table.count)
        yield row


# ---- JSON ----

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_SWITCHES = {True: "true", False: "false"}


def write_json(numbers: Numbers, file: IO[bytes], report: Report) -> None:
    """Write the document as JSON, in UTF-8. What is not finite is null, which JSON has.

    Raises
    ------
    ExportError
        There are more numbers than `MOST_AS_TEXT`.
    ValueError, TypeError
        A value cannot be written as JSON: a number is not finite, or an object is of no JSON type.
    """
    size = _size(value for value in numbers.document.values() if isinstance(value, np.ndarray | LargeArray))
    require_room(size, MOST_AS_TEXT, "Choose NPZ")
    progress, gathered, waiting = _Progress(size, report), list[str](), 0
    for piece, count in _json_pieces(numbers.document, numbers.indent):
        progress.add(count)
        gathered.append(piece)
        waiting += len(piece)
        if waiting > _CHARACTERS:
            file.write(well_formed("".join(gathered)).encode())
            gathered, waiting = [], 0
    file.write(well_formed("".join(gathered)).encode())


def _json_pieces(document: Mapping[str, object], indent: int | None) -> Iterator[tuple[str, int]]:
    """Yield the text of a document in pieces, each with how many numbers of arrays it has."""
    if not document:
        yield "{}\n", 0
        return
    for place, (name, value) in enumerate(document.items()):
        begin = _comma(1, indent) if place else f"{{{_new_line(1, indent)}"
        yield f"{begin}{_ENCODER.encode(name)}: ", 0
        if isinstance(value, np.ndarray | LargeArray):
            if value.size and value.shape:
                yield from _array_pieces(value, indent)
                continue
            value = _finite(np.asarray(value).tolist())
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
        yield text.replace("\n", _new_line(1, indent)), 0
    yield f"{_new_line(0, indent)}}}\n", 0


def _array_pieces(array: AnyArray, indent: int | None) -> Iterator[tuple[str, int]]:
    """Yield an array that is not empty as nested lists, a row of its last axis at a time."""
    depth = len(array.shape)
    # How many rows each list around them holds, from the inside out.
    spans = np.cumprod(array.shape[-2::-1]).tolist() if depth > 1 else []
    text_of = _text_of(array.dtype)
    for number, row in enumerate(rows_of(array)):
        opened = sum(number % span == 0 for span in spans)
        closed = sum((number + 1) % span == 0 for span in spans)
        begin = _comma(depth - opened, indent) if number else ""
        lists = "".join(f"[{_new_line(level, indent)}" for level in range(depth - opened + 1, depth + 2))
        ends = "".join(f"{_new_line(level, indent)}]" for level in range(depth, depth - closed - 1, -1))
        yield f"{begin}{lists}{_comma(depth + 1, indent).join(map(text_of, row))}{ends}", len(row)


def _text_of(dtype: np.dtype[Any]) -> Callable[[Any], str]:
    if dtype.kind == "f":
        return lambda number: repr(number) if math.isfinite(number) else "null"
    if dtype.kind == "b":
        return _SWITCHES.__getitem__
    return repr if dtype.kind in "iu" else _ENCODER.encode


def _finite(number: object) -> object:
    return None if isinstance(number, float) and not math.isfinite(number) else number


def _new_line(level: int, indent: int | None) -> str:
    return "" if indent is None else f"\n{' ' * indent * level}"


def _comma(level: int, indent: int | None) -> str:
    return ", " if indent is None else f",{_new_line(level, indent)}"


# ---- Arrays ----


def write_npy(numbers: Numbers, file: IO[bytes], report: Report) -> None:
    """Write the main array alone as a .npy file, which `numpy.load` reads without pickle.

    Raises
    ------
    ExportError
        There are more numbers than `MOST_NUMBERS`.
    """
    require_room(numbers.main.size, MOST_NUMBERS)
    _write_array(file, numbers.main, _Progress(numbers.main.size, report))


def write_npz(numbers: Numbers, file: IO[bytes], report: Report) -> None:
    """Write all arrays, and the parameters, as a compressed .npz file.

    The parameters are an array without axes that holds one JSON text: ``json.loads(str(file["parameters"]))``. No time
    is stored, and `numpy.load` reads all of it without pickle.

    Raises
    ------
    ExportError
        There are more numbers than `MOST_NUMBERS`.
    ValueError, TypeError
        If the parameters cannot be written as JSON: a number is not finite, or an object is of no JSON type.
    """
    words = np.array(well_formed(json.dumps(dict(numbers.parameters), ensure_ascii=False, allow_nan=False)))
    members: dict[str, AnyArray] = {**numbers.arrays, PARAMETERS: words}
    size = _size(members.values())
    require_room(size, MOST_NUMBERS)
    progress = _Progress(size, report)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in members.items():
            member = zipfile.ZipInfo(f"{name}.npy", _FIRST_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = _UNIX  # on every system, so that the bytes are the same everywhere
            member.external_attr = _OWNER_WRITES_ALL_READ
            is_large = array.size * array.dtype.itemsize > _LARGE_MEMBER
            with archive.open(member, "w", force_zip64=is_large) as inner:
                _write_array(inner, array, progress)


def _write_array(file: IO[bytes], array: AnyArray, progress: _Progress) -> None:
    if not isinstance(array, LargeArray):
        np.lib.format.write_array(file, array, allow_pickle=False)
        progress.add(array.size)
        return
    description = np.lib.format.dtype_to_descr(array.dtype)
    header = {"descr": description, "fortran_order": False, "shape": array.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for part in array.parts():
        file.write(np.ascontiguousarray(part, array.dtype).data)
        progress.add(part.size)


# ---- How much there is ----


def require_room(count: int, most: int, other_way: str = "", what: str = "numbers") -> None:
    """Refuse to write more numbers than a file of some kind may have, and say what helps.

    Raises
    ------
    ExportError
        There are more.
    """
    if count > most:
        ways = f"{other_way}, shorten" if other_way else "Shorten"
        raise ExportError(
            f"That would be {grouped(count)} {what}, more than the {grouped(most)} such a file can take. "
            f"{ways} the sentence, or export a single head."
        )


def _size(arrays: Iterable[AnyArray]) -> int:
    return sum(array.size for array in arrays)


class _Progress:
    """Counts the numbers that are written."""

    def __init__(self, size: int, report: Report) -> None:
        self._size, self._report, self._done = max(size, 1), report, 0

    def add(self, count: int) -> None:
        """Count some more."""
        self._done += count
        self._report(self._done / self._size)
