"""Families, each on a small model of its own: typed into, cut as its makers cut, computed as PyTorch computes."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import MODELS, oracle_of
from test_forward_pass import CLOSE, CLOSE_T5, agree

from attention_explorer.sources.models import load_model

NAMES = (
    "xlm-roberta",
    "camembert",
    "electra",
    "mpnet",
    "nomic-bert",
    "nomic-bert-published",
    "modernbert",
    "gemma2",
    "gemma3",
    "smollm3",
    "mt5",
    "phi3",
    "phi4-mini",
    "olmo2",
    "granite",
    "gpt-neox",
    "opt",
    "opt-narrow",
    "mbart",
    "marian",
    "esm2",
    "esm1b",
    "qwen2-gguf",
    "qwen3-gguf",
    "gemma2-gguf",
    "gemma3-gguf",
    "phi3-gguf",
    "smollm3-gguf",
    "granite-gguf",
    "olmo2-gguf",
)
NO_TEXT = ("phi3-gguf", "smollm3-gguf", "granite-gguf", "olmo2-gguf")
"""Whose fixtures have no tokeniser: they take ids."""
NOT_DIVIDED = ("mt5",)
"""Whose scores are not divided by √d, and so are large."""


@pytest.mark.parametrize("name", NAMES)
def test_a_family_as_pytorch(name: str) -> None:
    folder, oracle = MODELS / name, oracle_of(name)
    model = load_model(next(folder.glob("*.gguf"), folder))
    if "text" in oracle:
        tokens = model.tokenize(str(oracle.pop("text")))
        assert tokens.ids == tuple(oracle.pop("text_ids").tolist())
        assert tokens.tokens == tuple(oracle.pop("text_tokens").tolist())
    ids, target = oracle.pop("ids"), oracle.pop("target", None)
    agree(model(ids, target), oracle, CLOSE_T5 if name in NOT_DIVIDED else CLOSE)
    assert not model.notes


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_hides_nothing(name: str) -> None:
    """Weights that are the same everywhere, or a text that says nothing, would."""
    oracle, folder = oracle_of(name), MODELS / name
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 200_000
    assert np.ptp(oracle["weights"], axis=-1).max() > 0.2
    assert ("text" not in oracle) == (name in NO_TEXT)
    assert len(oracle.get("text_ids", oracle["ids"])) > 8
