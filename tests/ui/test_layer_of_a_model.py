"""The layer of what Heads shows on the Layer page: real models and all else, whoever types the sentence."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import painted_texts
from layer_driver import LayerDriver
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from attention_explorer.core.mask import MaskChoice
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export.figure import write_figure
from attention_explorer.pages.as_python import python_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.diagram_words import short
from attention_explorer.pages.layer.ui.page import DRAWN, OF_HEADS
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.subject import with_subject
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import LayerPart
from attention_explorer.tools.code.programs import program_of

MODELS = Path(__file__).parents[1] / "data" / "models"
SENTENCE = "the cat sat on the mat"


def state_of(name: str, **changes) -> ExplorerState:
    """Return a state with a model on Heads."""
    setup = HeadsSetup(model_recipe(MODELS / name, SENTENCE), layer=1, head=1)
    return ExplorerState(heads=HeadsState(setup), **changes)


@pytest.fixture
def open_layer(make_window, hand):
    def make(state: ExplorerState) -> LayerDriver:
        driver = LayerDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="layer")), hand)
        driver.settle()
        return driver

    return make


def test_the_layer_of_what_heads_shows_is_one_click_away_and_back(open_layer):
    layer = open_layer(state_of("llama"))
    button = layer.page.subject
    assert button.text() == OF_HEADS
    layer.press(button)
    assert layer.page.title.text() == "Layer 2 of 3, from its input to its output"
    assert (layer.picture.chosen.name, layer.picture.head) == ("weights", 1)
    assert layer.picture.box("k").shape_text == "(2, 7, 8)"
    assert "one for every 2 heads" in layer.point_at(layer.box("k"))
    assert not layer.few("norm").isVisible()
    assert button.text() == DRAWN
    layer.press(button)
    assert layer.picture.tokens == ("The", "cat", "sat", "on", "the", "mat")
    assert layer.undo_text == DRAWN


def test_it_is_walked_and_its_numbers_explain_themselves(open_layer):
    layer = open_layer(state_of("gpt2"))
    layer.press(layer.page.subject)
    layer.key(Qt.Key.Key_Down)
    assert layer.picture.token == 0
    said = layer.point_at(layer.cell(3, 1))
    weight = layer.picture.box("weights").first[1, 3, 1]
    assert said.endswith(f"= {weight:.4f}")
    for _ in range(4):
        layer.key(Qt.Key.Key_Right)
        assert layer.point_at(layer.cell(2, 1))
    assert "parameters" in layer.notes
    layer.type_into(layer.main.box, "1")
    assert layer.page.title.text().startswith("Layer 1 of")


def test_a_sentence_typed_here_is_read_on_heads_too_and_the_reverse(open_layer):
    layer = open_layer(state_of("gpt2"))
    layer.press(layer.page.subject)
    layer.type_into(layer.few("text"), "a dog sat")
    state = layer.window.session.state
    assert state.block.model.sentence == state.heads.setup.recipe.sentence == "a dog sat"
    layer.window.session.apply(replace(state, heads=state.heads.with_recipe(sentence="on the mat")), "Type")
    layer.settle()
    assert layer.window.session.state.block.model.sentence == "on the mat"
    assert len(layer.picture.tokens) == layer.picture.box("x").first.shape[0]


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert"])
def test_a_plus_of_a_real_model_is_cut_and_the_model_runs_on_without_it(open_layer, name):
    state = state_of(name)
    layer = open_layer(replace(state, block=BlockState(model=state.heads.setup.recipe)))
    written = layer.picture.box("attention_output").first
    way = layer.knot(LayerPart.RESIDUAL)
    assert layer.point_at(way) == "Click: cut the residual"
    layer.click(way)
    assert layer.undo_text == "Cut the residual"
    assert "attention_sum" not in layer.names()
    np.testing.assert_array_equal(layer.picture.box("attention_output").first, written)
    left = layer.picture.boxes[-1].first
    layer.type_into(layer.main.box, "2")
    np.testing.assert_allclose(layer.picture.box("x").first, left, rtol=1e-6)
    assert "attention_sum" in layer.names(), "only the layer on show was cut"
    assert "layer 1 without the residual" in layer.page.view.settings(layer.state)


def test_without_its_network_a_layer_hands_on_what_attention_leaves(open_layer):
    state = state_of("gpt2")
    layer = open_layer(replace(state, block=BlockState(model=state.heads.setup.recipe)))
    summed = layer.picture.box("attention_sum").first
    layer.click(layer.knot(LayerPart.NETWORK))
    assert "hidden" not in layer.names()
    layer.click(layer.knot(LayerPart.RESIDUAL))
    alone = layer.picture.box("attention_output").first
    layer.type_into(layer.main.box, "2")
    np.testing.assert_array_equal(layer.picture.box("x").first, alone)
    layer.undo()
    np.testing.assert_array_equal(layer.picture.box("x").first, summed)


def test_a_cell_of_a_model_is_hidden_here_and_on_heads(open_layer):
    state = state_of("gpt2")
    layer = open_layer(replace(state, block=BlockState(model=state.heads.setup.recipe, box="masked")))
    assert layer.picture.box("weights").first[0, 4, 2] > 0
    layer.click(layer.cell(4, 2))
    assert layer.picture.box("weights").first[0, 4, 2] == 0
    setup = layer.window.session.state.heads.setup
    assert setup.mask.hidden == {(4, 2)}
    assert heads_frame(setup).layers[0].maps[0].weights()[4, 2] == 0
    before = layer.state
    layer.click(layer.cell(2, 4))
    assert layer.state == before, "it is the model that does not look ahead"
    layer.undo()
    assert layer.window.session.state.heads.setup.mask == MaskChoice()


def test_below_the_weights_a_token_is_no_mere_mark_of_a_space(open_layer):
    recipe = model_recipe(MODELS / "gpt2", "the cat sat on the mat because it was tired of it")
    layer = open_layer(ExplorerState(block=BlockState(model=recipe, box="weights")))
    said = painted_texts(layer.canvas.paint_picture)
    assert SPACE not in said
    assert "bec" in said or "b" in said


def test_another_model_is_whole(open_layer):
    state = state_of("gpt2")
    cut = frozenset({(0, LayerPart.RESIDUAL)})
    layer = open_layer(replace(state, block=BlockState(model=state.heads.setup.recipe, cut=cut)))
    other = replace(layer.window.session.state, heads=state_of("llama").heads)
    layer.window.session.apply(other, "Open another")
    layer.settle()
    assert layer.state.cut == frozenset()
    assert "attention_sum" in layer.names()


@pytest.mark.parametrize("name", ["random-words", "hand-made", "translation", "learned-translation"])
def test_from_heads_one_key_leads_to_its_arrays_and_back_returns(make_window, hand, name):
    state = ExplorerState(heads=heads_preset(name).state)
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    window.page.settle()
    window.page.canvas.setFocus()
    QTest.keyClick(window.page.canvas, Qt.Key.Key_A)
    layer = LayerDriver(window, hand)
    layer.settle()
    setup, frame = state.heads.setup, heads_frame(state.heads.setup)
    assert window.page.name == "Layer"
    assert (layer.picture.chosen.name, layer.picture.head) == (state.heads.view.stage.value, setup.head)
    assert layer.picture.token == state.heads.view.row
    np.testing.assert_array_equal(layer.picture.box("weights").part(setup.head), frame.head_map.weights())
    row, column = 2, 1
    said = layer.point_at(layer.cell(row, column))
    assert repr(float(layer.picture.chosen.part(setup.head)[row, column])).replace("-", "−") in said
    assert (layer.undo_text, layer.back_text) == ("Arrays in Layer", "Show Layer")
    layer.back()
    assert window.page.name == "Heads"


def test_keys_of_another_sentence_are_named_where_they_stand(make_window, hand):
    recipe = replace(model_recipe(MODELS / "bart", "the cat sat"), context="a dog slept on the mat")
    state = with_subject(ExplorerState(heads=HeadsState(HeadsSetup(recipe)).with_view(row=1)))
    layer = LayerDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="layer")), hand)
    layer.settle()
    keys = layer.picture.keys
    layer.click(layer.box("k"))
    last = len(keys) - 1
    said = layer.point_at(layer.cell(last, 0))
    assert keys[last] in said
    before = layer.state.token
    layer.click(layer.cell(last, 0))
    assert layer.state.token == before, "it is no token that looks"
    layer.click(layer.box("weights"))
    assert f"→ “{keys[last]}” ({last + 1})" in layer.point_at(layer.cell(1, last))


def test_the_matrices_of_random_heads_are_looked_at_head_by_head(make_window, hand):
    state = with_subject(ExplorerState(heads=heads_preset("random-words").state))
    layer = LayerDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="layer")), hand)
    layer.settle()
    layer.click(layer.box("w_q"))
    assert layer.picture.chosen.name == "w_q"
    w_q = heads_frame(state.heads.setup).layers[0].attention.w_q
    for head in (0, 1):
        said = layer.point_at(layer.cell(20, 3))
        assert said == f"W_Q, which makes the queries, head {head + 1}, feature 20 → feature 3: " + repr(
            float(w_q[20, 8 * head + 3])
        ).replace("-", "−")
        layer.key(Qt.Key.Key_PageDown)


def test_the_box_that_has_grown_is_copied_with_every_digit(make_window, hand):
    state = with_subject(ExplorerState(heads=heads_preset("translation").state))
    layer = LayerDriver(make_window(state, Settings(theme=ThemeChoice.LIGHT, page="layer")), hand)
    layer.settle()
    menu = QMenu()
    layer.page.offer_taking(menu)
    (copy,) = (action for action in menu.actions() if action.text() == "Copy “softmax” as CSV")
    copy.trigger()
    header, *rows = csv.reader(io.StringIO(QGuiApplication.clipboard().text()))
    assert header == ["query", *layer.picture.keys]
    assert [row[0] for row in rows] == list(layer.picture.tokens)
    weights = layer.picture.box("weights").part(layer.picture.head)
    assert [[float(each) for each in row[1:]] for row in rows] == weights.tolist()


def test_opened_in_another_view_the_button_is_no_window_of_its_own(open_layer):
    block = BlockState(picture=BlockPicture.CACHE)
    layer = open_layer(state_of("gpt2", block=block))
    assert not layer.page.subject.isVisible()
    layer.show(BlockPicture.LAYER)
    assert layer.page.subject.isVisible()
    assert layer.page.subject.window() is layer.window


def test_a_tiny_model_is_drawn_with_what_it_learned(open_layer):
    setup, step = BOX["it"]
    recipe = LearnedRecipe(setup, step, "The cat sat on the mat because it was tired.")
    layer = open_layer(ExplorerState(heads=HeadsState(HeadsSetup(recipe, layer=1))))
    layer.press(layer.page.subject)
    assert layer.state.learned.step == step
    assert layer.picture.box("weights").first[0, 7].argmax() == 1


def test_a_token_of_a_model_is_replaced_by_hand(open_layer):
    layer = open_layer(state_of("gpt2"))
    layer.press(layer.page.subject)
    layer.show(BlockPicture.FUTURE)
    assert layer.picture.tokens == source_of(layer.state.model).labels[0]
    assert layer.page.title.text() == "Earlier rows do not change."
    layer.type_into(layer.main.box, "6")
    assert layer.panel_words()[0].endswith("(6) is replaced")
    assert "the 5 rows before it stay the same bit for bit" in layer.panel_words()[1]
    assert not layer.few("layers").isVisible()
    layer.undo()
    assert layer.picture.token == 4


def test_a_session_names_the_model_relative_to_itself(tmp_path):
    recipe = model_recipe(MODELS / "gpt2", SENTENCE)
    state = ExplorerState(block=BlockState(model=recipe))
    path = MODELS / "kept.attn.json"
    try:
        write_session(path, state, page="layer")
        assert '"gpt2"' in path.read_text()
        assert read_session(path).state == state
    finally:
        path.unlink()


@pytest.mark.parametrize("name", ["gpt2", "llama", "t5", "gemma2", "bert"])
def test_the_boxes_of_a_family_are_known_and_lead_from_one_to_the_next(name):
    recipe = model_recipe(MODELS / name, SENTENCE)
    numbers = diagram_picture(BlockState(model=recipe, layer=1))
    names = [box.name for box in numbers.boxes]
    assert len(set(names)) == len(names)
    for place, box in enumerate(numbers.boxes):
        assert set(box.sources) <= set(names[:place])
        assert np.isfinite(box.summary.mean)
    assert names[-1] in ("feed_forward_sum", "output")


# ---- Dropout ----


def test_a_model_leaves_out_at_the_rates_of_its_configuration_with_one_click(open_layer):
    layer = open_layer(with_subject(state_of("bart")))
    before = layer.picture.box("output").first
    layer.press(layer.field("dropout"))
    assert [box.name for box in layer.picture.boxes if box.left_out is not None] == [
        "attention_output",
        "feed_forward_output",
    ]
    assert "dropout" not in layer.picture.box("weights").formula  # its configuration has 0 there
    layer.click(layer.box("feed_forward_output"))
    box = layer.picture.chosen
    row, column = np.argwhere(~box.left_out[0])[0].tolist()
    assert f"; × 1.111 by dropout = {short(box.first[row, column])}" in layer.point_at(layer.cell(row, column))
    assert (box.first[box.left_out[0]] == 0.0).all()
    assert "p = 0.1" in box.formula
    assert not np.array_equal(layer.picture.box("output").first, before)
    assert not layer.field("dropout_rate").isVisible()
    said = layer.view.settings(layer.state).replace("\N{NO-BREAK SPACE}", " ")
    assert "dropout as in training, attention p = 0.1, network p = 0.1, draw 0" in said
    layer.type_into(layer.field("dropout_seed"), "4")
    assert not np.array_equal(layer.picture.box("feed_forward_output").left_out, box.left_out)
    layer.undo()
    layer.undo()
    np.testing.assert_array_equal(layer.picture.box("output").first, before)


def test_a_model_that_was_trained_without_dropout_says_so(open_layer):
    layer = open_layer(with_subject(state_of("llama")))
    field = layer.field("dropout")
    assert not field.isEnabled()
    assert "Nothing says that these weights were learned with dropout." in field.toolTip()


# ---- Biases and gains ----


def said_of(layer: LayerDriver) -> str:
    return layer.view.settings(layer.state).replace("\N{NO-BREAK SPACE}", " ")


def queries(layer: LayerDriver) -> tuple[np.ndarray, np.ndarray]:
    """Return the queries on show, heads side by side, and what they are made of."""
    q = layer.picture.box("q").first
    entering = layer.picture.box("attention_input" if "attention_input" in layer.names() else "x").first
    return q.swapaxes(0, 1).reshape(len(entering), -1), entering


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_a_model_runs_without_its_biases_and_says_so(open_layer, name):
    layer = open_layer(with_subject(state_of(name)))
    x, before = layer.picture.box("x").first, layer.state
    made = source_of(layer.state.model).model.transformer.main.layers[1].attention.project
    width = x.shape[1]
    found, entering = queries(layer)
    np.testing.assert_allclose(found, entering @ made.weight[:, :width] + made.bias[:width], rtol=1e-4, atol=1e-5)
    assert "+ b" in layer.picture.box("q").formula
    layer.press(layer.field("model_biases"))
    assert layer.undo_text == "Switch the biases"
    found, entering = queries(layer)
    np.testing.assert_allclose(found, entering @ made.weight[:, :width], rtol=1e-4, atol=1e-5)
    assert "+ b" not in layer.picture.box("q").formula
    assert not any("b₁" in box.title or "b₂" in box.title for box in layer.picture.boxes)
    assert not np.array_equal(layer.picture.box("x").first, x), "the layer below has none either"
    assert "run without biases" in said_of(layer)
    layer.undo()
    assert layer.state == before
    np.testing.assert_array_equal(layer.picture.box("x").first, x)


@pytest.mark.parametrize(("name", "norm"), [("gpt2", "attention_input"), ("bert", "output")])
def test_a_model_runs_without_the_gains_of_its_norms(open_layer, name, norm):
    layer = open_layer(with_subject(state_of(name)))
    assert layer.picture.box(norm).formula.endswith("times a gain that was learned")
    layer.press(layer.field("model_gains"))
    assert layer.undo_text == "Switch the gains of the norms"
    box = layer.picture.box(norm)
    np.testing.assert_allclose(box.first.mean(axis=-1), 0.0, atol=1e-5)
    np.testing.assert_allclose(box.first.std(axis=-1), 1.0, atol=1e-3)
    assert box.formula.endswith("without the gain that was learned")
    assert "run without gains of norms" in said_of(layer)
    layer.press(layer.field("model_biases"))
    assert "run without biases and gains of norms" in said_of(layer)
    said = "All layers run without biases and gains of norms."
    assert said in layer.panel_words()[1]
    assert layer.notes.count(said) == 1


def test_a_model_without_biases_says_so_and_its_gains_can_be_switched(open_layer):
    layer = open_layer(with_subject(state_of("llama")))
    field = layer.field("model_biases")
    assert not field.isEnabled()
    assert "This model has no biases: its matrices only multiply." in field.toolTip()
    layer.press(layer.field("model_gains"))
    squares = np.square(layer.picture.box("attention_input").first)
    np.testing.assert_allclose(squares.mean(axis=-1), 1.0, atol=1e-2)


def test_only_models_have_these_switches_and_only_where_the_layer_is_drawn(open_layer):
    layer = open_layer(with_subject(state_of("gpt2")))
    assert layer.field("model_biases").isVisible()
    assert not layer.field("biases").isVisible(), "those that are drawn at random"
    layer.show(BlockPicture.CACHE)
    assert "model_biases" not in layer.drawer.form.controls
    layer.open()
    assert layer.field("biases").isVisible()
    assert not layer.field("model_biases").isVisible()


def test_a_model_without_its_biases_is_taken_away_as_a_session_a_script_and_a_figure(open_layer, tmp_path):
    layer = open_layer(with_subject(state_of("gpt2")))
    layer.press(layer.field("model_biases"))
    layer.press(layer.field("model_gains"))
    state = layer.window.session.state
    write_session(tmp_path / "bare.attn.json", state, page="layer")
    assert read_session(tmp_path / "bare.attn.json").state == state
    script = python_of(state, "layer")
    assert "model_biases=False" in script
    assert "model_gains=False" in script
    with pytest.raises(ExplorerError, match="Nothing is cut or left out there"):
        program_of("layer", state)
    for suffix in (".svg", ".npz"):
        write_figure(layer.page.figure(), tmp_path / f"layer{suffix}")
    written = (tmp_path / "layer.svg").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert "run without biases and gains of norms" in written
    with np.load(tmp_path / "layer.npz") as file:
        np.testing.assert_array_equal(file["q"], layer.picture.box("q").array)


# ---- Future and Cache ----


def test_the_cache_of_a_model_grows_by_hand(open_layer):
    layer = open_layer(with_subject(state_of("llama")))
    layer.show(BlockPicture.CACHE)
    assert layer.page.title.text() == "Each token’s key and value are computed once."
    assert layer.picture.tokens == source_of(layer.state.model).labels[0]
    assert layer.panel_words()[0] == layer.state.count.token(layer.picture.tokens[2], 2) + " came last"
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_End)
    assert layer.picture.decoded == 7
    layer.key(Qt.Key.Key_Left)
    assert layer.picture.decoded == 6
    assert layer.picture.state.layer_number == 2
    assert "every 2 heads" in layer.notes.lower()
    layer.type_into(layer.few("text"), "a dog sat")
    assert layer.window.session.state.heads.setup.recipe.sentence == "a dog sat"
    assert not layer.few("text").isHidden()
    assert "seed" not in [name for name, field in layer.drawer.form.controls.items() if field.isVisible()]


def test_a_model_that_looks_both_ways_says_that_it_keeps_no_cache(open_layer):
    layer = open_layer(with_subject(state_of("bert")))
    layer.show(BlockPicture.CACHE)
    assert "A cache is kept by models that see no later words" in layer.told
