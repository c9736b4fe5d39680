"""The numbers of the Heads page: against the tutorials' printed numbers, and against attention written out in loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, can_roll_out, head_name, heads_frame, heads_in, heads_on
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, MaskChoice, MaskKind
from attention_explorer.sources.hand_made import hand_made_heads
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

TRANSLATION = HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat")
STACKED = ToyRecipe(sentence="a b c d e", d_model=16, heads=4, layers=3)
STRICT = MaskChoice(MaskKind.STRICT)


def tutorial(identifier: str) -> HeadsFrame:
    return heads_frame(heads_preset(identifier).state.setup)


def by_hand(frame: HeadsFrame, layer: int, head: int) -> np.ndarray:
    """Compute the weights of a head with the textbook's loops, from its queries and keys."""
    q, k = frame.layers[layer].q[head], frame.layers[layer].k[head]
    setup, weights = frame.setup, np.zeros(frame.shape)
    for i in range(len(q)):
        scores = []
        for j in range(len(k)):
            score = sum(float(a) * float(b) for a, b in zip(q[i], k[j], strict=True))
            score = score / math.sqrt(len(q[i])) if setup.scaled else score
            allowed = frame.mask is None or bool(frame.mask[i, j])
            scores.append(score / setup.temperature if allowed else -math.inf)
        largest = max(scores)
        if largest > -math.inf:
            exponentials = [math.exp(score - largest) for score in scores]
            weights[i] = [part / sum(exponentials) for part in exponentials]
    return weights


# ---- The tutorials' numbers ----

FIVE_TOKENS = [
    [0.091, 0.382, 0.192, 0.193, 0.142],
    [0.470, 0.069, 0.161, 0.172, 0.127],
    [0.161, 0.148, 0.367, 0.156, 0.168],
    [0.251, 0.165, 0.150, 0.248, 0.185],
    [0.299, 0.120, 0.311, 0.075, 0.195],
]
FOUR_TOKENS = [
    [0.235, 0.264, 0.246, 0.255],
    [0.257, 0.235, 0.244, 0.265],
    [0.268, 0.243, 0.254, 0.235],
    [0.242, 0.259, 0.248, 0.251],
]
THREE_TOKENS = [[0.334, 0.333, 0.333], [0.335, 0.326, 0.339], [0.334, 0.330, 0.337]]


@pytest.mark.parametrize(
    ("identifier", "printed"),
    [("five-token", FIVE_TOKENS), ("four-token", FOUR_TOKENS), ("three-token", THREE_TOKENS)],
)
def test_one_head_has_the_printed_numbers(identifier: str, printed: list[list[float]]) -> None:
    np.testing.assert_allclose(tutorial(identifier).map.weights(), printed, rtol=0, atol=0.000_51)


