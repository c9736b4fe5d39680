"""The whole layer against the reference, against a layer in loops, and its derivative against finite differences."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Activation,
    EncoderLayer,
    EncoderStack,
    Norm,
    NormKind,
    NormPlacement,
    activate,
    causal_mask,
    padding_mask,
    softmax_reverse,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CLOSE = {"rtol": 1e-9, "atol": 1e-10}
Array = np.ndarray


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def layer(d: int = 4, d_ff: int = 6, heads: int = 2, seed: int = 0, scale: float = 0.5, **options: Any) -> EncoderLayer:
    """Draw a layer with everything it can have."""
    arrays = {f"w_{name}": random(d, d, seed=seed + i) * scale for i, name in enumerate("qkvo")}
    arrays |= {f"b_{name}": random(d, seed=seed + 10 + i) * scale for i, name in enumerate("qkvo")}
    arrays |= {"w1": random(d, d_ff, seed=seed + 20) * scale, "b1": random(d_ff, seed=seed + 21)}
    arrays |= {"w2": random(d_ff, d, seed=seed + 22) * scale, "b2": random(d, seed=seed + 23)}
    arrays |= {"gain1": random(d, seed=seed + 24), "gain2": random(d, seed=seed + 25)}
    if options.get("norm_kind") != NormKind.RMS:
        arrays |= {"bias1": random(d, seed=seed + 26), "bias2": random(d, seed=seed + 27)}
    if options.get("activation") == Activation.SILU_GATED:
        arrays |= {"w3": random(d, d_ff, seed=seed + 28), "b3": random(d_ff, seed=seed + 29)}
    return EncoderLayer(**arrays, heads=heads, **options)


def slope(function: Any, x: Array, direction: Array, step: float) -> float:
    """Differentiate a function from arrays to numbers in a direction: four points, error of order step⁴."""
    near, far = (function(x + i * step * direction) - function(x - i * step * direction) for i in (1, 2))
    return float((8 * near - far) / (12 * step))


@pytest.mark.parametrize("norm", ["eps_inside_sqrt", "eps_outside_sqrt"])
@pytest.mark.parametrize("masked", ["no_mask", "causal"])
def test_reference(norm: str, masked: str) -> None:
    case = REFERENCE["encoder_layer"]
    arrays = {name.lower(): value for name, value in case["params"].items()}
    encoder = EncoderLayer(
        **arrays, heads=case["heads"], norm="post", eps=case["eps"], eps_inside_sqrt=norm == "eps_inside_sqrt"
    )
    trace = encoder(case["X"], mask=causal_mask(3) if masked == "causal" else None)
    expected = case["expected"][f"{norm}__{masked}"]
    np.testing.assert_allclose(trace.output, expected["output"], **CLOSE)
    if "attention_weights" in expected:
        np.testing.assert_allclose(trace.weights, expected["attention_weights"], **CLOSE)


def normalised(row: list[float], kind: NormKind, gain: Array, bias: Array | None) -> list[float]:
    """Normalise a row in plain Python, eps 0.01 under the root."""
    mean = sum(row) / len(row) if kind is NormKind.LAYER else 0.0
    divisor = math.sqrt(sum((n - mean) ** 2 for n in row) / len(row) + 0.01)
    added = [0.0] * len(row) if bias is None else list(bias)
    return [(n - mean) / divisor * g + b for n, g, b in zip(row, gain, added, strict=True)]


def in_loops(encoder: EncoderLayer, x: Array) -> Array:
    """Run a layer token by token and head by head."""
    heads, kind = encoder.attention, encoder.norms[0].kind
    placement, residual = encoder.wiring.placement, encoder.wiring.residual

    def attend(rows: Array) -> Array:
        q, k, v = (rows @ getattr(heads, f"w_{n}") + getattr(heads, f"b_{n}") for n in "qkv")
        concat = np.zeros_like(rows)
        for head in range(heads.heads):
            for i in range(len(rows)):
                own = slice(head * heads.d_k, (head + 1) * heads.d_k)
                parts = [math.exp(q[i, own] @ k[j, own] / math.sqrt(heads.d_k)) for j in range(len(rows))]
                concat[i, own] = sum(p * v[j, own] for j, p in enumerate(parts)) / sum(parts)
        return concat @ heads.w_o + heads.b_o

    def feed(rows: Array) -> Array:
        net = encoder.feed_forward
        hidden = activate(rows @ net.w1 + net.b1, net.activation)
        if net.w3 is not None:
            hidden = hidden * (rows @ net.w3 + net.b3)
        return hidden @ net.w2 + net.b2

    for part, norm in ((attend, encoder.norms[0]), (feed, encoder.norms[1])):
        apply = lambda rows, norm=norm: np.array([normalised(list(r), kind, norm.gain, norm.bias) for r in rows])  # noqa: E731
        found = part(apply(x) if placement is NormPlacement.PRE else x)
        summed = x + found if residual else found
        x = apply(summed) if placement is NormPlacement.POST else summed
    return x


WAYS = [
    (placement, kind, residual, activation)
    for placement in NormPlacement
    for kind in NormKind
    for residual, activation in ((True, "relu"), (False, "gelu"), (True, "gelu_tanh"), (True, "silu_gated"))
]


@pytest.mark.parametrize(("placement", "kind", "residual", "activation"), WAYS)
def test_in_loops(placement: NormPlacement, kind: NormKind, residual: bool, activation: str) -> None:
    encoder = layer(norm=placement, norm_kind=kind, residual=residual, activation=activation, eps=0.01)
    x = random(3, 4, seed=99)
    np.testing.assert_allclose(encoder(x).output, in_loops(encoder, x), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("placement", "kind", "residual", "activation"), WAYS)
@pytest.mark.parametrize("masked", [False, True])
def test_derivative_by_finite_differences(
    placement: NormPlacement, kind: NormKind, residual: bool, activation: str, masked: bool
) -> None:
    options = {"norm": placement, "norm_kind": kind, "residual": residual, "activation": activation, "eps": 0.01}
    inside = residual  # both placements of eps
    stack = EncoderStack([layer(seed=seed, eps_inside_sqrt=inside, **options) for seed in (0, 50, 100)], Norm(eps=0.01))
    x, weight = random(2, 3, 4, seed=7), random(2, 3, 4, seed=8)
    mask = causal_mask(3) if masked else None
    downwards = stack.reverse(stack(x, mask=mask), weight)
    step = 2e-5 if activation == "relu" else 1e-4  # ReLU must not cross 0
    for seed in range(5):
        direction = random(2, 3, 4, seed=100 + seed)
        measured = slope(lambda moved: (stack(moved, mask=mask).output * weight).sum(), x, direction, step)
        rounding = 1e-6 * np.linalg.norm(downwards[0]) * np.linalg.norm(direction)
        assert (downwards[0] * direction).sum() == pytest.approx(measured, rel=1e-6, abs=rounding)
    # From the middle up: the upper two layers alone.
    upper = EncoderStack(stack.layers[1:], stack.last_norm)
    between = stack(x, mask=mask).levels[1]
    np.testing.assert_allclose(downwards[1], upper.reverse(upper(between, mask=mask), weight)[0], rtol=1e-9, atol=1e-11)
    assert len(downwards) == 4


def test_derivative_where_the_softmax_is_saturated() -> None:
    """The derivative of scores 40 apart is about exp(−40) and not the rounding of 1 − 1."""
    eye, zero = np.eye(2), np.zeros((2, 2))
    encoder = EncoderLayer(eye, eye, eye, eye, w1=zero, w2=zero, heads=1, norm="none", residual=False)
    x, weight = np.array([[6.0, 5.0], [-6.0, 5.0]]), np.array([[1.0, 0.5], [0.25, 2.0]])
    passed = encoder(x).attention.inside
    assert passed.weights[0, 0, 1] < 1e-20
    assert passed.weights[0, 0, 0] == 1.0
    # By hand: ∂L/∂score of row i is w_i0 w_i1 (g·(v_0 − v_1)), g = ∂L/∂output.
    by_weights = weight @ x.T
    found = softmax_reverse(passed.weights[0], by_weights)
    product = passed.weights[0].prod(axis=1) * (by_weights[:, 0] - by_weights[:, 1])
    np.testing.assert_allclose(found, np.stack([product, -product], axis=1), rtol=1e-12)


def test_the_tutorials_layer_at_full_size() -> None:
    numbers = np.random.RandomState(42)
    shapes = [(512, 512)] * 4 + [(512, 2048), (2048, 512)]
    w_q, w_k, w_v, w_o, w1, w2 = (numbers.randn(*shape) * math.sqrt(2 / shape[0]) for shape in shapes)
    b1, b2 = np.zeros(2048), np.zeros(512)
    encoder = EncoderLayer(w_q, w_k, w_v, w_o, w1=w1, b1=b1, w2=w2, b2=b2, heads=8, eps=1e-6, eps_inside_sqrt=False)
    trace = encoder(numbers.randn(2, 10, 512))
    assert trace.output.shape == (2, 10, 512)
    assert trace.weights.shape == (2, 8, 10, 10)
    np.testing.assert_allclose(trace.output.mean(axis=-1), 0.0, atol=1e-15)
    np.testing.assert_allclose(trace.output.std(axis=-1), 1.0, atol=2e-6)
    counts = encoder.parameter_counts()
    assert counts == {"attention": 4 * 512**2, "feed_forward": 2 * 512 * 2048 + 2048 + 512, "norms": 0}
    assert sum(counts.values()) == 3_148_288 == EncoderStack([encoder]).parameter_count()
    assert trace.attention.inside.scaled.std() == pytest.approx(2.0, abs=0.15)  # He: d_model · 2 / d_model
    assert trace.feed_forward.inside.zero_share == pytest.approx(0.5, abs=0.02)


def test_norms_and_biases_are_counted() -> None:
    full = layer(d=4, d_ff=6)
    assert full.parameter_counts() == {"attention": 4 * 16 + 16, "feed_forward": 48 + 10, "norms": 16}
    assert EncoderStack([full, full], Norm(gain=np.ones(4))).parameter_count() == 2 * 154 + 4


@pytest.mark.parametrize("placement", list(NormPlacement))
def test_a_later_token_changes_no_earlier_row_by_a_bit(placement: NormPlacement) -> None:
    stack = EncoderStack([layer(d=8, d_ff=16, seed=seed, norm=placement) for seed in (0, 50)])
    x = random(6, 8)
    changed = x.copy()
    changed[4:] = random(2, 8, seed=5) * 9
    before, after = stack(x, mask=causal_mask(6)).output, stack(changed, mask=causal_mask(6)).output
    np.testing.assert_array_equal(before[:4], after[:4])
    assert (before[4:] != after[4:]).all()
    assert (stack(x).output[:4] != stack(changed).output[:4]).all()


def test_stages_are_named_in_order_and_shared_where_nothing_happens() -> None:
    trace = layer(activation="silu_gated")(random(3, 4), mask=causal_mask(3))
    stages = trace.stages()
    names = (
        "x attention_input q k v scores scaled masked weights head_output concat attention_output attention_sum middle "
        "feed_forward_input before_activation linear_part hidden feed_forward_output feed_forward_sum output"
    )
    assert list(stages) == names.split()
    assert stages["attention_input"] is stages["x"]
    np.testing.assert_array_equal(stages["attention_sum"], stages["x"] + stages["attention_output"])
    assert np.isneginf(stages["masked"][0, 0, 1])
    bare = layer(norm="none", residual=False)(random(3, 4)).stages()
    assert "linear_part" not in bare
    assert bare["middle"] is bare["attention_output"]
    assert bare["output"] is bare["feed_forward_output"]


def test_masks_of_a_batch() -> None:
    encoder, x = layer(), random(2, 4, 4)
    trace = encoder(x, mask=padding_mask([4, 2], 4))
    alone = encoder(x[1], mask=padding_mask(2, 4))
    np.testing.assert_allclose(trace.output[1], alone.output, rtol=1e-12)
    assert (trace.weights[1, :, :, 2:] == 0).all()
    biased = encoder(x[0], bias=np.where(causal_mask(4), 0.0, -np.inf))
    np.testing.assert_array_equal(biased.output, encoder(x[0], mask=causal_mask(4)).output)


def test_a_stack_passes_from_layer_to_layer() -> None:
    first, second = layer(seed=0), layer(seed=50)
    stack, x = EncoderStack([first, second]), random(3, 4)
    trace = stack(x)
    np.testing.assert_array_equal(trace.output, second(first(x).output).output)
    for lower, upper in pairwise(trace.layers):
        assert upper.x is lower.output
    assert [array.shape for array in trace.weights] == [(2, 3, 3)] * 2
    assert len(trace.levels) == 3
    empty = EncoderStack([])(x)
    np.testing.assert_array_equal(empty.output, x)
    assert empty.levels == (empty.x,)


def test_float32_stays_float32() -> None:
    arrays = [random(*shape).astype(np.float32) for shape in [(4, 4)] * 4]
    w1, w2 = random(4, 6).astype(np.float32), random(6, 4).astype(np.float32)
    for norm in NormPlacement:
        encoder = EncoderLayer(*arrays, w1=w1, w2=w2, heads=2, norm=norm, activation="gelu")
        trace = encoder(random(3, 4).astype(np.float32))
        assert {array.dtype for array in trace.stages().values()} == {np.dtype(np.float32)}
        assert encoder.reverse(trace, np.ones((3, 4), np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("replaced", "words"),
    [
        ({"norm": "both"}, "norm must be 'none', 'post' or 'pre', not 'both'"),
        ({"heads": 3}, "d_model = 4 cannot be shared equally by 3 heads: choose .* 1, 2 or 4"),
        ({"w_o": np.zeros((4, 5))}, r"w_o has shape \(4, 5\) and w_q \(4, 4\).*w_o must have 4 columns"),
        ({"w1": np.zeros((5, 6))}, r"w1 has shape \(5, 6\).*w1 must have 4 rows"),
        ({"w2": np.zeros((6, 5))}, r"w2 has shape \(6, 5\).*w2 must have 4 columns"),
        ({"gain2": np.ones(5)}, r"the gain of a norm has shape \(5,\), but must be \(4,\)"),
        ({"bias1": np.ones(5), "norm": "none"}, r"the bias of a norm has shape \(5,\), but must be \(4,\)"),
    ],
)
def test_layers_that_do_not_fit_are_refused(replaced: dict[str, Any], words: str) -> None:
    fits: dict[str, Any] = {name: np.zeros((4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}
    fits |= {"w1": np.zeros((4, 6)), "b1": None, "w2": np.zeros((6, 4)), "b2": None, "heads": 2}
    with pytest.raises(ArrayError, match=words):
        EncoderLayer(**{**fits, **replaced})


def test_calls_that_do_not_fit_are_refused() -> None:
    encoder = layer(norm="none", scale=1.0)
    trace = encoder(np.zeros((3, 4)))
    with pytest.raises(ArrayError, match=r"x has shape \(4,\), but must be \(..., n, d_model\)"):
        encoder(np.zeros(4))
    with pytest.raises(ArrayError, match=r"d_output has shape \(2, 4\), but must be that of the output, \(3, 4\)"):
        encoder.reverse(trace, np.zeros((2, 4)))
    with pytest.raises(ArrayError, match="the derivative leaves the range of float64"):
        encoder.reverse(trace, np.full((3, 4), 1.7e308))
    with pytest.raises(ArrayError, match=r"d_output has shape \(2, 4\)"):
        EncoderStack([encoder]).reverse(EncoderStack([encoder])(np.zeros((3, 4))), np.zeros((2, 4)))
    with pytest.raises(ArrayError, match=r"the layers have widths \[4, 8\]: they must all take d_model = 4 features"):
        EncoderStack([encoder, layer(d=8)])
    with pytest.raises(ArrayError, match="the gain of a norm"):
        EncoderStack([encoder], Norm(gain=np.ones(3)))
    eye = np.eye(2)
    doubling = EncoderLayer(eye, eye, eye, eye, w1=eye, w2=eye, heads=1, norm="none")
    with pytest.raises(ArrayError, match="the residual leaves the range of float64"):
        doubling(np.full((1, 2), 1e308))
