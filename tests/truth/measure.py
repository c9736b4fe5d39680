"""How far apart: the largest deviation of each name, and the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.truth.draw import Draw
from tests.truth.register import REFERENCE, Check

HEADER = ("name", "against", "cases", "numbers", "absolute", "relative", "ulp", "bound", "")


@dataclass
class Deviation:
    """The largest deviations a check has found.

    ``relative`` is to the largest number of the same array, and ``ulp`` is that in units of the last place of its
    type. Where one says −inf, NaN, a shape or a truth value, the other must say the same.
    """

    check: Check
    cases: int = 0
    numbers: int = 0
    absolute: float = 0.0
    relative: float = 0.0
    ulp: float = 0.0

    @property
    def is_fine(self) -> bool:
        """Whether there was something to compare, and it is within the bound."""
        return self.numbers > 0 and self.ulp <= self.check.bound

    def add(self, ours: npt.ArrayLike, truth: npt.ArrayLike) -> None:
        """Take one array and what it should be."""
        found, wanted = np.asarray(ours), np.asarray(truth)
        if found.shape != wanted.shape:
            raise ValueError(f"{self.check.names[0]}: shape {found.shape}, but it should be {wanted.shape}")
        self.numbers += found.size
        if not found.size:
            return
        epsilon = float(np.finfo(found.dtype).eps) if found.dtype.kind == "f" else 1.0
        left, right = found.astype(np.longdouble), wanted.astype(np.longdouble)
        finite = np.isfinite(left) & np.isfinite(right)
        if not ((left == right) | (np.isnan(left) & np.isnan(right)) | finite).all():
            self.absolute = self.relative = self.ulp = float("inf")
            return
        apart = float(np.abs(np.where(finite, left, 0) - np.where(finite, right, 0)).max())
        largest = float(np.abs(np.where(finite, right, 0)).max())
        relative = apart / largest if largest else (0.0 if apart == 0.0 else float("inf"))
        self.absolute = max(self.absolute, apart)
        self.relative = max(self.relative, relative)
        self.ulp = max(self.ulp, relative / epsilon)

    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Return the lines of the table, one a name."""
        amounts = (f"{self.absolute:.1e}", f"{self.relative:.1e}", f"{self.ulp:.3g}", f"≤ {self.check.bound:g}")
        counts = (str(self.cases), str(self.numbers))
        verdict = "ok" if self.is_fine else "TOO FAR"
        return tuple((name, self.check.against, *counts, *amounts, verdict) for name in self.check.names)


def measured(check: Check, cases: int, seed: int) -> Deviation:
    """Run a check over so many cases; against a reference one is all there is."""
    found = Deviation(check)
    for case in range(1 if check.against == REFERENCE else cases):
        for ours, truth in check.pairs(Draw(seed, case)):
            found.add(ours, truth)
        found.cases += 1
    return found


def table(deviations: Iterable[Deviation]) -> str:
    """Return the aligned table, in the order of the names."""
    rows: list[Sequence[str]] = sorted(row for found in deviations for row in found.cells())
    lines: list[Sequence[str]] = [HEADER, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    is_word = (True, True, False, False, False, False, False, False, True)
    return [c.ljust(w) if word else c.rjust(w) for c, w, word in zip(line, widths, is_word, strict=True)]
