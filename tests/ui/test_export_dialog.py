"""Asking where to save and how large, and copying: any page, any figure."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox
from window_driver import copied_numbers
from written_numbers import csv_text

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.core.numbers_export import Numbers, Table
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.export.dialog import ExportDialog, words_about
from attention_explorer.kit.export.figure import EXPORT_FORMATS, sheet_of
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.export import lookup_numbers
from attention_explorer.pages.lookup.presets import preset
from attention_explorer.pages.registry import PAGE_IDS, presets_of
from attention_explorer.pages.ui.page import Page
from attention_explorer.pages.ui.session import Session


class SquareFigure:
    """A picture of one colour, with one number."""

    title = "square"
    description = "A red square"
    file_stem = "red-square"

    def __init__(self, side: int) -> None:
        self.size = QSize(side, side // 2)

    def paint(self, painter):
        painter.fillRect(0, 0, self.size.width(), self.size.height(), "#d55e00")

    def numbers(self):
        return Numbers(Table.of(("side",), [(7,)]), {}, {"side": np.array(7)}, {})


class SquarePage(Page):
    """A page of another kind, which has only a figure to offer."""

    side = 40

    def figure(self):
        if not self.side:
            raise ExplorerError("There is no square yet. Draw one first.")
        return SquareFigure(self.side)


@pytest.fixture
def page(qtbot):
    page = SquarePage(Session(), Look(LIGHT))
    qtbot.addWidget(page)
    page.heard = []
    page.done.connect(lambda text: page.heard.append(("done", text)))
    page.refused.connect(lambda text: page.heard.append(("refused", text)))
    return page


class Answers:
    """What the dialogs asked, and what they are told."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, ...]] = []
        self.file = ("", "")
        self.options: FigureOptions | None = None


@pytest.fixture
def asked(monkeypatch):
    asked = Answers()

    def accept(dialog):
        if asked.options is not None:
            dialog.form.options = asked.options
        asked.questions.append(
            ("export", dialog.windowTitle(), words_about(sheet_of(dialog.figure, dialog.options), dialog.options))
        )
        return QDialog.DialogCode.Accepted

    def file_name(_parent, title, start, filters):
        asked.questions.append((title, start, filters))
        return asked.file

    monkeypatch.setattr(ExportDialog, "exec", accept)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", file_name)
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, *texts: asked.questions.append(("warning", *texts)))
    return asked


# ---- What is asked ----


def test_with_the_largest_letters_all_of_it_is_within_a_small_screen(qtbot):
    page = SquarePage(Session(), Look(LIGHT, 2.0))
    qtbot.addWidget(page)
    needed = ExportDialog(page, page.figure()).minimumSizeHint()
    assert needed.width() <= 1024
    assert needed.height() <= 768


def test_the_dialog_names_the_figure_and_every_format(page, asked):
    page.export()
    (_, window_title, _), (title, start, filters) = asked.questions
    assert window_title == title == "Export: square"
    assert start.endswith("/red-square.png")
    assert filters.split(";;") == [f"{known.title} (*{known.suffix})" for known in EXPORT_FORMATS]
    assert page.heard == [], "it was cancelled"


def test_the_chosen_format_is_the_first_that_is_offered(page, asked):
    asked.options = FigureOptions(".svg")
    page.export()
    _, (_, start, filters) = asked.questions
    assert start.endswith("/red-square.svg")
    assert filters.split(";;")[:2] == ["SVG drawing (*.svg)", "PNG picture (*.png)"]


@pytest.mark.parametrize(("dpi", "size"), [(96, (40, 20)), (192, (80, 40)), (288, (120, 60)), (768, (320, 160))])
def test_the_picture_has_the_size_that_was_said(page, asked, tmp_path, dpi, size):
    asked.file = (str(tmp_path / "square.png"), "")
    asked.options = FigureOptions(".png", dpi=dpi)
    page.export()
    assert f"{size[0]} × {size[1]} pixels; 10.58 × 5.292 mm at {dpi} dpi" in asked.questions[0][2]
    assert QImage(str(tmp_path / "square.png")).size() == QSize(*size)
    assert page.heard == [("done", f"Saved {tmp_path / 'square.png'}")]


@pytest.mark.parametrize(("side", "fits"), [(8000, True), (8001, False)])
def test_a_size_that_cannot_be_made_is_called_too_large(side, fits, page, asked):
    page.side = side
    page.export()
    assert ("too large" in asked.questions[0][2]) is not fits


def test_a_figure_too_large_for_any_picture_is_refused_in_words(page, asked, tmp_path):
    asked.file = (str(tmp_path / "square.png"), "")
    page.side = 16_001
    asked.options = FigureOptions(".png", dpi=96)
    page.export()
    assert asked.questions[2:] == [
        ("warning", "Not exported", "A picture of 16001 × 8000 pixels is too large. Choose SVG or PDF.")
    ]
    asked.file = (str(tmp_path / "square.svg"), "")
    page.export()
    assert [path.name for path in tmp_path.iterdir()] == ["square.svg"]


