"""The Heads page in words: the arithmetic is done again from what it says, and nothing is shown that is not said."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import Contrast
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.pages.heads.wording import (
    Step,
    arithmetic,
    badges,
    cell_words,
    description,
    isolated,
    map_title,
    products,
    query_name,
    source_words,
    weight_text,
)
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import GainKind, Projections, TokenVectors, ToyRecipe

CAUSAL = MaskChoice(MaskKind.CAUSAL)
STACKED = ToyRecipe(sentence="a b c d e", d_model=16, heads=4, layers=3)
TRANSLATION = HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat")
NUMBER = r"[+−]?\d[\d.]*(?:e\d+|·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"


def number(text: str) -> float:
    """Read a number as the page writes it: −1.4e3, 2.06·10⁻⁹."""
    superscripts = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    mantissa, _, power = text.replace("−", "-").replace("+", "").partition("·10")
    return float(mantissa) * 10.0 ** int(power.translate(superscripts) or 0)


LEAST_NUMBER = 5e-324
"""Between two numbers next to 0: there, half a digit rounds to nothing."""


def half_a_digit(text: str) -> float:
    """Return how far a number may be from what it was before it was rounded."""
    digits = text.lstrip("+−").partition("·10")[0].partition("e")[0]
    decimals = len(digits.partition(".")[2])
    scale = number(text) / number(digits) if number(digits) else 1.0
    return 0.500_001 * 10.0**-decimals * abs(scale)


def done_again(frame: HeadsFrame, steps: tuple[Step, ...]) -> tuple[float, float]:
    """Do the arithmetic with the printed numbers; return its end and how far rounding may have led it astray."""
    value, error = math.nan, 0.0
    for step in steps:
        if " · " in step.name:
            value, error = number(step.value), half_a_digit(step.value)
            continue
        if step.name == "mask":
            assert step.value == "allowed"
            continue
        if step.name.startswith("÷ √"):
            root = math.sqrt(int(step.name.removeprefix("÷ √")))
            value, error = value / root, error / root
        elif step.name.startswith("÷ temperature"):
            warmth = number(step.name.rpartition(" ")[2])
            assert warmth == frame.setup.temperature
            value, error = value / warmth, error / warmth
        elif step.name.startswith("exp"):
            taken = re.fullmatch(rf"exp(?:\(… − ({NUMBER})\), the row’s largest)?", step.name)
            assert taken is not None, step.name
            if taken[1] is not None:
                value, error = value - number(taken[1]), error + half_a_digit(taken[1])
            most = math.exp(min(value + error, 700.0))  # two numbers of two digits, 4.7e6 each, may be far apart
            value = math.exp(min(value, 700.0))
            error = most - value
        else:
            assert step.name.startswith("÷ row sum ")
            total = step.name.removeprefix("÷ row sum ")
            share = half_a_digit(total) / number(total)
            value, error = value / number(total), (error + value * share) / number(total) * 1.01
        slack = error + half_a_digit(step.value) + LEAST_NUMBER
        assert abs(number(step.value) - value) <= slack, step
        value, error = number(step.value), half_a_digit(step.value)
    return value, error


# ---- The arithmetic ----


@st.composite
def cells(draw: st.DrawFn) -> tuple[HeadsSetup, int, int]:
    gain = draw(st.sampled_from([0.0, 0.02, 0.3, 1.0, 3.0, 30.0]))
    recipe: ToyRecipe | HandMadeRecipe = ToyRecipe(
        sentence="the cat sat on it",
        d_model=16,
        heads=2,
        gain_kind=GainKind.NUMBER,
        gain=gain,
        seed=draw(st.integers(0, 9)),
    )
    if draw(st.integers(0, 4)) == 0:
        recipe = HandMadeRecipe("the cat sat on it")
    setup = HeadsSetup(
        recipe,
        MaskChoice(draw(st.sampled_from([MaskKind.NONE, MaskKind.CAUSAL]))),
        scaled=draw(st.booleans()),
        temperature=draw(st.sampled_from([1.0, 0.01, 0.125, 0.37, 2.0, 100.0])),
        head=draw(st.integers(0, 1)),
    )
    row = draw(st.integers(0, 4))
    return setup, row, draw(st.integers(0, row))


@given(cells())
@settings(max_examples=250, deadline=None)
def test_every_step_follows_from_the_one_before_and_the_last_is_the_weight(cell: tuple[HeadsSetup, int, int]) -> None:
    setup, row, column = cell
    frame = heads_frame(setup)
    steps = arithmetic(frame, row, column)
    assert ("÷ √" in "".join(step.name for step in steps)) == setup.scaled
    assert any(step.name == "mask" for step in steps) == (frame.mask is not None)
    end, _ = done_again(frame, steps)
    weight = float(frame.map.weights()[row, column])
    assert steps[-1].is_result
    assert steps[-1].value == weight_text(weight)
    assert end == pytest.approx(weight, abs=0.000_051)


@given(cells())
@settings(max_examples=100, deadline=None)
def test_the_first_steps_are_the_product_the_scale_and_the_temperature(cell: tuple[HeadsSetup, int, int]) -> None:
    setup, row, column = cell
    frame = heads_frame(setup)
    layer = frame.layers[0]
    q, k = layer.q[frame.head][row], layer.k[frame.head][column]
    score = sum(float(a) * float(b) for a, b in zip(q, k, strict=True))
    expected = [score]
    if setup.scaled:
        expected.append(expected[-1] / math.sqrt(len(q)))
    if setup.temperature != 1.0:
        expected.append(expected[-1] / setup.temperature)
    steps = [step for step in arithmetic(frame, row, column) if step.name != "mask"]
    for step, true in zip(steps, expected, strict=False):
        assert number(step.value) == pytest.approx(true, abs=half_a_digit(step.value) + 1e-9 * abs(true)), step


def test_a_cell_of_the_five_tokens_step_by_step() -> None:
    frame = heads_frame(heads_preset("five-token").state.setup)
    q, k = frame.head_map.q[0], frame.head_map.k[1]
    score = float(q @ k)
    total = np.exp(frame.map.scores(stage=Stage.SCALED)[0]).sum()
    assert arithmetic(frame, 0, 1) == (
        Step("q₁ · k₂", f"+{score:.3f}"),
        Step("÷ √8", f"+{score / 8**0.5:.3f}"),
        Step("exp", f"{math.exp(score / 8**0.5):.4g}"),
        Step(f"÷ row sum {total:.4g}", "0.3817", is_result=True),
    )


def test_large_scores_are_taken_relative_to_the_rows_largest_as_they_are_computed() -> None:
    recipe = ToyRecipe(sentence="the cat sat", d_model=16, heads=1, gain_kind=GainKind.NUMBER, gain=30.0)
    frame = heads_frame(HeadsSetup(recipe))
    for row in range(3):
        for column in range(3):
            steps = arithmetic(frame, row, column)
            assert any(step.name.startswith("exp(… − ") for step in steps)
            done_again(frame, steps)
    small = heads_frame(heads_preset("five-token").state.setup)
    assert [step.name for step in arithmetic(small, 0, 1)][2] == "exp"


def test_scores_beyond_the_float_range_leave_a_weight() -> None:
    recipe = ToyRecipe(
        sentence="a b",
        d_model=2,
        heads=1,
        vectors=TokenVectors.GIVEN,
        given=((1e154, 1e154), (1e154, -1e154)),
        projections=Projections.IDENTITY,
    )
    for temperature in (1.0, 0.01):
        frame = heads_frame(HeadsSetup(recipe, temperature=temperature))
        steps = arithmetic(frame, 0, 0)
        assert steps[0].value == "+∞"
        assert steps[-1].value == "1"
        assert arithmetic(frame, 0, 1)[-1].value == "0"
        assert products(frame, 0, 0)[:, 2].tolist() == pytest.approx([1e308, 1e308]), "their sum passes the range"
        assert "raw score ∞" in cell_words(frame, HeadsView(stage=Stage.SCORES), 0, 0)


def test_a_masked_cell_ends_at_the_mask() -> None:
    steps = arithmetic(heads_frame(HeadsSetup(mask=CAUSAL)), 2, 5)
    assert [step.name for step in steps] == ["q₃ · k₆", "÷ √8", "hidden by the causal mask", "weight"]
    assert steps[2].value == "−∞"
    assert steps[3] == Step("weight", "0", is_result=True)
    allowed = arithmetic(heads_frame(HeadsSetup(mask=CAUSAL)), 5, 2)
    assert allowed[2] == Step("mask", "allowed")


def test_a_row_of_a_masked_map_sums_only_what_is_visible() -> None:
    frame = heads_frame(HeadsSetup(mask=CAUSAL))
    scaled = frame.map.scores(stage=Stage.SCALED)[2, :3]
    last = arithmetic(frame, 2, 1)[-1].name
    assert number(last.removeprefix("÷ row sum ")) == pytest.approx(np.exp(scaled).sum(), rel=1e-3)


def test_a_hard_lookup_asks_for_the_largest() -> None:
    frame = heads_frame(HeadsSetup(hard=True, temperature=0.5))
    best = int(frame.map.scores(stage=Stage.SCALED)[4].argmax())
    for column in range(11):
        steps = arithmetic(frame, 4, column)
        assert not any("temperature" in step.name or "exp" in step.name for step in steps), "they play no part"
        assert steps[-2] == Step("largest of its row?", "yes" if column == best else "no")
        assert steps[-1] == Step("weight", "1" if column == best else "0", is_result=True)


def test_a_tie_is_shown() -> None:
    frame = heads_frame(HeadsSetup(HandMadeRecipe(), head=3, hard=True))  # all scores of “The” are 0
    answers = [arithmetic(frame, 0, column)[-2:] for column in (0, 1, 9)]
    assert [answer[0].value for answer in answers] == ["tied, the first", "tied, not the first", "tied, not the first"]
    assert [answer[1].value for answer in answers] == ["1", "0", "0"]
    assert [arithmetic(frame, 7, column)[-2].value for column in (5, 4)] == ["yes", "no"]


@pytest.mark.parametrize(("kind", "word"), [(Aggregate.MEAN, "mean"), (Aggregate.MAX, "largest")])
def test_several_heads_list_what_they_are_made_of(kind: Aggregate, word: str) -> None:
    off = frozenset({(1, 0), (1, 2), (0, 3)})
    frame = heads_frame(HeadsSetup(STACKED, layer=1, aggregate=kind, switched_off=off))
    steps = arithmetic(frame, 3, 2)
    assert [step.name for step in steps] == ["head 2", "head 4", word], "the numbers of the heads that are on"
    for step, head in zip(steps, (1, 3), strict=False):
        assert step.value == weight_text(float(frame.layers[1].maps[head].weights()[3, 2]))
    parts = [number(step.value) for step in steps[:-1]]
    combined = sum(parts) / 2 if kind is Aggregate.MEAN else max(parts)
    assert number(steps[-1].value) == pytest.approx(combined, abs=0.000_101)
    assert steps[-1].is_result


def test_more_than_eight_heads_are_not_all_listed() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(d_model=24, heads=12), aggregate=Aggregate.MEAN))
    names = [step.name for step in arithmetic(frame, 0, 0)]
    assert names == [*(f"head {number}" for number in range(1, 9)), "… and 4 more", "mean"]


@pytest.mark.parametrize(("identity", "factor"), [(True, "½W + ½I"), (False, "W")])
def test_a_rollout_says_what_is_multiplied(identity: bool, factor: str) -> None:
    frame = heads_frame(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT, identity=identity))
    weight = weight_text(float(frame.map.weights()[4, 1]))
    assert arithmetic(frame, 4, 1) == (Step(f"product of {factor} over the layers", weight, is_result=True),)


def test_a_rollout_that_cannot_be_computed_is_explained_as_the_mean_it_is() -> None:
    rolled = heads_frame(HeadsSetup(TRANSLATION, aggregate=Aggregate.ROLLOUT))
    mean = heads_frame(HeadsSetup(TRANSLATION, aggregate=Aggregate.MEAN))
    assert map_title(rolled) == map_title(mean) == "mean of 3 heads"
    assert arithmetic(rolled, 1, 1) == arithmetic(mean, 1, 1)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.5, "0.5"),
        (0.25, "0.25"),
        (0.5000001, "0.5000"),
        (0.08000000000000002, "0.08"),
        (0.1 + 0.2, "0.3"),
        (math.nextafter(1.0, 0.0), "1.0000"),
        (1 - 1e-12, "1.0000"),
        (0.38168, "0.3817"),
        (1e-4, "0.0001"),
        (1e-5, "1.00·10⁻⁵"),
        (2.06e-9, "2.06·10⁻⁹"),
        (float(np.float32(0.1)), "0.1000"),
    ],
)
def test_weights_are_exact_where_that_is_short_else_rounded(weight: float, text: str) -> None:
    assert weight_text(weight) == text


# ---- Products ----


@pytest.mark.parametrize("setup", [HeadsSetup(), HeadsSetup(STACKED, layer=2, head=1), HeadsSetup(TRANSLATION, head=2)])
def test_products_sum_to_the_raw_score(setup: HeadsSetup) -> None:
    frame = heads_frame(setup)
    scores = frame.head_map.scores()
    for row in range(frame.shape[0]):
        for column in range(frame.shape[1]):
            rows = products(frame, row, column)
            assert rows.shape == (frame.head_width, 3)
            np.testing.assert_array_equal(rows[:, 0] * rows[:, 1], rows[:, 2])
            np.testing.assert_array_equal(rows[:, 1], frame.layers[frame.layer].k[frame.head][column])
            assert rows[:, 2].sum() == pytest.approx(scores[row, column], rel=1e-9, abs=1e-12)


def test_the_products_of_the_three_words() -> None:
    frame = heads_frame(heads_preset("dot-products").state.setup)
    expected = [[0.9, 0.8, 0.72], [0.1, 0.2, 0.02], [0.8, 0.7, 0.56], [0.2, 0.3, 0.06]]
    np.testing.assert_allclose(products(frame, 0, 2), expected, rtol=1e-15)


# ---- Cells ----


def test_a_cell_has_its_weight_with_six_digits() -> None:
    frame = heads_frame(HeadsSetup())
    said = cell_words(frame, HeadsView(), 7, 1)
    assert said.startswith("query “it” (8) → key “cat” (2): weight 0.")
    assert float(said.rpartition(" ")[2]) == pytest.approx(frame.map.weights()[7, 1], rel=5e-6)


@pytest.mark.parametrize(
    ("stage", "word"), [(Stage.SCORES, "raw score"), (Stage.SCALED, "scaled score"), (Stage.MASKED, "masked score")]
)
def test_a_cell_of_scores_has_both_numbers(stage: Stage, word: str) -> None:
    frame = heads_frame(HeadsSetup(mask=CAUSAL))
    said = re.fullmatch(rf".*: {word} (\S+), weight (\S+)", cell_words(frame, HeadsView(stage=stage), 3, 1))
    assert said is not None
    score, weight = (float(text.replace("−", "-")) for text in said.groups())
    assert score == pytest.approx(frame.map.scores(stage=stage)[3, 1], rel=5e-6)
    assert weight == pytest.approx(frame.map.weights()[3, 1], rel=5e-6)


@pytest.mark.parametrize("stage", Stage)
def test_a_masked_cell_has_no_number(stage: Stage) -> None:
    frame = heads_frame(HeadsSetup(mask=CAUSAL))
    said = cell_words(frame, HeadsView(stage=stage), 1, 3)
    assert said == "query “cat” (2) → key “on” (4): hidden by the causal mask, the query may not attend to this key"


def test_with_hidden_keys_a_cell_still_has_its_raw_weight() -> None:
    frame, view = heads_frame(HeadsSetup()), HeadsView(hidden=Hidden.FIRST)
    picture = map_picture(frame, view)
    for column in (0, 3):
        said = re.fullmatch(
            r".*: weight (\S+) \(renormalised in the picture: (\S+)\)", cell_words(frame, view, 2, column)
        )
        assert said is not None
        assert float(said[1]) == pytest.approx(frame.map.weights()[2, column], rel=5e-6)
        assert float(said[2]) == pytest.approx(picture.values[2, column], rel=5e-6)
    assert "(renormalised in the picture: 0)" in cell_words(frame, view, 2, 0)
    scores = HeadsView(hidden=Hidden.FIRST, stage=Stage.SCORES)
    assert "renormalised" not in cell_words(frame, scores, 2, 0)


def test_nothing_is_called_renormalised_where_nothing_was_hidden() -> None:
    frame, view = heads_frame(HeadsSetup(TRANSLATION)), HeadsView(hidden=Hidden.PUNCTUATION)
    assert cell_words(frame, view, 1, 1) == cell_words(frame, HeadsView(), 1, 1)
    assert badges(frame, view, map_picture(frame, view)) == badges(frame, HeadsView(), map_picture(frame, HeadsView()))


# ---- Badges ----


def badges_of(setup: HeadsSetup, view: HeadsView, tiles: tuple[int, int] = (64, 64)) -> tuple[str, ...]:
    frame = heads_frame(setup)
    return badges(frame, view, map_picture(frame, view, tiles=tiles))


UNIT = HeadsView(contrast=Contrast.UNIT)


def test_raw_weights_from_0_to_1_need_no_badge() -> None:
    assert badges_of(HeadsSetup(), UNIT) == ()
    assert badges_of(HeadsSetup(), replace(UNIT, stage=Stage.SCORES)) == ()


@pytest.mark.parametrize("contrast", [Contrast.MAX, Contrast.ROW, Contrast.LOG, Contrast.PERCENTILE])
def test_every_other_contrast_is_said(contrast: Contrast) -> None:
    (said,) = badges_of(HeadsSetup(), HeadsView(contrast=contrast))
    assert said.startswith("colours ")


@pytest.mark.parametrize(("hidden", "what"), [(Hidden.FIRST, "first token"), (Hidden.PUNCTUATION, "punctuation")])
def test_renormalised_rows_are_said(hidden: Hidden, what: str) -> None:
    view = replace(UNIT, hidden=hidden)
    assert badges_of(HeadsSetup(), view) == (f"not the raw weights: {what} hidden, rows renormalised",)
    assert badges_of(HeadsSetup(), replace(view, stage=Stage.SCALED)) == (), "scores are as they are"


def test_rows_that_do_not_sum_to_1_are_said() -> None:
    assert badges_of(HeadsSetup(aggregate=Aggregate.MAX), UNIT) == ("rows need not sum to 1",)
    assert badges_of(HeadsSetup(aggregate=Aggregate.MEAN), UNIT) == ()
    assert badges_of(HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT), UNIT) == ()
    strict = HeadsSetup(STACKED, MaskChoice(MaskKind.STRICT), aggregate=Aggregate.ROLLOUT)
    assert badges_of(strict, UNIT) == ("rows need not sum to 1",)
    renormalised = badges_of(HeadsSetup(aggregate=Aggregate.MAX), replace(UNIT, hidden=Hidden.FIRST))
    assert renormalised == ("not the raw weights: first token hidden, rows renormalised",), "now they do"


def test_pooled_tiles_are_said() -> None:
    said = badges_of(HeadsSetup(), UNIT, (4, 5))
    assert said == ("11 × 11 cells in 4 × 5 tiles, each its largest",)


def test_a_stage_that_is_not_shown_is_said() -> None:
    view = replace(UNIT, stage=Stage.SCALED)
    assert badges_of(HeadsSetup(aggregate=Aggregate.MEAN), view) == ("several heads in one have weights only",)


# ---- Titles ----


@pytest.mark.parametrize(
    ("setup", "title"),
    [
        (HeadsSetup(), "head 1 of 8"),
        (HeadsSetup(head=3), "head 4 of 8"),
        (HeadsSetup(head=99), "head 8 of 8"),
        (HeadsSetup(ToyRecipe(heads=1)), "head 1"),
        (HeadsSetup(STACKED, layer=1), "layer 2, head 1 of 4"),
        (HeadsSetup(HandMadeRecipe(), head=3), "antecedent of “it”"),
        (HeadsSetup(aggregate=Aggregate.MEAN), "mean of 8 heads"),
        (HeadsSetup(STACKED, layer=2, aggregate=Aggregate.MAX), "largest of 4 heads of layer 3"),
        (HeadsSetup(ToyRecipe(heads=1), aggregate=Aggregate.MEAN), "mean of 1 head"),
        (HeadsSetup(aggregate=Aggregate.MEAN, switched_off=frozenset({(0, 0), (0, 5)})), "mean of 6 heads"),
        (HeadsSetup(STACKED, aggregate=Aggregate.ROLLOUT), "rollout over 3 layers, with identity"),
        (HeadsSetup(aggregate=Aggregate.ROLLOUT, identity=False), "rollout over 1 layer, without identity"),
    ],
)
def test_titles(setup: HeadsSetup, title: str) -> None:
    assert map_title(heads_frame(setup)) == title


@pytest.mark.parametrize(("count", "name"), [(Count.FROM_ONE, "“the” (3)"), (Count.FROM_ZERO, "“the” (2)")])
def test_tokens_have_their_place(count: Count, name: str) -> None:
    assert query_name(heads_frame(HeadsSetup(ToyRecipe("the cat the"), count=count)), 2) == name


@pytest.mark.parametrize("token", ["שלום", "سلام", "٣"])
def test_a_token_from_right_to_left_does_not_turn_the_words_around_it(token: str) -> None:
    assert isolated(token) == f"\u2068{token}\u2069"
    assert query_name(heads_frame(HeadsSetup(ToyRecipe(token))), 0) == f"“\u2068{token}\u2069” (1)"


@pytest.mark.parametrize("token", ["cat", "été", "🙂", "猫", "3.14", ",", ""])
def test_other_tokens_stay_as_they_are(token: str) -> None:
    assert isolated(token) == token


def test_where_the_numbers_come_from() -> None:
    assert source_words(heads_frame(HeadsSetup())) == "random weights, d_model 64, d_k 8, seed 42"
    warm = HeadsSetup(HandMadeRecipe(), temperature=0.5, scaled=False)
    assert source_words(heads_frame(warm)) == "hand-made heads, not learned, temperature 0.5, not divided by √d_k"
    assert source_words(heads_frame(HeadsSetup(HandMadeRecipe(), hard=True, temperature=0.5))).endswith("hard lookup")


# ---- Description ----


def test_a_description_names_the_strongest_cells() -> None:
    frame = heads_frame(HeadsSetup())
    weights = frame.map.weights()
    said = description(frame, HeadsView())
    assert said.startswith("head 1 of 8: attention of 11 queries (rows) to 11 keys (columns). Strongest: ")
    found = re.findall(r"“[^”]*” \((\d+)\) to “[^”]*” \((\d+)\) (\d\.\d+)", said)
    strongest = sorted(weights.ravel(), reverse=True)[:3]
    assert [float(weight) for *_, weight in found] == pytest.approx(strongest, abs=0.0005)
    for row, column, weight in found:
        assert weights[int(row) - 1, int(column) - 1] == pytest.approx(float(weight), abs=0.0005)


def test_a_description_of_one_token_and_of_none() -> None:
    said = description(heads_frame(HeadsSetup(ToyRecipe(sentence="cat"))), HeadsView())
    assert said == "head 1 of 8: attention of 1 query (row) to 1 key (column). Strongest: “cat” (1) to “cat” (1) 1.000."
    nothing = description(heads_frame(HeadsSetup(ToyRecipe(sentence=""))), HeadsView())
    assert nothing == "head 1 of 8: attention of 0 queries (rows) to 0 keys (columns)."


def test_a_long_sentence_is_not_searched() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="a " * 513, d_model=4, heads=1)))
    assert "Strongest" not in description(frame, HeadsView())
