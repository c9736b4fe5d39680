"""Figures on paper: exact sizes, words in the file, nothing on anything else, the same bytes each time."""

from __future__ import annotations

import io
import itertools
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace

import numpy as np
import pytest
from pdf_reader import pdf_runs
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from svg_reader import SVG, overlaps, text_places, texts_in

import attention_explorer
from attention_explorer.core.figure_options import Cells, FigureOptions, FigureTheme, Length, LengthUnit
from attention_explorer.errors import ExportError
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.export.figure import (
    EXPORT_FORMATS,
    LARGEST_SIDE,
    StyledFigure,
    figure_bytes,
    rendered,
    sheet_of,
    write_figure,
)
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.kit.theme import DARK, LIGHT, PRINT
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView, MaskChoice, MaskKind, Picture
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.lab.cost_state import CostPicture, CostState
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.ui.figure import LookupFigure
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.recipe import ToyRecipe

pytestmark = pytest.mark.usefixtures("qapp")

WORDS = ["The", "animal", "didn’t", "cross", "the", "street", "because", "it", "was", "too", "tired", "to", "go", "on"]
STRANGE = ("Donaudampfschifffahrtsgesellschaft", "naïve", "Κόσμος", "мир", "שלום", "猫", "😀", "a&b", "<s>")
COLUMN, PAGE = Length(89), Length(183)


def tokens_of(count: int) -> str:
    return " ".join(WORDS[i % len(WORDS)] if i % 3 else f"w{i}" for i in range(count))


def heads_figure(count: int = 6, kind: str = "heatmap", sentence: str = "") -> HeadsFigure:
    setup = HeadsState().with_recipe(sentence=sentence or tokens_of(count)).setup
    masked = replace(setup, mask=MaskChoice(MaskKind.CAUSAL))
    picture = Picture.HEATMAP if kind == "wall" else Picture(kind)
    return HeadsFigure(HeadsState(masked, HeadsView(picture=picture), setup), is_wall=kind == "wall")


def written(figure, suffix: str, **options) -> bytes:
    return figure_bytes(figure, FigureOptions(suffix, **options))


def chunks_of(png: bytes) -> list[tuple[str, bytes]]:
    """The chunks of a PNG, each with its check sum checked."""
    found, place = [], 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        data = png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + data)
        found.append((kind.decode(), data))
        place += 12 + length
    return found


def words_in(png: bytes) -> dict[str, str]:
    texts = {}
    for kind, data in chunks_of(png):
        if kind == "tEXt":
            key, _, text = data.partition(b"\0")
            texts[key.decode()] = text.decode("latin-1")
        elif kind == "zTXt":  # as Qt writes what is longer than 40 letters
            key, _, text = data.partition(b"\0")
            texts[key.decode()] = zlib.decompress(text[1:]).decode("latin-1")
        elif kind == "iTXt":
            key, _, rest = data.partition(b"\0")
            text = rest[2:].split(b"\0", 2)[2]
            texts[key.decode()] = (zlib.decompress(text) if rest[0] else text).decode()
    return texts


def info_of(pdf: bytes) -> dict[str, str]:
    """Title, subject and so on of a PDF, found by its table of places as a reader would."""
    table = int(pdf[pdf.rindex(b"startxref") + 9 :].split()[0])
    assert pdf[table : table + 4] == b"xref"
    number = int(re.findall(rb"/Info (\d+) 0 R", pdf)[-1])
    places = [int(line.split()[0]) for line in pdf[table:].split(b"\n")[2 : 2 + number + 1]]
    body = pdf[places[number] :].split(b"endobj")[0]
    assert body.startswith(b"%d 0 obj" % number)
    found = re.findall(rb"/(\w+) <FEFF([0-9A-F]*)>", body)
    return {key.decode(): bytes.fromhex(text.decode()).decode("utf-16-be") for key, text in found}


# ---- Size ----


