"""Random arguments: sizes, types and masks, the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
TYPES = (np.float64, np.float32, np.float16, np.int64)


class Draw:
    """One source of random numbers for all arguments of a case."""

    def __init__(self, seed: int, case: int = 0) -> None:
        self.random = np.random.default_rng((seed, case))
        self.case = case

    def size(self, least: int = 1, most: int = 6) -> int:
        """Return a size, both ends included."""
        return int(self.random.integers(least, most + 1))

    def batch(self) -> tuple[int, ...]:
        """Return leading axes: none, one or two."""
        return tuple(self.size(1, 3) for _ in range(self.size(0, 2)))

    def chance(self) -> bool:
        """Return the throw of a coin."""
        return bool(self.random.integers(2))

    def pick(self, *choices: Any) -> Any:
        """Return one of some things."""
        return choices[int(self.random.integers(len(choices)))]

    def dtype(self, *types: Any) -> Any:
        """Return a type of numbers, of those named or of all."""
        return self.pick(*(types or TYPES))

    def numbers(self, *shape: int, dtype: Any = np.float64, scale: float = 1.0) -> Array:
        """Return numbers N(0, scale²) of a type; whole ones are rounded from three times as far."""
        drawn = self.random.standard_normal(shape) * scale
        return np.round(3.0 * drawn).astype(dtype) if np.dtype(dtype).kind == "i" else drawn.astype(dtype)

    def weights(self, *shape: int, dtype: Any = np.float64) -> Array:
        """Return rows that sum to 1 but for rounding."""
        drawn = self.random.random(shape) + 1e-3
        return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True)).astype(dtype)

    def mask(self, *shape: int) -> Array:
        """Return a mask; often with rows that see nothing."""
        return np.asarray(self.random.random(shape) < self.pick(0.3, 0.7, 0.95))

    def maybe(self, value: Any) -> Any:
        """Return a thing or None."""
        return value if self.chance() else None
