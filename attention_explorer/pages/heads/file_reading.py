"""How a file of attention is read: what could be the weights, which axis is which, and what speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from attention_explorer.core.map_picture import Contrast, MapPicture, score_scale, weight_scale
from attention_explorer.core.numerals import MINUS, counted
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Bools, Floats, real_array
from attention_explorer.model.map_selection import Selection, positions_of
from attention_explorer.sources.recorded import Contents, contents_of, layers_of, open_arrays
from attention_explorer.sources.recorded.axes import LETTERS
from attention_explorer.sources.recorded.axes_sample import LARGEST_ERROR
from attention_explorer.sources.recorded.contents import COMPUTED, layers_by_name
from attention_explorer.sources.recorded.head_stack import HeadStack
from attention_explorer.sources.recorded.pieces import readable_piece
from attention_explorer.sources.recorded_recipe import FileRecipe, Rows
from attention_explorer.sources.recorded_source import file_recipe, what_speaks_for

# ---- Some heads of a file ----
# Small maps, and what their rows sum to. Only what is shown of them is read.


MOST_HEADS, MOST_ROWS, MOST_COLUMNS = 8, 96, 96
"""Of the maps: more rows are left out, more columns become tiles that show the largest number."""
MOST_ENTRIES, FEWEST_ROWS = 2**21, 4
"""Of one head, unless so few rows have more."""
ROUNDED = 5e-4
COLOUR_MAP = "viridis"

Table: TypeAlias = Callable[[Selection], tuple[Floats, Bools]]
"""Reads some rows of a head: numbers (rows, n_k), and which of them may be attended to."""
Labels: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""What rows and columns are called."""


@dataclass(frozen=True, slots=True, eq=False)
class FileHead:
    """A head: what it is called, and its map; None where it holds no weights, for a reason."""

    name: str
    picture: MapPicture | None
    refusal: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FileHeads:
    """Some heads of a file, and what is seen of them at once.

    Attributes
    ----------
    heads : tuple of FileHead
        The first, the last, and some between.
    count : int
        How many there are.
    shape : tuple of int
        n_q, n_k.
    rows : int
        How many rows of each are shown.
    sums : tuple of float
        What those rows sum to that hold a number other than 0.
    empty : int
        How many hold none.
    are_weights : bool
        Whether the maps are what will be shown; else they are the numbers in the file.
    is_below_zero : bool
        Whether there are numbers below 0, −inf among them.
    is_unfit : bool
        Whether there are NaN or +inf.
    """

    heads: tuple[FileHead, ...]
    count: int
    shape: tuple[int, int]
    rows: int
    sums: tuple[float, ...]
    empty: int
    are_weights: bool
    is_below_zero: bool
    is_unfit: bool

    def sums_words(self) -> str:
        """Return what the rows sum to, as a sentence."""
        none = f" {counted(self.empty, 'row')} hold{'s' * (self.empty == 1)} nothing." if self.empty else ""
        if not self.sums:
            return none.strip() or "No row can be added up."
        least, most = min(self.sums), max(self.sums)
        error = max(abs(least - 1), abs(most - 1))
        if error <= LARGEST_ERROR:
            return f"Rows sum to 1{f' within {error:.1g}' if error > ROUNDED else ''}.{none}"
        ends = [f"{end:.3g}".replace("-", MINUS) for end in (least, most)]
        between = ends[0] if ends[0] == ends[1] else " … ".join(ends)
        return f"Rows sum to {between}{'' if self.are_weights else ': these are no weights'}.{none}"

    def shown_words(self) -> str:
        """Return how much of the file is seen, and in which colours."""
        (n_q, _), some = self.shape, len(self.heads)
        heads = counted(some, "head") if some == self.count else f"{some} of {self.count} heads"
        rows = f", {self.rows} of {n_q} rows of each" if self.rows < n_q else ""
        return f"{heads}{rows}: queries down, keys across, colours up to the largest number."


def heads_to_show(contents: Contents, recipe: FileRecipe) -> FileHeads:
    """Return some heads as they will be shown.

    Raises
    ------
    ExplorerError
        The file cannot be read.
    """
    layers = layers_of(contents, recipe.axes, batch=recipe.batch, is_causal=recipe.is_causal, rows=recipe.rows)
    places = _some([len(heads) for heads in layers])
    shape = layers[0][0].shape
    rows = _rows(contents, recipe.axes, shape)

    def table(layer: int, head: int) -> Table:
        def read(rows: Selection) -> tuple[Floats, Bools]:
            map_ = layers[layer][head].map()
            return map_.weights(rows), map_.allowed(rows)

        return read

    tables = ((_name(len(layers), *place), table(*place)) for place in places)
    return _seen(contents, tables, sum(map(len, layers)), shape, rows, are_weights=True)


