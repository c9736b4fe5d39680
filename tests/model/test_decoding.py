"""Token by token with a KV cache, and the decoder's layer: equal to the whole at once, up to rounding."""

from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    DecoderLayer,
    EncoderStack,
    FeedForward,
    KVCache,
    MultiHeadAttention,
    Norm,
    NormPlacement,
    StackSetting,
    attend_with_cache,
    causal_mask,
    layer_norm,
    padding_mask,
    random_layer,
    random_stack,
)

Array = np.ndarray


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def attention(d_model: int = 4, d_context: int = 4, heads: int = 2, seed: int = 0) -> MultiHeadAttention:
    return MultiHeadAttention(
        random(d_model, 6, seed=seed),
        random(d_context, 6, seed=seed + 1),
        random(d_context, 10, seed=seed + 2),
        random(10, d_model, seed=seed + 3),
        heads,
        b_k=random(6, seed=seed + 4),
    )


def network(seed: int = 0) -> FeedForward:
    return FeedForward(random(4, 7, seed=seed), random(7, seed=seed), random(7, 4, seed=seed), None, "gelu")


def decoder(**options: Any) -> DecoderLayer:
    return DecoderLayer(attention(seed=0), attention(d_context=5, seed=10), network(), **options)


@pytest.mark.parametrize("chunks", [[1] * 7, [7], [3, 1, 3], [1, 6]])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_cache_gives_full_causal_attention(chunks: list[int], batch: tuple[int, ...]) -> None:
    heads, x = attention(), random(*batch, 7, 4)
    whole = heads(x, mask=causal_mask(7))
    cache, start = None, 0
    for length in chunks:
        trace, cache = attend_with_cache(heads, x[..., start : start + length, :], cache)
        rows, keys = slice(start, start + length), slice(0, start + length)
        np.testing.assert_allclose(trace.output, whole.output[..., rows, :], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(trace.weights, whole.weights[..., rows, keys], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(trace.v, whole.v[..., keys, :], rtol=1e-12, atol=1e-14)
        start += length
        assert cache.tokens == start
        assert cache.numbers == np.prod(batch, dtype=int) * start * (6 + 10)
    assert start == 7


def test_a_cache_does_not_change() -> None:
    heads, x = attention(), random(3, 4)
    _, one = attend_with_cache(heads, x[:1])
    held = one.k.copy()
    _, two = attend_with_cache(heads, x[1:2], one)
    _, other = attend_with_cache(heads, x[2:3], one)  # another continuation of the same beginning
    np.testing.assert_array_equal(one.k, held)
    assert (one.tokens, two.tokens, other.tokens) == (1, 2, 2)
    assert not np.allclose(two.k, other.k)
    with pytest.raises(ValueError, match="read-only"):
        two.v[0, 0, 0] = 1.0


@pytest.mark.parametrize("placement", list(NormPlacement))
def test_a_stack_decodes_token_by_token(placement: NormPlacement) -> None:
    stack = random_stack(StackSetting(8, 2, 16, 3, 0.3, placement), np.random.RandomState(0))
    stack = EncoderStack(stack.layers, Norm())
    x = random(6, 8)
    whole = stack(x, mask=causal_mask(6))
    caches: tuple[KVCache, ...] | None = None
    for i in range(6):
        trace, caches = stack.decode(x[i : i + 1], caches)
        np.testing.assert_allclose(trace.output[0], whole.output[i], rtol=1e-11, atol=1e-12)
        for now, then in zip(trace.weights, whole.weights, strict=True):
            np.testing.assert_allclose(now[:, 0], then[:, i, : i + 1], rtol=1e-11, atol=1e-13)
    assert caches is not None
    assert [cache.tokens for cache in caches] == [6, 6, 6]


def test_caches_that_do_not_fit_are_refused() -> None:
    heads = attention()
    _, cache = attend_with_cache(heads, random(3, 4))
    with pytest.raises(ArrayError, match=r"the cache holds k of shape \(2, 3, 3\), and \(5, 2, 1, 3\) is to be added"):
        attend_with_cache(heads, random(5, 1, 4), cache)
    other = MultiHeadAttention(random(4, 8), random(4, 8), random(4, 8), random(8, 4), 2)
    with pytest.raises(ArrayError, match="start a new cache for other sequences or another layer"):
        attend_with_cache(other, random(1, 4), cache)
    stack = random_stack(StackSetting(8, 2, 16, 2), np.random.RandomState(0))
    with pytest.raises(ArrayError, match="1 caches were given for 2 layers: give one for each"):
        stack.decode(random(1, 8), [cache])


# ---- The decoder's layer ----


def test_decoder_part_by_part() -> None:
    layer, x, context = decoder(), random(3, 4), random(6, 5)
    trace = layer(x, context)
    first = layer_norm(x + layer.self_attention(x, mask=causal_mask(3)).output)
    second = layer_norm(first + layer.cross_attention(first, context).output)
    output = layer_norm(second + layer.feed_forward(second).output)
    np.testing.assert_allclose(trace.output, output, rtol=1e-12)
    assert trace.weights.shape == (2, 3, 3)
    assert trace.cross_weights.shape == (2, 3, 6)
    before = decoder(norm="pre")
    first = x + before.self_attention(layer_norm(x), mask=causal_mask(3)).output
    second = first + before.cross_attention(layer_norm(first), context).output
    output = second + before.feed_forward(layer_norm(second)).output
    np.testing.assert_allclose(before(x, context).output, output, rtol=1e-12)


def test_decoder_sees_no_later_token_and_only_the_unmasked_context() -> None:
    layer, x, context = decoder(), random(5, 4), random(6, 5)
    changed = np.concatenate([x[:3], random(2, 4, seed=9)])
    np.testing.assert_array_equal(layer(x, context).output[:3], layer(changed, context).output[:3])
    masked = layer(x, context, context_mask=padding_mask(4, 6))
    assert (masked.cross_weights[..., 4:] == 0).all()
    np.testing.assert_allclose(masked.output, layer(x, context[:4]).output, rtol=1e-12)


@pytest.mark.parametrize("placement", list(NormPlacement))
def test_decoder_decodes_token_by_token(placement: NormPlacement) -> None:
    layer, x, context = decoder(norm=placement), random(2, 5, 4), random(2, 6, 5)
    mask = padding_mask([6, 3], 6)
    whole = layer(x, context, context_mask=mask)
    cache = None
    for i in range(5):
        trace, cache = layer.decode(x[:, i : i + 1], context, cache, context_mask=mask)
        np.testing.assert_allclose(trace.output[:, 0], whole.output[:, i], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("placement", list(NormPlacement))
@pytest.mark.parametrize("shared", [False, True])
def test_decoder_derivatives_by_finite_differences(placement: NormPlacement, shared: bool) -> None:
    """One context for two sequences gets the sum of both derivatives."""
    layer = decoder(norm=placement, residual=placement is not NormPlacement.POST)
    x, weight = random(2, 3, 4), random(2, 3, 4, seed=5)
    context = random(*(() if shared else (2,)), 4, 5)
    found = layer.reverse(layer(x, context), weight)
    for given, derivative, other in ((x, found.x, context), (context, found.context, x)):
        assert derivative.shape == given.shape
        for place in list(np.ndindex(given.shape))[::3]:
            moved = np.zeros_like(given)
            moved[place] = 1e-5
            sides = [(moved_, other) if given is x else (other, moved_) for moved_ in (given + moved, given - moved)]
            above, below = ((layer(*side).output * weight).sum() for side in sides)
            assert derivative[place] == pytest.approx((above - below) / 2e-5, rel=1e-5, abs=1e-7)


def test_without_cross_attention_it_is_an_encoder_layer_with_a_causal_mask() -> None:
    encoder = random_layer(StackSetting(4, 2, 8), np.random.RandomState(1))
    silent = MultiHeadAttention(np.zeros((4, 4)), np.zeros((5, 4)), np.zeros((5, 4)), np.zeros((4, 4)), 2)
    same = DecoderLayer(encoder.attention, silent, encoder.feed_forward, norm="none")
    bare = random_layer(StackSetting(4, 2, 8, norm=NormPlacement.NONE), np.random.RandomState(1))
    x = random(3, 4)
    np.testing.assert_array_equal(same(x, random(2, 5)).output, bare(x, mask=causal_mask(3)).output)


def test_decoders_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ArrayError, match="2 norms were given, but a decoder layer has three"):
        decoder(norms=[Norm(), Norm()])
    with pytest.raises(ArrayError, match="norm must be 'none', 'post' or 'pre'"):
        decoder(norm="after")
    with pytest.raises(ArrayError, match=r"cross_attention has w_q of shape \(5, 6\).*d_model = 4 features"):
        DecoderLayer(attention(), attention(d_model=5), network())
    layer = decoder()
    with pytest.raises(ArrayError, match=r"d_output has shape \(2, 4\)"):
        layer.reverse(layer(random(3, 4), random(2, 5)), np.zeros((2, 4)))
