"""The Layer page as people use it: real events on the shown window."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from heads_driver import Gate, painted_texts, pixels
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest

from attention_explorer.core.mask import MaskKind
from attention_explorer.core.preset import preset_of
from attention_explorer.kit.export.figure import write_figure
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.ui.layer import DIAGRAM, Layer
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.state import BlockState

block_preset = partial(preset_of, preset_list("block"))

"""The presets of the page; the others are examples of Lab."""


# ---- Looking ----


def test_pointing_at_a_box_explains_it(open_layer):
    layer = open_layer()
    said = layer.point_at(layer.box("weights"))
    assert said.startswith("Weights (8, 6, 6): A = softmax of every row. Mean 0.167, std")
    said = layer.point_at(layer.box("hidden"))
    assert "max(0, z)" in said
    assert "% zeros" in said


def test_a_click_grows_a_box_and_shows_its_numbers(open_layer):
    layer = open_layer()
    small = layer.lanes.places["weights"].cells.width()
    layer.click(layer.lanes.places["weights"].cells.center())
    assert layer.state.box == "weights"
    assert layer.back_text == "Look at Weights"
    assert layer.lanes.places["weights"].cells.width() > 3 * small
    weights = layer.picture.box("weights").first[0]
    assert f"{weights[0, 0]:.3f}".removeprefix("0") in layer.texts()
    layer.back()
    assert layer.state.box == "x"


def test_a_click_on_the_map_of_a_head_shows_that_head(open_layer):
    layer = open_layer(BlockState(box="weights"))
    layer.click(layer.lanes.heads[5].center())
    assert layer.state.head == 5
    assert layer.back_text == "Look at head 6"
    weights = layer.picture.box("weights").first[5]
    assert f"{weights[2, 1]:.3f}".removeprefix("0") in layer.texts()


def test_the_drawer_lists_what_the_numbers_are_like(open_layer):
    layer = open_layer()
    array = layer.picture.chosen.array
    assert f"mean {array.mean():.3f}, standard deviation {array.std():.3f}" in layer.notes
    assert f"norm {np.linalg.norm(array):.3f}" in layer.notes
    assert f"range {array.min():.3f} to {array.max():.3f}".replace("-", "−") in layer.notes
    assert "(6, 64) → (8, 6, 8) → (8, 6, 6) → (8, 6, 8) → (6, 64) → (6, 64)" in layer.notes
    assert "49 472 parameters" in layer.notes.replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_the_keyboard_walks_all_boxes(open_layer):
    layer = open_layer()
    walked = [layer.state.box]
    for _ in range(len(layer.names()) - 1):
        layer.key(Qt.Key.Key_Right)
        walked.append(layer.state.box)
    assert walked == layer.names()
    layer.key(Qt.Key.Key_Right)
    assert layer.state.box == "output"
    layer.key(Qt.Key.Key_Left)
    assert layer.state.box == "feed_forward_sum"
    layer.key(Qt.Key.Key_Home)
    assert layer.state.box == "x"
    layer.key(Qt.Key.Key_End)
    assert layer.state.box == "output"


def test_page_up_and_down_change_the_head(open_layer):
    layer = open_layer(BlockState(box="q", heads=2))
    layer.key(Qt.Key.Key_PageDown)
    assert layer.state.head == 1
    assert layer.field("head_number").value() == 2
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_PageDown)
    assert layer.state.head == 1
    layer.key(Qt.Key.Key_PageUp)
    assert layer.state.head == 0


def test_a_token_is_followed_through_all_boxes(open_layer):
    layer = open_layer()
    before = pixels(layer.canvas.grab().toImage())
    layer.click(layer.cell(2, 10))
    assert layer.state.token == 2
    assert layer.back_text == "Follow “sat”"
    assert layer.panel_words()[0] == "Follow “sat” (3)"
    assert "“sat” (3) from box to box" in layer.notes
    after = pixels(layer.canvas.grab().toImage())
    changed = (before != after).reshape(before.shape[0], before.shape[1], -1).any(axis=-1)
    for name, place in layer.lanes.places.items():
        frame = place.cells.toRect()
        assert changed[frame.top() : frame.bottom(), frame.left() : frame.right()].any(), name
    layer.click(layer.cell(2, 30))
    assert layer.state.token is None


def test_what_a_token_reads_most_is_said_and_what_arrives_of_it(open_layer):
    layer = open_layer(BlockState(token=2))
    row = layer.picture.box("weights").first[0, 2]
    assert f"{layer.picture.tokens[int(row.argmax())]}”" in layer.panel_words()[1]
    assert f"{row.max():.3f}" in layer.panel_words()[1]


def test_a_name_is_clicked_and_arrow_keys_follow_and_esc_lets_go(open_layer):
    layer = open_layer()
    layer.click(layer.label(3))
    assert layer.state.token == 3
    layer.key(Qt.Key.Key_Escape)
    assert layer.state.token is None
    layer.key(Qt.Key.Key_Down)
    layer.key(Qt.Key.Key_Down)
    assert layer.state.token == 1
    layer.key(Qt.Key.Key_Up)
    layer.key(Qt.Key.Key_Up)
    assert layer.state.token == 0
    layer.key(Qt.Key.Key_Escape)
    layer.key(Qt.Key.Key_Up)
    assert layer.state.token == 5


def test_a_number_explains_itself(open_layer):
    layer = open_layer(BlockState(box="scaled", head=1))
    said = layer.point_at(layer.cell(1, 3))
    assert said.startswith("Scaled scores, head 2, “cat” (2) → “on” (4): ")
    assert said.endswith(f"{layer.picture.box('scaled').first[1, 1, 3]:+.3f}".replace("-", "−"))


def test_names_and_rows_say_how_long_a_token_is(open_layer):
    layer = open_layer(block_preset("pipeline").state)
    assert "norm 6.239 before the layer, 36.72 after it, 5.89 times" in layer.point_at(layer.label(0))
    said = layer.point_at(layer.lanes.places["concat"].row(0).center())
    assert said.startswith("“The” (1), Heads side by side: norm")


def test_the_norms_of_the_tutorial_stand_beside_the_diagram(open_layer):
    layer = open_layer(block_preset("pipeline").state)
    texts = painted_texts(layer.page.panel.items.paint_picture)
    for one in ("6.24", "7.10", "7.07", "7.63", "6.26", "6.39", "36.72", "32.60", "38.34", "32.56", "30.44", "34.79"):
        assert one in texts


# ---- Switching ----


def test_switches_take_boxes_away_and_can_be_undone(open_layer):
    layer = open_layer()
    layer.press(layer.few("residual"))
    assert not layer.state.residual
    assert "attention_sum" not in layer.names()
    assert "residual" not in layer.texts()
    layer.undo()
    assert "attention_sum" in layer.names()
    layer.press(layer.few("causal"))
    assert "masked" in layer.names()
    layer.press(layer.few("feed_forward"))
    assert "hidden" not in layer.names()
    assert not layer.field("activation").isVisible()
    assert not layer.field("d_ff").isVisible()
    layer.press(layer.field("encoding"))
    assert "X" in [text.partition(" · ")[0] for text in layer.texts()]


@pytest.mark.parametrize("part", ["residual", "feed_forward"])
def test_a_click_cuts_a_part_and_puts_it_back(open_layer, part):
    layer = open_layer()
    assert layer.point_at(layer.knot(part)).startswith("Click: cut the")
    layer.click(layer.knot(part))
    assert getattr(layer.state, part) is False
    assert layer.undo_text.startswith("Cut the")
    layer.click(layer.knot(part))
    assert getattr(layer.state, part) is True
    assert layer.undo_text.startswith("Put the")


def test_the_norm_can_be_moved_and_changed(open_layer):
    layer = open_layer()
    layer.choose(layer.few("norm"), NormPlacement.PRE)
    assert "attention_input" in layer.names()
    layer.choose(layer.field("norm_kind"), NormKind.RMS)
    assert layer.picture.box("attention_input").title == "RMS norm"
    layer.set_by_hand(layer.field("eps_inside_sqrt"))
    assert not layer.state.eps_inside_sqrt
    layer.type_into(layer.field("eps"), "0.5")
    assert layer.state.eps == 0.5
    layer.choose(layer.few("norm"), NormPlacement.NONE)
    assert not layer.field("eps").isVisible()
    assert "attention_input" not in layer.names()


def test_activation_and_initialiser_are_chosen(open_layer):
    layer = open_layer()
    layer.choose(layer.field("activation"), Activation.SILU_GATED)
    assert "linear_part" in layer.names()
    assert not layer.field("gain").isVisible()
    layer.choose(layer.field("initialiser"), Initialiser.NUMBER)
    layer.type_into(layer.field("gain"), "0.3")
    assert layer.state.gain == 0.3
    assert layer.picture.layer.attention.w_q.std() == pytest.approx(0.3, rel=0.05)


def test_sizes_change_the_shapes(open_layer):
    layer = open_layer()
    layer.type_into(layer.few("text"), "one two three")
    for name, number in (("d_model", "96"), ("heads", "3"), ("d_ff", "10"), ("batch", "2")):
        layer.type_into(layer.field(name), number)
    shapes = [box.shape_text for box in layer.picture.boxes]
    for shape in ("(2, 3, 96)", "(2, 3, 3, 32)", "(2, 3, 3, 3)", "(2, 3, 10)"):
        assert shape in shapes
    assert "(2, 3, 96)" in layer.texts()


def test_layers_are_stacked_and_looked_into(open_layer):
    layer = open_layer()
    assert not layer.page.main.isVisible()
    layer.type_into(layer.field("layers"), "3")
    layer.type_into(layer.main.box, "3")
    assert layer.state.layer == 2
    assert layer.page.title.text() == "Layer 3 of 3, from its input to its output"
    assert "X, from layer 2" in layer.notes
    layer.type_into(layer.field("layers"), "2")
    assert layer.page.title.text() == "Layer 2 of 2, from its input to its output"
    assert layer.state.layer == 2  # the wish stays


# ---- Presets, worker, files ----


def test_the_full_size_layer_comes_from_the_worker_and_esc_stops_it(open_layer, monkeypatch):
    layer = open_layer()
    gate, compute = Gate(), Layer.compute

    def held_up(*order):
        gate.wait()
        return compute(*order)

    monkeypatch.setattr(Layer, "compute", staticmethod(held_up))
    layer.is_patient = False
    before = layer.picture
    layer.load("full")
    assert layer.page.jobs.is_busy()
    assert layer.picture is before
    QTest.keyClick(layer.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in layer.said
    gate.open()
    layer.settle()
    assert layer.picture is before
    layer.press(layer.few("residual"))
    layer.settle()
    assert layer.picture.box("x").shape == (2, 10, 512)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".csv", ".json", ".npz"])
def test_the_diagram_is_taken_away(open_layer, tmp_path: Path, suffix: str):
    layer = open_layer(BlockState(causal=True, token=2))
    path = tmp_path / f"layer{suffix}"
    write_figure(layer.page.figure(), path)
    assert path.stat().st_size > 2000
    if suffix == ".svg":
        text = path.read_text(encoding="utf-8")
        assert "softmax" in text
        assert "(8, 6, 6)" in text
    if suffix == ".npz":
        with np.load(path) as file:
            np.testing.assert_array_equal(file["masked"], layer.picture.box("masked").array)


def test_walking_a_large_layer_needs_no_worker(open_layer, monkeypatch):
    layer = open_layer(replace(block_preset("full").state, box="x"))
    asked = []
    monkeypatch.setattr(layer.page.jobs, "request", lambda *_order, **_how: asked.append(layer.state))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown):
        layer.key(key)
    assert asked == []
    assert (layer.picture.chosen.name, layer.picture.token, layer.picture.head) == ("k", 0, 1)
    layer.type_into(layer.field("seed"), "7")
    assert asked


# ---- The look ----


def test_every_spot_has_words_and_can_be_marked(qapp):
    numbers, look = diagram_picture(BlockState(box="q", causal=True)), Look(LIGHT)
    laid, layer = Layer().layout(numbers, look, QRectF(0, 0, 830, 560)), Layer()
    found = set()
    for x in range(0, 830, 7):
        for y in range(0, 560, 7):
            hit = laid.item.hit(laid.layout, QPointF(x, y))
            if hit is not None:
                found.add(hit)
    assert len(found) > 60

    def paint(painter: QPainter) -> None:
        for hit in found:
            assert layer.words(numbers, hit), hit
            layer.mark(painter, numbers, laid, look, hit)

    painted_texts(paint)
    assert layer.mark is not None
    assert Hit(DIAGRAM, None) not in found


def test_a_narrow_window_scrolls_and_stays_legible(open_layer):
    layer = open_layer(size=(900, 650))
    assert layer.canvas.width() > 700
    assert all(place.cells.height() > 20 for place in layer.lanes.places.values())


@pytest.mark.parametrize("placement", NormPlacement)
def test_a_layer_without_a_norm_has_no_switches_of_one(open_layer, placement):
    layer = open_layer(BlockState(norm=placement))
    assert layer.few("norm").isVisible()
    for of_a_norm in ("norm_kind", "eps", "eps_inside_sqrt"):
        assert layer.field(of_a_norm).isVisible() is (placement is not NormPlacement.NONE)


def test_biases_and_gains_are_switched_on_and_said(open_layer):
    layer = open_layer(BlockState(box="q"))
    layer.press(layer.field("biases"))
    assert "+ b_q" in layer.picture.box("q").formula
    assert "of b_q" in layer.point_at(layer.cell(1, 2))
    layer.press(layer.field("gains"))
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_End)
    assert "· gain" in layer.point_at(layer.cell(1, 2))
    assert "random biases" in layer.view.settings(layer.state)
    assert "Not there, as in many tutorials: dropout." in layer.notes
    layer.choose(layer.few("norm"), NormPlacement.NONE)
    assert not layer.field("gains").isVisible()


def test_a_mask_is_chosen_and_a_click_paints_its_cells(open_layer):
    layer = open_layer(BlockState(box="weights"))
    assert "masked" not in layer.names()
    layer.choose(layer.field("mask_kind"), MaskKind.WINDOW)
    assert "masked" in layer.names()
    layer.type_into(layer.field("mask_size"), "2")
    assert (layer.picture.box("weights").first[:, 0, 3] == 0).all()
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_Left)
    assert layer.picture.chosen.name == "masked"
    assert "by the window mask of 2" in layer.point_at(layer.cell(0, 3))
    layer.click(layer.cell(0, 3))
    assert layer.state.mask.shown == {(0, 3)}
    assert layer.undo_text == "Show a cell of the mask"
    assert (layer.picture.box("weights").first[:, 0, 3] > 0).all()
    layer.click(layer.cell(0, 3))
    assert layer.state.mask.hidden == {(0, 3)}
    assert "by hand" in layer.point_at(layer.cell(0, 3))
    assert "window 2, 1 cell hidden by hand" in layer.view.settings(layer.state).replace("\N{NO-BREAK SPACE}", " ")
