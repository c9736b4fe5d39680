"""Scale, temperature, biases, masks and positions of layers: at once, token by token, and in the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    DecoderLayer,
    EncoderLayer,
    EncoderStack,
    MultiHeadAttention,
    Norm,
    RotaryPositions,
    alibi_bias,
    attend_with_cache,
    attention_reverse,
    causal_mask,
    merge_heads,
    padding_mask,
    rotary,
    scaled_dot_product_attention,
    window_mask,
)

Array = npt.NDArray[Any]
N, BATCH, HEADS, D_MODEL = 6, 2, 2, 8


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def attention(seed: int = 0) -> MultiHeadAttention:
    return MultiHeadAttention(*(random(D_MODEL, D_MODEL, seed=seed + each) for each in range(4)), HEADS)


def layer(seed: int = 0) -> EncoderLayer:
    held = attention(seed)
    w1, w2 = random(D_MODEL, 5, seed=seed), random(5, D_MODEL, seed=seed)
    return EncoderLayer(held.w_q, held.w_k, held.w_v, held.w_o, w1=w1, w2=w2, heads=HEADS, activation="gelu")


X = random(BATCH, N, D_MODEL)
PLACES = np.stack([np.arange(N), np.arange(N) * 0.5 - 2])
OPTIONS: dict[str, dict[str, Callable[[int, int], Any]]] = {
    "scale": {"scale": lambda start, stop: 0.2, "temperature": lambda start, stop: 3.0},
    "ALiBi": {"bias": lambda start, stop: alibi_bias(HEADS, stop - start, stop)[None]},
    "window": {"mask": lambda start, stop: window_mask(N, 3)[start:stop, :stop]},
    "padded": {"mask": lambda start, stop: padding_mask([6, 2], N)[..., :stop]},
    "padded in front": {"mask": lambda start, stop: padding_mask([6, 4], N)[..., ::-1][..., :stop]},
    "rotary": {"positions": lambda start, stop: RotaryPositions(np.arange(start, stop))},
    "rotary rows": {"positions": lambda start, stop: RotaryPositions(PLACES[:, start:stop], 100.0, "interleaved")},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("chunks", [[1] * N, [2, 1, 3]], ids=str)
def test_decoding_agrees_with_the_whole(name: str, chunks: list[int]) -> None:
    stack, options = EncoderStack([layer(0), layer(9)]), OPTIONS[name]
    given = {key: make(0, N) for key, make in options.items()}
    if "mask" in given:
        given["mask"] = given["mask"] & causal_mask(N)
    whole = stack(X, **{"mask": causal_mask(N), **given})
    assert not np.allclose(whole.output, stack(X, mask=causal_mask(N)).output), "the option matters"
    caches, start = None, 0
    for length in chunks:
        stop = start + length
        part = {key: make(start, stop) for key, make in options.items()}
        trace, caches = stack.decode(X[:, start:stop], caches, **part)
        np.testing.assert_allclose(trace.output, whole.output[:, start:stop], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(trace.weights[1], whole.weights[1][..., start:stop, :stop], rtol=1e-10, atol=1e-13)
        start = stop


def test_a_decoder_decodes_with_its_options() -> None:
    decoder, context = DecoderLayer(attention(), attention(7), layer().feed_forward), random(BATCH, 3, D_MODEL)
    bias, places = alibi_bias(HEADS, N)[None], RotaryPositions(np.arange(N))
    mask = padding_mask([6, 4], N)
    whole = decoder(X, context, mask=mask, bias=bias, positions=places)
    cache = None
    for i in range(N):
        trace, cache = decoder.decode(
            *(X[:, i : i + 1], context, cache),
            mask=mask[..., : i + 1],
            bias=bias[..., i : i + 1, : i + 1],
            positions=RotaryPositions([i]),
        )
        np.testing.assert_allclose(trace.output[:, 0], whole.output[:, i], rtol=1e-10, atol=1e-12)


def test_positions_turn_queries_and_keys() -> None:
    heads = attention()
    q, k, v = heads.project(X)
    places = PLACES[:, None]  # shared by the heads
    wanted = scaled_dot_product_attention(rotary(q, places), rotary(k, places), v)
    found = heads(X, positions=RotaryPositions(PLACES))
    np.testing.assert_allclose(found.weights, wanted.weights, rtol=1e-12)
    alone = heads(X[1], positions=RotaryPositions(PLACES[1]))
    np.testing.assert_allclose(found.output[1], alone.output, rtol=1e-12)
    for wrong in (PLACES, PLACES[:1, :-1], np.zeros((3, 1, N)), np.arange(N - 1)):
        with pytest.raises(ArrayError, match="positions has shape"):
            rotary(q, wrong)
    with pytest.raises(ArrayError, match=r"to share it between heads write positions\[:, None\]"):
        rotary(q, PLACES)
    with pytest.raises(ArrayError, match="positions turn the queries and keys of one sequence"):
        heads(X, X, positions=RotaryPositions(PLACES))


# ---- Derivatives ----


def slope(function: Callable[[Array], float], at: Array, along: Array) -> float:
    step = 1e-5
    return (function(at + step * along) - function(at - step * along)) / (2 * step)


@pytest.mark.parametrize("name", ["scale", "ALiBi", "padded", "rotary", "rotary rows"])
def test_the_derivative_knows_how_the_layer_was_called(name: str) -> None:
    held, weight, along = layer(), random(BATCH, N, D_MODEL, seed=3), random(BATCH, N, D_MODEL, seed=4)
    options = {key: make(0, N) for key, make in OPTIONS[name].items()}
    found = held.reverse(held(X, **options), weight)
    measured = slope(lambda x: float((held(x, **options).output * weight).sum()), X, along)
    assert (found * along).sum() == pytest.approx(measured, rel=1e-6)


def test_hard_weights_do_not_answer() -> None:
    heads, weight, along = attention(), random(BATCH, N, D_MODEL, seed=3), random(BATCH, N, D_MODEL, seed=4)
    found = attention_reverse(heads, heads(X, hard=True), weight)
    measured = slope(lambda x: float((heads(x, hard=True).output * weight).sum()), X, along)
    assert ((found.x + found.context) * along).sum() == pytest.approx(measured, rel=1e-6)
    assert not found.x.any()


def test_the_derivative_by_the_weights() -> None:
    """Of the layer with weights of its own: everything behind them is computed again."""
    held, weight = layer(), random(BATCH, N, D_MODEL, seed=3)
    trace = held(X, mask=causal_mask(N))
    inside = trace.attention.inside

    def loss(weights: Array) -> float:
        mixed = merge_heads(weights @ inside.v) @ held.attention.w_o
        middle = held.norms[0](X + mixed)
        behind = held.norms[1](middle + held.feed_forward(middle).output)
        return float((behind * weight).sum())

    assert loss(trace.weights) == pytest.approx(float((trace.output * weight).sum()))
    found = held.reverse_weights(trace, weight)
    along = random(*trace.weights.shape, seed=5)
    assert (found * along).sum() == pytest.approx(slope(loss, trace.weights, along), rel=1e-6)


def test_the_derivatives_by_the_weights_of_a_decoder() -> None:
    decoder, context = DecoderLayer(attention(), attention(7), layer().feed_forward), random(BATCH, 3, D_MODEL)
    trace, weight = decoder(X, context), random(BATCH, N, D_MODEL, seed=3)
    found = decoder.reverse(trace, weight)
    crossed, held = trace.cross_attention, decoder.cross_attention

    def loss(weights: Array) -> float:
        middle = decoder.norms[1](crossed.x + merge_heads(weights @ crossed.inside.v) @ held.w_o)
        behind = decoder.norms[2](middle + decoder.feed_forward(middle).output)
        return float((behind * weight).sum())

    along = random(*trace.cross_weights.shape, seed=5)
    assert (found.cross_weights * along).sum() == pytest.approx(slope(loss, trace.cross_weights, along), rel=1e-6)
    assert found.weights.shape == trace.weights.shape


def test_a_trace_of_decoding_has_no_derivative() -> None:
    """What came of the tokens before is not in it; the sum over them was once taken for that of the newest."""
    held = layer()
    _, cache = held.decode(X[:, :3])
    trace, _ = held.decode(X[:, 3:4], cache)
    with pytest.raises(ArrayError, match="4 keys and a context of 1 tokens, as it was made with a cache"):
        held.reverse(trace, np.ones((BATCH, 1, D_MODEL)))
    with pytest.raises(ArrayError, match="cache must be a KVCache, not ndarray"):
        attend_with_cache(attention(), X, causal_mask(N))  # type: ignore[arg-type]


def test_a_changed_trace_knows_how_it_was_called() -> None:
    trace = attention()(X, scale=0.2, temperature=3.0)
    assert trace._replace(output=trace.output).call == trace.call == (0.2, 3.0, False, None, False)
    assert {type(stage) for stage in trace} == {np.ndarray}


# ---- What layers say of themselves ----


def test_names_of_layers() -> None:
    held = layer()
    assert (
        repr(held.attention) == "MultiHeadAttention(2 heads, w_q (8, 8), w_k (8, 8), w_v (8, 8), w_o (8, 8), float64)"
    )
    assert repr(held.feed_forward) == "FeedForward(w1 (8, 5), w2 (5, 8), gelu, float64)"
    assert repr(held) == "EncoderLayer(2 heads, d_model 8, d_k 4, d_ff 5, norm post, gelu, float64)"
    assert repr(EncoderStack([held, held])) == f"EncoderStack(2 layers, each {held!r})"
    assert repr(EncoderStack([])) == "EncoderStack(0 layers)"
    decoder = DecoderLayer(held.attention, held.attention, held.feed_forward, norm="pre")
    assert repr(decoder) == "DecoderLayer(2 and 2 heads, d_model 8, d_context 8, d_ff 5, norm pre, float64)"
    assert repr(Norm("rms", gain=np.ones(3))) == "Norm(rms, eps 1e-05, gain (3,))"
    narrow = MultiHeadAttention(*[np.eye(2, dtype=np.float32)] * 4, 1)
    assert repr(narrow).endswith("float32)")


# ---- The table of names for people who come from PyTorch ----


def test_matrices_are_those_of_pytorch_transposed() -> None:
    """As `torch.nn.Linear`, `nn.LayerNorm` and `nn.MultiheadAttention` compute, in plain loops."""

    def linear(x: Array, weight: Array, bias: Array) -> Array:
        """y[i] = Σⱼ weight[i, j] x[j] + bias[i], with weight (out, in)."""
        return np.array([[sum(w * n for w, n in zip(row, x_, strict=True)) for row in weight] + bias for x_ in x])

    def norm(x: Array, weight: Array, bias: Array) -> Array:
        return (
            np.array([(row - row.mean()) / np.sqrt(((row - row.mean()) ** 2).mean() + 1e-5) for row in x]) * weight
            + bias
        )

    in_proj, in_bias = random(3 * D_MODEL, D_MODEL), random(3 * D_MODEL)
    out_proj, out_bias = random(D_MODEL, D_MODEL, seed=1), random(D_MODEL, seed=2)
    first, first_bias, second, second_bias = random(5, D_MODEL), random(5), random(D_MODEL, 5), random(D_MODEL, seed=6)
    weight, bias = random(D_MODEL, seed=7), random(D_MODEL, seed=8)
    not_allowed = ~causal_mask(N)  # attn_mask of nn.MultiheadAttention: True is hidden

    x = X[0]
    q, k, v = np.split(linear(x, in_proj, in_bias), 3, axis=1)
    heads = []
    for columns in np.split(np.arange(D_MODEL), HEADS):
        scores = linear(q[:, columns], k[:, columns], np.zeros(N)) / np.sqrt(D_MODEL // HEADS)
        exponentials = np.where(not_allowed, 0.0, np.exp(scores))
        heads.append(exponentials / exponentials.sum(axis=1, keepdims=True) @ v[:, columns])
    middle = norm(x + linear(np.concatenate(heads, axis=1), out_proj, out_bias), weight, bias)
    hidden = np.maximum(linear(middle, first, first_bias), 0.0)
    expected = norm(middle + linear(hidden, second, second_bias), weight, bias)

    w_q, w_k, w_v = np.split(in_proj.T, 3, axis=1)
    b_q, b_k, b_v = np.split(in_bias, 3)
    held = EncoderLayer(
        *(w_q, w_k, w_v, out_proj.T),
        **{"w1": first.T, "b1": first_bias, "w2": second.T, "b2": second_bias, "heads": HEADS},
        **{"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": out_bias},
        **{"gain1": weight, "bias1": bias, "gain2": weight, "bias2": bias},
    )
    np.testing.assert_allclose(held(x, mask=~not_allowed).output, expected, rtol=1e-10, atol=1e-12)
