"""The views of the Positions page as they are painted: in every room, under the pointer, and in files."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from positions_driver import placed
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter

from attention_explorer.kit.drawing.colour_maps import DIVERGING, pixels_of
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.items.columns import Placed, Together
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.numbered_map import NumberedMap, Offset
from attention_explorer.kit.items.plot_marks import At, ReadOut
from attention_explorer.kit.picture import Laid, Picture
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.model import sinusoidal_encoding
from attention_explorer.pages.positions.attention import position_attention_picture
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.similarity import similarity_picture
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.attention import KEY, SCORES, WEIGHTS
from attention_explorer.pages.positions.ui.clocks import CLOCKS
from attention_explorer.pages.positions.ui.encoding import CELLS, WAVES
from attention_explorer.pages.positions.ui.order import AFTER, BEFORE, OUTCOMES
from attention_explorer.pages.positions.ui.similarity import CURVE, MAPS
from attention_explorer.pages.positions.ui.views import view_of

pytestmark = pytest.mark.usefixtures("qapp")

ENCODING, SIMILARITY, ATTENTION, ORDER = (
    PositionsPicture(name) for name in ("encoding", "similarity", "attention", "order")
)
HITS = {
    ENCODING: Hit(CELLS, (9, 3)),
    PositionsPicture.CLOCKS: Hit(CLOCKS, 3),
    SIMILARITY: Hit(MAPS[0], (9, 3)),
    ATTENTION: Hit(SCORES, At(5.0)),
    ORDER: Hit(BEFORE, (1, 3)),
}
ROOMS = [(620, 560, 1.0), (1100, 900, 1.0), (1100, 380, 1.0), (420, 400, 1.0), (1240, 1120, 2.0)]
STATE, SIZE = PositionsState(), (620, 560)
ROOM = QRectF(0, 0, *SIZE)


def computed(state: PositionsState, size: tuple[int, int] = SIZE) -> tuple[Picture[Any, Any], Any]:
    """Return the picture that a state shows, and its numbers."""
    picture = view_of(state.picture).picture
    return picture, picture.compute(state, (size[1], size[0]))


def laid_out(state: PositionsState, look: Look = Look(), room: QRectF = ROOM) -> Laid:
    picture, numbers = computed(state)
    laid = picture.layout(numbers, look, room)
    assert isinstance(laid, Laid)
    return laid


def painted(state: PositionsState, look: Look = Look(), size: tuple[int, int] = SIZE, hit: Any = NOWHERE) -> np.ndarray:
    """Paint on a card and return the pixels as 0xRRGGBB, (height, width)."""
    (picture, numbers), (width, height) = computed(state, size), size
    layout = picture.layout(numbers, look, QRectF(0, 0, width, height))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(look.theme.card))
    painter = QPainter(image)
    picture.paint(painter, numbers, layout, look)
    if hit != NOWHERE:
        picture.mark(painter, numbers, layout, look, hit)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(height, width).copy() & 0xFFFFFF


@pytest.mark.parametrize("view", PositionsPicture)
@pytest.mark.parametrize("kind", PositionKind)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_kind_is_painted_in_every_room(view: PositionsPicture, kind: PositionKind, theme) -> None:
    state = replace(STATE, picture=view, kind=kind)
    picture, numbers = computed(state)
    least = 0.002 if picture.reason(numbers) else 0.03  # a sentence alone takes little
    for width, height, zoom in ROOMS:
        pixels = painted(state, Look(theme, zoom), (width, height))
        ground = int(QColor(theme.card).rgb()) & 0xFFFFFF
        assert least < np.mean(pixels != ground) < 0.95


@pytest.mark.parametrize("view", PositionsPicture)
@pytest.mark.parametrize(
    "changes",
    [
        {"length": 1, "d_model": 1},
        {"length": 2, "d_model": 2},
        {"length": 8192, "d_model": 96, "causal": True},
        {"kind": PositionKind.ROTARY, "d_model": 7},
        {"kind": PositionKind.ALIBI, "heads": 64, "head": 60, "length": 2000},
        {"kind": PositionKind.ALIBI, "length": 1, "heads": 1},
        {"kind": PositionKind.LEARNED, "concatenated": True, "length": 1200},
        {"sentence": "alone"},
        {"sentence": " ".join(["internationalization", "of", "everything"] * 12)},
        {"embedding_scale": 0.0},
        {"base": 1.0},
    ],
)
def test_edges_are_painted_and_said(view: PositionsPicture, changes: dict[str, Any]) -> None:
    state = replace(STATE, picture=view, **changes)
    assert len(np.unique(painted(state))) > 2
    picture, numbers = computed(state)
    assert all(line.text for line in picture.notes(numbers))
    if picture.reason(numbers):
        return
    panel = picture.panel(numbers)
    assert panel.title
    assert len(panel.sentence.split()) <= 35
    layout = picture.layout(numbers, Look(), ROOM)
    for x, y in itertools.product(range(3, SIZE[0], 41), range(3, SIZE[1], 37)):
        spot = picture.spot_at(numbers, layout, QPointF(x, y))
        assert (spot == NOWHERE) or isinstance(picture.words(numbers, spot), str)


@pytest.mark.parametrize("view", PositionsPicture)
def test_a_mark_changes_the_picture_and_nothing_is_found_outside(view: PositionsPicture) -> None:
    state = replace(STATE, picture=view)
    assert (painted(state) != painted(state, hit=HITS[view])).sum() > 30
    picture, numbers = computed(state)
    assert picture.words(numbers, HITS[view])
    assert picture.spot_at(numbers, picture.layout(numbers, Look(), ROOM), QPointF(-5, -5)) == NOWHERE


@pytest.mark.parametrize(
    ("view", "hit"),
    [(ENCODING, Hit(CELLS, (9999, 9999))), (SIMILARITY, Hit(MAPS[0], (9999, 9999))), (ORDER, Hit(BEFORE, (99, 99))),
     (PositionsPicture.CLOCKS, Hit(CLOCKS, 9999)), (ORDER, Hit(OUTCOMES, 99))],
)  # fmt: skip
def test_what_was_pinned_in_a_larger_picture_marks_nothing_now(view: PositionsPicture, hit: Hit) -> None:
    state = replace(STATE, picture=view, dimensions=())
    np.testing.assert_array_equal(painted(state), painted(state, hit=hit))


WANTED = {
    ENCODING: ("dim 8, sin, wavelength 19.9", "position (row), from 0", "(64, 64)"),
    SIMILARITY: ("30.917 at 1", "20.135 at 25", "19.470 at 15", "19.974 at 19"),
    ATTENTION: ("added sinusoid", "ALiBi", "query 40", "key 5"),
    ORDER: ("bites", "causal mask", "same rows, reordered"),
    PositionsPicture.CLOCKS: ("clock 31", "λ 47117"),
}


@pytest.mark.parametrize("view", PositionsPicture)
def test_files_have_text_and_no_image(view: PositionsPicture) -> None:
    picture, numbers = computed(replace(STATE, picture=view))
    layout = picture.layout(numbers, Look(), ROOM)
    drawing = svg_bytes(
        lambda painter: picture.paint(painter, numbers, layout, Look(), vector=True), QSize(*SIZE), 1.0, "view", ""
    )
    root = ET.fromstring(drawing)  # noqa: S314 # our own output
    texts = [text.replace("\xa0", " ") for text in root.itertext() if text.strip()]
    assert len(texts) > 15
    assert not list(root.iter("{http://www.w3.org/2000/svg}image"))
    for words in WANTED[view]:
        assert any(words in text for text in texts), words


def parts_of(found: Placed) -> list[Placed]:
    """Return the items that are put together, and where they are."""
    if isinstance(found.item, Together):
        return [part for each in found.layout for part in parts_of(each)]
    return [found]


@pytest.mark.parametrize("view", PositionsPicture)
def test_what_is_drawn_neither_overlaps_nor_leaves_the_room(view: PositionsPicture) -> None:
    for width, height, zoom in ROOMS:
        room = QRectF(0, 0, width, height)
        laid = laid_out(replace(STATE, picture=view), Look(LIGHT, zoom), room)
        boxes = [part.item.data_box(part.layout) for part in parts_of(Placed(laid.item, laid.layout))]
        boxes = [box for box in boxes if not box.isEmpty()]
        if (width, height) != (1100, 380):  # so low a room has no place for the table of outcomes
            assert all(room.adjusted(-2, -2, 2, 2).contains(box) for box in boxes)
        for one, other in itertools.combinations(boxes, 2):
            assert not one.adjusted(1, 1, -1, -1).intersects(other.adjusted(1, 1, -1, -1))


# ---- Maps ----


@pytest.mark.parametrize("length", [10, 64, 1000])
def test_the_cell_under_a_point_is_the_one_that_is_painted_there(length: int) -> None:
    state = replace(STATE, picture=SIMILARITY, length=length, position=7)
    laid, pixels = laid_out(state), painted(state)
    numbers = similarity_picture(state, (SIZE[1], SIZE[0]))
    assert numbers.positions is not None
    for name, map_ in zip(MAPS, numbers.maps, strict=True):
        found = placed(laid, name)
        colours = pixels_of(map_.positions, None, DIVERGING, LIGHT.masked) & 0xFFFFFF
        heat = found.layout.heat
        for row, column in ((0, 0), (5, 2), (heat.rows - 1, heat.columns - 2)):
            centre = heat.rectangle(row, column).center()
            hit = found.item.hit(found.layout, centre)
            assert hit == Hit(name, (int(numbers.positions[row]), int(numbers.positions[column])))
            if length < 100:
                assert pixels[int(centre.y()), int(centre.x())] == colours[row, column]


def test_beside_and_above_a_map_its_rows_and_columns_are_found() -> None:
    found = placed(laid_out(replace(STATE, dimensions=())), CELLS)
    item, layout = found.item, found.layout
    assert isinstance(item, NumberedMap)
    row, column = item.row_box(layout, 30).center(), item.column_box(layout, 20).center()
    assert item.hit(layout, QPointF(layout.cells.left() - 10, row.y())) == Hit(CELLS, (30, None))
    assert item.hit(layout, QPointF(column.x(), layout.cells.top() - 10)) == Hit(CELLS, (None, 20))
    assert item.hit(layout, QPointF(layout.cells.right() + 4, row.y())) is None
    assert item.hit(layout, QPointF(layout.cells.left() - 10, layout.cells.top() - 10)) is None


def test_numbers_along_a_map_stand_at_their_own_rows_and_columns() -> None:
    found = placed(laid_out(replace(STATE, length=8192, d_model=1024, dimensions=(), position=4096)), CELLS)
    item, layout = found.item, found.layout
    for number, box in layout.row_ticks:
        assert box.center().y() == pytest.approx(item.row_box(layout, number).center().y())
        assert box.right() <= layout.cells.left()
    for number, box in layout.column_ticks:
        assert box.center().x() == pytest.approx(item.column_box(layout, number).center().x())
        assert box.bottom() <= layout.cells.top()
    assert [number for number, _ in layout.row_ticks] == [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]


def test_an_offset_is_marked_along_its_diagonals_one_way_or_both() -> None:
    state = replace(STATE, picture=SIMILARITY)
    found, bare = placed(laid_out(state), MAPS[0]), painted(state)
    at = [found.layout.heat.rectangle(*cell).center() for cell in ((40, 20), (20, 40), (40, 40))]
    for both, expected in ((True, [True, True, False]), (False, [True, False, False])):
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.card))
        painter = QPainter(image)
        found.item.paint(painter, found.layout, Look())
        found.item.mark(painter, found.layout, Look(), Hit(MAPS[0], Offset(20, both=both)))
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(SIZE[1], SIZE[0]) & 0xFFFFFF
        # The line goes through the corners of the cells: about a cell away it is seen.
        differs = [
            bool((pixels[int(p.y()) - 4 : int(p.y()) + 5, int(p.x()) - 4 : int(p.x()) + 5]
                  != bare[int(p.y()) - 4 : int(p.y()) + 5, int(p.x()) - 4 : int(p.x()) + 5]).any()) for p in at
        ]  # fmt: skip
        assert differs == expected


# ---- Similarity ----


@pytest.mark.parametrize("offset", [0, 25, 63])
def test_the_offset_under_a_point_is_that_of_the_curve(offset: int) -> None:
    found = placed(laid_out(replace(STATE, picture=SIMILARITY)), CURVE)
    layout = found.layout
    place = QPointF(layout.place(offset, layout.up.low).x(), layout.plot.top() + 1)
    assert found.item.hit(layout, place + QPointF(1 if offset == 0 else -1, 0)) == Hit(CURVE, At(offset))


def test_words_have_the_numbers() -> None:
    picture, numbers = computed(replace(STATE, picture=SIMILARITY))
    assert "20.135" in picture.words(numbers, Hit(CURVE, At(25)))
    assert "above the offset before" in picture.words(numbers, Hit(CURVE, At(25)))
    assert "above" not in picture.words(numbers, Hit(CURVE, At(26)))
    assert "+30.917" in picture.words(numbers, Hit(MAPS[1], (8, 7)))
    notes = " ".join(line.text for line in picture.notes(numbers))
    for number in ("30.917", "20.135", "19.470", "1.4718", "6, 11, 12, 17, 18, 23"):
        assert number in notes
    longer = picture.compute(replace(STATE, picture=SIMILARITY, length=800), (560, 620))
    assert "725" in " ".join(line.text for line in picture.notes(longer))


def test_a_rotary_pair_is_marked_on_the_curve_only_where_the_query_is_later() -> None:
    state = replace(STATE, kind=PositionKind.ROTARY, picture=SIMILARITY)
    plot = placed(laid_out(state), CURVE).layout.plot
    rows = slice(int(plot.top()), int(plot.bottom()))
    bare = painted(state)[rows]
    assert (painted(state, hit=Hit(MAPS[0], (20, 5)))[rows] != bare).any()
    assert (painted(state, hit=Hit(MAPS[0], (5, 20)))[rows] == bare).all()


# ---- What it does to attention ----


@pytest.mark.parametrize("causal", [False, True])
def test_weights_and_distances_are_found_again(causal: bool) -> None:
    state = replace(STATE, picture=ATTENTION, causal=causal)
    (picture, numbers), laid = computed(state), laid_out(state)
    weights, scores = placed(laid, WEIGHTS), placed(laid, SCORES)
    for key in (0, 30, 63):
        place = QPointF(weights.layout.place(key, 0.0).x(), weights.layout.plot.center().y())
        assert weights.item.hit(weights.layout, place) == Hit(WEIGHTS, At(key))
    for distance in (numbers.distances[0] + 1, 0, 17, 62):
        place = QPointF(scores.layout.place(distance, 0.0).x(), scores.layout.plot.center().y())
        assert scores.item.hit(scores.layout, place) == Hit(SCORES, At(distance))
    assert "masked" in picture.words(numbers, Hit(WEIGHTS, At(50))) or not causal
    assert "distance 17:" in picture.words(numbers, Hit(SCORES, At(17)))
    assert picture.words(numbers, Hit(WEIGHTS, KEY)).startswith("query 40, key 5 · distance 35")


def test_bars_are_as_high_as_the_weights() -> None:
    state = replace(STATE, length=20, query_position=19, position=1, picture=ATTENTION)
    numbers, chart = position_attention_picture(state), placed(laid_out(state), WEIGHTS).layout
    pixels = painted(state)
    for key in (3, 7, 13):  # where no tick stands in the foot of a bar
        place = chart.place(key, float(numbers.weights[key]))
        column = pixels[int(chart.plot.top()) : int(chart.plot.bottom()), int(place.x())]
        found = int((column == int(LIGHT.key[1:], 16)).sum())
        assert found == pytest.approx(chart.plot.bottom() - place.y(), abs=2)


def test_of_more_keys_than_bars_the_highest_of_each_few_is_drawn() -> None:
    state = PositionsState(length=5000, query_position=100, position=0, picture=ATTENTION, embedding_scale=3.0)
    numbers, chart = position_attention_picture(state), placed(laid_out(state), WEIGHTS).layout
    best = int(numbers.weights.argmax())
    assert min(abs(best - 100), best) > 50, "it would lie behind a handle"
    pixels = painted(state)[int(chart.plot.top()) : int(chart.plot.bottom())]
    ys, xs = np.nonzero(pixels == int(LIGHT.key[1:], 16))
    top = chart.place(best, float(numbers.weights[best]))
    assert ys.min() + chart.plot.top() == pytest.approx(top.y(), abs=2)
    assert abs(xs[ys == ys.min()] - top.x()).min() <= 3


# ---- Order ----


def test_outcomes_and_pairs_of_words_are_found_again() -> None:
    state = replace(STATE, picture=ORDER)
    (picture, numbers), laid = computed(state), laid_out(state)
    table, before, after = (placed(laid, name) for name in (OUTCOMES, BEFORE, AFTER))
    for row, kind in enumerate(PositionKind):
        hit = table.item.hit(table.layout, table.layout.row(row).center())
        assert hit == Hit(OUTCOMES, row)
        outcomes = numbers.outcomes[2 * row : 2 * row + 2]
        assert all(outcome.kind is kind for outcome in outcomes)
        assert all(outcome.verdict in picture.words(numbers, hit) for outcome in outcomes)
    for row, column in ((0, 0), (3, 1), (4, 4)):
        hit = before.item.hit(before.layout, before.layout.rectangle(row, column).center())
        assert hit == Hit(BEFORE, (row, column))
        there = numbers.order.index(row), numbers.order.index(column)
        other = after.item.hit(after.layout, after.layout.rectangle(*there).center())
        assert other == Hit(AFTER, there)
        assert picture.words(numbers, hit) == picture.words(numbers, other)


# ---- Waves ----


def test_each_wave_has_a_lane_of_its_own_and_its_number_at_the_end() -> None:
    picture, numbers = computed(replace(STATE, position=7))
    plot = placed(laid_out(replace(STATE, position=7)), WAVES).item
    assert [text for _, text in plot.up.ticks][::-1] == [wave.label for wave in numbers.waves]
    row = sinusoidal_encoding(64, 64)[7, [0, 1, 8, 32]]
    assert [read.text for read in plot.of(ReadOut)] == [f"{value:+.3f}".replace("-", "−") for value in row]
    told = picture.words(numbers, Hit(WAVES, At(7)))
    assert told == "position 7: " + ", ".join(
        f"dim {dimension} {value:+.4f}".replace("-", "−") for dimension, value in zip((0, 1, 8, 32), row, strict=True)
    )
