"""Arguments that once gave a wrong number without a word: each is understood now, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import attention_explorer.model as model
from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    ArrayMap,
    CombinedMap,
    EncoderLayer,
    KVCache,
    MultiHeadAttention,
    QueryKeyMap,
    Stage,
    alibi_bias,
    causal_mask,
    scaled_dot_product_attention,
)

Array = npt.NDArray[Any]


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def attention(d_model: int = 8, heads: int = 4, dtype: Any = float) -> MultiHeadAttention:
    return MultiHeadAttention(*(random(d_model, d_model, seed=seed).astype(dtype) for seed in range(4)), heads)


def layer(d_model: int = 8, heads: int = 4, dtype: Any = float) -> EncoderLayer:
    wide, narrow = (random(*shape).astype(dtype) for shape in ((d_model, 5), (5, d_model)))
    held = attention(d_model, heads, dtype)
    return EncoderLayer(held.w_q, held.w_k, held.w_v, held.w_o, w1=wide, w2=narrow, heads=heads)


# ---- Stages by name ----


@pytest.mark.parametrize("stage", list(Stage))
def test_a_stage_has_a_name(stage: Stage) -> None:
    map_ = QueryKeyMap(random(6, 3), random(6, 3, seed=1), mask=causal_mask(6), bias=random(6, 6))
    np.testing.assert_array_equal(map_.stage(stage.value), map_.stage(stage))
    np.testing.assert_array_equal(map_.scores(stage=stage.value), map_.stage(stage))
    np.testing.assert_array_equal(map_.pooled(stage.value, 2, 2).values, map_.pooled(stage, 2, 2).values)


def test_an_unknown_stage_is_refused() -> None:
    for map_ in (QueryKeyMap(np.eye(2), np.eye(2)), ArrayMap(np.eye(2))):
        for ask in (map_.stage, lambda name, map_=map_: map_.pooled(name, 1, 1)):
            with pytest.raises(ArrayError, match=r"stage must be 'scores', .* or 'weights', not 'nonsense'"):
                ask("nonsense")
    with pytest.raises(ArrayError, match="ask for WEIGHTS, not SCALED"):
        ArrayMap(np.eye(2)).stage("scaled")


# ---- A mask in the place of something else ----


@pytest.mark.parametrize(
    "call",
    [
        lambda mask: attention()(random(8, 8), mask),
        lambda mask: attention()(mask),
        lambda mask: attention()(random(8, 8), bias=mask),
        lambda mask: attention().project(mask),
        lambda mask: attention().project_values(mask),
        lambda mask: layer()(mask),
        lambda mask: layer().decode(mask),
        lambda mask: layer()(random(8, 8), bias=mask),
        lambda mask: model.EncoderStack([layer()])(mask),
        lambda mask: model.attend_with_cache(attention(), mask),
        lambda mask: scaled_dot_product_attention(mask, np.eye(8), np.eye(8)),
        lambda mask: scaled_dot_product_attention(np.eye(8), mask.tolist(), np.eye(8)),
        lambda mask: scaled_dot_product_attention(np.eye(8), np.eye(8), np.eye(8), bias=mask),
        lambda mask: QueryKeyMap(mask, np.eye(8)),
        lambda mask: QueryKeyMap(np.eye(8), np.eye(8), bias=mask),
    ],
)
def test_a_mask_in_the_place_of_another_argument_is_refused(call: Callable[[Array], object]) -> None:
    with pytest.raises(ArrayError, match=r"of shape \(8, 8\) is boolean, as a mask is: give a mask by name, as mask=…"):
        call(causal_mask(8))


def test_a_mask_is_given_by_name() -> None:
    x, mask = random(8, 8), causal_mask(8)
    decoder = model.DecoderLayer(attention(), attention(), layer().feed_forward)
    held = layer()
    for call in (
        lambda: attention()(x, x, mask),
        lambda: held(x, mask),
        lambda: model.EncoderStack([held])(x, mask),
        lambda: decoder(x, x, mask),
        lambda: decoder.decode(x, x, None, mask),
        lambda: EncoderLayer(x, x, x, x, x, None, x, None, 4),
    ):
        with pytest.raises(TypeError, match="positional argument"):
            call()


# ---- A bias for each head, with a batch and without ----


@pytest.mark.parametrize("batch", [(), (1,), (2,), (4,), (2, 3), (2, 4), (4, 4)])
def test_a_bias_for_each_head_is_always_right(batch: tuple[int, ...]) -> None:
    mha, bias = attention(heads=4), alibi_bias(4, 5)
    x = random(*batch, 5, 8)
    given = bias[None] if batch != (2, 4) and batch != (4, 4) else bias[None, None]
    found = mha(x, bias=given).weights
    q, k, v = mha.project(x)
    wanted = scaled_dot_product_attention(q, k, v, bias=np.broadcast_to(bias, found.shape))
    np.testing.assert_allclose(found, wanted.weights)


@pytest.mark.parametrize("batch", [(4,), (2, 4)])
def test_a_bias_that_fits_heads_and_sequences_is_refused(batch: tuple[int, ...]) -> None:
    bias = alibi_bias(4, 5)
    with pytest.raises(ArrayError, match=r"as many heads as sequences: write bias\[None\] for one"):
        attention(heads=4)(random(*batch, 5, 8), bias=np.broadcast_to(bias, (*batch[:-1], *bias.shape)))


# ---- Weights that are none ----


def test_rows_that_sum_to_more_than_one_are_no_weights() -> None:
    with pytest.raises(ArrayError, match=r"row 1 of weights of shape \(3, 4\) sums to 3: a row of weights sums to 1"):
        ArrayMap(np.array([[0.5, 0.5, 0, 0], [0, 3.0, 0, 0], [1, 1, 1, 1]])).summary()
    with pytest.raises(ArrayError, match="row 2 of weights"):
        ArrayMap(np.array([[1.0], [1.0], [1.5]])).weights([2], [])
    halves = np.full((2, 3000), 1 / 3000, np.float16)
    assert ArrayMap(halves).weights().dtype == np.float32, "rounding is no reason to refuse"


def test_keys_that_a_mask_hides_do_not_count() -> None:
    expected = scaled_dot_product_attention(random(6, 3), random(6, 3, seed=1), random(6, 1), mask=causal_mask(6))
    wanted = QueryKeyMap(random(6, 3), random(6, 3, seed=1), mask=causal_mask(6))
    for mask in (causal_mask(6), lambda start, stop: causal_mask(6)[start:stop]):
        map_ = ArrayMap(expected.weights, mask=mask)
        np.testing.assert_array_equal(map_.allowed(), causal_mask(6))
        assert map_.summary().evenness == pytest.approx(wanted.summary().evenness)
        np.testing.assert_array_equal(map_.pooled("weights", 6, 6).masked, ~causal_mask(6))
    with pytest.raises(ArrayError, match=r"holds 0.25 at index \(0, 1\), which the mask hides"):
        ArrayMap(np.full((4, 4), 0.25), mask=causal_mask(4)).weights()
    with pytest.raises(ArrayError, match="mask has shape"):
        ArrayMap(np.eye(3), mask=causal_mask(4))


# ---- Masked arrays ----


@pytest.mark.parametrize(
    "call",
    [
        lambda masked: scaled_dot_product_attention(np.eye(6), np.eye(6), np.eye(6), mask=masked > -9),
        lambda masked: scaled_dot_product_attention(np.eye(6), np.eye(6), masked),
        lambda masked: model.softmax(masked),
        lambda masked: ArrayMap(masked),
        lambda masked: KVCache(masked[None], np.zeros((1, 6, 2))),
        lambda masked: model.padding_mask(masked[0].astype(int), 6),
        lambda masked: QueryKeyMap(np.eye(6), np.eye(6)).weights(masked[0].astype(int)),
        lambda masked: model.rotary(masked, np.arange(6)),
    ],
)
def test_a_masked_array_is_refused(call: Callable[[Any], object]) -> None:
    masked = np.ma.array(np.zeros((6, 6)), mask=~causal_mask(6))
    with pytest.raises(ArrayError, match="is a masked array, whose hidden entries would count: fill them"):
        call(masked)


# ---- Caches ----


@pytest.mark.parametrize(
    ("k", "v", "sentence"),
    [
        (np.zeros((2, 3, 4)), np.zeros((5, 6)), r"v has shape \(5, 6\), but must be \(\.\.\., heads, n, d\)"),
        (np.zeros((2, 3, 4)), np.zeros((2, 5, 4)), r"k has shape \(2, 3, 4\) and v \(2, 5, 4\): all but the last"),
        (np.zeros((2, 3, 4)), np.zeros((3, 3, 4)), "all but the last axis must be the same"),
        (np.full((2, 3, 4), np.nan), np.zeros((2, 3, 4)), "k of shape .* holds nan"),
        (np.zeros((2, 3, 4)), np.full((2, 3, 4), "a"), "v of shape .* holds text"),
    ],
)
def test_a_cache_holds_keys_and_values_that_belong_together(k: Array, v: Array, sentence: str) -> None:
    with pytest.raises(ArrayError, match=sentence):
        KVCache(k, v)
    with pytest.raises(ArrayError):
        KVCache(np.zeros((2, 1, 4)), np.zeros((2, 1, 4))).extended(k, v)


def test_a_cache_cannot_be_written_into_and_has_one_dtype() -> None:
    cache = KVCache(np.zeros((2, 3, 4), np.float32), np.zeros((2, 3, 1)))
    assert cache.k.dtype == cache.v.dtype == np.float64
    assert cache.v.shape == (2, 3, 1)
    assert not cache.k.flags.writeable
    assert not cache.v.flags.writeable


# ---- float32 stays float32 ----


def test_float32_stays_float32_with_positions() -> None:
    encoding = model.sinusoidal_encoding(5, 8, dtype=np.float32)
    np.testing.assert_array_equal(encoding, model.sinusoidal_encoding(5, 8).astype(np.float32))
    learned = model.learned_encoding(5, 8, seed=1, dtype=np.float32)
    np.testing.assert_array_equal(learned, model.learned_encoding(5, 8, seed=1).astype(np.float32))
    bias = alibi_bias(4, 5, dtype=np.float32)
    np.testing.assert_array_equal(bias, alibi_bias(4, 5).astype(np.float32))
    x = random(5, 8).astype(np.float32) + encoding + learned
    assert {array.dtype for array in layer(dtype=np.float32)(x, bias=bias).stages().values()} == {np.dtype(np.float32)}
    with pytest.raises(ArrayError, match="the encoding passes the range of float32"):
        model.learned_encoding(5, 8, seed=1, std=1e300, dtype=np.float32)
    with pytest.raises(ArrayError, match="dtype must be float64, float32 or float16, not int64"):
        alibi_bias(4, 5, dtype=int)


# ---- Ties ----


def test_a_hard_lookup_has_no_gradient_at_a_tie() -> None:
    keys, values = np.eye(2), np.array([[10.0], [20.0]])
    at, beside = np.array([1.0, 1.0]), np.array([1.0, 1.0000001])
    assert model.lookup(at, keys, values, hard=True).output == 10.0
    assert model.lookup(beside, keys, values, hard=True).output == 20.0, "the output jumps"
    assert not model.lookup_gradient(at, keys, values, hard=True).output.any()
    assert model.tied(model.lookup(at, keys, values).scores).sum() == 2
    assert "there is no gradient" in " ".join(str(model.lookup_gradient.__doc__).split())


# ---- Maps as NumPy reads arrays ----

CHOICES: list[Any] = [
    *(0, -1, (0, 2), (slice(None), 2), slice(1, 3), slice(None, None, -2), [1, 3], [], ..., (..., 0), None),
    *((slice(0, 3), [0, 1]), ([0, 1], [2, 3]), (slice(None), slice(None, None, -1)), np.array([[0, 1], [2, 2]])),
    *(np.array([True, False, True, False, False, True]), random(6, 5) > 0, (np.int64(3), -1)),
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_map_is_indexed_as_an_array(choice: Any) -> None:
    map_ = QueryKeyMap(random(6, 3), random(5, 3, seed=1), mask=causal_mask(6, 5))
    expected = map_.weights()[choice]
    assert map_[choice].shape == expected.shape
    np.testing.assert_allclose(map_[choice], expected, rtol=1e-14)


@pytest.mark.parametrize("choice", [6, -7, "a", (0, 0, 0), 1.5, np.ones(3, bool), np.ones((2, 2), bool)], ids=str)
def test_what_is_no_index_is_refused(choice: Any) -> None:
    map_ = QueryKeyMap(random(6, 3), random(5, 3))
    with pytest.raises(ArrayError, match=r"a map of shape \(6, 5\) cannot be indexed by"):
        map_[choice]


def test_a_map_is_read_as_an_array() -> None:
    map_ = QueryKeyMap(random(6, 3), random(5, 3, seed=1))
    weights = map_.weights()
    np.testing.assert_array_equal(np.asarray(map_), weights)
    assert np.asarray(map_, dtype=np.float32).dtype == np.float32
    assert np.array(map_, copy=True).shape == (6, 5)
    assert len(map_) == 6
    np.testing.assert_array_equal(list(map_), weights)
    with pytest.raises(ArrayError, match="copy=False cannot be had"):
        np.array(map_, copy=False)


def test_rows_are_chosen_by_position_and_by_booleans() -> None:
    map_ = QueryKeyMap(random(6, 3), random(5, 3, seed=1), mask=causal_mask(6, 5))
    weights, some = map_.weights(), np.array([True, False, True, False, False, True])
    np.testing.assert_allclose(map_.weights(3), weights[3])
    np.testing.assert_allclose(map_.scores(slice(None), 2), map_.scores()[:, 2])
    assert map_.weights(3, 2) == pytest.approx(weights[3, 2])
    np.testing.assert_allclose(map_.weights(some), weights[some])
    np.testing.assert_array_equal(map_.allowed(1), causal_mask(6, 5)[1])
    np.testing.assert_allclose(map_.row_summary(some).entropy, map_.row_summary().entropy[some])
    assert map_.row_summary(3).entropy == pytest.approx(map_.row_summary().entropy[3])
    for wrong in (np.ones(5, bool), True, 1.0, -1, 6):
        with pytest.raises(ArrayError, match="rows"):
            map_.weights(wrong)


# ---- What a map, a cache and a layer say of themselves ----


def test_names_of_maps_and_caches() -> None:
    q = random(6, 3)
    assert repr(QueryKeyMap(q, q, mask=causal_mask(6))) == "QueryKeyMap(6 × 6, float64, causal)"
    hidden = QueryKeyMap(q, q[:4].astype(np.float32), mask=np.eye(6, 4) > 0, bias=np.zeros((6, 4)), temperature=0.5)
    assert repr(hidden) == "QueryKeyMap(6 × 4, float64, masked, biased, temperature 0.5)"
    assert repr(QueryKeyMap(q, q, hard=True)) == "QueryKeyMap(6 × 6, float64, hard)"
    assert repr(ArrayMap(np.eye(3, dtype=np.float32), mask=causal_mask(3))) == "ArrayMap(3 × 3, float32, masked)"
    assert repr(CombinedMap([ArrayMap(np.eye(3))])) == "CombinedMap(3 × 3, float64)"
    cache = KVCache(np.zeros((2, 3, 4)), np.zeros((2, 3, 5)))
    assert repr(cache) == "KVCache(3 tokens, k (2, 3, 4), v (2, 3, 5), float64)"


# ---- Switches, and weights that are none ----


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda no: scaled_dot_product_attention(np.eye(2), np.eye(2), np.eye(2), hard=no), "hard"),
        (lambda no: attention()(np.eye(8), hard=no), "hard"),
        (lambda no: QueryKeyMap(np.eye(2), np.eye(2), hard=no), "hard"),
        (lambda no: model.lookup([1.0, 0.0], np.eye(2), np.eye(2), hard=no), "hard"),
        (lambda no: model.lookup([1.0, 0.0], np.eye(2), np.eye(2), scaled=no), "scaled"),
        (lambda no: model.lookup_gradient([1.0, 0.0], np.eye(2), np.eye(2), hard=no), "hard"),
        (lambda no: model.lookup_field([1.0], [0.0], np.eye(2), np.eye(2), hard=no), "hard"),
        (lambda no: model.window_mask(4, 2, no), "causal"),
        (lambda no: model.layer_norm([1.0, 2.0], eps_inside_sqrt=no), "eps_inside_sqrt"),
        (lambda no: model.rms_norm([1.0, 2.0], eps_inside_sqrt=no), "eps_inside_sqrt"),
        (lambda no: model.Norm(eps_inside_sqrt=no), "eps_inside_sqrt"),
        (lambda no: model.rollout([np.eye(2)], identity=no), "identity"),
        (lambda no: model.softmax_in_precision([1.0, 2.0], subtract_max=no), "subtract_max"),
        (lambda no: CombinedMap([ArrayMap(np.eye(2))], largest=no), "largest"),
        (lambda no: EncoderLayer(*[np.eye(2)] * 4, w1=np.eye(2), w2=np.eye(2), heads=1, residual=no), "residual"),
        (lambda no: model.StackSetting(residual=no), "StackSetting: residual"),
    ],
)
def test_a_switch_is_no_text(call: Callable[[Any], object], name: str) -> None:
    with pytest.raises(ArrayError, match=f"^{name} must be True or False, not 'no'"):
        call("no")
    call(np.bool_(True))


def test_swapped_weights_and_derivatives_are_refused() -> None:
    with pytest.raises(ArrayError, match="must lie between 0 and 1: are weights and d_weights swapped"):
        model.softmax_reverse(np.array([[3.0, -1.0]]), np.array([[0.2, 0.8]]))


def test_keys_to_show_are_booleans() -> None:
    shown = model.RenormalisedMap(ArrayMap(np.eye(2)), [True, False])
    np.testing.assert_array_equal(shown.weights(), [[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ArrayError, match=r"shown of shape .* must be boolean"):
        model.RenormalisedMap(ArrayMap(np.eye(2)), [1, 0])


@pytest.mark.parametrize(
    "make",
    [
        lambda text: model.initial_gain(text, 4, 4),
        lambda text: model.ScoreSetting(gain=text).gain_number,
        lambda text: model.StackSetting(initialiser=text).initialiser,
    ],
)
def test_rules_are_taken_as_text(make: Callable[[Any], object]) -> None:
    for rule in model.Initialiser:
        assert make(rule.value) == make(rule)
    with pytest.raises(ArrayError, match="not 'large'"):
        make("large")


def test_no_argument_is_changed_or_kept_writeable() -> None:
    weights = [random(8, 8, seed=seed) for seed in range(4)]
    before = [each.copy() for each in weights]
    x = random(2, 5, 8)
    x.flags.writeable = False
    mha = MultiHeadAttention(*weights, 4)
    trace = mha(x)
    model.attention_reverse(mha, trace, np.ones((2, 5, 8)))
    model.attend_with_cache(mha, x)
    for each, old in zip(weights, before, strict=True):
        np.testing.assert_array_equal(each, old)
    assert not mha.w_q.flags.writeable
