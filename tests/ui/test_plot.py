"""Plots: where everything is, what is under the pointer, and that what is drawn is where it is said to be."""

from __future__ import annotations

import gc
import itertools
import math
import re
import xml.etree.ElementTree as ET
from functools import partial
from typing import Any, cast

import numpy as np
import pyqtgraph as pg
import pytest
from heads_driver import pixels
from pdf_reader import pdf_runs
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid
from svg_reader import overlaps, text_places

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.drawing.marks import text_size
from attention_explorer.kit.export.svg_file import pdf_bytes, svg_bytes
from attention_explorer.kit.items.item import Hit, Step
from attention_explorer.kit.items.plot import Plot, PlotLayout, next_stop, value_of
from attention_explorer.kit.items.plot_drawing import STRIP, cut
from attention_explorer.kit.items.plot_marks import (
    At,
    Axis,
    Band,
    Bars,
    Between,
    Curve,
    Handle,
    Label,
    Line,
    Mark,
    Points,
    ticks_along,
)
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.theme import DARK, LIGHT, Look, Theme
from attention_explorer.pages.lab.ui.layers import NormSize
from attention_explorer.pages.preset_lists import preset_list

block_preset = partial(preset_of, preset_list("block"))

pytestmark = pytest.mark.usefixtures("qapp")

LOOK, BOX = Look(LIGHT), QRectF(20, 20, 460, 260)
SIZE = QSize(500, 300)
X = np.linspace(0.0, 10.0, 41)
LEFT, RIGHT, UP, DOWN = (int(key) for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down))


DEPTH, HEIGHT = Axis(0, 10, "depth"), Axis(0, 1, "size")


def plot_of(*marks: Mark, across: Axis = DEPTH, up: Axis = HEIGHT, **more: Any) -> Plot:
    return Plot("plot", across, up, marks, **more)


def painted(plot: Plot, look: Look = LOOK, box: QRectF = BOX) -> tuple[np.ndarray, PlotLayout]:
    """Return the pixels of a plot on its card, and where everything is."""
    layout, image = plot.layout(look, box), QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(look.theme.card))
    painter = QPainter(image)
    try:
        plot.paint(painter, layout, look)
    finally:
        painter.end()
    return pixels(image).copy(), layout


def rgb(name: str) -> np.ndarray:
    colour = QColor(name)
    return np.asarray([colour.red(), colour.green(), colour.blue()], float)


def at(drawn: np.ndarray, place: QPointF) -> np.ndarray:
    """Return the colour of the pixel at a place."""
    pixel = int(drawn[int(place.y()), int(place.x())])
    return np.asarray([pixel >> 16, (pixel >> 8) & 255, pixel & 255], float)


def mixed(theme: Theme, ink: str, opacity: float) -> np.ndarray:
    return opacity * rgb(getattr(theme, ink)) + (1 - opacity) * rgb(theme.card)


def is_inked(drawn: np.ndarray, place: QPointF, theme: Theme, reach: int = 1) -> bool:
    """Whether something that is far from the ground lies within some pixels of a place."""
    steps = itertools.product(range(-reach, reach + 1), repeat=2)
    ground = rgb(theme.card)
    return any(np.abs(at(drawn, place + QPointF(*step)) - ground).max() > 60 for step in steps)


# ---- Axes ----


@pytest.mark.parametrize(
    ("axis", "half"),
    [(Axis(0, 10), 5.0), (Axis(1e-4, 1e4, log=10), 1.0), (Axis(1, 1024, log=2), 32.0), (Axis(-3, 1), -1.0)],
)
def test_a_number_and_its_share_of_an_axis(axis: Axis, half: float) -> None:
    assert (axis.share(axis.low), axis.share(axis.high)) == pytest.approx((0.0, 1.0))
    assert axis.number(0.5) == pytest.approx(half)
    shares = np.linspace(0.0, 1.0, 7)
    numbers = np.asarray([axis.number(share) for share in shares])
    np.testing.assert_allclose(axis.shares(numbers), shares, atol=1e-12)
    assert (axis.number(-0.2), axis.number(1.7)) == pytest.approx((axis.low, axis.high)), "held between the ends"