@pytest.mark.parametrize("width", [Length(89), Length(183), Length(210), Length(3.25, LengthUnit.INCH)], ids=str)
@pytest.mark.parametrize("count", [6, 128])
def test_a_figure_is_exactly_as_wide_as_it_should_be(width, count):
    figure, wide = heads_figure(count), width.inches(96) * 25.4
    root = ET.fromstring(written(figure, ".svg", width=width))  # noqa: S314
    assert float(root.get("width").removesuffix("mm")) == pytest.approx(wide, abs=0.001)
    box = re.search(rb"/MediaBox \[0 ([\d.]+) ([\d.]+) ([\d.]+)\]", written(figure, ".pdf", width=width))
    low, right, high = (float(number) for number in box.groups())
    assert right / 72 * 25.4 == pytest.approx(wide, abs=0.001)
    assert (high - low) / right == pytest.approx(float(root.get("height").removesuffix("mm")) / wide, abs=1e-3)
    image = rendered(figure, FigureOptions(width=width, dpi=300))
    assert image.width() == round(wide / 25.4 * 300)
    assert image.dotsPerMeterX() == pytest.approx(300 / 0.0254, abs=1)


def test_a_width_in_pixels_is_that_of_the_image():
    for dpi in (96, 300):
        image = rendered(heads_figure(), FigureOptions(width=Length(1200, LengthUnit.PX), dpi=dpi))
        assert image.width() == 1200


def test_a_figure_that_cannot_be_laid_out_is_scaled():
    class Rigid:
        size, title, description, file_stem = heads_figure().size, "rigid", "a square", "rigid"

        def paint(self, painter):
            painter.fillRect(QRectF(0, 0, self.size.width(), self.size.height()), QColor("red"))

        def numbers(self):
            raise AssertionError

    assert not isinstance(Rigid(), StyledFigure)
    sheet = sheet_of(Rigid(), FigureOptions(".svg", width=COLUMN))
    assert sheet.figure.size == Rigid.size
    assert sheet.millimetres[0] == pytest.approx(89)


# ---- Nothing on anything else, nothing cut off ----


@pytest.mark.parametrize("width", [None, COLUMN], ids=str)
def test_long_and_foreign_tokens_do_not_lie_on_others_either(width):
    places = text_places(written(heads_figure(sentence=" ".join(STRANGE)), ".svg", width=width))
    assert overlaps(places) == []


def test_the_reader_of_overlaps_sees_them():
    """If it saw nothing at all, the tests above would say nothing."""
    data = written(heads_figure(30), ".svg")
    (_, first), *_ = places = text_places(data)
    assert overlaps([*places, ("on top", first)])


# ---- Parts and colours ----


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("title", "head 1 of 8"),
        ("axis_names", "key (column)"),
        ("token_labels", "animal"),
        ("colour_bar", "weight"),
        ("caption", "Random weights, d_model 64, d_k 8, seed 42; mask: causal; heads counted from 1."),
    ],
)
def test_each_part_can_be_left_out(part, words):
    figure = heads_figure()
    whole, less = written(figure, ".svg"), written(figure, ".svg", **{part: False})
    assert words in texts_in(whole)
    assert words not in texts_in(less)
    assert set(texts_in(less)) < set(texts_in(whole))
    if part in ("title", "caption"):
        sizes = [ET.fromstring(data).get("viewBox").split()[3] for data in (whole, less)]  # noqa: S314
        assert float(sizes[1]) < float(sizes[0]), "its room goes too"


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (PositionsState(), {"dimension (column), from 0", "position (row), from 0", "position, from 0"}),
        (PositionsState(kind=PositionKind.ALIBI), {"distance of query and key", "key (column), from 0"}),
        (CostState(picture=CostPicture.GROWTH), {"tokens n (both axes logarithmic)"}),
        (CostState(picture=CostPicture.REACH), {"tokens back"}),
        (BlockState(), {"X = E + P · row: token, column: feature"}),
        (BlockState(picture=BlockPicture.CACHE), {"token decoded", "FLOPs a step"}),
    ],
    ids=lambda value: "" if isinstance(value, set) else type(value).__name__,
)
def test_the_axes_of_every_page_have_names_or_none(state, names):
    def texts(axis_names):
        return {*texts_in(attention_explorer.render(state, format="svg", axis_names=axis_names))}

    assert names <= texts(True)
    assert not names & texts(False)


