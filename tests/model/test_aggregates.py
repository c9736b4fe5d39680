"""Aggregates over heads, layers and keys, against explicit loops."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_explorer.errors import ArrayError
from attention_explorer.model import max_of_heads, mean_of_heads, renormalised, rollout, softmax
from attention_explorer.model.checkpoint import watched

Array = np.ndarray
RANDOM = np.random.default_rng(11)


def some_weights(*shape: int) -> Array:
    return softmax(RANDOM.normal(size=shape))


def test_heads_are_averaged_and_compared_entry_by_entry() -> None:
    weights = some_weights(2, 3, 4, 5)
    for found, reduce in ((mean_of_heads(weights), lambda heads: sum(heads) / 3), (max_of_heads(weights), max)):
        assert found.shape == (2, 4, 5)
        for sequence, query, key in np.ndindex(2, 4, 5):
            heads = [float(weights[sequence, head, query, key]) for head in range(3)]
            assert found[sequence, query, key] == pytest.approx(reduce(heads), rel=1e-14)
    np.testing.assert_allclose(mean_of_heads(weights).sum(axis=-1), np.ones((2, 4)))
    assert mean_of_heads(weights.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("identity", [False, True])
def test_rollout_is_the_sum_over_all_paths(identity: bool) -> None:
    layers = [some_weights(3, 3) for _ in range(3)]
    steps = [layer / 2 + np.eye(3) / 2 if identity else layer for layer in layers]
    found = rollout(layers, identity=identity)
    for top, bottom in np.ndindex(3, 3):
        paths = (
            steps[2][top, upper] * steps[1][upper, lower] * steps[0][lower, bottom]
            for upper in range(3)
            for lower in range(3)
        )
        assert found[top, bottom] == pytest.approx(sum(paths), rel=1e-13)
    np.testing.assert_allclose(found.sum(axis=1), np.ones(3))


def test_rollout_of_one_layer_and_its_type() -> None:
    layer = some_weights(4, 4)
    np.testing.assert_array_equal(rollout([layer], identity=False), layer)
    np.testing.assert_allclose(rollout([layer]), (layer + np.eye(4)) / 2)
    assert rollout([layer.astype(np.float32)] * 2).dtype == np.float32
    np.testing.assert_array_equal(rollout([np.zeros((2, 2))]), np.eye(2) / 2)  # half of each token passes by


@settings(max_examples=80, deadline=None)
@given(hnp.arrays(np.float64, (3, 5), elements=st.floats(0, 1)), hnp.arrays(np.bool_, 5))
def test_renormalised_rows(weights: Array, shown: Array) -> None:
    found = renormalised(weights, shown)
    assert (found[:, ~shown] == 0).all()
    for row, kept in zip(found, weights[:, shown], strict=True):
        if not kept.any():
            assert not row.any()
            continue
        assert row.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(row[shown] * kept.max(), row.max() * kept, rtol=1e-12, atol=1e-300)


def test_renormalised_known_rows() -> None:
    weights = [[[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]]
    np.testing.assert_array_equal(renormalised(weights, [False, True, True]), [[[0, 0.5, 0.5], [0, 0, 1]]])
    np.testing.assert_array_equal(renormalised(weights, [True, True, False])[0, 1], [0, 0, 0])
    assert weights[0][0][0] == 0.5
    assert renormalised(np.eye(2, dtype=np.float32), [True, False]).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_of_heads(np.zeros((2, 2))), r"weights has shape \(2, 2\), but must be \(..., heads"),
        (lambda: max_of_heads(np.zeros((0, 2, 2))), "at least one head"),
        (lambda: rollout([]), "a rollout needs"),
        (lambda: rollout([np.eye(2), np.eye(3)]), r"weights\[1\] has shape \(3, 3\), but must be \(2, 2\)"),
        (lambda: rollout([np.zeros((2, 3))]), r"weights\[0\] has shape \(2, 3\), but must be \(2, 2\)"),
        (lambda: renormalised(np.eye(3), np.ones(3)), "shown of shape .* must be boolean"),
        (lambda: renormalised(np.eye(3), [True]), r"shown has shape \(1,\), but weights \(3, 3\)"),
        (lambda: renormalised([-0.5, 1.5], [True, True]), "must be at least 0, not -0.5"),
    ],
)
def test_what_cannot_be_is_refused_in_words(call: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        call()


def test_a_long_rollout_can_be_stopped_between_two_blocks_of_rows() -> None:
    layers = [np.full((1024, 1024), 1 / 1024, np.float32)] * 3
    passed: list[int] = []

    def stop_after_two() -> None:
        passed.append(1)
        if len(passed) == 2:
            raise KeyboardInterrupt

    with watched(stop_after_two), pytest.raises(KeyboardInterrupt):
        rollout(layers)
    assert len(passed) == 2
    passed.clear()
    with watched(lambda: passed.append(1)):
        np.testing.assert_allclose(rollout(layers, identity=False), layers[0], rtol=1e-5)
    assert len(passed) >= 3 * 4, "several in each of the three products"