def test_what_is_not_above_0_lies_far_below_a_log_axis() -> None:
    axis = Axis(1e-3, 1.0, log=10)
    assert axis.share(0.0) < -50
    assert (axis.shares(np.asarray([0.0, -1.0])) < -50).all()


@pytest.mark.parametrize(
    ("axis", "texts"),
    [
        (Axis(0, 10), ["0", "2", "4", "6", "8", "10"]),
        (Axis(0, 3, is_whole=True), ["0", "1", "2", "3"]),
        (Axis(1e-6, 1e2, log=10), ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"]),
        (Axis(1, 64, log=2), ["1", "4", "16", "64"]),
        (Axis(0, 1, ticks=((0.0, "none"), (1.0, "all"))), ["none", "all"]),
        (Axis(0, 1, is_bare=True), []),
    ],
)
def test_what_is_written_beside_an_axis(axis: Axis, texts: list[str]) -> None:
    written = axis.written(6)
    assert [text for _, text in written] == texts
    assert all(axis.low <= number <= axis.high for number, _ in written)


def test_of_many_ticks_of_its_own_an_axis_writes_every_so_many() -> None:
    axis = Axis(0, 100, ticks=tuple((float(number), str(number)) for number in range(0, 101, 10)))
    assert [text for _, text in axis.written(4)] == ["0", "30", "60", "90"]


# ---- Where everything is ----


@pytest.mark.parametrize("wide", [300, 460, 900])
@pytest.mark.parametrize("up", [Axis(0, 1, "size"), Axis(1e-77, 10, "gradient", log=10), Axis(-2000, 2000)])
def test_every_number_on_the_axes_has_room(wide: int, up: Axis) -> None:
    right = Axis(0, 100, "percent", ticks=((0.0, "none at all"), (100.0, "all of it")))
    plot = plot_of(Curve(X, X / 10, "curve"), up=up, across=Axis(1e-7, 100, "row", log=10), right=right)
    box = QRectF(10, 10, wide, 240)
    drawing = svg_of(plot, box)
    places = text_places(drawing)
    texts = [text for text, _ in places]
    layout = plot.layout(LOOK, box)
    for axis, along in ((plot.up, layout.plot.height()), (right, layout.plot.height())):
        assert {text for _, text in axis.written(ticks_along(along, LOOK))} <= set(texts)
    assert {"row", "percent", "curve"} <= set(texts)
    assert not overlaps(places)
    outside = [text for text, place in places if not box.adjusted(-2, -2, 2, 2).contains(place.boundingRect())]
    assert not outside


def test_what_an_axis_does_not_need_goes_to_the_plot() -> None:
    whole, bare = (plot_of(across=Axis(0, 10, title, is_bare=not title)).layout(LOOK, BOX) for title in ("depth", ""))
    assert bare.plot.height() > whole.plot.height() + 20
    named = plot_of(Curve(X, X / 10, "name"))
    unnamed = plot_of(Curve(X, X / 10, "name"), has_legend=False)
    assert named.layout(LOOK, BOX).plot.top() > unnamed.layout(LOOK, BOX).plot.top() + 15
    assert plot_of().data_box(whole) == whole.plot
    still = plot_of().layout(Look(axis_names=False), BOX)
    assert still.plot.left() < plot_of().layout(LOOK, BOX).plot.left()


def test_a_place_and_its_numbers() -> None:
    layout = plot_of(across=Axis(1, 1024, log=2)).layout(LOOK, BOX)
    for pair in ((1.0, 0.0), (1024.0, 1.0), (37.5, 0.3)):
        assert layout.numbers(layout.place(*pair)) == pytest.approx(pair)
    assert layout.numbers(QPointF(-500, 5000)) == (1.0, 0.0)


# ---- Pointing and keys ----


def test_what_is_under_the_pointer() -> None:
    points = Points("points", (2.0, 6.0), (0.2, 0.7))
    plot = plot_of(Curve(X, X / 10), points, Handle("line", 8.0), Handle("ring", 4.0, 0.5), snap=round)
    layout = plot.layout(LOOK, BOX)
    hits = {
        (2.1, 0.2): At(2.0, "points", 0),
        (6.0, 0.7): At(6.0, "points", 1),
        (8.0, 0.9): "line",
        (4.0, 0.5): "ring",
        (4.0, 0.8): At(4),
        (5.4, 0.1): At(5),
    }
    for place, part in hits.items():
        assert plot.hit(layout, layout.place(*place)) == Hit("plot", part)
    assert plot.hit(layout, layout.plot.topLeft() - QPointF(12, 12)) is None
    assert plot.grab(layout, layout.place(2.0, 0.2)) is None
    assert plot.grab(layout, QPointF(layout.place(8.0, 0).x(), layout.plot.bottom() + 5)) == Hit("plot", "line")
    assert plot.value_at(layout, Hit("plot", "line"), layout.place(3.4, 0.25)) == pytest.approx((3, 0.25))
    assert plot.value_at(layout, Hit("another", "line"), layout.place(3.4, 0.25)) is None


def test_keys_move_a_line_across_and_a_ring_up() -> None:
    line, ring = Handle("line", 2.0, stops=(1.0, 2.0, 5.0)), Handle("ring", 4.0, 0.5, stops=(0.25, 0.75))
    plot = plot_of(line, ring)
    assert plot.press(RIGHT) == Step(Hit("plot", "line"), (5.0, 0.0))
    assert plot.press(LEFT) == Step(Hit("plot", "line"), (1.0, 0.0))
    assert plot.press(UP) == Step(Hit("plot", "ring"), (4.0, 0.75))
    assert plot.press(DOWN) == Step(Hit("plot", "ring"), (4.0, 0.25))
    assert plot.press(int(Qt.Key.Key_A)) is None
    assert plot_of(Handle("line", 2.0)).press(RIGHT) is None, "without stops it is only dragged"
    assert [next_stop((1.0, 2.0, 5.0), number, 1) for number in (0.0, 1.0, 3.0, 5.0)] == [1.0, 2.0, 5.0, 5.0]
    assert [next_stop((1.0, 2.0, 5.0), number, -1) for number in (9.0, 5.0, 1.0, 0.0)] == [5.0, 2.0, 1.0, 1.0]


def test_keys_walk_from_stop_to_stop() -> None:
    plot, hit, seen = plot_of(stops=(0.0, 4.0, 10.0)), None, []
    for _ in range(4):
        hit = plot.walk(hit, RIGHT)
        assert hit is not None
        seen.append(hit.part.x)
    assert seen == [0.0, 4.0, 10.0, 10.0]
    assert plot.walk(hit, LEFT) == Hit("plot", At(4.0))
    assert plot.walk(None, LEFT) == Hit("plot", At(10.0))
    assert plot.walk(None, UP) is None
    assert plot_of().walk(None, RIGHT) is None


def test_a_curve_between_its_points() -> None:
    curve, across, up = Curve(np.asarray([1.0, 100.0]), np.asarray([1.0, 10.0])), Axis(1, 100, log=10), Axis(0, 20)
    assert value_of(curve, across, up, 10.0) == pytest.approx(5.5), "halfway on a log axis"
    assert math.isnan(value_of(curve, across, up, 101.0))
    steps = Curve(np.asarray([0.0, 1.0, 3.0]), np.asarray([5.0, 7.0]), is_stepped=True)
    assert [value_of(steps, Axis(0, 3), up, x) for x in (0.0, 0.9, 1.0, 2.9)] == [5.0, 5.0, 7.0, 7.0]
    gap = Curve(np.asarray([0.0, 1.0, 2.0]), np.asarray([1.0, math.nan, 1.0]))
    assert math.isnan(value_of(gap, Axis(0, 2), up, 0.5))


# ---- Drawn where it is said to be ----


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("across", "up", "y"),
    [
        (Axis(0, 10), Axis(0, 1), 0.5 + 0.4 * np.sin(X)),
        (Axis(0, 10), Axis(1e-3, 1e3, log=10), 10.0 ** (2 * np.sin(X))),
        (Axis(0.25, 10, log=2), Axis(0, 1), 0.5 + 0.4 * np.sin(X)),
    ],
    ids=["even", "log up", "log across"],
)
def test_a_curve_is_where_its_numbers_are(theme: Theme, across: Axis, up: Axis, y: np.ndarray) -> None:
    plot = plot_of(Curve(X[1:], y[1:], ink="key", width=3.0), across=across, up=up)
    drawn, layout = painted(plot, Look(theme))
    for x, number in zip(X[2:-1].tolist(), y[2:-1].tolist(), strict=True):
        place = layout.place(x, number)
        assert np.abs(at(drawn, place) - rgb(theme.key)).max() < 90, (x, number)
        for beside in (QPointF(0, 14), QPointF(0, -14)):
            slope = abs(np.interp(x + 0.1, X, y) - np.interp(x - 0.1, X, y))
            if layout.plot.contains(place + beside) and slope < 0.02:
                assert np.abs(at(drawn, place + beside) - rgb(theme.card)).max() < 8


