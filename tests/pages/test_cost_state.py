"""The Cost page without its window: state, words, presets, curves, measuring and export."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npz_bytes

from attention_explorer.core.numbers_export import Numbers
from attention_explorer.core.numerals import (
    grouped,
    measured_ratio,
    memory_words,
    operation_words,
    ratio_words,
    share_words,
    short_count,
    time_words,
)
from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.errors import ExplorerError, ExportError
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.picture import NOTHING
from attention_explorer.model import ModelSize
from attention_explorer.pages.lab import measure as cost_measure
from attention_explorer.pages.lab.cost_growth import (
    curve_words,
    doubling_of,
    growth_picture,
    growth_sentences,
    parts,
    point_words,
)
from attention_explorer.pages.lab.cost_layer import (
    amount_words,
    cost_of,
    layer_picture,
    layer_sentences,
    term_words,
    total_words,
)
from attention_explorer.pages.lab.cost_state import LONGEST, CostPicture, CostState, Quantity, Scope
from attention_explorer.pages.lab.inputs import inputs_picture, inputs_sentences, product_words, weight_words
from attention_explorer.pages.lab.measure import MeasuredPoint, Measurement, lengths_measured, measured
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.reach import FARTHEST, reach_picture, strip_words
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.views import view_of
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import toy_layers

COST_PRESETS = preset_list("cost")

VIEWS: dict[CostPicture, View[CostState]] = {
    CostPicture.LAYER: view_of(LabView.COST),
    CostPicture.GROWTH: view_of(LabView.GROWTH),
    CostPicture.REACH: view_of(LabView.REACH),
    CostPicture.INPUTS: view_of(LabView.INPUTS),
}


def preset(name: str) -> Preset[CostState]:
    return preset_of(COST_PRESETS, name)


def headline(state: CostState) -> str:
    picture = VIEWS[state.picture].picture
    return picture.title(picture.compute(state, (1, 1)))


def notes(state: CostState) -> list[str]:
    """Headline, the sentence of the panel, and what else the picture says."""
    picture = VIEWS[state.picture].picture
    return [plain(line.text) for line in picture.notes(picture.compute(state, (1, 1)))]


def truths(state: CostState) -> str:
    return " ".join(VIEWS[state.picture].picture.truths)


def numbers_of(state: CostState, numbers: object = None) -> Numbers:
    view = VIEWS[state.picture]
    numbers = view.picture.compute(state, (1, 1)) if numbers is None else numbers
    return view.numbers(state, numbers, {} if view.picture.reason(numbers) else view.picture.numbers(numbers))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


# ---- State ----


def test_sizes_are_held_within_their_ranges() -> None:
    state = CostState().with_sizes(n=10**9, heads=0, layers=-3, window=0)
    assert (state.n, state.heads, state.layers, state.window) == (LONGEST, 1, 1, 1)


def test_d_ff_follows_d_model_as_long_as_it_is_four_times_as_wide() -> None:
    assert CostState().with_sizes(d_model=1024).d_ff == 4096
    assert replace(CostState(), d_ff=1000).with_sizes(d_model=1024).d_ff == 1000
    assert CostState().with_sizes(d_model=1024, d_ff=5).d_ff == 5


def test_another_width_of_the_heads_makes_another_number_of_them() -> None:
    assert CostState().with_d_k(96).heads == 8
    assert CostState().with_d_k(96).d_k == 96
    with pytest.raises(ExplorerError, match=r"heads of 100: that would be 7\.68"):
        CostState().with_d_k(100)
    with pytest.raises(ExplorerError, match="at most 1024 heads"):
        replace(CostState(), d_model=4096, heads=1).with_d_k(1)


# ---- How numbers are written ----


def test_large_numbers() -> None:
    assert [plain(grouped(number)) for number in (0, 9999, 10_000, 1_048_576)] == ["0", "9999", "10 000", "1 048 576"]
    sizes = (1023, 1024, 4 * 2**20, 576 * 2**20, 1200 * 4 * 2**20, 4 * 10**10, 1023 * 2**20 + 2**19)
    words = ["1023 B", "1 KiB", "4 MiB", "576 MiB", "4.69 GiB", "37.3 GiB", "1 GiB"]
    assert [plain(memory_words(size)) for size in sizes] == words
    assert plain(operation_words(17_716_740_096)) == "17.7 GFLOP"
    assert plain(operation_words(12)) == "12 FLOP"
    assert plain(short_count(999_600)) == "1 M"
    assert plain(short_count(999_400)) == "999 k"
    assert plain(memory_words(2**90)).endswith("EiB")
    assert [plain(ratio_words(ratio)) for ratio in (4.0, 2.36364, 2.0065)] == ["× 4", "× 2.364", "× 2.006"]
    assert [plain(measured_ratio(ratio)) for ratio in (3.96, 9.97, 213.4)] == ["× 4.0", "× 10", "× 213"]
    assert [plain(share_words(share)) for share in (0.0, 1e-5, 0.114, 0.9999, 1.0)] == [
        "0.0 %",
        "<0.1 %",
        "11.4 %",
        ">99.9 %",
        "100.0 %",
    ]
    assert [plain(time_words(seconds)) for seconds in (2e-5, 0.0123, 1.54)] == ["20 µs", "12.3 ms", "1.54 s"]


# ---- One layer ----


@pytest.mark.parametrize("ready", COST_PRESETS, ids=lambda ready: ready.id)
def test_the_terms_add_up_to_the_layer(ready) -> None:
    picture = layer_picture(ready.state)
    state = ready.state
    cost = ModelSize(
        state.n, state.d_model, state.heads, d_ff=state.d_ff, window=state.window if state.windowed else None
    )
    assert picture.operations == (cost.layer_flops, cost.at(2 * state.n).layer_flops)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt2", ["1 048 576", "4 MiB", "576 MiB", "72 MiB"]),
        ("gpt2-xl", ["4 MiB", "4.69 GiB", "600 MiB"]),
        ("long", ["10 000 000 000", "37.3 GiB"]),
        ("gpt3", ["8 MiB", "72 GiB"]),
    ],
)
def test_what_the_matrices_of_a_preset_hold(name, said) -> None:
    picture = layer_picture(preset(name).state)
    words = plain("\n".join(amount_words(picture, amount) for amount in picture.amounts))
    for number in said:
        assert number in words


def test_the_formulas_with_their_numbers_give_the_counts() -> None:
    for ready in COST_PRESETS:
        picture = layer_picture(ready.state)
        for formula, count in [(term.filled, term.operations) for term in picture.terms] + [
            (amount.filled, amount.elements) for amount in picture.amounts
        ]:
            code = plain(formula).replace(" ", "").replace("·", "*").replace("²", "**2")
            assert eval(code) == count, formula  # noqa: S307 - our own formula


def test_the_sentences_of_gpt2_small() -> None:
    picture = layer_picture(CostState())
    words = "\n".join(notes(CostState()))
    assert "Twice the words, four times the square." in words
    assert "At n = 4608 both cost the same. Beyond that, comparing words is most of the work." in words
    assert VIEWS[CostPicture.LAYER].picture.panel(picture).formula == "6 · d_model = 6 · 768 = 4608"
    other = layer_picture(replace(CostState(), d_ff=1000))
    assert VIEWS[CostPicture.LAYER].picture.panel(other).formula == f"2 · d_model + d_ff = {2 * 768 + 1000}"
    assert "1 207 959 552 operations: as many as 12 products of 2·n·d·d_k = 100 663 296" in words
    assert plain(total_words(picture, True)).endswith("41 875 931 136 ÷ 17 716 740 096 = 2.3636")
    scores = plain(term_words(picture, picture.terms[0]))
    assert "2·n²·d = 2 · 1024² · 768 = 1 610 612 736 operations, 9.1 % of the layer; × 4 on doubling n" in scores


def test_a_window_changes_formulas_and_says_what_it_saves() -> None:
    picture = layer_picture(preset("window").state)
    words = plain("\n".join(layer_sentences(picture)))
    assert "The window leaves each query 4096 keys: 95.9 % of the matrix is never computed." in words
    assert "37.3 GiB instead of 1.53 GiB" in words
    assert picture.terms[0].formula == "2·n·w·d"
    assert all(term.growth == 2.0 for term in picture.terms)


def test_heads_that_do_not_share_are_refused_in_words_everywhere() -> None:
    state = replace(CostState(), heads=11)
    for picture in (CostPicture.LAYER, CostPicture.GROWTH, CostPicture.REACH):
        uneven = replace(state, picture=picture)
        reason = VIEWS[picture].picture.compute(uneven, (1, 1)).reason
        assert reason.startswith("d_model = 768 cannot be shared equally by 11 heads")
        with pytest.raises(ExportError, match="by 11 heads"):
            numbers_of(uneven)
        assert notes(uneven) == [NOTHING, reason]
        assert headline(uneven) == NOTHING
        assert "heads = 11" in plain(VIEWS[picture].settings(uneven))
        assert "d_k" not in plain(VIEWS[picture].settings(uneven))


# ---- Presets ----


def test_a_preset_is_itself_whatever_is_looked_at() -> None:
    for ready in COST_PRESETS:
        for view in VIEWS.values():
            assert view.example(ready.state) is ready
            assert view.example(replace(ready.state, picture=CostPicture.REACH, quantity=Quantity.BYTES)) is ready
            assert view.example(ready.state.with_sizes(n=ready.state.n + 1)) is None


def test_what_the_presets_claim() -> None:
    base = layer_picture(preset("base").state).cost
    assert base is not None
    assert base.quadratic_flops / base.layer_flops == pytest.approx(1 / 7)
    gpt3 = layer_picture(preset("gpt3").state).cost
    assert gpt3 is not None
    assert gpt3.quadratic_flops / gpt3.layer_flops < 0.03
    assert (gpt3.balance_tokens, gpt3.d_k) == (73728, 128)
    tutorial = layer_picture(preset("tutorial").state).cost
    assert tutorial is not None
    assert round(100 * tutorial.quadratic_flops / tutorial.layer_flops, 1) == 0.3


@pytest.mark.parametrize("picture", CostPicture)
def test_every_picture_has_a_title_settings_and_truths(picture) -> None:
    for windowed in (False, True):
        state = replace(CostState(), picture=picture, windowed=windowed)
        for text in (VIEWS[picture].settings(state), *notes(state), truths(state)):
            assert text
        assert len(notes(state)) > 1


# ---- What is said, whatever the sizes are ----

SAID = (Path(__file__).parents[1] / "data" / "tutorial_sentences.txt").read_text("utf-8").lower()


@pytest.mark.parametrize("n", [1, 10, 1024, 4608, 30_000, 100_000, 1_000_000])
def test_the_matrix_is_four_times_as_large_and_the_layer_less(n: int) -> None:
    state = replace(CostState(), n=n)
    cost, picture = cost_of(state), VIEWS[CostPicture.LAYER].picture
    assert headline(state) == "Twice the words, four times the square."
    terms, amounts = picture.table(layer_picture(state)).items
    assert plain(amounts.rows[2][-1]) == "× 4"
    assert {plain(row[-1]) for row in terms.rows} == {"× 4", "× 2"}
    said = "\n".join(notes(state))
    assert f" = {cost.doubling_ratio:.4f}." in said
    share = plain(share_words(cost.quadratic_flops / cost.layer_flops))
    assert f"The n² part (scores and weights · V) is {share} of the layer’s operations." in said
    assert "stores none, for some more operations" in truths(state)
    growth = replace(state, picture=CostPicture.GROWTH)
    factor = f"{cost.doubling_ratio:.3g}"
    assert headline(growth) == f"Twice the words, {'twice' if factor == '2' else f'{factor} times'} the operations."
    assert f"From n = {plain(grouped(n))} to {plain(grouped(2 * n))}: " in "\n".join(notes(growth))
    assert plain(ratio_words(cost.doubling_ratio)) in "\n".join(notes(growth))


OWN = {"Measure here"}
"""What the program calls something itself."""


@pytest.mark.parametrize("windowed", [False, True])
@pytest.mark.parametrize("picture", CostPicture)
def test_quotation_marks_stand_around_what_a_tutorial_says(picture: CostPicture, windowed: bool) -> None:
    state = replace(CostState(), picture=picture, windowed=windowed)
    sentences = [*notes(state), truths(state), *(ready.look_for for ready in COST_PRESETS)]
    for passage in set(re.findall(r"“([^”]*)”", " ".join(sentences))) - OWN:
        assert passage.strip(" …").lower() in SAID


def test_a_window_of_one_key_reaches_nobody() -> None:
    state = replace(CostState(), picture=CostPicture.REACH, windowed=True, window=1)
    assert headline(state) == "With a window of 1, no token sees another."
    assert "never" in [
        reading.number for reading in VIEWS[state.picture].picture.panel(reach_picture(state)).items[0].readings
    ]


@pytest.mark.parametrize(("one", "other"), [("cat", "dog"), ("a cat sat", "a cat sat")])
def test_weights_that_do_not_differ_are_not_said_to(one: str, other: str) -> None:
    state = CostState(picture=CostPicture.INPUTS, sentence=one, other_sentence=other)
    assert inputs_picture(state).difference == 0.0
    assert headline(state) == "The same weights: the same operations."
    said = " ".join(inputs_sentences(inputs_picture(state)))
    tokens = "1 token" if one == "cat" else "3 tokens"
    assert re.search(rf"^First {tokens}: (.+) operations\. Second {tokens}: \1 operations\.", said)
    assert "differ by" not in said


# ---- Growth ----


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("quantity", Quantity)
@pytest.mark.parametrize("windowed", [False, True])
def test_both_parts_are_equal_at_the_crossover(scope, quantity, windowed) -> None:
    state = replace(CostState(), scope=scope, quantity=quantity, windowed=windowed, window=8192)
    equal = growth_picture(state).crossover
    assert equal is not None
    cost = ModelSize(round(equal), 768, 12, d_ff=3072, window=state.window_shown)
    square, flat = parts(cost, state)
    assert square == flat


def test_a_narrow_window_never_lets_the_n2_part_overtake() -> None:
    picture = growth_picture(replace(CostState(), windowed=True, window=4096))
    assert picture.crossover is None
    assert (picture.curve("square").values < picture.curve("flat").values).all()
    assert "never overtake" in VIEWS[CostPicture.GROWTH].picture.panel(picture).sentence


def test_the_slopes_are_one_and_two() -> None:
    picture = growth_picture(CostState())
    logs = np.log(picture.lengths)
    for style, slope in (("square", 2.0), ("flat", 1.0)):
        np.testing.assert_allclose(np.diff(np.log(picture.curve(style).values)) / np.diff(logs), slope, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 1024, 100_000, LONGEST])
def test_curves_go_through_n_and_2n(n) -> None:
    state = CostState().with_sizes(n=n)
    picture = growth_picture(state)
    assert picture.lengths[0] <= n
    assert 2 * n <= picture.lengths[-1]
    assert doubling_of(picture) == pytest.approx(ModelSize(n, 768, 12).doubling_ratio)
    assert doubling_of(growth_picture(replace(state, quantity=Quantity.NUMBERS))) == 4.0


def test_a_curve_says_its_formula_with_numbers() -> None:
    words = plain(curve_words(growth_picture(CostState()), 1024))
    assert "n = 1024: 4·n²·d = 3.22 GFLOP, 8·n·d² + 4·n·d·d_ff = 14.5 GFLOP, together 17.7 GFLOP; × 2.364" in words
    kept = replace(CostState(), quantity=Quantity.BYTES, scope=Scope.MODEL)
    words = plain(curve_words(growth_picture(kept), 1024))
    assert "L·h·n²·4 = 576 MiB" in words
    assert "L·h·2·n·d_k·4 = 72 MiB" in words


# ---- Measuring ----


class Clock:
    """Every second reading is ``seconds`` after the one before."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds, self.readings = 0.0, seconds, 0

    def __call__(self) -> float:
        self.readings += 1
        if self.readings % 2 == 0:
            self.now += self.seconds
        return self.now


