"""The Positions page as a whole: every kind in every picture, the tutorials' numbers, long inputs, the window."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import numbers_in, pixels
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture
from attention_explorer.pages.positions.ui.views import views

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_positions.json").read_text(encoding="utf-8"))
PRODUCTS = {entry["k"]: entry["value"] for entry in REFERENCE["positional_encoding"]["dot_PE0_PEk"]}


def labelled(texts: list[str]) -> dict[int, float]:
    """The offsets that have their number beside the curve, as in "30.917 at 1"."""
    found = (re.match(r"([−\d.]+) at (\d+)", text) for text in texts)
    return {int(match[2]): numbers_in(match[1])[0] for match in found if match}


@pytest.mark.parametrize("picture", PositionsPicture)
@pytest.mark.parametrize("kind", PositionKind)
def test_every_picture_of_every_kind_is_drawn_and_put_into_words(positions, kind, picture):
    positions.open(kind=kind, picture=picture)
    assert positions.told == ""
    drawn = pixels(positions.canvas.grab().toImage())
    assert len(np.unique(drawn)) > 5
    assert positions.shown_title().endswith(".")
    assert len(positions.notes) > 40
    assert positions.texts()
    title, sentence = positions.panel_words()
    words = f"{positions.page.title.text()} {title} {sentence}".split()
    assert len(sentence.split()) <= 35
    assert len(words) <= 60


@pytest.mark.parametrize("view", views(), ids=lambda view: view.id)
def test_what_to_try_is_short_and_not_done_at_first(positions, view):
    positions.open(picture=view.id)
    assert 1 <= len(view.tries) <= 3
    assert all(len(each.words) <= 34 for each in view.tries)
    assert not any(box.isChecked() for box in positions.tries.values())


# ---- The numbers of the tutorials ----


def test_the_shape_and_the_first_rows_are_printed(positions):
    positions.open(length=100, position=0)
    assert "(100, 64)" in positions.texts()
    for position in (0, 1):
        positions.type_into(positions.main.box, str(position))
        shown = re.findall(r"dim (\d+), PE\[\d\] ([+−\d.]+)", positions.drawer_texts())
        expected = REFERENCE["positional_encoding"]["rows"][str(position)]
        assert [int(dimension) for dimension, _ in shown] == list(range(64))
        numbers = [numbers_in(number)[0] for _, number in shown]
        np.testing.assert_allclose(numbers[: len(expected)], expected[:64], atol=5.1e-7)
    assert "Its norm is 5.6569 = √(64/2)" in positions.panel_words()[1]


def test_the_products_of_the_reference_stand_beside_the_curve(positions):
    positions.open(picture=PositionsPicture.SIMILARITY)
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
    positions.open(picture=PositionsPicture.SIMILARITY, length=1000)
    assert any("at 725 (first below 0)" in text for text in positions.texts())
    assert "It first falls below 0 at offset 725." in positions.notes
    assert (positions.picture.curve[:725] >= 0).all()


def test_after_projections_the_product_is_not_relative_any_more(positions):
    positions.open(picture=PositionsPicture.SIMILARITY)
    before, after = positions.picture.spreads
    assert before.range < 1e-12
    assert after.range > 5.0
    assert positions.panel_words()[0] == "How far numbers differ at offset 1"
    assert f"after W_q, W_k {after.range:.2f}" in positions.page.panel.items.spoken()


def test_the_matrix_of_the_shift_is_that_of_the_reference(positions):
    shift = REFERENCE["pe_shift"]
    positions.open(picture=PositionsPicture.CLOCKS, d_model=shift["d"], shift=shift["k"], length=300)
    np.testing.assert_allclose(positions.picture.matrix.values, shift["R_k"], atol=1e-12)
    residuals = []
    for position in ("0", "17", "290"):
        positions.type_into(positions.main.box, position)
        residuals.append(positions.picture.residual)
        np.testing.assert_allclose(positions.picture.matrix.values, shift["R_k"], atol=1e-12)
    assert max(residuals) < 2.2e-14
    assert "which is rounding" in positions.notes


def test_the_norm_of_a_token_is_held_against_that_of_its_encoding(positions):
    positions.open(picture=PositionsPicture.ATTENTION, embedding_scale=0.5)
    query, key, encoding = (norm.number for norm in positions.picture.norms)
    assert encoding == pytest.approx(REFERENCE["positional_encoding"]["norm_every_row"])
    assert max(query, key) < encoding
    assert "the encoding is longer than the token" in positions.notes
    assert "length of PE(40),  5.657" in positions.drawer_texts()


def test_only_without_encoding_and_mask_the_rows_are_the_same(positions):
    positions.open(picture=PositionsPicture.ORDER)
    errors = {(o.kind, o.causal): o.found.error for o in positions.picture.outcomes}
    assert errors.pop((PositionKind.NONE, False)) < 3.6e-15
    assert min(errors.values()) > 0.01
    assert errors[PositionKind.NONE, True] > 1.0
    assert sum("same rows, reordered" in text for text in positions.texts()) == 1


def test_an_odd_width_is_drawn_and_rotary_says_why_it_is_not(positions):
    positions.open(d_model=7, picture=PositionsPicture.CLOCKS)
    assert positions.picture.pairs == 4
    positions.choose(positions.few("kind"), PositionKind.ROTARY)
    assert "7 is odd: choose an even d_model" in positions.notes


# ---- Long inputs ----


@pytest.mark.parametrize("picture", PositionsPicture)
def test_long_and_wide_encodings_are_sampled_and_say_so(positions, picture):
    positions.open(length=8192, d_model=1024, picture=picture)
    drawn = pixels(positions.canvas.grab().toImage())
    assert len(np.unique(drawn)) > 5
    if picture is PositionsPicture.ENCODING:
        assert positions.picture.table.picture.values.size <= 512 * 512
        step = int(np.diff(positions.picture.table.rows)[0])
        assert step > 8
        assert any(text.startswith(f"every {step}") for text in positions.texts())
    if picture is PositionsPicture.SIMILARITY:
        assert any(text.startswith("every ") for text in positions.texts())


def test_a_step_of_the_position_is_shown_at_once_however_large_the_picture(positions):
    positions.open(picture=PositionsPicture.ATTENTION, length=8192, d_model=1024)
    lines = positions.picture.kinds
    positions.key(Qt.Key.Key_Right)
    assert not positions.page.jobs.is_busy()
    assert positions.picture.key == 6
    assert positions.picture.kinds is lines


def test_a_step_of_the_query_is_shown_at_once_and_keeps_what_it_does_not_change(positions):
    positions.open(picture=PositionsPicture.ATTENTION, length=8192, d_model=1024, query_position=20)
    before = {kind.kind: kind.lines for kind in positions.picture.kinds}
    slider = positions.main.slider
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


def test_what_does_not_show_in_the_picture_does_not_paint_it_anew(positions):
    positions.open(picture=PositionsPicture.ORDER)
    positions.canvas.grab()
    kept = positions.canvas._kept
    positions.window.session.apply(replace(ExplorerState(), positions=replace(positions.state, position=9)), "Move")
    positions.settle()
    assert positions.canvas._kept is kept
