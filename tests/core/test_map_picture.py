"""What the picture shows is what was computed: cell by cell, tile by tile, in every window and stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.map_picture import Contrast, ScaleKind, Window
from attention_explorer.model import RenormalisedMap, Stage
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.shown_map import (
    hidden_keys,
    is_punctuation,
    map_picture,
    shown_map,
    stage_shown,
    stage_title,
)
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

PLAIN = heads_frame(HeadsSetup())  # 11 tokens, the last a full stop
CAUSAL = heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL)))
CROSS = heads_frame(HeadsSetup(HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat"), head=2))
FRAMES = pytest.mark.parametrize("frame", [PLAIN, CAUSAL, CROSS], ids=["plain", "causal", "cross"])
NOTHING = HeadsView()


def pooled_by_loop(values: np.ndarray, allowed: np.ndarray, tiles: tuple[int, int], stage: Stage) -> np.ndarray:
    """Return of each tile the largest weight, or the score furthest from 0, among those that are not masked."""
    height, width = (min(count, length) for count, length in zip(tiles, values.shape, strict=True))
    rows = [i * values.shape[0] // height for i in range(height + 1)]
    columns = [j * values.shape[1] // width for j in range(width + 1)]
    found = np.zeros((height, width))
    for i in range(height):
        for j in range(width):
            part = slice(rows[i], rows[i + 1]), slice(columns[j], columns[j + 1])
            seen = values[part][allowed[part]]
            if stage is Stage.WEIGHTS:
                found[i, j] = max(seen, default=0.0)
            else:
                found[i, j] = max(seen, key=abs, default=-np.inf)
    return found


# ---- Displayed = computed ----


@FRAMES
@pytest.mark.parametrize("stage", Stage)
def test_while_they_fit_the_tiles_are_the_cells(frame: HeadsFrame, stage: Stage) -> None:
    picture = map_picture(frame, HeadsView(stage=stage))
    np.testing.assert_array_equal(picture.values, frame.map.stage(stage))
    hides = stage in (Stage.MASKED, Stage.WEIGHTS)
    np.testing.assert_array_equal(picture.masked, ~frame.map.allowed() if hides else np.zeros(frame.shape, bool))
    assert picture.row_tokens == frame.queries
    assert picture.column_tokens == frame.keys
    assert picture.cells == frame.shape == picture.values.shape
    assert (picture.first_row, picture.first_column) == (0, 0)


def test_masked_weights_are_exactly_0_and_marked() -> None:
    picture = map_picture(CAUSAL, NOTHING)
    above = np.triu_indices(11, 1)
    assert (picture.values[above] == 0.0).all()
    assert picture.masked[above].all()
    assert not picture.masked[np.tril_indices(11)].any()
    assert picture.values[0, 0] == 1.0


def test_an_empty_row_is_masked_throughout() -> None:
    picture = map_picture(heads_frame(HeadsSetup(mask=MaskChoice(MaskKind.STRICT))), HeadsView(row_sums=True))
    np.testing.assert_array_equal(picture.values[0], np.zeros(11))
    assert picture.masked[0].all()
    assert picture.row_sums[0] == 0.0
    assert picture.row_sums[1:] == pytest.approx([1.0] * 10)


@FRAMES
@pytest.mark.parametrize("stage", [Stage.SCORES, Stage.MASKED, Stage.WEIGHTS])
@pytest.mark.parametrize("tiles", [(4, 3), (2, 2), (1, 1), (11, 2), (3, 99)])
def test_with_more_tokens_than_tiles_each_tile_shows_its_largest(
    frame: HeadsFrame, stage: Stage, tiles: tuple[int, int]
) -> None:
    picture = map_picture(frame, HeadsView(stage=stage), tiles=tiles)
    allowed = frame.map.allowed() if stage is not Stage.SCORES else np.ones(frame.shape, bool)
    expected = pooled_by_loop(frame.map.stage(stage), allowed, tiles, stage)
    np.testing.assert_array_equal(picture.values, expected)
    assert picture.cells == frame.shape, "the tokens stay"
    if stage is Stage.WEIGHTS:
        assert picture.values.max() == frame.map.weights().max()


def test_a_tile_is_masked_only_if_all_of_it_is() -> None:
    picture = map_picture(CAUSAL, NOTHING, tiles=(2, 2))  # rows 1-5 and 6-11
    np.testing.assert_array_equal(picture.masked, [[False, True], [False, False]])


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_a_window_shows_that_part_of_the_map(data: st.DataObject) -> None:
    frame = data.draw(st.sampled_from([PLAIN, CAUSAL, CROSS]))
    stage = data.draw(st.sampled_from(list(Stage)))
    top, left = data.draw(st.integers(-3, 12)), data.draw(st.integers(-3, 12))
    window = Window(top, top + data.draw(st.integers(1, 14)), left, left + data.draw(st.integers(1, 14)))
    seen = window.held_within(frame.shape)
    assert (seen.bottom - seen.top, seen.right - seen.left) == (
        min(window.bottom - window.top, frame.shape[0]),
        min(window.right - window.left, frame.shape[1]),
    )
    assert 0 <= seen.top < seen.bottom <= frame.shape[0]
    assert 0 <= seen.left < seen.right <= frame.shape[1]
    picture = map_picture(frame, HeadsView(stage=stage, row_sums=True), window)
    np.testing.assert_allclose(picture.values, frame.map.stage(stage)[seen.rows, seen.columns], rtol=1e-12)
    assert picture.row_tokens == frame.queries[seen.top : seen.bottom]
    assert picture.column_tokens == frame.keys[seen.left : seen.right]
    assert (picture.first_row, picture.first_column) == (seen.top, seen.left)
    if stage is Stage.WEIGHTS:
        whole = frame.map.weights().sum(axis=1)
        np.testing.assert_allclose(picture.row_sums, whole[seen.rows], rtol=1e-12)
    else:
        assert picture.row_sums == ()


def test_a_badge_says_whether_the_largest_weight_is_that_of_the_part_in_view() -> None:
    part = Window(2, 7, 3, 8)
    largest = {True: PLAIN.map.weights()[2:7, 3:8].max(), False: PLAIN.map.weights().max()}
    for is_part, where in ((True, " in view"), (False, "")):
        picture = map_picture(PLAIN, HeadsView(contrast=Contrast.MAX), part if is_part else None)
        assert picture.scale.badge == f"colours end at {largest[is_part]:.3g}, the largest weight{where}"


def test_a_window_that_fits_stays_where_it_is() -> None:
    assert Window(2, 5, 1, 4).held_within((6, 6)) == Window(2, 5, 1, 4)
    assert Window(5, 8, -2, 1).held_within((6, 6)) == Window(3, 6, 0, 3), "moved, not cut"
    assert Window.whole((7, 6)) == Window(0, 7, 0, 6)


def test_positions_are_those_of_the_scale() -> None:
    picture = map_picture(PLAIN, HeadsView(contrast=Contrast.UNIT))
    np.testing.assert_array_equal(picture.positions, picture.values)
    assert picture.positions is picture.positions, "computed once"
    brightest = map_picture(PLAIN, HeadsView(contrast=Contrast.MAX))
    assert brightest.positions.max() == 1.0
    assert brightest.scale.high == PLAIN.map.weights().max()


def test_the_scale_of_scores_is_zero_centred_and_named_after_the_stage() -> None:
    for stage in (Stage.SCORES, Stage.SCALED, Stage.MASKED):
        picture = map_picture(CAUSAL, HeadsView(stage=stage, contrast=Contrast.LOG))
        scores = CAUSAL.map.scores(stage=stage)
        assert picture.scale.kind is ScaleKind.DIVERGING
        assert picture.scale.high == np.abs(scores[np.isfinite(scores)]).max()
        assert picture.scale.title == stage_title(CAUSAL, stage)


def test_a_colour_map_is_handed_on() -> None:
    assert map_picture(PLAIN, HeadsView(colour_map="magma")).colour_map == "magma"


def test_a_sentence_of_one_token_is_a_picture_of_one_cell() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="cat")))
    picture = map_picture(frame, HeadsView(row_sums=True))
    np.testing.assert_array_equal(picture.values, [[1.0]])
    np.testing.assert_array_equal(picture.positions, [[1.0]])
    assert picture.row_sums == (1.0,)
    assert map_picture(frame, HeadsView(hidden=Hidden.FIRST)).values[0, 0] == 0.0


# ---- Hidden keys ----


@FRAMES
@pytest.mark.parametrize("hidden", [Hidden.FIRST, Hidden.PUNCTUATION])
def test_hidden_keys_are_0_and_the_rest_of_each_row_is_renormalised(frame: HeadsFrame, hidden: Hidden) -> None:
    keys = hidden_keys(frame, hidden)
    weights = frame.map.weights()
    rest = np.where(keys, 0.0, weights)
    total = rest.sum(axis=1, keepdims=True)
    expected = np.divide(rest, total, out=np.zeros_like(rest), where=total > 0)
    view = HeadsView(hidden=hidden, row_sums=True)
    picture = map_picture(frame, view)
    np.testing.assert_allclose(picture.values, expected, rtol=1e-12)
    np.testing.assert_array_equal(picture.masked, ~frame.map.allowed() | keys)
    np.testing.assert_allclose(picture.row_sums, total.ravel() > 0, rtol=1e-12)
    np.testing.assert_array_equal(frame.map.weights(), weights)


def test_which_keys_are_hidden() -> None:
    assert PLAIN.keys[-1] == "."
    np.testing.assert_array_equal(hidden_keys(PLAIN, Hidden.PUNCTUATION), [False] * 10 + [True])
    np.testing.assert_array_equal(hidden_keys(PLAIN, Hidden.FIRST), [True] + [False] * 10)
    assert not hidden_keys(PLAIN, Hidden.NOTHING).any()
    assert len(hidden_keys(CROSS, Hidden.FIRST)) == 6, "keys, not queries"


def test_the_first_row_of_a_causal_map_has_nothing_left_without_its_first_key() -> None:
    picture = map_picture(CAUSAL, HeadsView(hidden=Hidden.FIRST))
    np.testing.assert_array_equal(picture.values[0], np.zeros(11))
    assert picture.masked[0].all()
    assert picture.values[1, 1] == 1.0


def test_hidden_cells_are_called_so() -> None:
    assert map_picture(PLAIN, NOTHING).masked_word == "masked"
    assert map_picture(CAUSAL, NOTHING).masked_word == "masked"
    assert map_picture(PLAIN, HeadsView(hidden=Hidden.FIRST)).masked_word == "hidden"
    assert map_picture(CAUSAL, HeadsView(hidden=Hidden.FIRST)).masked_word == "masked or hidden"


def test_a_window_hides_the_same_keys() -> None:
    view = HeadsView(hidden=Hidden.PUNCTUATION)
    whole, part = map_picture(PLAIN, view), map_picture(PLAIN, view, Window(3, 7, 8, 11))
    np.testing.assert_allclose(part.values, whole.values[3:7, 8:11], rtol=1e-12)
    np.testing.assert_array_equal(part.masked, [[False, False, True]] * 4)


@pytest.mark.parametrize("stage", [Stage.SCORES, Stage.SCALED, Stage.MASKED])
def test_scores_are_shown_whole(stage: Stage) -> None:
    view = HeadsView(stage=stage, hidden=Hidden.FIRST)
    assert shown_map(PLAIN, view) is PLAIN.map
    np.testing.assert_array_equal(map_picture(PLAIN, view).values, PLAIN.map.stage(stage))


def test_without_anything_to_hide_the_map_is_the_frames_own() -> None:
    assert shown_map(PLAIN, NOTHING) is PLAIN.map
    assert shown_map(CROSS, HeadsView(hidden=Hidden.PUNCTUATION)) is CROSS.map, "there is no punctuation"
    assert isinstance(shown_map(PLAIN, HeadsView(hidden=Hidden.PUNCTUATION)), RenormalisedMap)


def test_pooled_hidden_keys_are_left_out_as_well() -> None:
    frame = heads_frame(HeadsSetup(HandMadeRecipe(), head=1))  # nearly all weight on the first token
    assert map_picture(frame, NOTHING, tiles=(2, 2)).values[1, 0] > 0.9
    hidden = map_picture(frame, HeadsView(hidden=Hidden.FIRST), tiles=(2, 2))
    assert hidden.values.max() == pytest.approx(1 / 9)


@pytest.mark.parametrize("token", [".", ",", "“", "-", "...", "¿", "。", "؟"])
def test_punctuation(token: str) -> None:
    assert is_punctuation(token)


@pytest.mark.parametrize("token", ["", "a", "1", "s'est", "3.14", "+", "🙂", "€"])
def test_no_punctuation(token: str) -> None:
    assert not is_punctuation(token)


# ---- Stages ----


@pytest.mark.parametrize("aggregate", [Aggregate.MEAN, Aggregate.MAX, Aggregate.ROLLOUT])
@pytest.mark.parametrize("stage", Stage)
def test_several_heads_in_one_show_weights(aggregate: Aggregate, stage: Stage) -> None:
    frame = heads_frame(replace(CAUSAL.setup, aggregate=aggregate))
    view = HeadsView(stage=stage)
    assert stage_shown(frame, view) is Stage.WEIGHTS
    np.testing.assert_array_equal(map_picture(frame, view).values, frame.map.weights())


def test_stages_say_what_they_are() -> None:
    assert [stage_title(PLAIN, stage) for stage in Stage] == [
        "raw score q·k",
        "scaled score q·k ÷ √d_k",
        "masked score",
        "weight",
    ]
    unscaled = heads_frame(HeadsSetup(scaled=False))
    assert stage_title(unscaled, Stage.SCALED) == "score, not scaled"
    assert stage_title(unscaled, Stage.MASKED) == "masked score, not scaled"
    assert stage_title(unscaled, Stage.SCORES) == "raw score q·k"
    scores = (map_picture(unscaled, HeadsView(stage=stage)).values for stage in (Stage.SCORES, Stage.SCALED))
    np.testing.assert_array_equal(*scores)


def test_every_cell_of_a_window_knows_the_cells_of_its_tile() -> None:
    window = Window(2, 9, 1, 11)
    picture = map_picture(PLAIN, HeadsView(), window, tiles=(3, 4))
    tiles = {picture.tile_of(row, column) for row in range(2, 9) for column in range(1, 11)}
    assert len(tiles) == 12
    weights = PLAIN.map.weights()
    largest = [float(weights[rows.start : rows.stop, columns.start : columns.stop].max()) for rows, columns in tiles]
    np.testing.assert_allclose(sorted(largest), np.sort(picture.values, axis=None), rtol=1e-12)
    assert sum(len(rows) * len(columns) for rows, columns in tiles) == 70
    assert picture.tile_of(0, 10) == (range(1), picture.tile_of(2, 10)[1]), "out of view"
