"""Masks, compared with their definitions pair by pair."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    block_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    strictly_causal_mask,
    window_mask,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
SIZES = range(6)


def pairwise(n_q: int, n_k: int, rule: Callable[[int, int], bool]) -> np.ndarray:
    return np.array([[rule(i, j) for j in range(n_k)] for i in range(n_q)], dtype=bool).reshape(n_q, n_k)


def test_causal_reference() -> None:
    case = REFERENCE["causal_mask"]
    np.testing.assert_array_equal(causal_mask(case["n"]), np.array(case["expected"]) == 1)


@pytest.mark.parametrize("n_q", SIZES)
@pytest.mark.parametrize("n_k", SIZES)
def test_causal_aligns_the_last_query_with_the_last_key(n_q: int, n_k: int) -> None:
    expected = pairwise(n_q, n_k, lambda i, j: j <= i + n_k - n_q)
    np.testing.assert_array_equal(causal_mask(n_q, n_k), expected)


def test_one_new_query_sees_the_whole_cache() -> None:
    assert causal_mask(1, 7).all()
    np.testing.assert_array_equal(causal_mask(2, 7), causal_mask(7)[-2:])
    np.testing.assert_array_equal(causal_mask(7)[:2, :5], pairwise(2, 5, lambda i, j: j <= i))  # as documented


@pytest.mark.parametrize("n_q", SIZES)
@pytest.mark.parametrize("n_k", SIZES)
def test_strictly_causal_hides_the_own_position(n_q: int, n_k: int) -> None:
    expected = pairwise(n_q, n_k, lambda i, j: j < i + n_k - n_q)
    np.testing.assert_array_equal(strictly_causal_mask(n_q, n_k), expected)
    if n_q == n_k:
        np.testing.assert_array_equal(strictly_causal_mask(n_q), expected)
        assert not strictly_causal_mask(n_q)[:1].any()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", [*range(1, 8), 10**30])
def test_block(n: int, block: int) -> None:
    np.testing.assert_array_equal(block_mask(n, block), pairwise(n, n, lambda i, j: i // block == j // block))


def test_a_block_has_a_position() -> None:
    with pytest.raises(ArrayError, match="block must be at least 1, not 0"):
        block_mask(3, 0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("width", [*range(8), 10**30])
def test_window(n: int, width: int) -> None:
    near = window_mask(n, width)
    np.testing.assert_array_equal(near, pairwise(n, n, lambda i, j: abs(i - j) < width))
    causal = window_mask(n, width, causal=True)
    np.testing.assert_array_equal(causal, pairwise(n, n, lambda i, j: abs(i - j) < width and j <= i))
    np.testing.assert_array_equal(causal, near & causal_mask(n))


@pytest.mark.parametrize("n", SIZES)
def test_prefix(n: int) -> None:
    for prefix in range(n + 1):
        expected = pairwise(n, n, lambda i, j, prefix=prefix: j <= i or j < prefix)
        np.testing.assert_array_equal(prefix_mask(n, prefix), expected)


def test_padding() -> None:
    mask = padding_mask([[3, 0, 2]], 3)
    assert mask.shape == (1, 3, 1, 3)
    np.testing.assert_array_equal(mask[0, :, 0], [[1, 1, 1], [0, 0, 0], [1, 1, 0]])
    np.testing.assert_array_equal(padding_mask(2, 4), [[True, True, False, False]])
    assert padding_mask(0, 0).shape == (1, 0)


def test_masks_are_boolean_and_combine() -> None:
    masks = [
        causal_mask(3),
        window_mask(3, 2),
        prefix_mask(3, 1),
        padding_mask(2, 3),
        padding_mask([1, 2], 3),
        strictly_causal_mask(3),
        block_mask(3, 2),
    ]
    assert all(mask.dtype == np.bool_ for mask in masks)
    expected = pairwise(3, 3, lambda i, j: j <= i and j < 2)
    np.testing.assert_array_equal(causal_mask(3) & padding_mask(2, 3), expected)


@pytest.mark.parametrize("bad", [-1, 2.0, True, np.True_, "3", [], np.array([1, 2])])
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("n_q", lambda bad: causal_mask(bad)),
        ("n_k", lambda bad: causal_mask(2, bad)),
        ("n_k", lambda bad: padding_mask(1, bad)),
        ("n", lambda bad: window_mask(bad, 1)),
        ("width", lambda bad: window_mask(3, bad)),
        ("n", lambda bad: prefix_mask(bad, 0)),
        ("prefix", lambda bad: prefix_mask(3, bad)),
        ("n_q", lambda bad: strictly_causal_mask(bad)),
        ("n_k", lambda bad: strictly_causal_mask(2, bad)),
        ("n", lambda bad: block_mask(bad, 1)),
        ("block", lambda bad: block_mask(3, bad)),
    ],
    ids=[
        "causal n_q",
        "causal n_k",
        "padding n_k",
        "window n",
        "window width",
        "prefix n",
        "prefix prefix",
        "strict n_q",
        "strict n_k",
        "block n",
        "block block",
    ],
)
def test_sizes_are_integers_of_at_least_zero(name: str, make: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(ArrayError, match=f"^{name} must be an integer of at least 0"):
        make(bad)


@pytest.mark.parametrize("size", [np.int8(3), np.uint64(3)])
def test_numpy_integers_are_sizes(size: Any) -> None:
    np.testing.assert_array_equal(causal_mask(size), causal_mask(3))
    np.testing.assert_array_equal(window_mask(size, size), window_mask(3, 3))


@pytest.mark.parametrize("lengths", [[1, 4], [-1, 2], [1.0, 2.0], [True, False], 4, "ab"])
def test_lengths_are_integers_within_the_keys(lengths: Any) -> None:
    with pytest.raises(ArrayError, match=r"lengths of shape \(2?,?\) must"):
        padding_mask(lengths, 3)


def test_prefix_is_no_longer_than_the_sequence() -> None:
    with pytest.raises(ArrayError, match="prefix must lie between 0 and n = 3, not 4"):
        prefix_mask(3, 4)
