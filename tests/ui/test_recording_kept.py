"""A recording outlives a crash and the closing of its window: it is kept as it grows, and offered at the next start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from test_recording import Teacher

from attention_explorer.errors import ExportError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.tools.lessons.reading import SUFFIX, read_lesson
from attention_explorer.tools.lessons.recording import UNTITLED
from attention_explorer.tools.lessons.ui import draft

CRASHES = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from attention_explorer.app import make_application
application = make_application("-platform", "offscreen")
from attention_explorer.pages.registry import find_preset
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import SettingsStore
from attention_explorer.window.window import MainWindow
window = MainWindow(Session(), SettingsStore(Path(sys.argv[1]) / "settings.ini"))
window.files.start(Path(sys.argv[1]), goes_on=False)
window.show()
window.tools.record_lesson()
window.show_preset(find_preset("causal", "heads"))
recorder = window.tools.recorder
recorder._word("All that comes later is hidden.")
assert recorder.draft.jobs.wait(60)
os._exit(3)
"""


@pytest.fixture
def open_teacher(make_window, hand, tmp_path):
    def make() -> Teacher:
        window = make_window(ExplorerState())
        window.files.start(tmp_path, goes_on=False)
        return Teacher(window, hand)

    return make


def drafts(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"recording-*{SUFFIX}"))


def kept(teacher: Teacher) -> None:
    assert teacher.recorder.draft.jobs.wait(60)


def record_two(teacher: Teacher) -> None:
    teacher.record()
    teacher.key(Qt.Key.Key_H, widget=teacher.canvas)
    teacher.later()
    kept(teacher)


def close(teacher: Teacher) -> None:
    teacher.window.files._may_close = True  # the session is no matter here
    teacher.window.close()


def test_it_is_on_disk_as_it_grows_and_gone_when_it_is_discarded(open_teacher, tmp_path):
    teacher = open_teacher()
    record_two(teacher)
    (left,) = drafts(tmp_path)
    assert [dict(step.set) for step in read_lesson(left).steps] == [{}, {"lookup.hard": True}]
    assert read_lesson(left).title == UNTITLED
    assert left.stat().st_mode & 0o077 == 0, "nobody else may read it"
    teacher.finish()
    teacher.press(teacher.steps_page.discard)
    teacher.answer_box("Delete it")
    kept(teacher)
    assert drafts(tmp_path) == []
    assert teacher.window.instead is None


def test_a_crash_loses_nothing(open_teacher, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CRASHES, str(tmp_path), str(Path(__file__).parents[2])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    teacher = open_teacher()
    teacher.record()
    assert "2 steps" in teacher.box().text()
    teacher.answer_box("Go on with it")
    teacher.checked()
    assert [moment.page for moment in teacher.moments] == ["lookup", "heads"]
    assert teacher.moments[1].words == "All that comes later is hidden."
    assert teacher.steps_page.isVisible()
    assert len(drafts(tmp_path)) == 1, "the one that goes on"


def test_a_closed_window_leaves_it_and_an_open_one_keeps_it_for_itself(open_teacher, tmp_path):
    first = open_teacher()
    record_two(first)
    second = open_teacher()
    second.record()
    assert second.strip.isVisible(), "nothing is offered that another window has"
    second.press(second.strip.delete)
    kept(second)
    first.key(Qt.Key.Key_Down, widget=first.canvas)
    close(first)
    second.press(second.strip.finish)
    second.checked()
    second.press(second.steps_page.close_button)
    second.record()
    assert "steps" in second.box().text()
    second.answer_box("Delete it and begin anew")
    kept(second)
    assert [len(read_lesson(path).steps) for path in drafts(tmp_path)] == [1]


def test_escape_leaves_it_for_another_time(open_teacher, tmp_path):
    first = open_teacher()
    record_two(first)
    close(first)
    second = open_teacher()
    for _ in range(2):
        second.record()
        QTest.keyClick(second.box(), Qt.Key.Key_Escape)
        assert second.strip is None
    assert len(drafts(tmp_path)) == 1


def test_a_damaged_one_is_left_alone(open_teacher, tmp_path):
    (tmp_path / f"recording-1{SUFFIX}").write_text("format = 99\n")
    teacher = open_teacher()
    teacher.record()
    assert teacher.strip.isVisible()
    assert (tmp_path / f"recording-1{SUFFIX}").read_text() == "format = 99\n"


def test_closing_the_steps_keeps_what_is_not_saved(open_teacher, tmp_path):
    teacher = open_teacher()
    record_two(teacher)
    teacher.finish()
    teacher.press(teacher.steps_page.close_button)
    assert "is kept" in teacher.told
    assert len(drafts(tmp_path)) == 1
    teacher.record()
    assert len(teacher.moments) == 2, "and goes on with it"
    assert not [box for box in teacher.window.findChildren(QMessageBox) if box.isVisible()]


def test_a_folder_that_cannot_be_written_to_is_said_once(open_teacher, tmp_path, monkeypatch):
    def full(*_given, **_options):
        raise ExportError("The disk is full.")

    teacher = open_teacher()
    monkeypatch.setattr(draft, "write_whole", full)
    teacher.record()
    kept(teacher)
    assert "cannot be backed up" in teacher.told
    teacher.key(Qt.Key.Key_H, widget=teacher.canvas)
    kept(teacher)
    assert "cannot be backed up" not in teacher.told