def numbers_to_show(contents: Contents, axes: str, batch: int) -> FileHeads:
    """Return some heads as they are in the file, whatever that is.

    Raises
    ------
    ExplorerError
        The file cannot be read, or the axes do not fit.
    """
    stack = HeadStack(contents.attention, "qk", contents.is_list, batch, axes)
    rows = _rows(contents, axes, stack.rows_and_columns)

    def table(layer: int, head: int) -> Table:
        def read(rows: Selection) -> tuple[Floats, Bools]:
            numbers = real_array("numbers", stack.head(layer, head, stack.heads[layer])[rows])
            return numbers, np.isfinite(numbers)

        return read

    tables = ((_name(len(stack.heads), *place), table(*place)) for place in _some(stack.heads))
    return _seen(contents, tables, sum(stack.heads), stack.rows_and_columns, rows, are_weights=False)


def _some(counts: list[int]) -> list[tuple[int, int]]:
    """Choose heads, spread over all of them: layers and heads, from 0."""
    every = sum(counts)
    ends = np.cumsum(counts)
    chosen = np.unique(np.linspace(0, every - 1, min(MOST_HEADS, every)).astype(int))
    layers = np.searchsorted(ends, chosen, side="right")
    return [(int(layer), int(place - ends[layer] + counts[layer])) for layer, place in zip(layers, chosen, strict=True)]


