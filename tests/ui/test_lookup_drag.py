"""The plane under a real mouse and a real keyboard: state and drawn numbers follow the hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from lookup_driver import K1, K2, LookupDriver
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from attention_explorer.core.role import Role
from attention_explorer.pages.lookup.plane import PlaneTransform
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import QUERY, TARGET, LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.sums import Column
from attention_explorer.pages.lookup.ui.plane_foreground import handle_places
from attention_explorer.pages.lookup.ui.plane_grip import rounded_to_pixel

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens()


def test_the_first_picture_shows_the_tutorial_numbers(at):
    assert at.cell("k₁", Column.SCORE) == "+2.920"
    assert at.cell("k₂", Column.SCORE) == "+0.640"
    assert at.cell("k₁", Column.WEIGHT) == "0.907207"
    assert at.cell("o", Column.CONTRIBUTION) == "(+1.777, +0.367)"
    assert "= 0.907207." in at.notes
    at.page.open_drawer(False)
    assert "equals 0.9072;" in at.sum
    assert at.sum.endswith(
        "o equals 0.91 k_1 plus 0.09 k_2 equals open parenthesis plus 1.78, plus 0.37 close parenthesis"
    )


def test_the_first_view_holds_the_whole_extent(at):
    seen = at.canvas.scene().transform.visible
    assert seen.left <= -3
    assert seen.right >= 3
    assert seen.bottom <= -2
    assert seen.top >= 2
    assert min(seen.width / 6, seen.height / 4) < 1.12  # and not much more than it


@pytest.mark.parametrize("part", [QUERY, K1, K2])
def test_dragging_a_tip_moves_it_and_is_one_undo_step(at, part):
    before = at.session.state
    at.hand().drag(at.place(part), at.at(-1.5, -0.75))
    x, y = at.lookup.position(part)
    assert (x, y) == pytest.approx((-1.5, -0.75), abs=0.02)
    assert at.steps == 1
    assert at.undo_text == f"Move {part.name}"
    at.undo()
    assert at.session.state == before


def test_numbers_follow_while_the_button_is_down(at):
    at.page.open_drawer(True)
    mouse = at.hand()
    mouse.press(at.place(QUERY))
    mouse.move(at.at(-1.0, 1.0))
    x, y = at.lookup.query
    weight = 1 / (1 + math.exp((-0.4 * x + 2.0 * y) - (2.0 * x + 0.2 * y)))
    assert at.cell("k₁", Column.WEIGHT) == f"{weight:.6f}"
    assert at.steps == 0
    mouse.release()
    assert at.steps == 1


def test_a_drag_by_the_shaft_keeps_the_distance_to_the_pointer(at):
    middle = (at.place(K1) + at.at(0, 0)) / 2
    at.hand().drag(middle, middle + QPointF(50, -30))
    scale = at.canvas.scene().transform.pixels_per_unit
    assert at.lookup.keys[0] == pytest.approx((2.0 + 50 / scale, 0.2 + 30 / scale), abs=0.01)


def test_a_click_that_does_not_move_changes_nothing(at):
    mouse = at.hand()
    mouse.press(at.place(K2) + QPointF(3, 2))
    mouse.release()
    assert at.lookup == LookupState()
    assert at.steps == 0
    assert at.canvas.selected == K2


def test_shift_snaps_to_the_grid(at):
    at.hand().drag(at.place(QUERY), at.at(0.537, -1.262), modifiers=SHIFT)
    assert at.lookup.query == (0.5, -1.3)


def test_control_changes_only_the_length(at):
    at.hand().drag(at.place(QUERY), at.at(2.0, 1.6), modifiers=CTRL)
    x, y = at.lookup.query
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.6, 1.4))
    assert math.hypot(x, y) != pytest.approx(math.hypot(1.4, 0.6), abs=0.1)


def test_alt_changes_only_the_angle(at):
    at.hand().drag(at.place(QUERY), at.at(-1.0, 1.0), modifiers=ALT)
    x, y = at.lookup.query
    assert math.hypot(x, y) == pytest.approx(math.hypot(1.4, 0.6))
    assert math.degrees(math.atan2(y, x)) == pytest.approx(135, abs=1)


def test_the_two_handles_change_length_and_angle(at):
    canvas = at.canvas
    canvas.select(QUERY)
    length_at, _ = handle_places(canvas.scene(), QUERY)
    outward = length_at - canvas.scene().origin
    at.hand().drag(length_at, length_at + outward * 0.3)
    x, y = at.lookup.query
    assert math.atan2(y, x) == pytest.approx(math.atan2(0.6, 1.4))
    longer = math.hypot(x, y)
    assert longer > 1.8
    _, angle_at = handle_places(canvas.scene(), QUERY)
    at.hand().drag(angle_at, at.at(-1.0, 1.0))
    assert math.hypot(*at.lookup.query) == pytest.approx(longer)
    assert at.lookup.query[0] < 0


def test_escape_puts_everything_back_and_the_rest_of_the_drag_does_nothing(at, qtbot):
    before = at.session.state
    mouse = at.hand()
    mouse.press(at.place(QUERY))
    mouse.move(at.at(-2, -1))
    assert at.session.state != before
    at.key(Qt.Key.Key_Escape)
    assert at.session.state == before
    mouse.move(at.at(2, -1))
    mouse.release()
    assert at.session.state == before
    assert at.steps == 0


def test_the_right_button_cancels_a_drag(at):
    mouse = at.hand()
    mouse.press(at.place(K1))
    mouse.move(at.at(-2, -1))
    mouse.press(at.at(-2, -1), Qt.MouseButton.RightButton)
    assert at.lookup == LookupState()


def test_hard_lookup_teleports_across_the_tie_line_and_soft_slides(at, qtbot):
    for hard in (False, True):
        at.press(at.few("hard").buttons[hard])
        outputs = []
        mouse = at.hand()
        mouse.press(at.place(QUERY))
        for i in range(60):
            angle = math.radians(30 + i)
            mouse.move(at.at(1.5 * math.cos(angle), 1.5 * math.sin(angle)))
            outputs.append(at.output)
        mouse.release()
        steps = [math.dist(a, b) for a, b in pairwise(outputs)]
        if hard:
            assert sorted(steps)[-2:] == [0.0, pytest.approx(3.0)]
        else:
            assert 0 < max(steps) < 0.2
        at.undo()
        assert at.lookup.query == LookupState().query


def test_a_tie_is_shown_as_a_tie(at):
    tied = replace(LookupState(), query=(0.6, 0.8), hard=True)
    at.session.apply(replace(at.session.state, lookup=tied), "Tie")
    assert at.sentence.startswith("k₁ and k₂ tie")


def test_the_pointer_says_what_can_be_dragged(at):
    canvas = at.canvas
    mouse = at.hand()
    mouse.move(at.at(-2, -1))
    assert canvas.cursor().shape() is Qt.CursorShape.ArrowCursor
    mouse.move(at.place(K2))
    assert canvas.cursor().shape() is Qt.CursorShape.OpenHandCursor
    mouse.press(at.place(K2))
    assert canvas.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    mouse.release()
    canvas.select(QUERY)
    length_at, angle_at = handle_places(canvas.scene(), QUERY)
    mouse.move(length_at)
    assert canvas.cursor().shape() is Qt.CursorShape.SizeAllCursor
    mouse.move(angle_at)
    assert canvas.cursor().shape() is Qt.CursorShape.CrossCursor


# ---- Keys of the lookup ----


def test_double_click_adds_a_key_up_to_twelve_and_says_why_not_more(at, qtbot):
    mouse = at.hand()
    for i in range(10):
        mouse.double_click(at.at(-2.5 + 0.5 * i, -1.2), modifiers=SHIFT)
    assert len(at.lookup.entries) == 12
    assert at.lookup.keys[2] == (-2.5, -1.2)
    assert at.canvas.selected == Part(Role.KEY, 11)
    with qtbot.waitSignal(at.canvas.refused) as refusal:
        mouse.double_click(at.at(-2.5, -0.6))
    assert "12 keys" in refusal.args[0]
    assert len(at.lookup.entries) == 12


@pytest.mark.parametrize("has_table", [False, True])
@pytest.mark.parametrize("kind", [ValueKind.KEYS, ValueKind.NUMBERS])
def test_double_click_moves_nothing_on_the_screen(opens, kind, has_table):
    at = opens(LookupState(values=kind))
    at.page.open_drawer(has_table)
    QApplication.processEvents()
    mouse, first = at.hand(), at.place(K2)
    for number in range(2, 6):
        height = at.canvas.height()
        clicked = at.at(-2.5 + 0.8 * number, -0.8)
        mouse.double_click(clicked)
        QApplication.processEvents()
        away = at.place(Part(Role.KEY, number)) - clicked
        assert away.manhattanLength() < 1.5, "it is under the pointer"
        assert (at.place(K2) - first).manhattanLength() < 0.01, "and the others stay"
        assert (at.canvas.height() < height) == (has_table and number < 4), "though a table takes a row"
    at.undo()
    assert len(at.lookup.entries) == 5
    for _ in range(3):
        at.undo()
    assert at.lookup.camera is None, "the view is no step of its own"


def test_a_key_added_at_the_very_bottom_is_still_seen(at):
    canvas = at.canvas
    at.page.open_drawer(True)  # with a table, which takes a row
    QApplication.processEvents()
    at.hand().double_click(QPointF(300.0, canvas.height() - 4.0))
    QApplication.processEvents()
    assert canvas.rect().contains(at.place(Part(Role.KEY, 2)).toPoint())


def test_double_click_on_a_vector_adds_nothing(at):
    at.hand().double_click(at.place(K1))
    assert len(at.lookup.entries) == 2


def test_delete_removes_the_selected_key_but_never_the_last(at, qtbot):
    canvas = at.canvas
    canvas.select(K1)
    at.key(Qt.Key.Key_Delete)
    assert at.lookup.keys == ((-0.4, 2.0),)
    canvas.select(K1)
    with qtbot.waitSignal(canvas.refused) as refusal:
        at.key(Qt.Key.Key_Delete)
    assert "at least one key" in refusal.args[0]
    canvas.select(QUERY)
    with qtbot.waitSignal(canvas.refused):
        at.key(Qt.Key.Key_Delete)
    at.undo()
    assert at.lookup == LookupState()


def test_arrow_keys_nudge_by_three_sizes_and_merge_into_one_step(at):
    for _ in range(3):
        at.key(Qt.Key.Key_Right)
    assert at.lookup.query == (1.7, 0.6)
    at.key(Qt.Key.Key_Up, SHIFT)
    assert at.lookup.query == (1.7, 0.61)
    at.key(Qt.Key.Key_Left, CTRL)
    assert at.lookup.query == (1.2, 0.61)
    assert at.steps == 1
    at.undo()
    assert at.lookup == LookupState()


def test_tab_walks_through_the_vectors_and_then_leaves(at, qtbot):
    canvas = at.canvas
    canvas.select(QUERY)
    seen = [canvas.selected]
    for _ in range(2):
        at.key(Qt.Key.Key_Tab)
        seen.append(canvas.selected)
    assert seen == [QUERY, K1, K2]
    at.key(Qt.Key.Key_Tab)
    assert not canvas.hasFocus()
    assert QApplication.focusWidget() is not None


def test_insert_adds_a_key_without_a_mouse(at, qtbot):
    at.key(Qt.Key.Key_Insert)
    assert len(at.lookup.entries) == 3


# ---- View ----


def test_wheel_zooms_around_the_pointer_and_home_restores(at, qtbot):
    canvas = at.canvas
    home = canvas.scene().transform
    place = at.at(1.0, 1.0)
    at.wheel(place, 240)
    zoomed = canvas.scene().transform
    assert zoomed.pixels_per_unit > 1.3 * home.pixels_per_unit
    assert zoomed.to_plane(place.x(), place.y()) == pytest.approx((1.0, 1.0), abs=1e-9)
    at.key(Qt.Key.Key_Home)
    assert canvas.scene().transform == home


def test_dragging_the_plane_moves_the_view_and_no_number(at):
    canvas = at.canvas
    before, scale = canvas.scene().transform, canvas.scene().transform.pixels_per_unit
    at.hand().drag(at.at(-2.0, -1.0), at.at(-2.0, -1.0) + QPointF(60, 20))
    moved = canvas.scene().transform
    assert moved.centre == pytest.approx((before.centre[0] - 60 / scale, before.centre[1] + 20 / scale))
    assert moved.pixels_per_unit == pytest.approx(scale)
    assert at.lookup.without_view() == LookupState()
    assert at.back_text == "Move the view"
    at.back()
    assert at.lookup == LookupState()
    assert canvas.scene().transform == before


def test_zooming_in_for_ever_stops(at):
    for _ in range(400):
        at.canvas.zoom(1.5)
    assert math.isfinite(at.canvas.scene().transform.pixels_per_unit)
    at.canvas.grab()
    for _ in range(400):
        at.canvas.zoom(1 / 1.5)
    at.canvas.grab()


# ---- Values and target ----


def test_own_values_can_be_dragged_apart_from_their_keys(at):
    at.session.apply(replace(at.session.state, lookup=at.lookup.with_values(ValueKind.VECTORS)), "Untie")
    v1 = Part(Role.VALUE, 0)
    at.canvas.select(v1)
    at.hand().drag(at.place(v1), at.at(1.0, -1.0))
    assert at.lookup.entries[0].value == pytest.approx((1.0, -1.0), abs=0.02)
    assert at.lookup.keys == LookupState().keys


def test_numbers_are_dragged_along_their_line(opens):
    at = opens(preset("quiz").state)
    assert "plus 12.689" in at.sum
    canvas, v2 = at.canvas, Part(Role.VALUE, 1)
    line = canvas.scene().line
    start = at.place(v2)
    at.hand().drag(start, QPointF(line.to_pixels(16.0).x(), start.y() + 15))
    assert at.lookup.entries[1].number == pytest.approx(16.0, abs=2 * line.units_per_pixel)
    assert at.lookup.query == (1.0, 0.0)


def test_the_target_can_be_dragged_when_it_is_shown(at):
    at.session.apply(replace(at.session.state, lookup=at.lookup.with_overlay(Overlay.TARGET, True)), "Show target")
    at.hand().drag(at.place(TARGET), at.at(-1.0, 0.5))
    assert at.lookup.target == pytest.approx((-1.0, 0.5), abs=0.02)


def test_the_picture_changes_when_the_query_moves_and_comes_back_with_undo(at):
    canvas = at.canvas
    before = canvas.grab().toImage()
    at.hand().drag(at.place(QUERY), at.at(-1.0, -1.0))
    assert canvas.grab().toImage() != before
    at.undo()
    at.hand().move(QPointF(2, 2))
    assert canvas.grab().toImage() == before


def test_the_trail_remembers_outputs_in_order(opens):
    at = opens(preset("descent").state)
    at.hand().drag(at.place(QUERY), at.at(1.0, 0.5), steps=10)
    trail = at.lookup.trail
    assert len(trail) >= 9
    assert trail[-1] == at.output


@pytest.mark.parametrize("pixels_per_unit", [0.3, 1.0, 9.0, 55.0, 100.0, 731.0])
def test_what_a_hand_sets_is_within_half_a_pixel_of_where_it_points(pixels_per_unit):
    plane = PlaneTransform((0.0, 0.0), pixels_per_unit, 700, 600)
    meant = (1.23456789, -0.98765432)
    for exact, rounded in zip(meant, rounded_to_pixel(meant, plane), strict=True):
        assert abs(exact - rounded) * pixels_per_unit <= 0.5
