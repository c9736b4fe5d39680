"""RMS norm against plain Python, and the derivatives of both norms against finite differences."""

import math
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import Norm, NormKind, layer_norm, rms_norm

Array = np.ndarray


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


@pytest.mark.parametrize("inside", [True, False])
def test_rms_norm_row_by_row(inside: bool) -> None:
    x, gain = random(2, 3, 6) * 3 + 1, random(6)
    found = rms_norm(x, gain, eps=0.1, eps_inside_sqrt=inside)
    for row in np.ndindex(2, 3):
        mean_square = sum(n * n for n in x[row]) / 6
        divisor = math.sqrt(mean_square + 0.1) if inside else math.sqrt(mean_square) + 0.1
        expected = [n / divisor * g for n, g in zip(x[row], gain, strict=True)]
        np.testing.assert_allclose(found[row], expected, rtol=1e-12)


def test_rms_norm_of_a_centred_row_is_its_layer_norm() -> None:
    x = random(4, 8)
    centred = x - x.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(rms_norm(centred), layer_norm(x), rtol=1e-12)
    assert not np.allclose(rms_norm(x), layer_norm(x))


def test_rms_norm_at_the_edges() -> None:
    np.testing.assert_array_equal(rms_norm(np.zeros((2, 3)), eps=0.0), np.zeros((2, 3)))
    assert rms_norm(np.zeros((2, 0))).shape == (2, 0)
    assert rms_norm(np.ones((1, 3), np.float32)).dtype == np.float32
    with pytest.raises(ArrayError, match="beyond the range of float64"):
        rms_norm([[1e300, 1e300]])
    with pytest.raises(ArrayError, match=r"gain has shape \(1,\), but x has shape \(1, 2\)"):
        rms_norm([[1.0, 2.0]], [1.0])


@pytest.mark.parametrize("inside", [True, False])
def test_where_eps_stands_matters_for_small_rows_only(inside: bool) -> None:
    unit = np.array([[1.0, -1.0, 1.0, -1.0]])
    stds = [layer_norm(unit * size, eps=1e-6, eps_inside_sqrt=inside).std() for size in (1.0, 1e-3, 1e-4)]
    expected = [1.0, 0.7071, 0.0995] if inside else [1.0, 0.9990, 0.9901]
    np.testing.assert_allclose(stds, expected, atol=5e-5)


@pytest.mark.parametrize("kind", list(NormKind))
def test_a_norm_is_its_function(kind: NormKind) -> None:
    x, gain, bias = random(3, 5), random(5, seed=1), random(5, seed=2)
    if kind is NormKind.LAYER:
        np.testing.assert_array_equal(
            Norm("layer", gain=gain, bias=bias, eps=0.3, eps_inside_sqrt=False)(x),
            layer_norm(x, gain, bias, 0.3, False),
        )
    else:
        np.testing.assert_array_equal(
            Norm("rms", gain=gain, eps=0.3, eps_inside_sqrt=False)(x), rms_norm(x, gain, 0.3, False)
        )


@pytest.mark.parametrize("kind", list(NormKind))
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("size", [1.0, 0.02])
def test_derivative_by_finite_differences(kind: NormKind, inside: bool, size: float) -> None:
    norm = Norm(kind, gain=random(6, seed=3), eps=1e-3, eps_inside_sqrt=inside)
    x, weight = random(2, 6) * size + 0.5 * size, random(2, 6, seed=4)
    found = norm.reverse(x, weight)
    step = 1e-6 * size
    for place in np.ndindex(2, 6):
        moved = np.zeros_like(x)
        moved[place] = step
        measured = ((norm(x + moved) - norm(x - moved)) * weight).sum() / (2 * step)
        assert found[place] == pytest.approx(measured, rel=1e-6, abs=1e-6 / size)


def test_derivative_at_a_row_of_one_number() -> None:
    weight = random(1, 4)
    centred = weight - weight.mean()
    x = np.full((1, 4), 7.0)
    np.testing.assert_allclose(Norm(eps=1e-4).reverse(x, weight), centred / 1e-2, rtol=1e-12)
    np.testing.assert_allclose(Norm(eps=1e-4, eps_inside_sqrt=False).reverse(x, weight), centred / 1e-4, rtol=1e-12)
    assert np.isfinite(Norm(eps=0.0).reverse(x, weight)).all()
    assert np.isfinite(Norm("rms", eps=0.0).reverse(x * 0, weight)).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "batch"}, "norm_kind must be 'layer' or 'rms', not 'batch'"),
        ({"kind": "rms", "bias": [1.0]}, "an RMS norm has no bias"),
        ({"eps": -1.0}, "eps must be at least 0"),
        ({"gain": [[1.0]]}, r"gain has shape \(1, 1\)"),
    ],
)
def test_norms_that_cannot_be_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        Norm(**arguments)
