"""Sessions that name large files of attention, or arrays handed over from Python: what is saved with them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox

import attention_explorer
from attention_explorer import api
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import MaskChoice, MaskKind
from attention_explorer.pages.session_file import read_session
from attention_explorer.session import memory
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.registry import source_of
from attention_explorer.window.recordings import LostFiles

CTRL = Qt.KeyboardModifier.ControlModifier
ASKING = Settings(theme=ThemeChoice.LIGHT, page="heads", goes_on=False)


def weights_of(*shape: int) -> np.ndarray:
    exponentials = np.exp(np.random.default_rng(shape).standard_normal(shape))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


def start(make_window, folder: Path, path: Path | None = None, state: ExplorerState | None = None):
    memory.empty()
    source_of.cache_clear()
    window = make_window(state, ASKING)
    window.files.start(folder / "data", path)
    window.page.settle()
    QApplication.processEvents()
    return window


def boxes(window) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def save(window, path: Path | None = None) -> None:
    """Press Ctrl+S, type a name into the dialog if there is one to be given, and wait for what comes of it."""
    window.activateWindow()
    QApplication.processEvents()
    QTest.keyClick(window.page.canvas, Qt.Key.Key_S, CTRL)
    QApplication.processEvents()
    if path is not None:
        (dialog,) = (each for each in window.findChildren(QFileDialog) if each.isVisible())
        dialog.findChild(QLineEdit, "fileNameEdit").setText(str(path))
        QTest.keyClick(dialog.findChild(QLineEdit, "fileNameEdit"), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert window.files.saving.jobs.wait(20)
    QApplication.processEvents()


@pytest.fixture
def handed_over():
    """Hand arrays over from Python, and return them with the session that opens them and the folder they lie in."""

    def make(weights: np.ndarray, title: str | None = None):
        view = attention_explorer.show(weights, title=title)
        return api._session_with(view._heads_page(0, 0)), Path(view._recipe.path).parent

    return make


@pytest.mark.parametrize(
    ("title", "called", "said"),
    [
        ("Layer three", "Layer three", "handed over from Python as “Layer three”"),
        ("GPT-2: layer 3", "GPT-2_ layer 3", "handed over from Python as “GPT-2: layer 3”"),
        (None, "arrays", "handed over from Python"),
    ],
)
def test_arrays_from_python_are_copied_beside_the_session_and_say_where_they_come_from(
    make_window, tmp_path, handed_over, title, called, said
):
    weights = weights_of(2, 3, 5, 5)
    opened, private = handed_over(weights, title)
    window = start(make_window, tmp_path, opened)
    assert window.windowTitle().startswith("Untitled")
    assert not window.isWindowModified()
    assert opened not in window.files._store.recent()
    assert window.page.also.text().endswith(said)
    QTest.keyClick(window.page.canvas, Qt.Key.Key_Down)
    save(window, tmp_path / "mine.attn.json")
    assert not window.isWindowModified()
    session = tmp_path / "mine.attn.json"
    assert f'"mine-{called}.npz"' in session.read_text(encoding="utf-8")
    before = window.session.state
    shutil.rmtree(private)
    again = start(make_window, tmp_path, session)
    np.testing.assert_array_equal(again.page._frame.map.weights(), weights[0, 0])
    assert again.session.state.heads.view == before.heads.view
    assert again.page.also.text().endswith(said)
    save(again)
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == [f"mine-{called}.npz"]


def test_a_copy_takes_no_other_file_s_place_and_is_made_once(make_window, tmp_path, handed_over):
    (tmp_path / "mine-arrays.npz").write_bytes(b"something else")
    opened, _ = handed_over(weights_of(1, 4, 4))
    window = start(make_window, tmp_path, opened)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(window.page.canvas, key)
        save(window, tmp_path / "mine.attn.json" if window.files.opened.path is None else None)
    assert (tmp_path / "mine-arrays.npz").read_bytes() == b"something else"
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["mine-arrays-2.npz", "mine-arrays.npz"]


def test_arrays_that_python_took_along_are_named_and_the_rest_is_saved(make_window, tmp_path, handed_over):
    opened, private = handed_over(weights_of(1, 4, 4), "Mine")
    window = start(make_window, tmp_path, opened)
    shutil.rmtree(private)
    save(window, tmp_path / "mine.attn.json")
    (box,) = boxes(window)
    assert "“Mine” was handed over from Python and is no longer there" in box.text()
    assert read_session(tmp_path / "mine.attn.json").state == window.session.state
    again = start(make_window, tmp_path, tmp_path / "mine.attn.json")
    assert "“Mine” was handed over from Python" in again.page.note.words.text()
    assert again.page.note.find_button.isVisible()


def test_a_copy_that_cannot_be_written_is_said_and_nothing_is_saved(make_window, tmp_path, handed_over, monkeypatch):
    opened, _ = handed_over(weights_of(1, 4, 4))
    window = start(make_window, tmp_path, opened)
    state = window.session.state
    causal = state.heads.with_setup(mask=MaskChoice(MaskKind.CAUSAL))
    window.session.apply(replace(state, heads=causal), "Choose a mask")
    save(window, tmp_path / "none" / "mine.attn.json")
    assert "does not exist" in boxes(window)[0].text()
    assert window.isWindowModified()


@pytest.fixture
def large(tmp_path) -> Path:
    path = tmp_path / "large.npy"
    np.save(path, weights_of(8, 400, 400))
    assert path.stat().st_size > 65 * 2**16
    return path


def test_a_large_file_is_known_by_all_of_its_bytes_once_a_session_is_saved(make_window, tmp_path, large):
    window = start(make_window, tmp_path, state=ExplorerState(heads=heads_of_file(large)))
    window.page.settle()
    QTest.keyClick(window.page.canvas, Qt.Key.Key_Down)
    save(window, tmp_path / "mine.attn.json")
    written = json.loads((tmp_path / "mine.attn.json").read_text(encoding="utf-8"))
    said = written["state"]["heads"]["setup"]["recipe"]
    assert said["whole"] == hashlib.sha256(large.read_bytes()).hexdigest() != said["digest"]
    assert read_session(tmp_path / "mine.attn.json").state == window.session.state
    assert not window.isWindowModified()


def spoil_between_samples(path: Path) -> None:
    """Change a byte at which no sample looks, and keep size and samples."""
    recipe = heads_of_file(path).setup.recipe
    data = bytearray(path.read_bytes())
    for place in range(2**16, len(data), 4000):  # the last digits of a weight
        data[place] ^= 1
        path.write_bytes(data)
        if heads_of_file(path).setup.recipe.digest == recipe.digest:
            return
        data[place] ^= 1
    raise AssertionError("Every byte is in a sample.")


def test_find_tells_a_file_by_all_of_its_bytes(make_window, tmp_path, large):
    window = start(make_window, tmp_path, state=ExplorerState(heads=heads_of_file(large)))
    save(window, tmp_path / "mine.attn.json")
    os.rename(large, tmp_path / "twin.npy")
    spoil_between_samples(tmp_path / "twin.npy")
    again = start(make_window, tmp_path, tmp_path / "mine.attn.json")
    QTest.mouseClick(again.page.note.find_button, Qt.MouseButton.LeftButton)
    (dialog,) = (each for each in again.findChildren(QFileDialog) if each.isVisible())
    dialog.findChild(QLineEdit, "fileNameEdit").setText(str(tmp_path / "twin.npy"))
    QTest.keyClick(dialog.findChild(QLineEdit, "fileNameEdit"), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert again.files.lost.looking.jobs.wait(20)
    QApplication.processEvents()
    assert "holds other numbers" in boxes(again)[0].text()


def test_a_large_file_of_which_no_sample_has_changed_is_found_to_be_another(make_window, tmp_path, large, monkeypatch):
    window = start(make_window, tmp_path, state=ExplorerState(heads=heads_of_file(large)))
    save(window, tmp_path / "mine.attn.json")
    spoil_between_samples(large)
    with monkeypatch.context() as later:
        later.setattr(LostFiles, "check", lambda _files: None)  # it may be done before there is a picture
        again = start(make_window, tmp_path, tmp_path / "mine.attn.json")
    again.files.lost.check()
    assert again.files.lost.checking.jobs.wait(20)
    QApplication.processEvents()
    assert again.page.note.words.text().startswith("“large.npy” has other numbers now: it was changed.")
    assert again.page.note.reopen_button.isVisible()
    QTest.mouseClick(again.page.wall, Qt.MouseButton.LeftButton, pos=again.page.wall.box_of(1).center().toPoint())
    again.page.settle()
    assert "has other numbers now" in again.page.note.words.text()
    QTest.mouseClick(again.page.note.reopen_button, Qt.MouseButton.LeftButton)
    assert again.files.lost.looking.jobs.wait(20)
    QApplication.processEvents()
    again.page.settle()
    assert again.page.requests.sentence == ""
    np.testing.assert_array_equal(again.page._frame.map.weights(), np.load(large)[1])


def test_a_large_file_that_was_only_written_anew_is_still_the_same(make_window, tmp_path, large):
    window = start(make_window, tmp_path, state=ExplorerState(heads=heads_of_file(large)))
    save(window, tmp_path / "mine.attn.json")
    large.write_bytes(large.read_bytes())
    again = start(make_window, tmp_path, tmp_path / "mine.attn.json")
    assert again.files.lost.checking.jobs.wait(20)
    QApplication.processEvents()
    assert not again.page.requests.misleads
