"""The mask of a head: one from a file, or a causal one, by rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_explorer.errors import ArrayError, quoted
from attention_explorer.model import RowMask
from attention_explorer.model.arrays import Bools
from attention_explorer.sources.recorded.stored_array import StoredArray


def causal_rows(n_q: int, n_k: int) -> RowMask:
    """Return the causal mask by rows, the last query and the last key aligned; see `causal_mask`."""

    def rows(start: int, stop: int) -> Bools:
        return np.tri(stop - start, n_k, start + n_k - n_q, dtype=np.bool_)

    return rows


def head_mask(array: StoredArray, axes: str, sizes: Mapping[str, int], places: Mapping[str, int]) -> RowMask:
    """Return the mask of one head by rows, read when they are asked for.

    Parameters
    ----------
    array : StoredArray
        True, or 1, where a query may attend: (n_k,), (n_q, n_k), (batch, n_k), or the axes of the weights, each as
        long as theirs or 1.
    axes : str
        Those of the weights.
    sizes : mapping of str to int
        The length of each axis, by letter.
    places : mapping of str to int
        The place of the head along the others.

    Returns
    -------
    RowMask

    Raises
    ------
    ArrayError
        If the shape does not fit; later, if an entry is neither true nor false.
    """
    letters = _letters(array, axes, sizes)

    def rows(start: int, stop: int) -> Bools:
        cuts: dict[str, slice | int] = {"q": slice(start, stop), "k": slice(0, sizes["k"]), **places}
        single = {"q": slice(0, 1), "k": slice(0, 1)}
        part = array.part(
            [
                cuts[letter] if length > 1 or sizes[letter] == 1 else single.get(letter, 0)
                for letter, length in zip(letters, array.shape, strict=True)
            ]
        )
        table = np.atleast_2d(part)
        return _truth(array, table.T if "q" in letters and letters.index("k") < letters.index("q") else table)

    return rows


def _letters(array: StoredArray, axes: str, sizes: Mapping[str, int]) -> str:
    usual = {1: ("k",), 2: ("qk", "bk"), 3: ("hqk",), 4: ("bhqk", "lhqk"), 5: ("lbhqk",)}
    tried = [*([axes] if len(axes) == array.ndim else []), *usual.get(array.ndim, ())]
    for letters in tried:
        if all(length in (1, sizes[letter]) for letter, length in zip(letters, array.shape, strict=True)):
            return letters
    raise ArrayError(
        f"{quoted(array.name)} has the shape {array.shape}, which fits neither {sizes['q']} queries and {sizes['k']} "
        "keys nor the weights: give (n_q, n_k), (n_k,) or the shape of the weights"
    )


def _truth(array: StoredArray, table: np.typing.NDArray[np.generic]) -> Bools:
    if table.dtype == np.bool_:
        return table.astype(np.bool_, copy=False)
    truth: Bools = np.equal(table, 1)
    is_neither = ~(truth | np.equal(table, 0))
    if is_neither.any():
        wrong = table[is_neither][0]
        raise ArrayError(
            f"{quoted(array.name)} holds {wrong}: a mask is True, or 1, where a query may attend, and False, or 0, "
            "elsewhere; numbers that are added to scores are none"
        )
    return truth
