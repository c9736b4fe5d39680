"""The view and the trail of the Lookup page are part of the state: undo, files, exports and `render` have them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

import attention_explorer
from attention_explorer.kit.export.dialog import export_or_explain
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import LONGEST_TRAIL, QUERY, LookupState, Overlay
from attention_explorer.pages.lookup.ui.figure import FLATTEST, LookupFigure
from attention_explorer.pages.lookup.ui.plane_scene import scene_for
from attention_explorer.pages.session_file import read_session, write_session

EMPTY_PLACE = (-2.0, -1.0)
CLOSER = Extent(-1.0, 2.5, -0.5, 1.25)


@pytest.fixture
def window(make_window):
    return make_window()


@pytest.fixture
def walked(make_window, hand):
    """A window with a trail, and with a part of the plane in view."""
    window = make_window(ExplorerState(lookup=preset("descent").state))
    hand(window.page.canvas).drag(spot(window), at(window, 1.0, 0.5), steps=10)
    wheel(window.page.canvas, at(window, 0.5, 0.5), 120)
    return window


def lookup(window) -> LookupState:
    return window.session.state.lookup


def view(window):
    return window.page.canvas.scene().transform


def at(window, x: float, y: float) -> QPointF:
    return window.page.canvas.scene().point((x, y))


def spot(window) -> QPointF:
    return window.page.canvas.scene().place(QUERY)


def steps(window) -> list[str]:
    return window.session.history.labels + window.session.views.labels


def wheel(widget, place: QPointF, angle: int) -> None:
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


def picture(window):
    """Return what the canvas of the window in front shows without a pointer on it."""
    canvas = window.page.canvas
    canvas.setFocus()
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    return canvas.grab().toImage()


# ---- The view ----


def test_turns_of_the_wheel_are_one_step_and_undo_brings_the_first_view_back(window):
    window.session._clock = lambda: 0.0  # the machine may be slow
    home, place = view(window), at(window, 1.0, 1.0)
    for _ in range(3):
        wheel(window.page.canvas, place, 120)
    assert view(window).pixels_per_unit == pytest.approx(1.2**3 * home.pixels_per_unit)
    assert steps(window) == ["Move the view"]
    closer = view(window)
    window.session.go_back()
    assert (view(window), lookup(window).camera) == (home, None)
    window.session.go_forward()
    assert view(window) == closer


def test_keys_zoom_and_home_is_a_step_of_its_own(window, qtbot):
    window.session._clock = lambda: 0.0
    canvas, home = window.page.canvas, view(window)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    closer = view(window)
    assert closer.pixels_per_unit == pytest.approx(1.2 * home.pixels_per_unit)
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert view(window) == home
    assert steps(window) == ["Move the view", "Home view"]
    qtbot.mouseClick(window.page.home, Qt.MouseButton.LeftButton)
    assert steps(window) == ["Move the view", "Home view"], "it is at home"
    window.session.go_back()
    assert view(window) == closer


def test_a_pan_follows_the_hand_and_is_one_step(window, hand):
    home, pressed = view(window), at(window, *EMPTY_PLACE)
    mouse = hand(window.page.canvas)
    mouse.press(pressed)
    for i in range(1, 6):
        mouse.move(pressed + QPointF(12 * i, -4 * i))
        assert view(window).to_pixels(*EMPTY_PLACE) == pytest.approx((pressed.x() + 12 * i, pressed.y() - 4 * i))
    assert steps(window) == []
    mouse.release()
    assert steps(window) == ["Move the view"]
    window.session.go_back()
    assert view(window) == home


@pytest.mark.parametrize("how", ["Esc", "right button"])
def test_a_pan_can_be_put_back(window, hand, qtbot, how):
    before, pressed = window.session.state, at(window, *EMPTY_PLACE)
    mouse = hand(window.page.canvas)
    mouse.press(pressed)
    mouse.move(pressed + QPointF(50, 20))
    assert window.session.state != before
    if how == "Esc":
        qtbot.keyClick(window.page.canvas, Qt.Key.Key_Escape)
    else:
        mouse.press(pressed + QPointF(50, 20), Qt.MouseButton.RightButton)
    assert window.session.state == before
    mouse.move(pressed + QPointF(90, 20))
    mouse.release()
    assert (window.session.state, steps(window)) == (before, [])


def test_a_click_that_trembles_does_not_move_the_view(window, hand):
    pressed = at(window, *EMPTY_PLACE)
    hand(window.page.canvas).drag(pressed, pressed + QPointF(1, 0))
    assert (lookup(window), steps(window)) == (LookupState(), [])


def test_the_view_stays_while_a_hand_moves_something(window, hand, qtbot):
    canvas, home = window.page.canvas, view(window)
    mouse = hand(canvas)
    mouse.press(spot(window))
    mouse.move(at(window, -1.0, 1.0))
    wheel(canvas, at(window, 0.0, 0.0), 120)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert (view(window), steps(window)) == (home, [])
    mouse.release()
    assert lookup(window).query == pytest.approx((-1.0, 1.0), abs=0.02)
    wheel(canvas, at(window, 0.0, 0.0), 120)
    assert steps(window) == ["Move query", "Move the view"]


@pytest.mark.parametrize(("key", "words"), [(Qt.Key.Key_Plus, "be closer"), (Qt.Key.Key_Minus, "be wider")])
def test_at_its_limits_the_view_stays_and_says_why(window, qtbot, key, words):
    canvas, said = window.page.canvas, []
    window.page.refused.connect(said.append)
    while not said:
        qtbot.keyClick(canvas, key)
    assert words in said[0]
    there = lookup(window)
    qtbot.keyClick(canvas, key)
    assert lookup(window) == there
    assert not canvas.grab().isNull()
    assert read_back(window.session.state) == window.session.state


def test_a_view_cannot_be_dragged_out_of_the_plane(window, hand):
    canvas = window.page.canvas
    window.session.apply(with_camera(window, Extent(-5e6, 5e6, -2e6, 2e6)), "Far")
    pressed = QPointF(canvas.width() - 5, 5)
    for _ in range(4):
        hand(canvas).drag(pressed, QPointF(5, canvas.height() - 5), steps=2)
    assert view(window).centre == pytest.approx((1e6, 1e6))
    assert read_back(window.session.state) == window.session.state


def with_camera(window, camera: Extent) -> ExplorerState:
    return replace(window.session.state, lookup=lookup(window).with_camera(camera))


def read_back(state: ExplorerState) -> ExplorerState:
    from attention_explorer.pages.session_file import session_bytes, session_from

    return session_from(session_bytes(state), "view").state


def test_a_preset_is_seen_from_its_first_view_and_undo_goes_back_to_the_other(window, qtbot):
    wheel(window.page.canvas, at(window, 1.0, 1.0), 240)
    closer = view(window)
    index = next(i for i, ready in enumerate(PRESETS) if ready.id == "long-key")
    window.page.presets.setCurrentIndex(index)
    window.page.presets.activated.emit(index)
    assert lookup(window) == preset("long-key").state
    window.session.undo()
    assert view(window) == closer


def test_the_words_under_the_pointer_follow_a_view_that_moves_away(window, hand, qtbot):
    canvas, said = window.page.canvas, []
    hand(canvas).move(at(window, *EMPTY_PLACE))
    canvas.pointed.connect(said.append)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    x, y = view(window).to_plane(*at_pixels(window))
    hand(canvas).move(QPointF(*at_pixels(window)))
    assert said[0] == said[-1]
    assert math.dist((x, y), EMPTY_PLACE) > 0.1, "it is another place"


def at_pixels(window) -> tuple[float, float]:
    """Return where the empty place was in the first view."""
    canvas = window.page.canvas
    home = scene_for(LookupState(), window.page.look, canvas.width(), canvas.height())
    place = home.point(EMPTY_PLACE)
    return place.x(), place.y()


def test_moving_the_view_during_a_walk_does_not_stop_it(make_window, qtbot, hand):
    window = make_window(ExplorerState(lookup=preset("descent").state))
    card = window.page.gradient
    qtbot.mouseClick(card.play, Qt.MouseButton.LeftButton)
    wheel(window.page.canvas, at(window, 0.0, 0.0), 120)
    seen = lookup(window).query
    qtbot.waitUntil(lambda: lookup(window).query != seen)
    assert card.is_playing
    pressed = at(window, 2.4, -1.4)
    mouse = hand(window.page.canvas)
    mouse.press(pressed)
    mouse.move(pressed + QPointF(30, 10))
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_Escape)
    seen = lookup(window).query
    qtbot.waitUntil(lambda: lookup(window).query != seen)
    assert card.is_playing
    card.stop()


# ---- The trail ----


def test_the_trail_is_drawn(walked):
    drawn = picture(walked)
    assert len(lookup(walked).trail) >= 9
    walked.session.apply(replace(walked.session.state, lookup=replace(lookup(walked), trail=())), "Clear")
    assert picture(walked) != drawn


def test_esc_takes_the_trail_of_a_drag_back(walked, hand, qtbot):
    before = walked.session.state
    mouse = hand(walked.page.canvas)
    mouse.press(spot(walked))
    for x in (0.8, 0.6, 0.4):
        mouse.move(at(walked, x, 0.5))
    assert len(lookup(walked).trail) == len(before.lookup.trail) + 3
    qtbot.keyClick(walked.page.canvas, Qt.Key.Key_Escape)
    assert walked.session.state == before


def test_undo_of_a_drag_takes_its_trail_back(walked):
    walked.session.undo()
    assert lookup(walked).trail == ()
    walked.session.go_back()
    assert lookup(walked) == preset("descent").state


def test_c_clears_the_trail_and_undo_brings_it_back(walked, qtbot):
    trail = lookup(walked).trail
    qtbot.keyClick(walked, Qt.Key.Key_C)
    assert lookup(walked).trail == ()
    assert walked.session.undo_text == "Clear the trail"
    walked.session.undo()
    assert lookup(walked).trail == trail


def test_a_long_drag_keeps_the_newest_outputs(make_window, hand):
    window = make_window(ExplorerState(lookup=preset("descent").state))
    start = spot(window)
    mouse = hand(window.page.canvas)
    mouse.press(start)
    for i in range(1, LONGEST_TRAIL + 30):
        mouse.move(start + QPointF(60 * math.cos(0.1 * i) - 60, 60 * math.sin(0.1 * i)))
    mouse.release()
    assert len(lookup(window).trail) == LONGEST_TRAIL


# ---- Files and exports ----


def test_a_session_opens_with_its_view_and_its_trail(walked, make_window, tmp_path: Path):
    path = tmp_path / "walk.attn.json"
    write_session(path, walked.session.state, page="lookup")
    drawn = picture(walked)
    other = make_window(read_session(path).state)
    assert other.session.state == walked.session.state
    assert view(other) == view(walked)
    assert picture(other) == drawn


@pytest.mark.parametrize("kind", ["png", "svg", "csv", "pdf"])
def test_the_command_line_draws_what_the_window_exports(walked, tmp_path: Path, kind: str):
    session, exported = tmp_path / "walk.attn.json", tmp_path / f"window.{kind}"
    write_session(session, walked.session.state, page="lookup")
    assert "window" in export_or_explain(walked.page, walked.page.figure(), exported)
    drawn = attention_explorer.render(session, format=kind)
    assert drawn == exported.read_bytes()
    plain = attention_explorer.render(lookup(walked).without_view(), format=kind)
    assert (drawn == plain) is (kind == "csv"), "the view and the trail are in pictures, and change no number"


def test_undo_takes_the_view_of_an_export_back(window):
    before = attention_explorer.render(lookup(window), format="svg")
    wheel(window.page.canvas, at(window, 1.0, 1.0), 120)
    assert attention_explorer.render(lookup(window), format="svg") != before
    window.session.go_back()
    assert attention_explorer.render(lookup(window), format="svg") == before


@pytest.mark.parametrize("name", ["two-keys", "quiz"])
def test_a_figure_shows_the_part_of_the_plane_that_the_window_shows(make_window: Callable, name: str):
    window = make_window(ExplorerState(lookup=preset(name).state))
    wheel(window.page.canvas, at(window, 0.5, 0.5), 120)
    seen, figure = view(window).visible, window.page.figure()
    drawn = scene_for(figure.state, figure.look, figure.width, figure.height).transform.visible
    pixel = seen.width / figure.width
    assert (drawn.left, drawn.right) == pytest.approx((seen.left, seen.right), abs=pixel)
    assert (drawn.bottom, drawn.top) == pytest.approx((seen.bottom, seen.top), abs=pixel)


def test_a_figure_of_a_very_flat_view_is_not_flat_itself():
    figure = LookupFigure(LookupState().with_camera(Extent(-3.0, 3.0, 0.0, 0.1)))
    assert figure.height == round(FLATTEST * figure.width)


def test_the_picture_without_a_window_has_the_trail_only_while_it_is_shown():
    trail = tuple((0.1 * i, 0.2 * i) for i in range(9))
    walked = replace(LookupState(), trail=trail, camera=CLOSER)
    hidden = attention_explorer.render(walked, format="svg")
    assert hidden == attention_explorer.render(replace(walked, trail=()), format="svg")
    assert hidden != attention_explorer.render(walked.with_overlay(Overlay.TRAIL, True), format="svg")
