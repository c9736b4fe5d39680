"""Where the boxes, lines and words of a layer's diagram stand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from heads_driver import painted_texts
from picture_on_canvas import drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.model import Activation
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.ui.layer import Layer
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.source import LayerPart

BLOCK_PRESETS = preset_list("block")
block_preset = partial(preset_of, preset_list("block"))

DIAGRAMS = [ready for ready in BLOCK_PRESETS if ready.state.picture is BlockPicture.LAYER]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ready", DIAGRAMS, ids=lambda ready: ready.id)
@pytest.mark.parametrize("size", [(556, 430), (830, 560), (1800, 1100)], ids=str)
def test_nothing_overlaps_or_leaves_the_room(qapp, ready, size, theme):
    numbers, look, room = diagram_picture(ready.state), Look(theme), QRectF(0, 0, *size)
    lanes = Layer().layout(numbers, look, room).layout
    places = list(lanes.places.values())
    assert len(places) == len(numbers.boxes)
    for number, place in enumerate(places):
        assert room.contains(place.cells)
        assert place.cells.height() >= 20
        for other in places[number + 1 :]:
            assert not place.cells.intersects(other.cells)
    for way in lanes.ways:
        assert all(room.contains(point) for point in way.points)
    for cut in lanes.cuts:
        assert room.contains(cut.centre)
        assert not cut.says or room.contains(cut.words)
        assert not any(place.cells.intersects(cut.words) for place in places)


@pytest.mark.parametrize("width", [556, 640, 700, 830, 1000, 1400, 1800])
@pytest.mark.parametrize("box", ["x", "q", "k", "v", "weights", "attention_output", "attention_sum"])
def test_lines_run_beside_words(qapp, box, width):
    look, numbers = Look(LIGHT), diagram_picture(BlockState(box=box))
    lanes = Layer().layout(numbers, look, QRectF(0, 0, width, 560)).layout
    heat = lanes.grown
    texts = numbers.tokens if box == "weights" else tuple(map(str, range(heat.columns)))
    for way in lanes.ways:
        start, *_ = way.points
        if 0 <= start.y() - heat.cells.bottom() <= 2:
            for column in range(0, heat.columns, heat.column_labels.step):
                middle = heat.rectangle(0, column).center().x()
                half = text_size(look.font(heat.column_labels.size), texts[column])[0] / 2
                assert abs(start.x() - middle) > half, texts[column]
    around = [way for way in lanes.ways if way.is_residual]
    knots = [cut for cut in lanes.cuts if cut.what is LayerPart.RESIDUAL]
    for way, knot in zip(around, knots, strict=True):
        assert not knot.words.contains(QPointF(way.points[0].x(), knot.words.center().y()))


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_titles_are_whole_at_every_zoom(qapp, zoom):
    look = Look(LIGHT, zoom)
    for state in (BlockState(), block_preset("gpt").state, BlockState(activation=Activation.SILU_GATED)):
        numbers = diagram_picture(state)
        laid = Layer().layout(numbers, look, QRectF(0, 0, 830 * zoom, 560 * zoom))

        def paint(painter: QPainter, numbers=numbers, laid=laid) -> None:
            Layer().paint(painter, numbers, laid, look)

        texts = " ".join(painted_texts(paint)).replace(" ᵀ", "ᵀ")  # which is of another font
        assert "…" not in texts
        for box in numbers.boxes:
            assert box.title in texts, box.title


@pytest.mark.parametrize("ready", DIAGRAMS, ids=lambda ready: ready.id)
def test_a_drawing_has_words_beside_words_and_none_is_cut(qapp, ready):
    numbers = diagram_picture(replace(ready.state, token=1))
    size = 900, 680
    faults = [fault for fault in faults_of(drawing_of(Layer(), numbers, size), size) if fault != "image"]
    assert not faults
