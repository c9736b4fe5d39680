"""The large picture under the pointer and the keyboard: what it says, what a click and a drag do, what the keys do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from heads_driver import numbers_in
from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.model import alibi_bias, rotary, sinusoidal_encoding
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture
from attention_explorer.pages.positions.table import contents
from attention_explorer.pages.positions.ui.attention import KEY, QUERY, SCORES, WEIGHTS
from attention_explorer.pages.positions.ui.clocks import HAND, ROWS, tip_of
from attention_explorer.pages.positions.ui.encoding import BIASES, CELLS, LINES, WAVES
from attention_explorer.pages.positions.ui.order import AFTER, BEFORE, OUTCOMES
from attention_explorer.pages.positions.ui.similarity import CURVE, MAPS

# ---- Map and waves ----


def test_a_spot_of_a_wider_picture_is_forgotten_with_it(positions):
    positions.open(kind=PositionKind.ALIBI, length=200)
    positions.point_at(positions.cell(BIASES, 3, 190))
    assert positions.canvas.hovered.part[1] == 190
    positions.open(kind=PositionKind.SINUSOIDAL, length=64)
    hovered = positions.canvas.hovered
    assert hovered == NOWHERE or hovered.item != BIASES


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 1), (5, 8), (63, 63)])
def test_a_cell_says_its_arithmetic(positions, row, column):
    said = positions.point_at(positions.cell(CELLS, row, column))
    value = sinusoidal_encoding(64, 64)[row, column]
    function = "cos" if column % 2 else "sin"
    assert said.startswith(f"PE({row}, {column}) = {function}({row} / 10000^({column - column % 2}/64))")
    assert f"{value:+.5f}".replace("-", "−") in said
    assert "wavelength" in said


def test_the_column_is_marked_and_its_number_said_with_the_wavelength(positions):
    before = positions.canvas.grab().toImage()
    said = positions.point_at(positions.cell(CELLS, 20, 33))
    assert positions.canvas.grab().toImage() != before
    assert numbers_in(said)[-1] == pytest.approx(2 * math.pi * 10000 ** (32 / 64), rel=1e-2)


def test_what_is_left_is_forgotten(positions):
    assert positions.point_at(positions.cell(CELLS, 20, 33))
    assert positions.point_at(QPointF(1, 1)) == ""
    assert positions.canvas.hovered == NOWHERE


def test_a_click_on_a_column_draws_its_wave_and_another_hides_it(positions):
    positions.click(positions.cell(CELLS, 30, 20))
    assert positions.state.dimensions == (0, 1, 8, 32, 20)
    assert positions.back_text == "Draw dimension 20"
    assert any(text.startswith("dim 20, sin, wavelength 112") for text in positions.texts())
    assert positions.tries["Draw the wave of dimension 20"].isChecked()
    positions.click(positions.cell(CELLS, 30, 20))
    assert positions.state.dimensions == (0, 1, 8, 32)
    assert positions.back_text == "Hide dimension 20"
    assert positions.state.position == 5


def test_back_takes_away_a_wave_with_its_tick_and_forward_draws_it_again(positions):
    positions.click(positions.cell(CELLS, 30, 20))
    for way, is_drawn in ((Qt.Key.Key_Left, False), (Qt.Key.Key_Right, True)):
        positions.key(way, Qt.KeyboardModifier.AltModifier)
        positions.settle()
        assert (20 in positions.state.dimensions) is is_drawn
        assert positions.tries["Draw the wave of dimension 20"].isChecked() is is_drawn


def test_a_click_beside_a_row_moves_the_position(positions):
    cells = positions.item(CELLS).layout.cells
    positions.click(QPointF(cells.left() - 15, positions.cell(CELLS, 40, 0).y()))
    assert positions.state.position == 40
    assert positions.back_text == "Move the position"
    assert positions.panel_words()[0] == "Position 40"


def test_a_click_above_a_column_draws_its_wave(positions):
    cells = positions.item(CELLS).layout.cells
    place = QPointF(positions.cell(CELLS, 0, 20).x(), cells.top() - 15)
    assert positions.point_at(place) == "dimension 20: click to draw its wave"
    positions.click(place)
    assert positions.state.dimensions[-1] == 20


def test_a_click_on_the_waves_moves_the_position_there(positions):
    place = positions.across(WAVES, 50)
    value = sinusoidal_encoding(64, 64)[50, 8]
    assert f"dim 8 {value:+.4f}".replace("-", "−") in positions.point_at(place)
    positions.click(place)
    assert positions.state.position == 50


def test_the_line_through_the_waves_is_dragged_and_that_is_one_step(positions):
    mouse = positions.hand()
    mouse.press(positions.across(WAVES, 5))
    for at in (10, 20, 30):
        mouse.move(positions.across(WAVES, at))
        assert positions.state.position == at
    mouse.release()
    assert (positions.looks, positions.back_text) == (1, "Move the position")
    positions.back()
    assert positions.state.position == 5


def test_a_head_of_alibi_is_chosen_by_its_line(positions):
    positions.open(kind=PositionKind.ALIBI)
    layout = positions.item(LINES).layout
    positions.click(layout.place(60.0, -60 / 8))  # that of the third
    assert positions.state.head == 2
    said = positions.point_at(positions.cell(BIASES, 30, 20))
    assert numbers_in(said)[:3] == [3, 30, 20]
    assert f"{alibi_bias(8, 64)[2, 30, 20]:.4f}".replace("-", "−") in said
    positions.click(layout.place(32.0, -32 / 4))
    assert positions.state.head == 1
    positions.click(layout.place(66.0, -63 / 2))  # at the name of the first
    assert positions.state.head == 0


def test_the_right_button_changes_nothing(positions):
    mouse = positions.hand()
    mouse.press(positions.cell(CELLS, 30, 20), Qt.MouseButton.RightButton)
    mouse.release(Qt.MouseButton.RightButton)
    assert positions.steps == 0


# ---- Clocks ----


def turn(positions, pair: int, angles: list[float]):
    """Take the hand of a clock, lead it to some angles one after another, and return the mouse that still holds it."""
    dial, box = positions.dial(pair)
    mouse = positions.hand()
    mouse.press(tip_of(box, dial.angle))
    for angle in angles:
        mouse.move(tip_of(box, angle))
    return mouse


def test_a_hand_is_turned_and_all_others_follow_and_that_is_one_step(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=16, position=3)
    begin, step = 3.0, 0.5
    mouse = turn(positions, 0, [begin + step * at for at in range(1, 9)])
    assert positions.state.position == 7
    rates = 10000.0 ** (-2 * np.arange(8) / 16)
    np.testing.assert_allclose(positions.picture.angles, 7 * rates, atol=1e-12)
    mouse.release()
    assert (positions.looks, positions.steps, positions.back_text) == (1, 0, "Turn clock 0")
    assert positions.tries["Turn the first hand once round"].isChecked()
    positions.back()
    assert positions.state.position == 3
    np.testing.assert_allclose(positions.picture.angles, 3 * rates, atol=1e-12)


def test_a_hand_goes_round_as_often_as_it_is_led(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=16, position=0)
    turn(positions, 0, [0.5 * at for at in range(1, 40)]).release()  # 19.5 rad: three turns and a bit
    assert positions.state.position == 20
    turn(positions, 0, [20 - 0.5 * at for at in range(1, 20)]).release()  # and back
    assert positions.state.position == 10


def test_a_slow_hand_takes_the_position_far_and_stops_at_the_ends(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=16, position=0)
    rate = 10000.0 ** (-4 / 16)
    turn(positions, 2, [1.0, 2.0]).release()
    assert positions.state.position == round(2.0 / rate)
    turn(positions, 2, [1.5, 1.0, 0.5, -0.5, -1.0]).release()
    assert positions.state.position == 0
    mouse = turn(positions, 7, [0.3, 0.6, 0.3])
    assert positions.state.position == 63, "it waits at the end until it is turned back"
    mouse.move(tip_of(positions.dial(7)[1], -0.2))
    assert positions.state.position == 0
    mouse.release()


def test_a_press_beside_the_hand_turns_nothing(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=16, position=3)
    _, box = positions.dial(0)
    mouse = positions.hand()
    mouse.press(tip_of(box, 3.0 + math.pi, HAND))
    mouse.move(tip_of(box, 1.0))
    mouse.release()
    assert (positions.state.position, positions.looks) == (3, 0)


def test_a_dial_says_its_angles(positions):
    positions.open(picture=PositionsPicture.CLOCKS, position=10, shift=7)
    dial, box = positions.dial(3)
    numbers = numbers_in(positions.point_at(box.center()))
    theta = 10000 ** (-2 * dial.pair / 64)
    assert any(number == pytest.approx(7 * theta, rel=1e-3) for number in numbers)
    assert any(number == pytest.approx(10 * theta, abs=1e-3) for number in numbers)


def test_the_small_map_beside_the_clocks_has_the_row(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=16)
    items = positions.page.panel.items
    placed = items._layout()[0]
    assert (placed.item.name, placed.item.row) == (ROWS, 5)
    places = (placed.item.column_box(placed.layout, 3), placed.item.row_box(placed.layout, 40))
    positions.hand(items).move(QPointF(places[0].center().x(), places[1].center().y()))
    assert positions.said.startswith("PE(40, 3) = cos(40 / 10000^(2/16))")


def test_a_cell_of_the_matrix_says_its_number(positions):
    positions.open(picture=PositionsPicture.CLOCKS, d_model=8)
    positions.press(positions.page.panel.more)
    table = positions.drawer.table
    positions.page._panel_scroll.ensureWidgetVisible(table)
    (placed,) = table._layout()
    inner = placed.layout[0]
    across, down = inner.item.column_box(inner.layout, 1), inner.item.row_box(inner.layout, 0)
    positions.hand(table).move(QPointF(across.center().x(), down.center().y()))
    assert any(number == pytest.approx(math.sin(3), abs=1e-3) for number in numbers_in(positions.said))


# ---- Similarity ----


def test_a_pair_of_positions_says_both_products(positions):
    positions.open(picture=PositionsPicture.SIMILARITY)
    rows = sinusoidal_encoding(64, 64)
    place = positions.cell(MAPS[0], 19, 0)
    said = positions.point_at(place)
    assert "p = 19, p′ = 0 (offset 19)" in said
    assert "+19.974" in said
    assert f"{positions.picture.maps[1].values[19, 0]:+.3f}".replace("-", "−") in said
    assert float(rows[19] @ rows[0]) == pytest.approx(19.974, abs=5e-4)
    assert positions.point_at(positions.cell(MAPS[1], 19, 0)) == said
    positions.click(place)
    assert positions.state.position == 19


def test_the_curve_says_its_offset_and_where_it_rises(positions):
    positions.open(picture=PositionsPicture.SIMILARITY)
    assert "offset k = 1: 30.917" in positions.point_at(positions.across(CURVE, 1, 0.2))
    assert "above the offset before" not in positions.said
    assert "above the offset before" in positions.point_at(positions.across(CURVE, 6, 0.2))


# ---- Attention ----


def test_a_weight_says_its_number_and_a_click_takes_its_key(positions):
    positions.open(picture=PositionsPicture.ATTENTION)
    place = positions.across(WEIGHTS, 12, 0.02)
    said = positions.point_at(place)
    assert f"{positions.picture.weights[12]:.4f}"[:6] in said
    positions.click(place)
    assert positions.state.position == 12
    assert positions.back_text == "Move the key"
    assert "score: query 40, key 12" in positions.page.panel.items.spoken()
    terms = positions.picture.terms
    assert sum(term.number for term in terms) == pytest.approx(positions.picture.scores[12])


@pytest.mark.parametrize(("name", "begin", "label"), [(KEY, 5, "Move the key"), (QUERY, 40, "Move the query")])
def test_key_and_query_are_dragged_over_the_weights(positions, name, begin, label):
    positions.open(picture=PositionsPicture.ATTENTION)
    mouse = positions.hand()
    mouse.press(positions.across(WEIGHTS, begin))
    mouse.move(positions.across(WEIGHTS, 25))
    mouse.release()
    assert (positions.state.position, positions.state.query_position) == ((25, 40) if name == KEY else (5, 25))
    assert (positions.looks, positions.back_text) == (1, label)


def test_a_distance_says_the_score_of_its_kind(positions):
    positions.open(picture=PositionsPicture.ATTENTION, kind=PositionKind.ROTARY, position=0, query_position=20)
    place = positions.across(SCORES, 7, 0.2)
    line = positions.picture.shown.lines[-1]
    said = positions.point_at(place)
    assert said.startswith("distance 7: none ")
    assert f"rotary {line.at(7):+.2f}".replace("-", "−") in said
    positions.click(place)
    assert positions.state.position == 13  # 7 before the query


# ---- Order ----


def outcome(positions, row: int, column: int) -> QPointF:
    """The beginning of a cell of the table of outcomes."""
    layout = positions.item(OUTCOMES).layout
    left = next(left for index, left, _ in layout.shown if index == column)
    return QPointF(left + 10, layout.row(row).center().y())


def test_an_outcome_is_chosen_by_a_click(positions):
    positions.open(picture=PositionsPicture.ORDER)
    positions.click(outcome(positions, 0, 3))  # no encoding, causal
    assert (positions.state.kind, positions.state.causal) == (PositionKind.NONE, True)
    assert positions.undo_text == "Shuffle with none, causal"
    assert "same rows, reordered" in positions.point_at(outcome(positions, 0, 1))
    positions.click(outcome(positions, 3, 0))
    assert (positions.state.kind, positions.state.causal) == (PositionKind.ROTARY, True), "a name leaves the mask"
    positions.click(outcome(positions, 3, 1))
    assert (positions.state.kind, positions.state.causal) == (PositionKind.ROTARY, False)


def test_the_weight_of_two_words_is_said_before_and_after(positions):
    positions.open(picture=PositionsPicture.ORDER, kind=PositionKind.NONE)
    said = positions.point_at(positions.item(BEFORE).layout.rectangle(1, 2).center())
    weight = f"{positions.picture.maps[0].values[1, 2]:.4f}"
    assert said.count(weight) == 2  # without positions the shuffle changes nothing
    order = positions.picture.order
    after = positions.item(AFTER).layout.rectangle(order.index(1), order.index(2)).center()
    assert positions.point_at(after) == said


# ---- Keys ----


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((Qt.Key.Key_Right, Qt.Key.Key_Down), 7),
        ((Qt.Key.Key_Left, Qt.Key.Key_Up), 3),
        ((Qt.Key.Key_PageDown,), 15),
        ((Qt.Key.Key_PageUp,), 0),
        ((Qt.Key.Key_End, Qt.Key.Key_Right), 63),
        ((Qt.Key.Key_Home, Qt.Key.Key_Left), 0),
    ],
)
@pytest.mark.parametrize("picture", [each for each in PositionsPicture if each is not PositionsPicture.ORDER])
def test_keys_move_the_position_and_stop_at_the_ends(positions, keys, expected, picture):
    positions.open(picture=picture)
    positions.canvas.setFocus()
    for key in keys:
        positions.key(key)
    assert positions.state.position == expected
    assert positions.looks == 1
    positions.back()
    assert positions.state.position == 5


def test_a_rotary_position_turns_a_vector_as_the_model_does(positions):
    positions.open(kind=PositionKind.ROTARY, d_model=8, picture=PositionsPicture.CLOCKS)
    positions.key(Qt.Key.Key_Right)
    query = contents(positions.state)[0]
    turned = rotary(query[None], np.asarray([6]))[0]
    angles = np.asarray(positions.picture.angles)
    np.testing.assert_allclose(turned[:4], query[:4] * np.cos(angles) - query[4:] * np.sin(angles), atol=1e-12)


def test_the_order_experiment_has_no_position_to_move(positions):
    positions.open(picture=PositionsPicture.ORDER)
    assert not positions.page.main.isVisible()
    positions.key(Qt.Key.Key_Right)
    assert positions.state.position == 5
    assert positions.steps == 0


# ---- Menu ----


def test_both_maps_of_the_order_are_equally_large(positions):
    """So that either both have digits in their cells or none: the words lean out as far, in whatever order."""
    positions.open(picture=PositionsPicture.ORDER)
    for size in ((1024, 768), (1280, 800)):
        positions.window.resize(*size)
        before, after = (positions.item(name).layout.cells for name in (BEFORE, AFTER))
        assert (before.width(), before.height(), before.top()) == (after.width(), after.height(), after.top())
