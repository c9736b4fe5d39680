"""The two parts that everything else is made of: a matrix with its bias, and a norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.norm import NormKind
from attention_explorer.model.norms import centred_rows, norm_divisor


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """y = x W + b.

    Parameters
    ----------
    weight : ndarray, (d_in, d_out)
        float32, in either order of memory: files that hold (d_out, d_in) give its transpose.
    bias : ndarray, (d_out,), optional
        Added to every row.
    """

    weight: Floats
    bias: Floats | None = None

    def __call__(self, x: Floats) -> Floats:
        """Return y, (n, d_out), for x, (n, d_in)."""
        y: Floats = x @ self.weight
        if self.bias is not None:
            y += self.bias
        return y

    def part(self, start: int, stop: int) -> Linear:
        """Return that of some of the d_out columns; nothing is copied."""
        return Linear(self.weight[:, start:stop], None if self.bias is None else self.bias[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class FastNorm:
    """A layer norm or an RMS norm of float32 rows, without looking for what is not finite.

    Parameters
    ----------
    kind : NormKind
        Which of the two.
    gain : ndarray, (d_model,)
        Factor of each feature.
    bias : ndarray, (d_model,), optional
        Added to each feature.
    eps : float
        Added under the root.

    Notes
    -----
    Ba, Kiros & Hinton 2016, eq. 4; Zhang & Sennrich 2019, eq. 4. `model.norms` has the same with every check.
    """

    kind: NormKind
    gain: Floats
    bias: Floats | None
    eps: float

    def __call__(self, x: Floats) -> Floats:
        """Return the normalised rows, (n, d_model)."""
        rows = centred_rows(x) if self.kind is NormKind.LAYER else x
        mean_square = np.einsum("nd,nd->n", rows, rows)[:, None] / np.float32(x.shape[-1])
        y: Floats = rows / norm_divisor(mean_square, self.eps, eps_inside_sqrt=True)
        y *= self.gain
        if self.bias is not None:
            y += self.bias
        return y
