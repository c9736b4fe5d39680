"""How far back models see: strips whose ends are dragged, and what every cell and row says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of, panel_words
from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.preset import preset_of
from attention_explorer.pages.lab.reach import FARTHEST, reach_picture
from attention_explorer.pages.lab.ui.reach import ATTENTION, CONTEXT, RECURRENT, ROWS, SHADES, STRIPS, Reach
from attention_explorer.pages.preset_lists import preset_list

COST_PRESETS = preset_list("cost")

REACH = Reach()
READY = preset_of(COST_PRESETS, "reach").state


@pytest.fixture
def shown(qtbot, hand) -> Callable[..., PictureOnCanvas]:
    return lambda state=READY: PictureOnCanvas(qtbot, hand, REACH, state)


def cell(at: PictureOnCanvas, strip: int, back: int) -> QPointF:
    return at.placed(STRIPS).layout.cell(strip, FARTHEST - back).center()


def ring(at: PictureOnCanvas, strip: int, back: int) -> QPointF:
    return at.placed(STRIPS).layout.cell(strip, FARTHEST - back).bottomLeft()


def test_a_cell_says_what_is_left_and_a_row_why(shown) -> None:
    at = shown(replace(READY, decay=0.995))
    said = at.point_at(cell(at, RECURRENT, 10))
    assert said == "recurrent state, 10 tokens back: ρ^10 = 0.995^10 = 0.9511 of it is left"
    assert at.point_at(cell(at, 0, 1)).endswith("1 token back: seen")
    assert panel_words(REACH, at.canvas.picture, ROWS, 0).startswith("Recurrent: n − 1 = 64 − 1 = 63 steps")
    assert len(REACH.table(at.canvas.picture).rows) == 6


def test_the_end_of_the_context_is_dragged_and_put_back(shown) -> None:
    at = shown()
    at.mouse.press(ring(at, CONTEXT, 5))
    at.mouse.move(ring(at, CONTEXT, 9) + QPointF(3, 30))
    assert at.state.context == 9
    assert at.labels == ["Change the context"]
    at.mouse.move(ring(at, CONTEXT, -9))
    assert at.state.context == 1
    at.key(Qt.Key.Key_Escape)
    assert at.state.context == 5
    at.click(cell(at, CONTEXT, 12))
    assert at.state.context == 12


def test_the_end_of_a_window_is_dragged_where_there_is_one(shown) -> None:
    at = shown()
    at.click(cell(at, ATTENTION, 12))
    assert at.state == READY
    at = shown(replace(READY, windowed=True, window=8))
    at.mouse.drag(ring(at, ATTENTION, 7), ring(at, ATTENTION, 20))
    assert at.state.window == 21
    at.mouse.drag(ring(at, ATTENTION, 20), ring(at, ATTENTION, 0))
    assert at.state.window == 1


def test_keys_change_n_and_the_context(shown) -> None:
    at = shown()
    for key, field, number in (
        (Qt.Key.Key_Right, "n", 128),
        (Qt.Key.Key_Left, "n", 64),
        (Qt.Key.Key_Up, "context", 6),
        (Qt.Key.Key_Down, "context", 5),
    ):
        at.key(key)
        assert getattr(at.state, field) == number


@pytest.mark.parametrize(
    ("state", "headline", "numbers"),
    [
        (READY, "Attention reaches every token in one step.", ("63", "1")),
        (replace(READY, windowed=True, window=64), "Attention reaches every token in one step.", ("63", "1")),
        (replace(READY, windowed=True, window=12), "One layer of attention reaches 11 tokens back.", ("63", "6")),
        (replace(READY, windowed=True, window=2), "One layer of attention reaches 1 token back.", ("63", "63")),
        (replace(READY, windowed=True, window=1), "With a window of 1, no token sees another.", ("63", "never")),
        (replace(READY, n=1), "There is one token, and none before it.", ("0", "0")),
    ],
)
def test_headline_and_readings_are_true_of_every_state(state, headline, numbers) -> None:
    picture = reach_picture(state)
    assert REACH.headline(picture) == headline
    panel = REACH.panel(picture)
    assert tuple(reading.number for reading in panel.items[0].readings) == numbers
    assert len(f"{headline} {panel.title} {panel.sentence}".split()) <= 50


@pytest.mark.parametrize("seen", [1, 5, 20])
def test_what_a_window_and_a_context_reach_is_counted_alike(seen) -> None:
    strips = reach_picture(replace(READY, context=seen, windowed=True, window=seen + 1)).strips
    context, window = strips[CONTEXT], strips[ATTENTION]
    assert window.detail.replace("\N{NO-BREAK SPACE}", " ") == f"{context.detail}, w = {seen + 1}"
    assert context.values.tolist() == window.values.tolist()


def test_what_is_always_true_of_reach_is_true() -> None:
    truths = " ".join(REACH.truths)
    powers = ", ".join(f"{decay**10:.2f}" for decay in (0.99, 0.95, 0.9, 0.8, 0.7))
    assert f"ρ¹⁰ = {powers} for ρ = 0.99, 0.95, 0.9, 0.8, 0.7: " in truths
    rows = {row[0]: row[1:3] for row in REACH.table(reach_picture(READY)).rows}
    assert rows["steps, writing"] == ("n = 64", "n = 64")
    assert rows["steps, reading"] == ("n = 64", "1")
    assert rows["what is kept"] == ("d = 512", "2·n·d = 65\N{NO-BREAK SPACE}536"), 2 * 64 * 512


@pytest.mark.parametrize("state", [READY, replace(READY, n=1), replace(READY, n=6, windowed=True, window=3)])
@pytest.mark.parametrize("size", [(800, 540), (640, 500), (360, 400)])
def test_words_have_room(qapp, state, size) -> None:
    assert faults_of(drawing_of(REACH, reach_picture(state), size), size) == []


def test_nothing_tells_the_answer_while_it_is_asked_for(shown) -> None:
    at = shown()
    at.canvas.withhold(True)
    assert at.texts() == [SHADES, STRIPS, "?"]
