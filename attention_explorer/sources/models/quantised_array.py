"""Tensors in blocks of few bits, made numbers when they are read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.recorded.file_bytes import FileBytes
from attention_explorer.sources.recorded.stored_array import StoredArray

PLAIN: dict[int, np.dtype[Any]] = {
    0: np.dtype("<f4"),
    1: np.dtype("<f2"),
    28: np.dtype("<f8"),
    30: np.dtype("<u2"),
}
"""Types of ggml whose numbers stand one after the other; bfloat16 as the upper halves of float32."""
BLOCKS = {
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    29: (256, 56),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
}
"""Numbers and bytes of a block, by type."""
TYPE_NAMES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    6: "Q5_0",
    7: "Q5_1",
    8: "Q8_0",
    9: "Q8_1",
    10: "Q2_K",
    11: "Q3_K",
    12: "Q4_K",
    13: "Q5_K",
    14: "Q6_K",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    20: "IQ4_NL",
    21: "IQ3_S",
    22: "IQ2_S",
    23: "IQ4_XS",
    24: "I8",
    25: "I16",
    26: "I32",
    27: "I64",
    28: "F64",
    29: "IQ1_M",
    30: "BF16",
    34: "TQ1_0",
    35: "TQ2_0",
    39: "MXFP4",
    40: "NVFP4",
}
_AT_ONCE = 2**22
"""Bytes that become numbers at a time, so that little else is in memory besides the result."""


class QuantisedArray(StoredArray):
    """An array in blocks.

    Parameters
    ----------
    name : str
        What the file calls it.
    shape : tuple of int
        Its shape; the last axis is a multiple of a block.
    kind : int
        One of `BLOCKS`.
    file : FileBytes
        The file; that all bytes are within it has been checked.
    offset : int
        Of its first byte.
    """

    def __init__(self, name: str, shape: tuple[int, ...], kind: int, file: FileBytes, offset: int) -> None:
        super().__init__(name, shape, np.dtype(np.float32), TYPE_NAMES[kind])
        self._kind, self._file, self._offset = kind, file, offset

    def _read(self, cuts: Sequence[slice]) -> npt.NDArray[Any]:
        block, size = BLOCKS[self._kind]
        width = self.shape[-1] // block * size
        inner = math.prod(self.shape[1:-1])
        rows = cuts[0] if self.ndim > 1 else slice(0, 1)
        start, count = rows.start * inner, (rows.stop - rows.start) * inner
        found = np.empty((count, self.shape[-1]), np.float32)
        step = max(1, _AT_ONCE // width)
        for at in range(0, count, step):
            checkpoint()
            some = min(step, count - at)
            packed = self._file.read(self._offset + (start + at) * width, some * width)
            found[at : at + some] = dequantised(np.frombuffer(packed, np.uint8).reshape(some, width), self._kind)
        if self.ndim == 1:
            return np.asarray(found[0][cuts[0]])
        return np.asarray(found.reshape(-1, *self.shape[1:])[(slice(None), *cuts[1:])])


def dequantised(packed: npt.NDArray[np.uint8], kind: int) -> npt.NDArray[np.float32]:
    """Return the numbers of whole rows of blocks, (n, bytes) → (n, numbers), float32.

    Raises
    ------
    ExplorerError
        If the package ``gguf`` is not installed, which knows how.
    """
    try:
        from gguf import GGMLQuantizationType, quants  # loaded when it is needed
    except ImportError:
        raise ExplorerError(
            f"To read weights stored as {TYPE_NAMES[kind]}, the package “gguf” is needed: pip install gguf, or install "
            "this program as attention-explorer[models]."
        ) from None
    with np.errstate(all="ignore"):  # of scales that are NaN; whoever reads weights looks for them
        return np.asarray(quants.dequantize(packed, GGMLQuantizationType(kind)), np.float32)
