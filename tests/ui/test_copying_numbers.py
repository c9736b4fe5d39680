"""Copied and exported numbers are made on the worker, only those that are asked for, and can be stopped."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from written_numbers import csv_text

from attention_explorer.core.numbers_export import Numbers, Table
from attention_explorer.kit.export import writing
from attention_explorer.kit.export.dialog import ExportDialog
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Hidden
from attention_explorer.session.settings import Settings


class Held:
    """Numbers whose rows are made one by one, as far as they are let through; notes on which thread."""

    def __init__(self) -> None:
        self.passes = threading.Semaphore(0)
        self.begun = threading.Event()
        self.threads: set[str] = set()
        self.made = 0

    def figure(self, mark: int, rows: int = 4):
        def make():
            for row in range(rows):
                self.threads.add(threading.current_thread().name)
                self.begun.set()
                while not self.passes.acquire(timeout=0.01):
                    checkpoint()
                self.made += 1
                yield mark, row

        numbers = Numbers(Table(("mark", "row"), make, rows), {}, {"row": np.zeros(1)}, {})
        return type("HeldFigure", (), {"numbers": lambda _self: numbers})()


@pytest.fixture
def held():
    held = Held()
    yield held
    held.passes.release(1000)


@pytest.fixture
def window(make_window):
    QGuiApplication.clipboard().setText("before")
    return make_window()


def press_copy(window) -> None:
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)


def text() -> str:
    return QGuiApplication.clipboard().text()


def told(window) -> str:
    return window.statusBar().currentMessage()


def test_a_key_copies_csv_and_makes_nothing_else_and_another_copies_the_picture(window, qtbot, monkeypatch):
    monkeypatch.setattr(writing, "write_json", None)
    press_copy(window)
    qtbot.waitUntil(lambda: told(window) == "The numbers are on the clipboard, as CSV.")
    assert text() == csv_text(window.page.figure().numbers())
    QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert not QGuiApplication.clipboard().image().isNull()


def test_the_window_goes_on_while_the_worker_copies(window, held, qtbot, monkeypatch):
    monkeypatch.setattr(window.page, "figure", lambda: held.figure(1, rows=99))
    press_copy(window)
    assert held.begun.wait(20)
    held.passes.release(33)
    qtbot.waitUntil(lambda: told(window) == "Copying the numbers … 32%; Esc stops it")
    QTest.keyClick(window.page.canvas, Qt.Key.Key_H)
    assert window.session.state.lookup.hard, "the keys still do what they do"
    assert text() == "before"
    held.passes.release(66)
    qtbot.waitUntil(lambda: told(window) == "The numbers are on the clipboard, as CSV.")
    assert text().splitlines()[-1] == "1,98"
    assert held.threads == {"attention-explorer-jobs"}


def test_escape_stops_it_and_leaves_the_clipboard_alone(window, held, qtbot, monkeypatch):
    monkeypatch.setattr(window.page, "figure", lambda: held.figure(1))
    press_copy(window)
    assert held.begun.wait(20)
    QTest.keyClick(window.page.canvas, Qt.Key.Key_Escape)
    assert told(window) == "Stopped: nothing was copied."
    qtbot.waitUntil(lambda: not window.page.copier.jobs.is_busy())
    assert (held.made, text()) == (0, "before")
    window.statusBar().clearMessage()
    QTest.keyClick(window.page.canvas, Qt.Key.Key_Escape)
    assert told(window) == "", "there is nothing to stop any more"


def test_a_second_copy_replaces_the_first(window, held, qtbot, monkeypatch):
    figures = iter((held.figure(1), held.figure(2)))
    monkeypatch.setattr(window.page, "figure", lambda: next(figures))
    press_copy(window)
    assert held.begun.wait(20)
    press_copy(window)
    held.passes.release(100)
    qtbot.waitUntil(lambda: not window.page.copier.jobs.is_busy())
    assert text().splitlines()[1:] == ["2,0", "2,1", "2,2", "2,3"]


def test_more_than_a_clipboard_should_hold_is_refused_before_it_is_made(window, held, qtbot, monkeypatch):
    monkeypatch.setattr(writing, "MOST_CELLS", 7)
    monkeypatch.setattr(window.page, "figure", lambda: held.figure(1))
    press_copy(window)
    qtbot.waitUntil(lambda: told(window).startswith("8 cells are too many for the clipboard"))
    assert told(window).endswith("Export them to a file instead (Ctrl+E).")
    assert (held.made, text()) == (0, "before")


def test_the_export_window_copies_on_the_worker_too_and_escape_stops_that_first(window, held, qtbot):
    dialog = ExportDialog(window.page, window.page.figure())
    dialog.open()
    QApplication.processEvents()
    dialog.form.format.setCurrentIndex(dialog.form.format.findText("JSON numbers (.json)"))
    dialog.figure = held.figure(1)
    dialog.copier.copy(dialog.figure)
    assert held.begun.wait(20)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.form.says.text() == "Stopped: nothing was copied."
    qtbot.waitUntil(lambda: not dialog.copier.jobs.is_busy())
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert text() == "before"
    dialog.deleteLater()


def test_copied_numbers_say_what_was_hidden(make_window, qtbot):
    heads = HeadsState(view=HeadsView(hidden=Hidden.FIRST))
    window = make_window(ExplorerState(heads=heads), Settings(page="heads"))
    press_copy(window)
    said = "The numbers are on the clipboard, as CSV. Hidden keys: first token; the rest of each row is renormalised."
    qtbot.waitUntil(lambda: told(window) == said)