@pytest.mark.parametrize("dash", [(0.0, 0.0), (6.0, 4.0)], ids=["solid", "dashed"])
def test_of_a_rough_line_each_column_has_all_that_it_crosses(dash: tuple[float, float]) -> None:
    x = np.linspace(0.0, 10.0, 3001)
    y = 0.5 + 0.2 * np.sin(0.9 * x) + 0.15 * np.sin(97.0 * x) * (x > 5)
    drawn, layout = painted(plot_of(Curve(x, y, width=2.0, dash=dash, is_rough=True)))
    dark = np.asarray([[pixel & 255 for pixel in row] for row in drawn.tolist()]) < 128
    ends = np.asarray([layout.place(*point).toTuple() for point in zip(x, y, strict=True)])
    seen = []
    for column in range(math.ceil(layout.plot.left()) + 2, math.floor(layout.plot.right()) - 2):
        near, here = (
            ends[(ends[:, 0] >= column - reach) & (ends[:, 0] < column + 1 + reach), 1] for reach in (1.0, 0.0)
        )
        rows = np.flatnonzero(dark[: int(layout.plot.bottom()), column])
        seen.append(len(rows) > 0)
        if len(rows):
            assert near.min() - 2.5 <= rows.min() <= here.mean() + 1
            assert here.mean() - 1 <= rows.max() <= near.max() + 2.5
            assert len(rows) == rows.max() - rows.min() + 1 >= 0.6 * np.ptp(here)
    assert np.mean(seen) == pytest.approx(0.6 if any(dash) else 1.0, abs=0.04)


