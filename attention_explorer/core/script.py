"""A program as it is put together line by line: what it is given, what it computes, and what several have in common."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_PRINTED = 32
"""Numbers of an array that stand in the program; of more there is a file beside it."""
FRAME = 3
"""Lines of every program: what it is, the import of NumPy, and what is printed."""
WIDEST_LINE = 100
"""Letters of a line of numbers, and of one with its comment."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A program in NumPy.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    text : str
        The program. It imports NumPy and nothing else.
    data : mapping of str to ndarray
        What it loads from ``name.npz`` in the folder that it is run in; empty if all its numbers stand in it.
    main : str
        What it calls the numbers that the page shows large. What it computes has the names that exported files have.
    note : str
        What of the page the program does not compute, and why; empty if there is nothing to say.
    """

    name: str
    text: str
    data: Mapping[str, npt.NDArray[Any]]
    main: str
    note: str = ""
    given: int = 0
    """How many lines give numbers."""

    @property
    def count(self) -> str:
        """How long it is, in words: "21 lines: 10 give numbers, 8 compute, 1 is a comment"."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        comments = sum(line.startswith("#") for line in lines)
        computing = len(lines) - comments - self.given - FRAME
        said = f"{len(lines)} lines: {self.given} give numbers, {computing} compute"
        return f"{said}, {comments} only comment." if comments else f"{said}."

    def named(self, name: str) -> Program:
        """Return the program for a file of another name: what it loads is beside it."""
        return replace(self, name=name, text=self.text.replace(_loads(self.name), _loads(name)))


def _with_room(parts: list[str]) -> Iterator[str]:
    """Yield the parts with an empty line around each function."""
    for before, part in zip(["", *parts], parts, strict=False):
        if before and (part.startswith("def ") or before.startswith("def ")):
            yield ""
        yield part


def _loads(name: str) -> str:
    return f"np.load({literal(f'{name}.npz')})"


class Script:
    """Puts a program together.

    Parameters
    ----------
    name : str
        Of its file, without the ending.
    title : str
        What it computes, in one line.
    """

    def __init__(self, name: str, title: str) -> None:
        self._name, self._title = name, title
        self._given: list[str] = []
        self._code: list[str] = []
        self._data: dict[str, npt.NDArray[Any]] = {}

    def give(self, comment: str = "", /, **named: object) -> None:
        """Begin with some numbers or arrays, each with its name; a comment goes behind the first of them."""
        for name, value in named.items():
            is_large = isinstance(value, np.ndarray) and value.size > MOST_PRINTED
            if isinstance(value, np.ndarray) and is_large:
                self._data[name] = value
                shape = " × ".join(map(str, value.shape))
                comment = f"{shape} numbers: {comment}" if comment else f"{shape} numbers"
            line = f'{name} = data["{name}"]' if is_large else f"{name} = {literal(value)}"
            last = line.rpartition("\n")[2]
            is_long = len(last) + len(comment) > WIDEST_LINE
            self._given += [f"# {comment}", line] if is_long else [f"{line}  # {comment}" if comment else line]
            comment = ""

    def hold(self, what: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Have the file beside the program hold arrays that it calls by their names in ``data``."""
        self._data |= arrays
        self._given.append(f"# data: {what}")

    def given(self, line: str) -> None:
        """Begin with a line of code."""
        self._given.append(line)

    def do(self, code: str) -> None:
        """Go on with some lines of code."""
        self._code.append(textwrap.dedent(code).strip("\n"))

    def program(self, main: str, note: str = "") -> Program:
        """Return the program, which ends by printing the main numbers."""
        lines = [f'"""{self._title}"""', "", "import numpy as np", ""]
        if self._data:
            lines += [f"with {_loads(self._name)} as file:  # saved beside this program", "    data = dict(file)"]
        lines += [*self._given, "", *_with_room(self._code), "", f"print({main})", ""]
        loading = 2 * bool(self._data)
        given = sum(not line.startswith("#") for part in self._given for line in part.splitlines())
        return Program(self._name, "\n".join(lines), self._data, main, note, given + loading)


def literal(value: object) -> str:
    """Write a number, a text, a tuple of them or an array as Python reads it back, to the last bit.

    Parameters
    ----------
    value : object
        Of an array every axis but the last has a line for each of its entries.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        It is something else, such as an array of objects.
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else _beyond(float(value))
    if isinstance(value, bool | int | str):
        return repr(str(value) if isinstance(value, str) else value)
    raise TypeError(f"There is no way to write {type(value).__name__} as a number.")


def _beyond(number: float) -> str:
    return "np.nan" if math.isnan(number) else "np.inf" if number > 0 else "-np.inf"


_PLAIN = {np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_)}
"""What NumPy makes of literals by itself."""


