"""What a picture shows, as numbers to take away: text for people and spreadsheets, arrays for NumPy."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ExportError
from attention_explorer.state.session_json import well_formed

Arrays = dict[str, npt.NDArray[Any]]

PARAMETERS = "parameters"
"""The name under which an archive of arrays holds what the arrays mean, as JSON."""

_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_OWNER_WRITES_ALL_READ = 0o644 << 16
_UNIX = 3


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers behind one picture, with every digit.

    Attributes
    ----------
    csv : str
        A table with a line of column names.
    json : str
        Everything, as one JSON document. In both, as in the parameters, halves of characters become U+FFFD.
    arrays : mapping of str to ndarray
        In the order of the archive, the main one first; numbers, booleans or text, never objects.
    parameters : mapping of str to object
        What the arrays mean and what made them: program, settings, axes, tokens. It can be written as JSON.

    Raises
    ------
    ExportError
        If there is no array, one holds Python objects, or one is called ``parameters``.
    """

    csv: str
    json: str
    arrays: Mapping[str, npt.NDArray[Any]]
    parameters: Mapping[str, object]

    def __post_init__(self) -> None:
        # Halves of characters come from clipboards, and no file can hold them.
        object.__setattr__(self, "csv", well_formed(self.csv))
        object.__setattr__(self, "json", well_formed(self.json))
        if not self.arrays:
            raise ExportError("There is no array to export. Give the main one at least.")
        for name, array in self.arrays.items():
            if name == PARAMETERS:
                raise ExportError(f"An array cannot be called “{name}”: that is where its settings go. Rename it.")
            if array.dtype.hasobject:
                raise ExportError(f"The array “{name}” holds Python objects. Give numbers, booleans or text.")


def as_csv(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV, numbers with every digit and None as an empty cell."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    return stream.getvalue()


def array_table(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return a CSV table with a line a number: the array, its row and column, and the number with every digit.

    All axes before the last count as rows.
    """
    found = (
        (name, row, column, value)
        for name, array in arrays.items()
        for row, line in enumerate(np.reshape(array, (-1, array.shape[-1] if array.ndim > 1 else 1)).tolist())
        for column, value in enumerate(line)
    )
    return as_csv(("array", "row", "column", "value"), found)


def as_json(array: npt.NDArray[Any]) -> object:
    """Return an array as nested lists; what is not finite as null, which JSON has."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    holes = array.astype(object)
    holes[~np.isfinite(array)] = None
    return holes.tolist()


def as_document(
    parameters: Mapping[str, object], arrays: Mapping[str, npt.NDArray[Any]], *, indent: int | None = None
) -> str:
    """Return what the arrays mean, and then the arrays themselves, as one JSON document."""
    document = {**parameters, **{name: as_json(array) for name, array in arrays.items()}}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def npy_bytes(numbers: Numbers) -> bytes:
    """Return the main array alone as a .npy file, which `numpy.load` reads without pickle."""
    return _npy(next(iter(numbers.arrays.values())))


def npz_bytes(numbers: Numbers) -> bytes:
    """Return all arrays, and the parameters, as a compressed .npz file.

    The parameters are an array without axes that holds one JSON text: ``json.loads(str(file["parameters"]))``. The same
    numbers give the same bytes, because no time is stored, and `numpy.load` reads all of it without pickle.

    Raises
    ------
    ValueError, TypeError
        If the parameters cannot be written as JSON: a number is not finite, or an object is of no JSON type.
    """
    words = np.array(well_formed(json.dumps(dict(numbers.parameters), ensure_ascii=False, allow_nan=False)))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {**numbers.arrays, PARAMETERS: words}.items():
            member = zipfile.ZipInfo(f"{name}.npy", _FIRST_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = _UNIX  # on every system, so that the bytes are the same everywhere
            member.external_attr = _OWNER_WRITES_ALL_READ
            archive.writestr(member, _npy(array))
    return stream.getvalue()


def _npy(array: npt.NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
