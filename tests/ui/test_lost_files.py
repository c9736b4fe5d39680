"""Sessions whose files of attention are gone, were changed, or contradict themselves: what is shown, and ways out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from heads_driver import panel_says
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox, QPushButton

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.pages.session_file import write_session
from attention_explorer.session import memory
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.registry import source_of, tokens_of


def weights_of(seed: int, tokens: int = 4) -> np.ndarray:
    exponentials = np.exp(np.random.default_rng(seed).standard_normal((2, 3, tokens, tokens)))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


def write(path: Path, seed: int, tokens: int = 4) -> Path:
    path.parent.mkdir(exist_ok=True)
    np.savez(path, attention=weights_of(seed, tokens))
    return path


@pytest.fixture
def session(tmp_path):
    """Write a session that compares two files, a.npz and b.npz."""
    setups = [heads_of_file(write(tmp_path / "here" / f"{name}.npz", seed)).setup for seed, name in enumerate("ab")]
    path = tmp_path / "mine.attn.json"
    heads = HeadsState(setups[0], HeadsView(picture=Picture.COMPARE), other=setups[1], preset="")
    write_session(path, ExplorerState(heads=heads), page="heads")
    return path


@pytest.fixture
def open_session(make_window):
    """Open a session in a window that has shown random heads, as after the start, with nothing left in memory."""

    def opened(path: Path):
        memory.empty()
        source_of.cache_clear()
        window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))
        window.page.settle()
        assert window.page.canvas.picture is not None
        window.files.open(path)
        window.page.settle()
        QApplication.processEvents()
        return window

    return opened


def click(button: QPushButton) -> None:
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def find(window, path: Path) -> None:
    """Press “Find…”, type a name into the dialog, press Enter, and wait for what comes of it."""
    click(window.page.note.find_button)
    (dialog,) = (each for each in window.findChildren(QFileDialog) if each.isVisible())
    dialog.findChild(QLineEdit, "fileNameEdit").setText(str(path))
    QTest.keyClick(dialog.findChild(QLineEdit, "fileNameEdit"), Qt.Key.Key_Return)
    wait(window)


def wait(window) -> None:
    QApplication.processEvents()
    assert window.files.lost.looking.jobs.wait(20)
    window.page.settle()
    QApplication.processEvents()


def assert_nothing_is_drawn(page) -> None:
    assert page.requests.misleads
    assert page.canvas.picture is None
    assert page.note.words.text() == page.requests.reason
    assert (page.title.text(), page.also.isVisible()) == ("", False)
    line = page.subject.sentence
    QTest.keyClick(line.line, Qt.Key.Key_Return)
    assert not line.is_typed
    assert line.field.placeholderText() == "", "nothing can be typed"
    assert line.line.tokens.texts == tokens_of(page.session.state.heads.setup.recipe)
    pixels = page.canvas.grab().toImage()
    assert {pixels.pixel(x, y) for x in range(0, pixels.width(), 3) for y in range(0, 60, 3)} == {pixels.pixel(0, 0)}


def boxes(window) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def test_missing_files_are_found_one_with_the_other_in_one_undo_step(open_session, session, tmp_path):
    there = tmp_path / "there"
    os.rename(tmp_path / "here", there)
    window = open_session(session)
    page = window.page
    assert page.requests.reason == (
        f"There is no file “{tmp_path / 'here' / 'a.npz'}”: was it moved or renamed? Find it, or open another."
    )
    assert_nothing_is_drawn(page)
    assert not page.note.reopen_button.isVisible()
    before = window.session.state
    find(window, there / "a.npz")
    assert window.session.undo_text == "Find a.npz"
    assert not page.requests.misleads
    drawn = page.canvas.picture.picture
    np.testing.assert_allclose(drawn.difference.values, weights_of(0)[0, 0] - weights_of(1)[0, 0], atol=1e-7)
    window.session.undo()
    assert window.session.state == before


def test_files_that_lie_apart_are_found_one_after_the_other(open_session, session, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        os.rename(tmp_path / "here" / f"{name}.npz", tmp_path / name / "found.npz")
    window = open_session(session)
    find(window, tmp_path / "a" / "found.npz")
    assert window.page.requests.reason.startswith("B, the setup kept for comparison: There is no file")
    find(window, tmp_path / "b" / "found.npz")
    assert not window.page.requests.misleads
    assert len(window.session.history) == 2


@pytest.mark.parametrize(("seed", "tokens", "said"), [(7, 4, "other numbers"), (7, 5, "bytes, and the one that is")])
def test_another_file_is_taken_only_when_that_is_wanted(open_session, session, tmp_path, seed, tokens, said):
    (tmp_path / "here" / "a.npz").unlink()
    window = open_session(session)
    before = window.session.state
    other = write(tmp_path / "other.npz", seed, tokens)
    find(window, other)
    (box,) = boxes(window)
    assert said in box.text()
    QTest.keyClick(box, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert window.session.state == before
    find(window, other)
    (box,) = boxes(window)
    click(next(button for button in box.buttons() if "Use it" in button.text()))
    wait(window)
    assert window.session.state.heads.setup.recipe.path == str(other)
    np.testing.assert_array_equal(window.page._frame.head_map.weights(), weights_of(seed, tokens)[0, 0])


def test_a_file_that_is_no_attention_is_refused_and_nothing_changes(open_session, session, tmp_path):
    (tmp_path / "here" / "a.npz").unlink()
    (tmp_path / "text.npz").write_text("no arrays")
    window = open_session(session)
    find(window, tmp_path / "text.npz")
    assert "text.npz" in boxes(window)[0].text()
    assert not window.session.can_undo
    assert "Looking" not in window.statusBar().currentMessage()


@pytest.mark.parametrize("tokens", [4, 6])
def test_a_changed_file_is_opened_as_it_is_now(open_session, session, tmp_path, tokens):
    write(tmp_path / "here" / "a.npz", 9, tokens)
    os.utime(tmp_path / "here" / "a.npz", ns=(1, 1))
    window = open_session(session)
    reason = window.page.requests.reason
    assert reason.endswith("it was changed. Open it as it is now, or find the one that it was.")
    assert_nothing_is_drawn(window.page)
    click(window.page.note.reopen_button)
    wait(window)
    assert window.session.undo_text == "Open a.npz as it is now"
    np.testing.assert_array_equal(window.page._frame.head_map.weights(), weights_of(9, tokens)[0, 0])
    window.session.undo()
    window.page.settle()
    assert window.page.requests.reason == reason


def test_a_file_that_changes_while_it_is_open_is_opened_again_in_place(make_window, tmp_path):
    path = write(tmp_path / "a.npz", 0)
    state = ExplorerState(heads=heads_of_file(path))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    window.page.settle()
    write(path, 3)
    QTest.keyClick(window.page.canvas, Qt.Key.Key_Down)
    assert "while it was open" in window.page.note.words.text()
    click(window.page.note.reopen_button)
    wait(window)
    np.testing.assert_array_equal(window.page._frame.head_map.weights(), weights_of(3)[0, 0])
    assert "while it was open" not in panel_says(window.page)


CHANGES: dict[str, Callable[[Path], object]] = {
    "shrinks": lambda path: os.truncate(path, path.stat().st_size // 2),
    "grows": lambda path: path.write_bytes(path.read_bytes() + b"more"),
    "is written anew": lambda path: path.write_bytes(path.read_bytes()[::-1]),
    "is empty": lambda path: os.truncate(path, 0),
}


@pytest.mark.parametrize("picture", [Picture.HEATMAP, Picture.LINES])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_pointing_at_a_file_that_changes_while_it_is_open_says_so_on_the_dimmed_picture(
    make_window, tmp_path, change, compressed, picture
):
    path = tmp_path / "a.npz"
    (np.savez_compressed if compressed else np.savez)(path, attention=weights_of(0))
    heads = heads_of_file(path).with_view(picture=picture)
    window = make_window(ExplorerState(heads=heads), Settings(theme=ThemeChoice.LIGHT, page="heads"))
    page = window.page
    page.settle()
    QApplication.processEvents()
    os.utime(path, ns=(1, 1))
    assert not page.requests.misleads
    change(path)
    canvas = page.canvas
    for place in (canvas.rect().center(), canvas.rect().center() + QPoint(25, 25)):
        QTest.mouseMove(canvas, place)
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    QApplication.processEvents()
    assert "“a.npz” was changed while it was open" in panel_says(page)
    assert page.note.isVisible()
    assert page.note.words.text() == page.requests.reason
    assert next(cover for cover in page.note.covers if cover.over is page.canvas).isVisible()
    assert not window.findChildren(QDialog)


def test_a_file_that_is_taken_away_while_it_is_open_stays_in_view_until_it_is_opened_anew(make_window, tmp_path):
    path = write(tmp_path / "a.npz", 0)
    state = ExplorerState(heads=heads_of_file(path))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    page = window.page
    page.settle()
    path.unlink()
    QTest.mouseMove(page.canvas, page.canvas.cell_box(2, 1).center().toPoint())
    assert f" {page.canvas.numbers.frame.keys[1]} {weights_of(0)[0, 0, 2, 1]:.4f}" in panel_says(page)
    assert "as recorded" in panel_says(page)
    memory.empty()
    source_of.cache_clear()
    QTest.mouseClick(page.wall, Qt.MouseButton.LeftButton, pos=page.wall.box_of(1).center().toPoint())
    page.settle()
    assert page.note.words.text().startswith(f"There is no file “{path}”")
    assert page.note.find_button.isVisible()


def test_weights_that_contradict_their_mask_leave_nothing_on_show(open_session, tmp_path):
    path = tmp_path / "masked.npz"
    np.savez(path, attention=weights_of(0), mask=np.tri(4, dtype=np.bool_))
    heads = HeadsState(HeadsSetup(heads_of_file(path).setup.recipe), HeadsView(), preset="")
    write_session(tmp_path / "mine.attn.json", ExplorerState(heads=heads), page="heads")
    window = open_session(tmp_path / "mine.attn.json")
    assert "which the mask hides" in window.page.requests.reason
    assert_nothing_is_drawn(window.page)
    assert not window.page.note.find_button.isVisible()
    window.session.apply(ExplorerState(), "Begin again")
    window.page.settle()
    assert window.page.canvas.picture is not None
