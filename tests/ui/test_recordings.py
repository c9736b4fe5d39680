"""Files of attention in the window: dropped, explored with the mouse, undone, saved in a session, gone."""

from __future__ import annotations

import os

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from window_driver import drop

from attention_explorer.app import first_state
from attention_explorer.session import memory
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import source_of
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.heads.frame import heads_frame
from attention_explorer.state.heads.presets import heads_preset
from attention_explorer.state.heads.state import HeadsState, Picture
from attention_explorer.state.session_file import read_session, write_session

WORDS = ["Ġthe", "Ġcat", "Ġsat", "Ġdown"]

# The off-screen platform says this whenever a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def weights() -> np.ndarray:
    exponentials = np.exp(np.random.default_rng(3).standard_normal((2, 3, 4, 4)))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def path(tmp_path, weights):
    path = tmp_path / "model.npz"
    np.savez(path, attentions=weights, tokens=np.array(WORDS))
    return path


@pytest.fixture
def window(make_window):
    return make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))


@pytest.fixture
def open_dropped(qtbot):
    def opened(window, path) -> None:
        state = window.session.state
        assert drop(window, QUrl.fromLocalFile(str(path)))
        qtbot.waitUntil(lambda: window.session.state != state or bool(boxes(window)), timeout=20_000)
        window.page.settle()
        QApplication.processEvents()

    return opened


def boxes(window) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def start_again() -> None:
    """Forget what is kept in memory, as after a new start."""
    memory.empty()
    source_of.cache_clear()


def test_a_dropped_file_is_explored_with_the_mouse_and_undone_in_one_step(window, open_dropped, path, weights):
    before = window.session.state
    open_dropped(window, path)
    page, heads = window.page, window.session.state.heads
    assert isinstance(heads.setup.recipe, FileRecipe)
    assert page.bar.presets.placeholderText() == "“model.npz”"
    assert page.bar.sentence.text() == "the cat sat down"
    assert page.hint.isHidden()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.cell_box(1, 2).center().toPoint())
    assert (window.session.state.heads.view.row, window.session.state.heads.view.column) == (1, 2)
    assert f"{weights[0, 0, 1, 2]:.4f}, as recorded" in page.reading.cell_title.text()
    QTest.mouseClick(page.wall, Qt.MouseButton.LeftButton, pos=page.wall.box_of(4).center().toPoint())
    page.settle()
    np.testing.assert_array_equal(page._frame.map.weights(), weights[1, 1])
    while window.session.state != before:
        assert window.session.can_undo
        window.session.undo()


def test_what_a_recording_cannot_do_is_greyed_and_says_why(window, open_dropped, path):
    open_dropped(window, path)
    window.page.tabs.setCurrentIndex(1)
    bar, setup = window.page.bar, window.page.setup
    stages = bar.pictures.buttons[Picture.STAGES]
    for control in (bar.sentence, bar.cross, bar.masks, bar.paint, stages, setup.softmax.slider, setup.sizes.heads):
        assert not control.isEnabled()
    assert stages.toolTip() == "Only the weights were recorded, not the queries and keys that they came from."
    assert bar.sentence.toolTip().startswith("Recorded attention has its own words")
    window.session.undo()
    window.page.settle()
    assert stages.isEnabled()
    assert "recorded" not in (stages.toolTip() + bar.sentence.toolTip()).lower()


def test_a_file_that_holds_no_weights_is_refused_and_nothing_changes(window, open_dropped, tmp_path):
    np.save(tmp_path / "scores.npy", np.random.default_rng(0).standard_normal((2, 5, 5)))
    before = window.session.state
    open_dropped(window, tmp_path / "scores.npy")
    (box,) = boxes(window)
    assert "before the softmax" in box.text()
    assert window.session.state == before
    assert not window.session.can_undo


@pytest.mark.parametrize("loss", ["gone", "changed"])
def test_a_session_brings_the_file_back_or_says_which_is_wanted(
    window, make_window, open_dropped, path, tmp_path, weights, loss
):
    open_dropped(window, path)
    session = tmp_path / "mine.attn.json"
    write_session(session, window.session.state, page="heads")
    opened = read_session(session)
    assert opened.state == window.session.state
    if loss == "gone":
        path.unlink()
    else:
        np.savez(path, attentions=weights[:, :, :3, :3], tokens=np.array(WORDS[:3]))
    start_again()
    other = make_window(opened.state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    other.page.settle()
    assert "model.npz" in other.page.requests.reason
    assert other.page.requests.misleads
    other.session.apply(ExplorerState(), "Start again")
    other.page.settle()
    assert not other.page.requests.misleads


def test_a_session_and_its_file_can_be_moved_together(window, make_window, open_dropped, path, tmp_path):
    open_dropped(window, path)
    here, there = tmp_path / "lessons", tmp_path / "elsewhere" / "lessons"
    here.mkdir()
    write_session(here / "mine.attn.json", window.session.state, page="heads")
    assert '"../model.npz"' in (here / "mine.attn.json").read_text(encoding="utf-8")
    there.mkdir(parents=True)
    os.replace(here / "mine.attn.json", there / "mine.attn.json")
    os.replace(path, there.parent / "model.npz")
    start_again()
    state = read_session(there / "mine.attn.json").state
    other = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    other.page.settle()
    assert not other.page.requests.misleads
    assert state.heads.setup.recipe.path == str(there.parent / "model.npz")
    assert other.page.canvas.frame.queries == ("␣the", "␣cat", "␣sat", "␣down")


def test_the_first_start_shows_attention_that_was_learned(tmp_path):
    store = SettingsStore(tmp_path / "settings.ini")
    assert store.is_new
    assert first_state().heads == heads_preset("minilm").state
    assert HeadsState().preset == "random-words"
    assert store.save(store.load())
    assert not SettingsStore(tmp_path / "settings.ini").is_new


def test_a_recording_is_compared_with_its_twin_at_a_press(window):
    bar = window.page.bar
    bar._on_preset_chosen("minilm")
    window.page.settle()
    QTest.mouseClick(bar.pictures.buttons[Picture.COMPARE], Qt.MouseButton.LeftButton)
    window.page.settle()
    a, b = window.session.state.heads.setup, window.session.state.heads.other
    assert (a.recipe.recording, b.recipe.recording) == ("minilm-tired", "minilm-soft")
    shown = window.page._frame.head_map.weights() - heads_frame(b).head_map.weights()
    np.testing.assert_array_equal(window.page._widgets[Picture.COMPARE].picture.difference.values, shown)
