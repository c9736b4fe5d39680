"""float16 becomes float32 without a bit of difference."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.model.half import widened

ALL = np.arange(2**16, dtype=np.uint16).view(np.float16)
WEIGHTS = ALL[:0x7C00]  # all that are finite and not negative


@pytest.mark.parametrize(
    "array",
    [
        WEIGHTS,
        WEIGHTS[::-3],
        WEIGHTS.reshape(2, -1).T,
        WEIGHTS[:0],
        WEIGHTS[7].reshape(()),
        WEIGHTS.astype(">f2"),
        ALL,
        ALL[0x8000:],
    ],
)
def test_every_number_is_numpys(array: np.ndarray) -> None:
    found = widened(array)
    assert (found.shape, found.dtype) == (array.shape, np.float32)
    np.testing.assert_array_equal(found.view(np.uint32), array.astype(np.float32).view(np.uint32))
