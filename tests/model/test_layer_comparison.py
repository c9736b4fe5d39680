"""Attention beside a recurrent network: paths walked step by step, operations counted by multiplying."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import attention_path, recurrent_flops, recurrent_influence, recurrent_path


@pytest.mark.parametrize(("n", "window"), [(2, None), (10, 4), (64, 8), (65, 8), (9, 2), (5, 5), (100_000, 4096)])
def test_the_path_is_as_many_layers_as_it_takes_to_reach_the_first_token(n, window) -> None:
    reached, layers = n - 1, 0  # the earliest token that the last one knows of
    while reached > 0:
        reached = max(reached - (n - 1 if window is None else window - 1), 0)
        layers += 1
    assert attention_path(n, window) == layers
    assert recurrent_path(n) == n - 1


def test_paths_at_the_edges() -> None:
    assert attention_path(1) == 0
    assert attention_path(1, 1) == 0
    assert attention_path(2, 1) is None
    assert attention_path(100_000, 4096) == 25


def test_a_recurrent_layer_is_two_products_a_step() -> None:
    w, u, operations = np.ones((3, 3)), np.ones((3, 3)), 0
    for _ in range(5):
        for matrix in (w, u):
            operations += 2 * matrix.size  # every entry is multiplied once, and added once
    assert recurrent_flops(5, 3) == operations


def test_what_a_recurrence_keeps_of_the_first_token() -> None:
    for decay, left in ((0.99, 0.90), (0.95, 0.60), (0.9, 0.35), (0.8, 0.11), (0.7, 0.03)):
        assert recurrent_influence(decay, 10) == pytest.approx(left, abs=0.005)
    np.testing.assert_allclose(recurrent_influence(0.5, [0, 1, 3]), [1.0, 0.5, 0.125])
    assert recurrent_influence(0.1, 1e6) == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: recurrent_flops(0, 8), "tokens must be at least 1"),
        (lambda: recurrent_path(0), "tokens must be at least 1"),
        (lambda: attention_path(0), "tokens must be at least 1"),
        (lambda: attention_path(8, 0), "window must be at least 1"),
        (lambda: recurrent_influence(1.1, 1), r"decay must lie between 0 and 1, not 1\.1"),
        (lambda: recurrent_influence(0.5, [-1]), "steps must be at least 0, not -1"),
    ],
)
def test_comparisons_that_cannot_be_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        call()