def test_the_five_tokens_are_those_of_numpys_seed_42() -> None:
    stream = np.random.RandomState(42)
    x = stream.randn(5, 8)
    w_q, w_k = (stream.randn(8, 8) * 0.3 for _ in range(2))
    scaled = (x @ w_q) @ (x @ w_k).T / np.sqrt(8)
    frame = tutorial("five-token")
    np.testing.assert_allclose(frame.map.scores(stage=Stage.SCALED), scaled, rtol=1e-12)
    assert scaled.std() == pytest.approx(0.487, abs=0.0005)
    exponentials = np.exp(scaled)
    np.testing.assert_allclose(frame.map.weights(), exponentials / exponentials.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize(
    ("head", "printed"),
    [
        (0, [0.807, 0.000, 0.186, 0.000, 0.001, 0.006]),
        (1, [0.000, 0.999, 0.000, 0.000, 0.000, 0.001]),
        (2, [0.064, 0.156, 0.000, 0.000, 0.777, 0.002]),
    ],
)
def test_the_eight_heads_have_the_printed_first_rows(head: int, printed: list[float]) -> None:
    setup = replace(heads_preset("multi-head").state.setup, head=head)
    frame = heads_frame(setup)
    assert frame.heads == 8
    np.testing.assert_allclose(frame.map.weights()[0], printed, rtol=0, atol=0.000_51)


def test_the_pipeline_has_the_printed_norms() -> None:
    frame = tutorial("pipeline")
    layer = frame.layers[0]
    before = np.linalg.norm(layer.x, axis=1)
    np.testing.assert_allclose(before, [6.24, 7.10, 7.07, 7.63, 6.26, 6.39], rtol=0, atol=0.0051)
    assert layer.attention is not None
    mixed = np.hstack([by_hand(frame, 0, head) @ layer.v[head] for head in range(8)]) @ layer.attention.w_o
    after = np.linalg.norm(mixed, axis=1)
    np.testing.assert_allclose(after, [36.72, 32.60, 38.34, 32.56, 30.44, 34.79], rtol=0, atol=0.0051)
    scaled = np.array([map_.scores(stage=Stage.SCALED) for map_ in layer.maps])
    assert scaled.std() == pytest.approx(3.77, abs=0.005)


def test_it_attends_as_in_the_tutorials_table() -> None:
    frame = tutorial("hand-made")
    assert frame.keys == ("The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "soft")
    hundredths = [2, 8, 3, 1, 1, 72, 3, 5, 3, 2]
    np.testing.assert_allclose(frame.map.weights()[7] * 100, hundredths, rtol=1e-12)


# ---- Any setup ----


@st.composite
def setups(draw: st.DrawFn) -> HeadsSetup:
    recipe: ToyRecipe | HandMadeRecipe = ToyRecipe(
        sentence=" ".join(draw(st.lists(st.sampled_from(["cat", "sat", "it", "."]), min_size=1, max_size=6))),
        context=draw(st.sampled_from([None, "le chat noir"])),
        d_model=8,
        heads=draw(st.sampled_from([1, 2, 4])),
        layers=draw(st.integers(1, 2)),
        seed=draw(st.integers(0, 5)),
    )
    if draw(st.booleans()):
        recipe = HandMadeRecipe(recipe.sentence, recipe.context)
    cells = st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6)
    hidden, shown = draw(cells), draw(cells)
    return HeadsSetup(
        recipe,
        MaskChoice(draw(st.sampled_from(list(MaskKind))), draw(st.integers(1, 5)), hidden - shown, shown),
        scaled=draw(st.booleans()),
        temperature=draw(st.sampled_from([0.3, 1.0, 4.0])),
        layer=draw(st.integers(0, 3)),
        head=draw(st.integers(0, 9)),
    )


@given(setups())
@settings(max_examples=60, deadline=None)
def test_weights_are_those_of_the_textbook(setup: HeadsSetup) -> None:
    frame = heads_frame(setup)
    np.testing.assert_allclose(frame.map.weights(), by_hand(frame, frame.layer, frame.head), rtol=1e-9, atol=1e-12)


@given(setups(), st.sampled_from(list(Aggregate)), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_rows_sum_to_1_or_0_and_what_is_masked_is_exactly_0(
    setup: HeadsSetup, aggregate: Aggregate, hard: bool, identity: bool
) -> None:
    frame = heads_frame(replace(setup, aggregate=aggregate, hard=hard, identity=identity))
    weights = frame.map.weights()
    assert weights.shape == frame.shape == (len(frame.queries), len(frame.keys))
    assert np.isfinite(weights).all()
    sums = weights.sum(axis=1)
    seen = np.ones(frame.shape, bool) if frame.mask is None else frame.mask
    is_sum = (np.abs(sums - 1.0) < 1e-9) | (sums == 0.0)
    if frame.rows_are_distributions:
        assert is_sum.all()
    elif frame.aggregate is Aggregate.MAX:
        assert (sums[seen.any(axis=1)] >= 1.0 - 1e-9).all()
    else:
        assert frame.aggregate is Aggregate.ROLLOUT
        assert not is_sum.all()
    if frame.aggregate is not Aggregate.ROLLOUT:
        assert (weights[~seen] == 0.0).all()
        np.testing.assert_array_equal(sums > 0, seen.any(axis=1))
        np.testing.assert_array_equal(frame.map.allowed(), seen)


def test_the_first_row_of_the_strict_causal_mask_is_empty() -> None:
    frame = heads_frame(HeadsSetup(mask=STRICT))
    weights = frame.map.weights()
    np.testing.assert_array_equal(weights[0], np.zeros(len(frame.keys)))
    np.testing.assert_allclose(weights[1:].sum(axis=1), 1.0)
    np.testing.assert_array_equal(np.triu(weights), np.zeros(frame.shape))
    assert np.isneginf(frame.map.scores(stage=Stage.MASKED)[np.triu_indices(len(frame.keys))]).all()


def test_a_hard_lookup_takes_the_best_key_and_the_first_of_equals() -> None:
    frame = heads_frame(HeadsSetup(hard=True))
    scores = frame.map.scores(stage=Stage.SCALED)
    expected = np.zeros(frame.shape)
    expected[np.arange(len(scores)), scores.argmax(axis=1)] = 1.0
    np.testing.assert_array_equal(frame.map.weights(), expected)
    tied = heads_frame(HeadsSetup(HandMadeRecipe(), head=3, hard=True)).map.weights()
    np.testing.assert_array_equal(tied[0], [1.0] + [0.0] * 9, "all scores of “The” are 0")
    np.testing.assert_array_equal(tied[7], [0.0] * 5 + [1.0] + [0.0] * 4)


def test_a_sentence_of_one_token() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="cat")))
    assert frame.shape == (1, 1)
    np.testing.assert_array_equal(frame.map.weights(), [[1.0]])
    np.testing.assert_array_equal(heads_frame(replace(frame.setup, mask=STRICT)).map.weights(), [[0.0]])
    for aggregate in Aggregate:
        np.testing.assert_allclose(heads_frame(replace(frame.setup, aggregate=aggregate)).map.weights(), [[1.0]])


