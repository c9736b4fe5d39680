"""The types of float that are counted, measured and computed in."""

from __future__ import annotations

from enum import StrEnum

import numpy as np


class Precision(StrEnum):
    """How a number is kept."""

    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return np.dtype(self.value).itemsize

    @property
    def exp_limit(self) -> float:
        """The largest score whose exponential is finite: 11.09, 88.72 or 709.78."""
        return float(np.log(np.float64(np.finfo(self.value).max)))
