"""The view and the trail of the Lookup page are part of the state: undo, files, exports and `render` have them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from lookup_driver import LookupDriver
from PySide6.QtCore import QPointF, Qt

import attention_explorer
from attention_explorer.kit.export.dialog import export_or_explain
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.lookup.state import LONGEST_TRAIL, QUERY, LookupState, Overlay
from attention_explorer.pages.lookup.ui.figure import FLATTEST, LookupFigure
from attention_explorer.pages.lookup.ui.plane_scene import scene_for
from attention_explorer.pages.session_file import read_session, write_session

EMPTY_PLACE = (-2.0, -1.0)
CLOSER = Extent(-1.0, 2.5, -0.5, 1.25)
DESCENT = preset("descent").state


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens()


@pytest.fixture
def walked(opens) -> LookupDriver:
    """A window with a trail, and with a part of the plane in view."""
    at = opens(DESCENT)
    at.drag(QUERY, 1.0, 0.5, steps=10)
    at.wheel(at.at(0.5, 0.5), 120)
    return at


# ---- The view ----


def test_turns_of_the_wheel_are_one_step_and_undo_brings_the_first_view_back(at):
    home, place = at.seen, at.at(1.0, 1.0)
    for _ in range(3):
        at.wheel(place, 120)
    assert at.seen.pixels_per_unit == pytest.approx(1.2**3 * home.pixels_per_unit)
    assert at.labels == ["Move the view"]
    closer = at.seen
    at.back()
    assert (at.seen, at.lookup.camera) == (home, None)
    at.session.go_forward()
    assert at.seen == closer


def test_keys_zoom_and_home_is_a_step_of_its_own(at):
    home = at.seen
    at.key(Qt.Key.Key_Plus)
    at.key(Qt.Key.Key_Plus)
    at.key(Qt.Key.Key_Minus)
    closer = at.seen
    assert closer.pixels_per_unit == pytest.approx(1.2 * home.pixels_per_unit)
    at.key(Qt.Key.Key_Home)
    assert at.seen == home
    assert at.labels == ["Move the view", "Home view"]
    at.key(Qt.Key.Key_Home)
    assert at.labels == ["Move the view", "Home view"], "it is at home"
    at.back()
    assert at.seen == closer


def test_a_pan_follows_the_hand_and_is_one_step(at):
    home, pressed = at.seen, at.at(*EMPTY_PLACE)
    mouse = at.hand()
    mouse.press(pressed)
    for i in range(1, 6):
        mouse.move(pressed + QPointF(12 * i, -4 * i))
        assert at.seen.to_pixels(*EMPTY_PLACE) == pytest.approx((pressed.x() + 12 * i, pressed.y() - 4 * i))
    assert at.labels == []
    mouse.release()
    assert at.labels == ["Move the view"]
    at.back()
    assert at.seen == home


@pytest.mark.parametrize("how", ["Esc", "right button"])
def test_a_pan_can_be_put_back(at, how):
    before, pressed = at.session.state, at.at(*EMPTY_PLACE)
    mouse = at.hand()
    mouse.press(pressed)
    mouse.move(pressed + QPointF(50, 20))
    assert at.session.state != before
    if how == "Esc":
        at.key(Qt.Key.Key_Escape)
    else:
        mouse.press(pressed + QPointF(50, 20), Qt.MouseButton.RightButton)
    assert at.session.state == before
    mouse.move(pressed + QPointF(90, 20))
    mouse.release()
    assert (at.session.state, at.labels) == (before, [])


def test_a_click_that_trembles_does_not_move_the_view(at):
    pressed = at.at(*EMPTY_PLACE)
    at.hand().drag(pressed, pressed + QPointF(1, 0))
    assert (at.lookup, at.labels) == (LookupState(), [])


def test_the_view_stays_while_a_hand_moves_something(at):
    home = at.seen
    mouse = at.hand()
    mouse.press(at.place(QUERY))
    mouse.move(at.at(-1.0, 1.0))
    at.wheel(at.at(0.0, 0.0), 120)
    at.key(Qt.Key.Key_Plus)
    assert (at.seen, at.labels) == (home, [])
    mouse.release()
    assert at.lookup.query == pytest.approx((-1.0, 1.0), abs=0.02)
    at.wheel(at.at(0.0, 0.0), 120)
    assert at.labels == ["Move query", "Move the view"]


@pytest.mark.parametrize(("key", "words"), [(Qt.Key.Key_Plus, "be closer"), (Qt.Key.Key_Minus, "be wider")])
def test_at_its_limits_the_view_stays_and_says_why(at, key, words):
    canvas, said = at.canvas, []
    at.page.refused.connect(said.append)
    while not said:
        at.key(key)
    assert words in said[0]
    there = at.lookup
    at.key(key)
    assert at.lookup == there
    assert not canvas.grab().isNull()
    assert read_back(at.session.state) == at.session.state


def test_a_view_cannot_be_dragged_out_of_the_plane(at):
    canvas = at.canvas
    at.session.apply(with_camera(at, Extent(-5e6, 5e6, -2e6, 2e6)), "Far")
    pressed = QPointF(canvas.width() - 5, 5)
    for _ in range(4):
        at.hand().drag(pressed, QPointF(5, canvas.height() - 5), steps=2)
    assert at.seen.centre == pytest.approx((1e6, 1e6))
    assert read_back(at.session.state) == at.session.state


def with_camera(at, camera: Extent) -> ExplorerState:
    return replace(at.session.state, lookup=at.lookup.with_camera(camera))


def read_back(state: ExplorerState) -> ExplorerState:
    from attention_explorer.pages.session_file import session_bytes, session_from

    return session_from(session_bytes(state), "view").state


def test_a_preset_is_seen_from_its_first_view_and_undo_goes_back_to_the_other(at):
    at.wheel(at.at(1.0, 1.0), 240)
    closer = at.seen
    at.choose_example("long-key")
    assert at.lookup == preset("long-key").state
    at.undo()
    assert at.seen == closer


def test_the_words_under_the_pointer_follow_a_view_that_moves_away(at):
    place = at.at(*EMPTY_PLACE)
    before = at.point_at(place)
    at.key(Qt.Key.Key_Plus)
    after = at.said
    assert after != before
    assert at.point_at(place) == after
    assert math.dist(at.seen.to_plane(place.x(), place.y()), EMPTY_PLACE) > 0.1, "it is another place"


def test_moving_the_view_during_a_walk_does_not_stop_it(opens, qtbot):
    at = opens(DESCENT)
    bar = at.page.descent
    at.press(bar.play)
    at.wheel(at.at(0.0, 0.0), 120)
    seen = at.lookup.query
    qtbot.waitUntil(lambda: at.lookup.query != seen)
    assert bar.is_playing
    pressed = at.at(2.4, -1.4)
    mouse = at.hand()
    mouse.press(pressed)
    mouse.move(pressed + QPointF(30, 10))
    at.key(Qt.Key.Key_Escape)
    seen = at.lookup.query
    qtbot.waitUntil(lambda: at.lookup.query != seen)
    assert bar.is_playing
    bar.stop()


# ---- The trail ----


def test_the_trail_is_drawn(walked):
    drawn = walked.pixels()
    assert len(walked.lookup.trail) >= 9
    walked.session.apply(replace(walked.session.state, lookup=replace(walked.lookup, trail=())), "Clear")
    assert walked.pixels() != drawn


def test_esc_takes_the_trail_of_a_drag_back(walked):
    before = walked.session.state
    mouse = walked.hand()
    mouse.press(walked.place(QUERY))
    for x in (0.8, 0.6, 0.4):
        mouse.move(walked.at(x, 0.5))
    assert len(walked.lookup.trail) == len(before.lookup.trail) + 3
    walked.key(Qt.Key.Key_Escape)
    assert walked.session.state == before


def test_undo_of_a_drag_takes_its_trail_back(walked):
    walked.undo()
    assert walked.lookup.trail == ()
    walked.back()
    assert walked.lookup == DESCENT


def test_c_clears_the_trail_and_undo_brings_it_back(walked):
    trail = walked.lookup.trail
    walked.key(Qt.Key.Key_C)
    assert walked.lookup.trail == ()
    assert walked.undo_text == "Clear the trail"
    walked.undo()
    assert walked.lookup.trail == trail


def test_a_long_drag_keeps_the_newest_outputs(opens):
    at = opens(DESCENT)
    start = at.place(QUERY)
    mouse = at.hand()
    mouse.press(start)
    for i in range(1, LONGEST_TRAIL + 30):
        mouse.move(start + QPointF(60 * math.cos(0.1 * i) - 60, 60 * math.sin(0.1 * i)))
    mouse.release()
    assert len(at.lookup.trail) == LONGEST_TRAIL


# ---- Files and exports ----


def test_a_session_opens_with_its_view_and_its_trail(walked, opens, tmp_path: Path):
    path = tmp_path / "walk.attn.json"
    write_session(path, walked.session.state, page="lookup")
    drawn = walked.pixels()
    other = opens(read_session(path).state.lookup)
    assert other.session.state == walked.session.state
    assert other.seen == walked.seen
    assert other.pixels() == drawn


@pytest.mark.parametrize("kind", ["png", "svg", "csv", "pdf"])
def test_the_command_line_draws_what_the_window_exports(walked, tmp_path: Path, kind: str):
    session, exported = tmp_path / "walk.attn.json", tmp_path / f"window.{kind}"
    write_session(session, walked.session.state, page="lookup")
    assert "window" in export_or_explain(walked.page, walked.page.figure(), exported)
    drawn = attention_explorer.render(session, format=kind)
    assert drawn == exported.read_bytes()
    plain = attention_explorer.render(walked.lookup.without_view(), format=kind)
    assert (drawn == plain) is (kind == "csv"), "the view and the trail are in pictures, and change no number"


def test_undo_takes_the_view_of_an_export_back(at):
    before = attention_explorer.render(at.lookup, format="svg")
    at.wheel(at.at(1.0, 1.0), 120)
    assert attention_explorer.render(at.lookup, format="svg") != before
    at.back()
    assert attention_explorer.render(at.lookup, format="svg") == before


@pytest.mark.parametrize("name", ["two-keys", "quiz"])
def test_a_figure_shows_the_part_of_the_plane_that_the_window_shows(opens, name: str):
    at = opens(preset(name).state)
    at.wheel(at.at(0.5, 0.5), 120)
    seen, figure = at.seen.visible, at.page.figure()
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