def test_two_sentences_make_a_map_that_is_not_square() -> None:
    frame = heads_frame(HeadsSetup(TRANSLATION, head=2))
    assert frame.is_cross
    assert frame.shape == frame.map.weights().shape == (7, 6)
    assert frame.queries == ("le", "chat", "s'est", "assis", "sur", "le", "tapis")
    assert frame.keys == ("The", "cat", "sat", "on", "the", "mat")
    toy = heads_frame(HeadsSetup(ToyRecipe(TRANSLATION.sentence, TRANSLATION.context)))
    np.testing.assert_allclose(toy.map.weights(), by_hand(toy, 0, 0), rtol=1e-9)
    assert not heads_frame(HeadsSetup()).is_cross


# ---- Layers and several heads in one ----


def matrices(frame: HeadsFrame, layer: int, heads: tuple[int, ...] = (0, 1, 2, 3)) -> np.ndarray:
    return np.stack([by_hand(frame, layer, head) for head in heads])


@pytest.mark.parametrize(("off", "on"), [((), (0, 1, 2, 3)), ((0, 2), (1, 3)), ((0, 1, 2, 3), (0, 1, 2, 3))])
def test_mean_and_largest_are_of_the_heads_that_are_on(off: tuple[int, ...], on: tuple[int, ...]) -> None:
    switched_off = frozenset({(1, head) for head in off} | {(0, 3)})
    setup = HeadsSetup(STACKED, layer=1, switched_off=switched_off)
    mean, largest = (heads_frame(replace(setup, aggregate=kind)) for kind in (Aggregate.MEAN, Aggregate.MAX))
    expected = matrices(mean, 1, on)
    np.testing.assert_allclose(mean.map.weights(), sum(expected) / len(on), rtol=1e-9)
    np.testing.assert_allclose(largest.map.weights(), np.maximum.reduce(expected), rtol=1e-9)
    assert heads_on(setup, 4, 1) == on
    assert heads_in(setup, mean.layers, 1) == tuple(mean.layers[1].maps[head] for head in on)
    assert not mean.is_one_head
    assert not mean.map.has_scores
    assert mean.rows_are_distributions
    assert not largest.rows_are_distributions


