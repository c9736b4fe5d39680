"""Positional encodings and layer normalisation against the reference and plain Python."""

import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import layer_norm, sinusoidal_encoding

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def test_encoding_reference() -> None:
    case = REFERENCE["positional_encoding"]
    encoding = sinusoidal_encoding(*case["shape"])
    assert encoding.shape == tuple(case["shape"])
    for row, expected in case["rows"].items():
        np.testing.assert_allclose(encoding[int(row)], expected, **CLOSE)
    np.testing.assert_allclose(np.linalg.norm(encoding, axis=1), case["norm_every_row"], **CLOSE)
    for product in case["dot_PE0_PEk"]:
        np.testing.assert_allclose(encoding[0] @ encoding[product["k"]], product["value"], **CLOSE)


def test_encoding_of_odd_width_keeps_its_lone_sine() -> None:
    case = REFERENCE["positional_encoding"]["odd_d_model"]
    encoding = sinusoidal_encoding(6, case["d"])
    for row, expected in case["rows"].items():
        np.testing.assert_allclose(encoding[int(row)], expected, **CLOSE)


@pytest.mark.parametrize(("length", "d_model", "base"), [(5, 4, 100.0), (3, 5, 0.5), (4, 1, 10000.0), (0, 4, 2.0)])
def test_encoding_entry_by_entry(length: int, d_model: int, base: float) -> None:
    encoding = sinusoidal_encoding(length, d_model, base)
    assert encoding.shape == (length, d_model)
    for position, feature in np.ndindex(length, d_model):
        angle = position / base ** ((feature - feature % 2) / d_model)
        expected = math.cos(angle) if feature % 2 else math.sin(angle)
        assert encoding[position, feature] == pytest.approx(expected, abs=1e-13)


def test_encoding_without_features() -> None:
    assert sinusoidal_encoding(3, 0).shape == (3, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1, 4), "length must be an integer"),
        ((4, 2.0), "d_model must be an integer"),
        ((4, 4, 0.0), "base must be above 0, not 0.0"),
        ((4, 4, math.inf), "base must be one finite number"),
    ],
)
def test_encodings_that_cannot_be_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        sinusoidal_encoding(*arguments)


@pytest.mark.parametrize("inside", [True, False])
def test_norm_reference(inside: bool) -> None:
    case = REFERENCE["layer_norm"]
    expected = case["eps_inside_sqrt" if inside else "eps_outside_sqrt"]
    found = layer_norm(case["x"], eps=case["eps"], eps_inside_sqrt=inside)
    np.testing.assert_allclose(found, expected, **CLOSE)


def test_norm_with_gain_and_bias() -> None:
    x = np.random.default_rng(3).normal(2.0, 5.0, size=(2, 3, 6))
    gain, bias = np.arange(6.0), -np.arange(6.0)
    found = layer_norm(x, gain, bias, eps=0.1)
    for row in np.ndindex(2, 3):
        numbers = x[row].tolist()
        mean, variance = statistics.fmean(numbers), statistics.pvariance(numbers)
        expected = [(n - mean) / math.sqrt(variance + 0.1) * g + b for n, g, b in zip(numbers, gain, bias, strict=True)]
        np.testing.assert_allclose(found[row], expected, **CLOSE)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_a_constant_row_gives_zeros(inside: bool, eps: float) -> None:
    x = np.full((2, 7), 0.1)  # the rounded mean of seven 0.1 is not 0.1
    np.testing.assert_array_equal(layer_norm(x, eps=eps, eps_inside_sqrt=inside), np.zeros((2, 7)))


def test_norm_keeps_single_precision_and_its_argument() -> None:
    x = np.array([[1.0, 2.0, 4.0]], np.float32)
    assert layer_norm(x, np.ones(3, np.float32), np.zeros(3, np.float32)).dtype == np.float32
    layer_norm(x)[:] = 0.0
    np.testing.assert_array_equal(x, [[1.0, 2.0, 4.0]])
    assert layer_norm(np.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"x": [[1.0, np.inf]]}, "x of shape"),
        ({"x": 1.0}, r"x has shape \(\)"),
        ({"x": [[1e300, -1e300]]}, "variance beyond the range of float64"),
        ({"x": [[1.0, 2.0]], "gain": [1.0]}, r"gain has shape \(1,\), but x has shape \(1, 2\): it must be \(2,\)"),
        ({"x": [[1.0, 2.0]], "bias": [[1.0, 2.0]]}, r"bias has shape \(1, 2\)"),
        ({"x": [[1.0, 2.0]], "eps": -1e-5}, "eps must be at least 0"),
    ],
)
def test_norms_that_cannot_be_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        layer_norm(**arguments)
