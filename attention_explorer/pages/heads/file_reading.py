"""How a file of attention is read: what could be the weights, which axis is which, and what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import HeadsSetup, HeadsView
from attention_explorer.sources.recorded import ArrayFile, contents_of, open_arrays
from attention_explorer.sources.recorded.contents import COMPUTED, layers_by_name
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.recorded_source import file_recipe, what_speaks_for

FEWEST_AXES, MOST_AXES = 2, 5
PREVIEW_TILES = 128


@dataclass(frozen=True, slots=True)
class Choice:
    """How somebody wants a file to be read; what is empty or None is guessed."""

    attention: str = ""
    axes: str = ""
    batch: int = 0
    is_causal: bool | None = None


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
    preview : MapPicture or None
        The first head.
    """

    choice: Choice
    recipe: FileRecipe | None
    reasons: tuple[str, ...]
    preview: MapPicture | None


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


def read_as(path: Path, choice: Choice, tokens: Sequence[str] = ()) -> Reading:
    """Read a file as somebody wants it to be, as far as that goes.

    Raises
    ------
    ExplorerError
        The file cannot be read at all.
    """
    file = open_arrays(path)
    try:
        return _read(file, choice, tokens)
    except ExplorerError as error:
        return Reading(choice, None, (str(error),), None)


def _read(file: ArrayFile, choice: Choice, tokens: Sequence[str]) -> Reading:
    contents = contents_of(file, choice.attention or None)
    reasons: tuple[str, ...] = ("There are queries and keys: the weights are computed from them.",)
    if contents.attention:
        guess = what_speaks_for(contents, choice.axes)
        choice = Choice(contents.name, guess.axes, choice.batch, choice.is_causal)
        if guess.problems:
            return Reading(choice, None, guess.problems, None)
        reasons = guess.reasons
        if choice.is_causal is None:
            choice = Choice(choice.attention, choice.axes, choice.batch, guess.is_causal and contents.mask is None)
    recipe = file_recipe(
        file.path,
        attention=choice.attention,
        axes=choice.axes,
        batch=choice.batch,
        tokens=tokens,
        is_causal=choice.is_causal,
    )
    frame = heads_frame(HeadsSetup(recipe))
    preview = map_picture(frame, HeadsView(), None, (PREVIEW_TILES, PREVIEW_TILES))
    return Reading(choice, recipe, (*reasons, *contents.notes), preview)
