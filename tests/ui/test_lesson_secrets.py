"""While a question is open, nothing in the window tells its answer: not a word, a tip, a pixel, a copy or an export."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from test_lessons import OWN, Learner
from test_people_names import interface_of, parts_of

from attention_explorer.kit.export.dialog import ExportDialog
from attention_explorer.pages.lab.ui.page import LabPage
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.ui.page import Page
from attention_explorer.tools.lessons.names import names_in

QUESTION = """
show = "{preset}"
set = {{ "lookup.overlays" = ["field", "tie", "angle", "hull", "chain", "trail", "limit", "gradient", "target"] }}
ask = "What comes out?"
answer = {{ number = "lookup.output[0]", within = 0.001 }}
hide = ["lookup.output", "lookup.weights", "lookup.scores", "lookup.contributions", "lookup.loss", "lookup.entropy",
    "lookup.query_length"]
draw = {{ "lookup.query" = [[{x}, {y}], [{x}, {y}]], "lookup.temperature" = [{t}, {t}] }}
"""
CASES = (
    ("two-keys", 0.7371, 0.4619, 1.3717),
    ("quiz", -0.6127, 0.8873, 0.8191),
    ("equal-scores", 1.1393, 0.3779, 2.1173),
)


@pytest.fixture
def learner(make_window, hand) -> Learner:
    return Learner(make_window(OWN), hand)


def ask(learner: Learner, folder: Path, preset: str, x: float, y: float, t: float) -> None:
    learner.open_steps(folder, QUESTION.format(preset=preset, x=x, y=y, t=t))
    learner.comes_back()
    QApplication.processEvents()


def secrets(learner: Learner) -> set[str]:
    """Return three digits and more of every number that is hidden, as they may be written."""
    names = names_in(learner.place.case)
    values = [hidden.value(names) for hidden in learner.place.now.hide]
    numbers = np.abs(np.concatenate([np.atleast_1d(np.asarray(value, float)).ravel() for value in values]))
    given = {abs(number) for number in (*learner.place.case.lookup.query, *map(abs, _inputs(learner)))}
    told = [number for number in numbers if number > 1e-3 and not any(abs(number - other) < 1e-9 for other in given)]
    texts = {f"{number:.4g}" for number in told} | {f"{number:.3g}" for number in told}
    return {text for text in texts if len(re.sub(r"\D", "", text).lstrip("0")) >= 3}


def _inputs(learner: Learner) -> list[float]:
    lookup = learner.place.case.lookup
    return [float(number) for row in (*lookup.keys, *lookup.value_rows) for number in row] + [lookup.temperature]


def window_texts(learner: Learner) -> str:
    """Return all that can be read in the window, or is read aloud: words, names, descriptions, values, tips, cells."""
    found = [learner.said, learner.told, learner.window.windowTitle()]
    for part in parts_of(interface_of(learner.window)):
        kinds = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Value, QAccessible.Text.Help)
        found += [part.text(kind) for kind in kinds]
    for widget in learner.window.findChildren(QWidget):
        if widget.isVisible():
            found += [widget.toolTip(), widget.statusTip(), getattr(widget, "text", str)() or ""]
        if widget.isVisible() and isinstance(widget, QAbstractItemView):
            found += cell_texts(widget)
    return "\n".join(found)


def cell_texts(view: QAbstractItemView) -> list[str]:
    model = view.model()
    cells = [model.index(row, column) for row in range(model.rowCount()) for column in range(model.columnCount())]
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole)
    return [str(model.data(cell, role)) for cell in cells for role in roles]


def leaks(learner: Learner, text: str) -> set[str]:
    return {secret for secret in secrets(learner) if secret in text}


def hover(learner: Learner) -> str:
    """Go with the mouse over the picture, and with the keys from part to part; return what is said of it."""
    said = []
    scene, canvas = learner.canvas.scene(), learner.canvas
    parts = [scene.place(part) for part in scene.state.parts()]
    for at in (*parts, QPointF(60.0, 60.0)):
        learner.hand().move(at)
        said += [learner.said, canvas.toolTip(), canvas.spoken()]
    for _ in parts:
        QTest.keyClick(canvas, Qt.Key.Key_Tab)
        said += [learner.said, canvas.spoken()]
    return "\n".join(said)


@pytest.mark.parametrize("case", CASES)
def test_no_word_in_the_window_tells_a_hidden_number(learner, tmp_path, case):
    ask(learner, tmp_path, *case)
    assert learner.page.isVisible(), "the picture is there to be thought about"
    assert "?" in cell_texts(learner.page.table)
    found = window_texts(learner) + hover(learner) + window_texts(learner)
    assert not leaks(learner, found)
    learner.press(learner.card.tell)
    QApplication.processEvents()
    assert len(leaks(learner, window_texts(learner) + hover(learner))) >= 3, "or this test could not find them"


@pytest.mark.parametrize("case", CASES[:1])
def test_nothing_is_copied_or_exported_while_a_question_is_open(learner, tmp_path, case, monkeypatch):
    asked = []
    monkeypatch.setattr(ExportDialog, "exec", lambda _dialog: asked.append(1))
    ask(learner, tmp_path, *case)
    QApplication.clipboard().setText("mine")
    for action in ("copy-picture", "copy-numbers", "export", "save"):
        learner.window._actions[action].trigger()
        QApplication.processEvents()
        assert ("answer it first" in learner.told) or ("Leave it first" in learner.told), action
    assert QApplication.clipboard().text() == "mine"
    assert not asked
    learner.press(learner.card.tell)
    learner.window._actions["copy-picture"].trigger()
    assert not QApplication.clipboard().image().isNull()


def test_the_picture_is_the_same_whatever_the_answer_is(learner, tmp_path):
    """Only what is computed depends on the temperature; so a picture without it does not."""
    pictures = []
    for temperature in (0.31, 3.7):
        ask(learner, tmp_path, "two-keys", 0.7371, 0.4619, temperature)
        learner.canvas.clearFocus()
        QTest.qWait(250)
        pictures.append(learner.canvas.grab().toImage())
        learner.press(learner.card.tell)
        QTest.qWait(250)
        pictures.append(learner.canvas.grab().toImage())
        learner.press(learner.card.leave)
    assert pictures[0] == pictures[2]
    assert pictures[1] != pictures[3]


def test_what_o_is_meant_to_reach_is_drawn_while_the_question_is_open(learner, tmp_path):
    ask(learner, tmp_path, *CASES[0])
    picture = learner.canvas.grab().toImage()
    loss = QColor(learner.window.look.theme.loss).rgb()
    assert any(picture.pixel(x, y) == loss for x in range(picture.width()) for y in range(picture.height()))


def test_no_key_of_the_page_walks_along_a_hidden_gradient(learner, tmp_path):
    ask(learner, tmp_path, *CASES[0])
    before = learner.query
    learner.press(learner.page.bar.view_row.buttons[LookupView.GRADIENT])
    for key in (Qt.Key.Key_S, Qt.Key.Key_P):
        learner.key(key)
        QTest.qWait(50)
    step, play = learner.page.descent.step, learner.page.descent.play
    for button in (step, play):
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())
        QTest.qWait(50)
    assert learner.query == before
    learner.press(learner.card.tell)
    learner.press(learner.page.bar.view_row.buttons[LookupView.GRADIENT])
    learner.press(step)
    assert learner.query != before, "or this test could not see it"


def test_a_page_that_cannot_hide_its_numbers_is_covered_and_computes_nothing(learner, tmp_path, monkeypatch):
    monkeypatch.setattr(LabPage, "show_withheld", Page.show_withheld)  # as one that somebody else adds
    before = learner.window.session.state.cost
    learner.open_steps(
        tmp_path,
        'show = "gpt2"\nset = { "cost.n" = 73 }\nask = "?"\nhide = ["cost.matrix"]\n'
        'answer = { number = "cost.matrix", within = 0.01 }',
    )
    assert not learner.page.isVisible()
    assert learner.window._cover.text().startswith("?")
    assert learner.window.session.state.cost == before
    learner.window._actions["copy-numbers"].trigger()
    assert "answer it first" in learner.told
    learner.press(learner.card.tell)
    assert learner.page.isVisible()
    assert learner.window.session.state.cost != before
