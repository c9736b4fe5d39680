"""Reading a part of an array that lies in a file, with few and large reads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.recorded.file_bytes import FileBytes

_BYTES_A_CALL = 8192
"""As many bytes as are read in the time that a call takes by itself."""
_LARGEST = 2**23
"""Bytes of one read: what is read beside the part is dropped before the next."""


def read_part(
    file: FileBytes,
    offset: int,
    dtype: np.dtype[Any],
    shape: Sequence[int],
    part: Sequence[slice],
    target: npt.NDArray[Any] | None = None,
) -> npt.NDArray[Any]:
    """Read a part of an array in row-major order.

    Parameters
    ----------
    file : FileBytes
        Where it lies; that it is long enough has been checked.
    offset : int
        Of the array's first byte.
    dtype : numpy.dtype
        As it lies there.
    shape : sequence of int
        Of the whole array.
    part : sequence of slice
        One an axis, with 0 ≤ start ≤ stop ≤ its length, and of step 1.
    target : ndarray, optional
        Where to read it to: of this type and as many entries, in row-major order. Room that is used again is filled
        in half the time of room that the system hands out anew.

    Returns
    -------
    ndarray
        As many axes, the caller's own.

    Raises
    ------
    FileError, FileAccessError
        If the file was changed since it was opened, or can no longer be read.
    """
    lengths, cuts = (1, *shape), (slice(0, 1), *part)  # so that an array without axes is none of its own kind
    counts = tuple(cut.stop - cut.start for cut in cuts)
    found = np.empty(counts, dtype) if target is None else target.reshape(counts)
    if found.size:
        strides = [dtype.itemsize * math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
        axis = _axis_of_reads(counts, strides)
        runs = found.reshape(math.prod(counts[:axis]), *counts[axis:])
        starts = _starts(cuts[: axis + 1], strides[: axis + 1], offset)
        if counts[axis + 1 :] == lengths[axis + 1 :]:
            _read_runs(file, starts, runs)
        else:
            for start, run in zip(starts, runs, strict=True):
                _read_around(file, start, lengths[axis + 1 :], cuts[axis + 1 :], run)
        file.check_unchanged()
    result: npt.NDArray[Any] = found[0]
    return result


def _axis_of_reads(counts: Sequence[int], strides: Sequence[int]) -> int:
    """Choose the axis of which one read covers all that is wanted, with whatever else lies inside its entries."""

    def cost(axis: int) -> int:
        reads = math.prod(counts[:axis])
        return reads * (_BYTES_A_CALL + counts[axis] * strides[axis])

    return min(range(len(counts)), key=cost)


def _starts(cuts: Sequence[slice], strides: Sequence[int], offset: int) -> list[int]:
    """Return where the runs begin that one read each covers: all of the last axis for every place along the others."""
    outer = (
        range(cut.start * stride, cut.stop * stride, stride) for cut, stride in zip(cuts[:-1], strides, strict=False)
    )
    first = offset + cuts[-1].start * strides[-1]
    return [first + sum(place) for place in itertools.product(*outer)]


def _read_runs(file: FileBytes, starts: Sequence[int], runs: npt.NDArray[Any]) -> None:
    """Read runs of which everything is wanted to where they belong."""
    target = runs.reshape(-1).view(np.uint8).data
    size = len(target) // len(starts)
    until_checkpoint = 0
    for number, start in enumerate(starts):
        for done in range(0, size, _LARGEST):
            if until_checkpoint <= 0:
                checkpoint()
                until_checkpoint = _LARGEST
            stop = min(done + _LARGEST, size)
            file.read_into(target[number * size + done : number * size + stop], start + done)
            until_checkpoint -= stop - done + _BYTES_A_CALL


def _read_around(
    file: FileBytes, offset: int, lengths: Sequence[int], cuts: Sequence[slice], target: npt.NDArray[Any]
) -> None:
    """Read consecutive entries of the first axis, and keep of each what is wanted."""
    entry = math.prod(lengths)
    step = max(1, _LARGEST // (entry * target.dtype.itemsize))
    for done in range(0, len(target), step):
        checkpoint()
        rows = np.empty((min(step, len(target) - done), *lengths), target.dtype)
        file.read_into(rows.reshape(-1).view(np.uint8).data, offset + done * entry * target.dtype.itemsize)
        target[done : done + step] = rows[:, *cuts]
