"""A model that writes what it is told to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from attention_explorer.model.arrays import Floats
from attention_explorer.sources import model_source


def logits_for(monkeypatch: pytest.MonkeyPatch, ids: Sequence[int], vocabulary: int = 300) -> list[int]:
    """Have models expect these tokens, one after the other; return a list in which is noted after how many."""
    asked: list[int] = []

    def logits(_head: object, hidden: Floats, _row: int) -> Floats:
        asked.append(len(hidden))
        found = np.zeros(vocabulary, np.float32)
        found[ids[len(hidden)] if len(hidden) < len(ids) else 0] = 100.0
        return found

    monkeypatch.setattr(model_source, "_logits", logits)
    return asked
