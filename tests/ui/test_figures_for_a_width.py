"""Figures laid out for columns and pages: the same letters at every width, none on others, none outside."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage
from svg_reader import SVG, overlaps, text_places

from attention_explorer.core.figure_options import FigureOptions, Length, LengthUnit
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.export.dialog import ExportPreview, source_size
from attention_explorer.kit.export.figure import Figure, figure_bytes, rendered, sheet_of
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.heads.state import HeadsState, HeadsView, MaskChoice, MaskKind, Picture
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of
from attention_explorer.pages.registry import PAGES, find_preset

pytestmark = pytest.mark.usefixtures("qapp")

COLUMN, PAGE = Length(89), Length(183)
POINTS_PER_MM = 72 / 25.4
ELLIPSIS = "…"
AXIS = "query (row) attends to …"


def heads_figure(kind: str, count: int) -> HeadsFigure:
    sentence = " ".join(("because", "it", f"w{i}")[i % 3] for i in range(count))
    plain = HeadsState().with_recipe(sentence=sentence).setup
    masked = replace(plain, mask=MaskChoice(MaskKind.CAUSAL))
    picture = Picture.HEATMAP if kind == "wall" else Picture(kind)
    return HeadsFigure(HeadsState(masked, HeadsView(picture=picture), plain), is_wall=kind == "wall")


SHOWN = {
    "lookup": ("three-keys", "two-keys", "descent"),
    "block": ("full", "pipeline", "gpt", "shapes", "depth", "norm", "linear", "future", "cache"),
    "scaling": ("variance", "self", "together", "overflow", "half", "axis"),
    "cost": ("gpt2", "window", "measure", "reach", "inputs"),
}


def page_figure(page: str, preset: str) -> Figure:
    ready = find_preset(preset, page)
    return next(entry for entry in PAGES if entry.id == ready.page).figure(ready.state)


def positions_figure(state: PositionsState) -> Figure:
    return figure_of(view_of(state.picture), state, "Positions")


def all_figures() -> dict[str, Callable[[], Figure]]:
    """Every picture of every page by a name."""
    found: dict[str, Callable[[], Figure]] = {}
    for page, presets in SHOWN.items():
        for preset in presets:
            found[f"{page}-{preset}"] = lambda page=page, preset=preset: page_figure(page, preset)
    for kind in (PositionKind.SINUSOIDAL, PositionKind.ROTARY, PositionKind.ALIBI):
        for picture in PositionsPicture:
            state = PositionsState(kind=kind, picture=picture)
            found[f"positions-{kind}-{picture}"] = lambda state=state: positions_figure(state)
    for kind in ("heatmap", "lines", "stages", "compare", "wall"):
        for count in (6, 30, 128):
            found[f"heads-{kind}-{count}"] = lambda kind=kind, count=count: heads_figure(kind, count)
    return found


FIGURES = all_figures()


@cache
def svg_of(name: str, width: Length | None) -> bytes:
    return figure_bytes(FIGURES[name](), FigureOptions(".svg", width=width))


def wide_and_box(data: bytes) -> tuple[float, float, QRectF]:
    """Width and height in mm, and the box in pixels."""
    root = ET.fromstring(data)  # noqa: S314  # our own output
    box = QRectF(*(float(number) for number in root.get("viewBox").split()))
    return float(root.get("width").removesuffix("mm")), float(root.get("height").removesuffix("mm")), box


def points(data: bytes) -> list[float]:
    """How high the letters of each text are, in points."""
    wide, _, box = wide_and_box(data)
    per_pixel = wide / box.width() * POINTS_PER_MM
    root = ET.fromstring(data)  # noqa: S314
    texts = [element for element in root.iter(f"{SVG}text") if "".join(element.itertext()).strip()]
    return [float(element.get("font-size")) * per_pixel for element in texts]


# ---- Letters and places ----


@pytest.mark.parametrize("name", FIGURES)
def test_letters_are_of_one_size_at_every_width(name):
    column, page = points(svg_of(name, COLUMN)), points(svg_of(name, PAGE))
    assert max(column) == pytest.approx(max(page), rel=0.12)
    for sizes in (column, page):
        assert min(sizes) >= 4.7
        assert 5.3 <= float(np.median(sizes)) <= 9.1
        assert max(sizes) <= 10.5


@pytest.mark.parametrize("width", [COLUMN, PAGE], ids=str)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_as_wide_as_it_should_be_and_fits_a_page(name, width):
    wide, high, _ = wide_and_box(svg_of(name, width))
    assert wide == pytest.approx(width.value, abs=0.1)
    assert high <= min(1.7 * width.value, 250)


@pytest.mark.parametrize("width", [None, COLUMN, PAGE], ids=str)
@pytest.mark.parametrize("name", [name for name in FIGURES if not name.startswith("lookup")])
def test_no_words_lie_on_others(name, width):
    """But in a plane, where points may lie on points."""
    places = text_places(svg_of(name, width))
    assert overlaps(places) == []


@pytest.mark.parametrize("width", [COLUMN, PAGE], ids=str)
@pytest.mark.parametrize("name", [name for name in FIGURES if not name.startswith("lookup")])
def test_no_words_reach_out_of_the_figure(name, width):
    data = svg_of(name, width)
    _, _, box = wide_and_box(data)
    for text, place in text_places(data):
        assert box.adjusted(-1, -1, 1, 1).contains(place.boundingRect()), text


@pytest.mark.parametrize("width", [COLUMN, PAGE], ids=str)
@pytest.mark.parametrize("name", [name for name in FIGURES if not name.startswith("lookup")])
def test_no_words_are_cut(name, width):
    texts = [text for text, _ in text_places(svg_of(name, width))]
    assert [text for text in texts if text.endswith(ELLIPSIS) and text != AXIS] == []


@pytest.mark.parametrize("width", [COLUMN, PAGE, Length(250)], ids=str)
def test_a_wider_figure_has_more_labels_not_larger_ones(width):
    sheet = sheet_of(heads_figure("heatmap", 128), FigureOptions(".pdf", width=width))
    narrow = sheet_of(heads_figure("heatmap", 128), FigureOptions(".pdf", width=COLUMN))
    assert sheet.scale == pytest.approx(narrow.scale, rel=0.005)
    assert sheet.millimetres[0] == pytest.approx(width.value)


def test_a_wider_figure_of_many_tokens_names_more_of_them():
    texts = [len(points(svg_of("heads-heatmap-128", width))) for width in (COLUMN, PAGE)]
    assert texts[1] > 1.6 * texts[0]


def test_a_width_in_pixels_keeps_the_letters_of_the_screen():
    for pixels in (640, 1920):
        options = FigureOptions(".png", dpi=96, width=Length(pixels, LengthUnit.PX))
        sheet = sheet_of(page_figure("cost", "gpt2"), options)
        assert sheet.pixels(96).width() == pixels
        assert sheet.scale == pytest.approx(1.0, rel=0.005)


def test_few_tokens_do_not_fill_a_page():
    for kind in ("heatmap", "stages", "compare", "wall"):
        _, high = sheet_of(heads_figure(kind, 6), FigureOptions(".pdf", width=PAGE)).millimetres
        assert high < 150


def test_lines_show_128_tokens_or_say_which():
    assert len(heads_figure("lines", 128).picture.row_tokens) == 128
    many = heads_figure("lines", 200)
    shown = len(many.picture.row_tokens)
    assert shown < 200
    assert f"queries 1 to {shown} of 200; keys 1 to {shown} of 200" in many.caption


def test_a_wall_for_a_width_fills_it():
    places = dict(text_places(svg_of("heads-wall-6", PAGE)))
    _, _, box = wide_and_box(svg_of("heads-wall-6", PAGE))
    assert places["head 4"].boundingRect().left() > 0.6 * box.width()
    tops = {places[f"head {head}"].boundingRect().top() for head in (1, 2, 3, 4)}
    assert len(tops) == 1


# ---- The preview ----


class Comb:
    """A dark sheet with white lines a pixel wide."""

    size, title, description, file_stem = QSize(600, 400), "comb", "lines", "comb"
    step = 13.7

    def paint(self, painter):
        painter.fillRect(0, 0, 600, 400, "#202020")
        for line in range(1, 43):
            painter.fillRect(QRectF(line * self.step - 0.5, 0, 1, 400), "#ffffff")

    def numbers(self):
        raise AssertionError


def strengths(image: QImage, left: float, wide: float, step: float) -> list[float]:
    """How much light there is in each line of a comb, in pixels of white, from the middle of the image."""
    y, found = image.height() // 2, []
    for line in range(1, 43):
        middle = left + line * step * wide / 600
        reach = range(round(middle - 0.45 * step * wide / 600), round(middle + 0.45 * step * wide / 600) + 1)
        light = [(image.pixelColor(x, y).lightness() - 0x20) / (255 - 0x20) for x in reach]
        found.append(sum(light) / (wide / 600))
    return found


@pytest.mark.parametrize("options", [FigureOptions(".svg"), FigureOptions(".png", dpi=192)], ids=["svg", "png"])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("size", [(430, 330), (531, 420), (611, 480), (777, 601), (1003, 803)])
def test_lines_in_the_preview_are_equally_strong_at_every_size(qtbot, size, zoom, options):
    preview = ExportPreview(Look(LIGHT, zoom))
    qtbot.addWidget(preview)
    preview.resize(QSize(*size) * zoom)
    preview.show_sheet(sheet_of(Comb(), options), options.dpi if options.format == ".png" else None)
    preview.show()
    image, paper = preview.grab().toImage(), preview.paper
    ratio = image.width() / preview.width()
    found = strengths(image, paper.left() * ratio, paper.width() * ratio, Comb.step)
    assert min(found) > 0.85
    assert max(found) < 1.15


def test_the_preview_of_an_image_is_made_of_its_pixels():
    sheet = sheet_of(heads_figure("heatmap", 6), FigureOptions(".png", width=COLUMN, dpi=300))
    assert source_size(sheet, 300, QSize(400, 400)) == sheet.pixels(300)
    size, drawn = source_size(sheet, None, QSize(700, 700)), sheet.figure.size
    assert size.width() % drawn.width() == 0
    assert size.width() >= 1400
    assert source_size(sheet, 2400, QSize(400, 400)).width() < sheet.pixels(2400).width()


def test_gaps_between_cells_are_equally_wide_in_an_image():
    """Also at resolutions that are no multiple of the pixels a figure is laid out in."""
    figure = heads_figure("heatmap", 30)
    for dpi in (150.0, 300.0):
        image = rendered(figure, FigureOptions(width=COLUMN, dpi=dpi))
        sheet = sheet_of(figure, FigureOptions(".png", width=COLUMN, dpi=dpi))
        layout = layout_of(sheet.figure.picture, sheet.figure.look, sheet.figure._frame.room)
        scale = image.width() / sheet.figure.size.width()
        y = round(layout.rectangle(29, 0).center().y() * scale)
        widths = []
        for column in range(1, 30):
            middle = round(layout.rectangle(29, column).left() * scale)
            near = range(middle - 4, middle + 5)
            widths.append(sum(image.pixelColor(x, y).name() == "#ffffff" for x in near))
        assert len(set(widths)) == 1
        assert widths[0] == max(1, round(scale))
