"""Numbers with names on their axes: they print as a small table, and are saved."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from attention_explorer.core.files import write_whole
from attention_explorer.core.numbers_files import as_csv
from attention_explorer.errors import ArrayError, ExportError

MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 12, 10, 10
"""Of a table that is printed: of more the first and the last are."""
Labels = Mapping[str, tuple[str, ...]]


class Shown(NamedTuple):
    """Where the window shows a result.

    Attributes
    ----------
    path : Path
        The folder or file of the model.
    text : str
        What it reads; empty where that does not matter.
    fields : mapping of str to object
        Fields of the Circuits page, the view among them.
    """

    path: Path
    text: str
    fields: Mapping[str, object]


OPENERS: list[Callable[[Shown], None]] = []
"""What opens the window, where there is one: Python’s interface has it stand here."""
R = TypeVar("R", bound="Openable")


class Openable:
    """What can be looked at in the window, if it was asked of a model in a way that the window asks too."""

    shown: Shown | None = None

    def open(self) -> None:
        """Open the window on the view of the Circuits page that asks the same.

        A script waits until it is closed, a notebook goes on.

        Raises
        ------
        ArrayError
            If the window does not ask that: of ids instead of a text, or what arithmetic has made.
        """
        if self.shown is None or not OPENERS:
            raise ArrayError(
                "the window does not ask what this is an answer to: open what a model returns that is asked of a text"
            )
        OPENERS[-1](self.shown)


def shown_as(result: R, path: Path, text: object, **fields: object) -> R:
    """Have a result know where the window shows it; nowhere if the text is none."""
    if isinstance(text, str):
        object.__setattr__(result, "shown", Shown(path, text, fields))
    return result


def is_pair(metric: object) -> bool:
    """Whether a metric is one word against another, as texts: what the window asks."""
    return isinstance(metric, tuple) and len(metric) == 2 and all(isinstance(word, str) for word in metric)


def fields_of(metric: object, options: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of the Circuits page that ask for a pair of words, or for the loss on the sentence."""
    position = options.get("position", -1)
    if isinstance(metric, tuple):
        return {"answer": metric[0], "against": metric[1], "breaks": "answer", "position": position}
    return {"breaks": "loss"}


