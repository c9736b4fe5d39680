"""The presets and the words of scores and of the softmax bench, and their numbers as files."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npz_bytes

from attention_explorer.errors import ExportError
from attention_explorer.model.normal import normal_tail
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.bench import Fault, bench_numbers, bench_picture
from attention_explorer.pages.lab.bench_said import bench_said
from attention_explorer.pages.lab.score_rows import Measure
from attention_explorer.pages.lab.scores import scores_numbers, scores_picture, scores_stream
from attention_explorer.pages.lab.scores_export import scaling_numbers
from attention_explorer.pages.lab.scores_growth import growth_picture, growth_stream
from attention_explorer.pages.lab.scores_presets import SCALING_PRESETS, scaling_preset
from attention_explorer.pages.lab.scores_said import growth_said, scores_said
from attention_explorer.pages.lab.scores_state import BenchState, GainRule, Precision, ScalingPicture, ScalingState
from attention_explorer.pages.lab.scores_wording import measured, settings_words, share, verdict


def test_presets_have_names_of_their_own_and_know_them() -> None:
    assert len({ready.id for ready in SCALING_PRESETS}) == len(SCALING_PRESETS)
    assert all(ready.state.preset == ready.id for ready in SCALING_PRESETS)
    assert scaling_preset("nothing of the kind") is SCALING_PRESETS[0]
    assert SCALING_PRESETS[0].state == ScalingState()


@pytest.mark.parametrize("ready", SCALING_PRESETS, ids=lambda ready: ready.id)
def test_a_preset_has_its_verdict_until_it_is_changed(ready) -> None:
    said = verdict(ready.state)
    assert (said.title, said.text, said.claim) == (f"{ready.verdict}.", ready.truth, ready.claim)
    if ready.state.picture is ScalingPicture.BENCH:
        changed = replace(ready.state, bench=replace(ready.state.bench, factor=1.5))
    else:
        changed = replace(ready.state, d_k=24)
    assert verdict(changed).claim == ""
    assert verdict(changed).text != ready.truth


@pytest.mark.parametrize(
    ("identifier", "fault"),
    [("overflow", Fault.NAN), ("silent", Fault.SILENT), ("half", Fault.NAN), ("gap", Fault.NONE)],
)
def test_presets_of_the_bench_fail_as_they_say(identifier: str, fault: Fault) -> None:
    bench = scaling_preset(identifier).state.bench
    assert bench_picture(bench).fault is fault
    assert bench_picture(replace(bench, subtract_max=True)).fault is Fault.NONE


def test_presets_call_what_overflows_as_the_picture_does() -> None:
    said = [text for ready in SCALING_PRESETS for text in (ready.look_for, ready.truth)]
    assert any("∞" in text for text in said)
    assert not [text for text in said if re.search(r"\binf\b", text)]


def test_the_numbers_in_the_preset_of_the_wrong_axis_are_true() -> None:
    ready = scaling_preset("axis")
    sums = bench_picture(ready.state.bench).row_sums
    assert " and ".join((f"{sums[0]:.2f}, {sums[1]:.2f}", f"{sums[2]:.2f}")) in ready.truth


def test_the_verdict_of_other_settings_has_their_numbers() -> None:
    projected = ScalingState(source=ScoreSource.PROJECTED, d_model=100, gain=0.2)
    assert "100·0.2² = 4.00" in verdict(projected).text
    assert "which grows with d_k" in verdict(replace(projected, follows=True)).text
    assert "at every d_k" in verdict(replace(projected, follows=True, rule=GainRule.NORMALISED)).text
    assert "√16 = 4.00" in verdict(ScalingState(d_k=16)).text
    assert "saturates" in verdict(ScalingState(d_k=100, scaled=False)).text
    assert "is about 4.00 after scaling" in verdict(ScalingState(source=ScoreSource.EMBEDDINGS, d_k=16)).text


def test_the_bench_says_what_has_happened() -> None:
    def said(**settings: object) -> str:
        bench = BenchState(((90.0, 89.0),), **settings)  # type: ignore[arg-type]
        return verdict(ScalingState(picture=ScalingPicture.BENCH, bench=bench)).title

    assert "NaN" in said(precision=Precision.SINGLE, subtract_max=False)
    assert "differences" in said(precision=Precision.SINGLE)
    assert "wrong axis" in said(over_queries=True)
    single = ScalingState(picture=ScalingPicture.BENCH, bench=BenchState(((5.0,),), over_queries=True))
    assert verdict(single).title == "The wrong axis, though here rows sum to 1.", "one key: its weight is 1"


def test_the_bench_does_not_call_rows_sound_that_are_not_looked_at() -> None:
    bench = BenchState(((12.0, 3.0), (1000.0, 2.0), (709.5, 709.4)), subtract_max=False)
    assert (
        "something goes wrong in queries 2 and 3"
        in verdict(ScalingState(picture=ScalingPicture.BENCH, bench=bench)).text
    )
    sound = replace(bench, rows=bench.rows[:1])
    assert "No exponential overflows here." in verdict(ScalingState(picture=ScalingPicture.BENCH, bench=sound)).text


def test_numbers_have_the_digits_they_deserve() -> None:
    assert measured(Measure(8.0176, 0.0389)) == "8.02"
    assert measured(Measure(0.41737, 0.0021)) == "0.417"
    assert measured(Measure(1234.567, 55.0)) == "1234.6"
    assert measured(Measure(2.69e-10, 2e-12)) == "2.69·10⁻¹⁰"
    assert measured(Measure(2.69e-10, 2e-10)) == "3·10⁻¹⁰"
    assert measured(Measure(2.69e-10, 9e-10)) == "3·10⁻¹⁰"
    assert measured(Measure(0.5, float("nan"))) == "0.500"
    assert [share(number).replace("\u00a0", " ") for number in (0.0, 1.0, 0.1854, 0.00054, 1e-7, 1e-90)] == [
        "0 %",
        "100 %",
        "18.5 %",
        "0.05 %",
        "1.00·10⁻⁵ %",
        "≈ 0 %",
    ]


def test_settings_are_written_down() -> None:
    words = settings_words(ScalingState(source=ScoreSource.PROJECTED, follows=True, rule=GainRule.HE, keys=7))
    assert "d_model = d_k" in words
    assert "√(2/d_model)" in words
    assert "7 tokens" in words
    bench = BenchState(((1.0, 2.0),), shift=3.0, precision=Precision.HALF, subtract_max=False)
    words = settings_words(ScalingState(picture=ScalingPicture.BENCH, bench=bench))
    assert "1, 2" in words
    assert "3.00 added" in words
    assert "float16, largest score left in" in words


# ---- Files ----


def test_numbers_come_with_their_settings() -> None:
    state = ScalingState(draws=200, d_k=16)
    arrays = scores_numbers(scores_picture(state))
    numbers = scaling_numbers(state, arrays)
    document = json.loads(json_text(numbers))
    assert document["settings"]["d_k"] == 16
    assert document["settings"]["seed"] == 42
    assert "bench" not in document["settings"]
    np.testing.assert_allclose(document["histogram"], arrays["histogram"])
    table = list(csv.DictReader(io.StringIO(csv_text(numbers))))
    counts = [float(line["value"]) for line in table if line["array"] == "histogram" and line["column"] == "2"]
    assert counts == arrays["histogram"][:, 2].tolist()
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as file:
        np.testing.assert_array_equal(file["std_raw"], arrays["std_raw"])


def test_nan_is_null_in_json_and_nan_in_arrays() -> None:
    state = scaling_preset("overflow").state
    numbers = scaling_numbers(state, bench_numbers(bench_picture(state.bench)))
    assert json.loads(json_text(numbers))["weights"] == [[None, None, None]]
    assert np.isnan(numbers.arrays["weights"]).all()
    assert json.loads(json_text(numbers))["settings"]["bench"]["subtract_max"] is False


def test_nothing_cannot_be_exported() -> None:
    with pytest.raises(ExportError, match="no numbers"):
        scaling_numbers(ScalingState(), {})


def test_the_share_of_scores_too_large_for_float16_is_true() -> None:
    share_above = 0.5 * normal_tail(Precision.HALF.exp_limit, np.sqrt(512))
    assert f"{100 * share_above:.0f} % of them are larger" in scaling_preset("half").truth


GIVEN = {"0.167", "0.3", "0.09", "5.76", "0.72", "0.74", "1.41"}
"""Decimals in the words of a growth preset that are settings, follow from them, or are a range over every d_k."""


@pytest.mark.parametrize(
    "ready",
    [each for each in SCALING_PRESETS if each.state.picture is ScalingPicture.GROWTH],
    ids=lambda ready: ready.id,
)
def test_words_beside_measured_numbers_have_the_same_numbers(ready) -> None:
    growth = growth_picture(ready.state)
    summaries = [growth.point_at(d_k).of(scaled) for d_k in (2, 64) for scaled in (False, True)]
    names = ("std", "largest", "entropy", "gradient", "own")
    found = [getattr(each, name).value for each in summaries for name in names if getattr(each, name) is not None]
    said = set(re.findall(r"\d+\.\d+", f"{ready.look_for} {ready.truth}")) - GIVEN
    for number in said:
        decimals = len(number.partition(".")[2])
        assert any(f"{value:.{decimals}f}" == number for value in found), number


# ---- What tutorials say ----

SAID = (Path(__file__).parents[1] / "data" / "tutorial_sentences.txt").read_text("utf-8")
"""Passages of the tutorials that presets judge, word for word."""


@pytest.mark.parametrize("ready", SCALING_PRESETS, ids=lambda ready: ready.id)
def test_quotation_marks_stand_around_what_a_tutorial_says(ready) -> None:
    quoted = re.findall(r"“([^”]*)”", ready.claim)
    assert quoted or ready.claim.startswith("You might think that ")
    for passage in quoted:
        assert passage.strip(" …").lower() in SAID.lower()


# ---- What stays true when settings are changed ----


def notes_of(state: ScalingState) -> str:
    if state.picture is ScalingPicture.BENCH:
        return " ".join(bench_said(bench_picture(state.bench)))
    is_growth = state.picture is ScalingPicture.GROWTH
    return " ".join(growth_said(growth_picture(state)) if is_growth else scores_said(scores_picture(state)))


@pytest.mark.parametrize("source", ScoreSource)
def test_one_key_takes_all_whatever_its_score(source: ScoreSource) -> None:
    text = verdict(ScalingState(source=source, keys=1, d_k=100, scaled=False)).text
    assert "always 1" in text or "the weight 1" in text
    assert "saturates" not in text
    assert "grows with d_k, scaled or not" not in text


@pytest.mark.parametrize("rule", GainRule)
def test_a_variance_of_1_is_not_called_another(rule: GainRule) -> None:
    text = notes_of(ScalingState(source=ScoreSource.PROJECTED, d_model=16, rule=rule, draws=10))
    variance = {GainRule.NUMBER: 1.44, GainRule.NORMALISED: 1.0, GainRule.HE: 2.0}[rule]
    assert f" = {variance:.2f}. So the scores of different tokens spread by {variance:.2f}·√64, after" in text
    assert "not 1" not in text


def test_what_two_different_tokens_score_is_told_from_all_scores() -> None:
    text = notes_of(replace(scaling_preset("gain").state, draws=10))
    assert "different tokens spread by 8.00·√8, after the scaling by 8.00; with those of tokens with themselves" in text
    assert scaling_preset("gain").state.setting.predicted_std(True) == pytest.approx(8.165, abs=5e-4)
    assert "themselves it is 8.165." in text


def test_the_hint_about_the_variance_holds_at_every_d_k() -> None:
    ready = scaling_preset("variance")
    assert "the scaled one keeps its width. At d_k = 2 it is more peaked." in ready.look_for
    few, many = (scores_picture(ready.state.with_d_k(d_k)) for d_k in (2, 64))
    assert few.axis_ends(True) == many.axis_ends(True)
    assert few.scaled.summary.std.value == pytest.approx(many.scaled.summary.std.value, rel=0.03)
    assert few.densities(True).max() > 1.3 * many.densities(True).max()


@pytest.mark.parametrize(
    ("picture", "stream", "said"),
    [(ScalingPicture.SCORES, scores_stream, scores_said), (ScalingPicture.GROWTH, growth_stream, growth_said)],
)
def test_draws_so_far_are_told_from_the_numbers_of_a_preset(picture: ScalingPicture, stream: Any, said: Any) -> None:
    ready = next(ready.state for ready in SCALING_PRESETS if ready.state.picture is picture)
    for state, is_judged in ((ready, True), (replace(ready, draws=ready.draws + 1), False)):
        first = next(found for _, found in stream(state) if found is not None)
        text = " ".join(said(first))
        assert "so far" in text
        assert ("What is said of the example is of all draws." in text) == is_judged


def told_of_bench(*rows: tuple[float, ...], **settings: object) -> str:
    state = ScalingState(picture=ScalingPicture.BENCH, bench=BenchState(rows, **settings))  # type: ignore[arg-type]
    said = verdict(state)
    return f"{notes_of(state)} {said.title} {said.text}"


@pytest.mark.parametrize(
    ("row", "precision", "told"),
    [
        ((709.5, 709.4), Precision.DOUBLE, "Here no exponential does, but their sum already does."),
        ((88.7, 88.6), Precision.SINGLE, "Here no exponential does, but their sum already does."),
        ((89.0, 1.0), Precision.SINGLE, "exp overflows above 88.72 in float32: here it does."),
        ((709.5, 1.0), Precision.DOUBLE, "The sum of these exponentials overflows from “×” 1.0004 on."),
        ((-1.0, -2.0), Precision.DOUBLE, "These scores never get there; but far below 0 every exp becomes 0"),
    ],
)
def test_what_overflows_is_told_as_it_is(row: tuple[float, ...], precision: Precision, told: str) -> None:
    assert told in told_of_bench(row, precision=precision, subtract_max=False)


def test_a_constant_moves_weights_where_it_does() -> None:
    row = (0.3, 0.1, -0.2)
    assert "moves no weight" in told_of_bench(row, shift=1000.0)
    assert "rounded more in float16" in told_of_bench(row, shift=1000.0, precision=Precision.HALF)
    assert "moves no weight" in told_of_bench(row, shift=1000.0, over_queries=True), "one query has no other beside it"
    assert "compete down the column" in told_of_bench(row, row[::-1], shift=1.0, over_queries=True)


def test_a_query_that_others_leave_nothing_is_not_called_broken() -> None:
    text = told_of_bench((1000.0, 1000.0), (0.0, 0.0), row=1, over_queries=True)
    assert "All weights are 0, and nothing says so." not in text
    assert "“Subtract max” prevents it" not in text
    half = told_of_bench((20.0, 20.0), (0.0, 0.0), row=1, over_queries=True, precision=Precision.HALF)
    assert "what is left is too small for float16" in half


def test_what_a_constant_may_not_do_is_named() -> None:
    text = told_of_bench((2.0, 1.0), subtract_max=False)
    assert "As long as the sum neither overflows nor becomes 0" in text
    assert bench_picture(BenchState(((2.0, 1.0),), shift=-800.0, subtract_max=False)).fault is Fault.NAN
