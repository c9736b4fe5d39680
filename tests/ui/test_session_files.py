"""Session files in the window: the File menu and its questions, the title, dropping, and the next start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox
from window_driver import drop
from written_numbers import csv_text

import attention_explorer
from attention_explorer import api
from attention_explorer.errors import ExportError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.registry import PAGES
from attention_explorer.pages.session_file import read_session, session_bytes, write_session
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.window import open_session
from attention_explorer.window.open_session import MOST

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
FIRST = ExplorerState()
HARD = ExplorerState(lookup=LookupState(hard=True))
WARM = ExplorerState(lookup=LookupState(temperature=5.0), positions=PositionsState(length=17))
ASKING = Settings(theme=ThemeChoice.LIGHT, goes_on=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.attn.json"
    write_session(path, WARM, page="heads")
    return path


@pytest.fixture
def start(make_window, folder: Path):
    """Start the program: the window, and all that it begins with."""

    def make(path: Path | None = None, settings: Settings | None = None):
        window = make_window(settings=settings)
        window.files.start(folder, path)
        QApplication.processEvents()
        return window

    return make


def boxes(window) -> list[QDialog]:
    return [box for box in window.findChildren(QDialog) if box.isVisible()]


def box(window) -> QMessageBox:
    (found,) = boxes(window)
    assert isinstance(found, QMessageBox)
    return found


def answer(qtbot, window, word: str) -> None:
    """Press the button of the box with this word on it."""
    shown = box(window)
    button = next(button for button in shown.buttons() if word in button.text().replace("&", ""))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def press(qtbot, window, key: Qt.Key, modifiers=CTRL) -> None:
    window.activateWindow()  # as a window manager does when a dialog has closed
    QApplication.processEvents()
    qtbot.keyClick(window.page.canvas if hasattr(window.page, "canvas") else window, key, modifiers)
    QApplication.processEvents()


def type_name(qtbot, window, name: str) -> None:
    """Type a name into the file dialog and press Enter."""
    (dialog,) = boxes(window)
    assert isinstance(dialog, QFileDialog)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(name)  # letter by letter would open the list of completions, for which there is no display
    qtbot.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()


def nudge(qtbot, window) -> None:
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_Right)


# ---- Saving ----


def test_save_asks_for_a_name_once(start, qtbot, tmp_path: Path) -> None:
    window = start()
    assert window.windowTitle() == "Untitled[*] — Attention Explorer"
    assert not window.isWindowModified()
    nudge(qtbot, window)
    assert window.isWindowModified()
    press(qtbot, window, Qt.Key.Key_S)
    type_name(qtbot, window, str(tmp_path / "mine"))
    path = tmp_path / "mine.attn.json"
    assert read_session(path).state == window.session.state != FIRST
    assert read_session(path).page == "lookup"
    assert (window.windowTitle(), window.isWindowModified()) == ("mine.attn.json[*] — Attention Explorer", False)
    nudge(qtbot, window)
    assert window.isWindowModified()
    press(qtbot, window, Qt.Key.Key_S)
    assert boxes(window) == []
    assert read_session(path).state == window.session.state
    press(qtbot, window, Qt.Key.Key_Z)
    assert window.isWindowModified(), "the file holds what was taken back"


@pytest.mark.parametrize(("title", "proposed"), [("Layer three", "Layer three.attn.json"), (None, "arrays.attn.json")])
def test_what_python_handed_over_is_saved_under_its_title(start, qtbot, title: str | None, proposed: str) -> None:
    view = attention_explorer.show(np.eye(3), title=title)
    window = start(api._session_with(view._heads_page(0, 0), Path(view._recipe.path).stem))
    window.page.settle()
    press(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
    (dialog,) = window.findChildren(QFileDialog)
    assert [Path(name).name for name in dialog.selectedFiles()] == [proposed]
    dialog.reject()


def test_save_as_leaves_the_first_file(start, qtbot, lesson: Path, tmp_path: Path) -> None:
    window = start(lesson)
    window.show_page("lookup")
    nudge(qtbot, window)
    press(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
    type_name(qtbot, window, str(tmp_path / "other.attn.json"))
    assert read_session(lesson).state == WARM
    assert read_session(tmp_path / "other.attn.json").state == window.session.state
    assert window.files.opened.path == tmp_path / "other.attn.json"


def test_a_number_is_no_ending_and_what_it_gets_replaces_nothing_unasked(
    start, qtbot, lesson: Path, tmp_path: Path
) -> None:
    window = start(lesson)
    path = tmp_path / "lesson 2.1.attn.json"
    press(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
    type_name(qtbot, window, str(tmp_path / "lesson 2.1"))
    assert window.files.opened.path == path
    window.show_page("lookup")
    nudge(qtbot, window)
    for word, kept in (("Cancel", WARM), ("Replace", window.session.state)):
        press(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
        type_name(qtbot, window, str(tmp_path / "lesson 2.1"))
        assert box(window).text() == "“lesson 2.1.attn.json” is there already. Replace it?"
        answer(qtbot, window, word)
        assert read_session(path).state == kept
    assert sorted(tmp_path.glob("lesson*")) == [path, lesson]


def test_what_cannot_be_saved_says_why(start, qtbot, lesson: Path) -> None:
    window = start(lesson)
    window.show_page("lookup")
    nudge(qtbot, window)
    lesson.unlink()
    lesson.mkdir()
    press(qtbot, window, Qt.Key.Key_S)
    assert box(window).windowTitle() == "Not saved"
    assert "is a folder" in box(window).text()
    answer(qtbot, window, "OK")
    assert window.isWindowModified()


# ---- Opening ----


def test_open_shows_the_file_and_its_page_without_a_history(start, qtbot, lesson: Path) -> None:
    window = start(settings=ASKING)
    nudge(qtbot, window)
    assert window._actions["undo"].isEnabled()
    press(qtbot, window, Qt.Key.Key_O)
    type_name(qtbot, window, str(lesson))
    assert window.session.state == WARM
    assert window.settings.page == "heads"
    assert (window.windowTitle(), window.isWindowModified()) == ("lesson.attn.json[*] — Attention Explorer", False)
    assert not window._actions["undo"].isEnabled()
    assert window.windowFilePath() == str(lesson)


def test_every_page_shows_an_old_file(start) -> None:
    window = start(Path(__file__).parents[1] / "data" / "sessions" / "version-1.attn.json")
    assert boxes(window) == []
    for page in PAGES:
        window.show_page(page.id)
        window.page.settle()
        assert window.settings.page == page.id
        assert csv_text(window.page.figure().numbers())
    assert not window.isWindowModified(), "looking is not changing"


def test_a_damaged_file_leaves_everything_as_it_is(start, qtbot, tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "bad.attn.json"
    path.write_bytes(session_bytes(FIRST).partition(b'"heads"')[0])
    window = start()
    nudge(qtbot, window)
    before = window.session.state
    window.files._open(path)
    assert box(window).windowTitle() == "Not opened"
    assert "ends too early" in box(window).text()
    assert "nothing was changed" in box(window).text()
    answer(qtbot, window, "OK")
    assert window.session.state == before
    assert window.isWindowModified()
    assert window._actions["undo"].isEnabled()
    assert window.windowTitle().startswith("Untitled")
    assert list(folder.glob("aside-*")) == []


@pytest.fixture
def damaged(lesson: Path) -> bytes:
    """What the file of the lesson holds: its page Heads, on which it was saved, cannot be read."""
    data = lesson.read_bytes().replace(b'"kind": "toy"', b'"kind": "dump"')
    lesson.write_bytes(data)
    return data


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_opened(start, qtbot, lesson: Path, damaged) -> None:
    window = start(lesson)
    assert box(window).windowTitle() == "Opened without the page heads"
    assert (
        "heads.setup.recipe.kind is “dump”, but must be “toy”, “hand-made”, “in the box”, “file”, “learned” or “model”."
        in box(window).text()
    )
    assert "The file stays as it is: saving asks for another name." in box(window).text()
    QTest.qWait(50)
    answer(qtbot, window, "OK")  # it has stayed until it was read
    assert (window.session.state, window.settings.page) == (WARM, "lookup")
    assert not window.isWindowModified()


def test_a_file_with_a_page_that_cannot_be_read_is_never_written_over_unasked(
    start, qtbot, lesson: Path, damaged, folder: Path
) -> None:
    window = start(lesson, ASKING)
    answer(qtbot, window, "OK")
    nudge(qtbot, window)
    press(qtbot, window, Qt.Key.Key_S)
    type_name(qtbot, window, str(lesson.with_name("copy")))
    assert lesson.read_bytes() == damaged
    copy = json.loads(lesson.with_name("copy.attn.json").read_bytes())
    assert copy["state"]["heads"] == json.loads(damaged)["state"]["heads"], "and nothing of it is lost in the copy"
    window.files.keeper.keep()
    window.close()
    assert lesson.read_bytes() == damaged


def test_going_on_keeps_what_a_page_said_that_cannot_be_read(start, qtbot, lesson: Path, damaged) -> None:
    window = start()
    window.files.open(lesson)
    answer(qtbot, window, "OK")
    nudge(qtbot, window)
    left = window.session.state
    window.close()
    again = start()
    assert again.session.state == left
    assert box(again).windowTitle() == "Opened without the page heads"
    answer(qtbot, again, "OK")
    again.close()
    assert lesson.read_bytes() == damaged


def test_what_was_kept_is_shown_where_its_file_was_damaged_since(start, qtbot, lesson: Path) -> None:
    window = start()
    window.files.open(lesson)
    window.close()
    lesson.write_bytes(lesson.read_bytes().replace(b'"kind": "toy"', b'"kind": "dump"'))
    again = start()
    assert again.session.state == WARM
    assert boxes(again) == []
    assert again.windowTitle().startswith("Untitled"), "so that the damaged file is not written over"


def test_what_is_not_known_in_a_file_is_said(start, qtbot, lesson: Path) -> None:
    lesson.write_bytes(lesson.read_bytes().replace(b'"page"', b'"mood": "good", "page"'))
    window = start(lesson)
    assert "“mood” is not known to this version" in box(window).text()
    answer(qtbot, window, "OK")
    assert window.session.state == WARM


def test_a_page_that_is_not_known_shows_the_first(start, tmp_path: Path) -> None:
    path = tmp_path / "a.attn.json"
    write_session(path, HARD, page="of-tomorrow")
    assert start(path).settings.page == "lookup"


# ---- Recent ----


def recent_texts(window) -> list[str]:
    window.files.recent_menu.aboutToShow.emit()
    return [action.text() for action in window.files.recent_menu.actions() if action.text()]


def test_recent_files(start, qtbot, lesson: Path, tmp_path: Path) -> None:
    window = start()
    assert recent_texts(window) == ["No session has been opened or saved yet"]
    assert window._actions["open-recent"].menu() is window.files.recent_menu
    window.files.open(lesson)
    press(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
    type_name(qtbot, window, str(tmp_path / "R&D.attn.json"))
    assert recent_texts(window) == ["&1 R&&D.attn.json", "&2 lesson.attn.json", "&Clear the list"]
    window.files.recent_menu.actions()[1].trigger()
    assert window.windowTitle().startswith("lesson.attn.json")
    assert recent_texts(window)[:2] == ["&1 lesson.attn.json", "&2 R&&D.attn.json"]
    lesson.unlink()
    window.files.recent_menu.actions()[0].trigger()
    assert "there is no such file" in box(window).text()
    answer(qtbot, window, "OK")
    assert recent_texts(window) == ["&1 R&&D.attn.json", "&Clear the list"], "what is gone is not offered again"
    window.files.recent_menu.actions()[-1].trigger()
    assert recent_texts(window) == ["No session has been opened or saved yet"]


# ---- What gives way is kept ----


def test_new_asks_nothing_and_what_was_open_comes_back(start, qtbot) -> None:
    window = start()
    press(qtbot, window, Qt.Key.Key_N)
    assert recent_texts(window) == ["No session has been opened or saved yet"], "nothing had changed"
    nudge(qtbot, window)
    before = window.session.state
    press(qtbot, window, Qt.Key.Key_N)
    assert boxes(window) == []
    assert window.session.state == FIRST
    assert not window.isWindowModified()
    assert not window._actions["undo"].isEnabled()
    assert "Untitled was not saved: File, Open recent brings it back." in window.statusBar().currentMessage()
    (mine, _) = recent_texts(window)
    assert mine.startswith("Untitled, not saved, ")
    action_called(window, mine).trigger()
    assert window.session.state == before
    assert window.isWindowModified()
    assert recent_texts(window) == ["No session has been opened or saved yet"], "it is no copy beside it any more"


def action_called(window, text: str):
    return next(action for action in window.files.recent_menu.actions() if action.text() == text)


def test_opening_asks_for_the_file_and_nothing_else(start, qtbot, lesson: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.attn.json"
    write_session(other, HARD)
    window = start(other)
    nudge(qtbot, window)
    before = window.session.state
    press(qtbot, window, Qt.Key.Key_O)
    type_name(qtbot, window, str(lesson))
    assert boxes(window) == []
    assert window.session.state == WARM
    action_called(window, recent_texts(window)[2]).trigger()
    assert (window.session.state, window.windowTitle()) == (before, "other.attn.json[*] — Attention Explorer")
    assert window.isWindowModified(), "as changes of its own file"
    assert read_session(other).state == HARD
    assert read_session(lesson).state == WARM


def test_the_newest_few_are_kept_and_the_list_is_cleared(start, qtbot, folder: Path) -> None:
    window = start()
    states = []
    for number in range(MOST + 2):
        for _ in range(number + 1):
            nudge(qtbot, window)
        states.append(window.session.state)
        press(qtbot, window, Qt.Key.Key_N)
    assert len(recent_texts(window)) == MOST + 1
    (folder / "aside-notes.attn.json").write_text("of somebody else")
    nudge(qtbot, window)
    assert len(recent_texts(window)) == MOST + 1
    window.files.recent_menu.actions()[MOST].trigger()
    assert window.session.state == states[2], "the oldest, though another one took its place among the few"
    assert len(recent_texts(window)) == MOST + 1
    window.files.recent_menu.actions()[-1].trigger()
    assert [path.name for path in folder.glob("aside-*")] == ["aside-notes.attn.json"]


@pytest.fixture
def unwritable(monkeypatch) -> None:
    """No folder can be made for what is not saved."""

    def refuse(path: Path, **_how: object) -> None:
        raise ExportError(f"The folder “{path}” cannot be made.")

    monkeypatch.setattr(open_session, "make_folder", refuse)


@pytest.mark.usefixtures("unwritable")
def test_what_cannot_be_kept_is_asked_about(start, qtbot) -> None:
    window = start()
    nudge(qtbot, window)
    before = window.session.state
    press(qtbot, window, Qt.Key.Key_N)
    assert box(window).text() == "Save the changes to “Untitled”?"
    assert box(window).informativeText() == "If you don’t save them, they are lost."
    answer(qtbot, window, "Cancel")
    assert window.session.state == before
    press(qtbot, window, Qt.Key.Key_N)
    qtbot.keyClick(box(window), Qt.Key.Key_Escape)
    assert window.session.state == before
    press(qtbot, window, Qt.Key.Key_N)
    answer(qtbot, window, "Don’t save")
    assert window.session.state == FIRST
    assert not window.isWindowModified()


def test_a_file_of_attention_that_was_only_looked_at_is_nothing_to_save(start, qtbot, tmp_path: Path) -> None:
    np.save(tmp_path / "weights.npy", np.full((2, 3, 3), 1 / 3))
    window = start(settings=ASKING)
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "weights.npy")))
    qtbot.waitUntil(lambda: window.session.state != FIRST, timeout=20_000)
    window.page.settle()
    qtbot.mouseMove(window.page.canvas, window.page.canvas.rect().center())
    assert not window.isWindowModified()
    qtbot.mouseClick(window.page.wall, Qt.MouseButton.LeftButton, pos=window.page.wall.box_of(1).center().toPoint())
    assert not window.isWindowModified(), "another head is looked at"
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_B)
    assert window.isWindowModified()
    window.session.undo()
    assert window.close()
    assert boxes(window) == []


@pytest.mark.usefixtures("unwritable")
def test_new_after_saving(start, qtbot, tmp_path: Path) -> None:
    window = start()
    nudge(qtbot, window)
    changed = window.session.state
    press(qtbot, window, Qt.Key.Key_N)
    answer(qtbot, window, "Save")
    type_name(qtbot, window, str(tmp_path / "a"))
    assert read_session(tmp_path / "a.attn.json").state == changed
    assert window.session.state == FIRST
    assert window.windowTitle().startswith("Untitled")


@pytest.mark.usefixtures("unwritable")
def test_a_name_not_given_stops_what_was_to_follow(start, qtbot) -> None:
    window = start()
    nudge(qtbot, window)
    changed = window.session.state
    press(qtbot, window, Qt.Key.Key_N)
    answer(qtbot, window, "Save")
    (dialog,) = boxes(window)
    dialog.reject()
    QApplication.processEvents()
    assert window.session.state == changed
    assert window.isWindowModified()


def test_closing_without_changes_asks_nothing(start) -> None:
    window = start(settings=ASKING)
    assert window.close()
    assert boxes(window) == []


def test_closing_with_changes_asks(start, qtbot, folder: Path) -> None:
    window = start(settings=ASKING)
    nudge(qtbot, window)
    assert not window.close()
    assert window.isVisible()
    answer(qtbot, window, "Cancel")
    assert window.isVisible()
    assert list(folder.glob("aside-*")) == []
    changed = window.session.state
    window._actions["quit"].trigger()
    assert box(window).informativeText() == "If you don’t save them, they stay for a while under File, Open recent."
    answer(qtbot, window, "Don’t save")
    assert not window.isVisible()
    assert [path.name[:6] for path in folder.glob("*")] == ["aside-"]
    again = start(settings=ASKING)
    assert again.session.state == FIRST
    action_called(again, recent_texts(again)[0]).trigger()
    assert again.session.state == changed, "what was said of it is true"


def test_closing_after_saving(start, qtbot, lesson: Path, folder: Path) -> None:
    window = start(lesson)
    window.show_page("lookup")
    nudge(qtbot, window)
    changed = window.session.state
    window.close()
    answer(qtbot, window, "Save")
    assert not window.isVisible()
    assert read_session(lesson).state == changed
    assert list(folder.glob("aside-*")) == []


def test_what_cannot_be_saved_keeps_the_window_open(start, qtbot, lesson: Path) -> None:
    window = start(lesson)
    window.show_page("lookup")
    nudge(qtbot, window)
    lesson.unlink()
    lesson.mkdir()
    window.close()
    answer(qtbot, window, "Save")
    assert window.isVisible()
    answer(qtbot, window, "OK")
    assert window.isWindowModified()


# ---- The next start ----


def test_the_next_start_goes_on_unasked(start, qtbot) -> None:
    window = start()
    nudge(qtbot, window)
    changed = window.session.state
    assert window.close(), "nothing is lost, so nothing is asked"
    again = start()
    assert again.session.state == changed
    assert again.isWindowModified(), "it has no file yet"
    assert boxes(again) == []


def test_a_switch_decides_whether_it_goes_on(start, qtbot, settings_path: Path) -> None:
    window = start()
    assert window._actions["goes-on"].isChecked()
    window._actions["goes-on"].trigger()
    assert not window._actions["goes-on"].isChecked()
    nudge(qtbot, window)
    window.close()
    answer(qtbot, window, "Don’t save")
    assert not window.isVisible()
    settings = window._store.load()
    assert not settings.goes_on
    assert start(settings=settings).session.state == FIRST


def test_a_file_that_is_named_is_shown_instead(start, qtbot, lesson: Path) -> None:
    window = start()
    nudge(qtbot, window)
    left = window.session.state
    window.close()
    other = start(lesson)
    assert other.session.state == WARM
    other.close()
    assert start().session.state == left, "and does not replace what was left"


def test_a_named_file_that_cannot_be_opened_is_explained_in_the_window(
    make_window, folder: Path, tmp_path: Path
) -> None:
    window = make_window()
    window.hide()
    window.files.start(folder, tmp_path / "none.attn.json")
    window.show()
    QApplication.processEvents()
    assert "there is no such file" in box(window).text()
    assert window.session.state == FIRST


CRASH = """
import os, sys
from pathlib import Path
from attention_explorer.app import make_application
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import SettingsStore
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.window.window import MainWindow