def _array(array: npt.NDArray[Any]) -> str:
    if array.dtype.kind not in "fiubU":
        raise TypeError(f"There is no way to write an array of {array.dtype}.")
    kind = "" if array.dtype in _PLAIN or array.dtype.kind == "U" else f", np.{array.dtype.name}"
    if not array.size:
        return f"np.zeros({array.shape}{kind or f', np.{array.dtype.name}'})"
    return f"np.array({_nested(array, 1)}{kind})"


def _nested(array: npt.NDArray[Any], depth: int) -> str:
    if array.ndim == 0:
        return _entry(array[()])
    if array.ndim == 1:
        indent = " " * 4 * depth
        whole = ", ".join(_entry(entry) for entry in array)
        if len(whole) <= WIDEST_LINE - 4 * depth:
            return f"[{whole}]"
        wrapped = textwrap.wrap(whole, WIDEST_LINE - 4 * depth, break_long_words=False, break_on_hyphens=False)
        return "[\n" + "\n".join(indent + line for line in wrapped) + "\n" + " " * 4 * (depth - 1) + "]"
    return "[\n" + "".join(_rows(array, depth)) + " " * 4 * (depth - 1) + "]"


def _rows(array: npt.NDArray[Any], depth: int) -> Iterator[str]:
    for row in array:
        yield f"{' ' * 4 * depth}{_nested(row, depth + 1)},\n"


def _entry(entry: Any) -> str:  # noqa: ANN401 - a scalar of any dtype
    if isinstance(entry, np.floating):
        return str(entry) if np.isfinite(entry) else _beyond(float(entry))
    return repr(entry.item())


LEARNED = "It has what was learned up to this step; how it was learned is not in the program."

BY_WORD = (
    "The vector of each word is drawn from a generator of its own, seeded with the SHA-256 of seed and word: NumPy "
    "alone cannot do that, so the vectors are in the file."
)
"""Why the vectors of words are not drawn by a program."""

SOFTMAX = """
    def softmax(scores, temperature=1.0):
        e = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
        return e / e.sum(axis=-1, keepdims=True)
"""

MASKED_SOFTMAX = """
    def softmax(scores, temperature=1.0):  # a row that may see nothing has weights of zero
        top = scores.max(axis=-1, keepdims=True)
        e = np.exp((scores - np.where(np.isfinite(top), top, 0.0)) / temperature)
        total = e.sum(axis=-1, keepdims=True)
        return e / np.where(total > 0.0, total, 1.0)
"""

ARG_MAX = """
    def arg_max(scores):  # the best key takes all, the first among equals; none where nothing may be seen
        best = np.arange(scores.shape[-1]) == scores.argmax(axis=-1)[..., None]
        return np.where(np.isfinite(scores), best, False).astype(scores.dtype)
"""

SINUSOIDS = """
    def sinusoids(positions, d_model, base=10000.0):  # Vaswani et al. 2017, section 3.5
        angles = positions[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
        encoding = np.empty((len(positions), d_model))
        encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles[:, : d_model // 2])
        return encoding
"""

LAYER_NORM = """
    def layer_norm(x, eps=1e-5):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
"""

ROTARY = """
    def rotary(x, positions, base=10000.0, layout="half"):  # Su et al. 2021, eq. 34
        d = x.shape[-1]
        angles = positions[:, None] / base ** (np.arange(0, d, 2) / d)
        cos, sin = np.cos(angles), np.sin(angles)
        first, second = (slice(0, d // 2), slice(d // 2, d)) if layout == "half" else (slice(0, d, 2), slice(1, d, 2))
        a, b, turned = x[..., first], x[..., second], np.empty(np.broadcast_shapes(x.shape, (len(positions), d)))
        turned[..., first], turned[..., second] = a * cos - b * sin, a * sin + b * cos
        return turned
"""