def test_the_largest_of_one_head_is_that_head() -> None:
    setup = HeadsSetup(STACKED, aggregate=Aggregate.MAX, switched_off=frozenset({(0, 0), (0, 2), (0, 3)}))
    frame = heads_frame(setup)
    np.testing.assert_array_equal(frame.map.weights(), frame.layers[0].maps[1].weights())
    assert frame.rows_are_distributions


@pytest.mark.parametrize("identity", [True, False])
@pytest.mark.parametrize("kind", [MaskKind.NONE, MaskKind.CAUSAL])
def test_a_rollout_multiplies_the_layers_the_last_one_leftmost(identity: bool, kind: MaskKind) -> None:
    setup = HeadsSetup(STACKED, MaskChoice(kind), aggregate=Aggregate.ROLLOUT, identity=identity)
    frame = heads_frame(setup)
    rolled = np.eye(5)
    for layer in (2, 1, 0):
        mean = matrices(frame, layer).mean(axis=0)
        rolled = rolled @ (0.5 * mean + 0.5 * np.eye(5) if identity else mean)
    np.testing.assert_allclose(frame.map.weights(), rolled, rtol=1e-9)
    np.testing.assert_allclose(frame.map.weights().sum(axis=1), 1.0)
    assert frame.rows_are_distributions


def test_the_identity_matters_and_keeps_more_on_the_diagonal() -> None:
    with_it, without = (
        heads_frame(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT, identity=identity)).map.weights()
        for identity in (True, False)
    )
    assert np.trace(with_it) > np.trace(without) + 0.3


def test_a_rollout_leaves_out_the_heads_that_are_off() -> None:
    off = frozenset({(0, 0), (0, 1), (2, 3)})
    frame = heads_frame(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT, identity=False, switched_off=off))
    on = ((2, 3), (0, 1, 2, 3), (0, 1, 2))
    first, second, third = (matrices(frame, layer, on[layer]).mean(axis=0) for layer in range(3))
    np.testing.assert_allclose(frame.map.weights(), third @ second @ first, rtol=1e-9)


def test_a_rollout_of_two_sentences_is_the_mean_and_says_so() -> None:
    rolled = heads_frame(HeadsSetup(TRANSLATION, aggregate=Aggregate.ROLLOUT))
    mean = heads_frame(HeadsSetup(TRANSLATION, aggregate=Aggregate.MEAN))
    assert not can_roll_out(rolled.layers)
    assert rolled.aggregate is Aggregate.MEAN
    assert rolled.setup.aggregate is Aggregate.ROLLOUT, "the wish stays"
    np.testing.assert_array_equal(rolled.map.weights(), mean.map.weights())
    assert heads_frame(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT)).aggregate is Aggregate.ROLLOUT


def test_a_rollout_past_an_empty_row_loses_weight_and_says_so() -> None:
    frame = heads_frame(HeadsSetup(STACKED, STRICT, aggregate=Aggregate.ROLLOUT))
    assert frame.map.weights()[0].sum() == pytest.approx(0.125)  # ½ of the token passes by each of three layers
    assert not frame.rows_are_distributions


# ---- Wish and possibility ----


@pytest.mark.parametrize(("layer", "head"), [(11, 99), (2, 4), (99, 0), (0, 99)])
def test_a_layer_or_head_that_is_not_there_is_held_within(layer: int, head: int) -> None:
    wish = HeadsSetup(STACKED, layer=layer, head=head)
    frame = heads_frame(wish)
    assert (frame.layer, frame.head) == (min(layer, 2), min(head, 3))
    assert frame.setup is wish
    assert (frame.setup.layer, frame.setup.head) == (layer, head), "the wish stays"
    possible = heads_frame(replace(wish, layer=frame.layer, head=frame.head))
    np.testing.assert_array_equal(frame.map.weights(), possible.map.weights())
    assert frame.head_map is frame.map is frame.layers[frame.layer].maps[frame.head]


