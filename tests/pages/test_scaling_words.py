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

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.errors import ExportError
from attention_explorer.kit.frame.view import View
from attention_explorer.model.normal import normal_tail
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.model.softmax import softmax
from attention_explorer.pages.lab.bench import (
    Fault,
    bench_headline,
    bench_numbers,
    bench_picture,
    bench_said,
    panel_sentence,
)
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.score_rows import Measure, score_pieces
from attention_explorer.pages.lab.scores import scores_numbers, scores_picture, scores_stream
from attention_explorer.pages.lab.scores_growth import (
    growth_headline,
    growth_picture,
    growth_said,
    growth_stream,
    measured,
    scores_headline,
    scores_said,
    share,
)
from attention_explorer.pages.lab.scores_state import BenchState, GainRule, ScalingPicture, ScalingState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.views import view_of
from attention_explorer.pages.preset_lists import preset_list

SCALING_PRESETS = preset_list("scaling")

VIEWS = {
    ScalingPicture.SCORES: view_of(LabView.WHY),
    ScalingPicture.GROWTH: view_of(LabView.AGAINST),
    ScalingPicture.BENCH: view_of(LabView.SOFTMAX),
}


def preset(name: str) -> Preset[ScalingState]:
    return preset_of(SCALING_PRESETS, name)


def view_for(state: ScalingState) -> View[Any]:
    return VIEWS[state.picture]


def caption(state: ScalingState) -> str:
    return view_for(state).settings(state).replace("\N{NO-BREAK SPACE}", " ")


def numbers_for(state: ScalingState, arrays: Any) -> Any:
    view = view_for(state)
    return view.numbers(state, view.picture.compute(state, (0, 0)), arrays)


@pytest.mark.parametrize("ready", SCALING_PRESETS, ids=lambda ready: ready.id)
def test_a_preset_has_its_verdict_until_it_is_changed(ready) -> None:
    view = view_for(ready.state)
    assert view.example(ready.state) is ready
    assert len(ready.truths) == 3, "a sentence, whether it holds, and what does"
    if ready.state.picture is ScalingPicture.BENCH:
        changed = replace(ready.state, bench=replace(ready.state.bench, factor=1.5))
    else:
        changed = replace(ready.state, d_k=24)
    assert view.example(changed) is None
    assert not set(ready.truths) & set(view.picture.truths)


@pytest.mark.parametrize(
    ("identifier", "fault"),
    [("overflow", Fault.NAN), ("silent", Fault.SILENT), ("half", Fault.NAN), ("gap", Fault.NONE)],
)
def test_presets_of_the_bench_fail_as_they_say(identifier: str, fault: Fault) -> None:
    bench = preset(identifier).state.bench
    assert bench_picture(bench).fault is fault
    assert bench_picture(replace(bench, subtract_max=True)).fault is Fault.NONE


def test_presets_call_what_overflows_as_the_picture_does() -> None:
    said = [text for ready in SCALING_PRESETS for text in (ready.look_for, ready.truths[2])]
    assert any("∞" in text for text in said)
    assert not [text for text in said if re.search(r"\binf\b", text)]


def test_the_numbers_in_the_preset_of_the_wrong_axis_are_true() -> None:
    ready = preset("axis")
    sums = bench_picture(ready.state.bench).row_sums
    assert " and ".join((f"{sums[0]:.2f}, {sums[1]:.2f}", f"{sums[2]:.2f}")) in ready.truths[2]


def test_what_is_said_of_other_settings_has_their_numbers() -> None:
    projected = ScalingState(source=ScoreSource.PROJECTED, d_model=100, gain=0.2, draws=10)
    assert "100·0.2² = 4.00" in notes_of(projected)
    assert "d_model·σ_w² = 16·0.2² = 0.64" in notes_of(replace(projected, follows=True, d_k=16)), "it grows with d_k"
    assert "d_model·σ_w² = 64·0.2² = 2.56" in notes_of(replace(projected, follows=True, d_k=64))
    for d_k, sigma in ((16, "0.25"), (64, "0.125")):
        normalised = replace(projected, follows=True, rule=GainRule.NORMALISED, d_k=d_k)
        assert f"d_model·σ_w² = {d_k}·{sigma}² = 1.00" in notes_of(normalised), "at every d_k"
    assert "√16 = 4.00" in notes_of(ScalingState(d_k=16, draws=10))
    own = notes_of(ScalingState(source=ScoreSource.EMBEDDINGS, d_k=16, draws=10))
    assert "x·x = ‖x‖², lie around 16." in own
    assert "spread around 0 by √16 = 4.00." in own


