"""Gradient and tokens against depth: the table in kind, the draws one by one, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExportError
from attention_explorer.kit.picture import NOTHING
from attention_explorer.model import Initialiser as Rule
from attention_explorer.model import NormPlacement, survey_depth
from attention_explorer.model.checkpoint import watched
from attention_explorer.pages.lab.depth import (
    DEPTHS,
    DRAWS,
    TABLE,
    TOKENS,
    DepthPicture,
    TableRow,
    depth_headline,
    depth_numbers,
    depth_picture,
    depth_sentences,
    depth_setting,
    depth_stream,
    depth_words,
    differences,
    is_measured,
    row_that_applies,
    row_words,
)
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.views import view_of
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import brief

PLAIN = BlockState(heads=4, encoding=False)


def state_of(row: TableRow) -> BlockState:
    """Return the state with the switches of a row of the table."""
    number = row.rule is not Rule.HE
    rule = Initialiser.NUMBER if number else Initialiser.HE
    return replace(PLAIN, initialiser=rule, gain=0.02, residual=row.residual, norm=row.norm)


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_each_row_of_the_table_comes_out_in_kind(number: int) -> None:
    row = TABLE[number]
    state = state_of(row)
    assert row_that_applies(state) == number
    assert differences(state) == ()
    picture = depth_picture(state)
    for depth, ratio in zip(DEPTHS, row.ratios, strict=True):
        found = picture.median("gradient_ratios", depth)
        # Medians of seven draws of a quantity that spreads widely, the more so the more powers of ten it covers.
        assert abs(np.log10(found / ratio)) < 0.45 + 0.02 * abs(np.log10(ratio)), (row.title, depth, found)
    assert picture.median("token_cosines", 24) == pytest.approx(row.cosine, abs=0.06)


def test_the_draws_are_those_of_the_model_layer_with_seeds_in_a_row() -> None:
    state = replace(PLAIN, seed=9)
    picture = depth_picture(state)
    assert picture.values("gradient_ratios").shape == (DRAWS, 25)
    third = survey_depth(depth_setting(state), tokens=TOKENS, draws=1, seed=11)
    np.testing.assert_array_equal(picture.values("gradient_ratios")[2], third.gradient_ratios[0])
    np.testing.assert_array_equal(depth_numbers(picture)["token_cosines"][2], third.token_cosines[0])


def test_the_stream_grows_by_a_draw_and_keeps_only_the_whole() -> None:
    state = replace(PLAIN, seed=77)
    found = []
    for share, picture in depth_stream(state):
        assert is_measured(state) is (share == 1.0)
        found.append((share, picture.draws))
    assert found == [((draw + 1) / DRAWS, draw + 1) for draw in range(DRAWS)]
    again = depth_picture(replace(state, layers=5))  # how many layers the page has moves a line, not the numbers
    assert again.state.layers == 5
    assert again.survey is picture.survey


def test_it_can_be_ended_within_a_draw() -> None:
    class EndedError(Exception):
        pass

    passed = 0

    def pass_block() -> None:
        nonlocal passed
        passed += 1
        if passed == 3:
            raise EndedError

    with watched(pass_block), pytest.raises(EndedError):
        next(depth_stream(replace(PLAIN, seed=78)))
    assert not is_measured(replace(PLAIN, seed=78))


def test_wide_stacks_are_measured_with_the_sizes_of_the_table() -> None:
    wide = replace(PLAIN, d_model=512, heads=8, d_ff=2048)
    setting = depth_setting(wide)
    assert (setting.d_model, setting.heads, setting.d_ff, setting.layers) == (64, 4, 256, 24)
    assert any("other sizes" in sentence for sentence in depth_sentences(depth_picture(wide)))
    odd = depth_setting(replace(PLAIN, heads=7))  # refused elsewhere, and no reason to fail here
    assert odd.heads == 4


def test_what_differs_from_the_table_is_said() -> None:
    state = replace(PLAIN, heads=8, encoding=True, causal=True)
    assert differences(state) == ("d_model 64, 8 heads, d_ff 256", "positions", "a causal mask")
    picture = DepthPicture(state, depth_setting(state), None, "no")
    same = TABLE[row_that_applies(state) or 0]
    assert "except for: d_model 64, 8 heads, d_ff 256, positions, a causal mask" in row_words(picture, same)
    assert all("settings" not in row_words(picture, row) for row in TABLE if row is not same)
    other = replace(PLAIN, residual=False, norm=NormPlacement.PRE)
    assert row_that_applies(other) is None
    assert all("settings" not in row_words(DepthPicture(other, depth_setting(other), None), row) for row in TABLE)


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_the_table_has_every_row_and_marks_the_one_with_these_settings(number: int) -> None:
    state = state_of(TABLE[number])
    table = view_of(LabView.DEPTH).picture.table(DepthPicture(state, depth_setting(state), None))
    assert [column.title for column in table.columns[1:]] == [*map(str, DEPTHS), "cosine"]
    for index, (cells, row) in enumerate(zip(table.rows, TABLE, strict=True)):
        assert cells == ("▸ " * (index == number) + row.title, *map(brief, row.ratios), f"{row.cosine:.3f}")
        words = row_words(DepthPicture(state, depth_setting(state), None), row)
        assert f"{row.title}: {', '.join(map(brief, row.ratios))}; cosine {row.cosine:.3f}" in words
        assert ("It has these settings" in words) == (index == number)


def test_numbers_beyond_the_range_are_a_reason_not_a_crash() -> None:
    state = replace(PLAIN, initialiser=Initialiser.NUMBER, gain=1e12, norm=NormPlacement.NONE)
    picture = depth_picture(state)
    assert picture.survey is None
    assert "leaves the range of float64" in picture.reason
    view = view_of(LabView.DEPTH)
    assert [line.text for line in view.picture.notes(picture)] == [NOTHING, picture.reason]
    assert view.picture.title(picture) == NOTHING
    assert depth_numbers(picture) == {}
    with pytest.raises(ExportError, match="leaves the range of float64"):
        view.numbers(view.of(state), picture, {})


def test_headlines_tell_vanishing_from_exploding() -> None:
    for number, what in ((0, "gets through"), (3, "explodes"), (5, "vanishes")):
        picture = depth_picture(state_of(TABLE[number]))
        ratio = brief(picture.median("gradient_ratios", 24))
        assert depth_headline(picture) == f"The gradient {what}: × {ratio} after 24 layers."
    words = depth_words(depth_picture(state_of(TABLE[6])), 24)
    assert words.startswith("24 layers: gradient × 1.0")
    assert "median of 7 draws" in words