X_OF_MANY = np.linspace(0.0, 10.0, 700)
ROUGH = 0.5 + 0.4 * np.sin(40 * X_OF_MANY) * np.cos(7 * X_OF_MANY) + 0.1 * np.sin(900 * X_OF_MANY)
WITH_A_GAP = np.where(np.abs(X_OF_MANY - 4.0) < 0.3, np.nan, ROUGH)


@pytest.mark.parametrize("y", [ROUGH, WITH_A_GAP], ids=["rough", "gap"])
@pytest.mark.parametrize(("width", "zoom", "scale"), [(1.2, 1, 1), (2.6, 1, 1), (1.8, 1.25, 1), (1.2, 1, 1.5)])
def test_a_long_line_in_strips_has_the_pixels_of_one_that_is_stroked_at_once(
    y: np.ndarray, width: float, zoom: float, scale: float, monkeypatch
) -> None:
    plot, look = plot_of(Curve(X_OF_MANY, y, width=width), up=Axis(0, 1)), Look(LIGHT, zoom)
    strokes = list[int]()

    def drawn() -> np.ndarray:
        layout, image = plot.layout(look, BOX), QImage(SIZE * scale, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(look.theme.card))
        painter = QPainter(image)
        try:
            plot.paint(painter, layout, look)
        finally:
            painter.end()
        return pixels(image).copy()

    path_of = pg.arrayToQPath
    monkeypatch.setattr(pg, "arrayToQPath", lambda x, *more: strokes.append(len(x)) or path_of(x, *more))
    in_strips = drawn()
    assert 700 / STRIP / 2 < len(strokes) < 700
    assert max(strokes) < 3 * STRIP
    monkeypatch.setattr("attention_explorer.kit.items.plot_drawing.STRIP", 10_000)
    strokes.clear()
    assert np.array_equal(drawn(), in_strips)
    assert strokes == []


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_bars_bands_and_what_lies_between_are_where_their_numbers_are(theme: Theme) -> None:
    bars = Bars((1.0, 4.0), (2.0, 5.0), (0.6, -0.4), ink="query", opacity=1.0)
    between = Between(np.asarray([6.0, 7.0]), np.asarray([0.2, 0.2]), np.asarray([0.5, 0.5]), ink="value", opacity=1.0)
    plot = plot_of(Band(8.0, 9.0, ink="loss", opacity=0.5), bars, between, up=Axis(-1, 1))
    drawn, layout = painted(plot, Look(theme))
    colours = {
        (1.5, 0.3): rgb(theme.query),
        (1.5, 0.55): rgb(theme.query),
        (1.5, 0.68): rgb(theme.card),
        (1.5, -0.05): rgb(theme.card),
        (4.5, -0.3): rgb(theme.query),
        (4.5, 0.1): rgb(theme.card),
        (3.0, 0.1): rgb(theme.card),
        (6.5, 0.35): rgb(theme.value),
        (6.5, 0.1): rgb(theme.card),
        (8.5, 0.9): mixed(theme, "loss", 0.5),
        (8.5, -0.9): mixed(theme, "loss", 0.5),
        (9.3, 0.9): rgb(theme.card),
    }
    for place, colour in colours.items():
        assert np.abs(at(drawn, layout.place(*place)) - colour).max() < 3, place


