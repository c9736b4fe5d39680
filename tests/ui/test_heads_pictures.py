"""Lines, stages and comparison as they are painted: in every room, under the pointer, and in files."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.core.map_picture import MapPicture, Window
from attention_explorer.core.numbers_export import Numbers
from attention_explorer.kit.drawing.colour_maps import colour_map_of, pixels_of
from attention_explorer.kit.drawing.small_map import SmallMap, cell_at
from attention_explorer.kit.export.figure import encoded
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.model import ArrayMap
from attention_explorer.pages.heads.compare import Comparison, compare_pictures
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.lines import LinePicture, Links, line_links, line_picture
from attention_explorer.pages.heads.stages import StagesPicture, stages_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, MaskChoice, MaskKind
from attention_explorer.pages.heads.ui.line_picture import (
    FAINT,
    THINNEST_LINE,
    LinesItem,
    LinesLayout,
    lines_layout,
    link_at,
)
from attention_explorer.pages.heads.ui.maps_item import compare_layout
from attention_explorer.pages.heads.ui.pictures import item_of
from attention_explorer.pages.heads.ui.stages import chain_layout, stages_layout
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

pytestmark = pytest.mark.usefixtures("qapp")

CAUSAL = MaskChoice(MaskKind.CAUSAL)
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "internationalization", "is", "hard")
SVG = "{http://www.w3.org/2000/svg}"
ROOMS = [
    (620, 560, 1.0),
    (1100, 900, 1.0),
    (1100, 380, 1.0),
    (420, 400, 1.0),
    (244, 440, 1.0),
    (620, 560, 1.5),
    (620, 560, 2.0),
    (1240, 1120, 2.0),
]


def paint_stages(painter, frame, view, room, look, *, hover=None, vector=False) -> None:
    """Paint the strip of a frame with one cell lit."""
    picture = stages_picture(frame, view, (round(room.height()), round(room.width())))
    paint_lit(painter, picture, room, look, *(hover or (None, None)), vector=vector)


def paint_compare(painter, picture, room, look, *, hover=(None, None), vector=False) -> None:
    paint_lit(painter, picture, room, look, *(hover or (None, None)), vector=vector)


def paint_lines(painter, picture, room, look, *, row=None, column=None, vector=False) -> None:
    paint_lit(painter, picture, room, look, row, column, vector=vector)


def paint_lit(painter, picture, room, look, row, column, *, vector=False) -> None:
    """Paint a picture with a query, a key or a pair lit, as it is in files."""
    item = item_of(picture)
    item.paint_lit(painter, item.layout(look, room), look, Spot(row, column), vector=vector)


def sentence(n: int) -> str:
    return " ".join(WORDS[(7 * i + i // 5) % len(WORDS)] for i in range(n))


def setup(n: int, **changes: object) -> HeadsSetup:
    return HeadsSetup(ToyRecipe(sentence=sentence(n)), **changes)


SETUPS = {
    "3": setup(3),
    "11": setup(11, mask=CAUSAL),
    "64": setup(64, hard=True),
    "512": setup(512, mask=CAUSAL),
    "one query": HeadsSetup(ToyRecipe(sentence="it", context=sentence(40))),
    "one key": HeadsSetup(ToyRecipe(sentence=sentence(40), context="it")),
    "hand-made": HeadsSetup(HandMadeRecipe("le chat s'est assis sur le tapis", "The cat sat on the mat")),
    "mean": setup(11, aggregate=Aggregate.MEAN),
    "empty": HeadsSetup(ToyRecipe(sentence="")),
}


def image(paint: Callable[[QPainter], None], width: int, height: int, look: Look) -> np.ndarray:
    """Paint on a card and return the pixels as 0xRRGGBB, (height, width)."""
    picture = QImage(width, height, QImage.Format.Format_RGB32)
    picture.fill(QColor(look.theme.card))
    painter = QPainter(picture)
    paint(painter)
    painter.end()
    return np.frombuffer(picture.constBits(), np.uint32).reshape(height, width).copy() & 0xFFFFFF


def contains(outer: QRectF, inner: QRectF) -> bool:
    return (
        outer.left() - 1 <= inner.left() <= inner.right() <= outer.right() + 1
        and outer.top() - 1 <= inner.top() <= inner.bottom() <= outer.bottom() + 1
    )


# ---- Maps side by side ----


def stages(name: str) -> StagesPicture:
    return stages_picture(heads_frame(SETUPS[name]), HeadsView())


def comparison(name: str) -> Comparison:
    frame = heads_frame(SETUPS[name])
    return compare_pictures(frame, heads_frame(replace(SETUPS[name], temperature=0.5, head=2)), HeadsView())


def two_sentences() -> Comparison:
    """Of six tokens and of seven: instead of “cat” (1), “big” (number 7) and “dog” (number 8)."""
    recipes = (ToyRecipe(sentence=f"The {noun} sat on the mat") for noun in ("cat", "big dog"))
    return compare_pictures(*(heads_frame(HeadsSetup(recipe)) for recipe in recipes), HeadsView())


@pytest.mark.parametrize("name", [*SETUPS, "two sentences"])
@pytest.mark.parametrize(("width", "height", "zoom"), ROOMS)
def test_nothing_leaves_the_room_or_overlaps(name: str, width: int, height: int, zoom: float) -> None:
    look, room = Look(LIGHT, zoom), QRectF(5, 7, width, height)
    strip = stages_layout(stages(name if name in SETUPS else "11"), replace(look, still=True), room)
    pair = compare_layout(comparison(name) if name in SETUPS else two_sentences(), look, room)
    chain = [placed.place for placed in strip.chain.boxes]
    for boxes in (
        [small.box for small in strip.maps] + chain + [strip.heading] * bool(chain),
        [*(small.box for small in pair.maps), pair.words],
        [*pair.titles, pair.words],
    ):
        for box in boxes:
            assert contains(room, box), (box, room)
        for one, other in itertools.combinations(boxes, 2):
            assert not one.adjusted(1, 1, -1, -1).intersects(other.adjusted(1, 1, -1, -1)), (one, other)
    if (width, height, zoom) in ROOMS[:3]:
        assert chain


@pytest.mark.parametrize("name", ["3", "11", "64", "512", "one query", "hand-made"])
def test_the_cell_under_a_point_is_the_one_that_is_painted_there(name: str) -> None:
    look, room = Look(), QRectF(0, 0, 620, 560)
    for layout in (stages_layout(stages(name), look, room), compare_layout(comparison(name), look, room)):
        for number, small in enumerate(layout.maps):
            last = small.layout.rows - 1, small.layout.columns - 1
            for row, column in ((0, 0), last, (last[0] // 2, last[1] // 3)):
                hit = cell_at(layout.maps, small.layout.rectangle(row, column).center())
                assert hit is not None
                assert (hit.map, hit.row, hit.column) == (number, row, column)
            assert cell_at(layout.maps, small.layout.cells.bottomRight() + QPointF(1, 1)) is None


def cell_colours(pixels: np.ndarray, small: SmallMap) -> np.ndarray:
    """Return the colour near the upper left corner of each cell, where no number stands."""
    grid = itertools.product(range(small.layout.rows), range(small.layout.columns))
    corners = [small.layout.rectangle(row, column).topLeft() for row, column in grid]
    found = [pixels[round(corner.y()) + 2, round(corner.x()) + 2] for corner in corners]
    return np.array(found).reshape(small.layout.rows, small.layout.columns)


def expected_colours(picture: MapPicture, look: Look) -> np.ndarray:
    return pixels_of(picture.positions, picture.masked, colour_map_of(picture), look.theme.masked) & 0xFFFFFF


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("vector", [False, True])
def test_cells_have_the_colours_of_their_numbers(theme, vector: bool) -> None:
    look, room = Look(theme), QRectF(0, 0, 620, 560)
    frame = heads_frame(SETUPS["11"])
    strip, pair = stages("11"), comparison("11")
    painted = image(lambda p: paint_stages(p, frame, HeadsView(), room, look, vector=vector), 620, 560, look)
    for picture, small in zip(strip.pictures, stages_layout(strip, look, room).maps, strict=True):
        np.testing.assert_array_equal(cell_colours(painted, small), expected_colours(picture, look))
    painted = image(lambda p: paint_compare(p, pair, room, look, vector=vector), 620, 560, look)
    for picture, small in zip(pair.pictures, compare_layout(pair, look, room).maps, strict=True):
        np.testing.assert_array_equal(cell_colours(painted, small), expected_colours(picture, look))


@pytest.mark.parametrize("hover", [(7, 1), (7, None), (None, 1)])
def test_a_mark_is_the_same_cell_in_every_map_and_changes_nothing_else(hover) -> None:
    look, room = Look(), QRectF(0, 0, 620, 560)
    frame = heads_frame(SETUPS["11"])
    plain, lit = (
        image(lambda p, mark=mark: paint_stages(p, frame, HeadsView(), room, look, hover=mark), 620, 560, look)
        for mark in (None, hover)
    )
    changed = plain != lit
    for small in stages_layout(stages("11"), look, room).maps:
        box = small.layout.rectangle(hover[0] or 0, hover[1] or 0)
        box = (
            box
            if None not in hover
            else small.layout.cells.intersected(
                QRectF(0, box.top(), 999, box.height()) if hover[1] is None else QRectF(box.left(), 0, box.width(), 999)
            )
        )
        ys, xs = np.nonzero(
            changed[
                int(small.layout.cells.top()) : int(small.layout.cells.bottom()),
                int(small.layout.cells.left()) : int(small.layout.cells.right()),
            ]
        )
        assert len(ys) > 20
        assert box.top() - 4 <= ys.min() + int(small.layout.cells.top())
        assert ys.max() + int(small.layout.cells.top()) <= box.bottom() + 4
        assert box.left() - 4 <= xs.min() + int(small.layout.cells.left())
        assert xs.max() + int(small.layout.cells.left()) <= box.right() + 4


@pytest.mark.parametrize("mark", [(1, 0), (7, None), (None, 8)])
def test_a_mark_where_one_map_has_no_cell_is_painted_in_all(mark) -> None:
    look, room = Look(), QRectF(0, 0, 620, 560)
    pair = two_sentences()
    layout = compare_layout(pair, look, room)
    plain, lit = (
        image(lambda p, hover=hover: paint_compare(p, pair, room, look, hover=hover), 620, 560, look)
        for hover in (None, mark)
    )
    places = pair.rows.place_of(mark[0]), pair.columns.place_of(mark[1])
    for small in layout.maps:
        box = small.layout.rectangle(*(place or 0 for place in places)).toAlignedRect().adjusted(-4, -4, 4, 4)
        assert (plain != lit)[box.top() : box.bottom(), box.left() : box.right()].any()
    nowhere = image(lambda p: paint_compare(p, pair, room, look, hover=(99, 0)), 620, 560, look)
    np.testing.assert_array_equal(nowhere, plain)


def test_the_chain_wraps_and_keeps_what_is_made_together() -> None:
    boxes, look = stages("11").boxes, Look()
    wide, narrow = chain_layout(boxes, look, 0, 1500), chain_layout(boxes, look, 0, 400)
    assert len({placed.place.top() for placed in wide.boxes}) == 1
    assert wide.height < narrow.height
    for chain in (wide, narrow):
        assert [placed.box for placed in chain.boxes] == list(boxes)
        made = [placed for placed in chain.boxes if placed.box.name in "QKV"]
        assert len({placed.place.top() for placed in made}) == 1
        assert [placed.arrow is None for placed in chain.boxes] == [box.beside or box is boxes[0] for box in boxes]
    assert max(placed.place.right() for placed in narrow.boxes) <= 400


# ---- Lines ----


def links_picture(weights: np.ndarray, mass: float = 0.9) -> LinePicture:
    n_q, n_k = weights.shape
    links = line_links(ArrayMap(weights), range(n_q), range(n_k), mass)
    queries, keys = tuple(f"query{i}" for i in range(n_q)), tuple(f"key{i}" for i in range(n_k))
    return LinePicture(links, mass, queries, keys)


def lines(name: str) -> LinePicture:
    return line_picture(heads_frame(SETUPS[name]), HeadsView())


@pytest.mark.parametrize(("still", "most"), [(False, 62), (True, 34)], ids=["screen", "paper"])
@pytest.mark.parametrize("name", SETUPS)
@pytest.mark.parametrize(("width", "height", "zoom"), ROOMS)
def test_lines_fit_every_room(name: str, width: int, height: int, zoom: float, still: bool, most: int) -> None:
    look, room = Look(LIGHT, zoom, still=still), QRectF(5, 7, width, height)
    picture = lines(name)
    layout = lines_layout(picture, look, room)
    left = layout.field.left() - layout.row_labels
    assert left >= room.left()
    assert layout.field.right() + layout.column_labels <= room.right()
    assert contains(room, layout.field)
    assert contains(room, layout.legend)
    assert layout.field.bottom() <= layout.legend.top()
    assert layout.row_step <= most * zoom
    assert layout.column_step <= most * zoom
    assert layout.widest <= 7 * zoom


def test_tokens_are_found_where_they_are_written() -> None:
    layout = lines_layout(lines("hand-made"), Look(), QRectF(0, 0, 620, 560))
    for row in range(layout.rows):
        assert layout.row_at(layout.row_y(row), layout.field.left() - 12) == row
    for column in range(layout.columns):
        assert layout.column_at(layout.column_y(column), layout.field.right() + 12) == column
    middle = layout.field.center()
    assert layout.row_at(middle.y(), middle.x()) is None
    assert layout.column_at(middle.y(), middle.x()) is None
    assert layout.row_at(layout.field.bottom() + 5, layout.field.left() - 12) is None
    assert layout.column_at(layout.field.bottom() + 50, layout.field.right() + 12) is None


def on_curve(layout: LinesLayout, row: int, column: int, t: float) -> QPointF:
    """Return a point of Bézier's curve from a query to a key, both ends level."""
    ends = [layout.field.left(), layout.field.center().x(), layout.field.center().x(), layout.field.right()]
    heights = [layout.row_y(row), layout.row_y(row), layout.column_y(column), layout.column_y(column)]
    shares = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
    return QPointF(*(float(np.dot(shares, points)) for points in (ends, heights)))


