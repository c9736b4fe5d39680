"""The small models, and what PyTorch computed on them."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

MODELS = Path(__file__).parents[2] / "data" / "models"
LOCK = Path(__file__).parents[3] / "requirements.lock"


def oracle_of(name: str) -> dict[str, np.ndarray]:
    """Read all arrays of an oracle: that of a folder, or a file of its own."""
    path = MODELS / name
    with np.load(path / "oracle.npz" if path.is_dir() else path) as stored:
        return dict(stored)


def skip_without(distribution: str) -> NoReturn:
    """Skip a test for lack of a package; one that requirements.lock installs may not be missing."""
    if f"\n{distribution}==" in LOCK.read_text(encoding="utf-8"):
        pytest.fail(f"{distribution} is in {LOCK.name}, but it is not installed: type make test.")
    pytest.skip(f"{distribution} is not installed")
