"""The graph of heads by layer, and what maps of rows say besides their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.kit.drawing.cell_marks import cell_text
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.circuits.ui.reads import Edge, HeadGraph

LOOK, BOX = Look(LIGHT), QRectF(0, 0, 500, 400)
GRAPH = HeadGraph(
    "Heads",
    ("layer 1", "layer 2", "layer 3"),
    (("1.1", "1.2"), ("2.1", "2.2"), ("3.1", "3.2")),
    (Edge((0, 1), (2, 1), 0.2), Edge((1, 0), (2, 0), 0.5), Edge((0, 0), (1, 0), 1.0)),
)


def test_heads_stand_by_layer_from_the_bottom_and_are_pointed_at(qapp: object) -> None:
    layout = GRAPH.layout(LOOK, BOX)
    first, last = layout.centre((0, 0)), layout.centre((2, 1))
    assert first.y() > last.y()
    assert first.x() < last.x()
    for node in ((0, 0), (1, 1), (2, 0)):
        assert GRAPH.hit(layout, layout.centre(node)) == Hit("Heads", node)
    assert GRAPH.hit(layout, QPointF(2, 2)) is None
    assert BOX.contains(GRAPH.data_box(layout))


def test_a_head_lights_the_path_that_leads_to_it_and_on(qapp: object) -> None:
    assert {(edge.writer, edge.reader) for edge in GRAPH._path((1, 0))} == {((0, 0), (1, 0)), ((1, 0), (2, 0))}
    assert {(edge.writer, edge.reader) for edge in GRAPH._path((0, 0))} == {((0, 0), (1, 0)), ((1, 0), (2, 0))}
    assert [edge.writer for edge in GRAPH._path((2, 1))] == [(0, 1)]
    assert GRAPH._path((1, 1)) == []
    layout, image = GRAPH.layout(LOOK, BOX), QImage(500, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    GRAPH.paint(painter, layout, LOOK)
    before = image.copy()
    GRAPH.mark(painter, layout, LOOK, Hit("Heads", (1, 0)))
    painter.end()
    assert image != before


def test_keys_go_up_to_later_layers(qapp: object) -> None:
    assert GRAPH.walk(None, Qt.Key.Key_Up) == Hit("Heads", (0, 0))
    assert GRAPH.walk(Hit("Heads", (0, 0)), Qt.Key.Key_Up) == Hit("Heads", (1, 0))
    assert GRAPH.walk(Hit("Heads", (1, 0)), Qt.Key.Key_Down) == Hit("Heads", (0, 0))
    assert GRAPH.spoken() == "Heads: 1.1 to 2.1; 2.1 to 3.1; 1.2 to 3.2"


def test_a_map_of_rows_names_its_columns_and_has_words_in_its_cells(qapp: object) -> None:
    values = np.array([[0.1, 0.9], [0.5, 0.0]])
    scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "probability")
    picture = MapPicture(values, np.zeros((2, 2), np.bool_), scale, "viridis", ("one", "two"), ("left", "right"))
    words = RowsMap("Words", picture, names_columns=True, words=(("a", "b"), ("c", "d")), chosen=(1, 0))
    layout = words.layout(LOOK, BOX)
    assert layout.cells.top() > RowsMap("Words", picture).layout(LOOK, BOX).cells.top()
    assert layout.cells.bottom() <= BOX.bottom() + 1


@pytest.mark.parametrize(("number", "text"), [(0.25, ".250"), (-0.016, "−.016"), (-1.0, "−1"), (0.0, "0"), (1.0, "1")])
def test_numbers_in_cells_have_a_minus_sign(number: float, text: str) -> None:
    assert cell_text(number, signed=False) == text
