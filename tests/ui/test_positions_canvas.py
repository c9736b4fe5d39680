"""The large picture under the pointer and the keyboard: what it says, what a click does, what the keys do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from heads_driver import numbers_in
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.model import alibi_bias, rotary, sinusoidal_encoding
from attention_explorer.pages.positions.random import contents
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture

# The off-screen platform says this whenever a menu opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def cell(positions, row: int, column: int) -> QPointF:
    """The middle of a cell of the map of the encoding, or of that of a head of ALiBi."""
    map_ = positions.layout.map if positions.layout.bias is None else positions.layout.bias.map
    return QPointF(map_.column_box(column).center().x(), map_.row_box(row).center().y())


# ---- Encoding ----


def test_a_spot_of_a_wider_picture_is_forgotten_with_it(positions):
    positions.show(kind=PositionKind.ALIBI, length=200)
    positions.point_at(cell(positions, 3, 190))
    assert positions.canvas.hovered.column == 190
    positions.show(kind=PositionKind.SINUSOIDAL, length=64)
    assert positions.canvas.hovered.column is None or positions.canvas.hovered.column < 64


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 1), (5, 8), (63, 63)])
def test_a_cell_says_its_arithmetic(positions, row, column):
    said = positions.point_at(cell(positions, row, column))
    value = sinusoidal_encoding(64, 64)[row, column]
    function = "cos" if column % 2 else "sin"
    assert said.startswith(f"PE({row}, {column}) = {function}({row} / 10000^({column - column % 2}/64))")
    assert f"{value:+.5f}".replace("-", "−") in said
    assert "wavelength" in said


def test_the_column_is_marked_and_its_number_said_with_the_wavelength(positions):
    before = positions.canvas.grab().toImage()
    said = positions.point_at(cell(positions, 20, 33))
    assert positions.canvas.grab().toImage() != before
    assert numbers_in(said)[-1] == pytest.approx(2 * math.pi * 10000 ** (32 / 64), rel=1e-2)


def test_what_is_left_is_forgotten(positions):
    assert positions.point_at(cell(positions, 20, 33))
    assert positions.point_at(QPointF(1, 1)) == ""
    assert positions.canvas.hovered == NOWHERE


def test_a_click_on_a_column_draws_its_wave_and_another_hides_it(positions):
    positions.click(cell(positions, 30, 20))
    assert positions.state.dimensions == (0, 1, 8, 32, 20)
    assert positions.back_text == "Draw dimension 20"
    assert any(text.startswith("dim 20, sin, wavelength 112") for text in positions.texts())
    positions.click(cell(positions, 30, 20))
    assert positions.state.dimensions == (0, 1, 8, 32)
    assert positions.back_text == "Hide dimension 20"
    assert positions.state.position == 5


def test_a_click_beside_a_row_moves_the_position(positions):
    positions.click(QPointF(positions.layout.map.cells.left() - 15, cell(positions, 40, 0).y()))
    assert positions.state.position == 40
    assert positions.back_text == "Move the position"
    assert "PE[40]" in positions.page.panel.row_title.text()


def test_a_click_on_a_wave_moves_the_position_there(positions):
    lane = positions.layout.lanes[1]
    positions.click(QPointF(positions.layout.lane_x(50), lane.center().y()))
    assert positions.state.position == 50


def test_a_head_of_alibi_is_chosen_by_its_name_or_its_line(positions):
    positions.show(kind=PositionKind.ALIBI)
    name = next(box for head, box in positions.layout.bias.names if head == 2)
    positions.click(name.center())
    assert positions.state.head == 2
    said = positions.point_at(cell(positions, 30, 20))
    assert numbers_in(said)[:3] == [3, 30, 20]
    assert f"{alibi_bias(8, 64)[2, 30, 20]:.4f}".replace("-", "−") in said
    plot = positions.layout.bias.plot
    end = positions.layout.bias.ends[1]  # the second head's
    positions.click(QPointF(plot.center().x(), (plot.top() + end) / 2))
    assert positions.state.head == 1


def test_the_right_button_changes_nothing(positions):
    mouse = positions.hand()
    mouse.press(cell(positions, 30, 20), Qt.MouseButton.RightButton)
    mouse.release(Qt.MouseButton.RightButton)
    assert positions.steps == 0


# ---- Clocks ----


def test_a_dial_says_its_angles(positions):
    positions.show(picture=PositionsPicture.CLOCKS, position=10, shift=7)
    pair, box = positions.layout.dials[3]
    said = positions.point_at(box.center())
    theta = 10000 ** (-2 * pair / 64)
    numbers = numbers_in(said)
    assert any(number == pytest.approx(7 * theta, rel=1e-3) for number in numbers)
    assert any(number == pytest.approx(10 * theta, abs=1e-3) for number in numbers)


def test_a_cell_of_the_matrix_says_its_number(positions):
    positions.show(picture=PositionsPicture.CLOCKS, d_model=8)
    said = positions.point_at(positions.layout.matrix.rectangle(0, 1).center())
    assert any(number == pytest.approx(math.sin(3), abs=1e-3) for number in numbers_in(said))


# ---- Similarity ----


def test_a_pair_of_positions_says_both_products(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    rows = sinusoidal_encoding(64, 64)
    said = positions.point_at(positions.layout.maps[0].rectangle(19, 0).center())
    assert "p = 19, p′ = 0 (offset 19)" in said
    assert "+19.974" in said
    assert f"{positions.picture.maps[1].values[19, 0]:+.3f}".replace("-", "−") in said
    assert float(rows[19] @ rows[0]) == pytest.approx(19.974, abs=5e-4)
    positions.click(positions.layout.maps[0].rectangle(19, 0).center())
    assert positions.state.position == 19


def test_the_curve_says_its_offset_and_where_it_rises(positions):
    positions.show(picture=PositionsPicture.SIMILARITY)
    chart = positions.layout.chart
    assert "offset k = 1: 30.917" in positions.point_at(QPointF(chart.x(1), chart.plot.center().y()))
    assert "above the offset before" not in positions.said
    assert "above the offset before" in positions.point_at(QPointF(chart.x(6), chart.plot.center().y()))


# ---- Attention ----


def test_a_weight_says_its_number_and_a_click_takes_its_key(positions):
    positions.show(picture=PositionsPicture.ATTENTION)
    chart = positions.layout.weights
    place = QPointF(chart.x(12), chart.plot.bottom() - 3)
    said = positions.point_at(place)
    assert f"{positions.picture.weights[12]:.4f}"[:6] in said
    positions.click(place)
    assert positions.state.position == 12
    assert positions.back_text == "Move the key"
    assert "score of query 40, key 12" in positions.texts()
    terms = positions.picture.terms
    assert sum(term.number for term in terms) == pytest.approx(positions.picture.scores[12])


def test_a_distance_says_the_score_of_its_kind(positions):
    positions.show(picture=PositionsPicture.ATTENTION, kind=PositionKind.ROTARY, position=0, query_position=20)
    chart = positions.layout.kinds[3]
    place = QPointF(chart.x(7), chart.plot.center().y())
    line = positions.picture.shown.lines[-1]
    assert f"rotary {line.at(7):+.2f}".replace("-", "−") in positions.point_at(place)
    positions.click(place)
    assert positions.state.position == 13  # 7 before the query


# ---- Order ----


def test_an_outcome_is_chosen_by_a_click(positions):
    positions.show(picture=PositionsPicture.ORDER)
    positions.click(positions.layout.cell(1).center())  # no encoding, causal
    assert (positions.state.kind, positions.state.causal) == (PositionKind.NONE, True)
    assert positions.undo_text == "Shuffle with none, causal"
    said = positions.point_at(positions.layout.cell(0).center())
    assert "same rows, reordered" in said


def test_the_weight_of_two_words_is_said_before_and_after(positions):
    positions.show(picture=PositionsPicture.ORDER, kind=PositionKind.NONE)
    said = positions.point_at(positions.layout.maps[0].layout.rectangle(1, 2).center())
    weight = f"{positions.picture.maps[0].values[1, 2]:.4f}"
    assert said.count(weight) == 2  # without positions the shuffle changes nothing


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
def test_keys_move_the_position_and_stop_at_the_ends(positions, keys, expected):
    for key in keys:
        positions.key(key)
    assert positions.state.position == expected
    assert positions.looks == 1
    positions.back()
    assert positions.state.position == 5


def test_a_rotary_position_turns_a_vector_as_the_model_does(positions):
    positions.show(kind=PositionKind.ROTARY, d_model=8, picture=PositionsPicture.CLOCKS)
    positions.key(Qt.Key.Key_Right)
    query = contents(positions.state)[0]
    turned = rotary(query[None], np.asarray([6]))[0]
    angles = np.asarray(positions.picture.angles)
    np.testing.assert_allclose(turned[:4], query[:4] * np.cos(angles) - query[4:] * np.sin(angles), atol=1e-12)


def test_the_order_experiment_has_no_position_to_move(positions):
    positions.show(picture=PositionsPicture.ORDER)
    positions.key(Qt.Key.Key_Right)
    assert positions.state.position == 5
    assert positions.steps == 0


# ---- Menu ----


def test_the_context_menu_copies_and_exports(positions):
    place = QPoint(200, 200)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, positions.canvas.mapToGlobal(place))
    QApplication.sendEvent(positions.canvas, event)
    menu = next(menu for menu in positions.page.findChildren(QMenu) if menu.isVisible())
    assert [action.text() for action in menu.actions()] == ["Copy picture", "Copy numbers", "Export…", "Code in NumPy…"]
    QApplication.clipboard().clear()
    menu.actions()[1].trigger()
    menu.close()
    assert positions.page.copier.jobs.wait(60)
    assert "0.8414709848" in QApplication.clipboard().text()


# ---- Two layers ----


@pytest.mark.parametrize("picture", [PositionsPicture.ENCODING, PositionsPicture.CLOCKS, PositionsPicture.ATTENTION])
def test_what_is_painted_in_two_layers_is_the_whole_picture(positions, picture):
    """The ground is kept while the position moves; that must not be seen."""
    positions.show(picture=picture, causal=True)
    before = positions.canvas.grab().toImage()
    positions.key(Qt.Key.Key_PageDown)
    now = positions.canvas.grab().toImage()
    assert now != before
    positions.canvas._ground_kept = None
    positions.canvas.picture_changed()
    assert positions.canvas.grab().toImage() == now
    positions.back()
    assert positions.canvas.grab().toImage() == before


def test_the_ground_is_painted_once_for_all_positions_and_anew_for_another_base(positions):
    positions.canvas.grab()
    ground = positions.canvas._ground_kept
    positions.key(Qt.Key.Key_Right)
    positions.canvas.grab()
    assert positions.canvas._ground_kept is ground
    before = positions.canvas.grab().toImage()
    positions.type_into(positions.bar.base, "100")
    assert positions.canvas.grab().toImage() != before
    assert positions.canvas._ground_kept is not ground