@pytest.mark.parametrize("scaled", [False, True])
def test_the_panel_says_how_many_rows_are_saturated(scaled: bool) -> None:
    state = ScalingState(d_k=100, draws=400, scaled=scaled)
    picture = scores_picture(state)
    raw = np.concatenate(list(score_pieces(picture.setting, picture.draws, state.seed))).reshape(-1, state.keys)
    panel = VIEWS[ScalingPicture.SCORES].picture.panel(picture)
    told = [reading.number.replace("\N{NO-BREAK SPACE}", " ") for reading in panel.items[0].readings]
    over = [100 * np.mean(softmax(scores).max(axis=1) > 0.99) for scores in (raw, raw / 10)]
    assert over[0] > 40
    assert over[1] < 5
    assert told == [f"{number:.0f} %" for number in over]
    assert "Where one key takes over 99 %, the slope is almost 0" in panel.sentence


@pytest.mark.parametrize("ready", [each for each in SCALING_PRESETS if each.state.picture is not ScalingPicture.BENCH])
def test_the_table_has_what_was_measured(ready) -> None:
    state = replace(ready.state, draws=100)
    view = view_for(state)
    picture = view.picture.compute(state, (0, 0))
    table = view.picture.table(picture)
    rows = {name.replace("\N{NO-BREAK SPACE}", " "): cells for name, *cells in table.rows}
    setting = state.setting_at(64) if state.picture is ScalingPicture.GROWTH else state.setting
    single = scores_picture(replace(state, d_k=setting.d_k))
    assert table.columns[-1].title == f"÷ √{setting.d_k}"
    for column, scaled in enumerate((False, True)):
        found = single.of(scaled).summary
        assert rows["predicted spread"][column] == f"{setting.predicted_std(scaled):.3f}"
        assert rows["spread"][column] == measured(found.std)
        assert rows["largest weight"][column] == measured(found.largest)
        assert rows["rows over 99 %"][column] == share(found.saturated.value)
        assert rows["beyond ±30"][column] == share(found.tail.value)
        assert rows["entropy ÷ ln n"][column] == measured(found.entropy)
    assert ("weight on oneself" in rows) == (state.source is not ScoreSource.DIRECT)


def test_the_bench_says_what_has_happened() -> None:
    def said(**settings: object) -> str:
        bench = BenchState(((90.0, 89.0),), **settings)  # type: ignore[arg-type]
        return bench_headline(bench_picture(bench)).replace("\N{NO-BREAK SPACE}", " ")

    assert "NaN" in said(precision=Precision.FLOAT32, subtract_max=False)
    assert said(precision=Precision.FLOAT32) == f"The largest score takes {100 / (1 + np.exp(-1)):.0f} % of the weight."
    assert "wrong axis" in said(over_queries=True)
    single = bench_picture(BenchState(((5.0,),), over_queries=True))
    assert bench_headline(single) == "The wrong axis, though here rows sum to 1.", "one key: its weight is 1"
    truths = VIEWS[ScalingPicture.BENCH].picture.truths
    assert any("depend only on the differences between scores" in truth for truth in truths)


def test_the_bench_does_not_call_rows_sound_that_are_not_looked_at() -> None:
    bench = BenchState(((12.0, 3.0), (1000.0, 2.0), (709.5, 709.4)), subtract_max=False)
    picture = bench_picture(bench)
    assert [picture.fault_of(row) for row in range(3)] == [Fault.NONE, Fault.NAN, Fault.SILENT]
    assert "Row sums: 1.000, NaN, 0.000." in " ".join(bench_said(picture))
    sound = bench_picture(replace(bench, rows=bench.rows[:1]))
    assert "Row sums: 1.000." in " ".join(bench_said(sound))
    for each in (picture, sound):
        assert "here it does" not in " ".join(bench_said(each)), "in the row that is looked at none overflows"


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
    words = caption(ScalingState(source=ScoreSource.PROJECTED, follows=True, rule=GainRule.HE, keys=7))
    assert "d_model follows" in words
    assert "d_model =" not in words
    assert "gain σ_w: √(2/d_model)" in words
    assert "keys = 7" in words
    bench = BenchState(((1.0, 2.0),), shift=3.0, precision=Precision.FLOAT16, subtract_max=False)
    words = caption(ScalingState(picture=ScalingPicture.BENCH, bench=bench))
    assert "scores: 1, 2 ·" in words
    assert "add = 3 ·" in words
    assert "no subtract max · precision: float16 · over keys" in words


# ---- Files ----