def test_a_line_is_where_it_is_looked_for() -> None:
    weights = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.0, 1.0, 0.0]])
    picture, look, room = links_picture(weights), Look(), QRectF(0, 0, 620, 560)
    layout = lines_layout(picture, look, room)
    pixels = image(lambda p: paint_lines(p, picture, room, look), 620, 560, look)
    background = int(look.theme.card[1:], 16)
    for i, (row, column) in enumerate(zip(picture.links.row, picture.links.column, strict=True)):
        for t in (0.15, 0.3, 0.5, 0.75, 0.9):
            place = on_curve(layout, int(row), int(column), t)
            pairs = zip(picture.links.row, picture.links.column, picture.links.weight, strict=True)
            away = [abs(on_curve(layout, int(r), int(c), t).y() - place.y()) - 3.5 * w for r, c, w in pairs]
            on_top = max(j for j, distance in enumerate(away) if distance < 0 or j == i)
            assert link_at(picture, layout, place) == on_top
            assert pixels[int(place.y()), int(place.x())] != background
    far = on_curve(layout, 2, 2, 0.5) + QPointF(0, 30)
    assert link_at(picture, layout, far) is None
    assert link_at(picture, layout, QPointF(layout.field.left() - 5, layout.row_y(0))) is None


def thickness(pixels: np.ndarray, x: int, y: float, background: int) -> float:
    """Return how much of a column of pixels a level line covers, in pixels of full darkness."""
    column = pixels[int(y) - 8 : int(y) + 8, x]
    depth = [background // 0x10000 - int(pixel) // 0x10000 for pixel in column]
    return sum(depth) / max(depth)


def test_lines_are_as_wide_as_their_weights() -> None:
    picture, look, room = links_picture(np.diag([1.0, 0.5, 0.25])), Look(), QRectF(0, 0, 620, 560)
    layout = lines_layout(picture, look, room)
    assert layout.widest == 7.0
    pixels = image(lambda p: paint_lines(p, picture, room, look), 620, 560, look)
    background = int(look.theme.card[1:], 16)
    x = int(layout.field.left()) + 200
    for row, weight in ((0, 1.0), (1, 0.5), (2, 0.25)):
        assert thickness(pixels, x, layout.row_y(row), background) == pytest.approx(7 * weight, abs=0.6)
    thin = links_picture(np.array([[0.9999, 0.0001]]), 1.0)
    pixels = image(lambda p: paint_lines(p, thin, room, look), 620, 560, look)
    place = on_curve(lines_layout(thin, look, room), 0, 1, 0.75)
    assert THINNEST_LINE > 0.0001 * 7
    assert (pixels[int(place.y()) - 1 : int(place.y()) + 2, int(place.x())] != background).any()


def colours_near(pixels: np.ndarray, place: QPointF) -> set[int]:
    return set(pixels[int(place.y()) - 1 : int(place.y()) + 2, int(place.x())].tolist())


def test_a_lit_token_colours_its_lines_and_fades_the_others() -> None:
    weights = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.0, 1.0, 0.0]])
    picture, look, room = links_picture(weights), Look(), QRectF(0, 0, 620, 560)
    layout = lines_layout(picture, look, room)
    theme = look.theme
    pixels = image(lambda p: paint_lines(p, picture, room, look, row=0, column=0), 620, 560, look)
    t = 0.8
    assert int(theme.query[1:], 16) in colours_near(pixels, on_curve(layout, 0, 2, t))
    assert int(theme.key[1:], 16) in colours_near(pixels, on_curve(layout, 1, 0, t))
    other = on_curve(layout, 2, 1, t)
    plain = image(lambda p: paint_lines(p, picture, room, look), 620, 560, look)
    before, after = (int(p[int(other.y()), int(other.x())]) & 0xFF for p in (plain, pixels))
    card = int(theme.card[1:], 16) & 0xFF
    assert card - after == pytest.approx(FAINT * (card - before), abs=2)
    pair = links_picture(np.array([[1.0, 0.0], [0.5, 0.5]]))
    pixels = image(lambda p: paint_lines(p, pair, room, look, row=0, column=0), 620, 560, look)
    level = on_curve(lines_layout(pair, look, room), 0, 0, 0.5)
    assert int(theme.text[1:], 16) in colours_near(pixels, level)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_marks_over_a_kept_picture_look_like_the_whole(theme) -> None:
    picture, look, room = lines("11"), Look(theme), QRectF(0, 0, 620, 560)
    layout = lines_layout(picture, look, room)

    def in_two_steps(painter: QPainter) -> None:
        item = LinesItem("Lines", picture)
        item.paint(painter, layout, look)
        item.mark(painter, layout, look, Hit("Lines", Spot(7)))

    whole = image(lambda p: paint_lines(p, picture, room, look, row=7), 620, 560, look)
    steps = image(in_two_steps, 620, 560, look)
    channels = [
        np.abs((whole >> shift & 0xFF).astype(int) - (steps >> shift & 0xFF).astype(int)) for shift in (0, 8, 16)
    ]
    assert max(channel.max() for channel in channels) <= 64  # lines on top of each other, faded one by one or together
    assert np.mean(channels) < 1.0


