"""Which large picture a state has, and that none is computed for more than can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.core.map_picture import MapPicture, Window
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.large_picture import MOST_LINE_ROWS, LargePicture, large_picture, part_shown
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.shown_map import MarkedHeads
from attention_explorer.pages.heads.stages import StagesPicture
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, MaskChoice, MaskKind, Picture
from attention_explorer.sources.recipe import ToyRecipe

SHORT = HeadsSetup()
LONG = HeadsSetup(ToyRecipe(sentence="a b c d e " * 40, d_model=4, heads=1))


def picture_of(
    kind: Picture,
    setup: HeadsSetup = SHORT,
    other: HeadsSetup | None = None,
    window: Window | None = None,
    tiles: tuple[int, int] = (1000, 1000),
) -> LargePicture:
    state = HeadsState(setup, HeadsView(picture=kind, window=window), other)
    return large_picture(state, heads_frame(setup), tiles)


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (Picture.HEATMAP, MapPicture),
        (Picture.LINES, LinePicture),
        (Picture.STAGES, StagesPicture),
        (Picture.COMPARE, Comparison),
        (Picture.MARKED, MarkedHeads),
    ],
)
def test_every_kind_has_its_picture(kind: Picture, made: type) -> None:
    assert isinstance(picture_of(kind), made)


def test_every_kind_is_tested() -> None:
    maps = {Picture.HEATMAP, Picture.LINES, Picture.STAGES, Picture.COMPARE, Picture.MARKED}
    others = {Picture.ALL, Picture.ROW, Picture.CHECK}  # with numbers of their own: surveys, RowNumbers, CheckNumbers
    assert set(Picture) == maps | others


def test_a_row_shows_itself_or_the_pinned_column() -> None:
    assert part_shown(HeadsView(picture=Picture.ROW, row=4, column=2), (11, 7)) == Window(4, 5, 0, 7)
    assert part_shown(HeadsView(picture=Picture.ROW, row=None, column=2), (11, 7)) == Window(0, 11, 2, 3)
    assert part_shown(HeadsView(picture=Picture.ROW, row=None), (11, 7)) == Window(10, 11, 0, 7)
    assert part_shown(HeadsView(picture=Picture.ROW, row=30), (11, 7)) == Window(10, 11, 0, 7), "a shorter sentence"


def test_the_heatmap_is_the_map_in_its_window_and_tiles() -> None:
    weights = heads_frame(SHORT).map.weights()
    whole = picture_of(Picture.HEATMAP)
    assert isinstance(whole, MapPicture)
    np.testing.assert_array_equal(whole.values, weights)
    part = picture_of(Picture.HEATMAP, window=Window(2, 5, 3, 9))
    assert isinstance(part, MapPicture)
    np.testing.assert_allclose(part.values, weights[2:5, 3:9], rtol=1e-12)
    tiled = picture_of(Picture.HEATMAP, LONG, tiles=(30, 40))
    assert isinstance(tiled, MapPicture)
    assert tiled.values.shape == (30, 40)
    assert tiled.values.max() == heads_frame(LONG).map.weights().max()


def test_lines_are_drawn_for_so_many_queries_at_most() -> None:
    picture = picture_of(Picture.LINES, LONG)
    assert isinstance(picture, LinePicture)
    assert len(picture.row_tokens) == len(picture.column_tokens) == MOST_LINE_ROWS
    later = picture_of(Picture.LINES, LONG, window=Window(50, 190, 10, 20))
    assert isinstance(later, LinePicture)
    assert (later.first_row, len(later.row_tokens)) == (50, MOST_LINE_ROWS)
    assert (later.first_column, len(later.column_tokens)) == (10, 10)
    assert later.row_tokens == heads_frame(LONG).queries[50 : 50 + MOST_LINE_ROWS]
    beyond = picture_of(Picture.LINES, LONG, window=Window(180, 260, 0, 5))
    assert isinstance(beyond, LinePicture)
    assert (beyond.first_row, len(beyond.row_tokens)) == (120, 80), "moved back onto the map"


def test_the_stages_share_the_room() -> None:
    picture = picture_of(Picture.STAGES, LONG, tiles=(150, 160))
    assert isinstance(picture, StagesPicture)
    assert [part.values.shape for part in picture.pictures] == [(75, 80)] * 4
    small = picture_of(Picture.STAGES, LONG, tiles=(10, 10))
    assert isinstance(small, StagesPicture)
    assert small.pictures[0].values.shape == (64, 64), "enough to see something"


@pytest.mark.parametrize("kind", [Picture.STAGES, Picture.COMPARE])
def test_several_maps_are_shown_as_wholes_whatever_part_is_in_view(kind: Picture) -> None:
    picture = picture_of(kind, window=Window(2, 5, 3, 9))
    assert isinstance(picture, StagesPicture | Comparison)
    assert {part.cells for part in picture.pictures} == {(11, 11)}
    assert part_shown(HeadsView(picture=kind, window=Window(2, 5, 3, 9)), (11, 11)) == Window(0, 11, 0, 11)


def test_what_is_wished_for_beyond_a_shorter_sentence_is_held_within_it() -> None:
    view = HeadsView(window=Window(20, 30, 5, 9))
    assert part_shown(view, (40, 40)) == Window(20, 30, 5, 9)
    assert part_shown(view, (12, 7)) == Window(2, 12, 3, 7)
    assert part_shown(view, (6, 3)) == Window(0, 6, 0, 3)
    assert view.window == Window(20, 30, 5, 9), "the wish stays"


def test_without_another_setup_it_is_compared_with_itself() -> None:
    picture = picture_of(Picture.COMPARE)
    assert isinstance(picture, Comparison)
    assert picture.difference is not None
    np.testing.assert_array_equal(picture.a.values, picture.b.values)
    np.testing.assert_array_equal(picture.difference.values, np.zeros((11, 11)))


def test_two_setups_side_by_side() -> None:
    other = HeadsSetup(mask=MaskChoice(MaskKind.CAUSAL))
    picture = picture_of(Picture.COMPARE, other=other)
    assert isinstance(picture, Comparison)
    a, b = heads_frame(SHORT).map.weights(), heads_frame(other).map.weights()
    np.testing.assert_array_equal(picture.a.values, a)
    np.testing.assert_array_equal(picture.b.values, b)
    assert picture.difference is not None
    np.testing.assert_allclose(picture.difference.values, a - b, atol=1e-15)