def test_the_areas_of_a_histogram_are_its_numbers() -> None:
    counts = np.asarray([0.25, 0.5, 1.0, 0.75, 0.0])
    histogram = Curve(np.arange(6) * 2.0, counts, ink="key", width=0.5, fill=1.0, is_stepped=True)
    drawn, layout = painted(plot_of(histogram))
    is_blue = np.abs(drawn.astype(int) - int(LIGHT.key[1:], 16)) == 0
    step, full = layout.plot.width() / 5, layout.plot.height()
    areas = []
    for number in range(5):
        left = layout.plot.left() + number * step
        columns = is_blue[:, math.ceil(left + 3) : math.floor(left + step - 3)]
        areas.append(columns.sum() / columns.shape[1] / full)
    np.testing.assert_allclose(areas, counts, atol=0.03)


def test_what_is_not_a_number_is_a_gap() -> None:
    y = np.where((X > 4) & (X < 6), np.nan, 0.5)
    drawn, layout = painted(plot_of(Curve(X, y, width=3.0)))
    assert is_inked(drawn, layout.place(3.0, 0.5), LIGHT)
    assert is_inked(drawn, layout.place(7.0, 0.5), LIGHT)
    assert not is_inked(drawn, layout.place(5.0, 0.5), LIGHT)


ELSEWHERE = Line(20.0, text="far away")
WILD: list[Mark] = [
    Curve(np.linspace(-20, 30, 60), 3 * np.sin(np.linspace(-20, 30, 60)), ink="key", width=4.0),
    Curve(np.linspace(-5, 15, 21), np.linspace(-1, 4, 20), is_stepped=True, fill=0.5),
    Bars((-3.0, 9.0), (1.0, 14.0), (7.0, -7.0)),
    Between(np.asarray([-4.0, 14.0]), np.asarray([-3.0, -3.0]), np.asarray([0.2, 5.0])),
    Band(-5.0, 0.5),
    Points("points", (-0.5, 5.0, 10.6), (0.5, 1.07, -0.08), lows=(-4, 0, -1), highs=(4, 10, 1), is_joined=True),
    Line(0.5, level=True),
    ELSEWHERE,
    Handle("line", 10.0),
]


@pytest.mark.parametrize("mark", WILD, ids=lambda mark: type(mark).__name__)
def test_nothing_is_drawn_beyond_the_axes(mark: Mark) -> None:
    plot = plot_of(mark, has_legend=False)
    empty, layout = painted(plot_of(has_legend=False))
    drawn, _ = painted(plot)
    rows, columns = np.nonzero(drawn != empty)
    inside = layout.plot.adjusted(-8, -8, 8, 8)
    if len(rows):
        corners = (columns.min(), rows.min()), (columns.max(), rows.max())
        assert all(inside.contains(QPointF(*map(float, corner))) for corner in corners)
    axes = shapes_of(svg_of(plot_of(has_legend=False), BOX))
    added = [box for box in shapes_of(svg_of(plot, BOX)) if box not in axes]
    assert all(inside.contains(box) for box in added), "a file cuts nothing off"
    if mark is ELSEWHERE:
        assert not added