class Result(Openable, np.ndarray[Any, np.dtype[Any]]):
    """An array of NumPy that knows what its axes are.

    Attributes
    ----------
    axes : tuple of str
        A name for each axis, such as ("layer", "head"); empty where arithmetic has made another array of it.
    labels : mapping of str to tuple of str
        What an axis counts, where that has names, as tokens have; all other axes count from 0.
    """

    axes: tuple[str, ...]
    labels: Labels

    def __new__(cls, array: object, axes: tuple[str, ...], labels: Labels | None = None) -> Self:
        """Name the axes of an array."""
        made = np.asarray(array).view(cls)
        made.axes, made.labels = axes, dict(labels or {})
        return made

    def __array_finalize__(self, before: object) -> None:
        axes = getattr(before, "axes", ())
        same = isinstance(before, np.ndarray) and before.shape == self.shape
        self.shown = None
        self.axes, self.labels = (axes, getattr(before, "labels", {})) if same else ((), {})

    def __array_wrap__(
        self,
        array: np.ndarray[Any, Any],
        context: object = None,
        return_scalar: bool = False,
    ) -> Any:  # noqa: ANN401
        """Return a sum of all, and the like, as the number that it is."""
        return array[()] if array.ndim == 0 else super().__array_wrap__(array, context, return_scalar)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return table(self) if self.axes else repr(np.asarray(self))

    __str__ = __repr__

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers to a file.

        Parameters
        ----------
        path : str or path
            Ends in .csv, with a line for each number and what its axes count there, or in .npz, with the array
            ``values``, its ``axes``, and ``labels_…`` of those that have names.

        Raises
        ------
        ExportError
            If the ending is another, or the file cannot be written.
        """
        save(Path(path), {"": self})


class Results(Openable):
    """Several results of one question; each is a field."""

    def arrays(self) -> dict[str, Result]:
        """Return all of them by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Result)}

    def __repr__(self) -> str:
        others = (
            (name, value) for name, value in vars(self).items() if not isinstance(value, Result | Mapping | Shown)
        )
        said = [f"{name}: {value!r}" for name, value in others]
        said += [f"{name}: " + ", ".join(map(str, names)) for name, names in self.named_heads().items()]
        return "\n".join([*(f"{name}: {table(value)}" for name, value in self.arrays().items()), *said])

    def named_heads(self) -> Mapping[str, list[tuple[int, int]]]:
        """Return the heads that a result names, by what it calls them; none where it names none."""
        return {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of them to a file, as `Result.save`; in CSV the first column says which one it is.

        Raises
        ------
        ExportError
            If the ending is another, or the file cannot be written.
        """
        save(Path(path), self.arrays())


def save(path: Path, arrays: Mapping[str, Result]) -> None:
    """Write arrays to a CSV or NPZ file.

    Raises
    ------
    ExportError
        If the ending is another, or the file cannot be written.
    """
    ending = path.suffix.lower()
    if ending == ".csv":
        write_whole(path, "".join(_csv(arrays)).encode())
    elif ending == ".npz":
        write_whole(path, _npz(arrays))
    else:
        raise ExportError(f"“{path.name}” ends in “{ending}”: numbers are saved as .csv or .npz.")


def _csv(arrays: Mapping[str, Result]) -> Iterator[str]:
    """Yield a table for each; those with the same axes as the one before go on with it."""
    before: list[str] = []
    for name, array in arrays.items():
        if not array.axes:
            raise ArrayError(f"{name or 'the array'} has lost the names of its axes: save the result it is made of")
        named = [name] if name else []
        header = [*(["result"] if name else []), *array.axes, "value"]
        rows = ([*named, *_counted(array, at), value] for at, value in np.ndenumerate(np.asarray(array)))
        if before and header != before:
            yield "\n"
        yield as_csv(header, rows) if header != before else as_csv(header, rows).partition("\n")[2]
        before = header


def _counted(array: Result, at: tuple[int, ...]) -> Iterator[object]:
    for axis, place in zip(array.axes, at, strict=True):
        yield array.labels[axis][place] if axis in array.labels else place


def _npz(arrays: Mapping[str, Result]) -> bytes:
    held: dict[str, Any] = {}
    for name, array in arrays.items():
        before = f"{name}_" if name else ""
        held[name or "values"] = np.asarray(array)
        held[f"{before}axes"] = np.array(array.axes, np.str_)
        held |= {f"{before}labels_{axis}": np.array(labels, np.str_) for axis, labels in array.labels.items()}
    return npz(held)


def npz(held: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """Return an NPZ file of arrays."""
    file = io.BytesIO()
    np.savez(file, **held)  # type: ignore[arg-type] # its stubs take the names for options
    return file.getvalue()


# ---- As a table ----


def table(array: Result) -> str:
    """Return a result as text: its axes, and of one or two axes its numbers, of more those that are the largest."""
    plain = np.asarray(array)
    head = " × ".join(f"{axis} ({size})" for axis, size in zip(array.axes, plain.shape, strict=True)) or "a number"
    if plain.ndim == 0:
        return f"{plain:.4g}"
    if plain.ndim > 2:
        return "\n".join([head, *_largest(array)])
    rows = plain[:, None] if plain.ndim == 1 else plain
    down = _shown(rows.shape[0], MOST_ROWS)
    across = _shown(rows.shape[1], MOST_COLUMNS)
    lines = [["", *(_name(array, 1, at) for at in across)]] if plain.ndim == 2 else []
    lines += [
        [_name(array, 0, row), *("…" if None in (row, at) else f"{rows[row, at]:.3g}" for at in across)] for row in down
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join([head, *("  ".join(map(str.rjust, line, widths)) for line in lines)])


def _shown(count: int, most: int) -> list[int | None]:
    """Return which places are shown, None for those between that are not."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), None, *range(count - half, count)]


def _name(array: Result, axis: int, at: int | None) -> str:
    if at is None:
        return "…"
    name = array.axes[axis]
    said = array.labels[name][at] if name in array.labels else str(at)
    return said if len(said) <= MOST_LETTERS else said[: MOST_LETTERS - 1] + "…"


def _largest(array: Result) -> Iterator[str]:
    """Yield the largest numbers with their places."""
    plain = np.nan_to_num(np.asarray(array).ravel(), nan=-np.inf)
    for flat in np.argsort(-plain, kind="stable")[:MOST_ROWS]:
        at = np.unravel_index(flat, array.shape)
        places = ", ".join(f"{axis} {place}" for axis, place in zip(array.axes, at, strict=True))
        yield f"{plain[flat]:.3g}  at {places}"
