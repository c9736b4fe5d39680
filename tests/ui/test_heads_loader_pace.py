"""Many heads: handed over at a pace that leaves the window free, with progress, and to be stopped at any time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from heads_driver import ask, busy, pixels, sentence, widget_texts
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.kit.pictures import request_note
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, MaskKind, SortBy
from attention_explorer.pages.heads.ui import loader as heads_loader
from attention_explorer.pages.heads.ui.loader import DELIVERY_INTERVAL_SECONDS, HeadsLoader, HeadsRequest
from attention_explorer.pages.heads.ui.views import numbers_of
from attention_explorer.session.requests import BEFORE, SO_FAR
from attention_explorer.sources.recipe import ToyRecipe


def many(letter: str = "w", heads: int = 64, layers: int = 2) -> HeadsState:
    """A state with so many heads that they come one by one, quickly."""
    recipe = ToyRecipe(sentence(5, letter), d_model=64, heads=heads, layers=layers)
    return HeadsState(HeadsSetup(recipe), HeadsView())


def endless() -> HeadsState:
    """A state that takes many seconds before there is anything to show: layers of long maps."""
    return HeadsState(HeadsSetup(ToyRecipe(sentence(1500), d_model=128, heads=16, layers=12), layer=11), HeadsView())


class Steps:
    """Lets so many heads through to the wall, each after a while; the rest waits."""

    def __init__(self, monkeypatch, seconds: float = 0.01) -> None:
        self.allowed = 10_000
        self._seconds, self._survey = seconds, heads_loader._surveys
        monkeypatch.setattr(heads_loader, "_surveys", self._slowly)

    def _slowly(self, *asked):
        for number, survey in enumerate(self._survey(*asked)):
            while number >= self.allowed:
                time.sleep(0.005)
                checkpoint()
            time.sleep(self._seconds)
            yield survey


@pytest.fixture
def steps(monkeypatch) -> Steps:
    return Steps(monkeypatch)


# ---- Pace ----


class Listener(QObject):
    """Counts what a loader says."""

    def __init__(self) -> None:
        super().__init__()
        self.loader = HeadsLoader(self, numbers_of)
        self.walls: list[int] = []
        self.fractions: list[float] = []
        self.loader.delivered.connect(self._on_delivered)
        self.loader.progressed.connect(self.fractions.append)

    def _on_delivered(self, _order: HeadsRequest, part: object) -> None:
        if isinstance(part, tuple):
            self.walls.append(len(part))


@pytest.fixture
def listener(qapp):
    listener = Listener()
    yield listener
    listener.loader.jobs.stop()


def test_heads_are_handed_over_about_twenty_times_a_second(listener, qtbot):
    start = time.monotonic()
    listener.loader.load(HeadsRequest.of(many(), (300, 300)))
    qtbot.waitUntil(lambda: not listener.loader.jobs.is_busy(), timeout=60_000)
    most = (time.monotonic() - start) / DELIVERY_INTERVAL_SECONDS + 1
    assert len(listener.walls) <= most < 128
    assert listener.walls == sorted(listener.walls)
    assert listener.walls[-1] == 128


def test_progress_grows_from_nothing_to_nearly_all(listener, qtbot, monkeypatch):
    Steps(monkeypatch, seconds=0.005)
    listener.loader.load(HeadsRequest.of(many("fresh"), (300, 300)))
    qtbot.waitUntil(lambda: not listener.loader.jobs.is_busy(), timeout=60_000)
    assert listener.fractions == sorted(listener.fractions)
    assert listener.fractions[0] < 0.3
    assert 0.8 < listener.fractions[-1] <= 1.0


# ---- The old wall stays ----


def test_the_old_heads_stay_until_the_new_ones_come(open_heads, wait, qtbot, steps):
    driver = open_heads(many("old", 64, 1))
    wait(driver)
    wall = driver.page.wall
    old = {survey.place: survey for survey in wall.surveys}
    height = wall.height()
    steps.allowed = 40
    ask(driver, many("new", 64, 1))
    qtbot.waitUntil(lambda: wall.surveys[8] is not old[0, 8], timeout=20_000)
    assert busy(driver)
    assert [survey.place for survey in wall.surveys] == list(old)
    new = [number for number, survey in enumerate(wall.surveys) if survey is not old[survey.place]]
    assert 8 < len(new) <= 40
    assert new == list(range(len(new)))
    assert wall.height() == height, "nothing shrinks and grows again"
    steps.allowed = 10_000
    end = time.monotonic() + 30
    while busy(driver) and time.monotonic() < end:
        assert len(wall.surveys) == 64
        QTest.qWait(20)
    assert all(survey is not old[survey.place] for survey in wall.surveys)


def test_a_sorted_wall_keeps_its_order_until_all_heads_have_come(open_heads, wait, qtbot, steps):
    driver = open_heads(many("old", 8, 6).with_view(sort=SortBy.ENTROPY))
    wait(driver)
    wall = driver.page.wall
    before = [survey.place for survey in wall.surveys]
    steps.allowed = 30
    ask(driver, many("new", 8, 6).with_view(sort=SortBy.ENTROPY))
    qtbot.waitUntil(lambda: 0 < len(wall.old) < 40, timeout=20_000)
    assert [survey.place for survey in wall.surveys] == before
    steps.allowed = 10_000
    wait(driver)
    entropies = [survey.summary.entropy for survey in wall.surveys]
    assert entropies == sorted(entropies, reverse=True)


def test_fewer_heads_leave_none_of_the_old_ones_behind(open_heads, wait):
    driver = open_heads(many())
    wait(driver)
    ask(driver, many("new", 64, 2))
    wait(driver)
    assert [survey.place for survey in driver.page.wall.surveys] == [(i, j) for i in range(2) for j in range(64)]


# ---- Progress and Cancel ----


def test_the_note_says_how_far_it_is_and_goes_away(open_heads, wait, qtbot):
    driver = open_heads()
    note = driver.page.note
    assert not note.isVisible()
    ask(driver, endless())
    assert driver.said == "computing …"
    assert not note.isVisible(), "what is done soon is not announced"
    qtbot.waitUntil(lambda: note.isVisible() and "%" in note.words.text(), timeout=5_000)
    assert note.words.text().startswith("computing … ")
    assert driver.said.startswith("computing … ")
    assert driver.said.endswith("Esc stops it")
    ask(driver, HeadsState())
    assert not note.isVisible()
    assert driver.said == ""
    wait(driver)


def test_what_is_done_soon_is_never_announced(open_heads, wait, monkeypatch):
    monkeypatch.setattr(request_note, "APPEARS_AFTER_MILLISECONDS", 60_000)
    driver = open_heads()
    ask(driver, many())
    wait(driver)
    QApplication.processEvents()
    assert not driver.page.note.isVisible()


def stops_at_once(driver) -> None:
    """See that nothing is on its way any more, that the page says so, and that the worker notices soon."""
    assert not driver.page.requests.is_pending
    assert driver.said.startswith("Stopped.")
    note = driver.page.note
    assert note.isVisible()
    assert (note.words.text(), note.button.text()) == (BEFORE, "Compute")
    assert driver.page.requests.jobs.wait(20)
    assert driver.canvas.frame.shape != (1500, 1500), "what was stopped is not finished after all"


def test_escape_stops_and_what_was_shown_stays(open_heads, wait, qtbot):
    driver = open_heads()
    QTest.qWait(50)  # sizes settle
    before = driver.canvas.grab().toImage()
    wall = pixels(driver.page.wall.grab().toImage())
    ask(driver, endless().with_view(row=7))
    qtbot.waitUntil(lambda: driver.page.note.isVisible(), timeout=5_000)
    driver.key(Qt.Key.Key_Escape)
    stops_at_once(driver)
    assert driver.pin == (7, None), "Esc does not let go of what is pinned at the same time"
    assert driver.canvas.grab().toImage() == before
    assert np.array_equal(pixels(driver.page.wall.grab().toImage()), wall)
    driver.click_cell(2, 2)
    QTest.qWait(50)
    assert not busy(driver), "pointing and pinning do not begin it again"
    driver.key(Qt.Key.Key_Escape)
    assert driver.pin == (None, None), "with nothing to stop, Esc lets go again"


def test_escape_in_the_sentence_stops_too(open_heads, wait, qtbot):
    driver = open_heads()
    ask(driver, endless())
    qtbot.waitUntil(lambda: driver.page.note.isVisible(), timeout=5_000)
    driver.controls.sentence.setFocus()
    driver.key(Qt.Key.Key_Escape, widget=driver.controls.sentence)
    stops_at_once(driver)


def test_the_button_stops_and_computes_after_all(open_heads, wait, qtbot, steps):
    driver = open_heads(many("old"))
    wait(driver)
    steps.allowed = 30
    ask(driver, many("new"))
    wall, note = driver.page.wall, driver.page.note
    qtbot.waitUntil(lambda: 0 < len(wall.old) < 128 - 9 and note.isVisible(), timeout=20_000)
    driver.press(note.button)
    assert not driver.page.requests.is_pending
    texts = widget_texts(wall)
    assert texts.count("as before") == len(wall.old), "nobody takes them for heads of this sentence"
    assert driver.said == SO_FAR
    assert not note.covers[0].isVisible(), "the large picture is that of the settings"
    assert driver.page.requests.jobs.wait(20)
    steps.allowed = 10_000
    driver.press(note.button)
    assert driver.page.requests.is_pending
    assert note.button.text() == "Cancel"
    wait(driver)
    assert "as before" not in widget_texts(wall)
    assert not note.isVisible()


def test_escape_in_a_stroke_of_the_brush_takes_back_the_stroke(open_heads, wait):
    driver = open_heads(HeadsState(HeadsSetup(ToyRecipe(sentence(400))), HeadsView()))
    wait(driver)
    driver.press(driver.controls.paint)
    mask = driver.heads.setup.mask
    mouse = driver.hand()
    mouse.press(driver.cell(100, 100))
    assert driver.heads.setup.mask != mask
    assert driver.page.requests.is_pending
    driver.key(Qt.Key.Key_Escape)
    assert driver.heads.setup.mask == mask
    mouse.release()
    wait(driver)
    assert not driver.page.note.isVisible()


# ---- The head that is chosen is in view ----


def in_view(driver, layer: int, head: int) -> bool:
    wall = driver.page.wall
    box = wall.box_of(wall.index_of(layer, head)).toAlignedRect()
    return wall.visibleRegion().boundingRect().contains(box.adjusted(1, 1, -1, -1))


def test_the_wall_scrolls_to_a_head_chosen_by_keyboard(driver):
    assert in_view(driver, 0, 0)
    assert not in_view(driver, 0, 7)
    for head in range(1, 8):
        driver.key(Qt.Key.Key_N)
        assert driver.heads.setup.head == head
        assert in_view(driver, 0, head)
    for head in range(6, -1, -1):
        driver.key(Qt.Key.Key_P)
        assert in_view(driver, 0, head)
    wall = driver.page.wall
    wall.setFocus()
    for head in (1, 2, 3, 4):
        driver.key(Qt.Key.Key_Down, widget=wall)
        assert in_view(driver, 0, head)


def test_the_wall_scrolls_to_the_head_of_a_preset(driver):
    preset = heads_preset("stacked")
    bar = driver.page.wall_side._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    driver.choose(driver.controls.presets, preset.id)
    QApplication.processEvents()
    assert in_view(driver, driver.frame.layer, driver.frame.head)
    bar.setValue(bar.maximum())
    assert not in_view(driver, driver.frame.layer, driver.frame.head)
    driver.choose(driver.controls.presets, preset.id)
    assert in_view(driver, driver.frame.layer, driver.frame.head), "also the second time"


def test_the_wall_scrolls_to_a_head_that_comes_late(open_heads, wait):
    driver = open_heads()
    ask(driver, many().with_setup(layer=1, head=60))
    wait(driver)
    QApplication.processEvents()
    assert in_view(driver, 1, 60)


def test_undoing_a_choice_scrolls_back_and_a_mask_does_not_scroll(driver):
    for _ in range(7):
        driver.key(Qt.Key.Key_N)
    bar = driver.page.wall_side._scroll.verticalScrollBar()
    driver.undo()
    assert in_view(driver, driver.frame.layer, driver.frame.head)
    bar.setValue(bar.maximum())
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    assert bar.value() == bar.maximum()


@pytest.mark.parametrize(("width", "turns"), [(1000, 3), (1280, 0)])
def test_a_sentence_typed_at_full_speed_loses_no_letter_while_a_picture_is_computed(
    open_heads, gate, wait, width, turns
):
    before, typed = sentence(520), "the cat sat on a mat "
    driver = open_heads(HeadsState(HeadsSetup(ToyRecipe(before))), size=(width, 800))
    field, arrived = driver.controls.sentence, []
    driver.page.requests.delivered.connect(lambda request, _part: arrived.append(request.state.setup.recipe.sentence))
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    QTest.keyClick(field, Qt.Key.Key_Home)
    for number, letter in enumerate(typed):
        QTest.keyClicks(QApplication.focusWidget(), letter)  # as the desktop does: to whoever has the keyboard
        for _ in range(turns):
            QApplication.processEvents()
        if number == 9:
            gate.open()
            while turns and not arrived:  # what was computed for an older sentence
                QTest.qWait(5)
            gate.shut()
    assert not turns or arrived[-1] != typed + before
    gate.open()
    wait(driver)
    assert field.text() == typed + before == driver.heads.setup.recipe.sentence
    assert driver.canvas.frame.queries == driver.heads.setup.recipe.tokens
    assert driver.steps == 1
