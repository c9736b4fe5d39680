"""Figures and numbers as files: opened again by other readers, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass, replace

import numpy as np
import pytest
from pdf_reader import pdf_runs
from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from svg_reader import SVG, texts_in
from written_numbers import npy_bytes, npz_bytes

from attention_explorer import __version__
from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.numbers_export import PARAMETERS, Numbers, Table
from attention_explorer.errors import ExportError
from attention_explorer.kit.export.figure import EXPORT_FORMATS, Figure, encoded, figure_image, write_figure
from attention_explorer.kit.export.svg_file import FONT_FAMILIES
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.plane import Extent
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import QUERY, LookupState, LookupView, Overlay
from attention_explorer.pages.lookup.ui.figure import LookupFigure
from attention_explorer.pages.lookup.ui.plane_scene import scene_for
from attention_explorer.pages.registry import PAGES

PICTURES, NUMBERS = (".png", ".svg", ".pdf"), (".csv", ".npy", ".npz", ".json")

pytestmark = pytest.mark.usefixtures("qapp")


@dataclass(frozen=True)
class LabelFigure:
    """A figure that has nothing to do with the lookup: labels, each drawn at an angle in degrees."""

    labels: tuple[tuple[str, float], ...] = (("the", 0.0), ("cat sat", -90.0), ("Größe k₁", -45.0))
    size: QSize = QSize(300, 200)  # noqa: RUF009  # never altered
    title: str = "labels of <s> & more"
    description: str = "Words such as <s>, at angles"
    file_stem: str = "labels"

    def paint(self, painter):
        painter.fillRect(QRect(0, 0, self.size.width(), self.size.height()), QColor("white"))
        painter.setFont(Look(LIGHT).font(12))
        painter.setPen(QColor("black"))
        for i, (label, angle) in enumerate(self.labels):
            painter.save()
            painter.translate(60 + 60 * i, 150)
            painter.rotate(angle)
            painter.drawText(QPointF(0, 0), label)
            painter.restore()

    def numbers(self):
        angles = np.array([angle for _, angle in self.labels])
        tokens = np.array([label for label, _ in self.labels])
        said = {"unit": "degrees", "of": "Größe"}
        return Numbers(Table.of(("label", "angle"), ()), {}, {"angles": angles, "tokens": tokens}, said)


class MapFigure(LabelFigure):
    """128 × 128 cells, each in a colour of its own."""

    def paint(self, painter):
        painter.setFont(Look(LIGHT).font(12))
        for i in range(128):
            for j in range(128):
                painter.fillRect(QRectF(40 + 5.47 * j, 40 + 5.47 * i, 5.47, 5.47), QColor(2 * i, 2 * j, 99))


def svg_texts(figure: Figure) -> list[str]:
    return texts_in(encoded(figure, ".svg"))


def figure_of_view(state: LookupState) -> Figure:
    """Return the figure of a lookup as its view shows it."""
    return next(page for page in PAGES if page.id == "lookup").figure(ExplorerState(lookup=state))


def test_the_output_is_drawn_where_its_number_says():
    """Look for the gold disc in the pixels of the file, at the place where the number puts it."""
    state = replace(LookupState(), overlays=frozenset())
    for x in (1.4, -0.2):
        figure = LookupFigure(state.moved(QUERY, (x, 0.6)))
        image = figure_image(figure, 2.0)
        transform = scene_for(figure.state, figure.look, figure.width, figure.height).transform
        px, py = transform.to_pixels(*lookup_frame(figure.state).output.tolist())
        for dx, dy in ((0, 0), (5, 0), (0, 5), (-4, -4)):
            assert image.pixelColor(round(2 * (px + dx)), round(2 * (py + dy))).name() == LIGHT.output
        assert image.pixelColor(round(2 * px), round(2 * (py - 12))).name() != LIGHT.output


def test_svg_holds_real_text_and_other_programs_find_a_font(tmp_path):
    texts = svg_texts(LookupFigure(preset("descent").state))
    assert {"q", "k₁", "k₂", "k₃", "t", "o"} <= set(texts)
    assert any("o = 0.21·k₁" in text for text in texts)
    assert b"sans-serif" in encoded(LookupFigure(LookupState()), ".svg")


def test_svg_draws_the_same_picture_as_png():
    """Nothing reaches out of the plane into the legend, though SVG does not clip."""
    figure = LookupFigure(replace(preset("long-key").state, camera=Extent(-0.5, 1.5, -0.4, 1.0)))
    size = figure.size
    drawn = QImage(size, QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    # This reader takes a list of families for the name of one.
    data = encoded(figure, ".svg").replace(FONT_FAMILIES.encode(), b"Inter")
    QSvgRenderer(QByteArray(data)).render(painter, QRect(0, 0, size.width(), size.height()))
    painter.end()
    direct = figure_image(figure).convertToFormat(QImage.Format.Format_RGB32)
    differing = sum(
        abs(drawn.pixelColor(x, y).lightness() - direct.pixelColor(x, y).lightness()) > 60
        for y in range(0, size.height(), 3)
        for x in range(0, size.width(), 3)
    )
    assert differing < 0.01 * (size.height() / 3) * (size.width() / 3)


def test_the_legend_names_exactly_what_is_drawn():
    shown = frozenset({Overlay.FIELD, Overlay.TIE, Overlay.HULL})
    assert {"Weights", "Tie line", "Hull"} <= set(svg_texts(LookupFigure(replace(LookupState(), overlays=shown))))
    texts = svg_texts(LookupFigure(replace(preset("quiz").state, overlays=shown)))
    assert "Weights" in texts
    assert "Hull" not in texts  # plain numbers have none


def test_the_view_of_the_gradient_draws_and_names_what_belongs_to_it():
    plane = replace(LookupState(), overlays=frozenset())
    gradient = replace(plane, view=LookupView.GRADIENT)
    assert not {"Gradient", "Target", "t"} & set(svg_texts(figure_of_view(plane)))
    assert {"Gradient", "Target", "t"} <= set(svg_texts(figure_of_view(gradient)))


def test_the_figure_of_the_temperatures_has_its_curves_and_their_numbers():
    state = replace(LookupState(), view=LookupView.TEMPERATURE, temperature=2.5)
    figure = figure_of_view(state)
    texts = svg_texts(figure)
    assert {"k₁", "k₂", "T = 2.5", "temperature T (logarithmic)"} <= set(texts)
    assert any(text.startswith("At temperature 2.5, k₁ answers") for text in texts)
    assert figure.description.startswith("Lookup page. At temperature 2.5, k₁ answers")
    document = json.loads(encoded(figure, ".json"))
    assert document["picture"] == "temperature"
    temperatures, weights = np.array(document["temperature"]), np.array(document["weights"])
    assert (temperatures[0], temperatures[-1]) == pytest.approx((0.01, 100.0))
    assert weights.shape == (2, len(temperatures))
    for i in (0, 40, len(temperatures) - 1):
        there = lookup_frame(state.with_temperature(float(temperatures[i]))).weights
        assert weights[:, i].tolist() == pytest.approx(there.tolist(), abs=1e-12)
    rows = list(csv.reader(io.StringIO(encoded(figure, ".csv").decode())))
    assert rows[0] == ["temperature", "k₁", "k₂"]
    assert [[float(cell) for cell in row] for row in rows[1:]] == [*map(list, zip(temperatures, *weights, strict=True))]


def test_the_table_of_words_has_a_line_for_each_word_and_head():
    figure = figure_of_view(replace(LookupState(), view=LookupView.WORDS))
    assert encoded(figure, ".csv").startswith(b"word,head,points_x,points_y,queries_x")


def test_the_caption_says_how_the_numbers_were_made():
    figure = LookupFigure(replace(LookupState(), temperature=0.25, scaled=True))
    assert "softmax(q·k/(√2·T)), T = 0.25, at q = (1.4, 0.6)" in figure.caption()
    assert "Hard lookup (arg max)" in LookupFigure(replace(LookupState(), hard=True)).caption()


def test_pdf_is_one_page_of_the_size_of_the_figure():
    figure = LookupFigure(LookupState())
    data = encoded(figure, ".pdf")
    boxes = data.split(b"/MediaBox [")[1].split(b"]")[0].split()
    assert float(boxes[2]) == pytest.approx(figure.size.width() * 0.75, abs=1)
    assert float(boxes[3]) == pytest.approx(figure.size.height() * 0.75, abs=1)
    assert data.count(b"/Type /Page\n") == 1


# ---- Arrays ----


@pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)
def test_the_archive_holds_every_array_of_the_json_and_what_its_axes_are(ready):
    figure = LookupFigure(ready.state)
    document = json.loads(encoded(figure, ".json"))
    with np.load(io.BytesIO(encoded(figure, ".npz")), allow_pickle=False) as archive:
        arrays = dict(archive)
    parameters = json.loads(str(arrays.pop(PARAMETERS)))
    assert next(iter(arrays)) == "weights"
    lists = {name for name, entry in document.items() if isinstance(entry, list)} - {"tied_keys"}
    assert set(arrays) == lists | ({"loss"} & set(document))
    for name, array in arrays.items():
        assert array.tolist() == document[name], name
    assert {name: len(axes) for name, axes in parameters["axes"].items()} == {n: a.ndim for n, a in arrays.items()}
    lengths = {}
    for name, axes in parameters["axes"].items():
        for axis, length in zip(axes, arrays[name].shape, strict=True):
            assert lengths.setdefault(axis, length) == length, f"{name}: two lengths of one axis"
    assert parameters["settings"] == document["settings"]
    assert parameters["program"] == f"Attention Explorer {__version__}"


def test_a_cosine_that_does_not_exist_is_nan_in_the_archive():
    figure = LookupFigure(LookupState().moved(QUERY, (0.0, 0.0)))
    with np.load(io.BytesIO(encoded(figure, ".npz")), allow_pickle=False) as archive:
        assert np.isnan(archive["cosines"]).tolist() == [True, True]
        assert archive["weights"].tolist() == [0.5, 0.5]


def test_tokens_and_parameters_come_back_as_text():
    with np.load(io.BytesIO(encoded(LabelFigure(), ".npz")), allow_pickle=False) as archive:
        assert archive.files == ["angles", "tokens", PARAMETERS]
        assert archive["tokens"].tolist() == ["the", "cat sat", "Größe k₁"]
        assert archive[PARAMETERS].shape == ()
        assert json.loads(str(archive[PARAMETERS])) == {"unit": "degrees", "of": "Größe"}
        assert archive["angles"].tolist() == [0.0, -90.0, -45.0]


def test_the_archive_stores_no_time_and_packs_well():
    numbers = Numbers(Table.of((), ()), {}, {"weights": np.zeros((500, 500))}, {})
    with zipfile.ZipFile(io.BytesIO(npz_bytes(numbers))) as archive:
        assert archive.testzip() is None
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert len(npz_bytes(numbers)) < len(npy_bytes(numbers)) / 50


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_the_array_file_keeps_dtype_shape_and_order(layout):
    whole = np.arange(48, dtype=np.float32).reshape(2, 4, 6)
    array = whole[:, ::2, ::-1] if layout == "strided" else np.asarray(whole, order=layout)
    back = np.load(io.BytesIO(npy_bytes(Numbers(Table.of((), ()), {}, {"weights": array}, {}))), allow_pickle=False)
    assert (back.dtype, back.tolist()) == (np.float32, array.tolist())


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({}, "There is no array"),
        ({"tokens": np.array(["a", None], dtype=object)}, "“tokens” holds Python objects"),
        ({"weights": np.eye(2), PARAMETERS: np.eye(2)}, "cannot be called “parameters”"),
    ],
)
def test_arrays_that_no_file_can_hold_are_refused(arrays, words):
    with pytest.raises(ExportError, match=words):
        Numbers(Table.of((), ()), {}, arrays, {})


# ---- Any figure ----


def test_another_figure_is_written_in_every_format(tmp_path):
    figure: Figure = LabelFigure()
    for known in EXPORT_FORMATS:
        write_figure(figure, tmp_path / f"{figure.file_stem}{known.suffix}", FigureOptions(dpi=192))
    image = QImage(str(tmp_path / "labels.png"))
    assert image.size() == QSize(600, 400)
    assert image.text("Description") == figure.description
    assert (tmp_path / "labels.csv").read_text(encoding="utf-8") == "label,angle\n"
    assert (tmp_path / "labels.json").read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("suffix", PICTURES)
def test_numbers_are_not_computed_for_a_picture(suffix):
    class Unnumbered(LabelFigure):
        def numbers(self):
            raise AssertionError("nobody asked for numbers")

    assert encoded(Unnumbered(), suffix)
    with pytest.raises(AssertionError, match="nobody asked"):
        encoded(Unnumbered(), ".csv")


@pytest.mark.parametrize("suffix", NUMBERS)
def test_nothing_is_drawn_for_numbers(suffix):
    class Unpainted(LabelFigure):
        def paint(self, painter):
            raise AssertionError("nobody asked for a picture")

    assert encoded(Unpainted(), suffix)


def test_rotated_text_stays_text_in_svg():
    root = ET.fromstring(encoded(LabelFigure(), ".svg"))  # noqa: S314
    assert root.find(f"{SVG}title").text == "Attention Explorer: labels of <s> & more"
    assert root.find(f"{SVG}desc").text == "Words such as <s>, at angles"
    groups = {"".join(text.itertext()): group for group in root.iter(f"{SVG}g") for text in group.findall(f"{SVG}text")}
    assert set(groups) == {label for label, _ in LabelFigure().labels}
    for label, angle in LabelFigure().labels:
        matrix = groups[label].get("transform").removeprefix("matrix(").removesuffix(")").split(",")
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        assert [float(number) for number in matrix[:4]] == pytest.approx([cosine, sine, -sine, cosine], abs=1e-6)
        assert "Inter" in groups[label].find(f"{SVG}text").get("font-family")


def test_rotated_text_stays_text_in_pdf():
    texts = dict(pdf_runs(encoded(LabelFigure(), ".pdf")))
    # Qt names the glyph of a space after another character that looks the same: white it is, and that is all.
    found = {" ".join(text.split()): turned for text, turned in texts.items()}
    assert set(found) == {label for label, _ in LabelFigure().labels}
    for label, angle in LabelFigure().labels:
        expected = [math.cos(math.radians(angle)), math.sin(math.radians(angle))]
        assert found[label] == pytest.approx(expected, abs=1e-6)


def test_digits_and_signs_stay_themselves_in_pdf():
    # Digits of equal width and signs raised between capitals are glyphs that stand for no letter.
    labels = ("0123456789", "(8, 11, 11)", "A − B", "K: 12:30", "−1.25")
    runs = pdf_runs(encoded(LabelFigure(tuple((label, 0.0) for label in labels)), ".pdf"))
    assert {re.sub(r"\s+", " ", text) for text, _ in runs} == set(labels)


def test_a_character_that_xml_cannot_hold_does_not_break_the_svg():
    assert svg_texts(LabelFigure(labels=(("a\x01b", 0.0), ("<g font", 0.0)))) == ["a\ufffdb", "<g font"]


def test_a_map_of_many_cells_makes_no_huge_svg():
    figure = MapFigure(size=QSize(760, 760))
    data = encoded(figure, ".svg")
    assert data.count(b"<rect") == 128 * 128
    assert len(data) < 3_000_000
    image = QImage(figure.size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(data)).render(painter, QRect(0, 0, 760, 760))
    painter.end()
    for i, j in ((0, 0), (17, 90), (127, 127)):
        assert image.pixelColor(round(42.7 + 5.47 * j), round(42.7 + 5.47 * i)) == QColor(2 * i, 2 * j, 99)


# ---- What can go wrong ----


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ExportError, match=r"\.png, \.svg, \.pdf, \.csv, \.npy, \.npz, \.json"):
        write_figure(LookupFigure(LookupState()), tmp_path / "figure.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_too_large_to_hold_is_refused(tmp_path):
    with pytest.raises(ExportError, match="too large"):
        write_figure(LookupFigure(LookupState()), tmp_path / "figure.png", FigureOptions(dpi=9600))
    assert list(tmp_path.iterdir()) == []
