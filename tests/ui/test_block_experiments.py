"""Future and cache in the window: keys, buttons, sliders, worker and undo; and how long work is ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pictures_driver import PicturesDriver
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from written_numbers import csv_text

from attention_explorer.kit.pictures.request import PictureRequest, work_for
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.block.future import is_quick
from attention_explorer.pages.block.ui.cache_picture import cache_drawing
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.stack.presets import block_preset
from attention_explorer.pages.stack.state import BlockPicture, BlockState
from attention_explorer.session.settings import Settings, ThemeChoice

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class ExperimentsDriver(PicturesDriver):
    """The window on the Block page."""

    is_patient = True

    @property
    def controls(self):
        return self.page.controls.experiments


@pytest.fixture
def open_block(make_window, hand):
    def make(preset: str, **changes) -> ExperimentsDriver:
        state = replace(block_preset(preset).state, **changes)
        window = make_window(ExplorerState(block=state), Settings(theme=ThemeChoice.LIGHT, page="block"))
        return ExperimentsDriver(window, hand)

    return make


def test_decode_next_adds_a_token_and_undo_takes_it_back(open_block) -> None:
    driver = open_block("cache")
    driver.settle()
    driver.press(driver.controls.decode_next)
    assert (driver.state.decoded, driver.picture.decoded) == (4, 4)
    assert driver.undo_text == "Decode the next token"
    driver.press(driver.controls.back)
    driver.press(driver.controls.back)
    assert driver.state.decoded == 2
    driver.key(Qt.Key.Key_Right)
    assert driver.picture.decoded == 3
    driver.key(Qt.Key.Key_End)
    assert driver.state.decoded == 6
    assert not driver.controls.decode_next.isEnabled()
    driver.key(Qt.Key.Key_Home)
    assert not driver.controls.back.isEnabled()
    driver.click(driver.layout.chips[4].center())
    assert driver.state.decoded == 5
    while driver.window.session.history.can_undo:
        driver.window.session.undo()
    driver.settle()
    assert driver.picture.decoded == 3


def test_only_the_controls_of_the_picture_are_there(open_block) -> None:
    driver = open_block("cache")
    wanted = {
        BlockPicture.LAYER: set(),
        BlockPicture.FUTURE: {"changed_token"},
        BlockPicture.CACHE: {"decoded", "back", "decode_next"},
    }
    names = set().union(*wanted.values())
    for picture, there in wanted.items():
        driver.window.session.apply(ExplorerState(block=replace(driver.state, picture=picture)), "Show")
        driver.settle()
        assert {name for name in names if getattr(driver.controls, name).isVisible()} == there
    for name in names:
        control = getattr(driver.controls, name)
        tip = control.toolTip() if name in ("back", "decode_next") else control.slider.toolTip()
        assert len(tip) > 20
        accessible = control if name in ("back", "decode_next") else control.slider
        assert accessible.accessibleName()


@pytest.mark.parametrize(
    ("preset", "control", "field", "text", "value"),
    [
        ("future", "changed_token", "changed_token", "2", 1),
        ("cache", "decoded", "decoded", "6", 6),
    ],
)
def test_exact_numbers_are_typed(open_block, preset: str, control: str, field: str, text: str, value: float) -> None:
    driver = open_block(preset)
    driver.settle()
    box = getattr(driver.controls, control).box
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)
    driver.settle()
    assert getattr(driver.state, field) == value
    assert getattr(driver.picture.state, field) == value
    assert driver.undo_text


@pytest.mark.parametrize("preset", ["future", "cache"])
def test_pointing_tells_the_numbers_in_the_status_bar(open_block, preset: str) -> None:
    driver = open_block(preset)
    driver.settle()
    said = set()
    for x in range(60, driver.page.canvas.width(), 90):
        for y in range(40, driver.page.canvas.height(), 70):
            driver.hand().move(QPointF(x, y))
            said.add(driver.said)
    assert len(said) > 8


def test_a_click_replaces_the_token_and_the_panel_says_so(open_block) -> None:
    driver = open_block("future")
    driver.settle()
    driver.click(driver.layout.halves[0].cell(1, 0).center())
    assert driver.state.changed_token == 1
    assert "“cat” (2 of 6)" in driver.notes
    driver.key(Qt.Key.Key_Down)
    assert "“sat” (3 of 6)" in driver.notes


def test_large_stacks_are_computed_on_the_worker(open_block) -> None:
    sizes = {"d_model": 256, "d_ff": 1024, "layers": 4, "seed": 9}
    assert not is_quick(replace(block_preset("future").state, **sizes))
    driver = open_block("future", **sizes)
    driver.settle()
    assert is_quick(driver.state)  # it is kept now
    assert driver.picture.moved[True].same_rows(-1) == 4


def test_the_figure_of_each_is_exported_with_its_numbers(open_block) -> None:
    for preset in ("future", "cache"):
        driver = open_block(preset)
        driver.settle()
        numbers = driver.page.figure().numbers()
        assert csv_text(numbers)
        assert len(numbers.arrays) >= 3
        driver.window.close()


@pytest.mark.parametrize("streams", [False, True])
def test_what_is_computed_on_the_worker_can_be_ended_at_every_checkpoint(streams: bool) -> None:
    class EndedError(Exception):
        pass

    reports, passed, delivered = [], [], []

    def report(fraction: float) -> None:
        reports.append(fraction)
        if len(reports) == 5:
            raise EndedError

    def blocks(count: int) -> None:
        for _ in range(count):
            checkpoint()
            passed.append(1)

    def compute(_state, _tiles):
        blocks(9)
        return "whole"

    def stream(_state, _tiles):
        blocks(2)
        yield 0.5, "half"
        blocks(9)
        yield 1.0, "whole"

    drawing = replace(cache_drawing(), compute=compute, stream=stream if streams else None)
    with pytest.raises(EndedError):
        work_for(PictureRequest(BlockState(), (0, 0)), drawing, lambda _state: None)(report, delivered.append)
    assert len(passed) == (2 if streams else 3)
    assert [ready.picture for ready in delivered] == (["half"] if streams else [])
    assert reports == ([0.0, 0.0, 0.0, 0.5, 0.5] if streams else [0.0] * 5)
    checkpoint()  # nobody watches any more
    assert len(reports) == 5
