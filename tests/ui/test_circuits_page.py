"""The Circuits page in a window: its questions, finding the circuit, Heads and back, and what does not fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from frame_driver import FrameDriver
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from written_numbers import csv_text

from attention_explorer.core.map_picture import score_scale
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages import circuits_elsewhere as elsewhere
from attention_explorer.pages.circuits import said
from attention_explorer.pages.circuits.state import CircuitsState, CircuitsView, Looks, PutIn, with_sentence
from attention_explorer.pages.circuits.ui.heads import grid
from attention_explorer.pages.circuits.ui.page import FIND, TAKE
from attention_explorer.pages.circuits.ui.views import views
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.registry import find_preset
from attention_explorer.pages.session_file import SUFFIX, read_session, write_session
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.circuits import asking
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.registry import source_of

CIRCUITS_PRESETS = preset_list("circuits")

MODELS = Path(__file__).parents[1] / "data" / "models"
Open = Callable[..., FrameDriver]


@pytest.fixture
def open_circuits(make_window: Any, hand: Any) -> Open:
    def make(view: CircuitsView = CircuitsView.LOOKS, heads: HeadsState | None = None, **changes: Any) -> FrameDriver:
        state = ExplorerState(circuits=replace(CircuitsState(), view=view, **changes))
        if heads is not None:
            state = replace(state, heads=heads)
        driver = FrameDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="circuits")), hand)
        driver.settle()
        return driver

    return make


def cell(at: FrameDriver, row: int, column: int, item: int | None = None) -> QPointF:
    """Return the middle of a cell of the picture, or of one of its items."""
    layout = at.layout.layout if item is None else at.layout.layout[item].layout
    return layout.rectangle(row, column).center()


def title(at: FrameDriver) -> str:
    return at.page.title.text().replace("\N{NO-BREAK SPACE}", " ")


def button(at: FrameDriver, text: str) -> QPushButton:
    buttons = at.page.form_of(at.view).findChildren(QPushButton)
    return next(each for each in buttons if each.text() == text)


def taken_from_the_menu(at: FrameDriver) -> str:
    """Ask for the model of Heads in the menu, and return what the window says."""
    next(action for action in at.window.findChildren(QAction) if action.text() == TAKE).trigger()
    return str(at.told)


def test_every_view_is_named_and_has_an_example() -> None:
    assert {view.id for view in views()} == {*CircuitsView}
    assert {ready.state.view for ready in CIRCUITS_PRESETS} == {*CircuitsView}


def test_every_question_is_asked_by_its_button_and_answered(open_circuits: Open) -> None:
    at = open_circuits()
    said = {
        CircuitsView.LOOKS: "Head 1.4 looks one back.",
        CircuitsView.BREAKS: "Without head 1.4, the loss on the copy goes from 0.00",
        CircuitsView.DECIDED: "After “c” the answer is “m” from layer 2 on.",
        CircuitsView.WRITES: "writes most of “m”",
        CircuitsView.WORDS: "“m” (10) matters most",
        CircuitsView.READS: "reads 1.4 most by its keys",
        CircuitsView.TWINS: "of the answer “m” over.",
        CircuitsView.FOUND: "Head 1.4 looks back, 2.2, 2.3, 2.4 and 2.1 copy.",
    }
    for view, words in said.items():
        at.show(view)
        assert words in title(at), view
        assert at.canvas.words() or at.page.panel.sentence.text()


def test_a_head_is_chosen_by_a_click_and_both_grids_speak_of_it(open_circuits: Open) -> None:
    at = open_circuits(CircuitsView.BREAKS, look=Looks.INDUCTION)
    assert "looks at what followed with 0.8" in at.point_at(cell(at, 1, 1, 0))
    assert at.point_at(cell(at, 1, 1, 1)).startswith("layer 2, head 2, off: the loss on the copy goes from")
    assert "Measured: run again" in at.said
    at.click(cell(at, 1, 1, 1))
    assert (at.state.layer, at.state.head) == (1, 1)
    assert "hardly missed on this text" in at.panel_words()[1]
    at.back()
    assert (at.state.layer, at.state.head) == (0, 3)


def test_a_head_goes_to_heads_and_its_model_comes_back(open_circuits: Open) -> None:
    at = open_circuits(heads=HeadsState())
    assert not button(at, TAKE).isVisible()
    assert elsewhere.NO_MODEL in taken_from_the_menu(at)
    at.click(cell(at, 1, 2))
    panel = at.page.panel.items
    mouse = at.hand(panel)
    mouse.press(QPointF(panel.width() / 2, 100.0))
    mouse.release()
    assert at.window.settings.page == "heads"
    setup = at.window.session.state.heads.setup
    assert (setup.recipe, setup.layer, setup.head) == (at.window.session.state.circuits.recipe, 1, 2)
    at.window.show_page("circuits")
    at.settle()
    assert not button(at, TAKE).isVisible()
    assert elsewhere.SAME in taken_from_the_menu(at)


def test_the_model_of_heads_is_asked_about_what_it_reads(open_circuits: Open) -> None:
    recipe = LearnedRecipe(*BOX["repeat"], sentence="a b c d a b c d a")
    at = open_circuits(CircuitsView.DECIDED, heads=HeadsState(HeadsSetup(recipe, layer=1)))
    assert button(at, TAKE).isVisible()
    at.press(button(at, TAKE))
    assert not button(at, TAKE).isVisible()
    assert at.state.recipe == recipe
    assert (at.state.layer, at.state.sentence, at.state.twin) == (1, recipe.sentence, recipe.sentence)
    assert "After “a” the answer is “b”" in title(at)
    assert not any(box.isChecked() for box in at.tries.values()), "the model brought its own head and text"


# ---- Find the circuit ----


def test_one_button_finds_the_circuit(open_circuits: Open) -> None:
    at = open_circuits()
    at.press(button(at, FIND))
    assert at.view.id is CircuitsView.FOUND
    found = at.picture.finding
    assert (found.back, set(found.copy)) == (((0, 3),), {(1, head) for head in range(4)})
    assert found.is_found
    assert found.is_complete
    assert found.all_on < 0.1 < 1.0 < found.without_back < found.without_copy < found.first
    assert set(found.idle) == set(found.copy)
    assert found.strongest is not None
    assert found.strongest[0] == (0, 3)
    assert "hardly missed" in at.panel_words()[1]
    assert "Off alone, heads 2.2, 2.3, 2.4 and 2.1 are hardly missed, though they look the part." in at.notes


def test_the_finding_is_a_session_a_figure_and_a_table(open_circuits: Open, tmp_path: Path) -> None:
    at = open_circuits(CircuitsView.FOUND)
    path = tmp_path / f"circuit{SUFFIX}"
    write_session(path, at.window.session.state, page="circuits")
    assert read_session(path).state.circuits == at.state
    numbers = at.page.figure().numbers()
    assert numbers.arrays["loss"].shape == (2, 4)
    assert numbers.parameters["copy"] == [[1, 1], [1, 2], [1, 3], [1, 0]]
    (row,) = [row for row in csv_text(numbers).splitlines() if row.startswith("1,1,")]
    assert row.endswith('copies, hardly missed alone"')


def test_escape_stops_finding_and_what_was_measured_stays(open_circuits: Open, monkeypatch: Any) -> None:
    at, real = open_circuits(), asking.finding
    seed = 4321  # of its own: what another test has found is kept

    def halting(model: Any, wanted: int, _looks: Any) -> Any:
        steps = list(real(model, wanted))
        yield steps[1]
        while wanted == seed:
            checkpoint()
            time.sleep(0.002)
        yield steps[-1]

    monkeypatch.setattr(asking, "finding", halting)
    state = replace(at.state, seed=seed)
    at.window.session.apply(replace(at.window.session.state, circuits=state), "seed")
    at.settle()
    QTest.mouseClick(button(at, FIND), Qt.MouseButton.LeftButton)
    assert title(at) == "Circuit …", "and no more what the view before has said"
    deadline = time.monotonic() + 20
    while not hasattr(at.picture, "finding") and time.monotonic() < deadline:
        QApplication.processEvents()
    QTest.keyClick(at.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in at.said
    at.settle()
    assert not at.picture.finding.is_complete
    assert "not measured yet" in " ".join(at.texts())


# ---- What does not fit ----


@pytest.mark.parametrize(
    ("view", "changes", "said"),
    [
        (CircuitsView.WRITES, {"answer": "a b"}, "only one can be asked for"),
        (CircuitsView.WRITES, {"answer": "m", "against": "m"}, "are the same"),
        (CircuitsView.TWINS, {"twin": "q c m"}, "give a twin of as many tokens"),
        (CircuitsView.TWINS, {"twin": "q c m b t f k q c m b t f k q c"}, "the same answer"),
        (CircuitsView.DECIDED, {"recipe": LearnedRecipe(*BOX["repeat"], sentence="q ? c")}, "has not learned"),
        (CircuitsView.READS, {"recipe": LearnedRecipe(LearningSetup("previous", layers=1, length=8), 1)}, "one layer"),
        (CircuitsView.FOUND, {"recipe": LearnedRecipe(LearningSetup("previous", layers=1, length=8), 1)}, "one layer"),
        (CircuitsView.LOOKS, {"recipe": LearnedRecipe(*BOX["translation"], "start", "red")}, "no stack of layers"),
        (CircuitsView.LOOKS, {"recipe": LearnedRecipe(LearningSetup("repeat", hard=True), 0)}, "lookup is soft"),
        (CircuitsView.BREAKS, {"recipe": LearnedRecipe(*BOX["it"])}, "has no loss: give a word"),
    ],
)
def test_a_question_that_does_not_fit_gets_a_sentence(
    open_circuits: Open, view: CircuitsView, changes: dict[str, Any], said: str
) -> None:
    at = open_circuits(view, **changes)
    assert said in at.page.requests.reason


@pytest.mark.parametrize(
    ("name", "view", "said"),
    [
        ("bert", CircuitsView.FOUND, "no head, so the model predicts no words"),
        ("t5", CircuitsView.FOUND, "has an encoder and a decoder"),
        ("gemma2", CircuitsView.WRITES, "are capped"),
    ],
)
def test_models_that_do_not_fit_say_why(open_circuits: Open, name: str, view: CircuitsView, said: str) -> None:
    recipe = model_recipe(MODELS / name, "the cat sat on the mat")
    at = open_circuits(view, recipe=recipe)
    assert said in at.page.requests.reason


# ---- A model of the disk ----


def test_every_question_is_asked_of_a_model_on_disk(open_circuits: Open) -> None:
    recipe = model_recipe(MODELS / "llama", "the cat sat on the mat")
    twin = "the dog sat on the mat"
    at = open_circuits(recipe=recipe, twin=twin, put_in=PutIn.ATTENTION)
    for view in CircuitsView:
        at.show(view)
        reason = at.page.requests.reason
        assert not reason or "the same answer" in reason or "as many tokens" in reason, (view, reason)
        assert at.page.canvas.spoken()


def test_sentence_answer_and_seed_are_set_by_hand(open_circuits: Open) -> None:
    at = open_circuits(CircuitsView.WRITES)
    at.type_into(at.few("answer"), "b")
    assert at.state.answer == "b"
    assert "“b” over “m”" in title(at)
    at.type_into(at.few("sentence"), "a b c d e a b")
    assert at.state.sentence == "a b c d e a b"
    assert "“b” over “c”" in title(at)


def test_a_lower_layer_is_asked_by_a_click(open_circuits: Open) -> None:
    at = open_circuits(CircuitsView.DECIDED)
    at.click(cell(at, 2, 8))
    assert (at.state.layer, at.state.position) == (1, 8)
    assert "after layer 2" in at.panel_words()[0]
    at.show(CircuitsView.WRITES)
    assert "after “c” (9)" in at.panel_words()[0]


def test_putting_in_one_head_at_a_time_is_a_map_of_heads(open_circuits: Open) -> None:
    at = open_circuits(CircuitsView.TWINS)
    assert at.picture.brought.effect.shape == (2, 16)
    at.choose(at.few("put_in"), PutIn.HEAD)
    assert at.picture.brought.effect.shape == (2, 4)
    assert np.isfinite(at.picture.brought.effect).all()
    at.click(cell(at, 1, 1))
    assert (at.state.layer, at.state.head) == (1, 1)


def test_the_graph_is_walked_and_clicked(open_circuits: Open) -> None:
    at = open_circuits(CircuitsView.READS)
    graph = at.layout.layout
    assert "is read most by 2.4" in at.point_at(graph.centre((0, 3)))
    at.click(graph.centre((1, 1)))
    assert (at.state.layer, at.state.head) == (1, 1)


@pytest.mark.parametrize("view", CircuitsView)
def test_what_keys_have_chosen_goes_where_the_next_model_has_no_such_place(
    open_circuits: Open, view: CircuitsView
) -> None:
    at = open_circuits(view)
    for key in (Qt.Key.Key_Right,) * 12 + (Qt.Key.Key_Down,) * 12:
        QTest.keyClick(at.canvas, key)
    assert at.canvas.words()
    smaller = at.state.with_model(LearnedRecipe(*BOX["repeat"], sentence="a b c d a b c"))
    state = replace(smaller, twin="a b c e a b c")
    at.window.session.apply(replace(at.window.session.state, circuits=state), "Ask another model")
    at.settle()
    assert not at.page.requests.reason
    at.canvas.grab()
    assert not at.canvas.words()


def test_what_keys_chose_in_one_picture_is_nothing_in_another(open_circuits: Open, wait: Any) -> None:
    at = open_circuits(CircuitsView.FOUND)
    wait(at)
    at.canvas.setFocus()
    QTest.keyClick(at.canvas, Qt.Key.Key_Down)
    assert at.canvas.hovered != NOWHERE
    at.page.show_view(at.page.view_named(CircuitsView.LOOKS))
    wait(at)
    assert at.canvas.hovered == NOWHERE
    QTest.keyClick(at.canvas, Qt.Key.Key_Down)
    assert len(at.canvas.hovered.part) == 2


def test_a_preset_of_every_view_says_the_same_in_every_window() -> None:
    first = find_preset("looks", "circuits").state.circuits
    assert first == CircuitsState()
    assert with_sentence(first.recipe, "a b") != first.recipe


# ---- What a newcomer asks ----


def test_whose_heads_they_are_is_said_and_a_large_grid_says_what_a_row_is(open_circuits: Open) -> None:
    recipe = LearnedRecipe(*BOX["repeat"], sentence="a b c d a b c d a")
    at = open_circuits(heads=HeadsState(HeadsSetup(recipe, layer=1, head=1)))
    assert at.example.currentText() == "Who looks one back"
    at.press(button(at, TAKE))
    assert at.state.preset == ""
    assert at.example.placeholderText() == source_of(recipe).traits.kind
    assert "said twice" in at.panel_words()[1]
    assert not any(box.isChecked() for box in at.tries.values())
    at.click(cell(at, 0, 0))
    assert at.tries["Click another head"].isChecked()
    count, scores = at.state.count, np.zeros((20, 4))
    large, small = (
        grid("g", each, score_scale(each, "x"), at.state, (0, 0), "t", "measured") for each in (scores, scores[:4])
    )
    assert count.layer(0) in small.picture.row_tokens
    assert (small.detail, large.detail) == ("measured", "measured; a row is a layer")


def test_the_headline_of_many_heads_leaves_room_for_the_progress() -> None:
    many = tuple((layer, 0) for layer in range(12))
    found = SimpleNamespace(back=many, copy=many)
    said_of = said.found_headline(SimpleNamespace(finding=found, state=CircuitsState()))
    assert said_of == "Heads 1.1, 2.1 and 10 more look back, 1.1, 2.1 and 10 more copy."
