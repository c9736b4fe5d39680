"""At rest, every page shows the picture of its state, or says on the picture why it does not."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest
from people_driver import is_busy, let_work
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider
from window_driver import copied_numbers

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.session_file import session_bytes, session_from
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.session import requests as session_requests
from attention_explorer.session.requests import Requests, Standing
from attention_explorer.session.settings import Settings, ThemeChoice

STATES = {
    "heads": [HeadsState().with_recipe(sentence=f"w{number} and so on") for number in range(3)],
    "positions": [PositionsState(picture=PositionsPicture.SIMILARITY, length=8 + number) for number in range(3)],
    "block": [BlockState(picture=BlockPicture.LAYER, sentence=f"w{number} and so on") for number in range(3)],
    "scaling": [ScalingState(draws=300, d_k=8 * (number + 1)) for number in range(3)],
    "cost": [CostState(picture=CostPicture.LAYER, d_model=240 * (number + 1)) for number in range(3)],
}
"""By page: the state on show before, and two others."""


class Gate:
    """Holds up the worker before each piece of work until it is opened."""

    def __init__(self, monkeypatch) -> None:
        self._open, to_the_end = threading.Event(), session_requests._to_the_end
        self._open.set()

        def held_up(*work) -> None:
            assert self._open.wait(30)
            to_the_end(*work)

        monkeypatch.setattr(session_requests, "_to_the_end", held_up)

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate(monkeypatch) -> Gate:
    """A gate before all work, also before what is computed at once as a rule."""
    want = Requests.want
    monkeypatch.setattr(Requests, "want", lambda self, request, work, **_how: want(self, request, work))
    return Gate(monkeypatch)


class Visitor:
    """The window on one of the pages, with the things a person may do while the worker is held up."""

    def __init__(self, window, page: str, gate: Gate) -> None:
        self.window, self.gate, self._name = window, gate, page
        self.actions = (self.other, self.another, self.back, self.escape, self.undo, self.visit, self.let_through)

    @property
    def page(self):
        return self.window.page

    def show(self, number: int, label: str = "Show") -> None:
        session = self.window.session
        session.apply(replace(session.state, **{self._name: STATES[self._name][number]}), label)

    def other(self) -> None:
        self.show(1)

    def another(self) -> None:
        self.show(2)

    def back(self) -> None:
        self.show(0)

    def escape(self) -> None:
        QTest.keyClick(self.window.windowHandle(), Qt.Key.Key_Escape)

    def undo(self) -> None:
        self.window.session.undo()

    def visit(self) -> None:
        self.window.show_page("lookup")
        self.window.show_page(self._name)

    def let_through(self) -> None:
        self.settle()
        self.gate.shut()

    def settle(self) -> None:
        self.gate.open()
        for _ in range(10_000):
            if not is_busy(self.window):
                break
            let_work()
        assert not is_busy(self.window)

    def see_that_it_is_true(self, after: str) -> None:
        requests, note = self.page.requests, self.page.note
        assert requests.wanted == self.page.request_now(), after
        on_show = shown_numbers(self.page, self.window.session.state)
        if requests.standing is Standing.CURRENT:
            assert requests.shown == requests.wanted, after
            assert on_show, after
            assert not note.isVisible(), after
        else:
            assert requests.standing is Standing.STOPPED, after
            assert note.isVisible(), after
            assert note.button.text() == "Compute", after
            assert note.covers[0].isVisible() == (requests.shown != requests.wanted) == (not on_show), after


def shown_numbers(page, state: ExplorerState) -> bool:
    """Whether the picture on show has the numbers of a state, computed anew."""
    if isinstance(page, HeadsPage):
        return page._frame.setup == state.heads.setup and page.canvas.frame is page._frame
    drawing = page.view.picture if isinstance(page, FramePage) else page.drawing_of(page.state)
    here, there = page.canvas.picture, drawing.compute(page.state, page.request_now().tiles)
    if drawing.notes(here) != drawing.notes(there):
        return False
    arrays, wanted = drawing.numbers(here), drawing.numbers(there)
    return arrays.keys() == wanted.keys() and all(np.array_equal(arrays[name], wanted[name]) for name in arrays)


@pytest.fixture
def visit(make_window, gate):
    """Open a window on a page in the first of its states, with nothing under way."""

    def make(page: str) -> Visitor:
        state = ExplorerState(**{page: STATES[page][0]})
        visitor = Visitor(make_window(state, Settings(theme=ThemeChoice.LIGHT, page=page)), page, gate)
        visitor.settle()
        return visitor

    return make


@pytest.mark.parametrize("page", STATES)
def test_whatever_is_done_while_the_worker_is_held_up(visit, page):
    visitor = visit(page)
    for actions in itertools.permutations(visitor.actions, 2):
        visitor.gate.shut()
        visitor.other()
        for action in actions:
            action()
        visitor.settle()
        visitor.see_that_it_is_true(", ".join(action.__name__ for action in actions))
        visitor.back()
        visitor.settle()
        visitor.see_that_it_is_true("back")


@pytest.mark.parametrize("page", STATES)
def test_what_was_stopped_is_dimmed_not_taken_away_and_computed_at_the_press_of_a_button(visit, page):
    visitor = visit(page)
    visitor.gate.shut()
    visitor.other()
    visitor.escape()
    page = visitor.page
    note = page.note
    assert note.covers[0].isVisible()
    assert note.words.text() == "Stopped. This is still the picture of the earlier settings."
    QApplication.clipboard().setText("nothing")
    for take in (page.copy_picture, page.copy_numbers, page.export, getattr(page, "export_wall", page.export)):
        take()
        assert visitor.window.statusBar().currentMessage() == note.words.text()
    assert QApplication.clipboard().text() == "nothing"
    QTest.mouseClick(note.button, Qt.MouseButton.LeftButton)
    assert not note.covers[0].isVisible()
    assert note.geometry().bottom() < note.covers[0].geometry().center().y(), "back beside the title"
    visitor.settle()
    visitor.see_that_it_is_true("Compute")
    assert page.requests.standing is Standing.CURRENT
    assert copied_numbers(page) != "nothing"


@pytest.mark.parametrize("page", STATES)
def test_a_window_that_does_not_close_after_all_goes_on_computing(visit, page, monkeypatch):
    visitor = visit(page)
    visitor.gate.shut()
    visitor.other()
    monkeypatch.setattr(visitor.window.files, "may_close", lambda: False)  # as long as its question is open
    assert not visitor.window.close()
    visitor.settle()
    visitor.see_that_it_is_true("close")
    assert visitor.page.requests.standing is Standing.CURRENT


# ---- Refused ----


def heads_box(page):
    page.open_drawer(True)
    return page.drawer_parts.random.form.controls["heads"]


def _heads_of_layer(page):
    page.open_drawer(True)
    return page.drawer.form.controls["heads"]


REFUSED = {
    "heads": (heads_box, lambda state: state.heads.setup.recipe.heads, "cannot be shared equally by 7 heads"),
    "layer": (_heads_of_layer, lambda state: state.block.heads, "7 heads cannot share 64 features"),
}
"""By page where a state can be refused: the field to type 7 into, where it stays, and part of the reason."""


def type_into(box, text: str) -> None:
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_stays_typed_and_the_reason_stands_on_the_dimmed_picture(make_window, name):
    field, kept, reason = REFUSED[name]
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=name))
    page = window.page
    box = field(page)
    type_into(box, "4")  # so that what is changed is said already
    before = page.canvas.grab().toImage()
    type_into(box, "7")
    assert (kept(window.session.state), box.text()) == (7, "7")
    says_why(window, reason)
    assert page.canvas.grab().toImage() == before, "the older picture stays below"
    assert (
        QAccessible.queryAccessibleInterface(page.canvas)
        .text(QAccessible.Text.Description)
        .startswith(page.note.words.text())
    )
    page.copy_numbers()
    assert window.statusBar().currentMessage() == page.note.words.text()
    again = make_window(session_from(session_bytes(window.session.state), "test").state, window.settings)
    assert field(again.page).text() == "7"
    says_why(again, reason)
    for each in (window, again):
        type_into(field(each.page), "4")
        assert each.page.requests.standing is Standing.CURRENT
        assert not each.page.note.isVisible()
        assert not each.page.note.covers[0].isVisible()


def says_why(window, reason: str) -> None:
    note = window.page.note
    assert reason in note.words.text()
    assert note.isVisible()
    assert note.words.textFormat() is Qt.TextFormat.PlainText, "a reason may quote what was typed"
    assert not note.button.isVisible(), "it would be refused again"
    assert note.parentWidget().rect().contains(note.geometry())
    assert all(cover.isVisible() == cover.over.isVisible() for cover in note.covers)


def test_a_model_too_large_is_refused_while_its_sentence_stays(make_window):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))
    session, page = window.session, window.page
    large = HeadsState().with_recipe(sentence="w " * 2048, d_model=768, heads=12, layers=12)
    session.apply(replace(session.state, heads=large), "Paste")
    page.settle()
    assert page.subject.sentence.field.text() == "w " * 2048
    says_why(window, "million numbers")
    assert window._readout.text() == "", "nothing is being computed any more"
    session.undo()
    assert page.requests.standing is Standing.CURRENT


# ---- Escape ----


def test_escape_in_the_drag_of_a_slider_takes_back_the_drag_and_stops_nothing(visit):
    visitor = visit("scaling")
    slider = visitor.page.main.slider_of(visitor.page.view).slider
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    style, handle = slider.style(), QStyle.SubControl.SC_SliderHandle
    start = style.subControlRect(QStyle.ComplexControl.CC_Slider, option, handle, slider).center()
    visitor.gate.shut()
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(slider, start + QPoint(60, 0))
    assert visitor.page.state.d_k > STATES["scaling"][0].d_k
    visitor.escape()
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    assert visitor.page.state == STATES["scaling"][0]
    visitor.settle()
    visitor.see_that_it_is_true("Escape")
    assert visitor.page.requests.standing is Standing.CURRENT


def test_escape_after_a_press_beside_the_handle_of_a_slider_leaves_a_picture_that_says_so(visit):
    """Such a press begins a drag, which Escape takes back before it stops anything."""
    visitor = visit("scaling")
    slider = visitor.page.main.slider_of(visitor.page.view).slider
    visitor.gate.shut()
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() - 4, slider.height() // 2))
    assert visitor.page.state.d_k > STATES["scaling"][0].d_k
    visitor.escape()
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() - 4, slider.height() // 2))
    assert visitor.page.state == STATES["scaling"][0]
    visitor.settle()
    visitor.see_that_it_is_true("Escape")
    assert visitor.page.requests.standing is Standing.CURRENT
