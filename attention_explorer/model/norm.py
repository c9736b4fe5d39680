"""A norm with its options and learned numbers, as a layer holds it, and its derivative."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.fields import choice
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.derivatives import derivative_by_output, within_range
from attention_explorer.model.linear import read_only
from attention_explorer.model.norms import centred_rows, layer_norm, norm_divisor, rms_norm, smallest_divisor
from attention_explorer.model.scalars import flag


class NormKind(StrEnum):
    """What a norm makes equal in every row."""

    LAYER = "layer"
    """Mean 0 and variance 1: `layer_norm`."""

    RMS = "rms"
    """Mean square 1: `rms_norm`."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Norm:
    """One norm of a layer.

    Parameters
    ----------
    kind : NormKind
        Layer norm or RMS norm.
    gain : array_like, (d_model,), optional
        Factor of each feature; 1 if not given.
    bias : array_like, (d_model,), optional
        Added to each feature; an RMS norm has none.
    eps : float
        At least 0.
    eps_inside_sqrt : bool
        Whether eps is added under the root or to it.

    Raises
    ------
    ArrayError
        If an entry is not finite, eps is negative, the kind is unknown or an RMS norm is given a bias.

    Notes
    -----
    Ba, Kiros & Hinton 2016, eq. 4; Zhang & Sennrich 2019, eq. 4.
    """

    kind: NormKind
    gain: Floats | None
    bias: Floats | None
    eps: float
    eps_inside_sqrt: bool

    def __init__(
        self,
        kind: NormKind | str = NormKind.LAYER,
        *,
        gain: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        eps: float = 1e-5,
        eps_inside_sqrt: bool = True,
    ) -> None:
        which = choice("norm_kind", kind, NormKind)
        if which is NormKind.RMS and bias is not None:
            raise ArrayError("an RMS norm has no bias: leave it out, or choose the layer norm")
        object.__setattr__(self, "kind", which)
        object.__setattr__(self, "gain", None if gain is None else read_only(finite_array("gain", gain, "d_model")))
        object.__setattr__(self, "bias", None if bias is None else read_only(finite_array("bias", bias, "d_model")))
        object.__setattr__(self, "eps", smallest_divisor(eps))
        object.__setattr__(self, "eps_inside_sqrt", flag("eps_inside_sqrt", eps_inside_sqrt))

    def __repr__(self) -> str:
        held = [f", {name} {getattr(self, name).shape}" for name in ("gain", "bias") if getattr(self, name) is not None]
        return f"Norm({self.kind}, eps {self.eps:g}{''.join(held)})"

    def __call__(self, x: npt.ArrayLike) -> Floats:
        """Normalise every row.

        Parameters
        ----------
        x : array_like, (..., d_model)
            Finite numbers.

        Returns
        -------
        ndarray, (..., d_model)

        Raises
        ------
        ArrayError
            As `layer_norm` and `rms_norm`.
        """
        if self.kind is NormKind.RMS:
            return rms_norm(x, self.gain, self.eps, self.eps_inside_sqrt)
        return layer_norm(x, self.gain, self.bias, self.eps, self.eps_inside_sqrt)

    def check_width(self, d_model: int) -> None:
        """Refuse a width that gain or bias do not have.

        Parameters
        ----------
        d_model : int
            Features of the rows to come.

        Raises
        ------
        ArrayError
            If gain or bias have another number of entries.
        """
        for name, array in (("gain", self.gain), ("bias", self.bias)):
            if array is not None and array.shape != (d_model,):
                raise ArrayError(f"the {name} of a norm has shape {array.shape}, but must be ({d_model},)")

    def parameter_count(self) -> int:
        """Count the learned numbers: those of gain and bias."""
        return sum(0 if array is None else array.size for array in (self.gain, self.bias))

    def reverse(self, x: Floats, d_output: Floats) -> Floats:
        """Pull a derivative by the output back to one by the input.

        Parameters
        ----------
        x : ndarray, (..., d_model)
            What was normalised.
        d_output : ndarray, (..., d_model)
            ∂L/∂output of any number L.

        Returns
        -------
        ndarray, (..., d_model)
            ∂L/∂x. A row that is one number repeated (all zeros for RMS) has none for eps 0: what is returned
            there is that for a divisor of 1.

        Raises
        ------
        ArrayError
            If the shapes differ, an entry of `d_output` is not finite, or the derivative leaves the float range.

        Notes
        -----
        With y = c / D, where c is the centred row (RMS: the row), s² its mean square and D = √(s² + eps) or
        s + eps, the chain rule gives ∂L/∂c = (g − y · mean(g y) · D/r) / D, where r is D or s. Centring takes
        the mean of that away.
        """
        d_output = derivative_by_output(d_output, x)
        with np.errstate(over="ignore", invalid="ignore"):  # looked for below
            return within_range(self._pulled_back(x, d_output))

    def _pulled_back(self, x: Floats, d_output: Floats) -> Floats:
        by_normal = d_output if self.gain is None else d_output * self.gain
        centred = x if self.kind is NormKind.RMS else centred_rows(x)
        mean_square = np.square(centred).mean(axis=-1, keepdims=True)  # (..., 1)
        divisor = norm_divisor(mean_square, self.eps, self.eps_inside_sqrt)
        root = divisor if self.eps_inside_sqrt else np.sqrt(mean_square)
        normal = centred / divisor
        along = normal * (by_normal * normal).mean(axis=-1, keepdims=True)
        by_centred: Floats = (by_normal - along * (divisor / np.where(root > 0.0, root, 1.0))) / divisor
        if self.kind is NormKind.RMS:
            return by_centred
        return np.asarray(by_centred - by_centred.mean(axis=-1, keepdims=True))