def shapes_of(drawing: bytes) -> list[QRectF]:
    """Return the boxes of all paths, lines and rectangles of a drawing."""
    space, number, found = "{http://www.w3.org/2000/svg}", r"-?[\d.]+(?:e-?\d+)?", []
    for group in ET.fromstring(drawing).iter(f"{space}g"):  # noqa: S314  # our own output
        matrix = QTransform(*map(float, group.get("transform", "matrix(1,0,0,1,0,0)")[7:-1].split(",")))
        for shape in group:
            pairs = re.findall(f"({number}),({number})", shape.get("d") or shape.get("points") or "")
            places = [matrix.map(QPointF(*map(float, pair))) for pair in pairs]
            if shape.tag == f"{space}rect":
                left, top, wide, high = (float(shape.get(name, "0")) for name in ("x", "y", "width", "height"))
                places = [matrix.map(QPointF(left, top)), matrix.map(QPointF(left + wide, top + high))]
            if places:
                found.append(QPolygonF(places).boundingRect().adjusted(-0.1, -0.1, 0.1, 0.1))
    return found


def test_a_line_goes_on_where_it_comes_back() -> None:
    x, y = cut(np.asarray([-1.0, 1.0, 2.0, 3.0, 4.0]), np.asarray([0.5, 0.5, 3.0, 0.5, math.nan]), 3.5, 1.0)
    np.testing.assert_allclose(x, [math.nan, 0.0, 1.0, 1.2, math.nan, 2.8, 3.0])
    np.testing.assert_allclose(y, [math.nan, 0.5, 0.5, 1.0, math.nan, 1.0, 0.5])


# ---- Words ----


def test_labels_cover_no_curve_where_there_is_room() -> None:
    curve = Curve(X, 0.5 + 0.4 * np.sin(X))
    labels = [Label(float(X[n]), float(curve.y[n]), f"number {n}") for n in (5, 15, 25)]
    drawing = svg_of(plot_of(curve, *labels, Line(7.9), Handle("line", 9.0)), BOX)
    layout = plot_of(curve, *labels).layout(LOOK, BOX)
    places = [(text, place) for text, place in text_places(drawing) if text.startswith("number ")]
    assert len(places) == 3
    line = [layout.place(x, y) for x, y in zip(X.tolist(), curve.y.tolist(), strict=True)]
    pieces = [QRectF(before, after).normalized() for before, after in itertools.pairwise(line)]
    for text, place in places:
        box = place.boundingRect()
        assert layout.plot.contains(box), text
        assert not any(box.intersects(piece.adjusted(-0.1, -0.1, 0.1, 0.1)) for piece in pieces), text
    assert not overlaps(places)


def test_a_label_that_is_fixed_stands_where_it_is_put() -> None:
    plot = plot_of(Curve(X, X / 10), Label(2.0, 0.2, "here", fixed=True))
    (place,) = [place.boundingRect() for text, place in text_places(svg_of(plot, BOX)) if text == "here"]
    spot = plot.layout(LOOK, BOX).place(2.0, 0.2)
    assert place.left() == pytest.approx(spot.x(), abs=4.0)
    assert place.center().y() == pytest.approx(spot.y(), abs=4.0)


def test_lines_close_together_do_not_write_on_one_another() -> None:
    lines = [Line(5.0 + step, text=f"line {step}") for step in (0.0, 0.1, 0.2)]
    places = [(text, place) for text, place in text_places(svg_of(plot_of(*lines), BOX)) if text.startswith("line")]
    assert len(places) == 3
    assert not overlaps(places)


def test_the_legend_names_what_has_a_name() -> None:
    marks = Curve(X, X / 10, "a curve"), Bars((1,), (2,), (1,), "bars"), Points("points", (3,), (0.5,)), Curve(X, X)
    texts = [text for text, _ in text_places(svg_of(plot_of(*marks), BOX))]
    assert {"a curve", "bars", "points"} < set(texts)
    assert [mark.name for mark in plot_of(*marks).named] == ["a curve", "bars", "points"]
    quiet = [text for text, _ in text_places(svg_of(plot_of(*marks, has_legend=False), BOX))]
    assert not {"a curve", "bars", "points"} & set(quiet)


