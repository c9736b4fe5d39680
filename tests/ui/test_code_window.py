"""The window with the program of a page: opened by its key, it follows what is shown, and is copied and saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.pages.registry import PAGE_IDS, find_preset
from attention_explorer.session.settings import Settings
from attention_explorer.tools.code.programs import program_of
from attention_explorer.tools.code.ui.panel import COVERED, CodeWindow


@pytest.fixture
def opened(make_window, qtbot):
    """Open a window on a page, and its code with the key."""

    def make(page: str, state: ExplorerState | None = None) -> tuple:
        window = make_window(state or ExplorerState(), Settings(page=page), (1280, 800))
        QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
        (code,) = window.findChildren(CodeWindow)
        qtbot.waitUntil(lambda: code.program is not None, timeout=60_000)
        return window, code

    return make


@pytest.mark.parametrize("page", PAGE_IDS)
def test_the_key_shows_the_program_of_any_page(page: str, opened) -> None:
    window, code = opened(page)
    assert code.isVisible()
    assert code.text.toPlainText() == program_of(page, window.session.state).text
    assert code.windowTitle() == f"Code: {page.capitalize()}"


def test_it_follows_a_drag_undo_and_the_page(opened, qtbot) -> None:
    window, code = opened("lookup")
    state = window.session.state
    window.session.preview(replace(state, lookup=state.lookup.moved(QUERY, (0.25, -1.5))), "Move query")
    assert "query = np.array([0.25, -1.5])" in code.text.toPlainText()
    window.session.commit()
    QTest.keyClick(code, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "query = np.array([1.4, 0.6])" in code.text.toPlainText()
    window.show_page("cost")
    qtbot.waitUntil(lambda: "operations_of" in code.text.toPlainText(), timeout=60_000)
    assert code.program.name == "cost"


def test_closed_it_computes_nothing(opened) -> None:
    window, code = opened("lookup")
    code.close()
    state = window.session.state
    window.session.apply(replace(state, lookup=state.lookup.moved(QUERY, (2.0, 2.0))), "Move query")
    assert "[2.0, 2.0]" not in code.text.toPlainText()
    window.tools.show_code()
    assert "[2.0, 2.0]" in code.text.toPlainText()


def test_what_cannot_be_shown_is_said_in_place_of_a_program(opened, qtbot) -> None:
    window, code = opened("block")
    state = window.session.state
    window.session.apply(replace(state, block=replace(state.block, heads=5)), "Change the heads")
    qtbot.waitUntil(lambda: "5 heads cannot share" in code.note.text(), timeout=60_000)
    assert not code.text.toPlainText()
    assert [button.isEnabled() for button in (code.copy, code.save)] == [False, False]
    window.session.undo()
    qtbot.waitUntil(lambda: code.program is not None, timeout=60_000)


def test_a_question_of_a_lesson_hides_the_program_too(opened) -> None:
    window, code = opened("lookup")
    window.cover("Answer first.")
    assert not code.text.toPlainText()
    assert code.note.text() == COVERED
    QTest.mouseClick(code.copy, Qt.MouseButton.LeftButton)
    assert code.program is None
    window.uncover()
    assert "query = " in code.text.toPlainText()
    window.page.withhold("Answer first.")
    assert not code.text.toPlainText()
    assert code.note.text() == COVERED
    window.page.withhold("")
    assert "query = " in code.text.toPlainText()


def test_it_is_copied(opened) -> None:
    _, code = opened("lookup")
    QGuiApplication.clipboard().clear()
    QTest.mouseClick(code.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == code.program.text


def test_it_is_saved_with_what_it_loads_beside_it(opened, tmp_path, monkeypatch) -> None:
    window, code = opened("heads", find_preset("causal", "heads").state)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(tmp_path / "mine"), ""))
    QTest.mouseClick(code.save, Qt.MouseButton.LeftButton)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.npz", "mine.py"]
    assert "mine" in window.statusBar().currentMessage()
    monkeypatch.chdir(tmp_path)
    made: dict = {}
    exec(Path("mine.py").read_text(encoding="utf-8"), made)  # noqa: S102 - what was saved above
    assert np.allclose(made["weights"].sum(axis=1), 1.0, rtol=1e-12)


def test_another_file_beside_it_is_not_replaced_unasked(opened, tmp_path, monkeypatch) -> None:
    _, code = opened("heads")
    (tmp_path / "mine.npz").write_bytes(b"mine")
    asked = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(tmp_path / "mine.py"), ""))
    monkeypatch.setattr(QMessageBox, "question", lambda *given: asked.append(given) or QMessageBox.StandardButton.No)
    QTest.mouseClick(code.save, Qt.MouseButton.LeftButton)
    assert len(asked) == 1
    assert (tmp_path / "mine.npz").read_bytes() == b"mine"
    assert not (tmp_path / "mine.py").exists()


def test_a_context_menu_leads_to_it(make_window, qtbot) -> None:
    window = make_window(ExplorerState(), Settings(page="lookup"), (1280, 800))
    menu = QMenu(window)
    window.page.offer_taking(menu)
    next(action for action in menu.actions() if action.text() == "Code in NumPy…").trigger()
    (code,) = window.findChildren(CodeWindow)
    assert code.isVisible()


def test_tab_reaches_all_of_it_and_escape_closes_it(opened) -> None:
    _, code = opened("lookup")
    code.text.setFocus()
    reached = set()
    for _ in range(6):
        QTest.keyClick(code.focusWidget(), Qt.Key.Key_Tab)
        reached.add(code.focusWidget())
    assert {code.text, code.copy, code.save} <= reached
    QTest.keyClick(code, Qt.Key.Key_Escape)
    assert not code.isVisible()