application = make_application()
window = MainWindow(Session(), SettingsStore(Path(sys.argv[1]) / "settings.ini"))
window.files.start(Path(sys.argv[1]) / "data")
window.show_page("heads")
window.session.apply(ExplorerState(heads=HeadsState().with_setup(temperature=3.0)), "warm")
window.files.keeper.keep()
os._exit(1)
"""


@pytest.fixture
def crashed(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.usefixtures("crashed")
def test_after_a_crash_the_session_is_offered(start, qtbot, folder: Path) -> None:
    window = start()
    assert box(window).windowTitle() == "Restore the session?"
    assert "A session without a file was not saved when the program last ended." in box(window).text()
    answer(qtbot, window, "Restore")
    assert window.session.state == ExplorerState(heads=HeadsState().with_setup(temperature=3.0))
    assert window.settings.page == "heads"
    assert window.isWindowModified()
    assert window.close(), "this window goes on where the crashed one was"
    assert [path.name for path in folder.glob("*.attn.json")] == ["last.attn.json"]


@pytest.mark.usefixtures("crashed")
def test_after_a_crash_it_can_be_left_or_deleted(start, qtbot, folder: Path) -> None:
    window = start()
    qtbot.keyClick(box(window), Qt.Key.Key_Escape)
    assert window.session.state == FIRST
    window.close()
    window = start()
    answer(qtbot, window, "Delete it")
    assert window.session.state == FIRST
    assert list(folder.glob("open-*")) == []
    window.close()
    assert boxes(start()) == []


def test_without_a_keeper_a_window_closes_unasked(make_window, qtbot) -> None:
    window = make_window()
    nudge(qtbot, window)
    assert window.close()


# ---- Dropped on the window ----


def test_a_file_dropped_on_the_window_opens(start, lesson: Path) -> None:
    window = start()
    assert drop(window, QUrl.fromLocalFile(str(lesson)))
    assert window.session.state == WARM


def test_what_a_dropped_file_takes_the_place_of_is_kept_too(start, qtbot, lesson: Path) -> None:
    window = start()
    nudge(qtbot, window)
    before = window.session.state
    assert drop(window, QUrl.fromLocalFile(str(lesson)))
    assert (boxes(window), window.session.state) == ([], WARM)
    action_called(window, recent_texts(window)[1]).trigger()
    assert window.session.state == before


def test_any_other_file_is_refused_in_words(start, qtbot, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    window = start()
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "notes.txt")))
    assert (
        box(window).text()
        == "“notes.txt” can be opened neither as a session (.attn.json) nor as attention (.npz, .npy, .safetensors) "
        "nor as a model (a .gguf file, or a folder with config.json)."
    )
    answer(qtbot, window, "OK")
    assert drop(window, QUrl.fromLocalFile(str(tmp_path)))
    assert "it is a folder" in box(window).text()


def test_what_is_no_single_file_is_not_taken(start, lesson: Path, tmp_path: Path) -> None:
    window = start()
    assert not drop(window, text="just words")
    assert not drop(window, QUrl("https://example.org/lesson.attn.json"))
    assert not drop(window, QUrl.fromLocalFile(str(lesson)), QUrl.fromLocalFile(str(tmp_path / "b")))
    assert window.session.state == FIRST
