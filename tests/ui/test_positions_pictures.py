"""Similarity, effect on attention and order as they are painted: in every room, under the pointer, and in files."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from attention_explorer.kit.drawing.colour_maps import DIVERGING, pixels_of
from attention_explorer.kit.drawing.curve_chart import Axis, chart_layout, paint_curve, round_ticks, widened
from attention_explorer.kit.drawing.marks import pen
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.pages.positions.attention import position_attention_picture
from attention_explorer.pages.positions.order import order_picture
from attention_explorer.pages.positions.similarity import similarity_picture
from attention_explorer.pages.positions.state import PositionKind, PositionsState
from attention_explorer.pages.positions.ui.attention_picture import (
    mark_position_attention,
    paint_position_attention,
    position_attention_layout,
    position_attention_notes,
    position_attention_spot,
    position_attention_words,
)
from attention_explorer.pages.positions.ui.order_picture import (
    mark_order,
    order_layout,
    order_notes,
    order_spot,
    order_words,
    paint_order,
)
from attention_explorer.pages.positions.ui.similarity_picture import (
    mark_similarity,
    paint_similarity,
    similarity_layout,
    similarity_notes,
    similarity_spot,
    similarity_words,
)

pytestmark = pytest.mark.usefixtures("qapp")


@dataclass(frozen=True)
class Kit:
    """The functions of one picture."""

    picture: Callable[..., Any]
    layout: Callable[..., Any]
    paint: Callable[..., None]
    mark: Callable[..., None]
    spot: Callable[..., Spot]
    words: Callable[..., str]
    notes: Callable[..., tuple[Any, ...]]


KITS = {
    "similarity": Kit(
        similarity_picture,
        similarity_layout,
        paint_similarity,
        mark_similarity,
        similarity_spot,
        similarity_words,
        similarity_notes,
    ),
    "attention": Kit(
        position_attention_picture,
        position_attention_layout,
        paint_position_attention,
        mark_position_attention,
        position_attention_spot,
        position_attention_words,
        position_attention_notes,
    ),
    "order": Kit(order_picture, order_layout, paint_order, mark_order, order_spot, order_words, order_notes),
}
SPOTS = {"similarity": Spot(9, 3), "attention": Spot(None, 68), "order": Spot(1, 3)}
ROOMS = [(620, 560, 1.0), (1100, 900, 1.0), (1100, 380, 1.0), (420, 400, 1.0), (1240, 1120, 2.0)]
STATE = PositionsState()


def painted(
    name: str, state: PositionsState, look: Look = Look(), size: tuple[int, int] = (620, 560), spot: Spot = NOWHERE
) -> np.ndarray:
    """Paint on a card and return the pixels as 0xRRGGBB, (height, width)."""
    kit, (width, height) = KITS[name], size
    picture = kit.picture(state, (height, width))
    layout = kit.layout(picture, look, QRectF(0, 0, width, height))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(look.theme.card))
    painter = QPainter(image)
    kit.paint(painter, picture, layout, look)
    if spot != NOWHERE:
        kit.mark(painter, picture, layout, look, spot)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(height, width).copy() & 0xFFFFFF


def svg_of(name: str, state: PositionsState) -> ET.Element:
    kit, look = KITS[name], Look()
    picture = kit.picture(state, (560, 620))
    layout = kit.layout(picture, look, QRectF(0, 0, 620, 560))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    painter = QPainter(generator)
    kit.paint(painter, picture, layout, look, vector=True)
    painter.end()
    return ET.fromstring(bytes(buffer.data().data()))  # noqa: S314


@pytest.mark.parametrize("name", KITS)
@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_kind_is_painted_in_every_room(name: str, kind: PositionKind, theme) -> None:
    for width, height, zoom in ROOMS:
        pixels = painted(name, replace(STATE, kind=kind), Look(theme, zoom), (width, height))
        ground = int(QColor(theme.card).rgb()) & 0xFFFFFF
        assert 0.03 < np.mean(pixels != ground) < 0.95


@pytest.mark.parametrize("name", KITS)
@pytest.mark.parametrize(
    "changes",
    [
        {"length": 1, "d_model": 1},
        {"length": 2, "d_model": 2},
        {"length": 8192, "d_model": 96, "causal": True},
        {"kind": PositionKind.ROTARY, "d_model": 7},
        {"kind": PositionKind.ALIBI, "heads": 64, "head": 60, "length": 2000},
        {"kind": PositionKind.LEARNED, "concatenated": True, "length": 1200},
        {"sentence": "alone"},
        {"sentence": " ".join(["internationalization", "of", "everything"] * 12)},
        {"embedding_scale": 0.0},
        {"base": 1.0},
    ],
)
def test_edges_are_painted_and_said(name: str, changes: dict[str, Any]) -> None:
    state, kit = replace(STATE, **changes), KITS[name]
    assert len(np.unique(painted(name, state))) > 2
    picture = kit.picture(state, (560, 620))
    assert all(line.text for line in kit.notes(picture))
    layout = kit.layout(picture, Look(), QRectF(0, 0, 620, 560))
    for x, y in itertools.product(range(3, 620, 41), range(3, 560, 37)):
        spot = kit.spot(picture, layout, QPointF(x, y))
        assert (kit.words(picture, spot) == "") or spot != NOWHERE


@pytest.mark.parametrize("name", KITS)
def test_a_mark_changes_the_picture_and_nowhere_says_nothing(name: str) -> None:
    assert (painted(name, STATE) != painted(name, STATE, spot=SPOTS[name])).sum() > 30
    picture = KITS[name].picture(STATE, (560, 620))
    assert KITS[name].words(picture, SPOTS[name])
    assert KITS[name].words(picture, NOWHERE) == ""
    layout = KITS[name].layout(picture, Look(), QRectF(0, 0, 620, 560))
    assert KITS[name].spot(picture, layout, QPointF(-5, -5)) == NOWHERE


@pytest.mark.parametrize("name", KITS)
@pytest.mark.parametrize("spot", [Spot(9999, 9999), Spot(None, 99999), Spot(9999)])
def test_what_was_pinned_in_a_larger_picture_marks_nothing_now(name: str, spot: Spot) -> None:
    np.testing.assert_array_equal(painted(name, STATE), painted(name, STATE, spot=spot))
    assert KITS[name].words(KITS[name].picture(STATE, (560, 620)), spot) == ""


@pytest.mark.parametrize("name", KITS)
def test_files_have_text_and_no_image(name: str) -> None:
    root = svg_of(name, STATE)
    texts = [text for text in root.itertext() if text.strip()]
    assert len(texts) > 15
    assert not list(root.iter("{http://www.w3.org/2000/svg}image"))
    wanted = {
        "similarity": ("30.917 at 1", "20.135 at 25", "19.470 at 15", "19.974 at 19"),
        "attention": ("5.657", "content · position", "1/2"),
        "order": ("the dog bites the man", "causal mask"),
    }[name]
    for words in wanted:
        assert any(words in text for text in texts), words


# ---- Similarity ----


@pytest.mark.parametrize("length", [10, 64, 1000])
def test_the_cell_under_a_point_is_the_one_that_is_painted_there(length: int) -> None:
    look, picture = Look(), similarity_picture(replace(STATE, length=length), (560, 620))
    layout = similarity_layout(picture, look, QRectF(0, 0, 620, 560))
    assert picture.positions is not None
    pixels = painted("similarity", replace(STATE, length=length))
    for map_, place in zip(picture.maps, layout.maps, strict=True):
        colours = pixels_of(map_.positions, None, DIVERGING, look.theme.masked) & 0xFFFFFF
        for row, column in ((0, 0), (5, 2), (place.rows - 1, place.columns - 2)):
            centre = place.rectangle(row, column).center()
            spot = similarity_spot(picture, layout, centre)
            assert spot == Spot(int(picture.positions[row]), int(picture.positions[column]))
            if length < 100:
                assert pixels[int(centre.y()), int(centre.x())] == colours[row, column]


@pytest.mark.parametrize("offset", [0, 25, 63])
def test_the_offset_under_a_point_is_that_of_the_curve(offset: int) -> None:
    picture = similarity_picture(STATE)
    layout = similarity_layout(picture, Look(), QRectF(0, 0, 620, 560))
    place = QPointF(layout.chart.x(offset), layout.chart.plot.center().y())
    assert similarity_spot(picture, layout, place) == Spot(None, offset)


def test_words_have_the_numbers() -> None:
    picture = similarity_picture(STATE)
    assert "20.135" in similarity_words(picture, Spot(None, 25))
    assert "above the offset before" in similarity_words(picture, Spot(None, 25))
    assert "above" not in similarity_words(picture, Spot(None, 26))
    assert "+30.917" in similarity_words(picture, Spot(8, 7))
    notes = " ".join(line.text for line in similarity_notes(picture))
    for number in ("30.917", "20.135", "19.470", "1.4718", "6, 11, 12, 17, 18, 23"):
        assert number in notes
    assert "725" in " ".join(line.text for line in similarity_notes(similarity_picture(replace(STATE, length=800))))


def test_a_rotary_pair_is_marked_on_the_curve_only_where_the_query_is_later() -> None:
    state = replace(STATE, kind=PositionKind.ROTARY)
    layout = similarity_layout(similarity_picture(state, (560, 620)), Look(), QRectF(0, 0, 620, 560))
    rows = slice(int(layout.chart.plot.top()), int(layout.chart.plot.bottom()))
    bare = painted("similarity", state)[rows]
    assert (painted("similarity", state, spot=Spot(20, 5))[rows] != bare).any()
    assert (painted("similarity", state, spot=Spot(5, 20))[rows] == bare).all()


# ---- What it does to attention ----


@pytest.mark.parametrize("causal", [False, True])
def test_weights_and_distances_are_found_again(causal: bool) -> None:
    picture = position_attention_picture(replace(STATE, causal=causal))
    layout = position_attention_layout(picture, Look(), QRectF(0, 0, 620, 560))
    for key in (0, 30, 63):
        place = QPointF(layout.weights.x(key), layout.weights.plot.center().y())
        assert position_attention_spot(picture, layout, place) == Spot(40, key)
    for chart, distance in itertools.product(layout.kinds, (picture.distances[0], 0, 17, 63)):
        place = QPointF(chart.x(distance), chart.plot.center().y())
        assert position_attention_spot(picture, layout, place) == Spot(None, distance + 63)
    assert "masked" in position_attention_words(picture, Spot(40, 50)) or not causal
    assert "distance 17:" in position_attention_words(picture, Spot(None, 17 + 63))


def test_charts_do_not_overlap_or_leave_the_room() -> None:
    for width, height, zoom in ROOMS:
        room = QRectF(0, 0, width, height)
        layout = position_attention_layout(position_attention_picture(STATE), Look(LIGHT, zoom), room)
        boxes = [
            *(chart.box for chart in layout.kinds),
            layout.lengths,
            layout.legend,
            layout.weights.box,
            layout.terms,
        ]
        for box in boxes:
            assert room.adjusted(-1, -1, 1, 1).contains(box)
        for one, other in itertools.combinations(boxes, 2):
            assert not one.adjusted(1, 1, -1, -1).intersects(other.adjusted(1, 1, -1, -1))


def test_bars_are_as_high_as_the_weights() -> None:
    state = replace(STATE, length=20, query_position=19)
    picture = position_attention_picture(state)
    chart = position_attention_layout(picture, Look(), QRectF(0, 0, 620, 560)).weights
    pixels = painted("attention", state)
    for key in (0, 7, 13):
        column = pixels[int(chart.plot.top()) : int(chart.plot.bottom()), int(chart.x(key))]
        found = int((column == int(LIGHT.key[1:], 16)).sum())
        assert found == pytest.approx(chart.plot.bottom() - chart.y(float(picture.weights[key])), abs=2)


# ---- Order ----


def test_outcomes_and_pairs_of_words_are_found_again() -> None:
    picture = order_picture(STATE)
    layout = order_layout(picture, Look(), QRectF(0, 0, 620, 560))
    for number, outcome in enumerate(picture.outcomes):
        assert order_spot(picture, layout, layout.cell(number).center()) == Spot(number)
        assert outcome.verdict in order_words(picture, Spot(number))
    for row, column in ((0, 0), (3, 1), (4, 4)):
        before = layout.maps[0].layout.rectangle(row, column).center()
        assert order_spot(picture, layout, before) == Spot(row, column)
        after = layout.maps[1].layout.rectangle(picture.order.index(row), picture.order.index(column)).center()
        assert order_spot(picture, layout, after) == Spot(row, column)


# ---- The chart ----


def test_ticks_are_round() -> None:
    assert round_ticks(0.0, 1.0, 4) == [0.0, 0.5, 1.0]
    assert round_ticks(0.0, 0.3, 3) == [0.0, 0.1, 0.2, 0.3]
    assert round_ticks(-63.0, 63.0, 3) == [-50.0, 0.0, 50.0]
    assert round_ticks(2.0, 2.0, 3) == [2.0]


def test_a_curve_with_more_numbers_than_pixels_keeps_its_peaks() -> None:
    values = np.zeros(5000)
    values[3210] = 9.0
    layout = chart_layout(Look(), QRectF(0, 0, 300, 200), Axis(0.0, 4999.0), Axis(-1.0, 10.0))
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_curve(painter, layout, 0.0, values, pen("#000000", 1.0))
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(200, 300) & 0xFF
    ys, xs = np.nonzero(pixels < 200)
    assert ys.min() == pytest.approx(layout.y(9.0), abs=6)
    assert xs[ys == ys.min()].mean() == pytest.approx(layout.x(3210), abs=2)


def test_what_is_flat_but_for_rounding_is_drawn_flat() -> None:
    low, high = widened(1.0, 1.0 + 1e-14)
    assert high - low > 0.5
    layout = chart_layout(Look(), QRectF(0, 0, 200, 100), Axis(0.0, 0.0), Axis(low, high))
    assert layout.plot.left() < layout.x(0.0) < layout.plot.right()