def test_a_query_without_keys_says_so() -> None:
    frame = heads_frame(setup(11, mask=MaskChoice(MaskKind.STRICT)))
    picture, look = line_picture(frame, HeadsView()), Look()
    texts = svg_texts(lambda p, room: paint_lines(p, picture, room, look), 620, 560)
    assert texts.count("nothing to attend to") == 1
    crowded = line_picture(heads_frame(setup(64, mask=MaskChoice(MaskKind.STRICT))), HeadsView())
    texts = svg_texts(lambda p, room: paint_lines(p, crowded, room, look), 620, 560)
    assert "nothing to attend to" not in texts
    assert any("1 query has nothing to attend to" in text for text in texts)


@pytest.mark.parametrize(("n", "every"), [(11, 1), (64, 2), (512, 13)])
def test_labels_are_left_out_where_they_would_not_fit(n: int, every: int) -> None:
    picture = links_picture(np.eye(n))
    layout = lines_layout(picture, Look(), QRectF(0, 0, 620, 560))
    texts = svg_texts(lambda p, room: paint_lines(p, picture, room, Look()), 620, 560)
    written = [int(text.removeprefix("query")) for text in texts if re.fullmatch(r"query\d+", text)]
    assert written == list(range(0, n, every))
    assert every * layout.row_step >= 12
    assert every == 1 or (every - 1) * layout.row_step < 12


