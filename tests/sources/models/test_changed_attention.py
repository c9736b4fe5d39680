"""Heads off, masks and patterns: each does what another way of saying the same does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import MODELS
from safetensors.numpy import load_file, save_file

from attention_explorer.errors import ArrayError
from attention_explorer.sources.models import Trace, load_model

IDS = (5, 17, 3, 39, 1, 0, 22, 5)
TARGET = (0, 7, 38, 7)


def run(name: str, **changes: object) -> Trace:
    return load_model(MODELS / name)(IDS, TARGET if name == "t5-gated" else None, **changes)


def without_head(tmp_path: Path, name: str, tensor: str, head: int) -> Trace:
    """Run a copy of a model in whose file nothing leads from a head to the output of its attention."""
    tensors = load_file(MODELS / name / "model.safetensors")
    altered = tensors[tensor].copy()
    width = altered.shape[1] // 4  # all have four heads
    altered[:, head * width : (head + 1) * width] = 0.0
    save_file({**tensors, tensor: altered}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_bytes((MODELS / name / "config.json").read_bytes())
    return load_model(tmp_path)(IDS, TARGET if name == "t5-gated" else None)


@pytest.mark.parametrize(
    ("name", "tensor", "place"),
    [
        ("roberta", "roberta.encoder.layer.1.attention.output.dense.weight", (1, 2)),
        ("qwen2", "model.layers.2.self_attn.o_proj.weight", (2, 3)),
        ("t5-gated", "decoder.block.1.layer.0.SelfAttention.o.weight", (1, 0)),
        ("t5-gated", "decoder.block.2.layer.1.EncDecAttention.o.weight", ("cross", 2, 1)),
        ("t5-gated", "encoder.block.0.layer.0.SelfAttention.o.weight", ("encoder", 0, 3)),
    ],
)
def test_a_head_that_is_off_is_as_if_its_output_were_cut(
    tmp_path: Path, name: str, tensor: str, place: tuple[object, ...]
) -> None:
    found, cut = run(name, off=[place]), without_head(tmp_path, name, tensor, int(str(place[-1])))
    np.testing.assert_allclose(found.hidden[-1], cut.hidden[-1], atol=1e-6)
    np.testing.assert_allclose(found.logits, cut.logits, atol=1e-5)
    assert np.abs(found.hidden[-1] - run(name).hidden[-1]).max() > 1e-3


def test_a_head_that_is_off_still_looks() -> None:
    np.testing.assert_array_equal(run("roberta", off=[(1, 2)]).weights[1], run("roberta").weights[1])


@pytest.mark.parametrize("name", ["roberta", "qwen2", "t5-gated"])
def test_a_pattern_of_nothing_is_a_head_that_is_off(name: str) -> None:
    n = len(TARGET) if name == "t5-gated" else len(IDS)
    put = run(name, patterns={(1, 2): np.zeros((n, n))})
    np.testing.assert_array_equal(put.hidden[-1], run(name, off=[(1, 2)]).hidden[-1])
    assert not put.weights[1][2].any()


@pytest.mark.parametrize("name", ["roberta", "qwen2"])
def test_a_mask_hides_keys_and_shares_their_weight_among_the_others(name: str) -> None:
    mask = np.random.default_rng(2).random((len(IDS), len(IDS))) < 0.6
    np.fill_diagonal(mask, True)
    before, masked = run(name), run(name, masks={(1, 3): mask})
    rest = before.weights[1][3] * mask
    shared = rest / rest.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(masked.weights[1][3], shared, atol=1e-6)
    assert not masked.weights[1][3][~mask].any(), "exactly 0"
    np.testing.assert_array_equal(masked.weights[1][:3], before.weights[1][:3])
    put = run(name, patterns={(1, 3): shared})
    np.testing.assert_allclose(put.hidden[-1], masked.hidden[-1], atol=1e-5)


def test_a_row_that_sees_nothing_gives_nothing() -> None:
    mask = np.ones((len(IDS), len(IDS)), np.bool_)
    mask[4] = False
    found = run("roberta", masks={0: mask})
    assert not found.weights[0][:, 4].any()
    assert not found.layer(0).attention.mixed[:, 4].any()
    assert np.isfinite(found.hidden[-1]).all()


def test_masks_of_a_layer_and_of_all_layers_are_those_of_each_head() -> None:
    mask = np.tri(len(IDS), dtype=np.bool_)
    each = run("roberta", masks={(layer, head): mask for layer in range(3) for head in range(4)})
    for masks in (mask, dict.fromkeys(range(3), mask), np.broadcast_to(mask, (3, 4, *mask.shape))):
        np.testing.assert_array_equal(run("roberta", masks=masks).hidden[-1], each.hidden[-1])
    assert not np.triu(each.weights[2][0], 1).any()


def test_masks_show_no_model_what_it_hides_itself() -> None:
    found = run("mistral", masks=np.ones((len(IDS), len(IDS)), np.bool_))
    np.testing.assert_array_equal(found.weights[0], run("mistral").weights[0])
    assert found.weights[0][0, 7].nonzero()[0].tolist() == [3, 4, 5, 6, 7], "a window of five"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"off": [(3, 0)]}, "layer 3, head 0"),
        ({"off": [(0, -1)]}, "head -1"),
        ({"off": [0]}, r"\(layer, head\)"),
        ({"off": (1, 2)}, r"\(layer, head\)"),
        ({"off": "12"}, "a list"),
        ({"off": [("cross", 0, 0)]}, "cross"),
        ({"off": [(0.0, 1)]}, r"\(layer, head\)"),
        ({"masks": {(0, 0): np.ones((3, 3), np.bool_)}}, r"\(3, 3\)"),
        ({"masks": {(0, 0): np.ones((8, 8))}}, "bool"),
        ({"masks": np.ones((2, 8, 8), np.bool_)}, r"\(2, 8, 8\)"),
        ({"masks": {"x": np.ones((8, 8), np.bool_)}}, "x"),
        ({"patterns": np.eye(8)}, "dictionary"),
        ({"patterns": {(0, 0): np.eye(8) * 2}}, "sum to 1"),
        ({"patterns": {(0, 0): -np.eye(8)}}, "below 0"),
        ({"patterns": {(0, 0): np.full((8, 8), np.nan)}}, "patterns"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ArrayError, match=reason):
        run("roberta", **changes)
