"""Heads of files as attention maps, and what must fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import ArrayMap, QueryKeyMap, causal_mask
from attention_explorer.sources.recorded import RecordedHead, contents_of, head_array, layers_of, open_arrays

RANDOM = np.random.default_rng(5)
W = RANDOM.dirichlet(np.ones(6), size=(2, 3, 4, 5)).astype(np.float32)  # l b h q k
Q, K, V = (RANDOM.normal(size=(2, 3, 4, n, d)).astype(np.float32) for n, d in ((5, 8), (6, 8), (6, 2)))


def layers(path: Path, axes: str = "", *, save: Any = np.savez, **arrays: Any) -> tuple[tuple[RecordedHead, ...], ...]:
    options = {name: arrays.pop(name) for name in ("batch", "is_causal") if name in arrays}
    save(path / "a.npz", **arrays)
    return layers_of(contents_of(open_arrays(path / "a.npz")), axes, **options)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("axes", ["lbhqk", "lbhkq", "kqhbl", "qlkbh", "hqk", "kqh", "qk", "kq"])
def test_weights_are_those_of_the_file(tmp_path: Path, axes: str, order: str, save: Any) -> None:
    usual = W[tuple(slice(None) if letter in axes else 1 for letter in "lbhqk")]
    kept = "".join(letter for letter in "lbhqk" if letter in axes)
    array = np.asarray(usual.transpose([kept.index(letter) for letter in axes]), order=order)
    batch = 1 if "b" in axes else 0
    found = layers(tmp_path, axes, save=save, weights=array, batch=batch)
    whole = np.broadcast_to(W if "l" in axes else W[1:2], W.shape)[: len(found)]
    for layer, heads in enumerate(found):
        for number, head in enumerate(heads):
            expected = whole[layer, 1, number if "h" in axes else 1]
            map_ = head.map()
            assert (type(map_), map_.shape, head.shape) == (ArrayMap, (5, 6), (5, 6))
            np.testing.assert_array_equal(map_.weights(), expected)
            np.testing.assert_array_equal(map_.weights([4, 0, 1], slice(2, 4)), expected[[4, 0, 1], 2:4])
            np.testing.assert_array_equal(map_.weights(slice(2, 4)), expected[2:4])
            np.testing.assert_array_equal(map_.weights([]), expected[[]])
            assert head.weights is not None
            for rows in (slice(1, 4), slice(0, 0), np.array([4, 1])):
                target = np.zeros((len(expected[rows]), 6), W.dtype)
                head.weights.read_into(rows, target)
                np.testing.assert_array_equal(target, expected[rows])
    assert (len(found), len(found[0])) == (2 if "l" in axes else 1, 4 if "h" in axes else 1)


def test_columns_are_read_in_bands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_array, "_BAND_BYTES", 2 * 6 * 4)  # two rows
    ((head,),) = layers(tmp_path, "kq", weights=W[0, 0, 0].T)
    assert head.weights is not None
    for rows in (slice(1, 4), slice(0, 5), slice(3, 3), np.array([4, 1, 2])):
        np.testing.assert_array_equal(head.weights[rows], W[0, 0, 0][rows])
        head.weights[rows][...] = 7.0


def test_types_are_kept_and_computed_in_single(tmp_path: Path) -> None:
    ((head,),) = layers(tmp_path, "qk", weights=W[0, 0, 0].astype(np.float16))
    assert head.weights is not None
    assert (head.weights.dtype, head.map().dtype) == (np.float16, np.float32)
    hard = layers(tmp_path, "qk", weights=np.eye(4, dtype=np.int8))[0][0]
    assert hard.map().summary().entropy == 0.0


def test_layers_may_differ_in_heads(tmp_path: Path) -> None:
    found = layers(tmp_path, "hqk", attention_0=W[0, 0], attention_1=W[1, 0, :2])
    assert [len(heads) for heads in found] == [4, 2]
    np.testing.assert_array_equal(found[1][1].map().weights(), W[1, 0, 1])


def test_queries_keys_and_values(tmp_path: Path) -> None:
    found = layers(tmp_path, q=Q, k=K, v=V, batch=2)
    head = found[1][3]
    map_ = head.map()
    assert isinstance(map_, QueryKeyMap)
    np.testing.assert_array_equal(map_.weights(), QueryKeyMap(Q[1, 2, 3], K[1, 2, 3]).weights())
    assert head.v is not None
    np.testing.assert_array_equal(head.v.read(), V[1, 2, 3])
    ((one,),) = layers(tmp_path, q=Q[0, 0, 0], k=K[0, 0, 0])
    assert one.shape == (5, 6)
    with pytest.raises(ArrayError, match="no queries and keys"):
        layers(tmp_path, "qk", weights=W[0, 0, 0])[0][0].scores_map()


def test_heads_that_share_keys(tmp_path: Path) -> None:
    found = layers(tmp_path, "lhqk", weights=W[:, 0], q=Q[:, 0], k=K[:, 0, :2], v=V[:, 0, :1])
    for number, shared in enumerate((0, 0, 1, 1)):
        head = found[1][number]
        assert head.k is not None
        assert head.v is not None
        np.testing.assert_array_equal(head.k.read(), K[1, 0, shared])
        np.testing.assert_array_equal(head.v.read(), V[1, 0, 0])


def test_numbered_queries_and_keys(tmp_path: Path) -> None:
    found = layers(tmp_path, q_0=Q[0, 0], q_1=Q[1, 0], k_0=K[0, 0], k_1=K[1, 0])
    np.testing.assert_array_equal(found[1][2].map().weights(), QueryKeyMap(Q[1, 0, 2], K[1, 0, 2]).weights())


MASK = causal_mask(5, 6)


@pytest.mark.parametrize(
    ("axes", "mask"),
    [
        ("hqk", MASK),
        ("hqk", MASK.astype(np.int64)),
        ("hqk", MASK.astype(np.float32)),
        ("hqk", np.broadcast_to(MASK, (4, 5, 6))),
        ("hqk", MASK[None]),
        ("qkh", np.broadcast_to(MASK[..., None], (5, 6, 4))),
        ("hkq", np.broadcast_to(MASK.T, (4, 6, 5))),
        ("hqk", None),
    ],
)
def test_masks(tmp_path: Path, axes: str, mask: np.ndarray | None) -> None:
    weights = np.where(MASK, W[0, 0], 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    array = weights.transpose(["hqk".index(letter) for letter in axes])
    given = {"is_causal": True} if mask is None else {"mask": mask}
    map_ = layers(tmp_path, axes, weights=array, **given)[0][2].map()
    np.testing.assert_array_equal(map_.allowed(), MASK)
    np.testing.assert_array_equal(map_.weights([3, 1]), weights[2][[3, 1]].astype(np.float32))


def test_masks_by_key_and_by_sequence(tmp_path: Path) -> None:
    keys = np.array([1, 1, 1, 0, 1, 1])
    ((head,),) = layers(tmp_path, q=Q[0, 0, 0], k=K[0, 0, 0], mask=keys)
    np.testing.assert_array_equal(head.map().allowed(), np.broadcast_to(keys > 0, (5, 6)))
    padding = np.array([[1] * 6, [1] * 6, keys])
    head = layers(tmp_path, q=Q, k=K, mask=padding, batch=2)[0][0]
    np.testing.assert_array_equal(head.map().allowed(), np.broadcast_to(keys > 0, (5, 6)))


@pytest.mark.parametrize(
    ("axes", "arrays", "words"),
    [
        (
            "hqk",
            {"weights": W[0, 0], "mask": np.ones((7, 7), bool)},
            "“mask” has the shape .* which fits neither",
        ),
        ("lbhqk", {"weights": W, "batch": 3}, "no sequence 3 in a batch of 3"),
        ("hqk", {"weights": W[0, 0], "q": Q[0, 0, :, :4], "k": K[0, 0]}, "q has 4 rows, but there are 5 queries"),
        ("hqk", {"weights": W[0, 0], "v": V[0, 0, :, :4]}, "v has 4 rows, but there are 6 keys"),
        ("hqk", {"weights": W[0, 0], "q": Q[0, 0, :3], "k": K[0, 0]}, "q has 3 heads in a layer of 4"),
        ("hqk", {"weights": W[0, 0], "q": Q[:, 0], "k": K[:, 0]}, "q has 2 layers, but there are 1"),
        ("hqk", {"weights": W[0, 0], "q": Q[0, 0, ..., :3], "k": K[0, 0]}, "q has 3 columns and k 8"),
        ("hqk", {"weights": W[0, 0], "v": np.ones(3)}, r"“v” has the shape \(3,\)"),
        ("hqk", {"attention_0": W[0, 0], "attention_1": W[0, 0, :, :4]}, "differ in their number of heads only"),
        ("hqk", {"weights": W[0, 0], "tokens": np.array(["a"] * 4)}, "has 4 tokens for 5 queries"),
        ("hqk", {"weights": W[0, 0], "tokens": np.array(["a"] * 6)}, "has 6 tokens for 5 queries"),
        ("hqk", {"weights": W[0, 0], "context_tokens": np.array(["a"] * 5)}, "has 5 tokens for 6 keys"),
        ("hqk", {"weights": np.full((70_000, 1, 1), 1.0)}, "70000 heads, more than 65536"),
        ("hq", {"weights": W[0, 0]}, "names 2 axes"),
        ("hqk", {"weights": W[0, 0, :0]}, "no entries"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, axes: str, arrays: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        layers(tmp_path, axes, **arrays)


def test_entries_that_are_wrong_are_found_when_they_are_looked_at(tmp_path: Path) -> None:
    wrong = W[0, 0].copy()
    wrong[1, 2, 3] = np.nan
    map_ = layers(tmp_path, "hqk", weights=wrong)[0][1].map()
    map_.weights(slice(0, 2))
    with pytest.raises(ArrayError, match=r"holds nan at index \(2, 3\)"):
        map_.summary()
    added = np.where(MASK, 0.5, -1e9)
    map_ = layers(tmp_path, "hqk", weights=W[0, 0], mask=added)[0][1].map()
    with pytest.raises(ArrayError, match="a mask is True, or 1"):
        map_.weights()