def test_measuring_runs_each_length_and_reports_rising_shares() -> None:
    state = replace(CostState(), longest_measured=512, d_model=64, heads=4, precision=Precision.FLOAT64)
    shares, found = zip(*measured(state, Clock(0.25)), strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1.0
    last = found[-1]
    assert (last.d_k, last.precision) == (16, Precision.FLOAT64)
    assert [point.n for point in last.points] == list(lengths_measured(state)) == [256, 512]
    # 3 runs of 0.25 s are enough.
    assert [point.seconds for point in last.points] == [(0.25,) * 3] * 2
    assert last.ratios == (1.0,)
    assert last.heads is not None
    assert (last.heads.heads, last.heads.d_model) == (4, 64)
    assert 0 <= last.heads.difference < 1e-12


def test_short_runs_are_repeated_more_often() -> None:
    state = replace(CostState(), longest_measured=512, d_model=64, heads=4)
    *_, (_, last) = measured(state, Clock(1e-3))
    assert [len(point.seconds) for point in last.points] == [cost_measure.MOST] * 2


def test_the_arrays_are_those_of_the_settings_and_the_same_each_time(monkeypatch) -> None:
    seen = []
    original = cost_measure.scaled_dot_product_attention

    def spy(q, k, v):
        seen.append((q.shape, q.dtype.name, float(q[0, 0])))
        return original(q, k, v)

    monkeypatch.setattr(cost_measure, "scaled_dot_product_attention", spy)
    state = replace(CostState(), longest_measured=512, precision=Precision.FLOAT16)
    for _ in range(2):
        list(measured(state, Clock(1.0)))
    # The model layer takes float16 as float32.
    assert {(shape, dtype) for shape, dtype, _ in seen} == {((256, 64), "float32"), ((512, 64), "float32")}
    assert len({number for _, _, number in seen}) == 1


def test_too_little_memory_is_said_in_words(monkeypatch) -> None:
    def exhausted(*_arrays):
        raise MemoryError

    monkeypatch.setattr(cost_measure, "scaled_dot_product_attention", exhausted)
    with pytest.raises(ExplorerError, match=r"256 × 256 matrix of float32\. Measure up to 128"):
        list(measured(CostState()))


def test_heads_too_wide_or_uneven_are_not_compared() -> None:
    wide = replace(CostState(), longest_measured=512, d_model=4096, heads=64)
    *_, (_, last) = measured(wide, Clock(1.0))
    assert last.heads is None


MEASURED = Measurement(
    64,
    Precision.FLOAT32,
    tuple(MeasuredPoint(n, (0.002 * s, 0.001 * s)) for n, s in ((512, 1.0), (1024, 2.5), (2048, 11.25))),
)


@pytest.mark.parametrize("quantity", Quantity)
@pytest.mark.parametrize("scope", Scope)
def test_the_first_point_lies_on_the_n2_line(quantity, scope) -> None:
    state = replace(CostState(), quantity=quantity, scope=scope)
    picture = growth_picture(state, MEASURED)
    on_line = picture.value_at(picture.curve("square"), 512)
    assert picture.per_second * 0.001 == pytest.approx(on_line)
    assert picture.is_of_these_settings
    assert not growth_picture(state.with_d_k(96), MEASURED).is_of_these_settings
    assert growth_picture(replace(state, precision=Precision.FLOAT16), MEASURED).is_of_these_settings  # the same runs
    assert not growth_picture(replace(state, precision=Precision.FLOAT64), MEASURED).is_of_these_settings


def test_with_a_window_the_first_point_lies_on_the_line_without_it() -> None:
    picture = growth_picture(replace(CostState(), windowed=True, window=16), MEASURED)
    assert picture.per_second * 0.001 == pytest.approx(picture.value_at(picture.curve("unwindowed"), 512))


def test_measured_points_are_told_with_what_n2_would_say() -> None:
    picture = growth_picture(CostState(), MEASURED)
    words = plain(point_words(picture, 1))
    assert (
        "n = 1024, 2.5 ms, the fastest of 2 runs (the slowest 5 ms); × 2.5 of n = 512, where n² would be × 4" in words
    )
    assert "4·n²·d_k = 268 MFLOP: 107 GFLOP/s" in words
    sentences = plain("\n".join(growth_sentences(picture)))
    assert "512→1024 × 2.5, 1024→2048 × 4.5. n² would be × 4." in sentences


# ---- Reach ----


def test_tenth_powers_of_the_decay() -> None:
    words = truths(CostState(picture=CostPicture.REACH))
    assert "ρ¹⁰ = 0.90, 0.60, 0.35, 0.11, 0.03 for ρ = 0.99, 0.95, 0.9, 0.8, 0.7" in words
    for decay in (0.99, 0.7):
        said = " ".join(notes(CostState(picture=CostPicture.REACH, decay=decay)))
        assert f"ρ¹⁰ = {decay**10:.2f} is left" in said


def test_strips_of_the_four_kinds() -> None:
    picture = reach_picture(replace(CostState(), n=20, context=3, decay=0.5, windowed=True, window=5))
    bigram, fixed, recurrent, attention = (strip.values for strip in picture.strips)
    for strip, reach in ((bigram, 1), (fixed, 3), (attention, 4)):
        np.testing.assert_array_equal(strip[:19], [1.0] * reach + [0.0] * (19 - reach))
    np.testing.assert_allclose(recurrent[:19], 0.5 ** np.arange(1, 20))
    for strip in picture.strips:
        assert np.isnan(strip.values[19:]).all()
        assert len(strip.values) == FARTHEST
    assert strip_words(picture, 2, 2) == "recurrent state, 3 tokens back: ρ^3 = 0.5^3 = 0.125 of it is left"
    assert strip_words(picture, 0, 22) == "bigram, 23 tokens back: there are only 20 tokens"
    assert strip_words(picture, 3, 4).endswith("outside the window, in this layer")


@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_a_state_that_forgets_at_once_or_never(decay) -> None:
    values = reach_picture(replace(CostState(), decay=decay)).strips[2].values
    assert (values == decay).all()


def test_steps_and_paths_of_both_layers() -> None:
    rows = {row.name: row for row in reach_picture(CostState()).rows}
    path = rows["longest path"]
    assert (path.recurrent, path.attention) == ("1023 steps", "1 layer")
    assert rows["steps, reading"].attention == "1"
    writing = rows["steps, writing"]
    assert writing.recurrent == writing.attention == "n = 1024"
    work = plain(rows["operations"].words)
    assert f"{plain(grouped(4 * 1024 * 768**2))}" in work
    assert f"{plain(grouped(8 * 1024 * 768**2 + 4 * 1024**2 * 768))}" in work
    windowed = {row.name: row for row in reach_picture(preset("window").state).rows}
    assert windowed["longest path"].attention == "25 layers"
    alone = {row.name: row for row in reach_picture(replace(CostState(), windowed=True, window=1)).rows}
    assert alone["longest path"].attention == "never"


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_tokens_have_a_picture(n) -> None:
    state = CostState().with_sizes(n=n)
    assert reach_picture(state).rows[0].recurrent.startswith(str(n - 1))
    assert layer_picture(state).amounts[0].elements == n * n


# ---- Inputs ----


def test_inputs_of_one_length_take_the_same_operations_with_other_weights() -> None:
    picture = inputs_picture(preset("inputs").state)
    assert picture.is_same_list
    assert picture.products[0] == picture.products[1]
    for words, map_ in zip(picture.tokens, picture.maps, strict=True):
        first_head = toy_layers(ToyRecipe(" ".join(words), d_model=64, heads=8))[0].maps[0]
        np.testing.assert_array_equal(map_.values, first_head.weights())
    assert picture.difference is not None
    assert picture.difference > 0.1
    cost = ModelSize(6, 64, 8)
    assert picture.totals == (cost.layer_flops - cost.feed_forward_flops,) * 2
    assert headline(preset("inputs").state) == "Other words, other weights: the same operations."
    six = f"6 tokens: {plain(grouped(picture.totals[0]))} operations."
    assert plain(inputs_sentences(picture)[0]) == f"First {six} Second {six}"
    assert f"differ by up to {picture.difference:.3f}." in inputs_sentences(picture)[1]
    assert product_words(picture, 1).endswith("operations, for either input")
    assert weight_words(picture, 0, 1).count("attends to") == 2


def test_inputs_of_two_lengths_do_not() -> None:
    state = replace(preset("inputs").state, other_sentence="one two three")
    picture = inputs_picture(state)
    assert not picture.is_same_list
    assert headline(state) == "Other lengths, other operations."
    assert picture.difference is None
    assert "differ by" not in " ".join(inputs_sentences(picture))
    three = ModelSize(3, 64, 8)
    assert picture.totals[1] == three.layer_flops - three.feed_forward_flops
    assert "for the first input" in product_words(picture, 1)
    assert weight_words(picture, 5, 5).count("attends to") == 1


def test_an_empty_or_endless_input() -> None:
    assert inputs_picture(replace(CostState(), sentence="  ")).reason.startswith("Type at least one word")
    long = inputs_picture(replace(CostState(), sentence="word " * 500))
    assert len(long.tokens[0]) == 24
    assert inputs_sentences(long)[-1] == "Only the first 24 tokens of an input are used."


# ---- Export ----


def pictures():
    state = preset("gpt2").state
    return [
        layer_picture(state),
        growth_picture(replace(state, picture=CostPicture.GROWTH), MEASURED),
        reach_picture(replace(state, picture=CostPicture.REACH, n=5)),
        inputs_picture(replace(state, picture=CostPicture.INPUTS)),
    ]


@pytest.mark.parametrize("picture", pictures(), ids=lambda picture: picture.state.picture.value)
def test_numbers_can_be_read_back(picture) -> None:
    numbers = numbers_of(picture.state, picture)
    document, arrays = json.loads(json_text(numbers)), numbers.arrays
    assert {name: document[name] for name in arrays} == {
        name: json.loads(json.dumps(array.tolist()).replace("NaN", "null")) for name, array in arrays.items()
    }
    assert document["what"].startswith(VIEWS[picture.state.picture].picture.headline(picture))
    assert document["what"].endswith(VIEWS[picture.state.picture].settings(picture.state))
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as file:
        assert json.loads(str(file["parameters"]))["picture"] == picture.state.picture.value
        assert set(file.files) == {*numbers.arrays, "parameters"}


def test_lines_of_files_are_what_is_counted() -> None:
    layer, growth, reach, inputs = (
        [*csv.DictReader(io.StringIO(csv_text(numbers_of(each.state, each))))] for each in pictures()
    )
    assert [int(row["count"]) for row in layer[:5]] == numbers_of(pictures()[0].state, pictures()[0]).arrays[
        "operations"
    ].tolist()
    assert {"what": "KV cache, model", "formula": "L·2·n·d", "unit": "numbers"}.items() <= layer[8].items()
    values = [float(row["value"]) for row in growth if not row["run"]]
    np.testing.assert_allclose(values, np.ravel([curve.values for curve in pictures()[1].curves]))
    left = [float(row["left"]) for row in reach if row["what"] == "recurrent state" and row["left"]]
    np.testing.assert_allclose(left, [0.9**back for back in range(1, 5)])
    assert {row["input"] for row in inputs} == {"1", "2"}
    assert sum(int(row["operations"]) for row in inputs if row["input"] == "1") == pictures()[3].totals[0]


def test_files_of_a_layer_have_the_formulas_of_their_counts() -> None:
    picture = pictures()[0]
    formulas = json.loads(json_text(numbers_of(picture.state, picture)))["formulas"]
    assert formulas == {each.name: each.formula for each in (*picture.terms, *picture.amounts)}
    assert formulas["scores Q·Kᵀ"] == "2·n²·d"


def test_measured_seconds_are_exported_run_by_run() -> None:
    growth = pictures()[1]
    numbers = numbers_of(growth.state, growth)
    document = json.loads(json_text(numbers))
    assert document["measured"]["points"][0] == {"n": 512, "seconds": [0.002, 0.001]}
    rows = [row for row in csv.DictReader(io.StringIO(csv_text(numbers))) if row["curve"] == "measured here, seconds"]
    assert [(row["n"], row["run"], float(row["value"])) for row in rows[:2]] == [
        ("512", "1", 0.002),
        ("512", "2", 0.001),
    ]
    np.testing.assert_allclose(numbers.arrays["measured_seconds"], [0.001, 0.0025, 0.01125])
    assert "measured" not in json.loads(json_text(numbers_of(replace(CostState(), picture=CostPicture.GROWTH))))


def test_counts_beyond_int64_keep_every_digit() -> None:
    state = CostState().with_sizes(n=LONGEST, d_model=2**17, heads=1024, layers=1000)
    picture = layer_picture(state)
    numbers = numbers_of(state, picture)
    assert [int(text) for text in numbers.arrays["operations"]] == [term.operations for term in picture.terms]
    assert max(term.operations for term in picture.terms) > 2**63
    assert math.isfinite(growth_picture(state).curve("total").values[-1])


def test_what_the_softmax_adds_is_a_share_of_this_layer() -> None:
    state = CostState(n=512, d_model=512, heads=8, d_ff=2048)
    layer = 8 * 512 * 512**2 + 4 * 512**2 * 512 + 4 * 512 * 512 * 2048
    said = f"{100 * 5 * 8 * 512**2 / layer:.1f}\N{NO-BREAK SPACE}%"
    assert layer_sentences(layer_picture(state))[-1].endswith(f"the softmax, which adds {said}.")


# ---- What is not true of every state, though it is said of every one ----


def test_a_window_is_not_said_to_make_everything_double_where_it_does_not() -> None:
    wide = replace(CostState(), windowed=True, window=5000)
    assert layer_picture(wide).amounts[2].growth == 4.0
    assert "With a window everything does" not in truths(wide)


def test_files_of_growth_say_of_what_and_of_how_much_they_are() -> None:
    states = [
        replace(CostState(), picture=CostPicture.GROWTH, quantity=quantity, scope=scope)
        for quantity in Quantity
        for scope in Scope
    ]
    said = [json.dumps(dict(numbers_of(state).parameters), sort_keys=True) for state in states]
    assert len(set(said)) == len(states)