def _rows(contents: Contents, axes: str, shape: tuple[int, int]) -> Selection:
    """Choose rows: spread over the head, or the first ones where it is neighbours that are read together."""
    n_q, n_k = shape
    most = max(FEWEST_ROWS, min(MOST_ROWS, MOST_ENTRIES // n_k))
    if n_q <= most:
        return slice(0, n_q)
    if contents.attention and contents.attention[0].nearest_axis == axes.index("q"):
        return slice(0, most)
    return np.linspace(0, n_q - 1, most).astype(np.intp)


def _name(layers: int, layer: int, head: int) -> str:
    return f"L{layer + 1} H{head + 1}" if layers > 1 else f"head {head + 1}"


def _seen(
    contents: Contents,
    tables: Iterator[tuple[str, Table]],
    count: int,
    shape: tuple[int, int],
    rows: Selection,
    *,
    are_weights: bool,
) -> FileHeads:
    labels = _labels(contents, shape, positions_of(rows))
    heads, sums, empty, is_below_zero, is_unfit = [], [np.empty(0)], 0, False, False
    for name, table in tables:
        try:
            numbers, allowed = table(rows)
        except ArrayError as error:
            heads.append(FileHead(name, None, str(error)))
            continue
        unfit = np.isnan(numbers) | np.isposinf(numbers)
        is_below_zero, is_unfit = is_below_zero or bool((numbers < 0).any()), is_unfit or bool(unfit.any())
        fine = np.isfinite(numbers).all(axis=-1)
        empty += int(np.count_nonzero(~numbers.any(axis=-1)))
        with np.errstate(over="ignore"):  # then they sum to ∞
            sums.append(numbers[fine & numbers.any(axis=-1)].sum(axis=-1, dtype=np.float64))
        heads.append(FileHead(name, _picture(numbers, allowed, labels)))
    totals = tuple(np.concatenate(sums).tolist())
    shown = len(labels[0])
    return FileHeads(tuple(heads), count, shape, shown, totals, empty, are_weights, is_below_zero, is_unfit)


def _labels(contents: Contents, shape: tuple[int, int], rows: np.typing.NDArray[np.intp]) -> Labels:
    """Return what rows and columns are called: tokens where there is one for each, else numbers from 1."""
    tokens = contents.tokens or ()
    context = contents.context_tokens or tokens
    named = [
        tuple(map(readable_piece, texts)) if len(texts) == length else tuple(map(str, range(1, length + 1)))
        for texts, length in zip((tokens, context), shape, strict=True)
    ]
    return tuple(named[0][row] for row in rows.tolist()), named[1]


def _picture(numbers: Floats, allowed: Bools, labels: Labels) -> MapPicture:
    masked = ~allowed
    values = np.where(masked, 0, numbers)
    is_below_zero = bool((values < 0).any())
    scale = score_scale(values, "number") if is_below_zero else weight_scale(Contrast.MAX, values, masked)
    return MapPicture(values, masked, scale, COLOUR_MAP, *labels).fitted(MOST_ROWS, MOST_COLUMNS)


FEWEST_AXES, MOST_AXES = 2, 5
_ONE = {"l": "layer", "b": "in batch", "h": "head", "q": "query", "k": "key"}
LOOK_LIKE_SCORES = "There are numbers below 0, so they look like scores: softmax over each row makes weights of them."
NO_SCORES = "No number is below 0: each row can be divided by its sum; or are they scores, for a softmax over each row?"


@dataclass(frozen=True, slots=True)
class Choice:
    """How somebody wants a file to be read; what is empty or None is guessed."""

    attention: str = ""
    axes: str = ""
    batch: int = 0
    is_causal: bool | None = None
    rows: Rows = Rows.AS_THEY_ARE


@dataclass(frozen=True, slots=True)
class Reading:
    """What comes of a choice.

    Attributes
    ----------
    choice : Choice
        With what was guessed.
    recipe : FileRecipe or None
        What is opened; None if it cannot be read like this.
    reasons : tuple of str
        What speaks for it, or why it cannot be.
    heads : FileHeads or None
        How some heads look like this; None if the axes do not fit.
    shape : tuple of int
        Of the array, or of each layer; empty if there is none of weights.
    layers : int
        How many arrays there are, one for each layer; 0 if one holds all of them.
    offer : str
        Where the rows are not weights as they are: what to make of them; else empty.
    """

    choice: Choice
    recipe: FileRecipe | None
    reasons: tuple[str, ...]
    heads: FileHeads | None = None
    shape: tuple[int, ...] = ()
    layers: int = 0
    offer: str = ""


# ---- Axes ----


def axis_word(letter: str, length: int) -> str:
    """Return what an axis is, as it stands behind its length: “heads”, “query”."""
    return _ONE[letter] if length == 1 or letter == "b" else LETTERS[letter]


def given(axes: str, place: int, letter: str) -> str:
    """Return axes of which one means something else; what meant that before changes places with it."""
    other = axes.find(letter)
    letters = list(axes)
    if other >= 0:
        letters[other] = axes[place]
    letters[place] = letter
    return "".join(letters)


# ---- Files ----


def candidates(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the arrays of a file that could be weights: each with its name, and with its shape and type.

    Raises
    ------
    ExplorerError
        The file cannot be read.
    """
    file = open_arrays(path)
    could_be = [
        array
        for array in file.arrays.values()
        if array.dtype.kind in "fiu" and FEWEST_AXES <= len(array.shape) <= MOST_AXES
    ]
    by_layer = [
        (name, f"{name}  {counted(len(layers), 'layer')} of {layers[0].shape}  {layers[0].precision}")
        for name, layers in layers_by_name(could_be).items()
    ]
    alone = [(array.name, f"{array.name}  {array.shape}  {array.precision}") for array in could_be]
    vectors = {"q", "k"} <= {name for name, _ in (*by_layer, *alone)}
    return (*by_layer, *alone, *([(COMPUTED, "computed from q and k")] if vectors and len(alone) > 2 else ()))


def refuse_hopeless(path: Path) -> None:
    """Refuse a file that cannot be read as attention whatever is chosen; of others the window asks how.

    Raises
    ------
    ExplorerError
        The message says why.
    """
    if not candidates(path):
        file_recipe(path)


def read_as(path: Path, choice: Choice) -> Reading:
    """Read a file as somebody wants it to be, as far as that goes.

    Raises
    ------
    ExplorerError
        The file cannot be read at all.
    """
    file = open_arrays(path)
    try:
        contents = contents_of(file, choice.attention or None)
    except ExplorerError as error:
        return Reading(choice, None, (str(error),))
    shape = contents.attention[0].shape if contents.attention else ()
    layers = len(contents.attention) if contents.is_list else 0
    try:
        reading = _read(path, contents, choice)
    except ExplorerError as error:  # the letters do not fit
        reading = Reading(choice, None, (str(error),))
    return replace(reading, shape=shape, layers=layers)


def _read(path: Path, contents: Contents, choice: Choice) -> Reading:
    reasons: tuple[str, ...] = ("There are queries and keys: the weights are computed from them.",)
    if contents.attention:
        guess = what_speaks_for(contents, choice.axes, choice.rows)
        choice = replace(choice, attention=contents.name, axes=guess.axes)
        if guess.problems:
            return _refused(contents, choice, guess.problems)
        reasons = guess.reasons
        if choice.is_causal is None:
            choice = replace(choice, is_causal=guess.is_causal and contents.mask is None)
    try:
        recipe = file_recipe(
            path,
            attention=choice.attention,
            axes=choice.axes,
            batch=choice.batch,
            is_causal=choice.is_causal,
            rows=choice.rows,
        )
    except ExplorerError as error:
        return _refused(contents, choice, (str(error),))
    return Reading(choice, recipe, (*reasons, *contents.notes), heads_to_show(contents, recipe))


def _refused(contents: Contents, choice: Choice, problems: tuple[str, ...]) -> Reading:
    """Show what is in the file, which is not what can be opened."""
    if not contents.attention:
        return Reading(choice, None, problems)
    heads = numbers_to_show(contents, choice.axes, choice.batch)
    if len(problems) > 1:  # the first says what the rows sum to, as the heads do
        problems = problems[1:]
    if choice.rows is Rows.AS_THEY_ARE:
        other = what_speaks_for(contents)
        if not other.problems:
            words = ", ".join(LETTERS[letter] for letter in other.axes)
            return Reading(choice, None, (*problems, f"In the order {words} ({other.axes}) rows sum to 1."), heads)
    if heads.is_unfit:
        return Reading(choice, None, problems, heads)
    return Reading(choice, None, problems, heads, offer=LOOK_LIKE_SCORES if heads.is_below_zero else NO_SCORES)
