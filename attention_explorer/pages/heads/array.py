"""The arrays behind a head, from the embeddings to the output of the layer: names, pictures and words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, Contrast, FloatArray, score_scale, weight_scale
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import full
from attention_explorer.core.role import Role
from attention_explorer.model import Stage
from attention_explorer.model.pooling import tile_bounds
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.sources.source import Ability

MOST_SHOWN = 512
"""Tokens up to which arrays are shown: some hold a number for every pair."""

MOST_CELLS = 2**22
"""Weights of all heads up to which their outputs are put side by side."""


class ArrayKind(StrEnum):
    """An array by its symbol."""

    EMBEDDINGS = "E"
    ENCODING = "PE"
    X = "X"
    CONTEXT = "X′"
    W_Q = "W_Q"
    W_K = "W_K"
    W_V = "W_V"
    Q = "Q"
    K = "K"
    V = "V"
    SCORES = "QKᵀ"
    SCALED = "S"
    WEIGHTS = "A"
    HEAD_OUTPUT = "A·V"
    CONCAT = "concat"
    W_O = "W_O"
    OUTPUT = "output"


ROLES = {
    ArrayKind.W_Q: Role.QUERY,
    ArrayKind.Q: Role.QUERY,
    ArrayKind.W_K: Role.KEY,
    ArrayKind.K: Role.KEY,
    ArrayKind.W_V: Role.VALUE,
    ArrayKind.V: Role.VALUE,
}

STAGES = {ArrayKind.SCORES: Stage.SCORES, ArrayKind.SCALED: Stage.SCALED, ArrayKind.WEIGHTS: Stage.WEIGHTS}

LIBRARY = (
    "As in a library: you come with a question (query), compare it with the label of every book (key), and take more "
    "from the books (values) the better their labels fit."
)
ROLE_CARDS = {
    ArrayKind.Q: f"A query says what its token looks for. Where it was learned, no word may exist for that. {LIBRARY}",
    ArrayKind.K: f"A key says what its token can be found by; each query is compared with all keys. {LIBRARY}",
    ArrayKind.V: f"A value is what its token hands over once it is found. {LIBRARY}",
}
"""What the three roles of a token mean."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadArray:
    """An array of the chosen head or of its layer."""

    kind: ArrayKind
    title: str
    source: str
    """Where its numbers come from."""
    values: FloatArray  # (rows, columns)
    masked: BoolArray  # (rows, columns), cells that no query may look at
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    axes: tuple[str, str]
    """What a row and a column are."""
    whole: str = ""
    """The shape with all heads, where this is a part of a larger array."""
    own_rows: slice | None = None
    """The rows of the chosen head, where the array holds those of all heads."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def role(self) -> Role | None:
        """Whether it is about queries, keys or values."""
        return ROLES.get(self.kind)

    @property
    def card(self) -> str:
        """What the role of the token means; empty for arrays without one."""
        return ROLE_CARDS.get(self.kind, "")


# ---- Which there are ----


def reason_against(frame: HeadsFrame) -> str:
    """Return why the arrays of a frame are not shown; empty if they are."""
    longest = max(frame.shape)
    if longest > MOST_SHOWN:
        return f"Arrays are shown up to {MOST_SHOWN} tokens, and there are {longest}: shorten the sentence."
    lacking = frame.source.traits.reason_against(Ability.SCORES)
    if lacking:
        return lacking
    if min(frame.shape) == 0:
        return "There is no token, so there are no arrays: type a sentence."
    return ""


def arrays_of(frame: HeadsFrame) -> tuple[ArrayKind, ...]:
    """Return which arrays there are, in the order of computation."""
    absent: set[ArrayKind] = set()
    if not (frame.source.is_encoded and frame.layer == 0):
        absent |= {ArrayKind.EMBEDDINGS, ArrayKind.ENCODING}
    layer = frame.layers[frame.layer]
    if layer.x is None:
        absent |= {ArrayKind.X, ArrayKind.CONTEXT}
    if layer.values is None:
        absent |= {ArrayKind.V, ArrayKind.HEAD_OUTPUT}
    if not frame.is_cross:
        absent.add(ArrayKind.CONTEXT)
    if not frame.has_projections:
        absent |= {ArrayKind.W_Q, ArrayKind.W_K, ArrayKind.W_V, ArrayKind.W_O, ArrayKind.CONCAT, ArrayKind.OUTPUT}
    if frame.heads * frame.shape[0] * frame.shape[1] > MOST_CELLS:
        absent |= {ArrayKind.CONCAT, ArrayKind.OUTPUT}
    return tuple(kind for kind in ArrayKind if kind not in absent)


def formula(frame: HeadsFrame) -> tuple[tuple[str, ArrayKind | None], ...]:
    """Return softmax(QKᵀ/√d_k)V piece by piece, each with the array behind it if there is one.

    Nothing where queries and keys are not known.
    """
    if frame.source.traits.reason_against(Ability.SCORES):
        return ()
    name = "arg max" if frame.setup.hard else "softmax"
    pieces: list[tuple[str, ArrayKind | None]] = [(frame.count.head(frame.head), ArrayKind.HEAD_OUTPUT), ("=", None)]
    pieces += [(name, ArrayKind.WEIGHTS), ("(", None), ("Q", ArrayKind.Q), ("Kᵀ", ArrayKind.K)]
    if frame.setup.scaled:
        pieces.append((f"÷ √{frame.head_width}", ArrayKind.SCALED))
    there = arrays_of(frame)
    return tuple((text, kind if kind in there else None) for text, kind in (*pieces, (")", None), ("V", ArrayKind.V)))


def projections(frame: HeadsFrame) -> tuple[tuple[str, ArrayKind | None], ...]:
    """Return how Q, K, V and the output are made, piece by piece; nothing for heads made by hand."""
    if not frame.has_projections:
        return ()
    asked = ArrayKind.CONTEXT if frame.is_cross else ArrayKind.X
    pieces: list[tuple[str, ArrayKind | None]] = []
    for made, source, weight in (
        (ArrayKind.Q, ArrayKind.X, ArrayKind.W_Q),
        (ArrayKind.K, asked, ArrayKind.W_K),
        (ArrayKind.V, asked, ArrayKind.W_V),
        (ArrayKind.OUTPUT, ArrayKind.CONCAT, ArrayKind.W_O),
    ):
        pieces += [(made.value, made), ("=", None), (source.value, source), (weight.value, weight), (" ", None)]
    there = arrays_of(frame)
    return tuple((text, kind if kind in there else None) for text, kind in pieces[:-1])


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape as it is written: (8, 11, 8)."""
    return f"({', '.join(map(str, shape))})"


