"""An array behind a head as a picture, as a table, and in words."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, Contrast, FloatArray, score_scale, weight_scale
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.core.numerals import full
from attention_explorer.model.pooling import tile_bounds
from attention_explorer.pages.heads.array import ArrayKind, HeadArray, shape_words
from attention_explorer.pages.heads.frame import HeadsFrame


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
