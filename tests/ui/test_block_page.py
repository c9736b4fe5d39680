"""The Block page as people use it: real events on the shown window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import painted_texts, pixels
from pictures_driver import PicturesDriver
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QWidget

from attention_explorer.kit.export.figure import write_figure
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.block.diagram import diagram_picture
from attention_explorer.pages.block.ui.diagram_picture import (
    BlockSpot,
    block_layout,
    block_spot,
    block_words,
    paint_block,
)
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.stack.presets import BLOCK_PRESETS, block_preset
from attention_explorer.pages.stack.state import OF_BLOCK, BlockPicture, BlockState, Initialiser
from attention_explorer.session.settings import Settings, ThemeChoice

OWN = [ready for ready in BLOCK_PRESETS if ready.state.picture in OF_BLOCK]
"""The presets of the page; the others are examples of Lab."""
DIAGRAMS = [ready for ready in BLOCK_PRESETS if ready.state.picture is BlockPicture.LAYER]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said whenever a combo box opens


class Driver(PicturesDriver):
    """The window on the Block page, with a hand on its mouse and an eye on what it says."""

    is_patient = True
    between_keys = 60.0  # each its own undo step

    def box(self, name: str) -> QPointF:
        """Where a box of the diagram has its title."""
        return self.layout.diagram.places[name].frame.topLeft() + QPointF(12.0, 6.0)

    def cell(self, row: int, column: int) -> QPointF:
        return self.layout.detail.cells.rectangle(row, column).center()

    def names(self) -> list[str]:
        return [box.name for box in self.picture.boxes]


@pytest.fixture
def open_block(make_window, hand) -> Callable[..., Driver]:
    def make(block: BlockState | None = None, size: tuple[int, int] = (1280, 800), **settings) -> Driver:
        state = ExplorerState(block=BlockState() if block is None else block)
        window = make_window(state, Settings(**{"theme": ThemeChoice.LIGHT, "page": "block", **settings}), size)
        driver = Driver(window, hand)
        driver.settle()
        return driver

    return make


# ---- Looking ----


def test_pointing_at_a_box_explains_it(open_block):
    block = open_block()
    said = block.point_at(block.box("weights"))
    assert said.startswith("Weights (8, 6, 6): A = softmax of every row. Mean 0.167, std")
    said = block.point_at(block.box("hidden"))
    assert "max(0, z)" in said
    assert "% zeros" in said


def test_a_click_enlarges_a_box_and_the_head_under_the_pointer(open_block):
    block = open_block()
    block.click(block.layout.diagram.places["weights"].tiles[5].center())
    assert (block.state.box, block.state.head) == ("weights", 5)
    assert block.back_text == "Look at Weights"
    assert "Weights (8, 6, 6)" in block.notes
    assert block.layout.detail.map.values.shape == (6, 6)
    np.testing.assert_array_equal(block.layout.detail.map.values, block.picture.box("weights").first[5])
    block.back()
    assert block.state.box == "x"


def test_the_notes_list_what_the_numbers_are_like(open_block):
    block = open_block()
    array = block.picture.chosen.array
    assert f"mean {array.mean():.3f}, standard deviation {array.std():.3f}" in block.notes
    assert f"norm {np.linalg.norm(array):.3f}" in block.notes
    assert f"range {array.min():.3f} to {array.max():.3f}".replace("-", "−") in block.notes
    assert "(6, 64) → (8, 6, 8) → (8, 6, 6) → (8, 6, 8) → (6, 64) → (6, 64)" in block.notes
    assert "49 472 parameters" in block.notes.replace("\N{NARROW NO-BREAK SPACE}", " ").replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_the_keyboard_walks_all_boxes(open_block):
    block = open_block()
    walked = [block.state.box]
    for _ in range(len(block.names()) - 1):
        block.key(Qt.Key.Key_Right)
        walked.append(block.state.box)
    assert walked == block.names()
    block.key(Qt.Key.Key_Right)
    assert block.state.box == "output"
    block.key(Qt.Key.Key_Left)
    assert block.state.box == "feed_forward_sum"
    block.key(Qt.Key.Key_Home)
    assert block.state.box == "x"
    block.key(Qt.Key.Key_End)
    assert block.state.box == "output"


def test_page_up_and_down_change_the_head(open_block):
    block = open_block(BlockState(box="q", heads=2))
    block.key(Qt.Key.Key_PageDown)
    assert block.state.head == 1
    assert block.controls.head.value() == 2
    block.key(Qt.Key.Key_PageDown)
    assert block.state.head == 1
    block.key(Qt.Key.Key_PageUp)
    assert block.state.head == 0


def test_a_token_is_followed_through_all_boxes(open_block):
    block = open_block()
    before = pixels(block.canvas.grab().toImage())
    block.click(block.cell(2, 10))
    assert block.state.token == 2
    assert block.back_text == "Follow “sat”"
    assert "“sat” (3) from box to box" in block.notes
    after = pixels(block.canvas.grab().toImage())
    changed = (before != after).reshape(before.shape[0], before.shape[1], -1).any(axis=-1)
    for name, place in block.layout.diagram.places.items():
        frame = place.frame.toRect()
        part = changed[frame.top() : frame.bottom(), frame.left() : frame.right()]
        assert part.any(), name
    block.click(block.cell(2, 30))
    assert block.state.token is None


def test_arrow_keys_follow_a_token_and_esc_lets_it_go(open_block):
    block = open_block()
    block.key(Qt.Key.Key_Down)
    assert block.state.token == 0
    block.key(Qt.Key.Key_Down)
    assert block.state.token == 1
    block.key(Qt.Key.Key_Up)
    block.key(Qt.Key.Key_Up)
    assert block.state.token == 0
    block.key(Qt.Key.Key_Escape)
    assert block.state.token is None
    block.key(Qt.Key.Key_Up)
    assert block.state.token == 5


def test_a_number_explains_itself(open_block):
    block = open_block(BlockState(box="scaled", head=1))
    said = block.point_at(block.cell(1, 3))
    assert said.startswith("Scaled scores, head 2, “cat” (2) → “on” (4): ")
    assert said.endswith(f"{block.picture.box('scaled').first[1, 1, 3]:+.3f}".replace("-", "−"))


def test_labels_and_bars_say_how_long_a_token_is(open_block):
    block = open_block(block_preset("pipeline").state)
    cells = block.layout.detail.cells.cells
    y = block.cell(0, 0).y()
    assert "“The” (1), Output of attention: norm 36.719" in block.point_at(QPointF(cells.left() - 8, y))
    assert "norm 6.239 before the layer, 36.72 after it, 5.89 times" in block.point_at(
        QPointF(block.layout.detail.bars.center().x(), y)
    )
    block.click(QPointF(cells.left() - 8, y))
    assert block.state.token == 0


def test_the_norms_of_the_tutorial_stand_beside_their_bars(open_block):
    block = open_block(block_preset("pipeline").state)
    texts = painted_texts(block.canvas.paint_picture)
    before = ["6.24", "7.10", "7.07", "7.63", "6.26", "6.39"]
    after = ["36.72", "32.60", "38.34", "32.56", "30.44", "34.79"]
    for one, other in zip(before, after, strict=True):
        assert f"{one} → {other}" in texts


# ---- Switching ----


def test_switches_take_boxes_away_and_can_be_undone(open_block):
    block = open_block()
    assert "attention_sum" in block.names()
    block.press(block.bar.residual)
    assert not block.state.residual
    assert "attention_sum" not in block.names()
    assert "residual" not in painted_texts(block.canvas.paint_picture)
    assert block.undo_text == "Remove the residual"
    block.undo()
    assert "attention_sum" in block.names()
    block.press(block.bar.causal)
    assert "masked" in block.names()
    block.press(block.bar.feed_forward)
    assert "hidden" not in block.names()
    assert not block.bar.activation.isVisible()
    assert not block.bar.d_ff.isVisible()
    block.press(block.bar.encoding)
    assert "X" in painted_texts(block.canvas.paint_picture)


def test_the_norm_can_be_moved_and_changed(open_block):
    block = open_block()
    block.press(block.bar.placement.buttons[NormPlacement.PRE])
    assert "attention_input" in block.names()
    block.press(block.bar.kind.buttons[NormKind.RMS])
    assert "RMS norm" in painted_texts(block.canvas.paint_picture)
    block.press(block.bar.eps_place.buttons[False])
    assert not block.state.eps_inside_sqrt
    block.type_into(block.bar.eps, "0.5")
    assert block.state.eps == 0.5
    block.press(block.bar.placement.buttons[NormPlacement.NONE])
    assert not block.bar.eps.isVisible()
    assert "attention_input" not in block.names()


def test_activation_and_initialiser_are_chosen(open_block):
    block = open_block()
    block.choose(block.bar.activation, Activation.SILU_GATED)
    assert block.state.activation is Activation.SILU_GATED
    assert "linear_part" in block.names()
    assert not block.bar.gain.isVisible()
    block.choose(block.bar.initialiser, Initialiser.NUMBER)
    assert block.state.initialiser is Initialiser.NUMBER
    block.type_into(block.bar.gain, "0.3")
    assert block.state.gain == 0.3
    assert block.picture.layer.attention.w_q.std() == pytest.approx(0.3, rel=0.05)


def test_sizes_change_the_shapes(open_block):
    block = open_block()
    block.type_into(block.bar.d_model, "96")
    block.type_into(block.bar.heads, "3")
    block.type_into(block.bar.d_ff, "10")
    block.type_into(block.controls.sentence, "one two three")
    block.type_into(block.controls.batch, "2")
    texts = painted_texts(block.canvas.paint_picture)
    for shape in ("(2, 3, 96)", "(2, 3, 3, 32)", "(2, 3, 3, 3)", "(2, 3, 10)"):
        assert shape in texts


def test_an_empty_sentence_is_refused(open_block):
    block = open_block()
    block.type_into(block.controls.sentence, "   ")
    assert "write at least one" in block.told
    assert block.picture.tokens == ("The", "cat", "sat", "on", "the", "mat")
    assert block.state.sentence.strip()


def test_an_undo_shows_in_the_sentence_while_it_has_the_keyboard(open_block):
    block = open_block()
    line = block.controls.sentence
    block.type_into(line, "one two")
    block.page.session.undo()
    assert line.hasFocus()
    assert line.text() == block.state.sentence == "The cat sat on the mat"


def test_the_beginning_of_a_long_sentence_is_seen_and_its_end_while_it_is_typed(open_block):
    block = open_block()
    line, long = block.controls.sentence, "one two three four five six seven eight nine ten eleven"
    block.type_into(line, long)
    assert line.cursorPosition() == len(long)
    block.page.canvas.setFocus()
    assert line.cursorPosition() == 0
    block.page.session.undo()
    block.page.session.redo()
    assert (line.text(), line.cursorPosition()) == (long, 0)
    line.setFocus()
    QTest.keyClicks(line, " twelve")
    assert block.state.sentence == f"{long} twelve"


def test_layers_are_stacked_and_looked_into(open_block):
    block = open_block()
    assert not block.controls.layer.isVisible()
    block.type_into(block.bar.layers, "3")
    block.type_into(block.controls.layer, "3")
    assert block.state.layer == 2
    assert block.page.title.text() == "Layer 3 of 3, from its input to its output"
    assert "X, from layer 2" in block.notes
    block.type_into(block.bar.layers, "2")
    assert block.page.title.text() == "Layer 2 of 2, from its input to its output"
    assert block.state.layer == 2  # the wish stays


# ---- Presets, worker, files ----


@pytest.mark.parametrize("ready", OWN, ids=lambda ready: ready.id)
def test_every_preset_opens_from_the_bar(open_block, ready):
    block = open_block(replace(BlockState(), seed=1))
    index = [preset.id for preset in OWN].index(ready.id)
    block.page.bar.preset_box.activated.emit(index)
    block.settle()
    assert block.state == ready.state
    assert block.told == ""
    assert block.bar.preset_box.currentText() == ready.title
    assert block.page.hint.text.text() == ready.look_for
    assert len(np.unique(pixels(block.canvas.grab().toImage()))) > 8


def test_the_full_size_layer_comes_from_the_worker_and_esc_stops_it(open_block):
    block = open_block()
    before = block.picture
    block.page.bar.preset_box.activated.emit(1)
    assert block.page.jobs.is_busy()
    assert block.picture is before
    QTest.keyClick(block.canvas, Qt.Key.Key_Escape)
    assert "Stopped" in block.said
    block.settle()
    assert block.picture is before
    block.press(block.bar.residual)
    assert block.picture.box("x").shape == (2, 10, 512)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".csv", ".json", ".npz"])
def test_the_diagram_is_taken_away(open_block, tmp_path: Path, suffix: str):
    block = open_block(BlockState(causal=True, token=2))
    path = tmp_path / f"layer{suffix}"
    write_figure(block.page.figure(), path)
    assert path.stat().st_size > 2000
    if suffix == ".svg":
        text = path.read_text(encoding="utf-8")
        assert "softmax" in text
        assert "(8, 6, 6)" in text
    if suffix == ".npz":
        with np.load(path) as file:
            np.testing.assert_array_equal(file["masked"], block.picture.box("masked").array)


# ---- The look ----


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ready", DIAGRAMS, ids=lambda ready: ready.id)
@pytest.mark.parametrize("size", [(780, 470), (1800, 1100)], ids=str)
def test_nothing_overlaps_or_leaves_the_room(qapp, ready, size, theme):
    picture, look = diagram_picture(ready.state), Look(theme)
    room = QRectF(0, 0, *size)
    layout = block_layout(picture, look, room)
    places = list(layout.diagram.places.values())
    assert len(places) == len(picture.boxes)
    for number, place in enumerate(places):
        assert room.contains(place.frame)
        for tile in place.tiles:
            assert place.frame.contains(tile)
            assert tile.height() >= 5.0
        for other in places[number + 1 :]:
            assert not place.frame.intersects(other.frame)
        assert place.frame.bottom() < layout.divider[0].y()
    assert room.contains(layout.detail.cells.cells)
    assert room.contains(layout.detail.cells.bar)
    assert layout.detail.cells.cells.right() < layout.detail.bars.left()
    for path in layout.diagram.paths:
        assert all(room.contains(point) for point in path.points)


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_titles_are_whole_at_every_zoom(qapp, zoom):
    look = Look(LIGHT, zoom)
    for state in (BlockState(), block_preset("gpt").state, BlockState(activation=Activation.SILU_GATED)):
        picture = diagram_picture(state)
        layout = block_layout(picture, look, QRectF(0, 0, 780 * zoom, 470 * zoom))
        image = QImage(round(780 * zoom), round(470 * zoom), QImage.Format.Format_RGB32)

        def paint(painter: QPainter, picture=picture, layout=layout) -> None:
            paint_block(painter, picture, layout, look)

        assert not image.isNull()
        texts = painted_texts(paint)
        assert not any("…" in text for text in texts[: 2 * len(picture.boxes)])
        for box in picture.boxes:
            assert box.shape_text in texts


def test_every_spot_has_words(qapp):
    picture = diagram_picture(BlockState(box="q", causal=True))
    layout = block_layout(picture, Look(LIGHT), QRectF(0, 0, 800, 500))
    for x in range(0, 800, 13):
        for y in range(0, 500, 13):
            spot = block_spot(picture, layout, QPointF(x, y))
            assert bool(block_words(picture, spot)) == isinstance(spot, BlockSpot)


def test_a_narrow_window_scrolls_and_stays_legible(open_block):
    block = open_block(size=(900, 650))
    assert block.canvas.height() >= 560
    assert block.canvas.width() > 700
    assert all(tile.height() > 20 for tile in block.layout.diagram.places["weights"].tiles)


def test_every_control_teaches_and_has_a_name(open_block):
    block = open_block(BlockState(layers=2, initialiser=Initialiser.NUMBER))
    for parent in (block.bar, block.controls):
        for control in parent.findChildren(QWidget):
            if control.focusPolicy() & Qt.FocusPolicy.TabFocus and control.isVisible() and control.toolTip() != "":
                assert control.accessibleName() or control.text()
    for control in (block.bar.d_model, block.bar.residual, block.bar.eps, block.controls.sentence, block.controls.head):
        assert len(control.toolTip()) > 20


# ---- What a picture needs, and no more ----


@pytest.mark.parametrize("placement", NormPlacement)
def test_a_layer_without_a_norm_has_no_switches_of_one(open_block, placement):
    bar = open_block(BlockState(norm=placement)).page.bar
    assert bar.placement.isVisible()
    for of_a_norm in (bar.kind, bar.eps, bar.eps_place):
        assert of_a_norm.isVisible() is (placement is not NormPlacement.NONE)


def test_epsilon_is_shown_without_a_power_and_typed_with_one(open_block):
    block = open_block()
    eps = block.page.bar.eps
    assert eps.text() == "0.00001"
    for typed, number, shown in (("1e-6", 1e-6, "0.000001"), ("0,002", 0.002, "0.002"), ("0", 0.0, "0")):
        block.type_into(eps, typed)
        assert (block.state.eps, eps.text()) == (number, shown)
    block.type_into(eps, "2")
    assert block.state.eps == 0.0
    assert "from 0 to 1" in block.told


def test_walking_a_large_layer_needs_no_worker(open_block, monkeypatch):
    block = open_block(replace(block_preset("full").state, box="x"))
    asked = []
    monkeypatch.setattr(block.page.jobs, "request", lambda *_order, **_how: asked.append(block.state))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageDown):
        block.key(key)
    assert asked == []
    assert (block.picture.chosen.name, block.picture.token, block.picture.state.head) == ("k", 0, 1)
    block.page.apply(Change(replace(block.state, seed=7), "Change the seed"))
    assert len(asked) == 1


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_the_names_in_the_lists_are_whole_at_any_zoom(open_block, zoom):
    block = open_block(BlockState(activation=Activation.GELU_TANH, initialiser=Initialiser.XAVIER), zoom=zoom)
    for box in (block.page.bar.activation, block.page.bar.initialiser):
        option = QStyleOptionComboBox()
        box.initStyleOption(option)
        room = box.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
        )
        assert box.fontMetrics().horizontalAdvance(box.currentText()) <= room.width()