def shape_text(array: HeadArray) -> str:
    """Return the shape of an array as it is written: (11, 8)."""
    return shape_words(array.shape)


def shape_note(frame: HeadsFrame) -> str:
    """Say why what comes out has the shape of what went in, or need not have it."""
    layer = frame.layers[frame.layer]
    if layer.x is None or layer.values is None:
        return ""
    found = (frame.shape[0], int(layer.v.shape[-1]))
    x = layer.inputs[0]
    if found == x.shape:
        return f"The output {shape_words(found)} has the shape of the input X."
    said = f"A·V {shape_words(found)} need not have the shape of X {shape_words(x.shape)}: "
    if layer.attention is None:
        return f"{said}these values are unit vectors, so A·V is A."
    w_o = layer.attention.w_o.shape
    what = "it" if frame.heads == 1 else "all heads, side by side,"
    return f"{said}W_O {shape_words(w_o)} brings {what} back to {shape_words((found[0], w_o[1]))}."


def array_picture(array: HeadArray, colour_map: str, tiles: tuple[int, int] = (4096, 4096)) -> MapPicture:
    """Return an array as a map, signed but for weights; where cells are more than ``tiles``, the largest of each."""
    weights = array.kind is ArrayKind.WEIGHTS
    scale = weight_scale(Contrast.MAX, array.values, array.masked) if weights else score_scale(array.values, array.kind)
    values, masked = array.values, array.masked
    if array.shape[0] > tiles[0] or array.shape[1] > tiles[1]:
        values, masked = _pooled(values, masked, tiles)
    row, column = array.axes
    return MapPicture(
        values, masked, scale, colour_map, array.rows, array.columns, row_title=row, column_title=f"{column} →"
    )


def _pooled(values: FloatArray, masked: BoolArray, tiles: tuple[int, int]) -> tuple[FloatArray, BoolArray]:
    """Keep of every tile the number furthest from 0."""
    rows, columns = (tile_bounds(length, most)[:-1] for length, most in zip(values.shape, tiles, strict=True))

    def of_tiles(ufunc: np.ufunc, array: FloatArray | BoolArray) -> np.typing.NDArray[np.generic]:
        return np.asarray(ufunc.reduceat(ufunc.reduceat(array, rows, axis=0), columns, axis=1))

    seen = np.where(masked, 0.0, values)
    high, low = of_tiles(np.maximum, seen), of_tiles(np.minimum, seen)
    return np.where(np.abs(low) > np.abs(high), low, high), of_tiles(np.logical_and, masked).astype(np.bool_)


_MADE_BY = {
    ArrayKind.Q: "row “{row}” of X times column {column} of W_Q",
    ArrayKind.K: "row “{row}” of {asked} times column {column} of W_K",
    ArrayKind.V: "row “{row}” of {asked} times column {column} of W_V",
    ArrayKind.SCORES: "query “{row}” times key “{column}”",
    ArrayKind.HEAD_OUTPUT: "the weights of row “{row}” times column {column} of V",
    ArrayKind.W_O: "row {row} belongs to head {head}",
    ArrayKind.OUTPUT: "row “{row}” of concat times column {column} of W_O, all heads of it",
}


def array_words(frame: HeadsFrame, array: HeadArray, row: int, column: int) -> str:
    """Say what a number of an array is, and what it is the product of."""
    names = {"row": array.rows[row], "column": array.columns[column], "asked": "X′" if frame.is_cross else "X"}
    names["head"] = str(frame.count.number(row * frame.heads // len(array.rows)))
    place = f"{array.kind}[{names['row']}, {names['column']}]"
    if array.masked[row, column]:
        return f"{place}: masked, the query may not attend to this key"
    made = _MADE_BY.get(array.kind, "")
    if not frame.has_projections and array.kind in (ArrayKind.Q, ArrayKind.K, ArrayKind.V):
        made = ""
    said = f": {made.format(**names)}" if made else ""
    return f"{place} = {full(float(array.values[row, column]))}{said}"


def array_table(array: HeadArray) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return an array with every digit, as a header and rows."""
    return (array.axes[0], *array.columns), [
        (name, *numbers) for name, numbers in zip(array.rows, array.values.tolist(), strict=True)
    ]
