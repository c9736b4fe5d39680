"""The plane under a real mouse and a real keyboard: state and drawn numbers follow the hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.plane import PlaneTransform
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, TARGET, LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.ui.plane_foreground import handle_places
from attention_explorer.pages.lookup.ui.plane_grip import rounded_to_pixel

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
K1, K2 = Part(Role.KEY, 0), Part(Role.KEY, 1)


@pytest.fixture
def window(make_window):
    return make_window()


def lookup(window) -> LookupState:
    return window.session.state.lookup


def spot(window, part) -> QPointF:
    return window.page.canvas.scene().place(part)


def at(window, x, y) -> QPointF:
    return window.page.canvas.scene().point((x, y))


def drawn(window, name, column) -> str:
    """Return what the table shows in the row of a vector."""
    from attention_explorer.pages.lookup.ui.table_model import Column

    model = window.page.table.numbers
    for row in range(model.rowCount()):
        if model.data(model.index(row, 0)) == name:
            return model.data(model.index(row, Column[column]))
    raise AssertionError(f"no row {name}")


def test_the_first_picture_shows_the_tutorial_numbers(window):
    assert drawn(window, "k₁", "SCORE") == "+2.920"
    assert drawn(window, "k₂", "SCORE") == "+0.640"
    assert drawn(window, "k₁", "WEIGHT") == "0.907207"
    assert drawn(window, "o", "CONTRIBUTION") == "(+1.777, +0.367)"
    assert "= 0.907207" in window.page.sum.text()
    assert "(+1.78, +0.37)" in window.page.sum.text()


def test_the_first_view_holds_the_whole_extent(window):
    seen = window.page.canvas.scene().transform.visible
    assert seen.left <= -3
    assert seen.right >= 3
    assert seen.bottom <= -2
    assert seen.top >= 2
    assert min(seen.width / 6, seen.height / 4) < 1.12  # and not much more than it


@pytest.mark.parametrize("part", [QUERY, K1, K2])
def test_dragging_a_tip_moves_it_and_is_one_undo_step(window, hand, part):
    before = window.session.state
    hand(window.page.canvas).drag(spot(window, part), at(window, -1.5, -0.75))
    x, y = lookup(window).position(part)
    assert (x, y) == pytest.approx((-1.5, -0.75), abs=0.02)
    assert len(window.session.history) == 1
    assert window.session.history.undo_text == f"Move {part.name}"
    window.session.undo()
    assert window.session.state == before


def test_numbers_follow_while_the_button_is_down(window, hand):
    mouse = hand(window.page.canvas)
    start = spot(window, QUERY)
    mouse.press(start)
    mouse.move(at(window, -1.0, 1.0))
    x, y = lookup(window).query
    weight = 1 / (1 + math.exp((-0.4 * x + 2.0 * y) - (2.0 * x + 0.2 * y)))
    assert drawn(window, "k₁", "WEIGHT") == f"{weight:.6f}"
    assert len(window.session.history) == 0
    mouse.release()
    assert len(window.session.history) == 1


def test_a_drag_by_the_shaft_keeps_the_distance_to_the_pointer(window, hand):
    middle = (spot(window, K1) + at(window, 0, 0)) / 2
    hand(window.page.canvas).drag(middle, middle + QPointF(50, -30))
    scale = window.page.canvas.scene().transform.pixels_per_unit
    assert lookup(window).keys[0] == pytest.approx((2.0 + 50 / scale, 0.2 + 30 / scale), abs=0.01)


def test_a_click_that_does_not_move_changes_nothing(window, hand):
    mouse = hand(window.page.canvas)
    mouse.press(spot(window, K2) + QPointF(3, 2))
    mouse.release()
    assert lookup(window) == LookupState()
    assert len(window.session.history) == 0
    assert window.page.canvas.selected == K2


def test_shift_snaps_to_the_grid(window, hand):
    hand(window.page.canvas).drag(spot(window, QUERY), at(window, 0.537, -1.262), modifiers=SHIFT)
    assert lookup(window).query == (0.5, -1.3)


def test_control_changes_only_the_length(window, hand):
    hand(window.page.canvas).drag(spot(window, QUERY), at(window, 2.0, 1.6), modifiers=CTRL)
    x, y = lookup(window).query
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.6, 1.4))
    assert math.hypot(x, y) != pytest.approx(math.hypot(1.4, 0.6), abs=0.1)


def test_alt_changes_only_the_angle(window, hand):
    hand(window.page.canvas).drag(spot(window, QUERY), at(window, -1.0, 1.0), modifiers=ALT)
    x, y = lookup(window).query
    assert math.hypot(x, y) == pytest.approx(math.hypot(1.4, 0.6))
    assert math.degrees(math.atan2(y, x)) == pytest.approx(135, abs=1)


def test_the_two_handles_change_length_and_angle(window, hand):
    canvas = window.page.canvas
    canvas.select(QUERY)
    length_at, _ = handle_places(canvas.scene(), QUERY)
    outward = length_at - canvas.scene().origin
    hand(canvas).drag(length_at, length_at + outward * 0.3)
    x, y = lookup(window).query
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.6, 1.4))
    longer = math.hypot(x, y)
    assert longer > 1.8
    _, angle_at = handle_places(canvas.scene(), QUERY)
    hand(canvas).drag(angle_at, at(window, -1.0, 1.0))
    assert math.hypot(*lookup(window).query) == pytest.approx(longer)
    assert lookup(window).query[0] < 0


def test_escape_puts_everything_back_and_the_rest_of_the_drag_does_nothing(window, hand, qtbot):
    before = window.session.state
    mouse = hand(window.page.canvas)
    mouse.press(spot(window, QUERY))
    mouse.move(at(window, -2, -1))
    assert window.session.state != before
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_Escape)
    assert window.session.state == before
    mouse.move(at(window, 2, -1))
    mouse.release()
    assert window.session.state == before
    assert len(window.session.history) == 0


def test_the_right_button_cancels_a_drag(window, hand):
    mouse = hand(window.page.canvas)
    mouse.press(spot(window, K1))
    mouse.move(at(window, -2, -1))
    mouse.press(at(window, -2, -1), Qt.MouseButton.RightButton)
    assert lookup(window) == LookupState()


def test_hard_lookup_teleports_across_the_tie_line_and_soft_slides(window, hand, qtbot):
    for hard in (False, True):
        window.page.controls.set_hard(hard)
        outputs = []
        mouse = hand(window.page.canvas)
        mouse.press(spot(window, QUERY))
        for i in range(60):
            angle = math.radians(30 + i)
            mouse.move(at(window, 1.5 * math.cos(angle), 1.5 * math.sin(angle)))
            outputs.append(drawn_output(window))
        mouse.release()
        steps = [math.dist(a, b) for a, b in pairwise(outputs)]
        if hard:
            assert sorted(steps)[-2:] == [0.0, pytest.approx(3.0)]
        else:
            assert 0 < max(steps) < 0.2
        window.session.undo()


def drawn_output(window) -> tuple[float, float]:
    from attention_explorer.pages.lookup.frame import lookup_frame

    return tuple(lookup_frame(lookup(window)).output.tolist())


def test_a_tie_is_shown_as_a_tie(window):
    tied = replace(LookupState(), query=(0.6, 0.8), hard=True)
    window.session.apply(replace(window.session.state, lookup=tied), "Tie")
    assert "k₁ and k₂ tie" in window.page.noticed.text()


def test_the_pointer_says_what_can_be_dragged(window, hand):
    canvas = window.page.canvas
    mouse = hand(canvas)
    mouse.move(at(window, -2, -1))
    assert canvas.cursor().shape() is Qt.CursorShape.ArrowCursor
    mouse.move(spot(window, K2))
    assert canvas.cursor().shape() is Qt.CursorShape.OpenHandCursor
    mouse.press(spot(window, K2))
    assert canvas.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    mouse.release()
    canvas.select(QUERY)
    length_at, angle_at = handle_places(canvas.scene(), QUERY)
    mouse.move(length_at)
    assert canvas.cursor().shape() is Qt.CursorShape.SizeAllCursor
    mouse.move(angle_at)
    assert canvas.cursor().shape() is Qt.CursorShape.CrossCursor


# ---- Keys of the lookup ----


def test_double_click_adds_a_key_up_to_twelve_and_says_why_not_more(window, hand, qtbot):
    mouse = hand(window.page.canvas)
    for i in range(10):
        mouse.double_click(at(window, -2.5 + 0.5 * i, -1.2), modifiers=SHIFT)
    assert len(lookup(window).entries) == 12
    assert lookup(window).keys[2] == (-2.5, -1.2)
    assert window.page.canvas.selected == Part(Role.KEY, 11)
    with qtbot.waitSignal(window.page.canvas.refused) as refusal:
        mouse.double_click(at(window, -2.5, -0.6))
    assert "12 keys" in refusal.args[0]
    assert len(lookup(window).entries) == 12


@pytest.mark.parametrize("kind", [ValueKind.KEYS, ValueKind.NUMBERS])
def test_double_click_moves_nothing_on_the_screen(make_window, hand, kind):
    window = make_window(ExplorerState(lookup=LookupState(values=kind)))
    mouse, first = hand(window.page.canvas), spot(window, K2)
    for number in range(2, 6):
        height = window.page.canvas.height()
        clicked = at(window, -2.5 + 0.8 * number, -0.8)
        mouse.double_click(clicked)
        QApplication.processEvents()
        away = spot(window, Part(Role.KEY, number)) - clicked
        assert away.manhattanLength() < 1.5, "it is under the pointer"
        assert (spot(window, K2) - first).manhattanLength() < 0.01, "and the others stay"
        assert (window.page.canvas.height() < height) == (number < 4), "though the table takes a row"
    window.session.undo()
    assert len(lookup(window).entries) == 5
    for _ in range(3):
        window.session.undo()
    assert lookup(window).camera is None, "the view is no step of its own"


def test_a_key_added_at_the_very_bottom_is_still_seen(window, hand):
    canvas = window.page.canvas
    hand(canvas).double_click(QPointF(300.0, canvas.height() - 4.0))
    QApplication.processEvents()
    assert canvas.rect().contains(spot(window, Part(Role.KEY, 2)).toPoint())


def test_double_click_on_a_vector_adds_nothing(window, hand):
    hand(window.page.canvas).double_click(spot(window, K1))
    assert len(lookup(window).entries) == 2


def test_delete_removes_the_selected_key_but_never_the_last(window, qtbot):
    canvas = window.page.canvas
    canvas.select(K1)
    qtbot.keyClick(canvas, Qt.Key.Key_Delete)
    assert lookup(window).keys == ((-0.4, 2.0),)
    canvas.select(K1)
    with qtbot.waitSignal(canvas.refused) as refusal:
        qtbot.keyClick(canvas, Qt.Key.Key_Delete)
    assert "at least one key" in refusal.args[0]
    canvas.select(QUERY)
    with qtbot.waitSignal(canvas.refused):
        qtbot.keyClick(canvas, Qt.Key.Key_Delete)
    window.session.undo()
    assert lookup(window) == LookupState()


def test_arrow_keys_nudge_by_three_sizes_and_merge_into_one_step(window, qtbot):
    canvas = window.page.canvas
    for _ in range(3):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert lookup(window).query == (1.7, 0.6)
    qtbot.keyClick(canvas, Qt.Key.Key_Up, SHIFT)
    assert lookup(window).query == (1.7, 0.61)
    qtbot.keyClick(canvas, Qt.Key.Key_Left, CTRL)
    assert lookup(window).query == (1.2, 0.61)
    assert len(window.session.history) == 1
    window.session.undo()
    assert lookup(window) == LookupState()


def test_tab_walks_through_the_vectors_and_then_leaves(window, qtbot):
    canvas = window.page.canvas
    canvas.select(QUERY)
    seen = [canvas.selected]
    for _ in range(2):
        qtbot.keyClick(canvas, Qt.Key.Key_Tab)
        seen.append(canvas.selected)
    assert seen == [QUERY, K1, K2]
    qtbot.keyClick(canvas, Qt.Key.Key_Tab)
    assert not canvas.hasFocus()
    assert QApplication.focusWidget() is not None


def test_insert_adds_a_key_without_a_mouse(window, qtbot):
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_Insert)
    assert len(lookup(window).entries) == 3


# ---- View ----


def test_wheel_zooms_around_the_pointer_and_home_restores(window, qtbot):
    canvas = window.page.canvas
    home = canvas.scene().transform
    place = at(window, 1.0, 1.0)
    wheel(canvas, place, 240)
    zoomed = canvas.scene().transform
    assert zoomed.pixels_per_unit > 1.3 * home.pixels_per_unit
    assert zoomed.to_plane(place.x(), place.y()) == pytest.approx((1.0, 1.0), abs=1e-9)
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.scene().transform == home


def wheel(widget, place, angle):
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPointF(0, 0).toPoint(),
        QPointF(0, angle).toPoint(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_dragging_the_plane_moves_the_view_and_no_number(window, hand):
    canvas = window.page.canvas
    before, scale = canvas.scene().transform, canvas.scene().transform.pixels_per_unit
    hand(canvas).drag(at(window, -2.0, -1.0), at(window, -2.0, -1.0) + QPointF(60, 20))
    moved = canvas.scene().transform
    assert moved.centre == pytest.approx((before.centre[0] - 60 / scale, before.centre[1] + 20 / scale))
    assert moved.pixels_per_unit == pytest.approx(scale)
    assert lookup(window).without_view() == LookupState()
    assert window.session.back_text == "Move the view"
    window.session.go_back()
    assert lookup(window) == LookupState()
    assert canvas.scene().transform == before


def test_zooming_in_for_ever_stops(window):
    for _ in range(400):
        window.page.canvas.zoom(1.5)
    assert math.isfinite(window.page.canvas.scene().transform.pixels_per_unit)
    window.page.canvas.grab()
    for _ in range(400):
        window.page.canvas.zoom(1 / 1.5)
    window.page.canvas.grab()


# ---- Values and target ----


def test_own_values_can_be_dragged_apart_from_their_keys(window, hand):
    window.session.apply(replace(window.session.state, lookup=lookup(window).with_values(ValueKind.VECTORS)), "Untie")
    v1 = Part(Role.VALUE, 0)
    window.page.canvas.select(v1)
    hand(window.page.canvas).drag(spot(window, v1), at(window, 1.0, -1.0))
    assert lookup(window).entries[0].value == pytest.approx((1.0, -1.0), abs=0.02)
    assert lookup(window).keys == LookupState().keys


def test_numbers_are_dragged_along_their_line(make_window, hand):
    window = make_window(ExplorerState(lookup=preset("quiz").state))
    assert "12.689" in window.page.sum.text()
    canvas, v2 = window.page.canvas, Part(Role.VALUE, 1)
    line = canvas.scene().line
    start = spot(window, v2)
    hand(canvas).drag(start, QPointF(line.to_pixels(16.0).x(), start.y() + 15))
    assert lookup(window).entries[1].number == pytest.approx(16.0, abs=2 * line.units_per_pixel)
    assert lookup(window).query == (1.0, 0.0)


def test_the_target_can_be_dragged_when_it_is_shown(window, hand):
    window.session.apply(
        replace(window.session.state, lookup=lookup(window).with_overlay(Overlay.TARGET, True)), "Show target"
    )
    hand(window.page.canvas).drag(spot(window, TARGET), at(window, -1.0, 0.5))
    assert lookup(window).target == pytest.approx((-1.0, 0.5), abs=0.02)


def test_the_picture_changes_when_the_query_moves_and_comes_back_with_undo(window, hand):
    canvas = window.page.canvas
    before = canvas.grab().toImage()
    hand(canvas).drag(spot(window, QUERY), at(window, -1.0, -1.0))
    assert canvas.grab().toImage() != before
    window.session.undo()
    hand(canvas).move(QPointF(2, 2))
    assert canvas.grab().toImage() == before


def test_the_trail_remembers_outputs_in_order(make_window, hand):
    window = make_window(ExplorerState(lookup=preset("descent").state))
    hand(window.page.canvas).drag(spot(window, QUERY), at(window, 1.0, 0.5), steps=10)
    trail = lookup(window).trail
    assert len(trail) >= 9
    assert trail[-1] == drawn_output(window)


@pytest.mark.parametrize("pixels_per_unit", [0.3, 1.0, 9.0, 55.0, 100.0, 731.0])
def test_what_a_hand_sets_is_within_half_a_pixel_of_where_it_points(pixels_per_unit):
    plane = PlaneTransform((0.0, 0.0), pixels_per_unit, 700, 600)
    meant = (1.23456789, -0.98765432)
    for exact, rounded in zip(meant, rounded_to_pixel(meant, plane), strict=True):
        assert abs(exact - rounded) * pixels_per_unit <= 0.5