def test_numbers_come_with_their_settings() -> None:
    state = ScalingState(draws=200, d_k=16)
    arrays = scores_numbers(scores_picture(state))
    numbers = numbers_for(state, arrays)
    document = json.loads(json_text(numbers))
    assert document["settings"]["d_k"] == 16
    assert document["settings"]["seed"] == 42
    assert document["axes"].startswith("histogram: left edge, right edge, count")
    assert document["what"].endswith(VIEWS[ScalingPicture.SCORES].settings(state))
    np.testing.assert_allclose(document["histogram"], arrays["histogram"])
    table = list(csv.DictReader(io.StringIO(csv_text(numbers))))
    counts = [float(line["value"]) for line in table if line["array"] == "histogram" and line["column"] == "2"]
    assert counts == arrays["histogram"][:, 2].tolist()
    with np.load(io.BytesIO(npz_bytes(numbers)), allow_pickle=False) as file:
        np.testing.assert_array_equal(file["std_raw"], arrays["std_raw"])


def test_nan_is_null_in_json_and_nan_in_arrays() -> None:
    state = preset("overflow").state
    numbers = numbers_for(state, bench_numbers(bench_picture(state.bench)))
    assert json.loads(json_text(numbers))["weights"] == [[None, None, None]]
    assert np.isnan(numbers.arrays["weights"]).all()
    assert json.loads(json_text(numbers))["settings"]["bench"]["subtract_max"] is False


def test_nothing_cannot_be_exported() -> None:
    with pytest.raises(ExportError, match="no numbers"):
        numbers_for(ScalingState(draws=1), {})


def test_the_share_of_scores_too_large_for_float16_is_true() -> None:
    share_above = 0.5 * normal_tail(Precision.FLOAT16.exp_limit, np.sqrt(512))
    assert f"{100 * share_above:.0f} % of them are larger" in preset("half").truths[2]


GIVEN = {"0.167", "0.3", "0.09", "5.76", "0.72", "0.74", "1.41"}
"""Decimals in the words of a growth preset that are settings, follow from them, or are a range over every d_k."""


@pytest.mark.parametrize(
    "ready",
    [each for each in SCALING_PRESETS if each.state.picture is ScalingPicture.GROWTH],
    ids=lambda ready: ready.id,
)
def test_words_beside_measured_numbers_have_the_same_numbers(ready) -> None:
    growth = growth_picture(ready.state)
    summaries = [growth.points[growth.nearest(d_k)].of(scaled) for d_k in (2, 64) for scaled in (False, True)]
    names = ("std", "largest", "entropy", "gradient", "own")
    found = [getattr(each, name).value for each in summaries for name in names if getattr(each, name) is not None]
    said = set(re.findall(r"\d+\.\d+", f"{ready.look_for} {ready.truths[2]}")) - GIVEN
    for number in said:
        decimals = len(number.partition(".")[2])
        assert any(f"{value:.{decimals}f}" == number for value in found), number


# ---- What tutorials say ----

SAID = (Path(__file__).parents[1] / "data" / "tutorial_sentences.txt").read_text("utf-8")
"""Passages of the tutorials that presets judge, word for word."""


@pytest.mark.parametrize("ready", SCALING_PRESETS, ids=lambda ready: ready.id)
def test_quotation_marks_stand_around_what_a_tutorial_says(ready) -> None:
    quoted = re.findall(r"“([^”]*)”", ready.truths[0])
    assert quoted or ready.truths[0].startswith("You might think that ")
    for passage in quoted:
        assert passage.strip(" …").lower() in SAID.lower()


# ---- What stays true when settings are changed ----


def notes_of(state: ScalingState) -> str:
    if state.picture is ScalingPicture.BENCH:
        picture = bench_picture(state.bench)
        return " ".join((bench_headline(picture), panel_sentence(picture), *bench_said(picture)))
    is_growth = state.picture is ScalingPicture.GROWTH
    return " ".join(growth_said(growth_picture(state)) if is_growth else scores_said(scores_picture(state)))


@pytest.mark.parametrize("source", ScoreSource)
def test_one_key_takes_all_whatever_its_score(source: ScoreSource) -> None:
    state = ScalingState(source=source, keys=1, d_k=100, scaled=False, draws=10)
    assert VIEWS[state.picture].picture.panel(scores_picture(state)).sentence == (
        "A single key has the weight 1, whatever its score."
    )
    growth = growth_picture(replace(state, picture=ScalingPicture.GROWTH))
    assert growth_headline(growth) == "A single key has the weight 1 at every d_k."
    said = " ".join((scores_headline(scores_picture(state)), notes_of(state), *growth_said(growth)))
    assert "nothing is learned" not in said
    assert "sharpen" not in said


@pytest.mark.parametrize("rule", GainRule)
def test_a_variance_of_1_is_not_called_another(rule: GainRule) -> None:
    text = notes_of(ScalingState(source=ScoreSource.PROJECTED, d_model=16, rule=rule, draws=10))
    variance = {GainRule.NUMBER: 1.44, GainRule.NORMALISED: 1.0, GainRule.HE: 2.0}[rule]
    assert f" = {variance:.2f}. So the scores of different tokens spread by {variance:.2f}·√64, after" in text
    assert "not 1" not in text


