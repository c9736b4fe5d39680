"""What the Heads page says of cells that are hidden, even or compared, in the window and in what it copies."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from heads_driver import numbers_in
from window_driver import copied_numbers

from attention_explorer.model import Stage
from attention_explorer.pages.heads.choices import MASKS
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import MaskKind, Picture


def copied(driver) -> list[list[str]]:
    return list(csv.reader(io.StringIO(copied_numbers(driver.page)), strict=True))


# ---- Hidden cells and zeros ----


def test_a_hidden_cell_says_by_which_mask(driver):
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.hover(2, 4)
    assert driver.read_cell == (2, 4)
    assert "hidden by the causal mask" in driver.said
    driver.press(driver.controls.paint)
    driver.click_cell(4, 2)
    driver.hover(4, 3)
    driver.hover(4, 2)
    assert "hidden by hand" in driver.said


def test_the_tip_of_the_window_says_how_far_each_side():
    tips = {kind: tip for kind, _, tip in MASKS}
    assert "n − 1 positions to each side" in tips[MaskKind.WINDOW]
    assert "n − 1 positions before" in tips[MaskKind.CAUSAL_WINDOW]


# ---- Stages ----


def test_copying_the_stages_copies_all_four(driver):
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.press(driver.controls.pictures.buttons[Picture.STAGES])
    header, *rows = copied(driver)
    assert header == ["stage", "query", *driver.frame.keys]
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(4, 11, 11)
    for stage, values in zip(Stage, found, strict=True):
        assert [row[0] for row in rows].count(stage.value) == 11
        np.testing.assert_array_equal(values, driver.frame.head_map.stage(stage))


# ---- Comparison ----


@pytest.fixture
def compared(driver):
    driver.keep()
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    return driver


def place_of(driver, map_: int, row: int, column: int):
    return driver.canvas.picture_layout.maps[map_].layout.rectangle(row, column).center()


@pytest.mark.parametrize("map_", range(3))
def test_every_map_of_a_comparison_says_a_and_b_and_the_difference(compared, map_):
    a, b = (heads_frame(setup).map.weights() for setup in (compared.heads.setup, compared.heads.other))
    compared.hand(compared.canvas).move(place_of(compared, map_, 6, 2))
    for name in ("A weight ", "B weight ", "A − B +"):
        assert name in compared.said
    expected = [a[6, 2], b[6, 2], a[6, 2] - b[6, 2]]
    assert numbers_in(compared.said.split("A weight")[1]) == pytest.approx(expected, rel=5e-6)
    assert compared.page.panel.title.text() == "A: “because” (7) attends to"


def test_the_table_of_a_comparison_has_all_three(compared):
    compared.hand(compared.canvas).move(place_of(compared, 0, 6, 2))
    table = compared.page.panel.items._items.items[0]
    assert [column.title for column in table.columns] == ["token", "position", "A weight", "B weight", "A − B"]
    assert table.rows[8][2] == "", "masked in A"


def test_the_numbers_of_a_comparison_are_copied_under_their_names(compared):
    a, b = (heads_frame(setup).map.weights() for setup in (compared.heads.setup, compared.heads.other))
    header, *rows = copied(compared)
    assert header[:2] == ["map", "query"]
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(3, 11, 11)
    np.testing.assert_array_equal(found, [a, b, a - b])
    assert [row[0] for row in rows[::11]] == ["A", "B", "A − B"]


def test_leaving_the_comparison_brings_the_arithmetic_back(compared):
    compared.show(Picture.HEATMAP)
    compared.hover(6, 2)
    assert compared.read == "“because” (7) attends to"
    assert "A weight" not in compared.said
