"""What the Heads page says of cells that are hidden, even or compared, in the window and in what it copies."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from heads_driver import numbers_in, pixels, widget_texts
from PySide6.QtGui import QColor
from window_driver import copied_numbers, table_shown

from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, MaskKind, Picture
from attention_explorer.pages.heads.ui.choices import MASKS
from attention_explorer.pages.heads.ui.token_bars import ROW_HEIGHT

# The off-screen platform says this whenever a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def copied(driver) -> list[list[str]]:
    return list(csv.reader(io.StringIO(copied_numbers(driver.page)), strict=True))


def bar_pixels(driver, token: int) -> int:
    """How many pixels of a token's line in the list have the colour of a bar."""
    bars = driver.page.reading.bars
    image = pixels(bars.grab().toImage())
    top = bars.top_of(token)
    line = image[top : top + ROW_HEIGHT]
    return int(np.count_nonzero(line == (QColor(driver.page.look.theme.key).rgb() & 0xFFFFFF)))


# ---- Hidden cells and zeros ----


def test_a_hidden_cell_says_by_which_mask_and_explains_no_number(driver):
    reading = driver.page.reading
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.hover(2, 4)
    assert reading.cell_title.text() == "“sat” → “the”: hidden by the causal mask"
    assert "hidden by the causal mask" in driver.said
    assert reading.steps.steps()[-1].value == "0"
    driver.hover(4, 2)
    assert reading.cell_title.text() == driver.cell_title(4, 2)
    driver.press(driver.page.bar.paint)
    driver.click_cell(4, 2)
    driver.hover(4, 3)
    driver.hover(4, 2)
    assert reading.cell_title.text() == "“the” → “sat”: hidden by hand"
    assert ("hidden by hand", "−∞") in [(step.name, step.value) for step in reading.steps.steps()]


def test_a_weight_of_zero_has_no_bar_and_no_zeros_behind_the_point(open_heads):
    driver = open_heads(HeadsState().with_setup(hard=True))
    driver.hover(3, 1)
    weights = driver.weights[3]
    best = int(weights.argmax())
    assert sorted(weights.tolist()) == [0.0] * 10 + [1.0]
    assert bar_pixels(driver, best) > 100
    assert [bar_pixels(driver, token) for token in range(11) if token != best] == [0] * 10
    said = widget_texts(driver.page.reading.bars)
    assert said.count("0") == 10
    assert said.count("1") == 1
    assert not [text for text in said if text.endswith(".0000")]


def test_a_tiny_weight_still_has_a_bar(driver):
    driver.choose(driver.page.bar.presets, "multi-head")
    driver.hover(0, 1)
    assert 0.0 < driver.weights[0, 1] < 1e-3
    assert bar_pixels(driver, 1) > 0


def test_exact_numbers_end_where_they_end(open_heads):
    driver = open_heads(heads_preset("hand-made").state)
    driver.hover(2, 3)
    driver.press(driver.page.reading.table_button)
    _, rows = table_shown(driver.window)
    cells = [cell.strip() for row in rows for cell in row[2:]]
    assert not [cell for cell in cells if cell.endswith(".0")]
    assert "0.1" in cells


def test_the_tip_of_the_window_says_how_far_each_side():
    tips = {kind: tip for kind, _, tip in MASKS}
    assert "n − 1 positions to each side" in tips[MaskKind.WINDOW]
    assert "n − 1 positions before" in tips[MaskKind.CAUSAL_WINDOW]


# ---- Stages ----


def test_copying_the_stages_copies_all_four(driver):
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.press(driver.page.bar.pictures.buttons[Picture.STAGES])
    header, *rows = copied(driver)
    assert header == ["stage", "query", *driver.frame.keys]
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(4, 11, 11)
    for stage, values in zip(Stage, found, strict=True):
        assert [row[0] for row in rows].count(stage.value) == 11
        np.testing.assert_array_equal(values, driver.frame.head_map.stage(stage))


# ---- Comparison ----


@pytest.fixture
def compared(driver):
    driver.press(driver.page.keep)
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.press(driver.page.bar.pictures.buttons[Picture.COMPARE])
    return driver


def place_of(driver, map_: int, row: int, column: int):
    return driver.page.comparison.picture_layout.maps[map_].layout.rectangle(row, column).center()


@pytest.mark.parametrize("map_", range(3))
def test_every_map_of_a_comparison_says_a_and_b_and_the_difference(compared, map_):
    a, b = (heads_frame(setup).map.weights() for setup in (compared.heads.setup, compared.heads.other))
    compared.hand(compared.page.comparison).move(place_of(compared, map_, 6, 2))
    for name in ("A weight ", "B weight ", "A − B +"):
        assert name in compared.said
    expected = [a[6, 2], b[6, 2], a[6, 2] - b[6, 2]]
    assert numbers_in(compared.said.split("A weight")[1]) == pytest.approx(expected, rel=5e-6)
    reading = compared.page.reading
    assert reading.title.text() == "A: “because” (7) attends to"
    assert reading.cell_title.text() == "“because” (7) → “sat” (3)"
    assert [step.name for step in reading.steps.steps()] == ["A: weight", "B: weight", "A − B"]
    shown = [numbers_in(step.value)[0] for step in reading.steps.steps()]
    assert shown == pytest.approx(expected, abs=5.1e-5)
    assert not reading.products_button.isVisible()


def test_the_table_of_a_comparison_has_all_three(compared):
    compared.hand(compared.page.comparison).move(place_of(compared, 0, 6, 2))
    compared.press(compared.page.reading.table_button)
    header, rows = table_shown(compared.window)
    assert header == ["token", "position", "A weight", "B weight", "A − B"]
    assert rows[8][2] == "", "masked in A"


def test_the_numbers_of_a_comparison_are_copied_under_their_names(compared):
    a, b = (heads_frame(setup).map.weights() for setup in (compared.heads.setup, compared.heads.other))
    header, *rows = copied(compared)
    assert header[:2] == ["map", "query"]
    found = np.array([[float(cell) for cell in row[2:]] for row in rows]).reshape(3, 11, 11)
    np.testing.assert_array_equal(found, [a, b, a - b])
    assert [row[0] for row in rows[::11]] == ["A", "B", "A − B"]


def test_leaving_the_comparison_brings_the_arithmetic_back(compared):
    compared.press(compared.page.bar.pictures.buttons[Picture.HEATMAP])
    compared.hover(6, 2)
    assert compared.page.reading.title.text() == "“because” (7) attends to"
    assert compared.page.reading.steps.steps()[0].name == "q₇ · k₃"
    assert "A weight" not in compared.said
