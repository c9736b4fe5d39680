"""The small models, and what PyTorch computed on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

MODELS = Path(__file__).parents[2] / "data" / "models"


def oracle_of(name: str) -> dict[str, np.ndarray]:
    """Read all arrays of an oracle: that of a folder, or a file of its own."""
    path = MODELS / name
    with np.load(path / "oracle.npz" if path.is_dir() else path) as stored:
        return dict(stored)
