"""The wall: each head's small picture and its summary, against the whole matrix; orders and names."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.map_picture import Contrast
from attention_explorer.model import ArrayMap, AttentionMap, Stage
from attention_explorer.model.patterns import Pattern
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.head_difference import compared
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsView, MaskChoice, MaskKind, SortBy
from attention_explorer.pages.heads.survey import (
    THUMBNAIL_TILES,
    HeadSurvey,
    character,
    doing,
    head_survey,
    in_order,
    measure_text,
    not_computed,
    pattern_words,
    survey_heads,
    surveys_of,
)
from attention_explorer.pages.heads.ui.wall import wall_legend, wall_scale
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.recipe import GainKind, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.source import Recipe

STACKED = HeadsSetup(ToyRecipe(sentence="the cat sat on it .", d_model=16, heads=4, layers=2))
PATTERNS = {
    SortBy.NEXT: Pattern.NEXT,
    SortBy.BACK: Pattern.BACK,
    SortBy.SAME: Pattern.SAME,
    SortBy.SPECIAL: Pattern.SPECIAL,
    SortBy.INDUCTION: Pattern.INDUCTION,
}
EMPTY = HeadsSetup(ToyRecipe(sentence="cat"), MaskChoice(MaskKind.STRICT))


def measured(map_: AttentionMap, sort: SortBy) -> float:
    """Measure a head with loops; means are over the rows that attend to something."""
    weights, values = map_.weights(), []
    if sort is SortBy.SCORE_STD:
        return statistics.pstdev(map_.scores(stage=Stage.SCALED)[map_.allowed()].tolist())
    for i, row in enumerate(weights.tolist()):
        seen = sum(weight > 0 for weight in row)
        if seen == 0 or (sort is SortBy.EVENNESS and seen == 1):
            continue
        entropy = -sum(weight * math.log(weight) for weight in row if weight > 0)
        values.append(
            {
                SortBy.NUMBER: 0.0,
                SortBy.ENTROPY: entropy,
                SortBy.EVENNESS: entropy / math.log(seen) if seen > 1 else math.nan,
                SortBy.SATURATED: float(max(row) > 0.95),
                SortBy.MAX_WEIGHT: max(row),
                SortBy.DISTANCE: sum(weight * abs(i - j) for j, weight in enumerate(row)),
                SortBy.SELF: row[i],
                SortBy.PREVIOUS: row[i - 1] if i else 0.0,
                SortBy.FIRST: row[0],
            }[sort]
        )
    return sum(values) / len(values)


def test_every_head_of_every_layer_is_on_the_wall_once() -> None:
    frame = heads_frame(STACKED)
    surveys = surveys_of(frame)
    assert [survey.place for survey in surveys] == [(layer, head) for layer in range(2) for head in range(4)]
    assert [survey.name for survey in surveys][3:5] == ["layer 1, head 4", "layer 2, head 1"]
    assert surveys_of(frame) is surveys, "computed once"


def test_a_small_picture_of_a_short_sentence_is_the_map() -> None:
    frame = heads_frame(HeadsSetup(STACKED.recipe, MaskChoice(MaskKind.CAUSAL)))
    for survey in survey_heads(frame):
        map_ = frame.layers[survey.layer].maps[survey.head]
        np.testing.assert_array_equal(survey.pooled.values, map_.weights())
        np.testing.assert_array_equal(survey.pooled.masked, ~map_.allowed())


def test_layers_surveyed_together_are_as_each_alone() -> None:
    frame = heads_frame(HeadsSetup(STACKED.recipe, MaskChoice(MaskKind.CAUSAL)))
    for alone, together in zip(survey_heads(frame), survey_heads(frame, seconds=60.0), strict=True):
        assert (together.place, together.name, together.excess) == (alone.place, alone.name, alone.excess)
        np.testing.assert_array_equal(together.pooled.values, alone.pooled.values)
        np.testing.assert_allclose(together.summary, alone.summary, rtol=1e-12)
        for pattern, own in alone.patterns.items():
            assert together.patterns[pattern][:3] == pytest.approx(own[:3], nan_ok=True)
            assert together.patterns[pattern].back == own.back


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_head_whose_numbers_are_no_weights_leaves_the_others_as_they_are(seconds: float) -> None:
    frame = heads_frame(HeadsSetup(STACKED.recipe))
    first = frame.layers[0]
    good = np.eye(len(frame.keys))
    broken = replace(frame, layers=(first, Layer((*map(ArrayMap, (good, good)), ArrayMap(2.0 * good), ArrayMap(good)))))
    found = list(survey_heads(broken, seconds=seconds))
    assert [survey.place for survey in found] == list(frame.places)
    assert [survey.place for survey in found if not survey.is_computed] == [(1, 2)]
    assert "sums to 2" in found[6].refusal
    np.testing.assert_array_equal(found[7].pooled.values, good)
    np.testing.assert_array_equal(found[0].pooled.values, first.maps[0].weights())


def test_a_small_picture_of_a_long_sentence_keeps_its_largest() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="a b c " * 50, d_model=4, heads=1)))
    survey = head_survey(frame, 0, 0)
    assert survey.pooled.values.shape == (THUMBNAIL_TILES, THUMBNAIL_TILES)
    weights = frame.map.weights()
    assert survey.pooled.values.max() == weights.max()
    assert survey.pooled.values[0, 0] == weights[:1, :1].max()
    assert survey.pooled.values[-1, -1] == weights[148:, 148:].max()


@pytest.mark.parametrize("kind", [MaskKind.NONE, MaskKind.CAUSAL, MaskKind.STRICT])
@pytest.mark.parametrize(
    "sort", [sort for sort in SortBy if sort.is_measured and sort not in (SortBy.DIFFERENCE, *PATTERNS)]
)
def test_orders_are_by_the_measure_the_largest_first(sort: SortBy, kind: MaskKind) -> None:
    frame = heads_frame(HeadsSetup(STACKED.recipe, MaskChoice(kind)))
    ordered = in_order(surveys_of(frame), sort)
    assert {survey.place for survey in ordered} == {survey.place for survey in surveys_of(frame)}
    values = [measured(frame.layers[survey.layer].maps[survey.head], sort) for survey in ordered]
    assert values == sorted(values, reverse=True)
    if (sort, kind) != (SortBy.SELF, MaskKind.STRICT):
        assert len(set(values)) == (1 if sort is SortBy.SATURATED else 8)
    for survey, value in zip(ordered, values, strict=True):
        assert float(measure_text(survey, sort).rpartition(" ")[2]) == pytest.approx(value, abs=0.0051)


@pytest.mark.parametrize("sort", PATTERNS)
@pytest.mark.parametrize("recipe", [STACKED.recipe, BoxRecipe("smollm2-soft"), ToyRecipe("a b a", "b c", heads=4)])
def test_orders_are_by_the_pattern_the_clearest_first_and_without_a_number_last(recipe: Recipe, sort: SortBy) -> None:
    frame = heads_frame(HeadsSetup(recipe))
    queries, keys = frame.exact_tokens
    ordered = in_order(surveys_of(frame), sort)
    tokens = (queries, keys) if frame.is_cross else (keys,)
    maps = [frame.layers[survey.layer].maps[survey.head] for survey in ordered]
    values = [map_.patterns(*tokens)[PATTERNS[sort]].score for map_ in maps]
    there = [value for value in values if not math.isnan(value)]
    assert there == sorted(there, reverse=True)
    assert all(math.isnan(value) for value in values[len(there) :])
    for survey, value in zip(ordered, values, strict=True):
        said = measure_text(survey, sort).rpartition(" ")[2]
        assert said == "–" if math.isnan(value) else float(said) == pytest.approx(value, abs=0.0051)


def test_patterns_are_named_where_they_are_clear_and_rest_on_more_than_a_query_or_two() -> None:
    surveys = {survey.place: survey for survey in surveys_of(heads_frame(HeadsSetup(BoxRecipe("minilm-tired"))))}
    assert character(surveys[0, 2]).split()[0] == "prev"
    assert character(surveys[1, 8]).split()[0] == "next"
    assert pattern_words(surveys[0, 2]).startswith("most like “previous”: 1.00 of the weight of 12 queries")
    assert pattern_words(surveys[0, 2], short=True).startswith("most like “previous”: 1.00 (even weights: 0.0")
    short = head_survey(heads_frame(HeadsSetup(ToyRecipe("a b", heads=1))), 0, 0)
    assert not pattern_words(short)


def test_a_pattern_that_even_weights_follow_as_much_is_not_named() -> None:
    for survey in surveys_of(heads_frame(HeadsSetup(BoxRecipe("minilm-tired")))):
        named = re.search(r": ([\d.]+) \(even weights: ([\d.]+)\)$", pattern_words(survey, short=True))
        assert named is None or float(named[1]) >= float(named[2])
    even = head_survey(heads_frame(HeadsSetup(ToyRecipe("a b c d e f", heads=1))), 0, 0)
    flat = replace(even, patterns={kind: each._replace(score=each.chance) for kind, each in even.patterns.items()})
    assert flat.patterns
    assert not pattern_words(flat)


def test_patterns_of_long_random_heads_are_not_measured() -> None:
    long = HeadsSetup(ToyRecipe(" ".join(f"w{i}" for i in range(65)), d_model=4, heads=1))
    assert head_survey(heads_frame(long), 0, 0).patterns == {}


def test_by_number_the_heads_are_in_their_own_order_again() -> None:
    surveys = surveys_of(heads_frame(STACKED))
    assert in_order(in_order(surveys, SortBy.ENTROPY), SortBy.NUMBER) == surveys
    assert in_order(surveys, SortBy.ENTROPY) != surveys


def test_equal_heads_stay_in_their_order_and_those_without_a_number_come_last() -> None:
    empty, full = surveys_of(heads_frame(EMPTY)), surveys_of(heads_frame(HeadsSetup(EMPTY.recipe)))
    assert math.isnan(empty[0].summary.entropy)
    assert in_order((*empty[:2], *full[:2]), SortBy.ENTROPY) == (*full[:2], *empty[:2])


def test_what_is_not_a_number_is_not_shown_as_one() -> None:
    survey = surveys_of(heads_frame(EMPTY))[0]
    assert measure_text(survey, SortBy.NUMBER) == "H –"
    assert measure_text(survey, SortBy.SELF) == "self –"
    assert character(survey) == ""


@pytest.mark.parametrize(
    ("sort", "word"),
    [
        (SortBy.NUMBER, "H"),
        (SortBy.ENTROPY, "H"),
        (SortBy.MAX_WEIGHT, "mean"),
        (SortBy.DISTANCE, "dist"),
        (SortBy.SELF, "self"),
        (SortBy.PREVIOUS, "prev"),
        (SortBy.FIRST, "first"),
        (SortBy.NEXT, "next"),
        (SortBy.SAME, "same"),
        (SortBy.SPECIAL, "marks"),
        (SortBy.INDUCTION, "induction"),
    ],
)
def test_a_measure_has_a_short_name(sort: SortBy, word: str) -> None:
    assert measure_text(surveys_of(heads_frame(STACKED))[0], sort).split()[0] == word


def characters(setup: HeadsSetup) -> dict[str, str]:
    return {survey.name: character(survey) for survey in surveys_of(heads_frame(setup))}


def test_what_stands_out_about_the_heads_made_by_hand() -> None:
    frame = heads_frame(HeadsSetup(HandMadeRecipe()))
    found = characters(frame.setup)
    previous = np.mean([frame.layers[0].maps[0].weights()[i, i - 1] if i else 0.0 for i in range(10)])
    assert found["previous token"] == f"prev {previous:.2f}"
    first = np.mean(frame.layers[0].maps[1].weights()[:, 0])
    assert found["first token"] == f"first {first:.2f}"
    own = np.mean(np.diag(frame.layers[0].maps[2].weights()))
    assert found["same word"] == f"self {own:.2f}"


def test_even_saturated_and_plain_heads() -> None:
    def recipe(gain: float) -> HeadsSetup:
        return HeadsSetup(ToyRecipe(heads=1, gain_kind=GainKind.NUMBER, gain=gain))

    assert characters(recipe(0.01)) == {"head 1": "≈ even"}
    assert characters(recipe(1.0)) == {"head 1": "sharp"}
    assert characters(recipe(0.125)) == {"head 1": ""}


@pytest.mark.parametrize("sort", SortBy)
def test_every_order_can_be_reversed_and_heads_without_a_number_stay_last(sort: SortBy) -> None:
    frame = heads_frame(STACKED)
    surveys = tuple(compared(frame, heads_frame(replace(STACKED, temperature=2.0)), head) for head in surveys_of(frame))
    ordered = in_order(surveys, sort)
    there = [survey for survey in ordered if not measure_text(survey, sort).endswith("–")]
    if sort is SortBy.DOING:
        there = [survey for survey in ordered if doing(survey)]
    back = in_order(surveys, sort, reverse=True)
    assert list(back[: len(there)]) == there[::-1]
    assert len(there) == len(surveys) or sort in (*PATTERNS, SortBy.DOING)
    without = replace(surveys[3], summary=surveys[3].summary._replace(entropy=math.nan))
    some = (*surveys[:3], without, *surveys[4:])
    for reverse in (False, True):
        assert in_order(some, SortBy.ENTROPY, reverse=reverse)[-1] is without


def test_a_survey_belongs_to_its_head() -> None:
    survey = head_survey(heads_frame(STACKED), 1, 2)
    assert isinstance(survey, HeadSurvey)
    np.testing.assert_array_equal(survey.pooled.values, heads_frame(STACKED).layers[1].maps[2].weights())


@pytest.mark.parametrize(
    ("contrast", "end"),
    [
        (Contrast.UNIT, "1"),
        (Contrast.MAX, "0.675, largest of all"),
        (Contrast.PERCENTILE, "0.633, 98 % of each head"),
        (Contrast.ROW, "row’s largest"),
        (Contrast.LOG, "1"),
    ],
)
def test_the_bar_of_the_wall_says_where_its_colours_end(contrast: Contrast, end: str) -> None:
    surveys = surveys_of(heads_frame(STACKED))
    legend = wall_legend(surveys, HeadsView(contrast=contrast, colour_map="magma"))
    assert legend.scale.ticks()[-1] == (1.0, end)
    assert legend.colour_map == "magma"


def test_heads_that_are_not_computed_have_a_place_and_do_not_alter_the_colours() -> None:
    frame = heads_frame(STACKED)
    computed = tuple(survey for survey in surveys_of(frame) if survey.layer == 0)
    missing = tuple(not_computed(frame, 1, head) for head in range(frame.heads))
    assert [survey.place for survey in missing] == [(1, head) for head in range(frame.heads)]
    scale, whole = wall_scale(computed + missing, Contrast.MAX), wall_scale(computed, Contrast.MAX)
    assert (scale.high, scale.end) == (whole.high, whole.end.replace("of all", "so far"))
    assert scale.end.endswith("largest so far")
    assert in_order(missing + computed, SortBy.ENTROPY)[-len(missing) :] == missing


@pytest.mark.parametrize("contrast", [Contrast.MAX, Contrast.PERCENTILE])
def test_even_rows_have_one_dark_colour_in_every_head(contrast: Contrast) -> None:
    surveys = surveys_of(heads_frame(heads_preset("translation").state.setup))
    scale = wall_scale(surveys, contrast)
    even = {
        float(place)
        for survey in surveys
        for row, places in zip(survey.pooled.values, scale.positions(survey.pooled.values), strict=True)
        if np.ptp(row) < 1e-12
        for place in np.round(places, 9)
    }
    assert len(even) == 1, "le, s'est, le of one head and all but one row of another"
    assert even.pop() <= 1 / 3


def test_a_wall_of_even_heads_is_dark_and_says_where_it_ends() -> None:
    recipe = ToyRecipe("one two three four five six", gain_kind=GainKind.NUMBER, gain=0.0)
    scale = wall_scale(surveys_of(heads_frame(HeadsSetup(recipe))), Contrast.MAX)
    assert scale.high == pytest.approx(3 / 6)
    assert scale.ticks()[-1][1] == "0.5, 3 even shares"


def test_the_bar_of_the_wall_shows_a_mask_where_there_is_one() -> None:
    plain, causal = (
        surveys_of(heads_frame(HeadsSetup(STACKED.recipe, MaskChoice(kind))))
        for kind in (MaskKind.NONE, MaskKind.CAUSAL)
    )
    assert not wall_legend(plain, HeadsView()).masked.any()
    assert wall_legend(causal, HeadsView()).masked.any()
