"""Rotary position embedding: queries and keys are turned by their position, so that their product sees the offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array
from attention_explorer.model.encodings import clock_angles


def rotary(x: npt.ArrayLike, positions: npt.ArrayLike, base: float = 10000.0, layout: str = "half") -> Floats:
    """Turn every pair of features by an angle that grows with the position.

    Parameters
    ----------
    x : array_like, (..., n, d)
        Queries or keys, before their product; d even. The values are left as they are.
    positions : array_like, (n,) or (..., n)
        Where each row stands; any real numbers, negative ones too. (n,) for all sequences, or as many axes as x but the
        last, each as long as that of x or 1: with heads, one row a sequence is ``positions[:, None]``.
    base : float
        The slowest pair is nearly so many times slower than the fastest; above 0.
    layout : str
        Which features turn together: "half" pairs i with i + d/2 (GPT-NeoX, Llama as Hugging Face keeps it),
        "interleaved" pairs 2i with 2i + 1 (the paper, GPT-J).

    Returns
    -------
    ndarray, (..., n, d)
        float32 or float64, as x. The pair (a, b) becomes (a cos φ − b sin φ, a sin φ + b cos φ), counter-clockwise,
        with φ = p · base^(−2i/d) for pair i at position p.

    Raises
    ------
    ArrayError
        If an array holds anything but finite numbers, d is odd, the positions are not one for each row, the
        layout is neither, the base is not a finite number above 0, or a result passes the range of the floats.

    Notes
    -----
    Su et al. 2021 (RoFormer), equation 34. Turning keeps the length of every row, and rotary(q, m) · rotary(k, n)
    depends on m − n alone. The layouts are one rotation with the features in another order, but weights trained
    for one are wrong for the other. A model that turns only the first features of a head: pass those.
    """
    rows = finite_array("x", x, "...", "n", "d")
    first, second = _pairs(rows.shape, layout)
    places = finite_array("positions", positions, "...", "n")
    wanted = rows.shape[-2:-1] if places.ndim == 1 else rows.shape[:-1]
    fits = places.ndim == len(wanted) and places.shape[-1] == wanted[-1]
    if not (fits and all(own in (1, n) for own, n in zip(places.shape, wanted, strict=True))):
        between = "; to share it between heads write positions[:, None]" if 1 < places.ndim < len(wanted) else ""
        raise ArrayError(
            f"positions has shape {places.shape}, but x has shape {rows.shape}: it must be ({rows.shape[-2]},), one "
            f"position for each row, or have as many axes as x but the last{between}"
        )
    angles = clock_angles(places.ravel(), rows.shape[-1], base).reshape(*places.shape, rows.shape[-1] // 2)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = rows[..., first], rows[..., second]  # (..., n, d/2)
    turned = np.empty_like(rows)  # float32 is turned in float64 and rounded once
    with np.errstate(over="ignore", under="ignore"):
        turned[..., first] = a * cos - b * sin
        turned[..., second] = a * sin + b * cos
    if not np.isfinite(turned).all():
        raise ArrayError(f"x of shape {rows.shape} turns beyond the range of {rows.dtype}: scale it down")
    return turned


@dataclass(frozen=True, eq=False)
class RotaryPositions:
    """Where the tokens of sequences stand, for a layer that turns queries and keys by `rotary`.

    Parameters
    ----------
    positions : array_like, (n,) or (batch…, n)
        For all sequences, or one row a sequence; of the newest tokens alone in decoding.
    base, layout
        As for `rotary`.

    Notes
    -----
    Su et al. 2021 (RoFormer), equation 34.
    """

    positions: npt.ArrayLike
    base: float = 10000.0
    layout: str = "half"

    def turned(self, x: Floats, *, back: bool = False) -> Floats:
        """Turn the queries or keys of all heads, or turn a derivative back.

        Parameters
        ----------
        x : ndarray, (batch…, heads, n, d_k)
            Queries, keys, or a derivative by them.
        back : bool
            Whether to turn by the negative angle, which is the transpose of the rotation.

        Returns
        -------
        ndarray, (batch…, heads, n, d_k)

        Raises
        ------
        ArrayError
            As `rotary`.
        """
        places = finite_array("positions", self.positions, "...", "n")
        of_heads = places if places.ndim == 1 else places[..., None, :]
        return rotary(x, -of_heads if back else of_heads, self.base, self.layout)


def _pairs(shape: tuple[int, ...], layout: str) -> tuple[slice, slice]:
    """Return where the first and the second features of the pairs stand."""
    features = shape[-1]
    if features % 2:
        raise ArrayError(
            f"x has shape {shape}, but the number of features d must be even, not {features}: "
            "rotary turns them in pairs"
        )
    chosen = layout if isinstance(layout, str) else ""
    if chosen == "half":
        return slice(0, features // 2), slice(features // 2, None)
    if chosen == "interleaved":
        return slice(0, None, 2), slice(1, None, 2)
    raise ArrayError(f'layout must be "half" or "interleaved", not {layout!r}')