def test_what_two_different_tokens_score_is_told_from_all_scores() -> None:
    text = notes_of(replace(preset("gain").state, draws=10))
    assert "different tokens spread by 8.00·√8, after the scaling by 8.00; with those of tokens with themselves" in text
    assert preset("gain").state.setting.predicted_std(True) == pytest.approx(8.165, abs=5e-4)
    assert "themselves it is 8.165." in text


def test_the_hint_about_the_variance_holds_at_every_d_k() -> None:
    ready = preset("variance")
    assert "the scaled one keeps its width. At d_k = 2 it is more peaked." in ready.look_for
    few, many = (scores_picture(ready.state.with_d_k(d_k)) for d_k in (2, 64))
    assert few.axis_ends(True) == many.axis_ends(True)
    assert few.scaled.summary.std.value == pytest.approx(many.scaled.summary.std.value, rel=0.03)
    assert few.densities(True).max() > 1.3 * many.densities(True).max()


@pytest.mark.parametrize(
    ("picture", "stream", "said"),
    [(ScalingPicture.SCORES, scores_stream, scores_said), (ScalingPicture.GROWTH, growth_stream, growth_said)],
)
def test_draws_so_far_are_told_from_all_draws(picture: ScalingPicture, stream: Any, said: Any) -> None:
    ready = next(ready.state for ready in SCALING_PRESETS if ready.state.picture is picture)
    state = replace(ready, seed=ready.seed + 1)
    first, *_, last = (found for _, found in stream(state) if found is not None)
    assert "so far" in " ".join(said(first))
    assert "so far" not in " ".join(said(last))


def told_of_bench(*rows: tuple[float, ...], **settings: object) -> str:
    return notes_of(ScalingState(picture=ScalingPicture.BENCH, bench=BenchState(rows, **settings)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "precision", "told"),
    [
        ((709.5, 709.4), Precision.FLOAT64, "Here no exponential does, but their sum already does."),
        ((88.7, 88.6), Precision.FLOAT32, "Here no exponential does, but their sum already does."),
        ((89.0, 1.0), Precision.FLOAT32, "exp overflows above 88.72 in float32: here it does."),
        ((709.5, 1.0), Precision.FLOAT64, "The sum of these exponentials overflows from “×” 1.0004 on."),
        ((-1.0, -2.0), Precision.FLOAT64, "These scores never get there; but far below 0 every exp becomes 0"),
    ],
)
def test_what_overflows_is_told_as_it_is(row: tuple[float, ...], precision: Precision, told: str) -> None:
    assert told in told_of_bench(row, precision=precision, subtract_max=False)


def test_a_query_that_others_leave_nothing_is_not_called_broken() -> None:
    text = told_of_bench((1000.0, 1000.0), (0.0, 0.0), row=1, over_queries=True)
    assert "this row sums to 0.00." in text
    assert "overflows:" not in text
    assert "NaN" not in text
    half = told_of_bench((20.0, 20.0), (0.0, 0.0), row=1, over_queries=True, precision=Precision.FLOAT16)
    assert "All weights of this row are 0." in half
    assert f"in float64, the weights are {np.exp(-20):.1e}".replace("e-0", "e−") in half, "too small for float16"


def test_what_a_constant_may_not_do_is_named() -> None:
    text = told_of_bench((2.0, 1.0), subtract_max=False)
    assert "exp overflows above 709.78 in float64. The sum of these exponentials overflows from" in text
    assert bench_picture(BenchState(((2.0, 1.0),), shift=-800.0, subtract_max=False)).fault is Fault.NAN
    assert "Every exp is 0: every weight is NaN." in told_of_bench((2.0, 1.0), shift=-800.0, subtract_max=False)
    truths = VIEWS[ScalingPicture.BENCH].picture.truths
    assert any("far negative ones become 0, so ∞ ÷ ∞ or 0 ÷ 0 is NaN" in truth for truth in truths)


@pytest.mark.parametrize("settings", [{"over_queries": True}, {"subtract_max": False, "shift": -800.0}])
def test_no_constant_is_said_to_change_nothing_where_it_does(settings: dict[str, Any]) -> None:
    moved = BenchState(((2.0, 1.0), (0.0, 3.0)), **{"shift": 3.0, **settings})
    weights = [bench_picture(each).weights[0] for each in (moved, replace(moved, shift=0.0))]
    assert not np.allclose(*weights)
    truths = " ".join(VIEWS[ScalingPicture.BENCH].picture.truths)
    assert "a constant added to a row changes none of them, apart from rounding." not in truths
