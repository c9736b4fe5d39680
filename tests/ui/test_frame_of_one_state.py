"""A page in the frame whose one state says which view is on show and holds the fields of all its views."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from types import SimpleNamespace
from typing import Any

import pytest
from frame_driver import FrameDriver
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from attention_explorer.core.counting import Count
from attention_explorer.core.declared import declared
from attention_explorer.core.preset import Preset
from attention_explorer.fields import CheckedFields
from attention_explorer.kit.frame.view import Part, View
from attention_explorer.kit.items.item import Hit, Value
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import Axis, Handle
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages import registry
from attention_explorer.pages.steps import changed_again, looked_at_again
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.session.session import StateSession


class Way(StrEnum):
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Toy(CheckedFields):
    high: int = declared(3, "high", "How high", "Change high", low=0, high=9, stops=range(10))
    low: int = declared(6, "low", "How low", "Change low", low=0, high=9, stops=range(10))
    view: Way = declared(Way.UP, "view", "Which picture is shown", "Show another picture", is_view=True)
    preset: str = "first"


@dataclass(frozen=True, slots=True)
class Whole:
    """What a window is a function of that has this page alone."""

    toy: Toy

    def counted(self, _count: Count) -> Whole:
        return self

    def followed(self, _old: Whole) -> Whole:
        return self


class Line(Picture[Toy, Toy]):
    def __init__(self, field: str) -> None:
        self.field = field

    compute = staticmethod(lambda state, _pixels: state)

    def item(self, numbers: Toy) -> Plot:
        handle = Handle(self.field, float(getattr(numbers, self.field)), stops=tuple(map(float, range(10))))
        return Plot("Line", Axis(0.0, 9.0, self.field), Axis(0.0, 1.0), (handle,))

    def headline(self, numbers: Toy) -> str:
        return f"It is {getattr(numbers, self.field)}."

    def panel(self, numbers: Toy) -> Panel:
        return Panel(self.field, sentence=self.headline(numbers))

    def words(self, numbers: Toy, _hit: Hit) -> str:
        return self.headline(numbers)

    def changed(self, state: Toy, _numbers: Toy, _hit: Hit, to: Value) -> Change[Toy]:
        return Change(replace(state, **{self.field: round(min(max(to[0], 0.0), 9.0))}), f"Drag {self.field}")


PRESETS = (
    Preset("first", "First", "Look.", Toy()),
    Preset("second", "Second", "Look.", Toy(low=1, view=Way.DOWN, preset="second")),
)
PART = Part("toy", Toy, PRESETS, shown_by="view")
FIELDS = ("high", "low")


class ToyPage(FramePage):
    name, part = "Toy", "toy"

    def make_views(self) -> tuple[View[Any], ...]:
        up, down = Line("high"), Line("low")
        return (
            View(Way.UP, "Up", "What is high", PART, Way.UP, up, "high", more=FIELDS),
            View(Way.DOWN, "Down", "What is low", PART, Way.DOWN, down, "low", ("low",), FIELDS),
        )


class ToySession(StateSession[Any]):
    changed_again = staticmethod(changed_again)
    looked_at_again = staticmethod(looked_at_again)


@pytest.fixture
def at(qtbot, hand, monkeypatch) -> FrameDriver:
    monkeypatch.setattr(registry, "ALL_PARTS", ("toy",))
    page = ToyPage(ToySession(Whole(Toy())), Look(LIGHT))
    qtbot.addWidget(page)
    page.session.changed.connect(page.render_state)
    page.resize(1100, 700)
    page.show()
    qtbot.waitExposed(page)
    page.render_state(page.session.state, page.session.state)
    window = SimpleNamespace(page=page, session=page.session, statusBar=QLabel, activateWindow=page.activateWindow)
    driver = FrameDriver(window, hand)
    driver.settle()
    return driver


def test_a_drag_a_slider_and_a_field_change_it(at) -> None:
    plot = at.layout.layout
    at.hand().drag(plot.place(3.0, 0.5), plot.place(7.0, 0.5))
    at.settle()
    assert (at.state, at.shown_title()) == (Toy(high=7), "It is 7.")
    at.time += 2.0  # or both were one step
    QTest.keyClick(at.main.slider, Qt.Key.Key_Right)
    assert at.state == Toy(high=8)
    at.type_into(at.field("low"), "2")
    assert at.state == Toy(high=8, low=2)
    at.undo()
    at.undo()
    assert at.state == Toy(high=7)


def test_views_and_their_examples_are_chosen(at) -> None:
    at.type_into(at.field("low"), "2")
    at.show(Way.DOWN)
    assert (at.state, at.shown_title()) == (Toy(low=2, view=Way.DOWN), "It is 2.")
    at.load("second")
    assert at.state == PRESETS[1].state
    at.back()
    assert at.view.id is Way.UP
    assert at.shown_title() == "It is 3."
    assert at.state.low == 1


def test_undo_goes_to_the_view_where_it_was_done(at) -> None:
    at.show(Way.DOWN)
    at.type_into(at.few("low"), "2")
    at.show(Way.UP)
    at.undo()
    assert at.state == Toy(view=Way.DOWN)
    assert at.shown_title() == "It is 6."
