"""The parts that everything else is made of: a matrix with its bias, a norm, and the norms around a part of a layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
        """Return y, (..., d_out), for x, (..., d_in): the rows of a batch are multiplied at once."""
        y: Floats = x.reshape(-1, x.shape[-1]) @ self.weight
        if self.bias is not None:
            y += self.bias
        return y.reshape(*x.shape[:-1], -1)

    def reverse(self, d_y: Floats) -> Floats:
        """Return ∂L/∂x, (..., d_in), for ∂L/∂y, (..., d_out)."""
        d_x: Floats = d_y.reshape(-1, d_y.shape[-1]) @ self.weight.T
        return d_x.reshape(*d_y.shape[:-1], -1)

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
    gain : ndarray, (d,)
        Factor of each feature.
    bias : ndarray, (d,), optional
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
        """Return the normalised rows, (..., d)."""
        rows = centred_rows(x) if self.kind is NormKind.LAYER else x
        mean_square = np.einsum("...d,...d->...", rows, rows)[..., None] / np.float32(x.shape[-1])
        y: Floats = rows / norm_divisor(mean_square, self.eps, eps_inside_sqrt=True)
        y *= self.gain
        if self.bias is not None:
            y += self.bias
        return y

    def reverse(self, x: Floats, d_y: Floats) -> Floats:
        """Return ∂L/∂x of any number L, (..., d), for ∂L/∂y, (..., d)."""
        rows = centred_rows(x) if self.kind is NormKind.LAYER else x
        size = np.float32(x.shape[-1])
        mean_square = np.einsum("...d,...d->...", rows, rows)[..., None] / size
        divisor = norm_divisor(mean_square, self.eps, eps_inside_sqrt=True)
        z, d_z = rows / divisor, d_y * self.gain
        d_x = (d_z - z * (np.einsum("...d,...d->...", z, d_z)[..., None] / size)) / divisor
        return centred_rows(d_x) if self.kind is NormKind.LAYER else d_x


class Norms(NamedTuple):
    """The norms of a part f of a layer: after(x + inner(f(before(x)))), each of them or none."""

    before: FastNorm | None = None
    inner: FastNorm | None = None
    after: FastNorm | None = None


def normed(norm: FastNorm | None, x: Floats) -> Floats:
    """Return the normalised rows, or the rows themselves where there is no norm."""
    return x if norm is None else norm(x)


def pulled(norm: FastNorm | None, x: Floats, d_y: Floats) -> Floats:
    """Return ∂L/∂x, of a norm or of none."""
    return d_y if norm is None else norm.reverse(x, d_y)