def test_lines_of_a_part_are_those_of_its_tokens() -> None:
    frame = heads_frame(setup(64))
    picture = line_picture(frame, HeadsView(), Window(10, 20, 30, 50))
    layout = lines_layout(picture, Look(), QRectF(0, 0, 620, 560))
    assert (layout.rows, layout.columns) == (10, 20)
    i = len(picture.links) - 1
    row, column = int(picture.links.row[i]) - 10, int(picture.links.column[i]) - 30
    assert link_at(picture, layout, on_curve(layout, row, column, 0.9)) == i


def test_a_line_of_a_part_is_painted_from_its_query_to_its_key() -> None:
    links = Links(np.array([12]), np.array([31]), np.array([1.0]), empty_rows=(13,))
    picture = LinePicture(links, 1.0, ("q10", "q11", "q12", "q13"), ("k30", "k31", "k32", "k33", "k34"), 10, 30)
    look, room = Look(), QRectF(0, 0, 620, 560)
    layout = lines_layout(picture, look, room)
    pixels = image(lambda p: paint_lines(p, picture, room, look), 620, 560, look)
    background = int(look.theme.card[1:], 16)
    ends = [colours_near(pixels, on_curve(layout, 2, column, 0.97)) != {background} for column in range(5)]
    starts = [colours_near(pixels, on_curve(layout, row, 1, 0.03)) != {background} for row in range(3)]
    assert ends == [False, True, False, False, False]
    assert starts == [False, False, True]
    said = text_places(
        encoded(PaintedFigure(lambda p, room: paint_lines(p, picture, room, look), QSize(620, 560)), ".svg")
    )
    height = {text: place.boundingRect().center().y() for text, place in said}
    assert height["nothing to attend to"] == pytest.approx(height["q13"], abs=2)
    assert height["k31"] == pytest.approx(layout.column_y(1), abs=4)


