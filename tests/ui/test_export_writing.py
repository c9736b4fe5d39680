"""A file is written while the window stays awake, and up to the last moment it can be cancelled."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from attention_explorer.core.files import write_whole
from attention_explorer.kit.export import figure as figures
from attention_explorer.kit.export import writing
from attention_explorer.kit.export.dialog import export_or_explain
from attention_explorer.session.jobs import JobQueue


@pytest.fixture
def gate():
    """What holds the worker back until it is set; in the end it always is."""
    gate = threading.Event()
    yield gate
    gate.set()
    for queue in QApplication.instance().findChildren(JobQueue, options=Qt.FindChildOption.FindDirectChildrenOnly):
        assert queue.wait(20)


@pytest.fixture
def note(make_window):
    return Note(make_window())


class Note:
    """The window, and what it says while it writes."""

    def __init__(self, window) -> None:
        self.window = window
        self.seen: list[str] = []

    def when_shown(self, act) -> None:
        """Act on the box once it is seen."""
        timer = QTimer(self.window)

        def look() -> None:
            for box in self.window.findChildren(QMessageBox):
                if box.isVisible() and timer.isActive():
                    timer.stop()
                    self.seen.append(box.text())
                    act(box)

        timer.timeout.connect(look)
        timer.start(10)

    def export(self, path: Path) -> str:
        return export_or_explain(self.window.page, self.window.page.figure(), path)


def press_cancel(box: QMessageBox) -> None:
    QTest.mouseClick(box.findChild(QPushButton), Qt.MouseButton.LeftButton)


def compress_slowly(monkeypatch, gate) -> None:
    monkeypatch.setattr(figures, "png_bytes", lambda _image: b"late" if gate.wait(20) else b"never")


def test_cancelled_while_it_compresses_nothing_is_written(note, gate, tmp_path, monkeypatch):
    compress_slowly(monkeypatch, gate)
    target = tmp_path / "kept.png"
    target.write_bytes(b"before")
    note.when_shown(press_cancel)
    assert note.export(target) == "Cancelled: nothing was written."
    assert note.seen == ["Writing “kept.png”…"]
    gate.set()
    (queue,) = QApplication.instance().findChildren(JobQueue, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert queue.wait(20)
    assert target.read_bytes() == b"before", "nor later"


def test_the_window_is_painted_meanwhile(note, gate, tmp_path, monkeypatch):
    compress_slowly(monkeypatch, gate)
    painted = []

    def see(_box: QMessageBox) -> None:
        note.window.page.canvas.repaint()
        painted.append(True)
        QTimer.singleShot(50, gate.set)

    note.when_shown(see)
    target = tmp_path / "lookup.png"
    assert note.export(target) == f"Saved {target}"
    assert painted
    assert target.read_bytes() == b"late"
    QApplication.processEvents()
    assert not any(box.isVisible() for box in note.window.findChildren(QMessageBox))


def test_too_late_to_cancel_it_is_written_and_said_so(note, gate, tmp_path, monkeypatch):
    def write_slowly(path: Path, write) -> None:
        write_whole(path, lambda file: (write(file), gate.wait(20)))

    monkeypatch.setattr(writing, "write_whole", write_slowly)

    def cancel(box: QMessageBox) -> None:
        press_cancel(box)
        QTimer.singleShot(50, gate.set)

    note.when_shown(cancel)
    target = tmp_path / "lookup.csv"
    assert note.export(target) == f"Saved {target}"
    assert target.stat().st_size > 100


def test_what_is_quick_shows_nothing(note, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "SHOW_AFTER", 20_000)
    monkeypatch.setattr(writing, "QMessageBox", None)
    target = tmp_path / "lookup.png"
    assert note.export(target) == f"Saved {target}"
    assert target.read_bytes().startswith(b"\x89PNG")


def test_what_goes_wrong_on_the_worker_is_explained(note, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(
        "attention_explorer.kit.export.dialog.QMessageBox.warning", lambda _parent, title, text: said.append(text)
    )
    assert note.export(tmp_path / "no such folder" / "lookup.png") == ""
    assert "no such folder" in said[0]
    assert "does not exist" in said[0]