@pytest.mark.parametrize("kind", ["heatmap", "lines", "stages", "compare", "wall"])
@pytest.mark.parametrize("width", [None, PAGE])
def test_without_tokens_there_are_none_beside_any_picture_of_heads(kind, width):
    figure = heads_figure(kind=kind)
    words = set(tokens_of(6).split())
    assert words <= {*texts_in(written(figure, ".svg", width=width))}
    assert not words & {*texts_in(written(figure, ".svg", width=width, token_labels=False))}


def test_cells_take_the_room_of_tokens_that_are_left_out():
    def cell(is_labelled):
        figure = sheet_of(heads_figure(), FigureOptions(".svg", width=COLUMN, token_labels=is_labelled)).figure
        return layout_of(figure.picture, figure.look, QRectF(0, 0, 300, 400)).cell_width

    assert cell(False) > cell(True)


@pytest.mark.parametrize(("theme", "colours"), [("print", PRINT), ("light", LIGHT), ("dark", DARK)])
@pytest.mark.parametrize("figure", [heads_figure(), LookupFigure(LookupState())], ids=["heads", "lookup"])
def test_a_figure_wears_the_theme(figure, theme, colours):
    options = FigureOptions(theme=FigureTheme(theme))
    image = rendered(figure, options)
    ground = colours.card if isinstance(figure, HeadsFigure) else colours.plane
    assert image.pixelColor(1, image.height() - 2).name() == ground
    assert colours.text in written(figure, ".svg", theme=options.theme).decode()


def test_print_has_the_colours_of_the_light_screen_but_for_words():
    differing = {name for name in LIGHT.__dataclass_fields__ if getattr(LIGHT, name) != getattr(PRINT, name)}
    assert differing == {"name", "window", "text", "muted", "axis"}


# ---- Cells ----


def test_cells_are_rectangles_or_one_image():
    figure = heads_figure(30)
    rows, one = (ET.fromstring(written(figure, ".svg", cells=cells)) for cells in (Cells.AUTO, Cells.IMAGE))  # noqa: S314
    assert not list(rows.iter(f"{SVG}image"))
    assert len(list(one.iter(f"{SVG}image"))) == 1
    assert len(list(rows.iter(f"{SVG}rect"))) > len(list(one.iter(f"{SVG}rect"))) + 400


def test_a_map_of_many_cells_becomes_rectangles_if_that_is_asked_for():
    figure = heads_figure(160)
    assert b"<image" in written(figure, ".svg")
    assert b"<image" not in written(figure, ".svg", cells=Cells.RECTANGLES)


def test_small_walls_are_made_of_cells_too():
    assert b"<image" not in written(heads_figure(6, "wall"), ".svg")
    assert b"<image" in written(heads_figure(6, "wall"), ".svg", cells=Cells.IMAGE)


def test_equal_neighbours_are_one_rectangle():
    """Of a masked row's end one rectangle is left, however many cells it covers."""
    figure = heads_figure(30)
    weights = figure.frame.map.weights()
    grey = [run for run in re.findall(rb'<rect fill="(#\w+)"', written(figure, ".svg")) if run.decode() == PRINT.masked]
    assert len(grey) == 30  # one for each row with masked cells, and the sample beside the colour bar
    assert (weights == 0).sum() == 435


