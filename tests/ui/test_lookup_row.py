"""A pinned row of the Heads page on the Lookup page, by mouse, by keys and for those who cannot see it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import HeadsDriver, widget_texts
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_driver import copied_numbers

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import Count
from attention_explorer.core.role import Role
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState
from attention_explorer.pages.lookup import open_row
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.open_row import opened_row
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import QUERY, REST, ROW_IS_FIXED, TARGET, LookupState, Overlay, Part
from attention_explorer.pages.lookup.ui.page import LookupPage
from attention_explorer.pages.lookup.ui.plane_backdrop import plane_names
from attention_explorer.pages.lookup.ui.table_model import Column
from attention_explorer.pages.ready_made import find_preset
from attention_explorer.pages.row_as_lookup import NOTHING_PINNED, SEVERAL_HEADS, as_lookup
from attention_explorer.session.settings import Settings
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import source_of

WORDS = "In the beginning the universe was created and this has made a lot of people very angry , they say"
LONG = HeadsState(setup=HeadsSetup(recipe=ToyRecipe(sentence=WORDS), head=1)).with_view(row=None)
ROW = 15


@pytest.fixture
def row_window(make_window):
    """The window on the Lookup page with a row of 20 keys, of which twelve have names."""
    return make_window(as_lookup(ExplorerState(heads=LONG), heads_frame(LONG.setup), ROW))


def lookup(window) -> LookupState:
    return window.session.state.lookup


def spot(window, part: Part) -> QPointF:
    return window.page.canvas.scene().place(part)


def cell(window, name: str, column: Column) -> str:
    model = window.page.table.numbers
    row = [model.data(model.index(row, 0)) for row in range(model.rowCount())].index(name)
    return str(model.data(model.index(row, column)))


def own_weights() -> np.ndarray:
    """What the head gives to each key of the row, by loops."""
    layer = heads_frame(LONG.setup).layers[0]
    q, keys = layer.q[1, ROW].tolist(), layer.k[1].tolist()
    scores = [math.fsum(a * b for a, b in zip(q, key, strict=True)) / math.sqrt(len(q)) for key in keys]
    return np.array([math.exp(score) for score in scores]) / math.fsum(map(math.exp, scores))


# ---- From the Heads page ----


def test_a_pinned_row_opens_with_a_click_and_undo_goes_back(open_heads) -> None:
    driver: HeadsDriver = open_heads(LONG)
    window, heads = driver.window, driver.page
    button = heads.reading.lookup_button
    assert not button.isEnabled()
    assert button.toolTip() == NOTHING_PINNED
    before = lookup(window)
    driver.click_cell(ROW, 2)
    driver.leave()
    assert button.isEnabled()
    assert "Lookup page" in button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert isinstance(window.page, LookupPage)
    assert lookup(window).row.row == ROW
    weights = own_weights()
    heaviest = np.argsort(-weights)[:12]
    for index, key in enumerate(heaviest.tolist()):
        assert cell(window, Part(Role.KEY, index).symbol, Column.WEIGHT) == f"{weights[key]:.6f}"
    assert cell(window, "k…", Column.WEIGHT) == f"{1 - weights[heaviest].sum():.6f}"
    assert window.page.presets.placeholderText() == "Row “very” (16) of head 2"
    assert window.page.hint.isVisible()
    assert "These are the head’s own weights of this row." in window.page.sum.text()
    QTest.mouseClick(window._rail_buttons["undo"][0], Qt.MouseButton.LeftButton)
    assert lookup(window) == before
    assert window.page.presets.currentText() == PRESETS[0].title
    window.session.redo()
    assert lookup(window).row.row == ROW


def test_the_key_opens_it_too_or_says_why_not(open_heads) -> None:
    driver: HeadsDriver = open_heads(LONG)
    QTest.keyClick(driver.canvas, Qt.Key.Key_O)
    assert driver.told == NOTHING_PINNED
    driver.click_cell(ROW, 2)
    QTest.keyClick(driver.canvas, Qt.Key.Key_O)
    assert isinstance(driver.window.page, LookupPage)
    assert driver.window.page.canvas.hasFocus()


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        (
            HeadsSetup(recipe=BoxRecipe()),
            "Only the weights were recorded, not the queries and keys that they came from.",
        ),
        (HeadsSetup(aggregate=Aggregate.MEAN), SEVERAL_HEADS),
    ],
    ids=["recorded", "several heads"],
)
def test_it_is_greyed_where_queries_and_keys_are_not_known(open_heads, wait, setup: HeadsSetup, reason: str) -> None:
    driver: HeadsDriver = open_heads(HeadsState(setup=setup).with_view(row=3))
    wait(driver)
    assert not driver.page.reading.lookup_button.isEnabled()
    assert driver.page.reading.lookup_button.toolTip() == reason
    driver.page.open_lookup()
    assert driver.told == reason
    assert driver.page is driver.window.page


# ---- Dragging ----


def test_the_rest_counts_while_the_query_is_dragged(row_window, hand) -> None:
    mouse, start = hand(row_window.page.canvas), spot(row_window, QUERY)
    before = row_window.session.state
    mouse.press(start)
    seen = set()
    for step in range(1, 9):
        mouse.move(start + QPointF(-25 * step, 11 * step))
        plane = opened_row(lookup(row_window).row).plane
        scores = (plane.keys @ np.array(lookup(row_window).query)).tolist()
        parts = [math.exp(score) for score in scores]
        rest = math.fsum(parts[key] for key in plane.rest.tolist()) / math.fsum(parts)
        assert cell(row_window, "k…", Column.WEIGHT) == f"{rest:.6f}"
        assert cell(row_window, "o", Column.WEIGHT) == "1.000000"
        seen.add(round(rest, 3))
    assert len(seen) > 4
    assert "q has been moved" in row_window.page.sum.text()
    assert len(row_window.session.history) == 0
    mouse.release()
    assert row_window.session.undo_text == "Move query"
    row_window.session.undo()
    assert row_window.session.state == before
    assert "the head’s own weights of this row" in row_window.page.sum.text()


@pytest.mark.parametrize("part", [Part(Role.KEY, 0), Part(Role.VALUE, 2), Part(Role.KEY, REST)], ids=lambda p: p.name)
def test_keys_and_values_of_a_head_cannot_be_moved(row_window, hand, part: Part) -> None:
    before, at = lookup(row_window), spot(row_window, part)
    hand(row_window.page.canvas).drag(at, at + QPointF(40, 30))
    assert lookup(row_window) == before
    assert row_window.statusBar().currentMessage() == ROW_IS_FIXED
    row_window.page.canvas.select(part)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Delete, Qt.Key.Key_Insert):
        QTest.keyClick(row_window.page.canvas, key)
    assert lookup(row_window) == before
    menu = row_window.page.context_menu(part, (0.0, 0.0))
    offered = [action.text() for action in menu.actions() if action.text()]
    assert offered == ["Copy picture", "Copy numbers", "Export…", "Code in NumPy…"]
    menu.deleteLater()


def test_a_query_on_a_key_is_what_the_hand_takes(row_window, hand) -> None:
    state = row_window.session.state
    key = lookup_frame(state.lookup).state.keys[3]
    near = replace(state, lookup=state.lookup.moved(QUERY, (key[0] + 0.02, key[1])))
    row_window.session.apply(near, "Move it")
    at = spot(row_window, Part(Role.KEY, 3))
    hand(row_window.page.canvas).drag(at, at + QPointF(60, 0))
    assert lookup(row_window).query[0] > key[0] + 0.1


def test_the_target_is_dragged_in_the_plane_of_values(row_window, hand) -> None:
    state = row_window.session.state
    row_window.session.apply(replace(state, lookup=state.lookup.with_overlay(Overlay.TARGET, True)), "Show target")
    scene = row_window.page.canvas.scene()
    assert scene.values.rect.contains(scene.place(TARGET))
    assert not scene.values.rect.intersects(scene.rect)
    goal = (0.5, -0.3)
    hand(row_window.page.canvas).drag(scene.place(TARGET), scene.place_value(goal))
    assert lookup(row_window).target == pytest.approx(goal, abs=0.02)
    before = lookup_frame(lookup(row_window)).loss
    row_window.page.gradient.step.click()
    assert lookup_frame(lookup(row_window)).loss < before


def test_keys_and_values_have_planes_of_their_own(row_window, hand) -> None:
    scene = row_window.page.canvas.scene()
    for part in scene.state.parts():
        inside = scene.values.rect if part.role is Role.VALUE else scene.rect
        assert inside.contains(scene.place(part)), part.name
    hand(row_window.page.canvas).move(scene.values.rect.center())
    assert "in the plane of values" in row_window._readout.text()
    hand(row_window.page.canvas).move(spot(row_window, Part(Role.KEY, 0)))
    name = lookup_frame(lookup(row_window)).row.names[0]
    assert f"k₁ “{name}” = (" in row_window._readout.text()
    written = widget_texts(row_window.page.bars)
    assert {"8 others", name} <= set(written)
    assert "q·k" in written
    assert "cos" not in written


def test_nothing_lies_on_the_names_of_the_planes(make_window) -> None:
    short = find_preset("five-token", "heads").state
    window = make_window(as_lookup(short, heads_frame(short.heads.setup), 2))
    window.resize(1024, 768)
    QApplication.processEvents()
    scene = window.page.canvas.scene()
    badges = [QRectF(-13, -13, 26, 26).translated(scene.place(part)) for part in scene.state.parts()]
    for text, box in plane_names(scene):
        assert not any(box.intersects(badge) for badge in badges), text


def test_a_double_click_adds_no_key(row_window, hand) -> None:
    before = lookup(row_window)
    scene = row_window.page.canvas.scene()
    hand(row_window.page.canvas).double_click(QPointF(scene.rect.left() + 30, scene.rect.bottom() - 30))
    assert lookup(row_window) == before
    assert row_window.statusBar().currentMessage() == ROW_IS_FIXED


# ---- The other controls ----


def test_controls_of_what_is_fixed_are_greyed_and_say_why(row_window) -> None:
    controls = row_window.page.controls
    assert not controls.scaled.isEnabled()
    assert controls.scaled.isChecked()
    assert "Heads page" in controls.scaled.toolTip()
    assert not controls.values.isEnabled()
    assert controls.values.toolTip() == ROW_IS_FIXED
    angle = row_window.page.chips._chips[Overlay.ANGLE]
    assert not angle.isEnabled()
    assert "not those of the head" in angle.toolTip()
    row_window.page.presets.activated.emit(0)
    row_window.page._load(PRESETS[0].id)
    assert controls.scaled.isEnabled()
    assert controls.values.isEnabled()
    assert angle.isEnabled()


def test_only_the_query_can_be_typed(row_window) -> None:
    model = row_window.page.table.numbers
    editable = {
        str(model.data(model.index(row, 0)))
        for row in range(model.rowCount())
        for column in Column
        if model.flags(model.index(row, column)) & Qt.ItemFlag.ItemIsEditable
    }
    assert editable == {"q"}
    assert model.setData(model.index(0, Column.Y), "0.75")
    assert lookup(row_window).query[1] == 0.75
    tip = model.data(model.index(1, Column.NAME), Qt.ItemDataRole.ToolTipRole)
    assert tip == lookup_frame(lookup(row_window)).row.names[0]
    assert cell(row_window, "k…", Column.SCORE) == "–"


def test_every_curve_has_its_name_and_the_rest_has_one(row_window) -> None:
    row_window.page.tabs.setCurrentIndex(1)
    QApplication.processEvents()
    chart = row_window.page.panel.chart
    shown = [name.toPlainText() for name in chart._names if name.isVisible()]
    assert shown[-1] == "the rest"
    assert len(shown) == 13
    temperatures, weights = chart._curves[REST].getOriginalDataset()
    state = lookup(row_window).with_temperature(float(temperatures[40]))
    assert weights[40] == pytest.approx(lookup_frame(state).weights[REST], abs=1e-12)


def test_it_is_told_to_those_who_cannot_see_it(row_window) -> None:
    said = row_window.page.canvas.spoken()
    assert said.startswith("Soft lookup, row “very” (16) of head 2: query at (")
    assert "8 others at (" in said
    for part in lookup_frame(lookup(row_window)).state.parts()[1:3]:
        QTest.keyClick(row_window.page.canvas, Qt.Key.Key_Tab)
        assert f"Selected: {part.symbol} “" in row_window.page.canvas.spoken()
    assert "random" in row_window.page.noticed.text()


def test_the_title_counts_as_the_window_does(row_window) -> None:
    row_window.session.count_from(Count.FROM_ZERO)
    assert row_window.page.presets.placeholderText() == "Row “very” (15) of head 1"
    assert "Heads counted from 0." in row_window.page.figure().caption()
    assert not row_window.session.can_undo


def test_numbers_and_pictures_can_be_taken_away(row_window, tmp_path: Path) -> None:
    copied = copied_numbers(row_window.page)
    assert "very" in copied
    assert "rest" in copied
    figure = row_window.page.figure()
    assert figure.title == "row “very” (16) of head 2"
    caption = figure.caption()
    assert caption.startswith("Row “very” (16) of head 2. Soft lookup, weights = softmax(q·k), at q = (")
    assert "Random weights, d_model 64" in caption
    for width in (300, 720):
        image = replace(figure, width=width)
        assert image.size.height() > image.height


# ---- While it is opened, and where it cannot be ----


def test_a_row_that_takes_long_is_opened_on_the_worker(make_window, monkeypatch, qtbot) -> None:
    monkeypatch.setattr(open_row, "is_quick", lambda _row: False)
    state = as_lookup(ExplorerState(heads=LONG), heads_frame(LONG.setup), ROW)
    opened_row.cache_clear()
    window = make_window(state, Settings(page="positions"))
    window.show_page("lookup")
    page = window.page
    assert page.notice.isVisible()
    assert page.notice.words.text() == "Computing row 16 of layer 1, head 2 …"
    assert not page.canvas.isVisible()
    assert page.reason_against_taking == page.notice.words.text()
    qtbot.waitUntil(lambda: page.canvas.isVisible(), timeout=20_000)
    assert not page.notice.isVisible()
    assert page.canvas.hasFocus()
    assert page.reason_against_taking == ""
    assert cell(window, "k…", Column.WEIGHT) == f"{np.sort(own_weights())[:-12].sum():.6f}"


def test_opening_can_be_stopped_and_taken_up_again(make_window, monkeypatch, qtbot) -> None:
    monkeypatch.setattr(open_row, "is_quick", lambda _row: False)
    state = as_lookup(ExplorerState(heads=LONG), heads_frame(LONG.setup), ROW)
    opened_row.cache_clear()
    window = make_window(state, Settings(page="positions"))
    window.show_page("lookup")
    notice = window.page.notice
    QTest.keyClick(window.page, Qt.Key.Key_Escape)
    assert notice.words.text() == "Stopped: row 16 of layer 1, head 2 is not computed."
    QTest.mouseClick(notice.go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.page.canvas.isVisible(), timeout=20_000)


@pytest.fixture
def lost(tmp_path: Path) -> ExplorerState:
    """A row of a file that is not there any more."""
    rng = np.random.default_rng(0)
    path = tmp_path / "gone.npz"
    np.savez(path, **{name: rng.normal(size=(1, 6, 4)).astype(np.float32) for name in "qkv"})
    heads = heads_of_file(path)
    state = as_lookup(ExplorerState(heads=heads), heads_frame(heads.setup), 2)
    path.unlink()
    CACHE.clear()
    source_of.cache_clear()
    return replace(state, heads=HeadsState())


def test_a_lost_file_is_named_and_the_page_can_be_left(make_window, lost: ExplorerState) -> None:
    window = make_window(lost)
    page = window.page
    window.session._restore(replace(lost, lookup=replace(lost.lookup, row=replace(lost.lookup.row, row=3))))
    assert page.notice.isVisible()
    assert "gone.npz" in page.notice.words.text()
    assert page.description() == page.notice.words.text()
    page.export()
    assert "gone.npz" in window.statusBar().currentMessage()
    page.toggle_hard()
    assert lookup(window).hard
    QTest.mouseClick(page.notice.leave, Qt.MouseButton.LeftButton)
    assert lookup(window) == PRESETS[0].state
    assert page.canvas.isVisible()
    assert cell(window, "k₁", Column.WEIGHT) == "0.907207"


def test_the_window_starts_on_a_row_that_cannot_be_opened(make_window, lost: ExplorerState, tmp_path: Path) -> None:
    state = replace(lost, lookup=replace(lost.lookup, row=replace(lost.lookup.row, row=5)))
    window = make_window(state)
    assert window.page.notice.isVisible()
    assert "gone.npz" in window.page.notice.words.text()
    window.files._save(tmp_path / "kept.attn.json", lambda: None)
    kept = json.loads((tmp_path / "kept.attn.json").read_bytes())
    assert kept["state"]["lookup"]["row"]["row"] == 5