# ---- Files ----


def svg_of(plot: Plot, box: QRectF) -> bytes:
    size = QSize(math.ceil(box.right()) + 10, math.ceil(box.bottom()) + 10)
    return svg_bytes(lambda painter: plot.paint(painter, plot.layout(LOOK, box), LOOK, vector=True), size, 1.0, "", "")


FULL = plot_of(
    Bars((1.0,), (2.0,), (0.5,), "bars"),
    Curve(X, 0.5 + 0.4 * np.sin(X), "curve"),
    Points("points", (2.0, 6.0), (0.2, 0.7), is_joined=True),
    Label(5.0, 0.1, "a label"),
    Line(7.0, text="a line"),
    Handle("handle", 3.0),
    across=Axis(0, 10, "depth", grid=True),
)


def test_an_svg_has_every_text_as_text_and_no_image() -> None:
    drawing = svg_of(FULL, BOX)
    assert b"<image" not in drawing
    texts = {text for text, _ in text_places(drawing)}
    assert {"0", "2", "4", "6", "8", "10", "0.2", "1", "depth", "size", "curve", "a label", "a line"} <= texts


def test_a_pdf_has_its_words_as_text_that_stands_or_lies() -> None:
    data = pdf_bytes(lambda painter: FULL.paint(painter, FULL.layout(LOOK, BOX), LOOK, vector=True), SIZE, 1.0, "", "")
    runs = pdf_runs(data)
    runs = [(text.replace("\t", " ").strip(), matrix) for text, matrix in runs]
    texts = {text for text, _ in runs}
    assert {"depth", "size", "curve", "a label", "a line", "0.2"} <= texts
    assert dict(runs)["depth"] == pytest.approx((1.0, 0.0))
    assert dict(runs)["size"] == pytest.approx((0.0, -1.0))


def test_the_same_plot_gives_the_same_file_whatever_was_drawn_before() -> None:
    first = svg_of(FULL, BOX)
    painted(plot_of(Curve(X, X), across=Axis(1, 9, "other", log=10), right=Axis(0, 1, "right")), Look(DARK, 1.5))
    assert svg_of(FULL, BOX) == first


# ---- The view behind it ----


def test_the_view_that_draws_is_never_seen_and_belongs_to_no_window() -> None:
    painted(FULL)
    views = [each for each in gc.get_objects() if isinstance(each, pg.GraphicsView)]
    canvases = [view for view in views if view.parent() is None and not view.isVisible()]
    assert canvases
    assert not [widget for widget in QApplication.topLevelWidgets() if widget in views and widget.isVisible()]
    (items,) = {len(view.scene().items()) for view in canvases}
    for _ in range(3):
        painted(FULL)
    assert {len(view.scene().items()) for view in canvases} == {items}, "what was drawn is not kept"


def test_a_closed_window_takes_nothing_of_it_along() -> None:
    before, _ = painted(FULL)
    picture, state = NormSize(), block_preset("norm").state
    window = PicturesCanvas(LOOK, "Picture", lambda: state)
    window.show_picture(cast("Any", picture), picture.compute(state, (0, 0)))
    window.resize(500, 300)
    window.show()
    assert len(np.unique(pixels(window.grab().toImage()))) > 50
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(window)
    assert (painted(FULL)[0] == before).all()


def test_what_has_a_name_is_exported_with_what_is_across() -> None:
    found = plot_of(Curve(X, X / 10, "curve"), Curve(X, X)).arrays()
    assert list(found) == ["curve: depth", "curve"]
    np.testing.assert_array_equal(found["curve"], X / 10)


def test_words_grow_with_the_zoom() -> None:
    small, large = (plot_of().layout(Look(zoom=zoom), QRectF(0, 0, 900, 600)) for zoom in (1.0, 2.0))
    assert large.plot.left() == pytest.approx(2 * small.plot.left(), rel=0.15)
    assert text_size(Look(zoom=2.0).font(12), "0.5")[0] > 1.8 * text_size(LOOK.font(12), "0.5")[0]
