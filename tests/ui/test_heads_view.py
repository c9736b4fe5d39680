"""The part of the map in view is a part of the state: undo, sessions, the clipboard and the command line have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import HeadsDriver, pixels, sentence
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

import attention_explorer
from attention_explorer.core.map_picture import Window
from attention_explorer.kit.export.dialog import export_or_explain
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.session_file import write_session

LONG = HeadsState().with_recipe(sentence=sentence(40)).with_view(row=None)


@pytest.fixture
def long(driver) -> HeadsDriver:
    """Forty tokens, nothing pinned."""
    session = driver.window.session
    session.restart(replace(session.state, heads=LONG))
    return driver


def in_view(driver) -> Window:
    """What is drawn, by the tokens that are written beside the map."""
    rows = [int(text[1:]) for text in driver.texts() if text[:1] == "w" and text[1:].isdigit()]
    seen = driver.heads.view.seen(driver.frame.shape)
    assert set(rows) == {*range(seen.top, seen.bottom), *range(seen.left, seen.right)}
    return seen


def forward(driver) -> None:
    driver.window.session.go_forward()


# ---- The history ----


def test_wheel_steps_are_one_step_that_can_be_undone(long):
    home = pixels(long.canvas.grab().toImage())
    for _ in range(5):
        long.wheel(long.cell(30, 10), 120)
    near = in_view(long)
    assert near.bottom - near.top < 25
    assert (long.looks, long.back_text) == (1, "Move the view")
    long.back()
    assert long.heads == LONG
    assert np.array_equal(pixels(long.canvas.grab().toImage()), home)
    forward(long)
    assert in_view(long) == near


def test_a_pause_begins_another_step(long):
    long.wheel(long.cell(30, 10), 120)
    long.time += 5
    long.wheel(long.cell(30, 10), 120)
    assert long.looks == 2


def test_a_drag_is_one_step_and_escape_puts_it_back(long):
    long.wheel(long.cell(20, 20), 480)
    start = in_view(long)
    mouse = long.hand()
    mouse.press(QPointF(150, 150))
    mouse.move(QPointF(300, 320))
    assert in_view(long) != start, "it moves along with the hand"
    assert long.looks == 1, "and is no step yet"
    long.key(Qt.Key.Key_Escape)
    assert in_view(long) == start
    mouse.move(QPointF(350, 350))
    mouse.release()
    assert (in_view(long), long.looks) == (start, 1)
    mouse.drag(QPointF(150, 150), QPointF(300, 320))
    there = in_view(long)
    assert there.top < start.top
    assert there.left < start.left
    assert (long.looks, long.back_text) == (2, "Move the view")
    long.back()
    assert in_view(long) == start
    forward(long)
    assert in_view(long) == there


def test_a_click_with_a_trembling_hand_moves_nothing(open_heads, wait):
    driver = open_heads(
        HeadsState().with_recipe(sentence=sentence(160)).with_view(row=None, window=Window(0, 120, 0, 120))
    )
    wait(driver)
    before, cell = driver.heads.view.window, driver.canvas.cell_box(50, 50)
    assert 0 < cell.width() < 6, "so small that a tremble reaches the next one"
    mouse = driver.hand()
    mouse.press(cell.center())
    mouse.move(cell.center() + QPointF(cell.width(), 0))
    mouse.release()
    assert driver.heads.view.window == before
    assert driver.pin == (50, 51), "what is under the pointer is pinned"
    assert driver.looks == 1


def test_the_wheel_waits_until_a_stroke_is_over(long):
    long.press(long.controls.paint)
    mouse = long.hand()
    mouse.press(long.cell(5, 5))
    long.wheel(long.cell(5, 5), 240)
    long.key(Qt.Key.Key_Plus)
    assert long.heads.view.window is None
    mouse.move(long.cell(7, 5))
    mouse.release()
    assert long.heads.setup.mask.hidden == {(5, 5), (6, 5), (7, 5)}
    assert long.steps == 1


def test_the_whole_map_is_a_step_too(long):
    long.wheel(long.cell(20, 20), 480)
    near = in_view(long)
    long.key(Qt.Key.Key_Home)
    assert (long.heads.view.window, long.back_text) == (None, "Show the whole map")
    long.key(Qt.Key.Key_Home)
    assert long.looks == 2, "there is nothing more to show"
    long.back()
    assert in_view(long) == near


def test_a_preset_shows_its_whole_map_and_a_sentence_keeps_the_view(long):
    long.wheel(long.cell(35, 35), 720)
    wished = long.heads.view.window
    long.paste_into(long.controls.sentence, sentence(30))
    assert long.heads.view.window == wished
    assert in_view(long).bottom <= 30
    long.paste_into(long.controls.sentence, sentence(40))
    assert in_view(long) == wished, "it is back where it was"
    long.choose(long.controls.presets, "causal")
    assert long.heads.view.window is None
    long.undo()
    assert long.heads.view.window == wished


# ---- Taking it away ----


def test_a_saved_view_is_there_in_a_new_window_and_drawn_alike_everywhere(open_heads, tmp_path):
    first = open_heads(LONG)
    first.wheel(first.cell(30, 10), 480)
    first.hand().drag(QPointF(150, 150), QPointF(230, 260))
    near, path = in_view(first), tmp_path / "near.attn.json"
    first.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    (dialog,) = first.window.findChildren(QFileDialog)
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    name.setText(str(path))
    QTest.keyClick(name, Qt.Key.Key_Return)
    QApplication.processEvents()
    second = open_heads()
    second.window.files.open(path)
    assert in_view(second) == near
    cells = [(row, column) for row in range(near.top, near.bottom) for column in range(near.left, near.right)]
    assert second.colours(*cells) == first.colours(*cells)
    for kind in ("png", "svg", "pdf", "csv", "json", "npz"):
        drawn = attention_explorer.render(path, format=kind)
        for driver in (first, second):
            written = tmp_path / f"window.{kind}"
            export_or_explain(driver.page, driver.page.figure(), written)
            assert written.read_bytes() == drawn, kind
    second.page.copy_picture()
    copied = QGuiApplication.clipboard().image().convertToFormat(QImage.Format.Format_RGB32)
    drawn = QImage.fromData(attention_explorer.render(path, format="png"))
    assert copied == drawn.convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("picture", Picture)
def test_each_picture_is_exported_as_it_is_on_show(open_heads, tmp_path, picture):
    state = LONG.with_view(picture=picture, window=Window(3, 12, 20, 31))
    driver = open_heads(state)
    driver.page.settle()
    write_session(tmp_path / "s.attn.json", driver.window.session.state, page="heads")
    export_or_explain(driver.page, driver.page.figure(), tmp_path / "window.svg")
    drawn = attention_explorer.render(tmp_path / "s.attn.json", format="svg")
    assert drawn == (tmp_path / "window.svg").read_bytes()
    whole = attention_explorer.render(state.with_view(window=None), format="svg")
    assert (drawn != whole) == (picture in (Picture.HEATMAP, Picture.LINES))


def test_looking_closer_leaves_the_wall_alone(long):
    long.canvas.grab()
    wall = long.page.wall
    before, images = wall.grab().toImage(), dict(wall.item.images)
    assert images
    long.wheel(long.cell(20, 20), 480)
    assert wall.grab().toImage() == before
    assert all(wall.item.images[place] is image for place, image in images.items())
