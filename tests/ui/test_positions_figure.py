"""Figures of the Positions page as files: every picture in every format, numbers with every digit."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pdf_reader import pdf_runs
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QMessageBox
from window_driver import copied_numbers

from attention_explorer.errors import ExportError
from attention_explorer.kit.export.figure import encoded
from attention_explorer.kit.pictures.figure import PicturesFigure, figure_of
from attention_explorer.model import alibi_bias, alibi_slopes, sinusoidal_encoding
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import Likeness, PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of

SVG = "{http://www.w3.org/2000/svg}"

# The off-screen platform says this whenever a menu opens.
pytestmark = [pytest.mark.usefixtures("qapp"), pytest.mark.qt_log_ignore("This plugin does not support")]


def figure(**changes) -> PicturesFigure:
    state = PositionsState(**changes)
    return figure_of(view_of(state.picture), state, "Positions")


def svg_texts(shown: PicturesFigure) -> list[str]:
    root = ET.fromstring(encoded(shown, ".svg"))  # noqa: S314  # our own output
    return ["".join(element.itertext()).replace("\xa0", " ").strip() for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("picture", PositionsPicture)
@pytest.mark.parametrize("kind", PositionKind)
def test_every_picture_of_every_kind_is_a_file(kind, picture):
    shown = figure(kind=kind, picture=picture)
    image = QImage.fromData(encoded(shown, ".png"))
    assert (image.width(), image.height()) == (shown.size.width(), shown.size.height())
    assert image.pixelColor(2, 2).name() == "#ffffff"
    assert shown.title in svg_texts(shown)
    assert encoded(shown, ".pdf").startswith(b"%PDF")
    assert shown.file_stem


def test_a_pdf_has_text_that_can_be_searched():
    words = " ".join(text for text, _ in pdf_runs(encoded(figure(), ".pdf"))).split()
    words = " ".join(words)  # Qt writes spaces as tabs and hard spaces
    assert "Every position has its own row of waves" in words
    assert "dimension (column), from 0" in words


def test_a_map_in_a_vector_file_is_made_of_cells():
    root = ET.fromstring(encoded(figure(length=4, d_model=6), ".svg"))  # noqa: S314  # our own output
    assert not list(root.iter(f"{SVG}image"))


def test_a_picture_twice_as_large_has_the_same_layout():
    shown = figure(picture=PositionsPicture.ATTENTION)
    one, two = (QImage.fromData(encoded(shown, ".png", scale)) for scale in (1.0, 2.0))
    assert (two.width(), two.height()) == (2 * one.width(), 2 * one.height())


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({}, ["encoding: sinusoidal", "length = 64", "d_model = 64", "base = 10000"]),
        ({"kind": PositionKind.ROTARY}, ["encoding: rotary", "pairs: i, i + d/2"]),
        ({"kind": PositionKind.LEARNED}, ["encoding: learned", "seed = 42"]),
        ({"kind": PositionKind.ALIBI}, ["encoding: ALiBi", "heads = 8"]),
        ({"picture": PositionsPicture.ATTENTION}, ["seed = 42", "base = 10000", "no causal mask"]),
    ],
)
def test_the_caption_says_what_the_numbers_were_made_with(changes, parts):
    shown = figure(**changes)
    caption = shown.caption.replace("\N{NO-BREAK SPACE}", " ")
    assert all(part in caption for part in parts)
    written = " ".join(svg_texts(shown))
    assert all(part in written for part in parts)


def test_the_caption_of_the_order_experiment_counts_no_positions():
    assert "length" not in figure(picture=PositionsPicture.ORDER).caption


def test_the_encoding_is_saved_with_every_digit():
    shown, expected = figure(length=20, d_model=6), sinusoidal_encoding(20, 6)
    np.testing.assert_array_equal(np.load(io.BytesIO(encoded(shown, ".npy"))), expected)
    table = np.genfromtxt(io.BytesIO(encoded(shown, ".csv")), delimiter=",", skip_header=1)
    np.testing.assert_array_equal(table[:, 1:], expected)
    document = json.loads(encoded(shown, ".json"))
    assert document["encoding"] == expected.tolist()
    assert document["settings"] == {"kind": "sinusoidal", "length": 20, "d_model": 6, "base": 10000.0}
    with np.load(io.BytesIO(encoded(shown, ".npz"))) as archive:
        np.testing.assert_array_equal(archive["encoding"], expected)


def test_alibi_is_saved_as_biases_and_slopes():
    with np.load(io.BytesIO(encoded(figure(kind=PositionKind.ALIBI, length=9), ".npz"))) as archive:
        np.testing.assert_array_equal(archive["bias"], alibi_bias(8, 9))
        np.testing.assert_array_equal(archive["slopes"], alibi_slopes(8))


def test_every_other_picture_is_saved_with_its_own_numbers():
    expected = sinusoidal_encoding(64, 64)
    with np.load(io.BytesIO(encoded(figure(picture=PositionsPicture.SIMILARITY), ".npz"))) as archive:
        np.testing.assert_allclose(archive["similarity"], expected @ expected.T, atol=1e-11)
    changes = {"picture": PositionsPicture.SIMILARITY, "likeness": Likeness.DISTANCE}
    with np.load(io.BytesIO(encoded(figure(**changes), ".npz"))) as archive:
        assert archive["distances"][0, 1] == pytest.approx(1.4718, abs=5e-5)
    with np.load(io.BytesIO(encoded(figure(picture=PositionsPicture.ATTENTION), ".npz"))) as archive:
        assert archive["weights"].sum() == pytest.approx(1.0)
        assert archive["terms"].sum() == pytest.approx(archive["scores"][5])
    with np.load(io.BytesIO(encoded(figure(picture=PositionsPicture.ORDER), ".npz"))) as archive:
        assert archive["errors"].shape == (6, 2)
        assert archive["errors"][0, 0] < 1e-14


def test_too_many_numbers_are_refused_in_words(positions, tmp_path, monkeypatch):
    positions.open(length=8192, d_model=1024)
    told = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "all.csv"), ""))
    monkeypatch.setattr(QMessageBox, "exec", lambda box: told.append(box.text() + box.informativeText()))
    monkeypatch.setattr(QMessageBox, "warning", lambda *words: told.append(str(words)))
    positions.choose_in_menu(positions.page.bar.share, "Export…")
    assert not (tmp_path / "all.csv").exists()
    assert "8\\xa0388\\xa0608 numbers" in " ".join([*told, positions.told])


def test_nothing_is_refused_in_words():
    with pytest.raises(ExportError, match="Without an encoding there is nothing to draw"):
        encoded(figure(kind=PositionKind.NONE), ".csv")


def test_picture_and_numbers_are_copied(positions):
    clipboard = QGuiApplication.clipboard()
    positions.page.copy_picture()
    assert clipboard.image().width() >= 900
    table = np.genfromtxt(io.StringIO(copied_numbers(positions.page)), delimiter=",", skip_header=1)
    np.testing.assert_array_equal(table[:, 1:], sinusoidal_encoding(64, 64))
