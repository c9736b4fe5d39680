"""How a file of attention is read: what could be the weights, which axis is which, and what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.file_heads import FileHeads, heads_to_show, numbers_to_show
from attention_explorer.sources.recorded import Contents, contents_of, open_arrays
from attention_explorer.sources.recorded.axes import LETTERS
from attention_explorer.sources.recorded.contents import COMPUTED, layers_by_name
from attention_explorer.sources.recorded_recipe import FileRecipe, Rows
from attention_explorer.sources.recorded_source import file_recipe, what_speaks_for

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
