"""Items of pictures: laid out side by side, pointed at, walked through, hidden, written to files, each in its turn."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from heads_driver import pixels
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import overlaps, text_places

from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.items.bars import Bar as NamedBar
from attention_explorer.kit.items.bars import NamedBars
from attention_explorer.kit.items.columns import Above, Beside, Together
from attention_explorer.kit.items.item import Hit, Item
from attention_explorer.kit.items.map import Map, RowsMap
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Curve, Handle
from attention_explorer.kit.items.strips import Bar, Part, Shares, Strip, Strips
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.theme import DARK, LIGHT, Look

pytestmark = pytest.mark.usefixtures("qapp")

LOOK = Look(LIGHT)
WORDS = ("The", "cat", "sat", "on")
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
NARROW, USUAL, LARGE = QRectF(5, 5, 350, 320), QRectF(5, 5, 780, 500), QRectF(5, 5, 1880, 1100)


def picture_of(scale: float) -> MapPicture:
    values = scale * np.arange(16.0).reshape(4, 4)
    colours = ColourScale(ScaleKind.LINEAR, 0.0, 15.0 * scale, "weight")
    return MapPicture(values, np.zeros((4, 4), bool), colours, "viridis", WORDS, WORDS)


def table_of(scale: float) -> Table:
    columns = Column("name"), Column("number", is_right=True)
    rows = tuple((word, f"{scale * number:.3f}") for number, word in enumerate(WORDS))
    return Table("Table", columns, rows, swatches=("query", "", 0.5, "#123456"))


def strips_of(scale: float) -> Strips:
    strips = tuple(Strip(f"strip {n}", np.linspace(0, scale, 6), detail="detail") for n in range(3))
    return Strips("Strips", strips, "tokens back", ((0, "1"), (5, "6")))


def shares_of(scale: float) -> Shares:
    bars = tuple(
        Bar(name, tuple(Part(f"part {n}", 1.0 + scale * n, 0.3 * n + 0.1) for n in range(3)), f"{scale:.2f} GB")
        for name in ("one", "two")
    )
    return Shares("Shares", bars)


def plot_of(scale: float) -> Plot:
    x = np.linspace(0, 10, 11)
    curve = Curve(x, scale * x, "curve")
    return Plot("Plot", Axis(0, 10, "depth"), Axis(0, 20, "size"), (curve, Handle("handle", 4.0)), stops=x.tolist())


def named_bars_of(scale: float) -> NamedBars:
    bars = tuple(NamedBar(f"k{n}", scale * n / 3, f"{scale * n:.2f}", f"{scale * n:.0%}", "a word") for n in (1, 2, 3))
    return NamedBars("Weights", ("q·k", "weight α"), bars)


@dataclass(frozen=True)
class Kind:
    """A kind of item: made with one number or another, and the middle of each part that can be pointed at."""

    make: Callable[[float], Item[Any]]
    places: Callable[[Any], dict[Any, QPointF]]


def cells(count: int, columns: int, box: Callable[[Any, int, int], QRectF]) -> Callable[[Any], dict[Any, QPointF]]:
    pairs = list(itertools.product(range(count), range(columns)))
    return lambda layout: {pair: box(layout, *pair).center() for pair in pairs}


KINDS = {
    "title": Kind(lambda scale: Title("Title", f"{scale}", is_given=False), lambda _layout: {}),
    "readings": Kind(lambda scale: Readings("Readings", (Reading(f"{scale}", "what"),)), lambda _layout: {}),
    "table": Kind(table_of, lambda layout: {row: layout.row(row).center() for row in range(4)}),
    "strips": Kind(strips_of, cells(3, 6, lambda layout, strip, column: layout.cell(strip, column))),
    "shares": Kind(shares_of, cells(2, 3, lambda layout, bar, part: layout.parts[bar][part])),
    "named bars": Kind(named_bars_of, lambda layout: {row: layout.rows[row].center() for row in range(3)}),
    "map": Kind(lambda scale: Map("Map", picture_of(scale)), cells(4, 4, lambda layout, *at: layout.rectangle(*at))),
    "rows": Kind(
        lambda scale: RowsMap("Rows", picture_of(scale), title=f"up to {15 * scale:g}", detail="feature →"),
        cells(4, 4, lambda layout, *at: layout.rectangle(*at)),
    ),
    "plot": Kind(plot_of, lambda layout: {At(float(x)): layout.place(x, 15.0) for x in (0, 1, 2, 3, 6, 9, 10)}),
}


def painted(item: Item[Any], box: QRectF, look: Look = LOOK, hit: Hit | None = None) -> np.ndarray:
    image = QImage(round(box.right()) + 6, round(box.bottom()) + 6, QImage.Format.Format_RGB32)
    image.fill(QColor(look.theme.card))
    painter, layout = QPainter(image), item.layout(look, box)
    try:
        item.paint(painter, layout, look)
        if hit is not None:
            item.mark(painter, layout, look, hit)
    finally:
        painter.end()
    return pixels(image).copy()


def drawing_of(item: Item[Any], box: QRectF) -> bytes:
    size = QSize(round(box.right()) + 6, round(box.bottom()) + 6)
    return svg_bytes(lambda painter: item.paint(painter, item.layout(LOOK, box), LOOK, vector=True), size, 1.0, "", "")


# ---- Each by itself ----


@pytest.mark.parametrize("box", [NARROW, USUAL, LARGE], ids=["narrow", "usual", "large"])
@pytest.mark.parametrize("name", KINDS)
def test_it_stays_in_its_box_and_writes_nothing_over_its_words(name: str, box: QRectF) -> None:
    item = KINDS[name].make(0.25)
    for look in (LOOK, Look(DARK)):
        inked = painted(item, box, look) != int(look.theme.card[1:], 16)
        assert inked.any()
        assert not inked[:3].any()
        assert not inked[:, :3].any()
        assert not inked[-3:].any()
        assert not inked[:, -3:].any()
    drawing = drawing_of(item, box)
    assert b"<image" not in drawing
    assert not overlaps(text_places(drawing))
    data = item.data_box(item.layout(LOOK, box))
    assert box.adjusted(-1, -1, 1, 1).contains(data) or data.isEmpty()


@pytest.mark.parametrize("box", [NARROW, USUAL], ids=["narrow", "usual"])
@pytest.mark.parametrize("name", KINDS)
def test_the_middle_of_every_part_is_that_part(name: str, box: QRectF) -> None:
    kind = KINDS[name]
    item = kind.make(0.25)
    layout = item.layout(LOOK, box)
    for part, place in kind.places(layout).items():
        # Half a pixel within, for places at the very edge of an axis.
        held = QPointF(min(max(place.x(), box.left()), box.right() - 0.5), place.y())
        hit = item.hit(layout, held)
        if isinstance(part, At):
            assert hit is not None
            assert hit.part.x == pytest.approx(part.x, abs=0.05)
        else:
            assert hit == Hit(item.name, part)
    assert item.hit(layout, QPointF(-30, -30)) is None


@pytest.mark.parametrize("name", KINDS)
def test_what_is_hit_lights_up_in_its_own_item_only(name: str) -> None:
    kind = KINDS[name]
    item = kind.make(0.25)
    plain = painted(item, USUAL)
    assert (painted(item, USUAL, hit=Hit("another", (0, 0))) == plain).all()
    parts = list(kind.places(item.layout(LOOK, USUAL)))
    lit = [painted(item, USUAL, hit=Hit(item.name, part)) for part in (*parts[:1], *parts[-1:])]
    assert all((each != plain).any() for each in lit)
    assert len(parts) < 2 or (lit[0] != lit[1]).any()


def walked_through(item: Item[Any]) -> set[Hit]:
    """Return all that arrow keys lead to."""
    found: set[Hit] = set()
    waiting: list[Hit | None] = [None]
    while waiting:
        hit = waiting.pop()
        for key in KEYS:
            reached = item.walk(hit, int(key))
            if reached is not None and reached not in found:
                found.add(reached)
                waiting.append(reached)
    return found


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("title", "readings")])
def test_keys_lead_to_every_part(name: str) -> None:
    kind = KINDS[name]
    item = kind.make(0.25)
    wanted = {Hit(item.name, part) for part in kind.places(item.layout(LOOK, USUAL))}
    assert wanted <= walked_through(item)
    assert item.walk(None, int(Qt.Key.Key_Space)) is None


@pytest.mark.parametrize("name", KINDS)
def test_hidden_it_is_the_same_whatever_its_numbers(name: str) -> None:
    kind = KINDS[name]
    one, other = kind.make(0.25), kind.make(0.75)
    assert (painted(one, USUAL) != painted(other, USUAL)).any()
    hidden = painted(one.hidden(), USUAL)
    assert (hidden == painted(other.hidden(), USUAL)).all()
    assert (hidden != int(LIGHT.card[1:], 16)).any(), "that there is something is seen"
    texts = {text for text, _ in text_places(drawing_of(one.hidden(), USUAL))}
    assert "?" in texts
    assert one.name in texts or isinstance(one, Map)
    assert not one.hidden().arrays()


def test_what_is_given_stays() -> None:
    title = Title("Title", "Of what a question gives")
    assert title.hidden() is title
    table = replace(table_of(0.5), is_given=True)
    assert table.hidden() is table


def test_what_is_spoken() -> None:
    assert Title("Title", "Words").spoken() == "Words"
    readings = Readings("Readings", (Reading("0.999", "beside"), Reading("0.707", "under")))
    assert readings.spoken() == "beside 0.999; under 0.707"
    assert table_of(1.0).spoken().startswith("name The, number 0.000. name cat, number 1.000")
    assert shares_of(1.0).spoken() == "one: 1.00 GB; two: 1.00 GB"
    both = Above((Title("Title", "Words."), Plot("Plot", Axis(0, 1), Axis(0, 1), ()), readings))
    assert both.spoken() == "Words. beside 0.999; under 0.707"


# ---- Readings, titles, rows ----


def test_a_long_number_is_written_smaller_and_never_cut() -> None:
    long = Readings("Readings", (Reading("× 2.86·10⁻⁷⁴", "gradient"), Reading("4.83·10⁻¹³", "difference")))
    drawing = drawing_of(long, QRectF(5, 5, 300, 80))
    places = text_places(drawing)
    assert {"× 2.86·10⁻⁷⁴", "4.83·10⁻¹³"} <= {text for text, _ in places}
    assert not overlaps(places)
    assert all(place.boundingRect().right() <= 306 for _, place in places)


def test_rows_fill_their_room_and_leave_out_what_has_none() -> None:
    item = RowsMap("Rows", picture_of(1.0), title="a title of some length", detail="feature 0…63 →")
    wide, narrow = item.layout(LOOK, USUAL), item.layout(LOOK, QRectF(0, 0, 180, 200))
    assert (wide.cells.right(), wide.cells.bottom()) == (USUAL.right(), USUAL.bottom())
    assert not wide.bar.isEmpty()
    assert narrow.bar.isEmpty()
    assert "feature 0…63 →" in {text for text, _ in text_places(drawing_of(item, USUAL))}
    texts = {text for text, _ in text_places(drawing_of(item, QRectF(0, 0, 180, 200)))}
    assert texts == {"a title of some length", *WORDS}
    hidden = item.hidden()
    assert (hidden.title, hidden.picture.scale.high) == ("Rows", 1.0)


# ---- Together ----


def all_of(kind: type[Together], **more: Any) -> Together:
    names = ("title", "table", "plot", "rows")
    return kind(tuple(KINDS[name].make(0.25) for name in names), **more)


@pytest.mark.parametrize("box", [NARROW, USUAL, LARGE], ids=["narrow", "usual", "large"])
@pytest.mark.parametrize("kind", [Above, Beside])
def test_items_together_do_not_overlap(kind: type[Together], box: QRectF) -> None:
    boxes = all_of(kind).boxes(LOOK, box)
    for one, other in itertools.combinations(boxes, 2):
        assert not one.intersects(other)
    assert all(box.adjusted(-0.1, -0.1, 0.1, 0.1).contains(each) for each in boxes)
    assert boxes[-1].bottom() == pytest.approx(box.bottom(), abs=0.1)


def test_what_is_left_is_shared_as_it_is_said() -> None:
    title, plots = Title("Title", "Words"), [replace(plot_of(1.0), name=name) for name in "ab"]
    top, first, second = Above((title, *plots), (1.0, 3.0, 1.0), gap=10).boxes(LOOK, USUAL)
    assert top.height() == title.height(LOOK, USUAL.width())
    assert first.height() == pytest.approx(3 * second.height())
    assert second.top() == pytest.approx(first.bottom() + 10)
    left, right = Beside(tuple(plots), (2.0, 1.0)).boxes(LOOK, USUAL)
    assert left.width() == pytest.approx(2 * right.width())


def test_in_a_narrow_room_what_is_beside_comes_below() -> None:
    beside = Beside((plot_of(1.0), table_of(1.0)), narrow=500.0)
    first, second = beside.boxes(LOOK, USUAL)
    assert first.top() == second.top()
    first, second = beside.boxes(LOOK, NARROW)
    assert first.left() == second.left()
    assert second.top() > first.bottom()
    assert Above((Title("a", "a"), Title("b", "b"))).height(LOOK, 300) is not None
    assert all_of(Above).height(LOOK, 300) is None, "it takes what is left"


def test_together_each_is_pointed_at_walked_through_and_hidden_as_by_itself() -> None:
    item = Above(tuple(KINDS[name].make(0.25) for name in ("title", "table", "shares", "map")))
    layout = item.layout(LOOK, LARGE)
    wanted = set()
    for placed, name in zip(layout, ("title", "table", "shares", "map"), strict=True):
        for part, place in KINDS[name].places(placed.layout).items():
            hit = Hit(placed.item.name, part)
            assert item.hit(layout, place) == hit
            assert item.owns(hit)
            wanted.add(hit)
    assert len(wanted) == 4 + 6 + 16
    assert wanted <= walked_through(item)
    assert not item.owns(Hit("another"))
    first, second = (Above(tuple(KINDS[name].make(scale) for name in KINDS)) for scale in (0.25, 0.75))
    assert (painted(first.hidden(), LARGE) == painted(second.hidden(), LARGE)).all()


def test_a_key_at_the_end_of_one_item_leads_to_the_next_and_back() -> None:
    item = Above((table_of(1.0), replace(table_of(2.0), name="Below")))
    down, up = int(Qt.Key.Key_Down), int(Qt.Key.Key_Up)
    hit, seen = None, []
    for _ in range(9):
        hit = item.walk(hit, down)
        assert hit is not None
        seen.append((hit.item, hit.part))
    assert seen == [*(("Table", n) for n in range(4)), *(("Below", n) for n in range(4)), ("Below", 3)]
    assert item.walk(Hit("Below", 0), up) == Hit("Table", 3)
    assert item.walk(Hit("Table", 0), up) == Hit("Table", 0)


def test_together_they_keep_their_handles_arrays_and_data() -> None:
    plot = plot_of(1.0)
    item = Beside((table_of(1.0), plot))
    layout = item.layout(LOOK, USUAL)
    placed = layout[1]
    at = placed.layout.place(4.0, 3.0)
    assert item.grab(layout, at) == Hit("Plot", "handle")
    value = item.value_at(layout, Hit("Plot", "handle"), placed.layout.place(7.0, 10.0))
    assert value == pytest.approx((7.0, 10.0))
    assert list(item.arrays()) == ["curve: depth", "curve"]
    assert item.data_box(layout) == layout[0].item.data_box(layout[0].layout).united(placed.layout.plot)


def test_of_words_that_have_no_room_the_longest_are_cut() -> None:
    columns = Column("asked"), Column("answer"), Column("right")
    table = Table("Table", columns, (("long words " * 40, "short", "long words " * 20),))
    layout = table.layout(LOOK, NARROW)
    (_, _, asked), (_, _, answer), (_, left, right) = layout.shown
    assert (asked, answer) == (right, table.layout(LOOK, LARGE).shown[1][2])
    assert left + right == pytest.approx(NARROW.right())
