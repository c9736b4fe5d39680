"""The directions in which points lie apart most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_explorer.model.arrays import Floats


class PrincipalPlane(NamedTuple):
    """Points seen along their principal directions.

    Attributes
    ----------
    directions : ndarray, (m, d)
        Unit vectors at right angles to each other; a row of zeros where the points fill no such direction.
    share : float
        Of the sum of squared distances from their mean, how much the directions keep; 1 if the points do not differ.
    """

    directions: Floats
    share: float


def principal_plane(points: Floats, m: int) -> PrincipalPlane:
    """Find the directions along which points differ most.

    Parameters
    ----------
    points : ndarray, (n, d)
        float64, finite.
    m : int
        How many directions, at least 1.

    Returns
    -------
    PrincipalPlane
        A direction is turned so that the point farthest out along it, the first among equals, lies on the positive
        side. If the points do not differ, the first direction is that of their mean.

    Notes
    -----
    Pearson 1901; by the eigenvectors of the d × d matrix of products, for n may be large.
    """
    n, d = points.shape
    directions = np.zeros((m, d))
    largest = float(np.abs(points).max(initial=0.0))
    if largest == 0.0:
        return PrincipalPlane(directions, 1.0)
    points = points / largest  # so that squares stay in range
    mean = points.mean(axis=0)
    apart = points - mean
    squares = np.vecdot(apart, apart).sum()
    if squares <= n * (_ROUNDING * d) ** 2:
        directions[0] = mean / np.linalg.norm(mean)
        return PrincipalPlane(directions, 1.0)
    lengths, vectors = np.linalg.eigh(apart.T @ apart)  # (d,) rising, (d, d)
    kept = lengths[::-1][:m] > squares * _ROUNDING  # the others are directions that rounding made
    found = vectors[:, ::-1].T[:m][kept]
    along = points @ found.T  # (n, kept)
    outermost = along[np.abs(along).argmax(axis=0), np.arange(len(found))]
    directions[: len(found)] = found * np.where(outermost < 0.0, -1.0, 1.0)[:, None]
    share = float(lengths[::-1][:m].sum() / squares)
    return PrincipalPlane(directions, min(max(share, 0.0), 1.0))


_ROUNDING = 1e-14
