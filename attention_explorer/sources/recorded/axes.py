"""Which axis of an array is which: guessed from its shape and from what its numbers sum to.

One letter an axis: l layers, b batch, h heads, q queries, k keys. A row of weights sums to 1 along the keys, so a
sample of rows tells which axis they are; the order of the others is told by their lengths, and what cannot be told is
said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ArrayError, quoted
from attention_explorer.sources.recorded.axes_sample import RowSums, SampledRow, add_up, is_scattered, sampled
from attention_explorer.sources.recorded.row_weights import UNFIT
from attention_explorer.sources.recorded.stored_array import StoredArray
from attention_explorer.sources.recorded_recipe import Rows

LETTERS = {"l": "layers", "b": "batch", "h": "heads", "q": "queries", "k": "keys"}
FEWEST_AXES, MOST_AXES = 2, 5
ROUNDING = {"float64": 1e-4, "float32": 1e-4, "float16": 5e-3, "bfloat16": 1e-2}
"""How far a sum may be from 1 for rounding alone, by the type weights are stored in."""
MOST_BAD = 0.25
"""The share of heads that may hold something else than weights: they are refused when they are looked at."""


@dataclass(frozen=True, slots=True)
class AxesGuess:
    """What the axes of an array are, and what speaks for it."""

    axes: str
    """One letter an axis."""
    reasons: tuple[str, ...]
    """Sentences."""
    rows: RowSums
    is_causal: bool
    """Whether all keys after their query have a weight of exactly 0: a guess at a mask."""
    problems: tuple[str, ...]
    """Sentences on why these cannot be weights with these axes, and what may help; none if they can."""
    way_on: str = ""
    """What else could be said of them, as Python and the command line say it; the window offers it."""

    def checked(self) -> str:
        """Return the axes.

        Raises
        ------
        ArrayError
            If there are problems: these, and the way on.
        """
        if self.problems:
            raise ArrayError(" ".join((*self.problems, self.way_on)).rstrip())
        return self.axes


def check_axes(text: str, shape: tuple[int, ...], *, is_list: bool = False) -> str:
    """Take the axes that somebody chose.

    Parameters
    ----------
    text : str
        One letter an axis, of l, b, h, q, k.
    shape : tuple of int
        Of the array.
    is_list : bool
        Whether there is an array for each layer, which then has no l.

    Returns
    -------
    str
        The letters.

    Raises
    ------
    ArrayError
        If they do not fit.
    """
    axes = "".join(text.lower().split())
    unknown = [letter for letter in axes if letter not in LETTERS]
    known = ", ".join(f"{letter} {name}" for letter, name in LETTERS.items())
    if unknown:
        raise ArrayError(f"axes {quoted(text)} has {quoted(unknown[0])}: use one letter an axis of {known}")
    if len(axes) != len(shape):
        raise ArrayError(f"axes {quoted(text)} names {len(axes)} axes, but there are {len(shape)}: {shape}")
    if len(set(axes)) < len(axes):
        raise ArrayError(f"axes {quoted(text)} names an axis twice: each letter stands once, of {known}")
    if not {"q", "k"} <= set(axes):
        raise ArrayError(f"axes {quoted(text)} must name q and k, the queries and the keys")
    if is_list and "l" in axes:
        raise ArrayError(f"axes {quoted(text)} names layers, but there is an array for each layer: leave out l")
    return axes


def check_shape(name: str, shape: tuple[int, ...]) -> None:
    """Make sure that an array can be weights, by its shape alone.

    Raises
    ------
    ArrayError
        If it has too few axes or too many, or no entries.
    """
    if not FEWEST_AXES <= len(shape) <= MOST_AXES:
        raise ArrayError(
            f"{quoted(name)} has the shape {shape}: weights have 2 axes (queries, keys) to 5 (layers, batch, heads, "
            "queries, keys)"
        )
    if 0 in shape:
        raise ArrayError(f"{quoted(name)} has the shape {shape}, so no entries: there is nothing to show")


def guess_axes(arrays: Sequence[StoredArray], *, is_list: bool = False, rows: Rows = Rows.AS_THEY_ARE) -> AxesGuess:
    """Guess which axis is which.

    Parameters
    ----------
    arrays : sequence of StoredArray
        One array, or one for each layer.
    is_list : bool
        Whether there is one for each layer.
    rows : Rows
        How the rows become weights: unless they are it already, no sum tells the keys, and they are the last axis.

    Returns
    -------
    AxesGuess
        Of at most 64 rows, spread over all layers, heads and queries; only those are read. Long rows that lie
        scattered over the file are only three.

    Raises
    ------
    ArrayError
        If there is no array, a shape cannot be that of weights, or layers differ in their number of axes.
    """
    if not arrays:
        raise ArrayError("there are no weights of which to guess the axes")
    for array in arrays:
        check_shape(array.called, array.shape)
        if array.ndim != arrays[0].ndim:
            raise ArrayError(
                f"{quoted(arrays[0].name)} has {arrays[0].ndim} axes and {quoted(array.name)} {array.ndim}: layers of "
                "one model have as many axes each"
            )
    shape = arrays[0].shape
    last = len(shape) - 1
    if rows is not Rows.AS_THEY_ARE:
        return _found(arrays, _letters(shape, last, is_list), is_list, rows)
    usual = (last, last - 1, *range(last - 1))
    for key_axis in sorted(usual, key=lambda axis: is_scattered(arrays[0], axis)):  # what is quickly seen comes first
        looked_at = sampled(arrays, key_axis)
        good = [row for row in looked_at if not row.is_bad]
        if add_up(good).counted and len(looked_at) - len(good) <= MOST_BAD * len(looked_at):
            return _found(arrays, _letters(shape, key_axis, is_list), is_list)
    return _found(arrays, _letters(shape, last, is_list), is_list)


def examine_axes(
    arrays: Sequence[StoredArray], axes: str, *, is_list: bool = False, rows: Rows = Rows.AS_THEY_ARE
) -> AxesGuess:
    """Look at what speaks for the axes that somebody chose.

    Parameters
    ----------
    arrays : sequence of StoredArray
        One array, or one for each layer.
    axes : str
        One letter an axis.
    is_list : bool
        Whether there is one for each layer.
    rows : Rows
        How the rows become weights.

    Returns
    -------
    AxesGuess

    Raises
    ------
    ArrayError
        If the letters do not fit the shape.
    """
    for array in arrays:
        check_shape(array.called, array.shape)
        axes = check_axes(axes, array.shape, is_list=is_list)
    return _found(arrays, axes, is_list, rows)


def hides_keys(arrays: Sequence[StoredArray], axes: str) -> bool:
    """Whether some scores are −inf, as a mask leaves them, in a sample of rows."""
    return any(row.hidden for row in sampled(arrays, axes.index("k"), axes.index("q"), Rows.SOFTMAX))


def _letters(shape: tuple[int, ...], key_axis: int, is_list: bool) -> str:
    """Name the axes when the keys are known: queries by their length, the others in the order models have them in."""
    others = [axis for axis in range(len(shape)) if axis != key_axis]
    alike = [axis for axis in others if shape[axis] == shape[key_axis]]
    beside = others[-1]
    query_axis = beside if beside in alike or shape[beside] == 1 or not alike else alike[-1]
    rest = [axis for axis in others if axis != query_axis]
    outer = _outer([shape[axis] for axis in rest], is_list)
    letters = dict(zip(rest, outer, strict=True)) | {query_axis: "q", key_axis: "k"}
    return "".join(letters[axis] for axis in range(len(shape)))


def _outer(lengths: Sequence[int], is_list: bool) -> str:
    if len(lengths) == 2:
        return "bh" if is_list else "lh"
    if len(lengths) == 3:
        return "blh" if lengths[0] == 1 and lengths[1] > 1 else "lbh"
    return "h"[: len(lengths)]


def _found(arrays: Sequence[StoredArray], axes: str, is_list: bool, made: Rows = Rows.AS_THEY_ARE) -> AxesGuess:
    key_axis, query_axis = axes.index("k"), axes.index("q")
    every_row = sampled(arrays, key_axis, query_axis, made)
    bad = [row for row in every_row if row.is_bad]
    bad_heads, heads = ({_head_of(row, key_axis, query_axis) for row in rows} for rows in (bad, every_row))
    rows = [row for row in every_row if not row.is_bad]
    sums = add_up(rows or every_row)
    problems: tuple[str, ...] = ()
    way_on = ""
    if len(bad_heads) > MOST_BAD * len(heads):
        problems, way_on = _problems(arrays, bad, made)
    elif made is not Rows.AS_THEY_ARE and not sums.counted:
        problems = (_nothing_in_rows(arrays, made),)
    later, hidden = sum(row.later for row in rows), sum(row.hidden for row in rows)
    is_causal = not problems and not hidden and later > 0 and not any(row.later_weights for row in rows)
    reasons = [] if problems else [_sums_reason(arrays, sums, made)]
    if hidden and not problems:
        reasons.append("A score of −inf stands for a key that a mask hides.")
    if bad and not problems:
        reasons.append(_bad_reason(arrays, bad[0], len(bad_heads), key_axis))
    reasons += _order_reasons(arrays[0].shape, axes, is_list)
    if is_causal:
        reasons.append(
            f"All {later} keys after their query in these rows have a weight of exactly 0: taken as hidden by a causal "
            "mask, which is a guess."
        )
    return AxesGuess(axes, tuple(reasons), sums, is_causal, problems, way_on)


def _sums_reason(arrays: Sequence[StoredArray], sums: RowSums, made: Rows) -> str:
    if made is not Rows.AS_THEY_ARE:
        what = "The softmax is taken of each row" if made is Rows.SOFTMAX else "Each row is divided by its sum"
        none = f", but for {counted(sums.empty, 'row')} without any weight" if sums.empty else ""
        return f"{what}, along the keys: the rows looked at become weights{none}."
    empty = f", {sums.empty} of them without any weight," if sums.empty else ""
    if not sums.counted:
        return f"The {sums.empty} rows looked at hold no weight at all: nothing speaks for these axes."
    error = max(abs(sums.least - 1.0), abs(sums.most - 1.0))
    precision = arrays[0].precision
    rounding = ROUNDING.get(precision, 1e-4)
    why = f": more than {precision} would round, as after arithmetic in 16 bits" if error > rounding else ""
    count = sums.counted + sums.empty
    return f"The {count} rows looked at{empty} sum to 1 within {max(error, 1e-16):.1g}{why}."


def _bad_reason(arrays: Sequence[StoredArray], row: SampledRow, heads: int, key_axis: int) -> str:
    index = ", ".join(":" if axis == key_axis else str(at) for axis, at in enumerate(row.index))
    holds = f"sums to {row.total:.3g}" if row.wrong is None else f"holds {row.wrong[1]}"
    return f"{counted(heads, 'head')} will be refused: {arrays[row.place].called}[{index}] {holds}."


def _order_reasons(shape: tuple[int, ...], axes: str, is_list: bool) -> list[str]:
    found = []
    if axes.index("k") < axes.index("q"):
        found.append("Keys come before queries: it is columns, not rows, that sum to 1.")
    elif not axes.endswith("qk"):
        found.append(f"Queries are where the length is that of the keys, {shape[axes.index('k')]}.")
    lengths = dict(zip(axes, shape, strict=True))
    if lengths.get("l", 1) > 1 and lengths.get("h", 1) > 1 and "b" not in axes:
        found.append("Nothing in the numbers tells layers from a batch, or from heads: the usual order is taken.")
    if lengths.get("b", 1) > 1:
        found.append(f"There are {lengths['b']} sequences in the batch, of which one is shown.")
    if is_list:
        found.append("There is an array for each layer.")
    return found


def _head_of(row: SampledRow, key_axis: int, query_axis: int) -> tuple[int, ...]:
    return row.place, *(at for axis, at in enumerate(row.index) if axis not in (key_axis, query_axis))


def _problems(arrays: Sequence[StoredArray], bad: Sequence[SampledRow], made: Rows) -> tuple[tuple[str, ...], str]:
    """Say what is wrong with rows that are no weights, and what makes weights of them."""
    for row in bad:
        if row.wrong is not None:
            index, value = row.wrong
            holds = f"{quoted(arrays[row.place].called)} holds {value} at index {index}: "
            if made is not Rows.AS_THEY_ARE:
                return (f"{holds}{UNFIT[made]}.",), ""
            if not value < 0:
                return (f"{holds}no weight is that.",), ""
            return (
                f"{holds}are these scores, before the softmax?",
            ), f"Then say so: File → Open asks, or {_said(Rows.SOFTMAX)}."
    sums = add_up(bad)
    least, most = f"{sums.least:.3g}", f"{sums.most:.3g}"
    between = most if least == most else f"between {least} and {most}"
    return (
        (
            f"{quoted(arrays[0].called)} of shape {arrays[0].shape}: rows sum to {between}, not to 1.",
            "Choose other axes. Or was the model in train() mode, whose dropout leaves weights out? Then call its "
            "eval() first.",
        ),
        f"Or say how its rows become weights, as File → Open asks: each divided by its sum ({_said(Rows.NORMALISE)}), "
        f"or the softmax of each, if these are scores ({_said(Rows.SOFTMAX)}).",
    )


def _said(rows: Rows) -> str:
    return f'rows="{rows}" in Python, --rows {rows} on the command line'


def _nothing_in_rows(arrays: Sequence[StoredArray], made: Rows) -> str:
    holds = "−inf" if made is Rows.SOFTMAX else "zeros"
    return f"{quoted(arrays[0].called)} of shape {arrays[0].shape}: the rows looked at hold nothing but {holds}."
