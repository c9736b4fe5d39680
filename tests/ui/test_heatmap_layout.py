"""Where labels, colour bar and cells of a heatmap stand: nothing is cut off, nothing lies over anything else."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import painted_texts, pixels
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from svg_reader import text_places

from attention_explorer.core.map_picture import Contrast, MapPicture, score_scale, weight_scale
from attention_explorer.kit.drawing.colour_maps import paint_bar
from attention_explorer.kit.drawing.heatmap import paint_column_label, paint_heatmap, paint_row_label
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.theme import LIGHT, Look

pytestmark = pytest.mark.usefixtures("qapp")

WORDS = tuple(consonant + vowel for consonant in "bdgklmnprstvz" for vowel in "aeiou")
NONE = np.zeros((1, 1), bool)


def picture_of(tokens: tuple[str, ...], contrast: Contrast = Contrast.MAX) -> MapPicture:
    weights = np.random.default_rng(3).dirichlet(np.ones(len(tokens)), len(tokens))
    masked = np.zeros(weights.shape, bool)
    return MapPicture(weights, masked, weight_scale(contrast, weights, masked), "viridis", tokens, tokens)


def painted(paint, size: QRectF) -> np.ndarray:
    image = QImage(size.size().toSize(), QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return pixels(image)


# ---- Slanted labels ----


@pytest.mark.parametrize("last", ["cat", "internationalisation", "Donaudampfschifffahrt", "注意力机制", "مرحبا"])
@pytest.mark.parametrize("width", [430.0, 520.0, 700.0])
@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_the_last_slanted_label_is_not_cut_off(last, width, zoom):
    look, room = Look(LIGHT, zoom), QRectF(6, 6, width * zoom, 600 * zoom)
    picture = picture_of(("The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "very", last))
    layout = layout_of(picture, look, room)
    alone = QRectF(0, 0, room.right() + 200 * zoom, room.bottom())
    seen = painted(lambda painter: paint_column_label(painter, picture, layout, look, 10), alone)
    columns = np.flatnonzero((seen != QColor(LIGHT.card).rgb() & 0xFFFFFF).any(axis=0))
    assert len(columns)
    assert columns.max() <= room.right() + 1


def test_room_for_labels_stays_the_same_while_a_part_moves_on():
    room, look = QRectF(0, 0, 520, 600), Look()
    first, second = (picture_of(("because", *WORDS[:9], last)) for last in ("a", "because"))
    assert layout_of(first, look, room, steady=True).cells == layout_of(second, look, room, steady=True).cells
    assert layout_of(first, look, room).cells.width() > layout_of(second, look, room).cells.width()


# ---- Lit labels ----


@pytest.mark.parametrize("count", [60, 64, 150])
@pytest.mark.parametrize("lit", [30, 31, 0, 59])
@pytest.mark.parametrize("side", ["row", "column"])
def test_a_lit_label_covers_its_neighbours_whole_or_not_at_all(side, lit, count):
    look, room = Look(), QRectF(0, 0, 540, 560)
    picture = picture_of((WORDS * 3)[:count])
    layout = layout_of(picture, look, room)
    labels = layout.row_labels if side == "row" else layout.column_labels
    label = paint_row_label if side == "row" else paint_column_label
    cell = layout.cell_height if side == "row" else layout.cell_width
    first = layout.cells.top() if side == "row" else layout.cells.left()

    def strip(seen, number, half):
        """What is painted around the middle of a label, all its length."""
        middle = first + (number + 0.5) * cell
        place = slice(max(round(middle - half), 0), max(round(middle + half), 0))
        left, top = round(layout.cells.left()), round(layout.cells.top())
        return seen[place, :left] if side == "row" else seen[:top, place].T

    plain = painted(lambda painter: paint_heatmap(painter, picture, layout, look), room)
    shown = painted(
        lambda painter: (
            paint_heatmap(painter, picture, layout, look),
            label(painter, picture, layout, look, lit, lit=True),
        ),
        room,
    )
    line = slice(-22, -3)  # where labels are, and neither title nor cells
    overlapped = 0
    for other in range(0, count, labels.step):
        away = (other - lit) * cell
        if abs(away) >= 0.5 * 1.25 * (12 + labels.size):
            same = np.array_equal(strip(plain, other, 0.45 * labels.size), strip(shown, other, 0.45 * labels.size))
            assert same, "a label that is not touched stays whole"
        elif abs(away) > 0.5:
            overlapped += 1
            edge = strip(shown, other + math.copysign(0.3 * labels.size / cell, away), 1.0)
            nothing = QColor(LIGHT.card).rgb() & 0xFFFFFF
            assert abs(away) < 4 or (edge[:, line] == nothing).all(), "half a word is worse than none"
    assert overlapped == 0 or lit % labels.step != 0 or cell * labels.step < 15
    assert overlapped or lit % labels.step == 0


# ---- Colour bar ----


@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("width", [60.0, 110.0, 160.0, 300.0])
@pytest.mark.parametrize("kind", [*Contrast, "score", "wall"])
def test_the_words_of_a_colour_bar_do_not_touch(kind, width, zoom):
    look, picture = Look(LIGHT, zoom), picture_of(WORDS[:5])
    if kind == "score":
        picture = replace(picture, scale=score_scale(np.array([[-12.4]]), "scaled score q·k ÷ √d_k"))
    elif kind == "wall":
        picture = replace(picture, scale=replace(picture.scale, end="each map’s largest"))
    else:
        picture = picture_of(WORDS[:5], kind)
    boxes = []

    class Eye(QPainter):
        def drawText(self, box, flags, text):  # noqa: N802
            size = QFontMetricsF(self.font()).boundingRect(text).size()
            word = QRectF(0, 0, size.width(), size.height() * 0.7)
            word.moveCenter(box.center())
            boxes.append((text, word))
            super().drawText(box, flags, text)

    image = QImage(900, 200, QImage.Format.Format_RGB32)
    painter = Eye(image)
    paint_bar(painter, picture, QRectF(10, 10, width * zoom, 12 * zoom), look)
    painter.end()
    low, high = picture.scale.ticks()[0][1], picture.scale.ticks()[-1][1]
    assert {low, high, picture.scale.title} <= {text for text, _ in boxes}
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not first.intersects(second), (one, other)
    assert min(box.left() for _, box in boxes) >= 8


@pytest.mark.parametrize("sums", [(), (1.0,) * 5])
def test_the_colour_bar_stays_in_the_room(sums):
    picture = replace(picture_of(WORDS[:5], Contrast.LOG), row_sums=sums, masked=np.eye(5, dtype=bool))
    room = QRectF(0, 0, 420, 420)
    layout = layout_of(picture, Look(), room)
    assert layout.bar.bottom() + 2 + 16 + 13 <= room.bottom() + 1
    assert layout.bar.top() >= layout.cells.bottom() + (24 if sums else 12)


def test_a_token_from_right_to_left_stands_at_its_cells():
    look, room = Look(), QRectF(0, 0, 500, 500)
    picture = picture_of(("Donaudampfschifffahrt", "مرحبا", *WORDS[:16]))
    layout = layout_of(picture, look, room)
    assert layout.column_labels.angle != 0
    seen = painted(lambda painter: paint_column_label(painter, picture, layout, look, 1), room)
    rows = np.flatnonzero((seen != QColor(LIGHT.card).rgb() & 0xFFFFFF).any(axis=1))
    assert rows.max() >= layout.cells.top() - 14
    assert math.isclose(layout.cell_width, layout.cell_height)
    assert "مرحبا" in painted_texts(lambda painter: paint_heatmap(painter, picture, layout, look))


# ---- Cells and sums ----


@pytest.mark.parametrize("shape", [(2, 60), (60, 2), (5, 5)])
def test_the_cell_at_a_place_is_the_one_that_is_there(shape):
    """A map far from square has cells that are no squares."""
    rows, columns = shape
    values = np.full(shape, 0.5)
    scale = weight_scale(Contrast.UNIT, values, values > 1)
    picture = MapPicture(values, values > 1, scale, "viridis", WORDS[:rows], WORDS[:columns])
    layout = layout_of(picture, Look(LIGHT), QRectF(0, 0, 900, 600))
    assert (layout.cell_width == pytest.approx(layout.cell_height)) is (rows == columns)
    for row, column in itertools.product(range(rows), range(columns)):
        middle = layout.rectangle(row, column).center()
        assert (layout.row_at(middle.y()), layout.column_at(middle.x())) == (row, column)


def test_every_row_has_its_own_sum_and_one_that_is_not_1_stands_out():
    look, room = Look(LIGHT, 2.0), QRectF(0, 0, 900, 900)
    picture = replace(picture_of(WORDS[:3]), row_sums=(1.0, 0.75, 2.25))
    layout = layout_of(picture, look, room)
    texts = painted_texts(lambda painter: paint_heatmap(painter, picture, layout, look))
    assert [text for text in texts if text in ("1.0000", "0.7500", "2.2500")] == ["1.0000", "0.7500", "2.2500"]
    assert "row sum" in texts
    seen = painted(lambda painter: paint_heatmap(painter, picture, layout, look), room)
    inks = []
    for row in range(3):
        cell = layout.rectangle(row, 0)
        box = seen[round(cell.top()) : round(cell.bottom()), round(layout.sums.left()) : round(layout.sums.right())]
        inks.append(
            [name for name in ("muted", "loss_ink") if (box == QColor(getattr(LIGHT, name)).rgb() & 0xFFFFFF).any()]
        )
    assert inks == [["muted"], ["loss_ink"], ["loss_ink"]]


# ---- What the colour bar says ----


@pytest.mark.parametrize("vector", [False, True])
def test_a_colour_bar_goes_from_the_low_colour_at_the_left_to_the_high_one_at_the_right(vector):
    look, bar = Look(LIGHT), QRectF(20, 20, 256, 12)
    picture = picture_of(WORDS[:3])
    seen = painted(lambda painter: paint_bar(painter, picture, bar, look, vector=vector), QRectF(0, 0, 320, 80))
    assert [hex(seen[26, x]) for x in (20, 275)] == ["0x440154", "0xfde725"], "the ends of viridis"


def test_the_ends_of_a_colour_bar_are_written_at_its_ends():
    look, bar = Look(LIGHT), QRectF(20, 20, 256, 12)
    scores = np.array([[-3.0, 0.5], [1.0, 2.0]])
    picture = MapPicture(scores, scores > 9, score_scale(scores, "score"), "viridis", WORDS[:2], WORDS[:2])
    figure = svg_bytes(lambda painter: paint_bar(painter, picture, bar, look), QSize(320, 80), 1.0, "bar", "")
    middle = {text: place.boundingRect().center().x() for text, place in text_places(figure)}
    assert middle["−3"] == pytest.approx(20, abs=12)
    assert middle["0"] == pytest.approx(148, abs=2)
    assert middle["+3"] == pytest.approx(276, abs=12)


def test_cells_that_are_not_seen_have_no_number_and_are_named_beside_the_bar():
    look, room = Look(LIGHT), QRectF(0, 0, 600, 600)
    weights = np.array([[0.25, 0.75, 0.125], [0.5, 0.375, 0.625]])
    masked = np.array([[False, False, True], [True, False, False]])
    scale = weight_scale(Contrast.UNIT, weights, masked)
    picture = MapPicture(weights, masked, scale, "viridis", WORDS[:2], WORDS[:3], masked_word="masked or hidden")
    texts = painted_texts(lambda painter: paint_heatmap(painter, picture, layout_of(picture, look, room), look))
    assert [text for text in texts if text.startswith(".")] == [".250", ".750", ".375", ".625"]
    assert "masked or hidden" in texts
    assert "masked" not in texts


def test_queries_stand_at_the_rows_and_keys_at_the_columns():
    look, room = Look(LIGHT), QRectF(0, 0, 600, 600)
    values = np.full((2, 3), 0.5)
    scale = weight_scale(Contrast.UNIT, values, values > 1)
    picture = MapPicture(values, values > 1, scale, "viridis", ("le", "chat"), ("the", "cat", "sat"))
    layout = layout_of(picture, look, room)
    figure = svg_bytes(lambda painter: paint_heatmap(painter, picture, layout, look), QSize(600, 600), 1.0, "map", "")
    middle = {text: place.boundingRect().center() for text, place in text_places(figure)}
    cells = layout.cells
    for row, token in enumerate(picture.row_tokens):
        assert middle[token].x() < cells.left()
        assert layout.row_at(middle[token].y()) == row
    for column, token in enumerate(picture.column_tokens):
        assert middle[token].y() < cells.top()
        assert layout.column_at(middle[token].x()) == column
    assert middle["query (row) attends to …"].x() < middle["le"].x()
    assert middle["key (column)"].y() < middle["the"].y()