def test_the_wish_counts_again_where_it_is_possible() -> None:
    wish = HeadsSetup(STACKED, layer=2, head=3)
    shallow = heads_frame(replace(wish, recipe=replace(STACKED, layers=1, heads=2)))
    assert (shallow.layer, shallow.head) == (0, 1)
    again = heads_frame(replace(shallow.setup, recipe=STACKED))
    assert (again.layer, again.head) == (2, 3)


def test_a_recipe_that_cannot_be_cooked_is_refused_in_words() -> None:
    with pytest.raises(ExplorerError, match="divide"):
        heads_frame(HeadsSetup(ToyRecipe(d_model=10, heads=4)))
    with pytest.raises(ExplorerError, match="seed must be"):
        heads_frame(HeadsSetup(ToyRecipe(seed=-1)))


@pytest.mark.parametrize(
    ("wished", "held"), [(0.0, LOWEST_TEMPERATURE), (-3.0, LOWEST_TEMPERATURE), (0.5, 0.5), (1e9, HIGHEST_TEMPERATURE)]
)
def test_temperature_is_held_within_its_range(wished: float, held: float) -> None:
    assert HeadsSetup().with_temperature(wished) == HeadsSetup(temperature=held)


def test_a_temperature_of_nothing_is_refused() -> None:
    with pytest.raises(ExplorerError, match="temperature needs a number"):
        HeadsSetup().with_temperature(math.nan)


def test_shares_of_the_state_are_changed_alone() -> None:
    state = HeadsState()
    assert state.with_setup(head=3) == replace(state, setup=replace(state.setup, head=3))
    assert state.with_view(row=2) == replace(state, view=replace(state.view, row=2))
    assert state.with_recipe(seed=7).setup == replace(state.setup, recipe=ToyRecipe(seed=7))


# ---- States and caching ----


def test_states_are_values() -> None:
    painted = MaskChoice(MaskKind.BLOCK, 2, frozenset({(0, 1)}))
    one, same = (HeadsState(HeadsSetup(STACKED, painted), other=HeadsSetup(TRANSLATION)) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same, one.with_view(row=1), HeadsState()}) == 3


def test_equal_setups_share_a_frame() -> None:
    frame = heads_frame(HeadsSetup(STACKED))
    assert heads_frame(HeadsSetup(replace(STACKED))) is frame
    assert heads_frame(HeadsSetup(STACKED, scaled=False)) is not frame


def test_another_focus_shares_the_layers() -> None:
    frame = heads_frame(HeadsSetup(STACKED))
    for change in ({"head": 2}, {"layer": 1}, {"aggregate": Aggregate.MAX}, {"switched_off": frozenset({(0, 0)})}):
        other = heads_frame(replace(frame.setup, **change))
        assert other is not frame
        assert other.layers is frame.layers
    assert heads_frame(replace(frame.setup, temperature=2.0)).layers is not frame.layers


# ---- Names ----


def test_heads_are_counted_from_1_and_named_where_they_were_made_by_hand() -> None:
    assert head_name(heads_frame(HeadsSetup()), 0, 3) == "head 4"
    assert head_name(heads_frame(HeadsSetup(STACKED)), 2, 0) == "layer 3, head 1"
    for recipe in (HandMadeRecipe(), TRANSLATION):
        frame = heads_frame(HeadsSetup(recipe))
        names = [head_name(frame, 0, head) for head in range(frame.heads)]
        assert names == [head.name for head in hand_made_heads(recipe)]
    assert head_name(heads_frame(HeadsSetup(TRANSLATION)), 0, 2) == "translation"


def test_d_k_is_the_width_of_a_query() -> None:
    assert heads_frame(HeadsSetup()).head_width == 64 // 8
    assert heads_frame(HeadsSetup(ToyRecipe(d_model=8, heads=2, d_k=3))).head_width == 3
