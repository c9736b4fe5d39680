"""The Positions page as a whole: every kind in every picture, the tutorials' numbers, long inputs, the window."""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from heads_driver import numbers_in, pixels
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QBoxLayout
from writing_driver import written_on

from attention_explorer.kit.pictures import request as picture_request
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, PositionsState
from attention_explorer.session.settings import Settings, ThemeChoice

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_positions.json").read_text(encoding="utf-8"))
PRODUCTS = {entry["k"]: entry["value"] for entry in REFERENCE["positional_encoding"]["dot_PE0_PEk"]}


def labelled(texts: list[str]) -> dict[int, float]:
    """The offsets that have their number beside the curve, as in "30.917 at 1"."""
    found = (re.match(r"([−\d.]+) at (\d+)", text) for text in texts)
    return {int(match[2]): numbers_in(match[1])[0] for match in found if match}


@pytest.mark.parametrize("picture", PositionsPicture)
@pytest.mark.parametrize("kind", PositionKind)
def test_every_picture_of_every_kind_is_drawn_and_put_into_words(positions, kind, picture):
    positions.show(kind=kind, picture=picture)
    assert positions.told == ""
    drawn = pixels(positions.canvas.grab().toImage())
    assert len(np.unique(drawn)) > 5
    title = {"none": "No encoding", "ALiBi": "ALiBi"}.get(kind.value, f"{kind.value.capitalize()} encoding")
    assert positions.shown_title().startswith(title)
    assert len(positions.notes) > 40
    assert positions.texts()


# ---- The numbers of the tutorials ----


def test_the_shape_and_the_first_rows_are_printed(positions):
    positions.show(length=100, position=0)
    assert "(100, 64)" in positions.shown_title()
    for position in (0, 1):
        positions.type_into(positions.controls.position.box, str(position))
        shown = numbers_in(positions.page.panel.numbers.text().replace(",", " "))
        expected = REFERENCE["positional_encoding"]["rows"][str(position)][:12]
        np.testing.assert_allclose(shown[1::2], expected, atol=5.1e-7)
        assert shown[0::2] == list(range(12))
    assert "Its norm is 5.6569 = √(64/2)" in positions.page.panel.summary.text()


@pytest.mark.parametrize("position", [0, 5, 63])
def test_the_name_of_a_dimension_stands_by_its_own_number(positions, position):
    positions.show(length=64, position=position)
    written = written_on(positions.page.panel.numbers)
    pairs = list(zip(written[::2], written[1::2], strict=True))
    assert [name.text for name, _ in pairs] == [str(dimension) for dimension in range(12)]
    own = max(number.box.left() - name.box.right() for name, number in pairs)
    lines = [pairs[first : first + 3] for first in range(0, 12, 3)]
    gaps = [after.box.left() - number.box.right() for line in lines for (_, number), (after, _) in pairwise(line)]
    assert min(gaps) > 2 * own > 0


def test_both_ways_to_write_the_formula_are_there(positions):
    assert "sin(p / 10000^(2i/64))" in positions.notes
    assert "p · exp(−2i · ln 10000 / 64)" in positions.notes
    assert "6.28 for i = 0, 47117 for i = 31" in positions.notes


