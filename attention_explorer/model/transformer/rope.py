"""Rotary positions as trained models use them: some frequencies, stretched or not, in one of two layouts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_explorer.model.arrays import Floats


class Turn(NamedTuple):
    """The rotation of some positions."""

    cos: Floats
    """(n, pairs), float32."""
    sin: Floats
    first: slice
    second: slice
    """Where the two features of each pair stand."""
    rest: slice
    """Where features stand that are left as they are."""

    def __call__(self, x: Floats) -> Floats:
        """Turn queries or keys, (..., heads, n, d)."""
        a, b = x[..., self.first], x[..., self.second]
        turned = np.empty_like(x)
        np.multiply(a, self.cos, out=turned[..., self.first])
        turned[..., self.first] -= b * self.sin
        np.multiply(a, self.sin, out=turned[..., self.second])
        turned[..., self.second] += b * self.cos
        turned[..., self.rest] = x[..., self.rest]
        return turned

    @property
    def reverse(self) -> Turn:
        """The rotation that pulls a derivative back: by as much the other way, and stretched as much."""
        return self._replace(sin=-self.sin)


@dataclass(frozen=True, slots=True, eq=False)
class Rope:
    """How queries and keys are turned.

    Parameters
    ----------
    frequencies : callable
        Radians per position of each pair, float32, for a number of tokens: some models slow down in long texts. There
        are d/2, or fewer where only the first features of a head are turned.
    factor : float
        What cosines and sines are multiplied by; 1 but for YaRN.
    interleaved : bool
        Whether pairs are neighbours (2i, 2i + 1), as llama.cpp stores them, or halves of what is turned apart.

    Notes
    -----
    Su et al. 2021, eq. 34. Angles are rounded to float32, as PyTorch's are, on which these models were trained.
    """

    frequencies: Callable[[int], Floats]
    factor: float = 1.0
    interleaved: bool = False

    @np.errstate(all="ignore")  # whoever runs layers looks for what is not finite
    def turn(self, n: int, start: int = 0) -> Turn:
        """Return the rotation of the positions from ``start`` to n − 1."""
        frequencies = self.frequencies(n)
        angles = np.arange(start, n, dtype=np.float32)[:, None] * frequencies
        cos, sin = np.cos(angles) * np.float32(self.factor), np.sin(angles) * np.float32(self.factor)
        half = len(frequencies)
        first, second = slice(0, half), slice(half, 2 * half)
        if self.interleaved:
            first, second = slice(0, 2 * half, 2), slice(1, 2 * half, 2)
        return Turn(cos, sin, first, second, rest=slice(2 * half, None))