# ---- Files ----


@dataclass(frozen=True)
class PaintedFigure:
    """A figure of one of the pictures."""

    draw: Callable[[QPainter, QRectF], None]
    size: QSize
    title: str = "attention"
    description: str = "attention"
    file_stem: str = "attention"

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(QRect(0, 0, self.size.width(), self.size.height()), QColor("white"))
        self.draw(painter, QRectF(0, 0, self.size.width(), self.size.height()))

    def numbers(self) -> Numbers:
        raise NotImplementedError


def svg_of(draw: Callable[[QPainter, QRectF], None], width: int, height: int) -> ET.Element:
    return ET.fromstring(encoded(PaintedFigure(draw, QSize(width, height)), ".svg").decode())  # noqa: S314


def svg_texts(draw: Callable[[QPainter, QRectF], None], width: int, height: int) -> list[str]:
    found = ["".join(text.itertext()).strip() for text in svg_of(draw, width, height).iter(f"{SVG}text")]
    return [re.sub(r"\s+", " ", text) for text in found]


def test_vector_files_hold_shapes_and_words_but_no_image() -> None:
    frame, other = heads_frame(HeadsSetup(mask=CAUSAL)), heads_frame(HeadsSetup(mask=CAUSAL, temperature=0.5, head=2))
    look, links, pair = Look(), line_picture(frame, HeadsView()), compare_pictures(frame, other, HeadsView())
    drawings = {
        "lines": lambda p, room: paint_lines(p, links, room, look, vector=True),
        "stages": lambda p, room: paint_stages(p, frame, HeadsView(), room, replace(look, still=True), vector=True),
        "compare": lambda p, room: paint_compare(p, pair, room, look, vector=True),
    }
    for name, draw in drawings.items():
        root = svg_of(draw, 620, 560)
        assert root.find(f".//{SVG}image") is None, name
        texts = svg_texts(draw, 620, 560)
        for token in frame.queries:
            assert token in texts, name
        pdf = encoded(PaintedFigure(draw, QSize(620, 560)), ".pdf")
        assert pdf.startswith(b"%PDF")
        assert b"/Subtype /Image" not in pdf, name
    texts = svg_texts(drawings["stages"], 620, 560)
    for words in (
        "raw scores",
        "scaled",
        "masked",
        "weights",
        "÷ √8",
        "= ÷ 2.83",
        "mask: 55 cells hidden",
        "(8, 11, 8)",
    ):
        assert words in texts
    assert "8 heads × 11 × 11" in texts
    texts = svg_texts(drawings["compare"], 620, 560)
    assert "A: head 1, T = 1" in texts
    assert "B: head 3, T = 0.5" in texts
    paths = svg_of(drawings["lines"], 620, 560).findall(f".//{SVG}path")
    assert sum("C" in path.get("d", "") for path in paths) == len(links.links)