def test_the_products_of_the_reference_stand_beside_the_curve(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    found = labelled(positions.texts())
    assert set(found) == {1, 15, 19, 25}
    for offset, value in found.items():
        assert value == pytest.approx(PRODUCTS[offset], abs=5.1e-4)
    curve = positions.picture.curve
    for offset, value in PRODUCTS.items():
        if offset < 64:
            assert curve[offset] == pytest.approx(value, rel=1e-10)
    assert [offset in positions.picture.rises for offset in (5, 6, 11, 12, 17, 18, 23)] == [False] + 6 * [True]
    assert "it rises at offsets 6, 11, 12, 17, 18, 23" in positions.notes


def test_the_product_is_first_negative_at_725(positions):
    positions.show(picture=PositionsPicture.SIMILARITY, length=1000)
    assert any("at 725 (first below 0)" in text for text in positions.texts())
    assert "It first falls below 0 at offset 725." in positions.notes
    assert (positions.picture.curve[:725] >= 0).all()


def test_after_projections_the_product_is_not_relative_any_more(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    before, after = positions.picture.spreads
    assert before.range < 1e-12
    assert after.range > 5.0
    assert "offset 1: the same number everywhere" in positions.texts()
    assert any(text.startswith("offset 1: numbers spread over") for text in positions.texts())


def test_the_matrix_of_the_shift_is_that_of_the_reference(positions):
    shift = REFERENCE["pe_shift"]
    positions.show(picture=PositionsPicture.CLOCKS, d_model=shift["d"], shift=shift["k"], length=300)
    np.testing.assert_allclose(positions.picture.matrix.values, shift["R_k"], atol=1e-12)
    residuals = []
    for position in ("0", "17", "290"):
        positions.type_into(positions.controls.position.box, position)
        residuals.append(positions.picture.residual)
        np.testing.assert_allclose(positions.picture.matrix.values, shift["R_k"], atol=1e-12)
    assert max(residuals) < 2.2e-14
    assert "which is rounding" in positions.notes


def test_the_norm_of_a_token_is_held_against_that_of_its_encoding(positions):
    positions.show(picture=PositionsPicture.ATTENTION, embedding_scale=0.5)
    query, key, encoding = (norm.number for norm in positions.picture.norms)
    assert encoding == pytest.approx(REFERENCE["positional_encoding"]["norm_every_row"])
    assert max(query, key) < encoding
    assert "the encoding is longer than the token" in positions.notes
    assert "5.657" in positions.texts()


def test_only_without_encoding_and_mask_the_rows_are_the_same(positions):
    positions.show(picture=PositionsPicture.ORDER)
    errors = {(o.kind, o.causal): o.found.error for o in positions.picture.outcomes}
    assert errors.pop((PositionKind.NONE, False)) < 3.6e-15
    assert min(errors.values()) > 0.01
    assert errors[PositionKind.NONE, True] > 1.0
    assert sum("same rows, reordered" in text for text in positions.texts()) == 1


def test_an_odd_width_is_drawn_and_rotary_says_why_it_is_not(positions):
    positions.show(d_model=7, picture=PositionsPicture.CLOCKS)
    assert positions.picture.pairs == 4
    positions.press(positions.bar.kinds.buttons[PositionKind.ROTARY])
    assert "7 is odd: choose an even d_model" in positions.notes


# ---- Long inputs ----


@pytest.mark.parametrize("picture", PositionsPicture)
def test_long_and_wide_encodings_are_sampled_and_say_so(positions, picture):
    positions.show(length=8192, d_model=1024, picture=picture)
    drawn = pixels(positions.canvas.grab().toImage())
    assert len(np.unique(drawn)) > 5
    if picture is PositionsPicture.ENCODING:
        assert positions.picture.table.picture.values.size <= 512 * 512
        step = int(np.diff(positions.picture.table.rows)[0])
        assert step > 8
        assert any(text.startswith(f"every {step}") for text in positions.texts())
    if picture is PositionsPicture.SIMILARITY:
        assert any("maps: every" in text for text in positions.texts())


def test_the_old_picture_stays_until_a_large_one_is_there(positions, monkeypatch):
    positions.show(picture=PositionsPicture.SIMILARITY)
    old, compute = positions.picture, picture_request.computed

    def slow(*order):
        time.sleep(0.3)
        return compute(*order)

    monkeypatch.setattr(picture_request, "computed", slow)
    positions.type_into(positions.bar.d_model, "1024")
    assert positions.page.jobs.is_busy()
    assert positions.picture is old
    QTest.qWait(50)
    assert positions.said == "computing …"
    positions.settle()
    assert positions.picture.state.d_model == 1024
    assert positions.said == ""


def test_a_step_of_the_position_is_shown_at_once_however_large_the_picture(positions):
    positions.show(picture=PositionsPicture.ATTENTION, length=8192, d_model=1024)
    lines = positions.picture.kinds
    positions.key(Qt.Key.Key_Right)
    assert not positions.page.jobs.is_busy()
    assert positions.picture.key == 6
    assert positions.picture.kinds is lines


def test_a_step_of_the_query_is_shown_at_once_and_keeps_what_it_does_not_change(positions):
    positions.show(picture=PositionsPicture.ATTENTION, length=8192, d_model=1024, query_position=20)
    before = {kind.kind: kind.lines for kind in positions.picture.kinds}
    slider = positions.page.positions_controls.query.slider
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert not positions.page.jobs.is_busy()
    assert positions.picture.query == 21
    after = {kind.kind: kind.lines for kind in positions.picture.kinds}
    for kind in (PositionKind.NONE, PositionKind.ROTARY, PositionKind.ALIBI):
        assert after[kind] is before[kind]
    *ends, bare, own = zip(before[PositionKind.SINUSOIDAL], after[PositionKind.SINUSOIDAL], strict=True)
    assert all(old is new for old, new in ends)
    assert not any(np.array_equal(old.scores, new.scores) for old, new in (bare, own))


def test_of_many_sizes_in_a_row_the_last_is_shown(positions):
    positions.show(picture=PositionsPicture.SIMILARITY, d_model=512)
    for length in (300, 310, 320, 330):
        positions.type_into(positions.bar.length, str(length))
    positions.settle()
    assert positions.picture.state.length == 330


def test_a_small_picture_asked_for_meanwhile_is_not_overtaken_by_the_large_one(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    positions.type_into(positions.bar.d_model, "1024")
    positions.undo()
    positions.settle()
    assert positions.picture.state.d_model == 64
    assert "(64, 64)" in positions.shown_title()


def test_what_does_not_show_in_the_picture_does_not_paint_it_anew(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    kept = positions.canvas._kept
    positions.key(Qt.Key.Key_Right)
    assert "PE[6]" in positions.page.panel.row_title.text()
    assert positions.canvas._kept is kept


# ---- The window ----


def test_a_narrow_window_puts_the_panel_below(make_window, hand):
    window = make_window(ExplorerState(), Settings(theme=ThemeChoice.LIGHT, page="positions"), (900, 650))
    page = window.page
    assert page._columns.direction() is QBoxLayout.Direction.TopToBottom
    assert page._panel_scroll.verticalScrollBar().maximum() == 0  # one thing scrolls, not one within another
    window.resize(1280, 800)
    QApplication.processEvents()
    assert page._columns.direction() is QBoxLayout.Direction.LeftToRight


@pytest.mark.parametrize("picture", PositionsPicture)
def test_another_theme_and_size_repaint_the_picture(make_window, picture):
    state = ExplorerState(positions=PositionsState(picture=picture))
    grounds = []
    for theme in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        window = make_window(state, Settings(theme=theme, zoom=1.5, page="positions"))
        grounds.append(pixels(window.page.canvas.grab().toImage())[2, 2])
    assert (grounds[0] & 0xFF) > 200 > 100 > (grounds[1] & 0xFF)


def test_the_page_menu_offers_what_the_page_can_do(positions):
    names = [action.text for action in positions.page.actions_offered()]
    assert names == ["Play or pause", "", *(f"Show {picture.value}" for picture in PositionsPicture)]


def test_every_control_has_a_name_and_a_tip(positions):
    controls, bar = positions.controls, positions.bar
    fields = (bar.length, bar.d_model, bar.base, bar.heads, bar.seed, controls.waves, controls.sentence)
    sliders = (controls.position, controls.shift, controls.query, controls.head, controls.scale)
    for widget in (*fields, *(part for slider in sliders for part in (slider.slider, slider.box))):
        assert widget.accessibleName()
        assert widget.toolTip()
    for button in (controls.play, controls.causal, controls.root, controls.shuffle, bar.export_button):
        assert button.text()
        assert button.toolTip()
