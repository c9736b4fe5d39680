"""Long sentences are computed on a worker: the window stays usable, the newest wins, nothing is left running."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import HeadsDriver, Watch, ask, busy, numbers_in, sentence, sequential
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from writing_driver import written_on

from attention_explorer.core.map_picture import Contrast, Window
from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame, is_quick
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsSetup,
    HeadsState,
    MaskChoice,
    MaskKind,
    Picture,
    SortBy,
)
from attention_explorer.pages.heads.survey import coming, summary_words
from attention_explorer.pages.heads.ui import loader as heads_loader
from attention_explorer.pages.heads.ui.loader import HeadsLoader, HeadsRequest
from attention_explorer.pages.heads.ui.pictures import HeadNumbers
from attention_explorer.pages.heads.ui.views import numbers_of
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.session.requests import Standing
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.masked_layers import layers_and_mask

THREAD = "attention-explorer-jobs"


def long_state(tokens: int = 512, letter: str = "w", **recipe: object) -> HeadsState:
    return HeadsState().with_recipe(sentence=sentence(tokens, letter), **recipe).with_view(row=None)


def job_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


# ---- What is computed where ----


@pytest.mark.parametrize(("tokens", "long"), [(3, False), (11, False), (64, False), (512, True), (2048, True)])
def test_only_what_takes_long_goes_to_the_worker(tokens, long):
    assert is_quick(long_state(tokens).setup) != long


def test_what_does_not_alter_the_numbers_or_colours_is_no_new_order():
    state = HeadsState()
    order = HeadsRequest.of(state, (500, 500))
    for same in (
        state.with_view(row=3, column=4),
        state.with_view(sort=SortBy.ENTROPY),
        replace(state, preset="causal"),
        replace(state, other=HeadsSetup(hard=True)),
    ):
        assert HeadsRequest.of(same, (500, 500)) == order
    for other in (
        state.with_view(contrast=Contrast.LOG),
        state.with_view(picture=Picture.LINES),
        state.with_setup(hard=True),
        state.with_setup(switched_off=frozenset({(0, 0)})),
    ):
        assert HeadsRequest.of(other, (500, 500)) != order
    assert HeadsRequest.of(state.with_view(window=Window(0, 4, 0, 4)), (500, 500)) != order
    assert HeadsRequest.of(state, (400, 500)) != order
    for whole in (Picture.STAGES, Picture.COMPARE):
        shown = state.with_view(picture=whole)
        assert HeadsRequest.of(shown.with_view(window=Window(0, 4, 0, 4)), (500, 500)) == HeadsRequest.of(
            shown, (500, 500)
        )
    comparing = state.with_view(picture=Picture.COMPARE)
    assert HeadsRequest.of(replace(comparing, other=HeadsSetup(hard=True)), (500, 500)) != HeadsRequest.of(
        comparing, (500, 500)
    )


class Page(QObject):
    """Listens to a loader."""

    def __init__(self) -> None:
        super().__init__()
        self.loader = HeadsLoader(self, numbers_of)
        self.parts: list[tuple[HeadsRequest, object]] = []
        self.failures: list[str] = []
        self.busy: list[bool] = []
        self.threads: set[threading.Thread] = set()
        self.loader.delivered.connect(self._on_delivered)
        self.loader.changed.connect(self._on_changed)

    def _on_changed(self) -> None:
        self.busy.append(self.loader.is_pending)
        if self.loader.standing is Standing.REFUSED:
            self.failures.append(self.loader.reason)

    def _on_delivered(self, request: HeadsRequest, part: object) -> None:
        self.parts.append((request, part))
        self.threads.add(threading.current_thread())


@pytest.fixture
def listener(qapp):
    listener = Page()
    yield listener
    listener.loader.jobs.stop()


def test_a_short_order_is_carried_out_at_once(listener):
    order = HeadsRequest.of(HeadsState(), (500, 500))
    listener.loader.load(order)
    frame, picture, said, surveys = (part for _, part in listener.parts)
    assert said is verdict(frame)
    assert isinstance(frame, HeadsFrame)
    assert isinstance(picture, HeadNumbers)
    assert np.array_equal(picture.picture.values, frame.map.weights())
    assert [survey.place for survey in surveys] == [(0, head) for head in range(8)]
    assert listener.busy == [False]
    assert job_threads() == []


def test_the_heads_are_not_surveyed_again_for_another_picture(listener):
    heads_frame.cache_clear()  # or the frame may be older than the layers it is made of
    listener.loader.load(HeadsRequest.of(HeadsState(), (500, 500)))
    listener.loader.load(HeadsRequest.of(HeadsState().with_view(contrast=Contrast.LOG).with_setup(head=3), (500, 500)))
    assert all(new is old for new, old in zip(listener.parts[7][1], listener.parts[3][1], strict=True))
    listener.loader.load(HeadsRequest.of(HeadsState().with_setup(hard=True), (500, 500)))
    assert not any(new is old for new, old in zip(listener.parts[11][1], listener.parts[3][1], strict=True))


def test_a_long_order_comes_in_parts_on_the_thread_of_the_window(listener, qtbot):
    order = HeadsRequest.of(long_state(), (300, 300))
    listener.loader.load(order)
    assert listener.parts == [], "nothing is computed while the window waits"
    qtbot.waitUntil(lambda: not listener.loader.jobs.is_busy(), timeout=20_000)
    assert {order for order, _ in listener.parts} == {order}
    frame, picture, _, *walls = (part for _, part in listener.parts)
    assert isinstance(frame, HeadsFrame)
    assert max(picture.picture.values.shape) <= 300
    lengths = [len(wall) for wall in walls]
    assert lengths == sorted(lengths)
    assert lengths[-1] == 8
    assert listener.threads == {threading.main_thread()}
    assert listener.busy == [True, False]


def test_it_stays_busy_from_one_long_order_to_the_next(listener, qtbot):
    loader, waiting = listener.loader, []
    loader.changed.connect(lambda: waiting.append(loader.jobs.is_busy()))
    for letter in "ab":
        assert not loader.load(HeadsRequest.of(long_state(letter=letter), (500, 500)))
    qtbot.waitUntil(lambda: not loader.jobs.is_busy(), timeout=60_000)
    assert listener.busy == [True, False]
    assert waiting == [False, False], "told before the first order begins, and not again before the last one ends"


def test_an_order_that_cannot_be_carried_out_says_why(listener, qtbot):
    listener.loader.load(HeadsRequest.of(HeadsState().with_recipe(d_model=10, heads=4), (500, 500)))
    assert len(listener.failures) == 1
    assert "10" in listener.failures[0]
    listener.loader.load(HeadsRequest.of(long_state(512, d_model=10, heads=4), (500, 500)))
    qtbot.waitUntil(lambda: len(listener.failures) == 2, timeout=20_000)
    assert listener.failures[1] == listener.failures[0]


# ---- In the window ----


def test_a_long_sentence_arrives_and_the_old_picture_stays_until_then(open_heads, gate, wait):
    driver = open_heads()
    before = driver.canvas.grab().toImage()
    ask(driver, long_state().with_view(row=7))
    assert busy(driver)
    assert driver.said == "computing …"
    QApplication.processEvents()
    assert driver.canvas.grab().toImage() == before
    gate.open()
    wait(driver)
    assert driver.said == ""
    assert driver.canvas.frame.shape == (512, 512)
    weights = driver.weights
    picture = driver.canvas.map_picture
    assert picture.values.max() == pytest.approx(weights.max())
    height, width = picture.values.shape
    assert max(height, width) <= max(driver.canvas.tiles)
    assert f"512 × 512 cells in {height} × {width} tiles" in driver.page.also.text() or (height, width) == (512, 512)
    driver.hover(500, 3)
    assert numbers_in(driver.said.split("weight")[1]) == pytest.approx([weights[500, 3]], rel=5e-6)
    assert len(driver.page.wall.surveys) == 8


def test_the_window_can_be_used_while_it_computes(open_heads, gate, wait, qtbot):
    driver = open_heads()
    ticks: list[float] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    timer.start(5)
    ask(driver, long_state())
    qtbot.waitUntil(lambda: len(ticks) > 5)
    driver.hover(3, 3)
    assert driver.canvas.hovered.row == 3
    driver.click_cell(2, 2)
    assert driver.pin == (2, 2)
    driver.key(Qt.Key.Key_Right)
    driver.page.open_drawer(True)
    driver.page.open_drawer(False)
    driver.window.switch_theme()
    driver.window.grab()
    assert busy(driver), "none of that waited for the worker"
    gate.open()
    wait(driver)
    assert driver.canvas.frame.shape == (512, 512)
    driver.window.grab()


def test_pointing_at_the_old_larger_picture_while_a_smaller_one_is_on_its_way(open_heads, gate, wait):
    driver = open_heads(long_state(600))
    gate.open()
    wait(driver)
    gate.shut()
    ask(driver, long_state(400))
    QTest.qWait(100)  # the frame is there, the picture is held up
    for row, column in ((599, 599), (10, 580), (580, 10)):
        driver.hover(row, column)
    driver.click_cell(599, 599)
    driver.key(Qt.Key.Key_Left)
    gate.open()
    wait(driver)
    driver.hover(399, 399)
    assert driver.said.startswith("query “w399” (400)")


def test_the_map_is_painted_before_what_else_there_is_to_say_of_it(open_heads, gate, wait, monkeypatch):
    monkeypatch.setattr(heads_loader, "PAINTING_SECONDS", 60.0)
    driver = open_heads(long_state().with_view(row=7))
    gate.open()
    wait(driver)
    told, page = list[str](), driver.page
    show_rest = page._show_rest
    monkeypatch.setattr(page, "_show_rest", lambda: (told.append("read"), show_rest()))
    driver.page.requests.delivered.connect(lambda _request, part: told.append(type(part).__name__))
    Watch(driver.canvas, QEvent.Type.Paint, lambda: told.append("painted"))
    ask(driver, long_state(letter="v").with_view(row=7))
    with_timers = QTimer(driver.window, interval=0)  # one that is due has others come before paint events, too
    with_timers.start()
    while busy(driver):
        QApplication.processEvents()
    with_timers.stop()
    told = told[told.index("HeadsFrame") :]
    assert told.index("painted") < told.index("read") <= told.index("Verdict"), told
    assert driver.read.startswith("“v7” (8)")


def test_stopping_after_the_map_has_the_sentence_follow_it(open_heads, gate, wait, monkeypatch, qtbot):
    monkeypatch.setattr(heads_loader, "PAINTING_SECONDS", 60.0)
    driver = open_heads(long_state().with_view(row=7))
    gate.open()
    wait(driver)
    driver.page.requests.delivered.connect(
        lambda _request, part: driver.page.cancel() if isinstance(part, HeadNumbers) else None
    )
    ask(driver, long_state(letter="v").with_view(row=7))
    wait(driver)
    assert driver.page.requests.standing is Standing.STOPPED
    assert driver.read.startswith("“v7” (8)")
    assert driver.page.subject.sentence.line.tokens.texts[7] == "v7"


def test_a_letter_has_nothing_read_anew_of_the_picture_before_it(open_heads, gate, wait, monkeypatch):
    gate.open()
    driver = open_heads(long_state())
    wait(driver)
    shown = list[object]()
    show_panel = driver.page.show_panel_of
    monkeypatch.setattr(driver.page, "show_panel_of", lambda *a: (shown.append(a[1].frame), show_panel(*a)))
    gate.shut()
    driver.controls.sentence.setFocus()
    QTest.keyClicks(driver.controls.sentence, "s")
    assert busy(driver)
    assert not shown
    gate.open()
    wait(driver)
    assert shown == [driver.frame]


def test_the_newest_wins_when_typing_quickly(open_heads, gate, wait):
    driver = open_heads(long_state(520))
    gate.open()
    wait(driver)
    gate.shut()
    passed = gate.passed
    field = driver.controls.sentence
    field.setFocus()
    QTest.keyClicks(field, " and ten letters")
    assert driver.heads.setup.recipe.tokens[-3:] == ("and", "ten", "letters")
    assert field.text().endswith("w519 and ten letters")
    assert driver.steps == 1
    gate.open()
    wait(driver)
    assert driver.canvas.frame.queries == driver.heads.setup.recipe.tokens
    assert driver.page._frame is heads_frame(driver.heads.setup)
    assert gate.passed - passed <= 3, "what was overtaken while it waited is never computed"
    assert len(driver.page.wall.surveys) == 8
    assert driver.page.wall.frame.queries == driver.heads.setup.recipe.tokens


def test_a_short_sentence_overtakes_a_long_one(open_heads, gate, wait):
    driver = open_heads()
    ask(driver, long_state())
    assert busy(driver)
    driver.window.session.undo()
    assert driver.canvas.frame.shape == (11, 11)
    weights = driver.weights
    gate.open()
    wait(driver)
    QApplication.processEvents()
    assert driver.canvas.frame.shape == (11, 11), "what nobody wants any more does not come"
    assert driver.colour(3, 3) == sequential(weights[3, 3] / weights.max())
    assert len(driver.page.wall.surveys) == 8
    assert driver.page.wall.surveys[0].pooled.values.shape == (11, 11)
    ask(driver, long_state())
    wait(driver)
    assert driver.canvas.frame.shape == (512, 512)


def test_a_change_made_on_another_page_is_shown_on_coming_back(open_heads, gate, wait):
    gate.open()
    driver = open_heads()
    driver.window.show_page("lookup")
    ask(driver, long_state())
    assert not job_threads(), "nobody computes what nobody sees"
    driver.window.show_page("heads")
    wait(driver)
    assert driver.canvas.frame.shape == (512, 512)


@pytest.mark.parametrize("delay", [0.0, 0.2], ids=["computing", "held up"])
def test_closing_the_window_while_it_computes_leaves_no_thread(windows, hand, gate, delay):
    driver = HeadsDriver(windows(), hand)
    ask(driver, long_state(700))
    assert busy(driver)
    assert len(job_threads()) == 1
    threading.Timer(delay, gate.open).start()
    driver.window.close()
    driver.window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert job_threads() == []


def test_every_picture_of_a_long_sentence(open_heads, wait):
    driver = open_heads(long_state(512))
    wait(driver)
    driver.key(Qt.Key.Key_M)
    for picture in Picture:
        driver.press(driver.controls.pictures.buttons[picture])
        wait(driver)
        canvas = driver.page.wall if picture is Picture.ALL else driver.canvas
        driver.hand(canvas).move(canvas.rect().center().toPointF())
        canvas.grab()
    driver.press(driver.controls.pictures.buttons[Picture.HEATMAP])
    for aggregate in (Aggregate.MEAN, Aggregate.MAX, Aggregate.ROLLOUT):
        driver.choose(driver.controls.aggregate, aggregate)
        wait(driver)
        assert driver.canvas.frame.setup.aggregate is aggregate
        assert np.allclose(driver.weights.sum(axis=1), 1.0) == (aggregate is not Aggregate.MAX)
    driver.window.grab()


def test_zooming_into_a_long_map_shows_its_cells(open_heads, wait):
    driver = open_heads(long_state(512))
    wait(driver)
    for _ in range(20):
        driver.wheel(driver.cell(300, 40), 240)
        wait(driver)
    seen = driver.heads.view.window
    assert seen.bottom - seen.top == 4
    assert seen.top <= 300 < seen.bottom
    assert seen.left <= 40 < seen.right
    part = driver.weights[seen.rows, seen.columns]
    assert driver.colour(300, 40) == sequential(driver.weights[300, 40] / part.max())
    assert "w300" in driver.texts()
    driver.hover(300, 40)
    assert driver.said.startswith("query “w300” (301) → key “w40” (41)")


def test_painting_the_mask_of_a_long_map(open_heads, wait):
    driver = open_heads(long_state(512))
    wait(driver)
    driver.press(driver.controls.paint)
    mouse = driver.hand()
    mouse.press(driver.cell(100, 100))
    for row in range(100, 140, 2):
        mouse.move(driver.cell(row, 100))
    mouse.release()
    wait(driver)
    painted = driver.heads.setup.mask.hidden
    assert (100, 100) in painted
    assert all(column == 100 for _, column in painted)
    assert driver.steps == 1
    assert not driver.canvas.frame.mask[100, 100]
    assert driver.weights[100, 100] == 0.0


def test_masks_of_a_long_sentence_are_those_of_the_short_one(open_heads, wait):
    driver = open_heads(long_state(512).with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    wait(driver)
    assert np.array_equal(driver.canvas.frame.map.allowed(slice(0, 40)), np.tri(40, 512, dtype=bool))
    assert driver.weights[0].tolist() == [1.0] + [0.0] * 511


def test_a_mistake_in_the_program_is_not_swallowed(listener, monkeypatch, qtbot):
    def broken(_setup):
        raise ValueError("a mistake")

    monkeypatch.setattr(heads_loader, "frame_to_show", broken)
    with pytest.raises(ValueError, match="a mistake"):
        listener.loader.load(HeadsRequest.of(HeadsState(), (500, 500)))
    monkeypatch.setattr(heads_loader, "frame_to_show", lambda _setup: (_ for _ in ()).throw(ExplorerError("No room.")))
    listener.loader.load(HeadsRequest.of(HeadsState(), (500, 500)))
    assert listener.failures == ["No room."]


# ---- Layers that nobody looks at ----

DEEP = long_state(512, "deep", d_model=24, heads=12, layers=8)


def layers_computed(driver: HeadsDriver) -> set[int]:
    return {survey.layer for survey in driver.page.wall.surveys if survey.is_computed}


def test_layers_above_the_one_on_show_are_not_run_until_they_are_looked_at(open_heads, wait, qtbot):
    heads_frame.cache_clear()
    layers_and_mask.cache_clear()
    driver = open_heads(DEEP)
    wait(driver)
    wall, layers = driver.page.wall, driver.frame.layers
    assert (layers.run, layers_computed(driver)) == (1, {0})
    assert [survey.place for survey in wall.surveys] == [(layer, head) for layer in range(8) for head in range(12)]
    assert "12 of 96 heads computed" in wall.spoken()
    third = wall.box_of(2 * 12 + 6).center()
    assert summary_words(wall.surveys[2 * 12 + 6]).endswith(": not computed yet")
    bar = driver.page.wall_side._scroll.verticalScrollBar()
    bar.setValue(round(third.y()))
    qtbot.waitUntil(lambda: 2 in layers_computed(driver), timeout=60_000)
    wait(driver)
    assert layers.run <= 4
    assert 0 in layers_computed(driver), "that on show stays"
    driver.click(wall.box_of(2 * 12 + 6).center(), wall)
    wait(driver)
    assert driver.frame.layer == 2
    assert driver.frame.layers is layers


def test_a_sorted_wall_needs_all_layers(open_heads, wait):
    driver = open_heads(DEEP.with_view(sort=SortBy.ENTROPY))
    wait(driver)
    assert layers_computed(driver) == set(range(8))


def test_a_new_mask_runs_the_layer_on_show_and_no_more(open_heads, wait):
    driver = open_heads(DEEP.with_setup(layer=1))
    wait(driver)
    x = driver.frame.layers[0].x
    ask(driver, driver.heads.with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    wait(driver)
    assert driver.frame.layers.run == 2
    assert driver.frame.layers[0].x is x, "what no mask alters is kept"
    assert layers_computed(driver) == {1, *driver.page.wall.layers_in_view}


def test_what_is_wanted_next_does_not_wait_for_the_thumbnails_of_long_maps(make_window, tmp_path, monkeypatch, qtbot):
    gate, survey = threading.Event(), heads_loader.head_survey

    def held(*given):
        while not gate.wait(0.01):
            checkpoint()
        return survey(*given)

    monkeypatch.setattr(heads_loader, "CELLS_OF_A_LONG_MAP", 0)
    np.save(tmp_path / "long.npy", np.full((600, 600), 1 / 600))
    window = make_window(ExplorerState(), Settings(theme=ThemeChoice.LIGHT, page="heads"))
    page = window.page
    page.settle()
    assert page.wall.surveys
    monkeypatch.setattr(heads_loader, "head_survey", held)
    monkeypatch.setattr(heads_loader, "_is_quick", lambda _heads: False)
    heads, part = heads_of_file(tmp_path / "long.npy"), Window(100, 200, 100, 200)
    try:
        for wanted, most in ((heads, 600), (heads.with_view(window=part), 101)):
            window.session.apply(ExplorerState(heads=wanted), "Look")
            qtbot.waitUntil(lambda: page.requests.shown == page.requests.wanted, timeout=20000)
            qtbot.waitUntil(lambda most=most: 11 < len(page.canvas.map_picture.values) <= most, timeout=20000)
            # Those of before are of something else, and go.
            qtbot.waitUntil(lambda: [each.is_coming for each in page.wall.surveys] == [True], timeout=20000)
            assert "being computed …" in {each.text for each in written_on(page.wall)}
            assert page.wall.tip_at(page.wall.box_of(0).center()).startswith("head 1: being computed …")
        gate.set()
        page.settle()
        (survey,) = page.wall.surveys
        assert (survey.place, survey.is_computed, survey.is_coming) == ((0, 0), True, False)
        page.wall.show_surveys(page._frame, heads.view, (coming(page._frame, 0, 0),))
        assert page.wall.surveys == (survey,), "what is there stays until there is something newer"
    finally:
        gate.set()
