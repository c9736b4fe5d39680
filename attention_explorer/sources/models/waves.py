"""Positions as sines and cosines, for models whose files do not hold them."""

from __future__ import annotations

import numpy as np

from attention_explorer.model.arrays import Floats


def waves(places: int, d: int) -> Floats:
    """Return vectors of positions, (places, d), float32: all sines, then all cosines.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, but for the order of features, which is that of Marian (``create_weight`` of
    ``modeling_marian.py`` of transformers).
    """
    features = np.arange(d)
    angles = np.arange(places)[:, None] / 10000.0 ** (2 * (features // 2) / d)
    return np.concatenate([np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])], axis=1).astype(np.float32)
