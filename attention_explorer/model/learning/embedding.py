"""Tokens as vectors: a row of a table for each token, and a row of another for each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.learning.gradients import Gradients
from attention_explorer.model.linear import read_only

Tokens = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Embedding:
    """A vector for each token, and one for its place if there are positions.

    Parameters
    ----------
    w_e : array_like, (vocabulary, d_model)
        The vectors of the tokens.
    w_p : array_like, (places, d_model), optional
        The vectors of the places, which are added.

    Raises
    ------
    ArrayError
        If a shape does not fit or an entry is not finite.

    Notes
    -----
    Vaswani et al. 2017, sections 3.4 and 3.5 (positions that are learned), without the factor √d_model.
    """

    w_e: Floats
    w_p: Floats | None

    def __init__(self, w_e: npt.ArrayLike, w_p: npt.ArrayLike | None = None) -> None:
        words = finite_array("w_e", w_e, "vocabulary", "d_model")
        places = None if w_p is None else finite_array("w_p", w_p, "places", "d_model")
        if places is not None and places.shape[1] != words.shape[1]:
            raise ArrayError(f"w_e has shape {words.shape} and w_p {places.shape}: they must have as many columns")
        object.__setattr__(self, "w_e", read_only(words))
        object.__setattr__(self, "w_p", None if places is None else read_only(places))

    def __call__(self, tokens: Tokens) -> Floats:
        """Look the vectors up.

        Parameters
        ----------
        tokens : ndarray of int, (..., n)
            Rows of `w_e`.

        Returns
        -------
        ndarray, (..., n, d_model)

        Raises
        ------
        ArrayError
            If a token is not in the table, or there are more than it has places.
        """
        self._check(tokens)
        rows: Floats = self.w_e.take(tokens, axis=0)
        if self.w_p is not None:
            rows += self.w_p[: tokens.shape[-1]]
        return rows

    def gradient(self, tokens: Tokens, d_output: Floats) -> Gradients:
        """Differentiate by both tables.

        Parameters
        ----------
        tokens : ndarray of int, (..., n)
            What was looked up.
        d_output : ndarray, (..., n, d_model)
            ∂L/∂output of any number L.

        Returns
        -------
        dict of str to ndarray
            w_e, and w_p if there are positions. A row that was not looked up gets zeros.

        Notes
        -----
        The output is H w_e, where row i of H is 1 at the token of place i and 0 elsewhere: ∂L/∂w_e = Hᵀ ∂L/∂output.
        """
        rows = d_output.reshape(-1, d_output.shape[-1])
        chosen = np.arange(len(self.w_e))[:, None] == tokens.ravel()  # Hᵀ; adding row by row takes five times as long
        found: Gradients = {"w_e": chosen.astype(rows.dtype) @ rows}
        if self.w_p is not None:
            found["w_p"] = np.zeros(self.w_p.shape, rows.dtype)
            found["w_p"][: tokens.shape[-1]] = d_output.reshape(-1, *d_output.shape[-2:]).sum(axis=0)
        return found

    def _check(self, tokens: Tokens) -> None:
        if tokens.dtype.kind not in "iu":
            raise ArrayError(f"tokens of shape {tokens.shape} must be whole numbers, not {tokens.dtype}")
        if tokens.size and not 0 <= int(tokens.min()) <= int(tokens.max()) < len(self.w_e):
            raise ArrayError(f"tokens of shape {tokens.shape} must lie between 0 and {len(self.w_e) - 1}")
        if self.w_p is not None and tokens.shape[-1] > len(self.w_p):
            raise ArrayError(f"there are {tokens.shape[-1]} tokens, but positions for {len(self.w_p)} only")
