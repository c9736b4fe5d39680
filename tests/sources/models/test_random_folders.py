"""Random models of every family, against transformers where it is installed: every tensor of a file counts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from oracles import skip_without
from random_folders import FAMILIES, GGUF, deviation_of, is_close

FOLDERS = 30
"""Of each family."""


@pytest.mark.filterwarnings("default")  # of transformers, on its own behalf
@pytest.mark.parametrize("family", [*FAMILIES, *GGUF])
def test_random_models_as_transformers_computes_them(family: str, tmp_path: Path) -> None:
    for distribution in ("torch", "transformers"):
        if importlib.util.find_spec(distribution) is None:
            skip_without(distribution)
    for seed in range(FOLDERS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        deviation = deviation_of(family, seed, folder)
        assert is_close(family, deviation), f"seed {seed}: {deviation}"
