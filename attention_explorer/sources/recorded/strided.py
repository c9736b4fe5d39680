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
    file: FileBytes, offset: int, dtype: np.dtype[Any], shape: Sequence[int], part: Sequence[slice]
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
    found = np.empty(counts, dtype)
    if found.size:
        strides = [dtype.itemsize * math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
        axis = _axis_of_reads(counts, strides)
        runs = found.reshape(math.prod(counts[:axis]), *counts[axis:])
        places = itertools.product(*(range(cut.start, cut.stop) for cut in cuts[:axis]))
        for run, place in zip(runs, places, strict=True):
            start = offset + sum(index * stride for index, stride in zip(place, strides[:axis], strict=True))
            _read_run(file, start, lengths[axis:], cuts[axis:], run)
        file.check_unchanged()
    result: npt.NDArray[Any] = found[0]
    return result


def _axis_of_reads(counts: Sequence[int], strides: Sequence[int]) -> int:
    """Choose the axis of which one read covers all that is wanted, with whatever else lies inside its entries."""

    def cost(axis: int) -> int:
        reads = math.prod(counts[:axis])
        return reads * (_BYTES_A_CALL + counts[axis] * strides[axis])

    return min(range(len(counts)), key=cost)


def _read_run(
    file: FileBytes, offset: int, lengths: Sequence[int], cuts: Sequence[slice], target: npt.NDArray[Any]
) -> None:
    """Read consecutive entries of the first axis, and keep of each what is wanted."""
    inside = tuple(cuts[1:])
    wanted_whole = all(cut == slice(0, length) for cut, length in zip(inside, lengths[1:], strict=True))
    entry = math.prod(lengths[1:])
    step = max(1, _LARGEST // (entry * target.dtype.itemsize))
    for done in range(0, len(target), step):
        checkpoint()
        count = min(step, len(target) - done)
        rows = target[done : done + count] if wanted_whole else np.empty((count, *lengths[1:]), target.dtype)
        start = offset + (cuts[0].start + done) * entry * target.dtype.itemsize
        file.read_into(rows.reshape(-1).view(np.uint8).data, start)
        if not wanted_whole:
            target[done : done + count] = rows[:, *inside]
