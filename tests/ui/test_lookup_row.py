"""A pinned row of the Heads page on the Lookup page, by mouse, by keys and for those who cannot see it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import HeadsDriver
from lookup_driver import TITLES, LookupDriver
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_driver import TAKEN, copied_numbers

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import Count
from attention_explorer.core.role import Role
from attention_explorer.kit.items.plot_marks import Curve, Label
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.lookup import open_row
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.open_row import opened_row
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import (
    QUERY,
    REST,
    ROW_IS_FIXED,
    SCALED_IN_ITS_HEAD,
    TARGET,
    LookupView,
    Overlay,
    Part,
)
from attention_explorer.pages.lookup.sums import Column
from attention_explorer.pages.lookup.ui.page import LookupPage
from attention_explorer.pages.lookup.ui.plane_backdrop import plane_names
from attention_explorer.pages.registry import find_preset
from attention_explorer.pages.row_as_lookup import NOTHING_PINNED, SEVERAL_HEADS, as_lookup
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import source_of

WORDS = "In the beginning the universe was created and this has made a lot of people very angry , they say"
LONG = HeadsState(setup=HeadsSetup(recipe=ToyRecipe(sentence=WORDS), head=1)).with_view(row=None)
ROW = 15


@pytest.fixture
def opens(make_window, hand) -> Callable[..., LookupDriver]:
    """Opens a window on the page, or on another page before it."""

    def make(state: ExplorerState, page: str = "lookup") -> LookupDriver:
        return LookupDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page=page)), hand)

    return make


@pytest.fixture
def at(opens) -> LookupDriver:
    """The window on the Lookup page with a row of 20 keys, of which twelve have names."""
    driver = opens(row_of_a_head())
    driver.settle()
    return driver


def row_of_a_head() -> ExplorerState:
    return as_lookup(ExplorerState(heads=LONG), heads_frame(LONG.setup), ROW)


def own_weights() -> np.ndarray:
    """What the head gives to each key of the row, by loops."""
    layer = heads_frame(LONG.setup).layers[0]
    q, keys = layer.q[1, ROW].tolist(), layer.k[1].tolist()
    scores = [math.fsum(a * b for a, b in zip(q, key, strict=True)) / math.sqrt(len(q)) for key in keys]
    return np.array([math.exp(score) for score in scores]) / math.fsum(map(math.exp, scores))


# ---- From the Heads page ----


def offer_of(page: HeadsPage) -> QAction:
    """Return what the menu of Share offers of the pinned row."""
    menu = page.bar.share.menu()
    menu.aboutToShow.emit()
    (found,) = (each for each in menu.actions() if each.text() == "Pinned row as a lookup")
    return found


def test_a_pinned_row_opens_with_a_click_and_undo_goes_back(open_heads, hand) -> None:
    driver: HeadsDriver = open_heads(LONG)
    window, heads = driver.window, driver.page
    offered = offer_of(heads)
    assert not offered.isEnabled()
    assert offered.toolTip() == NOTHING_PINNED
    at = LookupDriver(window, hand)
    before = at.lookup
    driver.click_cell(ROW, 2)
    driver.leave()
    offered = offer_of(heads)
    assert offered.isEnabled()
    assert "Lookup page" in offered.toolTip()
    offered.trigger()
    assert isinstance(window.page, LookupPage)
    at.settle()
    assert at.lookup.row.row == ROW
    assert at.example.placeholderText() == "Row “very” (16) of head 2"
    assert at.example.currentIndex() == -1
    assert at.hint == at.frame.row.hint.look_for
    assert "These are the head’s own weights of this row." in at.notes
    weights = own_weights()
    heaviest = np.argsort(-weights)[:12]
    for index, key in enumerate(heaviest.tolist()):
        assert at.cell(Part(Role.KEY, index).symbol, Column.WEIGHT) == f"{weights[key]:.6f}"
    assert at.cell("k…", Column.WEIGHT) == f"{1 - weights[heaviest].sum():.6f}"
    QTest.mouseClick(window.rail.buttons["undo"], Qt.MouseButton.LeftButton)
    assert at.lookup == before
    assert at.example.currentText() == PRESETS[0].title
    window.session.redo()
    assert at.lookup.row.row == ROW


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
    assert not offer_of(driver.page).isEnabled()
    assert offer_of(driver.page).toolTip() == reason
    driver.page.open_lookup()
    assert driver.told == reason
    assert driver.page is driver.window.page


# ---- Dragging ----


def test_the_rest_counts_while_the_query_is_dragged(at) -> None:
    at.page.open_drawer(True)
    mouse, start = at.hand(), at.place(QUERY)
    before = at.session.state
    mouse.press(start)
    seen = set()
    for step in range(1, 9):
        mouse.move(start + QPointF(-25 * step, 11 * step))
        plane = opened_row(at.lookup.row).plane
        scores = (plane.keys @ np.array(at.lookup.query)).tolist()
        parts = [math.exp(score) for score in scores]
        rest = math.fsum(parts[key] for key in plane.rest.tolist()) / math.fsum(parts)
        assert at.cell("k…", Column.WEIGHT) == f"{rest:.6f}"
        assert at.bars.bars[REST].share == pytest.approx(rest, abs=1e-12)
        assert at.cell("o", Column.WEIGHT) == "1.000000"
        seen.add(round(rest, 3))
    assert len(seen) > 4
    assert at.steps == 0
    mouse.release()
    assert at.sentence == "q has been moved: the head would give these weights to such a query."
    assert at.undo_text == "Move query"
    at.undo()
    assert at.session.state == before
    assert "q has been moved" not in at.sentence
    assert "the head’s own weights of this row" in at.notes


@pytest.mark.parametrize("part", [Part(Role.KEY, 0), Part(Role.VALUE, 2), Part(Role.KEY, REST)], ids=lambda p: p.name)
def test_keys_and_values_of_a_head_cannot_be_moved(at, part: Part) -> None:
    before, place = at.lookup, at.place(part)
    at.hand().drag(place, place + QPointF(40, 30))
    assert at.lookup == before
    assert at.told == ROW_IS_FIXED
    at.canvas.select(part)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Delete, Qt.Key.Key_Insert):
        at.key(key)
    assert at.lookup == before
    menu = at.page.context_menu(part, (0.0, 0.0))
    offered = [action.text() for action in menu.actions() if action.text()]
    assert offered == TAKEN
    menu.deleteLater()


def test_a_query_on_a_key_is_what_the_hand_takes(at) -> None:
    state = at.session.state
    key = lookup_frame(state.lookup).state.keys[3]
    near = replace(state, lookup=state.lookup.moved(QUERY, (key[0] + 0.02, key[1])))
    at.session.apply(near, "Move it")
    place = at.place(Part(Role.KEY, 3))
    at.hand().drag(place, place + QPointF(60, 0))
    assert at.lookup.query[0] > key[0] + 0.1


def test_the_target_is_dragged_in_the_plane_of_values(at) -> None:
    at.show(LookupView.GRADIENT)
    scene = at.canvas.scene()
    assert scene.value_rect.contains(scene.place(TARGET))
    assert not scene.value_rect.intersects(scene.rect)
    goal = (0.5, -0.3)
    at.hand().drag(scene.place(TARGET), scene.place_value(goal))
    assert at.lookup.target == pytest.approx(goal, abs=0.02)
    before = at.frame.loss
    at.press(at.page.descent.step)
    assert at.frame.loss < before
    at.drag(QUERY, 0.7, 0.4)
    before = at.frame.loss
    at.key(Qt.Key.Key_S)
    assert at.frame.loss < before


def test_keys_and_values_have_planes_of_their_own(at) -> None:
    scene = at.canvas.scene()
    for part in scene.state.parts():
        inside = scene.value_rect if part.role is Role.VALUE else scene.rect
        assert inside.contains(scene.place(part)), part.name
    at.hand().move(scene.value_rect.center())
    assert "in the plane of values" in at.said
    at.hand().move(at.place(Part(Role.KEY, 0)))
    name = lookup_frame(at.lookup).row.names[0]
    assert f"k₁ “{name}” = (" in at.said
    assert [bar.words for bar in at.bars.bars] == list(lookup_frame(at.lookup).row.names)
    assert at.bars.bars[REST].words == "8 others"
    assert at.bars.bars[REST].symbol == "k…"
    assert at.bars.bars[REST].number == "", "the rest is no key: it has no score"
    assert at.bars.titles[0] == "q·k"


def test_nothing_lies_on_the_names_of_the_planes(opens) -> None:
    short = find_preset("five-token", "heads").state
    at = opens(as_lookup(short, heads_frame(short.heads.setup), 2))
    at.window.resize(1024, 768)
    QApplication.processEvents()
    scene = at.canvas.scene()
    badges = [QRectF(-13, -13, 26, 26).translated(scene.place(part)) for part in scene.state.parts()]
    names = list(plane_names(scene))
    assert len(names) == 2
    for text, box in names:
        assert not any(box.intersects(badge) for badge in badges), text


def test_a_double_click_adds_no_key(at) -> None:
    before = at.lookup
    scene = at.canvas.scene()
    at.hand().double_click(QPointF(scene.rect.left() + 30, scene.rect.bottom() - 30))
    assert at.lookup == before
    assert at.told == ROW_IS_FIXED


# ---- The other controls ----


def test_controls_of_what_is_fixed_are_greyed_and_say_why(at) -> None:
    scaled, values = at.field("scaled"), at.field("values")
    assert not scaled.isEnabled()
    assert scaled.toolTip() == SCALED_IN_ITS_HEAD
    assert not values.isEnabled()
    assert values.toolTip() == ROW_IS_FIXED
    angle = at.overlays_offered()[TITLES[Overlay.ANGLE]]
    assert not angle.isEnabled()
    assert "not those of the head" in angle.toolTip()
    assert at.tries == {}, "they are about lookups that can be changed"
    at.choose_example(PRESETS[0].id)
    assert at.lookup == PRESETS[0].state
    assert scaled.isEnabled()
    assert values.isEnabled()
    assert at.overlays_offered()[TITLES[Overlay.ANGLE]].isEnabled()
    at.page.open_drawer(False)
    assert len(at.tries) == 3


def test_only_the_query_can_be_typed(at) -> None:
    model = at.model
    editable = {
        str(model.data(model.index(row, 0)))
        for row in range(model.rowCount())
        for column in Column
        if model.flags(model.index(row, column)) & Qt.ItemFlag.ItemIsEditable
    }
    assert editable == {"q"}
    assert model.setData(model.index(0, Column.Y), "0.75")
    assert at.lookup.query[1] == 0.75
    tip = model.data(model.index(1, Column.NAME), Qt.ItemDataRole.ToolTipRole)
    assert tip == lookup_frame(at.lookup).row.names[0]
    assert at.cell("k…", Column.SCORE) == "–"


def test_every_curve_has_its_name_and_the_rest_has_one(at) -> None:
    at.show(LookupView.TEMPERATURE)
    names = [label.text for label in at.curves.of(Label)]
    assert names == [*(Part(Role.KEY, i).symbol for i in range(12)), "the rest"]
    curve = at.curves.of(Curve)[REST]
    state = at.lookup.with_temperature(float(curve.x[40]))
    assert curve.y[40] == pytest.approx(lookup_frame(state).weights[REST], abs=1e-12)


def test_the_sum_of_a_row_has_the_rest_in_it(at) -> None:
    others = len(at.frame.row.plane.rest)
    assert f"{at.frame.row.title}" == "row “very” (16) of head 2"
    assert at.sum.startswith("alpha_1 equals the fraction with e to the power of ")
    assert "more" in at.sum
    at.hand(at.page.panel.items).move(at.bar_place(REST))
    assert f"{others} powers" in at.sum


def test_it_is_told_to_those_who_cannot_see_it(at) -> None:
    said = at.canvas.spoken()
    assert said.startswith("Soft lookup, row “very” (16) of head 2: query at (")
    assert "8 others at (" in said
    for part in lookup_frame(at.lookup).state.parts()[1:3]:
        at.key(Qt.Key.Key_Tab)
        assert f"Selected: {part.symbol} “" in at.canvas.spoken()
    assert "Random weights, d_model 64" in at.notes


def test_the_title_counts_as_the_window_does(at) -> None:
    at.session.count_from(Count.FROM_ZERO)
    at.settle()
    assert at.example.placeholderText() == "Row “very” (15) of head 1"
    assert "Heads counted from 0." in at.page.figure().caption()
    assert not at.session.can_undo


def test_numbers_and_pictures_can_be_taken_away(at, tmp_path: Path) -> None:
    copied = copied_numbers(at.page)
    assert "very" in copied
    assert "rest" in copied
    figure = at.page.figure()
    assert figure.title == "row “very” (16) of head 2"
    caption = figure.caption()
    assert caption.startswith("Row “very” (16) of head 2. Soft lookup, weights = softmax(q·k), at q = (")
    assert "Random weights, d_model 64" in caption
    for width in (300, 720):
        image = replace(figure, width=width)
        assert image.size.height() > image.height


# ---- While it is opened, and where it cannot be ----


@pytest.fixture
def slow(opens, monkeypatch) -> LookupDriver:
    """The window on another page, with a row that takes long; nothing of it is known yet."""
    monkeypatch.setattr(open_row, "is_quick", lambda _row: False)
    state = row_of_a_head()
    opened_row.cache_clear()
    return opens(state, "positions")


def test_a_row_that_takes_long_is_opened_on_the_worker(slow) -> None:
    slow.window.show_page("lookup")
    page = slow.page
    assert page.requests.is_pending
    assert page.requests.shown is None
    assert page.canvas.spoken() == "Computing …", "nothing is there to be described"
    slow.settle()
    assert not page.note.isVisible()
    assert page.canvas.hasFocus()
    assert page.reason_against_taking == ""
    assert slow.cell("k…", Column.WEIGHT) == f"{np.sort(own_weights())[:-12].sum():.6f}"


def test_opening_can_be_stopped_and_taken_up_again(slow) -> None:
    slow.window.show_page("lookup")
    note = slow.page.note
    QTest.keyClick(slow.page, Qt.Key.Key_Escape)
    slow.settle()
    assert note.isVisible()
    assert slow.page.requests.shown is None
    assert note.words.text() == slow.page.requests.sentence
    assert note.words.text().startswith("Stopped.")
    assert slow.page.reason_against_taking == note.words.text()
    slow.press(note.button)
    assert not note.isVisible()
    assert slow.frame.row.of == slow.lookup.row
    assert slow.canvas.spoken().startswith("Soft lookup, row “very” (16) of head 2: ")


def test_until_a_row_is_there_the_picture_before_stays_and_takes_no_hand(opens, monkeypatch) -> None:
    at = opens(ExplorerState(heads=LONG))
    before, row = at.pixels(), row_of_a_head()
    opened_row.cache_clear()
    monkeypatch.setattr(open_row, "is_quick", lambda _row: False)
    at.session.apply(row, "Pinned row as a lookup")
    assert at.page.requests.is_pending
    assert at.pixels() == before
    at.hand().drag(at.place(QUERY), at.place(QUERY) + QPointF(60, 30))
    at.hand().double_click(at.at(-2.0, -1.0))
    QTest.keyClick(at.canvas, Qt.Key.Key_Insert)
    assert at.session.state == row
    at.settle()
    assert at.pixels() != before
    assert at.example.placeholderText() == "Row “very” (16) of head 2"


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


def of_row(lost: ExplorerState, row: int) -> ExplorerState:
    return replace(lost, lookup=replace(lost.lookup, row=replace(lost.lookup.row, row=row)))


def test_a_lost_file_is_named_and_the_page_can_be_left(opens, lost: ExplorerState) -> None:
    at = opens(lost)
    page = at.page
    at.session._restore(of_row(lost, 3))
    at.settle()
    assert page.note.isVisible()
    assert "gone.npz" in page.note.words.text()
    assert page.canvas.reason == page.note.words.text()
    page.export()
    assert "gone.npz" in at.told
    at.key(Qt.Key.Key_H)
    assert at.lookup.hard
    assert at.lookup.row.row == 3
    for view in LookupView:
        at.show(view)
        needs_row = view is not LookupView.WORDS
        assert page.note.isVisible() is needs_row, "words need no row of a head"
        assert not needs_row or "gone.npz" in page.note.words.text()
        assert needs_row or "bank" in page.canvas.spoken()
    at.show(LookupView.PLANE)
    at.choose_example(PRESETS[0].id)
    assert at.lookup == PRESETS[0].state
    assert not page.note.isVisible()
    assert at.cell("k₁", Column.WEIGHT) == "0.907207"


def test_the_file_can_be_looked_for(opens, lost: ExplorerState) -> None:
    at = opens(of_row(lost, 4))
    wanted = []
    at.page.find_wanted.disconnect()  # which would open a dialog
    at.page.find_wanted.connect(wanted.append)
    assert not at.page.note.reopen_button.isVisible(), "there is no such file"
    at.press(at.page.note.find_button)
    assert [Path(path).name for path in wanted] == ["gone.npz"]


def test_the_window_starts_on_a_row_that_cannot_be_opened(opens, lost: ExplorerState, tmp_path: Path) -> None:
    at = opens(of_row(lost, 5))
    at.settle()
    assert at.page.note.isVisible()
    assert "gone.npz" in at.page.note.words.text()
    assert at.example.currentIndex() == -1
    at.window.files._save(tmp_path / "kept.attn.json", lambda: None)
    kept = json.loads((tmp_path / "kept.attn.json").read_bytes())
    assert kept["state"]["lookup"]["row"]["row"] == 5
    at.page.open_drawer(True)
    assert at.page.note.isVisible()
    assert at.page._table is None, "it would tell numbers of another lookup"
    at.choose_example(PRESETS[0].id)
    assert at.page.table.isVisible()
    assert at.weights_told() == ["0.907207", "0.092793"]


KEYS = "EBCHSP", (Qt.Key.Key_Insert, Qt.Key.Key_Delete, Qt.Key.Key_Home, Qt.Key.Key_Plus, Qt.Key.Key_Right)


@pytest.mark.parametrize("was_there", [False, True], ids=["nothing before", "a lookup before"])
@pytest.mark.parametrize("view", [view for view in LookupView if view is not LookupView.WORDS])
def test_without_its_numbers_no_hand_and_no_key_does_harm(
    opens, lost: ExplorerState, view: LookupView, was_there: bool
) -> None:
    at = opens(ExplorerState() if was_there else of_row(lost, 5))
    at.session._restore(of_row(lost, 5))
    assert (at.picture is not None) is was_there
    at.show(view)
    at.page.open_drawer(True)
    assert "gone.npz" in at.page.note.words.text()
    assert not at.page.descent.isEnabled()
    assert not any(button.isEnabled() for button in at.page._overlays.values())
    assert at.page._table is None or not at.page._table.isVisible()
    for key in (*(Qt.Key[f"Key_{letter}"] for letter in KEYS[0]), *KEYS[1]):
        at.key(key)
        assert at.lookup.row is not None, key
    at.page.canvas.show_home()  # as the menu does
    assert at.lookup.row.row == 5
    at.hand().drag(QPointF(50, 50), QPointF(150, 90))
    at.hand().double_click(QPointF(60, 60))
    at.wheel(QPointF(50, 50), 120)
    assert not at.page.descent.is_playing
    assert at.lookup.row.row == 5
    assert at.page.canvas.reason == at.page.note.words.text()
    at.choose_example(at.example.itemData(0))
    assert not at.page.note.isVisible()
    assert at.page.descent.isEnabled()
    assert at.page.table.isVisible()
