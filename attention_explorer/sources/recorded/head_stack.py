"""Arrays of several layers and heads, taken apart by their axes."""

from __future__ import annotations

from collections.abc import Sequence

from attention_explorer.errors import ArrayError, quoted
from attention_explorer.sources.recorded.axes import check_axes, check_shape
from attention_explorer.sources.recorded.head_array import HeadArray
from attention_explorer.sources.recorded.stored_array import StoredArray


class HeadStack:
    """The heads of all layers of one kind of array.

    Parameters
    ----------
    arrays : sequence of StoredArray
        One array, or one for each layer.
    table : str
        The letters of a head's two axes: qk for weights, nd for queries, keys and values.
    is_list : bool
        Whether there is an array for each layer.
    batch : int or None
        Which sequence of the batch; None if there should be only one.
    axes : str
        One letter an axis of weights; those of the others are known by their number.

    Attributes
    ----------
    heads : list of int
        How many each layer has.
    rows_and_columns : tuple of int
        The size of every head.
    batch_size : int
        How many sequences there are.

    Raises
    ------
    ArrayError
        If there is no such sequence, there are several and none is named, or layers differ in more than their number of
        heads.
    """

    def __init__(
        self, arrays: Sequence[StoredArray], table: str, is_list: bool, batch: int | None, axes: str = ""
    ) -> None:
        self.arrays, self._table, self._is_list, self._batch = arrays, table, is_list, batch or 0
        self._axes = [self._letters(array, axes) for array in arrays]
        sizes = [
            dict(zip(letters, array.shape, strict=True)) for array, letters in zip(arrays, self._axes, strict=True)
        ]
        self.batch_size = sizes[0].get("b", 1)
        if batch is None and self.batch_size > 1:
            last = self.batch_size - 1
            raise ArrayError(f"there are {self.batch_size} sequences in the batch: say which, batch 0 to {last}")
        if not 0 <= self._batch < self.batch_size:
            raise ArrayError(f"there is no sequence {batch} in a batch of {self.batch_size}: they count from 0")
        self.rows_and_columns = (sizes[0][table[0]], sizes[0][table[1]])
        for array, size in zip(arrays, sizes, strict=True):
            if (size[table[0]], size[table[1]], size.get("b", 1)) != (*self.rows_and_columns, self.batch_size):
                raise ArrayError(
                    f"{quoted(arrays[0].name)} has the shape {arrays[0].shape} and {quoted(array.name)} {array.shape}: "
                    "layers may differ in their number of heads only"
                )
        layers = 1 if is_list else sizes[0].get("l", 1)
        self.heads = [size.get("h", 1) for size in sizes] if is_list else [sizes[0].get("h", 1)] * layers

    def _letters(self, array: StoredArray, axes: str) -> str:
        if self._table == "qk":
            check_shape(array.name, array.shape)
            return check_axes(axes, array.shape, is_list=self._is_list)
        known = {2: "nd", 3: "hnd", 4: "bhnd" if self._is_list else "lhnd", 5: "lbhnd"}
        if array.ndim not in known or 0 in array.shape or (self._is_list and array.ndim == 5):
            raise ArrayError(
                f"{quoted(array.name)} has the shape {array.shape}: it must be (n, d), (heads, n, d), (layers, heads, "
                "n, d) or (layers, batch, heads, n, d)"
            )
        return known[array.ndim]

    def head(self, layer: int, number: int, heads: int) -> HeadArray:
        """Return the table of a head; where several share one, as in grouped-query attention, that one."""
        array, letters = (self.arrays[layer], self._axes[layer]) if self._is_list else (self.arrays[0], self._axes[0])
        own = number * self.heads[layer] // heads
        places = {"l": layer, "b": self._batch, "h": own}
        row, column = (letters.index(letter) for letter in self._table)
        return HeadArray(
            array, {axis: places[letter] for axis, letter in enumerate(letters) if letter in places}, row, column
        )


def check_sizes(
    q: HeadStack | None, k: HeadStack | None, v: HeadStack | None, shape: tuple[int, int], counts: Sequence[int]
) -> None:
    """Make sure that queries, keys and values are those of the heads.

    Raises
    ------
    ArrayError
        If there are too many or too few.
    """
    n_q, n_k = shape
    for name, stack, wanted in (("q", q, n_q), ("k", k, n_k), ("v", v, n_k)):
        if stack is None:
            continue
        if stack.rows_and_columns[0] != wanted:
            what = "queries" if name == "q" else "keys"
            raise ArrayError(f"{name} has {stack.rows_and_columns[0]} rows, but there are {wanted} {what}")
        if len(stack.heads) != len(counts):
            raise ArrayError(f"{name} has {len(stack.heads)} layers, but there are {len(counts)}")
        for own, heads in zip(stack.heads, counts, strict=True):
            if heads % own or (name == "q" and own != heads):
                raise ArrayError(
                    f"{name} has {own} heads in a layer of {heads}: each head needs its own, or an even share"
                )
    if q is not None and k is not None and q.rows_and_columns[1] != k.rows_and_columns[1]:
        raise ArrayError(f"q has {q.rows_and_columns[1]} columns and k {k.rows_and_columns[1]}: both have d_k of them")
