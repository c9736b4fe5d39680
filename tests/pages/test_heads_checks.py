"""The experiments of the Heads page: their numbers against other ways to compute them, and what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_explorer.core.numerals import size_text, weight_text
from attention_explorer.core.shuffle import compared, shuffled_order
from attention_explorer.errors import ExplorerError
from attention_explorer.model import (
    MaskFill,
    MultiHeadAttention,
    Stage,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)
from attention_explorer.pages.heads.check_heads import reshape_check, reshape_report, symmetry_check, symmetry_report
from attention_explorer.pages.heads.check_layer import (
    change_check,
    change_report,
    shuffle_check,
    shuffle_report,
    token_function,
)
from attention_explorer.pages.heads.check_report import MOST_LISTED, CheckTable, Form, listed_rows
from attention_explorer.pages.heads.check_row import (
    MaskDemo,
    Precision,
    demo_check,
    demo_report,
    mask_check,
    mask_report,
)
from attention_explorer.pages.heads.checks import (
    carry_out,
    check_numbers,
    check_stream,
    essence,
    needs_asking,
    token_to_change,
)
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.parts import Check, Experiment
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, MaskChoice, MaskKind
from attention_explorer.pages.heads.verdict import Kind, spread_of, verdict
from attention_explorer.pages.heads.wording import source_words
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
CAUSAL = MaskChoice(MaskKind.CAUSAL)


def setup_of(preset: str, **changes: object) -> HeadsSetup:
    return replace(heads_preset(preset).state.setup, **changes)


def frame_of(preset: str, **changes: object):
    return heads_frame(setup_of(preset, **changes))


def frame_with(**recipe: object):
    """A frame of the toy model with a recipe of its own."""
    return heads_frame(HeadsSetup(ToyRecipe(**recipe)))


def many_tokens(count: int) -> str:
    return " ".join(f"w{i}" for i in range(count))


# ---- Shuffle ----


def test_without_mask_and_encoding_the_multi_head_preset_is_equivariant_and_not_invariant():
    found = shuffle_check(frame_of("multi-head"), (5, 4, 3, 2, 1, 0)).at_present
    assert found.error < 1e-13
    assert found.moved == pytest.approx(17.051415, abs=1e-6)
    assert found.pooled < 1e-13
    assert found.is_equivariant


@pytest.mark.parametrize("preset", ["multi-head", "five-token", "four-token"])
def test_encoding_and_causal_mask_each_make_the_order_matter(preset):
    check = shuffle_check(frame_of(preset), shuffled_order(len(frame_of(preset).queries), 0))
    (plain, causal), (encoded, both) = check.found
    assert check.masks == ("no mask", "causal")
    assert check.encodings == ("no encoding", "encoding")
    assert plain.error < 1e-13
    assert min(causal.error, both.error) > 0.1
    assert encoded.error > 1e-3  # little where the weights are nearly even
    assert min(causal.pooled, encoded.pooled, both.pooled) > 1e-4
    assert plain.pooled < 1e-13


def test_f_is_multi_head_attention_of_the_embeddings():
    frame = frame_of("multi-head", mask=CAUSAL)
    function = token_function(frame)
    layer = frame.layers[0]
    assert layer.attention is not None
    expected = layer.attention(layer.x, mask=causal_mask(6)).output
    np.testing.assert_allclose(function.at_present(function.x, None), expected, atol=1e-12)


@pytest.mark.parametrize("context", [None, "le chat est sur le tapis"])
def test_through_several_layers_f_is_what_the_source_computes(context):
    recipe = ToyRecipe(d_model=16, heads=2, layers=3, encoding=Encoding.SINUSOIDAL, context=context)
    frame = heads_frame(HeadsSetup(recipe, mask=CAUSAL, layer=2, temperature=0.7, scaled=False))
    function = token_function(frame)
    layer = frame.layers[2]
    assert layer.attention is not None
    expected = layer.attention(
        layer.x, None if context is None else layer.context, mask=frame.mask, scale=1.0, temperature=0.7
    ).output
    np.testing.assert_allclose(function.at_present(function.x, function.context), expected, atol=1e-12)


def test_the_present_setup_is_marked_in_the_table():
    recipe = replace(setup_of("multi-head").recipe, encoding=Encoding.SINUSOIDAL)
    frame = heads_frame(HeadsSetup(recipe, mask=CAUSAL))
    check = shuffle_check(frame, shuffled_order(6, 3))
    assert check.present == (1, 1)
    table = shuffle_report(frame, shuffled_order(6, 3)).tables[0]
    assert (table.marked_row, table.marked_column) == (1, 2)
    assert table.rows[1][2] == check.at_present.error


def test_any_other_mask_gets_a_column_of_its_own():
    frame = frame_of("random-words", mask=MaskChoice(MaskKind.WINDOW, 2))
    check = shuffle_check(frame, shuffled_order(11, 0))
    assert check.masks == ("no mask", "causal", "this mask")
    assert check.present == (0, 2)
    assert check.at_present.error > 0.1


def test_a_hand_made_head_moves_with_its_tokens():
    check = shuffle_check(frame_of("hand-made"), shuffled_order(10, 0))
    assert check.encodings == ("as made",)
    assert check.at_present.error < 1e-13
    assert check.found[0][1].error > 0.1


def test_across_two_sentences_only_the_queries_move():
    frame = frame_of("translation")
    order = shuffled_order(7, 1)
    found = shuffle_check(frame, order).at_present
    np.testing.assert_allclose(found.shuffled, frame.head_map.weights()[list(order)], atol=1e-15)
    assert found.error < 1e-13
    assert "Only the queries" in shuffle_report(frame, order).notes[0]


def test_an_error_is_the_largest_distance_between_the_rows_of_f_px_and_p_f_x():
    weights = np.arange(1.0, 5.0)[:, None]
    found = compared(lambda x: weights * x, np.array([[1.0], [2.0], [3.0], [5.0]]), (1, 0, 2, 3))
    assert found.of_shuffled.ravel().tolist() == [2.0, 2.0, 9.0, 20.0]
    assert found.shuffled.ravel().tolist() == [4.0, 1.0, 9.0, 20.0]
    assert (found.error, found.moved, found.pooled) == (2.0, 2.0, 0.25)
    assert not found.is_equivariant


# Computed with mpmath at 50 digits; the output of the shuffled tokens.
PERMUTATION = {
    "X": "1.239 .146 .026 1.363 .369 .792 .114 -.705 -.427 1.452 .777 -.9 1.581 -.155 1.677 .673",
    "W_q": "-.737 .779 .346 -.36 -.841 -1.07 .818 .162 -.247 -.876 -2.408 -.664 .57 -.237 .646 -.482",
    "W_k": "-.996 -.284 -1.684 .679 -.98 .266 .875 .105 .587 -.36 .793 -1.079 .002 1.021 -3.107 -2.071",
    "W_v": ".194 .866 -.668 -.18 -.745 .661 -.882 -.957 -.51 -2.459 2.666 -.396 -.297 2.023 .728 -1.817",
    "output of permuted": "-.38916364793976305 2.223287725758184 1.2189203337654986 -2.5492076718581442 "
    "-1.2097593655323344 -2.9227682175444394 .33470025028898254 .016115337561064494 "
    "-.2909936528684721 3.7930133185710178 .15649016548664418 -2.8388311384092497 "
    "-.6501893074907886 -.7934509003259974 .1991694122423408 -.5766485374200979",
}
REFERENCE_ORDER = (2, 0, 3, 1)
REFERENCE_CAUSAL_ERROR = 6.983305276720736


def matrix(name: str):
    return np.array([float(number) for number in PERMUTATION[name].split()]).reshape(4, 4)


def test_reference_permutation():
    attention = MultiHeadAttention(matrix("W_q"), matrix("W_k"), matrix("W_v"), np.eye(4), 1)
    free = compared(lambda x: attention(x).output, matrix("X"), REFERENCE_ORDER)
    np.testing.assert_allclose(free.of_shuffled, matrix("output of permuted"), rtol=1e-10)
    np.testing.assert_allclose(free.shuffled, matrix("output of permuted"), rtol=1e-10)
    assert free.error < 1e-13
    causal = compared(lambda x: attention(x, mask=causal_mask(4)).output, matrix("X"), REFERENCE_ORDER)
    assert causal.error == pytest.approx(REFERENCE_CAUSAL_ERROR, rel=1e-10)


@given(count=st.integers(2, 30), seed=st.integers(0, 1000))
def test_a_shuffled_order_has_every_token_once_and_is_another_one(count, seed):
    order = shuffled_order(count, seed)
    assert sorted(order) == list(range(count)) != list(order)
    assert order == shuffled_order(count, seed)


def test_orders_that_are_none_are_refused():
    with pytest.raises(ExplorerError, match="at least two tokens"):
        shuffled_order(1, 0)
    with pytest.raises(ExplorerError, match="An order of 6 tokens"):
        shuffle_check(frame_of("multi-head"), (0, 1, 2, 3, 4, 4))


# ---- S and Sᵀ ----


def test_five_tokens_do_not_attend_mutually():
    check = symmetry_check(frame_of("five-token"))
    assert check.pair == (0, 1)
    assert check.weights == pytest.approx((0.382, 0.470), abs=5e-4)
    assert check.score_gap == pytest.approx(0.961, abs=5e-4)
    assert check.tied_score_gap < 1e-14
    assert check.tied_weight_gap > 0.1
    report = symmetry_report(frame_of("five-token"))
    assert (
        report.result
        == "max |S − Sᵀ| = 0.961, so attention is not mutual. For example The → cat 0.382, cat → The 0.470."
    )


def test_the_gaps_are_those_of_the_whole_matrices():
    frame = frame_of("multi-head", head=3)
    q, k = frame.layers[0].q[3], frame.layers[0].k[3]
    check = symmetry_check(frame, 4)
    scores, tied = q @ k.T / np.sqrt(8), q @ q.T / np.sqrt(8)
    weights = softmax(scores)
    assert check.score_gap == pytest.approx(np.abs(scores - scores.T).max())
    assert check.weight_gap == pytest.approx(np.abs(weights - weights.T).max())
    assert check.tied_weight_gap == pytest.approx(np.abs(softmax(tied) - softmax(tied).T).max())
    there, back = check.pair, check.pair[::-1]
    assert there[0] == 4
    assert weights[there] == max(weight for key, weight in enumerate(weights[4]) if key != 4)
    assert check.scores == pytest.approx((scores[there], scores[back]))
    assert check.weights == pytest.approx((weights[there], weights[back]))


def test_with_tied_projections_the_scores_are_symmetric_and_the_weights_are_not():
    recipe = replace(setup_of("five-token").recipe, projections=Projections.TIED)
    frame = heads_frame(HeadsSetup(recipe))
    check = symmetry_check(frame)
    assert check.is_symmetric
    assert check.score_gap == pytest.approx(check.tied_score_gap, abs=1e-14)
    assert check.weight_gap == check.tied_weight_gap > 0.01
    assert symmetry_report(frame).result.startswith("S is symmetric, but the weights differ: ")


def test_under_a_causal_mask_the_example_is_a_pair_that_can_be_seen():
    check = symmetry_check(frame_of("causal"))
    assert check.pair == (1, 0)
    assert check.weights[0] > 0.0 == check.weights[1]
    assert "hides some pairs one way only" in symmetry_report(frame_of("causal")).notes[1]


def test_the_hand_made_example_is_the_row_that_differs():
    frame = frame_of("hand-made")
    assert frame.queries[symmetry_check(frame).pair[0]] == "it"
    assert "though this pair weighs the same both ways" in symmetry_report(frame, 0).result


def test_the_same_word_twice_is_told_apart_by_its_place_and_long_ones_are_cut():
    same = symmetry_report(frame_with(sentence="cat cat"), 0)
    assert "cat (1) → cat (2)" in same.result
    long = symmetry_report(frame_with(sentence="antidisestablishmentarianism is", seed=1), 0)
    assert long.tables[0].rows[0][0] == "antidisesta… → is"


@pytest.mark.parametrize(
    ("frame", "message"), [("translation", "only be compared in self-attention"), ("one", "two tokens")]
)
def test_without_a_way_back_there_is_nothing_to_compare(frame, message):
    shown = frame_with(sentence="cat") if frame == "one" else frame_of(frame)
    with pytest.raises(ExplorerError, match=message):
        symmetry_check(shown)


# ---- Reshape ----


@pytest.mark.parametrize("mask", [MaskChoice(), CAUSAL])
def test_the_transpose_makes_the_difference(mask):
    frame = frame_of("multi-head", mask=mask)
    check = reshape_check(frame)
    layer = frame.layers[0]
    attention = layer.attention
    assert attention is not None
    assert check.reshaped < 1e-13
    cut = [(layer.x @ w).reshape(8, 6, 8) for w in (attention.w_q, attention.w_k, attention.w_v)]
    mixed = scaled_dot_product_attention(*cut, mask=frame.mask).output
    wrong = np.concatenate(list(mixed), axis=1) @ attention.w_o
    expected = np.abs(wrong - attention(layer.x, mask=frame.mask).output).max()
    assert check.buggy == pytest.approx(expected)
    assert check.buggy > 10.0
    assert check.multiplications == 3 * 6 * 64 * 64
    assert "wrong by" in reshape_report(frame).result


def test_with_one_head_there_is_nothing_to_mix_up():
    check = reshape_check(frame_of("five-token"))
    assert check.buggy < 1e-14
    assert reshape_report(frame_of("five-token")).result.startswith("With one head there is nothing to mix up")


def test_hand_made_heads_have_nothing_to_reshape():
    with pytest.raises(ExplorerError, match="no projections"):
        reshape_check(frame_of("hand-made"))


# ---- Masking ----


def test_an_ordinary_row_is_the_same_for_all_ways_but_zeroing_afterwards():
    frame = frame_of("multi-head", mask=CAUSAL)
    check = mask_check(frame)
    assert check.name == "“the” (5)"
    assert check.visible.tolist() == [True] * 5 + [False]
    np.testing.assert_allclose(check.weights[0], frame.head_map.weights()[4], atol=1e-15)
    assert (check.weights[1] == check.weights[0]).all()
    assert (check.weights[2] == check.weights[0]).all()
    unmasked = frame_of("multi-head").head_map.weights()[4]
    np.testing.assert_allclose(check.weights[3], unmasked * check.visible)
    assert check.sums[:3] == pytest.approx((1.0, 1.0, 1.0))
    assert check.sums[3] == pytest.approx(unmasked[:5].sum())
    assert check.sums[3] < 0.3
    names = [row[0] for row in mask_report(frame).tables[0].rows]
    assert names == ["row sum", "max diff.", "1  The", "2  cat", "3  sat", "4  on", "5  the", "6 × mat"]
    assert check.gaps[:3] == (0.0, 0.0, 0.0)
    assert check.gaps[3] == pytest.approx(np.abs(check.weights[3] - check.weights[0]).max())


@pytest.mark.parametrize("preset", ["five-token", "multi-head", "causal", "pipeline"])
def test_zeroing_afterwards_leaves_less_than_a_whole(preset):
    frame = frame_of(preset, mask=CAUSAL)
    hiding = range(len(frame.queries) - 1)
    assert all(mask_check(frame, row).sums[3] < 1.0 for row in hiding)


def test_reference_leak():
    check = demo_check(MaskDemo.LOW_SCORE)
    leak = REFERENCE["mask_fill"]["leak_demo"]
    assert check.scores.tolist() == leak["scores"]
    assert check.visible.tolist() == [bool(seen) for seen in leak["mask_1_visible"]]
    assert check.weights[0].tolist() == leak["minus_inf_fill"]
    assert check.weights[1].tolist() == leak["minus_1e9_fill_where"]
    assert demo_report(MaskDemo.LOW_SCORE).result.startswith("−1e9 puts 100 % of the weight on the masked key")


def test_a_fully_masked_row_is_uniform_with_a_large_number_and_empty_with_infinity():
    check = demo_check(MaskDemo.FULLY_MASKED)
    assert not check.visible.any()
    assert check.weights[0].tolist() == [0.0] * 4
    assert check.weights[1].tolist() == [0.25] * 4
    np.testing.assert_allclose(check.weights[2], softmax(check.scores), atol=1e-6)  # as if there were no mask
    assert demo_report(MaskDemo.FULLY_MASKED).result.startswith("−1e9 gives each of the 4 forbidden keys 0.25")


def test_adding_in_float32_loses_the_scores():
    check = demo_check(MaskDemo.ADDED_FLOAT32)
    assert check.weights.dtype == np.float32
    assert check.weights[2].tolist() == [0.25] * 4
    assert "makes all 4 weights 0.25" in demo_report(MaskDemo.ADDED_FLOAT32).result


def test_an_example_is_computed_in_the_precision_that_is_chosen():
    full, half = (demo_report(MaskDemo.FULLY_MASKED, precision) for precision in (Precision.FLOAT64, Precision.FLOAT16))
    assert "A plain softmax gives NaN for −∞ here (−∞ − (−∞))" in full.notes[0]
    with np.errstate(invalid="ignore"):
        nothing = np.full(4, -np.inf)
        powers = np.exp(nothing - nothing.max())
    assert np.isnan(powers / powers.sum()).all()
    assert full.result == "−1e9 gives each of the 4 forbidden keys 0.25; −∞ gives them 0."
    assert half.result == "In float16 −1e9 makes all 4 weights NaN; −∞ gives them 0."
    assert np.isnan(demo_check(MaskDemo.FULLY_MASKED, Precision.FLOAT16).weights[1]).all()
    assert not demo_check(MaskDemo.FULLY_MASKED, Precision.FLOAT16).weights[0].any()
    assert "in float16" in half.notes[0]
    low = demo_report(MaskDemo.LOW_SCORE, Precision.FLOAT16)
    assert low.result.startswith("In float16 the visible score of −2e9 is −∞ too")
    assert np.isnan(demo_check(MaskDemo.LOW_SCORE, Precision.FLOAT16).weights[:3]).all()


def test_an_example_about_one_precision_says_that_it_is_locked():
    for precision in Precision:
        experiment = Experiment(Check.MASKING, demo=MaskDemo.ADDED_FLOAT32, precision=precision)
        assert experiment.precision_used is Precision.FLOAT32
        assert essence(experiment, 3)[0] == Experiment(
            Check.MASKING, demo=MaskDemo.ADDED_FLOAT32, precision=Precision.FLOAT32
        ), "the choice makes no difference"
        report = carry_out(frame_of("causal"), experiment)
        assert "always in float32" in report.notes[0]
        assert "cannot be changed" in report.notes[1]
        assert demo_check(MaskDemo.ADDED_FLOAT32, precision).weights.dtype == np.float32
    assert Experiment(Check.MASKING, demo=MaskDemo.FULLY_MASKED).precision_used is Precision.FLOAT64


def test_as_many_ways_to_mask_as_the_name_says():
    number = {3: "Three", 4: "Four", 5: "Five"}[len(MaskFill)]
    assert Check.MASKING.value == f"{number} ways to mask"
    assert len(mask_report(frame_of("causal")).tables[0].columns) - 1 == len(MaskFill)


@pytest.mark.parametrize(("precision", "error"), [(Precision.FLOAT32, 1e-6), (Precision.FLOAT16, 5e-3)])
def test_a_precision_is_used_for_every_number(precision, error):
    frame = frame_of("causal")
    check, exact = mask_check(frame, 4, precision), mask_check(frame, 4)
    assert check.weights.dtype == np.dtype(precision.value)
    gap = np.abs(check.weights.astype(np.float64) - exact.weights).max()
    assert 0.0 < gap < error


def test_an_empty_row_in_float16_is_no_number():
    frame = frame_of("causal", mask=MaskChoice(MaskKind.STRICT))
    check = mask_check(frame, 0, Precision.FLOAT16)
    assert np.isnan(check.weights[1]).all()
    assert np.isnan(check.gaps[1])
    assert mask_report(frame, 0, Precision.FLOAT16).result == (
        "Nothing is visible to this query: −∞ gives zeros here, −1e9 sums to NaN over forbidden keys."
    )


def test_scores_beyond_float16_are_said_to_be():
    recipe = ToyRecipe(sentence="a b c", d_model=4, heads=1, gain_kind=GainKind.NUMBER, gain=100.0, seed=1)
    frame = heads_frame(HeadsSetup(recipe, mask=CAUSAL))
    assert np.abs(frame.head_map.scores()).max() > 65504
    report = mask_report(frame, 1, Precision.FLOAT16)
    assert report.result == "These scores are beyond the range of float16: the weights are not numbers."
    assert {report.tables[0].text(row, 1) for row in range(5)} == {"NaN"}


def test_without_a_mask_a_causal_one_stands_in():
    borrowed, own = mask_check(frame_of("five-token")), mask_check(frame_of("five-token", mask=CAUSAL))
    assert borrowed.borrowed_mask
    assert not own.borrowed_mask
    assert (borrowed.weights == own.weights).all()
    assert "a causal one is used" in mask_report(frame_of("five-token")).notes[1]


def test_a_pinned_row_without_hidden_keys_says_so():
    assert mask_report(frame_of("causal"), 10).result.startswith("No key is hidden from this query")
    with pytest.raises(ExplorerError, match="No query has a hidden key"):
        mask_check(frame_with(sentence="cat"))


def test_a_long_row_lists_its_largest_scores():
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence=many_tokens(60), d_model=8, heads=1), mask=CAUSAL))
    table = mask_report(frame, 30).tables[0]
    assert len(table.rows) == MOST_LISTED + 2
    assert table.more == f"… and {60 - MOST_LISTED} more keys"
    scores = frame.head_map.scores([30])[0]
    named = {int(str(row[0]).split()[0]) - 1 for row in table.rows[2:]}
    assert int(scores[:31].argmax()) in named
    assert 31 + int(scores[31:].argmax()) in named


def test_a_row_that_sees_nothing_is_not_said_to_sum_to_1():
    frame = frame_of("causal", mask=MaskChoice(MaskKind.STRICT))
    assert "a row sums to 1" not in mask_report(frame, 0).notes[0]
    assert "a row sums to 1" in mask_report(frame, 3).notes[0]


# ---- Change a token ----


def test_values_of_zero_are_not_taken_for_a_lack_of_attention():
    frame = frame_with(gain_kind=GainKind.NUMBER, gain=0.0)
    assert frame.map.weights()[:, 5].all()
    said = change_report(frame, 5).result
    assert said == "No output changes at all (exactly 0), though some queries attend to it: its value adds nothing."


def test_one_output_is_not_called_all():
    assert change_report(frame_with(sentence="cat"), 0).result.startswith("The only output changes with “cat” (1), by ")
    hand = frame_of("hand-made", head=0, hard=True, mask=MaskChoice(MaskKind.STRICT))
    assert change_report(hand, 5).result.endswith("; the other one changes with “mat” (6).")


def test_what_reaches_a_token_through_another_layer_is_not_called_visible():
    frame = heads_frame(HeadsSetup(ToyRecipe(layers=3), MaskChoice(MaskKind.WINDOW, 6), layer=2))
    assert frame.mask is not None
    assert not frame.mask[:, 0].all()
    said = change_report(frame, 0).result
    assert said.startswith("All 11 outputs change with")
    assert "none is masked" not in said


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("amount", [1.0, 99.0])
def test_under_a_causal_mask_earlier_rows_are_bit_by_bit_the_same(layers, amount):
    recipe = ToyRecipe(layers=layers, d_model=32, heads=4)
    frame = heads_frame(HeadsSetup(recipe, mask=CAUSAL, layer=layers - 1))
    check = change_check(frame, 6, amount)
    assert check.untouched == (0, 1, 2, 3, 4, 5)
    assert (check.changes[6:] > 0.0).all()


def test_without_a_mask_every_row_hears_of_every_token():
    for token in range(6):
        assert change_check(frame_of("multi-head"), token).untouched == ()
    assert change_report(frame_of("multi-head"), 0).result.startswith("All 6 outputs change with “The” (1)")


def test_the_change_is_that_of_the_layer():
    frame = frame_of("multi-head", mask=CAUSAL)
    layer = frame.layers[0]
    assert layer.attention is not None
    x = layer.x.copy()
    x[3] += np.random.default_rng(0).standard_normal(64)
    expected = np.abs(layer.attention(x, mask=frame.mask).output - layer.attention(layer.x, mask=frame.mask).output)
    np.testing.assert_allclose(change_check(frame, 3).changes, expected.max(axis=1), atol=1e-12)


def test_the_words_name_the_rows_that_stay():
    report = change_report(frame_of("causal"), 5)
    assert report.result == (
        "Of 11 outputs, rows 1–5 do not change at all (exactly 0); the other 6 change with “mat” (6)."
    )
    table = report.tables[0]
    assert table.marked_row == 5
    assert max(table.bars) == 1.0
    assert table.bars[:5] == (0.0,) * 5


def test_a_token_nobody_sees_changes_nothing():
    frame = frame_of("translation", mask=MaskChoice(MaskKind.PADDING, 4))
    check = change_check(frame, 5)
    assert len(check.untouched) == 7
    assert "no query attends to “mat” (6)" in change_report(frame, 5).result


def test_a_token_that_is_not_there_is_refused():
    with pytest.raises(ExplorerError, match="There is no token 7"):
        change_check(frame_of("multi-head"), 6)


# ---- S and its transpose, where they are the same ----


SYMMETRIC = [
    frame_of("dot-products"),
    frame_with(projections=Projections.TIED),
    frame_with(projections=Projections.IDENTITY),
    frame_with(sentence="cat cat cat"),
    frame_with(gain_kind=GainKind.NUMBER, gain=0.0),
    frame_of("hand-made", head=2),
]


@pytest.mark.parametrize("frame", SYMMETRIC, ids=lambda frame: frame.setup.recipe.sentence)
@pytest.mark.parametrize("row", [None, 0, 1, 2])
def test_the_report_on_symmetric_scores_does_not_contradict_itself(frame, row):
    scores, weights = frame.head_map.scores(stage=Stage.SCALED), frame.head_map.weights()
    np.testing.assert_allclose(scores, scores.T, atol=1e-12)
    report = symmetry_report(frame, row)
    assert report.result.startswith("S is symmetric")
    assert "q₁·k₂ is the same number as q₂·k₁" in report.notes[0]
    assert "are two numbers" not in " ".join(report.notes)
    differ = np.abs(weights - weights.T).max() > 1e-12
    assert ("and the weights are too" in report.result) == (not differ)
    check = symmetry_check(frame, row)
    if "but the weights differ" in report.result:
        assert abs(check.weights[0] - check.weights[1]) > 5e-4, "the pair shows it"
    if "not those of this pair" in report.result:
        assert differ


@pytest.mark.parametrize("recipe", [ToyRecipe(projections=each) for each in Projections] + [HandMadeRecipe()], ids=repr)
def test_no_matrix_is_named_that_does_not_exist(recipe):
    report = symmetry_report(heads_frame(HeadsSetup(recipe)))
    has_projections = isinstance(recipe, ToyRecipe) and recipe.projections is not Projections.IDENTITY
    said = json.dumps([report.result, report.notes, report.tables[1].columns], ensure_ascii=False)
    assert ("W_k = W_q" in said) == has_projections
    assert ("k = q" in said.replace("W_k = W_q", "")) == (not has_projections)


def test_the_report_says_what_makes_the_scores_symmetric():
    assert ", as W_k = W_q." in symmetry_report(frame_with(projections=Projections.TIED)).notes[0]
    assert ", as k = q." in symmetry_report(frame_of("dot-products")).notes[0]
    assert "every pair." in symmetry_report(frame_with(sentence="cat cat cat")).notes[0]
    assert "are two numbers" in symmetry_report(frame_of("five-token")).notes[0]
    assert "an arg max of its own" in symmetry_report(frame_of("random-words", hard=True)).notes[0]


def test_equal_tokens_give_an_output_that_does_not_move():
    notes = shuffle_report(frame_with(sentence="cat cat cat"), (1, 2, 0)).notes
    assert (
        notes[1] == "Here every row takes the place of one just like it, so the output as a whole stays the same too."
    )
    assert "another one" in shuffle_report(frame_of("multi-head"), (1, 2, 0, 3, 5, 4)).notes[1]
    swapped = shuffle_report(frame_with(sentence="the cat the"), (2, 1, 0)).notes
    assert "Here every row takes the place of one just like it" in swapped[1], "though the rows are not all alike"


def test_a_hard_lookup_that_depends_on_the_order_blames_its_ties():
    report = shuffle_report(frame_of("hand-made", head=5, hard=True), tuple(range(9, -1, -1)))
    assert report.result.startswith("Order matters")
    assert report.notes[1].endswith("where keys tie, a hard lookup takes the first of them.")


# ---- All of them ----


def test_every_preset_can_be_experimented_with():
    for ready in HEADS_PRESETS:
        frame = heads_frame(ready.state.setup)
        is_recorded = not frame.map.has_scores and frame.is_one_head
        for check in Check:
            of_one_sentence = check in (Check.SYMMETRY, Check.BROADCAST)
            impossible = (check is Check.RESHAPE and not frame.has_projections) or (of_one_sentence and frame.is_cross)
            impossible = (impossible or is_recorded) and check is not Check.WEIGHTS
            if impossible:
                with pytest.raises(ExplorerError):
                    carry_out(frame, Experiment(check))
                continue
            report = carry_out(frame, Experiment(check))
            assert report.result.endswith((".", ").")), (ready.id, check)
            for table in report.tables:
                assert {len(row) for row in table.rows} == {len(table.columns)}


def test_aggregates_are_experimented_with_as_the_head_they_hide():
    one, mean = frame_of("multi-head"), frame_of("multi-head", aggregate=Aggregate.MEAN)
    assert symmetry_check(one) == symmetry_check(mean)


@pytest.mark.parametrize("check", [check for check in Check if check is not Check.WEIGHTS])
def test_too_many_tokens_and_none_are_refused(check):
    with pytest.raises(ExplorerError, match="up to 512 tokens, and there are 513"):
        carry_out(frame_with(sentence=many_tokens(513), d_model=4, heads=1), Experiment(check))
    with pytest.raises(ExplorerError, match="type a sentence"):
        carry_out(frame_with(sentence=""), Experiment(check))


def test_too_many_heads_are_refused_where_all_are_computed():
    frame = frame_with(sentence=many_tokens(300), d_model=64, heads=64)
    with pytest.raises(ExplorerError, match="The 64 heads up to here hold 6 million weights"):
        change_check(frame, 0)


def test_what_takes_a_moment_needs_asking():
    small, long = frame_of("causal"), frame_with(sentence=many_tokens(150), d_model=8, heads=2)
    wide = frame_with(sentence=many_tokens(120), d_model=64, heads=16)
    assert not any(needs_asking(small, Experiment(check)) for check in Check)
    assert all(needs_asking(long, Experiment(check)) for check in Check if check is not Check.WEIGHTS)
    assert not needs_asking(long, Experiment(Check.MASKING, demo=MaskDemo.LOW_SCORE))
    assert needs_asking(wide, Experiment(Check.SHUFFLE))
    assert not needs_asking(wide, Experiment(Check.SYMMETRY))


def test_the_token_to_change_is_the_chosen_one_else_the_pinned_one_else_one_in_the_middle():
    frame = frame_with(sentence="a b c d e f g")
    assert token_to_change(frame, None, None) == 3
    assert token_to_change(frame, None, 5) == 5
    assert token_to_change(frame, 1, 5) == 1
    assert token_to_change(frame, 70, 50) == 3


def test_settings_of_other_experiments_are_not_of_the_essence():
    one = Experiment(Check.SHUFFLE, seed=2, token=1, precision=Precision.FLOAT16)
    assert essence(one, 4) == (Experiment(Check.SHUFFLE, seed=2), None)
    masked = Experiment(Check.MASKING, precision=Precision.FLOAT16)
    assert essence(replace(one, check=Check.MASKING), 4) == (masked, 4)
    assert essence(replace(one, check=Check.CHANGE), 4) == (Experiment(Check.CHANGE, token=1), None)
    assert essence(replace(one, check=Check.CHANGE, token=None), 4) == (Experiment(Check.CHANGE), 4)


# ---- All of them in one table ----


def test_every_experiment_of_a_setup_is_done_with_the_pinned_row():
    heads = heads_preset("causal").state
    found = check_numbers(heads)
    assert list(found.found) == [heads.experiment.check, *(check for check in Check if check is not Check.SHUFFLE)]
    for check in Check:
        expected = carry_out(frame_of("causal"), Experiment(check), heads.view.row)
        assert found.found[check] == expected
        assert found.result(check) == expected.result


def test_results_come_one_after_the_other_the_chosen_one_first():
    heads = heads_preset("causal").state
    heads = replace(heads, experiment=Experiment(Check.CONSTANT))
    parts = list(check_stream(heads))
    assert [len(found.found) for _, found in parts] == list(range(1, len(Check) + 1))
    assert [share for share, _ in parts] == sorted(share for share, _ in parts)
    assert parts[-1][0] == 1.0
    assert parts[0][1].result(Check.CONSTANT).startswith("+5.0 on every score")
    assert parts[0][1].result(Check.SHUFFLE) == "…"


def test_of_a_long_sentence_the_chosen_experiment_alone_is_done():
    heads = HeadsState(HeadsSetup(ToyRecipe(sentence=many_tokens(150), d_model=8, heads=2)))
    found = check_numbers(replace(heads, experiment=Experiment(Check.SYMMETRY)))
    assert list(found.found) == [Check.SYMMETRY, Check.WEIGHTS], "what the weights are is known at once"
    assert found.result(Check.SHUFFLE) == "Choose it to have it done: here it takes a moment."
    masked = check_numbers(replace(heads, experiment=Experiment(Check.SYMMETRY, demo=MaskDemo.LOW_SCORE)))
    assert set(masked.found) == {Check.SYMMETRY, Check.WEIGHTS, Check.MASKING}, "an example is quick"


def test_what_cannot_be_done_says_why_and_the_rest_is_done():
    found = check_numbers(heads_preset("hand-made").state)
    assert found.found[Check.RESHAPE] == "Hand-made heads have no projections to reshape: choose random heads."
    assert not isinstance(found.found[Check.SYMMETRY], str)
    recorded = check_numbers(heads_preset("minilm").state)
    assert recorded.result(Check.WEIGHTS).startswith("These weights were learned, and recorded.")
    assert all(isinstance(recorded.found[check], str) for check in Check if check is not Check.WEIGHTS)
    assert recorded.chosen is None


def test_the_weights_themselves_are_judged_with_numbers():
    found = carry_out(frame_of("multi-head"), Experiment(Check.WEIGHTS))
    judged = verdict(frame_of("multi-head"))
    assert found.result == f"{judged.title} {judged.text}"
    (table,) = found.tables
    assert table.rows[0][1:] == (judged.head.evenness, judged.layer.evenness)
    assert table.rows[1][1:] == (judged.head.saturated, judged.layer.saturated)
    assert table.rows[2][1:] == (judged.head.score_std, judged.layer.score_std)


def test_numbers_are_written_short_and_copied_whole():
    assert [size_text(size) for size in (0.0, 3.3812, 0.96062, 3.55e-15, 123.456)] == [
        "0",
        "3.38",
        "0.961",
        "3.55·10⁻¹⁵",
        "123.5",
    ]
    assert [weight_text(weight) for weight in (0.0, 1e-6, 0.3817, 1.0)] == ["0", "<0.0001", "0.3817", "1"]
    table = CheckTable((("key", Form.TEXT), ("weight", Form.WEIGHT)), (("cat", 1 / 3), ("sat", float("nan"))))
    assert (table.text(0, 1), table.exact(0, 1), table.text(1, 1)) == ("0.3333", "0.3333333333333333", "NaN")
    assert table.csv() == "key,weight\ncat,0.3333333333333333\nsat,nan\n"


@given(count=st.integers(0, 600), around=st.none() | st.integers(0, 599))
def test_a_long_table_lists_rows_around_the_one_that_matters(count, around):
    rows = listed_rows(count, around)
    assert len(rows) == min(count, MOST_LISTED)
    assert not rows or 0 <= rows[0] <= rows[-1] < count
    assert around is None or around >= count or around in rows


# ---- Verdict ----


def test_the_multi_head_preset_is_saturated_by_its_gain():
    found = verdict(frame_of("multi-head"))
    assert found.title == "These weights are random."
    assert found.layer is not None
    assert found.kind is Kind.SATURATED
    assert found.layer.saturated == pytest.approx(1 / 3)
    assert found.layer.score_std == pytest.approx(4.99, abs=0.005)
    assert found.predicted_std == pytest.approx(5.76)
    assert found.text.endswith(
        "All 8 heads: 33 % of rows put more than 95 % on one key. That is due to the gain, not to anything learned: "
        "scaled score std within the heads 4.99, predicted 5.76."
    )


def test_scores_of_several_heads_spread_as_they_do_within_each():
    frame = frame_of("multi-head")
    measured = [map_.summary().score_std for map_ in frame.layers[0].maps]  # as Setup says it of the head on show
    assert verdict(frame).layer.score_std == pytest.approx(np.sqrt(np.mean(np.square(measured))))
    assert [spread_of((map_,)).score_std for map_ in frame.layers[0].maps] == pytest.approx(measured)
    assert sum(spread_of((map_,)).kind is Kind.SATURATED for map_ in frame.layers[0].maps) == 6
    assert "saturated heads" not in heads_preset("multi-head").title
    assert verdict(frame).layer.saturated == pytest.approx(1 / 3), "“a third of all rows”, says the hint"


def test_the_four_token_preset_is_nearly_uniform():
    found = verdict(frame_of("four-token"))
    assert found.kind is Kind.EVEN
    assert found.head.deviation == pytest.approx(0.018, abs=5e-4)
    assert found.head.score_std == pytest.approx(0.043, abs=5e-4)
    assert found.text.endswith(
        "Nearly uniform: the largest deviation from 1/4 is 0.0181, scaled score std 0.043 (predicted 0.080)."
    )


def test_hand_made_heads_are_said_to_be():
    found = verdict(frame_of("hand-made"))
    assert found.title == "These heads were made by hand."
    assert "95 %" not in found.text


def test_a_gain_of_one_over_root_d_is_neither():
    recipe = replace(setup_of("multi-head").recipe, gain_kind=GainKind.NORMALISED)
    found = verdict(heads_frame(HeadsSetup(recipe)))
    assert found.kind is Kind.PLAIN
    assert found.layer is not None
    assert found.layer.score_std == pytest.approx(0.866, abs=5e-4)


def test_the_spread_of_a_head_is_that_of_its_summary():
    frame = frame_of("multi-head", head=2)
    spread, summary = spread_of((frame.head_map,)), frame.head_map.summary()
    assert spread.evenness == pytest.approx(summary.evenness)
    assert spread.saturated == pytest.approx(summary.saturated)
    assert spread.score_std == pytest.approx(summary.score_std)


def test_rows_without_a_choice_do_not_make_a_map_saturated():
    frame = frame_of("four-token", mask=CAUSAL)
    assert frame.head_map.summary().saturated == 0.25
    assert verdict(frame).head.saturated == 0.0
    assert verdict(frame).kind is Kind.EVEN
    assert "from an even share is" in verdict(frame).text
    assert np.isnan(verdict(frame_with(sentence="cat")).head.evenness)


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"temperature": 0.05}, "due to the low temperature, not to anything learned"),
        ({"scaled": False, "temperature": 0.5}, "the missing ÷ √d_k, not to anything learned"),
        ({"hard": True}, "The lookup is hard"),
        ({"recipe": {"embedding_scale": 4.0}}, "due to the embedding scale, not"),
        (
            {"recipe": {"gain_kind": GainKind.NUMBER, "gain": 0.3}, "temperature": 0.1},
            "due to the low temperature and the gain, not",
        ),
        ({"recipe": {"gain_kind": GainKind.HE, "embedding_scale": 2.0}}, "the gain and the embedding scale, not"),
        ({"recipe": {"projections": Projections.TIED, "gain_kind": GainKind.HE}}, "W_k = W_q, by which a token"),
        ({"recipe": {"projections": Projections.IDENTITY}}, "due to the length of the vectors, not"),
    ],
)
def test_the_cause_of_saturation_is_named(changes, cause):
    settings = dict(changes)
    recipe = replace(ToyRecipe(d_model=64, heads=1, d_k=64), **settings.pop("recipe", {}))
    assert cause in verdict(heads_frame(HeadsSetup(recipe, **settings))).text


def test_of_a_large_map_a_sample_is_judged():
    frame = frame_with(sentence=many_tokens(1500), d_model=16, heads=2)
    found = verdict(frame)
    assert found.layer is None
    assert found.head.is_sample
    assert found.head.evenness == pytest.approx(frame.head_map.summary().evenness, abs=0.02)
    assert found.head.score_std == pytest.approx(frame.head_map.summary().score_std, rel=0.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_is_named_exactly_where_it_matters(seed):
    for vectors in TokenVectors:
        for projections in Projections:
            given = ((0.1, 0.2), (0.3, 0.4))
            recipe = ToyRecipe("a b", None, d_model=2, heads=1, vectors=vectors, given=given, projections=projections)
            one, other = (heads_frame(HeadsSetup(replace(recipe, seed=number))) for number in (seed, seed + 5))
            same = np.array_equal(one.map.weights(), other.map.weights())
            assert ("seed" in source_words(one)) == (not same), (vectors, projections)


@pytest.mark.parametrize("head", range(6))
@pytest.mark.parametrize("changes", [{}, {"hard": True}, {"temperature": 9.0}, {"scaled": False}, {"mask": CAUSAL}])
def test_a_row_without_a_preference_is_not_called_even_where_it_is_not(head, changes):
    frame = frame_of("hand-made", head=head, **changes)
    said = verdict(frame).text
    indifferent = np.ptp(frame.head_map.scores(), axis=1) == 0
    assert "even" not in said, "a hard lookup makes no row even"
    assert ("no other token has a preference" in said) == (0 < indifferent.sum() == len(indifferent) - 1)
    assert ("No token has a preference" in said) == indifferent.all()


def test_even_weights_in_spite_of_large_scores_name_the_temperature():
    found = verdict(frame_of("multi-head", temperature=100.0))
    assert found.kind is Kind.EVEN
    assert "scaled score std within the heads 4.99 (predicted 5.76), divided by the temperature 100." in found.text
    equal = verdict(frame_with(sentence="cat cat cat"))
    assert "uniform: every weight is 1/3; scaled score std within the heads 0 (predicted 1.00)." in equal.text


def test_the_layer_is_named_where_there_are_several():
    loud = ToyRecipe(d_model=64, heads=4, layers=2, gain_kind=GainKind.NUMBER, gain=0.5)
    assert "All 4 heads of layer 2: " in verdict(heads_frame(HeadsSetup(loud, layer=1))).text
    assert "All 4 heads: " in verdict(heads_frame(HeadsSetup(replace(loud, layers=1)))).text


def test_a_verdict_on_no_token_says_nothing_of_spread():
    for recipe in (ToyRecipe(sentence=""), HandMadeRecipe("")):
        found = verdict(heads_frame(HeadsSetup(recipe)))
        assert found.kind is Kind.PLAIN
        assert found.title
