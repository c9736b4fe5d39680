"""Dropout on the Layer page: switched on by hand, seen in the diagram, explained, taken away, undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from layer_driver import LayerDriver
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from attention_explorer.kit.export.figure import write_figure
from attention_explorer.model import DropoutPlace, dropout
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.diagram_words import AS_IN_TRAINING
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.learned.box import BOX

ON = BlockState(box="weights", dropout=True)
PLACES = [place.value for place in DropoutPlace]


def left_out(layer: LayerDriver) -> list[tuple[int, int]]:
    """Return the cells of the grown box that are left out."""
    holes = layer.picture.chosen.holes(layer.picture.head)
    return [] if holes is None else [tuple(place) for place in np.argwhere(holes).tolist()]


def test_it_is_switched_on_said_and_undone(open_layer):
    layer = open_layer(BlockState(box="weights"))
    before = layer.picture.box("weights").first
    np.testing.assert_allclose(before.sum(axis=-1), 1.0)
    assert not layer.field("dropout_rate").isVisible()
    layer.press(layer.field("dropout"))
    assert layer.undo_text == "Switch dropout"
    assert [box.name for box in layer.picture.boxes if box.left_out is not None] == PLACES
    after, box = layer.picture.box("weights").first, layer.picture.box("weights")
    np.testing.assert_allclose(after, np.where(box.left_out[0], 0.0, before / 0.9))
    assert box.left_out.any()
    heading, sentence = layer.panel_words()
    assert heading == "Weights"
    assert "then dropout: 0 with p = 0.1, the rest × 1.111" in sentence
    assert AS_IN_TRAINING in sentence
    assert "Their mean over many draws is 1." in layer.notes
    assert "Every row sums to 1." not in layer.notes
    assert "A layer that is used, as everywhere else in this program, has none." in layer.notes
    assert "softmax, dropout" in " ".join(layer.texts())
    layer.undo()
    np.testing.assert_array_equal(layer.picture.box("weights").first, before)
    assert all(box.left_out is None for box in layer.picture.boxes)


def test_what_is_left_out_is_bare_and_says_so_and_the_rest_says_by_what_it_grew(open_layer):
    layer = open_layer(replace(ON, dropout_rate=0.5))
    places = left_out(layer)
    ground = QColor(layer.canvas.look.theme.card)
    picture = layer.canvas.grab().toImage()
    ratio = picture.devicePixelRatio()
    for row in range(6):
        for column in range(6):
            corner = layer.lanes.grown.rectangle(row, column).topLeft()
            pixel = picture.pixelColor(round((corner.x() + 5) * ratio), round((corner.y() + 5) * ratio))
            assert (pixel == ground) == ((row, column) in places)
    assert layer.point_at(layer.cell(*places[0])).endswith("left out by dropout: 0")
    stays = next((row, column) for row in range(6) for column in range(6) if (row, column) not in places)
    said = layer.point_at(layer.cell(*stays))
    weight = layer.picture.chosen.part(0)[stays]
    assert f"= {weight / 2:.4f}, × 2 by dropout = {weight:.3f}" in said


@pytest.mark.parametrize("name", ["hidden", "attention_output", "feed_forward_output"])
def test_the_arithmetic_of_the_other_places_goes_on_from_what_was_before(open_layer, name):
    layer = open_layer(replace(ON, box=name, dropout_rate=0.5))
    holes, values = layer.picture.chosen.holes(0), layer.picture.chosen.part(0)
    row, column = np.argwhere(~holes & (values != 0.0))[0].tolist()
    said = layer.point_at(layer.cell(row, column)).replace("−", "-")
    before, after = said.rsplit("= ", 2)[1:]
    assert float(before.partition(",")[0]) == pytest.approx(values[row, column] / 2, abs=1e-3)
    assert float(after) == pytest.approx(values[row, column], abs=1e-3)


def test_rate_and_seed_are_typed_and_another_seed_leaves_out_others(open_layer):
    layer = open_layer(ON)
    first = layer.picture.box("hidden").left_out
    layer.type_into(layer.field("dropout_seed"), "1")
    assert layer.undo_text == "Leave out others"
    assert not np.array_equal(layer.picture.box("hidden").left_out, first)
    layer.type_into(layer.field("dropout_rate"), "0.5")
    assert abs(layer.picture.box("hidden").left_out.mean() - 0.5) < 0.05
    layer.type_into(layer.field("dropout_rate"), "1")
    assert "from 0 to 0.95" in layer.told
    assert layer.state.dropout_rate == 0.5


def test_the_colour_bar_ends_where_the_weights_do(open_layer):
    layer = open_layer(replace(ON, causal=True, dropout_rate=0.2, dropout_seed=1))
    assert layer.picture.chosen.part(0).max() == 1.25, "the first word reads itself alone, and grows"
    assert layer.picture.chosen.scale.high == 1.25
    assert "1.25" in layer.texts()
    layer.press(layer.field("dropout"))
    assert layer.picture.chosen.scale.high == 1.0


def test_a_layer_and_its_picture_draw_once():
    dropout._kept.cache_clear()
    boxes = diagram_picture(replace(ON, dropout_seed=271)).boxes
    assert [box.name for box in boxes if box.left_out is not None] == PLACES
    assert dropout._kept.cache_info().misses == len(PLACES)


def test_what_a_mask_hides_is_not_left_out_too(open_layer):
    layer = open_layer(replace(ON, causal=True, dropout_rate=0.9))
    assert not layer.picture.box("weights").left_out[0][:, ~np.tri(6, dtype=bool)].any()
    assert "comes later: −∞, weight exactly 0" in layer.point_at(layer.cell(0, 3))


def test_what_a_followed_token_reads_sums_to_what_is_said(open_layer):
    layer = open_layer(ON)
    layer.canvas.setFocus()
    layer.key(Qt.Key.Key_Down)
    total = layer.picture.box("weights").first[0, 0].sum()
    assert f"Its weights sum to {total:.3f}" in layer.panel_words()[1]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".npz"])
def test_it_is_taken_away_with_its_settings(open_layer, tmp_path: Path, suffix: str):
    layer = open_layer(ON)
    path = tmp_path / f"layer{suffix}"
    write_figure(layer.page.figure(), path)
    assert "dropout as in training, p = 0.1, draw 0" in layer.view.settings(layer.state).replace(
        "\N{NO-BREAK SPACE}", " "
    )
    if suffix == ".svg":
        text = path.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
        assert "dropout as in training, p = 0.1, draw 0" in text
    if suffix == ".npz":
        with np.load(path) as file:
            np.testing.assert_array_equal(file["weights"], layer.picture.box("weights").array)


def test_layers_that_were_learned_without_say_so(open_layer):
    state = learned_block(*BOX["it"], "The cat sat on the mat because it was tired.")
    layer = open_layer(replace(state, dropout=True))
    field = layer.field("dropout")
    assert not field.isEnabled()
    assert "Nothing says that these weights were learned with dropout." in field.toolTip()
    assert layer.state.drops is None


@pytest.mark.parametrize("picture", [BlockPicture.FUTURE, BlockPicture.CACHE])
def test_other_views_are_of_a_layer_that_is_used(open_layer, picture):
    layer = open_layer(replace(ON, picture=picture))
    assert layer.state.drops is None
    assert "dropout" not in layer.view.settings(layer.state)
    layer.field("seed")
    assert "dropout" not in layer.drawer.form.controls