@pytest.mark.parametrize("cells", Cells)
def test_colours_in_the_drawing_are_the_numbers(cells):
    figure = heads_figure(30)
    data, size = written(figure, ".svg", cells=cells), figure.size
    drawn = QImage(size * 2, QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    QSvgRenderer(QByteArray(data)).render(painter, QRectF(0, 0, 2 * size.width(), 2 * size.height()))
    painter.end()
    direct = rendered(figure, FigureOptions(dpi=192))
    layout = layout_of(figure.picture, figure.look, figure._frame.room)
    for row, column in itertools.combinations_with_replacement(range(30), 2):
        at = (layout.rectangle(column, row).center() * 2).toPoint()
        theirs, ours = QColor(drawn.pixel(at)).toTuple(), QColor(direct.pixel(at)).toTuple()
        # This reader blurs images, but the middle of a cell stays what it is.
        assert max(abs(a - b) for a, b in zip(theirs, ours, strict=True)) <= (12 if cells is Cells.IMAGE else 0)


# ---- Words in the files ----


@pytest.mark.parametrize(
    "figure",
    [
        heads_figure(sentence=" ".join(STRANGE)),
        LookupFigure(LookupState()),
        figure_of(view_of(PositionsPicture.ENCODING), PositionsState(), "Positions"),
    ],
    ids=["heads", "lookup", "positions"],
)
def test_every_kind_of_picture_carries_its_title_and_its_words(figure):
    title, said = f"Attention Explorer: {figure.title}", figure.description
    png = words_in(written(figure, ".png"))
    assert (png["Title"], png["Description"]) == (title, said)
    root = ET.fromstring(written(figure, ".svg"))  # noqa: S314
    assert (root.find(f"{SVG}title").text, root.find(f"{SVG}desc").text) == (title, said)
    pdf = written(figure, ".pdf")
    info = info_of(pdf)
    assert (info["Title"], info["Subject"]) == (title, said)
    packet = pdf[pdf.index(b"<x:xmpmeta") : pdf.index(b"</x:xmpmeta>") + 12]
    told = [item.text for item in ET.fromstring(packet).iter() if item.tag.endswith("}li")]  # noqa: S314
    assert told == [title, said]


def test_tokens_of_every_script_survive():
    figure = heads_figure(sentence=" ".join(STRANGE))
    texts = " ".join(texts_in(written(figure, ".svg")))
    assert {"naïve", "Κόσμος", "мир", "שלום", "猫", "😀", "&"} <= set(figure.frame.queries)
    for token in figure.frame.queries[1:]:  # the first is too long for its room
        assert token in texts, token
    described = words_in(written(figure, ".png"))["Description"]
    assert all(token in described for token in figure.frame.queries)
    document = json.loads(written(figure, ".json"))
    assert all(token in json.dumps(document, ensure_ascii=False) for token in ("Κόσμος", "שלום", "猫", "😀"))


@pytest.mark.parametrize(
    "figure",
    [
        *(heads_figure(5, kind) for kind in ("heatmap", "lines", "stages", "compare", "wall")),
        *(LookupFigure(ready.state) for ready in PRESETS[:3]),
        figure_of(view_of(PositionsPicture.ENCODING), PositionsState(), "Positions"),
    ],
    ids=lambda figure: figure.title,
)
def test_a_pdf_says_all_that_the_svg_says(figure):
    drawn, printed = (
        sorted(re.sub(r"\s+", "", text) for text in texts)
        for texts in (
            texts_in(written(figure, ".svg")),
            (text for text, _ in pdf_runs(written(figure, ".pdf"))),
        )
    )
    assert len(drawn) > 8
    assert printed == drawn


def test_fonts_exist_elsewhere():
    families = set(re.findall(rb'font-family="([^"]*)"', written(heads_figure(), ".svg")))
    assert all(family.endswith(b"sans-serif") and b"Arial" in family for family in families)
    assert written(heads_figure(), ".pdf").count(b"/FontFile") >= 1


# ---- The same bytes ----


@pytest.mark.parametrize("suffix", [known.suffix for known in EXPORT_FORMATS])
@pytest.mark.parametrize("make", [heads_figure, lambda: LookupFigure(LookupState())], ids=["heads", "lookup"])
def test_the_same_figure_gives_the_same_bytes(suffix, make):
    options = {} if suffix in (".csv", ".npy", ".npz", ".json") else {"width": COLUMN}
    first = written(make(), suffix, **options)
    for size in (11, 15, 40):  # what was drawn in between leaves no trace
        rendered(make(), FigureOptions(dpi=size * 10))
    assert written(make(), suffix, **options) == first


def test_a_pdf_tells_no_time_and_no_id_of_its_own():
    data = written(heads_figure(), ".pdf")
    assert b"Date" not in data
    first, second = re.search(rb"/ID \[ <(\w+)> <(\w+)> \]", data).groups()
    assert first == second
    other = re.search(rb"/ID \[ <(\w+)>", written(heads_figure(7), ".pdf"))[1]
    assert other != first


def test_every_object_of_a_pdf_is_where_its_table_says():
    data = written(heads_figure(), ".pdf", width=COLUMN)
    table = int(data[data.rindex(b"startxref") + 9 :].split()[0])
    count = int(data[table:].split(b"\n")[1].split()[1])
    for number in range(1, count):
        line = data[table:].split(b"\n", 2)[2][20 * number : 20 * number + 20]
        assert data[int(line[:10]) :].startswith(b"%d 0 obj" % number)


def test_a_stream_and_a_file_get_the_same(tmp_path):
    stream, path = io.BytesIO(), tmp_path / "figure.pdf"
    write_figure(heads_figure(), stream, FigureOptions(".pdf"))
    write_figure(heads_figure(), path)
    assert path.read_bytes() == stream.getvalue()


def test_a_stream_needs_a_format():
    with pytest.raises(ExportError, match=r"Choose one of: \.png"):
        write_figure(heads_figure(), io.BytesIO())


def test_a_format_that_is_named_wins_over_the_suffix(tmp_path):
    write_figure(heads_figure(), tmp_path / "figure.dat", FigureOptions(".svg"))
    assert (tmp_path / "figure.dat").read_bytes().startswith(b"<?xml")


def test_exported_numbers_are_the_drawn_numbers():
    figure = heads_figure(30)
    array = np.load(io.BytesIO(written(figure, ".npy", width=COLUMN)), allow_pickle=False)
    drawn = sheet_of(figure, FigureOptions(".svg", width=COLUMN)).figure.picture
    assert np.array_equal(array, drawn.values)


@pytest.mark.parametrize("width", [Length(400), Length(3, LengthUnit.INCH)], ids=str)
def test_an_image_that_would_be_too_large_is_refused(width):
    dpi = 2400 if width.unit is LengthUnit.MM else 6000
    with pytest.raises(ExportError, match="fewer dots per inch"):
        written(heads_figure(), ".png", width=width, dpi=dpi)
    assert width.inches(96) * dpi > LARGEST_SIDE


# ---- Other programs ----


def run(program: str, *arguments: str, given: bytes = b"") -> bytes:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return subprocess.run([program, *arguments], input=given, capture_output=True, check=True).stdout


@pytest.mark.parametrize("kind", ["heatmap", "stages", "wall"])
def test_rsvg_draws_the_svg(kind):
    figure = heads_figure(12, kind)
    data = run("rsvg-convert", "--width", str(figure.size.width()), given=written(figure, ".svg"))
    theirs = QImage.fromData(data).convertToFormat(QImage.Format.Format_RGB32)
    ours = rendered(figure, FigureOptions(dpi=96))
    assert abs(theirs.height() - ours.height()) <= 1
    differing = total = 0
    for y in range(0, min(theirs.height(), ours.height()), 3):
        for x in range(0, ours.width(), 3):
            total += 1
            differing += abs(theirs.pixelColor(x, y).lightness() - ours.pixelColor(x, y).lightness()) > 60
    # It has other fonts.
    assert differing < 0.04 * total


def test_pdftotext_reads_tokens_and_numbers(tmp_path):
    path = tmp_path / "figure.pdf"
    write_figure(heads_figure(6), path, FigureOptions(width=COLUMN))
    said = run("pdftotext", str(path), "-").decode().split()
    assert {"animal", "masked", "weight"} <= set(said)
    weights = heads_figure(6).frame.map.weights()
    assert {f"{weight:.3f}"[1:] for weight in weights[weights > 0] if weight < 0.9995} <= set(said)


def test_pdftoppm_draws_the_page_in_its_size(tmp_path):
    path = tmp_path / "figure.pdf"
    figure = heads_figure(30)
    write_figure(figure, path, FigureOptions(width=COLUMN))
    image = QImage.fromData(run("pdftoppm", "-r", "300", "-png", str(path)))
    assert image.width() == pytest.approx(89 / 25.4 * 300, abs=1)
    assert {image.pixelColor(x, image.height() - 3).name() for x in range(0, image.width(), 5)} == {"#ffffff"}


def test_a_wall_of_many_layers_is_numbered_where_words_have_no_room():
    recipe = ToyRecipe(tokens_of(12), d_model=96, heads=12, layers=12)
    figure = HeadsFigure(HeadsState(HeadsSetup(recipe)), is_wall=True)
    places = text_places(written(figure, ".svg", width=COLUMN))
    texts = [text for text, _ in places]
    assert overlaps(places) == []
    assert [texts.count(str(number)) for number in range(1, 13)] == [2] * 12, "layers and heads"
    assert {text for text, _ in pdf_runs(written(figure, ".pdf", width=COLUMN))} >= {"1", "12"}
