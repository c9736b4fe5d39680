"""Figures and numbers as files: opened again by other readers, whole or not at all."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from PySide6.QtCore import QByteArray, QRect
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from attention_explorer.errors import ExportError
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.lookup import QUERY, LookupState, Overlay
from attention_explorer.state.lookup_frame import lookup_frame
from attention_explorer.state.plane import Extent
from attention_explorer.state.presets import PRESETS, preset
from attention_explorer.ui import export_dialog
from attention_explorer.ui.figure import EXPORT_FORMATS, Figure, encoded, figure_image, write_figure
from attention_explorer.ui.plane_scene import scene_for
from attention_explorer.ui.theme import LIGHT

SVG = "{http://www.w3.org/2000/svg}"

pytestmark = pytest.mark.usefixtures("qapp")


def svg_texts(figure: Figure) -> list[str]:
    root = ET.fromstring(encoded(figure, ".svg"))  # noqa: S314  # our own output
    return ["".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)
@pytest.mark.parametrize("suffix", [known.suffix for known in EXPORT_FORMATS])
def test_every_preset_is_written_in_every_format(tmp_path, ready, suffix):
    path = tmp_path / f"figure{suffix}"
    write_figure(Figure(ready.state), path)
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".csv": b"name,x", ".json": b"{"}
    assert path.read_bytes().startswith(begins[suffix])


def test_png_has_the_size_the_resolution_and_the_words(tmp_path):
    path = tmp_path / "figure.png"
    figure = Figure(LookupState())
    write_figure(figure, path, scale=3.0)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (3 * figure.size.width(), 3 * figure.size.height())
    assert image.dotsPerMeterX() == pytest.approx(3 * 96 / 0.0254, abs=1)
    assert "query at (+1.40, +0.60)" in image.text("Description")


def test_the_output_is_drawn_where_its_number_says():
    """Look for the gold disc in the pixels of the file, at the place where the number puts it."""
    state = replace(LookupState(), overlays=frozenset())
    for x in (1.4, -0.2):
        figure = Figure(state.moved(QUERY, (x, 0.6)))
        image = figure_image(figure, 2.0)
        transform = scene_for(figure.state, figure.look, figure.width, figure.height).transform
        px, py = transform.to_pixels(*lookup_frame(figure.state).output.tolist())
        for dx, dy in ((0, 0), (5, 0), (0, 5), (-4, -4)):
            assert image.pixelColor(round(2 * (px + dx)), round(2 * (py + dy))).name() == LIGHT.output
        assert image.pixelColor(round(2 * px), round(2 * (py - 12))).name() != LIGHT.output


def test_svg_holds_real_text_and_other_programs_find_a_font(tmp_path):
    texts = svg_texts(Figure(preset("descent").state))
    assert {"q", "k₁", "k₂", "k₃", "t", "o"} <= set(texts)
    assert any("o = 0.49·k₁" in text for text in texts)
    assert b"sans-serif" in encoded(Figure(LookupState()), ".svg")


def test_svg_names_itself_in_title_and_description():
    root = ET.fromstring(encoded(Figure(LookupState()), ".svg"))  # noqa: S314
    assert root.find(f"{SVG}title").text == "Attention Explorer: lookup"
    assert "k₁ at (+2.00, +0.20) with weight 91 %" in root.find(f"{SVG}desc").text


def test_svg_draws_the_same_picture_as_png():
    """Nothing reaches out of the plane into the legend, though SVG does not clip."""
    figure = Figure(preset("long-key").state, camera=Extent(-0.5, 1.5, -0.4, 1.0))
    size = figure.size
    drawn = QImage(size, QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    QSvgRenderer(QByteArray(encoded(figure, ".svg"))).render(painter, QRect(0, 0, size.width(), size.height()))
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
    assert {"Weights", "Tie line", "Hull"} <= set(svg_texts(Figure(replace(LookupState(), overlays=shown))))
    texts = svg_texts(Figure(replace(preset("quiz").state, overlays=shown)))
    assert "Weights" in texts
    assert "Hull" not in texts  # plain numbers have none


def test_the_caption_says_how_the_numbers_were_made():
    figure = Figure(replace(LookupState(), temperature=0.25, scaled=True))
    assert "softmax(q·k/(√2·T)), T = 0.25, at q = (1.4, 0.6)" in figure.caption()
    assert "Hard lookup (arg max)" in Figure(replace(LookupState(), hard=True)).caption()


def test_pdf_is_one_page_of_the_size_of_the_figure():
    figure = Figure(LookupState())
    data = encoded(figure, ".pdf")
    boxes = data.split(b"/MediaBox [")[1].split(b"]")[0].split()
    assert float(boxes[2]) == pytest.approx(figure.size.width() * 0.75, abs=1)
    assert float(boxes[3]) == pytest.approx(figure.size.height() * 0.75, abs=1)
    assert data.count(b"/Type /Page\n") == 1


def test_exported_numbers_are_the_drawn_numbers(tmp_path):
    state = preset("three-keys").state
    frame = lookup_frame(state)
    write_figure(Figure(state), tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert [float(rows[f"k{i}"]["weight"]) for i in (1, 2, 3)] == frame.weights.tolist()
    document = json.loads(encoded(Figure(state), ".json"))
    assert document["weights"] == frame.weights.tolist()
    assert document["output"] == frame.output.tolist()


def test_the_same_state_gives_the_same_bytes():
    for suffix in (".png", ".svg", ".csv", ".json"):
        assert encoded(Figure(LookupState()), suffix) == encoded(Figure(LookupState()), suffix)


# ---- What can go wrong ----


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ExportError, match=r"\.png, \.svg, \.pdf, \.csv, \.json"):
        write_figure(Figure(LookupState()), tmp_path / "figure.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_too_large_to_hold_is_refused(tmp_path):
    with pytest.raises(ExportError, match="too large"):
        write_figure(Figure(LookupState()), tmp_path / "figure.png", scale=100)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_explained_in_a_box(make_window, tmp_path, monkeypatch):
    window = make_window()
    said = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, text: said.append(text))
    missing = tmp_path / "no such folder" / "figure.png"
    assert export_dialog.export_or_explain(window, Figure(LookupState()), missing) == ""
    assert "no such folder" in said[0]
    assert "does not exist" in said[0]


def test_the_dialog_writes_what_was_asked_for(make_window, tmp_path, monkeypatch):
    window = make_window(ExplorerState(lookup=preset("quiz").state))
    target = tmp_path / "quiz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(target), "PDF page (*.pdf)"))
    said = []
    window.page.said.connect(said.append)
    window._actions["export"].trigger()
    assert (tmp_path / "quiz.pdf").read_bytes().startswith(b"%PDF")
    assert said == [f"Saved {tmp_path / 'quiz.pdf'}"]


def test_cancelling_writes_nothing(make_window, tmp_path, monkeypatch):
    window = make_window()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: ("", ""))
    window.page.export()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "a.png"), ""))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *a: ("2×", False))
    window.page.export()
    assert list(tmp_path.glob("*.png")) == []


def test_copying_puts_picture_and_numbers_on_the_clipboard(make_window):
    window = make_window()
    window.page.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * 720
    window.page.copy_numbers()
    assert QGuiApplication.clipboard().text().startswith("name,x,y")