@pytest.mark.parametrize("known", EXPORT_FORMATS, ids=lambda known: known.suffix)
def test_the_chosen_format_gives_the_suffix(known, page, asked, tmp_path):
    asked.file = (str(tmp_path / "square"), f"{known.title} (*{known.suffix})")
    page.export()
    assert [path.name for path in tmp_path.iterdir()] == [f"square{known.suffix}"]


@pytest.mark.parametrize("answer", [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes])
def test_a_name_that_gets_its_ending_here_replaces_nothing_unasked(answer, page, asked, tmp_path, monkeypatch):
    path = tmp_path / "square.png"
    path.write_bytes(b"before")
    questions = []
    monkeypatch.setattr(QMessageBox, "question", lambda _parent, *asked: questions.append(asked) or answer)
    asked.file = (str(tmp_path / "square"), "PNG picture (*.png)")
    page.export()
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
    assert questions == [("Replace the file?", "“square.png” is there already. Replace it?", yes | no, no)]
    assert (path.read_bytes() == b"before") is (answer == QMessageBox.StandardButton.No)
    asked.file = (str(path), "")
    page.export()
    assert len(questions) == 1, "the file dialog has asked about the whole name"


def test_a_number_is_no_ending(page, asked, tmp_path):
    asked.file = (str(tmp_path / "figure 2.1"), "SVG drawing (*.svg)")
    page.export()
    assert [path.name for path in tmp_path.iterdir()] == ["figure 2.1.svg"]


def test_the_next_export_from_any_page_of_the_window_starts_where_the_last_ended(make_window, asked, tmp_path):
    window, other = make_window(), make_window()
    asked.file = (str(tmp_path / "lookup.csv"), "")
    window.page.export()
    another = SquarePage(window.session, Look(LIGHT), window)
    another.export()
    assert asked.questions[3][1] == str(tmp_path / "red-square.png")
    other.page.export()
    assert not asked.questions[5][1].startswith(str(tmp_path)), "another window remembers for itself"


# ---- What becomes of it ----


def test_the_dialog_writes_what_was_asked_for(make_window, tmp_path, monkeypatch):
    window = make_window(ExplorerState(lookup=preset("quiz").state))
    target = tmp_path / "quiz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(target), "PDF page (*.pdf)"))
    said = []
    window.page.done.connect(said.append)
    window._actions["export"].trigger()
    assert (tmp_path / "quiz.pdf").read_bytes().startswith(b"%PDF")
    assert said == [f"Saved {tmp_path / 'quiz.pdf'}"]


def test_cancelling_writes_nothing(make_window, tmp_path, monkeypatch):
    window = make_window()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: ("", ""))
    window.page.export()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "a.png"), ""))
    monkeypatch.setattr(ExportDialog, "exec", lambda _dialog: QDialog.DialogCode.Rejected)
    window.page.export()
    assert list(tmp_path.glob("*.png")) == []


def test_copying_puts_picture_and_numbers_on_the_clipboard(make_window):
    window = make_window()
    window.page.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * 720
    text = copied_numbers(window.page)
    assert text.startswith("name,x,y")
    assert text == csv_text(lookup_numbers(window.session.state.lookup))


def test_another_page_copies_its_own_picture_and_numbers(page):
    page.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.size() == QSize(80, 40)
    assert image.pixelColor(79, 39).name() == "#d55e00"
    assert list(csv.reader(io.StringIO(copied_numbers(page)))) == [["side"], ["7"]]
    assert page.heard == [
        ("done", "The picture is on the clipboard."),
        ("done", "The numbers are on the clipboard, as CSV."),
    ]


@pytest.mark.parametrize("act", [Page.export, Page.copy_picture, Page.copy_numbers])
def test_a_page_with_nothing_to_take_away_says_so(act, page, asked):
    page.side = 0
    act(page)
    assert page.heard == [("refused", "There is no square yet. Draw one first.")]
    assert asked.questions == []


def test_a_picture_too_large_for_the_clipboard_is_refused_in_words(page):
    QGuiApplication.clipboard().setText("before")
    page.side = 8001
    page.copy_picture()
    ((how, text),) = page.heard
    assert how == "refused"
    assert "16002 × 8000 pixels is too large" in text
    assert QGuiApplication.clipboard().text() == "before"


# ---- Examples ----


@pytest.mark.parametrize("page", PAGE_IDS)
def test_every_page_has_examples_with_names_fit_for_files(page):
    names = [ready.id for ready in presets_of(page)]
    assert names
    assert len(set(names)) == len(names)
    assert all(name and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)
