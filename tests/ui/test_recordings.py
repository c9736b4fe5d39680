"""Files of attention in the window: dropped, explored with the mouse, undone, saved in a session, gone."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import Controls, panel_says
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMenu, QMessageBox
from window_driver import WindowDriver, drop

from attention_explorer.app import first_state
from attention_explorer.core.declared import is_same_subject
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, MaskKind, Picture
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.heads.ui.row_picture import ROW
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.session import memory
from attention_explorer.session.requests import STILL, Standing
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.sources.recorded import packed_array
from attention_explorer.sources.recorded.packed_array import PackedBytes
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import source_of
from attention_explorer.window.reading_dialog import ReadingDialog

WORDS = ["Ġthe", "Ġcat", "Ġsat", "Ġdown"]


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
        qtbot.waitUntil(lambda: window.session.state != state or bool(dialogs(window)), timeout=20_000)
        window.page.settle()
        QApplication.processEvents()

    return opened


def dialogs(window) -> list[QDialog]:
    return [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]


def boxes(window) -> list[QMessageBox]:
    return [dialog for dialog in dialogs(window) if isinstance(dialog, QMessageBox)]


def start_again() -> None:
    """Forget what is kept in memory, as after a new start."""
    memory.empty()
    source_of.cache_clear()


def test_a_dropped_file_is_explored_with_the_mouse_and_undone_in_one_step(window, open_dropped, path, weights):
    before = window.session.state
    open_dropped(window, path)
    page, heads = window.page, window.session.state.heads
    assert isinstance(heads.setup.recipe, FileRecipe)
    assert Controls(window).presets.placeholderText() == "“model.npz”"
    assert page.subject.sentence.line.tokens.texts == ("␣the", "␣cat", "␣sat", "␣down")
    assert page.subject.sentence.field.text() == "the cat sat down"
    tries = [box.text() for box in page.panel.tries.boxes if box.isVisible()]
    assert tries
    assert not any("Type" in each or "Hide" in each for each in tries), "nothing can be typed or masked"
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.cell_box(1, 2).center().toPoint())
    assert (window.session.state.heads.view.row, window.session.state.heads.view.column) == (1, 2)
    assert "as recorded" in panel_says(page)
    assert f" ␣sat {weights[0, 0, 1, 2]:.4f}" in panel_says(page)
    QTest.mouseClick(page.wall, Qt.MouseButton.LeftButton, pos=page.wall.box_of(4).center().toPoint())
    page.settle()
    np.testing.assert_array_equal(page._frame.map.weights(), weights[1, 1])
    window.session.undo()
    assert is_same_subject(window.session.state, before)
    window.session.redo()
    window.session.go_back()
    window.session.go_back()
    window.session.undo()
    assert window.session.state == before, "nobody has looked elsewhere since"


def test_undoing_open_leads_back_to_the_page_and_the_state_of_a_fresh_start(make_window, open_dropped, path):
    window = make_window(first_state(), Settings(page="lookup"))
    fresh = window.session.state
    open_dropped(window, path)
    (undo,) = (each for each in window._menus["&Edit"].actions() if "Undo" in each.text())
    undo.trigger()
    assert window.settings.page == "lookup"
    assert window.session.state == fresh
    assert not window.session.can_undo
    assert window.statusBar().currentMessage() == "Undone: Open model.npz."
    window.session.redo()
    assert window.settings.page == "heads"


def test_what_a_recording_cannot_do_is_greyed_and_says_why(window, open_dropped, path):
    open_dropped(window, path)
    controls, line = Controls(window), window.page.subject.sentence
    stages, temperature = controls.pictures.buttons[Picture.STAGES], controls.temperature
    of_scores = controls.hard, controls.scaled, controls.stages, temperature.slider, stages
    for control in (controls.cross, controls.masks, controls.paint, *of_scores):
        assert not control.isEnabled()
    assert controls.contrast.isEnabled()
    assert not window.page.drawer_parts.random.isVisible()
    assert stages.toolTip() == "Only the weights were recorded, not the queries and keys that they came from."
    QTest.keyClick(line.line, Qt.Key.Key_Return)
    assert not line.is_typed
    assert "Recorded attention has its own words" in line.line.tip_at(QPointF(line.line.width() - 2, 4))
    window.session.undo()
    window.page.settle()
    assert stages.isEnabled()
    assert "recorded" not in (stages.toolTip() + line.line.tip_at(QPointF(line.line.width() - 2, 4))).lower()


def test_what_cannot_be_computed_anew_is_not_wished_for_by_a_key_and_not_spoken_of(window, open_dropped, path):
    open_dropped(window, path)
    page, before = window.page, window.session.state
    words = [each.text for each in (page.panel.sentence, page.title, page.also)]
    said = [text() for text in words]
    reason = "Only the weights were recorded, not the queries and keys that they came from."
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.cell_box(1, 2).center().toPoint())
    pinned = window.session.state
    QTest.keyClick(page.canvas, Qt.Key.Key_H)
    assert window.statusBar().currentMessage() == reason
    window.statusBar().clearMessage()
    (action,) = (each for each in window._menus["&Page"].actions() if each.text() == "Hard or soft")
    action.trigger()
    assert window.statusBar().currentMessage() == reason
    assert window.session.state == pinned
    window.session.go_back()
    assert window.session.state == before
    assert [text() for text in words] == said


def test_a_wish_of_before_is_not_said_of_recorded_weights_and_holds_again_after_them(window, open_dropped, path):
    QTest.keyClick(window.page.canvas, Qt.Key.Key_H)
    WindowDriver(window, None).choose(Controls(window).masks, MaskKind.CAUSAL)
    state, caption = window.session.state, "hard lookup"
    window.page.settle()
    assert caption in window.page.also.text()
    window.session.apply(replace(state, heads=heads_preset("minilm").state.with_setup(hard=True)), "Load it")
    window.page.settle()
    assert caption not in window.page.also.text()
    assert "hard" not in panel_says(window.page)
    assert Controls(window).presets.currentText() == "Recorded: MiniLM, soft / tired"
    window.session.undo()
    window.page.settle()
    assert caption in window.page.also.text()


@pytest.mark.parametrize(
    ("preset", "counts", "mask"),
    [("minilm", "6 layers of 12 heads.", "no mask"), ("smollm2", "30 layers of 9 heads.", "own mask")],
)
def test_the_setup_shows_nothing_that_is_not_of_the_recording(window, preset, counts, mask):
    choose_example(window, preset)
    controls, parts = Controls(window), window.page.drawer_parts
    assert not controls.scaled.isEnabled()
    assert parts.counts.text() == counts
    assert parts.counts.isVisible()
    assert not parts.random.isVisible()
    assert controls.masks.currentText() == mask


def asked(window) -> ReadingDialog:
    """Return the dialog that asks how a file is to be read, when it has looked at it."""
    (dialog,) = (each for each in window.findChildren(ReadingDialog) if each.isVisible())
    assert dialog.working.jobs.wait(20)
    QApplication.processEvents()
    return dialog


def fits(dialog: ReadingDialog) -> bool:
    """Whether it is as high as what it shows, within what a style leaves around it."""
    QApplication.processEvents()
    return abs(dialog.height() - dialog.layout().totalHeightForWidth(dialog.width())) < 12


def choose_example(window, name: str) -> None:
    window.page.show_example(heads_preset(name))
    window.page.settle()
    QApplication.processEvents()


def click(button) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def test_scores_are_not_taken_for_weights_and_nothing_changes(window, open_dropped, tmp_path):
    np.save(tmp_path / "scores.npy", np.random.default_rng(0).standard_normal((2, 5, 5)))
    before = window.session.state
    open_dropped(window, tmp_path / "scores.npy")
    dialog = asked(window)
    assert "before the softmax" in dialog.reasons.text()
    assert not dialog.open_button.isEnabled()
    dialog.reject()
    assert window.session.state == before
    assert not window.session.can_undo


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 cut off"])
def test_a_file_that_holds_no_arrays_is_refused_in_a_sentence(window, open_dropped, tmp_path, content):
    (tmp_path / "broken.npz").write_bytes(content)
    open_dropped(window, tmp_path / "broken.npz")
    (box,) = boxes(window)
    assert "broken.npz" in box.text()
    assert not window.session.can_undo


def test_of_several_arrays_one_is_chosen_and_its_axes_are_told(window, open_dropped, tmp_path, weights):
    np.savez(tmp_path / "two.npz", first=weights, second=np.moveaxis(weights[1], 0, -1), bias=np.ones(4))
    open_dropped(window, tmp_path / "two.npz")
    dialog = asked(window)
    assert [dialog.array.itemData(index) for index in range(dialog.array.count())] == ["first", "second"]
    assert "several arrays" in dialog.reasons.text()
    assert not dialog.open_button.isEnabled()
    assert fits(dialog)
    low = dialog.height()
    dialog.array.setCurrentIndex(1)
    dialog.array.activated.emit(1)
    assert asked(window).height() > low + 50, "for the maps"
    assert fits(dialog)
    assert asked(window).axes.letters == "qkh"
    assert "sum to 1" in dialog.reasons.text()
    np.testing.assert_array_equal(dialog.heads.shown[0].picture.values, weights[1, 0])
    click(dialog.open_button)
    window.page.settle()
    np.testing.assert_array_equal(window.page._frame.map.weights(), weights[1, 0])


def test_layers_under_numbers_are_offered_together(window, open_dropped, tmp_path, weights):
    np.savez(tmp_path / "two.npz", one_0=weights[0], one_1=weights[1], other=weights[::-1])
    open_dropped(window, tmp_path / "two.npz")
    dialog = asked(window)
    assert dialog.array.itemText(0) == "one  2 layers of (3, 4, 4)  float32"
    dialog.array.setFocus()
    QTest.keyClick(dialog.array, Qt.Key.Key_Home)
    click(asked(window).open_button)
    window.page.settle()
    assert window.page._frame.source.heads == (3, 3)
    np.testing.assert_array_equal(window.page._frame.layers[1].maps[2].weights(), weights[1, 2])


@pytest.fixture
def both(tmp_path):
    """Write weights in half precision beside the queries, keys and values that they came from."""

    def make(**others) -> dict[str, np.ndarray]:
        q, k, v = np.random.default_rng(8).standard_normal((3, 2, 3, 5, 4)).astype(np.float32)
        exponentials = np.exp(q @ k.swapaxes(-1, -2) / 2)
        weights = (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float16)
        arrays = {"q": q, "k": k, "v": v, "attention": weights, **others}
        np.savez(tmp_path / "both.npz", **arrays)
        return arrays

    return make


def test_weights_beside_what_they_came_from_are_shown_as_recorded_and_explained(window, open_dropped, tmp_path, both):
    arrays = both()
    open_dropped(window, tmp_path / "both.npz")
    page = window.page
    assert "Its queries and keys give these weights too, within 0.0" in window.statusBar().currentMessage()
    recorded = arrays["attention"][0, 0]
    np.testing.assert_array_equal(page._frame.map.weights(), recorded)
    uneven = int(np.argmax(np.abs(recorded.astype(np.float64).sum(axis=-1) - 1)))
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.cell_box(uneven, 0).center().toPoint())
    click(Controls(window).pictures.buttons[Picture.ROW])
    page.settle()
    assert ", as recorded · entropy" in "".join(page.view.picture.says(page.canvas.picture))
    click(Controls(window).pictures.buttons[Picture.STAGES])
    page.settle()
    QApplication.processEvents()
    assert window.session.state.heads.view.picture is Picture.STAGES
    scores = page._frame.map.scores(stage="scaled")
    np.testing.assert_allclose(scores, arrays["q"][0, 0] @ arrays["k"][0, 0].T / 2, rtol=1e-6)
    for layer in page._frame.layers:
        np.testing.assert_array_equal(layer.v.shape, (3, 5, 4))
    window.session.apply(
        replace(window.session.state, heads=window.session.state.heads.with_setup(temperature=0.5)), "Sharpen"
    )
    page.settle()
    sharp = np.exp(2 * scores)
    np.testing.assert_allclose(page._frame.map.weights(), sharp / sharp.sum(axis=-1, keepdims=True), rtol=1e-5)


def test_weights_that_did_not_come_from_their_queries_and_keys_are_shown_and_that_is_said(
    window, open_dropped, tmp_path, both
):
    other = np.full((2, 3, 5, 5), 0.2, np.float32)
    arrays = both(attention=other)
    open_dropped(window, tmp_path / "both.npz")
    page = window.page
    stages = Controls(window).pictures.buttons[Picture.STAGES]
    np.testing.assert_array_equal(page._frame.map.weights(), other[0, 0])
    assert not stages.isEnabled()
    assert "give other weights than were recorded, by up to" in stages.toolTip()
    assert stages.toolTip() in source_of(window.session.state.heads.setup.recipe).verdict()[1]
    window.files.ask_how_to_read()
    dialog = asked(window)
    dialog.array.setFocus()
    QTest.keyClick(dialog.array, Qt.Key.Key_End)
    assert dialog.array.currentText() == "computed from q and k"
    click(asked(window).open_button)
    page.settle()
    scores = arrays["q"][0, 0] @ arrays["k"][0, 0].T / 2
    exponentials = np.exp(scores)
    computed = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(page._frame.map.weights(), computed, rtol=1e-5)
    assert stages.isEnabled()
    assert page._frame.source.verdict()[0] == "These weights come from recorded vectors."


def test_compressed_arrays_are_never_unpacked_while_the_window_waits(
    window, make_window, open_dropped, tmp_path, monkeypatch
):
    unpacked: Counter[bool] = Counter()
    chunks = PackedBytes.chunks

    def counted_chunks(packed: PackedBytes):
        for chunk in chunks(packed):
            unpacked[threading.current_thread() is threading.main_thread()] += len(chunk)
            yield chunk

    monkeypatch.setattr(PackedBytes, "chunks", counted_chunks)
    # Of the batch, one sequence is shown: it would be drawn in a moment, were there no others to be unpacked.
    exponentials = np.exp(np.random.default_rng(6).standard_normal((2, 30, 2, 150, 150))).astype(np.float32)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.savez_compressed(tmp_path / "packed.npz", attention=weights)
    open_dropped(window, tmp_path / "packed.npz")
    page = window.page
    for _ in range(2):
        np.testing.assert_array_equal(page._frame.map.weights(), weights[0, 0, 0])
        point(page)
        assert "as recorded" in panel_says(page)
        memory.empty()
    write_session(tmp_path / "mine.attn.json", window.session.state, page="heads")
    start_again()
    monkeypatch.setattr(packed_array, "_ON_DISK", packed_array._Unpacked())
    other = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))
    other.files.open(tmp_path / "mine.attn.json")
    other.page.settle()
    point(other.page)
    np.testing.assert_array_equal(other.page._frame.map.weights(), weights[0, 0, 0])
    assert unpacked[False] >= weights.nbytes
    assert unpacked[True] <= 2**22, "no more than headers"


@pytest.mark.parametrize("name", ["tokens", "context_tokens"])
def test_tokens_as_python_objects_are_never_brought_back_and_that_is_said(
    window, open_dropped, tmp_path, weights, name
):
    np.savez(tmp_path / "objects.npz", attention=weights, **{name: np.array(WORDS, dtype=object)})
    open_dropped(window, tmp_path / "objects.npz")
    assert f"“{name}” of “objects.npz” holds Python objects" in window.statusBar().currentMessage()
    assert "numbers stand for the tokens" in window.statusBar().currentMessage()
    assert window.page._frame.keys == ("1", "2", "3", "4")


def test_how_a_file_is_read_can_be_looked_at_and_changed_later(window, open_dropped, tmp_path):
    square = np.full((4, 4), 0.25)  # the columns sum to 1 as well
    square[0], square[:, 0] = [1, 0, 0, 0], [1, 0, 0, 0]
    square[1:, 1:] = 1 / 3
    square[2, 1:] = [0.5, 0.25, 0.25]
    square[3, 1:] = [1 / 6, 5 / 12, 5 / 12]
    np.save(tmp_path / "square.npy", square)
    open_dropped(window, tmp_path / "square.npy")
    window.files.ask_how_to_read()
    dialog = asked(window)
    assert (dialog.axes.letters, dialog.causal.isChecked(), dialog.open_button.isEnabled()) == ("qk", False, True)
    dialog.axes.setFocus()
    QTest.keyClick(dialog.axes.chips[0], "b")
    assert "must name q and k" in asked(window).reasons.text()
    assert not dialog.open_button.isEnabled()
    for chip, letter in zip(dialog.axes.chips, "kq", strict=True):
        QTest.keyClick(chip, letter)
    assert asked(window).open_button.isEnabled()
    click(dialog.open_button)
    window.page.settle()
    np.testing.assert_array_equal(window.page._frame.map.weights(), square.T)


def test_without_a_file_there_is_nothing_to_ask(window):
    window.files.ask_how_to_read()
    assert "no file of attention" in window.statusBar().currentMessage()


CHANGED = "“vectors.npz” was changed while it was open"


@pytest.fixture
def written_over(window, open_dropped, tmp_path):
    """Open queries, keys and weights in the window, beside another layer as B, then have both files written over."""

    def make(picture: Picture, row: int | None = None):
        q, k = np.random.default_rng(5).standard_normal((2, 2, 3, 6, 4))
        scores = np.exp(q @ k.swapaxes(-1, -2) / 2)
        file = tmp_path / "vectors.npz"
        # The stages need queries and keys, which are read layer by layer; weights are read row by row.
        weights = scores / scores.sum(axis=-1, keepdims=True)
        np.savez(file, **({"q": q, "k": k} if picture is Picture.STAGES else {"attention": weights}))
        open_dropped(window, file)
        heads = window.session.state.heads.with_view(picture=picture, row=row)
        heads = replace(heads, other=replace(heads.setup, layer=1))
        window.session.apply(replace(window.session.state, heads=heads), "See")
        window.page.settle()
        QApplication.processEvents()
        assert window.page.requests.standing is Standing.CURRENT
        file.write_bytes(b"something else")
        return window.page

    return make


def finish(page) -> None:
    """Let everything that works on numbers come to its end."""
    if page.copier is not None:
        page.copier.jobs.wait(20)
    page.settle()
    QApplication.processEvents()


def point(page) -> None:
    canvas = page.canvas
    for place in (canvas.rect().center(), canvas.rect().center() + QPoint(30, 40), QPoint(60, 200)):
        QTest.mouseMove(canvas, place)
    QApplication.processEvents()


def point_at_row(page) -> None:
    """Point at the second line of the row beside the map."""
    items = page.panel.items
    found = next((placed for placed in items._layout() if placed.item.name == ROW), None)
    if found is not None:
        QTest.mouseMove(items, found.layout.line(1).center().toPoint())
    QApplication.processEvents()


def press(key: Qt.Key) -> Callable[[HeadsPage], None]:
    return lambda page: QTest.keyClick(page.canvas, key)


LINE = "point at a line of the row"
READERS: dict[str, Callable[[HeadsPage], object]] = {
    "point": point,
    "click": lambda page: QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton),
    "walk": press(Qt.Key.Key_Down),
    "keep a row": press(Qt.Key.Key_R),
    "keep a column": press(Qt.Key.Key_C),
    LINE: lambda page: point_at_row(page),
    "copy the picture": lambda page: page.copy_picture(),
    "copy the numbers": lambda page: page.copy_numbers(),
    "export": lambda page: page.export(),
    "export the wall": lambda page: page.export_wall(),
    "another head": lambda page: page.wall.choose(1, 2),
}


OTHERS: tuple[Callable[[HeadsPage], object], ...] = (
    lambda page: [page.open_drawer(is_open) for is_open in (True, False)],
)
"""This needs no more numbers, or has them in memory."""


@pytest.mark.parametrize("picture", list(Picture))
def test_a_file_that_is_written_over_while_it_is_open_is_said_wherever_its_numbers_are_asked_for(
    window, written_over, picture, tmp_path, monkeypatch
):
    told: list[str] = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given, **_more: (str(tmp_path / "out.csv"), ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, _title, text: told.append(text))
    page = written_over(picture, row=2)
    for read in (*READERS.values(), *OTHERS):
        read(page)
        finish(page)
    assert not boxes(window)
    if picture is Picture.CHECK:  # whose numbers are in memory: only files with other numbers need the source
        assert told or CHANGED in page.requests.sentence
        assert all(CHANGED in each for each in told)
        return
    assert not told
    if picture is not Picture.STAGES:  # whose queries and keys are in memory
        assert CHANGED in page.canvas.spoken()
        assert CHANGED in page.requests.sentence


@pytest.mark.parametrize("reader", list(READERS))
def test_each_way_to_ask_for_a_number_of_a_lost_file_says_so_by_itself(
    window, written_over, reader, tmp_path, monkeypatch
):
    heard: list[str] = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given, **_more: (str(tmp_path / "out.csv"), ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, _title, text: heard.append(text))
    page = written_over(Picture.HEATMAP, row=2 if reader == LINE else None)
    page.refused.connect(heard.append)
    page.said.connect(heard.append)
    READERS[reader](page)
    finish(page)
    assert not boxes(window)
    said = [*heard, page.requests.sentence, panel_says(page)]
    assert any(CHANGED in each for each in said)
    assert not (tmp_path / "out.csv").exists()
    if reader in ("point", "walk"):
        assert CHANGED in panel_says(page)
        assert CHANGED in window._readout.text()
        assert STILL not in page.requests.sentence


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
    assert other.page.canvas.numbers.frame.queries == ("␣the", "␣cat", "␣sat", "␣down")


def test_the_first_start_shows_attention_that_was_learned(tmp_path):
    store = SettingsStore(tmp_path / "settings.ini")
    assert store.is_new
    assert first_state().heads == heads_preset("hide-a-word").state
    assert HeadsState().preset == "random-words"
    assert store.save(store.load())
    assert not SettingsStore(tmp_path / "settings.ini").is_new


def test_a_recording_is_compared_with_its_twin_at_a_press(window):
    choose_example(window, "minilm")
    click(Controls(window).pictures.buttons[Picture.COMPARE])
    window.page.settle()
    a, b = window.session.state.heads.setup, window.session.state.heads.other
    assert (a.recipe.recording, b.recipe.recording) == ("minilm-tired", "minilm-soft")
    found = window.page.canvas.picture.picture.difference
    one, other = (setup_frame.head_map.weights() for setup_frame in (window.page._frame, heads_frame(b)))
    assert found.absent is None, "“tired” and “soft” stand at one place"
    assert found.row_tokens[10] == found.column_tokens[10] == "tired | soft"
    np.testing.assert_array_equal(found.values, one - other)


def test_the_twin_of_a_preset_follows_to_the_next_head_and_is_not_said_to_have_been_kept(window):
    page = window.page
    choose_example(window, "minilm")
    click(Controls(window).pictures.buttons[Picture.COMPARE])
    page.settle()
    QTest.keyClick(page.canvas, Qt.Key.Key_N)
    page.settle()
    a, b = page.canvas.picture.picture.frames
    assert (a.layer, a.head) == (b.layer, b.head) == (3, 2)
    assert "kept" not in page.also.text()
    assert "the same head" in page.also.text()
    QTest.keyClick(page.canvas, Qt.Key.Key_B)
    QTest.keyClick(page.canvas, Qt.Key.Key_N)
    page.settle()
    assert [frame.head for frame in page.canvas.picture.picture.frames] == [3, 2]
    assert "the same head" not in page.also.text()


# ---- As B ----


@pytest.fixture
def comparing(window, open_dropped, path):
    """The window with a file open, and a comparison."""
    open_dropped(window, path)
    click(Controls(window).pictures.buttons[Picture.COMPARE])
    return window


@pytest.fixture
def longer(tmp_path, weights):
    """Another file, of other heads: of five tokens, four of them those of the first."""
    exponentials = np.exp(np.random.default_rng(7).standard_normal((1, 2, 5, 5)))
    path = tmp_path / "longer.npz"
    shares = (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)
    np.savez(path, attentions=shares, tokens=np.array(["Ġthe", "Ġold", *WORDS[1:]]))
    return path, shares


def wait_for_b(window, qtbot, path) -> None:
    def is_there() -> bool:
        other = window.session.state.heads.other
        return isinstance(other.recipe, FileRecipe) and other.recipe.path == str(path)

    qtbot.waitUntil(is_there, timeout=20_000)
    window.page.settle()


def assert_is_compared(window, weights, shares) -> None:
    found = window.page.canvas.picture.picture
    same = np.ix_([0, 2, 3, 4], [0, 2, 3, 4])
    assert found.a.row_tokens == ("␣the", "␣old", "␣cat", "␣sat", "␣down")
    assert found.difference.absent[0].tolist() == [False, True, False, False, False]
    difference = weights[0, 0].astype(np.float64) - shares[0, 0][same]
    np.testing.assert_allclose(found.difference.values[same], difference, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.b.values, shares[0, 0])


def test_a_file_chosen_in_the_dialog_becomes_b_and_is_undone(comparing, qtbot, longer, weights):
    path, shares = longer
    before = comparing.session.state
    (action,) = (each for each in comparing.page.actions_offered() if each.text == "Compare with a file…")
    action.run(comparing.page)
    (dialog,) = dialogs(comparing)
    assert isinstance(dialog, QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(str(path))  # letter by letter would open the list of completions, for which there is no display
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait_for_b(comparing, qtbot, path)
    assert_is_compared(comparing, weights, shares)
    assert comparing.session.state.heads.setup == before.heads.setup
    assert "Opened as B." in comparing.statusBar().currentMessage()
    assert comparing.session.undo_text == "Compare with longer.npz"
    comparing.session.undo()
    assert comparing.session.state == before


def test_a_file_that_was_open_is_offered_as_b(comparing, open_dropped, qtbot, longer, path, weights):
    before = comparing.session.state
    open_dropped(comparing, longer[0])
    comparing.session.undo()
    comparing.page.settle()
    assert comparing.session.state == before
    files = comparing.page.other.button.menu_of_now().actions()[-1].menu()
    assert [action.text() for action in files.actions()] == [
        *("&1 longer.npz", "&2 model.npz", ""),
        *("&Open…", "&Model on this computer…"),
    ]
    files.actions()[0].trigger()
    wait_for_b(comparing, qtbot, longer[0])
    assert_is_compared(comparing, weights, longer[1])


def test_a_file_that_must_be_asked_about_becomes_b_as_well(comparing, qtbot, tmp_path, weights):
    np.savez(tmp_path / "two.npz", first=weights, second=weights[:, ::-1])
    comparing.files.recordings.compare_with(tmp_path / "two.npz")
    qtbot.waitUntil(lambda: bool(dialogs(comparing)), timeout=20_000)
    dialog = asked(comparing)
    dialog.array.setCurrentIndex(1)
    dialog.array.activated.emit(1)
    assert asked(comparing).open_button.isEnabled()
    click(dialog.open_button)
    comparing.page.settle()
    heads = comparing.session.state.heads
    assert (heads.other.recipe.attention, heads.view.picture) == ("second", Picture.COMPARE)
    assert heads.setup.recipe.path == str(tmp_path / "model.npz")


def test_a_broken_file_leaves_b_as_it_is(comparing, qtbot, tmp_path):
    before = comparing.session.state
    (tmp_path / "broken.npz").write_bytes(b"no zip")
    comparing.files.recordings.compare_with(tmp_path / "broken.npz")
    qtbot.waitUntil(lambda: bool(boxes(comparing)), timeout=20_000)
    assert "broken.npz" in boxes(comparing)[0].text()
    assert comparing.session.state == before


def test_a_session_brings_b_back_or_says_which_file_is_wanted(comparing, make_window, qtbot, longer, tmp_path, weights):
    path, shares = longer
    comparing.files.recordings.compare_with(path)
    wait_for_b(comparing, qtbot, path)
    session = tmp_path / "mine.attn.json"
    write_session(session, comparing.session.state, page="heads")
    assert '"longer.npz"' in session.read_text(encoding="utf-8"), "named relative to the session"
    start_again()
    again = make_window(read_session(session).state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    again.page.settle()
    assert_is_compared(again, weights, shares)
    path.unlink()
    start_again()
    without = make_window(read_session(session).state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    without.page.settle()
    assert without.page.requests.reason.startswith("B, the setup kept for comparison: ")
    assert "longer.npz" in without.page.requests.reason
    assert without.page.other.button.isEnabled(), "another B can be chosen"


@pytest.mark.parametrize("given", ["qk", "qkv", "attention"])
def test_the_arrays_of_a_file_are_shown_in_layer_as_far_as_there_are_any(
    window, open_dropped, tmp_path, weights, given, qtbot
):
    vectors = np.random.default_rng(1).standard_normal((3, 4, 5))
    names = [given] if given == "attention" else list(given)
    np.savez(tmp_path / "file.npz", **{name: weights[0] if name == "attention" else vectors for name in names})
    open_dropped(window, tmp_path / "file.npz")
    QApplication.processEvents()
    QTest.keyClick(window.page.canvas, Qt.Key.Key_A)
    only_weights = "Only the weights were recorded, not the queries and keys that they came from."
    if given == "attention":
        assert window.page.name == "Heads"
        assert window.statusBar().currentMessage() == only_weights
        menu = QMenu()
        window.page.offer_taking(menu)
        (action,) = (each for each in menu.actions() if each.text() == "Arrays in Layer")
        assert (action.isEnabled(), action.toolTip()) == (False, only_weights)
        window.show_page("layer")
        assert (window.page.subject.isEnabled(), window.page.subject.toolTip()) == (False, only_weights)
        return
    assert window.page.name == "Layer"
    window.page.settle()
    shown = window.page.canvas.picture
    assert shown.has("q", "k", "weights")
    assert shown.has("v", "head_output") is ("v" in given)
    assert not shown.has("x")
    assert not window.page.form_of(window.page.view).controls["text"].isEnabled()
